/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_hl.c - PAPI's high-level calls, in place of libpapi's, from C and from Fortran. Regions nest.
 * Events are ours, not those of PAPI_EVENTS, and no report of PAPI's is written. Answers are PAPI's;
 * but after one that is an error, where PAPI counts nothing more, we go on.
 */
#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "region/front/front.h"
#include "region/region.h"

/* This thread has begun a region; and so since its last PAPI_hl_stop. */
static _Thread_local bool has_begun, runs;

static unsigned long thread_id(void)
{
	return (unsigned long)gettid();
}

/* As the first of PAPI's own does, for low-level calls that the program makes behind it. The program's
 * libpapi may be of another release than papi.h. */
static void initialise(void)
{
	__typeof__(PAPI_is_initialized) *is_initialised;
	__typeof__(PAPI_library_init) *library_init;
	__typeof__(PAPI_thread_init) *thread_init;
	__typeof__(PAPI_get_opt) *get_opt;
	int version;

	*(void **)&is_initialised = dlsym(RTLD_DEFAULT, "PAPI_is_initialized");
	*(void **)&library_init = dlsym(RTLD_DEFAULT, "PAPI_library_init");
	*(void **)&thread_init = dlsym(RTLD_DEFAULT, "PAPI_thread_init");
	*(void **)&get_opt = dlsym(RTLD_DEFAULT, "PAPI_get_opt");
	if (!is_initialised || !library_init || !thread_init || !get_opt || is_initialised())
		return;
	version = get_opt(PAPI_LIB_VERSION, NULL);
	version = version > 0 ? version & ~0xffff : (int)PAPI_VER_CURRENT;
	if (library_init(version) == version)
		(void)thread_init(thread_id);
}

static int begin(const char *region, size_t length)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!has_begun) {
		upcr_thread_begin(); /* which may do it, and in its way */
		pthread_once(&once, initialise);
	}
	has_begun = runs = true;
	upcr_enter(upcr_name(region, length));
	return PAPI_OK;
}

static int end(const char *region, size_t length)
{
	switch (upcr_exit_closing(upcr_name(region, length))) {
	case UPCR_OK:
		return PAPI_OK;
	case UPCR_MISSED:
		return PAPI_EMISC;
	default:
		return has_begun ? PAPI_EINVAL : PAPI_EMISC;
	}
}

UPCR_EXPORT int PAPI_hl_region_begin(const char *region)
{
	return region ? begin(region, strlen(region)) : PAPI_EINVAL;
}

UPCR_EXPORT int PAPI_hl_region_end(const char *region)
{
	return region ? end(region, strlen(region)) : PAPI_EINVAL;
}

/* Nothing is kept of a moment; so it is the same which region it is in. */
UPCR_EXPORT int PAPI_hl_read(const char *region)
{
	if (!region)
		return PAPI_EINVAL;
	return has_begun ? PAPI_OK : PAPI_EMISC;
}

/* papi.h leaves its parameters open. Other front ends may go on, so we count on. */
UPCR_EXPORT int PAPI_hl_stop(void);

int PAPI_hl_stop(void)
{
	const bool ran = runs;

	runs = false;
	return ran ? PAPI_OK : PAPI_ENOEVNT;
}

/* ---- Fortran ----------------------------------------------------------------------------------- */

static void answer(int *check, int code)
{
	if (check)
		*check = code;
}

static void begin_fortran(const char *region, int *check, int length)
{
	answer(check, region ? begin(region, upcr_fortran_length(region, length)) : PAPI_EINVAL);
}

static void end_fortran(const char *region, int *check, int length)
{
	answer(check, region ? end(region, upcr_fortran_length(region, length)) : PAPI_EINVAL);
}

static void read_fortran(const char *region, int *check, int length)
{
	(void)length;
	answer(check, PAPI_hl_read(region));
}

static void stop_fortran(int *check)
{
	answer(check, PAPI_hl_stop());
}

/* The names that libpapi exports. */
#define NAME(name, call, parameters, arguments) \
	UPCR_EXPORT void name parameters;       \
	void name parameters                    \
	{                                       \
		call arguments;                 \
	}
#define NAMES(small, capital, call, parameters, arguments) \
	NAME(small, call, parameters, arguments)           \
	NAME(small##_, call, parameters, arguments)        \
	NAME(small##__, call, parameters, arguments)       \
	NAME(capital, call, parameters, arguments)

NAMES(papif_hl_region_begin, PAPIF_HL_REGION_BEGIN, begin_fortran,
      (const char *region, int *check, int length), (region, check, length))
NAMES(papif_hl_region_end, PAPIF_HL_REGION_END, end_fortran, (const char *region, int *check, int length),
      (region, check, length))
NAMES(papif_hl_read, PAPIF_HL_READ, read_fortran, (const char *region, int *check, int length),
      (region, check, length))
NAMES(papif_hl_stop, PAPIF_HL_STOP, stop_fortran, (int *check), (check))
