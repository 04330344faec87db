/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.h - an event of the catalogue and what drives it.
 *
 * One structure serves every kind of source, the built-in catalogue, the
 * wiring file and its printer: what a line of wiring can say is what a driver
 * can hold.
 */
#ifndef UPCI_EVENT_H
#define UPCI_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* Where a file lies. TASK and PROCESS are beneath /proc/PID/task/TID and
 * /proc/PID of the unit's context. */
enum upci_root { UPCI_ROOT_PROC, UPCI_ROOT_SYS, UPCI_ROOT_TASK, UPCI_ROOT_PROCESS };

/*
 * Finds a number in a text file. A line is a sequence of tokens separated by
 * blanks, ':' and '='; a token that begins with '(' reaches to the line's
 * last ')'. Tokens count from 0.
 *
 * The line is the occurrence-th (from 1) whose token number key_token equals
 * key; with key NULL it is line number occurrence (from 1) of the file. The
 * value is the sum of tokens first..last of it (last >= first); a sum ends
 * early, without error, at the first token that is no number. A number may have
 * a fraction and is scaled before it is cut to an integer.
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
 * Terms of a derived event: value = (sum of coefficient * event) / divisor; of a
 * ratio, whose divisor is 0, (sum of coefficient * event) / (sum of under * event).
 * An event is one term, and takes one counter, whether above, below or both.
 */
#define UPCI_TERMS_MAX 64
struct upci_term {
	int64_t coefficient;
	int64_t under; /* of a ratio, else 0 */
	uint32_t code;
};
struct upci_formula {
	unsigned terms;
	int64_t divisor; /* > 0, or 0: a ratio */
	struct upci_term term[];
};

struct upci_driver {
	enum upc_source source;
	/* A count of the source is worth mul/div of the event's unit. */
	uint32_t mul, div;
	union {
		const char *text;                   /* of any kind with a word in sources.def */
		const char *perf;                   /* PERF: what libpfm4 or sysfs encodes,
						       "PAGE-FAULTS", "amd64_...::X:u",
						       "msr/tsc/" */
		const char *tracepoint;             /* "sched:sched_switch" */
		struct upci_field file;             /* FILE */
		int clock;                          /* CLOCK: clockid_t */
		const struct upci_formula *formula; /* DERIVED */
		enum upc_mode mode;                 /* REPLAY: what counts of the signal */
		unsigned panel;                     /* SIMULATION, of no id: UPCI_PANEL_* */
	};
};

struct upci_event {
	const char *name;
	const char *description; /* NULL: composed when somebody asks */
	const char *unit;
	const char *subsystem;
	const char *why;         /* source NONE, else NULL */
	const char *differs;     /* or NULL */
	const char *driver_text; /* NULL: printed when somebody asks */
	const char *also;        /* its names in spellings.def; composed with driver_text */
	/* Derived events: kept also while a term has no source, when the event
	 * itself has none; else NULL. */
	const struct upci_formula *formula;
	struct upci_driver driver;
	/* Another name of an event, as one that says the mode which the event has
	 * anyway: the code of the plain one, plus 1; else 0. Both are counted by one
	 * counter. */
	uint32_t same_as;
	enum upc_scope scope;
	enum upc_kind kind;
	int id; /* 0..511 or UPC_NO_ID */
};

#endif
