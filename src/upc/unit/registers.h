/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registers.h - the three owners of a unit's registers, and the effects of software's accesses:
 *
 *   registers_live.c    this machine: the unit has them, and takes in what its sources count
 *   registers_script.c  a replay script: an engine has them
 *   registers_node.c    the simulated node: the simulator's context has them
 *
 * Where they are elsewhere the unit's own are a copy (registers_copy.c), except the counters that
 * a source of source.h counts: the unit takes those in, on each of the three.
 */
#ifndef UPCI_UNIT_REGISTERS_H
#define UPCI_UNIT_REGISTERS_H

#include "unit/unit.h"

/* NULL: there is nothing to do, or there is no such thing. */
struct upci_registers_ops {
	const char *whose; /* the unit's events, in messages */
	bool elsewhere;    /* software's accesses go there, and the copy here can be old */
	bool timed;        /* the unit's clock is theirs: they have no cycles */

	int (*set_context)(struct upci_context *context, const struct upc_unit_options *options);
	/* Errors with message, here as below. */
	int (*create)(struct upc_unit *unit);
	void (*destroy)(struct upc_unit *unit);
	void (*forked)(struct upc_unit *unit);
	/* The unit is to count in another context. */
	int (*retarget)(struct upc_unit *unit, const struct upci_context *context);

	/* Goes on to the thread's own moment. True: counters may have changed. NULL: they are here. */
	bool (*catch_up)(struct upc_unit *unit);
	/* Makes the copy anew, without what reading does. */
	void (*peek)(struct upc_unit *unit);
	/* One register by its offset: 0, or UPC_EFAULT without message; of a write of the run bit any
	 * error, with message. */
	int (*read)(struct upc_unit *unit, unsigned offset, uint64_t *value);
	int (*write)(struct upc_unit *unit, unsigned offset, uint64_t value);
	/* Flips a bit of an array word. */
	void (*flip)(struct upc_unit *unit, unsigned counter, unsigned bit);
	/* Goes on to the next place: false where there is none. NULL: it goes on by itself. */
	bool (*play)(struct upc_unit *unit);
	bool (*left)(const struct upc_unit *unit);
	/* Cycles in which the run bit was set. */
	uint64_t (*cycles)(const struct upc_unit *unit);
	/* Whether the unit's interrupt callback is running: some calls are not allowed from there. */
	bool (*is_told)(const struct upc_unit *unit);

	/* For counters that the unit does not take in: sets an event's count, and its threshold
	 * goes on from there; sets all to 0, and mends damage; sets an event's threshold. */
	void (*preset)(struct upc_unit *unit, unsigned i, uint64_t count);
	void (*clear)(struct upc_unit *unit);
	int (*set_period)(struct upc_unit *unit, unsigned i, uint64_t period);
	/* Sets the signal. The second, for handlers, finds the event that a signal was for: 0, or
	 * UPC_EINVAL without message. */
	int (*set_signal)(struct upc_unit *unit, int signal);
	int (*signalled)(const struct upc_unit *unit, int fd, uint32_t *code);
	/* A counter gets another event; loses its own; an event came to it, with its threshold. */
	void (*bind)(struct upc_unit *unit, unsigned i);
	void (*vacate)(struct upc_unit *unit, unsigned i);
	void (*moved)(struct upc_unit *unit, unsigned i);
};

extern const struct upci_registers_ops upci_registers_live, upci_registers_script, upci_registers_node;

/* ---- registers.c: one register, whoever has it. The unit has caught up. ---------------- */

void upci_unit_write_counter(struct upc_unit *unit, unsigned i, uint64_t value);
void upci_unit_write_field(struct upc_unit *unit, unsigned i, uint8_t field);
/* Nothing but a start of the simulator's unit can fail; then it does not run. */
int upci_unit_write_run(struct upc_unit *unit, bool run);
/* Reads with the side effects of a read. 0, or UPC_EFAULT without message. */
int upci_unit_read_register(struct upc_unit *unit, unsigned offset, uint64_t *value);

/* UPC_ESTATE with message while an interrupt callback of the unit runs. what: the call, as "started". */
int upci_unit_check_idle(const struct upc_unit *unit, const char *what);

/* ---- registers_copy.c ------------------------------------------------------------------- */

/* The first takes the unit to its thread's moment, the second also makes the copy new; the third
 * the copy alone, of the moment to which the unit was taken last. */
void upci_unit_catch_up(struct upc_unit *unit);
void upci_unit_refresh(struct upc_unit *unit);
void upci_unit_copy(struct upc_unit *unit);

/* Check the parity of one counter, one entry, or all counters, for reads by software: 0, or
 * UPC_EPARITY with message. */
int upci_unit_check_counter(struct upc_unit *unit, unsigned i);
int upci_unit_check_entry(struct upc_unit *unit, const struct upci_entry *entry);
int upci_unit_check_all(struct upc_unit *unit);
/* Records damage that is not found yet, before the library writes a counter for reasons of
 * its own, which mends its parity. */
void upci_unit_find_damage(struct upc_unit *unit, unsigned i);
/* The user has written a counter, or bound another event to it. */
void upci_unit_repaired(struct upc_unit *unit, unsigned i);

/* ---- for the three ------------------------------------------------------------------------ */

/* UPC_ESTATE with message: an event has a threshold, and the signal is another. */
int upci_registers_check_signal(struct upc_unit *unit, int signal);
/* UPC_ENOSUPP with message: of another thread. */
int upci_registers_fail_callers(const char *what);

#endif
