/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin.c - the functions that QEMU calls: at the start and the end of the program and of its threads, at
 * system calls and at fork. The plugin's arguments are results=PATH, after=INDEX (of the record that this
 * process continues), count=on|off and program=PATH.
 *
 * Terms: plugin/context.h.
 */
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plugin/become.h"
#include "plugin/context.h"
#include "node/doorbell.h"
#include "count/guest_memory.h"
#include "plugin/inline.h"
#include "count/left.h"
#include "load/places.h"
#include "plugin/qemu_plugin.h"
#include "plugin/ring.h"
#include "count/thread.h"
#include "plugin/translate.h"
#include "plugin/waiting.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static bool forked;         /* a forked child, not the program that upc_run started */
static UPCS_TLS bool left;  /* the guest's own exec is in progress in this thread */
static bool looked;         /* upcs_waiting_is_active has been called */
static UPCS_TLS bool makes; /* the thread's system call makes a thread */

static bool children_count(void)
{
	return upcs_run.results->options.children == UPCS_CHILDREN_COUNT;
}

/* Note a new vCPU. With interface 1, the thread that makes the vCPU calls this function, before the vCPU
 * runs. With later interfaces, the vCPU's own thread calls it before its first block. */
static void vcpu_made(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
#if UPCS_QEMU_INTERFACE == 1
	if (vcpu)
		upcs_process_has_threads();
#else
	upcs_thread_begin(vcpu);
#endif
	/* The first thread that a program makes may be of an OpenMP team. */
	if (vcpu == 1 && !looked && upcs_run.process) {
		upcs_run.process->spins = upcs_waiting_is_active();
		looked = true;
	}
}

static void vcpu_ends(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	(void)vcpu;
	upcs_context_thread_ends();
	upcs_thread_end();
}

static void program_ends(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	upcs_process_end();
}

/* ---- code ---------------------------------------------------------------------------- */

static void register_all(qemu_plugin_id_t id);

/*
 * Discarding translated code: QEMU does this when no vCPU runs. A thread that finds another thread discarding
 * code waits, because it must not execute old code.
 */
static pthread_mutex_t code_lock = PTHREAD_MUTEX_INITIALIZER; /* inside QEMU's locks; nothing inside it */
static pthread_cond_t code_is_new = PTHREAD_COND_INITIALIZER;
static bool throwing;
static pthread_t thrower; /* the thread whose request discards the code, after it has left its callback */

static void thrown_away(qemu_plugin_id_t id)
{
	register_all(id);
	pthread_mutex_lock(&code_lock);
	__atomic_store_n(&throwing, false, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&code_is_new);
	pthread_mutex_unlock(&code_lock);
}

/* Take the task of discarding old code. Return false if another thread has taken it. */
static bool take_old_code(void)
{
	bool taken;

	pthread_mutex_lock(&code_lock);
	if (upcs_process_is_old())
		__atomic_store_n(&throwing, true, __ATOMIC_RELAXED);
	taken = upcs_process_has_old_code();
	if (taken)
		thrower = pthread_self();
	pthread_mutex_unlock(&code_lock);
	return taken;
}

static void throw_away_old_code(qemu_plugin_id_t id)
{
	struct timespec end;
	int error = 0;

	if (upcs_process_is_old() && take_old_code()) {
		qemu_plugin_reset(id, thrown_away);
		return;
	}
	if (!__atomic_load_n(&throwing, __ATOMIC_ACQUIRE))
		return;
	/* Limited to a second, since the thread that discards the code may have ended. */
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	pthread_mutex_lock(&code_lock);
	while (throwing && !pthread_equal(thrower, pthread_self()) && !error)
		error = pthread_cond_timedwait(&code_is_new, &code_lock, &end);
	pthread_mutex_unlock(&code_lock);
}

/* ---- faults -------------------------------------------------------------------------- */

/*
 * Note a new signal handler. From the first handler of a fault on, a program may leave a block in the middle
 * and continue, so blocks are translated exactly. Without such a handler a fault ends the program, and at
 * most the rest of one block is counted too much. Handlers 0 and 1 are SIG_DFL and SIG_IGN.
 */
static void guest_handles(qemu_plugin_id_t id, uint64_t signal, uint64_t handler)
{
	if (handler < 2)
		return;
	if (upcs_options_follow(&upcs_run.results->options))
		upcs_process_handles(handler);
	/* ILL, TRAP, BUS, FPE and SEGV have these numbers in all guests. */
	if (signal != 4 && signal != 5 && signal != 7 && signal != 8 && signal != 11)
		return;
	if (upcs_translate_is_exact())
		return;
	upcs_translate_set_exact();
	if (upcs_run.process)
		__atomic_store_n(&upcs_run.process->faults, 1, __ATOMIC_RELAXED);
	/* While this request is pending, QEMU drops other requests to discard code. A dropped request may be
	 * for old code, which the pending request discards as well. */
	qemu_plugin_reset(id, thrown_away);
}

/* ---- system calls -------------------------------------------------------------------- */

/* Execute a program. If the function returns, the guest's own system call follows, and all work before it has
 * been counted. */
static void guest_executes(int directory, uint64_t path, uint64_t argv, uint64_t envp, uint64_t flags)
{
	upcs_become(directory, path, argv, envp, flags, upcs_run.process && (!forked || children_count()));
	upcs_process_leave();
	left = true;
}

/* ---- threads ------------------------------------------------------------------------- */

#define GUEST_MAP_TYPE 15u
#define GUEST_MAP_PRIVATE 2u
#define GUEST_MAP_STACK 0x20000u
#define GUEST_CLONE_VM 0x100u
#define GUEST_CLONE_VFORK 0x4000u

/* Note a mapping of memory. The flags have the same values in all guests. */
static void guest_maps(uint64_t flags)
{
	if ((flags & GUEST_MAP_TYPE) != GUEST_MAP_PRIVATE)
		upcs_process_shares();
	else if (flags & GUEST_MAP_STACK)
		upcs_process_expects_thread();
}

/*
 * Load the unwinder before there are threads. A thread of the emulator ends with pthread_exit, and the C
 * library loads the unwinder when the first thread does so. A child that another thread forks meanwhile finds
 * the unwinder half loaded, and dies when one of its own threads ends ("Inconsistency detected by ld.so").
 * backtrace() loads the same library.
 */
static void load_unwinder(void)
{
	static bool loaded;
	void *frame;

	if (!loaded)
		(void)backtrace(&frame, 1);
	loaded = true;
}

/* Note a clone that makes a thread. QEMU implements vfork as fork. */
static void guest_clones(qemu_plugin_id_t id, uint64_t flags)
{
	if (!(flags & GUEST_CLONE_VM) || flags & GUEST_CLONE_VFORK)
		return;
	load_unwinder();
	makes = true;
	upcs_thread_coming();
	upcs_process_expects_thread();
	throw_away_old_code(id);
}

/*
 * End a forked child that has one thread, without QEMU's cleanup. QEMU would remove our callbacks from all
 * vCPUs, including those of the parent's other threads, under locks that these threads may have held at the
 * fork, and would wait for ever. A child does not need QEMU's other cleanup.
 */
static void end_alone(uint64_t status)
{
	if (!upcs_process_is_alone())
		return;
	upcs_process_end();
	syscall(SYS_exit_group, (int)status);
}

static void call_begins(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
			uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	enum upcs_call call = upcs_guest_call(upcs_run.guest, number);
	uint64_t handler;

#if UPCS_QEMU_INTERFACE > 1
	/* QEMU does not report a thread that begins while callbacks are being registered again. */
	upcs_thread_begin(vcpu);
#else
	(void)vcpu;
#endif
	upcs_thread_calls(call == UPCS_CALL_KILL);
	if (number == UPCI_DOORBELL_CALL) {
		upcs_ring(a1, a2, a3, a4, a5);
		return;
	}
	(void)a6;
	(void)a7;
	(void)a8;
	switch (call) {
	case UPCS_CALL_EXECVE:
		guest_executes(AT_FDCWD, a1, a2, a3, 0);
		break;
	case UPCS_CALL_EXECVEAT:
		guest_executes((int)a1, a2, a3, a4, a5);
		break;
	case UPCS_CALL_ACTION:
		if (a2 && upcs_guest_pointer(upcs_run.guest, a2, &handler) == 0)
			guest_handles(id, a1, handler);
		break;
	case UPCS_CALL_SIGNAL:
		guest_handles(id, a1, a2);
		break;
	case UPCS_CALL_MMAP:
		guest_maps(a4);
		break;
	case UPCS_CALL_SHARE:
		upcs_process_shares();
		break;
	case UPCS_CALL_CLONE:
		guest_clones(id, a1);
		break;
	case UPCS_CALL_EXIT:
		upcs_thread_exit();
		end_alone(a1);
		break;
	case UPCS_CALL_END:
		upcs_process_makes_no_more();
		end_alone(a1);
		break;
	case UPCS_CALL_FUTEX:
		upcs_thread_futex(a1, a2, a3);
		break;
	case UPCS_CALL_MAP:
	case UPCS_CALL_KILL:
	case UPCS_CALL_OTHER:
		break;
	}
}

static void call_ends(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result)
{
	(void)vcpu;
	upcs_thread_called();
	/* In a forked child, this is called before any of the child's code. It may also be needed after other
	 * calls, such as a doorbell. */
	throw_away_old_code(id);
	if (makes)
		upcs_thread_came(result);
	makes = false;
	switch (upcs_guest_call(upcs_run.guest, number)) {
	case UPCS_CALL_EXECVE:
	case UPCS_CALL_EXECVEAT:
		if (left)
			upcs_process_stay();
		left = false;
		break;
	case UPCS_CALL_MAP:
	case UPCS_CALL_MMAP:
	case UPCS_CALL_SHARE:
		/* Called after the system call, since the old mappings could still be seen before. */
		upcs_places_changed();
		break;
	default:
		break;
	}
}

/* ---- fork ---------------------------------------------------------------------------- */

static void fork_child(void)
{
	forked = true;
	looked = false;
	upcs_process_forked(upcs_run.process && children_count());
	upcs_context_forked();
	pthread_mutex_init(&code_lock, NULL);
	pthread_cond_init(&code_is_new, NULL);
	throwing = false;
	if (upcs_run.process)
		upcs_run.process->faults = upcs_translate_is_exact();
}

/* ---- the beginning ------------------------------------------------------------------- */

static void register_all(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_init_cb(id, vcpu_made);
	qemu_plugin_register_vcpu_exit_cb(id, vcpu_ends);
	qemu_plugin_register_vcpu_tb_trans_cb(id, upcs_translate);
	qemu_plugin_register_vcpu_syscall_cb(id, call_begins);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, call_ends);
	qemu_plugin_register_atexit_cb(id, program_ends, NULL);
}

static int refuse_start(const char *what, const char *which)
{
	fprintf(stderr, "upc_sim: %s%s\n", what, which);
	return 1;
}

static int refuse_guest_target(const char *target)
{
	char list[UPCS_GUEST_LIST];

	upcs_guest_list(list, true, " and ");
	fprintf(stderr, "upc_sim: programs for %s can be counted, not for %s\n", list, target);
	return 1;
}

static void name_program(const char *path)
{
	if (!realpath(path, upcs_run.program))
		snprintf(upcs_run.program, sizeof(upcs_run.program), "%s", path);
}

/* Complete the record that this process continues. */
static void settle_left_counts(int64_t after)
{
	char path[UPCS_COUNTS_PATH_MAX];
	struct upcs_process *process;
	struct upcs_left *there;

	if (after < 0 || after >= UPCS_PROCESSES_MAX)
		return;
	process = &upcs_run.results->process[after];
	process->left = 0;
	upcs_counts_path(path, upcs_run.path, (uint32_t)after);
	there = upcs_left_read(path);
	if (there) {
		upcs_left_settle(there, upcs_run.results, (uint32_t)after);
		upcs_left_free(there);
		/* upc_run adds up the counts of each function, and removes the file. */
		if (!upcs_run.results->options.functions)
			unlink(path);
	}
	upcs_run.continues = true;
	__atomic_store_n(&process->settled, 1, __ATOMIC_RELEASE);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	int64_t after = -1;
	bool counted = true;
	int i;

	for (i = 0; i < argc; i++) {
		if (strncmp(argv[i], "results=", 8) == 0 && strlen(argv[i] + 8) < sizeof(upcs_run.path))
			strcpy(upcs_run.path, argv[i] + 8);
		else if (strncmp(argv[i], "after=", 6) == 0)
			after = strtoll(argv[i] + 6, NULL, 10);
		else if (strncmp(argv[i], "program=", 8) == 0)
			name_program(argv[i] + 8);
		else if (strcmp(argv[i], "count=off") == 0)
			counted = false;
		else if (strcmp(argv[i], "count=on") != 0)
			return refuse_start("not an argument of this plugin, which upc_run starts: ",
					    argv[i]);
	}
	upcs_run.guest = upcs_guest_of_target(info->target_name);
	if (info->system_emulation || upcs_run.guest == UPCS_GUESTS)
		return refuse_guest_target(info->target_name);
	upcs_run.results = upcs_results_open(upcs_run.path);
	if (!upcs_run.results && after >= 0)
		return 0; /* the new program runs as a user who may not open the file: it is not counted */
	if (!upcs_run.results)
		return refuse_start("not the results of an upc_run of this release: ", upcs_run.path);
	settle_left_counts(after);
	upcs_inline_install();
	upcs_run.kinds = upcs_kinds_create();
	if (!upcs_run.kinds || !upcs_translate_begin(upcs_run.guest) || !upcs_process_begin(counted))
		return refuse_start("out of memory, or libcapstone does not know ", info->target_name);
	if (!counted)
		forked = true;
	if (pthread_atfork(upcs_process_hold, upcs_process_release, fork_child))
		return refuse_start("out of memory", "");
	register_all(id);
	return 0;
}
