/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_x86.c - computes an x86-64 instruction's tallies: applies the instruction's rule in the table
 * (decode_x86_table.c) to its operands. The same bytes always give the same tallies.
 *
 * Terms: decode/decode.h.
 */
#include <string.h>

#include <capstone/capstone.h>

#include "decode/decode_x86.h"

#include "decode/decode.h"

static unsigned vector_bytes(unsigned reg)
{
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
		return 64;
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
		return 32;
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
		return 16;
	if (reg >= X86_REG_MM0 && reg <= X86_REG_MM7)
		return 8;
	return 0;
}

static bool is_special(unsigned reg)
{
	return (reg >= X86_REG_CR0 && reg <= X86_REG_DR15) || reg == X86_REG_CS || reg == X86_REG_DS ||
	       reg == X86_REG_ES || reg == X86_REG_FS || reg == X86_REG_GS || reg == X86_REG_SS;
}

static unsigned broadcast_lanes(x86_avx_bcast broadcast)
{
	switch (broadcast) {
	case X86_AVX_BCAST_2:
		return 2;
	case X86_AVX_BCAST_4:
		return 4;
	case X86_AVX_BCAST_8:
		return 8;
	case X86_AVX_BCAST_16:
		return 16;
	default:
		return 1;
	}
}

/* The properties of the operands that matter. */
struct shape {
	unsigned widest; /* bytes of the widest vector, in a register or in memory */
	bool memory;
	bool special; /* a segment, control or debug register */
};

static struct shape shape_of(const cs_x86 *x86)
{
	struct shape shape = {0};
	unsigned i, bytes;

	for (i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		bytes = 0;
		if (op->type == X86_OP_REG) {
			bytes = vector_bytes(op->reg);
			shape.special |= is_special(op->reg);
		} else if (op->type == X86_OP_MEM) {
			bytes = vector_bytes(op->mem.index);
			if (bytes < op->size * broadcast_lanes(op->avx_bcast))
				bytes = op->size * broadcast_lanes(op->avx_bcast);
			shape.memory = true;
		}
		if (shape.widest < bytes)
			shape.widest = bytes;
	}
	return shape;
}

#define LOCK 0xf0

/* True if the prefix is among the instruction's prefixes, in any order. capstone reports only one prefix of
 * each group. */
static bool has_prefix(const uint8_t *bytes, unsigned n, uint8_t prefix)
{
	unsigned i;

	for (i = 0; i < n && (upcs_x86_is_prefix(bytes[i]) || bytes[i] == LOCK); i++)
		if (bytes[i] == prefix)
			return true;
	return false;
}

/*
 * True for cmpps and similar instructions of SSE, AVX and AVX-512. capstone 4 has an id for each condition.
 * capstone 5 has a single id for all conditions, or uses the id of another instruction. In both versions the
 * name ends in the form (ps, pd, ss or sd).
 */
static bool is_comparison(const cs_insn *cs, struct upcs_x86_rule *rule)
{
	const char *name = cs->mnemonic;
	size_t n = strlen(name);

	name += *name == 'v';
	if (n < 5 || strncmp(name, "cmp", 3) != 0)
		return false;
	name = cs->mnemonic + n - 2;
	if ((name[0] != 'p' && name[0] != 's') || (name[1] != 's' && name[1] != 'd'))
		return false;
	*rule = (struct upcs_x86_rule){.op = F_OTHER, .memory = M_READ};
	if (name[0] == 'p')
		rule->lane = name[1] == 's' ? 4 : 8;
	return true;
}

/*
 * Return the instruction's rule. Corrections of capstone: two ids stand for two instructions each. capstone 4
 * takes a movq with a redundant REX.W for a store, and a clwb with a redundant REX.W for an xsaveopt.
 * capstone 5 takes a far call through memory for a near one. Another correction: a mov, push or pop of a
 * segment, control or debug register is no simple move.
 */
static struct upcs_x86_rule rule_of(const cs_insn *cs, const struct shape *shape)
{
	const cs_x86 *x86 = &cs->detail->x86;
	struct upcs_x86_rule rule = {0};

	if (cs->id < X86_INS_ENDING)
		rule = upcs_x86_rule[cs->id];
	if (cs->id == X86_INS_MOVSD && x86->opcode[0] == 0xa5)
		rule = upcs_x86_rule[X86_INS_MOVSQ];
	else if (cs->id == X86_INS_CMPSD && x86->opcode[0] == 0xa7)
		rule = upcs_x86_rule[X86_INS_CMPSQ];
	else if (is_comparison(cs, &rule))
		return rule;
	else if (cs->id == X86_INS_MOVD && x86->opcode[1] == 0x7e && has_prefix(cs->bytes, cs->size, 0xf3))
		rule.memory = M_READ;
	else if (cs->id == X86_INS_XSAVEOPT64 && has_prefix(cs->bytes, cs->size, 0x66))
		rule = upcs_x86_rule[X86_INS_CLWB];
	else if (x86->opcode[0] == 0xff && (x86->modrm >> 3 & 7) == 3)
		rule = upcs_x86_rule[X86_INS_LCALL];
	else if (rule.memory == M_GATHER && (x86->modrm & 7) != 4) /* no vector register in the address */
		rule.op = X_NONE;
	else if (rule.op == X_MOVE && shape->special)
		rule.op = X_SPECIAL;
	return rule;
}

/* ---- memory ------------------------------------------------------------------------ */

static void put_memory(struct upcs_insn *insn, const struct upcs_x86_rule *rule, const cs_x86 *x86)
{
	bool fpu = rule->op >= F_FIRST, load, store;
	unsigned i, bytes;

	for (i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type != X86_OP_MEM)
			continue;
		/* A scalar operand has less than 16 bytes, even if capstone reports more. */
		bytes = rule->bytes ? rule->bytes : op->size;
		if (fpu && rule->op < F_STATE && !rule->lane)
			bytes = 8;
		load = rule->memory == M_READ || rule->memory == M_BOTH || rule->memory == M_CHANGE ||
		       rule->memory == M_PUSH || (rule->memory == M_MOVE && i > 0);
		store = rule->memory == M_WRITE || rule->memory == M_BOTH ||
			(rule->memory == M_CHANGE && i == 0) || rule->memory == M_POP ||
			(rule->memory == M_MOVE && i == 0);
		if (load)
			upcs_put_load(insn, bytes, fpu);
		if (store)
			upcs_put_store(insn, bytes, fpu);
	}
}

static void put_stack(struct upcs_insn *insn, const struct upcs_x86_rule *rule)
{
	unsigned bytes = rule->bytes ? rule->bytes : 8;

	for (; bytes; bytes -= 8) {
		if (rule->memory == M_PUSH)
			upcs_put_store(insn, 8, false);
		else
			upcs_put_load(insn, 8, false);
	}
}

/* Count all lanes of a gather or scatter. The lanes that a mask excludes are known only when the instruction
 * executes. */
static void put_lanes(struct upcs_insn *insn, const struct upcs_x86_rule *rule, unsigned widest)
{
	unsigned lanes = widest / rule->lane;

	for (; lanes; lanes--) {
		if (rule->memory == M_GATHER)
			upcs_put_load(insn, rule->lane, true);
		else
			upcs_put_store(insn, rule->lane, true);
	}
}

/* ---- operations ---------------------------------------------------------------------- */

static void put_float(struct upcs_insn *insn, const struct upcs_x86_rule *rule, unsigned widest)
{
	unsigned lanes = rule->lane ? widest / rule->lane : 1, pairs = (lanes + 1) / 2;
	bool scalar = !rule->lane;

	if (rule->twice)
		insn->tally[UPCS_FPU_OTHER_NON_STORAGE_OPS]++;
	switch ((enum upcs_x86_op)rule->op) {
	case F_ADD:
		insn->tally[scalar ? UPCS_FPU_ADD_SUB_1 : UPCS_FPU_ADD_SUB_2] += pairs;
		break;
	case F_MULT:
		insn->tally[scalar ? UPCS_FPU_MULT_1 : UPCS_FPU_MULT_2] += pairs;
		break;
	case F_FMA:
		insn->tally[scalar ? UPCS_FPU_FMA_2 : UPCS_FPU_FMA_4] += pairs;
		break;
	case F_DIV: /* there is no two-wide division */
		insn->tally[UPCS_FPU_DIV_1] += lanes;
		insn->flags |= UPCS_INSN_FAULTS;
		break;
	case F_DOT:
		insn->tally[UPCS_FPU_MULT_2] += pairs;
		insn->tally[UPCS_FPU_ADD_SUB_2] += pairs;
		break;
	default:
		insn->tally[scalar ? UPCS_FPU_OTHER_NON_STORAGE_OPS
				   : UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS] += pairs;
	}
}

static void put_frame(struct upcs_insn *insn, const cs_insn *cs)
{
	const cs_x86 *x86 = &cs->detail->x86;
	unsigned level;

	upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
	if (cs->id == X86_INS_LEAVE)
		return;
	upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
	/* The frames of the enclosing functions are copied, then the function's own is stored. */
	level = x86->op_count > 1 ? x86->operands[1].imm & 31 : 0;
	if (level)
		upcs_put_store(insn, 8, false);
	for (; level > 1; level--) {
		upcs_put_load(insn, 8, false);
		upcs_put_store(insn, 8, false);
	}
}

static void put_operation(struct upcs_insn *insn, const struct upcs_x86_rule *rule, const struct shape *shape,
			  const cs_insn *cs)
{
	switch ((enum upcs_x86_op)rule->op) {
	case X_MOVE:
	case X_LOGIC:
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		break;
	case X_ADD:
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		break;
	case X_EXTEND:
	case X_SHIFT:
		upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
		break;
	case X_COMPARE:
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		break;
	case X_TEST:
		upcs_put_i(insn, UPCS_IPIPE_LOGICAL_OPS);
		break;
	case X_CARRY:
		upcs_put_i(insn, UPCS_IPIPE_SHROTMK);
		break;
	case X_DIVIDE:
		insn->flags |= UPCS_INSN_FAULTS;
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		break;
	case X_MULDIV:
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		break;
	case X_BRANCH:
		upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
		break;
	case X_SELECT:
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		break;
	case X_SPECIAL:
	case F_STATE:
		insn->flags |= UPCS_INSN_FAULTS;
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		break;
	case X_CONTROL:
		insn->flags |= UPCS_INSN_FAULTS;
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
		break;
	case X_TLB:
		insn->flags |= UPCS_INSN_FAULTS;
		upcs_put_i(insn, UPCS_IPIPE_TLB_OPS);
		break;
	case X_DCACHE:
		insn->tally[UPCS_DCACHE_OPS]++;
		break;
	case X_XADD:
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		if (shape->memory)
			break;
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		break;
	case X_EXCHANGE:
		if (shape->memory)
			break;
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		break;
	case X_FRAME:
		put_frame(insn, cs);
		break;
	case V_MOVE:
	case V_OTHER:
		insn->tally[UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS] += (shape->widest + 15) / 16;
		break;
	default:
		put_float(insn, rule, shape->widest);
	}
}

static bool is_storage_only(const struct upcs_x86_rule *rule, const struct shape *shape)
{
	switch ((enum upcs_x86_op)rule->op) {
	case X_MOVE:
	case X_EXTEND:
	case F_MOVE:
	case V_MOVE:
		return (shape->memory && rule->memory != M_NONE) || rule->memory >= M_PUSH;
	default:
		return false;
	}
}

/* True for a string instruction with a repeat prefix. F2 and F3 both repeat any of them. */
static bool is_repeated_insn(const cs_insn *cs)
{
	switch (cs->detail->x86.opcode[0]) {
	case 0xa4: /* movs */
	case 0xa5:
	case 0xa6: /* cmps */
	case 0xa7:
	case 0xaa: /* stos */
	case 0xab:
	case 0xac: /* lods */
	case 0xad:
	case 0xae: /* scas */
	case 0xaf:
		return has_prefix(cs->bytes, cs->size, 0xf2) || has_prefix(cs->bytes, cs->size, 0xf3);
	default:
		return false;
	}
}

static uint8_t jump_flags(const cs_insn *cs)
{
	const cs_x86 *x86 = &cs->detail->x86;
	bool direct = x86->op_count && x86->operands[0].type == X86_OP_IMM;

	switch (cs->id) {
	case X86_INS_CALL:
		return direct ? UPCS_INSN_CALL : UPCS_INSN_CALL | UPCS_INSN_INDIRECT;
	case X86_INS_LCALL:
		return UPCS_INSN_CALL | UPCS_INSN_INDIRECT;
	case X86_INS_JMP:
		return direct ? 0 : UPCS_INSN_INDIRECT;
	case X86_INS_LJMP:
		return UPCS_INSN_INDIRECT;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
		return UPCS_INSN_RETURN | UPCS_INSN_INDIRECT;
	default:
		return 0;
	}
}

bool upcs_decode_x86(const struct cs_insn *cs, struct upcs_insn *insn)
{
	const cs_x86 *x86 = &cs->detail->x86;
	struct shape shape = shape_of(x86);
	struct upcs_x86_rule rule = rule_of(cs, &shape);

	if (rule.op == X_NONE)
		return false;
	switch (rule.memory) {
	case M_GATHER:
	case M_SCATTER:
		put_lanes(insn, &rule, shape.widest);
		break;
	case M_STORE:
		upcs_put_store(insn, rule.bytes, rule.op >= F_FIRST);
		break;
	case M_LOAD:
		upcs_put_load(insn, rule.bytes, rule.op >= F_FIRST);
		break;
	case M_PUSH:
	case M_POP:
		put_stack(insn, &rule);
		put_memory(insn, &rule, x86);
		break;
	default:
		put_memory(insn, &rule, x86);
	}
	if (!is_storage_only(&rule, &shape))
		put_operation(insn, &rule, &shape, cs);
	insn->flags |= jump_flags(cs);
	if (is_repeated_insn(cs))
		insn->flags |= UPCS_INSN_REPEATS;
	/* xchg with memory is atomic without a prefix. */
	if (shape.memory && (cs->id == X86_INS_XCHG || has_prefix(cs->bytes, cs->size, LOCK)))
		insn->flags |= UPCS_INSN_ATOMIC;
	return true;
}
