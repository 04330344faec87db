/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample.h - samples: what the counters had at one time. They are made by the worker, never change,
 * and are freed by the last who has one.
 */
#ifndef SERVICE_SAMPLE_H
#define SERVICE_SAMPLE_H

#include "service/counters.h"
#include "service/service.h"

/* The data of a sample beside the counters. */
struct sample_about {
	uint64_t started_ns, time_ns, due_ns, took_ns, samples, interval_ns;
	const struct service_user *user;
	unsigned users;
	const char *users_unseen, *message;
};

/* One reference is the caller's. NULL: no memory. */
const struct service_sample *sample_make(const struct counters *counters, const struct sample_about *about);

/* Another reference. Callable where somebody else's keeps it. */
const struct service_sample *sample_ref(const struct service_sample *sample);

#endif
