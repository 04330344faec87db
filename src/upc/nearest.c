/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest.c - edit distance between event names, the last part of a name
 * counting as much as the whole: people forget the source's prefix.
 */
#include <ctype.h>
#include <string.h>

#include "nearest.h"

#define LENGTH_MAX 96

static int fold(char c)
{
	return c == '-' ? '_' : tolower((unsigned char)c);
}

static void fold_text(const char *text, size_t n, unsigned char folded[LENGTH_MAX])
{
	size_t i;

	for (i = 0; i < n; i++)
		folded[i] = (unsigned char)fold(text[i]);
}

/* Optimal string alignment distance (a transposition is one step), given up as
 * UPCI_FAR when it exceeds limit: so only cells that near the diagonal are looked at. */
static unsigned edit_distance(const char *wrong, const char *right, unsigned limit)
{
	unsigned row[3][LENGTH_MAX + 2];
	unsigned char a[LENGTH_MAX], b[LENGTH_MAX];
	size_t n = strlen(wrong), m = strlen(right), i, j;

	if (n > LENGTH_MAX || m > LENGTH_MAX || (n > m ? n - m : m - n) > limit)
		return UPCI_FAR;
	fold_text(wrong, n, a);
	fold_text(right, m, b);
	for (j = 0; j <= m + 1; j++)
		row[0][j] = (unsigned)j;
	for (i = 1; i <= n; i++) {
		unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];
		size_t first = i > limit ? i - limit : 1, last = i + limit < m ? i + limit : m;
		unsigned best = now[first - 1] = first == 1 ? (unsigned)i : UPCI_FAR;

		for (j = first; j <= last; j++) {
			unsigned d = before[j - 1] + (a[i - 1] != b[j - 1]);

			if (before[j] + 1 < d)
				d = before[j] + 1;
			if (now[j - 1] + 1 < d)
				d = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    older[j - 2] + 1 < d)
				d = older[j - 2] + 1;
			now[j] = d;
			if (d < best)
				best = d;
		}
		now[last + 1] = UPCI_FAR;
		if (best > limit)
			return UPCI_FAR;
	}
	return row[n % 3][m] <= limit ? row[n % 3][m] : UPCI_FAR;
}

static int contains(const char *text, const char *part)
{
	size_t n = strlen(part), i;

	for (; *text; text++) {
		for (i = 0; i < n && text[i] && fold(text[i]) == fold(part[i]); i++)
			;
		if (i == n)
			return 1;
	}
	return 0;
}

unsigned upci_name_distance(const char *wrong, const char *right)
{
	size_t length = strlen(wrong);
	unsigned limit = (unsigned)(length / 3 < 2 ? 2 : length / 3), best;
	const char *part;

	best = edit_distance(wrong, right, limit);
	for (part = strchr(right, ':'); part; part = strchr(part, ':')) {
		unsigned d;

		while (*part == ':')
			part++;
		d = edit_distance(wrong, part, limit);
		if (d < UPCI_FAR && d + 1 < best)
			best = d + 1;
	}
	if (length >= 4 && best > 3 && contains(right, wrong))
		best = 3;
	return best;
}

void upci_nearest_offer(struct upci_nearest *nearest, const char *wrong, const char *name)
{
	unsigned d = upci_name_distance(wrong, name);
	int i;

	if (d >= UPCI_FAR || nearest->max < 1)
		return;
	if (nearest->count == nearest->max) {
		if (d >= nearest->distance[nearest->count - 1])
			return;
		nearest->count--;
	}
	for (i = nearest->count++; i > 0 && nearest->distance[i - 1] > d; i--) {
		nearest->distance[i] = nearest->distance[i - 1];
		nearest->name[i] = nearest->name[i - 1];
	}
	nearest->distance[i] = d;
	nearest->name[i] = name;
}
