/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * data.h - what the command line tools print for other programs: JSON, whose fields are in
 * doc/reference/json.md, and CSV.
 */
#ifndef UTIL_DATA_H
#define UTIL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "lib/common.h"

/* The schema number of all tools' JSON; it grows when a field goes, or means something else.
 * src/mpx/shim/shim_report.c writes mpx_run's JSON, and has the same number. */
#define UTIL_SCHEMA 1

/* The begin of each JSON text: schema, tool, version. */
json_t *util_json_begin(const char *tool);

/* A JSON string of any bytes: bytes that are no UTF-8 become U+FFFD. */
json_t *util_json_string(const char *text);

/* A JSON number; a value of 2^63 or more is no JSON integer that readers agree
 * on and becomes a real. */
json_t *util_json_count(uint64_t value);

/* Writes a value, on one line or indented, and a newline; drops it. */
int util_json_put(FILE *out, json_t *value, bool one_line);

/* Writes one CSV field, quoted where RFC 4180 wants it. */
void util_csv_put(FILE *out, const char *text);

/* A line of them; NULL is empty. */
void util_csv_row(FILE *out, const char *const fields[], size_t n);

/* An event of the catalogue, as an object and as a line. */
json_t *util_json_event(const struct upc_event_info *event);
void util_csv_event_head(FILE *out);
void util_csv_event(FILE *out, const struct upc_event_info *event);

#endif
