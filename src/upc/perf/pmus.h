/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmus.h - the PMUs in /sys/bus/event_source/devices, by name and by perf type. Their properties are read
 * once, and again for a name or type that is not in the table. The CPUs on which they count are read each
 * time, since these change when CPUs come and go.
 * Terms: perf/perf.h.
 */
#ifndef UPCI_PMUS_H
#define UPCI_PMUS_H

#include <stdbool.h>
#include <stdint.h>

struct upci_pmu {
	const char *name;
	uint32_t type;
	bool core;     /* a CPU's own PMU, with user and kernel mode */
	bool cpu_only; /* counts CPUs, not tasks: has a file cpumask */
	bool user_bit; /* bit 1 of config1 enables reads in user mode, as in Arm's PMUs */
	int cpu;       /* first CPU of a cpu_only PMU, else 0 */
};

/* Return all PMUs in the order of their names. They are never freed. */
const struct upci_pmu *upci_pmus(unsigned *n);
/* Return a PMU, or NULL if it does not exist. */
const struct upci_pmu *upci_pmu_of_type(uint32_t type);
const struct upci_pmu *upci_pmu_named(const char *name);

/*
 * Read the PMUs again, as upci_catalogue_add_pfm does. Return 0, or an error with message, which keeps the
 * earlier list: UPC_EMFILE, UPC_ENOMEM.
 */
int upci_pmus_refresh(void);

/* Return the contents of a file below a PMU's directory ("", "format/" or similar) without trailing blanks,
 * or NULL. The caller frees the text. */
char *upci_pmu_slurp(const char *pmu, const char *directory, const char *file);

/* Return the list of CPUs on which the PMU of this type counts, such as "0,18"; NULL if it counts on all. The
 * caller frees the text. */
char *upci_pmu_cpus(uint32_t type);

/* True if the kernel has a CPU's own PMU on this machine. */
bool upci_pmu_core_is_there(void);

/* True if the PMU of a type has the property. The type may also be one of the kernel's fixed types, for which
 * sysfs has no directory. */
bool upci_pmu_is_cpu_only(uint32_t type);
bool upci_pmu_is_core(uint32_t type);
bool upci_pmu_has_user_bit(uint32_t type);

#endif
