/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest_memory.h - copies of a guest's memory, at what its system calls name: any address.
 */
#ifndef UPCS_GUEST_MEMORY_H
#define UPCS_GUEST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "decode/guest.h"

/* The guest's address 0 lies there in our memory. */
void upcs_guest_set_base(uint64_t base);
uint64_t upcs_guest_base(void);

/* 0 or -EFAULT. */
int upcs_guest_read(uint64_t address, void *to, size_t n);
int upcs_guest_write(uint64_t address, const void *from, size_t n);
/* A pointer of the guest: 4 or 8 bytes, in its order. */
int upcs_guest_pointer(enum upcs_guest guest, uint64_t address, uint64_t *pointer);

/* Allocated copies, NULL with errno: EFAULT; E2BIG beyond max bytes; ENOMEM. */
char *upcs_guest_string(uint64_t address, size_t max);
/* NULL-ended; 0 is as good as an empty one. To be freed by upcs_guest_free. */
char **upcs_guest_strings(enum upcs_guest guest, uint64_t address, size_t max);
void upcs_guest_free(char **strings);

#endif
