/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring.c - the operations of doorbells, and the answers. Arguments may have any value.
 *
 * Terms: plugin/context.h.
 */
#include "plugin/ring.h"

#include <signal.h>
#include <string.h>

#include "plugin/context.h"
#include "load/emulator.h"
#include "count/account.h"
#include "count/guest_memory.h"
#include "count/thread.h"

/* ---- operations ---------------------------------------------------------------------- */

static uint64_t clear_context_counters(struct upcs_context *c, uint64_t address)
{
	uint64_t bits[UPC_COUNTERS / 64];
	unsigned i;

	if (upcs_guest_read(address, bits, sizeof(bits)))
		return UPCI_DOORBELL_UNKNOWN;
	for (i = 0; i < UPC_COUNTERS; i++)
		if (bits[i / 64] >> i % 64 & 1)
			upci_totals_preset(&c->totals, i, 0);
	return UPCI_DOORBELL_DONE;
}

/* Set the signal of a context. The emulator maps the guest's real-time signals to the host's in the same
 * order. */
static uint64_t set_signal(struct upcs_context *c, uint64_t guest)
{
	static int host_first; /* this emulator's first real-time signal of the host; 0: not known yet */
	const uint64_t first = 32;
	uint64_t last;

	if (!host_first)
		host_first = upcs_emulator_first_signal(upcs_emulator_version("/proc/self/exe"));
	last = first + (uint64_t)(SIGRTMAX - host_first);
	if (guest && (guest < first || guest > last))
		return UPCI_DOORBELL_UNKNOWN;
	c->signal = guest ? (int)(guest - first) + host_first : 0;
	return UPCI_DOORBELL_DONE;
}

static uint64_t operate_counters(struct upcs_context *c, uint64_t operation, uint64_t a, uint64_t b,
				 uint64_t *value)
{
	bool counter = a < UPC_COUNTERS;

	switch ((enum upci_doorbell_operation)operation) {
	case UPCI_DOORBELL_READ:
		return a <= UPC_REG_THRESHOLD && upci_totals_read(&c->totals, (unsigned)a, value) == 0
			       ? UPCI_DOORBELL_DONE
			       : UPCI_DOORBELL_UNKNOWN;
	case UPCI_DOORBELL_WRITE:
		if (a == UPC_REG_START_STOP && b & 1 && !c->totals.regs.run) {
			/* A start without a live owner thread would count nothing. */
			if (!upcs_thread_id_locked(c->owner))
				return UPCI_DOORBELL_NOT_COUNTED;
			/* Interrupts that were not fetched are from before this start. */
			upcs_context_forget_locked(c);
		}
		return a <= UPC_REG_THRESHOLD && upci_totals_write(&c->totals, (unsigned)a, b) == 0
			       ? UPCI_DOORBELL_DONE
			       : UPCI_DOORBELL_UNKNOWN;
	case UPCI_DOORBELL_PRESET:
		if (!counter)
			return UPCI_DOORBELL_UNKNOWN;
		upci_totals_preset(&c->totals, (unsigned)a, b);
		return UPCI_DOORBELL_DONE;
	case UPCI_DOORBELL_CLEAR:
		return clear_context_counters(c, a);
	case UPCI_DOORBELL_THRESHOLD:
		if (!counter)
			return UPCI_DOORBELL_UNKNOWN;
		upci_totals_set_threshold(&c->totals, (unsigned)a, b);
		return UPCI_DOORBELL_DONE;
	case UPCI_DOORBELL_SIGNAL:
		return set_signal(c, a);
	case UPCI_DOORBELL_BIND:
		if (!counter || b > UINT16_MAX)
			return UPCI_DOORBELL_UNKNOWN;
		c->bound -= c->panel[a] != UPCI_PANEL_NOTHING;
		c->panel[a] = (uint16_t)b;
		c->bound += c->panel[a] != UPCI_PANEL_NOTHING;
		return UPCI_DOORBELL_DONE;
	case UPCI_DOORBELL_FLIP:
		if (!counter || b > 51)
			return UPCI_DOORBELL_UNKNOWN;
		upci_totals_flip(&c->totals, (unsigned)a, (unsigned)b);
		return UPCI_DOORBELL_DONE;
	default:
		return UPCI_DOORBELL_UNKNOWN;
	}
}

/* ---- answers ------------------------------------------------------------------------- */

/* A buffer for any answer. */
union answer {
	struct upci_doorbell_word word;
	struct upci_doorbell_hello hello;
	struct upci_doorbell_registers registers;
	struct upci_doorbell_interrupt interrupt;
	struct upci_doorbell_balance balance;
};

/* Return the size of an operation's answer. Unknown operations get a word. */
static size_t size_of_answer(uint64_t operation)
{
	switch (operation) {
	case UPCI_DOORBELL_HELLO:
		return sizeof(struct upci_doorbell_hello);
	case UPCI_DOORBELL_PEEK:
		return sizeof(struct upci_doorbell_registers);
	case UPCI_DOORBELL_FETCH:
		return sizeof(struct upci_doorbell_interrupt);
	case UPCI_DOORBELL_BALANCE:
		return sizeof(struct upci_doorbell_balance);
	default:
		return sizeof(struct upci_doorbell_word);
	}
}

static void answer_hello(struct upci_doorbell_hello *hello)
{
	unsigned core, place;

	hello->status = upcs_thread_self() == UPCS_NO_THREAD ? UPCI_DOORBELL_NOT_COUNTED : UPCI_DOORBELL_DONE;
	hello->magic = UPCI_DOORBELL_MAGIC;
	hello->version = UPCI_DOORBELL_VERSION;
	hello->cores = UPCS_CORES;
	hello->core = upcs_thread_core_locked(upcs_thread_self());
	hello->accounts = upcs_account_is_there();
	for (core = 0; core < UPCS_CORES; core++)
		for (place = 0; place < UPCS_EVENTS; place++) {
			unsigned id = upcs_core_first[core] + place;

			if (upcs_is_produced(upcs_tally_at[place]))
				hello->produced[id / 64] |= UINT64_C(1) << id % 64;
		}
}

static void answer_peek(const struct upcs_context *c, struct upci_doorbell_registers *registers)
{
	registers->status = UPCI_DOORBELL_DONE;
	upci_totals_read_all(&c->totals, registers->counter);
	memcpy(registers->field, c->totals.regs.field, sizeof(registers->field));
	memcpy(registers->damaged, c->totals.damaged, sizeof(registers->damaged));
}

static void create_context(struct upci_doorbell_word *word)
{
	struct upcs_context *c;

	if (upcs_thread_self() == UPCS_NO_THREAD) {
		word->status = UPCI_DOORBELL_NOT_COUNTED;
		return;
	}
	c = upcs_context_create_locked();
	word->status = c ? UPCI_DOORBELL_DONE : UPCI_DOORBELL_NO_MEMORY;
	word->value = c ? c->id : 0;
}

static uint64_t set_account(uint64_t number, uint64_t open, uint64_t names)
{
	if (!upcs_account_is_there() || upcs_thread_self() == UPCS_NO_THREAD)
		return UPCI_DOORBELL_NOT_COUNTED;
	return upcs_account_set_locked(number, open, names) ? UPCI_DOORBELL_DONE : UPCI_DOORBELL_NO_MEMORY;
}

/* Close n accounts. An n that is larger than the possible number of accounts is refused, since the loop would
 * be long. */
static uint64_t close_accounts(uint64_t number, uint64_t n)
{
	if (n > 1u << 24)
		return UPCI_DOORBELL_UNKNOWN;
	upcs_account_close_locked(number, n);
	return UPCI_DOORBELL_DONE;
}

static void answer_balance(uint64_t number, struct upci_doorbell_balance *is)
{
	const struct upcs_account *account = upcs_account_locked(number);
	unsigned t;

	_Static_assert(UPCS_OUTSIDE == UPCI_DOORBELL_OUTSIDE, "it is one bit");
	_Static_assert(UPCS_TALLIES <= UPCI_DOORBELL_TALLIES, "all have a place");
	is->status = account ? UPCI_DOORBELL_DONE : UPCI_DOORBELL_NONE;
	_Static_assert(UPCS_ACCOUNT_LOW == UPCI_DOORBELL_LOW && UPCS_ACCOUNT_HIGH == UPCI_DOORBELL_HIGH,
		       "these are the same bits");
	is->doubts = account ? account->doubts : 0;
	for (t = 0; account && t < UPCS_TALLIES; t++)
		is->tally[upcs_tally_place[t]] = account->tally[t];
}

static void act_on(struct upcs_context *c, uint64_t operation, uint64_t a, uint64_t b, union answer *answer)
{
	upcs_context_look_locked(c);
	switch ((enum upci_doorbell_operation)operation) {
	case UPCI_DOORBELL_PEEK:
		answer_peek(c, &answer->registers);
		break;
	case UPCI_DOORBELL_FETCH:
		if (!upcs_context_fetch_locked(c, &answer->interrupt))
			answer->interrupt.status = UPCI_DOORBELL_NONE;
		break;
	case UPCI_DOORBELL_DESTROY:
		upcs_context_destroy_locked(c);
		answer->word.status = UPCI_DOORBELL_DONE;
		break;
	default:
		answer->word.status = operate_counters(c, operation, a, b, &answer->word.value);
		upcs_context_changed_locked(c);
		break;
	}
}

static void act_locked(uint64_t operation, uint64_t id, uint64_t a, uint64_t b, union answer *answer)
{
	struct upcs_context *c = operation <= UPCI_DOORBELL_FETCH ? upcs_context_find_locked(id) : NULL;

	if (operation == UPCI_DOORBELL_HELLO)
		answer_hello(&answer->hello);
	else if (operation == UPCI_DOORBELL_CREATE)
		create_context(&answer->word);
	else if (operation == UPCI_DOORBELL_ACCOUNT)
		answer->word.status = set_account(a, id, b);
	else if (operation == UPCI_DOORBELL_CLOSE)
		answer->word.status = close_accounts(a, b);
	else if (operation == UPCI_DOORBELL_BALANCE)
		answer_balance(a, &answer->balance);
	else if (c)
		act_on(c, operation, a, b, answer);
	else
		answer->word.status = UPCI_DOORBELL_UNKNOWN;
}

/* Perform an operation. Operations with effects first check that the answer can be written. Operations that
 * only read do not need this check. */
void upcs_ring(uint64_t operation, uint64_t context, uint64_t a, uint64_t b, uint64_t answer)
{
	const bool looks = operation == UPCI_DOORBELL_HELLO || operation == UPCI_DOORBELL_PEEK ||
			   operation == UPCI_DOORBELL_BALANCE;
	const size_t size = size_of_answer(operation);
	union answer is;

	memset(&is, 0, sizeof(is));
	if (!upcs_guests[upcs_run.guest].rings || (!looks && upcs_guest_write(answer, &is, size)))
		return;
	(void)upcs_process_hold_all();
	act_locked(operation, context, a, b, &is);
	upcs_process_release();
	(void)upcs_guest_write(answer, &is, size);
}
