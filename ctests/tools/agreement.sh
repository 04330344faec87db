#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# agreement.sh - upc_stat beside tools that we did not write, on the same process
# at the same time: perf stat, strace -c, /proc. TAP; with --table, the table of
# doc/measured/AGREEMENT.md as well, on descriptor 3.
#
# The load waits until both counters have said that they count it, so both see the same.

: "${UPC_STAT:=upc_stat}" "${LOAD:=./load}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 failed=0

result() { # ok|not_ok|skip TEXT
	n=$((n + 1))
	case $1 in
	ok) echo "ok $n - $2" ;;
	skip) echo "ok $n # SKIP $2" ;;
	*) echo "not ok $n - $2" && failed=1 ;;
	esac
}

row() { # what, expected, ours, theirs, tool
	[ "$table" ] && printf '| %s | %s | %s | %s | %s |\n' "$@" >&3
}
case ${1-} in --table) table=1 ;; *) table= ;; esac

# Starts a waiting load; its pid is in $pid, its start in descriptor 9.
start_load() {
	rm -f "$dir/go" && mkfifo "$dir/go"
	LOAD_GO=8 "$LOAD" "$1" "$2" 8<"$dir/go" &
	pid=$!
	exec 9>"$dir/go"
}
release() {
	printf x >&9
	exec 9>&-
	wait "$pid"
}

# until_passes COMMAND...: waits for it to pass, for long but not for ever
until_passes() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || return 1
		sleep 0.1
	done
}

# The other tools, attached to $pid; each ends when it counts, as process $theirs.
attach_perf() { # EVENT
	mkfifo "$dir/control" "$dir/done"
	perf stat -D -1 --control "fifo:$dir/control,$dir/done" -x, -e "$1" -p "$pid" >"$dir/theirs" 2>&1 &
	theirs=$!
	timeout 600 sh -c 'echo enable >"$1/control"; read -r answer <"$1/done"' sh "$dir"
	rm "$dir/control" "$dir/done"
}
attach_strace() {
	strace -c -e trace=all -p "$pid" >"$dir/theirs" 2>&1 &
	theirs=$!
	until_passes grep -q ' attached' "$dir/theirs"
}

# Counts load $1 $2 with upc_stat's event $3, beside another tool: attach_$4 [$5]. What
# upc_stat counts at intervals it counts from before the first one.
count_beside() {
	start_load "$1" "$2"
	rm -f "$dir/ours"
	"$UPC_STAT" -e "$3" -p "$pid" --interval 100 --csv -o "$dir/ours" 2>"$dir/ours.err" &
	ours=$!
	until_passes grep -qs ^interval "$dir/ours"
	"attach_$4" "${5-}"
	release
	wait "$ours" && wait "$theirs"
}

# Of the whole, if there are intervals.
our_value() {
	awk -F, -v e="$1" 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		$(col["event"]) == e && !(col["record"] && $1 != "total") { print $(col["value"]); exit }' "$dir/ours"
}
perf_value() { awk -F, -v e="$1" '$3 ~ e { print $1; exit }' "$dir/theirs"; }

# ours, theirs, least, slack, text
compare() {
	if [ -n "$1" ] && [ -n "$2" ] && [ "$1" -ge "$3" ] && [ $(($1 > $2 ? $1 - $2 : $2 - $1)) -le "$4" ]; then
		result ok "$5: upc $1, beside it $2"
	else
		result not_ok "$5: upc '$1', beside it '$2', at least $3 expected, $4 apart allowed"
		sed 's/^/# /' "$dir/ours" "$dir/ours.err" "$dir/theirs" 2>/dev/null | head -30
	fi
}

have() { command -v "$1" >/dev/null 2>&1; }

echo 1..4
if have perf; then
	count_beside faults 20000 perf::PAGE-FAULTS perf page-faults
	compare "$(our_value perf::PAGE-FAULTS)" "$(perf_value page-faults)" 20000 20 "page faults of 20000 fresh pages"
	row "page faults, 20000 fresh pages" "20000 + few" "$(our_value perf::PAGE-FAULTS)" "$(perf_value page-faults)" "perf stat -p"
	if [ "$(id -u)" = 0 ]; then
		count_beside switches 20000 perf::CONTEXT-SWITCHES perf context-switches
		compare "$(our_value perf::CONTEXT-SWITCHES)" "$(perf_value context-switches)" 20000 40 "context switches of 20000 round trips"
		row "context switches, 20000 round trips of two processes" "40000" "$(our_value perf::CONTEXT-SWITCHES)" "$(perf_value context-switches)" "perf stat -p"
	else
		result skip "context switches of the kernel domain need root"
	fi
else
	result skip "perf is not installed (Debian: linux-perf)"
	result skip "perf is not installed (Debian: linux-perf)"
fi

lo() { awk '/^ *lo:/ { sub(/.*:/, ""); print $1 }' /proc/net/dev; }
before=$(lo)
"$UPC_STAT" -e net::lo:rx_bytes --csv -o "$dir/ours" -- "$LOAD" loopback 50000000 2>"$dir/ours.err"
after=$(lo)
compare "$(our_value net::lo:rx_bytes)" "$((after - before))" 50000000 4000000 "bytes over loopback, 50 MB sent"
row "bytes over loopback, 50,000,000 sent" "50,000,000 + headers" "$(our_value net::lo:rx_bytes)" "$((after - before))" "/proc/net/dev before and after"

if have strace && [ "$(id -u)" = 0 ]; then
	count_beside syscalls 10000 tp::raw_syscalls:sys_enter strace
	theirs=$(awk '/total$/ { print $(NF - 1); exit }' "$dir/theirs")
	compare "$(our_value tp::raw_syscalls:sys_enter)" "$theirs" 10000 10 "system calls, 10000 getppid"
	row "system calls, 10000 getppid" "10000 + few" "$(our_value tp::raw_syscalls:sys_enter)" "$theirs" "strace -c -p"
else
	result skip "system calls: strace and root are needed"
fi
exit $failed
