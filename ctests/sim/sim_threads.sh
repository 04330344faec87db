#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_threads.sh - each of many threads has its own counts: more at once than an emulator has room
# for at first, with vCPUs that others had before, and with forks beside them; a process that ends while
# its threads make others; and what is in the report of one that is killed by another. $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN

echo "1..17"

# divisions N: of each thread of the program with N at once
divisions()
{
	run 0 --no-progress -t -f csv -e FPU_DIV_1 -o csv "./$guest" "$1" || return 1
	awk -F, '$1 == "thread" && $4 == "" && $5 == "FPU_DIV_1" { print $6 }' csv | sort -n > got
	awk -v n="$1" 'BEGIN {
		print 1
		for (i = 0; i < n; i++) {
			print 1000 + i
			print 3000 + i
			if (i % 5 == 0)
				print 500 + i
		}
	}' | sort -n > want
	diff want got > differ || { head -n 5 differ | sed 's/^/# /'; return 1; }
	# What it says of its numbers: all of them are exact.
	! grep -q ',\(at most\|at least\|uncounted\),' csv
}

for guest in x86_64:x86_64 aarch64:aarch64 ppc:powerpc riscv64:riscv64; do
	compiler=${guest#*:}-linux-gnu-gcc
	guest=${guest%:*}
	if ! command -v "$compiler" > missing || ! command -v "qemu-$guest" > missing; then
		for name in 1 17 200; do
			skip "$guest: $name threads" "no $compiler or no qemu-$guest: scripts/packages.sh, PACKAGES_SIM"
		done
		continue
	fi
	if ! "$compiler" -O1 -static -pthread "$srcdir/ctests/sim/sim_threads.c" -o "$guest" 2> err; then
		cat err
		echo "Bail out! sim_threads.c cannot be compiled"
		exit 1
	fi
	check "$guest: a second thread, then a third" divisions 1
	check "$guest: 17 threads at once, and 17 that follow them" divisions 17
	check "$guest: 200" divisions 200
done

# ---- ends while threads are made

if ! ${CC:-cc} -O1 -pthread -x c -o ends - 2> err << 'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile double sink;
__attribute__((noinline, noclone)) static double divide(long n)
{
	double x = 1;

	for (; n; n--)
		x = 3 / (x + 1);
	return x;
}
static void *nothing(void *argument)
{
	return argument;
}
static void *make(void *argument)
{
	pthread_t thread;

	for (;;)
		if (!pthread_create(&thread, NULL, nothing, argument))
			pthread_join(thread, NULL);
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	(void)argv;
	for (i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, make, NULL))
			return 1;
	usleep(50000);
	sink = divide(1000);
	if (argc > 1)
		abort();
	_exit(0);
}
C
then
	cat err
	echo "Bail out! a program cannot be compiled"
	exit 1
fi
# Another of its threads may be cut within a block.
ends()
{
	run 0 --no-progress -f csv -e FPU_DIV_1 -o csv ./ends &&
		[ "$(awk -F, '$1 == "run" && $5 == "FPU_DIV_1" { print $6 }' csv)" = 1000 ] && ! grep ',at least' csv
}
# With an emulator that keeps counts to itself (interface 4) what was done last may be lost, which is said.
aborts()
{
	run 134 --no-progress -f csv -e FPU_DIV_1 -o csv ./ends abort && ! grep 'more than there is' csv || return 1
	divided=$(awk -F, '$1 == "run" && $5 == "FPU_DIV_1" { print $6 }' csv)
	[ "$divided" = 1000 ] && ! grep ',at least' csv && return
	[ "$divided" -le 1000 ] && grep 'ended while another began' csv && grep '^run,.*,\(uncounted\|at least\),' csv
}
if cannot_simulate; then
	skip "a process ends while its threads make others" "$missing"
	skip "... by a signal" "$missing"
else
	check "a process ends while its threads make others" ends
	check "... by a signal" aborts
fi

# ---- a thread whose stack is plain memory, when memory is shared already

if ! ${CC:-cc} -O1 -pthread -x c -o begins - 2> err << 'C'
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static char stack[65536] __attribute__((aligned(16)));
static int begin(void *argument)
{
	(void)argument;
	syscall(SYS_exit, 0);
	return 0;
}
/* 0: the call came back in less than 0.9 s */
int main(void)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	struct timespec a, b;

	if (mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (clone(begin, stack + sizeof(stack), flags, NULL) < 0)
		return 3;
	clock_gettime(CLOCK_MONOTONIC, &b);
	_exit((b.tv_sec - a.tv_sec) * 10 + (b.tv_nsec - a.tv_nsec) / 100000000 >= 9);
}
C
then
	cat err
	echo "Bail out! a program cannot be compiled"
	exit 1
fi
# The machine may be busy; who waits for itself takes a second each time.
begins()
{
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		"$tool" --no-progress -e INSTRUCTIONS -o counts ./begins && return 0
	done
	return 1
}
if cannot_simulate; then
	skip "the first thread begins at once" "$missing"
else
	check "the first thread begins at once" begins
fi

# ---- killed from outside

if ! ${CC:-cc} -O1 -x c -o spin - 2> err << 'C'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	volatile long n;

	(void)argv;
	for (n = 1000000; n; n--)
		;
	close(creat("counted", 0600));
	if (argc > 1)
		pause();
	for (;;)
		n++;
}
C
then
	cat err
	echo "Bail out! a program cannot be compiled"
	exit 1
fi
# killed [waits]: by somebody else, a second after it has done what counts, and when it waits
killed()
{
	rm -f counted
	"$tool" --no-progress -e INSTRUCTIONS -f csv -o csv sh -c 'echo $$ > pid; exec ./spin "$@"' sh "$@" 2> err &
	job=$!
	until_passes [ -e counted ] || return 1
	sleep 1
	[ $# = 0 ] || until_passes grep -q '^State:[[:space:]]*S' "/proc/$(cat pid)/status" || return 1
	kill -KILL "$(cat pid)" || return 1
	wait $job
	[ $? = 137 ]
}
waiting_is_whole()
{
	killed waits || return 1
	[ "$(awk -F, '$1 == "run" && $5 == "INSTRUCTIONS" { print ($6 > 3000000) }' csv)" = 1 ] && ! grep 'at least' csv &&
		! grep ',at most' csv
}
# With an emulator that keeps counts to itself (interface 4) the last of them are lost with it.
running_is_marked()
{
	killed || return 1
	if grep -q 'hundredths of a second may not be in the counts' csv; then
		grep '^run,,,,INSTRUCTIONS,[0-9].*,at least,' csv
	else
		[ "$(awk -F, '$1 == "run" && $5 == "INSTRUCTIONS" { print ($6 > 3000000) }' csv)" = 1 ] &&
			grep '^run,.*,at most' csv
	fi
}
if cannot_simulate; then
	skip "killed while it waits: all of it" "$missing"
	skip "killed while it runs: not said to be exact" "$missing"
else
	check "killed while it waits: all of it" waiting_is_whole
	check "killed while it runs: not said to be exact" running_is_marked
fi
