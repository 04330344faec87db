#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# upc_run_unit.sh - the simulated node's unit, read by upc_top while a program runs: its events,
# counts that grow, and in the end those of the report; names that are taken or none; runs
# that are interrupted or killed. $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator,
# $UPC_TOP upc_top.
tool=${UPC_RUN:-upc_run}
top=${UPC_TOP:-upc_top}
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN
unit=run-test.$$
page=/dev/shm/upc.$(id -u).$unit
runner=

trap ': > stop
	[ -z "$runner" ] || kill -9 $runner 2> /dev/null
	rm -rf "$dir" "$page" "$page-2"' EXIT

plan 26

# ---- what needs no emulator

# refused TEXT ARGUMENT...: in one line, and nothing runs
refused()
{
	text=$1
	shift
	rm -f ran
	run 125 "$@" sh -c ': > ran' && grep -q -e "$text" err && [ "$(wc -l < err)" -le 2 ] && [ ! -e ran ]
}

check "'' is no name" refused "--unit wants an argument" --unit=
for name in a/b .hidden "a b" "$(printf '%065d' 0)"; do
	check "'$name' is no name" refused "'$name' is no name for a unit: .* 1 to 64 of the characters" \
		"--unit=$name"
done
check "no pair of cores" refused "0-1 or 2-3" --unit=a --unit-cores=1-2
check "cores of no unit" refused "--unit=NAME shows one" --unit-cores=0-1
no_memory()
{
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs none /dev && : > /dev/null && exec "$0" "$@"' \
		"$tool" --unit="$unit" sh -c ': > ran' > out 2> err
	[ $? = 125 ] && grep -q "mount a tmpfs at /dev/shm" err && [ "$(wc -l < err)" = 1 ] && [ ! -e ran ]
}
if unshare -m mount -t tmpfs none /dev/shm 2> /dev/null; then
	check "no shared memory" no_memory
else
	skip "no shared memory" "no mount name space of one's own here"
fi

# ---- watched

if cannot_simulate; then
	skip_rest "a unit that is watched" "$missing"
	exit 0
fi

# shellcheck disable=SC2016
echo 'i=0; while [ ! -e stop ]; do i=$((i + 1)); done' > loop.sh

# begin ARGUMENT...: a program that runs until there is a file 'stop'; $runner
begin()
{
	rm -f stop csv
	"$tool" -z -e 'PU?_*' -f csv -o csv "$@" sh loop.sh > run.out 2> run.err &
	runner=$!
}

# ends STATUS: upc_run, by itself
ends()
{
	wait "$runner"
	got=$?
	runner=
	[ $got = "$1" ] || { echo "# status $got, not $1"; sed 's/^/# /' run.err; false; }
}

# finish STATUS: the program ends, and upc_run so
finish()
{
	: > stop
	ends "$1"
}

# counts FILE: of the last table that upc_top has drawn: "EVENT COUNT"
counts()
{
	awk '$1 == "ctr" { delete count } $NF ~ /^PU[0-3]_/ { gsub(",", "", $2); count[$NF] = $2 }
		END { for (event in count) print event, count[event] }' "$1" | sort
}

count()
{
	counts "$1" | sed -n "s/^$2 //p"
}

# exceeds EVENT LIMIT [NAME]: now
exceeds()
{
	"$top" -b -n 1 "${3:-$unit}" > out 2> err || return 1
	now=$(count out "$1")
	[ "${now:-0}" -gt "$2" ]
}

begin --unit="$unit"
check "a unit is shown while the program runs" until_passes exceeds PU0_DATA_LOADS 0
check "... under the names of its events" [ "$(counts out | cut -d_ -f1 | sort | uniq -c | tr -s ' \n' ' ')" = \
	" 29 PU0 29 PU1 " ]
check "... and not those that nothing produces" [ -z "$(count out PU0_DCACHE_MISS)" ]
check "... it runs" grep -q '^running, 58 events' out
check "... its counts grow" until_passes exceeds PU0_DATA_LOADS "${now:-0}"
check "... and grow" until_passes exceeds PU0_DATA_LOADS "${now:-0}"
second()
{
	"$tool" --unit="$unit" -o report sh -c 'exit 3' > out 2> err
	[ $? = 3 ] && grep -q "the unit is shown as '$unit-2': another run shows '$unit'" err && [ ! -e "$page-2" ]
}
check "another run of the name is NAME-2, and says so" second
# watch: upc_top in the background, $watcher; seen is its output
watch()
{
	: > seen
	"$top" -b -I 1000s "$unit" > seen 2> top.err &
	watcher=$!
	until_passes [ -s seen ]
}
watch
check "the program ends" finish 0
wait "$watcher"
check "... its unit, too" grep -q '^\*\*\* ended by its owner: these are the last counts' seen
# same: what was seen last is what was reported
same()
{
	counts seen > last
	awk -F, '$1 == "run" && $4 == "" { print $5, $6 }' csv | sort > reported
	comm -23 last reported > other
	sed 's/^/# not reported: /' other
	[ "$(wc -l < last)" = 58 ] && [ ! -s other ]
}
check "... with the counts of the report" same
check "... and nothing is left" [ ! -e "$page" ]

cat > cores.c << 'C'
#include <pthread.h>
#include <unistd.h>
static void *work(void *n)
{
	volatile long i;

	for (i = 0; i < (long)n || access("stop", F_OK); i++)
		;
	return 0;
}
int main(void)
{
	pthread_t thread[3];
	long i;

	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], 0, work, (void *)(1000 * (i + 1)));
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], 0);
	return 0;
}
C
if ${CC:-cc} -O1 -pthread -o cores cores.c 2> err; then
	rm -f stop csv
	"$tool" -z -e 'PU?_*' -f csv -o csv --unit="$unit" --unit-cores=2-3 ./cores > run.out 2> run.err &
	runner=$!
	check "--unit-cores=2-3: those of PU2" until_passes exceeds PU2_DATA_LOADS 0
	check "... and PU3" until_passes exceeds PU3_DATA_LOADS 0
	watch
	finish 0
	wait "$watcher"
	check "... with the counts of the report" same
else
	skip "--unit-cores=2-3: those of PU2" "there is no compiler"
	skip "... and PU3" "there is no compiler"
	skip "... with the counts of the report" "there is no compiler"
fi

# ---- interrupted, killed

# left: whether anything of the run is in shared memory
left()
{
	# shellcheck disable=SC2086
	ls -d "$page" $results $results.* > out 2> err
	[ -s out ]
}

gone()
{
	! left
}

# results: of the run that goes on, $results; whether there are any
results()
{
	results=$(sed -n 's|.* \(/dev/shm/upc-run-......\)$|\1|p' "/proc/$runner/maps" | head -n 1)
	[ -n "$results" ] && exceeds PU0_DATA_LOADS 0
}

interrupted()
{
	begin --unit="$unit"
	until_passes results && left && kill -TERM "$runner" && ends 143 && ! left
}
check "a run that is interrupted leaves nothing" interrupted
killed()
{
	begin --unit="$unit"
	until_passes results && left && kill -KILL "$runner" && until_passes gone && finish 137
}
check "... nor one that is killed, while the program goes on" killed
next()
{
	run 0 --unit="$unit" -o report true && [ ! -s err ] && ! left
}
check "... whose name the next one has" next
begin --unit="$unit"
beside()
{
	until_passes results && run 0 -o report true && [ -e "$results" ] && [ -e "$results.0" ] && finish 0
}
check "... but nothing of one that goes on" beside
