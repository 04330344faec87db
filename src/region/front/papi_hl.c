/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_hl.c - PAPI's high-level calls, in place of libpapi's, from C and from Fortran. Regions nest.
 * Events are ours, not those of PAPI_EVENTS, and no report of PAPI's is written.
 */
#include <papi.h>
#include <stddef.h>
#include <string.h>

#include "region/front/front.h"
#include "region/region.h"

UPCR_EXPORT int PAPI_hl_region_begin(const char *region)
{
	if (!region)
		return PAPI_EINVAL;
	upcr_enter(upcr_name(region, strlen(region)));
	return PAPI_OK;
}

static int end(const char *region, size_t length)
{
	return upcr_exit_closing(upcr_name(region, length)) == UPCR_OK ? PAPI_OK : PAPI_EMISC;
}

UPCR_EXPORT int PAPI_hl_region_end(const char *region)
{
	return region ? end(region, strlen(region)) : PAPI_EINVAL;
}

/* Nothing is kept of a moment. */
UPCR_EXPORT int PAPI_hl_read(const char *region)
{
	return region ? PAPI_OK : PAPI_EINVAL;
}

/* Other front ends may go on. */
UPCR_EXPORT int PAPI_hl_stop(void);

int PAPI_hl_stop(void)
{
	return PAPI_OK;
}

/* ---- Fortran: texts end with blanks, and their lengths come behind all arguments ----------------- */

static size_t trimmed(const char *text, size_t length)
{
	while (length && text[length - 1] == ' ')
		length--;
	return length;
}

UPCR_EXPORT void papif_hl_region_begin_(const char *region, int *check, size_t length);
UPCR_EXPORT void papif_hl_region_end_(const char *region, int *check, size_t length);
UPCR_EXPORT void papif_hl_read_(const char *region, int *check, size_t length);
UPCR_EXPORT void papif_hl_stop_(int *check);

void papif_hl_region_begin_(const char *region, int *check, size_t length)
{
	upcr_enter(upcr_name(region, trimmed(region, length)));
	*check = PAPI_OK;
}

void papif_hl_region_end_(const char *region, int *check, size_t length)
{
	*check = end(region, trimmed(region, length));
}

void papif_hl_read_(const char *region, int *check, size_t length)
{
	(void)region;
	(void)length;
	*check = PAPI_OK;
}

void papif_hl_stop_(int *check)
{
	*check = PAPI_OK;
}
