/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx.h - MPX: multiplexing on PAPI for threaded programs, with event sets that
 * overlap and nest, and an error bar on every estimate.
 *
 * A machine counts a few events at once. MPX takes any number of them, lets groups of
 * them take turns on the counters, and estimates what each would have counted. Event
 * sets start in any order while others run, also where they share events. An event that
 * never has to share a counter is counted all the time, and is exact. (MPX:
 * J. M. May, MPX: Software for Multiplexing Hardware Performance Counters in
 * Multithreaded Programs, IPDPS 2001.)
 *
 * Conventions of this header
 *   Results  PAPI's error codes: PAPI_OK (0) or a negative PAPI_E*. A call that fails
 *            has changed nothing.
 *   Details  mpx_last_message() says in words why the calling thread's last failing
 *            call failed, and what to do about it.
 *   Options  Option and result structures begin with their size, set by the caller
 *            (MPX_OPTIONS_INIT does). Fields that an older program's options lack are
 *            taken as zero. Bytes that an older library does not know must be zero in
 *            options, or the call is refused with PAPI_EINVAL; in results they are zero.
 *   Context  All threads may call at once. An event set belongs to the thread that
 *            created it; another thread's call is refused with PAPI_EPERM. No call is
 *            for signal handlers. Every call but mpx_library_init, mpx_version and
 *            mpx_last_message may return PAPI_ENOINIT, and every call on a set
 *            PAPI_ENOEVST (there is no set of this number).
 *   Signals  A slice ends with a signal to its thread. Only threads with running sets
 *            whose events share counters get one. The handler is short and keeps errno. A
 *            slice that ends while the thread is in a call of PAPI or of this library
 *            ends after that call; one that ends while a handler of the program's stands
 *            on an alternate stack with less than 16 KiB left, after that handler. A process-wide event set
 * sends the same signal to all registered threads when it is started, read, reset and stopped. The signal
 *            ends sleeps and waits with EINTR that SA_RESTART does not restart (nanosleep,
 *            poll, select, sem_wait of some systems).
 *   Cancel   No thread is cancelled in the handler. The calls are points of cancellation,
 *            since they read descriptors. None of them is for PTHREAD_CANCEL_ASYNCHRONOUS.
 *   fork     A child has none of its parent's event sets; the parent's go on. The child
 *            may create its own, unless another thread was inside PAPI at the fork: PAPI's
 *            locks are then taken for good.
 *   exec     Stop all sets first, or call mpx_library_shutdown: a signal that comes
 *            while the new program starts would end it.
 */
#ifndef MPX_H
#define MPX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library is compiled with everything hidden but what is declared here. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Changes when a program built against an older header would go wrong. */
#define MPX_ABI_VERSION 1

/* Set every byte of an option or result structure to zero and its size. */
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

/* The value of a plain read for an event that no slice has counted since the start of its set: not
 * zero, since the count is not known. */
#define MPX_NEVER (-1LL)

/* ---- the library ------------------------------------------------------------------ */

/* The timer that ends time slices. */
enum mpx_timer {
	MPX_TIMER_AUTO = 0,   /* the first of these that the machine allows          */
	MPX_TIMER_TASK_CLOCK, /* a perf event of the thread's task clock: from 100 us */
	MPX_TIMER_THREAD,     /* a POSIX timer on the thread's CPU clock: some ms     */
	MPX_TIMER_VIRTUAL,    /* ITIMER_VIRTUAL, forwarded to all threads (MPX, 5.1)  */
};

/* In what the length of slices is measured. */
enum mpx_clock {
	MPX_CLOCK_AUTO = 0, /* the first of these that can be counted               */
	MPX_CLOCK_CYCLES,   /* PAPI_TOT_CYC beside the events of each slice (MPX, 4) */
	MPX_CLOCK_UNIT,     /* the cycle event of the upc component                 */
	MPX_CLOCK_CPU,      /* CPU time of the thread, ns                           */
	/* Cycles in user mode, where PAPI's domain is more than that. For events that count
	 * in user mode only: the program's time in the kernel then disturbs no estimate.
	 * AUTO never takes it. */
	MPX_CLOCK_USER,
};

/* How a count is estimated; doc/design/ESTIMATOR.md has the mathematics. */
enum mpx_estimator {
	MPX_ESTIMATOR_AUTO = 0,     /* interpolated, or where slices differ in length the ratio; by
				       the clock, or by the covariate where that tells more     */
	MPX_ESTIMATOR_RATIO,        /* C_e * T / S_e (MPX, 4)                              */
	MPX_ESTIMATOR_INTERPOLATED, /* between slices, by the rates of the slices around   */
	MPX_ESTIMATOR_COVARIATE,    /* as AUTO, always by the covariate                     */
};

#define MPX_NO_COVARIATE "none"

struct mpx_options {
	size_t size;
	uint64_t slice_ns; /* length of a time slice in CPU time, ns: 100,000 (100 us) to
			      10^10 (10 s); 0: 10 ms                             */
	enum mpx_timer timer;
	enum mpx_clock clock;
	enum mpx_estimator estimator;
	int signal_number;     /* 0: a free one                                        */
	const char *covariate; /* name of an event that is counted beside every group, from
				  which it takes a counter; MPX_NO_COVARIATE; NULL: PAPI_TOT_INS
				  where that takes none, since the processor has a counter for
				  it alone (and the estimator is AUTO), else no event  */
	unsigned group_max;    /* at most so many events in a slice; 0: what fits       */
	uint64_t seed;         /* of the order in which groups take turns; 0: any       */
};

/*
 * Prepares the library, and PAPI where the program has not done so (PAPI_library_init,
 * and PAPI_thread_init with the kernel's thread number). abi: MPX_ABI_VERSION. options:
 * NULL for defaults. Call it once; a second call is PAPI_EISRUN.
 * Errors: PAPI_EINVAL (option out of range, another ABI), PAPI_ENOSUPP (the machine does
 * not give the chosen timer or clock; the message says why), PAPI_ECNFLCT (the
 * signal or interval timer is in use), PAPI_ENOEVNT (covariate), PAPI_ENOMEM, PAPI_ESYS,
 * and PAPI's own.
 */
int mpx_library_init(int abi, const struct mpx_options *options);

/* Stops and destroys the calling thread's event sets and ends the library. Signal handler
 * and mask are then as before mpx_library_init. PAPI goes on. PAPI_EISRUN: another thread
 * is still registered; it must end, or call mpx_thread_end. */
int mpx_library_shutdown(void);

/* The settings in use. Strings are the library's, until shutdown. */
struct mpx_library_info {
	size_t size;
	uint64_t slice_ns;
	enum mpx_timer timer;
	enum mpx_estimator estimator; /* MPX_ESTIMATOR_AUTO: chosen for each estimate */
	int signal_number;
	unsigned threads; /* that are registered */
};
int mpx_library_get_info(struct mpx_library_info *info);

/* The library's release, such as "0.1.0". Context: any. */
const char *mpx_version(void);

/* Why the calling thread's last failing call failed: one line, with question marks in place
 * of control characters. Never NULL. */
const char *mpx_last_message(void);

/* ---- event sets ------------------------------------------------------------------- */

/* A new, empty event set of the calling thread. Errors: PAPI_EINVAL, PAPI_ENOMEM,
 * PAPI_ESYS (no descriptor or timer left). */
int mpx_set_create(int *set);

/*
 * A new, empty event set that counts in all registered threads. Its values are the sums
 * over them. Threads may come and end while it runs; one that ends leaves its counts. The
 * set belongs to the calling thread as any other set, and ends with it. All calls on sets
 * work on it.
 *
 * mpx_thread_register, or any other call of MPX, registers the calling thread. The thread
 * has a part in the set from its first call of MPX after the set got its events; a later
 * start of the set needs nothing of the thread. A thread that comes while the set runs is
 * counted from then on. MPX_PARTIAL says that a thread was not counted all the time.
 *
 * Each thread's signal handler does the start, stop, read, accum and reset of its part,
 * while the caller waits. A thread may not answer within a second: it blocks the signal, or
 * is inside PAPI all the time. Its last known counts then stand for it, and PAPI_ESYS says
 * so; values are given all the same, and the set is stopped or reset. After a start
 * MPX_PARTIAL alone says so. Such a thread follows when it answers next. If it missed the
 * stop, its counts since its last answer are lost.
 * Errors: as of mpx_set_create.
 */
int mpx_set_create_process(int *set);

/* Destroys a stopped event set, and sets *set to PAPI_NULL (-1). Events that no other set
 * has leave the master event list. Its number is refused from then on, and is not another
 * set's until hundreds of thousands have been created. PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN. */
int mpx_set_destroy(int *set);

/*
 * Adds an event by PAPI code (preset, native, user-defined) or by name. Events of
 * different components may be in one set. The counters need not hold all events of a set
 * together, only each of them alone.
 * Errors: PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOEVNT (no such event: the
 * message has the nearest names, while PAPI knows of no other thread), PAPI_ECNFLCT (it is in the set
 * already, or no counter can hold it), PAPI_ENOSUPP (to a process-wide set: the event counts for the
 * whole machine, a device, a CPU or the process, and each thread would count it again), PAPI_ENOMEM,
 * and what PAPI_add_event returns.
 */
int mpx_set_add_event(int set, int code);
int mpx_set_add_named_event(int set, const char *name);

/* Adds n events by PAPI code, all or none: where one is refused, those before it leave the set
 * again, and the message says which it is. Errors: of mpx_set_add_event, and PAPI_EINVAL (n is
 * negative, or codes is NULL and n is not 0). */
int mpx_set_add_events(int set, const int *codes, int n);

/* PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOEVNT (not in the set). */
int mpx_set_remove_event(int set, int code);
int mpx_set_remove_named_event(int set, const char *name);

/* Removes all events of a stopped set, and what was counted of them in its regions. An empty one
 * stays empty. PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN. */
int mpx_set_cleanup(int set);

/* How many events the set has, 0 or more. PAPI_ENOEVST, PAPI_EPERM. */
int mpx_set_num_events(int set);

/* Codes in the order of their adding, which is that of values. *n: room in codes (may be
 * 0, codes NULL); it becomes the number of events. PAPI_ENOEVST, PAPI_EPERM, PAPI_EINVAL. */
int mpx_set_list_events(int set, int *codes, int *n);

/*
 * Has a stopped set of the calling thread count in another thread, tid (gettid), of this or of
 * another process: what PAPI_attach is to a set of PAPI's. The set's events stay in it; what it has
 * counted until now is forgotten, but not by its regions. All calls on sets work on it, and by the
 * calling thread alone. An attached set may be attached elsewhere.
 *
 * T is time of the other thread, in the same clock as that of the calling thread, and slices are
 * pieces of the other thread's CPU time. Their ends are signals to the calling thread, whichever
 * timer was chosen; it is interrupted in what it does then. A slice ends late where the calling
 * thread is slow, or has the signal blocked: it is measured all the same, and MPX_LOST says so where
 * it was far too late. Sets that are attached to one thread share the counters of that thread among
 * them, and with none of the calling thread's own sets.
 *
 * The other thread does not wait while its groups change: some 20 to 60 us at each slice's end go by,
 * in part held up by the interrupts that it takes. Events that share counters are therefore never exact
 * there: estimates have half of that time, and intervals reach from none of it to all; MPX_UNEVEN where
 * it is most of the error. Longer slices make it less: 0.5 % of 10 ms.
 *
 * Counted is the one thread. Its children, and other threads of its process, are not: attach a set to
 * each (/proc/PID/task). An exec changes nothing, unless it gives the process other rights: then the
 * kernel ends the counting, as at the end of the thread. When it ends, its counts stay, and MPX_ENDED
 * says so; nothing is started or added any more, PAPI_ESYS. A thread that later gets the same number is
 * not counted. A thread of this process must not call PAPI_unregister_thread while a set is attached
 * to it.
 *
 * Events are those of PAPI's components perf_event and upc, and of others that can attach; none of
 * those that count for the whole machine, a device, a CPU or the process.
 * Errors: PAPI_EINVAL (there is no such thread; it is the calling one; a process-wide set), PAPI_EPERM
 * (another thread's set; or the kernel does not allow it: the message says what would), PAPI_EISRUN,
 * PAPI_ENOSUPP (an event's component does not attach, or PAPI's perf_event has no PMU to try that with;
 * the event is not one thread's; the kernel has no such clock), PAPI_ENOMEM, PAPI_ESYS, and as of
 * mpx_set_add_event.
 */
int mpx_set_attach(int set, int tid);

/* The set counts in the calling thread again. Its counts are forgotten, but not by its regions.
 * PAPI_EINVAL (it is not attached), PAPI_EPERM, PAPI_EISRUN, and as of mpx_set_add_event. */
int mpx_set_detach(int set);

/*
 * The domain in which the events of a stopped set are counted, those that are added later too: sums of
 * PAPI_DOM_USER, PAPI_DOM_KERNEL, ...; 0, as at first: what PAPI has as its default (PAPI_set_domain)
 * and what PAPI's components make of that. An event of another domain is another event: it has an entry
 * of its own in the master event list, also where the domain is PAPI's default in name, and is in no
 * group with events of other domains that take counters from it. The counts so far are forgotten, by
 * its regions too; ratios and relations stay. A clock and a covariate stay in PAPI's default domain.
 *
 * PAPI's components perf_event and upc count by domain, but for what upc reads from files and
 * clocks, which is the same in all domains. A name that has modes itself (:u=1:k=0, :k) keeps them.
 * Errors: PAPI_ENOEVST, PAPI_EPERM (another thread's set; or the kernel does not allow it),
 * PAPI_EISRUN, PAPI_EINVAL (no such domain), PAPI_EINVAL_DOM (the component has no such), PAPI_ENOSUPP
 * (an event's component knows no domains, or needs a PMU for them; the clock is an event that has no
 * name for its domain),
 * PAPI_ENOMEM, and as of mpx_set_add_event. Nothing has changed then.
 */
int mpx_set_domain(int set, int domain);

/*
 * An event of a stopped set, by its code, takes no turns (on) while the set runs: it is counted in
 * every group, all the time, and is exact. 0: it takes turns again, as at first. Each group has a
 * counter less for the others then, so there may be more groups, and the others are counted for a
 * smaller part of the time, in other sets too: all that run in the thread have the same groups.
 * Another set that has the event gets the counts of it as well. An event that takes no turns anyhow
 * stays as it is. It goes with the event, and with the set where it is attached (and exact no more:
 * mpx_set_attach) or gets another domain.
 * PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOSUPP (a process-wide set), PAPI_ENOEVNT (not in the
 * set), PAPI_ECNFLCT (an event of the set, which the message names, cannot be in a group with it, and
 * with others that are always counted), PAPI_ENOMEM, what PAPI_add_event returns. An event that is
 * added later is refused with PAPI_ECNFLCT for the same reason, and so is a start where events of
 * another set that runs cannot.
 */
int mpx_set_always(int set, int code, int on);

/*
 * A covariate of a stopped set, by name: an event that is counted beside every group while the set
 * runs, and by which its estimates go where that tells more than the clock (mpx_options.covariate is
 * one for all sets of all threads). NULL or MPX_NO_COVARIATE: none, as at first. It takes a counter from each
 * group of the thread, of other sets too; these go by the clock, unless they have asked for the same.
 * Sets with different ones do not run in a thread at the same time. The covariate is counted in PAPI's
 * default domain, and need not be in the set. The set's counts are forgotten, by its regions too.
 * PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOEVNT, PAPI_ENOSUPP (a process-wide set; an event that
 * is not each thread's own), PAPI_ECNFLCT (all sets have one already; an event of the set, which the
 * message names, cannot be in a group with it), PAPI_ENOMEM, and as of mpx_set_add_event. A start with
 * another one than that of a set that runs: PAPI_ECNFLCT.
 *
 * The clock is one for all sets of a thread, since all of them are counted in the same slices, which have one
 * length: there is none for a set alone.
 */
int mpx_set_covariate(int set, const char *name);

/* *state becomes PAPI_RUNNING or PAPI_STOPPED. */
int mpx_set_state(int set, int *state);

/* Begins counting from zero, beside whatever else runs. PAPI_ENOEVST, PAPI_EPERM,
 * PAPI_EISRUN, PAPI_EINVAL (empty), PAPI_ENOMEM, PAPI_ESYS, what PAPI_start returns;
 * PAPI_ECNFLCT: the program has taken the signal that ends slices; events of the sets that run do not
 * fit beside those that are always counted; or one of them has another covariate. */
int mpx_set_start(int set);

/*
 * Ends counting. values, one for each event, are those of mpx_set_read; may be NULL. Where
 * the last slice could not be read, the set is stopped and PAPI_ESYS says so.
 * PAPI_ENOEVST, PAPI_EPERM, PAPI_ENOTRUN, PAPI_ESYS.
 */
int mpx_set_stop(int set, long long *values);

/*
 * Estimates of the counts since the start, or the last reset, the running slice included:
 * whole numbers that do not decrease until the next start, reset, accum or switch of region. MPX_NEVER for an
 * event that has not been counted at all. A stopped set gives the values of its stop. PAPI_ENOEVST,
 * PAPI_EPERM, PAPI_EINVAL, PAPI_ESYS.
 */
int mpx_set_read(int set, long long *values);

/*
 * Adds the counts since the last start, reset or accum to values, and resets. The set must run. The sum
 * grows by as much as the estimate of the region (mpx_set_region): where the event had no turn, the
 * rate of the region's other stretches is taken, and the next calls correct its error. Sums over many
 * short stretches are therefore right, though a single step need not be. A value becomes MPX_NEVER as
 * long as nothing of the region is known, or where it leaves its range; when something is known, the
 * value from before comes back, with all that was added since. PAPI_ENOEVST, PAPI_EPERM, PAPI_EINVAL,
 * PAPI_ENOTRUN, PAPI_ESYS.
 */
int mpx_set_accum(int set, long long *values);

/* Counts are zero from now on, running or not. */
int mpx_set_reset(int set);

/* ---- how far an estimate can be trusted ---------------------------------------------- */

#define MPX_EXACT 0x1u     /* counted all the time: no estimate at all                        */
#define MPX_UNCOUNTED 0x2u /* never counted since the start: the numbers say nothing      */
#define MPX_ROUGH 0x4u     /* too few slices for an interval that can be trusted              */
#define MPX_LOST 0x8u     /* slices could not be started or read, or ended far too late; their time is in T */
#define MPX_PARTIAL 0x10u /* process-wide: some thread was not counted, or not all the time */
/* More than a tenth of the sum is of stretches in which the event had no turn (short threads, for
 * one), at the rate of those in which it had. The interval covers the error of that. */
#define MPX_BORROWED 0x20u
/* Slices are of very unequal lengths, and most of the error is what the long ones of other groups may
 * have had in them: MPX_CLOCK_USER or a covariate that goes with the event tells more, and longer slices do
 * where the program has many long calls of the kernel, or are longer than its only one. Or most of it is
 * what an attached thread did between its slices: longer slices. */
#define MPX_UNEVEN 0x40u
/* Counting took more than a hundredth of the time in the event's slices, or in all: a tracepoint in a
 * hot loop slows it while it counts. The interval is wider by the error that this may cause. A covariate
 * (mpx_options.covariate), longer slices or fewer events make it smaller. Only with the clock of CPU
 * time: cycles of user mode do not contain the counting. */
#define MPX_SLOWED 0x1000u
/* The thread that the set is attached to has ended (mpx_set_attach): counts are those until then. */
#define MPX_ENDED 0x800u

/* One event of a set, since its start. Counts are of the event, times in the clock's unit. */
struct mpx_estimate {
	size_t size;
	int code;              /* PAPI code                                          */
	unsigned flags;        /* MPX_EXACT, ...                                     */
	long long value;       /* what a plain read gives: N_e, whole, not decreasing */
	double estimate;       /* N_e itself; below value where an earlier one was above */
	double standard_error; /* of estimate; 0 when exact                          */
	double low, high;      /* 95 % interval of N_e (mpx_set_confidence), value in it;
				  low is not below C_e                         */
	double coverage;       /* S_e / T: 0 to 1                                    */
	uint64_t count;        /* C_e: events that were counted                      */
	uint64_t counted_time; /* S_e                                                */
	uint64_t time;         /* T                                                  */
	uint64_t slices;       /* that have ended since the start                    */
	unsigned threads;      /* whose counts are in it, ended ones too; 1 if not process-wide */
	unsigned missed;       /* registered threads whose counts are not            */
};

/* The first n events of the set, in their order; estimates[0].size is the size of each. The first
 * estimate that a tracepoint may have slowed measures the cost of a count (MPX_SLOWED), once a process: it
 * opens a tracepoint, which takes some ms, and makes up to 384 calls of getppid. Errors as of mpx_set_read.
 */
int mpx_set_estimates(int set, struct mpx_estimate *estimates, int n);

/*
 * The level of confidence of low and high in mpx_set_estimates and mpx_set_region_estimates of the set
 * from now on, running or not: 0.5 to 0.9999; 0.95 at first. It is the part of all intervals that is
 * meant to hold the true count. Nothing else depends on it; ratios and reconciled estimates stay at
 * 0.95. PAPI_ENOEVST, PAPI_EPERM, PAPI_EINVAL.
 */
int mpx_set_confidence(int set, double level);

/* ---- ratios, and what is known to hold between events --------------------------------- */

/* Further flags, of ratios and of reconciled estimates. */
#define MPX_UNBOUNDED 0x80u /* ratio: the denominator may be 0, and so high is INFINITY      */
#define MPX_CAREFUL                                                                             \
	0x100u /* ratio: how the errors go together is not known, and is taken as bad as can be \
		*/
#define MPX_RECONCILED 0x200u /* the event is in a relation that was applied, or moved along   */
#define MPX_CONTRADICTED \
	0x400u /* it is in one that the estimates contradict: nothing was moved for that one */

/* The ratio of two events of a set, since its start: instructions per cycle, misses per access. */
struct mpx_ratio {
	size_t size;
	int numerator, denominator; /* PAPI codes                                              */
	unsigned flags;             /* MPX_EXACT: both are. MPX_UNCOUNTED: one has had no turn yet;
				       MPX_ROUGH, MPX_LOST, MPX_UNEVEN, MPX_UNBOUNDED, MPX_CAREFUL;
				       MPX_SLOWED: counting slowed one, and they do not share all slices */
	double value;               /* NaN where it is not known, or the denominator's estimate is 0 */
	double standard_error;      /* of value; NaN where that is; 0 when exact                    */
	double low, high;           /* 95 % interval, from 0 to INFINITY; value in it               */
	double together;            /* part of the time in which both were counted at once; 1 when exact */
};

/*
 * Asks for the ratio of two events of a stopped set, by their codes. From its next start on the
 * set keeps what says how the errors of the two go together, which takes the handler a third event's
 * time where both are in one group. Counted in the same slices, they have most of their error in
 * common, and the ratio is known far better than either. Where they take turns the interval is
 * as wide as errors that go against each other make it. A ratio goes with either of its events.
 * Ratios go by the clock, also with a covariate (mpx_options).
 * PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN, PAPI_ENOSUPP (a process-wide set), PAPI_ENOEVNT (an event
 * is not in the set), PAPI_EINVAL (the same event twice), PAPI_ECNFLCT (it was asked for),
 * PAPI_ENOMEM. Removing: PAPI_ENOEVNT, there is no such ratio.
 */
int mpx_set_add_ratio(int set, int numerator, int denominator);
int mpx_set_remove_ratio(int set, int numerator, int denominator);

/* The first n ratios of the set, in the order in which they were asked for, of the running stretch
 * or the last one; ratios[0].size is the size of each. PAPI_EINVAL (n is more than there are), and
 * errors as of mpx_set_read. */
int mpx_set_ratios(int set, struct mpx_ratio *ratios, int n);

/*
 * Says of a stopped set that the sum of coefficient times count over n of its events, by codes, is
 * 0 (hits + misses - accesses: 1, 1, -1). n is 2 to 32; coefficients are finite and not 0. It goes
 * with any of its events. Errors as of mpx_set_add_ratio, and PAPI_EINVAL.
 */
int mpx_set_add_relation(int set, const int *codes, const double *coefficients, int n);
int mpx_set_clear_relations(int set);

/*
 * Estimates as of mpx_set_estimates, moved so that the set's relations hold: each as far as its
 * error goes, exact ones not at all, and none below what was counted. They are the better known for
 * it. value does not decrease here either, nor below what plain reads gave, and so need not fulfil
 * a relation to the last count; estimate does, as far as no bound is in its way. A relation that
 * the estimates are further from than one time of a thousand is not applied, and its events say
 * MPX_CONTRADICTED: it does not hold, or the interval is wrong. Neither is one with an
 * event that has had no turn. PAPI_ENOSUPP (a process-wide set), PAPI_ENOMEM, errors as of
 * mpx_set_estimates.
 */
int mpx_set_reconciled_estimates(int set, struct mpx_estimate *estimates, int n);

/* ---- regions ------------------------------------------------------------------------- */

/*
 * A region is a set and a number, such as that of a place in the program. The counts of a region are
 * kept over starts, stops, resets and accums. A stretch lasts from a start, reset or accum to the next
 * or to the stop; it may be shorter than a slice. The counts of any of the region's stretches speak for
 * those in which an event had no turn.
 *
 * The set counts for this region from its next start on; at first it is region 0. Values of reads and
 * mpx_set_estimates are of the running stretch, as without regions. Each region takes 784 bytes an
 * event. Events that are added later have counted nothing. PAPI_ENOEVST, PAPI_EPERM, PAPI_EISRUN,
 * PAPI_ENOMEM.
 */
int mpx_set_region(int set, int region);

/*
 * The running set counts for this region from now on. It costs one read of the counters and little more
 * (bench/mpx_cost), so that a program may go from region to region thousands of times in a slice. Plain
 * reads begin at zero. While no event takes turns the clock is not read: an estimate's time may then be
 * in that of a later region. PAPI_ENOEVST, PAPI_EPERM, PAPI_ENOTRUN, PAPI_ENOSUPP (process-wide sets),
 * PAPI_ENOMEM, PAPI's errors of reading: nothing has changed.
 */
int mpx_set_switch_region(int set, int region);

/*
 * Estimates of the counts in all stretches of a region, the running one included. time is that of
 * all stretches. MPX_BORROWED says that many of them had no turn for the event. Errors as of
 * mpx_set_estimates, and PAPI_EINVAL where the set has no such region.
 */
int mpx_set_region_estimates(int set, int region, struct mpx_estimate *estimates, int n);

/*
 * The same of another thread's set, and of those stretches only that have ended; MPX_PARTIAL says that
 * one runs. For the end of a program, whose threads wait somewhere with sets that run. The caller sees to
 * it that the set's thread is in no call of MPX meanwhile, and does not end. PAPI_ENOEVST, PAPI_ENOSUPP
 * (process-wide sets), PAPI_EINVAL. Context: any thread.
 */
int mpx_set_kept_estimates(int set, int region, struct mpx_estimate *estimates, int n);

/* The set's regions, ascending. *n: room in regions (may be 0, regions NULL); it becomes the
 * number of regions. PAPI_ENOEVST, PAPI_EPERM, PAPI_EINVAL. */
int mpx_set_list_regions(int set, int *regions, int *n);

/* ---- threads ------------------------------------------------------------------------- */

/*
 * Process-wide sets count the calling thread from now on. Any other call of MPX on sets or
 * threads has the same effect. A set whose events cannot be counted in this thread misses it
 * (struct mpx_estimate). A second call does nothing. Errors: as of mpx_set_create.
 */
int mpx_thread_register(void);

/*
 * Destroys the calling thread's event sets, running ones too, and all that the library
 * keeps for the thread. Process-wide sets keep what it has counted. The end of a thread does
 * the same, after the first round of the destructors of its thread-specific data; in later
 * rounds the library refuses new sets with PAPI_ESYS. Call it before
 * PAPI_unregister_thread, which takes the counters away.
 */
int mpx_thread_end(void);

/* One entry of the calling thread's master event list (MPX, 5.2). */
struct mpx_master_event {
	size_t size;
	int code;
	unsigned references;   /* event sets that have it                         */
	unsigned activations;  /* of them, those that run                         */
	uint64_t count;        /* C_e since it came into the list                 */
	uint64_t counted_time; /* S_e, likewise                                   */
	uint64_t slices;       /* ended, likewise                                 */
	int group;             /* that it takes turns in, from 0; -1: in none      */
	int current;           /* 1: on the counters now                          */
	int domain;            /* of mpx_set_domain; 0: PAPI's default            */
};

/* Fills up to n entries (list[0].size is the size of each; n may be 0) and returns how
 * many there are. PAPI_EINVAL. */
int mpx_thread_master_list(struct mpx_master_event *list, int n);

struct mpx_thread_info {
	size_t size;
	const char *clock;      /* "PAPI_TOT_CYC", "thread CPU time", ...; the library's   */
	const char *clock_unit; /* "cycles" or "ns"                                       */
	uint64_t time;          /* T: how long anything was counted in this thread         */
	uint64_t slices;        /* ended                                                  */
	uint64_t put_off;       /* slices that ended late: the thread was in PAPI, or on a
				   small alternate stack                           */
	uint64_t lost;          /* slices that could not be started or read, or far too long */
	unsigned groups;        /* that take turns now                                    */
	unsigned events;        /* in the master event list                               */
	unsigned running;       /* event sets                                             */
	size_t memory;          /* bytes that the library keeps for this thread, PAPI's not */
	const char *covariate;  /* mpx_options.covariate, or what serves; NULL: none; the library's */
};
int mpx_thread_get_info(struct mpx_thread_info *info);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
