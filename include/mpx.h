/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx.h - MPX: multiplexing on PAPI for threaded programs, with event sets that overlap and nest, and an
 * error bar on every estimate.
 *
 * Terms:
 * - event set: a list of events that are started, stopped and read together.
 * - group: events that the counters hold at the same time. slice: the time for which one group is counted
 *   before the next group has its turn.
 * - master event list: a thread's events, each once, whatever sets they are in.
 * - clock: the unit of slice lengths and times: cycles or CPU time.
 * - C_e, S_e, T: an event's counted events, the time in which it was counted, and the time in which its set
 *   ran. N_e: the estimate of all counts in T.
 * - exact: counted all the time, so that N_e is C_e.
 * - covariate: an event that is counted in every group, and whose count can replace the clock in estimates.
 * - registered thread: a thread that has made a call of MPX on sets or threads, and has not ended.
 * - process-wide set: an event set that counts in all registered threads (mpx_set_create_process).
 * - attached set: an event set that counts another thread than the one it belongs to (mpx_set_attach).
 * - stretch: the time from a start, reset or accum of a set to the next one, or to the stop. region: a
 *   number for which a set counts; it sums its stretches (mpx_set_region).
 * - interval: the range that contains the true count in 95 % of cases (low to high in struct mpx_estimate).
 *
 * A machine counts a few events at once. MPX accepts any number of events and divides them into groups. The
 * groups take turns on the counters, and MPX estimates the full count of each event. Event sets start in
 * any order while others run, even if they share events. An event that never has to share a counter is
 * counted all the time, and its count is exact. (MPX: J. M. May, MPX: Software for Multiplexing Hardware
 * Performance Counters in Multithreaded Programs, IPDPS 2001.)
 *
 * Conventions of this header
 *   Results  PAPI's error codes: PAPI_OK (0) or a negative PAPI_E*. A failed call leaves
 *            everything unchanged.
 *   Details  mpx_last_message() says in words why the calling thread's last failed call
 *            failed, and what to do about it.
 *   Options  Option and result structures begin with their size, which the caller sets
 *            (MPX_OPTIONS_INIT does). Fields that an older program's options lack count as
 *            zero. In options, bytes beyond the fields that the library knows must be zero,
 *            or the call returns PAPI_EINVAL. In results the library sets such bytes to zero.
 *   Context  All threads may call at once. An event set belongs to the thread that
 *            created it; a call from another thread returns PAPI_EPERM. No call may be made
 *            in a signal handler. Every call except mpx_library_init, mpx_version and
 *            mpx_last_message may return PAPI_ENOINIT, and every call on a set may return
 *            PAPI_ENOEVST (no set has this number).
 *   Signals  Each slice ends with a signal to its thread. Only threads with running sets
 *            whose events share counters get the signal. The handler is short and keeps
 *            errno. If a slice ends during a call of PAPI or of this library, the handler
 *            switches groups after the call. If a slice ends while a handler of the program
 *            runs on an alternate stack with less than 16 KiB left, the switch follows that
 *            handler. Start, read, reset and stop of a process-wide event set send the same
 *            signal to all registered threads. The signal ends sleeps and waits with EINTR
 *            if SA_RESTART does not restart them (nanosleep, poll, select, sem_wait of some
 *            systems).
 *   Cancel   No thread is cancelled in the handler. The calls are cancellation points,
 *            since they read descriptors. Do not call the library while the cancel type is
 *            PTHREAD_CANCEL_ASYNCHRONOUS.
 *   fork     A child has none of its parent's event sets; the parent's sets go on. The child
 *            may create its own sets, unless another thread was inside PAPI at the fork:
 *            PAPI's locks then stay locked for ever in the child.
 *   exec     Stop all sets first, or call mpx_library_shutdown: a signal that arrives
 *            while the new program starts would end the new program.
 */
#ifndef MPX_H
#define MPX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Hide everything in the library except the declarations of this header. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ABI version: changes whenever a program built against an older header would misbehave. */
#define MPX_ABI_VERSION 1

/* Return an option or result structure with its size set and all other bytes zero. */
#ifdef __cplusplus
extern "C++" {
template <class T> static inline T mpx_options_init()
{
	T options = T();

	options.size = sizeof(T);
	return options;
}
}
#define MPX_OPTIONS_INIT(type) (mpx_options_init<struct type>())
#else
#define MPX_OPTIONS_INIT(type) ((struct type){.size = sizeof(struct type)})
#endif

/* The value that mpx_set_read and mpx_set_stop store for an event that was not counted in any slice
 * since the start of its set. The value is not zero, because the count is unknown. */
#define MPX_NEVER (-1LL)

/* ---- the library ------------------------------------------------------------------ */

/* The timer that ends time slices. MPX_TIMER_AUTO takes the first timer of the list that the machine
 * allows. */
enum mpx_timer {
	MPX_TIMER_AUTO = 0,   /* first available */
	MPX_TIMER_TASK_CLOCK, /* a perf event of the thread's task clock; slices can be as short as 100 us */
	MPX_TIMER_THREAD,     /* a POSIX timer on the thread's CPU clock; slices of some ms */
	MPX_TIMER_VIRTUAL,    /* ITIMER_VIRTUAL, forwarded to all threads (MPX, 5.1)  */
};

/* The clock, which measures the lengths of slices. MPX_CLOCK_AUTO takes the first clock of the list that
 * can be counted. */
enum mpx_clock {
	MPX_CLOCK_AUTO = 0, /* first countable */
	MPX_CLOCK_CYCLES,   /* PAPI_TOT_CYC, counted in each slice (MPX, 4) */
	MPX_CLOCK_UNIT,     /* the cycles event of PAPI's component upc */
	MPX_CLOCK_CPU,      /* CPU time of the thread, ns                           */
	/* Cycles in user mode, even if PAPI's domain includes more than user mode. Choose this clock if
	 * all events count in user mode only. The program's time in the kernel then disturbs no
	 * estimate. MPX_CLOCK_AUTO never chooses this clock. */
	MPX_CLOCK_USER,
};

/* The formula of an estimate; doc/design/ESTIMATOR.md has the mathematics. */
enum mpx_estimator {
	/* INTERPOLATED, or RATIO if slice lengths differ; by the clock, or by the covariate if it
	 * predicts the count better */
	MPX_ESTIMATOR_AUTO = 0,
	MPX_ESTIMATOR_RATIO, /* C_e * T / S_e (MPX, 4)                              */
	/* estimates the time between two slices of an event from the rates in these slices */
	MPX_ESTIMATOR_INTERPOLATED,
	MPX_ESTIMATOR_COVARIATE, /* as MPX_ESTIMATOR_AUTO, but always by the covariate */
};

#define MPX_NO_COVARIATE "none"

struct mpx_options {
	size_t size;
	uint64_t slice_ns; /* length of a time slice in CPU time, ns: 100,000 (100 us) to 10^10 (10 s); 0:
			      10 ms */
	enum mpx_timer timer;
	enum mpx_clock clock;
	enum mpx_estimator estimator;
	int signal_number;     /* signal that ends slices; 0: the library chooses a free signal */
	const char *covariate; /* name of an event that is counted in every group, which costs each group a
				  counter; MPX_NO_COVARIATE: no event; NULL: PAPI_TOT_INS if the processor
				  has a fixed counter for it (and the estimator is AUTO), else no event */
	unsigned group_max;    /* maximum number of events in a slice; 0: as many as fit */
	uint64_t seed;         /* seed of the random order of the groups; 0: any */
};

/*
 * Prepare the library. Also initialize PAPI if the program has not done so (PAPI_library_init, and
 * PAPI_thread_init with the kernel's thread id). abi is MPX_ABI_VERSION. options may be NULL for defaults.
 * Call this function once; a second call returns PAPI_EISRUN.
 *
 * Errors: PAPI_EINVAL (option out of range, another ABI), PAPI_ENOSUPP (the machine does not provide the
 * chosen timer or clock; the message says why), PAPI_ECNFLCT (the signal or interval timer is in use),
 * PAPI_ENOEVNT (covariate), PAPI_ENOMEM, PAPI_ESYS, and PAPI's own.
 */
int mpx_library_init(int abi, const struct mpx_options *options);

/* Stop and destroy the calling thread's event sets and end the library. Restores the signal handler and
 * mask from before mpx_library_init. PAPI stays initialized. Error: PAPI_EISRUN (another thread is still
 * registered; it must end, or call mpx_thread_end). */
int mpx_library_shutdown(void);

/* The settings in use. The library owns the strings, which are valid until shutdown. */
struct mpx_library_info {
	size_t size;
	uint64_t slice_ns;
	enum mpx_timer timer;
	enum mpx_estimator estimator; /* MPX_ESTIMATOR_AUTO: chosen for each estimate */
	int signal_number;
	unsigned threads; /* registered threads */
};
int mpx_library_get_info(struct mpx_library_info *info);

/* Return the library's release, such as "0.1.0". Context: any. */
const char *mpx_version(void);

/* Return the reason for the calling thread's last failed call: one line, with question marks in place of
 * control characters. Never NULL. */
const char *mpx_last_message(void);

/* ---- event sets ------------------------------------------------------------------- */

/* Create an empty event set of the calling thread. Errors: PAPI_EINVAL, PAPI_ENOMEM, PAPI_ESYS (no
 * descriptor or timer left). */
int mpx_set_create(int *set);

/*
 * Create an empty event set that counts in all registered threads. Its values are the sums over the
 * threads. Threads may start and end while the set runs; a thread that ends leaves its counts in the sums.
 * The set belongs to the calling thread like any other set, and ends with that thread. All calls on sets
 * work on a process-wide set.
 *
 * mpx_thread_register, or any other call of MPX, registers the calling thread. A thread joins the set at
 * its first call of MPX after the set got its events. Later starts of the set need no call by the thread. A
 * thread that joins a running set is counted from then on. MPX_PARTIAL marks counts that lack a part of a
 * thread's time.
 *
 * Each thread's signal handler starts, stops, reads, accumulates or resets what the thread counts for the
 * set, while the caller waits. A thread that blocks the signal, or stays inside PAPI, may not answer within
 * a second. The call then uses the thread's last known counts and returns PAPI_ESYS; it still stores
 * values, and the set is stopped or reset. If the call was a start, it succeeds, and only MPX_PARTIAL shows
 * that a thread is missing. The thread carries out the request as soon as it can answer. If the call was a
 * stop, the thread's counts since its last answer are lost.
 *
 * Errors: as for mpx_set_create.
 */
int mpx_set_create_process(int *set);

/* Destroy a stopped event set, and set *set to PAPI_NULL (-1). Events that belong to no other set leave
 * the master event list. Calls with the old number fail from then on; another set gets this number only
 * after hundreds of thousands of sets were created. Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN (the
 * set runs). */
int mpx_set_destroy(int *set);

/*
 * Add an event by PAPI code (preset, native, user-defined) or by name. A set may mix events of different
 * components. The counters need not hold all events of a set at the same time, but they must be able to
 * hold each event alone.
 *
 * Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOEVNT (no such event; the message lists the nearest
 * names if no other thread uses PAPI), PAPI_ECNFLCT (the event is already in the set, or no counter can
 * hold it), PAPI_ENOSUPP (the set is process-wide and the event counts the whole machine, a device, a CPU
 * or the process, so each thread would count it again), PAPI_ENOMEM, and what PAPI_add_event returns.
 */
int mpx_set_add_event(int set, int code);
int mpx_set_add_named_event(int set, const char *name);

/* Add n events by PAPI code, all or none. If an event is refused, the events added before it leave the
 * set again, and the message names the refused event. Errors: as for mpx_set_add_event, and PAPI_EINVAL
 * (n is negative, or codes is NULL and n is not 0). */
int mpx_set_add_events(int set, const int *codes, int n);

/* Remove an event. Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOEVNT (the event is not in the
 * set). */
int mpx_set_remove_event(int set, int code);
int mpx_set_remove_named_event(int set, const char *name);

/* Remove all events of a stopped set, and their counts in its regions. Does nothing if the set is empty.
 * Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN. */
int mpx_set_cleanup(int set);

/* Return the number of events in the set. Errors: PAPI_ENOEVST, PAPI_EPERM. */
int mpx_set_num_events(int set);

/* List the event codes in the order in which they were added, which is the order of values. *n is the
 * length of codes (may be 0 with codes NULL), and becomes the number of events. Errors: PAPI_ENOEVST,
 * PAPI_EPERM, PAPI_EINVAL. */
int mpx_set_list_events(int set, int *codes, int *n);

/*
 * Attach a stopped set of the calling thread to another thread tid (gettid) of this or another process,
 * like PAPI_attach. The set keeps its events. Its counts are discarded, except those of its regions. All
 * calls on sets work on an attached set, but only from the calling thread. An attached set may be attached
 * to another thread.
 *
 * T is the time of the attached thread, measured with the kind of clock that the calling thread has, and
 * slices are measured in the attached thread's CPU time. At the end of each slice a signal interrupts the
 * calling thread, whatever timer was chosen. A slice ends late if the calling thread is slow or blocks the
 * signal. Such a slice is measured all the same, and MPX_LOST marks counts with a slice that ended far too
 * late. Sets that are attached to the same thread share its counters with each other, but not with sets
 * that count the calling thread.
 *
 * The attached thread keeps running while its groups change. Each change takes some 20 to 60 us, during
 * which interrupts slow the attached thread. Events that share counters are therefore never exact in an
 * attached thread. Estimates include half of the time of the changes, and intervals extend from none to all
 * of it. MPX_UNEVEN is set if this effect is most of the error. Longer slices reduce the effect: with
 * slices of 10 ms it is 0.5 %.
 *
 * Only the attached thread is counted. To count its children and the other threads of its process, attach a
 * set to each (/proc/PID/task). An exec changes nothing, unless it gives the process other rights: the
 * kernel then ends the counting, as at the end of the thread. After the thread ends, its counts stay and
 * MPX_ENDED is set; starting the set or adding an event returns PAPI_ESYS. A later thread with the same
 * number is not counted. A thread of this process must not call PAPI_unregister_thread while a set is
 * attached to it.
 *
 * Events may be of PAPI's components perf_event and upc, and of other components that support PAPI_attach.
 * Events that count the whole machine, a device, a CPU or the process are refused.
 *
 * Errors: PAPI_EINVAL (no such thread; tid is the calling thread; a process-wide set), PAPI_EPERM (another
 * thread's set; or the kernel does not allow counting the thread, and the message says what would allow
 * it), PAPI_EISRUN, PAPI_ENOSUPP (an event's component does not support PAPI_attach, or perf_event does not
 * without a PMU; an event does not count for one thread; the kernel has no such clock), PAPI_ENOMEM,
 * PAPI_ESYS, and as for mpx_set_add_event.
 */
int mpx_set_attach(int set, int tid);

/* Detach the set, which then counts in the calling thread again. The set's counts are discarded, except
 * those of its regions. Errors: PAPI_EINVAL (the set is not attached), PAPI_EPERM, PAPI_EISRUN, and as
 * for mpx_set_add_event. */
int mpx_set_detach(int set);

/*
 * Set the domain of all present and future events of a stopped set: a sum of PAPI_DOM_USER,
 * PAPI_DOM_KERNEL, ... 0, the initial value, means PAPI's default domain (PAPI_set_domain), as PAPI's
 * components interpret it. The same event in another domain is another event. The latter has a separate
 * entry in the master event list, even if its domain equals PAPI's default. Events of different domains
 * that take counters from each other are never in the same group. The call discards all counts, including
 * those of regions; ratios and relations stay. The clock and a covariate stay in PAPI's default domain.
 *
 * PAPI's components perf_event and upc support domains. Exceptions are upc's events from files and clocks,
 * which count the same in all domains. An event whose name has mode qualifiers (:u=1:k=0, :k) counts in
 * these modes in any domain.
 *
 * Errors: PAPI_ENOEVST, PAPI_EPERM (another thread's set; or the kernel does not allow it), PAPI_EISRUN,
 * PAPI_EINVAL (no such domain), PAPI_EINVAL_DOM (the component lacks this domain), PAPI_ENOSUPP (an event's
 * component has no domains, or supports them only with a PMU; the clock is an event whose name cannot
 * express its domain), PAPI_ENOMEM, and as for mpx_set_add_event. After an error nothing has changed.
 */
int mpx_set_domain(int set, int domain);

/*
 * Exempt an event of a stopped set from multiplexing (on = 1). While the set runs, the event is counted in
 * every group, all the time, and is exact. on = 0, the initial state, lets the event take turns again. An
 * exempt event takes a counter of each group. The number of groups may therefore grow, and the other events
 * are counted for a smaller part of the time, even those of other sets, since all sets of a thread share
 * the groups. Another set with the same event gets the event's exact counts, too. An event that already
 * takes no turns stays as it is. The exemption ends when the event is removed. The exemption stays when the
 * set is attached (though the event is then not exact, see mpx_set_attach) or gets another domain.
 *
 * Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOSUPP (a process-wide set), PAPI_ENOEVNT (the event
 * is not in the set), PAPI_ECNFLCT (an event of the set, which the message names, cannot be in a group with
 * this event and the other exempt events), PAPI_ENOMEM, what PAPI_add_event returns. mpx_set_add_event
 * returns PAPI_ECNFLCT for the same reason, and so does mpx_set_start if an event of another running set
 * does not fit with the exempt events.
 */
int mpx_set_always(int set, int code, int on);

/*
 * Set the covariate of a stopped set by name. The covariate is an event that is counted in every group
 * while the set runs. Estimates of the set use the covariate if it predicts the counts better than the
 * clock. NULL or MPX_NO_COVARIATE, the initial value, means no covariate. (mpx_options.covariate sets a
 * covariate for all sets of all threads.) A covariate takes a counter from each group of the thread,
 * including groups with events of other sets. Estimates of those sets use the clock, unless they have the
 * same covariate. Two sets with different covariates cannot run in a thread at the same time. The covariate
 * is counted in PAPI's default domain, and need not be in the set. The call discards the set's counts,
 * including those of regions.
 *
 * Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOEVNT, PAPI_ENOSUPP (a process-wide set; an event
 * that does not count for one thread), PAPI_ECNFLCT (all sets already have a covariate; an event of the
 * set, which the message names, cannot be in a group with the covariate), PAPI_ENOMEM, and as for
 * mpx_set_add_event. mpx_set_start returns PAPI_ECNFLCT if a running set has another covariate.
 *
 * A set cannot have a separate clock, since all sets of a thread are counted in the same slices, and a
 * slice has one length.
 */
int mpx_set_covariate(int set, const char *name);

/* Set *state to PAPI_RUNNING or PAPI_STOPPED. */
int mpx_set_state(int set, int *state);

/*
 * Start counting from zero. Other sets may be running. Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN,
 * PAPI_EINVAL (the set is empty), PAPI_ENOMEM, PAPI_ESYS, errors of PAPI_start, and PAPI_ECNFLCT (the
 * program has its own handler for the signal that ends slices; events of the running sets do not fit with
 * the exempt events (mpx_set_always); or a running set has another covariate).
 */
int mpx_set_start(int set);

/*
 * Stop counting. Stores the values that mpx_set_read would store, one for each event; values may be NULL.
 * If the last slice could not be read, the set is stopped, and the call returns PAPI_ESYS. Errors:
 * PAPI_ENOEVST, PAPI_EPERM, PAPI_ENOTRUN, PAPI_ESYS.
 */
int mpx_set_stop(int set, long long *values);

/*
 * Estimate the counts since the start or the last reset, including the running slice. Values are whole
 * numbers that do not decrease until the next start, reset, accum or switch of region. An event that has
 * not been counted at all has the value MPX_NEVER. For a stopped set, the values are those of its stop.
 * Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EINVAL, PAPI_ESYS.
 */
int mpx_set_read(int set, long long *values);

/*
 * Add the counts since the last start, reset or accum to values, and reset the set, which must run. Each
 * value grows by as much as the estimate for the current region has grown (mpx_set_region). If the event
 * had no turn, the estimate uses the rate of the region's other stretches, and later calls correct the
 * error. Sums over many short stretches are therefore right, though the growth at a single call may be
 * wrong. A value becomes MPX_NEVER while the event has not been counted in the region at all, or if the sum
 * overflows. When the event has been counted, the next call restores the sum, including everything that
 * should have been added meanwhile. Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EINVAL, PAPI_ENOTRUN, PAPI_ESYS.
 */
int mpx_set_accum(int set, long long *values);

/* Set the counts to zero, whether the set runs or not. */
int mpx_set_reset(int set);

/* ---- how far an estimate can be trusted ---------------------------------------------- */

#define MPX_EXACT 0x1u     /* counted all the time: the value is not an estimate */
#define MPX_UNCOUNTED 0x2u /* never counted since the start: the numbers have no meaning */
#define MPX_ROUGH 0x4u     /* too few slices for a trustworthy interval */
#define MPX_LOST 0x8u /* slices failed to start or be read, or ended far too late; T includes their time */
#define MPX_PARTIAL 0x10u /* process-wide: some thread was not counted, or only part of the time */
/* More than a tenth of the estimate comes from stretches in which the event had no turn (for example,
 * those of short threads). For these stretches the rate of the stretches with a turn is assumed, and the
 * interval covers the error. */
#define MPX_BORROWED 0x20u
/*
 * Slice lengths differ greatly, and most of the error comes from long slices of other groups, whose counts
 * of this event are unknown. MPX_CLOCK_USER, or a covariate that correlates with the event, reduces this
 * error. Longer slices reduce it if the program makes many long system calls, or if the slices become
 * longer than its only long system call. For an attached thread, most of the error may instead come from
 * the time between slices; longer slices reduce this error.
 */
#define MPX_UNEVEN 0x40u
/*
 * Counting took more than a hundredth of the time in the event's slices, or of all time. A tracepoint in a
 * hot loop, for example, slows the loop while it counts. The interval is wider by the possible error. A
 * covariate (mpx_options.covariate), longer slices or fewer events reduce the error. This flag occurs only
 * if the clock is CPU time, since cycles in user mode do not include the time that counting takes.
 */
#define MPX_SLOWED 0x1000u
/* The attached thread has ended (mpx_set_attach); its counts end at that time. */
#define MPX_ENDED 0x800u

/* One event of a set, since its start. Times are in the clock's unit. */
struct mpx_estimate {
	size_t size;
	int code;              /* PAPI code                                          */
	unsigned flags;        /* MPX_EXACT, ...                                     */
	long long value;       /* N_e as an integer that does not decrease, as mpx_set_read stores it */
	double estimate;       /* N_e; may be below value if an earlier estimate was higher */
	double standard_error; /* standard error of estimate; 0 when exact */
	double low, high;      /* 95 % interval of N_e (mpx_set_confidence), contains value; low is at
				  least C_e */
	double coverage;       /* S_e / T: 0 to 1                                    */
	uint64_t count;        /* C_e: counted events */
	uint64_t counted_time; /* S_e: time in which the event was counted */
	uint64_t time;         /* T: time in which the set ran */
	uint64_t slices;       /* ended slices since the start */
	unsigned threads;      /* threads with counts in the sum, including ended ones; 1 if not
				  process-wide */
	unsigned missed;       /* number of registered threads whose counts are missing */
};

/*
 * Store the estimates of the first n events of the set, in the order in which they were added.
 * estimates[0].size is the size of each element. The first call in a process whose results a tracepoint may
 * have slowed (MPX_SLOWED) measures the time that one count of a tracepoint takes. The measurement opens a
 * tracepoint, which takes some ms, and makes up to 384 calls of getppid. Errors: as for mpx_set_read.
 */
int mpx_set_estimates(int set, struct mpx_estimate *estimates, int n);

/*
 * Set the confidence level of low and high in mpx_set_estimates and mpx_set_region_estimates of this set,
 * running or not: 0.5 to 0.9999, initially 0.95. The level is the share of all intervals that should
 * contain the true count. Ratios and reconciled estimates always use 0.95. Errors: PAPI_ENOEVST,
 * PAPI_EPERM, PAPI_EINVAL.
 */
int mpx_set_confidence(int set, double level);

/* ---- ratios and relations between events ---------------------------------------------- */

/* Further flags of ratios and of reconciled estimates. */
#define MPX_UNBOUNDED 0x80u /* ratio: the denominator may be 0, and therefore high is INFINITY */
#define MPX_CAREFUL \
	0x100u /* ratio: the correlation of the errors is unknown; the interval assumes the worst case */
/* a relation of the event was applied, or a relation of other events has changed its estimate */
#define MPX_RECONCILED 0x200u
#define MPX_CONTRADICTED \
	0x400u /* the event is in a relation that the estimates contradict, and which was not applied */

/* The ratio of two events of a set since its start, such as instructions per cycle or misses per access. */
struct mpx_ratio {
	size_t size;
	int numerator, denominator; /* PAPI codes                                              */
	/* MPX_EXACT: both events are exact. MPX_UNCOUNTED: an event has had no turn yet; MPX_ROUGH,
	 * MPX_LOST, MPX_UNEVEN, MPX_UNBOUNDED, MPX_CAREFUL; MPX_SLOWED: counting slowed an event, and
	 * they do not share all slices */
	unsigned flags;
	double value;          /* NaN if unknown, or if the denominator's estimate is 0 */
	double standard_error; /* standard error of value; NaN if value is NaN; 0 when exact */
	double low, high;      /* 95 % interval, from 0 to INFINITY, contains value */
	/* share of the time in which both events were counted at the same time; 1 when exact */
	double together;
};

/*
 * Request the ratio of two events of a stopped set, by their codes. From its next start on the set records
 * how the errors of the two events correlate. If both are in one group, this takes the handler as much time
 * as a third event. Two events counted in the same slices have most of their error in common, so the ratio
 * is known far better than either event. If the two events take turns, the interval assumes that their
 * errors have opposite signs. Removing either event removes the ratio. Ratios use the clock, even if the
 * set has a covariate.
 *
 * Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOSUPP (a process-wide set), PAPI_ENOEVNT (an event
 * is not in the set), PAPI_EINVAL (the same event twice), PAPI_ECNFLCT (the ratio was already requested),
 * PAPI_ENOMEM. mpx_set_remove_ratio returns PAPI_ENOEVNT if there is no such ratio.
 */
int mpx_set_add_ratio(int set, int numerator, int denominator);
int mpx_set_remove_ratio(int set, int numerator, int denominator);

/* Store the first n ratios of the set, in the order of the requests, over the running or last stretch.
 * ratios[0].size is the size of each element. Errors: PAPI_EINVAL (n exceeds the number of ratios), and
 * as for mpx_set_read. */
int mpx_set_ratios(int set, struct mpx_ratio *ratios, int n);

/*
 * Declare a relation of a stopped set: the sum of coefficient times count over n of its events, which are
 * given by their codes, is 0. An example is hits + misses - accesses, with the coefficients 1, 1 and -1. n
 * is 2 to 32; coefficients are finite and not 0. Removing any of the relation's events removes the
 * relation. Errors: as for mpx_set_add_ratio, and PAPI_EINVAL.
 */
int mpx_set_add_relation(int set, const int *codes, const double *coefficients, int n);
int mpx_set_clear_relations(int set);

/*
 * Store estimates as mpx_set_estimates does, adjusted so that the set's relations hold. Estimates with
 * larger errors change more, exact estimates do not change, and no estimate falls below its count C_e. The
 * adjustment makes the estimates more accurate. The field value does not decrease here either, and is at
 * least the value of mpx_set_read, so it may miss a relation by some counts. The field estimate fulfils the
 * relations, unless the limit C_e prevents this. A relation is not applied if the estimates deviate from it
 * by more than happens once in a thousand cases. Its events then have the flag MPX_CONTRADICTED: either the
 * relation does not hold, or an interval is wrong. A relation with an event that has had no turn is not
 * applied either. Errors: PAPI_ENOSUPP (a process-wide set), PAPI_ENOMEM, and as for mpx_set_estimates.
 */
int mpx_set_reconciled_estimates(int set, struct mpx_estimate *estimates, int n);

/* ---- regions ------------------------------------------------------------------------- */

/*
 * Select the region for which a stopped set counts from its next start on. Initially this is region 0.
 *
 * A region is identified by a set and a number, for example the number of a place in the program. The
 * counts of a region persist over starts, stops, resets and accums. A stretch may be shorter than a slice.
 * If an event had no turn in some stretches of a region, the region's estimate assumes the rate of the
 * other stretches for them.
 *
 * mpx_set_read and mpx_set_estimates cover only the running stretch, as without regions. Each region takes
 * 784 bytes for each event. Events that are added later have no counts in the region. Errors: PAPI_ENOEVST,
 * PAPI_EPERM, PAPI_EISRUN, PAPI_ENOMEM.
 */
int mpx_set_region(int set, int region);

/*
 * Make the running set count for this region from now on, in a new stretch. The call takes little more time
 * than one read of the counters (bench/mpx_cost), so a program may switch regions thousands of times in a
 * slice. Values of mpx_set_read begin at zero again. While no event takes turns, the clock is not read, so
 * time of one region may be included in that of a later region. Errors: PAPI_ENOEVST, PAPI_EPERM,
 * PAPI_ENOTRUN, PAPI_ENOSUPP (process-wide sets), PAPI_ENOMEM, and errors of reading the counters. After an
 * error nothing has changed.
 */
int mpx_set_switch_region(int set, int region);

/*
 * Estimate the counts in all stretches of a region, including the running one. The field time is the time
 * of all stretches. MPX_BORROWED means that the event had no turn in many of the stretches. Errors: as for
 * mpx_set_estimates, and PAPI_EINVAL if the set has no such region.
 */
int mpx_set_region_estimates(int set, int region, struct mpx_estimate *estimates, int n);

/*
 * Estimate a region of another thread's set as mpx_set_region_estimates does, but only over ended
 * stretches. MPX_PARTIAL means that a stretch is still running. Meant for the end of a program, when other
 * threads wait with running sets. The caller must ensure that the set's thread is in no call of MPX
 * meanwhile, and does not end. Errors: PAPI_ENOEVST, PAPI_ENOSUPP (process-wide sets), PAPI_EINVAL.
 * Context: any thread.
 */
int mpx_set_kept_estimates(int set, int region, struct mpx_estimate *estimates, int n);

/* List the set's regions in ascending order. *n is the length of regions (may be 0 with regions NULL),
 * and becomes the number of regions. Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EINVAL. */
int mpx_set_list_regions(int set, int *regions, int *n);

/* ---- threads ------------------------------------------------------------------------- */

/*
 * Register the calling thread, so that process-wide sets count it from now on. Any other call of MPX on
 * sets or threads has the same effect. If the events of a process-wide set cannot be counted in this
 * thread, the thread is one of the missed threads (struct mpx_estimate). A second call does nothing.
 * Errors: as for mpx_set_create.
 */
int mpx_thread_register(void);

/*
 * Destroy the calling thread's event sets, even running ones, and all data that the library keeps for the
 * thread. Process-wide sets keep the thread's counts. The end of a thread does the same, after the first
 * round of the destructors of its thread-specific data; in later rounds mpx_set_create returns PAPI_ESYS.
 * Call this function before PAPI_unregister_thread, which destroys the event sets of PAPI that the library
 * uses.
 */
int mpx_thread_end(void);

/* One entry of the calling thread's master event list (MPX, 5.2). */
struct mpx_master_event {
	size_t size;
	int code;
	unsigned references;   /* event sets that contain it */
	unsigned activations;  /* running event sets that contain it */
	uint64_t count;        /* C_e since the event entered the list */
	uint64_t counted_time; /* S_e since the event entered the list */
	uint64_t slices;       /* ended slices since the event entered the list */
	int group;   /* number of the group in which it takes turns, from 0; -1: it takes no turns */
	int current; /* 1: it is being counted at this moment */
	int domain;  /* domain (mpx_set_domain); 0: PAPI's default */
};

/* Fill up to n entries and return the number of entries in the list. list[0].size is the size of each
 * entry; n may be 0. Error: PAPI_EINVAL. */
int mpx_thread_master_list(struct mpx_master_event *list, int n);

struct mpx_thread_info {
	size_t size;
	const char *clock;      /* "PAPI_TOT_CYC", "thread CPU time", ...; owned by the library */
	const char *clock_unit; /* "cycles" or "ns"                                       */
	uint64_t time;          /* T: time in which anything was counted in this thread */
	uint64_t slices;        /* ended slices */
	/* slices that ended late, since the thread was in PAPI or on a small alternate stack */
	uint64_t put_off;
	uint64_t lost;    /* slices that could not be started or read, or were far too long */
	unsigned groups;  /* groups that take turns now */
	unsigned events;  /* events in the master event list */
	unsigned running; /* running event sets */
	size_t memory;    /* bytes that the library has allocated for this thread; excludes PAPI's memory */
	const char *covariate; /* name of the covariate in use, owned by the library; NULL: none */
};
int mpx_thread_get_info(struct mpx_thread_info *info);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
