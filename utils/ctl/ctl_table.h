/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_table.h - what the service has answered, for people, and as CSV.
 */
#ifndef CTL_TABLE_H
#define CTL_TABLE_H

#include <stdio.h>

#include <jansson.h>

/* The counters of an answer to ls: number, name, event, scope and state in columns, and below them
 * once each why a state is not "counting", and for whom they are yielded. */
void ctl_put_counters(FILE *out, const json_t *answer);

/* An answer to status: what is known of the service, a line each, then the counters. */
void ctl_put_status(FILE *out, const char *path, const json_t *answer);

/* The counters of an answer as CSV, a line for each place of each. */
void ctl_put_csv(FILE *out, const json_t *answer);

#endif
