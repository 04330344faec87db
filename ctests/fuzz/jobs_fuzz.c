/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of jobs, of any bytes: read or refused with a message, and what is written of node lists reads as
 * the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/jobs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jobs jobs = {0};
	char message[400] = "";

	if (size > 4096)
		return 0;
	if (jobs_parse("jobs", (const char *)data, size, &jobs, message) != 0 &&
	    (jobs.n != 0 || message[0] == '\0'))
		abort();
	for (unsigned i = 0; i < jobs.n; i++) {
		const struct nodelist *nodes = &jobs.job[i].nodes;
		char *text =
			nodes->n < 1000 ? nodelist_text((const char *const *)nodes->name, nodes->n) : NULL;
		struct nodelist again = {0};
		const char *expected;
		size_t at;

		if (text != NULL) {
			if (nodelist_parse(text, strlen(text), &again, &at, &expected) != 0 ||
			    again.n != nodes->n)
				abort();
			for (unsigned k = 0; k < again.n; k++)
				if (strcmp(again.name[k], nodes->name[k]) != 0)
					abort();
		}
		nodelist_free(&again);
		free(text);
	}
	jobs_free(&jobs);
	return 0;
}
