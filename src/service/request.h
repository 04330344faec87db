/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.h - converts between a command and its line, {"words": ["halt", "ALL"]} and a newline. Pure. The
 * bytes of a client may be anything.
 * Terms: service/service.h.
 */
#ifndef SERVICE_REQUEST_H
#define SERVICE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define REQUEST_MAX 65536u     /* bytes of a line, without its newline */
#define REQUEST_WORDS_MAX 512u /* in one command */
#define REQUEST_WORD_MAX 4096u /* bytes of a word */
#define REQUEST_WHY_MAX 200u   /* room for a reason, including its NUL */

struct request {
	const char **word; /* UTF-8 without NUL bytes, ended by NULL; one block of memory */
	unsigned words;    /* at least one */
};

/*
 * Read a line without its newline. Return 0, and request_free frees the request; or -1, with nothing to free.
 * why then has the error in words, which are UTF-8 and contain no byte of the line.
 */
int request_read(const char *line, size_t length, struct request *request, char why[REQUEST_WHY_MAX]);
void request_free(struct request *request);

/* Return the line of a command, with its newline; the caller frees it. NULL, with the reason in why, if
 * request_read would refuse the words, or if out of memory. */
char *request_write(const char *const *word, unsigned words, char why[REQUEST_WHY_MAX]);

/* Return the answer {"ok":..., "message":...} without a newline; the caller frees it. NULL: out of memory. A
 * message that is no UTF-8 keeps only its ASCII characters. */
char *request_answer(bool ok, const char *message);

/* Replace the newlines of a JSON object by blanks, in place: in JSON, a newline can only be white space
 * between tokens. */
void request_one_line(char *reply);

#endif
