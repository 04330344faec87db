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
	atomic_flag open;         /* of hpmStart, in some thread; or it was */
	const char *_Atomic file; /* NULL: not known                        */
	atomic_int first, last;   /* lines, 0: not known                    */
	atomic_bool said;
};

/* The section of this number, made with that label where there is none yet; NULL: the number is
 * out of range, or memory is. */
struct upcr_section *upcr_section_make(int number, const char *label, size_t length);
/* NULL: it was never started. */
struct upcr_section *upcr_section_find(int number);
/* Numbers are below. */
int upcr_section_count(void);

/* The task and the program's name from now on, of hpmInit. */
void upcr_sections_init(int task, const char *program, size_t length);
/* Something has been counted: the text has to be written, at hpmTerminate or the end of the program. */
void upcr_sections_changed(void);
/* task: -1: the one of hpmInit. */
void upcr_sections_write(int task);

#endif
