/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_pmus.c - events that PMUs describe in /sys/bus/event_source/devices.
 */
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cat_pfm.h"
#include "cat_pmus.h"
#include "files.h"
#include "message.h"

#define DEVICES "bus/event_source/devices"

/* A file beneath a PMU's directory, its final newline cut, or NULL. */
static char *slurp(const char *pmu, const char *directory, const char *file)
{
	char path[512], *text;
	size_t length;

	if (snprintf(path, sizeof(path), DEVICES "/%s/%s%s", pmu, directory, file) >= (int)sizeof(path))
		return NULL;
	text = upci_file_slurp(UPCI_ROOT_SYS, path, &length);
	while (text && length && strchr(" \t\n", text[length - 1]))
		text[--length] = 0;
	return text;
}

/* x86 has "cpu", or "cpu_core" and "cpu_atom"; ARM's tell their CPUs in a file that
 * PMUs of other units do not have. */
static bool has_core_name(const char *pmu)
{
	char *cpus;

	if (!strncmp(pmu, "cpu", 3) || !strncmp(pmu, "armv", 4))
		return true;
	cpus = slurp(pmu, "", "cpus");
	free(cpus);
	return cpus != NULL;
}

/* Spreads value's bits over "config1:0-7,32-35" of a format file. */
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

/* "event=0x3c,umask=0x1,any": terms of an events file. */
static bool encode_terms(const char *pmu, char *terms, struct upci_perf_spec *spec)
{
	char *term, *save = NULL;

	for (term = strtok_r(terms, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		char *equals = strchr(term, '='), *format, *end;
		uint64_t value = 1;
		bool placed;

		if (equals) {
			*equals = 0;
			value = strtoull(equals + 1, &end, 0);
			if (end == equals + 1 || *end)
				return false;
		}
		if (strchr(term, '/') || term[0] == '.')
			return false;
		if (!strcmp(term, "config") || !strcmp(term, "config1") || !strcmp(term, "config2")) {
			*(term[6] == '1' ? &spec->config1 : term[6] ? &spec->config2 : &spec->config) |= value;
			continue;
		}
		format = slurp(pmu, "format/", term);
		placed = format && place_bits(format, value, spec);
		free(format);
		if (!placed)
			return false;
	}
	return true;
}

int upci_pmu_encode(const char *text, unsigned domain, struct upci_perf_spec *spec)
{
	char pmu[128], event[128], *type, *terms, *mask;
	bool good;

	if (sscanf(text, "%127[^/]/%127[^/]/", pmu, event) != 2 || pmu[0] == '.' || event[0] == '.')
		return upci_fail(UPC_ENOEVENT, "'%s' is not PMU/EVENT/", text);
	type = slurp(pmu, "", "type");
	terms = slurp(pmu, "events/", event);
	memset(spec, 0, sizeof(*spec));
	good = type && terms && encode_terms(pmu, terms, spec);
	if (good)
		spec->type = (uint32_t)strtoul(type, NULL, 10);
	free(type);
	free(terms);
	if (!good)
		return upci_fail(UPC_ENOEVENT, "the kernel's PMU %s has no event %s", pmu, event);
	mask = slurp(pmu, "", "cpumask");
	spec->cpu_only = mask != NULL;
	spec->core = has_core_name(pmu);
	free(mask);
	/* Such PMUs refuse filters that they do not have; the default, all, is
	 * what they count. Only a caller who may not see the kernel asks. */
	spec->exclude_kernel = !(domain & UPC_DOMAIN_KERNEL) && !spec->cpu_only;
	return 0;
}

/* Calls fn for every PMU in sysfs until it returns non-zero. */
static int each_pmu(int (*fn)(const char *pmu, void *arg), void *arg)
{
	DIR *dir = opendir("/sys/" DEVICES);
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return 0;
	while (!result && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			result = fn(entry->d_name, arg);
	closedir(dir);
	return result;
}

static bool has_type(const char *pmu, uint32_t wanted)
{
	char *type = slurp(pmu, "", "type");
	bool yes = type && (uint32_t)strtoul(type, NULL, 10) == wanted;

	free(type);
	return yes;
}

static int is_cpu_only(const char *pmu, void *arg)
{
	const uint32_t *wanted = arg;
	char *mask;
	int result;

	if (!has_type(pmu, *wanted))
		return 0;
	mask = slurp(pmu, "", "cpumask");
	result = mask ? 1 : -1;
	free(mask);
	return result;
}

bool upci_pmu_is_cpu_only(uint32_t type)
{
	/* The types up to that one are the kernel's fixed ones. */
	return type > PERF_TYPE_BREAKPOINT && each_pmu(is_cpu_only, &type) > 0;
}

/* With type NULL any will do. */
static int is_core(const char *pmu, void *arg)
{
	const uint32_t *wanted = arg;

	return has_core_name(pmu) && (!wanted || has_type(pmu, *wanted));
}

bool upci_pmu_is_core(uint32_t type)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return true;
	default:
		return type > PERF_TYPE_BREAKPOINT && each_pmu(is_core, &type) > 0;
	}
}

bool upci_pmu_core_is_there(void)
{
	return each_pmu(is_core, NULL) > 0;
}

static int has_user_bit(const char *pmu, void *arg)
{
	const uint32_t *wanted = arg;
	char *format;
	int result;

	if (!has_type(pmu, *wanted))
		return 0;
	format = slurp(pmu, "format/", "rdpmc");
	result = format && !strcmp(format, "config1:1") ? 1 : -1;
	free(format);
	return result;
}

bool upci_pmu_has_user_bit(uint32_t type)
{
	return type == PERF_TYPE_RAW || each_pmu(has_user_bit, &type) > 0;
}

/* Whether libpfm4 or another builder lists this PMU's events already. */
static bool listed_elsewhere(const char *pmu)
{
	static const char *const names[] = {"software", "tracepoint", "breakpoint", "kprobe", "uprobe"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(pmu, names[i]))
			return true;
	return !strncmp(pmu, "cpu", 3) || !strncmp(pmu, "armv", 4);
}

static int add_event(struct upc_catalogue *c, unsigned domain, const char *pmu, const char *name)
{
	struct upci_event event = {.id = UPC_NO_ID, .subsystem = "pmu", .scope = UPC_SCOPE_CONTEXT};
	struct upci_perf_spec spec;
	char clean[UPC_NAME_MAX], file[300], *unit, *scale;
	int64_t code;

	event.driver.source = UPC_SOURCE_PERF;
	event.driver.mul = event.driver.div = 1;
	event.driver.perf = upci_catalogue_printf(c, "%s/%s/", pmu, name);
	if (!event.driver.perf)
		return UPC_ENOMEM;
	if (upci_pmu_encode(event.driver.perf, domain, &spec) ||
	    upci_perf_probe(&spec, event.driver.perf))
		return 0;
	snprintf(clean, sizeof(clean), "%.100s::%.140s", pmu, name);
	upci_name_sanitize(clean);
	event.name = upci_catalogue_printf(c, "%s", clean);
	snprintf(file, sizeof(file), "%s.unit", name);
	unit = slurp(pmu, "events/", file);
	snprintf(file, sizeof(file), "%s.scale", name);
	scale = slurp(pmu, "events/", file);
	event.unit = unit && scale ? upci_catalogue_printf(c, "%s %s", scale, unit)
		     : unit	   ? upci_catalogue_printf(c, "%s", unit)
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

struct building {
	struct upc_catalogue *c;
	unsigned domain;
};

static int add_pmu(const char *pmu, void *arg)
{
	const struct building *b = arg;
	char path[512];
	struct dirent *entry;
	int error = 0;
	DIR *dir;

	if (listed_elsewhere(pmu) ||
	    snprintf(path, sizeof(path), "/sys/" DEVICES "/%s/events", pmu) >= (int)sizeof(path))
		return 0;
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!error && (entry = readdir(dir)))
		/* NAME.scale, .unit, .snapshot and .per-pkg describe NAME. */
		if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.'))
			error = add_event(b->c, b->domain, pmu, entry->d_name);
	closedir(dir);
	return error;
}

int upci_catalogue_add_sysfs_pmus(struct upc_catalogue *c)
{
	struct building b = {.c = c};
	int domains = upci_perf_domains();

	if (domains < 0)
		return domains;
	b.domain = (unsigned)domains;
	return each_pmu(add_pmu, &b);
}
