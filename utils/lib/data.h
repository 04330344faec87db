/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * data.h - writes JSON (doc/reference/json.md describes the fields) and CSV for other programs.
 */
#ifndef UTIL_DATA_H
#define UTIL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "lib/common.h"

/* Schema number of upc_replay's JSON. The other tools write JSON with sheet_json (sheet/sheet.h). */
#define UTIL_SCHEMA 1

/* Return the first fields of each JSON text: schema, tool, version. */
json_t *util_json_begin(const char *tool);

/* Return a JSON string of any bytes. Bytes that are not UTF-8 become U+FFFD. */
json_t *util_json_string(const char *text);

/* Return a JSON number. A value of 2^63 or more becomes a real, because not all readers accept such
 * integers. */
json_t *util_json_count(uint64_t value);

/* Write a value, on one line or indented, and a newline. Drop the reference to the value. */
int util_json_put(FILE *out, json_t *value, bool one_line);

/* Write one CSV field, quoted if RFC 4180 requires it. */
void util_csv_put(FILE *out, const char *text);

#endif
