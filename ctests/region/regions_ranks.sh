#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_ranks.sh - ranks of a parallel program, made by the environment that launchers give them: what
# is said of each and over all of them has a truth, also of one that was killed. $UPC_REGIONS is
# the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
[ -w /dev/shm ] || { echo "1..0 # SKIP shared memory, /dev/shm, cannot be written here"; exit 0; }
plan 40

# "work" has so many pages; then one signal in the middle of "rest".
cat > program.c << 'END'
#include <libhpm.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "touch.h"

int main(int argc, char **argv)
{
	int i;

	for (i = 0; i < 2; i++) {
		hpmTstart(1, "work");
		touch_pages(atol(argv[1]) / 2);
		hpmTstop(1);
	}
	hpmTstart(2, "rest");
	if (argc > 2)
		raise(atoi(argv[2]));
	hpmTstop(2);
	return 0;
}
END
# about VALUE TRUTH: a program's own faults are few
about()
{
	awk -v v="$1" -v truth="$2" 'BEGIN { exit !(v != "" && v >= truth && v <= truth + 50) }' ||
		{ echo "# $1, not $2"; return 1; }
}
# of_work WHAT: of its event, over processes
of_work()
{
	at "$work/over_processes/1/$1"
}
# of_threads LEAST MOST: thread 0 of the rank LEAST has the min of its event over threads, and that of MOST the max
of_threads()
{
	over=$work/over_threads/1
	[ "$(at "$over/min_rank").$(at "$over/min_thread") $(at "$over/max_rank").$(at "$over/max_thread")" = "$1.0 $2.0" ]
}
# near VALUE TRUTH: to one in a hundred
near()
{
	awk -v v="$1" -v truth="$2" 'BEGIN { d = v - truth; exit !(v != "" && d < truth / 100 && -d < truth / 100) }' ||
		{ echo "# $1, not $2"; return 1; }
}
# merged: DIRECTORY, into leaves; $work is the region's place
merged()
{
	run 0 --merge "$1" -f json -o json && leaves_of json && work=$(sed -n 's,^\(/0/regions/[0-9]*\)/region	"work"$,\1,p' leaves) && [ -n "$work" ]
}
# launch DIRECTORY RANK SIZE PAGES [SIGNAL]
open_mpi()
{
	OMPI_COMM_WORLD_RANK=$2 OMPI_COMM_WORLD_SIZE=$3 "$tool" -e $faults -o "$1/%r.%p" ./program "$4" $5 > out 2>> ranks.err
}
pmi()
{
	PMI_RANK=$2 PMI_SIZE=$3 "$tool" -e $faults -o "$1/%r.%p" ./program "$4" $5 > out 2>> ranks.err
}
slurm()
{
	SLURM_PROCID=$2 SLURM_NTASKS=$3 PMIX_RANK=$2 "$tool" -e $faults -o "$1/%r.%p" ./program "$4" $5 > out 2>> ranks.err
}

check "a program compiles" hpm program

# Ranks 0 to 4 of 6 have 1,000, 3,000, 5,000, 7,000 and 9,000 pages; rank 4 is killed, rank 5 is not there.
# Mean 5,000, standard deviation sqrt(10,000,000), imbalance 4 / 5.
for launcher in open_mpi pmi slurm; do
	mkdir $launcher
	: > ranks.err
	for rank in 0 1 2 3; do
		$launcher $launcher $rank 6 $((1000 + 2000 * rank)) ''
	done
	$launcher $launcher 4 6 9000 9
	killed=$?
	check "$launcher: a killed rank ends so" test $killed = 137
	check "... the ranks' files are merged" merged $launcher
	check "... least and most" eval 'about "$(of_work min)" 1000 && about "$(of_work max)" 9000'
	check "... and who has them" eval '[ "$(of_work min_rank) $(of_work max_rank)" = "0 4" ] &&
		[ "$(of_work max_pid)" = "$(at /0/processes/4/pid)" ] && of_threads 0 4'
	check "... mean" near "$(of_work mean)" 5000
	check "... standard deviation" near "$(of_work standard_deviation)" 3162.28
	check "... imbalance" near "$(of_work imbalance)" .8
	check "... of five ranks, by their numbers" eval \
		'[ "$(of_work n)$(at /0/processes/0/rank)$(at /0/processes/3/rank)$(at /0/processes/3/ranks)" = 5036 ]'
	check "... and the killed and the missing one are named" eval 'run 0 --merge $launcher &&
		grep -q "^Note: rank 4 of 6: ended by signal 9 (Killed), last mark at" out && grep -q "^Note: rank 5 of 6: no file was left" out &&
		[ "$(grep -c "^Note: rank" out)" = 2 ] && ! grep -q "^Note: a file was begun" out'
done

table=$(sed -n '/^Region work$/,/^$/p' out)
has_line()
{
	printf '%s\n' "$table" | grep -q "$1"
}
check "the table has them, too" has_line "^$faults  *1,0[0-9][0-9]  *0  *9,0[0-9][0-9]  *4  *5,0[0-9][0-9]  *[78][09]\.[0-9] %$"
check "... under heads" has_line "^Over 5 processes  *Min  *Rank  *Max  *Rank  *Mean  *Imbalance$"
check "... and each rank's thread" has_line "^$faults  *1,0[0-9][0-9]  *0\.0  *9,0[0-9][0-9]  *4\.0  *5,0[0-9][0-9]  *[78][09]\.[0-9] %$"
cat > own.metrics << END
upc-metrics 1
event FAULTS = perf "$faults"
derived BYTES = "4096*FAULTS" unit "bytes"
derived PER_CALL = "(FAULTS) / calls" unit "faults/call"
END
# PER_CALL is half of the faults, of two calls.
check "metrics of each rank and of all" eval 'run 0 --merge slurm -m ./own.metrics -f json -o json && leaves_of json &&
	metrics=$work/metrics_over_processes && about "$(at $metrics/1/min)" 500 && about "$(at $metrics/1/max)" 4500 && near "$(at $metrics/1/mean)" 2500 &&
	[ "$(at $metrics/1/min_rank)$(at $metrics/1/max_rank)$(at $metrics/1/sum)$(at $metrics/1/exactness)" = "04null\"exact\"" ] &&
	near "$(at $metrics/0/sum)" $((25000 * 4096)) && near "$(at $metrics/0/max)" $((9000 * 4096))'
run 0 --merge slurm -m ./own.metrics
check "CSV has a line for each of them" eval 'run 0 --merge slurm -m ./own.metrics -f csv -o csv &&
	awk -F, -v event="$faults" "\$2 == \"work\" && \$8 == event { print \$1, \$6, int(\$9 / 100), \$13 }" csv | grep process_ > lines &&
	[ "$(head -n 3 lines | tr "\n" ";")" = "process_min 0 10 exact;process_max 4 90 exact;process_mean  50 exact;" ]'
run 0 --merge slurm
check "... and sums" grep -q "^work  *10  *5 " out
# Two runs in one directory are more processes than ranks.
open_mpi open_mpi 3 6 7000 ''
check "a rank of two processes" eval 'merged open_mpi && [ "$(of_work n)" = 6 ] && run 0 --merge open_mpi && [ "$(grep -c "^Note: rank" out)" = 2 ]'
mkdir odd
for rank in -1 x 99999999999999999999 2147483648 ''; do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=x "$tool" -e $faults -o 'odd/%p' ./program 100 > out 2>> ranks.err
done
check "numbers of ranks that are none" eval 'merged odd && [ "$(at /0/processes/0/rank)$(at /0/processes/4/rank)" = nullnull ] && run 0 --merge odd && ! grep -q "Note: rank" out'
mkdir huge
OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=2147483647 "$tool" -e $faults -o 'huge/%p' ./program 100 > out 2>> ranks.err
check "more ranks than anybody names" eval 'run 0 --merge huge && [ "$(grep -c "^Note: rank" out)" = 64 ] &&
	grep -q "^Note: further ranks: no file was left.*(2,147,483,582 times)" out'
mkdir none
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 "$tool" -e $faults -o 'none/%r.%p' ./program 100 15 > out 2>> ranks.err
check "all ranks killed" eval 'run 0 --merge none && grep -q "^Note: rank 0 of 1: ended by signal 15 (Terminated), last mark at" out'
check "... and nothing else was said" eval '[ ! -s ranks.err ] || { head -n 3 ranks.err; false; }'
check "a rank's file is whole or not there" eval '[ -z "$(find . -name "*.part" -o -name "*.new")" ]'
