/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * qemu_plugin.h - the part of QEMU's plugin interface that we use, written after QEMU's documentation,
 * because no package contains the header. UPCS_QEMU_INTERFACE is the interface version: 1 (QEMU 6.2 to 8.x)
 * or 4 (9.2 and later). The emulator checks the version before it calls any function.
 *
 * Callbacks run on the thread of their vCPU, except vcpu_init, which runs on the thread that makes the vCPU.
 * Translation callbacks run one at a time.
 */
#ifndef UPCS_QEMU_PLUGIN_H
#define UPCS_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION UPCS_QEMU_INTERFACE

typedef uint64_t qemu_plugin_id_t;

/* The emulator that loads the plugin. */
typedef struct qemu_info_t {
	const char *target_name; /* for example "x86_64" */
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus, max_vcpus;
		} system;
	};
} qemu_info_t;

/* A block of instructions and one instruction. Valid while the block is translated. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* Registers that a callback reads. This version has no function to read them. */
enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
	QEMU_PLUGIN_CB_RW_REGS,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64,
};

#if UPCS_QEMU_INTERFACE >= 4
/* An array of bytes for each vCPU, zero at first, in the emulator's memory. The emulator may enlarge the
 * array when a vCPU is made, and thereby move it. */
struct qemu_plugin_scoreboard;

/* A number in a scoreboard. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
#endif

/* Size, sign and direction of an access, packed. */
typedef uint32_t qemu_plugin_meminfo_t;

typedef void (*qemu_plugin_simple_cb_t)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *data);
typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
					  void *data);
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(qemu_plugin_id_t id, unsigned int vcpu, int64_t number,
					      uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
					      uint64_t a6, uint64_t a7, uint64_t a8);
typedef void (*qemu_plugin_vcpu_syscall_ret_cb_t)(qemu_plugin_id_t id, unsigned int vcpu, int64_t number,
						  int64_t result);

/* ---- what a plugin has ----------------------------------------------------------- */

extern __attribute__((visibility("default"))) int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
							       int argc, char **argv);

/* ---- what the emulator has ------------------------------------------------------- */

/* Remove all callbacks of the plugin and all translated blocks when no vCPU runs, and then call done, which
 * registers callbacks again. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t done);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_ret_cb_t cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *data);

/* During translation of a block: call cb whenever the block, or one of its instructions, begins. */
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *data);
#if UPCS_QEMU_INTERFACE == 1
/* The same, without a call: add number to the 64-bit number at data, not atomically. */
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op, void *data,
					      uint64_t number);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_op op,
						void *data, uint64_t number);
#else
/* The same, without a call: add number to the vCPU's number at entry. */
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
						       qemu_plugin_u64 entry, uint64_t number);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_plugin_op op, qemu_plugin_u64 entry,
							 uint64_t number);
#endif
/* Return the size of an access as a power of two, and its direction. */
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
/* Call cb after each memory access of the instruction. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);
#if UPCS_QEMU_INTERFACE == 1
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw,
					  enum qemu_plugin_op op, void *data, uint64_t addend);
#else
void qemu_plugin_register_vcpu_mem_inline_per_vcpu(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw,
						   enum qemu_plugin_op op, qemu_plugin_u64 entry,
						   uint64_t addend);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
/* Must not run while another thread makes a vCPU: no lock protects the scoreboard. */
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu);
/* Return the highest vCPU number so far plus 1. */
int qemu_plugin_num_vcpus(void);
#endif

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
#if UPCS_QEMU_INTERFACE == 1
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
/* Copy up to n bytes. Return the number of bytes copied. */
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t n);
#endif
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
/* Return the host address of the instruction. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

#endif
