/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring.h - the wiring file: which source drives which event. Versioned text,
 * one statement a line, checked strictly: one mistake and the file is refused
 * whole with FILE:LINE:COLUMN and what was expected.
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
 * NAME is bare when it has only [A-Za-z0-9_.:+-], else in double quotes, in
 * which \" and \\ stand for themselves; a comment may also end a line. drive is
 * for Blue Gene/P names (ids 0 to 511) only, and what it does not say stays as
 * the name has it; event is for any other name, new or known, and says all;
 * derived takes a formula (formula.h) over events of the catalogue and of the
 * whole file, and over derived ones from lines above; a ratio is a level and no
 * count. Each name may be the subject of one statement. The scope of a derived
 * event is at least as wide as those of its terms. At most 8 MiB and 65536 lines.
 */
#ifndef UPCI_WIRING_H
#define UPCI_WIRING_H

#include "catalogue/catalogue.h"

/* Derived events that come with the library, over whatever exists here; the
 * last builder of a catalogue. */
int upci_wiring_builtin(struct upc_catalogue *c);

/*
 * Reads and applies a file to the catalogue: everything is parsed and checked
 * before the first change. hash gets 64 hex digits of its SHA-256 and a 0.
 * Owned or written by others than the caller, where the caller is root: refused.
 * Errors: UPC_EWIRING, UPC_EPERM, UPC_ENOMEM; upci_fail has the message.
 */
int upci_wiring_load(struct upc_catalogue *c, const char *path, char hash[65]);

/* The same from memory; name is for messages. */
int upci_wiring_parse(struct upc_catalogue *c, const char *text, size_t length, const char *name);

/* All of a file for one of the parsers; the caller frees it. At most one byte more than they allow, so
 * that they see the excess in a file that grows while it is read. Errors with message. */
int upci_wiring_read(int fd, const char *path, char **text, size_t *length);

/* One event as a line of wiring with its newline; snprintf's result. Events
 * with source NONE print as a comment that says why, but derived ones with their
 * formula: other lines may drive their terms. */
int upci_wiring_print(struct upc_catalogue *c, const struct upci_event *event, char *text, size_t size);

#endif
