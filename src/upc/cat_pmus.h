/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_pmus.h - PMUs that describe their own events in sysfs (msr, power,
 * uncore units and others that libpfm4 does not know).
 */
#ifndef UPCI_CAT_PMUS_H
#define UPCI_CAT_PMUS_H

#include "perf.h"

/* Encodes "PMU/EVENT/". Errors with message: UPC_ENOEVENT, UPC_ENOSUPP. */
int upci_pmu_encode(const char *text, unsigned domain, struct upci_perf_spec *spec);

/* Whether the PMU with this perf type counts CPUs, not tasks. */
bool upci_pmu_is_cpu_only(uint32_t type);

/* Whether it is a CPU's own, with user and kernel mode. */
bool upci_pmu_is_core(uint32_t type);

/* Whether the kernel has such a PMU on this machine. */
bool upci_pmu_core_is_there(void);

/* Whether its events take bit 1 of config1 for reads in user mode, as those of Arm's
 * PMUs do (PERF_TYPE_RAW is the CPU's own); with other PMUs it may mean anything. */
bool upci_pmu_has_user_bit(uint32_t type);

#endif
