/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message.h - what a failing call has to say (upc_last_message).
 */
#ifndef UPCI_MESSAGE_H
#define UPCI_MESSAGE_H

/* Sets the calling thread's last message and returns error, so that a failing
 * path reads: return upci_fail(UPC_EPERM, "%s: ...", name). Where the thread has no memory
 * for it (words.h), the message is upc_strerror's: nothing is allocated here, since starts,
 * stops, resets and reads are called in handlers as well. */
int upci_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
