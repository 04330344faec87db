#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_run.sh - programs under the plugin: exact tallies of hand-written loops for each guest, the
# same twice, the same as QEMU's own trace, threads, children, regions, faults and sudden ends.
# $SIM_COUNT runs a program and prints all of the results, $SIM_PLUGIN is the plugin.
. "${srcdir:?}/ctests/utils.inc"
CC=${CC:-cc}
tool=${SIM_COUNT:?}
plugin=${SIM_PLUGIN:?}
find_emulators

for command in qemu-x86_64 qemu-aarch64 qemu-ppc aarch64-linux-gnu-gcc powerpc-linux-gnu-gcc; do
	command -v $command > /dev/null && continue
	echo "1..0 # SKIP $command is not installed (scripts/packages.sh: PACKAGES_SIM)"
	exit 0
done
case $($CC -dumpmachine) in
x86_64-*) ;;
*)
	echo "1..0 # SKIP $CC makes no programs for x86-64"
	exit 0
	;;
esac

echo "1..71"

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

# An instruction a block, by the name that the emulator has for it.
singly=-singlestep
qemu-x86_64 --help | grep -q one-insn-per-tb && singly=-one-insn-per-tb
# traced PROGRAM: what begins by QEMU's count. The plugin is there too, for the same addresses.
traced()
{
	SIM_COUNT_QEMU="$singly -d exec,nochain -D $dir/log"
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
	mov $5, %ecx
	addr32 rep movsb		# five times
	xor %eax, %eax
	mov $60, %eax
	xor %edi, %edi
	syscall
	.data
data:	.zero 256
ASM
$CC -static -nostdlib -o string string.S || exit 1
count ./string
check "a repeated string instruction counts once for each iteration" [ "$(instructions 0)" = 31 ]
# QEMU 10 goes round within the block, and has the instruction once in its trace: three of them here.
# Then programs have more instructions than their traces, by what the C library repeats: some 80
# iterations where it is static, 400 of the dynamic linker.
want=$(traced ./string)
case $want in
31) more=0 ;;
12) more=600 ;;
*) more=none ;;
esac
check "... as in QEMU's trace" [ $more != none ]
# agree GOT WANT
agree()
{
	[ "$1" -ge "$2" ] && [ "$1" -le $(($2 + more)) ] || { echo "# $1, not $2 to $(($2 + more))"; false; }
}
# Not a shell: it writes the process's number, whose digits are not always as many.
cat > dynamic.c << 'C'
#include <stdio.h>
int main(void)
{
	unsigned i, x = 1;

	for (i = 0; i < 5; i++)
		x *= 3;
	return printf("%u\n", x) != 4;
}
C
$CC -O1 -o dynamic dynamic.c || exit 1
count ./dynamic
cp out first
check "a dynamic program, whole, is what QEMU's trace has" agree "$(instructions 0)" "$(traced ./dynamic)"
count ./dynamic
check "... and once more is the same to the last one" cmp out first

# ---- RISC-V ------------------------------------------------------------------------------

cat > riscv.S << 'ASM'
	.globl _start
_start:	li t0, 1000
	lla t1, data			# two instructions
1:	ld t2, 0(t1)
	c.addi t2, 3
	sd t2, 8(t1)
	mul t2, t2, t2
	fld ft0, 0(t1)
	fmadd.d ft2, ft0, ft1, ft2
	fsd ft2, 16(t1)
	addi t0, t0, -1
	bnez t0, 1b			# a comparison and a branch
	li a7, 93
	li a0, 0
	ecall
	.data
	.balign 16
data:	.zero 32
ASM
cat > child.c << 'C'
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	int status = 1;

	if (fork() == 0) {
		execl("x86", "x86", (char *)0);
		_exit(1);
	}
	wait(&status);
	return status;
}
C
# Each time round: two instructions of 16 bits that end in a signal, whose handler goes on behind them.
cat > signals.c << 'C'
#include <signal.h>
#include <ucontext.h>
static volatile int n;
static void on(int s, siginfo_t *i, void *u)
{
	(void)s, (void)i;
	((ucontext_t *)u)->uc_mcontext.__gregs[0] += 2;
	n++;
}
int main(void)
{
	struct sigaction action = {.sa_sigaction = on, .sa_flags = SA_SIGINFO};
	int i;

	sigaction(SIGSEGV, &action, 0);
	sigaction(SIGTRAP, &action, 0);
	for (i = 0; i < 500; i++)
		__asm__ volatile("li a5, 8\n\taddi a4, a5, 1\n\tmul a4, a4, a4\n\tc.lw a4, 0(a5)\n\t"
				 "add a3, a4, a4\n\tc.ebreak\n\txor a3, a3, a3" ::: "a3", "a4", "a5", "memory");
	return n != 1000;
}
C
# A C library's programs, static and not, one with faults, and a child of another guest.
riscv()
{
	riscv64-linux-gnu-gcc -static -nostdlib -o riscv riscv.S && riscv64-linux-gnu-gcc -O1 -o child child.c &&
		riscv64-linux-gnu-gcc -O1 -o dynamic dynamic.c && riscv64-linux-gnu-gcc -O1 -static -o static dynamic.c &&
		riscv64-linux-gnu-gcc -O1 -o signals signals.c || exit 1
	check "RISC-V: a loop runs to its end" count ./riscv
	check "... and tallies what it says" is 0 "JPIPE_INSTRUCTIONS=2005 JPIPE_ADD_SUB=2005 \
IPIPE_INSTRUCTIONS=3001 IPIPE_MULT_DIV=1000 IPIPE_ADD_SUB=1000 IPIPE_BRANCHES=1000 IPIPE_PROCESS_CONTROL=1 \
DATA_LOADS=2000 DATA_STORES=2000 FPU_FMA_2=1000 FPU_OTHER_LOADS=1000 FPU_OTHER_STORES=1000 INSTRUCTIONS=9006"
	for program in static dynamic signals; do
		count ./$program
		check "... a program, $program, whole, is what QEMU's trace has" [ "$(instructions 0)" = "$(traced ./$program)" ]
	done
	check "... and its child of another guest" count ./child
	check "... has all that it should" has ' INSTRUCTIONS=10005$'
}
if command -v qemu-riscv64 > /dev/null && command -v riscv64-linux-gnu-gcc > /dev/null; then
	riscv
else
	for i in 1 2 3 4 5 6 7; do
		skip "RISC-V: check $i" "no emulator or no compiler for it: scripts/packages.sh, PACKAGES_SIM"
	done
fi

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
check "... each with all it has" [ "$(grep -c 'INSTRUCTIONS=10005$\|INSTRUCTIONS=9005$\|INSTRUCTIONS=8007$\| INSTRUCTIONS=31$' out)" = 4 ]
check "without its children" count -c ./script
check "... there are the interpreter and the last" [ "$(grep -c '^process' out)" = 2 ]
check "... which is whole" has ' INSTRUCTIONS=31$'

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

# Two of the handler's own, and the C library's two that return from the signal.
cat > handler.c << 'C'
#include <signal.h>
#include <sys/time.h>
volatile int n;
volatile long odd, even;
void hand(int s);
__asm__("\t.type hand, @function\n\t.globl hand\nhand:\tincl n(%rip)\n\tret\n");
int main(void)
{
	struct itimerval t = {{0, 1000}, {0, 1000}};
	long i;

	signal(SIGALRM, hand);
	setitimer(ITIMER_REAL, &t, 0);
	for (i = 0; n < 50; i++)
		if (i % 2)
			odd++;
		else
			even--;
	t.it_value.tv_usec = t.it_interval.tv_usec = 0;
	setitimer(ITIMER_REAL, &t, 0);
	return 0;
}
C
$CC -O1 -static -o handler handler.c || exit 1
check "a signal's handler as a region" count -r hand ./handler
entered=$(sed -n 's/^thread 0 .* column 1 entered \([0-9]*\) .*/\1/p' out)
check "... which is entered each time" [ "${entered:-0}" -ge 50 ]
check "... and nothing else is" [ "$(instructions 0 1)" = $((4 * entered)) ]

# ---- what the emulator begins twice --------------------------------------------------------

# Code that stores to its own page, or beside it, and atomic additions, aligned or not, once there
# has been a second thread: eleven instructions a round.
cat > twice.c << 'C'
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
static char at[64] __attribute__((aligned(64)));
static void *nothing(void *p)
{
	return p;
}
__attribute__((noinline)) void add(char *p)
{
	long n = 10000;

	__asm__ volatile("1:\tlock addl $1, (%1)\n\t.rept 8\n\tnop\n\t.endr\n\tdec %0\n\tjnz 1b"
			 : "+r"(n) : "r"(p) : "memory", "cc");
}
int main(int argc, char **argv)
{
	unsigned char code[] = {0xb9, 0x10, 0x27, 0, 0, 0xff, 0x05, 0, 0, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90,
				0x90, 0x90, 0x90, 0xff, 0xc9, 0x75, 0xee, 0xc3};
	char *p = mmap(0, 8192, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), how = argv[argc - 1][0];
	int far = how == 'f' ? 4096 : 512;
	pthread_t t;

	if (how == 'a' || how == 'm') {
		pthread_create(&t, 0, nothing, 0);
		pthread_join(t, 0);
		add(at + (how == 'm'));
		return *(int *)(at + (how == 'm')) != 10000;
	}
	memcpy(code + 7, &far, 4);
	memcpy(p, code, sizeof(code));
	((void (*)(void))p)();
	return *(int *)(p + far + 11) != 10000;
}
C
$CC -O1 -pthread -static -o twice twice.c || exit 1
count ./twice far
far=$(instructions 0)
check "code that stores to its own page" count ./twice own
check "... is counted once, but for the first round's block" [ $(($(instructions 0) - far)) -lt 30 ]
count -r add ./twice aligned
aligned=$(instructions 0 1)
check "atomic additions that are not aligned" count -r add ./twice misaligned
check "... are counted once" [ "$(instructions 0 1)" = "$aligned" ]
check "... each" [ "$aligned" -ge 110000 ]

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
check "... is what QEMU's trace has" agree "$(instructions 0)" "$(traced ./faults 1000)"

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
check "... and none of its counts is" agree "$(instructions 0)" "$(traced ./killed)"

# ---- with calls and without --------------------------------------------------------------

# Translated code counts by itself as long as there is one thread, else it calls the plugin;
# with UPC_SIM_CALLS=1 it always does. The program's environment is as large either way.
by()
{
	how=$1
	shift
	env -i PATH="$PATH" UPC_SIM_CALLS="$how" SIM_COUNT_QEMU="$SIM_COUNT_QEMU" \
		"$tool" "$plugin" "$@"
}

both()
{
	SIM_COUNT_QEMU=
	by 0 "$@" > itself 2> err && by 1 "$@" > out 2>> err
}

same()
{
	both "$@" && cmp itself out
}

# The same but for what it takes to wait for others. Words are compared one by one.
near()
{
	both "$@" || return 1
	tr ' =' '\n\n' < itself > itself.words
	tr ' =' '\n\n' < out | paste -d ' ' - itself.words | awk '
		$1 != $2 && ($1 !~ /^[0-9]+$/ || $1 - $2 > 200 || $2 - $1 > 200) {
			print "# " $0
			bad = 1
		}
		END { exit bad || NR < 50 }'
}

# All that QEMU's own trace of the same run has, but for blocks that it stopped before.
whole()
{
	SIM_COUNT_QEMU="$singly -d exec,nochain -D $dir/log"
	by "$@" > out 2> err
	want=$(awk '/^Trace/ { n++ } /^Stopped/ { n-- } END { print n }' log)
	got=$(awk -F= '/^thread/ { n += $NF } END { print n }' out)
	rm -f log
	agree "$got" "$want"
}

calls()
{
	SIM_COUNT_QEMU="-d op -D $dir/log"
	by "$@" > out 2> err
	grep -c 'call plugin' log
	rm -f log
}

cat > late.c << 'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long ticks;
static void tick(int s)
{
	(void)s;
	ticks++;
}
static void spin(long i)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(i));
}
static void *work(void *n)
{
	spin((long)n);
	return 0;
}
static void with_thread(long n)
{
	pthread_t thread;

	pthread_create(&thread, 0, work, (void *)(2 * n));
	spin(n);
	pthread_join(thread, 0);
}
/* what - t: a thread, f: a child, F: a child that makes a thread, s: signals from now on,
 * m: memory that others may write */
int main(int argc, char **argv)
{
	struct itimerval timer = {{0, 500}, {0, 500}};
	long n = argc > 2 ? atol(argv[2]) : 1;
	const char *what;

	for (what = argv[1]; *what; what++) {
		spin(n);
		if (*what == 't')
			with_thread(3 * n);
		if (*what == 'm')
			mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (*what == 's') {
			signal(SIGALRM, tick);
			setitimer(ITIMER_REAL, &timer, 0);
		}
		if (*what == 'f' || *what == 'F') {
			if (fork() == 0) {
				spin(10 * n);
				if (*what == 'F')
					with_thread(20 * n);
				if (fork() == 0)
					_exit(0);
				wait(0);
				_exit(0);
			}
			wait(0);
		}
	}
	return 0;
}
C
cat > strings.c << 'C'
#define REPEAT(which, n) do { long c = (n); char *d = to, *s = from; \
	__asm__ volatile(which : "+D"(d), "+S"(s), "+c"(c), "+a"(a) : : "memory"); } while (0)
static char to[1000], from[1000];
int main(void)
{
	long k, a = 0;

	for (k = 0; k < 50; k++) {
		REPEAT("rep stosb", 7 * k);
		REPEAT("rep movsb", 3 * k);
		REPEAT("repe cmpsb", 500);
		REPEAT("repne scasb", 900);
		REPEAT("rep lodsb", k);
		a = k;
	}
	return 0;
}
C
$CC -O1 -static -pthread -o late late.c && $CC -O1 -static -o strings strings.c || exit 1
check "one thread: nothing is called" [ "$(calls 0 ./late s 1000)" = 0 ]
check "... but where it has to be" [ "$(calls 1 ./late s 1000)" -gt 100 ]
for program in ./x86 ./arm ./ppc ./strings "./faults 100"; do
	# shellcheck disable=SC2086
	check "$program counts the same by itself" same $program
done
check "a dynamic program counts the same" same ./dynamic
check "children before there are threads" near ./late ffFf 300000
check "a thread that comes late" near ./late t 3000000
check "children before and after threads" near ./late fFtfFt 300000
check "... and shared memory" near ./late fmtFt 300000
for how in 0 1; do
	check "signals: the whole of the trace, $how" whole $how ./late s 20000
	check "... of one thread, then more, $how" whole $how ./late sttt 10000
	check "... and before there are signals, $how" whole $how ./late tst 10000
	check "... and with shared memory before, $how" whole $how ./late msttt 10000
done
