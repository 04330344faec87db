/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest.h - the guests: machines whose programs are run and counted. All that differs between them
 * is a row of guests.def, but for their instructions (decode.h).
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

/* System calls that the plugin looks at. */
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

/* Instructions: those whose first 32 bits (upcs_guest_word), as far as mask has them, are value. */
struct upcs_insn_bits {
	uint32_t mask, value;
};

struct upcs_guest_info {
	const char *name;    /* as people say it */
	const char *target;  /* as QEMU says it: the emulator is qemu-TARGET */
	const char *triplet; /* its libraries are in directories of this name; its compiler is TRIPLET-gcc */
	const char *host;    /* "1" where its programs run on this machine as they are */
	/* The emulator's processor, where its default will not do: with version 1 of the plugin
	 * interface, and later. */
	const char *processor[2];

	/* The properties of its ELF files. Pointers in memory are as wide, and in that order. */
	uint16_t machine;
	bool wide, big;            /* 64 bit; big endian */
	uint32_t chosen, named[3]; /* relocations: IRELATIVE; those with a function's name (slots.h), or 0 */

	uint8_t unit;     /* bytes: instructions are one of these long, or several */
	bool rings;       /* our PAPI can be in its programs: they ring the doorbell */
	bool is_cut;      /* the emulator's blocks may end with an instruction that they do not have */
	bool sees_stores; /* a store to code takes effect at once */
	struct {
		int16_t number;
		uint8_t call; /* enum upcs_call */
	} call[24];

	/* The facts for messages about instructions that end a program. */
	struct upcs_insn_bits system_call, trap[9]; /* behind the last: mask 0 */
	struct {
		struct upcs_insn_bits bits; /* of the last one: mask 0, which all have */
		const char *text;           /* what can be done where the emulator does not have it */
	} instead[4];
};

extern const struct upcs_guest_info upcs_guests[UPCS_GUESTS];

/* "unknown" of none. */
const char *upcs_guest_name(unsigned guest);
/* The names of all, "A, B or C" with " or " before the last; targets: in QEMU's words. */
#define UPCS_GUEST_LIST 256
void upcs_guest_list(char list[UPCS_GUEST_LIST], bool targets, const char *last);
/* UPCS_GUESTS: there is none. */
enum upcs_guest upcs_guest_of_target(const char *target);
enum upcs_guest upcs_guest_of_elf(uint16_t machine, bool wide, bool big);

bool upcs_guest_is_native(enum upcs_guest guest);
/* Bytes of a pointer. */
size_t upcs_guest_pointer_size(enum upcs_guest guest);
enum upcs_call upcs_guest_call(enum upcs_guest guest, int64_t number);

/* The first n bytes of an instruction, 2 or 4, as the number that its fields are bits of. x86 has no
 * such number: its first byte is the most significant. */
uint32_t upcs_guest_word(enum upcs_guest guest, const void *bytes, size_t n);
bool upcs_insn_has(uint32_t word, const struct upcs_insn_bits *bits);

#endif
