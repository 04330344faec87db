/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode.c - decodes instructions: those of x86 with capstone, which only this file and decode_x86*.c use,
 * and those of other guests from the fields of their words.
 *
 * Terms: decode/decode.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>

#include "decode/decode.h"

/*
 * A cache of decoded x86 instructions, by their keys (decode_x86_key.c). Without it, capstone would take most
 * of the time of a program's start.
 */
#define KNOWN 4096u
#define X86_BYTES 15u

struct known {
	uint64_t key[UPCS_X86_KEY / 8];
	uint8_t n; /* number of the instruction's bytes; 0: the entry is free */
	struct upcs_insn insn;
};

typedef void decode_fn(uint32_t word, size_t n, struct upcs_insn *insn);

/* NULL: the guest's instructions are decoded with capstone. */
static decode_fn *const decoders[UPCS_GUESTS] = {
#define UPCS_GUEST(id, decoder, ...) [UPCS_##id] = decoder,
#include "decode/guests.def"
};

struct upcs_decoder {
	enum upcs_guest guest;
	csh capstone; /* this and the next two fields: for guests decoded with capstone */
	cs_insn *cs;
	struct known *known;
};

static bool open_capstone(struct upcs_decoder *decoder)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->capstone))
		return false;
	if (!cs_option(decoder->capstone, CS_OPT_DETAIL, CS_OPT_ON))
		decoder->cs = cs_malloc(decoder->capstone);
	if (decoder->cs)
		decoder->known = calloc(KNOWN, sizeof(*decoder->known));
	if (decoder->known)
		return true;
	if (decoder->cs)
		cs_free(decoder->cs, 1);
	cs_close(&decoder->capstone);
	return false;
}

struct upcs_decoder *upcs_decoder_create(enum upcs_guest guest)
{
	struct upcs_decoder *decoder;

	if ((unsigned)guest >= UPCS_GUESTS)
		return NULL;
	decoder = calloc(1, sizeof(*decoder));
	if (!decoder)
		return NULL;
	decoder->guest = guest;
	if (!decoders[guest] && !open_capstone(decoder)) {
		free(decoder);
		return NULL;
	}
	return decoder;
}

void upcs_decoder_destroy(struct upcs_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->cs) {
		cs_free(decoder->cs, 1);
		cs_close(&decoder->capstone);
	}
	free(decoder->known);
	free(decoder);
}

/* Decode n bytes with capstone. Return true if they are exactly one instruction, and the table of rules
 * (decode_x86_table.c) has the instruction. */
static bool disassemble_insn(struct upcs_decoder *decoder, uint64_t address, const uint8_t *bytes, size_t n,
			     struct upcs_insn *insn)
{
	size_t left = n;

	return n && cs_disasm_iter(decoder->capstone, &bytes, &left, &address, decoder->cs) && !left &&
	       upcs_decode_x86(decoder->cs, insn);
}

/* Decode a three-byte VEX instruction with its W bit cleared. Processors ignore W if it has no meaning.
 * capstone ignores W for some instructions only, and for which ones depends on its version. */
static bool disassemble_narrow(struct upcs_decoder *decoder, uint64_t address, const uint8_t *bytes, size_t n,
			       struct upcs_insn *insn)
{
	uint8_t narrow[X86_BYTES];

	if (n < 5 || n > sizeof(narrow) || bytes[0] != 0xc4 || !(bytes[2] & 0x80))
		return false;
	memcpy(narrow, bytes, n);
	narrow[2] &= 0x7f;
	return disassemble_insn(decoder, address, narrow, n, insn);
}

static bool decode_x86(struct upcs_decoder *decoder, uint64_t address, const uint8_t *bytes, size_t n,
		       struct upcs_insn *insn)
{
	bool known = disassemble_insn(decoder, address, bytes, n, insn);

	/* capstone lacks some old instructions, and refuses prefixes that processors ignore. */
	if (!known && upcs_decode_x86_unknown(bytes, n, insn))
		return true;
	while (!known && n > 1 && upcs_x86_is_prefix(*bytes))
		known = disassemble_insn(decoder, address, ++bytes, --n, insn);
	return known || disassemble_narrow(decoder, address, bytes, n, insn);
}

/* Return the cache entry for these bytes, which may hold another instruction, or NULL if there are too many
 * bytes for an instruction. */
static struct known *known_place_of(const struct upcs_decoder *decoder, const uint8_t *bytes, size_t n,
				    uint64_t key[2])
{
	uint64_t hash;

	if (!n || n > X86_BYTES)
		return NULL;
	upcs_x86_key(bytes, n, (uint8_t *)key);
	hash = (key[0] ^ n) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 32 ^ key[1]) * 0x9e3779b97f4a7c15u;
	return &decoder->known[(hash >> 32) % KNOWN];
}

static bool recall_insn(struct upcs_decoder *decoder, uint64_t address, const uint8_t *bytes, size_t n,
			struct upcs_insn *insn)
{
	uint64_t key[2];
	struct known *known = known_place_of(decoder, bytes, n, key);

	if (known && known->n == n && known->key[0] == key[0] && known->key[1] == key[1]) {
		*insn = known->insn;
		return true;
	}
	if (!decode_x86(decoder, address, bytes, n, insn))
		return false;
	if (known) {
		known->n = (uint8_t)n;
		memcpy(known->key, key, sizeof(known->key));
		known->insn = *insn;
	}
	return true;
}

void upcs_decode(struct upcs_decoder *decoder, uint64_t address, const void *bytes, size_t n,
		 struct upcs_insn *insn)
{
	decode_fn *decode = decoders[decoder->guest];

	*insn = (struct upcs_insn){.tally[UPCS_INSTRUCTIONS] = 1};
	if (decode && (n == 2 || n == 4))
		decode(upcs_guest_word(decoder->guest, bytes, n), n, insn);
	else if (decode || !recall_insn(decoder, address, bytes, n, insn))
		upcs_put_unknown(insn);
}

size_t upcs_decode_name(struct upcs_decoder *decoder, uint64_t address, const void *bytes, size_t n,
			char name[UPCS_INSN_NAME])
{
	const uint8_t *at = bytes;

	name[0] = '\0';
	if (decoders[decoder->guest] || !cs_disasm_iter(decoder->capstone, &at, &n, &address, decoder->cs))
		return 0;
	snprintf(name, UPCS_INSN_NAME, "%.15s%s%.31s", decoder->cs->mnemonic,
		 decoder->cs->op_str[0] ? " " : "", decoder->cs->op_str);
	return decoder->cs->size;
}
