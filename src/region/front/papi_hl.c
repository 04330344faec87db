/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_hl.c - stands in for PAPI's high-level calls, from C and from Fortran. Regions nest. The events are
 * ours, not those of PAPI_EVENTS. Return values are those that PAPI returns when it counts; but after an
 * error PAPI counts nothing more, and this library continues.
 *
 * A thread can run only one event set of a PAPI component. Calls therefore go on to libpapi only if libpapi's
 * set is requested (PAPI_EVENTS), or cannot conflict with ours.
 * Terms: region/front/front.h.
 */
#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region/front/front.h"
#include "region/front/real.h"
#include "region/region.h"

static const char libpapi[] = "libpapi.so";

/* True if all events are of the component upc. libpapi's default is an event of the CPU. */
static bool hl_are_of_upc(const char *events)
{
	static const char prefix[] = "upc:::";

	for (; events && *events; events += strcspn(events, ","), events += *events == ',')
		if (*events != ',' && strncmp(events, prefix, sizeof(prefix) - 1) != 0)
			return false;
	return true;
}

/* True if calls go on to libpapi. The first call decides, before libmpx is loaded, since libpapi's own calls
 * must come first. */
static bool hl_goes_on(void)
{
	enum { UNKNOWN, YES, NO };
	static atomic_int known;
	int now = atomic_load_explicit(&known, memory_order_relaxed), unknown = UNKNOWN;

	if (now != UNKNOWN)
		return now == YES;
	now = getenv("PAPI_EVENTS") ||
			      (!getenv("UPC_REGIONS_SIM") && hl_are_of_upc(getenv("UPC_REGIONS_EVENTS")))
		      ? YES
		      : NO;
	if (atomic_compare_exchange_strong(&known, &unknown, now) && now == NO)
		upcr_say("PAPI writes no report of the program's high-level calls, since the counters are "
			 "needed here; set PAPI_EVENTS to have it");
	return now == YES;
}

/* The thread has begun a region (has_begun), and has begun one since its last PAPI_hl_stop (runs). */
static _Thread_local bool has_begun, runs;

static unsigned long thread_id(void)
{
	return (unsigned long)gettid();
}

/* Initialise PAPI, as the first high-level call of PAPI does, for low-level calls that the program makes
 * later. The program's libpapi may be of another release than papi.h. */
static void initialise_papi(void)
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

static int hl_begin(const char *region)
{
	__typeof__(PAPI_hl_region_begin) *real = UPCR_REAL(PAPI_hl_region_begin, libpapi);
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!region)
		return PAPI_EINVAL;
	if (real && hl_goes_on())
		(void)real(region);
	if (!has_begun) {
		upcr_thread_begin(); /* may initialise PAPI itself, through libmpx */
		pthread_once(&once, initialise_papi);
	}
	has_begun = runs = true;
	upcr_enter(upcr_name_of(region));
	return PAPI_OK;
}

static int hl_end(const char *region)
{
	__typeof__(PAPI_hl_region_end) *real = UPCR_REAL(PAPI_hl_region_end, libpapi);
	int answer;

	if (!region)
		return PAPI_EINVAL;
	answer = upcr_exit_closing(upcr_name_of(region));
	if (real && hl_goes_on())
		(void)real(region);
	switch (answer) {
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
	return hl_begin(region);
}

UPCR_EXPORT int PAPI_hl_region_end(const char *region)
{
	return hl_end(region);
}

/* Only check the arguments. This library stores no readings, so it does not matter which region the call
 * names. */
UPCR_EXPORT int PAPI_hl_read(const char *region)
{
	__typeof__(PAPI_hl_read) *real = UPCR_REAL(PAPI_hl_read, libpapi);

	if (!region)
		return PAPI_EINVAL;
	if (real && hl_goes_on())
		(void)real(region);
	return has_begun ? PAPI_OK : PAPI_EMISC;
}

/* Return as PAPI does, but continue to count: other front ends may still be in use. papi.h declares the
 * function without a prototype. */
UPCR_EXPORT int PAPI_hl_stop(void);

int PAPI_hl_stop(void)
{
	__typeof__(PAPI_hl_stop) *real = UPCR_REAL(PAPI_hl_stop, libpapi);
	const bool ran = runs;

	runs = false;
	if (real && hl_goes_on())
		(void)real();
	return ran ? PAPI_OK : PAPI_ENOEVNT;
}

/* ---- Fortran ----------------------------------------------------------------------------------- */

static void answer_fortran_check(int *check, int code)
{
	if (check)
		*check = code;
}

/* Call `call` with the Fortran text as a C string; NULL stays NULL. */
static void fortran_call(int (*call)(const char *), const char *region, int *check, int length)
{
	char name[1024];

	snprintf(name, sizeof(name), "%.*s", (int)upcr_fortran_length(region, length), region ? region : "");
	answer_fortran_check(check, call(region ? name : NULL));
}

static void begin_fortran(const char *region, int *check, int length)
{
	fortran_call(hl_begin, region, check, length);
}

static void end_fortran(const char *region, int *check, int length)
{
	fortran_call(hl_end, region, check, length);
}

static void read_fortran(const char *region, int *check, int length)
{
	fortran_call(PAPI_hl_read, region, check, length);
}

static void stop_fortran(int *check)
{
	answer_fortran_check(check, PAPI_hl_stop());
}

/* Define a call under all names that libpapi exports. */
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
