/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels.c - labels of metrics are JSON, whatever the names are; and names, numbers and units of families.
 */
#include "unit/unit_test.h"

#include <jansson.h>

#include "pmda/clean.h"
#include "pmda/labels.h"

static struct pmids_entry entry_of(const char *name, const char *event, enum service_scope scope)
{
	return (struct pmids_entry){.key = {.name = name, .event = event, .unit = "events", .scope = scope},
				    .metric = "perf.a",
				    .slot = 0x2cd1a};
}

TEST(test_plain)
{
	struct pmids_entry entry = entry_of("a", "perf::A", SERVICE_CPU);
	char text[256];

	assert_string_equal(
		labels_text(&entry, FAMILY_CPU, text, sizeof(text)),
		"{\"event\":\"perf::A\",\"counter\":\"a\",\"scope\":\"cpu\",\"source\":\"perf\"}");
	assert_string_equal(
		labels_text(&entry, FAMILY_RUNNING_NUMA, text, sizeof(text)),
		"{\"event\":\"perf::A\",\"counter\":\"a\",\"scope\":\"numa\",\"source\":\"perf\"}");
	entry.key.event = "PU0_JPIPE_INSTRUCTIONS";
	assert_non_null(strstr(labels_text(&entry, FAMILY_CPU, text, sizeof(text)), "\"source\":\"upc\""));
}

/* Names may have any bytes before they are cleaned; labels that do not fit are "", not half of them. */
TEST(test_any_bytes)
{
	char name[PMIDS_TEXT], event[PMIDS_TEXT], raw[PMIDS_TEXT], text[4 * PMIDS_TEXT];
	struct pmids_entry entry = entry_of(name, event, SERVICE_NODE);
	unsigned seed = 5, round, i, length;
	json_t *set;

	for (round = 0; round < 5000; round++) {
		length = (seed = seed * 1103515245 + 12345) >> 16 & 255;
		for (i = 0; i < length; i++) {
			seed = seed * 1103515245 + 12345;
			raw[i] = (seed >> 31) ? "\"\\:{"[seed >> 16 & 3] : (char)((seed >> 16 & 255) | 1);
		}
		raw[length] = 0;
		clean_text(raw, name, sizeof(name));
		clean_text(raw + length / 2, event, sizeof(event));
		labels_text(&entry, FAMILY_NODE, text, sizeof(text));
		set = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(set);
		assert_int_equal(json_object_size(set), 4);
		assert_string_equal(json_string_value(json_object_get(set, "counter")), name);
		assert_string_equal(json_string_value(json_object_get(set, "event")), event);
		json_decref(set);
		labels_text(&entry, FAMILY_NODE, text, 1 + round % 300);
		set = json_loads(text[0] ? text : "{}", 0, NULL);
		assert_non_null(set);
		json_decref(set);
	}
}

UNIT_TESTS(labels, NULL, NULL)
