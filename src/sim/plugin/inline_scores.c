/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inline_scores.c - lets blocks add to scoreboards of the emulator (score.h), which are created as kinds are
 * added.
 *
 * Terms: plugin/context.h.
 */
#include "plugin/inline.h"
#include "count/score.h"

static struct qemu_plugin_scoreboard *board[UPCS_SCORES_MAX];

static uint64_t *scores_of(unsigned vcpu, unsigned i)
{
	struct qemu_plugin_scoreboard *b = __atomic_load_n(&board[i], __ATOMIC_ACQUIRE);

	return b ? qemu_plugin_scoreboard_find(b, vcpu) : NULL;
}

static unsigned count_vcpus(void)
{
	return (unsigned)qemu_plugin_num_vcpus();
}

static const struct upcs_scores scores = {scores_of, count_vcpus};

void upcs_inline_install(void)
{
	upcs_threads.scores = &scores;
}

bool upcs_inline_may(void)
{
	return upcs_thread_adds();
}

/* Return a kind's entry in a scoreboard, creating the scoreboard if necessary. The pointer is stored
 * atomically, because scores_of may read it meanwhile. */
static qemu_plugin_u64 score_place_of(uint32_t kind)
{
	struct qemu_plugin_scoreboard **b = &board[kind / UPCS_SCORE_KINDS];

	if (!*b)
		__atomic_store_n(b, qemu_plugin_scoreboard_new(UPCS_SCORE_KINDS * sizeof(uint64_t)),
				 __ATOMIC_RELEASE);
	return (qemu_plugin_u64){*b, kind % UPCS_SCORE_KINDS * sizeof(uint64_t)};
}

void upcs_inline_begins(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, uint32_t kind)
{
	if (insn)
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64,
								    score_place_of(kind), 1);
	else
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
								  score_place_of(kind), 1);
}

void upcs_inline_touches(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw, uint32_t kind)
{
	qemu_plugin_register_vcpu_mem_inline_per_vcpu(insn, rw, QEMU_PLUGIN_INLINE_ADD_U64,
						      score_place_of(kind), 1);
}
