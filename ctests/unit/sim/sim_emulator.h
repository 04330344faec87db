/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_emulator.h - as much of an emulator as the plugin sees: blocks are translated when they are
 * first executed, one at a time, and their callbacks called by threads of the test, which are its
 * vCPUs. Nothing is emulated: what a block's instructions do, nobody does.
 */
#ifndef SIM_EMULATOR_H
#define SIM_EMULATOR_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/qemu_plugin.h"

enum { INSNS = 8, CALLBACKS = 4, BLOCKS = 8, BOARDS = 4 };

struct code {
	const uint8_t *at;
	unsigned n;
	uint8_t size[INSNS];
	unsigned touches; /* so often does its last instruction access memory */
};

struct callback {
	qemu_plugin_vcpu_udata_cb_t begins;
	qemu_plugin_vcpu_mem_cb_t touches;
	uint64_t *number;                     /* to add one to */
	struct qemu_plugin_scoreboard *board; /* or to the vCPU's in it, so far behind its first */
	size_t offset;
	void *data;
};

struct qemu_plugin_insn {
	const uint8_t *at;
	uint8_t size;
	unsigned n, touchers;
	struct callback on[CALLBACKS], touched[CALLBACKS];
};

struct qemu_plugin_tb {
	const struct code *code;
	unsigned n;
	struct callback on[CALLBACKS];
	struct qemu_plugin_insn insn[INSNS];
};

/*
 * A thread holds the lock for reading while it executes a block, and for writing while it discards all code.
 * A thread in a system call, such as the doorbell's, does not hold the lock.
 */
static pthread_rwlock_t world;
static pthread_mutex_t translating = PTHREAD_MUTEX_INITIALIZER;

static struct {
	qemu_plugin_vcpu_simple_cb_t made, ends;
	qemu_plugin_vcpu_tb_trans_cb_t translated;
	qemu_plugin_vcpu_syscall_cb_t call;
	qemu_plugin_vcpu_syscall_ret_cb_t returned;
	qemu_plugin_udata_cb_t exit;
	qemu_plugin_simple_cb_t reset;
	struct qemu_plugin_tb *tb[BLOCKS];
	unsigned translations, vcpus;
	unsigned room; /* of scoreboards: for so many vCPUs */
} emulator = {.room = 2};

/* ---- what a plugin calls ------------------------------------------------------------- */

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb)
{
	(void)id;
	__atomic_store_n(&emulator.made, cb, __ATOMIC_RELAXED);
}

void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb)
{
	(void)id;
	__atomic_store_n(&emulator.ends, cb, __ATOMIC_RELAXED);
}

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb)
{
	(void)id;
	__atomic_store_n(&emulator.translated, cb, __ATOMIC_RELAXED);
}

void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb)
{
	(void)id;
	__atomic_store_n(&emulator.call, cb, __ATOMIC_RELAXED);
}

void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_ret_cb_t cb)
{
	(void)id;
	__atomic_store_n(&emulator.returned, cb, __ATOMIC_RELAXED);
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *data)
{
	(void)id;
	(void)data;
	__atomic_store_n(&emulator.exit, cb, __ATOMIC_RELAXED);
}

/* It is done when nobody executes: by who asked for it, behind the system call in which it did. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t done)
{
	(void)id;
	__atomic_store_n(&emulator.reset, done, __ATOMIC_RELEASE);
}

static void forget_code(void)
{
	unsigned i;

	for (i = 0; i < BLOCKS; i++) {
		free(emulator.tb[i]);
		emulator.tb[i] = NULL;
	}
}

static void put(struct callback *on, unsigned *n, struct callback callback)
{
	if (*n < CALLBACKS)
		on[(*n)++] = callback;
	else
		abort();
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *data)
{
	(void)flags;
	put(tb->on, &tb->n, (struct callback){.begins = cb, .data = data});
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *data)
{
	(void)flags;
	put(insn->on, &insn->n, (struct callback){.begins = cb, .data = data});
}

#if UPCS_QEMU_INTERFACE == 1
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op, void *data,
					      uint64_t number)
{
	if (op != QEMU_PLUGIN_INLINE_ADD_U64 || number != 1)
		abort();
	put(tb->on, &tb->n, (struct callback){.number = data});
}

void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_op op,
						void *data, uint64_t number)
{
	if (op != QEMU_PLUGIN_INLINE_ADD_U64 || number != 1)
		abort();
	put(insn->on, &insn->n, (struct callback){.number = data});
}

void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw,
					  enum qemu_plugin_op op, void *data, uint64_t addend)
{
	(void)rw;
	if (op != QEMU_PLUGIN_INLINE_ADD_U64 || addend != 1)
		abort();
	put(insn->touched, &insn->touchers, (struct callback){.number = data});
}

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->at;
}

static uint64_t *number_of(const struct callback *callback, unsigned vcpu)
{
	(void)vcpu;
	return callback->number;
}

/* Create a vCPU, on the thread that creates it. The second vCPU discards all code, once. */
static void make_vcpu(unsigned vcpu)
{
	if (++emulator.vcpus == 2) {
		pthread_rwlock_wrlock(&world);
		forget_code();
		pthread_rwlock_unlock(&world);
	}
	__atomic_load_n(&emulator.made, __ATOMIC_RELAXED)(0, vcpu);
}

static void begin_vcpu(unsigned vcpu)
{
	(void)vcpu;
}
#else
/* Boards move when they grow, and others that look meanwhile look at nothing. */
struct qemu_plugin_scoreboard {
	size_t size;
	char *data;
};

static struct qemu_plugin_scoreboard boards[BOARDS];
static unsigned n_boards;
static pthread_mutex_t board_lock = PTHREAD_MUTEX_INITIALIZER;

static void enlarge(struct qemu_plugin_scoreboard *board, unsigned from, unsigned to)
{
	char *data = calloc(to, board->size);

	if (!data)
		abort();
	if (from)
		memcpy(data, board->data, from * board->size);
	free(board->data);
	board->data = data;
}

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size)
{
	struct qemu_plugin_scoreboard *board;

	pthread_mutex_lock(&board_lock);
	if (n_boards == BOARDS)
		abort();
	board = &boards[n_boards++];
	board->size = size;
	enlarge(board, 0, emulator.room);
	pthread_mutex_unlock(&board_lock);
	return board;
}

void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *board, unsigned int vcpu)
{
	return board->data + vcpu * board->size;
}

int qemu_plugin_num_vcpus(void)
{
	return (int)emulator.vcpus;
}

void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
						       qemu_plugin_u64 entry, uint64_t number)
{
	if (op != QEMU_PLUGIN_INLINE_ADD_U64 || number != 1)
		abort();
	put(tb->on, &tb->n, (struct callback){.board = entry.score, .offset = entry.offset});
}

void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_plugin_op op, qemu_plugin_u64 entry,
							 uint64_t number)
{
	if (op != QEMU_PLUGIN_INLINE_ADD_U64 || number != 1)
		abort();
	put(insn->on, &insn->n, (struct callback){.board = entry.score, .offset = entry.offset});
}

void qemu_plugin_register_vcpu_mem_inline_per_vcpu(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw,
						   enum qemu_plugin_op op, qemu_plugin_u64 entry,
						   uint64_t addend)
{
	(void)rw;
	if (op != QEMU_PLUGIN_INLINE_ADD_U64 || addend != 1)
		abort();
	put(insn->touched, &insn->touchers, (struct callback){.board = entry.score, .offset = entry.offset});
}

size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t n)
{
	if (n > insn->size)
		n = insn->size;
	memcpy(to, insn->at, n);
	return n;
}

static uint64_t *number_of(const struct callback *callback, unsigned vcpu)
{
	return (uint64_t *)(void *)(callback->board->data + vcpu * callback->board->size + callback->offset);
}

static void make_vcpu(unsigned vcpu)
{
	(void)vcpu;
}

/* On its own thread. Boards grow when nobody executes; what knew where they were is thrown away. */
static void begin_vcpu(unsigned vcpu)
{
	unsigned i;

	pthread_rwlock_wrlock(&world);
	pthread_mutex_lock(&board_lock);
	if (vcpu >= emulator.vcpus)
		emulator.vcpus = vcpu + 1;
	if (vcpu >= emulator.room) {
		for (i = 0; i < n_boards; i++)
			enlarge(&boards[i], emulator.room, 2 * emulator.room);
		emulator.room *= 2;
		forget_code();
	}
	pthread_mutex_unlock(&board_lock);
	pthread_rwlock_unlock(&world);
	__atomic_load_n(&emulator.made, __ATOMIC_RELAXED)(0, vcpu);
}
#endif

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data)
{
	(void)flags;
	(void)rw;
	put(insn->touched, &insn->touchers, (struct callback){.touches = cb, .data = data});
}

/* All accesses are loads of eight bytes. */
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info)
{
	(void)info;
	return 3;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
	(void)info;
	return false;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->code->n;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i)
{
	return (struct qemu_plugin_insn *)&tb->insn[i];
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

/* Guest addresses are addresses of this process. */
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return (uintptr_t)insn->at;
}

void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn)
{
	return (void *)insn->at;
}

/* ---- blocks -------------------------------------------------------------------------- */

static struct qemu_plugin_tb *translate(const struct code *code)
{
	struct qemu_plugin_tb *tb = calloc(1, sizeof(*tb));
	const uint8_t *at = code->at;
	unsigned i;

	if (!tb)
		abort();
	tb->code = code;
	for (i = 0; i < code->n; i++, at += code->size[i - 1])
		tb->insn[i] = (struct qemu_plugin_insn){.at = at, .size = code->size[i]};
	emulator.translated(0, tb);
	emulator.translations++;
	return tb;
}

static const struct qemu_plugin_tb *block(const struct code *code, unsigned which)
{
	struct qemu_plugin_tb *tb = __atomic_load_n(&emulator.tb[which], __ATOMIC_ACQUIRE);

	if (tb)
		return tb;
	pthread_mutex_lock(&translating);
	tb = emulator.tb[which];
	if (!tb) {
		tb = translate(code);
		__atomic_store_n(&emulator.tb[which], tb, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&translating);
	return tb;
}

static void call_all(const struct callback *on, unsigned n, unsigned vcpu)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (on[i].begins)
			on[i].begins(vcpu, on[i].data);
		else if (on[i].touches)
			on[i].touches(vcpu, 0, 0, on[i].data);
		else { /* as a machine instruction would */
			uint64_t *number = number_of(&on[i], vcpu);

			__atomic_store_n(number, __atomic_load_n(number, __ATOMIC_RELAXED) + 1,
					 __ATOMIC_RELAXED);
		}
}

static void execute_block(const struct code *code, unsigned which, unsigned vcpu)
{
	const struct qemu_plugin_tb *tb;
	unsigned i, k;

	pthread_rwlock_rdlock(&world);
	tb = block(code, which);
	call_all(tb->on, tb->n, vcpu);
	for (i = 0; i < code->n; i++) {
		call_all(tb->insn[i].on, tb->insn[i].n, vcpu);
		for (k = 0; i + 1 == code->n && k < code->touches; k++)
			call_all(tb->insn[i].touched, tb->insn[i].touchers, vcpu);
	}
	pthread_rwlock_unlock(&world);
}

/* ---- vCPUs --------------------------------------------------------------------------- */

static void emulator_begin(void)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&world, &attributes);
	pthread_rwlockattr_destroy(&attributes);
}

static void end_vcpu(unsigned vcpu)
{
	__atomic_load_n(&emulator.ends, __ATOMIC_RELAXED)(0, vcpu);
}

static void call_begins(unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
			uint64_t a5)
{
	__atomic_load_n(&emulator.call, __ATOMIC_RELAXED)(0, vcpu, number, a1, a2, a3, a4, a5, 0, 0, 0);
}

static void call_ends(unsigned vcpu, int64_t number, int64_t result)
{
	qemu_plugin_simple_cb_t reset;

	__atomic_load_n(&emulator.returned, __ATOMIC_RELAXED)(0, vcpu, number, result);
	reset = __atomic_exchange_n(&emulator.reset, NULL, __ATOMIC_ACQ_REL);
	if (!reset)
		return;
	pthread_rwlock_wrlock(&world);
	forget_code();
	reset(0);
	pthread_rwlock_unlock(&world);
}

static void system_call(unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
			uint64_t a5)
{
	call_begins(vcpu, number, a1, a2, a3, a4, a5);
	call_ends(vcpu, number, -1);
}

#endif
