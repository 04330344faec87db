/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.h - the language of the service's configuration and commands. Each line is one command, in the terms
 * of the paper (MSR, section IV). Pure: converts text into commands, or into an error with its place in the
 * text. Here, a place is a line and a column (struct config_place). command.h checks later whether an event
 * or a counter of a name exists.
 * Terms: service/service.h.
 */
#ifndef SERVICE_CONFIG_H
#define SERVICE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_WORDS_MAX 1024      /* limit of words in one command */
#define CONFIG_TEXT_MAX (1u << 20) /* limit of a configuration, in bytes */
#define CONFIG_NAME_MAX 128        /* for an alias or a label, including its NUL */
#define CONFIG_SCOPE_OF_EVENT (-1) /* no scope= was given: use the event's default scope */

/* Line and column, from 1. In a command at run time, line is 0 and column is the number of the word. */
struct config_place {
	unsigned line, column;
};

struct config_word {
	char *text;
	struct config_place place;
};

enum config_verb {
	CONFIG_INITIALIZE,
	CONFIG_CGROUP,
	CONFIG_ADD,
	CONFIG_FINALIZE,
	CONFIG_HALT,
	CONFIG_CONTINUE,
	CONFIG_REWRITE,
	CONFIG_REASSIGN,
	CONFIG_REMOVE,
	CONFIG_LS,
	CONFIG_STATUS,
	CONFIG_YIELD,
	CONFIG_RESUME,
	CONFIG_VERBS
};

/* The keys of initialize. config_defaults sets the keys that are not given. */
struct config_initialize {
	const char *replay; /* path of a script; NULL: this machine */
	const char *sys;    /* directory that replaces /sys, with a script only; or NULL */
	uint64_t interval_ns;
	bool user;        /* domain=user: count user mode only */
	bool flexible;    /* hardware groups are not pinned */
	bool notice;      /* look for users of hardware counters */
	unsigned reserve; /* hardware counters that are left free for users */
};

struct config_command {
	enum config_verb verb;
	struct config_place place;
	struct config_word *operand; /* events, names, or label and path; points into word */
	unsigned operands;
	int scope;      /* for add: enum service_scope, or CONFIG_SCOPE_OF_EVENT */
	bool optional;  /* for add: keep an event that cannot be counted, as failed */
	const char *as; /* for add and reassign: the alias, or NULL */
	struct config_initialize initialize;
	struct config_word *word; /* all words, owned by the command */
	unsigned words;
};

struct config {
	struct config_command *command;
	unsigned commands;
};

struct config_error {
	struct config_place place;
	char text[512]; /* one line: the error, what was expected, the nearest name */
};

/* Describe an error and its place. Returns false. */
bool config_mistake(struct config_error *error, struct config_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void config_defaults(struct config_initialize *initialize);

/* True if text is a valid name for a counter or a place. Otherwise *why says what a name consists of. */
bool config_is_name(const char *text, const char **why);

/*
 * Read a whole configuration, and check the order of its commands: initialize, then cgroup and add, then
 * finalize, then the others. False on the first error; *config is empty then.
 */
bool config_parse(const char *text, size_t length, struct config *config, struct config_error *error);

/* Read one command at run time from its words. */
bool config_parse_words(const char *const *word, unsigned words, struct config_command *command,
			struct config_error *error);

void config_free(struct config *config);
void config_command_free(struct config_command *command);

#endif
