/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels.h - texts to which a front end gives small numbers: domains and attributes. They are made once,
 * without a lock, and never freed.
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
/* Return the text of a number, which may be any; NULL if it is no label's. */
const char *upcr_label_text(const struct upcr_labels *labels, uintptr_t number);
/* Return the name of a region: "label/text", or the text alone if the number is no label's. NULL is "". */
unsigned upcr_label_name(const struct upcr_labels *labels, unsigned number, const char *text);

#endif
