#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_whole.sh - the rows of a report sum to what a counter of the whole run has, to the last page fault and system
# call. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 21

cat > whole.c << 'END'
#include <libhpm.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "touch.h"

static int is(const char *word, char **argv)
{
	return argv[1] && !strcmp(word, argv[1]);
}

static void calls(int n)
{
	while (n--)
		syscall(SYS_getsid, 0);
}

static void *work(void *argument)
{
	calls(5);
	touch_pages(500);
	return argument;
}

static void work_in_threads(int n)
{
	pthread_t thread[16];
	int i;

	for (i = 0; i < n; i++)
		pthread_create(&thread[i], 0, work, 0);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], 0);
}

static void work_in_child(int marks)
{
	pid_t child = fork();

	if (child) {
		waitpid(child, 0, 0);
		return;
	}
	if (marks)
		hpmStart(2, "child");
	calls(7);
	if (marks)
		hpmStop(2);
	exit(0);
}

int main(int argc, char **argv)
{
	int i;

	(void)argc;
	calls(3); /* before all counters */
	hpmStart(1, "region");
	calls(100);
	touch_pages(1000);
	if (is("threads", argv))
		work_in_threads(16);
#pragma omp parallel num_threads(is("team", argv) ? 4 : 1)
	touch_pages(100);
	hpmStop(1);
	calls(20);
	if (is("outside", argv))
		work_in_threads(4);
	if (is("forks", argv) || is("child", argv))
		work_in_child(is("forks", argv));
	if (is("exec", argv))
		execl(argv[0], argv[0], "threads", NULL);
	for (i = 3; is("closes", argv) && i < 1024; i++)
		close(i);
	return 0;
}
END
CC="$CC -fopenmp"
hpm whole || { cat err; exit 1; }

if cannot_count; then
	run 0 -e $faults -- ./whole
	check 'without perf_event_open a report has no whole, and says why' \
		eval 'grep -q "an event was not counted in the whole run: " err && ! grep -q "parts and the whole" err'
	skip_rest 'rows and the whole run' "$missing"
	exit
fi
# whole EVENT: sum of the rows, the whole run, in no row
whole()
{
	tr -d , < err | awk -v event="$1" '/The parts and the whole/ { found = 1 } found && $1 == event { print $2, $3, $4 }'
}
# adds_up EVENT LEAST: the sum is the whole, and no less than that
adds_up()
{
	# shellcheck disable=SC2046 # three words
	set -- "$2" $(whole "$1")
	[ $# = 4 ] && [ "$2" = "$3" ] && [ "$4" = 0 ] && [ "$2" -ge "$1" ] || { echo "# $*"; return 1; }
}
# row REGION EVENT: its value in the text
row()
{
	tr -d , < err | awk -v region="$1" -v event="$2" '$1 == "Region" { at = $2 } at == region && $1 == event { print $2; exit }'
}
for how in plain threads team outside exec; do
	least=1100
	case $how in
	threads) least=9100 ;;
	team) least=1400 ;;
	outside) least=3100 ;;
	exec) least=10200 ;;
	esac
	run 0 -e $faults -- ./whole $how
	check "$how: page faults of the rows are those of the run" adds_up $faults $least
done
run 0 -e $faults -- ./whole forks
forks()
{
	# shellcheck disable=SC2046 # three words
	set -- $(whole $faults)
	[ "$1" -lt "$2" ] && [ $((11 * ($2 - $1))) -gt 0 ] && [ $(($2 - $1)) = "$3" ]
}
check "a forked child's faults before its first mark are in no row, and their number is said" forks
run 0 -e $faults -- ./whole closes
closes()
{
	[ -n "$(row '(start)' $faults)" ] && [ -z "$(row '(end)' $faults)" ] && forks
}
check "a program that closes all descriptors has no row (end), and its number is said" closes

run 0 -e $faults -f json -o json -- ./whole threads
leaves_of json
check "JSON has the sum, the whole, and what is in no row" eval \
	'grep -q "/whole/0/in_no_row.0.0$" leaves && grep -q "/whole/0/parts/exactness..exact" leaves'
mkdir ranks
for rank in 0 1 2; do
	export PMI_RANK=$rank PMI_SIZE=3
	run 0 -e $faults -o 'ranks/%r.%p' -- ./whole threads
done
unset PMI_RANK PMI_SIZE
run 0 --merge ranks
merged()
{
	tr -d , < out > err && adds_up $faults 27300
}
check "ranks that are merged have the sum of their wholes" merged
rm ranks/0.*.whole
run 0 --merge ranks
check "... and none where one of them has no counter" eval '! grep -q "parts and the whole" out'
mangled()
{
	good=$(ls ranks/1.*.whole)
	cp "$good" good && i=0
	while [ "$i" -lt 60 ]; do
		awk -v seed="$i" 'BEGIN { srand(seed) } { n = split($0, c, ""); at = 1 + int(rand() * n)
			c[at] = substr("[]{}:,0-9e\"n", 1 + int(rand() * 11), 1); line = ""
			for (k = 1; k <= n; k++) line = line c[k]; print line }' good > "$good"
		run 0 --merge ranks || return 1
		i=$((i + 1))
	done
}
check "files of counters that are none end nothing" mangled
run 0 -e upc:::task::minflt,$faults -- ./whole threads
why()
{
	adds_up $faults 9100 && grep -q 'whole run: it is not counted by perf_event_open$' err
}
check "events without a counter of the whole run are said to have none" why
limited()
{
	(ulimit -n 200 && run 0 -e $faults -- ./whole) && adds_up $faults 1100
}
check "few descriptors are enough" limited
no_memory()
{
	(ulimit -f 64 && run 0 -e $faults -- ./whole) && grep -q 'whole run is not counted: no memory' err &&
		! grep -q 'parts and the whole' err
}
check "where no memory can be shared, the report says so" no_memory

called=upc:::tp::syscalls:sys_enter_getsid
if [ ! -r /sys/kernel/tracing/events/syscalls/sys_enter_getsid/id ]; then
	skip_rest 'system calls of the rows are those of the run' 'no tracepoints for this user'
	exit
fi
# counted HOW START REGION OUTSIDE WHOLE
counted()
{
	run 0 -e $called -- ./whole "$1" && [ "$(row '(start)' $called)" = "$2" ] &&
		[ "$(row region $called)" = "$3" ] && [ "$(row '(outside)' $called)" = "$4" ] &&
		[ "$(row '(end)' $called)" = 0 ] && [ "$(whole $called)" = "$5 $5 0" ]
}
check "system calls: before the first mark, in the region, outside" counted plain 3 100 20 123
check "... in threads of the region" counted threads 3 180 20 203
check "... in threads of no region" eval 'counted outside 3 100 20 143'
check "... in a forked child" counted forks 3 100 20 130
check "... in a program that another one becomes by exec" counted exec 6 280 40 326
run 0 -e $called -- ./whole child
check "... and those of a child without regions are in no row" eval '[ "$(whole $called)" = "123 130 7" ]'
check "... and the report says why" grep -q "sys_enter_getsid: more than 1 % of the run is in no row, as what children" err
