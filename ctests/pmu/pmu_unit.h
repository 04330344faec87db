/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_unit.h - what the tests of libupc on a PMU with too few counters share: events of
 * programmable counters, units of the first n of them, what such a unit says, and
 * another process that works when it is told to.
 */
#ifndef PMU_UNIT_H
#define PMU_UNIT_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "upc.h"

#define EVENTS_MAX 64u
#define LOOPS 100000u

static struct upc_catalogue *c;
static uint32_t event[EVENTS_MAX]; /* instructions, then others of programmable counters */
static unsigned events;

/* 2n instructions on AArch64, which the machine of pmu-rig counts to the one. */
__attribute__((unused)) static void work(unsigned long n)
{
#ifdef __aarch64__
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	for (volatile unsigned long i = 0; i < n; i++)
		;
#endif
}

/* An event that another name counts as well would be a counter of its own, too; but
 * cycles often have one that nothing else can use. */
static void open_events(void)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	uint32_t code, count;

	if (upc_catalogue_open(NULL, &c)) {
		note("%s", upc_last_message());
		exit(1);
	}
	count = upc_catalogue_count(c);
	if (upc_catalogue_find(c, "perf::INSTRUCTIONS", &event[0]))
		return;
	events = 1;
	for (code = 0; code < count && events < EVENTS_MAX; code++)
		if (!upc_catalogue_info(c, code, &info) && !strcmp(info.subsystem, "hardware") &&
		    info.id == UPC_NO_ID && code != event[0] && !strstr(info.name, "CYC"))
			event[events++] = code;
}

__attribute__((unused)) static struct upc_unit *create(unsigned n, const struct upc_unit_options *options)
{
	struct upc_unit *u = NULL;
	unsigned i;

	if (upc_unit_create(c, options, &u)) {
		note("%s", upc_last_message());
		exit(1);
	}
	for (i = 0; i < n; i++)
		if (upc_unit_add(u, event[i])) {
			note("%s", upc_last_message());
			exit(1);
		}
	return u;
}

__attribute__((unused)) static uint64_t value_of(struct upc_unit *u, uint32_t code, int *error)
{
	uint64_t value = UINT64_MAX;

	*error = upc_unit_read_events(u, &code, 1, &value);
	return value;
}

__attribute__((unused)) static int counter_of(struct upc_unit *u, uint32_t code, unsigned *flags)
{
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	int i;

	for (i = 0; i < UPC_COUNTERS; i++)
		if (!upc_counter_state(u, i, &info) && info.flags & UPC_COUNTER_BOUND && info.code == code) {
			*flags = info.flags;
			return i;
		}
	return -1;
}

__attribute__((unused)) static void refused(int error, const char *what, const char *part)
{
	ok(error == UPC_ECONFLICT && strstr(upc_last_message(), part), "%s is refused: %s", what,
	   error ? upc_last_message() : "it was not");
}

struct other {
	pid_t pid;
	int to, from;
};

__attribute__((unused)) static void start_other(struct other *o)
{
	int to[2], from[2];
	char byte;

	if (pipe(to) || pipe(from))
		exit(1);
	o->pid = fork();
	if (o->pid == 0) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1) {
			work(LOOPS);
			if (write(from[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	o->to = to[1];
	o->from = from[0];
	close(to[0]);
	close(from[1]);
}

__attribute__((unused)) static int let_work(const struct other *o)
{
	char byte = 0;

	return write(o->to, &byte, 1) == 1 && read(o->from, &byte, 1) == 1;
}

/* It ends, and is waited for. */
__attribute__((unused)) static void end_other(struct other *o)
{
	close(o->to);
	close(o->from);
	waitpid(o->pid, NULL, 0);
}

#endif /* PMU_UNIT_H */
