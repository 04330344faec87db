/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * truth.cc - the programs of truth.sh: in each, one region whose work is known by construction. A unit of
 * work is a page fault and a multiplication; nothing else that a region does faults or multiplies, for all
 * that it needs has been touched before. Where the kernel makes that impossible, as behind a fork, the
 * program prints "extra" and how many faults more its thread had.
 *
 * Usage: truth CASE
 */
#include <future>
#include <stdexcept>

#include <linux/perf_event.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

extern "C" void cali_begin_region(const char *), cali_end_region(const char *);

enum { STACK = 256 * 1024, STACKS = 8, POOL = 2, WARM_UPS = 8 };

static volatile double sink;
static long page;
static char **first_argv;

__attribute__((noinline)) static void work(long units)
{
	volatile char *area = (volatile char *)mmap(NULL, units * page, PROT_READ | PROT_WRITE,
						    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double x = 1;

	madvise((void *)area, units * page, MADV_NOHUGEPAGE);
	for (long i = 0; i < units; i++)
		area[i * page] = 1;
	munmap((void *)area, units * page);
	__asm__ volatile("" : "+m"(x));
	for (long i = 0; i < units; i++) {
		x *= 1.0000001;
		__asm__ volatile("" : "+m"(x));
	}
	sink = x;
}

/* The region: a function of its own, for upc_run -R, and marked. */
extern "C" __attribute__((noinline)) void region(void (*body)(void))
{
	cali_begin_region("region");
	body();
	cali_end_region("region");
}

static int fault_counter = -1;

/* A user's counter leaves out faults in the kernel: behind a fork that may be the kernel's write to a page of
 * this thread, where getrusage would count it.
 */
static void open_own_faults(void)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	for (int exclude = 0; exclude < 2 && fault_counter < 0; exclude++) {
		attr.exclude_kernel = exclude;
		fault_counter = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
}

static long own_faults(void)
{
	struct rusage usage;
	long long faults;

	if (fault_counter >= 0 && read(fault_counter, &faults, sizeof(faults)) == sizeof(faults))
		return faults;
	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* Its stack has been touched. */
static char stack[STACKS][STACK] __attribute__((aligned(4096)));

static pthread_t make_thread(void *(*run)(void *), void *argument)
{
	static int next;
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack[next++ % STACKS], STACK);
	if (pthread_create(&thread, &attributes, run, argument))
		abort();
	return thread;
}

static void *run_work(void *units)
{
	work((long)units);
	return NULL;
}

static void inside(void)
{
	pthread_t thread[3];

	work(10);
	for (long i = 0; i < 3; i++)
		thread[i] = make_thread(run_work, (void *)(20 * (i + 1)));
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

static pthread_barrier_t both;

/* It works while the region is open, and not for it. */
static void *work_alone(void *)
{
	pthread_barrier_wait(&both);
	work(50);
	pthread_barrier_wait(&both);
	return NULL;
}

static void beside(void)
{
	work(10);
	usleep(1000);
	work(20);
}

static void outside(void)
{
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	thread = make_thread(work_alone, NULL);
	pthread_barrier_wait(&both);
	region(beside);
	pthread_barrier_wait(&both);
	pthread_join(thread, NULL);
}

static void *work_twice(void *)
{
	work(40);
	pthread_barrier_wait(&both); /* it has worked */
	pthread_barrier_wait(&both); /* the region has ended */
	work(100);
	return NULL;
}

static pthread_t outliving;

static void starts_outliving(void)
{
	work(10);
	outliving = make_thread(work_twice, NULL);
	pthread_barrier_wait(&both);
}

static void outlives(void)
{
	pthread_barrier_init(&both, NULL, 2);
	region(starts_outliving);
	pthread_barrier_wait(&both);
	pthread_join(outliving, NULL);
}

/* ---- a pool ------------------------------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled, done;
	long units[16];
	int first, last, busy;
	bool ends;
} queue = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, 0, false};

static void *serve(void *)
{
	pthread_mutex_lock(&queue.lock);
	for (;;) {
		while (queue.first == queue.last && !queue.ends)
			pthread_cond_wait(&queue.filled, &queue.lock);
		if (queue.first == queue.last)
			break;
		long units = queue.units[queue.first++ % 16];
		queue.busy++;
		pthread_mutex_unlock(&queue.lock);
		work(units);
		pthread_mutex_lock(&queue.lock);
		queue.busy--;
		pthread_cond_signal(&queue.done);
	}
	pthread_mutex_unlock(&queue.lock);
	return NULL;
}

static void hand_out(void)
{
	work(5);
	pthread_mutex_lock(&queue.lock);
	for (int i = 0; i < 4; i++)
		queue.units[queue.last++ % 16] = 10;
	pthread_cond_broadcast(&queue.filled);
	while (queue.first != queue.last || queue.busy)
		pthread_cond_wait(&queue.done, &queue.lock);
	pthread_mutex_unlock(&queue.lock);
}

static void pool(void)
{
	pthread_t thread[POOL];

	for (int i = 0; i < POOL; i++)
		thread[i] = make_thread(serve, NULL);
	hand_out();
	usleep(20000);
	region(hand_out);
	pthread_mutex_lock(&queue.lock);
	queue.ends = true;
	pthread_cond_broadcast(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
	for (int i = 0; i < POOL; i++)
		pthread_join(thread[i], NULL);
}

/* ---- std::async --------------------------------------------------------------------------------- */

static void async(void)
{
	std::future<void> a = std::async(std::launch::async, work, 30);
	std::future<void> b = std::async(std::launch::async, work, 40);

	work(10);
	a.get();
	b.get();
}

/* ---- processes ---------------------------------------------------------------------------------- */

static long extra;

static void touch_marks(void)
{
	cali_begin_region("touches the marks' pages");
	cali_end_region("touches the marks' pages");
}

/* A page that is written to behind a fork is copied: a fault. */
static void forks(void)
{
	volatile char *frame = (volatile char *)__builtin_frame_address(0);
	long before, child;

	touch_marks();
	work(10);
	before = own_faults();
	child = fork();
	if (!child) {
		work(70);
		_exit(0);
	}
	extra = 1;
	frame[256] = frame[256]; /* the page of region()'s frame, which may be the next one */
	while (waitpid((pid_t)child, NULL, 0) < 0)
		;
	touch_marks();
	extra = own_faults() - before;
}

static void vforks(void)
{
	pid_t child;

	work(10);
	child = vfork();
	if (!child)
		_exit(0);
	while (waitpid(child, NULL, 0) < 0)
		;
	work(20);
}

static void execs(void)
{
	static char executes[] = "executed";
	char *argv[] = {first_argv[0], executes, NULL};

	work(30);
	execv(first_argv[0], argv);
}

static void executed(void)
{
	work(40);
}

/* ---- stacks and jumps --------------------------------------------------------------------------- */

static ucontext_t main_context, other_context;
static char other_stack[STACK];

static void coroutine(void)
{
	for (;;) {
		work(20);
		swapcontext(&other_context, &main_context);
	}
}

static void resumes(void)
{
	for (int i = 0; i < 3; i++) {
		work(10);
		swapcontext(&main_context, &other_context);
	}
}

static void coroutines(void)
{
	memset(other_stack, 0, sizeof(other_stack));
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = other_stack;
	other_context.uc_stack.ss_size = sizeof(other_stack);
	makecontext(&other_context, coroutine, 0);
	swapcontext(&main_context, &other_context);
	region(resumes);
	work(100);
}

static void throws(void)
{
	work(10);
	throw std::runtime_error("out of the region");
}

/* "around" ends what was left open inside. */
static void exception(void)
{
	try {
		throw std::runtime_error("the first one is slow");
	} catch (const std::runtime_error &) {
	}
	cali_begin_region("around");
	try {
		region(throws);
	} catch (const std::runtime_error &) {
	}
	work(100);
	cali_end_region("around");
}

static jmp_buf behind;

static void jumps(void)
{
	work(10);
	longjmp(behind, 1);
}

static void longjmps(void)
{
	cali_begin_region("around");
	if (!setjmp(behind))
		region(jumps);
	work(100);
	cali_end_region("around");
}

/* ---- names --------------------------------------------------------------------------------------- */

/* What the tool keeps of a region's first start is not the work of the region around it. */
static void names(void)
{
	char inner[16];

	for (int i = 0; i < 20; i++) {
		snprintf(inner, sizeof(inner), "inner %d", i);
		cali_begin_region(inner);
		work(2);
		cali_end_region(inner);
	}
}

/* ---- the end ------------------------------------------------------------------------------------ */

static void last_work(void)
{
	work(25);
}

static const char *name;

struct last {
	~last()
	{
		if (name && !strcmp(name, "destructor"))
			region(last_work);
	}
};
static last last_one;

static void late(void)
{
	region(last_work);
}

/* A handler that is registered before the first mark runs last. */
static void atexits(void)
{
	atexit(late);
	cali_begin_region("first");
	cali_end_region("first");
}

/* ---- OpenMP ------------------------------------------------------------------------------------- */

#ifdef _OPENMP
static void teams(void)
{
	work(3);
#pragma omp parallel for schedule(static) num_threads(4)
	for (int i = 0; i < 8; i++)
		work(10);
}

static void tasks(void)
{
#pragma omp parallel num_threads(4)
#pragma omp master
	for (int i = 0; i < 12; i++)
#pragma omp task
		work(5);
}

/* Which thread takes a task is chance: each has touched what a task needs of its stack. */
static void tasks_warm(void)
{
#pragma omp parallel num_threads(4)
	{
		volatile char area[64 * 1024];

		for (unsigned i = 0; i < sizeof(area); i += 1024)
			area[i] = 1;
		work(5);
	}
	tasks();
}

static void nested(void)
{
#pragma omp parallel for schedule(static) num_threads(2)
	for (int i = 0; i < 2; i++) {
		work(10);
#pragma omp parallel for schedule(static) num_threads(2)
		for (int j = 0; j < 4; j++)
			work(10);
	}
}

static void exits(void)
{
#pragma omp parallel num_threads(4)
	{
		work(10);
#pragma omp barrier
		if (omp_get_thread_num() == 1)
			exit(0);
		pause();
	}
}

static void one_team(void)
{
#pragma omp parallel num_threads(4)
	work(1);
}
#endif

/* ---- cases -------------------------------------------------------------------------------------- */

/* warms: touches what the body needs before the region, a few times for what a runtime's threads keep each.
 */
static const struct {
	const char *name;
	void (*warms)(void), (*body)(void), (*whole)(void);
} cases[] = {
#ifdef _OPENMP
	{"for", teams, teams, NULL},
	{"tasks", tasks_warm, tasks, NULL},
	{"nested", nested, nested, NULL},
	{"exit", one_team, exits, NULL},
#endif
	{"inside", inside, inside, NULL},
	{"outside", NULL, NULL, outside},
	{"outlives", NULL, NULL, outlives},
	{"pool", NULL, NULL, pool},
	{"async", async, async, NULL},
	{"names", NULL, names, NULL},
	{"fork", NULL, forks, NULL},
	{"vfork", vforks, vforks, NULL},
	{"exec", NULL, execs, NULL},
	{"executed", NULL, executed, NULL},
	{"coroutines", NULL, NULL, coroutines},
	{"exception", NULL, NULL, exception},
	{"longjmp", NULL, NULL, longjmps},
	{"destructor", NULL, NULL, NULL},
	{"atexit", NULL, NULL, atexits},
};

/* Memory that a runtime takes later is part of one heap, all of which has been touched. */
static void touch_heap(void)
{
	const size_t size = 16 << 20;
	void *memory;

	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 2 * size);
	mallopt(M_TRIM_THRESHOLD, 4 * size);
	memory = malloc(size);
	if (!memory)
		abort();
	memset(memory, 1, size);
	__asm__ volatile("" : : "r"(memory) : "memory");
	free(memory);
}

int main(int argc, char **argv)
{
	touch_heap();
	page = sysconf(_SC_PAGESIZE);
	first_argv = argv;
	work(5);
	open_own_faults();
	own_faults();
	memset(stack, 0, sizeof(stack));
#ifdef _OPENMP
	omp_set_max_active_levels(2);
#endif
	for (const auto &one : cases)
		if (argc > 1 && !strcmp(one.name, argv[1])) {
			name = one.name;
			if (strcmp(name, "atexit")) {
				cali_begin_region("first");
				cali_end_region("first");
			}
			for (int i = 0; one.warms && i < WARM_UPS; i++)
				one.warms();
			if (one.body)
				region(one.body);
			if (one.whole)
				one.whole();
			if (extra)
				printf("extra %ld\n", extra);
			return 0;
		}
	return 1;
}
