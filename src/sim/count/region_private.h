/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region_private.h - what region.c knows of a thread, and region_doubt.c looks at.
 */
#ifndef UPCS_REGION_PRIVATE_H
#define UPCS_REGION_PRIVATE_H

#include "count/region.h"

#define REGIONS 16u
#define OWNERS 3u /* setjmp in recursion: so many levels are told apart */

/* The function of an activation: its first block, and where that jumped to, if it did
 * indirectly: a PLT's stub is as good as the function behind it. */
struct function {
	uint64_t entry, then;
};

/* The last block, as it is known when the next begins. */
struct last {
	uint64_t begin, next;
	uint8_t end;
	bool fresh; /* it is the first of its activation */
	bool runtime;
};

struct frame {
	uint64_t below;  /* number + 1 of the next older frame of its site; 0: none */
	uint64_t serial; /* from 1, never twice */
	struct function function;
	uint64_t code; /* the function that it is in now, after jumps that went far */
	uint32_t site; /* 0: a signal's, without another jump */
	bool signal;   /* or it may be a signal's */
	bool unwinds;  /* it may jump to who catches */
	bool runtime;  /* an OpenMP runtime has called it... */
	bool out;      /* ...and it is a function of the program */
	struct last interrupted;
};

/* A cache line: calls and returns look at it. */
struct site {
	_Alignas(64) uint64_t address;
	uint64_t code; /* the caller's */
	uint64_t top;  /* number + 1 of its youngest frame; 0: none */
	/* Activations that went on from here, the youngest last: serials of their frames (0: the bottom), and
	 * the last 32 bits of their depths. */
	uint64_t serial[OWNERS];
	uint32_t depth[OWNERS];
	uint8_t owners;
	bool disowned; /* there were more */
};

/* The thread's state before a function that a runtime has called. */
struct excursion {
	uint64_t depth; /* of that */
	uint16_t active, jumped, suspect;
	uint64_t highest, floor[REGIONS], since[REGIONS];
	uint64_t adopted, before;
};

struct upcs_region_stack {
	struct last last;
	bool stray; /* it was returned to, and nobody left its address */

	bool astray;           /* after a return or jump of no known kind depth may be too great... */
	uint64_t astray_depth; /* ...while it is not less than this */

	/* A stray return is none where it proves to be a handler's. Until then these are suspect as well. */
	uint16_t strayed;
	bool strayed_to_site;
	uint16_t suspect, grave;
	uint16_t switched;       /* of the grave ones: the reason is a change of stacks */
	uint16_t kept, left;     /* grave ones that have been decided */
	uint64_t since[REGIONS]; /* depth at which it was suspected; not less than its floor */
	uint16_t doubt[UPCS_REGION_DOUBTS];
	uint32_t doubts; /* changes with these */

	uint16_t active, jumped; /* of these, entered without a call */
	uint64_t highest;        /* floor of those active */
	uint64_t floor[REGIONS];

	/* Its own, that of its last excursion, and its own as that began. */
	uint64_t account, adopted, before;

	bool adopts; /* with the next call */
	struct excursion *excursion;
	uint32_t excursions, excursions_room;

	uint64_t base, depth; /* frames base to depth - 1 are known */
	uint64_t serial;
	struct frame *frame; /* number i at i & (frames - 1) */
	uint64_t frames;
	struct site *site; /* from 1 */
	uint32_t sites, sites_room;
	uint32_t *table; /* numbers of sites by hash; 0: none; twice sites_room */
};

/* ---- region_doubt.c ------------------------------------------------------------------------- */

/*
 * These active regions may have been left just now. grave: by an exception or a change of stacks, so
 * they are left if nothing shows that they were not. A jump from one function into another is a tail
 * call if nothing shows that it was not.
 */
void upcs_region_suspect(struct upcs_region_stack *stack, uint16_t regions, bool grave);
/* The same, grave, by a change of stacks. */
void upcs_region_switch(struct upcs_region_stack *stack, uint16_t regions);
/* The activation at depth returns, or goes on: the suspects that it is in were not left, and those
 * that it is not in were, before that was seen. */
void upcs_region_clear(struct upcs_region_stack *stack, uint64_t depth);
/* Calls return to depth at least. Suspects that end there were left, if they are grave. */
void upcs_region_keep(struct upcs_region_stack *stack, uint64_t depth);
void upcs_region_doubt(struct upcs_region_stack *stack, enum upcs_region_doubt why, uint16_t regions);
/* These active regions end: what the thread does in them from now on cannot be seen. */
void upcs_region_lose(struct upcs_region_stack *stack, enum upcs_region_doubt why, uint16_t regions);
/* Active regions that were entered at a depth above this. */
uint16_t upcs_region_above(const struct upcs_region_stack *stack, uint64_t depth);

/* ---- region_team.c -------------------------------------------------------------------------- */

/* The call in which it adopts has been pushed. */
void upcs_region_begin_excursion(struct upcs_region_stack *stack);
/* Depth is less than it was: what was adopted above it ends. */
void upcs_region_end_excursions(struct upcs_region_stack *stack);

#endif
