/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_tables.c - corrects, saves and restores PAPI's tables of a set's overflows and profiles. */
#include "upc_tables.h"

static int index_of_code(const EventSetInfo_t *owner, int code)
{
	int i;

	for (i = 0; i < owner->NumberOfEvents; i++)
		if ((int)owner->EventInfoArray[i].event_code == code)
			return i;
	return -1;
}

void upcp_tables_correct(EventSetInfo_t *owner)
{
	EventSetOverflowInfo_t *overflow = &owner->overflow;
	int i;

	for (i = 0; i < overflow->event_counter; i++) {
		int at = overflow->EventIndex[i];

		if (at < 0 || at >= owner->NumberOfEvents ||
		    (int)owner->EventInfoArray[at].event_code != overflow->EventCode[i])
			overflow->EventIndex[i] = index_of_code(owner, overflow->EventCode[i]);
	}
}

static int overflow_of(const EventSetInfo_t *owner, int code)
{
	int i;

	for (i = 0; i < owner->overflow.event_counter; i++)
		if (owner->overflow.EventCode[i] == code)
			return i;
	return -1;
}

void upcp_tables_drop_profiles(EventSetInfo_t *owner)
{
	EventSetProfileInfo_t *profile = &owner->profile;
	int left = 0;
	int i;

	for (i = 0; i < profile->event_counter; i++) {
		if (overflow_of(owner, profile->EventCode[i]) < 0)
			continue;
		profile->prof[left] = profile->prof[i];
		profile->count[left] = profile->count[i];
		profile->threshold[left] = profile->threshold[i];
		profile->EventIndex[left] = profile->EventIndex[i];
		profile->EventCode[left++] = profile->EventCode[i];
	}
	if (left == profile->event_counter)
		return;
	profile->event_counter = left;
	if (!left) {
		profile->flags = 0;
		owner->state &= ~PAPI_PROFILING;
	}
}

void upcp_tables_remember(struct upcp_tables *good, const EventSetInfo_t *owner)
{
	const EventSetOverflowInfo_t *overflow = &owner->overflow;
	const EventSetProfileInfo_t *profile = &owner->profile;
	int i;

	good->events = overflow->event_counter;
	good->handler = overflow->handler;
	for (i = 0; i < good->events; i++) {
		good->event[i].code = overflow->EventCode[i];
		good->event[i].threshold = overflow->threshold[i];
	}
	good->profiles = profile->event_counter;
	good->profile_flags = profile->flags;
	for (i = 0; i < good->profiles; i++) {
		good->profile[i].buffers = profile->prof[i];
		good->profile[i].count = profile->count[i];
		good->profile[i].threshold = profile->threshold[i];
		good->profile[i].code = profile->EventCode[i];
	}
}

void upcp_tables_put_back(EventSetInfo_t *owner, const struct upcp_tables *good)
{
	EventSetOverflowInfo_t *overflow = &owner->overflow;
	EventSetProfileInfo_t *profile = &owner->profile;
	int i;

	overflow->event_counter = good->events;
	overflow->flags = good->events ? PAPI_OVERFLOW_HARDWARE : 0;
	overflow->handler = good->events ? good->handler : NULL;
	for (i = 0; i < good->events; i++) {
		overflow->EventCode[i] = good->event[i].code;
		overflow->threshold[i] = good->event[i].threshold;
		overflow->deadline[i] = good->event[i].threshold;
		overflow->EventIndex[i] = index_of_code(owner, good->event[i].code);
	}
	profile->event_counter = good->profiles;
	profile->flags = good->profiles ? good->profile_flags : 0;
	for (i = 0; i < good->profiles; i++) {
		profile->prof[i] = good->profile[i].buffers;
		profile->count[i] = good->profile[i].count;
		profile->threshold[i] = good->profile[i].threshold;
		profile->EventCode[i] = good->profile[i].code;
		profile->EventIndex[i] = index_of_code(owner, good->profile[i].code);
	}
}

/* ---- positions ------------------------------------------------------------ */

int upcp_tables_position(const EventSetInfo_t *owner, int entry)
{
	int index = owner->overflow.EventIndex[entry];

	return index < 0 ? -1 : owner->EventInfoArray[index].pos[0];
}

void upcp_tables_swap(EventSetInfo_t *owner, int a, int b)
{
	int i, k;

	for (i = 0; i < owner->NativeCount; i++) {
		int *position = &owner->NativeInfoArray[i].ni_position;

		*position = *position == a ? b : *position == b ? a : *position;
	}
	for (i = 0; i < owner->NumberOfEvents; i++)
		for (k = 0; k < PAPI_EVENTS_IN_DERIVED_EVENT; k++) {
			int *position = &owner->EventInfoArray[i].pos[k];

			if (*position < 0)
				break;
			*position = *position == a ? b : *position == b ? a : *position;
		}
}
