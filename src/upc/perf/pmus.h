/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmus.h - the PMUs of /sys/bus/event_source/devices, by name and by perf type. Their
 * properties are read once, and again for a name or type that was not there then; the CPUs
 * on which they count are read each time, since these change when CPUs come and go.
 */
#ifndef UPCI_PMUS_H
#define UPCI_PMUS_H

#include <stdbool.h>
#include <stdint.h>

struct upci_pmu {
	const char *name;
	uint32_t type;
	bool core;     /* a CPU's own, with user and kernel mode                       */
	bool cpu_only; /* counts CPUs, not tasks: those of a file cpumask              */
	bool user_bit; /* bit 1 of config1 is for reads in user mode, as Arm's PMUs have it */
	int cpu;       /* cpu_only: the first of its CPUs, else 0                      */
};

/* All, in the order of their names. They stay for good. */
const struct upci_pmu *upci_pmus(unsigned *n);
/* NULL where there is none. */
const struct upci_pmu *upci_pmu_of_type(uint32_t type);
const struct upci_pmu *upci_pmu_named(const char *name);

/*
 * Reads the PMUs anew, as upci_catalogue_add_pfm does. Errors with message, where the earlier
 * list stays: UPC_EMFILE, UPC_ENOMEM.
 */
int upci_pmus_refresh(void);

/* A file beneath a PMU's directory, in "" or "format/" or the like, without the blanks at its
 * end, or NULL. The caller frees it. */
char *upci_pmu_slurp(const char *pmu, const char *directory, const char *file);

/* The list of CPUs that the PMU of this type counts on, as "0,18"; NULL where it is all of
 * them. The caller frees it. */
char *upci_pmu_cpus(uint32_t type);

/* Whether the kernel has a CPU's own PMU on this machine. */
bool upci_pmu_core_is_there(void);

/* For the types that the kernel has without a directory, too. */
bool upci_pmu_is_cpu_only(uint32_t type);
bool upci_pmu_is_core(uint32_t type);
bool upci_pmu_has_user_bit(uint32_t type);

#endif
