/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_sheet.h - what the service has answered, for people and for programs.
 */
#ifndef CTL_SHEET_H
#define CTL_SHEET_H

#include <stdio.h>

#include <jansson.h>

#include "lib/common.h"

/* The counters of an answer to ls: number, name, event, scope and state in columns, and below them
 * once each why a state is not "counting", and for whom they are yielded. */
void ctl_put_counters(FILE *out, const json_t *answer);

/* An answer to status: what is known of the service, a line each, then the counters. */
void ctl_put_status(FILE *out, const char *path, const json_t *answer);

/* An answer to any command as JSON or CSV: UTIL_OK, or UTIL_FAILED as sheet_print_data. */
int ctl_put_data(FILE *out, const json_t *answer, enum util_format format);

#endif
