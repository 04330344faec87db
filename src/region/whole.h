/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * whole.h - counters of the whole run, which upc_regions opens before the program starts and all processes of
 * the program inherit. A process reads these counters when its own counters start, and again when they stop.
 * It stores both readings in a stretch (struct upcr_whole_stretch), in memory that upc_regions shares with
 * all processes. Here, a stretch is the time between the two readings. Counts outside of all stretches belong
 * to times in which no region was counted.
 * Terms: region/region.h.
 */
#ifndef UPCR_WHOLE_H
#define UPCR_WHOLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region/settings.h"

/* Environment variable with the descriptor of the memory. */
#define UPCR_WHOLE_VARIABLE "UPC_REGIONS_WHOLE"
#define UPCR_WHOLE_MAGIC 0x31656c6f68776372u
#define UPCR_WHOLE_STRETCHES 4096u

enum { UPCR_WHOLE_NO_USER = 1, UPCR_WHOLE_NO_KERNEL = 2, UPCR_WHOLE_NO_HV = 4 };

/* A counter. id is the kernel's number of the counter: if the program has closed fd and opened another
 * counter as fd, the ids differ. */
struct upcr_whole_counter {
	int32_t fd;
	uint32_t place; /* index of its event in the list of all events */
	uint64_t id;
	/* Arguments of perf_event_open for another counter of the event. */
	uint32_t type, excludes; /* excludes: bits UPCR_WHOLE_NO_* */
	uint64_t config, config1, config2;
};

enum upcr_whole_state { UPCR_WHOLE_FREE, UPCR_WHOLE_TAKEN, UPCR_WHOLE_BEGUN, UPCR_WHOLE_ENDED };

struct upcr_whole_stretch {
	atomic_uint state; /* enum upcr_whole_state */
	int32_t pid;
	atomic_uint used;      /* 1: the process leaves a file of its regions */
	uint64_t begun, ended; /* ns */
	uint64_t value[]; /* [counters] each: at the beginning, at the end, and from the ends of threads */
};

struct upcr_whole {
	uint64_t magic, size;
	uint32_t counters;
	atomic_uint stretches; /* stretches taken; may exceed UPCR_WHOLE_STRETCHES */
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

/* Open a counter of the event for the calling thread; with inherit, also for all threads and processes that
 * it starts, counting from an exec on. Return its descriptor, or -1 with errno. */
int upcr_whole_open_counter(const struct upcr_whole_counter *counter, bool inherit);
/* Read all counters to value. Return 0, or -1 if a counter cannot be read. */
int upcr_whole_read(const struct upcr_whole *whole, uint64_t *value);

/* ---- in a process of the run (whole.c) ------------------------------------------------------- */

/* Find the counters of the environment, if there are any. */
void upcr_whole_open(void);
/* Begin the process's stretch, unless it has begun. */
void upcr_whole_begin(void);
/* Note that the process has regions. */
void upcr_whole_use(void);
/* End the process's stretch, just after its last counters have stopped. */
void upcr_whole_end(void);
/* Forget the parent's stretch, in a forked child. */
void upcr_whole_forked(void);

/*
 * Early counters: counters of the same events for the calling thread alone, while its set is being made.
 */
struct upcr_early {
	unsigned n;              /* number of counters; 0: none */
	int fd[UPCR_EVENTS_MAX]; /* by counter; -1: not opened */
};

void upcr_early_begin(struct upcr_early *early);
/* Close the counters, and add the count of each to value[place of its event]. With value NULL, discard the
 * counts. */
void upcr_early_end(struct upcr_early *early, uint64_t *value);
/* Count the calling thread's work from now until its end, after its set has stopped, for the process's
 * stretch. Two threads must not be in this function at once, and none while another is in upcr_whole_end. */
void upcr_late_begin(void);

#endif
