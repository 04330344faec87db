/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.c - replaces the PAPI of simulated programs.
 *
 * Terms: load/symbols.h.
 */
#include "load/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/elf_file.h"
#include "load/objects.h"

#define STEM "libpapi.so"

#define LIST "LD_PRELOAD="
#define SEARCH "LD_LIBRARY_PATH="

const char *const upcs_preload_variables[] = {LIST, SEARCH, NULL};

bool upcs_preload_can_name(const char *path)
{
	return path[strcspn(path, " \t\n:;,$")] == '\0';
}

static const char *find_variable(char *const envp[], const char *name)
{
	size_t length = strlen(name);
	const char *value = NULL;

	/* The last assignment counts. */
	for (; envp && *envp; envp++)
		if (strncmp(*envp, name, length) == 0)
			value = *envp + length;
	return value;
}

/* Move *word to the next word of a list. Return its length, or 0 at the end. */
static size_t next_word(const char **word)
{
	*word += strspn(*word, ": ");
	return strcspn(*word, ": ");
}

/* Add the entries of the list that are paths. Names without a slash are searched for like needed
 * libraries. */
static void add_preloaded(struct upcs_objects *objects, const char *list)
{
	char text[PATH_MAX], path[PATH_MAX];
	size_t n;

	for (; list && (n = next_word(&list)) > 0; list += n) {
		if (n >= sizeof(text) || !memchr(list, '/', n))
			continue;
		memcpy(text, list, n);
		text[n] = '\0';
		if (upcs_objects_find(objects, path, text))
			(void)upcs_objects_add(objects, path);
	}
}

/* Find the name of the PAPI library that the program is loaded with. Return false if it is loaded without
 * PAPI. */
static bool find_needed(const struct upcs_options *options, enum upcs_guest guest, const char *program,
			char *const envp[], char name[UPCS_OBJECTS_NAME])
{
	struct upcs_objects objects = {
		.guest = guest,
		.prefix = upcs_options_prefix(options, guest),
		.search_path = find_variable(envp, SEARCH),
		.stem = STEM ".",
	};
	int error = upcs_objects_add(&objects, program);
	unsigned i;

	add_preloaded(&objects, find_variable(envp, LIST));
	for (i = 0; !error && i < objects.n && !objects.named[0]; i++)
		error = upcs_objects_follow(&objects, i);
	strcpy(name, objects.named);
	upcs_objects_free(&objects);
	return name[0] != '\0' && !strchr(name, '/');
}

bool upcs_preload_choose(const struct upcs_options *options, const struct upcs_program_info *info,
			 const char *program, char *const envp[], char file[PATH_MAX])
{
	const char *source = find_variable(envp, "UPC_SOURCE=");
	char name[UPCS_OBJECTS_NAME];
	int n;

	if (!options->papi[0] || !info->dynamic || !source || strcmp(source, "sim") != 0)
		return false;
	/* A program that needs another version of PAPI than ours is loaded with its own version. If ours were
	 * preloaded, functions of the two versions would be mixed. */
	if (!find_needed(options, info->guest, program, envp, name)) {
		if (!options->papi_always)
			return false;
		strcpy(name, STEM);
	}
	n = snprintf(file, PATH_MAX, "%s/%s", options->papi, name);
	return n > 0 && n < PATH_MAX && upcs_preload_can_name(file) && upcs_elf_is_of(file, info->guest);
}

/* True if a word of LD_PRELOAD is a PAPI that was chosen for another program. */
static bool is_chosen(const struct upcs_options *options, const char *word, size_t length)
{
	size_t n = strlen(options->papi);

	return n > 0 && length > n + sizeof(STEM) - 1 && strncmp(word, options->papi, n) == 0 &&
	       strncmp(word + n, "/" STEM, sizeof(STEM)) == 0 && !memchr(word + n + 1, '/', length - n - 1);
}

static char *revise_list(const struct upcs_options *options, const char *word, const char *file)
{
	size_t length = sizeof(LIST) - 1, n;
	char *list = malloc(length + strlen(word) + strlen(file) + 2);
	const char *colon = "";

	if (!list)
		return NULL;
	strcpy(list, LIST);
	for (; (n = next_word(&word)) > 0; word += n) {
		if (is_chosen(options, word, n))
			continue;
		length += (size_t)sprintf(list + length, "%s%.*s", colon, (int)n, word);
		colon = ":";
	}
	if (*file)
		sprintf(list + length, "%s%s", colon, file);
	return list;
}

/* Put the directory in front of LD_LIBRARY_PATH. An empty path would name the current directory, so no colon
 * is added before one. */
static char *revise_path(const struct upcs_options *options, const char *path, const char *file)
{
	const char *directory = *file ? options->papi : "";
	size_t n = strlen(options->papi);
	char *revised;

	if (strncmp(path, options->papi, n) == 0 && (path[n] == ':' || path[n] == '\0'))
		path += n + (path[n] == ':');
	if (asprintf(&revised, SEARCH "%s%s%s", directory, *directory && *path ? ":" : "", path) < 0)
		return NULL;
	return revised;
}

static bool has_chosen(const struct upcs_options *options, const char *word)
{
	size_t n;

	for (; (n = next_word(&word)) > 0; word += n)
		if (is_chosen(options, word, n))
			return true;
	return false;
}

char *upcs_preload_revise(const struct upcs_options *options, const char *variable, const char *file)
{
	const char *list =
		strncmp(variable, LIST, sizeof(LIST) - 1) == 0 ? variable + sizeof(LIST) - 1 : NULL;

	/* A list stays as it is written if nothing is removed and nothing added. */
	if (list && (*file || has_chosen(options, list)))
		return revise_list(options, list, file);
	if (options->papi[0] && options->papi_always && strncmp(variable, SEARCH, sizeof(SEARCH) - 1) == 0)
		return revise_path(options, variable + sizeof(SEARCH) - 1, file);
	return strdup(variable);
}
