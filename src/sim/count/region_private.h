/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region_private.h - the stack of a thread, shared by region.c, region_doubt.c and region_team.c.
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_REGION_PRIVATE_H
#define UPCS_REGION_PRIVATE_H

#include "count/region.h"

#define REGIONS 16u
#define OWNERS 3u /* owners kept per site: levels at which recursive calls of setjmp are distinguished */

/* The function of an activation: the address of its first block, and the target of this block's jump if the
 * jump is indirect. A PLT stub is thus the same as the function behind it. */
struct function {
	uint64_t entry, then;
};

/* The last block, as known when the next block begins. */
struct last {
	uint64_t begin, next;
	uint8_t end;
	bool fresh; /* the block is the first of its activation */
	bool runtime;
};

struct frame {
	uint64_t below;  /* number + 1 of the next older frame at the same site; 0: none */
	uint64_t serial; /* number of the frame, from 1, never reused */
	struct function function;
	uint64_t code; /* address of the function that the activation executes now, after far jumps */
	uint32_t site; /* index of its site; 0: a signal handler's frame, if no call entered the handler */
	bool signal;   /* the frame is, or may be, a signal handler's */
	bool unwinds;  /* the activation may jump to an exception's handler */
	bool runtime;  /* an OpenMP runtime called the function... */
	bool out;      /* ...which belongs to the program */
	struct last interrupted;
};

/* One cache line, since calls and returns read it. */
struct site {
	_Alignas(64) uint64_t address;
	uint64_t code; /* code of the calling frame */
	uint64_t top;  /* number + 1 of the site's youngest frame; 0: none */
	/* Owners: activations that continued at this site, the youngest last. Their frames' serials (0: the
	 * bottom), and the low 32 bits of their depths. */
	uint64_t serial[OWNERS];
	uint32_t depth[OWNERS];
	uint8_t owners;
	bool disowned; /* more than OWNERS activations continued here */
};

/* An excursion: the call of a function of the program by a runtime, for other regions. Holds the thread's
 * state before the call. */
struct excursion {
	uint64_t depth; /* depth of the called function */
	uint16_t active, jumped, suspect;
	uint64_t highest, floor[REGIONS], since[REGIONS];
	uint64_t adopted, before;
};

struct upcs_region_stack {
	struct last last;
	bool stray; /* the last block returned to an address that no call pushed */

	bool astray;           /* after a return or jump of unknown kind, depth may be too large... */
	uint64_t astray_depth; /* ...but the true depth is not less than this */

	/* Regions that were active at a stray return. They are suspect until the return proves to be a signal
	 * handler's, which ends no region. */
	uint16_t strayed;
	bool strayed_to_site;
	uint16_t suspect, grave; /* active regions that may have been left; see upcs_region_suspect */
	uint16_t switched;       /* subset of grave: suspect because of a change of stacks */
	uint16_t kept, left; /* grave regions decided since the last upcs_region_decided: not left, left */
	uint64_t since[REGIONS]; /* depth at which the region was suspected; not less than its floor */
	uint16_t doubt[UPCS_REGION_DOUBTS];
	uint32_t doubts; /* incremented when the doubts or the grave, kept, left or strayed sets change */

	uint16_t active, jumped; /* jumped: active regions that were entered without a call */
	uint64_t highest;        /* the highest floor of an active region */
	uint64_t floor[REGIONS];

	/* The thread's own account; the account of its innermost excursion; and its own account when that
	 * excursion began. */
	uint64_t account, adopted, before;

	bool adopts; /* the next call begins an excursion */
	struct excursion *excursion;
	uint32_t excursions, excursions_room;

	uint64_t base, depth; /* frames base to depth - 1 are known */
	uint64_t serial;
	struct frame *frame; /* ring: frame number i is at i & (frames - 1) */
	uint64_t frames;
	struct site *site; /* indexed from 1 */
	uint32_t sites, sites_room;
	uint32_t *table; /* hash table of site numbers; 0: free; 2 * sites_room slots */
};

/* ---- region_doubt.c ------------------------------------------------------------------------- */

/*
 * Mark active regions as suspect: the thread may have left them just now. grave is true if the cause is an
 * exception or a change of stacks: the regions count as left unless a later block proves otherwise. grave is
 * false if the cause is a jump from one function into another: the jump counts as a tail call unless a later
 * block proves otherwise.
 */
void upcs_region_suspect(struct upcs_region_stack *stack, uint16_t regions, bool grave);
/* Mark active regions as grave suspects because of a change of stacks. */
void upcs_region_switch(struct upcs_region_stack *stack, uint16_t regions);
/* Decide the suspects when the activation at depth returns or continues. Suspects that enclose the activation
 * were not left. Suspects above depth were left earlier, unseen. */
void upcs_region_clear(struct upcs_region_stack *stack, uint64_t depth);
/* Note a return to depth that does not decide the suspects entered at depth or below. Suspects entered above
 * depth have ended, and those among them that are grave were left. */
void upcs_region_keep(struct upcs_region_stack *stack, uint64_t depth);
void upcs_region_doubt(struct upcs_region_stack *stack, enum upcs_region_doubt why, uint16_t regions);
/* End active regions: the thread's further work in them is not visible. */
void upcs_region_lose(struct upcs_region_stack *stack, enum upcs_region_doubt why, uint16_t regions);
/* Return the active regions whose floor is above this depth. */
uint16_t upcs_region_above(const struct upcs_region_stack *stack, uint64_t depth);

/* ---- region_team.c -------------------------------------------------------------------------- */

/* Begin an excursion. The call that begins it has been pushed. */
void upcs_region_begin_excursion(struct upcs_region_stack *stack);
/* End the excursions above the present depth, after the depth has shrunk. */
void upcs_region_end_excursions(struct upcs_region_stack *stack);

#endif
