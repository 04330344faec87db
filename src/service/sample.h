/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample.h - samples: the counters' values at one time. The worker makes them; they never change; the last
 * owner frees them.
 * Terms: service/service.h.
 */
#ifndef SERVICE_SAMPLE_H
#define SERVICE_SAMPLE_H

#include "service/counters.h"
#include "service/service.h"

/* The data of a sample in addition to the counters. */
struct sample_about {
	uint64_t started_ns, time_ns, due_ns, took_ns, samples, interval_ns;
	const struct service_user *user;
	unsigned users;
	const char *users_unseen, *message;
};

/* Return a sample with one reference, which the caller owns. NULL: out of memory. */
const struct service_sample *sample_make(const struct counters *counters, const struct sample_about *about);

/* Add a reference. Another reference must keep the sample alive meanwhile. */
const struct service_sample *sample_ref(const struct service_sample *sample);

#endif
