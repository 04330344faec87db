/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.c - see names.h. A name belongs to its event for ever (pmids.h), so another event with the same name
 * gets a number.
 */
#include "pmda/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char lower_name_letter(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_name_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_name_digit(char c)
{
	return c >= '0' && c <= '9';
}

void names_plain(const char *name, char plain[NAMES_MAX])
{
	/* Leaves room for the "_" and number of names_unique. */
	size_t used = 0, most = NAMES_MAX - 12;
	bool open = true; /* at the beginning of a component */

	for (; *name && used < most; name++) {
		char c = lower_name_letter(*name);

		if (c == ':' || c == '.' || c == '/') {
			/* A '_' at the end of a component is dropped. */
			while (used && plain[used - 1] == '_')
				used--;
			if (!open && used)
				plain[used++] = '.';
			open = true;
			continue;
		}
		if (!is_name_letter(c) && !is_name_digit(c)) {
			if (!open && plain[used - 1] != '_')
				plain[used++] = '_';
			continue;
		}
		if (open && is_name_digit(c)) {
			if (used + 1 == most)
				break;
			plain[used++] = 'n';
		}
		plain[used++] = c;
		open = false;
	}
	while (used && (plain[used - 1] == '_' || plain[used - 1] == '.'))
		used--;
	if (!used) {
		memcpy(plain, "counter", 8);
		return;
	}
	plain[used] = 0;
}

bool names_valid(const char *name)
{
	const char *p;

	for (p = name; *p; p++) {
		if (p == name || p[-1] == '.') {
			if (!is_name_letter(*p))
				return false;
		} else if (!is_name_letter(*p) && !is_name_digit(*p) && *p != '_' && *p != '.') {
			return false;
		}
	}
	return p > name && p[-1] != '.' && p - name < NAMES_MAX;
}

bool names_meet(const char *one, const char *other)
{
	while (*one && *one == *other)
		one++, other++;
	return (!*one && (!*other || *other == '.')) || (!*other && *one == '.');
}

/* Return NUMBER if the taken name is stem_NUMBER, or is below that branch; else 1. */
static unsigned long number_of_taken(const char *taken, const char *stem, size_t length)
{
	char *end;
	unsigned long number;

	if (strncmp(taken, stem, length) || taken[length] != '_' || !is_name_digit(taken[length + 1]))
		return 1;
	number = strtoul(taken + length + 1, &end, 10);
	return (*end && *end != '.') || number > 99999999 ? 1 : number;
}

void names_unique(char plain[NAMES_MAX], const char *(*taken)(const void *arg, size_t i), const void *arg,
		  size_t count)
{
	size_t length, i;
	unsigned long highest = 1, number;
	const char *other;
	bool met = false;

	/* If a prefix of the name is a taken name, a number at the end does not help, so the dot after the
	 * prefix is replaced. */
	for (i = 0; i < count; i++) {
		other = taken(arg, i);
		length = other ? strlen(other) : 0;
		if (other && !strncmp(plain, other, length) && plain[length] == '.') {
			plain[length] = '_';
			i = (size_t)-1; /* start again: at most once for each dot */
		}
	}
	length = strlen(plain);
	for (i = 0; i < count; i++) {
		other = taken(arg, i);
		if (!other)
			continue;
		met = met || names_meet(plain, other);
		number = number_of_taken(other, plain, length);
		highest = number > highest ? number : highest;
	}
	if (met)
		snprintf(plain + length, NAMES_MAX - length, "_%lu", highest + 1);
}
