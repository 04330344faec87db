/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * whole.h - counters of the whole run, which upc_regions opens before the program starts and all of its
 * processes inherit. A process reads them as its own counters start, and again as they stop, into a stretch
 * of memory that upc_regions shares with it. Counts between two stretches
 * are of a time in which no region was counted.
 */
#ifndef UPCR_WHOLE_H
#define UPCR_WHOLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region/settings.h"

/* The descriptor of the memory. */
#define UPCR_WHOLE_VARIABLE "UPC_REGIONS_WHOLE"
#define UPCR_WHOLE_MAGIC 0x31656c6f68776372u
#define UPCR_WHOLE_STRETCHES 4096u

enum { UPCR_WHOLE_NO_USER = 1, UPCR_WHOLE_NO_KERNEL = 2, UPCR_WHOLE_NO_HV = 4 };

/* A counter. A descriptor whose number has been used again has another id. */
struct upcr_whole_counter {
	int32_t fd;
	uint32_t place; /* of its event in the list of all */
	uint64_t id;
	/* Arguments of perf_event_open for another counter of the event. */
	uint32_t type, excludes; /* excludes: bits of enum below */
	uint64_t config, config1, config2;
};

enum upcr_whole_state { UPCR_WHOLE_FREE, UPCR_WHOLE_TAKEN, UPCR_WHOLE_BEGUN, UPCR_WHOLE_ENDED };

struct upcr_whole_stretch {
	atomic_uint state; /* enum above */
	int32_t pid;
	atomic_uint used;      /* the process leaves a file of its regions */
	uint64_t begun, ended; /* ns */
	uint64_t value[];      /* [counters] at the beginning, at the end, and of the ends of threads */
};

struct upcr_whole {
	uint64_t magic, size;
	uint32_t counters;
	atomic_uint stretches; /* taken, or more than there are */
	struct upcr_whole_counter counter[];
};

static inline size_t upcr_whole_stride(unsigned counters)
{
	return sizeof(struct upcr_whole_stretch) + 3 * counters * sizeof(uint64_t);
}

static inline size_t upcr_whole_head(unsigned counters)
{
	return sizeof(struct upcr_whole) + counters * sizeof(struct upcr_whole_counter);
}

static inline struct upcr_whole_stretch *upcr_whole_stretch_of(const struct upcr_whole *whole, unsigned i)
{
	return (struct upcr_whole_stretch *)(void *)((char *)(uintptr_t)whole +
						     upcr_whole_head(whole->counters) +
						     i * upcr_whole_stride(whole->counters));
}

/* Opens a counter of the event, of the calling thread; inherit: of what it starts, from an exec on. Its
 * descriptor, or -1 with errno. */
int upcr_whole_open_counter(const struct upcr_whole_counter *counter, bool inherit);
/* 0, or -1: it cannot be read. */
int upcr_whole_read(const struct upcr_whole *whole, uint64_t *value);

/* ---- in a process of the run (whole.c) ------------------------------------------------------- */

/* Finds the counters of the environment, if there are any. */
void upcr_whole_open(void);
/* The process's stretch begins, unless it has. */
void upcr_whole_begin(void);
/* The process has regions. */
void upcr_whole_use(void);
/* And ends, just after its last counters have stopped. */
void upcr_whole_end(void);
/* In a forked child: the parent's stretch is not its own. */
void upcr_whole_forked(void);

/*
 * Counters of the calling thread alone, of the same events, for the time in which its set is made.
 */
struct upcr_early {
	unsigned n;              /* 0: there are none */
	int fd[UPCR_EVENTS_MAX]; /* by counter, -1: not opened */
};

void upcr_early_begin(struct upcr_early *early);
/* Ends them, and adds to value, by the places of events, what they have; NULL: nothing. */
void upcr_early_end(struct upcr_early *early, uint64_t *value);
/* The calling thread's set has stopped, and it ends: what it counts from now on is the stretch's. Not by two
 * threads at once, nor with upcr_whole_end. */
void upcr_late_begin(void);

#endif
