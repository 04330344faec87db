/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.c - the words for scopes and states (service.h).
 * Terms: service/service.h.
 */
#include "service/service.h"

static const char *const scope_name[SERVICE_SCOPES] = {"cpu", "node", "cgroup"};
static const char *const state_name[SERVICE_STATES] = {"opening", "counting", "halted", "taken",
						       "yielded", "failed",   "offline"};

const char *service_scope_name(enum service_scope scope)
{
	return (unsigned)scope < SERVICE_SCOPES ? scope_name[scope] : "?";
}

const char *service_state_name(enum service_state state)
{
	return (unsigned)state < SERVICE_STATES ? state_name[state] : "?";
}

unsigned service_state_badness(enum service_state state)
{
	static const unsigned char bad[SERVICE_STATES] = {
		[SERVICE_COUNTING] = 0, [SERVICE_OPENING] = 1, [SERVICE_HALTED] = 2, [SERVICE_OFFLINE] = 3,
		[SERVICE_YIELDED] = 4,  [SERVICE_TAKEN] = 5,   [SERVICE_FAILED] = 6};

	return (unsigned)state < SERVICE_STATES ? bad[state] : SERVICE_STATES;
}

enum service_state service_counter_state(const struct service_counter *counter, unsigned places)
{
	enum service_state worst = places ? counter->value[0].state : SERVICE_OFFLINE;

	for (unsigned i = 1; i < places; i++)
		if (service_state_badness(counter->value[i].state) > service_state_badness(worst))
			worst = counter->value[i].state;
	return worst;
}
