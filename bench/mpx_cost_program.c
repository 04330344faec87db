/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_cost_program.c - a program's CPU time with slices, compared with the same timer and a handler that does
 * nothing, and with a handler that switches bare perf groups.
 *
 * The program consists of equal pieces of work, each a quarter of a millisecond long, so most pieces have no
 * tick. The cost of a tick is the additional time of a piece with a tick, compared with a piece without one,
 * for the same handler and in the same minute. Noise on a shared machine is a hundred times larger, but
 * affects few pieces. The cost is therefore computed from low quantiles: the piece at the 5th percentile (or
 * the median) of its kind. Nothing else counts meanwhile, since starting a perf group is slower while another
 * group runs.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpx_cost.h"

enum { EMPTY, RAW, MPX, HANDLERS };
/* Turns of each handler, ticks in a turn, length of a piece, and the longest slice for which there is room.
 */
enum { TURNS = 60, TICKS = 20, PIECE_NS = 250000, LONGEST_NS = 10000000 };
enum { PIECES_MAX = TICKS * (LONGEST_NS / PIECE_NS) };

/* Times of pieces in ns, separately for pieces without a tick and with one. */
struct pieces {
	double ns[2][TURNS * PIECES_MAX];
	unsigned n[2];
};

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Do work without any counted event. */
static void work(uint64_t steps)
{
	volatile uint64_t sink = 1;

	while (steps--)
		sink = sink * 5 + 1;
}

/* Return the number of steps in a piece, by the fastest trial. */
static uint64_t steps_of_piece(void)
{
	enum { STEPS = 1000000, TRIALS = 20 };
	double least = 0, start;
	unsigned i;

	for (i = 0; i < TRIALS; i++) {
		start = bench_now_ns();
		work(STEPS);
		start = bench_now_ns() - start;
		least = !i || start < least ? start : least;
	}
	return (uint64_t)(PIECE_NS / least * STEPS);
}

static void take_turn(struct pieces *pieces, uint64_t slice_ns, uint64_t steps)
{
	uint64_t left = TICKS * slice_ns / PIECE_NS;
	int before = ticks;
	double start;

	while (left--) {
		/* Make no system call here: it would displace cached data, which the piece would have to
		 * reload. */
		start = bench_now_ns();
		work(steps);
		start = bench_now_ns() - start;
		before = ticks - before;
		if (before < 2)
			pieces->ns[before][pieces->n[before]++] = start;
		before = ticks;
	}
}

static int open_timer(uint64_t slice_ns, int number)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = slice_ns,
				       .wakeup_events = 1,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
	int fd = open_perf(&attr, -1);

	need(!fcntl(fd, F_SETSIG, number) && !fcntl(fd, F_SETOWN_EX, &owner) &&
		     !fcntl(fd, F_SETFL, O_RDWR | O_ASYNC),
	     "a signal of a perf event");
	return fd;
}

static void turn_with(struct pieces *pieces, uint64_t slice_ns, uint64_t steps, void (*handler)(int))
{
	int number = SIGRTMIN + 2, timer;

	handle(number, handler);
	timer = open_timer(slice_ns, number);
	ioctl(timer, PERF_EVENT_IOC_ENABLE, 0);
	take_turn(pieces, slice_ns, steps);
	ioctl(timer, PERF_EVENT_IOC_DISABLE, 0);
	close(timer);
}

/* libmpx's handler. counted_sig counts its ticks; calling libmpx for their number would warm libmpx's data in
 * the cache. */
static struct sigaction mpx_action;

static void counted_sig(int number, siginfo_t *info, void *context)
{
	ticks++;
	mpx_action.sa_sigaction(number, info, context);
}

/* Take a turn with libmpx. Return the percentage of CPU time that was spent in switches. */
static double turn_with_mpx(struct pieces *pieces, uint64_t slice_ns, uint64_t steps)
{
	struct mpx_thread_info before = MPX_OPTIONS_INIT(mpx_thread_info), after = before;
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	struct sigaction counted;
	double ns;

	start_mpx(slice_ns, 4 * GROUP);
	check(mpx_library_get_info(&info), "mpx_library_get_info");
	need(!sigaction(info.signal_number, NULL, &mpx_action), "sigaction");
	counted = mpx_action;
	counted.sa_sigaction = counted_sig;
	need(!sigaction(info.signal_number, &counted, NULL), "sigaction");
	check(mpx_thread_get_info(&before), "mpx_thread_get_info");
	/* Include scrub_stack in ns, since `before' does: it takes as long as several switches. */
	ns = cpu_ns();
	scrub_stack();
	take_turn(pieces, slice_ns, steps);
	ns = cpu_ns() - ns;
	check(mpx_thread_get_info(&after), "mpx_thread_get_info");
	need(!sigaction(info.signal_number, &mpx_action, NULL), "sigaction");
	end_mpx();
	return 100 * (1 - (double)(after.time - before.time) / ns);
}

/* Return the cost of a tick in ns, from the pieces at this quantile (0 to 1) of their kind. */
static double tick(const struct pieces *pieces, double rank)
{
	return pieces->ns[1][(unsigned)(rank * pieces->n[1])] -
	       pieces->ns[0][(unsigned)(rank * pieces->n[0])];
}

static void print(const struct pieces *pieces, const char *name, const char *rank_name, double rank)
{
	static const char *const handler[HANDLERS] = {"empty_handler", "bare_switch", "slices"};
	double cost[HANDLERS];
	char line[80];
	unsigned k;

	for (k = 0; k < HANDLERS; k++) {
		cost[k] = tick(&pieces[k], rank);
		snprintf(line, sizeof(line), "mpx_%s_%s_%s", name, handler[k], rank_name);
		bench_print(line, cost[k] / 1000, "us");
	}
	snprintf(line, sizeof(line), "mpx_%s_bare_switch_to_empty_handler_%s", name, rank_name);
	bench_ratio(line, cost[RAW] / cost[EMPTY]);
	snprintf(line, sizeof(line), "mpx_%s_slices_to_empty_handler_%s", name, rank_name);
	bench_ratio(line, cost[MPX] / cost[EMPTY]);
}

void program(uint64_t slice_ns, const char *name)
{
	static struct pieces pieces[HANDLERS];
	static double part[TURNS];
	const uint64_t steps = steps_of_piece();
	char line[64];
	unsigned i, k;

	need(slice_ns <= LONGEST_NS, "room for the pieces of longer slices");
	memset(pieces, 0, sizeof(pieces));
	for (i = 0; i < TURNS; i++) {
		turn_with(&pieces[EMPTY], slice_ns, steps, empty_sig);
		turn_with(&pieces[RAW], slice_ns, steps, raw_switch_sig);
		raw_stop();
		part[i] = turn_with_mpx(&pieces[MPX], slice_ns, steps);
	}
	for (k = 0; k < HANDLERS; k++) {
		need(pieces[k].n[0] >= TURNS && pieces[k].n[1] >= TURNS, "a timer's signals");
		for (i = 0; i < 2; i++)
			qsort(pieces[k].ns[i], pieces[k].n[i], sizeof(double), bench_compare);
	}
	print(pieces, name, "5th", 0.05);
	print(pieces, name, "median", 0.5);
	snprintf(line, sizeof(line), "mpx_%s_in_switches", name);
	bench_print(line, bench_median(part, TURNS), "%");
}
