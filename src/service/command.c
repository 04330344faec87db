/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command.c - see command.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/nearest.h"
#include "service/command.h"
#include "service/say.h"

/* ---- sentences ---------------------------------------------------------------- */

static const char *plural_ending(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* ---- counters by name ------------------------------------------------------------ */

static int refuse_unknown_counter(struct counters *c, const char *name, char **message)
{
	struct upci_nearest nearest = {.max = 1};

	for (unsigned i = 0; i < c->counters; i++)
		upci_nearest_offer(&nearest, name, c->counter[i]->name);
	*message = service_say("no counter is called %s%s%s%s", name, nearest.count ? "; did you mean " : "",
			       nearest.count ? nearest.name[0] : "", nearest.count ? "?" : "");
	return UPC_ENOEVENT;
}

/* Find the counters that the operands name, each once. The caller frees *list, of *n counters. */
static int find_named(struct counters *c, const struct config_command *command,
		      struct counters_counter ***list, unsigned *n, char **message)
{
	bool all = command->operands == 1 && !strcmp(command->operand[0].text, "ALL");

	*n = 0;
	*list = calloc(c->counters + 1, sizeof(struct counters_counter *));
	if (!*list)
		return UPC_ENOMEM;
	for (unsigned i = 0; i < (all ? c->counters : command->operands); i++) {
		struct counters_counter *counter =
			all ? c->counter[i] : counters_find(c, command->operand[i].text);
		bool there = false;

		if (!counter) {
			free(*list);
			*list = NULL;
			return refuse_unknown_counter(c, command->operand[i].text, message);
		}
		for (unsigned k = 0; k < *n; k++)
			there |= (*list)[k] == counter;
		if (!there)
			(*list)[(*n)++] = counter;
	}
	return 0;
}

/* ---- commands ---------------------------------------------------------------------- */

static struct counters_add add_of(const struct config_command *command, unsigned operand)
{
	return (struct counters_add){.event = command->operand[operand].text,
				     .as = command->as,
				     .scope = command->scope,
				     .optional = command->optional};
}

static int run_add(struct counters *c, const struct config_command *command, char **message)
{
	struct counters_add *add = calloc(command->operands, sizeof(*add));
	unsigned failed, k;
	int error;

	if (!add)
		return UPC_ENOMEM;
	for (k = 0; k < command->operands; k++)
		add[k] = add_of(command, k);
	error = counters_add(c, add, command->operands, false, &failed);
	free(add);
	if (error)
		*message = service_say("%s%s", c->why, command->operands > 1 ? " (nothing was added)" : "");
	else if (command->operands == 1)
		*message = service_say("added %s, scope %s", c->counter[c->counters - 1]->name,
				       service_scope_name(c->counter[c->counters - 1]->scope));
	else
		*message = service_say("added %u counters", command->operands);
	return error;
}

static int run_reassign(struct counters *c, const struct config_command *command, char **message)
{
	struct counters_counter *counter = counters_find(c, command->operand[0].text);
	int error;

	if (!counter)
		return refuse_unknown_counter(c, command->operand[0].text, message);
	error = counters_reassign(c, counter, command->operand[1].text, command->as);
	*message = error ? service_say("%s", c->why)
			 : service_say("%s counts no more; its counter counts %s, from 0",
				       command->operand[0].text, command->operand[1].text);
	return error;
}

static int run_named(struct counters *c, const struct config_command *command, char **message)
{
	struct counters_counter **list;
	unsigned n, good, left;
	int error = find_named(c, command, &list, &n, message);

	if (error)
		return error;
	switch (command->verb) {
	case CONFIG_HALT:
	case CONFIG_CONTINUE:
		error = counters_halt(c, list, n, command->verb == CONFIG_HALT);
		if (!error)
			*message = service_say("%u counter%s %s", n, plural_ending(n),
					       command->verb == CONFIG_HALT ? "halted" : "continued");
		break;
	case CONFIG_REMOVE:
		error = counters_remove(c, list, n);
		if (!error)
			*message = service_say("%u counter%s removed", n, plural_ending(n));
		break;
	default:
		good = counters_rewrite(c, list, n, &left);
		*message = left ? service_say("%u place%s count, %u cannot: see ls", good,
					      plural_ending(good), left)
				: service_say("%u place%s count", good, plural_ending(good));
		break;
	}
	if (error)
		*message = service_say("%s", c->why);
	free(list);
	return error;
}

int command_run(struct counters *c, const struct config_command *command, char **message)
{
	struct counters_counter **list;
	unsigned n;
	int error;

	*message = NULL;
	switch (command->verb) {
	case CONFIG_ADD:
		return run_add(c, command, message);
	case CONFIG_REASSIGN:
		return run_reassign(c, command, message);
	case CONFIG_LS:
		error = find_named(c, command, &list, &n, message);
		if (!error)
			*message = service_say("%u counter%s", command->operands ? n : c->counters,
					       plural_ending(command->operands ? n : c->counters));
		free(error ? NULL : list);
		return error;
	case CONFIG_STATUS:
		*message = service_say("%u counter%s", c->counters, plural_ending(c->counters));
		return 0;
	default:
		return run_named(c, command, message);
	}
}

/* ---- a configuration ------------------------------------------------------------------ */

/* All adds before finalize, which are one transaction. */
struct collected {
	struct counters_add *add;
	struct config_place *place;
	unsigned n;
};

static int collect_adds(const struct config *config, struct collected *to)
{
	unsigned most = 1;

	for (unsigned i = 0; i < config->commands; i++)
		most += config->command[i].operands;
	to->n = 0;
	to->add = calloc(most, sizeof(*to->add));
	to->place = calloc(most, sizeof(*to->place));
	if (!to->add || !to->place)
		return UPC_ENOMEM;
	for (unsigned i = 0; config->command[i].verb != CONFIG_FINALIZE; i++) {
		const struct config_command *command = &config->command[i];

		for (unsigned k = 0; command->verb == CONFIG_ADD && k < command->operands; k++, to->n++) {
			to->add[to->n] = add_of(command, k);
			to->place[to->n] = command->operand[k].place;
		}
	}
	return 0;
}

/* Return the line and column of the event that libupc's message names, or of finalize if it names none. */
static struct config_place find_blamed_place(const struct collected *all, const char *why,
					     struct config_place finalize)
{
	for (unsigned i = 0; i < all->n; i++)
		if (strcasestr(why, all->add[i].event))
			return all->place[i];
	return finalize;
}

static int run_finalize(struct counters *c, const struct config *config, struct config_place place,
			struct config_error *error)
{
	struct collected all;
	unsigned failed = 0;
	int code = collect_adds(config, &all);

	if (code) {
		config_mistake(error, place, "no memory");
	} else {
		code = counters_add(c, all.add, all.n, false, &failed);
		if (code)
			config_mistake(error,
				       failed < all.n ? all.place[failed]
						      : find_blamed_place(&all, c->why, place),
				       "%s", c->why);
	}
	free(all.add);
	free(all.place);
	return code;
}

int command_configure_places(struct counters *c, const struct config *config, bool missing,
			     struct config_error *error)
{
	int code = 0;

	for (unsigned i = 0; i < config->commands && !code; i++) {
		const struct config_command *command = &config->command[i];

		if (command->verb != CONFIG_CGROUP)
			continue;
		code = counters_add_cgroup(c, command->operand[0].text, command->operand[1].text, missing);
		if (code)
			config_mistake(error, command->operand[1].place, "%s", c->why);
	}
	return code;
}

int command_configure(struct counters *c, const struct config *config, struct config_error *error)
{
	int code = command_configure_places(c, config, false, error);
	bool finalized = false;

	for (unsigned i = 0; i < config->commands && !code; i++) {
		const struct config_command *command = &config->command[i];
		char *message = NULL;

		switch (command->verb) {
		case CONFIG_INITIALIZE:
		case CONFIG_CGROUP:
			break;
		case CONFIG_FINALIZE:
			code = run_finalize(c, config, command->place, error);
			finalized = true;
			break;
		case CONFIG_ADD:
			/* Before finalize, adds were only collected; finalize executes them. */
			if (!finalized)
				break;
			/* fall through */
		default:
			code = command_run(c, command, &message);
			if (code)
				config_mistake(error,
					       command->operand ? command->operand[0].place : command->place,
					       "%s", message ? message : "no memory");
			free(message);
		}
	}
	return code;
}

/* ---- lists ------------------------------------------------------------------------------ */

bool command_lists(const struct config_command *command)
{
	return command->verb == CONFIG_LS || command->verb == CONFIG_STATUS;
}

static json_t *make_json_text(const char *s)
{
	json_t *value = json_string(s);

	/* A path or a label may be no UTF-8. */
	return value ? value : json_string("?");
}

static json_t *list_places(const struct service_sample *sample, const struct service_counter *counter)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < sample->places[counter->scope]; i++) {
		const struct service_value *v = &counter->value[i];
		json_t *place = json_object();

		json_object_set_new(place, "name", make_json_text(sample->place[counter->scope][i].name));
		json_object_set_new(place, "state", make_json_text(service_state_name(v->state)));
		if (v->state == SERVICE_COUNTING)
			json_object_set_new(place, "value", json_integer((json_int_t)v->value));
		json_object_set_new(place, "running_ns", json_integer((json_int_t)v->running_ns));
		json_array_append_new(list, place);
	}
	return list;
}

static json_t *list_counter(const struct service_sample *sample, const struct service_counter *counter)
{
	json_t *object = json_object();
	enum service_state state = service_counter_state(counter, sample->places[counter->scope]);

	json_object_set_new(object, "number", json_integer(counter->number));
	json_object_set_new(object, "id", json_integer(counter->id));
	json_object_set_new(object, "name", make_json_text(counter->name));
	json_object_set_new(object, "event", make_json_text(counter->event));
	json_object_set_new(object, "description", make_json_text(counter->description));
	json_object_set_new(object, "unit", make_json_text(counter->unit));
	json_object_set_new(object, "scope", make_json_text(service_scope_name(counter->scope)));
	json_object_set_new(object, "level", json_boolean(counter->level));
	json_object_set_new(object, "hardware", json_boolean(counter->hardware));
	json_object_set_new(object, "state", make_json_text(service_state_name(state)));
	json_object_set_new(object, "why", make_json_text(counter->why));
	json_object_set_new(object, "places", list_places(sample, counter));
	return object;
}

json_t *command_list(const struct service_sample *sample, const struct config_command *command)
{
	json_t *list = json_array();
	bool all = !command->operands || !strcmp(command->operand[0].text, "ALL");

	for (unsigned i = 0; i < sample->counters; i++) {
		bool named = all;

		for (unsigned k = 0; k < command->operands && !named; k++)
			named = !strcmp(command->operand[k].text, sample->counter[i].name);
		if (named)
			json_array_append_new(list, list_counter(sample, &sample->counter[i]));
	}
	return list;
}

static bool has_counter(const struct service_sample *sample, const char *name)
{
	for (unsigned i = 0; i < sample->counters; i++)
		if (!strcmp(sample->counter[i].name, name))
			return true;
	return false;
}

int command_list_late(const struct service_sample *sample, const struct config_command *command,
		      json_t **reply)
{
	bool all = !command->operands || !strcmp(command->operand[0].text, "ALL");
	json_t *list;

	for (unsigned i = 0; i < command->operands && !all; i++)
		if (!has_counter(sample, command->operand[i].text)) {
			*reply = json_pack("{s:b, s:s, s:I}", "ok", 0, "message",
					   "the last sample has no counter of that name, and the service is "
					   "busy with another command",
					   "generation", (json_int_t)sample->generation);
			return UPC_ENOEVENT;
		}
	list = command_list(sample, command);
	*reply = json_pack("{s:b, s:s, s:I}", "ok", 1, "message",
			   "as the last sample has it: the service is busy with another command",
			   "generation", (json_int_t)sample->generation);
	if (command->verb == CONFIG_STATUS) {
		json_object_set_new(*reply, "started_ns", json_integer((json_int_t)sample->started_ns));
		json_object_set_new(*reply, "time_ns", json_integer((json_int_t)sample->time_ns));
		json_object_set_new(*reply, "samples", json_integer((json_int_t)sample->samples));
		json_object_set_new(*reply, "interval_ns", json_integer((json_int_t)sample->interval_ns));
		json_object_set_new(*reply, "unseen", make_json_text(sample->users_unseen));
		json_object_set_new(*reply, "remark",
				    make_json_text("the service is busy with a command that takes long"));
	}
	json_object_set_new(*reply, "counters", list);
	return 0;
}
