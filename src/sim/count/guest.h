/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest.h - what a guest's system calls say: their numbers, and reading its memory, which
 * may have any address in it.
 */
#ifndef UPCS_GUEST_H
#define UPCS_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/decode.h"

/* Those that the plugin looks at. */
enum upcs_call {
	UPCS_CALL_OTHER,
	UPCS_CALL_EXECVE,   /* path, argv, envp */
	UPCS_CALL_EXECVEAT, /* directory, path, argv, envp, flags */
	UPCS_CALL_ACTION,   /* signal, pointer to an action, whose first word is the handler */
	UPCS_CALL_SIGNAL,   /* signal, handler */
	UPCS_CALL_MAP,      /* changes what is mapped where; mprotect does not */
	UPCS_CALL_MMAP,     /* that, with address, bytes, protection, flags */
	UPCS_CALL_SHARE,    /* that, and it may be memory that others write */
	UPCS_CALL_FUTEX,    /* address, operation, value */
	UPCS_CALL_KILL,     /* sends a signal, perhaps to the caller */
	UPCS_CALL_CLONE,    /* flags */
	UPCS_CALL_EXIT,     /* of the thread: status */
	UPCS_CALL_END,      /* of the process: status */
};

enum upcs_call upcs_guest_call(enum upcs_guest guest, int64_t number);

/* The guest's address 0 lies there in our memory. */
void upcs_guest_set_base(uint64_t base);
uint64_t upcs_guest_base(void);

/* 0 or -EFAULT. */
int upcs_guest_read(uint64_t address, void *to, size_t n);
int upcs_guest_write(uint64_t address, const void *from, size_t n);
/* A pointer of the guest: 4 or 8 bytes, in its order. */
int upcs_guest_pointer(enum upcs_guest guest, uint64_t address, uint64_t *pointer);
size_t upcs_guest_pointer_size(enum upcs_guest guest);

/* Allocated copies, NULL with errno: EFAULT; E2BIG beyond max bytes; ENOMEM. */
char *upcs_guest_string(uint64_t address, size_t max);
/* NULL-ended; 0 is as good as an empty one. To be freed by upcs_guest_free. */
char **upcs_guest_strings(enum upcs_guest guest, uint64_t address, size_t max);
void upcs_guest_free(char **strings);

#endif
