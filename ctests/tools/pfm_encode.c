/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pfm_encode.c - what libpfm4 itself makes of the events of a PMU that need not be
 * here: "EVENT CONFIG" a line. 3 where libpfm4 does not know the PMU, 1 where it does
 * not know an event. For wirings.sh, beside what libupc makes of the same.
 */
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_pmu(const char *name)
{
	int i;

	for (i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu;

		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && !strcmp(pmu.name, name))
			return pmu.is_present;
	}
	return false;
}

static bool encode(const char *event)
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
	int result;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	result = pfm_get_os_event_encoding(event, PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (result != PFM_SUCCESS) {
		fprintf(stderr, "%s: %s\n", event, pfm_strerror(result));
		return false;
	}
	printf("%s 0x%llx\n", event, (unsigned long long)attr.config);
	return true;
}

int main(int argc, char **argv)
{
	int i, status = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: pfm_encode PMU EVENT...\n");
		return 2;
	}
	if (setenv("LIBPFM_FORCE_PMU", argv[1], 1) || pfm_initialize() != PFM_SUCCESS || !has_pmu(argv[1])) {
		fprintf(stderr, "libpfm4 here knows no PMU %s\n", argv[1]);
		return 3;
	}
	for (i = 2; i < argc; i++)
		if (!encode(argv[i]))
			status = 1;
	return fflush(stdout) ? 1 : status;
}
