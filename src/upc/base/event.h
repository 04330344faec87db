/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.h - an event of the catalogue and the driver that counts it.
 *
 * Terms:
 *   code           the number of an event in its catalogue
 *   id             0 to 511: the number of a Blue Gene/P event, which fixes its counter and input
 *   driver         a description of how to count an event: the kind of source, and what the source calls it
 *   derived event  an integer-weighted sum of events, over an integer or over another such sum
 *   ratio          a derived event whose divisor is a sum of events
 *   level          an event with a momentary value, as opposed to a count, which only grows
 *   panel          the ids from 512 on, which are bound to events of this machine when these are added
 *
 * One structure serves every kind of source, the built-in catalogue, the wiring file and its printer. A
 * driver therefore holds exactly the information of a line in a wiring file.
 */
#ifndef UPCI_EVENT_H
#define UPCI_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* The directory that holds a file. TASK is /proc/PID/task/TID and PROCESS is /proc/PID of the unit's
 * context. */
enum upci_root { UPCI_ROOT_PROC, UPCI_ROOT_SYS, UPCI_ROOT_TASK, UPCI_ROOT_PROCESS };

/*
 * Finds a number in a text file. A line is a sequence of tokens separated by blanks, ':' and '='. A token
 * that begins with '(' reaches to the last ')' of the line. Tokens are numbered from 0.
 *
 * If key is set, the line is the occurrence-th (from 1) whose token number key_token equals key. If key is
 * NULL, it is line number occurrence (from 1) of the file. The value is the sum of tokens first..last of the
 * line (last >= first). A sum ends early, without error, at the first token that is not a number. A number
 * may have a fraction. The sum is scaled by mul and div before its fraction is cut off.
 */
struct upci_field {
	enum upci_root root;
	const char *path; /* relative to the root, no "..", no leading "/" */
	const char *key;
	unsigned key_token;
	unsigned occurrence;
	unsigned first, last;
};

/*
 * Terms of a derived event. The value is (sum of coefficient * event) / divisor. If divisor is 0, the event
 * is a ratio: (sum of coefficient * event) / (sum of under * event). An event is one term and takes one
 * counter, even if it is in both sums.
 */
#define UPCI_TERMS_MAX 64
struct upci_term {
	int64_t coefficient;
	int64_t under; /* coefficient in the denominator of a ratio, else 0 */
	uint32_t code;
};
struct upci_formula {
	unsigned terms;
	int64_t divisor; /* > 0, or 0: a ratio */
	struct upci_term term[];
};

struct upci_driver {
	enum upc_source source;
	/* One count of the source is mul/div times the event's unit of measurement. */
	uint32_t mul, div;
	union {
		const char *text;       /* any kind with a word in sources.def */
		const char *perf;       /* PERF: a name that libpfm4 or sysfs encodes: "PAGE-FAULTS",
					   "amd64_...::X:u", "msr/tsc/" */
		const char *tracepoint; /* "sched:sched_switch" */
		struct upci_field file; /* FILE */
		int clock;              /* CLOCK: clockid_t */
		const struct upci_formula *formula; /* DERIVED */
		enum upc_mode mode;                 /* REPLAY: edge or level of the signal that counts */
		unsigned panel;                     /* SIMULATION, event without an id: UPCI_PANEL_* */
	};
};

struct upci_event {
	const char *name;
	const char *description; /* NULL: composed when a caller asks for it */
	const char *unit;
	const char *subsystem;
	const char *why;         /* reason why the event has no source (NONE), else NULL */
	const char *differs;     /* wired Blue Gene/P name: how the meanings differ, or NULL */
	const char *driver_text; /* NULL: printed when a caller asks for it */
	const char *also;        /* the event's other names in spellings.def; composed with driver_text */
	/* Formula of a derived event, kept even while a term has no source and the event itself has none;
	 * else NULL. */
	const struct upci_formula *formula;
	struct upci_driver driver;
	/* If this is a second name of an event, such as a name with the event's only mode: the code of the
	 * first name + 1. Otherwise 0. One counter counts both names. */
	uint32_t same_as;
	enum upc_scope scope;
	enum upc_kind kind;
	int id; /* 0 to 511, or UPC_NO_ID */
};

#endif
