/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service_fake.c - a service whose samples come from a script, for the agent's answers about states,
 * places and times that no machine at hand has. The configuration is the script, a line each:
 *
 *   started NS               when counts began
 *   interval NS
 *   place cpu NAME CPU NODE, place cgroup NAME
 *   counter ID NUMBER SCOPE count|level UNIT NAME EVENT     %XX in a name is that byte
 *   remove ID
 *   value ID PLACE VALUE RUNNING STATE      of the counter's place; node's is "-"
 *   why ID TEXT
 *   user PID UID DESCRIPTORS COMMAND, users none
 *   message TEXT
 *   error TEXT               it does not open
 *   opening MS               it takes so long to open
 *   busy MS                  the worker is, so that there is only the last sample
 *   sample                   ends one; each that is asked for is the next, the last one stays
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/service.h"
#include "upc.h"

#define MOST 4096

struct fake_sample {
	struct service_sample sample;
	unsigned busy_ms;
};

struct service {
	struct fake_sample *step[MOST];
	unsigned steps, at;
};

/* The state that the lines so far have made; each sample copies it. */
static struct now {
	struct service_sample sample;
	struct service_counter counter[MOST];
	struct service_value *value[MOST];
	struct service_place place[SERVICE_SCOPES][256];
	struct service_user user[64];
	unsigned busy_ms, opening_ms;
	char *error;
} now;

static void pause_ms(unsigned ms)
{
	struct timespec wait = {ms / 1000, (long)(ms % 1000) * 1000000};

	while (nanosleep(&wait, &wait) && errno == EINTR)
		;
}

static void *need(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void *copy(const void *from, size_t size)
{
	return memcpy(need(malloc(size ? size : 1)), from, size);
}

static const char *scope_name(unsigned scope)
{
	return service_scope_name((enum service_scope)scope);
}

static const char *state_name(unsigned state)
{
	return service_state_name((enum service_state)state);
}

static unsigned find(const char *(*name_of)(unsigned number), unsigned count, const char *name)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (!strcmp(name_of(i), name))
			return i;
	fprintf(stderr, "service_fake: no \"%s\"\n", name);
	exit(2);
}

static char *bytes(const char *text)
{
	char *out = need(strdup(text)), *to = out;
	unsigned byte;

	for (; *text; text++) {
		if (*text == '%' && sscanf(text + 1, "%2x", &byte) == 1) {
			*to++ = (char)byte;
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
	return out;
}

static unsigned counter_of(unsigned id)
{
	unsigned i;

	for (i = 0; i < now.sample.counters; i++)
		if (now.counter[i].id == id)
			return i;
	fprintf(stderr, "service_fake: no counter %u\n", id);
	exit(2);
}

static void put_place(char *rest)
{
	char scope[32], name[256];
	int cpu = -1, numa = -1;
	unsigned s;

	sscanf(rest, "%31s %255s %d %d", scope, name, &cpu, &numa);
	s = find(scope_name, SERVICE_SCOPES, scope);
	now.place[s][now.sample.places[s]++] = (struct service_place){bytes(name), cpu, numa};
	now.sample.generation++;
}

static void put_counter(char *rest)
{
	char scope[32], level[32], unit[64], name[600], event[600];
	struct service_counter *counter = &now.counter[now.sample.counters];
	unsigned id, number;

	if (sscanf(rest, "%u %u %31s %31s %63s %599s %599s", &id, &number, scope, level, unit, name, event) !=
	    7)
		exit(2);
	*counter = (struct service_counter){
		.id = id, .number = number, .name = bytes(name), .event = bytes(event)};
	counter->description = "What the script says.";
	counter->unit = bytes(unit);
	counter->scope = (enum service_scope)find(scope_name, SERVICE_SCOPES, scope);
	counter->level = !strcmp(level, "level");
	counter->why = "";
	now.value[now.sample.counters++] = need(calloc(256, sizeof(struct service_value)));
	now.sample.generation++;
}

static void remove_counter(unsigned id)
{
	unsigned i = counter_of(id), rest = --now.sample.counters - i;

	memmove(&now.counter[i], &now.counter[i + 1], rest * sizeof(now.counter[0]));
	memmove(&now.value[i], &now.value[i + 1], rest * sizeof(now.value[0]));
	now.sample.generation++;
}

static void put_value(char *rest)
{
	unsigned long long value, running;
	char place[256], state[32];
	unsigned id, i, p;

	if (sscanf(rest, "%u %255s %llu %llu %31s", &id, place, &value, &running, state) != 5)
		exit(2);
	i = counter_of(id);
	for (p = 0; p < now.sample.places[now.counter[i].scope]; p++)
		if (!strcmp(place, "-") || !strcmp(now.place[now.counter[i].scope][p].name, place))
			break;
	now.value[i][p] = (struct service_value){value, running,
						 (enum service_state)find(state_name, SERVICE_STATES, state)};
}

static void put_why(char *rest)
{
	unsigned i = counter_of((unsigned)strtoul(rest, &rest, 10));

	now.counter[i].why = bytes(rest + 1);
}

static void put_user(char *rest)
{
	struct service_user *user = &now.user[now.sample.users];
	int pid;

	sscanf(rest, "%d %u %u %63[^\n]", &pid, &user->uid, &user->descriptors, user->command);
	user->pid = pid;
	now.sample.users++;
}

static void put_sample(struct service *service)
{
	struct fake_sample *step = need(calloc(1, sizeof(*step)));
	struct service_counter *counter = copy(now.counter, now.sample.counters * sizeof(now.counter[0]));
	unsigned i, s;

	now.sample.samples++;
	now.sample.time_ns = now.sample.started_ns + now.sample.samples * 1000000007;
	now.sample.due_ns = now.sample.started_ns + now.sample.samples * 1000000000;
	now.sample.took_ns = 11;
	step->busy_ms = now.busy_ms;
	now.busy_ms = 0;
	step->sample = now.sample;
	for (i = 0; i < now.sample.counters; i++)
		counter[i].value = copy(now.value[i], 256 * sizeof(struct service_value));
	step->sample.counter = counter;
	for (s = 0; s < SERVICE_SCOPES; s++)
		step->sample.place[s] =
			copy(now.place[s], now.sample.places[s] * sizeof(struct service_place));
	step->sample.user = copy(now.user, now.sample.users * sizeof(now.user[0]));
	service->step[service->steps++] = step;
}

static void take(struct service *service, char *line)
{
	char *word = strtok(line, " \n"), *rest = strtok(NULL, "\n");

	if (!word || *word == '#')
		return;
	rest = rest ? rest : "";
	if (!strcmp(word, "started"))
		now.sample.started_ns = strtoull(rest, NULL, 10);
	else if (!strcmp(word, "interval"))
		now.sample.interval_ns = strtoull(rest, NULL, 10);
	else if (!strcmp(word, "place"))
		put_place(rest);
	else if (!strcmp(word, "counter"))
		put_counter(rest);
	else if (!strcmp(word, "remove"))
		remove_counter((unsigned)strtoul(rest, NULL, 10));
	else if (!strcmp(word, "value"))
		put_value(rest);
	else if (!strcmp(word, "why"))
		put_why(rest);
	else if (!strcmp(word, "user"))
		put_user(rest);
	else if (!strcmp(word, "users"))
		now.sample.users = 0;
	else if (!strcmp(word, "message"))
		now.sample.message = bytes(rest);
	else if (!strcmp(word, "error"))
		now.error = bytes(rest);
	else if (!strcmp(word, "opening"))
		now.opening_ms = (unsigned)strtoul(rest, NULL, 10);
	else if (!strcmp(word, "busy"))
		now.busy_ms = (unsigned)strtoul(rest, NULL, 10);
	else if (!strcmp(word, "sample") && service->steps < MOST)
		put_sample(service);
	else
		exit(2);
}

int service_open(const struct service_options *options, struct service **service, char **message)
{
	FILE *script = options->config ? fopen(options->config, "re") : NULL;
	struct service *s = need(calloc(1, sizeof(*s)));
	char line[2048];

	now.sample.message = now.sample.users_unseen = "";
	now.place[SERVICE_NODE][0] = (struct service_place){"", -1, -1};
	now.sample.places[SERVICE_NODE] = 1;
	while (script && fgets(line, sizeof(line), script))
		take(s, line);
	if (script)
		fclose(script);
	if (!s->steps)
		put_sample(s);
	pause_ms(now.opening_ms);
	*message = now.error ? need(strdup(now.error)) : NULL;
	*service = now.error ? NULL : s;
	return now.error ? UPC_EINVAL : 0;
}

void service_close(struct service *service)
{
	(void)service;
}

const struct service_sample *service_sample_get(struct service *service, int wait_ms)
{
	struct fake_sample *next =
		service->step[service->at < service->steps ? service->at : service->steps - 1];

	if (next->busy_ms && service->at) {
		pause_ms(next->busy_ms < (unsigned)wait_ms ? next->busy_ms : (unsigned)wait_ms);
		next->busy_ms = 0;
		return &service->step[service->at - 1]->sample;
	}
	if (service->at < service->steps)
		service->at++;
	return &next->sample;
}

void service_sample_put(const struct service_sample *sample)
{
	(void)sample;
}

uint64_t service_generation(struct service *service)
{
	return service->step[service->at ? service->at - 1 : 0]->sample.generation;
}

/* The agent alone needs no more. */
const char *upc_strerror(int error)
{
	(void)error;
	return "it did not open";
}
