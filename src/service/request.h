/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.h - a command as a line: {"words": ["halt", "ALL"]} and a newline, and back. Pure: bytes
 * in, words out. The bytes of a client may be anything.
 */
#ifndef SERVICE_REQUEST_H
#define SERVICE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define REQUEST_MAX 65536u     /* bytes of a line, without its newline  */
#define REQUEST_WORDS_MAX 512u /* of a command                          */
#define REQUEST_WORD_MAX 4096u /* bytes of a word                       */
#define REQUEST_WHY_MAX 200u   /* room for a reason, with its 0         */

struct request {
	const char **word; /* words of them, UTF-8 without a 0 in it, and a NULL; one block of memory */
	unsigned words;    /* at least one */
};

/*
 * Reads a line without its newline. 0, and the request is freed by request_free; or -1, nothing is
 * to be freed, and why says what is wrong with it in words, which are UTF-8 and have no byte of the line.
 */
int request_read(const char *line, size_t length, struct request *request, char why[REQUEST_WHY_MAX]);
void request_free(struct request *request);

/* The line of a command, with its newline, for the caller to free; NULL, and why, where it has
 * words that request_read would not take. */
char *request_write(const char *const *word, unsigned words, char why[REQUEST_WHY_MAX]);

/* The answer {"ok":..., "message":...} without a newline, for the caller to free; NULL without memory.
 * A message that is no UTF-8 keeps only its ASCII characters. */
char *request_answer(bool ok, const char *message);

/* Makes one line of a JSON object, in place: newlines can only be blanks between its parts. */
void request_one_line(char *reply);

#endif
