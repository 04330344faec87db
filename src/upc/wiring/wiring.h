/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring.h - the wiring file, which says which source drives which event. It is versioned text with one
 * statement per line and is checked strictly: one mistake, and the whole file is refused with
 * FILE:LINE:COLUMN and what was expected.
 *
 * Terms:
 *   wiring     the assignment of sources to events
 *   statement  a line that defines, drives or removes the event of one name
 *   property   a part of a statement after the source, such as unit or scope
 *   pool       the memory for the strings of a file's statements
 *   recipe     a derived event of the built-in wiring, for several cores
 *
 * More terms: catalogue/catalogue.h, base/event.h.
 *
 *   upc-wiring 1
 *   # a comment
 *   event   NAME = SOURCE [* MUL] [/ DIV] {PROPERTY}
 *   drive   NAME = SOURCE [* MUL] [/ DIV] differs "TEXT" {PROPERTY}
 *   derived NAME = "FORMULA" {PROPERTY}
 *   remove  NAME
 *
 *   SOURCE   = perf "LIBPFM4-NAME" | tracefs "SYSTEM:EVENT"
 *            | proc FIELD | sys FIELD | task FIELD | process FIELD
 *            | clock realtime|monotonic|monotonic_raw|boottime|process|thread
 *   FIELD    = "PATH" (key "KEY" [token N] [occurrence N] | line N) value N [to N]
 *   PROPERTY = unit "TEXT" | scope context|thread|process|cpu|machine
 *            | count | level | describe "TEXT" | subsystem "TEXT"
 *
 * A NAME of only [A-Za-z0-9_.:+-] is written bare. Other names are in double quotes, in which \" and \\ stand
 * for " and \. A comment may also end a line. drive is only for Blue Gene/P names (ids 0 to 511); properties
 * that it does not mention stay as they are. event is for any other name, new or known, and defines all
 * properties. derived takes a formula (formula.h) over events of the catalogue and of the whole file, and
 * over derived events from earlier lines. A ratio is a level, not a count. Each name may be the subject of
 * one statement. The scope of a derived event is at least as wide as the scopes of its terms. A file has at
 * most 8 MiB and 65536 lines.
 */
#ifndef UPCI_WIRING_H
#define UPCI_WIRING_H

#include "catalogue/catalogue.h"

/* Add the derived events that come with the library, over whatever events exist here. It is the last builder
 * of a catalogue. */
int upci_wiring_builtin(struct upc_catalogue *c);

/*
 * Read a file and apply it to the catalogue. Everything is parsed and checked before the first change. hash
 * becomes the 64 hex digits of the file's SHA-256 and a 0. If the caller is root, a file that other users own
 * or can write is refused. Return 0, or an error with message: UPC_EWIRING, UPC_EPERM, UPC_ENOMEM.
 */
int upci_wiring_load(struct upc_catalogue *c, const char *path, char hash[65]);

/* Do the same with text in memory. Messages call it by name. */
int upci_wiring_parse(struct upc_catalogue *c, const char *text, size_t length, const char *name);

/* Read a whole file for one of the parsers; the caller frees *text. Reads at most one byte more than the
 * parsers allow, so that they detect the excess in a file that grows while it is read. Return 0, or an error
 * with message. */
int upci_wiring_read(int fd, const char *path, char **text, size_t *length);

/* Print an event as a line of wiring with its newline; return snprintf's result. An event without a source is
 * printed as a comment that says why. A derived event without a source is printed with its formula, since
 * other lines may drive its terms. */
int upci_wiring_print(struct upc_catalogue *c, const struct upci_event *event, char *text, size_t size);

#endif
