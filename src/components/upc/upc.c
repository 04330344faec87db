/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc.c - the upc component of PAPI: the vector of functions that PAPI calls. Each function maps
 * PAPI's arguments to an event set on a unit of libupc (upc_set.h) and maps errors back to PAPI's.
 *
 * Terms: upc_set.h.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "papi.h"
#include "papi_internal.h"
#include "papi_vector.h"
#include "papi_memory.h"

#include "runtime/in_call.h"
#include "runtime/turns.h"
#include "ticker/timer.h"
#include "upc_caller.h"
#include "upc_fork.h"
#include "upc_late.h"
#include "upc_names.h"
#include "upc_open.h"
#include "upc_overflow.h"
#include "upc_presets.h"
#include "upc_qualifiers.h"
#include "upc_report.h"
#include "upc_set.h"
#include "upc_signal.h"

papi_vector_t _upc_vector;

static struct upcp_opened opened; /* valid once upcp_late_open succeeds */

/*
 * True if a signal handler of the program left an earlier call by longjmp. frame is the frame of
 * the current call.
 */
static int was_left(const void *frame)
{
	return mpxi_in_call_lost(frame) && !upcp_caller_in_handler();
}

/*
 * Return PAPI_EISRUN for a call that interrupts another call in the same thread. Reports a call
 * that was left by longjmp. frame is the frame of the new call.
 */
static int answer_busy_call(const void *frame)
{
	if (was_left(frame))
		upcp_report(
			UPCP_REPORT_REFUSED,
			"a signal handler has jumped out of a call of PAPI in this thread, which may have "
			"left its event sets half changed: they are refused from here on");
	return PAPI_EISRUN;
}

/* Return PAPI's error code for an error of libupc, and report libupc's message to the user. */
static int translate_error(int error)
{
	const char *message;

	if (!opened.lib) /* libupc could not be loaded when the set was created */
		return PAPI_ECMP_DISABLED;
	message = opened.lib->upc_last_message();
	if (error <= -MPXI_TOLD)
		return error + MPXI_TOLD;
	switch (error) {
	case UPC_OK:
		return PAPI_OK;
	case UPC_EINVAL:
		return PAPI_EINVAL;
	case UPC_ENOMEM:
		return PAPI_ENOMEM;
	case UPC_ENOEVENT:
		upcp_report(UPCP_REPORT_NAME, message);
		return PAPI_ENOEVNT;
	case UPC_ECONFLICT:
		upcp_report(UPCP_REPORT_CONFLICT, message);
		return PAPI_ECNFLCT;
	case UPC_EPERM:
		upcp_report(UPCP_REPORT_PERMISSION, message);
		return PAPI_EPERM;
	case UPC_ENOSUPP:
		upcp_report(UPCP_REPORT_REFUSED, message);
		return PAPI_ENOSUPP;
	case UPC_EMFILE:
		upcp_report(UPCP_REPORT_DESCRIPTORS, message);
		errno = EMFILE;
		return PAPI_ESYS;
	case UPC_ENOTASK:
		upcp_report(UPCP_REPORT_REFUSED, message);
		errno = ESRCH;
		return PAPI_ESYS;
	case UPC_ESTATE:
		return PAPI_EISRUN;
	case UPC_ELOST:
	case UPC_EPARTIAL:
		upcp_report(UPCP_REPORT_LOST, message);
		return PAPI_EMISC;
	case UPC_EPARITY:
		upcp_report(UPCP_REPORT_PARITY, message);
		return PAPI_ECLOST;
	default:
		return PAPI_ESYS;
	}
}

/* ---- event sets ------------------------------------------------------------ */

static unsigned int domain_of_papi(int papi)
{
	return (papi & PAPI_DOM_USER ? UPC_DOMAIN_USER : 0) |
	       (papi & PAPI_DOM_KERNEL ? UPC_DOMAIN_KERNEL : 0) |
	       (papi & PAPI_DOM_SUPERVISOR ? UPC_DOMAIN_HYPERVISOR : 0);
}

static int reach_of(int granularity, enum upcp_reach *reach)
{
	switch (granularity) {
	case PAPI_GRN_THR:
		*reach = UPCP_REACH_THREAD;
		return PAPI_OK;
	case PAPI_GRN_PROC:
		*reach = UPCP_REACH_PROCESS;
		return PAPI_OK;
	case PAPI_GRN_SYS:
		*reach = UPCP_REACH_MACHINE;
		return PAPI_OK;
	default:
		return PAPI_ENOSUPP;
	}
}

static int on_init_control_state(hwd_control_state_t *state)
{
	struct upcp_set *set = state;

	memset(set, 0, offsetof(struct upcp_set, codes));
	memset(set + 1, 0, sizeof(struct upcp_state) - sizeof(*set));
	set->target.cpu = UPCP_NO_CPU;
	/* PAPI cannot refuse a set here; the call that uses it returns the error. */
	(void)upcp_late_open(UPCP_LATE_OPEN);
	return reach_of(_upc_vector.cmp_info.default_granularity, &set->target.reach);
}

/*
 * Set the domain when PAPI creates a set; PAPI_set_opt changes the domain later, through ctl.
 * PAPI's default domain, PAPI_DOM_USER, becomes 0, "not chosen". libupc then counts hardware events
 * in user mode, as the default says. Events without privilege levels, such as page faults and
 * context switches, occur in the kernel and are counted in full.
 */
static int on_set_domain(hwd_control_state_t *state, int domain)
{
	struct upcp_set *set = state;

	if (!domain_of_papi(domain))
		return PAPI_EINVAL;
	set->target.domain = domain == PAPI_DOM_USER ? 0 : domain_of_papi(domain);
	return PAPI_OK;
}

/*
 * Make the set's events those of PAPI's list.
 *
 * When PAPI removes an event, it moves the last entry into the free place but does not move that
 * entry's ni_papi_code. PAPI then cannot find the code when it maps events to positions. The set
 * therefore stores PAPI's code of each position (tag), and this function writes position and code
 * back into PAPI's list.
 */
static int on_update_control_state(hwd_control_state_t *state, NativeInfo_t *native, int count,
				   hwd_context_t *context)
{
	const struct upcp_qualifiers *qualifiers = NULL, *others;
	struct upcp_set *set = state;
	struct upcp_entry *const entries = set->entries;
	int error;
	int i;

	(void)context;
	if (!native) { /* PAPI frees the control state next */
		mpxi_in_call_begin();
		upcp_set_clear(set);
		mpxi_in_call_end();
		upcp_overflow_forget(state);
		return PAPI_OK;
	}
	if (count < 0 || count > UPCP_EVENTS)
		return PAPI_ECNFLCT;
	if (mpxi_in_call_sig())
		return answer_busy_call(__builtin_frame_address(0));
	error = upcp_late_open(UPCP_LATE_OPEN);
	if (error)
		return error;
	for (i = 0; i < count; i++) {
		entries[i].position = native[i].ni_position;
		entries[i].tag = native[i].ni_papi_code;
		if (upcp_qualifiers_split((unsigned int)native[i].ni_event, &entries[i].code, &others))
			return PAPI_ENOEVNT;
		if (i && others != qualifiers)
			return upcp_names_refuse_mix((unsigned int)native[0].ni_event,
						     (unsigned int)native[i].ni_event);
		qualifiers = others;
	}
	mpxi_in_call_begin();
	error = upcp_set_update(set, entries, (unsigned int)count, qualifiers);
	mpxi_in_call_end();
	if (error)
		return translate_error(error);
	for (i = 0; i < count; i++) {
		native[i].ni_position = entries[i].position;
		native[i].ni_papi_code = entries[i].tag;
	}
	return PAPI_OK;
}

/*
 * Return the call of PAPI that is running, and the program's address that it returns to. If the
 * stack cannot be walked, a set of a replay can be neither read nor stopped correctly, so such a
 * set must not start.
 */
static enum upcp_call find_caller(uintptr_t *address)
{
	enum upcp_call call = upcp_caller_find(address);

	if (call == UPCP_CALL_UNKNOWN)
		upcp_report(UPCP_REPORT_STACK,
			    "PAPI's calls cannot be told apart on the stack: build PAPI, and "
			    "programs that link it statically, with -funwind-tables");
	return call;
}

static int on_start(hwd_context_t *context, hwd_control_state_t *control)
{
	struct upcp_state *state = control;
	uintptr_t address;
	int error;

	(void)context;
	if (mpxi_in_call_sig())
		return answer_busy_call(__builtin_frame_address(0));
	if (opened.replays && find_caller(&address) == UPCP_CALL_UNKNOWN)
		return PAPI_ENOSUPP;
	state->told_lost = 0;
	state->told_wrong = 0;
	mpxi_in_call_begin();
	error = upcp_set_start(&state->set);
	mpxi_in_call_end();
	if (error)
		return translate_error(error);
	upcp_report_started();
	return PAPI_OK;
}

static int on_stop(hwd_context_t *context, hwd_control_state_t *control)
{
	struct upcp_state *state = control;
	int error;

	(void)context;
	if (mpxi_in_call_sig())
		return answer_busy_call(__builtin_frame_address(0));
	mpxi_in_call_begin();
	error = upcp_set_stop(&state->set);
	mpxi_in_call_end();
	upcp_caller_stopped(state->reader);
	if (error)
		return translate_error(error);
	upcp_report_stopped();
	return PAPI_OK;
}

/*
 * Advance a replay if PAPI_read or PAPI_accum made this read. Other calls of PAPI that read
 * (PAPI_stop, overflow handlers) do not advance the replay.
 */
static int play_overflows(struct upcp_state *state)
{
	int error;

	switch (find_caller(&state->address)) {
	case UPCP_CALL_UNKNOWN:
		return PAPI_ENOSUPP;
	case UPCP_CALL_READ:
	case UPCP_CALL_ACCUM:
		mpxi_in_call_begin();
		error = upcp_set_play(&state->set);
		mpxi_in_call_end();
		return error ? translate_error(error) : PAPI_OK;
	default:
		return PAPI_OK;
	}
}

/*
 * Report an error of a read, and return the code for PAPI.
 *
 * PAPI_stop reads the set before it stops the set, and gives up if the read fails. A set that can
 * never be stopped is worse than an error that is reported only once. Therefore a lost source,
 * whose remaining values are still read, is reported once after each start or reset. A parity error,
 * or a counter that did not count all the time, is reported by every read until the counter is
 * written or reset. PAPI_stop reports these two errors only if no read has reported them.
 */
static int tell_read_error(struct upcp_state *state, int error)
{
	uintptr_t address;

	if (error != UPC_EPARITY && error != UPC_EPARTIAL) {
		if (state->told_lost)
			return PAPI_OK;
		state->told_lost = 1;
		return translate_error(error);
	}
	switch (upcp_caller_find(&address)) {
	case UPCP_CALL_SIGNAL: /* PAPI's own handler: it reports nothing */
		return error == UPC_EPARITY ? PAPI_ECLOST : PAPI_EMISC;
	case UPCP_CALL_STOP:
	case UPCP_CALL_UNKNOWN:
		if (state->told_wrong)
			return PAPI_OK;
		break;
	default:
		break;
	}
	state->told_wrong = 1;
	return translate_error(error);
}

/*
 * Report an event that was not counted in any time slice yet. Its value is -1, which PAPI_read can
 * return but PAPI_accum cannot add, so PAPI_accum fails. The set goes on counting.
 */
static int tell_never(const struct upcp_set *set)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	uintptr_t address;
	char line[400];

	if (opened.lib->upc_catalogue_info(set->catalogue, set->gaps.never - 1, &info))
		info.name = "an event";
	snprintf(line, sizeof(line),
		 "%s: has had no time slice yet, and reads as -1; count longer, with shorter "
		 "slices (PAPI_MULTIPLEX) or fewer events",
		 info.name);
	upcp_report(UPCP_REPORT_LOST, line);
	return upcp_caller_find(&address) == UPCP_CALL_ACCUM ? PAPI_EMISC : PAPI_OK;
}

/* Message about lost time slices. No call fails because of them: the estimates include their time. */
static const char slices_lost[] =
	"time slices of a multiplexed set were lost, or ended far too late, and its estimates are as good as "
	"the others are; has the program blocked or taken their signal, or closed a descriptor that is not "
	"its own?";

/*
 * Read a set in a signal handler that interrupted a call of libupc. If libupc itself has called the
 * user's handler (in a replay), return the current values, otherwise those of the last read.
 */
static void read_inside(struct upcp_state *state)
{
	if (!state->interrupting)
		return;
	state->interrupting = 0; /* another signal may interrupt upcp_set_peek */
	upcp_set_peek(&state->set);
	state->interrupting = 1;
}

/*
 * Stop the set, then read it. True on success. PAPI_stop reads a running set and then stops it, but
 * a running perf group costs twice as much to read as a stopped group, and would be read twice.
 */
static int finish_running_set(struct upcp_state *state)
{
	int error;

	mpxi_in_call_begin();
	error = upcp_set_finish(&state->set);
	mpxi_in_call_end();
	return !error;
}

static int on_read(hwd_context_t *context, hwd_control_state_t *control, long long **values, int flags)
{
	const uintptr_t reader = upcp_caller_of_reader(__builtin_return_address(0), __builtin_dwarf_cfa());
	struct upcp_state *state = control;
	int error;

	(void)context;
	(void)flags;
	if (!state) { /* called by rehearse_component_read() */
		upcp_caller_rehearse(__builtin_return_address(0), __builtin_dwarf_cfa());
		return PAPI_ECMP;
	}
	*values = (long long *)state->set.values;
	if (mpxi_in_call_sig()) {
		if (was_left(__builtin_frame_address(0)))
			return answer_busy_call(__builtin_frame_address(0));
		read_inside(state);
		return PAPI_OK;
	}
	if (opened.replays && upcp_set_playable(&state->set)) {
		error = play_overflows(state);
		if (error)
			return error;
	}
	state->reader = reader;
	if (upcp_caller_is_stop(reader) && !opened.replays && finish_running_set(state))
		return PAPI_OK;
	mpxi_in_call_begin();
	error = upcp_set_read(&state->set);
	mpxi_in_call_end();
	state->address = 0;
	if (error <= -MPXI_TOLD) /* the set belongs to another thread: nothing was read */
		return translate_error(error);
	if (state->set.gaps.lost)
		upcp_report(UPCP_REPORT_LOST, slices_lost);
	if (!error && state->set.gaps.never)
		return tell_never(&state->set);
	return error ? tell_read_error(state, error) : PAPI_OK;
}

static int on_reset(hwd_context_t *context, hwd_control_state_t *control)
{
	struct upcp_state *state = control;
	int error;

	(void)context;
	if (mpxi_in_call_sig())
		return answer_busy_call(__builtin_frame_address(0));
	mpxi_in_call_begin();
	error = upcp_set_reset(&state->set);
	mpxi_in_call_end();
	if (error)
		return translate_error(error);
	state->told_lost = 0;
	state->told_wrong = 0; /* mended; the next one is news */
	return PAPI_OK;
}

static int on_write(hwd_context_t *context, hwd_control_state_t *control, long long *values)
{
	struct upcp_state *state = control;
	int error;

	(void)context;
	if (mpxi_in_call_sig())
		return answer_busy_call(__builtin_frame_address(0));
	mpxi_in_call_begin();
	error = upcp_set_write(&state->set, (const uint64_t *)values);
	mpxi_in_call_end();
	if (error)
		return translate_error(error);
	state->told_wrong = 0; /* the write has cleared the error; the next one is reported */
	return PAPI_OK;
}

static int on_set_overflow(EventSetInfo_t *owner, int index, int threshold)
{
	int papi;
	int error;

	/*
	 * PAPI's tables contain both arguments. After an event was removed, only the tables' index
	 * is right.
	 */
	(void)index;
	(void)threshold;
	if (mpxi_in_call_sig())
		return answer_busy_call(__builtin_frame_address(0));
	mpxi_in_call_begin();
	error = upcp_overflow_set(owner, &papi);
	mpxi_in_call_end();
	if (papi != PAPI_OK)
		return papi;
	if (error == UPC_EINVAL) /* the event does not support this threshold */
		upcp_report(UPCP_REPORT_REFUSED, opened.lib->upc_last_message());
	return error ? translate_error(error) : PAPI_OK;
}

/*
 * Set the time slice of a multiplexed set, in ns. PAPI calls this function only for a set that is
 * stopped and not yet multiplexed.
 */
static int multiplex_option_set(_papi_int_option_t *option)
{
	struct upcp_set *set = option->multiplex.ESI->ctl_state;
	uint64_t ns = option->multiplex.ns ? option->multiplex.ns : MPXI_SLICE_DEFAULT;
	int error;

	if (ns < MPXI_SLICE_MIN || ns > MPXI_SLICE_MAX) {
		upcp_report(UPCP_REPORT_REFUSED, "PAPI_MULTIPLEX: a time slice is from 100000 ns "
						 "(100 us) to 10 s; 0 is 10 ms");
		return PAPI_EINVAL;
	}
	if (mpxi_in_call_sig())
		return answer_busy_call(__builtin_frame_address(0));
	error = upcp_late_open(UPCP_LATE_OPEN);
	if (error)
		return error;
	mpxi_in_call_begin();
	error = upcp_set_multiplex(set, ns);
	mpxi_in_call_end();
	if (error)
		return translate_error(error);
	option->multiplex.ns = (unsigned long)ns;
	return PAPI_OK;
}

/*
 * Return PAPI_OK if PAPI's software overflow can use the timer, that is, if the requested signal is
 * the one that setitimer sends for this timer. PAPI calls this function of component 0, which is this
 * component in a build with presets.
 */
static int fit_timer(const PAPI_itimer_option_t *timer)
{
	switch (timer->itimer_num) {
	case ITIMER_REAL:
		return timer->itimer_sig == SIGALRM ? PAPI_OK : PAPI_EINVAL;
	case ITIMER_VIRTUAL:
		return timer->itimer_sig == SIGVTALRM ? PAPI_OK : PAPI_EINVAL;
	case ITIMER_PROF:
		return timer->itimer_sig == SIGPROF ? PAPI_OK : PAPI_EINVAL;
	default:
		return PAPI_EINVAL;
	}
}

static int on_ctl(hwd_context_t *context, int code, _papi_int_option_t *option)
{
	struct upcp_target target;
	struct upcp_set *set;
	int error, takes = 0;

	(void)context;
	switch (code) {
	case PAPI_ATTACH:
	case PAPI_DETACH:
		set = option->attach.ESI->ctl_state;
		target = set->target;
		target.attached = code == PAPI_ATTACH ? (pid_t)option->attach.tid : 0;
		if (target.attached < 0 ||
		    (code == PAPI_ATTACH && (unsigned long)target.attached != option->attach.tid))
			return PAPI_EINVAL;
		/*
		 * Thread id 0 is the calling thread, as for the kernel. The set becomes the calling
		 * thread's own set, but counts as attached, so that PAPI lets it run next to other
		 * sets.
		 */
		takes = code == PAPI_ATTACH && !target.attached;
		break;
	case PAPI_CPU_ATTACH:
		set = option->cpu.ESI->ctl_state;
		target = set->target;
		target.cpu = (int)option->cpu.cpu_num;
		if (target.cpu < 0)
			return PAPI_EINVAL;
		break;
	case PAPI_INHERIT:
		set = option->inherit.ESI->ctl_state;
		target = set->target;
		target.inherit = option->inherit.inherit != 0;
		break;
	case PAPI_DOMAIN:
		set = option->domain.ESI->ctl_state;
		target = set->target;
		target.domain = domain_of_papi(option->domain.domain);
		if (!target.domain)
			return PAPI_EINVAL_DOM;
		break;
	case PAPI_GRANUL:
		set = option->granularity.ESI->ctl_state;
		target = set->target;
		error = reach_of(option->granularity.granularity, &target.reach);
		if (error)
			return error;
		break;
	case PAPI_MULTIPLEX:
		return multiplex_option_set(option);
	case PAPI_DEF_ITIMER:
		return fit_timer(&option->itimer);
	case PAPI_DEF_ITIMER_NS:
		return PAPI_OK;
	case PAPI_DEF_MPX_NS:
		return option->multiplex.ns >= MPXI_SLICE_MIN && option->multiplex.ns <= MPXI_SLICE_MAX
			       ? PAPI_OK
			       : PAPI_EINVAL;
	default:
		return PAPI_ENOSUPP;
	}
	if (mpxi_in_call_sig())
		return answer_busy_call(__builtin_frame_address(0));
	error = upcp_late_open(UPCP_LATE_OPEN);
	if (error)
		return error;
	mpxi_in_call_begin();
	error = takes ? upcp_set_take(set, &target) : upcp_set_aim(set, &target);
	mpxi_in_call_end();
	return error ? translate_error(error) : PAPI_OK;
}

/* ---- names ------------------------------------------------------------------- */

/*
 * Protects PAPI's table of native event names while this component adds a name. PAPI looks a name
 * up without a lock, adds a missing name under a lock, and moves the table to grow it. Two threads
 * that did so at once gave one event two codes, and a set with one of the codes does not recognise
 * the other. PAPI's INTERNAL_LOCK is taken while this lock is held. No signal handler takes this
 * lock. It is held across a fork, so that a child finds both locks free.
 */
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_names(void)
{
	pthread_mutex_lock(&names_lock);
}

static void unlock_names(void)
{
	pthread_mutex_unlock(&names_lock);
}

/*
 * Held by the thread that closes the component. It is not held across a fork, because the thread that
 * closes the component takes other locks, which are held across a fork.
 */
static pthread_mutex_t closing = PTHREAD_MUTEX_INITIALIZER;

static void settle_in_child(void)
{
	unlock_names();
	pthread_mutex_init(&closing, NULL);
	upcp_report_forked();
}

static int open_names(void)
{
	static struct upcp_fork fork = {lock_names, unlock_names, settle_in_child, 0};

	return upcp_fork_register(&fork);
}

/*
 * True while PAPI_library_init builds its presets. It then asks every component for the names of a
 * PMU's events.
 */
static int is_for_preset(void)
{
	return PAPI_is_initialized() == PAPI_NOT_INITED;
}

/*
 * Find an event by name. Like perf_event, this function creates PAPI's own code of the event and
 * passes it to PAPI through _papi_hwi_set_papi_event_code.
 */
static int on_name_to_code(const char *name, unsigned int *native)
{
	int error, code;

	if (upcp_late_state() == UPCP_LATE_DELAYED && is_for_preset())
		return PAPI_ENOEVNT;
	error = upcp_late_open(UPCP_LATE_OPEN);
	if (error == PAPI_OK)
		error = upcp_name_to_code(name, native);
	if (error != PAPI_OK)
		return error == PAPI_ECMP_DISABLED ? PAPI_ENOEVNT : error;
	lock_names();
	code = _papi_hwi_native_to_eventcode(_upc_vector.cmp_info.CmpIdx, (int)*native, -1, name);
	unlock_names();
	if (code < 0)
		return code;
	_papi_hwi_set_papi_event_code((unsigned int)code, 1);
	return PAPI_OK;
}

/* The modes of one event need only that event's name. A list of events needs all names. */
static int on_enum_events(unsigned int *native, int modifier)
{
	int all = modifier == PAPI_ENUM_FIRST || modifier == PAPI_ENUM_EVENTS;
	int error = upcp_late_open(all ? UPCP_LATE_DESCRIBED : UPCP_LATE_OPEN);

	return error ? error : upcp_enum_events(native, modifier);
}

static int on_code_to_name(unsigned int native, char *name, int size)
{
	int error = upcp_late_open(UPCP_LATE_OPEN);

	return error ? error : upcp_code_to_name(native, name, size);
}

static int on_code_to_descr(unsigned int native, char *text, int size)
{
	int error = upcp_late_open(UPCP_LATE_OPEN);

	return error ? error : upcp_code_to_descr(native, text, size);
}

static int on_code_to_info(unsigned int native, PAPI_event_info_t *info)
{
	int error = upcp_late_open(UPCP_LATE_OPEN);

	return error ? error : upcp_code_to_info(native, info);
}

/* ---- the component --------------------------------------------------------- */

/* Have PAPI's internal read function call on_read, in the same way as PAPI_stop will. */
static void rehearse_component_read(int index)
{
	EventSetInfo_t nothing;

	memset(&nothing, 0, sizeof(nothing));
	nothing.CmpIdx = index;
	(void)_papi_hwi_read(NULL, &nothing, NULL);
}

static void settle_component(void)
{
	const PAPI_component_info_t *cmp = &_upc_vector.cmp_info;

	upcp_overflow_open(cmp->CmpIdx, opened.replays, opened.simulates);
}

static int on_init_component(int index)
{
	PAPI_component_info_t *cmp = &_upc_vector.cmp_info;

	cmp->CmpIdx = index;
	upcp_report_open();
	upcp_open_later(cmp);
	if (open_names() || upcp_signal_prepare() || upcp_sets_prepare()) {
		snprintf(cmp->disabled_reason, sizeof(cmp->disabled_reason), "Out of memory.");
		return cmp->disabled = PAPI_ENOMEM;
	}
	upcp_caller_open();
	rehearse_component_read(index);
	upcp_signal_open();
	cmp->hardware_intr_sig = upcp_signal_number();
	cmp->disabled = upcp_late_prepare(cmp, &opened, settle_component);
	if (cmp->disabled == PAPI_OK && opened.simulates)
		upcp_presets_load(index); /* looks up names, which needs an open component */
	return cmp->disabled;
}

/*
 * Close the component. PAPI allows several threads to call PAPI_shutdown at once; one of them
 * closes the component and the others wait.
 */
static int on_shutdown_component(void)
{
	struct upc_catalogue *catalogue;

	pthread_mutex_lock(&closing);
	catalogue = upcp_late_close();
	if (catalogue) {
		upcp_overflow_close();
		/* Sets of threads that never called PAPI again still have units. */
		if (upcp_sets_close())
			opened.lib->upc_catalogue_close(catalogue);
		_upc_vector.cmp_info.initialized = 0;
	}
	pthread_mutex_unlock(&closing);
	return PAPI_OK;
}

static int on_init_thread(hwd_context_t *context)
{
	(void)context;
	upcp_overflow_enter_thread();
	return PAPI_OK;
}

/*
 * Close overflow handling if PAPI_shutdown is under way. PAPI_shutdown frees the table of sets
 * first, then each thread, and calls the component's shutdown last.
 */
static int on_shutdown_thread(hwd_context_t *context)
{
	(void)context;
	if (!_papi_hwi_system_info.global_eventset_map.dataSlotArray)
		upcp_overflow_close();
	return PAPI_OK;
}

papi_vector_t _upc_vector = {
	.cmp_info =
		{
			.name = "upc",
			.short_name = "upc",
			.description = "This machine's events, 256 counted at once",
			.version = "0.1.0",
			.support_version = "n/a",
			.kernel_version = "n/a",
			/*
			 * PAPI's core sizes its arrays and limits the events of a set by
			 * num_mpx_cntrs. The unit itself refuses the 257th counter, with a
			 * conflict.
			 */
			.num_cntrs = UPC_COUNTERS,
			.num_mpx_cntrs = UPCP_EVENTS,
			.default_domain = PAPI_DOM_USER,
			.available_domains = PAPI_DOM_USER, /* set by upcp_open_later */
			.default_granularity = PAPI_GRN_THR,
			.available_granularities = PAPI_GRN_THR | PAPI_GRN_PROC | PAPI_GRN_SYS,
			.hardware_intr_sig = PAPI_INT_SIGNAL, /* set by on_init_component */
			.hardware_intr = 1,
			.fast_virtual_timer = 1,
			.fast_real_timer = 1,
			.attach = 1,
			.cpu = 1,
			.kernel_multiplex = 1, /* the component multiplexes by itself */
			.inherit = 1,
			.cntr_umasks = 1,
		},
	.size =
		{
			/* PAPI's core allocates these structures; no size may be 0. */
			.context = sizeof(int),
			.control_state = sizeof(struct upcp_state),
			.reg_value = sizeof(int),
			.reg_alloc = sizeof(int),
		},
	.init_component = on_init_component,
	.shutdown_component = on_shutdown_component,
	.init_thread = on_init_thread,
	.shutdown_thread = on_shutdown_thread,
	.init_control_state = on_init_control_state,
	.set_domain = on_set_domain,
	.update_control_state = on_update_control_state,
	.ctl = on_ctl,
	.start = on_start,
	.stop = on_stop,
	.read = on_read,
	.reset = on_reset,
	.write = on_write,
	.set_overflow = on_set_overflow,
	.dispatch_timer = upcp_overflow_on_signal,
	.ntv_enum_events = on_enum_events,
	.ntv_name_to_code = on_name_to_code,
	.ntv_code_to_name = on_code_to_name,
	.ntv_code_to_descr = on_code_to_descr,
	.ntv_code_to_info = on_code_to_info,
};
