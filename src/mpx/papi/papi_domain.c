/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_domain.c - events that are counted in another domain than PAPI's default, such as the kernel only.
 * PAPI has one domain for each event set. If an event's name contains modes (":u=1:k=0"), they replace the
 * set's domain.
 *
 * Terms: papi/papi_backend.h.
 */
#include <papi.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "papi/papi_group.h"

#define NAME_SIZE 256

/* True if the component supports domains. Other components accept the option PAPI_DOMAIN, and ignore it. */
static bool knows_domains(int component)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);

	return info && (strcmp(info->name, "perf_event") == 0 || strcmp(info->name, "upc") == 0);
}

int mpxi_papi_event(uint32_t code, unsigned domain, uint32_t *event)
{
	int error = mpxi_papi_is_there(), component;
	const PAPI_component_info_t *info;
	char name[NAME_SIZE];

	if (error)
		return error;
	/* No code of PAPI uses these bits, since PAPI numbers its events from 0 and has fewer. */
	if (mpxi_papi_code_of(code) != code)
		return mpxi_error(PAPI_ENOEVNT, "PAPI has no event 0x%x", code);
	*event = code;
	component = PAPI_get_event_component((int)code);
	info = component < 0 ? NULL : PAPI_get_component_info(component);
	if (!domain || !info || mpxi_papi_has_no_domain(code))
		return PAPI_OK;
	mpxi_papi_name(code, name, sizeof(name));
	if (!knows_domains(component))
		return mpxi_error(MPXI_ENOSUPP,
				  "%s is of PAPI's component %s, which knows no domains: add it to a set "
				  "without one (mpx_set_domain)",
				  name, info->name);
	*event = code | domain << MPXI_PAPI_DOMAIN_SHIFT;
	return PAPI_OK;
}

static const char *name_of_domain(unsigned domain)
{
	switch (domain) {
	case PAPI_DOM_USER:
		return "PAPI_DOM_USER";
	case PAPI_DOM_KERNEL:
		return "PAPI_DOM_KERNEL";
	case PAPI_DOM_OTHER:
		return "PAPI_DOM_OTHER";
	case PAPI_DOM_SUPERVISOR:
		return "PAPI_DOM_SUPERVISOR";
	case PAPI_DOM_ALL:
		return "PAPI_DOM_ALL";
	default:
		return "of several modes";
	}
}

int mpxi_papi_set_domain(const struct mpxi_papi_set *set, unsigned domain)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(set->component);
	PAPI_option_t option;
	int error;

	memset(&option, 0, sizeof(option));
	option.domain.eventset = set->id;
	option.domain.domain = (int)domain;
	error = PAPI_set_opt(PAPI_DOMAIN, &option);
	if (!error)
		return PAPI_OK;
	if (error == PAPI_ENOEVNT)
		return mpxi_papi_refuse_trial(set->component, "choose domains");
	return mpxi_error(error,
			  "PAPI's component %s does not count in the domain %s here (%s): the kernel's part "
			  "is for root, CAP_PERFMON, or /proc/sys/kernel/perf_event_paranoid below 2",
			  info->name, name_of_domain(domain), mpxi_papi_words(error));
}

/* ---- clock and covariate with events of another domain ------------------------------------- */

/* Store the event's name with explicit modes, namely the modes of its component's default domain. Return
 * 1, or 0 for a derived preset, which has no such name. */
static int name_modes(uint32_t code, char *name, size_t size)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_event_component((int)code));
	PAPI_event_info_t event;
	const bool user = info->default_domain & PAPI_DOM_USER;
	const bool kernel = info->default_domain & PAPI_DOM_KERNEL;
	char plain[NAME_SIZE];

	mpxi_papi_name(code, plain, sizeof(plain));
	/* Use the native event's name for a preset that consists of one native event. */
	if (code & (uint32_t)PAPI_PRESET_MASK) {
		if (PAPI_get_event_info((int)code, &event) != PAPI_OK || event.count != 1)
			return 0;
		snprintf(plain, sizeof(plain), "%s", event.name[0]);
	}
	if (strcmp(info->name, "upc") == 0)
		snprintf(name, size, "%.*s:%s%s", NAME_SIZE, plain, user ? "u" : "", kernel ? "k" : "");
	else
		snprintf(name, size, "%.*s:u=%d:k=%d", NAME_SIZE, plain, user, kernel);
	return 1;
}

int mpxi_papi_in_domain(uint32_t beside, const uint32_t *event, unsigned n, uint32_t *as)
{
	const int component = PAPI_get_event_component((int)mpxi_papi_code_of(beside));
	char name[NAME_SIZE + 16], plain[NAME_SIZE];
	unsigned i;
	int code;

	*as = beside;
	for (i = 0; i < n; i++)
		if (mpxi_papi_domain_of(event[i]) && !mpxi_papi_needs_no_counter(event[i]) &&
		    PAPI_get_event_component((int)mpxi_papi_code_of(event[i])) == component)
			break;
	if (i == n || mpxi_papi_needs_no_counter(beside))
		return PAPI_OK;
	if (name_modes(beside, name, sizeof(name)) && PAPI_event_name_to_code(name, &code) == PAPI_OK) {
		*as = (uint32_t)code | mpxi_papi_domain_of(event[i]) << MPXI_PAPI_DOMAIN_SHIFT;
		return PAPI_OK;
	}
	mpxi_papi_name(beside, plain, sizeof(plain));
	return mpxi_error(MPXI_ENOSUPP,
			  "%s is counted beside all events, in its own domain, and PAPI has no name for "
			  "that: take the clock MPX_CLOCK_CPU, and a covariate that takes no counter",
			  plain);
}
