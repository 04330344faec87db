#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_diff.sh - several runs: their means, what two sides of them differ in, and how often that is said of
# one and the same program. Runs of known noise are made by a generator with a seed. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 33

cat > program.c << 'EOF'
#include <libhpm.h>
#include <stdio.h>
#include <stdlib.h>
#include "touch.h"

/* "exchange" has 20 pages more in each run, as the file says that counts them. "second" is in the second alone. */
int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "r+") : NULL;
	int run = 0;

	if (file && fscanf(file, "%d", &run) == 1) {
		rewind(file);
		fprintf(file, "%d", run + 1);
		fclose(file);
	}
	hpmStart(1, "setup");
	touch_pages(300);
	hpmStop(1);
	hpmStart(2, "solve");
	touch_pages(1000);
	hpmStart(3, "exchange");
	touch_pages(500 + 20 * run);
	hpmStop(3);
	hpmStop(2);
	if (run == 1) {
		hpmStart(4, "second");
		hpmStop(4);
	}
	return argc > 2 && run == atoi(argv[2]) ? 7 : 0;
}
EOF

# has REGION FIELD LOW [HIGH]: of its regions line in the JSON text
has()
{
	awk -F '\t' -v region="\"$1\"" -v field="$2" -v low="$3" -v high="${4:-$3}" '
		$1 ~ /^\/0\/regions\/[0-9]+\/region$/ && $2 == region { at = substr($1, 1, length($1) - 6) }
		{ line[$1] = $2 }
		END { if (line[at field] < low || line[at field] > high) { print "# " field " is " line[at field]; exit 1 } }' leaves
}
check "a program compiles" hpm program
echo 0 > count
check "three runs" run 0 -e $faults -r 3 -f json -o runs.json ./program count
check "... are made" [ "$(cat count)" = 3 ]
leaves_of runs.json
check "the mean of what differs is an estimate" eval 'has exchange counts/0/inclusive/value 520 522 &&
	has exchange counts/0/inclusive/exactness "\"estimate\""'
# 20 / sqrt(3), by Student 4.3027 with two degrees of freedom.
check "... with an error, and an interval" eval 'has exchange counts/0/inclusive/standard_error 11.4 11.7 &&
	has exchange counts/0/inclusive/freedom 2 && has exchange counts/0/inclusive/high 569 572'
check "... and what is the same in all is exact" eval 'has setup counts/0/inclusive/value 300 302 &&
	has setup counts/0/inclusive/exactness "\"exact\""'
check "the mean of calls is a mean" eval 'has second calls .3333 .3334 && has solve calls 1'
check "least and most are over runs" eval 'has exchange over_runs/1/min 500 502 && has exchange over_runs/1/max 540 542 && has exchange over_runs/1/n 3'
check "each run is there" eval 'leaf /0/runs/2/run 2 && leaf /0/runs/2/exit_status 0 && below /0/run_paths | grep -q "^/[0-9]*/counts/0/exclusive/value	54[0-2]$"'
echo 0 > count
check "as text" eval 'run 0 -e $faults -r 3 ./program count && grep -q "means of 3 runs" err &&
	grep -q "^second  *0.33 " err && grep -q "^solve  *1.00 " err &&
	grep -q "^$faults  *52[0-2]  *+-9[.][56] %  *52[0-2]  *+-9[.][56] %$" err && grep -q "^Over 3 runs " err'
for form in csv html hatchet; do
	check "as $form" run 0 -e $faults -r 2 --paths -f $form -o out.$form ./program
done
echo 0 > count
check "the status is that of the first run that failed" eval 'run 7 -r 3 -o text ./program count 1 && grep -q "means of 3 runs" text'
check "-r goes without -t, and without a file for each process" eval 'run 125 -r 2 -t ./program && run 125 -r 2 -o "%p" ./program'

# make NAME SEED CHANGE: a report of ten runs of six regions: FAULTS is 1000, and in some 1 more in a run of five;
# CLOCK has noise of 1 %, seconds have 2 %, and one time of ten 20 % more. solve has so much more CLOCK.
make_runs()
{
	awk -v seed="$2" -v change="$3" '
		# Twice: what follows the seed is not yet random.
		function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
		function normal(  i, sum) { for (sum = i = 0; i < 12; i++) sum += uniform(); return sum - 6 }
		BEGIN {
			state = seed * 7919 + 17
			for (i = 0; i < 20; i++) uniform()
			n = split("setup solve exchange output check", name, " ")
			printf "{\"schema\": 2, \"title\": \"made\", \"events\": [\"FAULTS\", \"CLOCK\"], \"call_paths\": [], \"runs\": ["
			for (run = 0; run < 10; run++) printf "%s{\"run\": %d}", run ? ", " : "", run
			printf "], \"run_paths\": ["
			for (run = 0; run < 10; run++)
				for (path = 0; path <= n; path++) {
					faults = 1000 + (path > 2 && uniform() < .2)
					clock = 1e6 * (path + 1) * (1 + .01 * normal())
					if (path == 2) clock *= 1 + change
					seconds = .001 * (path + 1) * (1 + .02 * normal() + (uniform() < .1 ? .2 : 0))
					printf "%s{\"run\": %d, \"path\": %d, \"region\": %s, \"parent\": %s, \"calls\": %d, ", run + path ? ",\n" : "",
						run, path, path ? "\"" name[path] "\"" : "null", path ? path == 3 ? 2 : 0 : "null", path
					printf "\"exclusive_seconds\": %.9f, \"counts\": [{\"event\": \"FAULTS\", \"exclusive\": {\"value\": %d, \"exactness\": \"exact\"}}, ",
						seconds, faults
					printf "{\"event\": \"CLOCK\", \"exclusive\": {\"value\": %d, \"exactness\": \"exact\"}}]}", clock
				}
			print "]}"
		}' > "$1"
}
# told FILE: "region event exclusive verdict" of what differs
told()
{
	"$tool" --diff "$1" -f csv -o differs "$2" &&
		awk -F, '$1 == "compared" && $14 ~ /^(less|more)$/ { print $2, $5, $4, $14 }' differs
}
# tally LINE: of two comparisons, which are in unchanged and changed; the second has to have LINE
tally()
{
	[ ! -s unchanged ] || same=$((same + 1))
	! grep -qx "$1" changed || found=$((found + 1))
	! grep -qv "^solve " changed || others=$((others + 1))
}
same=0 found=0 others=0 i=0
while [ $i -lt 100 ]; do
	make_runs a.json $((3 * i)) 0
	make_runs b.json $((3 * i + 1)) 0
	make_runs c.json $((3 * i + 2)) .05
	told a.json b.json > unchanged
	told a.json c.json > changed
	tally "solve CLOCK 1 more"
	i=$((i + 1))
done
echo "# of 100 pairs: $same of an unchanged program have a difference; 5 % in solve is found in $found, another region is named in $others"
check "of 100 pairs of an unchanged program at most 10 have any difference" [ $same -le 10 ]
check "... and of 100 with 5 % more in one region at least 90 have it" [ $found -ge 90 ]
check "... and at most 10 another one" [ $others -le 10 ]

# make_turns BEFORE AFTER SEED CHANGE: reports of ten runs each, in turn, on a machine that is slower by 40 % in phases
# of eleven runs; besides, times have noise of 1 %. solve takes so much longer.
make_turns()
{
	awk -v before="$1" -v after="$2" -v seed="$3" -v change="$4" '
		function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
		function normal(  i, sum) { for (sum = i = 0; i < 12; i++) sum += uniform(); return sum - 6 }
		BEGIN {
			state = seed * 7919 + 17
			for (i = 0; i < 20; i++) uniform()
			n = split("setup solve exchange output check", name, " ")
			begun = int(22 * uniform())
			for (turn = 0; turn < 20; turn++) {
				run = int(turn / 2)
				side = (turn + run) % 2
				slow = int((turn + begun) / 11) % 2
				runs[side] = runs[side] sprintf("%s{\"run\": %d, \"turn\": %d}", run ? ", " : "", run, turn)
				for (path = 0; path <= n; path++) {
					seconds = .001 * (path + 1) * (1 + .4 * slow) * (1 + .01 * normal())
					if (path == 2 && side) seconds *= 1 + change
					paths[side] = paths[side] sprintf("%s{\"run\": %d, \"path\": %d, \"region\": %s, \"parent\": %s, \"calls\": 1, \"exclusive_seconds\": %.9f, \"counts\": []}",
						run + path ? ",\n" : "", run, path, path ? "\"" name[path] "\"" : "null", path ? "0" : "null", seconds)
				}
			}
			for (side = 0; side < 2; side++)
				printf "{\"schema\": 2, \"title\": \"made\", \"turns\": \"%d\", \"events\": [], \"call_paths\": [], \"runs\": [%s],\n\"run_paths\": [%s]}\n",
					seed, runs[side], paths[side] > (side ? after : before)
		}'
}
same=0 found=0 others=0 alone=0 i=0
while [ $i -lt 100 ]; do
	make_turns a.json b.json $((2 * i)) 0
	make_turns c.json d.json $((2 * i + 1)) .05
	sed 's/"turns"/"was"/' d.json > e.json
	told a.json b.json > unchanged
	told c.json d.json > changed
	told c.json e.json > unpaired
	tally "solve seconds 0 more"
	! grep -q "^solve " unpaired || alone=$((alone + 1))
	i=$((i + 1))
done
echo "# of 100 pairs in turn: $same of an unchanged program have a difference; 5 % in solve is found in $found, another region is named in $others; without pairs it is found in $alone"
check "of 100 pairs in turn, of an unchanged program, at most 10 have any difference" [ $same -le 10 ]
check "... and of 100 with 5 % more time in one region at least 90 have it" [ $found -ge 90 ]
check "... and at most 10 another one" [ $others -le 10 ]
check "... which means of all runs do not find" [ $alone -le 10 ]
check "pairs are told from runs that are not" eval 'run 0 --diff c.json -f json -o json d.json && leaves_of json && leaf /0/pairs 10 && run 0 --diff c.json -f json -o json e.json && leaves_of json && leaf /0/pairs 0'

make_runs a.json 1 0
make_runs b.json 2 0
sed 's/"value": 1000, "exactness": "exact"}}, {"event": "CLOCK"/"value": 1001, "exactness": "exact"}}, {"event": "CLOCK"/; s/"value": 1000,/"value": 1001,/' a.json > more.json
check "a count that is the same in all runs of a side is told by one" eval 'told a.json more.json > changed && grep -qx "setup FAULTS 0 more" changed'
check "... and text has it" eval 'run 0 --diff a.json more.json && grep -q "^setup  *FAULTS  *inclusive  *1,000  *1,001  *+0[.]1 %" out && grep -q "differ by more than runs do" out'
sed 's/"runs": .*"run_paths"/"runs": [{"run": 0}], "run_paths"/; /"run": [1-9]/d' a.json | sed '$s/,$/]}/' > one.json
sed 's/"value": 1000,/"value": 1500,/' one.json > other.json
check "of one run a side nothing is judged" eval 'run 0 --diff one.json other.json && grep -q "^Nothing is judged" out && grep -q "^setup  *FAULTS  *inclusive  *1,000  *1,500  *+50[.]0 %$" out'
check "... nor of one and ten" eval 'told one.json b.json > changed && [ ! -s changed ] && grep -q "not judged" differs'
check "several files of a side are its runs" eval 'run 0 --diff one.json one.json one.json one.json -- other.json other.json other.json other.json &&
	grep -q "^Before: one.json, .* (4 runs)$" out && grep -q "^After: .* (4 runs)$" out && grep -q "^setup  *FAULTS " out'
check "... of one, of the other" eval 'run 0 --diff a.json -- b.json one.json && grep -q "^After: .* (11 runs)$" out && run 0 --diff a.json one.json -- b.json && grep -q "^Before: .* (11 runs)$" out'
check "... and need to be told apart" eval 'run 125 --diff a.json b.json one.json && grep -q -e "-- behind those before" err'
sed 's/"run": 9,/"run": 10,/' a.json > wrong.json
check "a path of a run that is not there is an error" eval 'run 125 --diff a.json wrong.json && grep -q "a path is of a run that is not there" err'
mkdir runs && cp a.json runs
check "several runs are no file of a process" eval 'run 125 --merge runs && grep -q "a report of 10 runs" err'
check "call paths are compared as well" eval 'run 0 --diff a.json --paths -f json -o json b.json && leaves_of json && leaf /0/schema 2 && leaf /0/runs_before 10 && leaf /0/judged true'
