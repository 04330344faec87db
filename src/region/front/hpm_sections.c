/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hpm_sections.c - numbers, labels and places of sections; and the text of them all.
 */
#include "region/front/hpm_sections.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region/region.h"

enum { DEFAULT_COUNT = 100, MOST = 1 << 20, EVENTS = 256 };

static _Atomic(struct upcr_section *) *_Atomic section; /* [count]. Partner: at */
static atomic_int count;

int upcr_section_count(void)
{
	const char *text = getenv("HPM_NUM_INST_PTS");
	long wanted = text ? strtol(text, NULL, 10) : 0;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		atomic_store(&count, wanted > 0 && wanted <= MOST ? (int)wanted : DEFAULT_COUNT);
	return atomic_load(&count);
}

static _Atomic(struct upcr_section *) *at(int number)
{
	_Atomic(struct upcr_section *) *all = atomic_load_explicit(&section, memory_order_acquire);

	return all && number >= 0 && number < atomic_load_explicit(&count, memory_order_relaxed)
		       ? &all[number]
		       : NULL;
}

struct upcr_section *upcr_section_find(int number)
{
	_Atomic(struct upcr_section *) *place = at(number);

	return place ? atomic_load_explicit(place, memory_order_acquire) : NULL;
}

static bool make_table(void)
{
	_Atomic(struct upcr_section *) *none = NULL, *made;

	if (atomic_load(&section))
		return true;
	made = calloc((size_t)upcr_section_count(), sizeof(*made));
	if (made && !atomic_compare_exchange_strong(&section, &none, made))
		free((void *)made);
	return atomic_load(&section) != NULL;
}

/* Another section has the label: then the number tells them apart. */
static bool is_taken(int number, const char *label)
{
	const struct upcr_section *other;
	int i;

	for (i = 0; i < upcr_section_count(); i++) {
		other = i != number ? upcr_section_find(i) : NULL;
		if (other && !strcmp(other->label, label))
			return true;
	}
	return false;
}

static struct upcr_section *create(int number, const char *label, size_t length)
{
	struct upcr_section *made = calloc(1, sizeof(*made));
	size_t size = length + 32;
	char *name = malloc(size);

	if (made)
		made->label = malloc(length + 1);
	if (!made || !name || !made->label) {
		free(made ? made->label : NULL);
		free(made);
		free(name);
		return NULL;
	}
	memcpy(made->label, label, length);
	made->label[length] = '\0';
	if (!length)
		snprintf(name, size, "section %d", number);
	else if (is_taken(number, made->label))
		snprintf(name, size, "%s [%d]", made->label, number);
	else
		snprintf(name, size, "%s", made->label);
	made->name = upcr_name(name, strlen(name));
	free(name);
	return made;
}

struct upcr_section *upcr_section_make(int number, const char *label, size_t length)
{
	struct upcr_section *found = upcr_section_find(number), *none = NULL;

	if (found || !make_table() || !at(number))
		return found;
	found = create(number, label, length);
	if (found && !atomic_compare_exchange_strong(at(number), &none, found)) {
		free(found->label);
		free(found);
		found = none;
	}
	return found;
}

/* ---- the text ------------------------------------------------------------------------------ */

static atomic_bool written;
static int task_of_end;
static char program_of_end[256];

struct text {
	FILE *file;
	int number;
	const struct upcr_section *section;
};

static void put_value(FILE *file, const char *event, const struct upcr_value *value)
{
	fprintf(file, "  %-40s : ", event);
	if (value->uncounted && !value->estimated && !value->whole)
		fprintf(file, "%20s\n", "not counted");
	else if (upcr_is_exact(value))
		fprintf(file, "%20llu\n", (unsigned long long)value->whole);
	else if (upcr_is_lower_bound(value))
		fprintf(file, "%20.0f  or more\n", value->value);
	else
		fprintf(file, "%20.0f  [%.0f, %.0f]\n", value->value, value->low, value->high);
}

static void put_section(void *arg, unsigned thread, const struct upcr_counts *counts)
{
	const struct text *text = arg;
	const char *file = atomic_load(&text->section->file);
	unsigned i;

	fprintf(text->file, "\n Instrumented section: %d - Label: %s - process: %d", text->number,
		text->section->label, (int)getpid());
	if (thread == UPCR_ALL)
		fprintf(text->file, " - thread: others\n");
	else
		fprintf(text->file, " - thread: %u\n", thread);
	if (file)
		fprintf(text->file, " file: %s, lines: %d <--> %d\n", file,
			atomic_load(&text->section->first), atomic_load(&text->section->last));
	fprintf(text->file, "  Count: %llu\n", (unsigned long long)counts->calls);
	fprintf(text->file, "  Wall Clock Time: %.6f seconds\n", counts->seconds);
	for (i = 0; i < counts->events && i < EVENTS; i++)
		put_value(text->file, upcr_event(i), &counts->value[i]);
}

static void add_seconds(void *arg, unsigned thread, const struct upcr_counts *counts)
{
	double *longest = arg;

	(void)thread;
	*longest = fmax(*longest, counts->seconds);
}

static void put_all(FILE *file, int task, const char *program)
{
	static struct upcr_value value[EVENTS];
	struct upcr_counts counts = {.events = EVENTS, .value = value};
	struct text text = {.file = file};
	double seconds = 0;

	(void)upcr_read_threads(UPCR_ALL, &counts, add_seconds, &seconds);
	fprintf(file, " libHPM output summary\n\n Program: %s - task: %d\n", program, task);
	fprintf(file, " Total execution time of instrumented code (wall time): %.6f seconds\n", seconds);
	for (text.number = 0; text.number < upcr_section_count(); text.number++) {
		text.section = upcr_section_find(text.number);
		if (text.section)
			(void)upcr_read_threads(text.section->name, &counts, put_section, &text);
	}
}

void upcr_sections_write(int task, const char *program)
{
	const char *name = secure_getenv("HPM_OUTPUT_NAME");
	char path[4096];
	FILE *file;

	/* Who asks for a table has that. */
	if (getenv("UPC_REGIONS_OUT") || atomic_exchange(&written, true))
		return;
	snprintf(path, sizeof(path), "%s%04d.%d", name && name[0] ? name : "perfhpm", task, (int)getpid());
	file = fopen(path, "we");
	if (!file) {
		upcr_say("'%s' cannot be written: %s", path, strerror(errno));
		return;
	}
	put_all(file, task, program);
	if (fclose(file))
		upcr_say("'%s' cannot be written: %s", path, strerror(errno));
}

static void write_at_end(void)
{
	upcr_sections_write(task_of_end, program_of_end);
}

void upcr_sections_write_at_end(int task, const char *program)
{
	task_of_end = task;
	snprintf(program_of_end, sizeof(program_of_end), "%s", program);
	upcr_at_finish(write_at_end);
}
