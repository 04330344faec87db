/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec.c - from a program to the command line of its emulator.
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
	bool failed; /* no memory */
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

/* In the value of an option the emulator takes two commas for one. NULL: no memory. */
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
 * Would be heeded by the emulator's own dynamic linker and C library, or by the emulator.
 * Its option -E takes a comma for the end of the variable, so those with one stay with it.
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
	/* Else the program finds 16 random bytes, and its C library does with them what it likes. */
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

/* preload: the PAPI that the program is given, "" none. */
static void add_variables(struct list *argv, struct list *envp, char *const variables[],
			  const struct upcs_options *options, const char *preload)
{
	const char *const *name;
	char *revised;
	size_t i;

	/*
	 * The emulator's own, not the program's: up to 2.74 glib has an allocator of its own, whose lock
	 * may be held when another thread forks. Then the child waits for ever.
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

/* A script's arguments become its interpreter's: INTERPRETER [ARGUMENT] SCRIPT, and the
 * script's own but the first. */
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

/* Follows scripts from path to an ELF file, whose path is *program and whose arguments are
 * *arguments. */
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
	/* Not to be taken for an option. */
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

/* A variable as it is without upc_run: itself, another, or NULL, to be left out. */
static char *release_variable(const struct upcs_options *options, char *variable)
{
	const char *const *name;
	char *revised;

	/* Without a simulator libupc refuses to count what is simulated. */
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
