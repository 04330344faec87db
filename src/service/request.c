/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.c - converts between a command and its line, {"words": ["halt", "ALL"]} and a newline.
 *
 * jansson refuses bytes that are no JSON or no UTF-8, a NUL in a string, and more than 2048 levels of
 * nesting. Its messages quote the line, so only their beginning is passed on.
 * Terms: service/service.h.
 */
#include "service/request.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static int refuse(char why[REQUEST_WHY_MAX], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, REQUEST_WHY_MAX, format, arguments);
	va_end(arguments);
	return -1;
}

/* Pass on jansson's message about the line, without its quote from the line. */
static int refuse_text(char why[REQUEST_WHY_MAX], const json_error_t *error)
{
	const char *quote = strstr(error->text, " near ");
	int n = quote != NULL ? (int)(quote - error->text) : (int)strlen(error->text);

	for (int i = 0; i < n; i++)
		if (error->text[i] < ' ' || error->text[i] > '~')
			n = i;
	return refuse(why, "the request is no line of JSON in UTF-8: byte %d: %.*s", error->position, n,
		      error->text);
}

static int check_word(const json_t *value, size_t number, char why[REQUEST_WHY_MAX])
{
	if (!json_is_string(value))
		return refuse(why, "word %zu of the request is no string", number);
	if (json_string_length(value) > REQUEST_WORD_MAX)
		return refuse(why, "word %zu of the request has %zu bytes; at most %u are taken", number,
			      json_string_length(value), REQUEST_WORD_MAX);
	return 0;
}

static int check_request(const json_t *root, char why[REQUEST_WHY_MAX])
{
	const json_t *list = json_object_get(root, "words");
	size_t n = json_array_size(list);

	if (!json_is_object(root))
		return refuse(why, "the request is no object; {\"words\": [\"ls\"]} is one");
	if (!json_is_array(list))
		return refuse(why, "the request has no list \"words\"; {\"words\": [\"ls\"]} has one");
	if (json_object_size(root) != 1)
		return refuse(why, "the request has a field beside \"words\"");
	if (n == 0)
		return refuse(why, "the request has no words: which command?");
	if (n > REQUEST_WORDS_MAX)
		return refuse(why, "the request has %zu words; at most %u are taken", n, REQUEST_WORDS_MAX);
	for (size_t i = 0; i < n; i++)
		if (check_word(json_array_get(list, i), i + 1, why) != 0)
			return -1;
	return 0;
}

/* Copy the words of a checked list into one block: the pointers, then the bytes. */
static int take_words(const json_t *list, struct request *request)
{
	size_t n = json_array_size(list), bytes = (n + 1) * sizeof(*request->word);
	char *text;

	for (size_t i = 0; i < n; i++)
		bytes += json_string_length(json_array_get(list, i)) + 1;
	request->word = malloc(bytes);
	if (request->word == NULL)
		return -1;
	text = (char *)(request->word + n + 1);
	for (size_t i = 0; i < n; i++) {
		const json_t *value = json_array_get(list, i);
		size_t length = json_string_length(value) + 1;

		memcpy(text, json_string_value(value), length);
		request->word[i] = text;
		text += length;
	}
	request->word[n] = NULL;
	request->words = (unsigned)n;
	return 0;
}

int request_read(const char *line, size_t length, struct request *request, char why[REQUEST_WHY_MAX])
{
	json_error_t error;
	json_t *root;
	int result;

	if (length > REQUEST_MAX)
		return refuse(why, "a line of the request has more than %u bytes", REQUEST_MAX);
	root = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	if (root == NULL)
		return refuse_text(why, &error);
	result = check_request(root, why);
	if (result == 0 && take_words(json_object_get(root, "words"), request) != 0)
		result = refuse(why, "out of memory");
	json_decref(root);
	return result;
}

void request_free(struct request *request)
{
	free(request->word);
	*request = (struct request){0};
}

char *request_write(const char *const *word, unsigned words, char why[REQUEST_WHY_MAX])
{
	json_t *list = json_array(), *root = json_pack("{s:o}", "words", list);
	char *text = NULL, *line = NULL;
	size_t length;

	for (unsigned i = 0; i < words; i++)
		if (json_array_append_new(list, json_string(word[i])) != 0) {
			refuse(why, "word %u is no UTF-8", i + 1);
			goto out;
		}
	if (root == NULL || check_request(root, why) != 0)
		goto out;
	refuse(why, "out of memory");
	text = json_dumps(root, JSON_COMPACT);
	length = text != NULL ? strlen(text) : 0;
	if (length > REQUEST_MAX) {
		refuse(why, "the words have more than %u bytes together", REQUEST_MAX);
		goto out;
	}
	line = text != NULL ? realloc(text, length + 2) : NULL;
	if (line != NULL) {
		strcpy(line + length, "\n");
		text = NULL;
	}
out:
	free(text);
	json_decref(root);
	return line;
}

char *request_answer(bool ok, const char *message)
{
	json_t *root = json_pack("{s:b, s:s}", "ok", (int)ok, "message", message);
	char *text, *ascii;

	if (root == NULL) {
		ascii = strdup(message);
		if (ascii == NULL)
			return NULL;
		for (char *p = ascii; *p != '\0'; p++)
			if (*p < ' ' || *p > '~')
				*p = '?';
		root = json_pack("{s:b, s:s}", "ok", (int)ok, "message", ascii);
		free(ascii);
	}
	text = root != NULL ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	return text;
}

void request_one_line(char *reply)
{
	for (; *reply != '\0'; reply++)
		if (*reply == '\n' || *reply == '\r')
			*reply = ' ';
}
