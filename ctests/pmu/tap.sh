#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tap.sh - what scripts/pmu/pmu-tap makes of consoles of the emulated machine: only what is
# good may pass, and what crashed, hung, or was not run has to show.
srcdir=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tests=0 failed=0

# tap EXPECTED-SUM [VARIABLE=VALUE...] < CONSOLE: its list is of the tests that the
# console begins, and of those of $more. That nothing passed is never good.
tap()
{
	sum=$1
	shift
	cat > "$dir/console"
	{
		sed -n 's/^@@ begin //p' "$dir/console"
		for name in $more; do echo "$name"; done
	} | while read -r name; do
		case $name in
		plain/* | upc/*) echo "papi 20 $name true" ;;
		*) echo "tap 20 $name true" ;;
		esac
	done > "$dir/tests"
	env PMU_KNOWN="$dir/known" "$@" "$srcdir/scripts/pmu/pmu-tap" "$dir/tests" \
		< "$dir/console" > "$dir/out" 2>&1
	status=$?
	case $sum in
	"0 passed, 0 failed, "*) expected=1 ;;
	*", 0 failed, "*) expected=0 ;;
	*) expected=1 ;;
	esac
	[ "$(tail -n 1 "$dir/out")" = "$sum" ] && [ $status = $expected ]
}

says()
{
	grep -q "$1" "$dir/out"
}

check()
{
	tests=$((tests + 1))
	name=$1
	shift
	if "$@"; then
		echo "ok $tests - $name"
	else
		failed=$((failed + 1))
		echo "not ok $tests - $name"
		sed 's/^/# /' "$dir/out"
	fi
}

# one NAME STATUS TEXT...: a test's part of the console
one()
{
	printf '@@ begin %s\n' "$1"
	test=$1 end=$2
	shift 2
	[ $# = 0 ] || printf '%s\n' "$@"
	printf '\n@@ end %s %s\n' "$test" "$end"
}

# pair PLAIN-STATUS PLAIN-TEXT UPC-STATUS UPC-TEXT: ctests/a in both PAPIs
pair()
{
	one plain/ctests/a "$1" "$2"
	one upc/ctests/a "$3" "$4"
	echo "@@ all done"
}

# gives EXPECTED-SUM COMMAND ARGUMENT...: a console that a function here makes
gives()
{
	expected_sum=$1
	shift
	"$@" > "$dir/made"
	# shellcheck disable=SC2086 # variables for the program
	tap "$expected_sum" $with < "$dir/made"
}

whole()
{
	one "$@"
	echo "@@ all done"
}

more='' with=''
: > "$dir/known"

check "a test that passes" gives "1 passed, 0 failed, 0 skipped" whole unit/a 0 "ok 1 - b" "1..1"
check "one that fails" gives "0 passed, 1 failed, 0 skipped" whole unit/a 1 "not ok 1 - b" "1..1"
check "a plan not met" gives "1 passed, 1 failed, 0 skipped" whole unit/a 0 "ok 1 - b" "1..2"
check "no plan" gives "1 passed, 1 failed, 0 skipped" whole unit/a 0 "ok 1 - b"
check "a plan of nothing" gives "0 passed, 1 failed, 0 skipped" whole unit/a 0 "1..0"
check "all well, then a crash" gives "1 passed, 1 failed, 0 skipped" whole unit/a 139 "ok 1 - b" "1..1"
check "... is told as such" says "unit/a: killed by signal 11"
check "a hang" gives "0 passed, 1 failed, 0 skipped" whole unit/a 143
check "... is told as such" says "unit/a: over its time"
check "a skip's status without a skip" gives "1 passed, 1 failed, 0 skipped" \
	whole unit/a 77 "ok 1 - b" "1..1"
more=unit/b
check "a test that was never begun" gives "1 passed, 1 failed, 0 skipped" \
	whole unit/a 0 "ok 1 - b" "1..1"
more=''
check "the machine stops in a test" gives "0 passed, 2 failed, 0 skipped" echo "@@ begin unit/a"
check "... between two" gives "1 passed, 1 failed, 0 skipped" one unit/a 0 "ok 1 - b" "1..1"
check "nothing at all" gives "0 passed, 1 failed, 0 skipped" true

check "a unit test that skips whole" gives "0 passed, 0 failed, 1 skipped" \
	whole unit/a 77 "1..0 # SKIP no strace"
check "a PMU's test that skips whole" gives "0 passed, 1 failed, 0 skipped" \
	whole pmu/a 77 "1..0 # SKIP no PMU"
with=PMU_MAY_SKIP=pmu/b
check "... where another may" gives "0 passed, 1 failed, 0 skipped" \
	whole pmu/a 77 "1..0 # SKIP no PMU"

with=PMU_MAY_SKIP=pmu/a
check "... where it may" gives "0 passed, 0 failed, 1 skipped" whole pmu/a 77 "1..0 # SKIP no PMU"
with=PMU_MAY_SKIP=all
check "... where all may" gives "0 passed, 0 failed, 1 skipped" whole pmu/a 77 "1..0 # SKIP no PMU"

with=''
passed="PASSED" failure="FAILED!!!"
check "PAPI's: passed in both" gives "1 passed, 0 failed, 0 skipped" pair 0 "$passed" 0 "$passed"
check "only in plain" gives "0 passed, 1 failed, 0 skipped" pair 0 "$passed" 1 "$failure"
check "only with upc" gives "0 passed, 1 failed, 0 skipped" pair 1 "$failure" 0 "$passed"
check "failed in both" gives "0 passed, 1 failed, 0 skipped" pair 1 "$failure" 1 "$failure"
check "crashed in both" gives "0 passed, 1 failed, 0 skipped" pair 139 "" 139 ""
check "hung in both" gives "0 passed, 1 failed, 0 skipped" pair 143 "" 143 ""
check "124 in both" gives "0 passed, 1 failed, 0 skipped" pair 124 "" 124 ""
check "passed, then crashed, in both" gives "0 passed, 1 failed, 0 skipped" \
	pair 139 "$passed" 139 "$passed"
check "skipped, then crashed, in both" gives "0 passed, 1 failed, 0 skipped" \
	pair 134 SKIPPED 134 SKIPPED
check "status 3 in both" gives "0 passed, 1 failed, 0 skipped" pair 3 "$passed" 3 "$passed"
check "no word in both" gives "0 passed, 1 failed, 0 skipped" pair 0 "" 0 ""
check "the machine stops in it" gives "0 passed, 2 failed, 0 skipped" printf '%s\n' \
	"@@ begin plain/ctests/a" "@@ end plain/ctests/a 0" "@@ begin upc/ctests/a"
printf '%s\n' '# a comment' 'ctests/a;failed;failed;no caches' > "$dir/known"
check "a known failure" gives "1 passed, 0 failed, 0 skipped" pair 1 "$failure" 1 "$failure"
check "... with its reason" says "failed in both, no caches"
check "... that crashes" gives "0 passed, 1 failed, 0 skipped" pair 139 "$failure" 139 "$failure"
check "... in one alone" gives "0 passed, 1 failed, 0 skipped" pair 0 "$passed" 1 "$failure"
check "... no more" gives "1 passed, 0 failed, 0 skipped" pair 0 "$passed" 0 "$passed"
check "... is told" says "^# ctests/a: known here as"

for words in 'WARNING: CPU: 0 PID: 1 at kernel/events/core.c:1 f+0x1/0x2' 'BUG: soft lockup - CPU#0' \
	'Internal error: Oops: 96000004 [#1] SMP' 'Kernel panic - not syncing: x' \
	'rcu: INFO: rcu_sched self-detected stall on CPU'; do
	check "the kernel: ${words%% *}" gives "1 passed, 1 failed, 0 skipped" \
		whole unit/a 0 "ok 1 - b" "[   12.345678] $words" "1..1"
done
check "... is told where" says "not ok 2 - the kernel complained in unit/a"
check "what it says without need" gives "1 passed, 0 failed, 0 skipped" \
	whole unit/a 0 "ok 1 - b" "[    0.311947] pci: Memory resource size exceeds" "1..1"

# It is seen while the machine still runs, not at its end.
printf 'tap 20 unit/a true\n' > "$dir/tests"
# shellcheck disable=SC2094 # one end of the pipe reads what the other writes
live()
{
	{
		printf '@@ begin unit/a\nok 1 - b\n'
		tries=0
		until grep -q '^ok 1' "$dir/out" || [ $tries = 100 ]; do
			sleep 0.1
			tries=$((tries + 1))
		done
		grep -q '^ok 1' "$dir/out" && : > "$dir/live"
	} | "$srcdir/scripts/pmu/pmu-tap" "$dir/tests" > "$dir/out"
	[ -e "$dir/live" ]
}
: > "$dir/out"
check "a result shows at once" live

echo "1..$tests"
[ $failed = 0 ]
