/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keep.c - memory of a finished job.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/keep.h"

struct block {
	struct block *next;
	_Alignas(max_align_t) unsigned char bytes[];
};

struct kept {
	struct jobstat_job job; /* first member: a pointer to it is a pointer to struct kept */
	struct block *block;
	bool failed;
};

struct jobstat_job *keep_job(void)
{
	struct kept *kept = calloc(1, sizeof(*kept));

	return kept != NULL ? &kept->job : NULL;
}

void *keep_job_memory(struct jobstat_job *job, size_t n, size_t size)
{
	struct kept *kept = (struct kept *)job;
	struct block *block = NULL;
	size_t bytes;

	if (!__builtin_mul_overflow(n, size, &bytes) && bytes < SIZE_MAX - sizeof(*block))
		block = calloc(1, sizeof(*block) + bytes);
	if (block == NULL) {
		kept->failed = true;
		return NULL;
	}
	block->next = kept->block;
	kept->block = block;
	return block->bytes;
}

const char *keep_text(struct jobstat_job *job, const char *text)
{
	const size_t n = strlen(text) + 1;
	char *own = keep_job_memory(job, n, 1);

	return own != NULL ? memcpy(own, text, n) : "";
}

const char *keep_format(struct jobstat_job *job, const char *format, ...)
{
	const char *own;
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		((struct kept *)job)->failed = true;
		return "";
	}
	own = keep_text(job, text);
	free(text);
	return own;
}

bool keep_failed(const struct jobstat_job *job)
{
	return ((const struct kept *)job)->failed;
}

void jobstat_job_free(struct jobstat_job *job)
{
	struct kept *kept = (struct kept *)job;

	while (kept != NULL && kept->block != NULL) {
		struct block *next = kept->block->next;

		free(kept->block);
		kept->block = next;
	}
	free(kept);
}
