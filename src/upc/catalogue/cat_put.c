/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_put.c - adds an event of a file of /proc or /sys to the catalogue, for all builders of such events.
 * Terms: catalogue/catalogue.h.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "catalogue/cat_files.h"
#include "procfs/files.h"

const struct upci_words *upci_words_find(const struct upci_table *table, const char *key)
{
	for (unsigned i = 0; i < table->n; i++)
		if (!strcmp(table->words[i].key, key))
			return &table->words[i];
	return NULL;
}

bool upci_cat_token(const char *line, const char *end, unsigned number, char *out, size_t size)
{
	const char *token;
	size_t length = 0;

	for (unsigned i = 0; i <= number; i++)
		if (!(length = upci_token(&line, end, &token)))
			return false;
	if (length >= size)
		return false;
	memcpy(out, token, length);
	out[length] = '\0';
	return true;
}

static void set_scale(struct upci_driver *driver, uint32_t mul)
{
	driver->mul = mul ? mul : 1;
	driver->div = 1;
	if (mul == UPCI_MUL_TICKS) {
		long hz = sysconf(_SC_CLK_TCK);

		driver->div = hz > 0 ? (uint32_t)hz : 100;
		driver->mul = 1000000000;
		if (driver->mul % driver->div == 0) {
			driver->mul /= driver->div;
			driver->div = 1;
		}
	} else if (mul == UPCI_MUL_PAGES) {
		driver->mul = (uint32_t)sysconf(_SC_PAGESIZE);
	}
}

/* Return a name that no event has yet. Two devices may differ only in characters that an event name cannot
 * contain. */
static const char *unique_name(struct upc_catalogue *c, const char *wish)
{
	char base[UPC_NAME_MAX - 8], name[UPC_NAME_MAX];

	if ((size_t)snprintf(base, sizeof(base), "%s", wish) >= sizeof(base))
		base[sizeof(base) - 1] = '\0';
	upci_name_sanitize(base);
	memcpy(name, base, sizeof(base));
	for (unsigned i = 2; upci_catalogue_lookup(c, name) >= 0; i++)
		snprintf(name, sizeof(name), "%s.%u", base, i);
	return upci_catalogue_printf(c, "%s", name);
}

static const char *whose_scope(enum upc_scope scope)
{
	switch (scope) {
	case UPC_SCOPE_THREAD:
		return "The thread's own";
	case UPC_SCOPE_PROCESS:
		return "The whole process";
	case UPC_SCOPE_CPU:
		return "One CPU, whoever uses it";
	default:
		return "The whole machine, everybody's";
	}
}

static const char *describe_draft(const struct upci_cat_file *file, const struct upci_draft *draft)
{
	return upci_catalogue_printf(file->c, "%s%s%s. %s; %s.", draft->text, draft->of ? " " : "",
				     draft->of ? draft->of : "", whose_scope(file->scope),
				     draft->kind == UPC_KIND_LEVEL ? "a level that rises and falls"
								   : "a count that only grows");
}

int upci_cat_put(const struct upci_cat_file *file, const struct upci_draft *draft, const char *line,
		 const char *end)
{
	struct upci_event event = {
		.unit = draft->unit ? draft->unit : "events",
		.subsystem = file->subsystem,
		.scope = file->scope,
		.kind = draft->kind,
		.id = UPC_NO_ID,
		.driver =
			{
				.source = UPC_SOURCE_FILE,
				.file =
					{
						.root = file->root,
						.path = file->path,
						.key_token = draft->key_token,
						.occurrence = draft->occurrence ? draft->occurrence : 1,
						.first = draft->first,
						.last = draft->last ? draft->last : draft->first,
					},
			},
	};
	const struct upci_field *field = &event.driver.file;
	const char *token;
	uint64_t value;

	set_scale(&event.driver, draft->mul);
	if (line) {
		for (unsigned i = 0; i < field->first; i++)
			if (!upci_token(&line, end, &token))
				return 0;
		if (!upci_line_value(line, end, field->last - field->first + 1, event.driver.mul,
				     event.driver.div, &value))
			return 0;
	}
	event.name = unique_name(file->c, draft->name);
	event.description = describe_draft(file, draft);
	if (draft->key)
		event.driver.file.key = upci_catalogue_printf(file->c, "%s", draft->key);
	if (!event.name || !event.description || (draft->key && !field->key))
		return UPC_ENOMEM;
	return upci_catalogue_add(file->c, &event);
}

struct upci_draft upci_draft_of(const struct upci_words *words)
{
	return (struct upci_draft){
		.text = words->text, .unit = words->unit, .kind = words->kind, .mul = words->mul};
}

int upci_cat_columns(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
		     const char *of, const char *key, unsigned key_token, const char *line, const char *end)
{
	char name[UPC_NAME_MAX];
	int error = 0;

	for (unsigned i = 0; i < table->n && !error; i++) {
		const struct upci_words *words = &table->words[i];
		struct upci_draft draft = upci_draft_of(words);

		draft.name = name;
		draft.of = of;
		draft.key = key;
		draft.key_token = key_token;
		draft.first = words->token;
		snprintf(name, sizeof(name), "%s%s", prefix, words->name);
		error = upci_cat_put(file, &draft, line, end);
	}
	return error;
}

int upci_cat_first_line(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
			const char *text, size_t length)
{
	struct upci_line_scan scan = {0};

	if (!upci_line_next(text, length, true, &scan))
		return 0;
	return upci_cat_columns(file, table, prefix, NULL, NULL, 0, text + scan.start, text + scan.end);
}

int upci_cat_known_keys(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
			const char *of, const char *text, size_t length)
{
	char key[128], name[UPC_NAME_MAX];
	int error = 0;

	UPCI_LINES(scan, text, length)
	{
		const char *line = text + scan.start, *end = text + scan.end;
		const struct upci_words *words;
		struct upci_draft draft;

		if (!upci_cat_token(line, end, 0, key, sizeof(key)))
			continue;
		words = upci_words_find(table, key);
		if (!words)
			continue;
		snprintf(name, sizeof(name), "%s%s", prefix, words->name ? words->name : key);
		draft = upci_draft_of(words);
		draft.name = name;
		draft.key = key;
		draft.of = of;
		draft.first = words->token ? words->token : 1;
		error = upci_cat_put(file, &draft, line, end);
		if (error)
			break;
	}
	return error;
}
