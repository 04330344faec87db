/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest.h - the guests: the instruction sets whose programs are run and counted. A row of guests.def
 * describes each guest, except for its instructions (decode.h).
 *
 * Terms: decode/decode.h.
 */
#ifndef UPCS_GUEST_H
#define UPCS_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum upcs_guest {
#define UPCS_GUEST(id, decoder, ...) UPCS_##id,
#include "decode/guests.def"
	UPCS_GUESTS,
};

/* System calls that the plugin examines. */
enum upcs_call {
	UPCS_CALL_OTHER,
	UPCS_CALL_EXECVE,   /* path, argv, envp */
	UPCS_CALL_EXECVEAT, /* directory, path, argv, envp, flags */
	UPCS_CALL_ACTION,   /* signal, pointer to a sigaction whose first word is the handler */
	UPCS_CALL_SIGNAL,   /* signal, handler */
	UPCS_CALL_MAP,      /* changes mappings; mprotect does not */
	UPCS_CALL_MMAP,     /* changes mappings: address, bytes, protection, flags */
	UPCS_CALL_SHARE,    /* changes mappings, perhaps to memory that other processes write */
	UPCS_CALL_FUTEX,    /* address, operation, value */
	UPCS_CALL_KILL,     /* sends a signal, perhaps to the caller */
	UPCS_CALL_CLONE,    /* flags */
	UPCS_CALL_EXIT,     /* ends the thread: status */
	UPCS_CALL_END,      /* ends the process: status */
};

/* Instructions whose first 32 bits (upcs_guest_word), masked with mask, equal value. */
struct upcs_insn_bits {
	uint32_t mask, value;
};

struct upcs_guest_info {
	const char *name;    /* name in messages */
	const char *target;  /* name in QEMU: the emulator is qemu-TARGET */
	const char *triplet; /* name of its libraries' directories; its compiler is TRIPLET-gcc */
	const char *host;    /* "1" if this machine runs its programs natively */
	/* The emulator's -cpu option, if the default does not suffice: with version 1 of the plugin
	 * interface, and with later ones. */
	const char *processor[2];

	/* Properties of its ELF files. Pointers in memory have the same width and byte order. */
	uint16_t machine;
	bool wide, big;            /* 64 bit; big endian */
	uint32_t chosen, named[3]; /* relocation types: IRELATIVE; by function name (slots.h), or 0 */

	uint8_t unit;     /* bytes; the size of every instruction is a multiple of it */
	bool rings;       /* our PAPI runs in its programs, and rings the doorbell (node/doorbell.h) */
	bool is_cut;      /* the emulator may report an instruction that it does not execute with the block */
	bool sees_stores; /* stores to code take effect at once */
	struct {
		int16_t number;
		uint8_t call; /* enum upcs_call */
	} call[24];

	/* For messages about instructions that end a program. */
	struct upcs_insn_bits system_call, trap[9]; /* after the last: mask 0 */
	struct {
		struct upcs_insn_bits bits; /* in the last entry: mask 0, which matches all */
		const char *text;           /* advice if the emulator lacks the instruction */
	} instead[4];
};

extern const struct upcs_guest_info upcs_guests[UPCS_GUESTS];

/* Return the guest's name, or "unknown". */
const char *upcs_guest_name(unsigned guest);
/* Write the names of all guests, "A, B or C" if last is " or ". targets: QEMU's names. */
#define UPCS_GUEST_LIST 256
void upcs_guest_list(char list[UPCS_GUEST_LIST], bool targets, const char *last);
/* Return the guest, or UPCS_GUESTS if no guest matches. */
enum upcs_guest upcs_guest_of_target(const char *target);
enum upcs_guest upcs_guest_of_elf(uint16_t machine, bool wide, bool big);

bool upcs_guest_is_native(enum upcs_guest guest);
/* Return the size of a pointer in bytes. */
size_t upcs_guest_pointer_size(enum upcs_guest guest);
enum upcs_call upcs_guest_call(enum upcs_guest guest, int64_t number);

/* Return the first n bytes of an instruction, 2 or 4, as the number that holds its fields. x86 has no such
 * number: its first byte is the most significant here. */
uint32_t upcs_guest_word(enum upcs_guest guest, const void *bytes, size_t n);
bool upcs_insn_has(uint32_t word, const struct upcs_insn_bits *bits);

#endif
