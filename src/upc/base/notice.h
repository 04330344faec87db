/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notice.h - what no call fails for, and the user may want to know.
 */
#ifndef UPCI_NOTICE_H
#define UPCI_NOTICE_H

/* Keeps one line for the callback of upc_set_message_callback. Takes no lock: in signal
 * handlers as well. */
void upci_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Calls the callback with each line that is kept. Never in a signal handler, nor under the
 * process lock. */
void upci_notices_tell(void);

#endif
