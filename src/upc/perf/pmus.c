/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmus.c - reads the PMUs in sysfs into a table. Each name that libpfm4 encodes needs the PMU of its type,
 * and large machines have 10,000 names of 60 PMUs.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fds.h"
#include "procfs/files.h"
#include "base/message.h"
#include "perf/pmus.h"
#include "procfs/roots.h"
#include "upc.h"

#define DEVICES "bus/event_source/devices"

/* The PMUs as read at one time. Older tables are never freed, since readers take no lock. A new table is kept
 * only if PMUs have changed, so there are few tables. */
struct table {
	struct table *older;
	unsigned n;
	struct upci_pmu pmu[];
};
static _Atomic(struct table *) newest;

char *upci_pmu_slurp(const char *pmu, const char *directory, const char *file)
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

/* True for a CPU's own PMU. x86 has "cpu", or "cpu_core" and "cpu_atom". Arm's PMUs list their CPUs in a file
 * that PMUs of other units do not have. */
static bool is_core(const char *pmu)
{
	char *cpus;

	if (!strncmp(pmu, "cpu", 3) || !strncmp(pmu, "armv", 4))
		return true;
	cpus = upci_pmu_slurp(pmu, "", "cpus");
	free(cpus);
	return cpus != NULL;
}

/* Read the properties of a PMU. False if the PMU has no type, so that no event of it can be opened. */
static bool read_pmu(const char *name, struct upci_pmu *pmu)
{
	char *type = upci_pmu_slurp(name, "", "type"), *mask, *format;

	if (!type)
		return false;
	*pmu = (struct upci_pmu){.name = name, .type = (uint32_t)strtoul(type, NULL, 10)};
	free(type);
	mask = upci_pmu_slurp(name, "", "cpumask");
	pmu->cpu_only = mask != NULL;
	pmu->cpu = mask ? (int)strtol(mask, NULL, 10) : 0;
	free(mask);
	pmu->core = is_core(name);
	format = upci_pmu_slurp(name, "format/", "rdpmc");
	pmu->user_bit = format && !strcmp(format, "config1:1");
	free(format);
	return true;
}

static void free_pmu_table(struct table *t)
{
	unsigned i;

	for (i = 0; i < t->n; i++)
		free((char *)t->pmu[i].name);
	free(t);
}

static bool same_pmu_tables(const struct table *a, const struct table *b)
{
	unsigned i;

	if (!a || a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++) {
		const struct upci_pmu *p = &a->pmu[i], *q = &b->pmu[i];

		if (strcmp(p->name, q->name) || p->type != q->type || p->core != q->core ||
		    p->cpu_only != q->cpu_only || p->user_bit != q->user_bit || p->cpu != q->cpu)
			return false;
	}
	return true;
}

static void publish_pmu_table(struct table *made)
{
	struct table *was = atomic_load(&newest);

	do {
		if (same_pmu_tables(was, made)) {
			free_pmu_table(made);
			return;
		}
		made->older = was;
	} while (!atomic_compare_exchange_weak(&newest, &was, made));
}

int upci_pmus_refresh(void)
{
	struct dirent **list;
	struct table *made;
	bool none_left;
	int n, i;

	errno = 0;
	n = upci_root_list(UPCI_ROOT_SYS, DEVICES, "", &list);
	made = calloc(1, sizeof(*made) + (size_t)n * sizeof(made->pmu[0]));
	none_left = upci_fd_none_left();
	for (i = 0; i < n; i++) {
		char *name = made && !none_left ? strdup(list[i]->d_name) : NULL;

		free(list[i]);
		errno = 0;
		if (name && read_pmu(name, &made->pmu[made->n]))
			made->n++;
		else
			free(name);
		none_left = none_left || upci_fd_none_left();
	}
	free(list);
	if (none_left || !made) {
		if (made)
			free_pmu_table(made);
		return none_left ? upci_fd_fail("/sys/" DEVICES)
				 : upci_fail(UPC_ENOMEM, "no memory for a list of PMUs");
	}
	publish_pmu_table(made);
	return 0;
}

static const struct table *newest_pmu_table(void)
{
	static const struct table nothing;

	if (!atomic_load(&newest))
		(void)upci_pmus_refresh();
	return atomic_load(&newest) ? atomic_load(&newest) : &nothing;
}

const struct upci_pmu *upci_pmus(unsigned *n)
{
	const struct table *t = newest_pmu_table();

	*n = t->n;
	return t->pmu;
}

/* Find a PMU by its name or, if name is NULL, by its type. */
static const struct upci_pmu *find_pmu(const char *name, uint32_t type)
{
	const struct table *t = newest_pmu_table();
	unsigned i;

	for (i = 0; i < t->n; i++)
		if (name ? !strcmp(t->pmu[i].name, name) : t->pmu[i].type == type)
			return &t->pmu[i];
	return NULL;
}

/* True if the kernel assigned the type at run time. The types up to PERF_TYPE_BREAKPOINT are fixed. */
static bool is_dynamic(uint32_t type)
{
	return type > PERF_TYPE_BREAKPOINT;
}

const struct upci_pmu *upci_pmu_of_type(uint32_t type)
{
	const struct upci_pmu *pmu = find_pmu(NULL, type);

	/* A driver may have been loaded since the last refresh. */
	if (!pmu && is_dynamic(type) && !upci_pmus_refresh())
		pmu = find_pmu(NULL, type);
	return pmu;
}

const struct upci_pmu *upci_pmu_named(const char *name)
{
	const struct upci_pmu *pmu = find_pmu(name, 0);

	if (!pmu && !upci_pmus_refresh())
		pmu = find_pmu(name, 0);
	return pmu;
}

char *upci_pmu_cpus(uint32_t type)
{
	const struct upci_pmu *pmu = is_dynamic(type) ? find_pmu(NULL, type) : NULL;

	if (!pmu)
		return NULL;
	return upci_pmu_slurp(pmu->name, "", pmu->cpu_only ? "cpumask" : "cpus");
}

bool upci_pmu_core_is_there(void)
{
	const struct table *t = newest_pmu_table();
	unsigned i;

	for (i = 0; i < t->n; i++)
		if (t->pmu[i].core)
			return true;
	return false;
}

bool upci_pmu_is_cpu_only(uint32_t type)
{
	const struct upci_pmu *pmu = is_dynamic(type) ? upci_pmu_of_type(type) : NULL;

	return pmu && pmu->cpu_only;
}

bool upci_pmu_is_core(uint32_t type)
{
	const struct upci_pmu *pmu;

	switch (type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return true;
	default:
		pmu = is_dynamic(type) ? upci_pmu_of_type(type) : NULL;
		return pmu && pmu->core;
	}
}

bool upci_pmu_has_user_bit(uint32_t type)
{
	const struct upci_pmu *pmu = type == PERF_TYPE_RAW ? NULL : upci_pmu_of_type(type);

	return type == PERF_TYPE_RAW || (pmu && pmu->user_bit);
}
