#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# metrics.sh - the agent under pmcd and pmlogger, with the service itself: counts through pmcd and out
# of an archive equal libupc's over halts and reassigns; numbers and names over restarts; an agent and
# a pmcd that are killed.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/node.inc"

plan 30
if node_missing; then
	skip_rest "metrics of a node" "$missing"
	exit
fi
if ! command -v perl > /dev/null; then
	skip_rest "metrics of a node" "perl is not installed, which sends commands to it"
	exit
fi
fetch()
{
	at_node "$dir/$1" pminfo -h unix: -f "${@:2}"
}
# value NODE METRIC: of one that has one value
value()
{
	fetch "$1" "$2" 2> err | sed -n 's/^ *value //p'
}
# sum NODE METRIC: over its instances
sum()
{
	fetch "$1" "$2" | awk '/inst/ { s += $NF; n++ } END { if (!n) exit 1; print s }'
}
# archived NODE: two more samples are in its archive, and in the file
archived()
{
	for step in 1 2 3; do
		size=$(stat -c %s "$dir/$1/archive/node.0")
		until_passes grown "$dir/$1/archive/node.0" "$size" || return 1
	done
}
grown()
{
	[ "$(stat -c %s "$1")" != "$2" ]
}
commanded()
{
	node_command "$dir/$1" "${@:2}" > out 2> err
}

# ---- a script is the machine: what libupc's engine counts, mark by mark ----------------------------
# Each part is of other lengths for each signal. The same for upc_replay, with reads where marks are.

awk 'BEGIN {
	print "upc-trace 1" > "script"; print "upc-trace 1\nw 0x900 1" > "reads"
	for (i = 1; i <= 6000; i++) {
		part = sprintf("c %d 0 1@2/1 2\nc %d 1 37@3/1\nc %d 4", 7 * i % 1001 + 1, 3 * i % 97 + 1, i % 13 + 1)
		print part "\ns" > "script"
		print part > "reads"
		print "r 0x000\nr 0x008\nr 0x010\nr 0x020\nr 0x128" > "reads"
	}
}'
"${UPC_REPLAY:?}" reads > counts
cat > conf << END
initialize source=replay:$dir/script
add PU0_JPIPE_INSTRUCTIONS scope=node as=a
add PU0_JPIPE_ADD_SUB scope=node as=b
add PU{cpu}_JPIPE_LOGICAL_OPS as=c
finalize
END
check "a node counts a script" node_start "$dir/script.d" -c conf -L "50 msec" -H node07
changes()
{
	archived script.d && commanded script.d halt a &&
		archived script.d && commanded script.d continue a &&
		archived script.d && commanded script.d reassign a PU0_IPIPE_INSTRUCTIONS as=d &&
		archived script.d && commanded script.d halt ALL &&
		archived script.d && commanded script.d continue ALL &&
		archived script.d && commanded script.d reassign d PU0_JPIPE_INSTRUCTIONS as=a &&
		archived script.d && commanded script.d remove c &&
		archived script.d && commanded script.d add 'PU{cpu}_JPIPE_LOGICAL_OPS' as=c && archived script.d
}
check "... which is halted, continued, reassigned, removed and added while pmlogger records" changes
fetch script.d upc.node upc.cpu upc.sample.count > live 2> err
node_stop "$dir/script.d"
pmdumplog -z "$(node_archive "$dir/script.d")" 'upc.node' 'upc.cpu' 'upc.state.node' 'upc.state.cpu' 'upc.sample.count' \
	'upc.control.started' > dump 2> err || pmdumplog -z "$(node_archive "$dir/script.d")" > dump 2> err

# exact: every record against the counts; b, which nobody halts alone, tells the mark of a record. What a
# metric grew between two records is what its signal did in the marks between, while it was counted. A
# sample may be in no record, so a counter begins, halts and continues at one of the marks between two records.
exact()
{
	awk '
	FNR == NR { # counts: 5 lines a mark
		sub(/^0x[0-9a-f]* /, ""); at[(FNR - 1) % 5, int((FNR - 1) / 5) + 1] = hex($0)
		marks = int((FNR - 1) / 5) + 1
		next
	}
	function hex(text, v, i) {
		v = 0
		for (i = 3; i <= length(text); i++) v = v * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
		return v
	}
	function part(signal, from, to) { return at[signal, to] - (from ? at[signal, from] : 0) }
	# what it grew from mark START to a halt at one of FROM to TO, and from a mark of SINCE or later to K: GREW, if it can be
	function grown(signal, start, from, to, since, k, grew,  halt, go) {
		for (halt = from; halt <= to; halt++)
			for (go = since; go <= k; go++)
				if ((start < halt ? part(signal, start, halt) : 0) + part(signal, go, k) == grew) return grew
		return part(signal, since, k)
	}
	function judge(  k, m, signal, key) {
		if (!("samples" in now)) return
		k = now["samples"] - shift
		if (shift == "" && ("b" in now)) {
			for (k = 1; k <= marks && at[1, k] != now["b"]; k++);
			if (k > marks) { print "# no mark has b " now["b"]; bad++; return }
			shift = now["samples"] - k
		}
		if (shift == "") return
		records++
		for (key in state) {
			split(key, m, " ")
			signal = m[1] == "a" ? 0 : m[1] == "b" ? 1 : m[1] == "d" ? 3 : m[2] == "cpu1" ? 4 : 2
			if (state[key] != 1) {
				if (key in now) { print "# " key " has a value in state " state[key]; bad++ } else held[key]++
				if (!(key in counted)) { counted[key] = last; halted[key] = k }
				continue
			}
			if (!(key in now)) { print "# " key " counts without a value"; bad++; continue }
			# pmlogger hears of a new name with a sample, and has it in the next.
			if (!(key in total)) total[key] = first ? grown(signal, 0, 0, 0, before, k, now[key]) : part(signal, 0, k)
			else if (key in counted) total[key] += grown(signal, counted[key], counted[key], halted[key], last, k, now[key] - total[key])
			else total[key] += part(signal, last, k)
			delete counted[key]
			if (total[key] != now[key]) { print "# mark " k ": " key " is " now[key] ", not " total[key]; bad++; total[key] = now[key] }
			else right[key]++
		}
		first = 1
		before = last
		last = k
	}
	/^[0-9][0-9]:[0-9][0-9]:/ { judge(); delete now; delete state }
	match($0, /\(upc[.a-z0-9]*\)/) { metric = substr($0, RSTART + 1, RLENGTH - 2) }
	/value [0-9]+$/ {
		name = metric; place = ""
		if (match($0, /"cpu[0-9]+"/)) place = " " substr($0, RSTART + 1, RLENGTH - 2)
		if (metric == "upc.sample.count") now["samples"] = $NF
		else if (sub(/^upc\.state\.(node|cpu)\./, "", name)) state[name place] = $NF
		else if (sub(/^upc\.(node|cpu)\./, "", name)) now[name place] = $NF
	}
	END {
		judge()
		for (key in right) print "# " key ": right in " right[key] " records, without a value in " held[key] + 0
		if (records < 40 || right["a"] < 8 || right["b"] < 20 || right["d"] < 2 || right["c cpu0"] < 8 || right["c cpu1"] < 8 || held["a"] < 2 || held["b"] < 2) bad++
		exit bad > 0
	}' counts "$1"
}
check "every record of the archive is libupc's count, to the last one" exact dump
check "... and none was lost: pmlogger's samples are all there" test "$(grep -c 'upc.sample.count' dump)" -ge 40
# The last that pmcd said is that of its mark, too.
through_pmcd()
{
	b=$(awk '/^upc.node.b/ { at = 1 } at && /value/ { print $2; exit }' live)
	[ -n "$b" ] && awk -v b="$b" 'FNR % 5 == 2 { print $2 }' counts | while read -r hex; do echo $((hex)); done > sums && grep -q . sums
}
check "values came through pmcd" through_pmcd
names()
{
	pmdumplog -d "$(node_archive "$dir/script.d")" > out 2> err && grep -q '(upc.node.a)' out && grep -q '(upc.node.d)' out &&
		grep -q '(upc.cpu.c)' out && pmdumplog -L "$(node_archive "$dir/script.d")" > out 2> err && grep -q 'node07' out
}
check "the archive has the metrics of all that was counted" names

# ---- live: system calls that hardly anybody makes ----------------------------------------------------

calls=${builddir:?}/ctests/service/exact_calls
live="exact system calls, counted live"
cat > conf << 'END'
initialize
add tp::syscalls:sys_enter_sched_rr_get_interval scope=node as=calls
add tp::syscalls:sys_enter_sched_rr_get_interval as=each
finalize
END
cannot=
"${UPC_AVAIL:?}" --names 'tp::syscalls:sys_enter_sched_rr_get_interval' > out 2>&1 ||
	cannot="this user or kernel has no tracepoint tp::syscalls:sys_enter_sched_rr_get_interval"
[ -n "$cannot" ] || [ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le -1 ] ||
	cannot="perf_event_paranoid keeps CPUs' tracepoints from this user"
if [ -n "$cannot" ]; then
	for part in "" ": of each CPU" ": halted" ": continued" ": reassigned" ": and back" ": in the archive" ": PMIDs" ": restart" ": values" ": killed agent" \
		": comes back" ": counts on" ": its metrics" ": killed pmcd" ": counts after it" ": live add" ": hostile aliases"; do
		skip "$live$part" "$cannot"
	done
else
	check "$live" node_start "$dir/live.d" -c conf -L "100 msec"
	before=$(value live.d upc.node.calls)
	of_all()
	{
		"$calls" 12345 && [ $(($(value live.d upc.node.calls) - before)) = 12345 ]
	}
	check "... all" of_all
	of_each()
	{
		[ "$(sum live.d upc.cpu.each)" = "$(sum live.d upc.numa.each)" ] &&
			[ $(($(sum live.d upc.cpu.each) - before)) = 12345 ]
	}
	check "... and of each CPU, and NUMA node" of_each
	halted()
	{
		commanded live.d halt ALL && "$calls" 777 && fetch live.d upc.node.calls upc.cpu.each 2>&1 | grep -c 'Try again\|No value' | grep -qx 2 &&
			commanded live.d continue calls && commanded live.d continue each && "$calls" 1000 &&
			[ $(($(value live.d upc.node.calls) - before)) = 13345 ] && [ $(($(sum live.d upc.cpu.each) - before)) = 13345 ]
	}
	check "... over a halt, in which there is no value" halted
	reassigned()
	{
		commanded live.d reassign calls tp::syscalls:sys_enter_getpriority as=other && "$calls" 500 300 &&
			[ "$(value live.d upc.node.other)" = 300 ] && ! value live.d upc.node.calls | grep . &&
			commanded live.d reassign other tp::syscalls:sys_enter_sched_rr_get_interval as=calls && "$calls" 41 9 &&
			[ $(($(value live.d upc.node.calls) - before)) = 13386 ]
	}
	check "... and over a reassign there and back" reassigned
	archived live.d
	in_archive()
	{
		# It fails at the record that says that there is no value, and has shown all others.
		pmval -z -r -U "$(node_archive "$dir/live.d")" -w 20 upc.node.calls > out 2> err
		[ $(($(awk '/^[0-9].*[0-9]$/ { v = $NF } END { print v }' out) - before)) = 13386 ] &&
			awk '/^[0-9].*[0-9]$/ { if ($NF < v) exit 1; v = $NF }' out
	}
	check "... and out of the archive, which never decreases" in_archive

	# ---- numbers and counts over restarts ----
	at_node "$dir/live.d" pminfo -h unix: -m upc | sort > pmids
	calls_before=$(value live.d upc.node.calls)
	started=$(value live.d upc.control.started)
	node_stop "$dir/live.d"
	check "a restart" node_begin "$dir/live.d"
	same_pmids()
	{
		at_node "$dir/live.d" pminfo -h unix: -m upc | sort > pmids.again && cmp pmids pmids.again
	}
	check "... keeps PMIDs" same_pmids
	goes_on()
	{
		"$calls" 14 && [ "$(value live.d upc.control.started)" = "$started" ] && [ "$(value live.d upc.node.calls)" = $((calls_before + 14)) ]
	}
	check "... and counts: they go on" goes_on
	at_node "$dir/live.d" pminfo -h unix: -m upc.node upc.cpu | sort > pmids

	agent=$(node_agent "$dir/live.d")
	calls_before=$(value live.d upc.node.calls)
	kill -9 "$agent"
	"$calls" 100
	gone()
	{
		! fetch live.d upc.node.calls 2>&1 | grep -q 'value'
	}
	check "an agent that is killed has no values" until_passes gone
	revived()
	{
		kill -HUP "$(cat "$dir/live.d/pmcd.pid")" && sleep 0.3 && node_ready "$dir/live.d"
	}
	check "... pmcd starts it again at SIGHUP" until_passes revived
	not_less()
	{
		"$calls" 50 && calls_after=$(value live.d upc.node.calls) && echo "$calls_before $calls_after" > out &&
			[ "$calls_after" -ge "$calls_before" ] && [ "$calls_after" -le $((calls_before + 150)) ] &&
			[ "$calls_after" -ge $((calls_before + 50)) ]
	}
	check "... and counts go on from where they were, not back" not_less
	pmids_again()
	{
		at_node "$dir/live.d" pminfo -h unix: -m upc.node upc.cpu | sort > pmids.again && cmp pmids pmids.again
	}
	check "... under the same numbers" pmids_again
	calls_before=$(value live.d upc.node.calls)
	agent=$(node_agent "$dir/live.d")
	{
		kill -9 "$(cat "$dir/live.d/pmcd.pid")"
		wait "$(cat "$dir/live.d/pmcd.pid")"
	} 2> err
	check "a pmcd that is killed takes its agent along" until_passes node_ended "$agent"
	rm -f "$dir/live.d/pmcd.pid"
	after_pmcd()
	{
		node_begin "$dir/live.d" > out 2> err && "$calls" 7 && [ "$(value live.d upc.node.calls)" -ge $((calls_before + 7)) ]
	}
	check "... and started again it goes on" after_pmcd

	# ---- live add, hostile aliases ----
	node_ends "$dir/live.d/pmlogger.pid"
	rm -f "$dir"/live.d/archive/node.*
	check "pmlogger records it anew" node_logs "$dir/live.d" "100 msec"
	added()
	{
		archived live.d && commanded live.d add tp::syscalls:sys_enter_getpriority scope=node as=late && "$calls" 0 321 && archived live.d &&
			pmval -z -r -U "$(node_archive "$dir/live.d")" -w 20 upc.node.late > out 2> err && grep -q ' 321$' out
	}
	check "a running pmlogger takes a counter that is added" added
	hostile()
	{
		for alias in '";},"x":{' 'a b' "$(printf '\342\202\254')" "$(printf 'a\nb')" '../x' "$(printf '%s' 'x{}*')"; do
			! commanded live.d add perf::PAGE-FAULTS scope=node "as=$alias" && grep -q '"ok":false' out || return 1
		done
		at_node "$dir/live.d" pminfo -h unix: upc.node > out 2> err && [ "$(grep -c . out)" = 2 ]
	}
	check "aliases that are no names are refused" hostile
fi

# ---- mistakes -----------------------------------------------------------------------------------------

printf 'initialize\nadd vm::pgfolt\nfinalize\n' > wrong
refused()
{
	! node_start "$dir/wrong.d" -c wrong > out 2> err && grep -q 'config:2:5: .*vm::pgfault' "$dir/wrong.d/log/upc.log"
}
check "a configuration with a mistake is refused with its place and the nearest name" refused

revived_by_root="an agent that is killed comes back by itself, where there is pmdaroot"
if [ "$(id -u)" != 0 ]; then
	skip "$revived_by_root" "pmdaroot runs as root alone"
else
	printf 'initialize\nadd cpu::ctxt scope=node as=a\nfinalize\n' > conf
	back_by_root()
	{
		node_start "$dir/root.d" -r -c conf > out 2> err && a=$(value root.d upc.node.a) && agent=$(node_agent "$dir/root.d") &&
			kill -9 "$agent" && until_passes another_agent && b=$(value root.d upc.node.a) && echo "$a $b" > out && [ "$b" -ge "$a" ]
	}
	another_agent()
	{
		node_ready "$dir/root.d" && [ "$(node_agent "$dir/root.d")" != "$agent" ]
	}
	check "$revived_by_root" back_by_root
	node_stop "$dir/root.d"
fi

# Another uid, and what is no file of the agent's.
printf 'initialize\nadd cpu::ctxt scope=node\nfinalize\n' > conf
damaged()
{
	mkdir -p "$dir/bad.d" && echo 'not json' > "$dir/bad.d/state.metrics" && node_start "$dir/bad.d" -c conf > out 2> err &&
		grep -q 'put aside as' "$dir/bad.d/log/upc.log" && [ -e "$dir/bad.d/state.metrics.bad" ] && [ -s "$dir/bad.d/state.metrics" ]
}
check "a damaged file of metrics is put aside, with a word in the log" damaged
store_refused()
{
	before=$(at_node "$dir/bad.d" pminfo -h unix: -f upc.counter upc.control.generation | cksum)
	! at_node "$dir/bad.d" pmstore -h unix: upc.control.generation 9 > out 2>&1 && grep -q 'No permission' out &&
		! at_node "$dir/bad.d" pmstore -h unix: upc.control.message 'halt ALL' > out 2>&1 &&
		[ "$(at_node "$dir/bad.d" pminfo -h unix: -f upc.counter upc.control.generation | cksum)" = "$before" ]
}
check "a store is refused, whoever makes it, and changes nothing" store_refused
modes()
{
	[ "$(stat -c %a "$dir/bad.d/state.metrics")" = 600 ]
}
check "its file is its user's own" modes
node_stop "$dir/bad.d"
left()
{
	[ ! -S "$dir/bad.d/run/pmcd.socket" ] && [ ! -S "$dir/bad.d/run/control" ]
}
check "a node that ended has left no socket" left
