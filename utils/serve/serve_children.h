/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_children.h - the processes of a private node: starts them, notices that one has ended, and ends all.
 * The file "processes" in the current directory lists all of them, so that the next upc_serve can end them if
 * this upc_serve is killed.
 * Terms: serve/serve_node.h.
 */
#ifndef UTIL_SERVE_CHILDREN_H
#define UTIL_SERVE_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "serve/serve_place.h"

struct serve_child {
	const char *name;
	const char *program;               /* NULL: run is called instead */
	const char *libraries;             /* directory for the program; NULL: the loader's default */
	const char *const *argv;           /* [0] is the name */
	const char *const *env;            /* "NAME=VALUE" */
	const char *where;                 /* the child's current directory */
	const char *log;                   /* file for its output; removed when it is started */
	const struct serve_nobody *nobody; /* NULL: the child keeps upc_serve's user */
	void (*run)(void *argument);       /* never returns */
	void *argument;
	pid_t pid;         /* 0: not running */
	int status;        /* status of its end, as wait returns it */
	uint64_t began;    /* seconds, monotonic */
	unsigned failures; /* number of consecutive ends soon after the start */
};

/* Start the child. False after a message. */
bool serve_child_start(struct serve_child *child);

/* Return a text such as "ended with status 1" or "was ended by signal 9 (Killed)". */
const char *serve_child_end(const struct serve_child *child, char text[80]);

/* Return the child of a process, or 0, to find pmcd's agent. -1: the kernel does not say. */
pid_t serve_grandchild(pid_t pid);

/* Record that this process belongs to the node. */
void serve_record(pid_t pid, const char *name);

/* Send SIGTERM to a child, and wait. After this number of seconds it is killed. */
void serve_child_stop(struct serve_child *child, int seconds);

/* Reap the orphans that the children have left. False if one still runs after this number of seconds. */
bool serve_orphans_ended(int seconds);

/* End those processes listed in the file "processes" that still run, identified by PID and start time. Return
 * their number. */
unsigned serve_end_leftovers(void);

/* Copy the last meaningful line of a log to text, which has room bytes; "" if there is none. */
void serve_last_line(const char *log, char *text, int room);

#endif
