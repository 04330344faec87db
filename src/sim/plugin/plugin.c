/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin.c - what QEMU calls: the program begins, threads come and go, system calls, fork, the
 * end. Arguments: results=PATH, after=INDEX (of the process whose place this one takes),
 * count=on|off, program=PATH.
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

static bool forked;         /* not the program that upc_run began, but a child */
static UPCS_TLS bool left;  /* the thread's own exec was let go on */
static bool looked;         /* how threads wait */
static UPCS_TLS bool makes; /* the thread's call makes another */

static bool children_count(void)
{
	return upcs_run.results->options.children == UPCS_CHILDREN_COUNT;
}

/* With interface 1 by who makes it, before it runs; else by itself, before its first block. */
static void vcpu_made(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
#if UPCS_QEMU_INTERFACE == 1
	if (vcpu)
		upcs_process_has_threads();
#else
	upcs_thread_begin(vcpu);
#endif
	/* A team is made with the first threads. */
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
 * It is thrown away when no vCPU runs. A thread that finds another at it waits: what it executes
 * next must be new.
 */
static pthread_mutex_t code_lock = PTHREAD_MUTEX_INITIALIZER; /* nests in QEMU's, takes none */
static pthread_cond_t code_is_new = PTHREAD_COND_INITIALIZER;
static bool throwing;
static pthread_t thrower; /* it does so when it is behind its call */

static void thrown_away(qemu_plugin_id_t id)
{
	register_all(id);
	pthread_mutex_lock(&code_lock);
	__atomic_store_n(&throwing, false, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&code_is_new);
	pthread_mutex_unlock(&code_lock);
}

/* A thread that finds no old code finds that another throws it away, or has. */
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
	/* The thread that throws it away may have ended. */
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	pthread_mutex_lock(&code_lock);
	while (throwing && !pthread_equal(thrower, pthread_self()) && !error)
		error = pthread_cond_timedwait(&code_is_new, &code_lock, &end);
	pthread_mutex_unlock(&code_lock);
}

/* ---- faults -------------------------------------------------------------------------- */

/*
 * From the first handler of a fault on, blocks may be left in the middle and the program goes on.
 * Without one a fault is the end of it, and at most the rest of one block was counted too much.
 * Handlers 0 and 1 are none: SIG_DFL, SIG_IGN.
 */
static void guest_handles(qemu_plugin_id_t id, uint64_t signal, uint64_t handler)
{
	if (handler < 2)
		return;
	if (upcs_options_follow(&upcs_run.results->options))
		upcs_process_handles(handler);
	/* The same numbers in all guests: ILL, TRAP, BUS, FPE, SEGV. */
	if (signal != 4 && signal != 5 && signal != 7 && signal != 8 && signal != 11)
		return;
	if (upcs_translate_is_exact())
		return;
	upcs_translate_set_exact();
	if (upcs_run.process)
		__atomic_store_n(&upcs_run.process->faults, 1, __ATOMIC_RELAXED);
	/* While this is to come QEMU forgets others, which may be old code's. */
	qemu_plugin_reset(id, thrown_away);
}

/* ---- system calls -------------------------------------------------------------------- */

/* Comes back only if the guest's own call is to go on: then all before it is counted. */
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

/* Flags are the same for all guests. */
static void guest_maps(uint64_t flags)
{
	if ((flags & GUEST_MAP_TYPE) != GUEST_MAP_PRIVATE)
		upcs_process_shares();
	else if (flags & GUEST_MAP_STACK)
		upcs_process_expects_thread();
}

/*
 * A thread of the emulator's ends by pthread_exit, for which the C library loads the unwinder when
 * the first one does. A child that another thread has forked meanwhile finds it half loaded, and
 * dies when a thread of its own ends ("Inconsistency detected by ld.so"). It is therefore loaded
 * before there are threads: backtrace loads it likewise.
 */
static void load_unwinder(void)
{
	static bool loaded;
	void *frame;

	if (!loaded)
		(void)backtrace(&frame, 1);
	loaded = true;
}

/* vfork is a fork to QEMU. */
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
 * When it ends, QEMU takes our callbacks from all vCPUs, those of its parent's other threads as well,
 * under locks that these may have held when it was forked: it would wait for ever. QEMU's
 * other work then does not matter to a child.
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
	/* Its beginning is not told while callbacks are registered anew. */
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
	/* The end of fork itself, before any code of the child; or of a doorbell. */
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
		/* When it is done: before that, others could see what was. */
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

/* Settles the counts of the process whose place we take. */
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
		/* Its counts of each function are upc_run's to add up. */
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
		return 0; /* may not be opened by who the program has become: it runs, not counted */
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
