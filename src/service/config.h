/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.h - the service's language: of its configuration, and of commands. One command a line, in
 * the words of the paper (MSR, section IV). Pure: text in, commands or a mistake with its place out.
 * Whether an event or a counter of that name is there is found out later (command.h).
 */
#ifndef SERVICE_CONFIG_H
#define SERVICE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_WORDS_MAX 1024      /* of a command                             */
#define CONFIG_TEXT_MAX (1u << 20) /* bytes of a configuration                 */
#define CONFIG_NAME_MAX 128        /* of an alias, or a label, with its 0      */
#define CONFIG_SCOPE_OF_EVENT (-1) /* no scope= was given: as the event has it */

/* Line and column, from 1; of a command at run time line is 0 and column the word's number. */
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

/* The keys of initialize; keys that it leaves out are as config_defaults has them. */
struct config_initialize {
	const char *replay; /* path of a script, or NULL: this machine                   */
	const char *sys;    /* directory in place of /sys, behind a script only; or NULL  */
	uint64_t interval_ns;
	bool user;     /* domain=user: only user mode   */
	bool flexible; /* hardware groups are not pinned */
	bool notice;   /* look who else counts           */
	unsigned reserve;
};

struct config_command {
	enum config_verb verb;
	struct config_place place;
	struct config_word *operand; /* events, names, label and path: into the words */
	unsigned operands;
	int scope;      /* of add: enum service_scope, or CONFIG_SCOPE_OF_EVENT */
	bool optional;  /* of add: what cannot be counted is kept as failed     */
	const char *as; /* of add, reassign: the alias, or NULL                  */
	struct config_initialize initialize;
	struct config_word *word; /* all of them; the command owns them */
	unsigned words;
};

struct config {
	struct config_command *command;
	unsigned commands;
};

struct config_error {
	struct config_place place;
	char text[512]; /* one line: what, what was expected, the nearest name */
};

/* Says what is wrong there; returns false. */
bool config_mistake(struct config_error *error, struct config_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void config_defaults(struct config_initialize *initialize);

/* Whether a counter, or a place, can be called so; else *why says what a name is made of. */
bool config_is_name(const char *text, const char **why);

/*
 * Reads a whole configuration: every line, and that they are in order (initialize, then cgroup and
 * add, then finalize, then the others). Returns false with the first mistake, and *config empty.
 */
bool config_parse(const char *text, size_t length, struct config *config, struct config_error *error);

/* Reads one command at run time, given as its words. */
bool config_parse_words(const char *const *word, unsigned words, struct config_command *command,
			struct config_error *error);

void config_free(struct config *config);
void config_command_free(struct config_command *command);

#endif
