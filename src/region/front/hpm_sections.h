/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hpm_sections.h - the instrumented sections of a process, by number. The first start of a section makes it,
 * without a lock, and it is never freed.
 * Terms: region/front/front.h.
 */
#ifndef UPCR_HPM_SECTIONS_H
#define UPCR_HPM_SECTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct upcr_section {
	unsigned name; /* number from upcr_name */
	char *label;
	atomic_flag open;         /* hpmStart has started it in some thread; it may have ended since */
	const char *_Atomic file; /* NULL: unknown */
	atomic_int first, last;   /* first and last source line; 0: unknown */
	atomic_bool said;         /* a start of the open section was reported */
};

/* Return the section of this number, and make it with the label if there is none. NULL if the number is out
 * of range, or out of memory. */
struct upcr_section *upcr_section_make(int number, const char *label, size_t length);
/* Return the section of this number; NULL if it was never started. */
struct upcr_section *upcr_section_find(int number);
/* Return the limit of section numbers: valid numbers are smaller. */
int upcr_section_count(void);

/* Set the task and the program's name, from hpmInit. */
void upcr_sections_init(int task, const char *program, size_t length);
/* Note that something was counted since the last write: the text file about all sections has to be written at
 * hpmTerminate or at the end of the program. */
void upcr_sections_changed(void);
/* Write the text file. task: -1 means the task of hpmInit. */
void upcr_sections_write(int task);

#endif
