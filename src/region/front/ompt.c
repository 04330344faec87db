/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompt.c - teams and tasks of OpenMP runtimes with OMPT, OpenMP's interface for tools, such as libomp. The
 * other threads of a team work for the call path that the team was started on, until the barrier at the
 * team's end. If the program has another OMPT tool, that tool is used instead.
 * Terms: region/front/front.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "region/front/front.h"
#include "region/front/ompt.h"

/* ---- parts of omp-tools.h (OpenMP 5.0 to 5.2) ---------------------------------------------------------- */

union ompt_data {
	uint64_t value;
	void *ptr;
};
enum { OMPT_BEGIN = 1, OMPT_END = 2 };
enum {
	OMPT_PARALLEL_BEGIN = 3,
	OMPT_TASK_CREATE = 5,
	OMPT_TASK_SCHEDULE = 6,
	OMPT_IMPLICIT_TASK = 7,
	OMPT_SYNC_REGION = 23
};
/* Barriers at the end of a team, and, before OpenMP 5.1, also at the end of a loop. */
enum { OMPT_BARRIER_IMPLICIT = 2, OMPT_BARRIER_IMPLICIT_PARALLEL = 9 };
enum { OMPT_TASK_INITIAL = 1, OMPT_TASK_EXPLICIT = 4 };

typedef void ompt_function(void);
typedef ompt_function *ompt_lookup(const char *name);
typedef int ompt_set_callback(int event, ompt_function *callback);
struct ompt_result {
	int (*initialize)(ompt_lookup *lookup, int device, union ompt_data *tool);
	void (*finalize)(union ompt_data *tool);
	union ompt_data tool;
};

/* ---- threads ------------------------------------------------------------------------------------------- */

/* The OMPT data of a parallel region or an explicit task is its path; the data of other tasks stays NULL. */
static _Thread_local struct {
	const union ompt_data
		*member; /* implicit task of the team that the thread is in, unless it is the master */
	const struct upcr_path *path;
	struct upcr_work team, task;
} ompt __attribute__((tls_model("initial-exec")));

static void ompt_parallel(union ompt_data *encountering, const void *frame, union ompt_data *parallel,
			  unsigned requested, int flags, const void *caller)
{
	(void)encountering;
	(void)frame;
	(void)requested;
	(void)flags;
	(void)caller;
	parallel->ptr = (void *)(uintptr_t)upcr_path();
}

static void ompt_leave_team(void)
{
	upcr_work_end(ompt.team);
	ompt.team.begun = false;
}

static void ompt_member(int endpoint, union ompt_data *parallel, union ompt_data *task, unsigned threads,
			unsigned index, int flags)
{
	(void)threads;
	if (flags & OMPT_TASK_INITIAL)
		return;
	if (endpoint == OMPT_BEGIN && index && parallel) {
		ompt.member = task;
		ompt.path = parallel->ptr;
		ompt.team = upcr_work_begin(ompt.path);
	} else if (endpoint == OMPT_END && ompt.member && task == ompt.member) {
		ompt_leave_team();
		ompt.member = NULL;
	}
}

/* End or begin work at a barrier: at the end of a team, its members wait until the next team begins. */
static void ompt_barrier(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
			 const void *caller)
{
	(void)caller;
	if (!ompt.member || task != ompt.member ||
	    (kind != OMPT_BARRIER_IMPLICIT && kind != OMPT_BARRIER_IMPLICIT_PARALLEL))
		return;
	if (endpoint == OMPT_BEGIN)
		ompt_leave_team();
	else if (endpoint == OMPT_END && parallel)
		ompt.team = upcr_work_begin(ompt.path);
}

static void ompt_create(union ompt_data *encountering, const void *frame, union ompt_data *task, int flags,
			int depends, const void *caller)
{
	(void)encountering;
	(void)frame;
	(void)depends;
	(void)caller;
	if (flags & OMPT_TASK_EXPLICIT)
		task->ptr = (void *)(uintptr_t)upcr_path();
}

static void ompt_schedule(union ompt_data *prior, int status, union ompt_data *next)
{
	(void)status;
	if (!next)
		return;
	if (prior && prior->ptr) {
		upcr_work_end(ompt.task);
		ompt.task.begun = false;
	}
	if (next->ptr)
		ompt.task = upcr_work_begin(next->ptr);
}

/* ---- the tool ---------------------------------------------------------------------------------------------
 */

static atomic_bool ompt_sees;

bool upcr_ompt_sees(void)
{
	return atomic_load(&ompt_sees);
}

static int ompt_initialize(ompt_lookup *lookup, int device, union ompt_data *tool)
{
	static const struct {
		int event;
		ompt_function *call;
	} callback[] = {
		{OMPT_PARALLEL_BEGIN, (ompt_function *)ompt_parallel},
		{OMPT_TASK_CREATE, (ompt_function *)ompt_create},
		{OMPT_TASK_SCHEDULE, (ompt_function *)ompt_schedule},
		{OMPT_IMPLICIT_TASK, (ompt_function *)ompt_member},
		{OMPT_SYNC_REGION, (ompt_function *)ompt_barrier},
	};
	ompt_set_callback *set = (ompt_set_callback *)lookup("ompt_set_callback");
	bool all = set != NULL;

	(void)device;
	(void)tool;
	for (size_t i = 0; all && i < sizeof(callback) / sizeof(callback[0]); i++)
		all = set(callback[i].event, callback[i].call) > 1; /* ompt_set_never is 1 */
	atomic_store(&ompt_sees, all);
	return all;
}

static void ompt_finalize(union ompt_data *tool)
{
	(void)tool;
	atomic_store(&ompt_sees, false);
}

/* The runtime calls the first function of this name in the program. The next one may be the runtime's own,
 * which searches for further tools. */
UPCR_FUNCTION(struct ompt_result *, ompt_start_tool, unsigned version, const char *runtime)
{
	static struct ompt_result ours = {.initialize = ompt_initialize, .finalize = ompt_finalize};
	struct ompt_result *(*next)(unsigned, const char *), *other;
	const char *libraries = getenv("OMP_TOOL_LIBRARIES");

	*(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
	other = next ? next(version, runtime) : NULL;
	if (other)
		return other;
	return (libraries && libraries[0]) || !upcr_path() ? NULL : &ours;
}
