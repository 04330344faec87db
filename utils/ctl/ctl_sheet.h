/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_sheet.h - prints the service's answers as text, JSON or CSV.
 *
 * Terms:
 *   counter     a counter of the node service, which counts one event on all of its places
 *   place       a CPU, a NUMA node, a control group or the whole node, as far as a counter has a value for it
 *   state       counting, or the reason why a counter does not count: halted, taken, yielded, failed ...
 *   yield       the service stops its hardware counters for a program, until the program has ended
 *   answer      the JSON object that the service returns for a command
 *   all others  lib/common.h
 */
#ifndef CTL_SHEET_H
#define CTL_SHEET_H

#include <stdio.h>

#include <jansson.h>

#include "lib/common.h"

/* Print the counters of an answer to ls: number, name, event, scope and state in columns. Below the columns
 * follow the reasons for states other than "counting", once each, and the programs that the counters are
 * yielded for. */
void ctl_put_counters(FILE *out, const json_t *answer);

/* Print an answer to status: the facts about the service, one per line, then the counters. */
void ctl_put_status(FILE *out, const char *path, const json_t *answer);

/* Print an answer to any command as JSON or CSV. Return as sheet_print_data does. */
int ctl_put_data(FILE *out, const json_t *answer, enum util_format format);

#endif
