/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a wiring file: refused with a place in it and nothing changed, or
 * applied; and then what is printed is taken back and printed the same.
 * With UPC_FUZZ_MAIN a program without libFuzzer, for files given to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wiring/wiring.h"
#include "fuzz_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Applied files stay in the catalogue, so it is opened anew now and then. */
#define APPLIED_MAX 500

static struct upc_catalogue *open_catalogue(void)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	struct upc_catalogue *c;

	if (upc_catalogue_open(&options, &c)) {
		fprintf(stderr, "%s\n", upc_last_message());
		abort();
	}
	return c;
}

static const struct upci_event **snapshot(struct upc_catalogue *c, uint32_t *count)
{
	const struct upci_event **events;
	uint32_t i;

	*count = upc_catalogue_count(c);
	events = malloc(*count * sizeof(*events));
	if (!events)
		abort();
	for (i = 0; i < *count; i++)
		events[i] = upci_catalogue_event(c, i);
	return events;
}

/* A replaced event has another address. */
static void check_unchanged(struct upc_catalogue *c, const struct upci_event **events, uint32_t count)
{
	uint32_t i;

	if (upc_catalogue_count(c) != count)
		abort();
	for (i = 0; i < count; i++)
		if (upci_catalogue_event(c, i) != events[i])
			abort();
}

/* The changed events once more, by way of their text. */
static void check_printed(struct upc_catalogue *c, const struct upci_event **events, uint32_t count)
{
	static char line[200000], again[200000];
	uint32_t now = upc_catalogue_count(c), i;
	char *text;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		abort();
	fputs("upc-wiring 1\n", file);
	for (i = 0; i < now; i++)
		if (i >= count || upci_catalogue_event(c, i) != events[i]) {
			int n = upci_wiring_print(c, upci_catalogue_event(c, i), line, sizeof(line));

			if (n <= 0 || (size_t)n >= sizeof(line))
				abort();
			fputs(line, file);
		}
	fclose(file);
	if (upci_wiring_parse(c, text, length, "printed")) {
		fprintf(stderr, "%s\n%s", upc_last_message(), text);
		abort();
	}
	for (i = 0; i < now; i++)
		if (i >= count || upci_catalogue_event(c, i) != events[i]) {
			upci_wiring_print(c, upci_catalogue_event(c, i), again, sizeof(again));
			/* Events without a source are comments, which
			 * change nothing. */
			if (again[0] != '#' && !strstr(text, again))
				abort();
		}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct upc_catalogue *c;
	static unsigned applied;
	const struct upci_event **events;
	uint32_t count;
	unsigned line, column;
	int error;

	if (!c || applied == APPLIED_MAX) {
		upc_catalogue_close(c);
		c = open_catalogue();
		applied = 0;
	}
	events = snapshot(c, &count);
	error = upci_wiring_parse(c, (const char *)data, size, "f");
	if (!error) {
		applied++;
		check_printed(c, events, count);
	} else {
		if (error != UPC_EWIRING)
			abort();
		if (sscanf(upc_last_message(), "f:%u:%u: expected ", &line, &column) != 2)
			abort();
		check_unchanged(c, events, count);
	}
	free(events);
	return 0;
}
