/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a saved state of the node service: they are none, or all of it can be looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_main.h"
#include "service/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct saved_state *s = saved_decode(data, size, "boot");
	uint64_t sum = 0;

	for (unsigned i = 0; s && i < s->counters; i++) {
		sum += strlen(s->counter[i].name) + strlen(s->counter[i].event);
		for (unsigned k = 0; k < s->counter[i].cells; k++) {
			sum += strlen(s->counter[i].cell[k].place);
			for (unsigned t = 0; t < s->counter[i].cell[k].terms; t++)
				sum += s->counter[i].cell[k].sum[t];
		}
	}
	/* Names and sums of more bytes than there are. */
	if (s && s->counters > size)
		abort();
	saved_state_free(s);
	return (int)(sum & 0);
}
