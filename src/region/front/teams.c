/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * teams.c - stands in for libgomp's calls that start teams and tasks. The other threads of a team work for
 * the call path that the team was started on, and a task is done for the path that it was created on. This
 * file passes the path along with the function that the compiler has made from the body of the team or task.
 * Terms: region/front/front.h.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "region/front/front.h"
#include "region/front/real.h"

typedef void body_call(void *data);

/* ---- teams ------------------------------------------------------------------------------------------ */

struct team {
	body_call *body;
	void *data;
	const struct upcr_path *path;
	pthread_t master;
	struct team *outer; /* next outer team, of those that are started and ended by separate calls */
};

static void teams_run(void *own)
{
	const struct team *team = own;
	struct upcr_work work;

	/* The master is on the path already. */
	if (pthread_equal(team->master, pthread_self())) {
		team->body(team->data);
		return;
	}
	work = upcr_work_begin(team->path);
	team->body(team->data);
	upcr_work_end(work);
}

static bool teams_begin(struct team *team, body_call *body, void *data)
{
	*team = (struct team){.body = body, .data = data, .path = upcr_path(), .master = pthread_self()};
	return team->path != NULL;
}

#define LOOP long start, long end, long step, long chunk, unsigned flags
#define LOOP_ARGUMENTS start, end, step, chunk, flags
#define RUNTIME_LOOP long start, long end, long step, unsigned flags
#define RUNTIME_ARGUMENTS start, end, step, flags

#define TEAM(name, given, arguments)                                                    \
	UPCR_FUNCTION(void, name, body_call *body, void *data, unsigned threads, given) \
	{                                                                               \
		UPCR_FIND_REAL(void, #name, (body_call *, void *, unsigned, given));    \
		struct team team;                                                       \
                                                                                        \
		if (teams_begin(&team, body, data))                                     \
			real(teams_run, &team, threads, arguments);                     \
		else                                                                    \
			real(body, data, threads, arguments);                           \
	}

#define GIVEN(...) __VA_ARGS__

TEAM(GOMP_parallel, unsigned flags, flags)
TEAM(GOMP_parallel_sections, GIVEN(unsigned count, unsigned flags), GIVEN(count, flags))
TEAM(GOMP_parallel_loop_static, GIVEN(LOOP), GIVEN(LOOP_ARGUMENTS))
TEAM(GOMP_parallel_loop_dynamic, GIVEN(LOOP), GIVEN(LOOP_ARGUMENTS))
TEAM(GOMP_parallel_loop_guided, GIVEN(LOOP), GIVEN(LOOP_ARGUMENTS))
TEAM(GOMP_parallel_loop_nonmonotonic_dynamic, GIVEN(LOOP), GIVEN(LOOP_ARGUMENTS))
TEAM(GOMP_parallel_loop_nonmonotonic_guided, GIVEN(LOOP), GIVEN(LOOP_ARGUMENTS))
TEAM(GOMP_parallel_loop_runtime, GIVEN(RUNTIME_LOOP), GIVEN(RUNTIME_ARGUMENTS))
TEAM(GOMP_parallel_loop_nonmonotonic_runtime, GIVEN(RUNTIME_LOOP), GIVEN(RUNTIME_ARGUMENTS))
TEAM(GOMP_parallel_loop_maybe_nonmonotonic_runtime, GIVEN(RUNTIME_LOOP), GIVEN(RUNTIME_ARGUMENTS))

UPCR_FUNCTION(unsigned, GOMP_parallel_reductions, body_call *body, void *data, unsigned threads,
	      unsigned flags)
{
	UPCR_FIND_REAL(unsigned, "GOMP_parallel_reductions", (body_call *, void *, unsigned, unsigned));
	struct team team;

	return teams_begin(&team, body, data) ? real(teams_run, &team, threads, flags)
					      : real(body, data, threads, flags);
}

/* ---- teams of compilers before GCC 4.9: a call that starts, the body, a call that ends ---------------- */

static _Thread_local struct team *teams_started __attribute__((tls_model("initial-exec")));

static struct team *teams_push(body_call *body, void *data)
{
	struct team *team = malloc(sizeof(*team));

	if (!team) {
		upcr_say("out of memory for an OpenMP team");
		abort();
	}
	(void)teams_begin(team, body, data);
	team->outer = teams_started;
	teams_started = team;
	return team;
}

#define TEAM_START(name, given, arguments)                                              \
	UPCR_FUNCTION(void, name, body_call *body, void *data, unsigned threads, given) \
	{                                                                               \
		UPCR_FIND_REAL(void, #name, (body_call *, void *, unsigned, given));    \
                                                                                        \
		real(teams_run, teams_push(body, data), threads, arguments);            \
	}

TEAM_START(GOMP_parallel_sections_start, unsigned count, count)
TEAM_START(GOMP_parallel_loop_static_start, GIVEN(long start, long end, long step, long chunk),
	   GIVEN(start, end, step, chunk))
TEAM_START(GOMP_parallel_loop_dynamic_start, GIVEN(long start, long end, long step, long chunk),
	   GIVEN(start, end, step, chunk))
TEAM_START(GOMP_parallel_loop_guided_start, GIVEN(long start, long end, long step, long chunk),
	   GIVEN(start, end, step, chunk))
TEAM_START(GOMP_parallel_loop_runtime_start, GIVEN(long start, long end, long step), GIVEN(start, end, step))

UPCR_FUNCTION(void, GOMP_parallel_start, body_call *body, void *data, unsigned threads)
{
	UPCR_FIND_REAL(void, "GOMP_parallel_start", (body_call *, void *, unsigned));

	real(teams_run, teams_push(body, data), threads);
}

UPCR_FUNCTION(void, GOMP_parallel_end, void)
{
	UPCR_FIND_REAL(void, "GOMP_parallel_end", (void));
	struct team *team = teams_started;

	real();
	if (team)
		teams_started = team->outer;
	free(team);
}

/* ---- tasks ------------------------------------------------------------------------------------------- */

#define TASK_DETACHES (1u << 13) /* libgomp's GOMP_TASK_FLAG_DETACH */

/* The head that libgomp copies in place of a task's data, which follow the head in the copy. libgomp writes
 * the event of a detached task, or the range of a loop, into the first words, and reads a loop's reductions
 * from the third. */
struct task {
	uintptr_t word[3];
	body_call *body;
	void (*copy)(void *to, void *from);
	void *data;
	size_t offset, size;
	bool detaches, loops;
	const struct upcr_path *path;
};

static void tasks_copy(void *to, void *from)
{
	const struct task *task = from;

	memcpy(to, task, sizeof(*task));
	if (task->detaches && task->data && task->size >= sizeof(task->word[0]))
		memcpy(task->data, task->word, sizeof(task->word[0]));
	if (task->copy)
		task->copy((char *)to + task->offset, task->data);
	else if (task->size)
		memcpy((char *)to + task->offset, task->data, task->size);
}

static void tasks_run(void *own)
{
	const struct task *task = own;
	void *data = (char *)own + task->offset;
	struct upcr_work work;

	if (task->loops)
		memcpy(data, task->word, 2 * sizeof(task->word[0]));
	work = upcr_work_begin(task->path);
	task->body(data);
	upcr_work_end(work);
}

static bool tasks_begin(struct task *task, body_call *body, void *data, void (*copy)(void *, void *),
			long *size, long *align)
{
	const struct upcr_path *path = upcr_path();

	if (!path)
		return false;
	*align = *align > 16 ? *align : 16;
	*task = (struct task){.body = body,
			      .copy = copy,
			      .data = data,
			      .offset = (sizeof(*task) + (size_t)*align - 1) & ~((size_t)*align - 1),
			      .size = (size_t)*size,
			      .path = path};
	if (data && task->size >= sizeof(task->word))
		memcpy(task->word, data, sizeof(task->word));
	*size += (long)task->offset;
	return true;
}

UPCR_FUNCTION(void, GOMP_task, body_call *body, void *data, void (*copy)(void *, void *), long size,
	      long align, bool deferred, unsigned flags, void **depend, int priority, void *detach)
{
	UPCR_FIND_REAL(void, "GOMP_task",
		       (body_call *, void *, void (*)(void *, void *), long, long, bool, unsigned, void **,
			int, void *));
	struct task task;

	if (!tasks_begin(&task, body, data, copy, &size, &align)) {
		real(body, data, copy, size, align, deferred, flags, depend, priority, detach);
		return;
	}
	task.detaches = flags & TASK_DETACHES;
	real(tasks_run, &task, tasks_copy, size, align, deferred, flags, depend, priority, detach);
}

#define TASKLOOP(name, type)                                                                               \
	UPCR_FUNCTION(void, name, body_call *body, void *data, void (*copy)(void *, void *), long size,    \
		      long align, unsigned flags, unsigned long tasks, int priority, type start, type end, \
		      type step)                                                                           \
	{                                                                                                  \
		UPCR_FIND_REAL(void, #name,                                                                \
			       (body_call *, void *, void (*)(void *, void *), long, long, unsigned,       \
				unsigned long, int, type, type, type));                                    \
		struct task task;                                                                          \
                                                                                                           \
		if (!tasks_begin(&task, body, data, copy, &size, &align)) {                                \
			real(body, data, copy, size, align, flags, tasks, priority, start, end, step);     \
			return;                                                                            \
		}                                                                                          \
		task.loops = true;                                                                         \
		real(tasks_run, &task, tasks_copy, size, align, flags, tasks, priority, start, end, step); \
	}

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
