#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_workers.sh - what other threads do for a region: teams and tasks of libgomp and libomp, threads that are
# created in it, threads that outlive it, threads of nobody. Pages that are touched are known. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 46

cat > teams.c << 'END'
#include <libhpm.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "touch.h"

/* Each region touches 4,000 pages, in four threads. */
static long sum;

static void loops(void)
{
	hpmTstart(1, "for");
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 4; i++)
		touch_pages(1000);
	hpmTstop(1);
	hpmTstart(2, "dynamic");
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < 8; i++)
		touch_pages(500);
	hpmTstop(2);
	hpmTstart(3, "runtime");
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < 8; i++)
		touch_pages(500);
	hpmTstop(3);
	hpmTstart(4, "reduction");
#pragma omp parallel for reduction(+ : sum) schedule(guided)
	for (int i = 0; i < 8; i++) {
		touch_pages(500);
		sum += i;
	}
	hpmTstop(4);
}

static void bodies(void)
{
	hpmTstart(5, "sections");
#pragma omp parallel sections
	{
#pragma omp section
		touch_pages(1000);
#pragma omp section
		touch_pages(1000);
#pragma omp section
		touch_pages(1000);
#pragma omp section
		touch_pages(1000);
	}
	hpmTstop(5);
	hpmTstart(6, "nested");
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	touch_pages(1000);
	hpmTstop(6);
}

static void tasks(void)
{
	hpmTstart(7, "tasks");
#pragma omp parallel
#pragma omp single nowait
	for (int i = 0; i < 16; i++)
#pragma omp task firstprivate(i)
		touch_pages(i % 2 ? 200 : 300);
	hpmTstop(7);
	hpmTstart(8, "taskloop");
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) reduction(+ : sum)
	for (int i = 0; i < 16; i++) {
		touch_pages(250);
		sum += i;
	}
	hpmTstop(8);
}

/* A region of a team's member is inside the one that the team works for; the member may keep it open up to
 * the next team. */
static void members(void)
{
	hpmTstart(9, "around");
#pragma omp parallel
	{
		hpmTstart(10, "member");
		touch_pages(1000);
		hpmTstop(10);
	}
	hpmTstop(9);
#pragma omp parallel
	hpmTstart(11, "kept");
#pragma omp parallel
	touch_pages(1000);
#pragma omp parallel
	hpmTstop(11);
	/* The team works for no region. */
#pragma omp parallel
	touch_pages(1000);
}

int main(int argc, char **argv)
{
	omp_set_num_threads(4);
	omp_set_max_active_levels(2);
	hpmInit(0, "teams");
	if (argc > 1) {
		hpmTstart(1, "left");
#pragma omp parallel
		{
			touch_pages(1000);
#pragma omp barrier
			if (omp_get_thread_num() == 2)
				exit(0);
#pragma omp barrier
		}
	}
	loops();
	bodies();
	tasks();
	members();
	hpmTerminate(0);
	return sum != 28 + 120;
}
END

# pages REGION CALLS: 4,000, and what the first use of memory adds
pages()
{
	is "$1" "$2" 4000 4060 && [ "$(field "$1" exactness)" = exact ] ||
		{ echo "# $1 is $(field "$1" exactness)"; return 1; }
}
teams()
{
	compiler=$1
	if ! eval "$* -Wall -I$srcdir/include teams.c -o teams -L$libraries -lhpm -Wl,-rpath,$libraries" 2> err; then
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
			skip "$compiler, $i" "there is no $*"
		done
		return
	fi
	check "$compiler: the program runs" csv ./teams
	for region in for dynamic runtime reduction sections nested tasks taskloop; do
		check "$compiler: $region" pages $region 1
	done
	check "$compiler: a region of each member" pages member 4
	check "$compiler: is inside that of the team" is around 1 4000 4060
	check "$compiler: a region that stays open between teams" pages kept 4
	check "$compiler: a team of no region is outside" is "(outside)" "" 4000 4400
}
teams gcc -fopenmp
# Waiting in the pool is a row of its own, and takes no page faults to speak of.
check "... waiting is a row of its own" is "(waiting of workers)" 0 0 200
check "... of the workers" eval 'run 0 -e $faults -- ./teams && grep -q "^(waiting of workers)  *0  *[567] " err'
ends_in_team()
{
	csv ./teams left && [ "$(field left exactness)" = "at least" ] && is left 1 1000 4060
}
check "a member that ends the program: at least what is known" ends_in_team
teams clang -fopenmp

# ---- threads ----------------------------------------------------------------------------------------------

cat > threads.c << 'END'
#include <libhpm.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>
#include "touch.h"

static pthread_barrier_t meet;

static void *work(void *pages)
{
	touch_pages((long)pages);
	return NULL;
}

static int work_thrd(void *pages)
{
	touch_pages((long)pages);
	return 0;
}

/* Half of it as long as the region goes on. */
static void *outlive(void *pages)
{
	touch_pages((long)pages);
	pthread_barrier_wait(&meet);
	pthread_barrier_wait(&meet);
	touch_pages((long)pages);
	return NULL;
}

static void *inner(void *pages)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, pages);
	touch_pages((long)pages);
	pthread_join(thread, NULL);
	return NULL;
}

static void *exits(void *pages)
{
	touch_pages((long)pages);
	pthread_exit(NULL);
}

static void *waits(void *pages)
{
	touch_pages((long)pages);
	pthread_barrier_wait(&meet);
	for (;;)
		pause();
	return NULL;
}

static void *marks(void *pages)
{
	hpmTstart(9, "marked");
	touch_pages((long)pages);
	hpmTstop(9);
	return NULL;
}

static void run(void *(*start)(void *), long pages, size_t stack)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (stack)
		pthread_attr_setstacksize(&attributes, stack);
	pthread_create(&thread, &attributes, start, (void *)pages);
	if (start == waits) {
		pthread_barrier_wait(&meet);
		pthread_cancel(thread);
	}
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread[4];
	thrd_t other;
	long i;

	pthread_barrier_init(&meet, NULL, 2);
	if (!strcmp(what, "pool"))
		pthread_create(&thread[0], NULL, outlive, (void *)500);
	hpmTstart(1, "A");
	for (i = 0; i < 4 && !strcmp(what, "joined"); i++)
		pthread_create(&thread[i], NULL, work, (void *)1000);
	while (i > 0)
		pthread_join(thread[--i], NULL);
	if (!strcmp(what, "inner"))
		run(inner, 1000, 0);
	if (!strcmp(what, "exits"))
		run(exits, 1000, 0);
	if (!strcmp(what, "cancel"))
		run(waits, 1000, 0);
	if (!strcmp(what, "marks"))
		run(marks, 1000, 0);
	if (!strcmp(what, "small"))
		run(work, 1000, PTHREAD_STACK_MIN);
	if (!strcmp(what, "thrd")) {
		thrd_create(&other, work_thrd, (void *)1000);
		thrd_join(other, NULL);
	}
	if (!strcmp(what, "outlive") || !strcmp(what, "nest") || !strcmp(what, "killed")) {
		hpmTstart(2, "B");
		pthread_create(&thread[0], NULL, outlive, (void *)1000);
		pthread_barrier_wait(&meet);
		hpmTstop(2);
	}
	if (!strcmp(what, "pool"))
		pthread_barrier_wait(&meet);
	if (!strcmp(what, "nest") || !strcmp(what, "pool")) {
		pthread_barrier_wait(&meet);
		pthread_join(thread[0], NULL);
	}
	touch_pages(100);
	hpmTstop(1);
	if (!strcmp(what, "killed"))
		abort();
	if (!strcmp(what, "outlive")) {
		pthread_barrier_wait(&meet);
		pthread_join(thread[0], NULL);
	}
	return 0;
}
END
without="(threads without regions)"
# of WHAT EXACTNESS LOW HIGH: "A" with all that is inside
of()
{
	csv ./threads "$1" && is A 1 "$3" "$4" && [ "$(field A exactness)" = "$2" ] ||
		{ echo "# A is $(field A exactness)"; return 1; }
}
check "a program with threads" hpm threads
check "threads that are joined inside belong to the region" of joined exact 4100 4200
check "and those that they create" of inner exact 2100 2200
check "one that calls pthread_exit" of exits exact 1100 1200
check "one that is cancelled" of cancel exact 1100 1200
check "one by thrd_create" of thrd exact 1100 1200
check "one that has a region itself: inside" eval 'of marks exact 1100 1200 && is marked 1 1000 1060'
check "one with the smallest stack runs, and is missed" of small "at least" 100 200
check "... which is said" grep -q 'A: a thread that was created in it was not counted: its stack' csv
outlives()
{
	of outlive "at least" 100 200 && [ "$(field B exactness)" = "at least" ] && is B 1 0 60 &&
		is "$without" 0 2000 2100
}
check "a thread that outlives its regions: bounds" outlives
check "... which is said" grep -q 'B: a thread that was created in it outlived it' csv
nests()
{
	csv --paths ./threads nest && [ "$(field B exactness)" = "at least" ] && is "$without" 0 2000 2100 &&
		is A 1 2100 2200
}
check "one that outlives the inner region is of the outer one" nests
pool()
{
	of pool exact 100 200 && is "$without" 0 1000 1100
}
check "a thread of no region is a row of its own, and no bound" pool
check "... but a note" grep -q 'a thread without regions: what it did for a region is no part of it' csv
killed()
{
	run 134 -e $faults -f csv -o csv ./threads killed && is A 1 100 200 &&
		[ "$(field A exactness)" = "at least" ] && grep -q 'B: a thread that was created in it outlived it' csv
}
check "the record of a program that is killed has these bounds and notes" killed
unmarked()
{
	printf '#include <pthread.h>\nstatic void *f(void *p) { return p; }\nint main(void) { pthread_t t; return pthread_create(&t, 0, f, 0) || pthread_join(t, 0); }\n' > none.c &&
		$CC none.c -o none -lpthread && mkdir -p none.d && run 125 -e $faults -o csv -- ./none &&
		run 0 -e $faults -o 'none.d/%p' -- ./none && [ -z "$(ls none.d)" ]
}
check "a program without regions leaves no file for its threads" unmarked
early()
{
	printf '#include <pthread.h>\nstatic void *f(void *p) { return p; }\nstatic __attribute__((constructor)) void c(void) { pthread_t t; if (!pthread_create(&t, 0, f, 0)) pthread_join(t, 0); }\n' > early.c &&
		$CC -shared -fPIC early.c -o libearly.so -lpthread && $CC -I"$srcdir/include" threads.c -o early -L. \
			-L"$libraries" -Wl,--no-as-needed -learly -lhpm -lpthread -Wl,-rpath,"$PWD" -Wl,-rpath,"$libraries" &&
		csv ./early joined && is A 1 4100 4200
}
check "a library whose constructor creates a thread, before those of the tool" early
