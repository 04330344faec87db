/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hpm_sections.h - the instrumented sections of a process by their numbers. Made at the first start
 * of each, without a lock, and kept.
 */
#ifndef UPCR_HPM_SECTIONS_H
#define UPCR_HPM_SECTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct upcr_section {
	unsigned name; /* of the engine */
	char *label;
	atomic_flag open;         /* of hpmStart, in some thread                 */
	const char *_Atomic file; /* NULL: not known                             */
	atomic_int first, last;   /* lines, 0: not known                         */
	atomic_bool said;
};

/* The section of this number, made with that label where there is none yet; NULL: the number is
 * out of range, or memory is. */
struct upcr_section *upcr_section_make(int number, const char *label, size_t length);
/* NULL: it was never started. */
struct upcr_section *upcr_section_find(int number);
/* Numbers are below. */
int upcr_section_count(void);

/* Writes all sections, once. */
void upcr_sections_write(int task, const char *program);
/* The end of the program does it. */
void upcr_sections_write_at_end(int task, const char *program);

#endif
