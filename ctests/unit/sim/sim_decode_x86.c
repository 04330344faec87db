/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_decode_x86 - what x86-64 instructions tally, rule by rule: bytes as GNU as makes them
 * (ctests/sim/sim_assembled.sh; not of text in parentheses), and expectations in words. Which way memory goes
 * and how wide was compared with what QEMU's memory callbacks see (doc/reference/CLASSES.md).
 */
#include "../unit_test.h"

#include "decode/decode.h"
#include "decode/decode_x86.h"

/* A word is a tally or two, or a flag; word*n is n of them. */
static const struct {
	const char *word;
	int tally[3]; /* ended by -1 */
	uint8_t flags;
} words[] = {
	{"add", {UPCS_JPIPE_INSTRUCTIONS, UPCS_JPIPE_ADD_SUB, -1}, 0},
	{"log", {UPCS_JPIPE_INSTRUCTIONS, UPCS_JPIPE_LOGICAL_OPS, -1}, 0},
	{"shr", {UPCS_JPIPE_INSTRUCTIONS, UPCS_JPIPE_SHROTMK, -1}, 0},
	{"cmp", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_ADD_SUB, -1}, 0},
	{"test", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_LOGICAL_OPS, -1}, 0},
	{"carry", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_SHROTMK, -1}, 0},
	{"mul", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_MULT_DIV, -1}, 0},
	{"branch", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_BRANCHES, -1}, 0},
	{"tlb", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_TLB_OPS, -1}, 0},
	{"control", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_PROCESS_CONTROL, -1}, 0},
	{"other", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_OTHER, -1}, 0},
	{"dcache", {UPCS_DCACHE_OPS, -1}, 0},
	{"ld", {UPCS_DATA_LOADS, -1}, UPCS_INSN_FAULTS},
	{"st", {UPCS_DATA_STORES, -1}, UPCS_INSN_FAULTS},
	{"ldo", {UPCS_DATA_LOADS, UPCS_FPU_OTHER_LOADS, -1}, UPCS_INSN_FAULTS},
	{"ldq", {UPCS_DATA_LOADS, UPCS_FPU_QUADWORD_LOADS, -1}, UPCS_INSN_FAULTS},
	{"sto", {UPCS_DATA_STORES, UPCS_FPU_OTHER_STORES, -1}, UPCS_INSN_FAULTS},
	{"stq", {UPCS_DATA_STORES, UPCS_FPU_QUADWORD_STORES, -1}, UPCS_INSN_FAULTS},
	{"fadd", {UPCS_FPU_ADD_SUB_1, -1}, 0},
	{"fmul", {UPCS_FPU_MULT_1, -1}, 0},
	{"fma", {UPCS_FPU_FMA_2, -1}, 0},
	{"fdiv", {UPCS_FPU_DIV_1, -1}, 0},
	{"fother", {UPCS_FPU_OTHER_NON_STORAGE_OPS, -1}, 0},
	{"fadd2", {UPCS_FPU_ADD_SUB_2, -1}, 0},
	{"fmul2", {UPCS_FPU_MULT_2, -1}, 0},
	{"fma4", {UPCS_FPU_FMA_4, -1}, 0},
	{"dual", {UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS, -1}, 0},
	{"call", {-1}, UPCS_INSN_CALL},
	{"return", {-1}, UPCS_INSN_RETURN},
	{"indirect", {-1}, UPCS_INSN_INDIRECT},
	{"faults", {-1}, UPCS_INSN_FAULTS},
	{"unknown", {UPCS_UNKNOWN, -1}, UPCS_INSN_UNKNOWN},
	{"repeats", {-1}, UPCS_INSN_REPEATS},
	{"atomic", {-1}, UPCS_INSN_ATOMIC},
};

static const struct row {
	const char *bytes;
	size_t n;
	const char *text, *expected;
} rows[] = {
	/* moves */
	{"\x48\x89\xd8", 3, "mov rax, rbx", "log"},
	{"\xb8\x07\x00\x00\x00", 5, "mov eax, 7", "log"},
	{"\x48\x8b\x03", 3, "mov rax, [rbx]", "ld"},
	{"\x88\x03", 2, "mov [rbx], al", "st"},
	{"\x48\xc7\x03\x05\x00\x00\x00", 7, "mov qword ptr [rbx], 5", "st"},
	{"\x48\xb8\xf0\xde\xbc\x9a\x78\x56\x34\x12", 10, "movabs rax, 0x123456789abcdef0", "log"},
	{"\xa0\x88\x77\x66\x55\x44\x33\x22\x11", 9, "movabs al, [0x1122334455667788]", "ld"},
	{"\x8e\xe0", 2, "mov fs, eax", "other faults"},
	{"\x8c\xe8", 2, "mov eax, gs", "other faults"},
	{"\x0f\x20\xc0", 3, "mov rax, cr0", "other faults"},
	{"\x0f\xb6\xc3", 3, "movzx eax, bl", "shr"},
	{"\x0f\xb6\x03", 3, "movzx eax, byte ptr [rbx]", "ld"},
	{"\x48\x63\xc3", 3, "movsxd rax, ebx", "shr"},
	{"\x48\x0f\xbf\x03", 4, "movsx rax, word ptr [rbx]", "ld"},
	{"\x48\x98", 2, "cdqe", "shr"},
	{"\x48\x99", 2, "cqo", "shr"},
	{"\x0f\x38\xf0\x03", 4, "movbe eax, [rbx]", "ld"},
	{"\x66\x0f\x38\xf1\x03", 5, "movbe [rbx], ax", "st"},
	{"\x48\x0f\xc8", 3, "bswap rax", "shr"},
	{"\x0f\xc3\x03", 3, "movnti [rbx], eax", "st"},
	{"\x48\x93", 2, "xchg rax, rbx", "log*3"},
	{"\x48\x87\x03", 3, "xchg rax, [rbx]", "ld st atomic"},
	{"\x87\x4b\x04", 3, "xchg [rbx+4], ecx", "ld st atomic"},
	{"\x48\x0f\xc1\xd8", 4, "xadd rax, rbx", "add log*2"},
	{"\xf0\x48\x0f\xc1\x03", 5, "lock xadd [rbx], rax", "ld add st atomic"},
	{"\x90", 1, "nop", "log"},
	{"\x0f\x1f\x04\x00", 4, "nop dword ptr [rax+rax*1+0]", "log"},
	{"\xf3\x0f\x1e\xfa", 4, "endbr64", "log"},
	{"\xf3\x90", 2, "pause", "control faults"},
	{"\x48\x8d\x44\x8b\x08", 5, "lea rax, [rbx+rcx*4+8]", "add"},
	{"\x48\x8d\x05\x00\x01\x00\x00", 7, "lea rax, [rip+0x100]", "add"},

	/* stack and frames */
	{"\x50", 1, "push rax", "st"},
	{"\x6a\x05", 2, "push 5", "st"},
	{"\xff\x33", 2, "push [rbx]", "ld st"},
	{"\x58", 1, "pop rax", "ld"},
	{"\x8f\x03", 2, "pop [rbx]", "ld st"},
	{"\x9c", 1, "pushfq", "st other"},
	{"\x9d", 1, "popfq", "ld other"},
	{"\x0f\xa0", 2, "push fs", "st other"},
	{"\xc8\x10\x00\x00", 4, "enter 16, 0", "st log add"},
	{"\xc8\x10\x00\x03", 4, "enter 16, 3", "st*4 ld*2 log add"},
	{"\xc9", 1, "leave", "ld log"},

	/* integer arithmetic */
	{"\x48\x01\xd8", 3, "add rax, rbx", "add"},
	{"\x48\x03\x03", 3, "add rax, [rbx]", "ld add"},
	{"\x48\x01\x03", 3, "add [rbx], rax", "ld add st"},
	{"\xf0\x83\x03\x01", 4, "lock add dword ptr [rbx], 1", "ld add st atomic"},
	{"\x48\x83\xec\x08", 4, "sub rsp, 8", "add"},
	{"\xff\x03", 2, "inc dword ptr [rbx]", "ld add st"},
	{"\xff\xc8", 2, "dec eax", "add"},
	{"\x48\xf7\xd8", 3, "neg rax", "add"},
	{"\x31\xc0", 2, "xor eax, eax", "log"},
	{"\x23\x03", 2, "and eax, [rbx]", "ld log"},
	{"\x09\x03", 2, "or [rbx], eax", "ld log st"},
	{"\x48\xf7\xd0", 3, "not rax", "log"},
	{"\xc4\xe2\x60\xf2\x01", 5, "andn eax, ebx, [rcx]", "ld log"},
	{"\xc4\xe2\x78\xf3\xcb", 5, "blsr eax, ebx", "log"},
	{"\xf3\x0f\xbc\x03", 4, "tzcnt eax, [rbx]", "ld log"},
	{"\x0f\xbc\xc3", 3, "bsf eax, ebx", "log"},
	{"\xf3\x48\x0f\xb8\xc3", 5, "popcnt rax, rbx", "log"},
	{"\xf2\x0f\x38\xf0\xc3", 5, "crc32 eax, bl", "other"},
	{"\xc1\xe0\x03", 3, "shl eax, 3", "shr"},
	{"\xd3\x3b", 2, "sar dword ptr [rbx], cl", "ld shr st"},
	{"\xd1\xc8", 2, "ror eax, 1", "shr"},
	{"\xd1\xd0", 2, "rcl eax, 1", "carry"},
	{"\x0f\xa4\xd8\x03", 4, "shld eax, ebx, 3", "shr"},
	{"\xc4\xe2\x71\xf7\x03", 5, "shlx eax, [rbx], ecx", "ld shr"},
	{"\xc4\xe3\x7b\xf0\xc3\x05", 6, "rorx eax, ebx, 5", "shr"},
	{"\xc4\xe2\x63\xf5\xc1", 5, "pdep eax, ebx, ecx", "shr"},
	{"\xc4\xe2\x70\xf7\x03", 5, "bextr eax, [rbx], ecx", "ld shr"},
	{"\x48\x39\xd8", 3, "cmp rax, rbx", "cmp"},
	{"\x39\x03", 2, "cmp [rbx], eax", "ld cmp"},
	{"\x83\x3b\x01", 3, "cmp dword ptr [rbx], 1", "ld cmp"},
	{"\x48\x11\xd8", 3, "adc rax, rbx", "cmp"},
	{"\x19\x03", 2, "sbb [rbx], eax", "ld cmp st"},
	{"\x66\x0f\x38\xf6\xc3", 5, "adcx eax, ebx", "cmp"},
	{"\xf3\x0f\x38\xf6\x03", 5, "adox eax, [rbx]", "ld cmp"},
	{"\x85\xc0", 2, "test eax, eax", "test"},
	{"\x85\x03", 2, "test [rbx], eax", "ld test"},
	{"\x0f\xba\xe0\x03", 4, "bt eax, 3", "test"},
	{"\x0f\xa3\x03", 3, "bt [rbx], eax", "ld test"},
	{"\x0f\xba\x2b\x03", 4, "bts dword ptr [rbx], 3", "ld test st"},
	{"\xf0\x0f\xb3\x03", 4, "lock btr [rbx], eax", "ld test st atomic"},
	{"\xf9", 1, "stc", "test"},
	{"\x0f\xaf\xc3", 3, "imul eax, ebx", "mul"},
	{"\x6b\x03\x05", 3, "imul eax, [rbx], 5", "ld mul"},
	{"\x48\xf7\x23", 3, "mul qword ptr [rbx]", "ld mul"},
	{"\xc4\xe2\xe3\xf6\x01", 5, "mulx rax, rbx, [rcx]", "ld mul"},
	{"\x48\xf7\xf3", 3, "div rbx", "mul faults"},
	{"\xf7\x3b", 2, "idiv dword ptr [rbx]", "ld mul"},
	{"\x0f\x94\xc0", 3, "sete al", "other"},
	{"\x0f\x9f\x03", 3, "setg [rbx]", "st other"},
	{"\x0f\x45\xc3", 3, "cmovne eax, ebx", "other"},
	{"\x0f\x4c\x03", 3, "cmovl eax, [rbx]", "ld other"},
	{"\x48\x0f\xb1\xcb", 4, "cmpxchg rbx, rcx", "cmp"},
	{"\xf0\x48\x0f\xb1\x0b", 5, "lock cmpxchg [rbx], rcx", "ld cmp st atomic"},
	{"\xf2\xf0\x0f\xb1\x0b", 5, "xacquire lock cmpxchg [rbx], ecx", "ld cmp st atomic"},
	{"\xf0\xf2\x0f\xb1\x0b", 5, "(lock xacquire cmpxchg [rbx], ecx)", "ld cmp st atomic"},
	{"\xf0\x48\x0f\xc7\x0b", 5, "lock cmpxchg16b [rbx]", "ld cmp st atomic"},

	/* strings: one iteration */
	{"\xa4", 1, "movsb", "ld st"},
	{"\xa5", 1, "movsd", "ld st"},
	{"\xf3\x48\xa5", 3, "rep movsq", "ld st repeats"},
	{"\x67\xf3\xa4", 3, "addr32 rep movsb", "ld st repeats"},
	{"\xf3\x67\xa4", 3, "(rep addr32 movsb)", "ld st repeats"},
	{"\xaa", 1, "stosb", "st"},
	{"\xf3\xab", 2, "rep stosd", "st repeats"},
	{"\x48\xad", 2, "lodsq", "ld"},
	{"\xa6", 1, "cmpsb", "ld*2 cmp"},
	{"\xa7", 1, "cmpsd", "ld*2 cmp"},
	{"\xf3\xa6", 2, "repe cmpsb", "ld*2 cmp repeats"},
	{"\xae", 1, "scasb", "ld cmp"},
	{"\xf2\xae", 2, "repne scasb", "ld cmp repeats"},
	{"\xd7", 1, "xlatb", "ld"},

	/* branches */
	{"\xeb\x0e", 2, "jmp .+16", "branch"},
	{"\x74\x0e", 2, "je .+16", "branch"},
	{"\xff\xe0", 2, "jmp rax", "branch indirect"},
	{"\xff\x20", 2, "jmp [rax]", "ld branch indirect"},
	{"\x3e\xff\xe0", 3, "notrack jmp rax", "branch indirect"},
	{"\xe8\x0b\x00\x00\x00", 5, "call .+16", "st branch call"},
	{"\xff\xd0", 2, "call rax", "st branch call indirect"},
	{"\xff\x13", 2, "call [rbx]", "ld st branch call indirect"},
	{"\xc3", 1, "ret", "ld branch return indirect"},
	{"\xc2\x08\x00", 3, "ret 8", "ld branch return indirect"},
	{"\xf3\xc3", 2, "repz ret", "ld branch return indirect"},
	{"\xcb", 1, "lret", "ld*2 branch return indirect"},
	{"\xe2\xf6", 2, "loop .-8", "branch"},
	{"\xff\x28", 2, "ljmp [rax]", "ld branch indirect"},
	{"\xff\x18", 2, "lcall [rax]", "ld st*2 branch call indirect"},
	{"\x48\xcf", 2, "iretq", "ld*5 control return indirect"},
	{"\xe3\x06", 2, "jrcxz .+8", "branch"},

	/* the machine */
	{"\x0f\x05", 2, "syscall", "control faults"},
	{"\xcc", 1, "int3", "control faults"},
	{"\x0f\x0b", 2, "ud2", "control faults"},
	{"\x67\x0f\xb9\x40\x16", 5, "ud1 eax, [eax + 22]", "control faults"},
	{"\x67\x0f\xb9", 3, "(ud1, as far as emulators read)", "control faults"},
	{"\xf4", 1, "hlt", "control faults"},
	{"\x0f\xae\xf0", 3, "mfence", "control faults"},
	{"\x0f\xa2", 2, "cpuid", "other faults"},
	{"\x0f\x31", 2, "rdtsc", "other faults"},
	{"\x0f\x01\xd0", 3, "xgetbv", "other faults"},
	{"\x0f\x01\xee", 3, "rdpkru", "other faults"},
	{"\xf3\x0f\xc7\xf8", 4, "rdpid rax", "other faults"},
	{"\xf3\x48\x0f\x1e\xc8", 5, "rdsspq rax", "log"},
	{"\x0f\x01\x38", 3, "invlpg [rax]", "tlb faults"},
	{"\x0f\x18\x08", 3, "prefetcht0 [rax]", "dcache"},
	{"\x0f\x0d\x08", 3, "prefetchw [rax]", "dcache"},
	{"\x0f\x0d\x00", 3, "prefetch [rax]", "dcache"},
	{"\x0f\xae\x38", 3, "clflush [rax]", "dcache"},
	{"\x66\x0f\xae\x30", 4, "clwb [rax]", "dcache"},
	{"\x0f\xae\x10", 3, "ldmxcsr [rax]", "ld other"},
	{"\xc5\xf8\xae\x18", 4, "vstmxcsr [rax]", "st other"},
	{"\xd9\x38", 2, "fnstcw [rax]", "st other"},
	{"\xd9\x28", 2, "fldcw [rax]", "ld other"},
	{"\xdf\xe0", 2, "fnstsw ax", "other faults"},
	{"\x9b", 1, "fwait", "control faults"},
	{"\x0f\xae\x00", 3, "fxsave [rax]", "stq*32 other"},
	{"\x0f\xae\x08", 3, "fxrstor [rax]", "ldq*32 other"},
	{"\x0f\xc7\x20", 3, "xsavec [rax]", "stq*32 other"},
	{"\xc5\xf8\x77", 3, "vzeroupper", "other faults"},

	/* x87 */
	{"\xd9\x00", 2, "fld dword ptr [rax]", "ldo"},
	{"\xdb\x28", 2, "fld tbyte ptr [rax]", "ldo"},
	{"\xd9\xc3", 2, "fld st(3)", "fother"},
	{"\xdb\x38", 2, "fstp tbyte ptr [rax]", "sto"},
	{"\xdd\x10", 2, "fst qword ptr [rax]", "sto"},
	{"\xdd\xd9", 2, "fstp st(1)", "fother"},
	{"\xdf\x00", 2, "fild word ptr [rax]", "ldo fother"},
	{"\xdf\x38", 2, "fistp qword ptr [rax]", "sto fother"},
	{"\xdb\x08", 2, "fisttp dword ptr [rax]", "sto fother"},
	{"\xd8\xc1", 2, "fadd st, st(1)", "fadd"},
	{"\xde\xc1", 2, "faddp", "fadd"},
	{"\xdc\x28", 2, "fsubr qword ptr [rax]", "ldo fadd"},
	{"\xd8\x08", 2, "fmul dword ptr [rax]", "ldo fmul"},
	{"\xde\xf9", 2, "fdivp", "fdiv faults"},
	{"\xde\x00", 2, "fiadd word ptr [rax]", "ldo fother fadd"},
	{"\xda\x30", 2, "fidiv dword ptr [rax]", "ldo fother fdiv"},
	{"\xdf\xe9", 2, "fucomip st, st(1)", "fother"},
	{"\xdc\x10", 2, "fcom qword ptr [rax]", "ldo fother"},
	{"\xd9\xc9", 2, "fxch", "fother"},
	{"\xd9\xfa", 2, "fsqrt", "fother"},
	{"\xd9\xfe", 2, "fsin", "fother"},
	{"\xd9\xe8", 2, "fld1", "fother"},
	{"\xda\xc9", 2, "fcmove st, st(1)", "fother"},

	/* scalar floating point */
	{"\xf3\x0f\x58\xc1", 4, "addss xmm0, xmm1", "fadd"},
	{"\xf2\x0f\x58\x00", 4, "addsd xmm0, [rax]", "ldo fadd"},
	{"\xc5\xf3\x5c\xc2", 4, "vsubsd xmm0, xmm1, xmm2", "fadd"},
	{"\xc5\xf2\x59\x00", 4, "vmulss xmm0, xmm1, [rax]", "ldo fmul"},
	{"\xf2\x0f\x5e\xc1", 4, "divsd xmm0, xmm1", "fdiv faults"},
	{"\xf2\x0f\x51\xc1", 4, "sqrtsd xmm0, xmm1", "fother"},
	{"\xf2\x0f\x5f\x00", 4, "maxsd xmm0, [rax]", "ldo fother"},
	{"\x66\x0f\x2e\x00", 4, "ucomisd xmm0, [rax]", "ldo fother"},
	{"\xf2\x0f\xc2\xc1\x01", 5, "cmpltsd xmm0, xmm1", "fother"},
	{"\xc5\xf2\xc2\x00\x09", 5, "vcmpngess xmm0, xmm1, [rax]", "ldo fother"},
	{"\x66\x0f\x3a\x0b\xc1\x03", 6, "roundsd xmm0, xmm1, 3", "fother"},
	{"\xf2\x48\x0f\x2a\xc0", 5, "cvtsi2sd xmm0, rax", "fother"},
	{"\xf2\x0f\x2a\x00", 4, "cvtsi2sd xmm0, dword ptr [rax]", "ldo fother"},
	{"\xf2\x48\x0f\x2c\xc0", 5, "cvttsd2si rax, xmm0", "fother"},
	{"\xf3\x0f\x5a\x00", 4, "cvtss2sd xmm0, [rax]", "ldo fother"},
	{"\xc4\xe2\xf1\xa9\xc2", 5, "vfmadd213sd xmm0, xmm1, xmm2", "fma"},
	{"\xc4\xe2\x71\xbf\x00", 5, "vfnmsub231ss xmm0, xmm1, [rax]", "ldo fma"},
	{"\xf3\x0f\x10\xc1", 4, "movss xmm0, xmm1", "fother"},
	{"\xf3\x0f\x10\x00", 4, "movss xmm0, [rax]", "ldo"},
	{"\xf2\x0f\x10\x00", 4, "movsd xmm0, [rax]", "ldo"},
	{"\xf2\x0f\x11\x00", 4, "movsd [rax], xmm0", "sto"},
	{"\xc5\xf3\x10\xc2", 4, "vmovsd xmm0, xmm1, xmm2", "fother"},
	{"\x66\x0f\x6e\xc0", 4, "movd xmm0, eax", "fother"},
	{"\x66\x48\x0f\x7e\xc0", 5, "movq rax, xmm0", "fother"},
	{"\xf3\x0f\x7e\x00", 4, "movq xmm0, [rax]", "ldo"},
	{"\x66\x0f\xd6\x00", 4, "movq [rax], xmm0", "sto"},
	{"\xc5\x79\x7e\x08", 4, "vmovd [rax], xmm9", "sto"},
	{"\xf3\x48\x0f\x7e\x06", 5, "(bytes)", "ldo"},

	/* packed floating point */
	{"\x66\x0f\x58\xc1", 4, "addpd xmm0, xmm1", "fadd2"},
	{"\x0f\x58\xc1", 3, "addps xmm0, xmm1", "fadd2*2"},
	{"\x66\x0f\x58\x00", 4, "addpd xmm0, [rax]", "ldq fadd2"},
	{"\xc5\xf5\x58\x00", 4, "vaddpd ymm0, ymm1, [rax]", "ldq*2 fadd2*2"},
	{"\xc5\xf4\x5c\xc2", 4, "vsubps ymm0, ymm1, ymm2", "fadd2*4"},
	{"\x62\xf1\xf5\x48\x58\xc2", 6, "vaddpd zmm0, zmm1, zmm2", "fadd2*4"},
	{"\x62\xf1\xf5\x58\x58\x00", 6, "vaddpd zmm0, zmm1, qword ptr [rax]{1to8}", "ldo fadd2*4"},
	{"\x66\x0f\x59\xc1", 4, "mulpd xmm0, xmm1", "fmul2"},
	{"\xc5\xf4\x59\xc2", 4, "vmulps ymm0, ymm1, ymm2", "fmul2*4"},
	{"\x66\x0f\x5e\xc1", 4, "divpd xmm0, xmm1", "fdiv*2 faults"},
	{"\xc5\xf4\x5e\x00", 4, "vdivps ymm0, ymm1, [rax]", "ldq*2 fdiv*8"},
	{"\x66\x0f\x51\xc1", 4, "sqrtpd xmm0, xmm1", "dual"},
	{"\xc5\xfc\x51\xc1", 4, "vsqrtps ymm0, ymm1", "dual*4"},
	{"\x0f\x53\xc1", 3, "rcpps xmm0, xmm1", "dual*2"},
	{"\x66\x0f\x5f\x00", 4, "maxpd xmm0, [rax]", "ldq dual"},
	{"\x0f\xc2\xc1\x01", 4, "cmpltps xmm0, xmm1", "dual*2"},
	{"\xc5\xf5\xc2\xc2\x0e", 5, "vcmpgtpd ymm0, ymm1, ymm2", "dual*2"},
	{"\x66\x0f\x7c\xc1", 4, "haddpd xmm0, xmm1", "fadd2"},
	{"\xf2\x0f\xd0\xc1", 4, "addsubps xmm0, xmm1", "fadd2*2"},
	{"\x66\x0f\x3a\x41\xc1\x31", 6, "dppd xmm0, xmm1, 0x31", "fmul2 fadd2"},
	{"\xc4\xe3\x75\x40\xc2\xff", 6, "vdpps ymm0, ymm1, ymm2, 0xff", "fmul2*4 fadd2*4"},
	{"\xc4\xe2\xf5\xb8\xc2", 5, "vfmadd231pd ymm0, ymm1, ymm2", "fma4*2"},
	{"\xc4\xe2\x71\x98\x00", 5, "vfmadd132ps xmm0, xmm1, [rax]", "ldq fma4*2"},
	{"\xc4\xe2\xf1\xa6\xc2", 5, "vfmaddsub213pd xmm0, xmm1, xmm2", "fma4"},
	{"\xf3\x0f\xe6\x00", 4, "cvtdq2pd xmm0, [rax]", "ldo dual"},
	{"\xc5\xfe\xe6\x00", 4, "vcvtdq2pd ymm0, [rax]", "ldq dual*2"},
	{"\x0f\x5b\xc1", 3, "cvtdq2ps xmm0, xmm1", "dual*2"},
	{"\xc5\xfd\x5a\x00", 4, "vcvtpd2ps xmm0, ymmword ptr [rax]", "ldq*2 dual*2"},
	{"\xc5\xfc\x5a\xc1", 4, "vcvtps2pd ymm0, xmm1", "dual*2"},
	{"\x0f\x5a\x00", 3, "cvtps2pd xmm0, [rax]", "ldo dual"},
	{"\x0f\x2a\xc0", 3, "cvtpi2ps xmm0, mm0", "dual"},
	{"\x0f\x2d\xc0", 3, "cvtps2pi mm0, xmm0", "dual"},
	{"\xc4\xe2\x7d\x13\x00", 5, "vcvtph2ps ymm0, [rax]", "ldq dual*4"},
	{"\xc4\xe3\x7d\x1d\x00\x00", 6, "vcvtps2ph [rax], ymm0, 0", "stq dual*4"},

	/* moves of vectors */
	{"\x0f\x28\xc1", 3, "movaps xmm0, xmm1", "dual"},
	{"\x66\x0f\x28\x00", 4, "movapd xmm0, [rax]", "ldq"},
	{"\x0f\x11\x00", 3, "movups [rax], xmm0", "stq"},
	{"\xc5\xfc\x28\x00", 4, "vmovaps ymm0, [rax]", "ldq*2"},
	{"\xc5\xfe\x7f\x00", 4, "vmovdqu [rax], ymm0", "stq*2"},
	{"\x62\xf1\xfe\x48\x7f\x00", 6, "vmovdqu64 [rax], zmm0", "stq*4"},
	{"\xf2\x0f\xf0\x00", 4, "lddqu xmm0, [rax]", "ldq"},
	{"\x0f\x2b\x00", 3, "movntps [rax], xmm0", "stq"},
	{"\x0f\xe7\x00", 3, "movntq [rax], mm0", "sto"},
	{"\x66\x0f\x16\x00", 4, "movhpd xmm0, [rax]", "ldo"},
	{"\x0f\x13\x00", 3, "movlps [rax], xmm0", "sto"},
	{"\x0f\x16\xc1", 3, "movlhps xmm0, xmm1", "dual"},
	{"\xf2\x0f\x12\x00", 4, "movddup xmm0, [rax]", "ldo dual"},
	{"\xc5\xff\x12\x00", 4, "vmovddup ymm0, [rax]", "ldq*2 dual*2"},
	{"\x66\x0f\x50\xc0", 4, "movmskpd eax, xmm0", "dual"},
	{"\xc4\xe2\x75\x2c\x00", 5, "vmaskmovps ymm0, ymm1, [rax]", "ldq*2"},
	{"\xc4\xe2\x71\x2f\x00", 5, "vmaskmovpd [rax], xmm1, xmm0", "stq"},
	{"\x66\x0f\xf7\xc1", 4, "maskmovdqu xmm0, xmm1", "stq"},
	{"\x0f\xf7\xc1", 3, "maskmovq mm0, mm1", "sto"},
	{"\xc4\xe2\x7d\x19\x00", 5, "vbroadcastsd ymm0, [rax]", "ldo dual*2"},
	{"\xc4\xe2\x7d\x1a\x00", 5, "vbroadcastf128 ymm0, [rax]", "ldq dual*2"},
	{"\xc4\xe2\x7d\x5a\x00", 5, "vbroadcasti128 ymm0, [rax]", "ldq dual*2"},
	{"\xc4\xe3\x75\x18\x00\x01", 6, "vinsertf128 ymm0, ymm1, [rax], 1", "ldq dual*2"},
	{"\xc4\xe3\x7d\x39\x00\x01", 6, "vextracti128 [rax], ymm0, 1", "stq dual*2"},
	{"\xc4\xe2\xed\x92\x04\xc8", 6, "vgatherdpd ymm0, [rax+xmm1*8], ymm2", "ldo*4"},
	{"\xc4\xe2\x6d\x93\x04\x88", 6, "vgatherqps xmm0, [rax+ymm1*4], xmm2", "ldo*4"},
	{"\xc4\xe2\x6d\x90\x04\x88", 6, "vpgatherdd ymm0, [rax+ymm1*4], ymm2", "ldo*8"},
	{"\x62\xf2\xfd\x49\xa2\x04\xc8", 7, "vscatterdpd [rax+ymm1*8]{k1}, zmm0", "sto*8"},

	/* vectors of integers and of bits */
	{"\x0f\x57\xc0", 3, "xorps xmm0, xmm0", "dual"},
	{"\xc5\xf5\x54\xc2", 4, "vandpd ymm0, ymm1, ymm2", "dual*2"},
	{"\x66\x0f\xfe\x00", 4, "paddd xmm0, [rax]", "ldq dual"},
	{"\x0f\xfc\x00", 3, "paddb mm0, [rax]", "ldo dual"},
	{"\xc5\xf5\xd4\xc2", 4, "vpaddq ymm0, ymm1, ymm2", "dual*2"},
	{"\x66\x0f\x38\x40\xc1", 5, "pmulld xmm0, xmm1", "dual"},
	{"\x66\x0f\x73\xf0\x03", 5, "psllq xmm0, 3", "dual"},
	{"\xc5\xf5\xf1\x00", 4, "vpsllw ymm0, ymm1, [rax]", "ldq dual*2"},
	{"\x66\x0f\x38\x00\x00", 5, "pshufb xmm0, [rax]", "ldq dual"},
	{"\x66\x0f\xc6\xc1\x01", 5, "shufpd xmm0, xmm1, 1", "dual"},
	{"\xc4\xe3\x75\x06\x00\x01", 6, "vperm2f128 ymm0, ymm1, [rax], 1", "ldq*2 dual*2"},
	{"\xc4\xe2\x7d\x30\x00", 5, "vpmovzxbw ymm0, [rax]", "ldq dual*2"},
	{"\x66\x0f\x38\x32\x00", 5, "pmovzxbq xmm0, [rax]", "ldo dual"},
	{"\x66\x0f\xc4\x00\x03", 5, "pinsrw xmm0, [rax], 3", "ldo dual"},
	{"\x66\x0f\x3a\x16\x00\x01", 6, "pextrd [rax], xmm0, 1", "sto dual"},
	{"\x66\x0f\xc5\xc0\x01", 5, "pextrw eax, xmm0, 1", "dual"},
	{"\x66\x0f\xd7\xc0", 4, "pmovmskb eax, xmm0", "dual"},
	{"\x66\x0f\x38\x17\x00", 5, "ptest xmm0, [rax]", "ldq dual"},
	{"\x66\x0f\x3a\x63\x00\x05", 6, "pcmpistri xmm0, [rax], 5", "ldq dual"},
	{"\x66\x0f\x38\xdc\xc1", 5, "aesenc xmm0, xmm1", "dual"},
	{"\xc4\xe2\x75\xdc\x00", 5, "vaesenc ymm0, ymm1, [rax]", "ldq*2 dual*2"},
	{"\xc5\xf4\x41\xc2", 4, "kandw k0, k1, k2", "log"},
	{"\xc5\xf8\x91\x08", 4, "kmovw [rax], k1", "st"},
	{"\xc5\xf8\x98\xc1", 4, "kortestw k0, k1", "test"},
	{"\x62\xf3\x75\x48\x25\xc2\x05", 7, "vpternlogd zmm0, zmm1, zmm2, 5", "other unknown faults"},

	/* prefixes that mean nothing */
	{"\x66\x48\x8d\x3d\x00\x01\x00\x00", 8, "data16 lea rdi, [rip+0x100]", "add"},
	{"\x66\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 12, "(bytes)", "log"},
	{"\x66\x66\x48\xe8\x00\x00\x00\x00", 8, "(bytes)", "st branch call"},

	/* what capstone 4 and 5 see with other eyes, or one of them not at all */
	{"\x66\xe8\x00\x01", 4, "(call, two bytes)", "st branch call"},
	{"\x66\xe8\x00\x01\x00\x00", 6, "(call, four bytes)", "st branch call"},
	{"\x66\xe9\x00\x01", 4, "(jmp, two bytes)", "branch"},
	{"\x66\xe9\x00\x01\x00\x00", 6, "(jmp, four bytes)", "branch"},
	{"\x66\x0f\x84\x00\x01", 5, "(je, two bytes)", "branch"},
	{"\x66\x0f\x84\x00\x01\x00\x00", 7, "(je, four bytes)", "branch"},
	{"\x66\xe8\x00\x01\x00", 5, "(call, three bytes)", "other unknown faults"},
	{"\x63\xd9", 2, "movsxd ebx, ecx", "shr"},
	{"\x63\x19", 2, "movsxd ebx, [rcx]", "ld"},
	{"\xdc\xd1", 2, "(fcom2 st(1))", "fother"},
	{"\xdc\xd9", 2, "(fcomp3 st(1))", "fother"},
	{"\xdd\xc9", 2, "(fxch4 st(1))", "fother"},
	{"\xde\xd1", 2, "(fcomp5 st(1))", "fother"},
	{"\xdf\xd9", 2, "(fstp9 st(1))", "fother"},
	{"\xde\xc1", 2, "faddp st(1)", "fadd"},
	{"\xdf\xf1", 2, "fcomip st(1)", "fother"},
	{"\xdf\xe9", 2, "fucomip st(1)", "fother"},
	{"\x0f\xb9", 2, "(ud1)", "control faults"},
	{"\xff\x19", 2, "lcall [rcx]", "ld st*2 branch call indirect"},
	{"\x66\x0f\xae\x31", 4, "clwb [rcx]", "dcache"},
	{"\x66\x48\x0f\xae\x31", 5, "rex.w clwb [rcx]", "dcache"},
	{"\x48\x0f\xae\x31", 4, "xsaveopt64 [rcx]", "other stq*32"},
	{"\x0f\xc2\xc1\x01", 4, "cmpltps xmm0, xmm1", "dual*2"},
	{"\x66\x0f\xc2\x01\x07", 5, "cmpordpd xmm0, [rcx]", "ldq dual"},
	{"\xf3\x0f\xc2\xc1\x00", 5, "cmpeqss xmm0, xmm1", "fother"},
	{"\xf2\x0f\xc2\x01\x06", 5, "cmpnlesd xmm0, [rcx]", "ldo fother"},
	{"\xf2\x0f\xc2\xc1\x55", 5, "cmpsd xmm0, xmm1, 0x55", "fother"},
	{"\xc5\xf4\xc2\xc2\x1f", 5, "vcmptrue_usps ymm0, ymm1, ymm2", "dual*4"},
	{"\xc5\xf5\xc2\x01\x10", 5, "vcmpeq_ospd ymm0, ymm1, [rcx]", "ldq*2 dual*2"},
	{"\xc5\xf3\xc2\x01\x08", 5, "vcmpeq_uqsd xmm0, xmm1, [rcx]", "ldo fother"},
	{"\xc5\xf9\xe6\x01", 4, "vcvttpd2dq xmm0, xmmword ptr [rcx]", "ldq dual"},
	{"\xc4\xe3\x6d\x44\xd1\x01", 6, "vpclmulqdq ymm2, ymm2, ymm1, 1", "dual*2"},
	{"\xc4\xe3\x6d\x44\x11\x01", 6, "vpclmulqdq ymm2, ymm2, [rcx], 1", "ldq*2 dual*2"},
	{"\xc4\xe2\xed\x06\xd1", 5, "(vphsubd ymm2, ymm2, ymm1, W 1)", "dual*2"},
	{"\xc4\xe1\xec\x41\xd1", 5, "kandq k2, k2, k1", "log"},
	{"\xc4\xe2\x6d\x90\x01", 5, "(a gather without a vector)", "other unknown faults"},
};

static void add_word(struct upcs_insn *insn, const char *word)
{
	size_t n = strcspn(word, "*"), i;
	unsigned times = word[n] ? (unsigned)atoi(word + n + 1) : 1;
	const int *tally;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == n && !strncmp(words[i].word, word, n))
			break;
	if (i == sizeof(words) / sizeof(words[0]))
		fail_msg("no word \"%s\"", word);
	for (tally = words[i].tally; *tally >= 0; tally++)
		insn->tally[*tally] += times;
	insn->flags |= words[i].flags;
}

static struct upcs_insn expected_of(const struct row *row)
{
	struct upcs_insn insn = {.tally[UPCS_INSTRUCTIONS] = 1};
	char text[100], *word, *save;

	snprintf(text, sizeof(text), "%s", row->expected);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		add_word(&insn, word);
	return insn;
}

TEST(test_rows)
{
	struct upcs_decoder *decoder = upcs_decoder_create(UPCS_X86_64);
	unsigned wrong = 0;
	size_t i, k;

	assert_non_null(decoder);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct upcs_insn expected = expected_of(&rows[i]), insn;

		upcs_decode(decoder, 0x401000, rows[i].bytes, rows[i].n, &insn);
		for (k = 0; k < UPCS_STATIC; k++) {
			if (insn.tally[k] == expected.tally[k])
				continue;
			print_error("%s: %s is %u, not %u\n", rows[i].text, upcs_tally_name[k], insn.tally[k],
				    expected.tally[k]);
			wrong++;
		}
		if (insn.flags != expected.flags) {
			print_error("%s: flags are 0x%x, not 0x%x\n", rows[i].text, insn.flags,
				    expected.flags);
			wrong++;
		}
	}
	upcs_decoder_destroy(decoder);
	assert_int_equal(wrong, 0);
}

/* An instruction that capstone knows and the table does not is unknown. The sweep
 * (sim_sweep) covers those that only capstone 5 knows. */
TEST(test_table_is_complete)
{
	unsigned id, without = 0;
	csh capstone;

	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone), CS_ERR_OK);
	for (id = X86_INS_INVALID + 1; id < X86_INS_ENDING; id++) {
		const char *name = cs_insn_name(capstone, id);

		assert_non_null(name);
		if (upcs_x86_rule[id].op != X_NONE || !strncmp(name, "cmp", 3) || !strncmp(name, "vcmp", 4))
			continue;
		if (CS_API_MAJOR < 5)
			fail_msg("%s, which capstone knows, has no rule", name);
		without++;
	}
	cs_close(&capstone);
	assert_true(CS_API_MAJOR < 5 || without < 200);
}

/* For an assembler: the bytes, and the text. */
static void print_rows(void)
{
	size_t i, k;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (*rows[i].text == '(')
			continue;
		for (k = 0; k < rows[i].n; k++)
			printf("%02x", (uint8_t)rows[i].bytes[k]);
		printf(" %s\n", rows[i].text);
	}
}

UNIT_MAIN(sim_decode_x86)
{
	if (argc > 1 && !strcmp(argv[1], "--rows")) {
		print_rows();
		return 0;
	}
	return run_own_tests(NULL, NULL);
}
