/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service.c - see service.h. For now: no counter, and no command.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "upc.h"
#include "service/service.h"

static const char *const scope_name[SERVICE_SCOPES] = {"cpu", "node", "cgroup"};
static const char *const state_name[SERVICE_STATES] = {"opening", "counting", "halted", "taken",
						       "yielded", "failed",   "offline"};

struct service {
	struct service_sample sample;
	struct service_place node;
};

const char *service_scope_name(enum service_scope scope)
{
	return (unsigned)scope < SERVICE_SCOPES ? scope_name[scope] : "?";
}

const char *service_state_name(enum service_state state)
{
	return (unsigned)state < SERVICE_STATES ? state_name[state] : "?";
}

int service_open(const struct service_options *options, struct service **service, char **message)
{
	struct service *s = calloc(1, sizeof(*s));
	struct timespec now;

	(void)options;
	*message = NULL;
	if (!s)
		return UPC_ENOMEM;
	clock_gettime(CLOCK_REALTIME, &now);
	s->node = (struct service_place){"", -1, -1};
	s->sample.place[SERVICE_NODE] = &s->node;
	s->sample.places[SERVICE_NODE] = 1;
	s->sample.started_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	s->sample.time_ns = s->sample.due_ns = s->sample.started_ns;
	s->sample.users_unseen = s->sample.message = "";
	*service = s;
	return 0;
}

void service_close(struct service *service)
{
	free(service);
}

const struct service_sample *service_sample_get(struct service *service, int wait_ms)
{
	(void)wait_ms;
	return &service->sample;
}

void service_sample_put(const struct service_sample *sample)
{
	(void)sample;
}

uint64_t service_generation(struct service *service)
{
	return service->sample.generation;
}

int service_command(struct service *service, const char *const *word, unsigned words, char **reply)
{
	json_t *answer = json_pack("{s:b, s:s, s:I}", "ok", 0, "message", "there are no commands yet",
				   "generation", (json_int_t)service->sample.generation);

	(void)word, (void)words;
	*reply = json_dumps(answer, JSON_COMPACT);
	json_decref(answer);
	return UPC_ENOSUPP;
}
