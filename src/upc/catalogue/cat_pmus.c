/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_pmus.c - events that PMUs describe in /sys/bus/event_source/devices.
 * Terms: catalogue/catalogue.h, base/target.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/cat_pfm.h"
#include "catalogue/cat_pmus.h"
#include "base/message.h"
#include "perf/pmus.h"
#include "procfs/roots.h"

/* Store the bits of value in the fields that a format file names, such as "config1:0-7,32-35". False if they
 * do not fit. */
static bool place_bits(const char *format, uint64_t value, struct upci_perf_spec *spec)
{
	uint64_t *word;
	const char *at = strchr(format, ':');

	if (!strncmp(format, "config1:", 8))
		word = &spec->config1;
	else if (!strncmp(format, "config2:", 8))
		word = &spec->config2;
	else if (!strncmp(format, "config:", 7))
		word = &spec->config;
	else
		return false;
	do {
		unsigned long low, high;
		char *end;

		low = high = strtoul(at + 1, &end, 10);
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (end == at + 1 || low > high || high > 63)
			return false;
		for (; low <= high; low++, value >>= 1)
			*word |= (value & 1) << low;
		at = end;
	} while (*at == ',');
	return *at == 0 && value == 0;
}

/* The format files of a PMU read so far; all its events use the same few terms. */
struct formats {
	const char *pmu;
	unsigned n;
	struct {
		char *term, *text; /* text is NULL if the file does not exist */
	} known[32];
};

static void free_formats(struct formats *formats)
{
	unsigned i;

	for (i = 0; i < formats->n; i++) {
		free(formats->known[i].term);
		free(formats->known[i].text);
	}
}

static bool place_term(struct formats *formats, const char *term, uint64_t value, struct upci_perf_spec *spec)
{
	char *name, *text;
	bool placed;
	unsigned i;

	for (i = 0; i < formats->n; i++)
		if (!strcmp(formats->known[i].term, term))
			return formats->known[i].text && place_bits(formats->known[i].text, value, spec);
	text = upci_pmu_slurp(formats->pmu, "format/", term);
	placed = text && place_bits(text, value, spec);
	name = i < sizeof(formats->known) / sizeof(formats->known[0]) ? strdup(term) : NULL;
	if (name) {
		formats->known[i].term = name;
		formats->known[i].text = text;
		formats->n++;
	} else {
		free(text);
	}
	return placed;
}

/* Encode the terms of an events file, such as "event=0x3c,umask=0x1,any". */
static bool encode_terms(struct formats *formats, char *terms, struct upci_perf_spec *spec)
{
	char *term, *save = NULL;

	for (term = strtok_r(terms, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		char *equals = strchr(term, '='), *end;
		uint64_t value = 1;

		if (equals) {
			*equals = 0;
			value = strtoull(equals + 1, &end, 0);
			if (end == equals + 1 || *end)
				return false;
		}
		if (strchr(term, '/') || term[0] == '.')
			return false;
		if (!strcmp(term, "config") || !strcmp(term, "config1") || !strcmp(term, "config2")) {
			*(term[6] == '1' ? &spec->config1
			  : term[6]      ? &spec->config2
					 : &spec->config) |= value;
			continue;
		}
		if (!place_term(formats, term, value, spec))
			return false;
	}
	return true;
}

/* Encode an event of the PMU formats->pmu. Return 0, or UPC_ENOEVENT with message. */
static int encode_event(struct formats *formats, const char *event, unsigned domain,
			struct upci_perf_spec *spec)
{
	const struct upci_pmu *pmu = upci_pmu_named(formats->pmu);
	char *terms = pmu ? upci_pmu_slurp(formats->pmu, "events/", event) : NULL;
	bool good;

	memset(spec, 0, sizeof(*spec));
	good = terms && encode_terms(formats, terms, spec);
	free(terms);
	if (!good)
		return upci_fail(UPC_ENOEVENT, "the kernel's PMU %s has no event %s", formats->pmu, event);
	spec->type = pmu->type;
	spec->cpu_only = pmu->cpu_only;
	spec->core = pmu->core;
	/* PMUs that only sysfs describes refuse filters that they do not have, and count everything by
	 * default. Set the filter only if the kernel domain is not counted and the PMU counts tasks. */
	spec->exclude_kernel = !(domain & UPC_DOMAIN_KERNEL) && !spec->cpu_only;
	return 0;
}

int upci_pmu_encode(const char *text, unsigned domain, struct upci_perf_spec *spec)
{
	char name[128], event[128];
	struct formats formats = {.pmu = name};
	int error;

	if (sscanf(text, "%127[^/]/%127[^/]/", name, event) != 2 || name[0] == '.' || event[0] == '.')
		return upci_fail(UPC_ENOEVENT, "'%s' is not PMU/EVENT/", text);
	error = encode_event(&formats, event, domain, spec);
	free_formats(&formats);
	return error;
}

/* True if libpfm4 or another builder of the catalogue lists this PMU's events. */
static bool listed_elsewhere(const char *pmu)
{
	static const char *const names[] = {"software", "tracepoint", "breakpoint", "kprobe", "uprobe"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(pmu, names[i]))
			return true;
	return !strncmp(pmu, "cpu", 3) || !strncmp(pmu, "armv", 4);
}

static int add_pmu_event(struct upc_catalogue *c, unsigned domain, struct formats *formats, const char *name)
{
	const char *const pmu = formats->pmu;
	struct upci_event event = {.id = UPC_NO_ID, .subsystem = "pmu", .scope = UPC_SCOPE_CONTEXT};
	struct upci_perf_spec spec;
	char clean[UPC_NAME_MAX], file[300], *unit, *scale;
	int64_t code;

	event.driver.source = UPC_SOURCE_PERF;
	event.driver.mul = event.driver.div = 1;
	event.driver.perf = upci_catalogue_printf(c, "%s/%s/", pmu, name);
	if (!event.driver.perf)
		return UPC_ENOMEM;
	if (encode_event(formats, name, domain, &spec) || upci_perf_probe(&spec, event.driver.perf))
		return 0;
	snprintf(clean, sizeof(clean), "%.100s::%.140s", pmu, name);
	upci_name_sanitize(clean);
	event.name = upci_catalogue_printf(c, "%s", clean);
	snprintf(file, sizeof(file), "%s.unit", name);
	unit = upci_pmu_slurp(pmu, "events/", file);
	snprintf(file, sizeof(file), "%s.scale", name);
	scale = upci_pmu_slurp(pmu, "events/", file);
	event.unit = unit && scale ? upci_catalogue_printf(c, "%s %s", scale, unit)
		     : unit        ? upci_catalogue_printf(c, "%s", unit)
				   : "events";
	free(unit);
	free(scale);
	event.scope = spec.cpu_only ? UPC_SCOPE_MACHINE : UPC_SCOPE_CONTEXT;
	event.description = upci_catalogue_printf(
		c, "Event %s of the kernel's PMU %s, as the kernel describes it in sysfs%s.", name, pmu,
		spec.cpu_only ? "; it counts CPUs, not threads" : "");
	if (!event.name || !event.unit || !event.description)
		return UPC_ENOMEM;
	code = upci_catalogue_lookup(c, event.name);
	return code >= 0 ? 0 : (int)(upci_catalogue_put(c, &event) < 0 ? UPC_ENOMEM : 0);
}

static int add_pmu(struct upc_catalogue *c, unsigned domain, const char *pmu)
{
	struct formats formats = {.pmu = pmu};
	char path[512];
	struct dirent **list;
	int n, i, error = 0;

	if (listed_elsewhere(pmu) ||
	    snprintf(path, sizeof(path), "bus/event_source/devices/%s/events", pmu) >= (int)sizeof(path))
		return 0;
	n = upci_root_list(UPCI_ROOT_SYS, path, "", &list);
	for (i = 0; i < n; i++) {
		/* NAME.scale, .unit, .snapshot and .per-pkg describe NAME. */
		if (!error && !strchr(list[i]->d_name, '.'))
			error = add_pmu_event(c, domain, &formats, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	free_formats(&formats);
	return error;
}

int upci_catalogue_add_sysfs_pmus(struct upc_catalogue *c)
{
	int domains = upci_perf_domains(), error = domains < 0 ? domains : 0;
	const struct upci_pmu *pmu;
	unsigned n, i;

	pmu = upci_pmus(&n);
	for (i = 0; i < n && !error; i++)
		error = add_pmu(c, (unsigned)domains, pmu[i].name);
	return error;
}
