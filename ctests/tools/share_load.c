/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * share_load.c - counts events of itself and shares the unit, for what watches one.
 *
 *   share_load [-g] [-s] [-x] NAME SECONDS EVENT...
 *
 *   -g   the group may read it
 *   -s   the unit is not started yet: SIGUSR2 does
 *   -x   ends without a word to the unit, as a program that was not written well
 *
 * Prints "ready" when the unit is shared, then touches 10 fresh pages and reads the
 * unit, 50 times a second, until the seconds are over or SIGTERM or SIGINT comes. On
 * SIGUSR1 the last EVENT is taken away, or added again; on SIGUSR2 the unit is stopped,
 * or started again; on SIGHUP its counters are reset.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "upc.h"

#define PAGES 10
#define PERIOD_NS 20000000

struct load {
	struct upc_catalogue *catalogue;
	struct upc_unit *unit;
	const char *name;
	uint32_t last; /* the last event's code */
	bool has_last, group, stopped, silent;
};

static void die(const char *what)
{
	fprintf(stderr, "share_load: %s: %s\n", what, upc_last_message());
	exit(1);
}

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p =
		mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if ((void *)p == MAP_FAILED) {
		perror("share_load: mmap");
		exit(1);
	}
	madvise((void *)p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
	munmap((void *)p, PAGES * page);
}

static void begin(struct load *l, char **events)
{
	struct upc_share_options options = UPC_OPTIONS_INIT(upc_share_options);

	if (upc_catalogue_open(NULL, &l->catalogue) != 0 ||
	    upc_unit_create(l->catalogue, NULL, &l->unit) != 0)
		die("create");
	for (; *events != NULL; events++)
		if (upc_catalogue_find(l->catalogue, *events, &l->last) != 0 ||
		    upc_unit_add(l->unit, l->last) != 0)
			die(*events);
	l->has_last = true;
	options.group = l->group;
	if ((!l->stopped && upc_unit_start(l->unit) != 0) || upc_unit_share(l->unit, l->name, &options) != 0)
		die(l->name);
	puts("ready");
	fflush(stdout);
}

/* false: it is time to end. */
static bool on_signal(struct load *l, int number)
{
	int error = 0;

	switch (number) {
	case SIGUSR1:
		error = l->has_last ? upc_unit_remove(l->unit, l->last) : upc_unit_add(l->unit, l->last);
		l->has_last = !l->has_last;
		break;
	case SIGUSR2:
		error = upc_unit_running(l->unit) ? upc_unit_stop(l->unit) : upc_unit_start(l->unit);
		break;
	case SIGHUP:
		error = upc_unit_reset(l->unit);
		break;
	default:
		return false;
	}
	if (error != 0)
		die(strsignal(number));
	return true;
}

static void run(struct load *l, const sigset_t *signals, double seconds)
{
	const struct timespec period = {.tv_nsec = PERIOD_NS};
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		int number = sigtimedwait(signals, NULL, &period);

		if (number > 0 && !on_signal(l, number))
			return;
		touch_pages();
		if (upc_unit_read(l->unit, NULL) != 0)
			die("read");
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 < seconds);
}

int main(int argc, char **argv)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP};
	struct load load = {.unit = NULL};
	sigset_t signals;
	double seconds;
	int option;

	while ((option = getopt(argc, argv, "+gsx")) != -1)
		switch (option) {
		case 'g':
			load.group = true;
			break;
		case 's':
			load.stopped = true;
			break;
		case 'x':
			load.silent = true;
			break;
		default:
			return 2;
		}
	argv += optind;
	argc -= optind;
	seconds = argc >= 3 ? strtod(argv[1], NULL) : 0;
	if (seconds <= 0) {
		fprintf(stderr, "usage: share_load [-g] [-s] [-x] NAME SECONDS EVENT...\n");
		return 2;
	}
	load.name = argv[0];
	/* Blocked from here on, so that none comes between two waits. */
	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	begin(&load, argv + 2);
	run(&load, &signals, seconds);
	if (load.silent)
		_exit(0);
	upc_unit_destroy(load.unit);
	upc_catalogue_close(load.catalogue);
	return 0;
}
