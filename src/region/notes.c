/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notes.c - a short list of notes by kind and name. Names that find no room in it are counted by kind.
 * Terms: region/region.h.
 */
#include "region/notes.h"

void upcr_notes_add(struct upcr_notes *notes, enum upcr_what what, unsigned name, uint64_t times)
{
	unsigned i;

	for (i = 0; i < notes->n; i++)
		if (notes->said[i].what == what && notes->said[i].name == name)
			break;
	if (i == UPCR_SAID_MAX) {
		notes->rest[what] += times;
		return;
	}
	if (i == notes->n)
		notes->said[notes->n++] = (struct upcr_said){.what = what, .name = name};
	notes->said[i].times += times;
}

void upcr_notes_add_all(struct upcr_notes *notes, const struct upcr_notes *more)
{
	unsigned i;

	for (i = 0; i < more->n; i++)
		upcr_notes_add(notes, more->said[i].what, more->said[i].name, more->said[i].times);
	for (i = 0; i < UPCR_SAID_KINDS; i++)
		notes->rest[i] += more->rest[i];
}

const char *upcr_notes_word(enum upcr_what what)
{
	static const char *const word[UPCR_SAID_KINDS] = {
		[UPCR_SAID_NOT_OPEN] = "stop without a start",
		[UPCR_SAID_ELSEWHERE] = "stop in another thread than the start",
		[UPCR_SAID_LEFT_INSIDE] = "left open inside",
		[UPCR_SAID_OPEN_AT_END] = "open at the end",
		[UPCR_SAID_REFUSED] = "event refused",
		[UPCR_SAID_BROKEN] = "counting ended early",
		[UPCR_SAID_NO_SET] = "nothing could be counted",
		[UPCR_SAID_BUSY] = "thread left out",
		[UPCR_SAID_RESET] = "reset",
		[UPCR_SAID_MISSED] = "missed in a signal handler",
		[UPCR_SAID_BEYOND] = "beyond the limit",
		[UPCR_SAID_IS_OPEN] = "started while it was open, and left out",
		[UPCR_SAID_RANGE] = "start or stop of a section whose number is out of range",
		[UPCR_SAID_NO_ROOM] = "no room in /dev/shm: threads or call paths are missing",
		[UPCR_SAID_OUTLIVED] = "a thread that was created in it outlived it and is no part of it",
		[UPCR_SAID_HANDED_ON] = "a thread that worked for it handed work on which is no part of it",
		[UPCR_SAID_SMALL_STACK] = "a thread that was created in it was not counted: its stack is "
					  "below 64 KiB",
		[UPCR_SAID_SHARES] =
			"it woke a thread without regions or waited for one, whose work for it is no part "
			"of it",
		[UPCR_SAID_WITHOUT] = "a thread without regions: what it did for a region is no part of it",
	};

	return word[what];
}
