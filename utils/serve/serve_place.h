/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_place.h - the directory of a private node: makes it, finds its holder, and cleans it up.
 *
 *   serve.lock            locked by the running upc_serve; contains the page's address
 *   processes             list of the node's processes; the next upc_serve ends them if the lock is free
 *   config                the default configuration, if no other file was given
 *   state, state.metrics  state of the agent, from which counts continue after a restart
 *   run/                  sockets: pmcd.socket, control
 *   web/                  files of pmproxy and the page, which cannot read any other
 *   archive/, log/        the archives and logs; these stay after the end, as state does
 * Terms: serve/serve_node.h.
 */
#ifndef UTIL_SERVE_PLACE_H
#define UTIL_SERVE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct serve_place {
	char dir[PATH_MAX]; /* absolute, without symbolic links */
	int lock;           /* descriptor with the lock; -1: not locked */
};

/* The user of pmproxy and the page. On root's node this is a user without rights. */
struct serve_nobody {
	uid_t uid;
	gid_t gid;
	char user[64], group[64];
};

/* Store "$XDG_STATE_HOME/upc/serve" or, without this variable, "$HOME/.local/state/upc/serve". upcctl looks
 * in the same directory. False, after a message, if neither is set. */
bool serve_place_default(char dir[PATH_MAX]);

/* Open the directory, and make it the current one. make: create it if it does not exist. False, after a
 * message, if it does not exist or belongs to another user. */
bool serve_place_open(struct serve_place *place, const char *dir, bool make);

/* Lock the directory. False if another process has the lock: *holder is its PID, or -1 after an error with a
 * message. */
bool serve_place_lock(struct serve_place *place, pid_t *holder);

/* Return the PID of the lock's holder; 0: not locked; -1: an error, after a message. */
pid_t serve_place_holder(void);

/* Read the page's address as the holder has written it, or "". */
void serve_place_address(char address[128]);
bool serve_place_set_address(const struct serve_place *place, const char *address);

/* Make the subdirectories, with the access rights that the node needs. False after a message. */
bool serve_place_fill(const struct serve_nobody *nobody);

/* Remove the sockets and files that are for one run only. Permanent files stay. */
void serve_place_empty(void);

#endif
