/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * say.h - sentences for the operator and for clients, as long as they are.
 */
#ifndef SERVICE_SAY_H
#define SERVICE_SAY_H

/* The caller frees it; NULL: there is no memory. */
char *service_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same in *message; returns error. */
int service_fail(char **message, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
