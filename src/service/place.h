/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place.h - a place where counters count: a CPU, the machine, or a control group. It has one unit of libupc,
 * and a cell for each counter of its scope. The cell keeps the counter's sums. A halt, a unit that is opened
 * again, or an event that two counters share therefore do not change these sums.
 * Terms: service/service.h.
 */
#ifndef SERVICE_PLACE_H
#define SERVICE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"
#include "service/service.h"

/* The options of all places. */
struct place_options {
	struct upc_catalogue *catalogue;
	bool replay;   /* a script has the catalogue's events, so units have the worker thread as context */
	bool user;     /* user mode only */
	bool flexible; /* hardware groups are not pinned */
	unsigned reserve;
	char aside_why[256]; /* why the hardware counters are yielded */
};

/* An event that libupc counts for a cell: the cell's event itself, or a part of a derived event. */
struct place_term {
	uint32_t code;
	bool level;
	int slot; /* counter of the unit */
	uint64_t
		sum; /* counts while the cell was on, over all units that were open; for a level, the level */
	uint64_t last;     /* the unit's count up to which sum is complete */
	uint64_t ran, had; /* the unit's running_ns and enabled_ns up to which the cell's are complete */
};

struct place_cell {
	uint32_t code;
	bool derived, level, hardware;
	bool known;             /* code and terms are set: the catalogue has the event */
	bool open;              /* the place's unit has the event */
	bool on;                /* its counts are added to sum: the counter is neither halted nor yielded */
	enum service_state off; /* state while on is false */
	bool held;              /* its slots are to be halted in the unit, unless another cell needs them */
	bool read;              /* the cell was read since it was opened */
	unsigned terms;
	struct place_term *term;
	uint64_t running_ns, enabled_ns;     /* ns while on: of the terms, the least and the greatest */
	uint64_t judged_ran, judged_enabled; /* running_ns and enabled_ns at the last judgement */
	bool shown;                          /* a sample has had the cell's value since it was opened */
	uint64_t value, value_ns; /* last published value, and running_ns of it; a count never falls */
	enum service_state state;
	char *why; /* reason of SERVICE_FAILED or SERVICE_TAKEN, or NULL */
};

struct place {
	enum service_scope scope;
	char *name;
	char *path; /* of a control group */
	uint64_t inode;
	int cpu, numa;
	bool online;
	struct upc_unit *unit;    /* NULL: not opened yet, or cannot be opened */
	struct place_cell **cell; /* one for each counter of the scope, in their order */
	unsigned cells, room;
	bool bound[UPC_COUNTERS];  /* the unit's counters in use, at the last commit */
	bool halted[UPC_COUNTERS]; /* which of the unit's counters are halted */
	uint32_t code[UPC_COUNTERS];
	uint64_t value[UPC_COUNTERS], enabled[UPC_COUNTERS], ran[UPC_COUNTERS]; /* at the last read */
	unsigned flags[UPC_COUNTERS];
	bool stopped;  /* the unit could not be started again */
	bool unread;   /* the last read failed as a whole: the place's counts are unknown */
	char why[256]; /* why the read failed */
};

/* Find the event in the catalogue, and fill in the cell's code and terms. {cpu} and {numa} in the text are
 * replaced by the place's numbers. info describes the event. Errors: those of upc_catalogue_find, and
 * UPC_ENOSUPP if the scope cannot have the event; upc_last_message or why has the reason. */
int place_resolve(const struct place_options *options, const struct place *place, const char *event,
		  struct place_cell *cell, struct upc_event_info *info, char why[512]);
void place_cell_free(struct place_cell *cell);

/* Make room for more cells, so that appending them cannot fail. */
int place_reserve(struct place *place, unsigned more);

/*
 * Remove cells from the unit and add others, all or nothing, and start them. Cells of out that are not open
 * are skipped. The place is read first. Errors: those of libupc; nothing has changed then.
 */
int place_change(const struct place_options *options, struct place *place, struct place_cell *const *out,
		 unsigned outs, struct place_cell *const *in, unsigned ins);

/* Open the cells that are not open; each one separately if they cannot be opened together. Cells that could
 * not be opened are then in state SERVICE_FAILED or SERVICE_TAKEN. */
void place_open_each(const struct place_options *options, struct place *place, struct place_cell *const *cell,
		     unsigned cells);

/* Read the unit, and add the new counts to the cells' sums. */
void place_read(struct place *place);

/* Halt the unit's counters that only held cells need, and continue the others. Also start the unit, if it
 * could not be started before. Errors: those of libupc. */
int place_apply_halts(const struct place_options *options, struct place *place);

/* Close the unit. Its counts are in the sums, and the cells are closed. */
void place_close(struct place *place);

/* Set the state of each cell from the counts since the last judgement, and, for a sample, its value. */
void place_judge(const struct place_options *options, struct place *place, bool sample);

void place_set_state(struct place_cell *cell, enum service_state state, const char *why);

#endif
