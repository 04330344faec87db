/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_report.c - a line on standard error for each thing that is refused, once.
 * PAPI hands its callers a bare number; this is where the words go.
 *
 * A report is put down first, without stdio, allocation or lock, so that a signal handler may
 * make one. It is said at once, or where that may not be by the next call that may.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/later.h"
#include "core/error.h"
#include "runtime/turns.h"
#include "upc_caller.h"
#include "upc_report.h"

#define LINES_MAX 8 /* of a kind: a program that asks for all names needs no more */
#define KINDS (UPCP_REPORT_SETTING + 1)

static struct upci_later waiting;
static int any; /* relaxed: what is missed is said by the next call */
static int quiet;

/* Hashes of what was said, 0: free; partners: only this file's atomics. */
static uint32_t said[KINDS][LINES_MAX];

/* Sets that this thread has started and not stopped, which would count the saying.
 * initial-exec: no access allocates. */
static __thread int running __attribute__((tls_model("initial-exec")));

/* The first to write to a page while a set runs would have a page fault counted. */
static void touch_memory(volatile char *memory, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += 64)
		memory[i] = memory[i];
}

void upcp_report_open(void)
{
	const char *wish = getenv("UPC_QUIET");

	touch_memory((volatile char *)&waiting, sizeof(waiting));
	touch_memory((volatile char *)said, sizeof(said));
	quiet = wish && *wish && strcmp(wish, "0") != 0;
}

static void say_waiting_lines(void)
{
	struct upci_later_line *line;
	ssize_t written;

	__atomic_store_n(&any, 0, __ATOMIC_RELAXED);
	while ((line = upci_later_take(&waiting))) {
		written = write(STDERR_FILENO, line->text, strlen(line->text));
		(void)written; /* there is nothing else to do where it fails */
		upci_later_free(line);
	}
}

static void say_if_possible(void)
{
	if (__atomic_load_n(&any, __ATOMIC_RELAXED) && !running && !upcp_caller_in_handler())
		say_waiting_lines();
}

void upcp_report_started(void)
{
	running++;
}

void upcp_report_stopped(void)
{
	/* None is known where a child stops its copy of a parent's, or a thread another's. */
	if (running > 0)
		running--;
	say_if_possible();
}

void upcp_report_forked(void)
{
	running = 0;
	memset(&waiting, 0, sizeof(waiting));
	any = 0;
}

static uint32_t hash_report_text(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h ? h : 1;
}

/* Whether it is news, of a kind that has not had enough of them. */
static int is_news(enum upcp_report kind, uint32_t h)
{
	uint32_t before;
	int i;

	for (i = 0; i < LINES_MAX; i++) {
		before = 0;
		if (__atomic_compare_exchange_n(&said[kind][i], &before, h, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return 1;
		if (before == h)
			return 0;
	}
	return 0;
}

void upcp_report(enum upcp_report kind, const char *message)
{
	struct upci_later_line *line;

	if (!*message || quiet || !is_news(kind, hash_report_text(message)))
		return;
	line = upci_later_begin(&waiting);
	if (!line)
		return;
	snprintf(line->text, sizeof(line->text), "PAPI upc: %s\n", message);
	upci_later_put(line);
	__atomic_store_n(&any, 1, __ATOMIC_RELAXED);
	say_if_possible();
}

int upcp_report_core(int error)
{
	if (error != MPXI_ENOMEM)
		upcp_report(error == MPXI_ECNFLCT ? UPCP_REPORT_CONFLICT : UPCP_REPORT_REFUSED,
			    mpxi_last_message());
	return error - MPXI_TOLD;
}

/* Writes the lines that were put off: a program may end with its sets running. */
__attribute__((destructor)) static void say_the_rest(void)
{
	if (__atomic_load_n(&any, __ATOMIC_RELAXED))
		say_waiting_lines();
}
