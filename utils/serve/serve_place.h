/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_place.h - the directory of a private node: making it, who has it, and what is left in it.
 *
 *   serve.lock            locked by the upc_serve that runs; in it the page's address
 *   processes             what it has started: who finds it unlocked ends them
 *   config                what is counted, where no file was given
 *   state, state.metrics  the agent's: counts go on after a restart
 *   run/                  sockets: pmcd.socket, control
 *   web/                  pmproxy's and the page's, who may see nothing else
 *   archive/, log/        stay, as state does
 */
#ifndef UTIL_SERVE_PLACE_H
#define UTIL_SERVE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct serve_place {
	char dir[PATH_MAX]; /* absolute, without links */
	int lock;           /* -1: it is another's */
};

/* The user of pmproxy and the page: on root's node one who may do nothing. */
struct serve_nobody {
	uid_t uid;
	gid_t gid;
	char user[64], group[64];
};

/* "$XDG_STATE_HOME/upc/serve", or in $HOME, where upcctl looks; false, said: there is neither. */
bool serve_place_default(char dir[PATH_MAX]);

/* Finds the directory; with make it is made where it is not there. False, said: there is none, or it is
 * not ours. It becomes the current directory. */
bool serve_place_open(struct serve_place *place, const char *dir, bool make);

/* Locks it. False where somebody has it: *holder is the process, or -1 after an error, which was said. */
bool serve_place_lock(struct serve_place *place, pid_t *holder);

/* The process that has it; 0: nobody. -1: an error, said. */
pid_t serve_place_holder(void);

/* Gives the page's address as the holder has written it, or "". */
void serve_place_address(char address[128]);
bool serve_place_set_address(const struct serve_place *place, const char *address);

/* Makes what is in it, with the rights that the node needs. False, said. */
bool serve_place_fill(const struct serve_nobody *nobody);

/* Removes sockets and what was made for one run. Files that are meant to stay are kept. */
void serve_place_empty(void);

#endif
