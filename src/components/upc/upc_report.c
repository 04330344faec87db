/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_report.c - writes one line to standard error for each thing that is refused, once. PAPI
 * returns only an error number to its callers; this file writes the explanation.
 *
 * A report is first stored without stdio, allocation or lock, so that a signal handler may report.
 * The line is written at once if that is possible, and otherwise by a later call.
 *
 * Terms: upc_set.h.
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

#define LINES_MAX 8 /* per kind: enough even for a program that looks up all names */
#define KINDS (UPCP_REPORT_SETTING + 1)

static struct upci_later waiting;
static int any; /* lines wait; relaxed: a line that a call does not see is written by the next call */
static int quiet;

/*
 * Hashes of lines already reported, 0 for a free entry. Only the atomics of this file access them.
 */
static uint32_t said[KINDS][LINES_MAX];

/*
 * Number of sets that this thread has started and not stopped. These sets would count the writing of
 * a line. With the model initial-exec, no access allocates.
 */
static __thread int running __attribute__((tls_model("initial-exec")));

/*
 * Write to each page in advance. A first write while a set runs would cause a page fault that the
 * set counts.
 */
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
		(void)written; /* nothing can be done about a failed write */
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
	/*
	 * running is 0 if a child stops its copy of the parent's set, or a thread stops another
	 * thread's set.
	 */
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

/* True if the hash is new and its kind has a free entry. Records the hash. */
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

/* Write the lines that are not yet written when the program ends, while its sets may still run. */
__attribute__((destructor)) static void say_the_rest(void)
{
	if (__atomic_load_n(&any, __ATOMIC_RELAXED))
		say_waiting_lines();
}
