/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc.h - the Universal Performance Counter unit: 256 concurrent 64-bit counters, each choosing one of four
 * inputs out of 1024 events.
 *
 * Terms:
 * - unit: 256 counters with their configuration, one start/stop and one threshold register.
 * - context: what a unit counts: a thread, a process, a CPU, the machine or a control group.
 * - catalogue: the list of all events, with their codes. code: the number of an event in its catalogue.
 * - event id: 0 to 1023, one for each input of each counter. 0 to 511 are Blue Gene/P's events.
 * - host event: an event of this machine, as opposed to Blue Gene/P's. Its counter is bound to it when it
 *   is added.
 * - source: the origin of an event's counts (enum upc_source). live: of the machine itself. replay: a
 *   script that drives the inputs' signals. simulation: the simulated node of upc_run.
 * - wiring: the assignment of sources to events; the wiring file changes it.
 * - plain event: an event that is not derived. derived event: a formula over plain events, its terms.
 * - level: a momentary value or a ratio, as opposed to a count, which only grows.
 * - PMU: hardware counters of a CPU or device. perf group: perf events that the kernel puts on the PMU
 *   together.
 * - pinned, flexible: of perf events, that must always be on the counters, or that wait while others'
 *   pinned events hold them.
 * - word, array: the upper 52 bits of a counter are a word in a memory array with parity (UPC, section 5).
 * - interrupt: in comments, a call of the function of upc_unit_set_interrupt, or its signal.
 * - monitor: a process that reads a unit which its owner shares.
 *
 * The unit is that of the Blue Gene/P chip (UPC, sections 4 to 6). Here the events of this machine drive
 * its inputs: the kernel's perf events, tracepoints, and the counters of /proc and /sys.
 *
 * Conventions of this header
 *   Results  Calls return 0 (or a count) on success and a negative UPC_E*
 *            code on failure. A failed call leaves everything unchanged.
 *   Details  upc_last_message() says in words why the calling thread's last
 *            failed call failed and what to do about it.
 *   Sizes    Option and result structures begin with their size. The caller
 *            sets the size (UPC_OPTIONS_INIT does), so a program runs with an
 *            older and with a newer library. Fields that an older program's
 *            options lack count as zero. In options, bytes beyond the fields
 *            that the library knows must be zero, or the call returns
 *            UPC_EINVAL. In results the library sets such bytes to zero.
 *   Context  One thread at a time may use a unit or a transaction. Different
 *            threads may use different units at once. All threads may use the
 *            catalogue. No call may be made in a signal handler unless its
 *            comment says so.
 *   fork     In a child the units of the parent are stopped, their counters are
 *            zero and their descriptors closed. The parent's units go on counting.
 *            In a child of a bare clone the handlers of pthread_atfork do not run:
 *            the child has the parent's own units, and may read and destroy them.
 */
#ifndef UPC_H
#define UPC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Hide everything in the library except the declarations of this header. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ABI version: changes whenever a program built against an older header would misbehave. */
#define UPC_ABI_VERSION 1

#define UPC_COUNTERS 256         /* counters of a unit                      */
#define UPC_INPUTS_PER_COUNTER 4 /* inputs that a counter chooses from      */
#define UPC_INPUTS 1024          /* event ids: 256 * input + counter        */
#define UPC_EVENTS_MAX 1024      /* events added to one unit at a time      */
#define UPC_NAME_MAX 256         /* longest event name, including its 0 byte */

/* Register map: 64-bit registers at 8-byte offsets (upc_replay(1) describes them). */
#define UPC_REG_COUNTER(i) (0x000u + 8u * (unsigned)(i)) /* i: 0..255 */
#define UPC_REG_CONFIG(g) (0x800u + 8u * (unsigned)(g))  /* g: 0..31  */
#define UPC_REG_START_STOP 0x900u
#define UPC_REG_STATUS 0x908u
#define UPC_REG_THRESHOLD 0x910u

/* The bits of a counter's one-byte configuration field. */
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
	UPC_ENOSUPP = -6,   /* the source or context does not support this */
	UPC_EMFILE = -7,    /* too few file descriptors are left                */
	UPC_ENOTASK = -8,   /* no such process, thread or CPU                   */
	UPC_ESTATE = -9,    /* wrong state: running, stopped, or already done */
	UPC_ESYSTEM = -10,  /* the kernel failed in a way that is not expected  */
	UPC_EFAULT = -11,   /* register access outside the map or not aligned   */
	UPC_EWIRING = -12,  /* the wiring file is wrong                         */
	UPC_ELOST = -13,    /* a source stopped giving a counter its count      */
	UPC_EPARTIAL = -14, /* a hardware counter ran only part of the time     */
	UPC_EPARITY = -15,  /* a counter's word in the array is damaged         */
	UPC_EGONE = -16,    /* the owner of a shared unit has ended              */
};

/* Return an option or result structure with its size set and all other bytes zero. */
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

/* Return the UPC_ABI_VERSION that the library was built with. Context: any. */
int upc_abi_version(void);

/* Return the library's release, such as "0.1.0". Context: any. */
const char *upc_version(void);

/* Return a sentence that describes an UPC_E* code; never NULL. Context: any. */
const char *upc_strerror(int error);

/*
 * Return the reason for the calling thread's last failed call: one line that names the event, path or
 * counter, and the remedy. Never NULL; "" before any failure. The string is valid until the thread's next
 * call into the library.
 *
 * The line needs memory. This call allocates it for the thread, and so does each call that finds, creates,
 * changes or opens something. A thread without this memory, for example a thread that only starts, stops
 * and reads another thread's unit, gets upc_strerror's sentence.
 */
const char *upc_last_message(void);

/*
 * Set the callback for events that the library notices without failing a call (a source vanished, a kernel
 * value went backwards). fn gets one line for each event, without newline. NULL, the default, drops these
 * lines. A signal handler may notice such an event, so lines are queued: the next upc_unit_read,
 * upc_transaction_commit or upc_unit_destroy of any thread calls fn. upc_set_message_callback itself passes
 * the lines queued so far to the previous fn. fn must not call the library. At most 8 lines are queued; the
 * library drops the rest.
 */
void upc_set_message_callback(void (*fn)(const char *line, void *arg), void *arg);

/* ---- the catalogue of events -------------------------------------------- */

/* The source of an event's counts. */
enum upc_source {
	UPC_SOURCE_NONE = 0, /* nothing on this machine counts the event; upc_event_info.why has the reason */
	UPC_SOURCE_PERF,     /* perf_event_open, encoded by libpfm4 or sysfs   */
	UPC_SOURCE_TRACEPOINT, /* perf_event_open on a tracepoint of tracefs     */
	UPC_SOURCE_FILE,       /* a field of a file of /proc or /sys             */
	UPC_SOURCE_CLOCK,      /* a clock of clock_gettime                       */
	UPC_SOURCE_DERIVED,    /* a formula over other events                    */
	UPC_SOURCE_REPLAY,     /* an input signal of a replay script             */
	UPC_SOURCE_SIMULATION, /* the simulated node that the program runs on    */
	UPC_SOURCE_POWERCAP,   /* an energy counter of /sys/class/powercap       */
};

/* The tasks or CPUs whose activity an event counts. */
enum upc_scope {
	UPC_SCOPE_CONTEXT = 0, /* the unit's context, whatever its kind is */
	UPC_SCOPE_THREAD,      /* one thread, possibly an attached one */
	UPC_SCOPE_PROCESS,     /* the whole process of the context's thread  */
	UPC_SCOPE_CPU,         /* one CPU, which the event's name contains */
	UPC_SCOPE_MACHINE,     /* the whole machine */
};

/* The meaning of a value. */
enum upc_kind {
	UPC_KIND_COUNT = 0, /* only grows; a counter counts from its start */
	/* the momentary value at the last read; cannot be preset. A derived ratio is also a level; it is
	 * computed from the counts since the start or the reset */
	UPC_KIND_LEVEL = 1,
};

#define UPC_NO_ID (-1)

/*
 * Description of an event. The catalogue owns the strings, which live as long as the catalogue. A code is
 * the event's number in this catalogue, from 0, and never changes while the catalogue lives.
 */
struct upc_event_info {
	size_t size;
	uint32_t code;
	const char *name;        /* full name, which upc_catalogue_find accepts */
	const char *description; /* one or more sentences                     */
	const char *unit;        /* "events", "bytes", "ns", "pages", ...     */
	const char *subsystem;   /* heading in listings: "sched", "net", ... */
	enum upc_source source;
	enum upc_scope scope;
	enum upc_kind kind;
	int id;             /* 0..511 for Blue Gene/P events, else UPC_NO_ID  */
	const char *driver; /* low-level event that counts it, such as "perf:PAGE-FAULTS", or "" */
	const char *why;    /* if source is UPC_SOURCE_NONE: the reason, and the remedy */
	/* for a Blue Gene/P event that is wired to a host event: how the meanings of the two differ */
	const char *differs;
	enum upc_mode mode; /* signal mode in which it is counted            */
	/* bits 1 << UPC_MODE_*: the valid ":mode=..." qualifiers of the name; 0 if the name has a
	 * qualifier already */
	unsigned modes;
	/* names of perf and PAPI that upc_catalogue_find also accepts for this event, separated by ", ",
	 * such as "page-faults, faults", or "" */
	const char *also;
};

struct upc_catalogue;

struct upc_catalogue_options {
	size_t size;
	const char *wiring_path; /* NULL: $UPC_WIRING, or no file */
	int no_wiring;           /* non-zero: ignore $UPC_WIRING as well     */
	int on_demand;           /* non-zero: load this machine's names only when needed */
};

/*
 * Open the catalogue of this machine: Blue Gene/P names, the events that the kernel lets the caller count,
 * and the additions and changes of the wiring file. options may be NULL. The caller owns *catalogue.
 *
 * With on_demand, without a wiring file, and with this machine as source, this call reads no names.
 * upc_catalogue_find then looks up the first 16 of perf's generic names (perf::NAME) and tracepoints
 * (tp::SYSTEM:EVENT) one by one. Any other name, a 17th name, the number of events or an unknown code makes
 * the calls below read all names. If memory (UPC_ENOMEM) or descriptors (UPC_EMFILE) run out meanwhile,
 * calls that return errors return this error, while upc_catalogue_count, upc_catalogue_nearest and
 * upc_catalogue_missing use the names read so far. The next call tries again to read all names. Codes do
 * not change.
 *
 * Errors: UPC_EINVAL (options), UPC_ENOMEM, UPC_EWIRING (the message has FILE:LINE:COLUMN and the expected
 * token), UPC_EPERM (a wiring file that other users could have written), UPC_ENOSUPP ($UPC_SOURCE is not
 * "live", "sim" or "replay:FILE", or it is "sim" and upc_run does not run the program). The errors of a
 * replay script are: UPC_ENOEVENT (no such file), UPC_EPERM, UPC_EINVAL (not a regular file, or combined
 * with a wiring file), UPC_EWIRING (the message has FILE:LINE), UPC_ESYSTEM.
 */
int upc_catalogue_open(const struct upc_catalogue_options *options, struct upc_catalogue **catalogue);

/* Free a catalogue. No unit made from it may exist. catalogue may be NULL. */
void upc_catalogue_close(struct upc_catalogue *catalogue);

/* Return the number of events with a code: codes are 0 .. count - 1. The number may grow when
 * upc_catalogue_find meets a new name that libpfm4 can encode. */
uint32_t upc_catalogue_count(struct upc_catalogue *catalogue);

/*
 * Find an event by name, first exactly, then ignoring case. A Blue Gene/P name may begin with BGP_ or
 * PNE_BGP_. A qualifier ":mode=rise" may follow if the source supports this mode. An event of libpfm4 with
 * unit masks ("amd64_fam19h_zen4::RETIRED_OPS:u") gets a separate code. If no event has the name, the call
 * tries perf's names ("page-faults", "instructions:u", "sched:sched_switch", "msr/tsc/") and PAPI's presets
 * that a single event counts ("PAPI_TOT_INS"); the case of letters in these names must be that of perf and
 * PAPI.
 *
 * Errors: UPC_ENOEVENT (the message suggests the nearest names, or says why nothing counts the event, and
 * how to make it countable), UPC_ENOSUPP (the source does not support the mode or a part of the name),
 * UPC_EPERM (the machine denies the event to this user; the message says how to get it), UPC_EINVAL,
 * UPC_ENOMEM, UPC_EMFILE.
 */
int upc_catalogue_find(struct upc_catalogue *catalogue, const char *name, uint32_t *code);

/* Describe an event. info->size must be set. Errors: UPC_EINVAL, UPC_ENOEVENT (no such code); for an
 * unknown code also UPC_ENOMEM and UPC_EMFILE (on_demand). */
int upc_catalogue_info(struct upc_catalogue *catalogue, uint32_t code, struct upc_event_info *info);

/* Return an event's name and source. Unlike upc_catalogue_info, this does not read the files from which
 * the other fields come. The name lives as long as the catalogue; name or source may be NULL. Errors:
 * UPC_EINVAL, UPC_ENOEVENT (no such code); for an unknown code also UPC_ENOMEM and UPC_EMFILE
 * (on_demand). */
int upc_catalogue_name(struct upc_catalogue *catalogue, uint32_t code, const char **name,
		       enum upc_source *source);

/*
 * List the plain events in a derived event's formula, in the order of the formula. Writes at most max of
 * their codes (UPC_COUNTERS always suffices). Returns the number of terms: 0 for a plain event. Errors:
 * UPC_EINVAL, UPC_ENOEVENT (no such code).
 */
int upc_catalogue_terms(struct upc_catalogue *catalogue, uint32_t code, uint32_t *codes, unsigned max);

/*
 * Return 1 if a plain event takes a counter of a PMU, and 0 if the kernel counts it without one, if it is
 * from a file, a clock or a script, or if it has no source. For a derived event, call this for each of its
 * terms. Errors: UPC_EINVAL (no catalogue, a derived event), UPC_ENOEVENT (no such code, or nothing encodes
 * the event), UPC_EPERM (denied in each domain that the name allows), UPC_ENOSUPP, UPC_ENOMEM.
 */
int upc_catalogue_needs_pmu(struct upc_catalogue *catalogue, uint32_t code);

/*
 * Compute a derived event's value from the values of its n terms, in the order of upc_catalogue_terms. If
 * the values are sums over several units, the value of a ratio is the ratio of the sums. Errors: UPC_EINVAL
 * (n is not the number of terms, or the event is plain), UPC_ENOEVENT (no such code).
 */
int upc_catalogue_compute(struct upc_catalogue *catalogue, uint32_t code, const uint64_t *terms, unsigned n,
			  uint64_t *value);

/*
 * Find up to max names nearest to a wrong name, best first, among events that have a source. The strings in
 * names belong to the catalogue. If name is a pattern (contains * ? or [) without a match, the results are
 * patterns that match. Returns the number of names.
 */
int upc_catalogue_nearest(struct upc_catalogue *catalogue, const char *name, const char **names, int max);

/*
 * Return a sentence about the i-th feature, from 0, that this machine lacks, and how to get the feature
 * ("tracepoints: ..."). Returns NULL if there are no more such features.
 */
const char *upc_catalogue_missing(struct upc_catalogue *catalogue, unsigned i);

/* Return the wiring file's SHA-256 in hex for reports, or "" without a wiring file. */
const char *upc_catalogue_wiring_hash(struct upc_catalogue *catalogue);

/*
 * Write this machine's wiring: every host event with its source, in the syntax of the wiring file. Calls
 * write(text, length, arg) with pieces of the text; write returns 0, or non-zero to stop. A non-zero result
 * is returned unchanged.
 */
int upc_catalogue_write_wiring(struct upc_catalogue *catalogue,
			       int (*write)(const char *text, size_t length, void *arg), void *arg);

/* ---- the unit: create, add events, run, read --------------------------- */

/* The kinds of contexts. All except the first two may show other users' activity, too. */
enum upc_context_kind {
	UPC_CONTEXT_THREAD = 0,  /* one thread: pid is its id; 0: the calling thread */
	UPC_CONTEXT_PROCESS = 1, /* all threads that pid has when an event is opened, and the threads that
				    they start later */
	UPC_CONTEXT_CPU = 2,     /* everything on one CPU                      */
	UPC_CONTEXT_MACHINE = 3, /* everything on all CPUs that are online when the unit is started, for as
				    long as they are online */
	UPC_CONTEXT_CGROUP = 4,  /* the tasks of a control group and of its descendants, on all CPUs that
				    are online when the unit is started */
};

/* Privilege levels in which perf events are counted. 0 means all levels that the caller may count. For the
 * PMU of a CPU, 0 means user mode only, unless the event's name says otherwise. */
#define UPC_DOMAIN_USER 0x1u
#define UPC_DOMAIN_KERNEL 0x2u
#define UPC_DOMAIN_HYPERVISOR 0x4u

struct upc_unit_options {
	size_t size;
	enum upc_context_kind context;
	pid_t pid;       /* for UPC_CONTEXT_THREAD and UPC_CONTEXT_PROCESS */
	int cpu;         /* for UPC_CONTEXT_CPU */
	unsigned domain; /* UPC_DOMAIN_*                                   */
	int inherit; /* non-zero: processes and threads that the context's threads start are counted, too */
	int enable_on_exec; /* non-zero: the first upc_unit_start takes effect at the thread's next exec
			       (THREAD, pid not 0); events must be added before it */
	/* non-zero: the unit's hardware events are flexible. No start fails because counters are
	 * missing. A counter that did not always run has the flag UPC_COUNTER_PARTIAL, and no count is
	 * ever scaled */
	int flexible;
	/* number of counters of each PMU that must stay free next to those that the unit uses; at most
	 * UPC_RESERVE_MAX */
	unsigned reserve;
	/* for UPC_CONTEXT_CGROUP: the control group's directory in the hierarchy that has perf_event
	 * (version 2's hierarchy, or version 1's perf_event). A name that begins with neither / nor . is
	 * below /sys/fs/cgroup */
	const char *cgroup;
};

#define UPC_RESERVE_MAX 64

struct upc_unit;

/*
 * Create a unit in reset state: all registers zero, stopped, no event added. options may be NULL: the unit
 * then counts the calling thread. The catalogue must outlive the unit. A unit that counts a control group
 * keeps the control group's directory open. A later control group with the same name is not counted.
 *
 * Errors: UPC_EINVAL, UPC_ENOMEM, UPC_ENOTASK (no such process, CPU or control group), UPC_EPERM (a domain
 * that the caller may not count; a control group without the right to count CPUs), UPC_ENOSUPP (a script
 * does not support the option: other threads, domains, inherit; a control group in a hierarchy without
 * perf_event), UPC_EMFILE, UPC_ESYSTEM.
 */
int upc_unit_create(struct upc_catalogue *catalogue, const struct upc_unit_options *options,
		    struct upc_unit **unit);

/* Stop counting, close every descriptor and free the unit. unit may be NULL. */
void upc_unit_destroy(struct upc_unit *unit);

/*
 * Move the unit to another context: reopen every event for that context and zero the counters. Errors:
 * UPC_ESTATE (running, a transaction is open, or called from an interrupt), and those of
 * upc_transaction_commit. After an error the unit is unchanged.
 */
int upc_unit_retarget(struct upc_unit *unit, const struct upc_unit_options *options);

/*
 * Begin a transaction. It collects changes and commits all of them or none (BGL, BGLperfctr). The unit does
 * not change before the commit. This call allocates the transaction; commit and abort free it, even if the
 * commit fails. Errors: UPC_ESTATE (the unit already has an open transaction), UPC_ENOMEM.
 */
struct upc_transaction;
int upc_transaction_begin(struct upc_unit *unit, struct upc_transaction **transaction);

#define UPC_ANY_COUNTER (-1)

/*
 * Add an event. If counter is UPC_ANY_COUNTER, a Blue Gene/P event takes the counter that its event id
 * determines, and a host event takes any free counter. A derived event takes the counters of its terms and
 * shares them with other events that count the same terms. An event that is added again is counted only
 * once, and must be removed as often as it was added.
 *
 * Errors, found before the commit if possible: UPC_EINVAL, UPC_ENOEVENT (the event has no source; the
 * message says how to make it countable), UPC_ENOSUPP (this context, domain or counter does not support
 * it), UPC_ENOMEM.
 */
int upc_transaction_add(struct upc_transaction *transaction, uint32_t code, int counter);

/* Remove an event. The commit checks whether the event is added. Errors: UPC_ENOMEM. */
int upc_transaction_remove(struct upc_transaction *transaction, uint32_t code);

/* Let the counter of event `from` count `to` from the commit on, starting at 0. Neither event may be
 * derived, and `to` must not be counted yet. Errors: those of add and remove. */
int upc_transaction_reassign(struct upc_transaction *transaction, uint32_t from, uint32_t to);

/*
 * Check all changes together, open the new events, and make the changes. Tracepoints of the kernel itself
 * are only checked; upc_unit_start or upc_unit_open opens them. In a unit that runs, or waits for an exec,
 * the commit opens them at once.
 *
 * Errors: UPC_ECONFLICT (two Blue Gene/P events with equal id mod 256; a 257th counter; hardware events
 * that do not fit the PMU, where halted events, thresholds and the unit's reserve take counters as well; on
 * a running unit also events whose counters are held by others, as far as a start would detect it; the
 * message names the events), UPC_EINVAL (a remove of an event that is not added), UPC_ENOEVENT, UPC_EPERM,
 * UPC_EMFILE, UPC_ENOTASK, UPC_ENOSUPP, UPC_ENOMEM, UPC_ESTATE (a started unit that waits for an exec, or
 * called from an interrupt), UPC_ESYSTEM. After an error the unit is as before upc_transaction_begin. A
 * commit may move host events to other counters, with their values.
 */
int upc_transaction_commit(struct upc_transaction *transaction);
void upc_transaction_abort(struct upc_transaction *transaction);

/*
 * Add or remove one event in a transaction. Errors: as for the calls above.
 *
 * The first software event of a unit is the leader of its perf group. If this event is removed while other
 * events stay, the kernel goes on counting it until the next start, which costs the program time. An opened
 * tracepoint keeps its descriptor until the next start, too, if other events stay.
 */
int upc_unit_add(struct upc_unit *unit, uint32_t code);
int upc_unit_remove(struct upc_unit *unit, uint32_t code);

/*
 * Open everything that a start would open. Meant for a program that drops its privileges before the start,
 * and for a unit that a signal handler starts: if the unit counts the calling thread, a later start only
 * enables the counters. (For other threads and processes a start still checks that they exist, and for the
 * machine which CPUs are online; such a start must not be in a handler.) Does nothing if everything is
 * open.
 *
 * Errors: those of upc_unit_start except UPC_ECONFLICT; after an error the unit is unchanged. Context: not
 * in signal handlers.
 */
int upc_unit_open(struct upc_unit *unit);

/*
 * Start or stop all counters (register 0x900). After a start, counting continues from the counters' values.
 * After a stop, the counters hold the counts up to the stop. Starting a running unit, or stopping a stopped
 * unit, does nothing.
 *
 * Errors: UPC_ECONFLICT (others hold the PMU's counters; nothing runs. The start detects this for the
 * calling thread and for CPUs; for other threads and processes the next read does. A flexible unit starts
 * all the same), UPC_ENOTASK (the thread, process or control group has ended, and no children are counted),
 * UPC_ESTATE (start or stop was called from an interrupt), UPC_ESYSTEM. A start that opens events
 * (tracepoints; after a fork everything) also returns the errors of upc_transaction_commit: the message
 * says which event and why, and the unit stays stopped. A stop also returns the errors of upc_unit_read;
 * the unit is stopped all the same.
 */
int upc_unit_start(struct upc_unit *unit);
int upc_unit_stop(struct upc_unit *unit);
int upc_unit_running(const struct upc_unit *unit);

/* Set every counter to 0, running or not; levels keep their values. Errors: UPC_ESTATE (as for
 * upc_unit_write_events), those of upc_unit_read except UPC_ELOST, UPC_EPARTIAL and UPC_EPARITY. */
int upc_unit_reset(struct upc_unit *unit);

/*
 * Read all 256 counters while they count. The cost is one system call for each perf group (none if hardware
 * counters are read in user mode) and one pass over each file. values has UPC_COUNTERS elements; a counter
 * without an event returns its register's value. With values NULL the call only updates the registers.
 *
 * Errors: UPC_ELOST, UPC_EPARTIAL, UPC_EPARITY, UPC_ESYSTEM. After the first three errors, values is
 * filled; upc_counter_state shows which counters failed, and the other values are right. UPC_EPARTIAL
 * persists until upc_unit_reset, even if the unit is stopped. UPC_EPARTIAL also occurs if the PMU's counter
 * that sends the signals of a live threshold was taken by others; the message then says that the count
 * itself is complete.
 */
int upc_unit_read(struct upc_unit *unit, uint64_t *values);

/*
 * Read n events, given by code, in their order; derived events are computed. Otherwise as upc_unit_read.
 * Errors: UPC_EINVAL (a code that is not added), those of upc_unit_read.
 */
int upc_unit_read_events(struct upc_unit *unit, const uint32_t *codes, unsigned n, uint64_t *values);

/* Return the values that n events have in the registers at present, without reading live sources and
 * without checking parity. */
int upc_unit_get_events(struct upc_unit *unit, const uint32_t *codes, unsigned n, uint64_t *values);

/*
 * Preset n events to values, in their order, all or none. Errors: UPC_EINVAL (a code that is not added),
 * UPC_ENOSUPP (a level or a derived event cannot be preset), UPC_ESTATE (events of another, running thread
 * have thresholds), those of upc_unit_read.
 */
int upc_unit_write_events(struct upc_unit *unit, const uint32_t *codes, unsigned n, const uint64_t *values);

/*
 * Read all n added events in the order of upc_unit_list. Otherwise as upc_unit_read_events, but faster,
 * since no codes are looked up. Errors: UPC_EINVAL (n is not the number of added events), those of
 * upc_unit_read.
 */
int upc_unit_read_added(struct upc_unit *unit, uint64_t *values, unsigned n);

/* The state of a counter. */
enum upc_counter_flag {
	UPC_COUNTER_BOUND = 1,  /* an event is bound to it                   */
	UPC_COUNTER_HALTED = 2, /* halted by upc_counter_halt                */
	UPC_COUNTER_LOST = 4,   /* its source vanished: the value is the last one that was read */
	/* its hardware counter did not always run, or the hardware counter that sends its threshold's
	 * signals did not */
	UPC_COUNTER_PARTIAL = 8,
	UPC_COUNTER_NEVER = 16,   /* its hardware counter never ran, so nothing was counted */
	UPC_COUNTER_DAMAGED = 32, /* a parity error was found, and the word was not rewritten since */
};

struct upc_counter_info {
	size_t size;
	unsigned flags; /* UPC_COUNTER_*                                   */
	uint32_t code;  /* code of the event, if UPC_COUNTER_BOUND is set */
	int input;      /* 0..3                                            */
	enum upc_mode mode;
	unsigned references; /* number of added events that read this counter */
	uint64_t value;      /* the register's value */
	uint64_t enabled_ns; /* ns for which it should have counted, up to the last read */
	uint64_t running_ns; /* ns for which it did count. No count is scaled: a rate is value / running_ns */
};

/*
 * Describe counter 0..255. Errors: UPC_EINVAL.
 *
 * enabled_ns and running_ns start at 0 when the event is bound and at upc_unit_reset. They grow while the
 * unit runs and the counter is not halted. For events of a CPU they are elapsed time; for several CPUs, the
 * mean elapsed time. For a thread they are its CPU time; for a process and for children, the CPU time of
 * all their threads together. For a control group, enabled_ns is elapsed time, whether the group had a CPU
 * or not. running_ns excludes the share of its CPU time in which others held the counter. For files, clocks
 * and the simulated node, enabled_ns is the time that the unit ran, and running_ns excludes the time in
 * which the source was missing. For a script they are the unit's cycles, with a cycle as 1 ns. If hardware
 * counters are read in user mode, the times are current as of this call. Both times stand still for a
 * thread while others have taken its pinned counters.
 */
int upc_counter_state(struct upc_unit *unit, int counter, struct upc_counter_info *info);

/*
 * Return the flags of n events, given by code: the flags of their counters. A derived event has
 * UPC_COUNTER_NEVER if none of its terms was counted, and UPC_COUNTER_PARTIAL if some terms were not.
 * Errors: UPC_EINVAL (a code that is not added).
 */
int upc_unit_flags(struct upc_unit *unit, const uint32_t *codes, unsigned n, unsigned *flags);

/* Read or preset the count of one counter. Errors: UPC_EINVAL, those of upc_unit_read; write also returns
 * UPC_ENOSUPP (a level cannot be preset) and UPC_ESTATE (as for upc_unit_write_events). */
int upc_counter_read(struct upc_unit *unit, int counter, uint64_t *value);
int upc_counter_write(struct upc_unit *unit, int counter, uint64_t value);

/* Halt one counter of a live source, or let it continue, while the unit's other counters count. Errors:
 * UPC_EINVAL (nothing bound), UPC_ENOSUPP (replay), UPC_ESYSTEM; upc_counter_continue also returns
 * UPC_ECONFLICT (others hold the hardware counter that it needs, detected as at a start; the counter
 * stays halted, and the unit's other counters go on). */
int upc_counter_halt(struct upc_unit *unit, int counter);
int upc_counter_continue(struct upc_unit *unit, int counter);

/* List the added events in the order in which they were added. Writes at most max codes, and returns the
 * number of added events. */
int upc_unit_list(const struct upc_unit *unit, uint32_t *codes, unsigned max);

/*
 * Access a register by offset (UPC_REG_*). On a live source the run bit, the counters, the threshold
 * register and the interrupt enables are writable. Inputs and modes change only in transactions; a write
 * that would change them is refused, and the message names them. In replay and simulation all registers
 * behave as upc_replay(1) describes, and the input or mode of a counter without an event may be written. A
 * counter's register is raw: if its event has a threshold, it contains the count plus the threshold's
 * offset. If a counter is damaged, the access reports this as an interrupt, and succeeds.
 *
 * Errors: UPC_EFAULT, UPC_EINVAL (value is NULL), UPC_ENOSUPP, UPC_ESTATE (the interrupt enable of an event
 * that has a threshold), those of start, stop and read.
 */
int upc_register_read(struct upc_unit *unit, unsigned offset, uint64_t *value);
int upc_register_write(struct upc_unit *unit, unsigned offset, uint64_t value);

/* ---- thresholds and interrupts (UPC, section 5) ------------------------- */

enum upc_interrupt_kind {
	UPC_INTERRUPT_THRESHOLD = 0, /* a counter met its threshold            */
	UPC_INTERRUPT_PARITY = 1,    /* a counter's word in the array was found damaged */
};

#define UPC_NO_CODE UINT32_MAX

/* The cause of an interrupt. */
struct upc_interrupt {
	size_t size;
	enum upc_interrupt_kind kind;
	int counter;    /* 0..255                                             */
	uint32_t code;  /* code of the event bound to it, or UPC_NO_CODE */
	uint64_t value; /* the event's count at the interrupt */
	uint64_t cycle; /* cycle of the unit's clock; 0 if the source has none */
};

/*
 * Set the receiver of interrupts: thresholds of events, thresholds armed through registers, parity errors.
 *
 * Replay: the thread that plays calls fn when the interrupt happens, before any later event of the script.
 * fn may read and write the unit. fn must not play, start, stop or destroy the unit, nor change its events.
 * If a read in fn finds a damaged counter, fn is called again. If several interrupts occur in one cycle, fn
 * is not called for interrupts that it has acknowledged before. If fn reads another unit of the thread,
 * that unit shows its state at the end of the part that is being played. With fn NULL, interrupts are not
 * delivered.
 *
 * Live: fn is not called. The kernel sends signal to the counted thread. The program handles this real-time
 * signal with SA_SIGINFO; the handler calls upc_unit_signalled to find the event. With signal 0, live
 * events have no thresholds.
 *
 * Simulation: as live, but one signal stands for all interrupts that the handler has not yet fetched.
 * Errors: UPC_EINVAL (no such signal), UPC_ESTATE (events have live thresholds: clear them before choosing
 * another signal).
 */
int upc_unit_set_interrupt(struct upc_unit *unit,
			   void (*fn)(struct upc_unit *unit, const struct upc_interrupt *interrupt,
				      void *arg),
			   void *arg, int signal);

/*
 * Set the threshold of an event. An interrupt occurs each time that the count reaches a multiple of
 * threshold, after a preset the next one above the preset value. If the source is exact, the k-th interrupt
 * occurs at exactly k * threshold. Any number of events may each have a separate 64-bit threshold: their
 * counters are preloaded so that they reach the unit's only threshold register at the right count, and
 * reads subtract the preload. Threshold 0 removes the threshold, and so does removing the event.
 *
 * Live: a program that blocks the signal for long must ignore SIGIO, which the kernel sends when its queue
 * of signals is full. The program must stop the unit before an exec, since the new program has no handler
 * for the signal. A hardware event's threshold takes one more counter of the PMU: the start fails if others
 * hold that counter, and reads return UPC_EPARTIAL if others take it later. This counter is pinned, even in
 * a flexible unit. Counts are exact even if signals are lost. The handler's own page faults and system
 * calls are counted, too, so a threshold must be larger than their number.
 *
 * Errors: UPC_EINVAL (a code that is not added; live: page faults one by one, system calls below 3, clocks
 * below 100 us), UPC_ENOSUPP (a derived event, a level, a file, or a unit that does not count its creating
 * thread only: the message says which), UPC_ECONFLICT (64 live events have a threshold, or the PMU has no
 * counter left), UPC_ESTATE (a live unit runs, or has no signal), UPC_EMFILE, UPC_EPERM, UPC_ENOMEM,
 * UPC_ENOTASK, UPC_ESYSTEM, and after a fork those of upc_transaction_commit.
 */
int upc_unit_set_threshold(struct upc_unit *unit, uint32_t code, uint64_t threshold);

/* Get the event's threshold, or 0 without a threshold. Errors: UPC_EINVAL. */
int upc_unit_get_threshold(const struct upc_unit *unit, uint32_t code, uint64_t *threshold);

/*
 * Find the event whose threshold sent a signal. fd is the si_fd of the signal's siginfo_t. Call this once
 * for each signal. In simulation fd is ignored; call this until it returns UPC_EINVAL.
 *
 * Errors: UPC_EINVAL (no event of this unit). Context: also signal handlers of the counted thread; stores
 * no message.
 */
int upc_unit_signalled(const struct upc_unit *unit, int fd, uint32_t *code);

/*
 * Inject a fault: flip bit 0..51 of a counter's word in the array, without its parity. The array update's
 * next visit, or a read, finds the damage and calls the callback once. From then on every read of the
 * counter fails with UPC_EPARITY until the counter is written. Errors: UPC_EINVAL, UPC_ENOSUPP (a live
 * source has no array).
 */
int upc_counter_inject(struct upc_unit *unit, int counter, int bit);

/* ---- replay ($UPC_SOURCE=replay:FILE) ------------------------------------ */

/*
 * Play the script up to the next sync mark, or to the end. All units of a thread see the same signals: if
 * one unit plays, the thread's other units follow at their next use. A thread's script begins with its
 * first unit and is never rewound.
 *
 * Returns 1, or 0 if nothing was left to play. Errors: UPC_ENOSUPP (another source), UPC_ESTATE (called
 * from an interrupt).
 */
int upc_unit_play(struct upc_unit *unit);

/* Return 1 if a part of the script is left to play, else 0. */
int upc_unit_playable(const struct upc_unit *unit);

/* ---- shared units: watched by other processes (UPC, section 7) ------------ */

struct upc_share_options {
	size_t size;
	int group; /* non-zero: the file's group may read as well */
};

/*
 * Share the unit with other processes: its 256 counts, its configuration and event names, as of the unit's
 * last read, start, stop, play or change. name has 1 to 64 characters of [A-Za-z0-9_.-], does not begin
 * with a dot, and is unique among the user's own units. The file is in /dev/shm with mode 0600 (0640 with
 * group). A forked child's copy of the unit is not shared. The name becomes free when the unit is destroyed
 * or its process ends in any way. Call this before the unit starts: the thread makes system calls and page
 * faults while it creates the file. Later updates by the running unit cause neither.
 *
 * options may be NULL. Errors: UPC_EINVAL (name, options), UPC_ESTATE (another live unit has the name; or
 * this unit already has a name), UPC_EPERM (also if the limit of the file size is too small), UPC_ENOSUPP
 * (there is no /dev/shm, or it does not support unnamed files), UPC_ENOMEM (also if /dev/shm is full),
 * UPC_EMFILE, UPC_ESYSTEM.
 */
int upc_unit_share(struct upc_unit *unit, const char *name, const struct upc_share_options *options);
void upc_unit_unshare(struct upc_unit *unit);

struct upc_monitor;

struct upc_monitor_options {
	size_t size;
	int foreign; /* non-zero: the unit belongs to user, not to the caller */
	uid_t user;
};

/* State of the whole unit, as seen by a monitor. */
struct upc_monitor_info {
	size_t size;
	pid_t process;       /* process id of the owner */
	pid_t changed_by;    /* thread that last changed the configuration */
	uint64_t generation; /* grows with every change of the configuration */
	/* time of the counts, by the owner's CLOCK_MONOTONIC. The difference of two such times is right
	 * everywhere; their age is right only in the owner's time namespace */
	uint64_t updated_ns;
	int running;
	int ended;                   /* the owner has unshared the unit, and these are its last counts */
	uint64_t threshold;          /* threshold register                             */
	uint8_t field[UPC_COUNTERS]; /* configuration bytes, UPC_FIELD_* */
	/* Non-zero: the counter has a level that the owner has not read yet, for example before the
	 * unit's first start. The value is unknown, and 0 is returned for it. */
	uint8_t unread[UPC_COUNTERS];
};

/*
 * Map a shared unit read-only. With options NULL, the unit is one of the caller's own. While any monitor is
 * open, the library handles a SIGBUS that its mapping causes (the file was truncated), and passes any other
 * SIGBUS on to the previous handler. A thread that blocks SIGBUS is not protected. A handler that is
 * installed later must pass on each SIGBUS that it does not know.
 *
 * Errors: UPC_EINVAL (name, options), UPC_ENOTASK (no such unit), UPC_EPERM (the file is not readable for
 * the caller, is a link, or can be written by others than its owner), UPC_ENOSUPP (the file is not a unit,
 * or is one of another version; the message says which), UPC_EGONE (its owner has ended), UPC_ESTATE (the
 * unit changes too fast; try again), UPC_ENOMEM, UPC_EMFILE, UPC_ESYSTEM.
 */
int upc_monitor_open(const char *name, const struct upc_monitor_options *options,
		     struct upc_monitor **monitor);
void upc_monitor_close(struct upc_monitor *monitor);

/*
 * Read a consistent snapshot of all UPC_COUNTERS counts and the configuration, without a system call and
 * without any effect on the unit. values and info may be NULL. The counts are those of the events, without
 * the preloads of thresholds. If the owner was killed during a change of the configuration, the snapshot is
 * the state before that change. upc_monitor_alive shows whether the owner still exists.
 *
 * Errors: UPC_EGONE (the file was truncated), UPC_ESTATE (the unit changes too fast to be read; try again).
 * Context: any thread; several threads may read one monitor.
 */
int upc_monitor_read(struct upc_monitor *monitor, uint64_t *values, struct upc_monitor_info *info);

/* An event, as seen by a monitor. */
struct upc_monitor_event {
	size_t size;
	int bound;           /* 0: the counter counts nothing */
	uint64_t generation; /* generation of the configuration to which the event belongs */
	enum upc_kind kind;
	char name[UPC_NAME_MAX]; /* printable, or "" */
	char unit[32];
};

/* Describe the event of counter 0..255. Errors: UPC_EINVAL, UPC_EGONE (the file was truncated, or the owner
 * was killed while it changed names), UPC_ESTATE (the owner is changing names). */
int upc_monitor_counter(struct upc_monitor *monitor, int counter, struct upc_monitor_event *event);

/* Return 1 if the owner still shares the unit, else 0. Makes a system call. */
int upc_monitor_alive(struct upc_monitor *monitor);

/*
 * Call fn with the name and owner of every shared unit of all users, including units whose owner has ended.
 * Returns the number of units, or the first non-zero result of fn, or UPC_EMFILE, UPC_EPERM, UPC_ENOSUPP
 * (no /dev/shm), UPC_ENOMEM, UPC_ESYSTEM.
 */
int upc_monitor_list(int (*fn)(const char *name, uid_t user, void *arg), void *arg);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* UPC_H */
