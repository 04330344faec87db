#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# utils_stat.sh - upc_stat runs a program as if it were not there, and what it
# prints is right by what it can be checked with. $UPC_STAT is the tool.
stat=${UPC_STAT:-upc_stat}
tool=$stat
. "${srcdir:?}/ctests/utils.inc"

lines()
{
	[ "$(wc -l < "$1")" = "$2" ]
}

# totals FILE N: as many values, none of them partial
totals()
{
	[ "$(csv "$1" '$at["record"] == "total" && $at["exactness"] == "exact"' | wc -l)" = "$2" ]
}

# value NAME [FILE]: of a CSV file's totals
value()
{
	csv "${2:-err}" '$at["record"] == "total" && $at["event"] == name { print $at["value"] }' -v name="$1"
}

choose_events
soft=$clock,$faults
threads=$soft scope=context
! cannot_count || threads=task::utime_ns,task::minflt scope=process
echo "1..56"

# ---- the program and its end

check "the exit status is the program's" run 7 -e $soft -- sh -c 'exit 7'
check "the program's output is its own" run 0 -e $soft -- echo hello
check "... and nothing is added to it" [ "$(cat out)" = hello ]
check "the table is on standard error" grep -q "$faults" err
check "a program that is not there: 127" run 127 -e $soft -- ./nowhere
check "... one line, and no table" lines err 1
check "... which says what and why" \
	grep -q "^upc_stat: cannot run './nowhere': No such file or directory" err
echo data > data
check "a file that is no program: 126" run 126 -e $soft -- ./data
check "a program that a signal ends: 128 and the signal" run 143 -e $soft -- sh -c 'kill -TERM $$'
check "... with its table" grep -q 'ended by signal 15' err

cat > catch.sh <<'SH'
trap 'echo caught > caught; exit 9' USR1
: > ready
while :; do sleep 0.1; done
SH
forwards()
{
	rm -f ready caught
	"$stat" "$@" -e $soft -- sh catch.sh > out 2> err &
	pid=$!
	until_passes [ -e ready ]
	kill -USR1 $pid
	wait $pid
	[ $? = 9 ] && [ -s caught ]
}
check "a signal sent to upc_stat reaches the program" forwards

state='grep -E "^(Sig(Blk|Ign|Cgt)|NoNewPrivs)" /proc/self/status; ulimit -n; ls /proc/self/fd'
same_state()
{
	sh -c "$state" > plain
	run 0 "$@" -e $soft -- sh -c "$state"
	cmp plain out
}
check "mask, dispositions, limit and descriptors are as without it" same_state
trap '' INT HUP CHLD
check "... also with ignored signals" same_state
trap - INT HUP CHLD
limited()
(
	ulimit -S -n 64 && same_state
)
check "... also with a low limit of files" limited

# ---- what is counted

check_perf "CSV: header and a line an event" run 0 --csv -e $soft,perf::MINOR-FAULTS,perf::MAJOR-FAULTS -- \
	sh -c 'ls / > list'
check_perf "... of 4 events" totals err 4
minor_and_major()
{
	[ "$(value perf::PAGE-FAULTS)" = "$(($(value perf::MINOR-FAULTS) + $(value perf::MAJOR-FAULTS)))" ]
}
check_perf "page faults are minor and major ones" minor_and_major
check_perf "... and not none" [ "$(value perf::PAGE-FAULTS)" -gt 10 ]

check "bytes of one process" run 0 --csv -e process::wchar -- \
	dd if=/dev/zero of=/dev/null bs=1000 count=1234 status=none
check "... are those that it wrote" [ "$(value process::wchar)" = 1234000 ]

wide()
{
	run 0 --csv -e "$1" -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do ls / > list; done'
}
"$stat" --csv -e perf::PAGE-FAULTS -- ls / 2> own > list
own=$(value perf::PAGE-FAULTS own)
check_perf "children count" wide perf::PAGE-FAULTS
check_perf "... each of them" [ "$(value perf::PAGE-FAULTS)" -gt "$((10 * own * 7 / 10))" ]

# ---- which events

check "the default is 40 events" run 0 --csv -- true
check "... whoever counts" [ "$(grep -c ^total, err)" = 40 ]
check "... none of them a tracepoint, which forks would pay for" [ "$(grep -c '^total,,[^,]*,[^,]*,tp::' err)" = 0 ]
if [ "$(sed -n 's/^Max open files  *\([0-9]*\) .*/\1/p' /proc/self/limits)" -lt 512 ]; then
	skip "--all is 256 events" "the limit of open files is low"
else
	check "--all is 256 events" [ "$("$stat" --all --csv -o all.csv -- true; grep -c ^total, all.csv)" = 256 ]
fi
detailed()
{
	run 0 -d --csv -- true && [ "$(grep -c ^total, err)" = 40 ] || return 1
	# Where this user has tracepoints at all, some are among them.
	[ "$(grep -c '^total,,[^,]*,[^,]*,tp::' err)" -gt 0 ] || ! "${MACHINE:?}" traces
}
check "-d is 40 with tracepoints" detailed
check "an unknown event: 125" run 125 -e task::minftl -- sh -c ': > ran'
check "... with the nearest names" grep -q 'task::minflt' err
check "... before anything runs" [ ! -e ran ]
check "a glob that matches nothing: 125" run 125 -e 'nosuch::*' -- sh -c ': > ran'
check "... with the pattern that was meant" run 125 -e 'tsk::*' -- true
check "... as one of the machine" grep -q "matches 'tsk::\*'; did you mean task::\*?" err
check_perf "perf's names" run 0 --csv -e page-faults:u,minor-faults,task-clock -- true
check_perf "... are events of the catalogue" [ "$(csv err '{ print $at["event"] }' | grep -c '^perf::\(PAGE-FAULTS:u\|PAGE-FAULTS\|MINOR-FAULTS\|TASK-CLOCK\)$')" = 3 ]
check_perf "perf's modifiers that have no meaning here" run 125 -e page-faults:p -- sh -c ': > ran'
# One sentence says why, and what counts it: where there is no PMU.
uncounted()
{
	run 0 --csv -e "$1" -- true && return
	[ "$(wc -l < err)" = 1 ] && grep -q "no event '$1' here: .*$2" err && [ ! -e ran ]
}
for name in instructions PAPI_TOT_INS; do
	check "$name, or why not and what counts it" uncounted $name 'upc_run -e INSTRUCTIONS PROGRAM'
done
check "cycles, or why not" uncounted cycles 'does not model time'
check "PAPI's spelling of names, and of globs" run 0 --csv -e 'upc:::process::utime_ns,upc:::process::m*flt' -- true
check "... is the same" [ "$(grep -c 'process::m[a-z]*flt\|process::utime_ns' err)" = 3 ]
check "a glob" run 0 --csv -e 'task::*_ctxt_switches,task::m*flt' -- true
check "... gives each match" totals err 4

# ---- options

bad_options()
{
	for options in "--json --csv" "-p 1 -a" "-t -a" "--interval 5" "-C x" "--all -e $soft" "--top 3" \
		       "-p 0" "--nosuch" "-e ," "-d --all"; do
		# shellcheck disable=SC2086
		run 125 $options -- sh -c ': > ran' || { echo "# $options"; return 1; }
	done
	run 125 && [ ! -e ran ]
}
check "wrong options: 125, and nothing runs" bad_options

# ---- in other forms

# Until three of two events are in the file.
intervals()
{
	run 0 --interval 100 --csv -e $soft -- \
		sh -c 'until [ "$(grep -c ^interval err)" -ge 6 ]; do sleep 0.1; done' || return 1
	# What the intervals counted is not more than the whole.
	csv err '$at["record"] == "interval" { n++; sum[$at["event"]] += $at["value"] }
		$at["record"] == "total" { all[$at["event"]] = $at["value"] }
		END { exit !(n >= 6 && sum[faults] <= all[faults] && all[faults] > 0) }' -v faults="$faults"
}
check "--interval prints as it goes" intervals

json()
{
	run 3 --json -e $soft -- sh -c 'exit 3' && leaves_of err &&
		leaf /0/exit_status 3 && leaf /0/command/0 '"sh"' && leaf /0/refused '[]' &&
		leaf /0/events/0/event "\"${soft%,*}\"" && leaf /0/events/1/event "\"${soft#*,}\"" &&
		! at /0/events/2/event && [ "$(at /0/events/1/value)" -gt 0 ] &&
		leaf /0/events/1/scope "\"$scope\"" && leaf /0/events/1/exactness '"exact"' && leaf /0/schema 2
}
check "--json is JSON" json

# ---- threads

if "${MACHINE:?}" ptrace; then
	threads()
	{
		run 5 -t --csv -e $threads -- sh -c 'ls / > list & sh -c "ls / > list2" & wait; exit 5' || return 1
		# Without a pid: the sum of those with one.
		csv err '$at["event"] != faults { next }
			$at["tid"] == "" { all = $at["value"]; next }
			{ sum += $at["value"]; if ($at["value"] > 0) n++ }
			END { exit !(n >= 3 && sum == all) }' -v faults="${threads#*,}"
	}
	check "-t: processes and threads one by one sum up" threads
	cat > ratio.wiring <<'WIRING'
upc-wiring 1
derived PER_S = "(1000000000 * \"perf::PAGE-FAULTS\") / \"perf::TASK-CLOCK\""
derived SAME = "(1000 * \"perf::PAGE-FAULTS\") / \"perf::PAGE-FAULTS\""
WIRING
	ratios()
	{
		run 0 -t --csv -w ratio.wiring -e $soft,PER_S -- sh -c 'ls / > list & sh -c "ls / > list2"; wait' ||
			return 1
		# Neither the largest nor a sum of the threads' own.
		csv err '$at["tid"] == "" { all[$at["event"]] = $at["value"]; next }
			$at["event"] == "PER_S" { if ($at["value"] > 0) n++; if ($at["value"] > most) most = $at["value"] }
			END { sums = int(1e9 * all["perf::PAGE-FAULTS"] / all["perf::TASK-CLOCK"])
			      exit !(n >= 3 && all["PER_S"] < most && all["PER_S"] == sums) }'
	}
	check_perf "-t: the ratio of all threads is that of their sums" ratios
	rest()
	{
		run 0 -t --top 1 -w ratio.wiring -e $soft,SAME -- sh -c 'ls / > list & sh -c "ls / > list2"; wait' ||
			return 1
		grep -q ' others$' err && grep -q '^ *SAME  *1,000  *1,000  *1,000$' err &&
			tr -d , < err | awk '$1 == "perf::PAGE-FAULTS" { found = NF == 4 && $3 > 0 && $4 > 0 && $2 == $3 + $4 }
				END { exit !found }'
	}
	check_perf "-t --top: ... and so is that of the others" rest
	# There are descriptors for few of them. All are there before the first one ends.
	uncounted()
	(
		# shellcheck disable=SC2016
		ulimit -n 32 && run 0 -t --top 2 -e perf::PAGE-FAULTS -- sh -c 'p=
			for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 1000 & p="$p $!"; done
			for i in $p; do until read n < /proc/$i/comm && [ "$n" = sleep ]; do :; done; done
			kill $p; wait' && grep -q '^upc_stat: thread .* cannot be counted' err &&
			grep -q '^  perf::PAGE-FAULTS  *>=[0-9,]*  *[0-9,]*  *[0-9,]*  *>=[0-9,]*$' err
	)
	check_perf "-t --top: ... of which some could not be counted" uncounted
	check "-t: a signal reaches the program" forwards -t
	check "-t: a program that a signal ends" run 143 -t -e $soft -- sh -c 'kill -TERM $$'
else
	skip "-t: processes and threads one by one sum up" "tracing is forbidden here"
	skip "-t: the ratio of all threads is that of their sums" "tracing is forbidden here"
	skip "-t --top: ... and so is that of the others" "tracing is forbidden here"
	skip "-t --top: ... of which some could not be counted" "tracing is forbidden here"
	skip "-t: a signal reaches the program" "tracing is forbidden here"
	skip "-t: a program that a signal ends" "tracing is forbidden here"
fi

# The reader is gone before the program has ended.
no_reader()
{
	{ "$stat" --csv -o - -- sleep 0.3 2> err; echo $? > status; } | :
	[ "$(cat status)" = 0 ] && [ ! -s err ]
}
check "a table that nobody reads any more costs no words, nor the status" no_reader

full()
{
	for form in text json; do
		"$stat" -f $form -o - -e $soft -- true > /dev/full 2> err
		[ $? = 125 ] && [ "$(wc -l < err)" = 1 ] &&
			grep -q '^upc_stat: cannot write to standard output: No space left on device$' err || return 1
	done
}
if [ -c /dev/full ]; then
	check "... one that a full disk does not take: said, and 125" full
else
	skip "... one that a full disk does not take: said, and 125" "there is no /dev/full"
fi

# ---- what runs already

# Until the process has had 50 ms of CPU time.
attached()
{
	sh -c 'while :; do :; done' &
	busy=$!
	run 0 -p $busy --csv -e $clock -- sh -c '
		used() { cut -d" " -f14 /proc/$1/stat; }
		from=$(used $1)
		until [ $(($(used $1) - from)) -ge 5 ]; do sleep 0.01; done' sh $busy
	status=$?
	kill $busy
	wait $busy 2> /dev/null
	[ $status = 0 ] && [ "$(value $clock)" -ge 40000000 ]
}
check "-p counts a process while a program runs" attached

until_signal()
{
	"$stat" -a --interval 100 --csv -e vm::pgfault > out 2> err &
	pid=$!
	until_passes grep -q ^interval out
	ls / > list
	kill -TERM $pid
	wait $pid && [ "$(csv out '$at["record"] == "total" { print ($at["value"] > 0) }')" = 1 ]
}
check "-a counts the machine until it is told to end" until_signal
