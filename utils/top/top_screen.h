/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_screen.h - the terminal of upc_top, and the events that end its waits: keys, signals, a new size. If
 * the output is not a terminal, only signals end a wait.
 */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct top_screen {
	int signals;          /* signalfd */
	sigset_t mask;        /* signal mask at the start */
	bool drawing;         /* the terminal shows upc_top's frames */
	bool keys;            /* keys are read from standard input */
	struct termios lines; /* settings of standard input at the start */
};

/* The cause that ended a wait. */
enum top_wake {
	TOP_WAKE_TICK,   /* the deadline has passed */
	TOP_WAKE_REDRAW, /* the screen's size has changed, or upc_top has been continued after a stop */
	TOP_WAKE_NOW,    /* a key requests a refresh */
	TOP_WAKE_SORT,   /* a key requests the next sort order */
	TOP_WAKE_ALL,    /* a key toggles between all counters and those with an event */
	TOP_WAKE_END,    /* a key or a signal ends upc_top */
};

/* Return true if standard output is a terminal that can show frames. */
bool top_screen_possible(void);

/* Block signals and, if drawing is set, take the terminal. Return 0, or -1 after printing an error. */
int top_screen_begin(struct top_screen *screen, bool drawing);

/* Restore the terminal and the signal mask. */
void top_screen_end(struct top_screen *screen);

/* Return the rows of the terminal, and the columns of a line. Output that does not go to a terminal is only
 * cut if $COLUMNS is set. */
unsigned top_screen_rows(void);
unsigned top_screen_columns(void);

/* Show a frame, which is lines of text, in place of the previous frame. Return 0, or -1 if the terminal
 * cannot be written. */
int top_screen_draw(const char *frame, size_t length);

/* Wait for an event or until deadline, in ns of CLOCK_MONOTONIC. */
enum top_wake top_screen_wait(struct top_screen *screen, uint64_t deadline);

#endif
