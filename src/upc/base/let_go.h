/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * let_go.h - closes descriptors whose closing takes the kernel long, without waiting.
 *
 * The last close of a tracepoint's last event waits for grace periods, 11 to 40 ms each, one
 * after the other in any process. Copies of the descriptors are therefore left to a process of
 * our own: the kernel closes them when it ends, and the program's close is not the last.
 */
#ifndef UPCI_LET_GO_H
#define UPCI_LET_GO_H

#include <stdbool.h>
#include <stddef.h>

/* Descriptors that are gathered to be let go of together; all zero is none. */
struct upci_bag {
	int *fd;
	size_t n, room;
};

/* Without memory the bag is emptied by closing, which waits. */
void upci_bag_add(struct upci_bag *bag, const int *fd, size_t n);

/*
 * Closes them all, and empties the bag. Where no process can be made for it this waits, and
 * a notice says so. Context: not for handlers; no lock may be held.
 */
void upci_bag_let_go(struct upci_bag *bag);

/* The same for the end of the program: the numbers stay taken, since other threads may use
 * them to the last. They read as the end of a file. */
void upci_bag_leave(struct upci_bag *bag);

#endif
