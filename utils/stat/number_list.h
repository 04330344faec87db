/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * number_list.h - comma-separated lists of numbers: CPUs as the kernel lists them ("0-3,5"), or process IDs.
 */
#ifndef NUMBER_LIST_H
#define NUMBER_LIST_H

#include <stdbool.h>

struct number_list {
	int *number;
	unsigned n;
};

/*
 * Append the numbers of the text, each from min to max. Numbers that the list already has are skipped. If
 * ranges is set, "3-5" means 3, 4 and 5. Return 0, or -1 if the text is not such a list or memory is short;
 * the list is then unchanged.
 */
int number_list_parse(struct number_list *list, const char *text, int min, int max, bool ranges);

void number_list_free(struct number_list *list);

#endif
