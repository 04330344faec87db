/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics_sets.c - the sets of metrics installed with the tools, and the choice for this machine.
 *
 * Terms: metrics/metrics.h.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalogue/cat_pfm.h"
#include "catalogue/nearest.h"
#include "metrics/metrics_set.h"
#include "perf/pmus.h"

#define SUFFIX ".metrics"

static const char *metrics_folder(void)
{
	const char *given = getenv("UPC_METRICS");

	return given && *given ? given : METRICS_PATH;
}

static bool ends_with_suffix(const char *name)
{
	size_t n = strlen(name), suffix = strlen(SUFFIX);

	return n > suffix && !strcmp(name + n - suffix, SUFFIX);
}

static int select_sets(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && ends_with_suffix(entry->d_name);
}

static int by_set_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

char **metrics_names(void)
{
	struct dirent **entry = NULL;
	int n = scandir(metrics_folder(), &entry, select_sets, by_set_name), i;
	char **names = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(*names));
	bool whole = names != NULL;

	for (i = 0; i < n; i++) {
		if (names)
			names[i] = strndup(entry[i]->d_name, strlen(entry[i]->d_name) - strlen(SUFFIX));
		whole = whole && names[i];
		free(entry[i]);
	}
	free(entry);
	if (whole)
		return names;
	for (i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
	return NULL;
}

void metrics_names_free(char **names)
{
	size_t i;

	for (i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

static int open_metrics_set(const char *name, struct metrics **metrics)
{
	char *path;
	int error;

	*metrics = NULL;
	if (asprintf(&path, "%s/%s" SUFFIX, metrics_folder(), name) < 0)
		return upci_fail(UPC_ENOMEM, "%.200s: no memory for its path", name);
	error = metrics_load(path, metrics);
	free(path);
	return error;
}

static int fail_unknown_set(const char *name, char *const *names)
{
	struct upci_nearest nearest = {.max = 1};
	struct upci_out out;
	char list[1000];
	size_t i;

	out = (struct upci_out){.text = list, .size = sizeof(list)};
	for (i = 0; names && names[i]; i++) {
		upci_nearest_offer(&nearest, name, names[i]);
		upci_out(&out, "%s%s", i ? ", " : "", names[i]);
	}
	if (!out.length)
		return upci_fail(UPC_ENOEVENT,
				 "there is no set of metrics '%.100s': %.200s has none (a file's name has a "
				 "'/', or ends with " SUFFIX ")",
				 name, metrics_folder());
	return upci_fail(UPC_ENOEVENT, "there is no set of metrics '%.100s'%s%.100s%s; there are %s", name,
			 nearest.count ? ": did you mean " : "", nearest.count ? nearest.name[0] : "",
			 nearest.count ? "?" : "", list);
}

int metrics_open(const char *name, struct metrics **metrics)
{
	char **names;
	int error;
	size_t i;

	if (strchr(name, '/') || ends_with_suffix(name))
		return metrics_load(name, metrics);
	*metrics = NULL;
	names = metrics_names();
	for (i = 0; names && names[i] && strcmp(names[i], name); i++)
		;
	error = names && names[i] ? open_metrics_set(name, metrics) : fail_unknown_set(name, names);
	metrics_names_free(names);
	return error;
}

/* True if the event is of a CPU's PMU that libpfm4 knows, such as "skl::...". */
static bool is_of_a_pmu(const char *event)
{
	const char *colons = strstr(event, "::");

	return colons && colons[2] != ':' && strncmp(event, "perf::", strlen("perf::"));
}

bool metrics_fits(const struct metrics *metrics)
{
	unsigned i;

	if (!upci_pmu_core_is_there())
		return false;
	for (i = 0; i < metrics->events; i++)
		if (is_of_a_pmu(metrics->event[i]))
			return !upci_pfm_is_elsewhere(metrics->event[i]);
	return false;
}

int metrics_choose(struct metrics **metrics)
{
	char **names;
	size_t i;

	*metrics = NULL;
	if (!upci_pmu_core_is_there())
		return open_metrics_set("nopmu", metrics);
	names = metrics_names();
	for (i = 0; names && names[i]; i++) {
		/* A set with an error is skipped here; opening it by name reports the error. */
		if (!open_metrics_set(names[i], metrics) && metrics_fits(*metrics))
			break;
		metrics_free(*metrics);
		*metrics = NULL;
	}
	metrics_names_free(names);
	return *metrics ? 0 : open_metrics_set("papi", metrics);
}
