#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# utils_stat_many.sh - upc_stat of several: runs of a program, CPUs, processes. What they come
# to together is known beforehand, or is the sum of what they are one by one.
# $UPC_STAT is the tool, $JSON_LEAVES reads its JSON.
stat=${UPC_STAT:-upc_stat}
tool=$stat
. "${srcdir:?}/ctests/utils.inc"
choose_events

plan 29

# ---- runs

# Its k-th run writes k times 1000 bytes, of which its process counts 2 more: the k itself.
cat > kth.sh <<'SH'
k=0
[ ! -e k ] || read -r k < k
k=$((k + 1))
echo $k > k
[ $k != "${fails:-0}" ] || exit 5
exec dd if=/dev/zero of=/dev/null bs=1000 count=$k status=none
SH
kth()
{
	rm -f k
	run "$@" -- sh kth.sh
}
check "-r 4: CSV" kth 0 -r 4 --csv -e process::wchar
csv_runs()
{
	[ "$(csv err '$at["record"] == "total" { print $at["run"], $at["value"], $at["exactness"] }' | tr '\n' ,)" = \
		"1 1002 exact,2 2002 exact,3 3002 exact,4 4002 exact," ]
}
check "... has each run by itself" csv_runs
# The mean is 2502; the squares of what is 500 and 1500 from it sum up to 5,000,000. t is 3.1824 with 3 degrees of
# freedom.
csv_mean()
{
	csv err '$at["record"] == "mean" { e = sqrt(5e6 / 3) / 2; found++
			good = $at["value"] == 2502 && ($at["standard_error"] - e) ^ 2 < 1e-12 &&
				($at["low"] - 2502 + 3.1824 * e) ^ 2 < 1e-12 && ($at["high"] - 2502 - 3.1824 * e) ^ 2 < 1e-12 &&
				$at["exactness"] == "estimate" }
		END { exit !(found == 1 && good) }'
}
check "... and mean, standard error and interval that can be worked out" csv_mean
check "-r 4: JSON" kth 0 -r 4 --json -e process::wchar
json_mean()
{
	leaves_of err && leaf /0/events/0/value 2502 && leaf /0/failed_runs 0 && leaf /0/runs/3/exit_status 0 &&
		[ "$(sed -n 's|^/0/runs/[0-9]/counts/0/value\t||p' leaves | tr '\n' ,)" = 1002,2002,3002,4002, ] &&
		leaf /0/events/0/exactness '"estimate"' && leaf /0/events/0/freedom 3.0 && leaf /0/runs/0/counts/0/exactness '"exact"' &&
		at /0/events/0/standard_error | awk '{ exit !(($1 - sqrt(5e6 / 3) / 2) ^ 2 < 1e-12) }'
}
check "... has the same" json_mean
# Beyond 2^63, where six times the time of day is in the years 2018 to 2067.
large()
{
	printf 'upc-wiring 1\nevent my::now = clock realtime * 6 level\n' > wiring
	from=$(date +%s)
	run 0 -w wiring -r 2 -e my::now -- true || return 1
	seconds=$(sed -n 's/^ *\([0-9,]*\)\.[0-9]* s .*my::now.*/\1/p' err | tr -d ,)
	[ "$((seconds / 6))" -ge "$from" ] && [ "$((seconds / 6))" -le "$(date +%s)" ]
}
check "-r 4: the table" kth 0 -r 4 -e process::wchar
table_mean()
{
	grep -q '^ Counts of sh kth.sh, mean of 4 runs$' err &&
		grep -q '^ *2,502 bytes .* +- 25.80 %  process::wchar' err &&
		grep -q 's elapsed +- [0-9.]* %, [0-9.]* s user +- ' err
}
check "... has the same" table_mean
check "... also of what is large" large

# The second run has a buffer of 48 MiB, the others have less.
cat > large.sh <<'SH'
k=0
[ ! -e k ] || read -r k < k
echo $((k + 1)) > k
set -- 16M 48M 32M
shift $k
exec dd if=/dev/zero of=/dev/null bs=$1 count=1 status=none
SH
resident()
{
	rm -f k
	run 0 -r 3 --json -e process::wchar -- sh large.sh && leaves_of err && most=$(at /0/max_resident_kib) &&
		leaf /0/runs/1/max_resident_kib "$most" && [ "$most" -ge 49152 ] && [ "$most" -lt 98304 ] &&
		[ "$(at /0/runs/0/max_resident_kib)" -lt "$most" ] && [ "$(at /0/runs/2/max_resident_kib)" -lt "$most" ]
}
check "what was resident at most is that of the largest run" resident

export fails=3
check "a run that fails: its exit status" kth 5 -r 4 -e process::wchar
told_failed()
{
	grep -q '^  1 of 4 runs failed; what they counted is in the means$' err &&
		grep -q '^    run 3: exit status 5$' err
}
check "... and which it was" told_failed
check "... also in JSON" kth 5 -r 4 --json -e process::wchar
json_failed()
{
	leaves_of err && leaf /0/failed_runs 1 && leaf /0/runs/1/exit_status 0 && leaf /0/runs/2/exit_status 5
}
check "... by its number" json_failed
unset fails
check "a program that is not there is not run again" run 127 -r 3 -e process::wchar -- ./nowhere
check "... with one line" [ "$(wc -l < err)" = 1 ]

state='grep -E "^(Sig(Blk|Ign|Cgt)|NoNewPrivs)" /proc/self/status; ulimit -n; ls /proc/self/fd'
same_state()
{
	{ sh -c "$state"; sh -c "$state"; } > plain
	run 0 -r 2 -e process::wchar -- sh -c "$state" && cmp plain out
}
check "the second run finds mask, dispositions, limit and descriptors as the first" same_state

enough()
{
	rm -f ready
	"$stat" -r 1000 -e process::wchar -- sh -c ': > ready; exec sleep 100' > out 2> err &
	pid=$!
	until_passes [ -e ready ]
	kill -TERM $pid
	wait $pid
	[ $? = 143 ] && grep -q 'mean of 1 run$' err && grep -q 'run 1: signal 15' err
}
check "a signal ends the run, and no other begins" enough
bad_runs()
{
	for options in "-r 0" "-r x" "-r 2 -t" "-r 2 -a --per-cpu" "-r 2 -p 1" "-a -r 2"; do
		# shellcheck disable=SC2086
		case $options in
		-a*) run 125 $options ;;
		*) run 125 $options -- sh -c ': > ran' ;;
		esac || { echo "# $options"; return 1; }
	done
	[ ! -e ran ]
}
check "what does not go with runs: 125" bad_runs

used()
{
	run 0 --json -e perf::TASK-CLOCK -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' &&
		leaves_of err || return 1
	awk -v used="$(at /0/cpus_used)" -v ns="$(at /0/events/0/value)" -v s="$(at /0/seconds)" \
		'BEGIN { exit !(used > 0 && (used - ns / 1e9 / s) ^ 2 < 1e-12) }'
	# shellcheck disable=SC2181
	[ $? = 0 ] && run 0 -e perf::TASK-CLOCK -- true && grep -q 's system, [0-9.]* CPUs used$' err
}
check_perf "CPUs used are the task clock by the time" used

# ---- processes

sums()
{
	# Rows with a part's name, which is in the column before the event, sum up to the one without.
	csv "$2" '$at["event"] != name { next }
		$(at["event"] - 1) == "" { all = $at["value"]; next }
		{ sum += $at["value"]; n++ }
		END { exit !(n >= 1 && sum == all) }' -v name="$1"
}
# busy NAME: a process that reads until NAME is there; its number is in $busy
echo line > lines
busy()
{
	sh -c 'until [ -e "$1" ]; do read -r line < lines; done' sh "$1" &
	busy=$!
}
# Until each of both has had 20 ms of CPU time.
pair()
{
	busy stop
	one=$busy
	busy stop
	run 0 -p "$one,$busy" "$@" -- sh -c '
		used() { cut -d" " -f14 "/proc/$1/stat"; }
		for process; do
			from=$(($(used "$process")))
			until [ $(($(used "$process") - from)) -ge 2 ]; do sleep 0.01; done
		done' sh "$one" "$busy"
	status=$?
	: > stop
	wait "$one" "$busy"
	return $status
}
check "-p with two processes" pair --per-process --csv -e $clock,process::rchar,vm::pgfault
check "... counts both" \
	[ "$(csv err '$at["event"] == clock && $at["pid"] != "" && $at["value"] >= 10000000' -v clock=$clock | wc -l)" = 2 ]
check "... which sum up to the whole" sums $clock err
check "... also what a process counts for itself" sums process::rchar err
check "... and what is the machine's is there once" [ "$(grep -c '^total.*vm::pgfault' err)" = 1 ]
# one_after_the_other ORDER: whichever of the list ends first
one_after_the_other()
{
	rm -f both done stop1 stop2
	busy stop1
	one=$busy
	busy stop2
	[ "$1" = forth ] && list=$one,$busy || list=$busy,$one
	{
		"$stat" -p "$list" --csv -o both -e $clock 2> err
		echo $? > done
	} &
	counts=$!
	# The headings are written when it counts.
	until_passes [ -s both ] || return 1
	: > stop1
	wait "$one"
	sleep 0.2
	[ ! -e done ] || { : > stop2; return 1; }
	: > stop2
	wait "$busy" $counts
	[ "$(cat done)" = 0 ]
}
both_end()
{
	one_after_the_other forth && one_after_the_other back
}
check "... and without a program it does so until both have ended" both_end
check "a process that is not there: no process of the list is counted" run 125 -p "$$,1073741823" -e $clock

# ---- CPUs

cpus=$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)
if "${MACHINE:?}" cpus; then
	listed()
	{
		run 0 -C "0-0,$cpus" --per-cpu --csv -e perf::PAGE-FAULTS,vm::pgfault -- sleep 0.2 &&
			sums perf::PAGE-FAULTS err
	}
	check "-C with a list: CPUs sum up to the whole" listed
	# Each of 200 programs faults its first pages in, on one CPU.
	pinned()
	{
		mine=$(taskset -cp $$ | sed 's/.*: //')
		for cpu in "${mine%%[-,]*}" "${mine##*[-,]}"; do
			run 0 -C "${mine%%[-,]*},${mine##*[-,]}" --per-cpu --csv -e perf::PAGE-FAULTS -- taskset -c "$cpu" \
				sh -c 'i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done' &&
				csv err '$at["cpu"] == cpu { found = $at["value"] >= 2000 } END { exit !found }' -v cpu="CPU$cpu" ||
				{ echo "# CPU $cpu"; return 1; }
		done
	}
	check "a CPU has what was done on it" pinned
	grouped()
	{
		for by in cpu core socket node; do
			run 0 -a "--per-$by" --csv -e perf::MINOR-FAULTS,perf::PAGE-FAULTS,vm::pgfault -- \
				sh -c 'ls / > list' &&
				sums perf::MINOR-FAULTS err && sums perf::PAGE-FAULTS err &&
				[ "$(grep -c '^total.*vm::pgfault' err)" = 1 ] || { echo "# $by"; return 1; }
		done
		# As many nodes, sockets and so on as there are names of them.
		run 0 -a --per-socket --json -e perf::PAGE-FAULTS -- true && leaves_of err || return 1
		[ "$(grep -c '^/0/parts/[0-9]*/socket' leaves)" = \
			"$(cat /sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id | sort -u | wc -l)" ]
	}
	if [ -r /sys/devices/system/cpu/cpu0/topology/physical_package_id ]; then
		check "CPUs, cores, sockets and nodes of the machine sum up to it" grouped
	else
		skip "CPUs, cores, sockets and nodes of the machine sum up to it" "/sys has no topology here"
	fi
else
	skip "-C with a list: CPUs sum up to the whole" "whole CPUs may not be counted here"
	skip "a CPU has what was done on it" "whole CPUs may not be counted here"
	skip "CPUs, cores, sockets and nodes of the machine sum up to it" "whole CPUs may not be counted here"
fi
