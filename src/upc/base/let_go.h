/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * let_go.h - closes descriptors that take the kernel long to close, without a wait.
 *
 * The last close of a tracepoint's last event waits for RCU grace periods, 11 to 40 ms each, one after the
 * other, in whichever process makes that close. A separate process therefore gets copies of the descriptors.
 * The program's close is then not the last; the kernel closes the copies when the separate process ends.
 */
#ifndef UPCI_LET_GO_H
#define UPCI_LET_GO_H

#include <stdbool.h>
#include <stddef.h>

/* Descriptors that are closed together; all zero: none. */
struct upci_bag {
	int *fd;
	size_t n, room;
};

/* Add n descriptors. If there is no memory, close these and all in the bag at once, which waits. */
void upci_bag_add(struct upci_bag *bag, const int *fd, size_t n);

/*
 * Close all descriptors and empty the bag. If no process can be made to close them, this call waits, and a
 * notice says so. Context: not in signal handlers; no lock may be held.
 */
void upci_bag_let_go(struct upci_bag *bag);

/* Do the same at the end of the program, but replace each descriptor by one of /dev/null. Other threads may
 * still use the numbers: a read then returns end of file. */
void upci_bag_leave(struct upci_bag *bag);

#endif
