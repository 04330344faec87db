/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * say.h - sentences of any length for the operator and for clients.
 */
#ifndef SERVICE_SAY_H
#define SERVICE_SAY_H

/* Return a text, which the caller frees; NULL: out of memory. */
char *service_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Store the text in *message, and return error. */
int service_fail(char **message, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
