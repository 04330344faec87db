#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_exact.sh - each number says whether it is exact: what is, is the truth by construction, and
# what is not is marked, and no other. $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN

if cannot_simulate; then
	echo "1..0 # SKIP $missing"
	exit 0
fi
case $(${CC:-cc} -dumpmachine) in
x86_64-*) ;;
*)
	echo "1..0 # SKIP ${CC:-cc} makes no programs for x86-64"
	exit 0
	;;
esac

plan 8

# exact STATUS EXPECTED OPTION... PROGRAM...: "REGION EXACT" of the whole run's lines of
# INSTRUCTIONS, "run" for all of it
exact()
{
	status=$1
	expected=$2
	shift 2
	run "$status" -r csv -o csv -e INSTRUCTIONS "$@"
	got=$(awk -F, '$1 == "run" && $5 == "INSTRUCTIONS" { print ($4 ? $4 : "run"), $NF }' csv | tr '\n' ' ')
	[ "$got" = "$expected " ] || { echo "# $got, not $expected"; false; }
}

# ---- ends ------------------------------------------------------------------------------------

cat > ends.c << 'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void *sleeper(void *p)
{
	pause();
	return p;
}
__attribute__((noinline)) void inside(char how)
{
	if (how == 'f')
		*(volatile int *)8 = 1;
	if (how == 'a')
		abort();
	if (how == 'k')
		kill(getpid(), SIGKILL);
	if (how == 'r')
		raise(SIGSEGV);
}
__attribute__((noinline)) void before(void)
{
	__asm__ volatile("");
}
int main(int argc, char **argv)
{
	pthread_t thread;

	before();
	if (argc > 2)
		pthread_create(&thread, 0, sleeper, 0);
	while (argc > 2 && usleep(20000))
		;
	inside(argv[1][0]);
	return 0;
}
C
${CC:-cc} -O1 -pthread -o ends ends.c || exit 1
check "a program that ends is exact" exact 0 "run yes before yes inside yes" -R before -R inside ./ends e
check "... that is ended by a fault is not, nor the function that it was in" \
	exact 139 "run about before yes inside about" -R before -R inside ./ends f
check "... and says so" grep -q 'not exact: the whole run, inside: a thread ended within a block' csv
check "... that aborts is exact" exact 134 "run yes before yes inside yes" -R before -R inside ./ends a
check "... that raises a fault's signal, too" \
	exact 139 "run yes before yes inside yes" -R before -R inside ./ends r
check "... and one that kills itself" exact 137 "run yes before yes inside yes" -R before -R inside ./ends k
# only_main: of the threads, the first one only
threads()
{
	run 139 -t -r csv -o csv -e INSTRUCTIONS ./ends f with &&
		[ "$(awk -F, '$1 == "thread" { print $NF }' csv | sort | tr '\n' ' ')" = "about yes " ]
}
check "of two threads, one of which sleeps, only the other is not" threads
text()
{
	run 139 -R before -R inside -o text ./ends f && grep -q ' ~whole run  *before$' text &&
		grep -q ' ~inside$' text && grep -q 'Columns with ~ may be off' text
}
check "the table has a mark" text
