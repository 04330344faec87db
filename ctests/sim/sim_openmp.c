/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_openmp - the program of sim_openmp.sh: functions whose loops and tasks are done by teams. How many
 * multiplications of doubles each of them causes is known by construction, and nothing else
 * multiplies: not runtimes, nor those who wait. They are printed, a function a line.
 *
 * Usage: sim_openmp THREADS    0: a team does nothing
 * With MARKS the functions are regions of libhpm, too (ctests/region/regions_sim.sh).
 * To be compiled with -O1 -ffp-contract=off, for a multiplication to be one.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The same functions as regions of libhpm. */
#ifdef MARKS
#include <libhpm.h>
#define BEGIN(number, name) hpmTstart(number, name)
#define END(number) hpmTstop(number)
#else
#define BEGIN(number, name) (void)0
#define END(number) (void)0
#endif

#define OUTLINE __attribute__((noinline, noclone))
#ifdef __clang__
#undef OUTLINE
#define OUTLINE __attribute__((noinline))
#endif

enum { N = 48, PIECE = 4000 };

static volatile double sink;

/* n multiplications, one after the other. */
static inline void multiply(long n)
{
	double x = 1;
	long i;

	__asm__ volatile("" : "+m"(x));
	for (i = 0; i < n; i++) {
		x *= 1.0000001;
		__asm__ volatile("" : "+m"(x));
	}
	sink = x;
}

/* ---- one helper, called from two regions ------------------------------------------------------- */

OUTLINE void helper(long n)
{
	int i;

	BEGIN(1, "helper");
#pragma omp parallel for schedule(static)
	for (i = 0; i < N; i++)
		multiply(n);
	END(1);
}

OUTLINE void region_a(void)
{
	BEGIN(2, "region_a");
	helper(PIECE);
	multiply(11);
	END(2);
}

OUTLINE void region_b(void)
{
	BEGIN(3, "region_b");
	helper(PIECE);
	helper(PIECE);
	multiply(13);
	END(3);
}

/* ---- loops that do not wait for each other ----------------------------------------------------- */

OUTLINE void nowait(void)
{
	int i;

	BEGIN(4, "nowait");
#pragma omp parallel private(i)
	{
#pragma omp for schedule(dynamic) nowait
		for (i = 0; i < N; i++)
			multiply(PIECE);
#pragma omp for schedule(dynamic, 5) nowait
		for (i = 0; i < N; i++)
			multiply(PIECE / 2);
#pragma omp sections nowait
		{
#pragma omp section
			multiply(3 * PIECE);
#pragma omp section
			multiply(5 * PIECE);
		}
	}
	END(4);
}

/* ---- tasks of one function for two regions, at the same time ----------------------------------- */

OUTLINE void make_tasks(int n, long size)
{
	int i;

	for (i = 0; i < n; i++)
#pragma omp task firstprivate(size)
		multiply(size);
}

OUTLINE void tasks_a(void)
{
	BEGIN(5, "tasks_a");
	make_tasks(N, PIECE);
	END(5);
}

OUTLINE void tasks_b(void)
{
	BEGIN(6, "tasks_b");
	make_tasks(N, PIECE / 4);
#pragma omp taskwait
	END(6);
}

OUTLINE void tasks(void)
{
#pragma omp parallel
#pragma omp single
	{
		tasks_a();
		tasks_b();
	}
}

/* A task that makes tasks, and one that waits for another. */
OUTLINE void tree(int depth)
{
	if (depth == 0) {
		multiply(PIECE);
		return;
	}
#pragma omp task
	tree(depth - 1);
#pragma omp task
	tree(depth - 1);
#pragma omp taskwait
	multiply(7);
}

OUTLINE void task_tree(void)
{
	BEGIN(7, "task_tree");
#pragma omp parallel
#pragma omp single
	tree(5);
	END(7);
}

OUTLINE void task_loop(void)
{
	int i;

	BEGIN(8, "task_loop");
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(3)
	for (i = 0; i < N; i++)
		multiply(8 * PIECE);
	END(8);
}

OUTLINE void depends(void)
{
	static int token;
	int i;

	BEGIN(9, "depends");
#pragma omp parallel
#pragma omp single
	for (i = 0; i < 8; i++)
#pragma omp task depend(inout : token)
		multiply(PIECE);
	END(9);
}

/* ---- a team's threads with teams of their own ------------------------------------------------- */

OUTLINE void inner(void)
{
	int i;

	BEGIN(10, "inner");
#pragma omp parallel for num_threads(2)
	for (i = 0; i < N; i++)
		multiply(PIECE);
	multiply(17);
	END(10);
}

OUTLINE void nested(void)
{
	int i;

	BEGIN(11, "nested");
#pragma omp parallel for schedule(static)
	for (i = 0; i < 4; i++) {
		multiply(PIECE);
		inner();
	}
	END(11);
}

/* ---- two threads of the program, each with a team ---------------------------------------------- */

OUTLINE void left(void)
{
	int i;

	BEGIN(12, "left");
	for (i = 0; i < 5; i++)
		helper(PIECE / 2);
	END(12);
}

OUTLINE void right(void)
{
	int i;

	BEGIN(13, "right");
	for (i = 0; i < 5; i++)
		helper(PIECE);
	END(13);
}

static void *run_left(void *p)
{
	left();
	return p;
}

static void *run_right(void *p)
{
	right();
	return p;
}

static void two_teams(void)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, run_left, NULL);
	pthread_create(&thread[1], NULL, run_right, NULL);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

enum { ROWS = 80000, ACROSS = 24, ITERATIONS = 3, EDGE = 64 };

static double matrix[ROWS][ACROSS], x[ROWS], y[ROWS];
static double cube[EDGE][EDGE][EDGE];

/* As a conjugate gradient: a sparse matrix by a vector, two sums, a new vector. */
OUTLINE void cg(void)
{
	double sum, norm;
	int k, i, j;

	BEGIN(14, "cg");
	for (k = 0; k < ITERATIONS; k++) {
		sum = norm = 0;
#pragma omp parallel private(i, j)
		{
#pragma omp for schedule(static)
			for (i = 0; i < ROWS; i++) {
				double row = 0;

				for (j = 0; j < ACROSS; j++)
					row += matrix[i][j] * x[(i * 7 + j * 31) % ROWS];
				y[i] = row;
			}
#pragma omp for schedule(static) reduction(+ : sum, norm)
			for (i = 0; i < ROWS; i++) {
				sum += x[i] * y[i];
				norm += y[i] * y[i];
			}
#pragma omp for schedule(static) nowait
			for (i = 0; i < ROWS; i++)
				x[i] = y[i] * .5;
		}
		sink = sum + norm;
	}
	END(14);
}

/* As a transform in three dimensions: each line of each direction in passes of butterflies. */
static void line(double *first, int stride)
{
	int half, i;

	for (half = 1; half < EDGE; half *= 2)
		for (i = 0; i + half < EDGE; i++)
			first[i * stride] = first[(i + half) * stride] * .25 + first[i * stride];
}

OUTLINE void ft(void)
{
	int i, j;

	BEGIN(15, "ft");
#pragma omp parallel for schedule(static) private(j)
	for (i = 0; i < EDGE; i++)
		for (j = 0; j < EDGE; j++)
			line(&cube[i][j][0], 1);
#pragma omp parallel for schedule(static) private(j)
	for (i = 0; i < EDGE; i++)
		for (j = 0; j < EDGE; j++)
			line(&cube[i][0][j], EDGE);
#pragma omp parallel for schedule(static) private(j)
	for (i = 0; i < EDGE; i++)
		for (j = 0; j < EDGE; j++)
			line(&cube[0][i][j], EDGE * EDGE);
	END(15);
}

static void expect(const char *name, long multiplications)
{
	printf("%s %ld\n", name, multiplications);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1, k;

	if (threads == 0) {
#pragma omp parallel
		__asm__ volatile("");
		return 0;
	}
	omp_set_num_threads(threads);
	omp_set_max_active_levels(2);
	for (k = 0; k < 3; k++) {
		region_a();
		region_b();
	}
	helper(PIECE); /* for none of them */
	nowait();
	tasks();
	task_tree();
	task_loop();
	depends();
	nested();
	two_teams();
	cg();
	ft();
	expect("region_a", 3l * (N * PIECE + 11));
	expect("region_b", 3l * (2 * N * PIECE + 13));
	expect("nowait", N * (PIECE + PIECE / 2) + 8 * PIECE);
	expect("tasks_a", N * PIECE);
	expect("tasks_b", N * (PIECE / 4));
	expect("tasks", N * (PIECE + PIECE / 4));
	expect("task_tree", 32l * PIECE + 31 * 7);
	expect("task_loop", 8l * N * PIECE);
	expect("depends", 8 * PIECE);
	expect("inner", 4l * (N * PIECE + 17));
	expect("nested", 4l * (PIECE + N * PIECE + 17));
	expect("left", 5l * N * (PIECE / 2));
	expect("right", 5l * N * PIECE);
	expect("helper", 10l * N * PIECE + 5l * N * (PIECE + PIECE / 2));
	expect("outside", N * PIECE);
	expect("cg", ITERATIONS * (long)ROWS * (ACROSS + 3));
	/* Passes of 1, 2, 4, 8, 16 and 32. */
	expect("ft", 3l * EDGE * EDGE * (6 * EDGE - 63));
	return 0;
}
