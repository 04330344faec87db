#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# upc_regions.sh - the tool: sums over threads and processes whose truth is known, by name and by call
# path; files of ranks, one of which is killed; files that are none. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 64

cat > program.c << 'EOF'
#include <libhpm.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "touch.h"

/* Thread k: 1000 * (k + 1) pages in "solve", and 500 in "exchange" inside of it, twice. */
static void *work(void *argument)
{
	long k = (long)argument;
	int i;

	for (i = 0; i < 2; i++) {
		hpmTstart(3, "solve");
		touch_pages(1000 * (k + 1));
		hpmTstart(4, "exchange");
		touch_pages(500);
		hpmTstop(4);
		hpmTstop(3);
	}
	return NULL;
}

static void threads(long n)
{
	pthread_t thread[8];
	long i;

	for (i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

/* Touches 4000 pages in "left", where the program's end finds it. */
static pthread_barrier_t inside;

static void *stay(void *argument)
{
	hpmTstart(5, "left");
	touch_pages(4000);
	pthread_barrier_wait(&inside);
	for (;;)
		pause();
	return argument;
}

static int pages = 300;

static void recur(int depth)
{
	if (!depth)
		return;
	hpmTstart(6, "recur");
	touch_pages(pages);
	recur(depth - 1);
	hpmTstop(6);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "threads";

	pthread_barrier_init(&inside, NULL, 2);
	hpmStart(1, "setup");
	touch_pages(3000);
	hpmStop(1);
	if (!strcmp(what, "threads"))
		threads(3);
	/* A starts, B starts, A ends, B ends: 600, 700, 800 pages. */
	if (!strcmp(what, "overlap")) {
		hpmStart(10, "A");
		touch_pages(600);
		hpmStart(11, "B");
		touch_pages(700);
		hpmStop(10);
		touch_pages(800);
		hpmStop(11);
	}
	pages = argc > 3 ? atoi(argv[3]) : pages;
	if (!strcmp(what, "recur"))
		recur(argc > 2 ? atoi(argv[2]) : 4);
	if (!strcmp(what, "fork")) {
		if (!fork()) {
			hpmStart(1, "setup");
			touch_pages(2000);
			hpmStop(1);
			exit(0);
		}
		wait(NULL);
	}
	if (!strcmp(what, "left")) {
		pthread_t thread;

		pthread_create(&thread, NULL, stay, NULL);
		pthread_barrier_wait(&inside);
		return 0;
	}
	if (!strcmp(what, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(what, "term"))
		kill(getpid(), SIGTERM);
	return !strcmp(what, "fails") ? 7 : 0;
}
EOF

# is REGION COLUMN LOW [HIGH]
is()
{
	value=$(field "$1" "$2")
	[ -n "$value" ] && awk -v v="$value" -v low="$3" -v high="${4:-$3}" 'BEGIN { exit !(v + 0 >= low && v + 0 <= high) }' ||
		{ echo "# $1 $2: '$value'"; return 1; }
}

is_exactly()
{
	[ "$(field "$1" exactness)" = "$2" ] || { echo "# $1 is $(field "$1" exactness)"; return 1; }
}
# path_calls REGION PARENT CALLS: of the call path that ends so
path_calls()
{
	awk -F, -v region="$1" -v parent="$2" -v calls="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "path" { name[$at["path"]] = $2 }
		$1 == "path" && $2 == region && name[$at["parent"]] == parent { found = $at["calls"] == calls }
		END { exit !found }' csv
}

check "a program compiles" hpm program
check "it runs" csv ./program
check "calls are of all threads" is solve calls 6
check "what is inside counts" is solve value 15000 15200
check "... and is not exclusive" is solve exclusive_value 12000 12200
check "... but is of the inner region" is exchange value 3000 3200
check "each is exact" is_exactly solve exact
check "a region of one thread" is setup value 3000 3100
check "outside is exclusive" is "(outside)" exclusive_value 0 400
whole_is_sum()
{
	csv --paths ./program || return 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "path" && $2 == "(whole)" { whole = $at["value"] }
		$1 == "path" { sum += $at["exclusive_value"] }
		END { print "# " sum " of " whole; exit !(whole > 18000 && sum == whole) }' csv
}
check "exclusive counts of all call paths are the whole, exactly" whole_is_sum
without_pmu()
{
	[ -e /sys/bus/event_source/devices/cpu ] && return
	run 125 -e PAPI_TOT_INS ./program && grep 'no PMU' err && grep "upc_run -e INSTRUCTIONS" err
}
check "without a PMU, it says why instructions are not counted, and what counts them" without_pmu
check "it ends while a thread is inside its first region" csv ./program left
check "... whose counts are no exact 0" eval 'field left exactness | grep -E "^(uncounted|at least)$"'
check "... and says why" eval 'field left reason | grep -E "not counted"'
names_are_whole()
{
	csv ./program || return 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $1 == "region" && $2 !~ /^.(start|end|measuring).$/ { sum += $at["exclusive_value"] }
		END { print "# " sum; exit !(sum >= 18000 && sum <= 18600) }' csv
}
check "... and those of all names" names_are_whole
csv -t ./program
thread_sums()
{
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "region" && $2 == "solve" { all = $at["value"] }
		$1 == "thread" && $2 == "solve" { n++; sum += $at["value"]; if ($at["value"] > most) most = $at["value"] }
		END { print "# " n ": " sum " of " all ", most " most; exit !(n == 3 && sum == all && most >= 7000 && most < 7200) }' csv
}
check "threads' lines add up to that of all" thread_sums
long_names()
{
	long=upc:::task::nonvoluntary_ctxt_switches,upc:::task::voluntary_ctxt_switches
	run 0 -t -e $long -o text ./program && grep -q "^Region .*Exclusive \[s\]  ${long%,*}   *${long#*,}$" text
}
check "heads of long names have blanks between them" long_names

run 0 -e $faults -o text ./program
check "the table is in the file" eval 'grep -q "^solve  *6  *3 " text && grep -q "^Region exchange$" text'
check "... with minimum and maximum of threads, and who has them" grep -q "^$faults  *3,0[0-9][0-9]  *[1-3]  *7,0[0-9][0-9]  *[1-3]  *5,0[0-9][0-9]  " text
check "... and how exact" grep -q "^$faults  *15,[01][0-9][0-9]  *exact  *12,[01][0-9][0-9]  *exact$" text
run 0 ./program
check "without events there are calls and times, on standard error" eval '[ ! -s out ] && grep -q "^solve  *6  *3  *0\.[0-9]" err && ! grep -q faults err'

csv ./program overlap
check "overlapping regions: the first" is A value 1300 1400
check "... and the second" is B value 1500 1600
check "... of its own" is B exclusive_value 1500 1600
check "... both at once" eval 'csv --paths ./program overlap && path_calls B A 1 && path_calls B "(whole)" 0'
csv ./program recur
check "a region inside itself counts once" is recur value 1200 1300
check "... and all its starts" is recur calls 4
check "... however deep" eval 'csv ./program recur 200 && is recur value 60000 61000 && is recur calls 200'
deep_paths()
{
	csv --paths ./program recur 100 || return 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$2 == "recur" { n++; sum += $at["exclusive_value"]; low += $at["exclusive_value"] < 300 }
		END { print "# " n ": " sum; exit !(n == 100 && !low && sum <= 31000) }' csv
}
check "... by call path" deep_paths
# A call path has its parent's number, and not all names.
deep_forms()
{
	mkdir deep && "$tool" -e $faults -o 'deep/%p' ./program recur 5000 0 > out 2> err || return 1
	for form in text json csv hatchet html; do
		run 0 --merge deep --paths -f $form -o deep.$form && [ "$(wc -c < deep.$form)" -lt 10000000 ] ||
			{ echo "# $form: $(wc -c < deep.$form)"; return 1; }
	done
	[ "$(grep -c '^path,recur,' deep.csv)" = 5000 ] && leaves_of deep.json && leaf /0/schema 2 &&
		"$tool" --diff deep.json --paths deep.json > out && grep -q '^Nothing is judged' out
}
check "5,000 deep: some MB in each form" deep_forms
csv ./program fork
check "a child adds up" is setup value 5000 5200
check "... and its calls" is setup calls 2

check "the example of README" eval "$CC -I$srcdir/include $srcdir/examples/regions.c -o regions -L$libraries -lhpm -lpthread \
	-Wl,-rpath,$libraries 2> err && csv ./regions && is solve value 41600 41600 && is exchange value 1600 1600 && is setup value 2000 2000"
check "an event that cannot be counted is refused before the program runs" eval \
	'run 125 -e none:::such,$faults touch started && grep -q "none:::such" err && [ ! -e started ]'
printf 'upc-metrics 1\nevent NONE = perf "none:::such"\nevent FAULTS = perf "%s"\n' $faults > missing.metrics
echo 'derived SHARE = "(NONE) / FAULTS" unit "faults" describe "None."' >> missing.metrics
check "one of a set of metrics has its reason" eval \
	'run 0 -m ./missing.metrics ./program && grep -q "^Note: none:::such: event refused: .*no event.* (4 times)" err &&
	grep -q "^none:::such  *-  *-  *-  *-  *-  *not counted$" err'
check "... and no spread" eval 'run 0 -m ./missing.metrics -f json -o json ./program && leaves_of json && ! grep -q "/over_threads/1/\(min\|mean\)	[0-9]" leaves'
check "more events than there is room for are refused" eval \
	'run 125 -e "$(awk "BEGIN { while (i++ < 300) printf \"%s\", \"$faults,\" }")" ./program && grep -q "names 300 events, and a region can have 256" err'
check "the exit status is the program's" run 7 -o text ./program fails
check "... with a report" grep -q "^setup " text
killed()
{
	"$tool" -o text ./program term > out 2> err
	[ $? -gt 128 ]
}
check "a signal ends upc_regions as the program" killed
check "a program that is not there" run 127 ./nowhere
check "a program without regions is told of" eval 'run 125 true; grep -q "no region was entered" err'
printf 'int main(void) { return 0; }\n' > plain.c
if $CC -static plain.c -o static 2> err; then
	check "a static program is refused" eval 'run 125 ./static; grep -q "is linked statically" err'
else
	skip "a static program is refused" "no static C library"
fi
printf 'void likwid_markerStartRegion(void) {} int main(void) { likwid_markerStartRegion(); return 0; }\n' > inside.c
check "LIKWID inside the program is refused" eval \
	'$CC inside.c -o inside && run 125 ./inside; grep -q "LIKWID is linked into .*link it with liblikwid.so" err'
likwid_is_lacking()
{
	mkdir -p far && printf 'void likwid_markerStartRegion(const char *t) {} void likwid_markerStopRegion(const char *t) {}\n' > far.c &&
		printf 'void likwid_markerStartRegion(const char *); void likwid_markerStopRegion(const char *);
		int main(void) { likwid_markerStartRegion("one"); likwid_markerStopRegion("one"); return 0; }\n' > marked.c &&
		$CC -w -shared -fPIC -Wl,-soname,liblikwid.so.4711 far.c -o far/liblikwid.so.4711 &&
		$CC marked.c far/liblikwid.so.4711 -o marked && rm -r far && ! ./marked 2> /dev/null &&
		csv ./marked && is one calls 1
}
check "a program runs that is linked with LIKWID, where there is none" likwid_is_lacking
check "a report that cannot be written is an error" eval 'run 125 -o /nowhere/report ./program; grep -q "cannot write" err'
if [ -c /dev/full ]; then
	check "... and so is a full disk" run 125 -o /dev/full ./program
else
	skip "... and so is a full disk" "no /dev/full"
fi
clean()
{
	mkdir -p tmp && TMPDIR=$PWD/tmp run 0 -o text ./program && [ -z "$(ls tmp)" ]
}
check "nothing is left behind" clean

mkdir ranks
for rank in 0 1 2 3; do
	what=threads
	[ $rank != 2 ] || what=kill
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 \
		"$tool" -e $faults -o 'ranks/%r.%p' ./program $what > out 2>> ranks.err
done
check "ranks leave files, the killed one too" eval '[ "$(ls ranks | grep -v whole | cut -c 1-2 | tr "\n" " ")" = "0. 1. 2. 3. " ]'
check "... and nothing else" eval '! ls ranks | grep -E "part|new"'
check "they are merged" run 0 --merge ranks -f csv -o csv
check "... to the sum" is solve value 45000 45600
check "a killed rank is named" eval 'run 0 --merge ranks && grep -q "^Note: rank 2 of 4: ended by signal 9 (Killed)" out'
check "ranks are told apart" grep -q "^Over 4 processes " out
echo '{"upc_regions": 1, "names": ["a"], "events": [], "threads": [{"nodes": [{"path": [1], "values": []}]}]}' > ranks/wrong
echo '{"upc_regions": 2}' > ranks/later
head -c 700 "$(ls ranks/0.*[0-9])" > ranks/cut
check "files that are none are told of, left out, and end with 1" eval 'run 1 --merge ranks -f csv -o csv && is solve value 45000 45600 &&
	grep -q "ranks/wrong.*a name that is not there" err && grep -q "ranks/later.*form" err && grep -q "ranks/cut.*line" err'
mangled()
{
	rm -f ranks/* && mkdir -p good && "$tool" -e $faults -o 'good/%p' ./program 2> err || return 1
	i=0
	while [ $i -lt 60 ]; do
		awk -v seed=$i 'BEGIN { srand(seed) } { n = split($0, c, ""); at = 1 + int(rand() * n)
			c[at] = substr("[]{}:,0-9e\"n", 1 + int(rand() * 11), 1); line = ""
			for (k = 1; k <= n; k++) line = line c[k]; print line }' good/*[0-9] > ranks/one
		"$tool" --merge ranks > out 2> err
		case $? in
		0 | 125) ;;
		*) echo "# seed $i"; return 1 ;;
		esac
		i=$((i + 1))
	done
}
check "damaged files end nothing" mangled
eight_bad()
{
	mkdir bad && for i in 1 2 3 4 5 6 7 8; do echo '{"upc_regions": 2}' > bad/$i; done
	run 125 --merge bad && [ "$(grep -c "is no file of upc_regions" err)" = 8 ] && ls good/* > out &&
		cp good/* bad && run 1 --merge bad
}
check "eight bad files are an error, and with a good one the answer no" eight_bad
check "an empty directory" eval 'mkdir none && run 125 --merge none; grep -q "no file of a process" err'
check "Hatchet's tree" eval 'run 0 -e $faults -f hatchet -o tree ./program && grep -q "\"name\": \"exchange\"" tree'

"$tool" -e $faults -f json -o before.json ./program > out 2> err
"$tool" -e $faults -f json -o after.json ./program fork > out 2> err
# verdict REGION: of its inclusive count
verdict()
{
	awk -F, -v region="$1" -v event="$faults" '$2 == region && $4 == 0 && $5 == event { print $14 }' differs
}
check "two runs" run 0 --diff before.json -f csv -o differs after.json
check "... are not judged" eval '[ "$(verdict setup)" = "not judged" ]'
check "... what only one has is no difference of counts" eval '[ "$(verdict solve)" = "" ]'
check "... and itself is the same" eval 'run 0 --diff before.json -f csv -o differs before.json &&
	[ "$(verdict setup), $(verdict solve)" = "not judged, not judged" ]'
check "... in words" eval 'run 0 --diff before.json after.json && grep -q "^solve .* gone$" out && grep -q "^setup  *$faults  *inclusive  *3,0[0-9][0-9]  *5,0[0-9][0-9] " out'
