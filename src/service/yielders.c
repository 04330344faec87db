/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yielders.c - the clients for which the service steps aside.
 * Terms: service/service.h.
 */
#include "service/yielders.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool yielders_program(const char *word, char program[YIELDERS_PROGRAM_MAX])
{
	size_t length;

	if (strncmp(word, "for=", 4) != 0)
		return false;
	length = strlen(word + 4);
	if (length >= YIELDERS_PROGRAM_MAX) {
		length = YIELDERS_PROGRAM_MAX - 1;
		/* Do not cut within a character: the word is UTF-8. */
		while (length > 0 && ((unsigned char)word[4 + length] & 0xc0) == 0x80)
			length--;
	}
	memcpy(program, word + 4, length);
	program[length] = '\0';
	return true;
}

bool yielders_add(struct yielders *yielders, const struct yielder *who)
{
	if (yielders->n == CONTROL_YIELDS_MAX)
		return false;
	yielders->who[yielders->n++] = *who;
	return true;
}

bool yielders_remove(struct yielders *yielders, uint64_t client)
{
	for (unsigned i = 0; i < yielders->n; i++)
		if (yielders->who[i].client == client) {
			yielders->n--;
			memmove(&yielders->who[i], &yielders->who[i + 1],
				(yielders->n - i) * sizeof(yielders->who[0]));
			return true;
		}
	return false;
}

/* Return the clients as a JSON list; NULL: out of memory. */
static char *list_text(const struct yielders *yielders)
{
	json_t *list = json_array();
	char *text;

	for (unsigned i = 0; i < yielders->n; i++)
		json_array_append_new(list, json_pack("{s:i, s:I, s:s}", "pid", (int)yielders->who[i].pid,
						      "uid", (json_int_t)yielders->who[i].uid, "program",
						      yielders->who[i].program));
	text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	return text;
}

/* The field goes to the front, so that a long list of counters need not be parsed again. */
char *yielders_put(const struct yielders *yielders, char *reply)
{
	char *list, *more = NULL;

	if (yielders->n == 0 || reply == NULL || reply[0] != '{' || reply[1] != '"')
		return reply;
	list = list_text(yielders);
	if (list != NULL && asprintf(&more, "{\"yielded_for\":%s,%s", list, reply + 1) < 0)
		more = NULL;
	free(list);
	if (more == NULL)
		return reply;
	free(reply);
	return more;
}
