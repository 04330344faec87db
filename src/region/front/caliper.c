/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * caliper.c - the calls of Caliper that begin and end regions by name, in place of libcaliper's.
 */
#include <stddef.h>
#include <string.h>

#include "region/front/front.h"
#include "region/region.h"

#define PAIR(begin, end)                                                        \
	UPCR_EXPORT void begin(const char *name);                               \
	UPCR_EXPORT void end(const char *name);                                 \
	void begin(const char *name)                                            \
	{                                                                       \
		if (name)                                                       \
			upcr_enter(upcr_name(name, strlen(name)));              \
	}                                                                       \
	void end(const char *name)                                              \
	{                                                                       \
		if (name)                                                       \
			(void)upcr_exit_closing(upcr_name(name, strlen(name))); \
	}

PAIR(cali_begin_region, cali_end_region)
PAIR(cali_begin_phase, cali_end_phase)
PAIR(cali_begin_comm_region, cali_end_comm_region)
