/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels.h - what a front end tells apart by small numbers: domains, attributes. They are made once and
 * kept, without a lock.
 */
#ifndef UPCR_LABELS_H
#define UPCR_LABELS_H

#include <stdint.h>

enum { UPCR_LABELS = 1024, UPCR_LABEL_MAX = 1024 };

struct upcr_labels {
	char *_Atomic text[UPCR_LABELS];
};

/* The label's number, from 1 on, the same for the same text; NULL is "". 0: there is no room. Longer
 * texts are cut to UPCR_LABEL_MAX bytes. */
unsigned upcr_label(struct upcr_labels *labels, const char *text);
/* NULL: the number, which may be any, belongs to no label. */
const char *upcr_label_text(const struct upcr_labels *labels, uintptr_t number);
/* The name of a region: "label/text"; the text alone where the number belongs to no label. NULL is "". */
unsigned upcr_label_name(const struct upcr_labels *labels, unsigned number, const char *text);

#endif
