/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * number_list.c - parses comma-separated lists of numbers.
 */
#include "stat/number_list.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/list.h"

static bool has_list_number(const struct number_list *list, int number)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->number[i] == number)
			return true;
	return false;
}

static int append_number_range(struct number_list *list, int from, int to)
{
	if (!util_resize(&list->number, list->n + (size_t)(to - from) + 1, sizeof(*list->number)))
		return -1;
	for (int number = from; number <= to; number++)
		if (!has_list_number(list, number))
			list->number[list->n++] = number;
	return 0;
}

/* Parse the number at the start of *text and move *text behind it. Return the number, or -1 if *text has no
 * number from min to max. */
static int take_list_number(const char **text, int min, int max)
{
	char *end;
	long number;

	if (**text < '0' || **text > '9')
		return -1;
	errno = 0;
	number = strtol(*text, &end, 10);
	if (errno != 0 || number < min || number > max)
		return -1;
	*text = end;
	return (int)number;
}

int number_list_parse(struct number_list *list, const char *text, int min, int max, bool ranges)
{
	const unsigned before = list->n;

	for (;;) {
		int from = take_list_number(&text, min, max), to = from;

		if (ranges && *text == '-') {
			text++;
			to = take_list_number(&text, min, max);
		}
		if (from < 0 || to < from || append_number_range(list, from, to) != 0)
			break;
		if (*text == '\0')
			return 0;
		if (*text++ != ',')
			break;
	}
	list->n = before;
	return -1;
}

void number_list_free(struct number_list *list)
{
	free(list->number);
	*list = (struct number_list){.n = 0};
}
