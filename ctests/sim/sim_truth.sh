#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_truth.sh - libmpx on the simulated node, beside what upc_run counts in the same run: what
# shares no counter is exact, slices lose nothing, and estimates are near the truth. $SIM_TRUTH is
# the program, $UPC_RUN the tool, $UPC_SIM_PLUGIN the simulator.
# shellcheck disable=SC2034 # utils.inc runs it
tool="${srcdir:?}/scripts/sim/sim-truth"
# shellcheck source=ctests/utils.inc
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN

case ${SANITIZERS:-} in
*address* | *thread*)
	echo "1..0 # SKIP this sanitizer's shadow memory is not to be had under the emulator"
	exit
	;;
esac
machine=$(uname -m)
case $machine in
x86_64 | aarch64) ;;
*)
	echo "1..0 # SKIP the simulated node has no PAPI for programs of this machine"
	exit
	;;
esac
if ! command -v "qemu-$machine" > /dev/null; then
	echo "1..0 # SKIP qemu-$machine is not installed (scripts/packages.sh: PACKAGES_SIM)"
	exit
fi

echo "1..10"

# set core event count around truth
exact()
{
	awk '$4 - $5 != $6 || $6 == 0 { print "# PU" $2 "_" $3 ": " $4 " - " $5 ", not " $6; bad = 1 }
		$6 > 100000 { many++ }
		END { exit bad || NR != 32 || many < 32 }' exact
}

# The others' columns are those that scripts/sim/sim-truth names. The work is the same in all
# measurements: its truth is that of the exact run, in which no signal comes, too.
# shellcheck disable=SC2016 # awk's
truths='FNR == NR { if ($3 == "FPU_MULT_1") truth[$2] = $6; next }'

# Both events happen equally often.
adds_up()
{
	awk "$truths"'{ key = $5 " " $7; core[key] = $7; sum[key] += $9; n[key]++ }
		END {
			for (key in n)
				if (n[key] == 2 && truth[core[key]] > 0 && sum[key] == truth[core[key]])
					good++
				else
					print "# measurement and core " key ": " sum[key] ", not " truth[core[key]]
			exit good != 48
		}' exact pair
}

# Or nothing would have been added up.
take_turns()
{
	awk "$truths"'{ both += $9 > 0 && $9 < truth[$7]; n++ } END { exit !n || both < n / 2 }' exact pair
}

# Of an event that no handler does: each core's in each measurement. A slow machine makes slices
# of all kinds; no bound here is near what is seen, 4 % and 9 of 10 intervals.
near()
{
	awk -v set="$1" "$truths"'$6 == set && $8 == "FPU_MULT_1" {
			n++
			t = truth[$7]
			near += $10 > .7 * t && $10 < 1.3 * t
			held += $12 <= t && t <= $13
			parts += $14 > .1 && $14 < .9 && $9 < t
			reported += $17 == t
		}
		END {
			print "# of " n ": " near " within 30 %, " held " intervals hold the truth"
			exit n != 48 || near < .8 * n || held < n / 2 || parts < .8 * n || reported < n / 2
		}' exact steady
}

counts()
{
	run 0 "$@" "$UPC_RUN" "$SIM_TRUTH"
}

refused()
{
	"$SIM_TRUTH" "$@" 2> err
	[ $? = 2 ] && grep -q '^usage' err
}

check "sets that share no counter" counts -x -q 3000
cp out exact
check "... are exact, but for what they count around it" exact
check "two events that share one counter" counts -p -l steady -q 3000
cp out pair
check "... have counted, together, all there was" adds_up
check "... each in its slices" take_turns
check "32 events of four threads, which share counters" counts -l steady -q 3000
cp out steady
check "... of the process: estimates beside the truth" near process
check "... of the threads themselves" near thread
check "the program refuses what it does not know" refused -l idle
without_value()
{
	run 1 -l && grep -q 'sim-truth: -l needs a value' err
}
check "an option without its value is said" without_value
