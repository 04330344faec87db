/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * query.c - searches events by words: "cache miss" finds "Misses of the L1 data cache".
 */
#include "avail/query.h"

#include <stddef.h>
#include <string.h>

#define WORD_MAX 32 /* only the first WORD_MAX - 1 characters of longer words are compared */
#define STEM_MIN 3  /* minimum number of letters of a stem */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_part(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

static bool ends_word_with(const char *word, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= STEM_MIN + n && memcmp(word + length - n, end, n) == 0;
}

/*
 * Cut English endings from a word. The remaining stem need not be a word, as long as all forms of the word
 * have the same stem: the stem of "caches" and "cache" is "cach", that of "misses" and "miss" is "mis".
 */
static void cut_to_stem(char *word)
{
	static const char *const endings[] = {"es", "s", "ing", "ed", "e"};
	size_t length = strlen(word);

	if (ends_word_with(word, length, "ies") || ends_word_with(word, length, "ied")) {
		length -= 2;
		word[length - 1] = 'y';
	} else if (!ends_word_with(word, length, "ss")) {
		for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
			if (ends_word_with(word, length, endings[i])) {
				length -= strlen(endings[i]);
				break;
			}
	}
	if (length > STEM_MIN && word[length - 1] == word[length - 2] && is_letter(word[length - 1]))
		length--;
	word[length] = '\0';
}

/* Write the stem of the text's next word to stem, in lower case. Return the text after the word, or NULL if
 * there is no further word. */
static const char *next_stem(const char *text, char stem[WORD_MAX])
{
	size_t n = 0;

	while (*text != '\0' && !is_part(*text))
		text++;
	if (*text == '\0')
		return NULL;
	for (; is_part(*text); text++)
		if (n < WORD_MAX - 1)
			stem[n++] = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
	stem[n] = '\0';
	cut_to_stem(stem);
	return text;
}

static bool has_stem(const char *text, const char *wanted)
{
	char stem[WORD_MAX];

	while (text != NULL && (text = next_stem(text, stem)) != NULL)
		if (strcmp(stem, wanted) == 0)
			return true;
	return false;
}

bool util_words_match(const char *query, const char *name, const char *description)
{
	char wanted[WORD_MAX];
	bool any = false;

	while ((query = next_stem(query, wanted)) != NULL) {
		if (!has_stem(name, wanted) && !has_stem(description, wanted))
			return false;
		any = true;
	}
	return any;
}
