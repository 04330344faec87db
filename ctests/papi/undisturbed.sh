#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# undisturbed.sh - what shows, logs or times changes no count: a program of known faults,
# calls and switches (ctests/papi/known_work.c, $KNOWN_WORK) counts exactly the same whatever is
# set and whoever watches.
tool=${UPC_STAT:-upc_stat}
work=${KNOWN_WORK:?}
top=${UPC_TOP:-upc_top}
mpx=${MPX_RUN:-mpx_run}
. "${srcdir:?}/ctests/utils.inc"
export MPX_RUN_LIBRARY
unset LD_PRELOAD UPC_SHARE UPC_QUIET UPC_MULTIPLEX_GROUP

faults=1000
calls=600
switches=37
unit=undisturbed-test.$$

if [ -n "${SANITIZERS:-}${UPC_TEST_INEXACT:-}" ]; then
	echo "1..0 # SKIP a sanitizer has faults and calls of its own"
	exit 0
fi
"$work" $faults $calls $switches > out 2> err
case $? in
0) ;;
77) # with its reason, which is the machine's
	cat out
	exit 0
	;;
*)
	cat out
	echo "Bail out! $work fails: $(head -n 1 err)"
	exit 1
	;;
esac
may_count_calls=yes
! grep -q ' - ' out || may_count_calls=no

# counts_as FAULTS CALLS SWITCHES COMMAND...: what the machine itself does to a program once (a
# page taken away), it does not do ten times in a row
counts_as()
{
	truth="$1 $2 $3"
	[ $may_count_calls = yes ] || truth="$1 - $3"
	shift 3
	for try in 1 2 3 4 5 6 7 8 9 10; do
		"$@" > out 2> err || return 1
		! grep -qx -e "$truth" out || return 0
	done
	echo "# try $try, wanted: $truth"
	return 1
}

# plain COMMAND...: the program runs behind it, and counts the truth
plain()
{
	counts_as $faults $calls $switches "$@" "$work" $faults $calls $switches
}

# multiplexed COMMAND...: likewise; MPX asks its clock first, which is one call more
multiplexed()
{
	counts_as $faults $((calls + 1)) $switches "$@" "$work" $faults $calls $switches
}

# watched MONITOR...: somebody looks at the unit all the time. The program waits often, so that
# it is still there when the monitor comes.
watched()
{
	: > seen
	: > watching
	while [ -e watching ]; do
		"$@" >> seen 2> /dev/null || sleep 0.01
	done &
	watcher=$!
	status=1
	for more in 1 2 3 4 5 6 7 8 9 10; do
		counts_as $faults 30000 3000 env UPC_SHARE=$unit "$work" $faults 30000 3000 || break
		[ ! -s seen ] || { status=0; break; }
	done
	[ $status = 0 ] || echo "# after $more runs the monitor has seen $(wc -l < seen) lines"
	rm watching
	wait $watcher
	return $status
}

plan 21
check "nothing set" plain env
check "UPC_QUIET" plain env UPC_QUIET=1
check "UPC_SHARE" plain env UPC_SHARE=$unit
check "both" plain env UPC_SHARE=$unit UPC_QUIET=1
check "UPC_SHARE of a name that is refused, and said" plain env UPC_SHARE=../no/name
check "it is said" grep -q 'a shared unit has 1 to 64' err
check "UPC_SHARE of a name that is refused, not said" plain env UPC_SHARE=../no/name UPC_QUIET=1
check "it is not said" [ ! -s err ]
if [ -w /dev/shm ]; then
	check "a monitor" watched "$top" -b -I 50ms --all -n 3 $unit
	check "a monitor that makes JSON" watched "$top" --json -I 50ms -n 3 $unit
	check "somebody who lists units" watched "$top" --list
else
	for who in "a monitor" "a monitor that makes JSON" "somebody who lists units"; do
		skip "$who" "/dev/shm cannot be written"
	done
fi
check "upc_stat beside it" plain "$tool" -o report
check "upc_stat, every 10 ms" plain "$tool" -I 10 -o report
if "${MACHINE:?}" ptrace; then
	check "upc_stat, by thread" plain "$tool" -t -o report
else
	skip "upc_stat, by thread" "tracing is forbidden here"
fi
check "upc_stat, and a shared unit" plain env UPC_SHARE=$unit "$tool" -I 10 -o report
check "standard error closed" plain sh -c 'exec "$@" 2>&-' sh
check "mpx_run" multiplexed "$mpx" -q
check "mpx_run with a report" multiplexed "$mpx" -r=report
check "mpx_run with a report as JSON" multiplexed "$mpx" -r=report --json
check "mpx_run with another length of slices" multiplexed "$mpx" -q -s 100us
check "mpx_run, and a shared unit" multiplexed env UPC_SHARE=$unit "$mpx" -r=report --csv
