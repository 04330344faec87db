#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# utils_avail.sh - upc_avail finds what there is, says why the rest is not, and
# is fit for scripts. $UPC_AVAIL is the tool.
avail=${UPC_AVAIL:-upc_avail}
tool=$avail
. "${srcdir:?}/ctests/utils.inc"

echo "1..55"

check "names, one a line" run 0 --names
cp out names
check "... none twice" [ -z "$(sort names | uniq -d)" ]
check "... without blanks" sh -c '! grep -q "[[:space:]]" names'
check "... each is found by itself" run 0 --names "$(sed -n 3p names)"
check "... and by no case in particular" sh -c \
	'"$1" --names "$(printf %s "$2" | tr "[:upper:]" "[:lower:]")" | grep -qxF "$2"' sh "$avail" \
	process::VmPeak
check "--all has more" run 0 --all --names
check "... all 455 Blue Gene/P names" [ "$(grep -cv :: out)" -ge 455 ]
check "... and what is there without it" sh -c 'sort out > all; sort names | comm -23 - all | { ! grep -q .; }'

json()
{
	run 0 --all --json && leaves_of out || return 1
	awk -F '\t' -v names=driven '
		function has(what) { return length(of[i, what]) > 2 } # more than quotes
		split($1, part, "/") < 5 || part[3] != "events" { next }
		{ of[part[4], part[5]] = $2; n = part[4] + 1 }
		END {
			for (i = 0; i < n; i++) {
				id = of[i, "id"]
				none = of[i, "source"] == "\"none\""
				if (id != "null" && (id in seen || id != 256 * of[i, "input"] + of[i, "counter"]))
					wrong = wrong " id " id
				if (id != "null")
					bgp += !seen[id]++
				if (!has(none ? "why" : "driver") || !has("description") || !has("subsystem"))
					wrong = wrong " " of[i, "event"]
				if (!none)
					print substr(of[i, "event"], 2, length(of[i, "event"]) - 2) > names
			}
			if (wrong || bgp != 455)
				print "# " bgp " Blue Gene/P names; wrong:" wrong
			exit wrong || bgp != 455
		}' leaves && cmp names driven
}
check "--json: 455 Blue Gene/P names, and every event with its driver or the reason" json

check "a part of a name" run 0 page-faults
check "... finds it, with what drives it" grep -q 'driven by' out
check "a glob" run 0 --names 'process::vm*'
check "... over the whole name" [ "$(grep -cvi '^process::vm' out)" = 0 ]
# finds QUERY NAME: among the names that are printed
finds()
{
	run 0 --names "$1" && grep -qxF "$2" out
}
check_perf "words that no name has, in descriptions" finds 'copy-on-write' perf::PAGE-FAULTS
check_perf "... in any form and order" finds 'page first touching' perf::PAGE-FAULTS
check_perf "... of names, too" finds 'fault page minor' perf::MINOR-FAULTS
check "--all finds so what a machine has not got, too" sh -c '"$1" --all --names "cache miss" | grep -qxF PU0_DCACHE_MISS' sh "$avail"
bytes_sent()
{
	interface=$(sed -n 's/^net::\(.*\):tx_bytes$/\1/p' names | head -n 1)
	[ -n "$interface" ] && finds 'bytes sent' "net::$interface:tx_bytes" && ! grep -q rx_bytes out
}
if grep -q : /proc/net/dev; then
	check "bytes sent" bytes_sent
else
	skip "bytes sent" "there is no network interface here"
fi
check "a name before descriptions" finds fault vm::pgfault
check "... of which others speak" sh -c '"$1" switch | grep -qF "upc_avail --descriptions '"'switch'"'"' sh "$avail"
cp out short
check "... and which --descriptions adds" run 0 --names --descriptions fault
check "... to those" sh -c 'sort short > a && sort out | comm -23 a - | { ! grep -q .; } && [ "$(wc -l < out)" -gt "$(wc -l < short)" ]'
check "not all words: none" run 1 --names 'cache zebra'
for name in upc:::task::minflt PAPI_NATIVE_upc:::task::minflt 'UPC:::TASK::MINF*'; do
	check "PAPI's spelling: $name" finds "$name" task::minflt
done

check "what nothing drives says why when it is asked for" run 0 PU0_JPIPE_INSTRUCTIONS
check "... with id, counter and input" grep -q 'id 0, counter 0, input 0' out

# Words, however the lines are broken.
says()
{
	run 0 "$1" && tr -s ' \n' ' ' < out | grep -q "$2"
}
check "... and that upc_run would count it, or a wiring file" \
	says PU0_JPIPE_INSTRUCTIONS 'upc_run PROGRAM counts it exactly.*drive NAME = '
check "... or what it waits for" says PU0_DCACHE_MISS 'drive NAME = .*not produce it yet: the memory model'
check "... or that a node has none of it" says TORUS_XP_PACKETS 'drive NAME = .*one node, without networks'

script()
{
	printf 'upc-trace 1\nc 10\n' > script
	for name in TOT_INS FP_OPS FMA_INS LD_INS SR_INS BR_INS; do
		echo $name
		echo PU3_$name
	done | sort > six
	export UPC_SOURCE="replay:$PWD/script"
	run 0 --names && sort out | comm -23 six - | { ! grep -q .; }
	result=$?
	unset UPC_SOURCE
	return $result
}
check "a script has the derived events of its names" script

check "an unknown name: 1" run 1 task::minftl
check "... with the nearest" grep -q 'did you mean task::minflt' err
check "a pattern with a mistake: 1" run 1 'tsk::*'
check "... and the right one" grep -q 'did you mean task::\*?' err

check_perf "perf's name of an event" finds minor-faults perf::MINOR-FAULTS
check_perf "... of which the beginning is another's" finds faults perf::PAGE-FAULTS
check_perf "... beside the event" sh -c '"$1" perf::PAGE-FAULTS | grep -q "also: page-faults, faults"' sh "$avail"
check "--spellings prints them as well" run 0 --names --spellings
check_perf "... one a line" grep -qxF page-faults out
uncounted()
{
	run 0 --names cycles && grep -qxF perf::CYCLES out && return
	[ ! -s out ] && [ "$(wc -l < err)" = 1 ] && grep -q "no event 'cycles' here: .* does not model time" err
}
check "cycles, or one sentence that says why not" uncounted

groups()
{
	run 0 --groups && [ "$(wc -l < out)" -lt 60 ] || return 1
	# As many as there are names.
	awk '/^  [a-z0-9_]+:: / { gsub(",", "", $2); n += $2 } END { print n }' out > sum
	[ "$(cat sum)" = "$(wc -l < names)" ] && grep -q '^  task:: ' out
}
check "--groups: all events in less than a page or two" groups
check "... each of which lists its own" sh -c '"$1" --names derived:: | { ! grep -q ::; }' sh "$avail"
check "--color=always" sh -c '"$1" --color=always task::minflt | grep -q "$(printf "\033")"' sh "$avail"
check "... and no other word" run 125 --color=sometimes

# on_terminal COMMAND: with a terminal as its output, which goes to the file screen; its exit status
on_terminal()
{
	TERM=xterm command script -qec "$1" screen > typed 2>&1 < /dev/null
}
terminal()
{
	on_terminal "$avail --no-pager" && grep -q 'for example' screen && ! grep -q 'driven by' screen
}
paged()
{
	rm -f page
	UPC_PAGER='cat > page' on_terminal "$avail task::" && grep -q 'driven by' page
}
not_paged()
{
	rm -f page
	export UPC_PAGER='cat > page'
	on_terminal "TERM=dumb $avail task::" && on_terminal "$avail --no-pager task::" && [ ! -e page ]
	result=$?
	unset UPC_PAGER
	return $result
}
# One that quits early and one that is not there change nothing.
quit_pager()
{
	UPC_PAGER='head -n 1' on_terminal "$avail '*' 2> said" && [ ! -s said ] &&
		UPC_PAGER=./nowhere on_terminal "$avail task:: 2> said" && [ ! -s said ] && grep -q 'driven by' screen
}
no_colour()
{
	on_terminal "NO_COLOR=1 $avail --no-pager task::" && ! grep -q "$(printf '\033')" screen &&
		on_terminal "$avail --no-pager task::" && grep -q "$(printf '\033')" screen
}
if command -v script > /dev/null && on_terminal true; then
	check "a terminal gets the groups" terminal
	check "... and a pager for a list" paged
	check "... but not with TERM=dumb or --no-pager" not_paged
	check "a pager that is quit early, or is not there" quit_pager
	check "colours, but not with NO_COLOR" no_colour
	check "a pager leaves the status" sh -c '! UPC_PAGER=cat TERM=xterm script -qec "$1 nosuchevent" /dev/null > typed 2>&1 < /dev/null' sh "$avail"
else
	for name in groups pager dumb quit colours status; do
		skip "a terminal: $name" "there is no script(1)"
	done
fi

widths()
{
	for COLUMNS in 60 80 132; do
		export COLUMNS
		run 0 task:: || return 1
		[ "$(awk -v w=$COLUMNS 'length > w' out | wc -l)" = 0 ] || return 1
	done
	unset COLUMNS
	# Neither colour nor any other command to a terminal.
	! grep -q "$(printf '\033')" out
}
check "lines keep to the width, and a pipe gets no colour" widths
check "--missing" run 0 --missing
bad_options()
{
	for options in "--names --json" "--missing --json" "--missing --all" "--missing perf" "--missing --descriptions"; do
		# shellcheck disable=SC2086
		run 125 $options && [ ! -s out ] || { echo "# $options"; return 1; }
	done
}
check "wrong options: 125" bad_options
