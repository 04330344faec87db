/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place.h - a place where counters count: a CPU, the machine, a control group. It has one unit of
 * libupc, and a cell for each counter, which keeps the counter's own sums: so a halt, a unit that was
 * opened again and an event that two counters share change nothing of what was counted.
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
	bool replay;   /* the catalogue's events are a script's: units count for the thread */
	bool user;     /* only user mode                    */
	bool flexible; /* hardware groups are not pinned     */
	unsigned reserve;
	char aside_why[256]; /* why the hardware counters are yielded */
};

/* A plain event that a cell's value is made of: one, or those of a derived event. */
struct place_term {
	uint32_t code;
	bool level;
	int slot; /* counter of the unit      */
	uint64_t
		sum; /* counted while the cell was on, over all units that there were; of a level the level */
	uint64_t last;     /* the unit's count that sum is up to        */
	uint64_t ran, had; /* the same of running_ns, and of enabled_ns */
};

struct place_cell {
	uint32_t code;
	bool derived, level, hardware;
	bool known;             /* code and terms are set: the catalogue has the event */
	bool open;              /* the place's unit has it                             */
	bool on;                /* what it counts is taken: neither halted nor yielded  */
	enum service_state off; /* the state where it is not on                    */
	bool held; /* it is to be halted in the unit, too, where no other cell needs its counters */
	bool read; /* there is a value since it is open                   */
	unsigned terms;
	struct place_term *term;
	uint64_t running_ns, enabled_ns;     /* as sum; of several terms the least, and the most */
	uint64_t judged_ran, judged_enabled; /* as of the last judgement            */
	bool shown;                          /* a sample had its value since it is open          */
	uint64_t value, value_ns;            /* as last given out, with its running_ns; a count never falls */
	enum service_state state;
	char *why; /* of FAILED and TAKEN, or NULL */
};

struct place {
	enum service_scope scope;
	char *name;
	char *path; /* of a control group */
	uint64_t inode;
	int cpu, numa;
	bool online;
	struct upc_unit *unit;    /* NULL: none yet, or it cannot be */
	struct place_cell **cell; /* by the counters of the scope, in their order */
	unsigned cells, room;
	bool bound[UPC_COUNTERS];  /* what the unit has, as of the last commit */
	bool halted[UPC_COUNTERS]; /* ... and which of it is halted             */
	uint32_t code[UPC_COUNTERS];
	uint64_t value[UPC_COUNTERS], enabled[UPC_COUNTERS], ran[UPC_COUNTERS]; /* as of the last read */
	unsigned flags[UPC_COUNTERS];
	bool stopped;  /* the unit could not be started again */
	bool unread;   /* the last read failed as a whole: nothing of the place is known */
	char why[256]; /* ... and this is why                                           */
};

/* Finds the event in the catalogue and fills in what a cell is made of. {cpu} and {numa} in the text
 * are replaced by the place's. info describes it. Errors: those of upc_catalogue_find, and UPC_ENOSUPP
 * where the scope cannot have it; upc_last_message or why says more. */
int place_resolve(const struct place_options *options, const struct place *place, const char *event,
		  struct place_cell *cell, struct upc_event_info *info, char why[512]);
void place_cell_free(struct place_cell *cell);

/* Room for one more cell, so that place_append cannot fail. */
int place_reserve(struct place *place, unsigned more);

/*
 * Takes cells out of the unit and others in, all or nothing, and starts them. A cell that is not open
 * is not taken out. The place is read before. Errors: those of libupc, then nothing has changed.
 */
int place_change(const struct place_options *options, struct place *place, struct place_cell *const *out,
		 unsigned outs, struct place_cell *const *in, unsigned ins);

/* Opens what is not open of cell[], each by itself where they cannot be all together; their states say
 * which could not be. */
void place_open_each(const struct place_options *options, struct place *place, struct place_cell *const *cell,
		     unsigned cells);

/* Reads the unit, and adds what was counted to the cells' sums. */
void place_read(struct place *place);

/* Halts and continues the unit's counters as the cells are held or not, and starts a unit again that could
 * not be. Errors: those of libupc. */
int place_apply_halts(const struct place_options *options, struct place *place);

/* Ends the unit: what was counted is in the sums, the cells are closed. */
void place_close(struct place *place);

/* The state of each cell, from what was read since the last judgement; and for a sample its value. */
void place_judge(const struct place_options *options, struct place *place, bool sample);

void place_set_state(struct place_cell *cell, enum service_state state, const char *why);

#endif
