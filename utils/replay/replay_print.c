/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_print.c - prints what a script of upc_replay reads, and the interrupts and parity errors of the
 * unit: as text in the format of the unit's contract, as one JSON object per line, or as CSV lines.
 *
 * A script can print more than fits into memory, so nothing is stored here. Registers have 64 bits, and many
 * JSON readers keep only 53 bits of a number, so JSON has registers as text.
 *
 * Terms: replay/replay_vcd.h.
 */
#include "replay/replay_print.h"

#include <inttypes.h>

#include "lib/data.h"

static json_t *begin_replay_record(const char *record)
{
	json_t *object = util_json_begin("upc_replay");

	json_object_set_new(object, "record", json_string(record));
	return object;
}

static void set_hex(json_t *object, const char *key, int digits, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%0*" PRIx64, digits, value);
	json_object_set_new(object, key, json_string(text));
}

void replay_print_begin(enum util_format format)
{
	if (format == UTIL_CSV)
		puts("record,offset,value,counter,cycle,engine,cycles,cycles_closed,seconds");
}

void replay_print_read(enum util_format format, uint64_t offset, uint64_t value)
{
	json_t *object;

	switch (format) {
	case UTIL_TEXT:
		printf("0x%03" PRIx64 " 0x%016" PRIx64 "\n", offset, value);
		break;
	case UTIL_JSON:
		object = begin_replay_record("read");
		set_hex(object, "offset", 3, offset);
		set_hex(object, "value", 16, value);
		util_json_put(stdout, object, true);
		break;
	case UTIL_CSV:
		printf("read,0x%03" PRIx64 ",0x%016" PRIx64 ",,,,,,\n", offset, value);
		break;
	}
}

void replay_print_fault(enum util_format format, uint64_t offset)
{
	json_t *object;

	switch (format) {
	case UTIL_TEXT:
		printf("fault 0x%" PRIx64 "\n", offset);
		break;
	case UTIL_JSON:
		object = begin_replay_record("fault");
		set_hex(object, "offset", 3, offset);
		util_json_put(stdout, object, true);
		break;
	case UTIL_CSV:
		printf("fault,0x%03" PRIx64 ",,,,,,,\n", offset);
		break;
	}
}

void replay_print_event(enum util_format format, const char *what, unsigned counter, uint64_t cycle)
{
	json_t *object;

	switch (format) {
	case UTIL_TEXT:
		printf("%s %u %" PRIu64 "\n", what, counter, cycle);
		break;
	case UTIL_JSON:
		object = begin_replay_record(what);
		json_object_set_new(object, "counter", json_integer(counter));
		json_object_set_new(object, "cycle", util_json_count(cycle));
		util_json_put(stdout, object, true);
		break;
	case UTIL_CSV:
		printf("%s,,,%u,%" PRIu64 ",,,,\n", what, counter, cycle);
		break;
	}
}

void replay_print_stats(enum util_format format, const struct replay_stats *stats)
{
	json_t *object;

	switch (format) {
	case UTIL_TEXT:
		fprintf(stderr,
			"engine: %s\n"
			"cycles: %" PRIu64 "\n"
			"in closed form: %" PRIu64 "\n"
			"seconds: %.9f\n"
			"cycles a second: %.0f\n",
			stats->engine, stats->cycles, stats->closed, stats->seconds,
			stats->seconds > 0 ? (double)stats->cycles / stats->seconds : 0);
		break;
	case UTIL_JSON:
		object = begin_replay_record("stats");
		json_object_set_new(object, "engine", json_string(stats->engine));
		json_object_set_new(object, "cycles", util_json_count(stats->cycles));
		json_object_set_new(object, "cycles_closed", util_json_count(stats->closed));
		json_object_set_new(object, "seconds", json_real(stats->seconds));
		util_json_put(stdout, object, true);
		break;
	case UTIL_CSV:
		printf("stats,,,,,%s,%" PRIu64 ",%" PRIu64 ",%.9f\n", stats->engine, stats->cycles,
		       stats->closed, stats->seconds);
		break;
	}
}
