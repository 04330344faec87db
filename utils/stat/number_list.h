/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * number_list.h - numbers with commas between: CPUs as the kernel lists them ("0-3,5"),
 * processes.
 */
#ifndef NUMBER_LIST_H
#define NUMBER_LIST_H

#include <stdbool.h>

struct number_list {
	int *number;
	unsigned n;
};

/*
 * Appends those of the text, each from min to max; one that is there already does not come
 * twice. With ranges "3-5" is 3, 4 and 5. 0, or -1: it is no such list (the list is as it
 * was), or there is no memory.
 */
int number_list_parse(struct number_list *list, const char *text, int min, int max, bool ranges);

void number_list_free(struct number_list *list);

#endif
