/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest.c - the distance between names. Nearest are names that begin with the typed text, shortest first.
 * Then names follow by edit distance. The last part of a name counts as much as the whole, because people
 * forget the source's prefix. If no name is near, names with the same first letters are offered.
 * Terms: catalogue/catalogue.h.
 */
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "catalogue/nearest.h"
#include "base/text.h"

#define LENGTH_MAX 96 /* maximum length of a text for edit distance */
#define TEXT_MAX 1023 /* maximum length of a folded text */
#define BEGINNING 3   /* letters that identify how a name begins */
#define COMMON_MIN 4  /* common letters at the beginning, if other letters follow */
#define COMMON_MAX 99

/* Units of distance: one edit is farther than the longest missing end. */
enum { STEP = 10, PART = 1, END_MAX = 7 };

/* A name in lower case with '_' for '-', since these differences do not count. */
struct folded {
	size_t length;
	unsigned char text[TEXT_MAX + 1];
};

/* Fold a text, cut to TEXT_MAX letters. Does not use the locale, since a search folds every name. */
static void fold_text(const char *text, struct folded *folded)
{
	size_t n = strnlen(text, TEXT_MAX), i;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		c = c == '-' ? '_' : c;
		folded->text[i] = (unsigned char)upci_lower((char)c);
	}
	folded->text[n] = 0;
	folded->length = n;
}

/* How often a text contains each 7-bit letter. */
struct letters {
	short left[128];
};

static void count_letters(const struct folded *text, struct letters *letters)
{
	size_t i;

	memset(letters, 0, sizeof(*letters));
	for (i = 0; i < text->length; i++)
		letters->left[text->text[i] & 127]++;
}

/* True if two texts need more than limit edits because of their letters, in whatever order: an edit changes
 * at most one letter. Most names need more, and this finds that soon. */
static bool has_other_letters(struct letters *a, size_t n, const unsigned char *b, size_t m, unsigned limit)
{
	size_t i, others = 0;

	for (i = 0; i < m && others <= limit; i++)
		others += a->left[b[i] & 127]-- <= 0;
	while (i--)
		a->left[b[i] & 127]++;
	return others > limit || n + others > m + limit;
}

/* Return the optimal string alignment distance (a transposition is one edit), or UPCI_FAR if it exceeds
 * limit. Computes only cells within limit of the diagonal. */
static unsigned edit_distance(const struct folded *wrong, struct letters *letters, const unsigned char *b,
			      size_t m, unsigned limit)
{
	unsigned row[3][LENGTH_MAX + 2];
	const unsigned char *a = wrong->text;
	size_t n = wrong->length, i, j;

	if (n > LENGTH_MAX || m > LENGTH_MAX || (n > m ? n - m : m - n) > limit ||
	    has_other_letters(letters, n, b, m, limit))
		return UPCI_FAR;
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

/* Return a distance by the letters that two texts share at their beginnings, after the last colon among
 * these. */
static unsigned nearest_by_beginning(const struct folded *wrong, const unsigned char *b)
{
	const unsigned char *a = wrong->text;
	size_t n = 0, from = 0;

	for (; a[n] && a[n] == b[n]; n++)
		if (a[n] == ':')
			from = n + 1;
	n -= from;
	if (n < COMMON_MIN || 2 * n < wrong->length)
		return UPCI_FAR;
	return UPCI_BEGINNING + COMMON_MAX - (unsigned)(n < COMMON_MAX ? n : COMMON_MAX);
}

/* Return how many letters are missing at the end of the wrong name, or a distance by at most limit edits. */
static unsigned part_distance(const struct folded *wrong, struct letters *letters, const unsigned char *b,
			      size_t m, unsigned limit)
{
	unsigned steps;

	if (wrong->length >= BEGINNING && m >= wrong->length && !memcmp(b, wrong->text, wrong->length))
		return (unsigned)(m - wrong->length < END_MAX ? m - wrong->length : END_MAX);
	steps = edit_distance(wrong, letters, b, m, limit);
	return steps < UPCI_FAR ? steps * STEP : nearest_by_beginning(wrong, b);
}

/* Return the distance of two names, or UPCI_FAR if the distance exceeds the parameter most. */
static unsigned distance_up_to(unsigned most, const char *wrong_name, const char *right_name)
{
	struct folded wrong, right;
	struct letters letters;
	const unsigned char *part;
	unsigned limit, best;

	fold_text(wrong_name, &wrong);
	fold_text(right_name, &right);
	count_letters(&wrong, &letters);
	limit = (unsigned)(wrong.length < 4 ? 1 : wrong.length / 3 < 2 ? 2 : wrong.length / 3);
	limit = limit < most / STEP ? limit : most / STEP;
	best = part_distance(&wrong, &letters, right.text, right.length, limit);
	for (part = right.text; *part; part++) {
		unsigned d;

		if (part[0] != ':' || part[1] == ':')
			continue;
		d = part_distance(&wrong, &letters, part + 1, (size_t)(right.text + right.length - part - 1),
				  limit);
		if (d < UPCI_FAR && d + PART < best)
			best = d + PART;
	}
	if (wrong.length >= 4 && best > 3 * STEP &&
	    strstr((const char *)right.text, (const char *)wrong.text))
		best = 3 * STEP;
	return best <= most ? best : UPCI_FAR;
}

unsigned upci_name_distance(const char *wrong, const char *right)
{
	return distance_up_to(UPCI_FAR, wrong, right);
}

void upci_nearest_offer(struct upci_nearest *nearest, const char *wrong, const char *name)
{
	bool full = nearest->count == nearest->max;
	unsigned worst = full && nearest->max > 0 ? nearest->distance[nearest->count - 1] : UPCI_FAR, d;
	int i;

	if (nearest->max < 1 || worst == 0)
		return;
	d = distance_up_to(worst - 1, wrong, name);
	if (d >= UPCI_FAR || (d >= UPCI_BEGINNING && nearest->count && nearest->distance[0] < UPCI_BEGINNING))
		return;
	/* Names with only a common beginning are dropped when a better name comes. */
	while (d < UPCI_BEGINNING && nearest->count &&
	       nearest->distance[nearest->count - 1] >= UPCI_BEGINNING)
		nearest->count--;
	if (nearest->count == nearest->max)
		nearest->count--;
	for (i = nearest->count++; i > 0 && nearest->distance[i - 1] > d; i--) {
		nearest->distance[i] = nearest->distance[i - 1];
		nearest->name[i] = nearest->name[i - 1];
	}
	nearest->distance[i] = d;
	nearest->name[i] = name;
}

/* Find the beginning of name that is nearest to the first wrong_length letters of wrong, and set *length to
 * its length. Return the number of edits; UPCI_FAR if these are more than a third, or if there are too many
 * letters. */
static unsigned nearest_head(const char *wrong, size_t wrong_length, const char *name, size_t *length)
{
	unsigned row[2][LENGTH_MAX + 2], best = UPCI_FAR;
	struct folded a, b;
	size_t n = wrong_length, m, i, j;

	fold_text(wrong, &a);
	fold_text(name, &b);
	m = b.length < LENGTH_MAX ? b.length : LENGTH_MAX;
	if (n > a.length || n > LENGTH_MAX)
		return UPCI_FAR;
	for (j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (i = 1; i <= n; i++) {
		unsigned *now = row[i % 2], *before = row[(i + 1) % 2];

		now[0] = (unsigned)i;
		for (j = 1; j <= m; j++) {
			now[j] = before[j - 1] + (a.text[i - 1] != b.text[j - 1]);
			if (before[j] + 1 < now[j])
				now[j] = before[j] + 1;
			if (now[j - 1] + 1 < now[j])
				now[j] = now[j - 1] + 1;
		}
	}
	for (j = 0; j <= m; j++)
		if (row[n % 2][j] < best) {
			best = row[n % 2][j];
			*length = j;
		}
	return best <= n / 3 ? best : UPCI_FAR;
}

unsigned upci_nearest_pattern(const char *pattern, const char *name, unsigned most, char *text, size_t size)
{
	size_t head = strcspn(pattern, "*?["), length = 0;
	unsigned d = nearest_head(pattern, head, name, &length);

	if (d == 0 || d > most ||
	    snprintf(text, size, "%.*s%s", (int)length, name, pattern + head) >= (int)size ||
	    fnmatch(text, name, 0))
		return UPCI_FAR;
	return d;
}
