/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_children.h - the processes of a private node: starting them, noticing that one has ended, ending
 * all. All are in the current directory's file "processes", so that they are found after a death of ours.
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
	const char *libraries;             /* of the program; NULL: the loader knows */
	const char *const *argv;           /* [0] is the name */
	const char *const *env;            /* "NAME=VALUE" */
	const char *where;                 /* its current directory */
	const char *log;                   /* what it prints goes there: removed at its start */
	const struct serve_nobody *nobody; /* NULL: it stays who we are */
	void (*run)(void *argument);       /* does not come back */
	void *argument;
	pid_t pid;         /* 0: it does not run */
	int status;        /* as wait has it, of its end */
	uint64_t began;    /* seconds, monotonic */
	unsigned failures; /* since it last lived long */
};

/* False, said. */
bool serve_child_start(struct serve_child *child);

/* "ended with status 1", "was ended by signal 9 (Killed)". */
const char *serve_child_end(const struct serve_child *child, char text[80]);

/* The child of a process, or 0: for pmcd's agent. -1: the kernel does not say. */
pid_t serve_grandchild(pid_t pid);

/* Writes that this process belongs to the node. */
void serve_record(pid_t pid, const char *name);

/* Asks a child to end, and waits: after so many seconds it is killed. */
void serve_child_stop(struct serve_child *child, int seconds);

/* Takes the ends of those whom children have left to us; false while one still runs. */
bool serve_orphans_ended(int seconds);

/* Ends those of the file that still run, by their number and start. Returns how many. */
unsigned serve_end_leftovers(void);

/* The last line of a log that says something, or "". */
void serve_last_line(const char *log, char *text, int room);

#endif
