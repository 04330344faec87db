/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest.c - the table of guests and its look-ups.
 */
#include "decode/guest.h"

#include <elf.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

/* Expands to "1" if the compiler defines the macro, else to the macro's name. */
#define UPCS_TEXT_OF(macro) TEXT(macro)
#define TEXT(tokens) #tokens

const struct upcs_guest_info upcs_guests[UPCS_GUESTS] = {
#define UPCS_GUEST(id, decoder, ...) [UPCS_##id] = {__VA_ARGS__},
#include "decode/guests.def"
};

const char *upcs_guest_name(unsigned guest)
{
	return guest < UPCS_GUESTS ? upcs_guests[guest].name : "unknown";
}

void upcs_guest_list(char list[UPCS_GUEST_LIST], bool targets, const char *last)
{
	size_t n = 0;
	unsigned i;

	for (i = 0; i < UPCS_GUESTS && n < UPCS_GUEST_LIST; i++)
		n += (size_t)snprintf(list + n, UPCS_GUEST_LIST - n, "%s%s",
				      i == 0                ? ""
				      : i + 1 < UPCS_GUESTS ? ", "
							    : last,
				      targets ? upcs_guests[i].target : upcs_guests[i].name);
}

enum upcs_guest upcs_guest_of_target(const char *target)
{
	unsigned i;

	for (i = 0; i < UPCS_GUESTS && strcmp(upcs_guests[i].target, target) != 0; i++)
		;
	return (enum upcs_guest)i;
}

enum upcs_guest upcs_guest_of_elf(uint16_t machine, bool wide, bool big)
{
	unsigned i;

	for (i = 0; i < UPCS_GUESTS; i++)
		if (upcs_guests[i].machine == machine && upcs_guests[i].wide == wide &&
		    upcs_guests[i].big == big)
			break;
	return (enum upcs_guest)i;
}

bool upcs_guest_is_native(enum upcs_guest guest)
{
	return upcs_guests[guest].host && strcmp(upcs_guests[guest].host, "1") == 0;
}

size_t upcs_guest_pointer_size(enum upcs_guest guest)
{
	return upcs_guests[guest].wide ? 8 : 4;
}

enum upcs_call upcs_guest_call(enum upcs_guest guest, int64_t number)
{
	const struct upcs_guest_info *info = &upcs_guests[guest];
	unsigned i;

	for (i = 0; info->call[i].call; i++)
		if (info->call[i].number == number)
			return info->call[i].call;
	return UPCS_CALL_OTHER;
}

uint32_t upcs_guest_word(enum upcs_guest guest, const void *bytes, size_t n)
{
	bool big = upcs_guests[guest].big || upcs_guests[guest].unit == 1;
	uint32_t word = 0;
	uint16_t half = 0;

	if (n == sizeof(half)) {
		memcpy(&half, bytes, sizeof(half));
		return big ? be16toh(half) : le16toh(half);
	}
	memcpy(&word, bytes, sizeof(word));
	return big ? be32toh(word) : le32toh(word);
}

bool upcs_insn_has(uint32_t word, const struct upcs_insn_bits *bits)
{
	return (word & bits->mask) == bits->value;
}
