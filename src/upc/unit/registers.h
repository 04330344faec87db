/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registers.h - the three owners of a unit's registers, and the effects of accesses by software:
 *
 *   registers_live.c    this machine: the unit owns them, and takes in what its sources count
 *   registers_script.c  a replay script: an engine owns them
 *   registers_node.c    the simulated node: the simulator's context owns them
 *
 * If an engine or a simulator owns the registers, the unit has a copy of them (registers_copy.c). In all
 * three cases the unit itself owns the counters of events that a source of source.h counts: it takes in their
 * counts.
 *
 * Terms: unit/unit.h, engine/threshold.h, engine/engine.h, base/target.h, replay/replay.h, node/sim.h.
 */
#ifndef UPCI_UNIT_REGISTERS_H
#define UPCI_UNIT_REGISTERS_H

#include "unit/unit.h"

/* A NULL operation means that the owner has nothing to do or does not have the feature. */
struct upci_registers_ops {
	const char *whose; /* the end of "the unit's events are ..." in messages */
	bool elsewhere;    /* registers are not in the unit, whose copy of them can be stale */
	bool timed; /* the owner has no cycles, so the unit's clock measures the time of all counters */

	int (*set_context)(struct upci_context *context, const struct upc_unit_options *options);
	/* Returns 0, or an error with message, as do the operations below unless they say otherwise. */
	int (*create)(struct upc_unit *unit);
	void (*destroy)(struct upc_unit *unit);
	void (*forked)(struct upc_unit *unit);
	/* Makes the unit count in another context. */
	int (*retarget)(struct upc_unit *unit, const struct upci_context *context);

	/* Advances the registers to the current position of the thread's script or simulator. True if
	 * counters may have changed. NULL: the registers are in the unit. */
	bool (*catch_up)(struct upc_unit *unit);
	/* Makes a new copy of the registers, without the side effects of a read. */
	void (*peek)(struct upc_unit *unit);
	/* Access one register by its offset. Return 0, or UPC_EFAULT without message. A write of the run bit
	 * returns any error with message. */
	int (*read)(struct upc_unit *unit, unsigned offset, uint64_t *value);
	int (*write)(struct upc_unit *unit, unsigned offset, uint64_t value);
	/* Flips a bit of a counter's word in the array, which damages its parity. */
	void (*flip)(struct upc_unit *unit, unsigned counter, unsigned bit);
	/* Plays the script up to the next sync mark. False if nothing is left to play. NULL: the owner needs
	 * no playing. */
	bool (*play)(struct upc_unit *unit);
	bool (*left)(const struct upc_unit *unit);
	/* Number of cycles in which the run bit was set. */
	uint64_t (*cycles)(const struct upc_unit *unit);
	/* True while the unit's interrupt callback runs. Some calls are not allowed from the callback. */
	bool (*is_told)(const struct upc_unit *unit);

	/* For counters that the unit does not take in. preset sets an event's count; the next interrupt comes
	 * at the next multiple of its period. clear sets all counts to 0 and repairs damage. set_period sets
	 * an event's period. */
	void (*preset)(struct upc_unit *unit, unsigned i, uint64_t count);
	void (*clear)(struct upc_unit *unit);
	int (*set_period)(struct upc_unit *unit, unsigned i, uint64_t period);
	/* set_signal sets the signal that interrupts send. signalled is called from the signal handler. It
	 * finds the event that a signal was for and returns 0, or UPC_EINVAL without message. */
	int (*set_signal)(struct upc_unit *unit, int signal);
	int (*signalled)(const struct upc_unit *unit, int fd, uint32_t *code);
	/* bind: counter i gets another event. vacate: counter i loses its event. moved: an event came to
	 * counter i from another counter, with its threshold. */
	void (*bind)(struct upc_unit *unit, unsigned i);
	void (*vacate)(struct upc_unit *unit, unsigned i);
	void (*moved)(struct upc_unit *unit, unsigned i);
};

extern const struct upci_registers_ops upci_registers_live, upci_registers_script, upci_registers_node;

/* ---- registers.c: access to one register of any owner. Call upci_unit_catch_up first. ---- */

void upci_unit_write_counter(struct upc_unit *unit, unsigned i, uint64_t value);
void upci_unit_write_field(struct upc_unit *unit, unsigned i, uint8_t field);
/* Set or clear the run bit. Only a start of a unit of the simulator can fail; the unit then does not run. */
int upci_unit_write_run(struct upc_unit *unit, bool run);
/* Read a register, with the side effects of a read. Return 0, or UPC_EFAULT without message. */
int upci_unit_read_register(struct upc_unit *unit, unsigned offset, uint64_t *value);

/* Return UPC_ESTATE with message while an interrupt callback of the unit runs, else 0. The message calls the
 * operation by the participle in what, such as "started". */
int upci_unit_check_idle(const struct upc_unit *unit, const char *what);

/* ---- registers_copy.c ------------------------------------------------------------------- */

/* upci_unit_catch_up advances the registers to the current position of the thread's script or simulator.
 * upci_unit_copy makes a new copy of the registers as they were at the last advance. upci_unit_refresh does
 * both. */
void upci_unit_catch_up(struct upc_unit *unit);
void upci_unit_refresh(struct upc_unit *unit);
void upci_unit_copy(struct upc_unit *unit);

/* Check the parity of one counter, one entry, or all counters, for reads by software: 0, or
 * UPC_EPARITY with message. */
int upci_unit_check_counter(struct upc_unit *unit, unsigned i);
int upci_unit_check_entry(struct upc_unit *unit, const struct upci_entry *entry);
int upci_unit_check_all(struct upc_unit *unit);
/* Record damage that no read has found yet. Call it before the library writes a counter for a threshold,
 * since the write repairs the parity. */
void upci_unit_find_damage(struct upc_unit *unit, unsigned i);
/* Forget a counter's damage: the user has written the counter, or bound another event to it. */
void upci_unit_repaired(struct upc_unit *unit, unsigned i);

/* ---- common to the three owners ------------------------------------------------------------- */

/* Return UPC_ESTATE with message if an event has a threshold and the signal would change, else 0. */
int upci_registers_check_signal(struct upc_unit *unit, int signal);
/* Return UPC_ENOSUPP with message: the caller is not the thread that created the unit. */
int upci_registers_fail_callers(const char *what);

#endif
