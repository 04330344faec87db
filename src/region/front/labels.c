/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels.c - a list that is searched from its beginning: it has few entries.
 * Terms: region/front/front.h.
 */
#include "region/front/labels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "region/region.h"

unsigned upcr_label(struct upcr_labels *labels, const char *text)
{
	char *made = NULL, *there;
	unsigned i;

	if (!text)
		text = "";
	for (i = 0; i < UPCR_LABELS; i++) {
		there = atomic_load_explicit(&labels->text[i], memory_order_acquire);
		if (!there && !made)
			made = strndup(text, UPCR_LABEL_MAX);
		if (!there && !made)
			return 0;
		if (!there && atomic_compare_exchange_strong(&labels->text[i], &there, made))
			return i + 1;
		if (!strncmp(there, text, UPCR_LABEL_MAX)) {
			free(made);
			return i + 1;
		}
	}
	free(made);
	return 0;
}

const char *upcr_label_text(const struct upcr_labels *labels, uintptr_t number)
{
	return number && number <= UPCR_LABELS
		       ? atomic_load_explicit(&labels->text[number - 1], memory_order_acquire)
		       : NULL;
}

unsigned upcr_label_name(const struct upcr_labels *labels, unsigned number, const char *text)
{
	const char *label = upcr_label_text(labels, number);
	size_t length = text ? strnlen(text, UPCR_LABEL_MAX) : 0, before;
	char name[2 * UPCR_LABEL_MAX + 1];

	if (!label)
		return upcr_name(text ? text : "", length);
	before = strlen(label);
	memcpy(name, label, before);
	name[before] = '/';
	if (length)
		memcpy(name + before + 1, text, length);
	return upcr_name(name, before + 1 + length);
}
