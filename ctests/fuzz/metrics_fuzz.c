/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a file of metrics: refused with a place in it, or its metrics have values of counts of
 * all kinds, inside their intervals.
 * With UPC_FUZZ_MAIN a program without libFuzzer, for files given to it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_main.h"
#include "metrics/metrics.h"
#include "upc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COUNTS_MAX 256u

static void check_value(const struct metrics *m, unsigned metric, const struct metrics_columns *columns,
			const struct metrics_counts *counts)
{
	struct metric_value v;

	metrics_value(m, metric, columns, counts, &v);
	if (v.missing) {
		if (!isnan(v.value) || v.missing != metrics_missing(m, metric, columns, counts, NULL, 0))
			abort();
		return;
	}
	if (isnan(v.low) || isnan(v.high))
		abort();
	if (isnan(v.value) ? !v.open : !(v.low <= v.value && v.value <= v.high))
		abort();
	if (v.exact && !v.open && (v.low != v.high || v.error != 0))
		abort();
}

static void check_values(const struct metrics *m, const uint8_t *data, size_t size)
{
	unsigned n = metrics_events(m) < COUNTS_MAX ? metrics_events(m) : COUNTS_MAX, i;
	struct upcr_value value[COUNTS_MAX];
	const char *name[COUNTS_MAX];
	struct metrics_columns *columns;

	for (i = 0; i < n; i++) {
		uint8_t byte = data[(i * 7919u) % size];
		double count = ldexp(byte & 31, byte >> 2), error = count * (byte & 7) / 16;

		name[i] = metrics_event(m, i);
		value[i] = byte % 3 == 0 ? upcr_exact((uint64_t)byte << (byte & 48))
			   : byte % 17 == 0
				   ? upcr_uncounted()
				   : upcr_estimated(count, error, count - 3 * error, count + 2 * error, .5,
						    byte % 29 ? 0 : UPCR_PARTIAL);
	}
	columns = metrics_bind(m, name, n);
	if (!columns)
		abort();
	for (i = 0; i < metrics_count(m); i++) {
		check_value(m, i, columns,
			    &(struct metrics_counts){
				    .seconds = data[0] / 16., .calls = data[size / 2], .value = value});
		metrics_at(m, i);
	}
	metrics_unbind(columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metrics *m;
	unsigned line, column;
	int error = metrics_parse((const char *)data, size, "f", &m);

	if (!error) {
		check_values(m, data, size);
		metrics_free(m);
	} else if (error != UPC_EWIRING || m ||
		   sscanf(upc_last_message(), "f:%u:%u: expected ", &line, &column) != 2) {
		fprintf(stderr, "%s\n", upc_last_message());
		abort();
	}
	return 0;
}
