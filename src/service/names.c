/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.c - the words for scopes and states (service.h).
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
