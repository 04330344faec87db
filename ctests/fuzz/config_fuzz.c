/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any configuration of the node service: it is read, or refused with a place in it and a line of
 * text. Each command that was read is the same as a command of its words.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_main.h"
#include "service/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mistake(const struct config_error *error, const uint8_t *data, size_t size)
{
	unsigned lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	check(error->place.line >= 1 && error->place.line <= lines);
	check(error->place.column >= 1 && error->place.column <= size + 1);
	check(*error->text && strlen(error->text) < sizeof(error->text) && !strchr(error->text, '\n'));
}

static void check_command(const struct config_command *c)
{
	struct config_command again;
	struct config_error error;
	const char **word = calloc(c->words, sizeof(*word));

	check(word && c->words > c->operands && c->place.line);
	for (unsigned i = 0; i < c->words; i++)
		word[i] = c->word[i].text;
	if (config_parse_words(word, c->words, &again, &error)) {
		check(again.verb == c->verb && again.operands == c->operands && again.scope == c->scope);
		for (unsigned i = 0; i < c->operands; i++)
			check(!strcmp(again.operand[i].text, c->operand[i].text));
		config_command_free(&again);
	} else {
		/* These commands are for a configuration only. */
		check(c->verb == CONFIG_INITIALIZE || c->verb == CONFIG_CGROUP || c->verb == CONFIG_FINALIZE);
	}
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config config;
	struct config_error error;

	if (!config_parse((const char *)data, size, &config, &error)) {
		check_mistake(&error, data, size);
		check(!config.command && !config.commands);
		return 0;
	}
	check(config.commands >= 2 && config.command[0].verb == CONFIG_INITIALIZE);
	for (unsigned i = 0; i < config.commands; i++)
		check_command(&config.command[i]);
	config_free(&config);
	return 0;
}
