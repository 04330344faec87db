/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec.c - builds the emulator's command line for a program.
 *
 * Terms: load/symbols.h.
 */
#include "load/exec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "load/emulator.h"
#include "load/preload.h"

struct list {
	char **item;
	size_t n, room;
	bool failed; /* memory was short */
};

static void put_list_text(struct list *list, char *text)
{
	char **larger;

	if (list->n + 2 > list->room) {
		list->room = 2 * list->room + 16;
		larger = realloc(list->item, list->room * sizeof(*larger));
		if (!larger)
			list->failed = true;
		else
			list->item = larger;
	}
	if (!text || list->failed) {
		list->failed = true;
		free(text);
		return;
	}
	list->item[list->n++] = text;
	list->item[list->n] = NULL;
}

__attribute__((format(printf, 2, 3))) static void add(struct list *list, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	put_list_text(list, text);
}

static void drop_list(struct list *list)
{
	while (list->n)
		free(list->item[--list->n]);
	free(list->item);
	memset(list, 0, sizeof(*list));
}

/* ---- options ------------------------------------------------------------------------- */

/* Double the commas of an option's value, as the emulator requires. Return NULL if memory is short. */
static char *quote_option_value(const char *path)
{
	size_t commas = 0, i, n = 0;
	char *text;

	for (i = 0; path[i]; i++)
		commas += path[i] == ',';
	text = malloc(i + commas + 1);
	for (i = 0; text && path[i]; i++) {
		if (path[i] == ',')
			text[n++] = ',';
		text[n++] = path[i];
	}
	if (text)
		text[n] = 0;
	return text;
}

static void add_plugin(struct list *list, const struct upcs_command *command, enum upcs_guest guest,
		       const char *program)
{
	char module[UPCS_MODULE_MAX], *plugin, *results = quote_option_value(command->results),
					       *name = quote_option_value(program);

	upcs_emulator_module(command->options, guest, module);
	plugin = quote_option_value(module);
	add(list, "-plugin");
	if (plugin && results && name)
		add(list, "%s,results=%s,after=%lld,count=%s,program=%s", plugin, results,
		    (long long)command->after, command->counted ? "on" : "off", name);
	else
		list->failed = true;
	free(plugin);
	free(results);
	free(name);
}

/*
 * True for a variable that the emulator's own dynamic linker or C library, or the emulator itself, would
 * read. It must be passed with option -E. -E ends a variable at a comma, so a variable with a comma stays in
 * the environment.
 */
static bool is_for_guest(const char *variable)
{
	return (strncmp(variable, "LD_", 3) == 0 || strncmp(variable, "QEMU_", 5) == 0 ||
		strncmp(variable, "GLIBC_TUNABLES=", 15) == 0 || strncmp(variable, "G_SLICE=", 8) == 0) &&
	       strchr(variable, '=') && !strchr(variable, ',');
}

static void add_options(struct list *list, const struct upcs_command *command, enum upcs_guest guest,
			const char *program, const char *argv0)
{
	const struct upcs_options *options = command->options;
	const char *prefix = upcs_options_prefix(options, guest);
	const char *processor = upcs_guests[guest].processor[options->interface[guest] > 1];

	add(list, "%s", options->qemu[guest]);
	add(list, "-0");
	add(list, "%s", argv0);
	if (prefix[0]) {
		add(list, "-L");
		add(list, "%s", prefix);
	}
	if (processor) {
		add(list, "-cpu");
		add(list, "%s", processor);
	}
	/* Without -seed the program gets 16 random bytes (AT_RANDOM), which may change the work of its C
	 * library. */
	if (!options->randomise) {
		add(list, "-seed");
		add(list, "1");
	}
	add_plugin(list, command, guest, program);
}

static void add_variable(struct list *argv, struct list *envp, char *variable)
{
	if (variable && is_for_guest(variable)) {
		add(argv, "-E");
		put_list_text(argv, variable);
	} else {
		put_list_text(envp, variable);
	}
}

static bool has_variable(char *const variables[], const char *name)
{
	for (; variables && *variables; variables++)
		if (strncmp(*variables, name, strlen(name)) == 0)
			return true;
	return false;
}

/* Pass the program's variables. preload: path of the PAPI for the program; "": none. */
static void add_variables(struct list *argv, struct list *envp, char *const variables[],
			  const struct upcs_options *options, const char *preload)
{
	const char *const *name;
	char *revised;
	size_t i;

	/*
	 * For the emulator, not for the program. glib up to 2.74 has its own allocator, whose lock may be
	 * held by another thread at a fork. The child would then wait for ever.
	 */
	add(envp, "G_SLICE=always-malloc");
	if (!has_variable(variables, "G_SLICE=")) {
		add(argv, "-U");
		add(argv, "G_SLICE");
	}
	for (i = 0; variables && variables[i]; i++)
		add_variable(argv, envp, upcs_preload_revise(options, variables[i], preload));
	for (name = upcs_preload_variables; *name; name++) {
		if (has_variable(variables, *name))
			continue;
		revised = upcs_preload_revise(options, *name, preload);
		if (revised && strcmp(revised, *name) == 0)
			free(revised);
		else
			add_variable(argv, envp, revised);
	}
}

/* ---- programs and scripts ------------------------------------------------------------ */

/* Replace a script's arguments by its interpreter's: INTERPRETER [ARGUMENT] SCRIPT, then the script's
 * arguments without the first. */
static void interpret_script(struct list *arguments, const struct upcs_program_info *info, const char *script)
{
	struct list list = {NULL, 0, 0, false};
	size_t i;

	add(&list, "%s", info->interpreter);
	if (info->argument[0])
		add(&list, "%s", info->argument);
	add(&list, "%s", script);
	for (i = 1; i < arguments->n; i++)
		add(&list, "%s", arguments->item[i]);
	list.failed |= arguments->failed;
	drop_list(arguments);
	*arguments = list;
}

/* Follow scripts from path to an ELF file. Store its path in *program and its arguments in *arguments. Return
 * 0 or a negative errno. */
static int find_program(const char *path, struct list *arguments, struct upcs_program_info *info,
			char **program)
{
	int kind, depth;

	*program = strdup(path);
	for (depth = 0; *program; depth++) {
		kind = upcs_program_look(*program, info);
		if (kind < 0)
			return kind;
		if (kind == UPCS_PROGRAM_ELF)
			return 0;
		if (kind != UPCS_PROGRAM_SCRIPT || depth == UPCS_INTERPRETERS_MAX)
			return kind == UPCS_PROGRAM_SCRIPT ? -ELOOP : -ENOEXEC;
		interpret_script(arguments, info, *program);
		free(*program);
		*program = strdup(info->interpreter);
	}
	return -ENOMEM;
}

static int make_emulator_exec(const struct upcs_command *command, const char *program,
			      const struct list *arguments, char *const envp[], struct upcs_exec *exec)
{
	struct list argv = {NULL, 0, 0, false}, variables = {NULL, 0, 0, false};
	char preload[PATH_MAX];
	size_t i;

	if (!upcs_preload_choose(command->options, &exec->info, program, envp, preload))
		preload[0] = '\0';
	add_options(&argv, command, exec->info.guest, program, arguments->item[0]);
	add_variables(&argv, &variables, envp, command->options, preload);
	/* A leading '-' would be taken for an option. */
	add(&argv, "%s%s", program[0] == '-' ? "./" : "", program);
	for (i = 1; i < arguments->n; i++)
		add(&argv, "%s", arguments->item[i]);
	if (!variables.item) {
		variables.item = calloc(1, sizeof(*variables.item));
		variables.failed |= !variables.item;
	}
	if (argv.failed || variables.failed) {
		drop_list(&argv);
		drop_list(&variables);
		return -ENOMEM;
	}
	exec->argv = argv.item;
	exec->envp = variables.item;
	return 0;
}

int upcs_exec_make(const struct upcs_command *command, const char *path, char *const argv[],
		   char *const envp[], struct upcs_exec *exec)
{
	struct list arguments = {NULL, 0, 0, false};
	char *program = NULL;
	size_t i;
	int error;

	memset(exec, 0, sizeof(*exec));
	add(&arguments, "%s", argv && argv[0] ? argv[0] : "");
	for (i = 1; argv && argv[0] && argv[i]; i++)
		add(&arguments, "%s", argv[i]);
	error = find_program(path, &arguments, &exec->info, &program);
	if (!error && (exec->info.guest >= UPCS_GUESTS || !command->options->qemu[exec->info.guest][0]))
		error = -ENOEXEC;
	if (!error && arguments.failed)
		error = -ENOMEM;
	if (!error)
		error = make_emulator_exec(command, program, &arguments, envp, exec);
	drop_list(&arguments);
	free(program);
	return error;
}

void upcs_exec_free(struct upcs_exec *exec)
{
	char **lists[] = {exec->argv, exec->envp};
	size_t i, k;

	for (k = 0; k < 2; k++) {
		for (i = 0; lists[k] && lists[k][i]; i++)
			free(lists[k][i]);
		free(lists[k]);
	}
	memset(exec, 0, sizeof(*exec));
}

bool upcs_exec_is_privileged(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	if (st.st_mode & S_ISUID && st.st_uid != geteuid())
		return true;
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid())
		return true;
	return geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Return a variable as it would be without upc_run: unchanged, revised, or NULL if it must be removed. */
static char *release_variable(const struct upcs_options *options, char *variable)
{
	const char *const *name;
	char *revised;

	/* Without a simulator, libupc would refuse to count with this source. */
	if (strcmp(variable, "UPC_SOURCE=sim") == 0)
		return NULL;
	revised = upcs_preload_revise(options, variable, "");
	if (!revised || strcmp(revised, variable) == 0) {
		free(revised);
		return variable;
	}
	for (name = upcs_preload_variables; *name; name++) {
		if (strcmp(revised, *name) == 0) {
			free(revised);
			return NULL;
		}
	}
	return revised;
}

bool upcs_exec_release(const struct upcs_options *options, char *envp[])
{
	char **from, **to = envp, *variable;
	bool changed = false;

	for (from = envp; *from; from++) {
		variable = release_variable(options, *from);
		changed |= variable != *from;
		if (variable != *from)
			free(*from);
		if (variable)
			*to++ = variable;
	}
	*to = NULL;
	return changed;
}
