/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels.h - small numbers for texts of a front end: the names of domains and attributes. An entry is made
 * once, without a lock, and never freed.
 * Terms: region/front/front.h.
 */
#ifndef UPCR_LABELS_H
#define UPCR_LABELS_H

#include <stdint.h>

enum { UPCR_LABELS = 1024, UPCR_LABEL_MAX = 1024 };

struct upcr_labels {
	char *_Atomic text[UPCR_LABELS];
};

/* Return the label's number, from 1 on, the same for the same text; NULL is "". 0 if there is no room. Longer
 * texts are cut to UPCR_LABEL_MAX bytes. */
unsigned upcr_label(struct upcr_labels *labels, const char *text);
/* Return the text of a label. NULL if the number, which may be any, is not a label's. */
const char *upcr_label_text(const struct upcr_labels *labels, uintptr_t number);
/* Return the name of a region: "LABEL/TEXT" with the label's text, or TEXT alone if the number is not a
 * label's. A NULL text is "". */
unsigned upcr_label_name(const struct upcr_labels *labels, unsigned number, const char *text);

#endif
