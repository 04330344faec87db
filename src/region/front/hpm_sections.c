/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hpm_sections.c - numbers, labels and source lines of sections, and the text file about all sections.
 * Terms: region/front/front.h.
 */
#include "region/front/hpm_sections.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region/names.h"
#include "region/region.h"
#include "region/settings.h"

enum { DEFAULT_COUNT = 100, MOST = 1 << 20, EVENTS = 256 };

/* All sections; the first section makes the table in full size. */
struct table {
	unsigned mask;
	atomic_ulong *owner; /* [mask + 1]: engine's name << 32 | section's number + 1; 0: free */
	_Atomic(struct upcr_section *) section[]; /* [count] */
};

static struct table *_Atomic table; /* paired with the load in at */
static atomic_int count;

int upcr_section_count(void)
{
	const char *text = getenv("HPM_NUM_INST_PTS");
	long wanted = text ? strtol(text, NULL, 10) : 0;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		atomic_store(&count, wanted <= 0 ? DEFAULT_COUNT : wanted < MOST ? (int)wanted : MOST);
	return atomic_load(&count);
}

static _Atomic(struct upcr_section *) *at(int number)
{
	struct table *all = atomic_load_explicit(&table, memory_order_acquire);

	return all && number >= 0 && number < atomic_load_explicit(&count, memory_order_relaxed)
		       ? &all->section[number]
		       : NULL;
}

struct upcr_section *upcr_section_find(int number)
{
	_Atomic(struct upcr_section *) *place = at(number);

	return place ? atomic_load_explicit(place, memory_order_acquire) : NULL;
}

static bool make_table(void)
{
	const size_t n = (size_t)upcr_section_count();
	struct table *none = NULL, *made;
	unsigned slots = 64;

	if (atomic_load(&table))
		return true;
	while (slots < 2 * n)
		slots *= 2;
	made = calloc(1, sizeof(*made) + n * sizeof(made->section[0]));
	if (!made)
		return false;
	made->mask = slots - 1;
	made->owner = calloc(slots, sizeof(*made->owner));
	if (!made->owner || !atomic_compare_exchange_strong(&table, &none, made)) {
		free((void *)made->owner);
		free(made);
	}
	return atomic_load(&table) != NULL;
}

/* Claim the name for this section. False if the name is another section's. */
static bool own_section_name(unsigned name, int number)
{
	const unsigned long wanted = (unsigned long)name << 32 | ((unsigned)number + 1);
	struct table *all = atomic_load(&table);
	unsigned i;

	for (i = name & all->mask;; i = (i + 1) & all->mask) {
		unsigned long found = 0;

		if (atomic_compare_exchange_strong(&all->owner[i], &found, wanted) || found == wanted)
			return true;
		if (found >> 32 == name)
			return false;
	}
}

/* Return the name of a section. If another section has the label, the section's number is added to it. Beyond
 * the engine's limit of names, sections are indistinguishable (UPCR_OTHERS). */
static unsigned name_of_section(int number, const char *label, size_t length)
{
	enum { END = 16 };
	char text[UPCR_NAME_MAX];
	unsigned name;

	length = length < sizeof(text) - 2 * END ? length : sizeof(text) - 2 * END;
	memcpy(text, label, length);
	name = upcr_name(text, length);
	while (name != UPCR_OTHERS && !own_section_name(name, number)) {
		if (length > sizeof(text) - END)
			return UPCR_OTHERS;
		length += (size_t)snprintf(text + length, END, " [%d]", number);
		name = upcr_name(text, length);
	}
	return name;
}

static struct upcr_section *create_section(int number, const char *label, size_t length)
{
	struct upcr_section *made = calloc(1, sizeof(*made));
	char instead[32];

	if (!length) {
		length = (size_t)snprintf(instead, sizeof(instead), "section %d", number);
		label = instead;
	}
	if (made)
		made->label = malloc(length + 1);
	if (!made || !made->label) {
		free(made);
		return NULL;
	}
	memcpy(made->label, label, length);
	made->label[length] = '\0';
	made->name = name_of_section(number, label, length);
	return made;
}

struct upcr_section *upcr_section_make(int number, const char *label, size_t length)
{
	struct upcr_section *found = upcr_section_find(number), *none = NULL;

	if (found || !make_table() || !at(number))
		return found;
	found = create_section(number, label, length);
	if (found && !atomic_compare_exchange_strong(at(number), &none, found)) {
		free(found->label);
		free(found);
		found = none;
	}
	return found;
}

/* ---- the text ------------------------------------------------------------------------------ */

struct run {
	int task;
	char program[256];
};

static const struct run *_Atomic run; /* from the last hpmInit; earlier values are never freed */
static atomic_int writing;            /* PID of the process that writes; a child is another process */
static atomic_bool changed;           /* a section was counted since the last write */

struct text {
	FILE *file;
	int number;
	const char *label, *source;
	int first, last;
};

/* Write a label on one line: labels are any bytes. */
static void put_words(FILE *file, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, file);
}

static void put_section_value(FILE *file, const char *event, const struct upcr_value *value)
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
	unsigned i;

	fprintf(text->file, "\n Instrumented section: %d - Label: ", text->number);
	put_words(text->file, text->label);
	fprintf(text->file, " - process: %d", (int)getpid());
	if (thread == UPCR_ALL)
		fprintf(text->file, " - thread: others\n");
	else
		fprintf(text->file, " - thread: %u\n", thread);
	if (text->source) {
		fprintf(text->file, " file: ");
		put_words(text->file, text->source);
		fprintf(text->file, ", lines: %d <--> %d\n", text->first, text->last);
	}
	fprintf(text->file, "  Count: %llu\n", (unsigned long long)counts->calls);
	fprintf(text->file, "  Wall Clock Time: %.6f seconds\n", counts->seconds);
	for (i = 0; i < counts->events && i < EVENTS; i++)
		put_section_value(text->file, upcr_event(i), &counts->value[i]);
}

static void put_note_line(void *arg, const char *what, const char *name, uint64_t times)
{
	FILE *file = arg;

	fprintf(file, " Note: ");
	if (name) {
		put_words(file, name);
		fprintf(file, ": ");
	}
	fprintf(file, times == 1 ? "%s\n" : "%s (%llu times)\n", what, (unsigned long long)times);
}

static void add_seconds(void *arg, unsigned thread, const struct upcr_counts *counts)
{
	double *longest = arg;

	(void)thread;
	*longest = fmax(*longest, counts->seconds);
}

static void put_task_text(FILE *file, int task, const char *program)
{
	static struct upcr_value value[EVENTS];
	struct upcr_counts counts = {.events = EVENTS, .value = value};
	struct text text = {.file = file};
	double seconds = 0;

	upcr_reading_of(UPCR_ALL, &counts, add_seconds, &seconds);
	fprintf(file, " libHPM output summary\n\n Program: ");
	put_words(file, program);
	fprintf(file, " - task: %d\n", task);
	fprintf(file, " Total execution time of instrumented code (wall time): %.6f seconds\n", seconds);
	for (; text.number < upcr_section_count(); text.number++) {
		const struct upcr_section *section = upcr_section_find(text.number);

		if (!section || section->name == UPCR_OTHERS)
			continue;
		text.label = section->label;
		text.source = atomic_load(&section->file);
		text.first = atomic_load(&section->first);
		text.last = atomic_load(&section->last);
		upcr_reading_of(section->name, &counts, put_section, &text);
	}
	text.label = "others";
	text.source = NULL;
	upcr_reading_of(UPCR_OTHERS, &counts, put_section, &text);
	fputc('\n', file);
	upcr_reading_notes(put_note_line, file);
}

static bool write_task_text(const char *path, int task, const char *program)
{
	FILE *file = fopen(path, "we");
	locale_t c, before = (locale_t)0;
	bool done;
	int saved;

	if (!file)
		return false;
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c)
		before = uselocale(c);
	put_task_text(file, task, program);
	if (c) {
		uselocale(before);
		freelocale(c);
	}
	done = !ferror(file);
	saved = errno;
	if (fclose(file))
		return false;
	errno = saved;
	return done;
}

static void write_once(int task, const char *program)
{
	const char *name = secure_getenv("HPM_OUTPUT_NAME");
	char path[4096];

	atomic_store(&changed, false);
	if (snprintf(path, sizeof(path), "%s%04d.%d", name && name[0] ? name : "perfhpm", task,
		     (int)getpid()) >= (int)sizeof(path)) {
		upcr_say("HPM_OUTPUT_NAME is too long: nothing is written");
		return;
	}
	if (!upcr_reading_begin()) {
		atomic_store(&changed, true);
		upcr_say("'%s' is not written: there is no memory, or this is a signal handler", path);
		return;
	}
	if (!write_task_text(path, task, program))
		upcr_say("'%s' cannot be written: %s", path, strerror(errno));
	upcr_reading_end();
}

void upcr_sections_write(int task)
{
	const struct run *of = atomic_load(&run);
	const int process = getpid();
	int busy = atomic_load(&writing);

	/* UPC_REGIONS_OUT asks for a table in place of this file. */
	if (getenv("UPC_REGIONS_OUT"))
		return;
	if (!atomic_load(&changed))
		return;
	if (busy == process || !atomic_compare_exchange_strong(&writing, &busy, process))
		return;
	if (task < 0)
		task = of ? of->task : upcr_rank() < 0 ? 0 : (int)upcr_rank();
	write_once(task, of ? of->program : program_invocation_short_name);
	atomic_store(&writing, 0);
}

static void write_at_end(void)
{
	upcr_sections_write(-1);
}

void upcr_sections_changed(void)
{
	if (atomic_load_explicit(&changed, memory_order_relaxed))
		return;
	atomic_store(&changed, true);
	upcr_at_finish(write_at_end);
}

void upcr_sections_init(int task, const char *program, size_t length)
{
	struct run *made = calloc(1, sizeof(*made));

	if (!made)
		return;
	made->task = task;
	length = length < sizeof(made->program) ? length : sizeof(made->program) - 1;
	if (length)
		memcpy(made->program, program, length);
	atomic_store(&run, made);
	upcr_sections_changed();
}
