/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message.h - sets the message of a public call that fails, which upc_last_message returns.
 */
#ifndef UPCI_MESSAGE_H
#define UPCI_MESSAGE_H

/* Set the calling thread's last message and return error, so that a failing path reads: return
 * upci_fail(UPC_EPERM, "%s: ...", name). If the thread has no memory for a message (words.h), the message is
 * the text of upc_strerror. Allocates nothing, since signal handlers call starts, stops, resets and reads
 * too. */
int upci_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
