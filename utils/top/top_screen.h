/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_screen.h - the terminal that upc_top draws on, and what ends its waits: keys,
 * signals, a new size. Where the output is no terminal only the signals are left.
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
	sigset_t mask;        /* as we were started with */
	bool drawing;         /* the terminal is in our hands */
	bool keys;            /* ... and standard input, too */
	struct termios lines; /* as standard input was */
};

/* The cause that ended a wait. */
enum top_wake {
	TOP_WAKE_TICK,   /* the deadline has come */
	TOP_WAKE_REDRAW, /* the screen has another size, or is ours again */
	TOP_WAKE_NOW,    /* a key asks for a refresh */
	TOP_WAKE_SORT,   /* ... for the next order   */
	TOP_WAKE_ALL,    /* ... for all counters, or those that count only */
	TOP_WAKE_END,    /* a key or a signal says that it is enough */
};

/* Whether standard output can be drawn on. */
bool top_screen_possible(void);

/* Takes signals, and with drawing the terminal. 0, or -1 with the error said. */
int top_screen_begin(struct top_screen *screen, bool drawing);

/* Gives everything back as it was. */
void top_screen_end(struct top_screen *screen);

/* Rows of the terminal, and columns of a line: what goes to no terminal is cut only
 * where $COLUMNS says so. */
unsigned top_screen_rows(void);
unsigned top_screen_columns(void);

/* Shows a frame, lines of text, in the place of what was there: 0, or -1 when the
 * terminal is gone. */
int top_screen_draw(const char *frame, size_t length);

/* Waits until something happens or until deadline, in ns of CLOCK_MONOTONIC. */
enum top_wake top_screen_wait(struct top_screen *screen, uint64_t deadline);

#endif
