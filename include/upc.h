/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc.h - the Universal Performance Counter unit: 256 concurrent 64-bit
 * counters, each choosing one of four inputs out of 1024 events.
 *
 * The unit is that of the Blue Gene/P chip (UPC, sections 4 to 6). Here its
 * inputs are driven by the events of this machine: the kernel's perf events,
 * tracepoints, and the counters of /proc and /sys.
 *
 * Conventions of this header
 *   Results  Calls return 0 (or a count) on success and a negative UPC_E*
 *            code on failure; a call that fails has changed nothing.
 *   Details  upc_last_message() says in words why the calling thread's last
 *            call failed and what to do about it.
 *   Sizes    Option structures, and those that calls fill in, begin with their
 *            size. The caller sets it (UPC_OPTIONS_INIT does). A program thus
 *            runs with an older and with a newer library. Fields that an older
 *            program's options lack are taken as zero. Bytes that an older
 *            library does not know must be zero in options, or the call is
 *            refused with UPC_EINVAL; in what it fills in they are zero.
 *   Context  One thread at a time may use a unit or a transaction. Different
 *            threads may use different units at once. All threads may use the
 *            catalogue. No call is for signal handlers unless its text says so.
 *   fork     In a child the units of the parent are stopped, their counters are
 *            zero and their descriptors closed. The parent's units go on counting.
 *            In a child of a bare clone no handlers of pthread_atfork run: it has
 *            the parent's own units, and may read and destroy them.
 */
#ifndef UPC_H
#define UPC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library is compiled with everything hidden but what is declared here. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Changes when a program built against an older header would go wrong. */
#define UPC_ABI_VERSION 1

#define UPC_COUNTERS 256         /* counters of a unit                      */
#define UPC_INPUTS_PER_COUNTER 4 /* inputs that a counter chooses from      */
#define UPC_INPUTS 1024          /* event ids: 256 * input + counter        */
#define UPC_EVENTS_MAX 1024      /* events added to one unit at a time      */
#define UPC_NAME_MAX 256         /* longest event name, with its 0          */

/* Register map: 64-bit registers at 8-byte offsets (upc_replay(1) describes them). */
#define UPC_REG_COUNTER(i) (0x000u + 8u * (unsigned)(i)) /* i: 0..255 */
#define UPC_REG_CONFIG(g) (0x800u + 8u * (unsigned)(g))  /* g: 0..31  */
#define UPC_REG_START_STOP 0x900u
#define UPC_REG_STATUS 0x908u
#define UPC_REG_THRESHOLD 0x910u

/* Configuration field of a counter, one byte. */
#define UPC_FIELD_INPUT 0x03u
#define UPC_FIELD_MODE 0x0cu
#define UPC_FIELD_INTERRUPT_ENABLE 0x10u
#define UPC_FIELD_ARMED 0x20u             /* read-only */
#define UPC_FIELD_INTERRUPT_PENDING 0x40u /* read-only */
#define UPC_FIELD_PARITY_ERROR 0x80u      /* read-only */

/* Signal modes (UPC, section 6), the values of UPC_FIELD_MODE >> 2. */
enum upc_mode {
	UPC_MODE_HIGH = 0, /* cycles in which the signal is high */
	UPC_MODE_RISE = 1, /* low-high transitions               */
	UPC_MODE_FALL = 2, /* high-low transitions               */
	UPC_MODE_LOW = 3,  /* cycles in which the signal is low  */
};

/* Errors. upc_strerror() gives a sentence for each. */
enum upc_error {
	UPC_OK = 0,
	UPC_EINVAL = -1,    /* an argument is wrong                             */
	UPC_ENOMEM = -2,    /* out of memory                                    */
	UPC_ENOEVENT = -3,  /* no such event                                    */
	UPC_ECONFLICT = -4, /* the events do not fit the counters together      */
	UPC_EPERM = -5,     /* the machine forbids it                           */
	UPC_ENOSUPP = -6,   /* this source or context cannot give it            */
	UPC_EMFILE = -7,    /* too few file descriptors are left                */
	UPC_ENOTASK = -8,   /* no such process, thread or CPU                   */
	UPC_ESTATE = -9,    /* not now: running, stopped, or already there      */
	UPC_ESYSTEM = -10,  /* the kernel failed in a way that is not expected  */
	UPC_EFAULT = -11,   /* register access outside the map or not aligned   */
	UPC_EWIRING = -12,  /* the wiring file is wrong                         */
	UPC_ELOST = -13,    /* a source stopped giving a counter its count      */
	UPC_EPARTIAL = -14, /* a hardware counter ran only part of the time     */
	UPC_EPARITY = -15,  /* a counter's word in the array is damaged         */
	UPC_EGONE = -16,    /* the owner of a shared unit has ended              */
};

/* Set every byte of an option structure to zero and its size. */
#ifdef __cplusplus
extern "C++" {
template <class T> static inline T upc_options_init()
{
	T options = T();

	options.size = sizeof(T);
	return options;
}
}
#define UPC_OPTIONS_INIT(type) (upc_options_init<struct type>())
#else
#define UPC_OPTIONS_INIT(type) ((struct type){.size = sizeof(struct type)})
#endif

/* ---- the library ------------------------------------------------------- */

/* The UPC_ABI_VERSION that the library was built with. Context: any. */
int upc_abi_version(void);

/* The library's release, such as "0.1.0". Context: any. */
const char *upc_version(void);

/* One sentence for an UPC_E* code; never NULL. Context: any. */
const char *upc_strerror(int error);

/*
 * Why the calling thread's last failing call failed: one line that names the event,
 * path or counter, and the remedy. Never NULL; "" before any failure. Valid until
 * the thread's next call into the library.
 * The line needs memory. A thread gets it by this call, and by the calls that find,
 * create, change or open something. A thread without it, such as one that only starts,
 * stops and reads another thread's unit, gets upc_strerror's sentence.
 */
const char *upc_last_message(void);

/*
 * fn gets what the library notices without failing a call (a source vanished, a
 * kernel value went backwards): one line each, without newline. NULL, the default,
 * drops these lines. A signal handler may be who notices, so each line waits: the next
 * upc_unit_read, upc_transaction_commit or upc_unit_destroy of any thread calls fn, and
 * this call does for the lines before it. fn must not call the library. At most 8 lines
 * wait; the rest is dropped.
 */
void upc_set_message_callback(void (*fn)(const char *line, void *arg), void *arg);

/* ---- the catalogue: which events there are ----------------------------- */

/* The source of an event's counts. */
enum upc_source {
	UPC_SOURCE_NONE = 0,   /* nothing on this machine; see why              */
	UPC_SOURCE_PERF,       /* perf_event_open, encoded by libpfm4 or sysfs   */
	UPC_SOURCE_TRACEPOINT, /* perf_event_open on a tracepoint of tracefs     */
	UPC_SOURCE_FILE,       /* a field of a file of /proc or /sys             */
	UPC_SOURCE_CLOCK,      /* a clock of clock_gettime                       */
	UPC_SOURCE_DERIVED,    /* a formula over other events                    */
	UPC_SOURCE_REPLAY,     /* an input signal of a replay script             */
	UPC_SOURCE_SIMULATION, /* the simulated node that the program runs on    */
	UPC_SOURCE_POWERCAP,   /* an energy counter of /sys/class/powercap       */
};

/* The owner of the activity that an event shows when it is added to a context. */
enum upc_scope {
	UPC_SCOPE_CONTEXT = 0, /* that of the unit's context, whatever it is */
	UPC_SCOPE_THREAD,      /* one thread's, also of an attached one      */
	UPC_SCOPE_PROCESS,     /* the whole process of the context's thread  */
	UPC_SCOPE_CPU,         /* one CPU's, named in the event              */
	UPC_SCOPE_MACHINE,     /* everybody's on this machine                */
};

/* The meaning of a value. */
enum upc_kind {
	UPC_KIND_COUNT = 0, /* only grows; a counter counts from its start     */
	UPC_KIND_LEVEL = 1, /* a level, as of the last read; cannot be preset.
			       Also a derived ratio of counts, which is of what
			       they counted since the start or the reset       */
};

#define UPC_NO_ID (-1)

/*
 * Description of an event. Strings belong to the catalogue and live as long
 * as it does. A code is the event's number in this catalogue, from 0, and
 * stays the same as long as the catalogue lives.
 */
struct upc_event_info {
	size_t size;
	uint32_t code;
	const char *name;        /* full, as upc_catalogue_find takes it      */
	const char *description; /* one or more sentences                     */
	const char *unit;        /* "events", "bytes", "ns", "pages", ...     */
	const char *subsystem;   /* group in listings: "sched", "net", ...    */
	enum upc_source source;
	enum upc_scope scope;
	enum upc_kind kind;
	int id;              /* 0..511 for Blue Gene/P events, else UPC_NO_ID  */
	const char *driver;  /* what drives it: "perf:PAGE-FAULTS", ...; ""    */
	const char *why;     /* where source is NONE: why, and what would      */
	const char *differs; /* wired Blue Gene/P name: how the meanings differ */
	enum upc_mode mode;  /* signal mode in which it is counted            */
	unsigned modes;      /* bit 1 << UPC_MODE_*: qualifiers ":mode=..." that
				the name can have; 0 where it has one          */
	const char *also;    /* names of perf and PAPI that upc_catalogue_find takes
				for it, ", " between: "page-faults, faults"; ""  */
};

struct upc_catalogue;

struct upc_catalogue_options {
	size_t size;
	const char *wiring_path; /* NULL: $UPC_WIRING, or none              */
	int no_wiring;           /* non-zero: ignore $UPC_WIRING as well     */
	int on_demand;           /* non-zero: read this machine's names when they are needed */
};

/*
 * Opens the catalogue of this machine: Blue Gene/P names, the events that the
 * kernel lets the caller count, and what the wiring file adds or changes.
 * options may be NULL. The caller owns *catalogue.
 * With on_demand, and neither a wiring file nor another source than this machine, nothing is
 * read: the first 16 of perf's generic names (perf::NAME) and of the tracepoints
 * (tp::SYSTEM:EVENT) that upc_catalogue_find is asked for are found by themselves. Any other name, one
 * more, the number of events or an unknown code has all names read, at any of the calls
 * below. Where memory (UPC_ENOMEM) or descriptors (UPC_EMFILE) run out, calls that return an error
 * return it. upc_catalogue_count, _nearest and _missing answer from the names read so far. The next call
 * tries again. Codes stay.
 * Errors: UPC_EINVAL (options), UPC_ENOMEM, UPC_EWIRING (the message has
 * FILE:LINE:COLUMN and what was expected), UPC_EPERM (a wiring file that others
 * could have written), UPC_ENOSUPP ($UPC_SOURCE is not "live", "sim" or
 * "replay:FILE", or it is "sim" and upc_run does not run the program). The errors of a replay's script:
 * UPC_ENOEVENT (there is no such file),
 * UPC_EPERM, UPC_EINVAL (no regular file, or a wiring file beside it), UPC_EWIRING
 * (the message has FILE:LINE), UPC_ESYSTEM.
 */
int upc_catalogue_open(const struct upc_catalogue_options *options, struct upc_catalogue **catalogue);

/* Frees a catalogue. No unit made from it may exist. NULL is allowed. */
void upc_catalogue_close(struct upc_catalogue *catalogue);

/* How many events have a code: codes are 0 .. count - 1. The number may grow
 * when upc_catalogue_find meets a name that libpfm4 can spell. */
uint32_t upc_catalogue_count(struct upc_catalogue *catalogue);

/*
 * Finds an event by name. Exact first, then without regard to case; a
 * Blue Gene/P name may begin with BGP_ or PNE_BGP_; a qualifier ":mode=rise"
 * may follow where the source can give that mode. An event of libpfm4 with
 * unit masks ("amd64_fam19h_zen4::RETIRED_OPS:u") gets a code of its own.
 * Where no event has the name, it may be one of perf's ("page-faults",
 * "instructions:u", "sched:sched_switch", "msr/tsc/") or a preset of PAPI
 * ("PAPI_TOT_INS") that an event counts; these are in the case that perf and PAPI
 * have them in.
 * Errors: UPC_ENOEVENT (the message suggests the nearest names, or says why
 * nothing counts it and what does), UPC_ENOSUPP
 * (a mode or a part of the name that the source cannot give), UPC_EPERM (the
 * machine keeps it from this user; the message says how to get it), UPC_EINVAL,
 * UPC_ENOMEM, UPC_EMFILE.
 */
int upc_catalogue_find(struct upc_catalogue *catalogue, const char *name, uint32_t *code);

/* Describes an event. info->size must be set. Errors: UPC_EINVAL,
 * UPC_ENOEVENT (no such code); of a code that is not known yet those of on_demand. */
int upc_catalogue_info(struct upc_catalogue *catalogue, uint32_t code, struct upc_event_info *info);

/* An event's name and what drives it, without the rest, which may have to be composed of
 * files. The name lives as long as the catalogue; either place may be NULL. Errors:
 * UPC_EINVAL, UPC_ENOEVENT (no such code); of a code that is not known yet those of on_demand. */
int upc_catalogue_name(struct upc_catalogue *catalogue, uint32_t code, const char **name,
		       enum upc_source *source);

/*
 * The plain events that a derived event is computed of, in the order of its formula.
 * Writes at most max of their codes (UPC_COUNTERS are enough). Returns how many there
 * are: 0 for a plain event. Errors: UPC_EINVAL, UPC_ENOEVENT (no such code).
 */
int upc_catalogue_terms(struct upc_catalogue *catalogue, uint32_t code, uint32_t *codes, unsigned max);

/*
 * Does a plain event take a counter of a PMU, of which there are few? 1: it does. 0: the
 * kernel counts it by itself, or it is a file's, a clock's or a script's, or nothing
 * drives it. For a derived event, ask for its terms. Errors: UPC_EINVAL (no catalogue, a derived
 * event), UPC_ENOEVENT (no such code, or nothing encodes it), UPC_EPERM (not in any domain that it
 * names), UPC_ENOSUPP, UPC_ENOMEM.
 */
int upc_catalogue_needs_pmu(struct upc_catalogue *catalogue, uint32_t code);

/*
 * A derived event's value, computed from those of its n terms, in the order of
 * upc_catalogue_terms. With sums over several units it is the ratio of sums. Errors:
 * UPC_EINVAL (another n, or a plain event), UPC_ENOEVENT (no such code).
 */
int upc_catalogue_compute(struct upc_catalogue *catalogue, uint32_t code, const uint64_t *terms, unsigned n,
			  uint64_t *value);

/*
 * Up to max names, of events that something drives, nearest to a wrong one, best
 * first, into names (strings of the catalogue). For a pattern with any of * ? [ that
 * matches nothing, patterns that do. Returns how many.
 */
int upc_catalogue_nearest(struct upc_catalogue *catalogue, const char *name, const char **names, int max);

/*
 * The features that this machine does not give and how to get them, one sentence each ("tracepoints:
 * ..."). Returns the i-th, from 0, or NULL after the last.
 */
const char *upc_catalogue_missing(struct upc_catalogue *catalogue, unsigned i);

/* The wiring file's SHA-256 in hex, or "" when there is none: for reports. */
const char *upc_catalogue_wiring_hash(struct upc_catalogue *catalogue);

/*
 * Writes this machine's wiring: every host event with what drives it, in the
 * syntax that the wiring file has. write(text, length, arg) is called with
 * pieces and returns 0, or non-zero to stop (returned as it is).
 */
int upc_catalogue_write_wiring(struct upc_catalogue *catalogue,
			       int (*write)(const char *text, size_t length, void *arg), void *arg);

/* ---- the unit: create, add events, run, read --------------------------- */

/* The threads that a unit counts. All but the first two show other people's activity as well. */
enum upc_context_kind {
	UPC_CONTEXT_THREAD = 0,  /* one thread: pid is its id, 0 the caller    */
	UPC_CONTEXT_PROCESS = 1, /* pid's threads, as they are when an event is
				    opened, and those that they start later    */
	UPC_CONTEXT_CPU = 2,     /* everything on one CPU                      */
	UPC_CONTEXT_MACHINE = 3, /* everything on all CPUs that are online when the
				    unit is started, while they are            */
	UPC_CONTEXT_CGROUP = 4,  /* the tasks of a control group and of those in it, on
				    all CPUs that are online when the unit is started */
};

/* Privilege levels in which perf events are counted. 0: all that the caller may
 * count; of a CPU's PMU user mode only, unless the event's name says otherwise. */
#define UPC_DOMAIN_USER 0x1u
#define UPC_DOMAIN_KERNEL 0x2u
#define UPC_DOMAIN_HYPERVISOR 0x4u

struct upc_unit_options {
	size_t size;
	enum upc_context_kind context;
	pid_t pid;          /* THREAD, PROCESS                                */
	int cpu;            /* CPU                                            */
	unsigned domain;    /* UPC_DOMAIN_*                                   */
	int inherit;        /* non-zero: children and new threads count too   */
	int enable_on_exec; /* non-zero: a first upc_unit_start takes effect
			       at the thread's next exec (THREAD, pid not 0);
			       events are added before it                     */
	int flexible;       /* non-zero: hardware events give way to others' pinned
			       ones. No start fails for want of counters; what did
			       not always run is UPC_COUNTER_PARTIAL, and no count
			       is ever scaled                                 */
	unsigned reserve;   /* so many counters of each PMU stay free beside the
			       unit's, at most UPC_RESERVE_MAX                */
	const char *cgroup; /* CGROUP: the group's directory, where perf_event is:
			       version 2's hierarchy, or version 1's perf_event;
			       also below /sys/fs/cgroup, if it begins with neither / nor . */
};

#define UPC_RESERVE_MAX 64

struct upc_unit;

/*
 * Creates a unit in reset state: all registers zero, stopped, no event added.
 * options may be NULL: the calling thread. The catalogue must outlive the unit. A unit on a control
 * group keeps its directory open: a later group with the same name is another one.
 * Errors: UPC_EINVAL, UPC_ENOMEM, UPC_ENOTASK (no such process, CPU or control group),
 * UPC_EPERM (a domain that the caller may not count; a control group without the right to
 * count CPUs), UPC_ENOSUPP (what a script cannot give: others, domains, inherit; a control
 * group of a hierarchy without perf_event), UPC_EMFILE, UPC_ESYSTEM.
 */
int upc_unit_create(struct upc_catalogue *catalogue, const struct upc_unit_options *options,
		    struct upc_unit **unit);

/* Stops counting, closes every descriptor, frees the unit. NULL is allowed. */
void upc_unit_destroy(struct upc_unit *unit);

/*
 * Counts somebody else from now on: every event is opened anew for the other
 * context, counters are zeroed. Errors: UPC_ESTATE (running, a transaction is
 * open, or called from an interrupt), and those of
 * upc_transaction_commit; then the unit is as it was.
 */
int upc_unit_retarget(struct upc_unit *unit, const struct upc_unit_options *options);

/*
 * A transaction collects changes and commits all of them or none (BGL, BGLperfctr).
 * The unit does not change before the commit. Begin allocates the transaction;
 * commit and abort free it, commit also when it fails. Errors: UPC_ESTATE (the unit
 * has one already), UPC_ENOMEM.
 */
struct upc_transaction;
int upc_transaction_begin(struct upc_unit *unit, struct upc_transaction **transaction);

#define UPC_ANY_COUNTER (-1)

/*
 * Adds an event. counter is UPC_ANY_COUNTER: a Blue Gene/P event takes the
 * one that it is wired to, a host event any free one; a derived event takes
 * those of its terms, shared with others that count the same event. An event
 * that is already added is counted once and needs as many removes as adds.
 * Errors, all found before the commit where they can be: UPC_EINVAL,
 * UPC_ENOEVENT (nothing drives it; the message says what would),
 * UPC_ENOSUPP (this context, domain or counter cannot have it), UPC_ENOMEM.
 */
int upc_transaction_add(struct upc_transaction *transaction, uint32_t code, int counter);

/* Takes an event away. The commit finds out whether it is there. Errors:
 * UPC_ENOMEM. */
int upc_transaction_remove(struct upc_transaction *transaction, uint32_t code);

/* From the commit on, the counter of event `from` counts `to`, from 0. `to` is not
 * counted yet; neither is derived. Errors: those of add and remove. */
int upc_transaction_reassign(struct upc_transaction *transaction, uint32_t from, uint32_t to);

/*
 * Checks all changes together, opens what is new, and makes the changes. Tracepoints of
 * the kernel's own are only checked: upc_unit_start or upc_unit_open opens them. In a
 * unit that runs, or waits for an exec, they are opened at once.
 * Errors: UPC_ECONFLICT (two Blue Gene/P events with equal id mod 256; a 257th counter;
 * hardware events that do not fit the PMU, where halted events, thresholds and the unit's
 * reserve take counters as well; of a running unit also events whose counters others hold, as far as
 * a start would find it; the message names the events), UPC_EINVAL (a remove of an event
 * that is not there), UPC_ENOEVENT, UPC_EPERM, UPC_EMFILE, UPC_ENOTASK, UPC_ENOSUPP,
 * UPC_ENOMEM, UPC_ESTATE (a started unit that waits for an exec, or called from
 * an interrupt), UPC_ESYSTEM.
 * After an error the unit is as before the begin. A commit may move host events to
 * other counters, with their values.
 */
int upc_transaction_commit(struct upc_transaction *transaction);
void upc_transaction_abort(struct upc_transaction *transaction);

/*
 * One add or one remove as a transaction of its own. Errors: as above.
 * The first software event of a unit leads the others: removed while they stay, it goes
 * on costing the program its counting until the next start. A tracepoint that was opened keeps
 * its descriptor as long, when others stay.
 */
int upc_unit_add(struct upc_unit *unit, uint32_t code);
int upc_unit_remove(struct upc_unit *unit, uint32_t code);

/*
 * Opens what a start would open. For a program that gives up its privileges before the
 * start, and for a unit that a signal handler starts: if the unit counts the calling thread,
 * its start then only switches the counters on. (For other threads and processes a start
 * still looks whether they live, and for the machine which CPUs are online; that is not for
 * handlers.) Where all is open it does nothing.
 * Errors: those of upc_unit_start without UPC_ECONFLICT; after one the unit is as before.
 * Context: not for signal handlers.
 */
int upc_unit_open(struct upc_unit *unit);

/*
 * The one start/stop of all counters (register 0x900). Start: counting goes
 * on from the counters' values. Stop: the counters hold the counts up to it.
 * Starting a running unit, or stopping a stopped one, does nothing.
 * Errors: UPC_ECONFLICT (others hold the PMU's counters, and nothing runs; for the calling
 * thread and for CPUs the start finds it, for other tasks the next read; a flexible unit
 * starts), UPC_ENOTASK (the thread, process or control group has ended, and no children are
 * counted), UPC_ESTATE (called from an
 * interrupt; stop too), UPC_ESYSTEM. A start that opens something (tracepoints; after a
 * fork everything) has also the errors of upc_transaction_commit: the message says which
 * event and why, and the unit stays stopped, as before. Stop has also the errors of
 * upc_unit_read; the unit is stopped all the same.
 */
int upc_unit_start(struct upc_unit *unit);
int upc_unit_stop(struct upc_unit *unit);
int upc_unit_running(const struct upc_unit *unit);

/* Sets every counter to 0, running or not; levels keep their values. Errors: UPC_ESTATE
 * (as upc_unit_write_events), those of upc_unit_read without UPC_ELOST, UPC_EPARTIAL and
 * UPC_EPARITY. */
int upc_unit_reset(struct upc_unit *unit);

/*
 * Reads all 256 counters while they count. It costs one system call for each perf group
 * (none where hardware counters are read in user mode) and one pass over each file.
 * values has UPC_COUNTERS places; a counter without an event reads as its register holds.
 * NULL: only bring the registers up to date.
 * Errors: UPC_ELOST, UPC_EPARTIAL, UPC_EPARITY, UPC_ESYSTEM. After the first three values
 * is filled, upc_counter_state says which counters are meant, and the others are right.
 * UPC_EPARTIAL comes until upc_unit_reset, stopped or not. It comes also where the signals
 * of a live threshold lost their counter on the PMU: the message says then that the count
 * itself is whole.
 */
int upc_unit_read(struct upc_unit *unit, uint64_t *values);

/*
 * Reads n events, given by code, in their order; derived ones are computed. Otherwise as
 * upc_unit_read. Errors: UPC_EINVAL (a code that is not added), those of upc_unit_read.
 */
int upc_unit_read_events(struct upc_unit *unit, const uint32_t *codes, unsigned n, uint64_t *values);

/* The same from the registers as they are: without asking live sources, and without
 * checking parity. */
int upc_unit_get_events(struct upc_unit *unit, const uint32_t *codes, unsigned n, uint64_t *values);

/*
 * Presets n events to values, in their order; none is changed when one cannot
 * be. Errors: UPC_EINVAL (a code that is not added), UPC_ENOSUPP (a level, or a
 * derived event, cannot be preset), UPC_ESTATE (events of another thread, which runs,
 * have thresholds), those of upc_unit_read.
 */
int upc_unit_write_events(struct upc_unit *unit, const uint32_t *codes, unsigned n, const uint64_t *values);

/*
 * Reads all added events, n of them, in the order of upc_unit_list: as
 * upc_unit_read_events without looking for codes. Errors: UPC_EINVAL (n is not
 * how many there are), those of upc_unit_read.
 */
int upc_unit_read_added(struct upc_unit *unit, uint64_t *values, unsigned n);

/* The state of a counter. */
enum upc_counter_flag {
	UPC_COUNTER_BOUND = 1,    /* an event is bound to it                   */
	UPC_COUNTER_HALTED = 2,   /* halted by upc_counter_halt                */
	UPC_COUNTER_LOST = 4,     /* its source went away: last value known    */
	UPC_COUNTER_PARTIAL = 8,  /* its hardware counter did not always run,
				     or that of its threshold's signals        */
	UPC_COUNTER_NEVER = 16,   /* ... or never ran: not counted             */
	UPC_COUNTER_DAMAGED = 32, /* a parity error was found, and not written over */
};

struct upc_counter_info {
	size_t size;
	unsigned flags; /* UPC_COUNTER_*                                   */
	uint32_t code;  /* event, where BOUND                              */
	int input;      /* 0..3                                            */
	enum upc_mode mode;
	unsigned references; /* events added that read this counter          */
	uint64_t value;      /* as the register holds it                     */
	uint64_t enabled_ns; /* how long it should have counted, by the last read */
	uint64_t running_ns; /* ... and did: no count is scaled, so a rate is value
				by running_ns                                */
};

/*
 * Describes counter 0..255. Errors: UPC_EINVAL.
 * Both times begin at 0 when the event is bound and at upc_unit_reset, and go on while the unit
 * runs and the counter is not halted. Events of a CPU have elapsed time; of several CPUs, the mean of
 * theirs; of a thread, the time that it had a CPU; of a process and of children, that of their threads
 * together. A control group has elapsed time, whether it had a CPU or not; its counter did not run for
 * the part of that time which corresponds to the part of the group's time on CPUs in which others held
 * the counter. Files, clocks and the simulated node: the time that the unit ran, and did not run
 * where the source was away. Behind a script: the unit's cycles, a cycle as 1 ns. Where hardware counters are
 * read in user mode the times are those of this call. Both stand still for a thread whose pinned
 * counters others have taken.
 */
int upc_counter_state(struct upc_unit *unit, int counter, struct upc_counter_info *info);

/*
 * The flags of n events, given by code: those of their counters. A derived event is NEVER
 * where nothing that it is computed of was counted, and PARTIAL where some was not.
 * Errors: UPC_EINVAL (a code that is not added).
 */
int upc_unit_flags(struct upc_unit *unit, const uint32_t *codes, unsigned n, unsigned *flags);

/* Reads, or presets, the count of one counter. Errors: UPC_EINVAL, those of
 * upc_unit_read; of write also UPC_ENOSUPP (a level cannot be preset) and UPC_ESTATE
 * (as upc_unit_write_events). */
int upc_counter_read(struct upc_unit *unit, int counter, uint64_t *value);
int upc_counter_write(struct upc_unit *unit, int counter, uint64_t value);

/* Halts one counter of a live source, and lets it go on, while the others count.
 * Errors: UPC_EINVAL (nothing bound), UPC_ENOSUPP (replay), UPC_ESYSTEM; of continue also
 * UPC_ECONFLICT (others hold the counter that it needs, known as at a start: it stays
 * halted, and the others count). */
int upc_counter_halt(struct upc_unit *unit, int counter);
int upc_counter_continue(struct upc_unit *unit, int counter);

/* Added events in the order of their adding. Returns how many there are, and
 * writes at most max codes. */
int upc_unit_list(const struct upc_unit *unit, uint32_t *codes, unsigned max);

/*
 * Register accesses, by offset (UPC_REG_*). On a live source the run bit, the
 * counters, the threshold register and the interrupt enables are writable.
 * Transactions change inputs and modes; a write that would change them is refused by
 * name. Behind a script and in simulation all registers are as the contract has them; an
 * input or mode may be written where no event is bound. A counter's register is raw: with
 * a threshold of an event it is the count and what the threshold added. A damaged counter
 * goes to the callback, and does not fail the access.
 * Errors: UPC_EFAULT, UPC_EINVAL (no place for the value), UPC_ENOSUPP, UPC_ESTATE
 * (the interrupt enable of an event that has a threshold), those of start, stop and
 * read.
 */
int upc_register_read(struct upc_unit *unit, unsigned offset, uint64_t *value);
int upc_register_write(struct upc_unit *unit, unsigned offset, uint64_t value);

/* ---- thresholds and interrupts (UPC, section 5) ------------------------- */

enum upc_interrupt_kind {
	UPC_INTERRUPT_THRESHOLD = 0, /* a counter met its threshold            */
	UPC_INTERRUPT_PARITY = 1,    /* its word in the array was found damaged */
};

#define UPC_NO_CODE UINT32_MAX

/* The cause of an interrupt. */
struct upc_interrupt {
	size_t size;
	enum upc_interrupt_kind kind;
	int counter;    /* 0..255                                             */
	uint32_t code;  /* event bound to it, or UPC_NO_CODE                   */
	uint64_t value; /* the event's count in this moment                    */
	uint64_t cycle; /* of the unit's clock; 0 where the source has none    */
};

/*
 * Chooses who hears of interrupts: thresholds of events, thresholds armed through
 * registers, parity errors.
 * Replay: fn is called on the thread that plays, when the interrupt happens and before
 * anything later does. fn may read and write the unit. It must not play, start, stop or
 * destroy it, nor change its events. A read in fn that finds damage calls fn again. Where
 * several interrupts come in one cycle, fn is not called for those that it acknowledges
 * meanwhile. Another unit of the thread, read in fn, is at the end of what is played.
 * fn NULL: nobody hears.
 * Live: fn is not called. The kernel sends the counted thread signal, a real-time signal
 * that the program handles with SA_SIGINFO; the handler asks upc_unit_signalled which event
 * it is for. signal 0: live events have no thresholds.
 * Simulation: as live, with one signal for all interrupts that the handler has not asked
 * for yet. Errors: UPC_EINVAL (no such signal), UPC_ESTATE (events have
 * live thresholds: clear them before another signal is chosen).
 */
int upc_unit_set_interrupt(struct upc_unit *unit,
			   void (*fn)(struct upc_unit *unit, const struct upc_interrupt *interrupt,
				      void *arg),
			   void *arg, int signal);

/*
 * Interrupts each time the event has counted threshold more, from 0 on, or from the
 * multiple below what it is preset to. Where the source is exact the k-th comes at exactly
 * k * threshold. Any number of events may have one, each its own, of 64 bits: the counters
 * are preloaded to meet the one threshold register, and reads correct for it. 0 takes the
 * threshold away, and so does a remove of the event.
 * Live: a program that blocks the signal for long must ignore SIGIO, which the kernel
 * sends when its queue of signals is full. It must stop the unit before an exec, after
 * which the signal finds no handler. A hardware event's threshold takes one more counter of
 * the PMU: the start is refused where others hold it, and reads are UPC_EPARTIAL where they
 * take it later. Counts are exact whatever happens to signals. The handler's own faults and
 * system calls count as well: a threshold must leave room for them. The counter that it takes
 * is pinned, of a flexible unit as well.
 * Errors: UPC_EINVAL (a code that is not added; live page faults one by one, system
 * calls below 3, clocks below 100 us), UPC_ENOSUPP (a derived event, a level, a file, a
 * context of others: the message says which), UPC_ECONFLICT (64 live events have one, or
 * the PMU has no counter left: a threshold takes one more), UPC_ESTATE (a live unit runs,
 * or has no signal), UPC_EMFILE, UPC_EPERM, UPC_ENOMEM, UPC_ENOTASK, UPC_ESYSTEM, and
 * after a fork those of upc_transaction_commit.
 */
int upc_unit_set_threshold(struct upc_unit *unit, uint32_t code, uint64_t threshold);

/* The event's threshold, 0 without one. Errors: UPC_EINVAL. */
int upc_unit_get_threshold(const struct upc_unit *unit, uint32_t code, uint64_t *threshold);

/*
 * Which event a signal is for; fd is the si_fd of its siginfo_t. Ask once for each signal.
 * In simulation fd does not matter: ask until there is none.
 * Errors: UPC_EINVAL (none of this unit's). Context: also signal handlers of the counted
 * thread; leaves no message.
 */
int upc_unit_signalled(const struct upc_unit *unit, int fd, uint32_t *code);

/*
 * Fault injection: flips bit 0..51 of a counter's word in the array, and not its
 * parity. The array update's next visit, or a read, finds it. Then the callback is called
 * once, and every read of the counter fails with UPC_EPARITY until it is written.
 * Errors: UPC_EINVAL, UPC_ENOSUPP (a live source has no array).
 */
int upc_counter_inject(struct upc_unit *unit, int counter, int bit);

/* ---- replay ($UPC_SOURCE=replay:FILE) ------------------------------------ */

/*
 * Plays the script on, to the next sync mark or the end. All units of a thread see
 * the same signals: what one plays, the others get at their next use. A thread's script
 * begins with its first unit and is never rewound.
 * Returns 1, or 0 where nothing was left to play. Errors: UPC_ENOSUPP (another
 * source), UPC_ESTATE (called from an interrupt).
 */
int upc_unit_play(struct upc_unit *unit);

/* Whether anything is left to play. */
int upc_unit_playable(const struct upc_unit *unit);

/* ---- shared units: watched by other processes (UPC, section 7) ------------ */

struct upc_share_options {
	size_t size;
	int group; /* non-zero: the file's group may read as well */
};

/*
 * Shows the unit to other processes: its 256 counts, its configuration and event names,
 * as of the unit's last read, start, stop, play or change. The name is 1 to 64 of
 * [A-Za-z0-9_.-], begins with no dot, and is one among the user's own. The file lies in
 * /dev/shm with mode 0600 (0640 with group). A forked child's copy of the unit is not
 * shown. The name is free again when the unit is destroyed or its process ends in any way.
 * Call it before the unit starts: the thread makes system calls and page faults while it
 * makes the file. The running unit makes none of them when it shows its state.
 * options may be NULL. Errors: UPC_EINVAL (name, options), UPC_ESTATE (somebody
 * else's unit that lives has the name; or this unit has one), UPC_EPERM (also a
 * limit for files that is too small), UPC_ENOSUPP (no /dev/shm, or one that cannot
 * make files without a name), UPC_ENOMEM (also a full /dev/shm), UPC_EMFILE,
 * UPC_ESYSTEM.
 */
int upc_unit_share(struct upc_unit *unit, const char *name, const struct upc_share_options *options);
void upc_unit_unshare(struct upc_unit *unit);

struct upc_monitor;

struct upc_monitor_options {
	size_t size;
	int foreign; /* non-zero: user's unit, not the caller's own */
	uid_t user;
};

/* The state of the whole unit, as a monitor sees it. */
struct upc_monitor_info {
	size_t size;
	pid_t process;       /* the owner                                      */
	pid_t changed_by;    /* thread that last changed the configuration     */
	uint64_t generation; /* grows with every such change                   */
	uint64_t updated_ns; /* CLOCK_MONOTONIC of the counts, the owner's: of
				two the difference is right everywhere, an
				age in the owner's time namespace only         */
	int running;
	int ended;                   /* unshared by its owner: the last counts         */
	uint64_t threshold;          /* threshold register                             */
	uint8_t field[UPC_COUNTERS]; /* configuration, UPC_FIELD_*             */
	/* Non-zero: the counter has a level that the owner has not read yet, as before the
	 * unit's first start. Its value is not known, and 0 stands in its place. */
	uint8_t unread[UPC_COUNTERS];
};

/*
 * Maps somebody's shared unit, read-only. options may be NULL: a unit of the caller's
 * own. While any monitor is open, the library handles a SIGBUS from its memory (a file that
 * was cut off), and passes others on to the handler that was there before. A thread that
 * blocks SIGBUS cannot be saved. A handler that is installed meanwhile must pass on what it
 * does not know.
 * Errors: UPC_EINVAL (name, options), UPC_ENOTASK (no such unit), UPC_EPERM (not
 * readable for the caller, a link, or not a file that only its owner can write),
 * UPC_ENOSUPP (not a unit, or of another version: the message says which),
 * UPC_EGONE (its owner has ended), UPC_ESTATE (it changes too fast; try again),
 * UPC_ENOMEM, UPC_EMFILE, UPC_ESYSTEM.
 */
int upc_monitor_open(const char *name, const struct upc_monitor_options *options,
		     struct upc_monitor **monitor);
void upc_monitor_close(struct upc_monitor *monitor);

/*
 * Reads all counts, UPC_COUNTERS of them, and the configuration, as they were
 * together, without a system call and without any effect on the unit. values and
 * info may be NULL. Counts are those of the events, corrected for thresholds. After an
 * owner was killed in the middle of a change, the state before it is read;
 * upc_monitor_alive says whether the owner lives.
 * Errors: UPC_EGONE (the file was cut off), UPC_ESTATE (the unit changes too fast to
 * be read; try again). Context: any thread; several may read one monitor.
 */
int upc_monitor_read(struct upc_monitor *monitor, uint64_t *values, struct upc_monitor_info *info);

/* An event as a monitor sees it. */
struct upc_monitor_event {
	size_t size;
	int bound;           /* 0: the counter counts nothing */
	uint64_t generation; /* of the configuration that this is part of */
	enum upc_kind kind;
	char name[UPC_NAME_MAX]; /* printable, or "" */
	char unit[32];
};

/* Describes the event of counter 0..255. Errors: UPC_EINVAL, UPC_EGONE (cut off, or the owner was
 * killed while it changed names), UPC_ESTATE (the owner is changing them). */
int upc_monitor_counter(struct upc_monitor *monitor, int counter, struct upc_monitor_event *event);

/* Whether the owner still shows the unit: 1 or 0. A system call. */
int upc_monitor_alive(struct upc_monitor *monitor);

/*
 * Calls fn with the name and owner of every shared unit of all users, dead ones too.
 * Returns how many there are, or what fn returned if that was not 0, or UPC_EMFILE,
 * UPC_EPERM, UPC_ENOSUPP (no /dev/shm), UPC_ENOMEM, UPC_ESYSTEM.
 */
int upc_monitor_list(int (*fn)(const char *name, uid_t user, void *arg), void *arg);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* UPC_H */
