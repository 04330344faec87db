#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_run.sh - programs under the plugin: exact tallies of hand-written loops for each guest, the
# same twice, the same as QEMU's own trace, threads, children, regions, faults and sudden ends.
# $SIM_COUNT runs a program and prints all of the results, $SIM_PLUGIN is the plugin.
. "${srcdir:?}/ctests/utils.inc"
CC=${CC:-cc}
tool=${SIM_COUNT:?}
plugin=${SIM_PLUGIN:?}

for command in qemu-x86_64 qemu-aarch64 qemu-ppc aarch64-linux-gnu-gcc powerpc-linux-gnu-gcc; do
	command -v $command > /dev/null && continue
	echo "1..0 # SKIP $command is not installed (scripts/packages.sh: PACKAGES_SIM)"
	exit 0
done

echo "1..36"

# count [OPTION...] PROGRAM [ARGUMENT...]: the results are in out
count()
{
	options=
	while [ "${1#-}" != "$1" ]; do
		options="$options $1"
		[ "$1" != -r ] || { options="$options $2"; shift; }
		shift
	done
	# shellcheck disable=SC2086
	env -i PATH="$PATH" "$tool" $options "$plugin" "$@" > out 2> err
}

# tallies THREAD [COLUMN]: its tallies, a line
tallies()
{
	sed -n "s/^thread $1 .* column ${2:-0} entered [0-9]* \\?//p" out
}

# is THREAD TALLIES [COLUMN]
is()
{
	got=$(tallies "$1" "${3:-0}")
	[ "$got" = "$2" ] || { echo "# $got"; echo "# not $2"; false; }
}

instructions()
{
	sed -n "s/^thread $1 .* column ${2:-0} .*[ ]INSTRUCTIONS=\\([0-9]*\\)$/\\1/p" out
}

has()
{
	grep -q "$1" out || { echo "# no line with $1"; false; }
}

# ---- loops for each guest, whose tallies stand beside them -------------------------------

cat > x86.S << 'ASM'
	.globl _start
_start:	mov $1000, %ecx			# 1: J
	lea data(%rip), %rsi		# 1: J, addition
1:	mov (%rsi), %rax		# 1000: load
	add $3, %rax			# 1000: J, addition
	mov %rax, 8(%rsi)		# 1000: store
	imul %rax, %rax			# 1000: I, multiplication
	movsd (%rsi), %xmm0		# 1000: FPU load of 8 bytes
	mulsd %xmm1, %xmm0		# 1000: FPU multiplication
	addpd %xmm1, %xmm2		# 1000: FPU, two additions
	movaps %xmm2, 16(%rsi)		# 1000: FPU store of 16 bytes
	dec %ecx			# 1000: J, subtraction
	jnz 1b				# 1000: I, branch
	mov $60, %eax			# 1: J
	xor %edi, %edi			# 1: J, logic
	syscall				# 1: I
	.data
	.balign 16
data:	.zero 32
ASM
cat > arm.S << 'ASM'
	.globl _start
_start:	mov x1, #1000
	adr x2, data
1:	ldr x3, [x2]
	add x3, x3, #3
	str x3, [x2, #8]
	mul x3, x3, x3
	ldr d0, [x2]
	fmadd d2, d0, d1, d2
	str q2, [x2, #16]
	subs x1, x1, #1
	b.ne 1b
	mov x8, #93
	mov x0, #0
	svc #0
	.data
	.balign 16
data:	.zero 32
ASM
cat > ppc.S << 'ASM'
	.globl _start
_start:	li 3, 1000
	mtctr 3
	lis 4, data@ha
	addi 4, 4, data@l
1:	lwz 5, 0(4)
	addi 5, 5, 3
	stw 5, 4(4)
	mullw 5, 5, 5
	lfd 0, 8(4)
	fmadd 1, 0, 0, 1
	stfd 1, 16(4)
	bdnz 1b
	li 0, 1
	li 3, 0
	sc
	.data
	.balign 8
data:	.zero 32
ASM
$CC -static -nostdlib -o x86 x86.S && aarch64-linux-gnu-gcc -static -nostdlib -o arm arm.S &&
	powerpc-linux-gnu-gcc -static -nostdlib -o ppc ppc.S || exit 1

check "x86-64: a loop runs to its end" count ./x86
check "... and tallies what it says" is 0 "JPIPE_INSTRUCTIONS=2004 JPIPE_ADD_SUB=2001 JPIPE_LOGICAL_OPS=3 \
IPIPE_INSTRUCTIONS=2001 IPIPE_MULT_DIV=1000 IPIPE_BRANCHES=1000 IPIPE_PROCESS_CONTROL=1 DATA_LOADS=2000 \
DATA_STORES=2000 FPU_MULT_1=1000 FPU_ADD_SUB_2=1000 FPU_OTHER_LOADS=1000 FPU_QUADWORD_STORES=1000 \
INSTRUCTIONS=10005"
check "AArch64: a loop runs to its end" count ./arm
check "... and tallies what it says" is 0 "JPIPE_INSTRUCTIONS=1004 JPIPE_ADD_SUB=1001 JPIPE_LOGICAL_OPS=3 \
IPIPE_INSTRUCTIONS=3001 IPIPE_MULT_DIV=1000 IPIPE_ADD_SUB=1000 IPIPE_BRANCHES=1000 IPIPE_PROCESS_CONTROL=1 \
DATA_LOADS=2000 DATA_STORES=2000 FPU_FMA_2=1000 FPU_OTHER_LOADS=1000 FPU_QUADWORD_STORES=1000 INSTRUCTIONS=9005"
check "PowerPC: a loop runs to its end" count ./ppc
check "... and tallies what it says" is 0 "JPIPE_INSTRUCTIONS=1005 JPIPE_ADD_SUB=1005 IPIPE_INSTRUCTIONS=2002 \
IPIPE_MULT_DIV=1000 IPIPE_BRANCHES=1000 IPIPE_PROCESS_CONTROL=1 IPIPE_OTHER=1 DATA_LOADS=2000 DATA_STORES=2000 \
FPU_FMA_2=1000 FPU_OTHER_LOADS=1000 FPU_OTHER_STORES=1000 INSTRUCTIONS=8007"

# ---- QEMU's own trace --------------------------------------------------------------------

# traced PROGRAM: what begins by QEMU's count. The plugin is there too, for the same addresses.
traced()
{
	SIM_COUNT_QEMU="-singlestep -d exec,nochain -D $dir/log"
	env -i PATH="$PATH" SIM_COUNT_QEMU="$SIM_COUNT_QEMU" "$tool" "$plugin" "$@" > single 2> err
	grep -c '^Trace' log
	rm -f log
}

cat > string.S << 'ASM'
	.globl _start
_start:	lea data(%rip), %rsi
	lea data(%rip), %rdi
	mov $10, %ecx
	rep movsb			# ten times
	mov $7, %ecx
	rep stosq			# seven times
	xor %eax, %eax
	mov $60, %eax
	xor %edi, %edi
	syscall
	.data
data:	.zero 256
ASM
$CC -static -nostdlib -o string string.S || exit 1
count ./string
check "a repeated string instruction counts once for each iteration" [ "$(instructions 0)" = 25 ]
check "... as in QEMU's trace" [ "$(traced ./string)" = 25 ]
count /bin/sh -c 'x=1; for i in 1 2 3 4 5; do x=$((x * 3)); done'
cp out first
check "a dynamic program, whole, is what QEMU's trace has" [ "$(instructions 0)" = \
	"$(traced /bin/sh -c 'x=1; for i in 1 2 3 4 5; do x=$((x * 3)); done')" ]
count /bin/sh -c 'x=1; for i in 1 2 3 4 5; do x=$((x * 3)); done'
check "... and once more is the same to the last one" cmp out first

# ---- the processor -----------------------------------------------------------------------

# 0 where there is no SVE, which a C library would use.
cat > hwcap.c << 'C'
#include <sys/auxv.h>
int main(void)
{
	return getauxval(AT_HWCAP) >> 22 & 1;
}
C
aarch64-linux-gnu-gcc -O1 -static -o hwcap hwcap.c || exit 1
count ./hwcap
check "AArch64 has vectors of 16 bytes, and no wider ones" has '^exit 0'

# ---- threads -----------------------------------------------------------------------------

cat > threads.c << 'C'
#include <pthread.h>
static void *work(void *n)
{
	long i = (long)n;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(i));
	return 0;
}
int main(void)
{
	pthread_t thread[5];
	long i;

	for (i = 0; i < 5; i++)
		pthread_create(&thread[i], 0, work, (void *)(1000000 * (i + 1)));
	for (i = 0; i < 5; i++)
		pthread_join(thread[i], 0);
	return 0;
}
C
$CC -O1 -pthread -o threads threads.c || exit 1
check "a program with threads" count ./threads
for i in 1 2 3 4 5; do
	of=$(sed -n "s/.* number $i core \\([0-9]*\\) column 0 .* IPIPE_BRANCHES=\\([0-9]*\\).*/\\1 \\2/p" out)
	branches=${of#* }
	# Beside the loop a thread has some hundred.
	check "thread $i of it has its own loop, and core $((i % 4))" \
		[ "${of% *} $((branches / 100000))" = "$((i % 4)) $((i * 10))" ]
done

# ---- children ----------------------------------------------------------------------------

cat > script << SH
#!/bin/sh
./x86
(./arm)
nothing_of_this_name 2> /dev/null
./ppc > /dev/null || exit 4
exec ./string "\$@"
SH
chmod +x script
check "a script, what it forks and executes" count ./script
check "... ends with the status of the last" [ "$(tail -n 1 out)" = "exit 0" ]
processes=$(grep -c '^process' out)
check "... the interpreter, three children and who they became, and the last" \
	[ "$processes" = 8 ]
check "... nobody is lost" [ "$(grep -c '^process [0-9]* ended' out)" = 8 ]
check "... each with all it has" [ "$(grep -c 'INSTRUCTIONS=10005$\|INSTRUCTIONS=9005$\|INSTRUCTIONS=8007$\| INSTRUCTIONS=25$' out)" = 4 ]
check "without its children" count -c ./script
check "... there are the interpreter and the last" [ "$(grep -c '^process' out)" = 2 ]
check "... which is whole" has ' INSTRUCTIONS=25$'

cat > open.c << 'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
/* Executes a file without a name, or itself, by names in /proc. */
int main(int argc, char **argv)
{
	int from = open("x86", O_RDONLY | O_CLOEXEC), fd = memfd_create("x86", MFD_CLOEXEC);
	char path[64], *const arguments[] = {"x86", NULL}, *const variables[] = {NULL};

	(void)argv;
	if (argc == 1) {
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)getpid());
		execl(path, "open", "again", (char *)NULL);
		return 1;
	}
	while (sendfile(fd, from, NULL, 65536) > 0)
		;
	fexecve(fd, arguments, variables);
	return 1;
}
C
$CC -D_GNU_SOURCE -O1 -static -o open open.c || exit 1
count ./open
check "a program that is only open, and one by its process" has '^exit 0'
check "... are simulated" [ "$(grep -c '^process' out) $(grep -c ' INSTRUCTIONS=10005$' out)" = "3 1" ]

# ---- regions -----------------------------------------------------------------------------

cat > region.S << 'ASM'
	.globl _start
	.type once, @function
	.type loop, @function
_start:	call once
	call once
	mov $100, %ecx
	call loop
	mov $60, %eax
	xor %edi, %edi
	syscall
once:	mov $10, %ecx			# falls into the other
loop:	dec %ecx
	jnz loop
	ret
ASM
$CC -static -nostdlib -o region region.S || exit 1
check "regions" count -r once -r loop ./region
check "... the whole" [ "$(instructions 0)" = $((7 + 2 * (1 + 20 + 1) + 200 + 1)) ]
check "... a function that goes on in another" [ "$(instructions 0 1)" = $((2 * 22)) ]
check "... and the other, which begins in a block's middle" [ "$(instructions 0 2)" = $((2 * 21 + 201)) ]

# ---- faults and sudden ends --------------------------------------------------------------

# Each time round: eight instructions and a fault in the third, the loop's three.
cat > faults.c << 'C'
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
static int n;
static void handle(int s, siginfo_t *i, void *u)
{
	(void)s, (void)i;
	n++;
	((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP] += 3;
}
int main(int argc, char **argv)
{
	struct sigaction a = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	int i, k = atoi(argv[argc - 1]);

	sigaction(SIGSEGV, &a, 0);
	for (i = 0; i < k; i++)
		__asm__ volatile("xor %%eax, %%eax\n\tnop\n\t.byte 0x8b, 0x40, 0x00\n\tnop\n\tnop\n\tnop" ::: "eax");
	return n != k;
}
C
$CC -D_GNU_SOURCE -O1 -static -o faults faults.c || exit 1
count ./faults 1000
check "a program that handles a thousand faults" has '^exit 0'
check "... is what QEMU's trace has" [ "$(instructions 0)" = "$(traced ./faults 1000)" ]

cat > killed.c << 'C'
#include <signal.h>
#include <unistd.h>
int main(void)
{
	long i = 1000000;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(i));
	kill(getpid(), SIGKILL);
	return 0;
}
C
$CC -O1 -static -o killed killed.c || exit 1
count ./killed
check "a program that is killed" has '^signal 9'
check "... is lost" has '^process 0 lost'
check "... and none of its counts is" [ "$(instructions 0)" = "$(traced ./killed)" ]
