/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest_memory.h - copies to and from the guest's memory at any address, as named by the guest's system
 * calls.
 */
#ifndef UPCS_GUEST_MEMORY_H
#define UPCS_GUEST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "decode/guest.h"

/* Set the host address of the guest's address 0. */
void upcs_guest_set_base(uint64_t base);
uint64_t upcs_guest_base(void);

/* Copy n bytes. Return 0, or -EFAULT. */
int upcs_guest_read(uint64_t address, void *to, size_t n);
int upcs_guest_write(uint64_t address, const void *from, size_t n);
/* Read a pointer of the guest: 4 or 8 bytes, in the guest's byte order. Return 0, or -EFAULT. */
int upcs_guest_pointer(enum upcs_guest guest, uint64_t address, uint64_t *pointer);

/* Return an allocated copy, or NULL with errno: EFAULT, ENOMEM, or E2BIG for more than max bytes. */
char *upcs_guest_string(uint64_t address, size_t max);
/* Return a NULL-terminated array of copies, or NULL with errno as above. Address 0 yields an empty array. The
 * caller frees the array with upcs_guest_free. */
char **upcs_guest_strings(enum upcs_guest guest, uint64_t address, size_t max);
void upcs_guest_free(char **strings);

#endif
