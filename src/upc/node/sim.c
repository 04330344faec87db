/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.c - the guest's side of the doorbell: a context of the simulator, for a unit.
 *
 * A context counts while it runs, so a copy of its registers is stale at once. A stopped context changes only
 * by calls of this process. After a fork the child's simulator has a copy of the context, which belongs to
 * the child's thread, just as the child's memory has a copy of the unit.
 *
 * Terms: node/sim.h.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "node/sim.h"
#include "upc.h"

struct upci_sim {
	uint64_t context;
	bool run; /* run bit as last written */
	pthread_t creator;
};

static uint64_t ring_word(const struct upci_sim *sim, enum upci_doorbell_operation operation, uint64_t a,
			  uint64_t b, uint64_t *value)
{
	struct upci_doorbell_word word = {0, 0};
	uint64_t status = upci_ring(operation, sim->context, a, b, &word);

	if (value)
		*value = word.value;
	return status;
}

static int fail_status(uint64_t status)
{
	switch (status) {
	case UPCI_DOORBELL_NO_MEMORY:
		return upci_fail(UPC_ENOMEM, "the simulator has no memory, or no place, for one more unit");
	case UPCI_DOORBELL_NOT_COUNTED:
		return upci_fail(UPC_ENOSUPP,
				 "the simulator does not count this process or thread: upc_run was told to "
				 "leave out children, or has no more records, or the thread that made the "
				 "unit is not here");
	default:
		return upci_fail(UPC_ENOSUPP,
				 "UPC_SOURCE is 'sim', and this program does not run on the simulated node: "
				 "start it with 'upc_run -- PROGRAM', or unset UPC_SOURCE");
	}
}

int upci_sim_hello(struct upci_doorbell_hello *node)
{
	uint64_t status;

	memset(node, 0, sizeof(*node));
	status = upci_ring(UPCI_DOORBELL_HELLO, 0, 0, 0, node);
	if (status != UPCI_DOORBELL_DONE)
		return fail_status(status);
	if (node->magic != UPCI_DOORBELL_MAGIC || node->version != UPCI_DOORBELL_VERSION)
		return upci_fail(UPC_ENOSUPP,
				 "the program's libupc %s and upc_run's simulator are of different releases: "
				 "run it with the upc_run that came with this libupc",
				 upc_version());
	return 0;
}

/* ---- operations for a unit ------------------------------------------------------- */

void upci_sim_destroy(struct upci_sim *sim)
{
	(void)ring_word(sim, UPCI_DOORBELL_DESTROY, 0, 0, NULL);
	free(sim);
}

bool upci_sim_runs(const struct upci_sim *sim)
{
	return sim->run;
}

int upci_sim_read(struct upci_sim *sim, unsigned offset, uint64_t *value)
{
	return ring_word(sim, UPCI_DOORBELL_READ, offset, 0, value) == UPCI_DOORBELL_DONE ? 0 : UPC_EFAULT;
}

int upci_sim_write(struct upci_sim *sim, unsigned offset, uint64_t value)
{
	uint64_t status = ring_word(sim, UPCI_DOORBELL_WRITE, offset, value, NULL);

	if (status != UPCI_DOORBELL_DONE)
		return offset == UPC_REG_START_STOP ? fail_status(status) : UPC_EFAULT;
	if (offset == UPC_REG_START_STOP)
		sim->run = value & 1;
	return 0;
}

/* Copy all registers. Without an answer, they are those of the reset state. */
void upci_sim_peek(const struct upci_sim *sim, uint64_t *counter, uint8_t *field, bool *suspect)
{
	struct upci_doorbell_registers registers;
	unsigned word, i;

	if (upci_ring(UPCI_DOORBELL_PEEK, sim->context, 0, 0, &registers) != UPCI_DOORBELL_DONE)
		memset(&registers, 0, sizeof(registers));
	memcpy(counter, registers.counter, sizeof(registers.counter));
	memcpy(field, registers.field, sizeof(registers.field));
	memset(suspect, 0, UPC_COUNTERS * sizeof(*suspect));
	for (word = 0; word < UPC_COUNTERS / 64; word++)
		for (i = 0; i < 64 && registers.damaged[word] >> i; i++)
			suspect[64 * word + i] = registers.damaged[word] >> i & 1;
}

void upci_sim_flip(struct upci_sim *sim, unsigned counter, unsigned bit)
{
	(void)ring_word(sim, UPCI_DOORBELL_FLIP, counter, bit, NULL);
}

bool upci_sim_is_callers(const struct upci_sim *sim)
{
	return pthread_equal(sim->creator, pthread_self());
}

void upci_sim_forked(struct upci_sim *sim)
{
	sim->run = false;
}

void upci_sim_preset(struct upci_sim *sim, unsigned counter, uint64_t count)
{
	(void)ring_word(sim, UPCI_DOORBELL_PRESET, counter, count, NULL);
}

void upci_sim_clear(struct upci_sim *sim, const uint64_t *counters)
{
	(void)ring_word(sim, UPCI_DOORBELL_CLEAR, (uintptr_t)counters, 0, NULL);
}

int upci_sim_set_period(struct upci_sim *sim, unsigned counter, uint64_t period)
{
	return ring_word(sim, UPCI_DOORBELL_THRESHOLD, counter, period, NULL) == UPCI_DOORBELL_DONE
		       ? 0
		       : UPC_EINVAL;
}

int upci_sim_set_signal(struct upci_sim *sim, int signal)
{
	return ring_word(sim, UPCI_DOORBELL_SIGNAL, (uint64_t)signal, 0, NULL) == UPCI_DOORBELL_DONE
		       ? 0
		       : UPC_EINVAL;
}

bool upci_sim_fetch(const struct upci_sim *sim, unsigned *counter)
{
	struct upci_doorbell_interrupt interrupt;

	while (upci_ring(UPCI_DOORBELL_FETCH, sim->context, 0, 0, &interrupt) == UPCI_DOORBELL_DONE) {
		if (interrupt.kind != UPC_INTERRUPT_THRESHOLD || interrupt.counter >= UPC_COUNTERS)
			continue;
		*counter = interrupt.counter;
		return true;
	}
	return false;
}

void upci_sim_bind(struct upci_sim *sim, unsigned counter, unsigned panel)
{
	(void)ring_word(sim, UPCI_DOORBELL_BIND, counter, panel, NULL);
}

int upci_sim_create(struct upci_sim **made)
{
	struct upci_sim *sim = calloc(1, sizeof(*sim));
	uint64_t status;

	if (!sim)
		return upci_fail(UPC_ENOMEM, "no memory for a unit of the simulated node");
	status = ring_word(sim, UPCI_DOORBELL_CREATE, 0, 0, &sim->context);
	if (status != UPCI_DOORBELL_DONE) {
		free(sim);
		return fail_status(status);
	}
	sim->creator = pthread_self();
	*made = sim;
	return 0;
}
