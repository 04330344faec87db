/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kokkos.c - the calls of Kokkos Tools: Kokkos loads the library that KOKKOS_TOOLS_LIBS names, and
 * calls those functions of it that are there.
 */
#include <stdint.h>
#include <string.h>

#include "region/front/front.h"
#include "region/region.h"

UPCR_EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device);
UPCR_EXPORT void kokkosp_finalize_library(void);
UPCR_EXPORT void kokkosp_push_profile_region(const char *name);
UPCR_EXPORT void kokkosp_pop_profile_region(void);

void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device)
{
	(void)sequence;
	(void)version;
	(void)devices;
	(void)device;
	upcr_thread_begin();
}

/* The file is written at the end of the program: other front ends may go on. */
void kokkosp_finalize_library(void)
{
}

static unsigned enter(const char *name)
{
	unsigned number = name ? upcr_name(name, strlen(name)) : upcr_name("", 0);

	upcr_enter(number);
	return number;
}

void kokkosp_push_profile_region(const char *name)
{
	(void)enter(name);
}

void kokkosp_pop_profile_region(void)
{
	(void)upcr_exit_innermost();
}

/* A kernel's number is that of its name: it ends in the thread where it began. */
#define KERNEL(kind)                                                                            \
	UPCR_EXPORT void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *id); \
	UPCR_EXPORT void kokkosp_end_##kind(uint64_t id);                                       \
	void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *id)              \
	{                                                                                       \
		(void)device;                                                                   \
		*id = enter(name);                                                              \
	}                                                                                       \
	void kokkosp_end_##kind(uint64_t id)                                                    \
	{                                                                                       \
		(void)upcr_exit_closing((unsigned)id);                                          \
	}

KERNEL(parallel_for)
KERNEL(parallel_reduce)
KERNEL(parallel_scan)
KERNEL(fence)
