/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_report.c - a line on standard error for each thing that is refused, once.
 * PAPI hands its callers a bare number; this is where the words go.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "upc_report.h"

#define LINES_MAX 8 /* of a kind: a program that asks for all names needs no more */
#define KINDS     (UPCP_REPORT_SHARE + 1)

/* Hashes of what was said, 0: free; partners: only this file's atomics. */
static uint32_t said[KINDS][LINES_MAX];

static int quiet(void)
{
	const char *wish = getenv("UPC_QUIET");

	return wish && *wish && strcmp(wish, "0") != 0;
}

static uint32_t hash(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h ? h : 1;
}

void upcp_report(enum upcp_report kind, const char *message)
{
	uint32_t h = hash(message), before;
	int i;

	if (!*message || quiet())
		return;
	for (i = 0; i < LINES_MAX; i++) {
		before = 0;
		if (__atomic_compare_exchange_n(&said[kind][i], &before, h, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			break;
		if (before == h)
			return;
	}
	if (i < LINES_MAX)
		fprintf(stderr, "PAPI upc: %s\n", message);
}

void upcp_report_from_handler(const char *message)
{
	/* There is nothing else to do where it fails. */
	if (!quiet() && write(STDERR_FILENO, message, strlen(message)) < 0)
		return;
}
