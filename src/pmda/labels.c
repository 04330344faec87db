/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels.c - see labels.h. The texts of an entry are clean: only quotes and backslashes are left to escape
 * for JSON.
 * Terms: pmda/agent.h.
 */
#include "pmda/labels.h"

#include <stdio.h>
#include <string.h>

/* Append a label's name and value, after a separator. Return the new length of the text; size if there is no
 * room. */
static size_t put_label(char *text, size_t size, size_t used, const char *name, const char *value,
			size_t length)
{
	int head =
		snprintf(text + used, used < size ? size - used : 0, "%s\"%s\":\"", used ? "," : "{", name);
	size_t i;

	if (head < 0 || used + (size_t)head >= size)
		return size;
	used += (size_t)head;
	for (i = 0; i < length && value[i]; i++) {
		if (used + 3 >= size)
			return size;
		if (value[i] == '"' || value[i] == '\\')
			text[used++] = '\\';
		text[used++] = value[i];
	}
	if (used + 1 >= size)
		return size;
	text[used++] = '"';
	return used;
}

static const char *scope_of_family(enum metric_family family)
{
	return metric_kind[family].numa ? "numa" : service_scope_name(metric_kind[family].scope);
}

const char *labels_text(const struct pmids_entry *entry, enum metric_family family, char *text, size_t size)
{
	const char *event = entry->key.event, *colon = strchr(event, ':');
	size_t used = put_label(text, size, 0, "event", event, strlen(event));

	if (used < size)
		used = put_label(text, size, used, "counter", entry->key.name, strlen(entry->key.name));
	if (used < size)
		used = put_label(text, size, used, "scope", scope_of_family(family), 16);
	/* The source is the part before the colon. The unit's own events, such as those of Blue Gene/P, have
	 * no colon. */
	if (used < size)
		used = put_label(text, size, used, "source", colon ? event : "upc",
				 colon ? (size_t)(colon - event) : 3);
	if (used + 2 > size) {
		text[0] = 0;
		return text;
	}
	memcpy(text + used, "}", 2);
	return text;
}
