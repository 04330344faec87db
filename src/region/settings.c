/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settings.c - reads the environment's variables, and makes the file's name.
 */
#include "region/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEFAULT 10000
#define MAX_MOST (1u << 24)

static bool number_of_setting(const char *name, uint64_t *value)
{
	const char *text = getenv(name);
	char *end;

	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end;
}

void upcr_settings_read(struct upcr_settings *settings)
{
	uint64_t max;

	*settings = (struct upcr_settings){.max = MAX_DEFAULT};
	/* The environment must not choose the files of a program that has another user's rights. */
	settings->events = secure_getenv("UPC_REGIONS_EVENTS");
	settings->out = secure_getenv("UPC_REGIONS_OUT");
	if (settings->out && !settings->out[0])
		settings->out = NULL;
	if (!number_of_setting("UPC_REGIONS_SLICE", &settings->slice_ns))
		settings->slice_ns = 0;
	settings->simulate = getenv("UPC_REGIONS_SIM") != NULL;
	if (number_of_setting("UPC_REGIONS_MAX", &max) && max && max <= MAX_MOST)
		settings->max = (unsigned)max;
}

static long first_of(const char *const *name)
{
	uint64_t value;

	for (; *name; name++)
		if (number_of_setting(*name, &value) && value <= INT32_MAX)
			return (long)value;
	return -1;
}

long upcr_rank(void)
{
	static const char *const name[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
					   NULL};

	return first_of(name);
}

long upcr_ranks(void)
{
	static const char *const name[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};

	return first_of(name);
}

bool upcr_out_path(const char *out, pid_t pid, bool child, char *path, size_t size)
{
	char piece[256];
	size_t used = 0, length;

	child = child && !strstr(out, "%p");
	for (; *out || child; used += length) {
		piece[0] = *out;
		piece[1] = '\0';
		if (!*out) {
			snprintf(piece, sizeof(piece), ".%d", (int)pid);
			child = false;
		} else if (out[0] == '%' && out[1] == 'p') {
			snprintf(piece, sizeof(piece), "%d", (int)pid);
		} else if (out[0] == '%' && out[1] == 'r') {
			snprintf(piece, sizeof(piece), "%ld", upcr_rank() < 0 ? 0 : upcr_rank());
		} else if (out[0] == '%' && out[1] == 'h') {
			if (gethostname(piece, sizeof(piece)))
				strcpy(piece, "localhost");
			piece[sizeof(piece) - 1] = '\0';
		}
		out += !*out ? 0 : out[0] == '%' && out[1] && strchr("prh", out[1]) ? 2 : 1;
		length = strlen(piece);
		if (used + length >= size)
			return false;
		memcpy(path + used, piece, length + 1);
	}
	return used > 0;
}
