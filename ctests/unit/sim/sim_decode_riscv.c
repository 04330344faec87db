/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counts of RISC-V's instructions, by an assembler's words; the rules for any word; and that a
 * disassembler knows the same instructions (ctests/sim/sim_assembled.sh).
 *
 *   sim_decode_riscv --rows           the bytes of each row and its text
 *   sim_decode_riscv --words [SEED]   to standard output: all instructions of 16 bits; of 32 bits, all
 *                                     operations, and words by chance
 *   sim_decode_riscv --disassembled   from standard input: what objdump -D -M no-aliases,numeric
 *                                     made of them; prints those that count as something else
 */
#include <ctype.h>

#include "sim_decode_words.h"

/* The words are an assembler's for the text beside them. The first row of an operation is its usual one. */
static const struct row rows[] = {
	/* integers */
	{0x00558513, "addi a0, a1, 5", "j.add"},
	{0x00000513, "addi a0, zero, 0", "j.add"},
	{0xff010113, "addi sp, sp, -16", "j.add"},
	{0x00100013, "addi zero, zero, 1", "j.add"},
	{0x00058513, "addi a0, a1, 0", "j.logic"},
	{0x00000013, "addi zero, zero, 0", "j.logic"},
	{0x00058013, "addi zero, a1, 0", "j.logic"},
	{0x0055a513, "slti a0, a1, 5", "i.add"},
	{0x0015b513, "sltiu a0, a1, 1", "i.add"},
	{0xfff5c513, "xori a0, a1, -1", "j.logic"},
	{0x0055e513, "ori a0, a1, 5", "j.logic"},
	{0x0ff5f513, "andi a0, a1, 255", "j.logic"},
	{0x0005e013, "ori zero, a1, 0", "j.logic"},
	{0x00159513, "slli a0, a1, 1", "j.shift"},
	{0x03f59513, "slli a0, a1, 63", "j.shift"},
	{0x03f5d513, "srli a0, a1, 63", "j.shift"},
	{0x43f5d513, "srai a0, a1, 63", "j.shift"},
	{0x4015d513, "srai a0, a1, 1", "j.shift"},
	{0x00c58533, "add a0, a1, a2", "j.add"},
	{0x40c58533, "sub a0, a1, a2", "j.add"},
	{0x40c00533, "sub a0, zero, a2", "j.add"},
	{0x00c00533, "add a0, zero, a2", "j.logic"},
	{0x00058533, "add a0, a1, zero", "j.logic"},
	{0x00c59533, "sll a0, a1, a2", "j.shift"},
	{0x00c5d533, "srl a0, a1, a2", "j.shift"},
	{0x40c5d533, "sra a0, a1, a2", "j.shift"},
	{0x00c5a533, "slt a0, a1, a2", "i.add"},
	{0x00c03533, "sltu a0, zero, a2", "i.add"},
	{0x00c5c533, "xor a0, a1, a2", "j.logic"},
	{0x00c5e533, "or a0, a1, a2", "j.logic"},
	{0x00c5f533, "and a0, a1, a2", "j.logic"},
	{0x0055851b, "addiw a0, a1, 5", "j.add"},
	{0x00c5853b, "addw a0, a1, a2", "j.add"},
	{0x40c5853b, "subw a0, a1, a2", "j.add"},
	{0x0005853b, "addw a0, a1, zero", "j.add"},
	{0x0005851b, "addiw a0, a1, 0", "j.shift"},
	{0x01f5951b, "slliw a0, a1, 31", "j.shift"},
	{0x01f5d51b, "srliw a0, a1, 31", "j.shift"},
	{0x41f5d51b, "sraiw a0, a1, 31", "j.shift"},
	{0x00c5953b, "sllw a0, a1, a2", "j.shift"},
	{0x00c5d53b, "srlw a0, a1, a2", "j.shift"},
	{0x40c5d53b, "sraw a0, a1, a2", "j.shift"},
	{0x12345537, "lui a0, 0x12345", "j.add"},
	{0x12345517, "auipc a0, 0x12345", "j.add"},
	{0x02c58533, "mul a0, a1, a2", "i.mul"},
	{0x02c59533, "mulh a0, a1, a2", "i.mul"},
	{0x02c5a533, "mulhsu a0, a1, a2", "i.mul"},
	{0x02c5b533, "mulhu a0, a1, a2", "i.mul"},
	{0x02c5c533, "div a0, a1, a2", "i.mul"},
	{0x02c5d533, "divu a0, a1, a2", "i.mul"},
	{0x02c5e533, "rem a0, a1, a2", "i.mul"},
	{0x02c5f533, "remu a0, a1, a2", "i.mul"},
	{0x02c5853b, "mulw a0, a1, a2", "i.mul"},
	{0x02c5c53b, "divw a0, a1, a2", "i.mul"},
	{0x02c5d53b, "divuw a0, a1, a2", "i.mul"},
	{0x02c5e53b, "remw a0, a1, a2", "i.mul"},
	{0x02c5f53b, "remuw a0, a1, a2", "i.mul"},

	/* branches, the machine */
	{0x00b50063, "beq a0, a1, .", "i.add i.branch"},
	{0x00b51063, "bne a0, a1, .", "i.add i.branch"},
	{0x00b54063, "blt a0, a1, .", "i.add i.branch"},
	{0x00b55063, "bge a0, a1, .", "i.add i.branch"},
	{0x00b56063, "bltu a0, a1, .", "i.add i.branch"},
	{0x00b57063, "bgeu a0, a1, .", "i.add i.branch"},
	{0x7e051fe3, "bne a0, zero, .+4094", "i.add i.branch"},
	{0x80b05063, "bge zero, a1, .-4096", "i.add i.branch"},
	{0x000000ef, "jal ra, .", "i.branch call"},
	{0x7ffff2ef, "jal t0, .+0xffffe", "i.branch call"},
	{0x8000006f, "jal zero, .-0x100000", "i.branch"},
	{0x0000036f, "jal t1, .", "i.branch"},
	{0x0000016f, "jal sp, .", "i.branch"},
	{0x000500e7, "jalr ra, 0(a0)", "i.branch call indirect"},
	{0x004502e7, "jalr t0, 4(a0)", "i.branch call indirect"},
	{0x000080e7, "jalr ra, 0(ra)", "i.branch call indirect"},
	{0x000280e7, "jalr ra, 0(t0)", "i.branch call indirect"},
	{0x000082e7, "jalr t0, 0(ra)", "i.branch call indirect"},
	{0x00008067, "jalr zero, 0(ra)", "i.branch return indirect"},
	{0x00028067, "jalr zero, 0(t0)", "i.branch return indirect"},
	{0x00008367, "jalr t1, 0(ra)", "i.branch return indirect"},
	{0x00808067, "jalr zero, 8(ra)", "i.branch return indirect"},
	{0x00050067, "jalr zero, 0(a0)", "i.branch indirect"},
	{0x000e0367, "jalr t1, 0(t3)", "i.branch indirect"},
	{0x00050567, "jalr a0, 0(a0)", "i.branch indirect"},
	{0x0330000f, "fence rw, rw", "i.process"},
	{0x8330000f, "fence.tso", "i.process"},
	{0x0840000f, "fence i, o", "i.process"},
	{0x0100000f, ".word 0x0100000f # pause", "i.process"},
	{0x0000100f, "fence.i", "i.process"},
	{0x8ff5850f, ".word 0x8ff5850f # fence, of reserved bits", "i.process"},
	{0x8ff5950f, ".word 0x8ff5950f # fence.i, of ignored bits", "i.process"},
	{0x00000073, "ecall", "i.process"},
	{0x00100073, "ebreak", "i.process faults"},
	{0x10200073, "sret", "i.process faults"},
	{0x30200073, "mret", "i.process faults"},
	{0x10500073, "wfi", "i.process faults"},
	{0x12000073, "sfence.vma zero, zero", "i.tlb faults"},
	{0x12b50073, "sfence.vma a0, a1", "i.tlb faults"},
	{0x00302573, "csrrs a0, fcsr, zero", "i.other"},
	{0x00159573, "csrrw a0, fflags, a1", "i.other"},
	{0x0020d073, "csrrwi zero, frm, 1", "i.other"},
	{0x001ff573, "csrrci a0, fflags, 31", "i.other"},
	{0x00306573, "csrrsi a0, fcsr, 0", "i.other"},
	{0x0025b573, "csrrc a0, frm, a1", "i.other"},
	{0xc0002573, "csrrs a0, cycle, zero", "i.other faults"},
	{0xc0102573, "csrrs a0, time, zero", "i.other faults"},
	{0xc0202573, "csrrs a0, instret, zero", "i.other faults"},
	{0xc0001073, "csrrw zero, cycle, zero", "i.other faults"},
	{0x10059573, "csrrw a0, sstatus, a1", "i.other faults"},
	{0x00402573, "csrrs a0, 4, zero", "i.other faults"},
	{0x00002573, "csrrs a0, 0, zero", "i.other faults"},
	{0xf145b573, "csrrc a0, mhartid, a1", "i.other faults"},

	/* loads and stores */
	{0x00458503, "lb a0, 4(a1)", "load"},
	{0x00459503, "lh a0, 4(a1)", "load"},
	{0x0045a503, "lw a0, 4(a1)", "load"},
	{0x0045b503, "ld a0, 4(a1)", "load"},
	{0x0045c503, "lbu a0, 4(a1)", "load"},
	{0x0045d503, "lhu a0, 4(a1)", "load"},
	{0x0045e503, "lwu a0, 4(a1)", "load"},
	{0x8005a003, "lw zero, -2048(a1)", "load"},
	{0x00a58223, "sb a0, 4(a1)", "store"},
	{0x00a59223, "sh a0, 4(a1)", "store"},
	{0x00a5a223, "sw a0, 4(a1)", "store"},
	{0x00a5b223, "sd a0, 4(a1)", "store"},
	{0x7e013fa3, "sd zero, 2047(sp)", "store"},
	{0x0045a507, "flw fa0, 4(a1)", "f.load"},
	{0x0085b507, "fld fa0, 8(a1)", "f.load"},
	{0x00a5a227, "fsw fa0, 4(a1)", "f.store"},
	{0x00a5b427, "fsd fa0, 8(a1)", "f.store"},
	{0x1005a52f, "lr.w a0, (a1)", "load"},
	{0x1005b52f, "lr.d a0, (a1)", "load"},
	{0x1405a52f, "lr.w.aq a0, (a1)", "load"},
	{0x1605b52f, "lr.d.aqrl a0, (a1)", "load"},
	{0x18c5a52f, "sc.w a0, a2, (a1)", "store"},
	{0x18c5b52f, "sc.d a0, a2, (a1)", "store"},
	{0x1ac5a52f, "sc.w.rl a0, a2, (a1)", "store"},
	{0x1ec5b52f, "sc.d.aqrl a0, a2, (a1)", "store"},
	{0x08c5a52f, "amoswap.w a0, a2, (a1)", "load store"},
	{0x00c5a52f, "amoadd.w a0, a2, (a1)", "load j.add store"},
	{0x20c5a52f, "amoxor.w a0, a2, (a1)", "load j.logic store"},
	{0x60c5a52f, "amoand.w a0, a2, (a1)", "load j.logic store"},
	{0x40c5a52f, "amoor.w a0, a2, (a1)", "load j.logic store"},
	{0x80c5a52f, "amomin.w a0, a2, (a1)", "load i.add store"},
	{0xa0c5a52f, "amomax.w a0, a2, (a1)", "load i.add store"},
	{0xc0c5a52f, "amominu.w a0, a2, (a1)", "load i.add store"},
	{0xe0c5a52f, "amomaxu.w a0, a2, (a1)", "load i.add store"},
	{0x08c5b52f, "amoswap.d a0, a2, (a1)", "load store"},
	{0x00c5b52f, "amoadd.d a0, a2, (a1)", "load j.add store"},
	{0x20c5b52f, "amoxor.d a0, a2, (a1)", "load j.logic store"},
	{0x60c5b52f, "amoand.d a0, a2, (a1)", "load j.logic store"},
	{0x40c5b52f, "amoor.d a0, a2, (a1)", "load j.logic store"},
	{0x80c5b52f, "amomin.d a0, a2, (a1)", "load i.add store"},
	{0xa0c5b52f, "amomax.d a0, a2, (a1)", "load i.add store"},
	{0xc0c5b52f, "amominu.d a0, a2, (a1)", "load i.add store"},
	{0xe0c5b52f, "amomaxu.d a0, a2, (a1)", "load i.add store"},
	{0x0cc5a02f, "amoswap.w.aq zero, a2, (a1)", "load store"},
	{0x46c5b52f, "amoor.d.aqrl a0, a2, (a1)", "load j.logic store"},
	{0x02c5a52f, "amoadd.w.rl a0, a2, (a1)", "load j.add store"},

	/* floating point */
	{0x00c5f553, "fadd.s fa0, fa1, fa2", "add1"},
	{0x08c5f553, "fsub.s fa0, fa1, fa2", "add1"},
	{0x10c5f553, "fmul.s fa0, fa1, fa2", "mul1"},
	{0x18c5f553, "fdiv.s fa0, fa1, fa2", "div1"},
	{0x68c5f543, "fmadd.s fa0, fa1, fa2, fa3", "fma2"},
	{0x68c5f547, "fmsub.s fa0, fa1, fa2, fa3", "fma2"},
	{0x68c5f54b, "fnmsub.s fa0, fa1, fa2, fa3", "fma2"},
	{0x68c5f54f, "fnmadd.s fa0, fa1, fa2, fa3", "fma2"},
	{0x5805f553, "fsqrt.s fa0, fa1", "other1"},
	{0x20c58553, "fsgnj.s fa0, fa1, fa2", "other1"},
	{0x20c59553, "fsgnjn.s fa0, fa1, fa2", "other1"},
	{0x20c5a553, "fsgnjx.s fa0, fa1, fa2", "other1"},
	{0x28c58553, "fmin.s fa0, fa1, fa2", "other1"},
	{0x28c59553, "fmax.s fa0, fa1, fa2", "other1"},
	{0xa0c5a553, "feq.s a0, fa1, fa2", "other1"},
	{0xa0c59553, "flt.s a0, fa1, fa2", "other1"},
	{0xa0c58553, "fle.s a0, fa1, fa2", "other1"},
	{0xe0059553, "fclass.s a0, fa1", "other1"},
	{0xc0059553, "fcvt.w.s a0, fa1, rtz", "other1"},
	{0xd005f553, "fcvt.s.w fa0, a1", "other1"},
	{0xc0159553, "fcvt.wu.s a0, fa1, rtz", "other1"},
	{0xd015f553, "fcvt.s.wu fa0, a1", "other1"},
	{0xc0259553, "fcvt.l.s a0, fa1, rtz", "other1"},
	{0xd025f553, "fcvt.s.l fa0, a1", "other1"},
	{0xc0359553, "fcvt.lu.s a0, fa1, rtz", "other1"},
	{0xd035f553, "fcvt.s.lu fa0, a1", "other1"},
	{0x02c5f553, "fadd.d fa0, fa1, fa2", "add1"},
	{0x0ac5f553, "fsub.d fa0, fa1, fa2", "add1"},
	{0x12c5f553, "fmul.d fa0, fa1, fa2", "mul1"},
	{0x1ac5f553, "fdiv.d fa0, fa1, fa2", "div1"},
	{0x6ac5f543, "fmadd.d fa0, fa1, fa2, fa3", "fma2"},
	{0x6ac5f547, "fmsub.d fa0, fa1, fa2, fa3", "fma2"},
	{0x6ac5f54b, "fnmsub.d fa0, fa1, fa2, fa3", "fma2"},
	{0x6ac5f54f, "fnmadd.d fa0, fa1, fa2, fa3", "fma2"},
	{0x5a05f553, "fsqrt.d fa0, fa1", "other1"},
	{0x22c58553, "fsgnj.d fa0, fa1, fa2", "other1"},
	{0x22c59553, "fsgnjn.d fa0, fa1, fa2", "other1"},
	{0x22c5a553, "fsgnjx.d fa0, fa1, fa2", "other1"},
	{0x2ac58553, "fmin.d fa0, fa1, fa2", "other1"},
	{0x2ac59553, "fmax.d fa0, fa1, fa2", "other1"},
	{0xa2c5a553, "feq.d a0, fa1, fa2", "other1"},
	{0xa2c59553, "flt.d a0, fa1, fa2", "other1"},
	{0xa2c58553, "fle.d a0, fa1, fa2", "other1"},
	{0xe2059553, "fclass.d a0, fa1", "other1"},
	{0xc2059553, "fcvt.w.d a0, fa1, rtz", "other1"},
	{0xd2058553, "fcvt.d.w fa0, a1", "other1"},
	{0xc2159553, "fcvt.wu.d a0, fa1, rtz", "other1"},
	{0xd2158553, "fcvt.d.wu fa0, a1", "other1"},
	{0xc2259553, "fcvt.l.d a0, fa1, rtz", "other1"},
	{0xd225f553, "fcvt.d.l fa0, a1", "other1"},
	{0xc2359553, "fcvt.lu.d a0, fa1, rtz", "other1"},
	{0xd235f553, "fcvt.d.lu fa0, a1", "other1"},
	{0xe0058553, "fmv.x.w a0, fa1", "other1"},
	{0xe2058553, "fmv.x.d a0, fa1", "other1"},
	{0xf0058553, "fmv.w.x fa0, a1", "other1"},
	{0xf2058553, "fmv.d.x fa0, a1", "other1"},
	{0x4015f553, "fcvt.s.d fa0, fa1", "other1"},
	{0x42058553, "fcvt.d.s fa0, fa1", "other1"},
	{0x22b58553, "fsgnj.d fa0, fa1, fa1", "other1"},
	{0x02c58553, "fadd.d fa0, fa1, fa2, rne", "add1"},
	{0x08c5c553, "fsub.s fa0, fa1, fa2, rmm", "add1"},
	{0x6ac5b543, "fmadd.d fa0, fa1, fa2, fa3, rup", "fma2"},
	{0x68c5a54b, "fnmsub.s fa0, fa1, fa2, fa3, rdn", "fma2"},

	/* of 16 bits */
	{0x0048, "c.addi4spn a0, sp, 4", "j.add"},
	{0x0505, "c.addi a0, 1", "j.add"},
	{0x1501, "c.addi a0, -32", "j.add"},
	{0x713d, "c.addi16sp sp, -32", "j.add"},
	{0x4501, "c.li a0, 0", "j.add"},
	{0x4015, "c.li zero, 5", "j.add"},
	{0x6505, "c.lui a0, 1", "j.add"},
	{0x6009, "c.lui zero, 2", "j.add"},
	{0x952e, "c.add a0, a1", "j.add"},
	{0x8d0d, "c.sub a0, a1", "j.add"},
	{0x9d0d, "c.subw a0, a1", "j.add"},
	{0x9d2d, "c.addw a0, a1", "j.add"},
	{0x2505, "c.addiw a0, 1", "j.add"},
	{0x0015, "c.nop 5", "j.add"},
	{0x0001, "c.nop", "j.logic"},
	{0x0501, "c.addi a0, 0", "j.logic"},
	{0x852e, "c.mv a0, a1", "j.logic"},
	{0x802e, "c.mv zero, a1", "j.logic"},
	{0x902e, "c.add zero, a1", "j.logic"},
	{0x8d2d, "c.xor a0, a1", "j.logic"},
	{0x8d4d, "c.or a0, a1", "j.logic"},
	{0x8d6d, "c.and a0, a1", "j.logic"},
	{0x8901, "c.andi a0, 0", "j.logic"},
	{0x997d, "c.andi a0, -1", "j.logic"},
	{0x2501, "c.addiw a0, 0", "j.shift"},
	{0x0506, "c.slli a0, 1", "j.shift"},
	{0x157e, "c.slli a0, 63", "j.shift"},
	{0x8105, "c.srli a0, 1", "j.shift"},
	{0x957d, "c.srai a0, 63", "j.shift"},
	{0x0502, ".hword 0x0502 # c.slli64 a0", "j.shift"},
	{0x8101, ".hword 0x8101 # c.srli64 a0", "j.shift"},
	{0x8501, ".hword 0x8501 # c.srai64 a0", "j.shift"},
	{0x0006, ".hword 0x0006 # c.slli zero, 1", "j.shift"},
	{0xa001, "c.j .", "i.branch"},
	{0xc101, "c.beqz a0, .", "i.add i.branch"},
	{0xe101, "c.bnez a0, .", "i.add i.branch"},
	{0x8082, "c.jr ra", "i.branch return indirect"},
	{0x8282, "c.jr t0", "i.branch return indirect"},
	{0x8502, "c.jr a0", "i.branch indirect"},
	{0x8302, "c.jr t1", "i.branch indirect"},
	{0x9502, "c.jalr a0", "i.branch call indirect"},
	{0x9082, "c.jalr ra", "i.branch call indirect"},
	{0x9282, "c.jalr t0", "i.branch call indirect"},
	{0x9002, "c.ebreak", "i.process faults"},
	{0x0000, "c.unimp", "i.process faults"},
	{0x41c8, "c.lw a0, 4(a1)", "load"},
	{0x6588, "c.ld a0, 8(a1)", "load"},
	{0x4512, "c.lwsp a0, 4(sp)", "load"},
	{0x6522, "c.ldsp a0, 8(sp)", "load"},
	{0xc1c8, "c.sw a0, 4(a1)", "store"},
	{0xe588, "c.sd a0, 8(a1)", "store"},
	{0xc22a, "c.swsp a0, 4(sp)", "store"},
	{0xe402, "c.sdsp zero, 8(sp)", "store"},
	{0x2588, "c.fld fa0, 8(a1)", "f.load"},
	{0x2522, "c.fldsp fa0, 8(sp)", "f.load"},
	{0x2022, "c.fldsp ft0, 8(sp)", "f.load"},
	{0xa588, "c.fsd fa0, 8(a1)", "f.store"},
	{0xa42a, "c.fsdsp fa0, 8(sp)", "f.store"},

	/* not known: reserved, other extensions */
	{0xffffffff, ".word 0xffffffff # all ones", "unknown"},
	{0x00007003, ".word 0x00007003 # load of funct3 7", "unknown"},
	{0x00007023, ".word 0x00007023 # store of 16 bytes", "unknown"},
	{0x02c5d553, ".word 0x02c5d553 # fadd.d, rounding 5", "unknown"},
	{0x02c5e553, ".word 0x02c5e553 # fadd.d, rounding 6", "unknown"},
	{0x6ac5d543, ".word 0x6ac5d543 # fmadd.d, rounding 5", "unknown"},
	{0x06c5f553, ".word 0x06c5f553 # fadd.q", "unknown"},
	{0x04c5f553, ".word 0x04c5f553 # fadd.h: fmt 2", "unknown"},
	{0x0085e507, ".word 0x0085e507 # flq", "unknown"},
	{0x00859507, ".word 0x00859507 # flh", "unknown"},
	{0x0205f507, ".word 0x0205f507 # vle64.v", "unknown"},
	{0x0af57057, ".word 0x0af57057 # vector", "unknown"},
	{0x20b52533, ".word 0x20b52533 # sh1add a0, a0, a1: Zba", "unknown"},
	{0x40b57533, ".word 0x40b57533 # andn a0, a0, a1: Zbb", "unknown"},
	{0x60051513, ".word 0x60051513 # clz a0, a0: Zbb", "unknown"},
	{0x0ac5d533, ".word 0x0ac5d533 # minu: Zbb", "unknown"},
	{0x0ac59533, ".word 0x0ac59533 # funct7 5", "unknown"},
	{0x1015a52f, ".word 0x1015a52f # lr.w with rs2", "unknown"},
	{0x1005952f, ".word 0x1005952f # lr.h", "unknown"},
	{0x0005a50b, ".word 0x0005a50b # custom-0", "unknown"},
	{0x2802a52f, ".word 0x2802a52f # funct5 5, amocas.w", "unknown"},
	{0x00200073, ".word 0x00200073 # uret", "unknown"},
	{0x7b200073, ".word 0x7b200073 # dret", "unknown"},
	{0x12000573, ".word 0x12000573 # sfence.vma with rd", "unknown"},
	{0x00004073, ".word 0x00004073 # system, funct3 4", "unknown"},
	{0x00001067, ".word 0x00001067 # jalr, funct3 1", "unknown"},
	{0x00003063, ".word 0x00003063 # branch, funct3 3", "unknown"},
	{0x06c5f543, ".word 0x06c5f543 # fmadd.q", "unknown"},
	{0x00002063, ".word 0x00002063 # branch, funct3 2", "unknown"},
	{0x0000200f, ".word 0x0000200f # cbo.inval", "unknown"},
	{0x0000301b, ".word 0x0000301b # op-imm-32, funct3 3", "unknown"},
	{0x84005513, ".word 0x84005513 # shift, bit 31", "unknown"},
	{0x0205151b, ".word 0x0205151b # slliw of 32", "unknown"},
	{0x02c5953b, ".word 0x02c5953b # mulhw", "unknown"},
	{0x5815f553, ".word 0x5815f553 # fsqrt.s with rs2", "unknown"},
	{0x4005f553, ".word 0x4005f553 # fcvt.s.s", "unknown"},
	{0xc045f553, ".word 0xc045f553 # fcvt to 4", "unknown"},
	{0xe005a553, ".word 0xe005a553 # fmv.x.w, funct3 2", "unknown"},
	{0xf0059553, ".word 0xf0059553 # fmv.w.x, funct3 1", "unknown"},
	{0x28c5a553, ".word 0x28c5a553 # fmin.s, funct3 2", "unknown"},
	{0xa0c5b553, ".word 0xa0c5b553 # feq.s, funct3 3", "unknown"},
	{0x20c5b553, ".word 0x20c5b553 # fsgnj.s, funct3 3", "unknown"},
	{0x0000001f, ".word 0x0000001f # of 48 bits", "unknown"},
	{0x0000007f, ".word 0x0000007f # of more", "unknown"},
	{0x0004, ".hword 0x0004 # c.addi4spn of 0", "unknown"},
	{0x8000, ".hword 0x8000 # quadrant 0, funct3 4", "unknown"},
	{0x2001, ".hword 0x2001 # c.addiw zero", "unknown"},
	{0x6101, ".hword 0x6101 # c.addi16sp of 0", "unknown"},
	{0x6501, ".hword 0x6501 # c.lui of 0", "unknown"},
	{0x9c41, ".hword 0x9c41 # c.subw's neighbour", "unknown"},
	{0x9c61, ".hword 0x9c61 # the next", "unknown"},
	{0x4002, ".hword 0x4002 # c.lwsp zero", "unknown"},
	{0x6002, ".hword 0x6002 # c.ldsp zero", "unknown"},
	{0x8002, ".hword 0x8002 # c.jr zero", "unknown"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool is_short(uint32_t word)
{
	return (word & 3) != 3;
}

/* With the length that it has, whatever others have. */
static void decode(uint32_t word, size_t n, struct upcs_insn *insn)
{
	(void)n;
	upcs_decode_riscv(word, is_short(word) ? 2 : 4, insn);
}

TEST(test_rows)
{
	check_rows(rows, ROWS, decode);
}

TEST(test_any_word)
{
	check_any_word(decode);
}

/* How long an instruction is stands in its first bits: one of another length is none. */
TEST(test_length)
{
	struct upcs_insn insn = {0};
	size_t i;

	for (i = 0; i < ROWS; i++) {
		insn = (struct upcs_insn){0};
		upcs_decode_riscv(rows[i].word, is_short(rows[i].word) ? 4 : 2, &insn);
		assert_int_equal(insn.tally[UPCS_UNKNOWN], 1);
	}
}

/* ---- for an assembler ------------------------------------------------------------------ */

static void print_riscv_rows(void)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (is_short(rows[i].word))
			printf("%04x .option rvc; %s\n", __builtin_bswap16((uint16_t)rows[i].word),
			       rows[i].text);
		else
			printf("%08x .option norvc; %s\n", __builtin_bswap32(rows[i].word), rows[i].text);
}

/* ---- for a disassembler ----------------------------------------------------------------- */

static void write_word(uint32_t word)
{
	fwrite(&word, is_short(word) ? 2 : 4, 1, stdout);
}

/* Those that begin as longer ones do would take what follows them. */
static void write_whole(uint32_t word)
{
	if ((word & 0x1c) != 0x1c)
		write_word(word | 3);
}

static int write_words(uint64_t random)
{
	uint32_t i, k;

	for (i = 0; i < 0x10000; i++)
		if (is_short(i))
			write_word(i);
	/* The operation is in bits 6 to 2, 14 to 12, 31 to 25, and in what else is rs2 or a rounding mode. */
	for (i = 0; i < 0x8000; i++)
		for (k = 0; k < 32; k++)
			write_whole((i & 31) << 2 | (i >> 5 & 7) << 12 | i >> 8 << 25 | k << 20 | 11 << 15 |
				    10 << 7);
	/* The other registers. */
	for (i = 0; i < 0x8000; i++)
		write_whole((i & 31) << 2 | i >> 5 << 15 | 3 << 7);
	for (i = 0; i < 0x8000; i++)
		write_whole((i & 31) << 2 | (i >> 5 & 31) << 7 | i >> 10 << 15);
	for (i = 0; i < 0x40000; i++)
		write_whole((uint32_t)random_next(&random));
	return fflush(stdout) ? 1 : 0;
}

#define OPERANDS 6u

struct line {
	uint32_t word;
	char name[32], operand[OPERANDS][32];
};

/* False: no line of an instruction. */
static bool parse_line(const char *text, struct line *line)
{
	char operands[128] = "", *colon = strchr(text, ':'), *save, *word;
	unsigned n = 0;

	memset(line, 0, sizeof(*line));
	if (!colon || !isspace((unsigned char)*text) ||
	    sscanf(colon + 1, " %x %31s %127[^\n]", &line->word, line->name, operands) < 2)
		return false;
	save = strrchr(line->name, '.');
	if (save && (!strcmp(save, ".aq") || !strcmp(save, ".rl") || !strcmp(save, ".aqrl")))
		*save = '\0'; /* in which order others see it */
	for (word = strtok_r(operands, ",() \t", &save); word && n < OPERANDS;
	     word = strtok_r(NULL, ",() \t", &save))
		snprintf(line->operand[n++], sizeof(line->operand[0]), "%s", word);
	return true;
}

static bool is(const struct line *line, unsigned operand, const char *text)
{
	return !strcmp(line->operand[operand], text);
}

static bool is_link(const struct line *line, unsigned operand)
{
	return is(line, operand, "x1") || is(line, operand, "x5");
}

/* The counts of a line where its operands decide them. NULL: those of the operation's first row. */
static const char *by_operands(const struct line *line)
{
	const char *name = line->name;

	if (!strcmp(name, "addi") && is(line, 2, "0") && (!is(line, 1, "x0") || is(line, 0, "x0")))
		return "j.logic";
	if (!strcmp(name, "c.addi") && is(line, 1, "0"))
		return "j.logic";
	if (!strcmp(name, "c.li") && is(line, 0, "x0") && is(line, 1, "0")) /* a nop */
		return "j.logic";
	if (!strcmp(name, "c.nop") && !is(line, 0, "") && !is(line, 0, "0"))
		return "j.add";
	if (!strcmp(name, "add") && (is(line, 1, "x0") || is(line, 2, "x0")))
		return "j.logic";
	if (!strcmp(name, "c.add") && is(line, 0, "x0"))
		return "j.logic";
	if ((!strcmp(name, "addiw") && is(line, 2, "0")) || (!strcmp(name, "c.addiw") && is(line, 1, "0")))
		return "j.shift";
	if (!strcmp(name, "c.slli64") || !strcmp(name, "c.srli64") || !strcmp(name, "c.srai64"))
		return "j.shift"; /* of 0 */
	if (!strcmp(name, "jal"))
		return is_link(line, 0) ? "i.branch call" : "i.branch";
	if (!strcmp(name, "jalr")) { /* rd, offset(rs1) */
		if (is_link(line, 0))
			return "i.branch call indirect";
		return is_link(line, 2) ? "i.branch return indirect" : "i.branch indirect";
	}
	if (!strcmp(name, "c.jr"))
		return is_link(line, 0) ? "i.branch return indirect" : "i.branch indirect";
	if (!strncmp(name, "csr", 3))
		return is(line, 1, "fflags") || is(line, 1, "frm") || is(line, 1, "fcsr") ? "i.other"
											  : "i.other faults";
	return NULL;
}

/*
 * Where the two differ, and the manual says what we do: rounding modes that are reserved, and those of
 * conversions that are exact; additions of 0 to the stack pointer, which are reserved; returns of user-level
 * interrupts and of the debugger, which are in no table; bits of fences that are ignored.
 */
static const char *by_manual(const struct line *line)
{
	static const uint32_t exact[] = {0x42000053, 0xd2000053, 0xd2100053}; /* fcvt.d.s, .d.w, .d.wu */
	unsigned i, mode = line->word >> 12 & 7;

	if ((line->word & 0x607f) == 0x000f)
		return "i.process";
	for (i = 0; i < OPERANDS; i++)
		if (is(line, i, "unknown"))
			return "unknown";
	for (i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		if ((line->word & 0xfff0007f) == exact[i] && mode != 5 && mode != 6)
			return "other1";
	if (!strcmp(line->name, "c.addi16sp") && is(line, 1, "0"))
		return "unknown";
	if (!strcmp(line->name, "uret") || !strcmp(line->name, "hret") || !strcmp(line->name, "dret"))
		return "unknown";
	return line->name[0] == '.' ? "unknown" : NULL;
}

static const char *counts_of(const struct line *line)
{
	const char *counts = by_manual(line);
	size_t i, length = strlen(line->name);

	if (!counts)
		counts = by_operands(line);
	for (i = 0; !counts && i < ROWS; i++)
		if (!strncmp(rows[i].text, line->name, length) && strchr(" ", rows[i].text[length]))
			counts = rows[i].counts;
	return counts;
}

static int compare_disassembled(void)
{
	char text[256];
	unsigned long lines = 0, wrong = 0;
	struct line line;

	while (fgets(text, sizeof(text), stdin)) {
		struct upcs_insn expected = {.tally[UPCS_INSTRUCTIONS] = 1}, insn = expected;
		const char *counts;

		if (!parse_line(text, &line))
			continue;
		lines++;
		counts = counts_of(&line);
		decode(line.word, 0, &insn);
		if (counts)
			row_parse(&expected, counts);
		if (counts && !memcmp(&insn, &expected, sizeof(insn)))
			continue;
		if (wrong++ < 40)
			printf("not \"%s\": %s", counts ? counts : "in any row", text);
	}
	printf("%lu of %lu instructions are of another class\n", wrong, lines);
	return wrong || lines < 1000000;
}

UNIT_MAIN(sim_decode_riscv)
{
	if (argc > 1 && !strcmp(argv[1], "--rows")) {
		print_riscv_rows();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--words"))
		return write_words(argc > 2 ? strtoull(argv[2], NULL, 10) : 22);
	if (argc > 1 && !strcmp(argv[1], "--disassembled"))
		return compare_disassembled();
	return run_own_tests(NULL, NULL);
}
