#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_parallel.sh - counts of each thread are exact wherever in a process's life the second thread
# begins: the same blocks run before it, beside it, and in children that are forked before
# and behind it (thread.h: blocks without a call). $UPC_RUN is the tool, $UPC_SIM_PLUGIN the
# simulator.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN

echo "1..17"

# divisions OPTION... -- ARGUMENT...: of each thread, sorted, is what $expected says
divisions()
{
	run 0 --no-progress -t -f csv -e FPU_DIV_1 -o csv "$@" || return 1
	got=$(awk -F, '$1 == "thread" && $4 == "" && $5 == "FPU_DIV_1" { print $6 }' csv | sort -n | tr '\n' ' ')
	[ "$got" = "$expected" ] || { echo "# $got"; echo "# not $expected"; false; }
}

all="40 20007 20010 20020 20030 20050 20060 "
first="20007 20030 "
for guest in x86_64:x86_64 aarch64:aarch64 ppc:powerpc riscv64:riscv64; do
	compiler=${guest#*:}-linux-gnu-gcc
	guest=${guest%:*}
	if ! command -v "$compiler" > missing || ! command -v "qemu-$guest" > missing; then
		for name in threads shared off alone; do
			skip "$guest: $name" "no $compiler or no qemu-$guest: scripts/packages.sh, PACKAGES_SIM"
		done
		continue
	fi
	if ! "$compiler" -O1 -static -pthread "$srcdir/ctests/sim/sim_parallel.c" -o "$guest" 2> err; then
		cat err
		echo "Bail out! sim_parallel.c cannot be compiled"
		exit 1
	fi
	expected=$all
	check "$guest: threads and children, in all orders" divisions -- "./$guest"
	check "... with memory that is shared before" divisions -- "./$guest" shared
	expected=$first
	check "... children that do not count" divisions --children=off -- "./$guest"
	check "... and with shared memory" divisions --children=off -- "./$guest" shared
done

# A child that is forked while the emulator's first thread ends must not find its unwinder half
# loaded: it is there before there are threads. The emulator's own mappings are seen from outside.
cat > unwinder.c << 'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *wait_for_ever(void *argument)
{
	pause();
	return argument;
}
/* 0: yes */
static int has_unwinder(pid_t pid)
{
	char line[512];
	FILE *maps;
	int found = 0;

	snprintf(line, sizeof(line), "/proc/%d/maps", (int)pid);
	maps = fopen(line, "r");
	if (!maps)
		return 2;
	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, "/libgcc_s.so") != NULL;
	return !found;
}
int main(void)
{
	pthread_t thread;
	int ready[2], status;
	pid_t child;
	char byte = 0;

	if (pipe(ready))
		return 3;
	child = fork();
	if (child == 0)
		_exit(read(ready[0], &byte, 1) == 1 ? has_unwinder(getppid()) : 4);
	if (pthread_create(&thread, NULL, wait_for_ever, NULL) || write(ready[1], &byte, 1) != 1)
		return 5;
	waitpid(child, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 6);
}
C
if cannot_simulate; then
	skip "the emulator's unwinder is loaded before there are threads" "$missing"
elif ! ${CC:-cc} -O1 -static -pthread -o unwinder unwinder.c 2> err; then
	skip "the emulator's unwinder is loaded before there are threads" "the compiler makes no static program"
else
	check "the emulator's unwinder is loaded before there are threads" run 0 --no-progress -e FPU_DIV_1 -o csv -- ./unwinder
fi
