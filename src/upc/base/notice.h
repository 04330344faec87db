/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notice.h - notices: facts that the user may want to know but that make no call fail.
 */
#ifndef UPCI_NOTICE_H
#define UPCI_NOTICE_H

/* Store one line for the callback of upc_set_message_callback. Takes no lock; async-signal-safe. */
void upci_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Call the callback with each stored line. Context: not in a signal handler, and without the process lock. */
void upci_notices_tell(void);

#endif
