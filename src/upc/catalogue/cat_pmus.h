/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_pmus.h - PMUs that describe their own events in sysfs (msr, power,
 * uncore units and others that libpfm4 does not know).
 */
#ifndef UPCI_CAT_PMUS_H
#define UPCI_CAT_PMUS_H

#include "perf/perf.h"

/* Encode "PMU/EVENT/". Return 0, or an error with message: UPC_ENOEVENT, UPC_ENOSUPP. */
int upci_pmu_encode(const char *text, unsigned domain, struct upci_perf_spec *spec);

#endif
