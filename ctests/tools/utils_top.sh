#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# utils_top.sh - upc_top shows what a shared unit holds and how fast it grows, says
# who changes it, and ends with its owner. $UPC_TOP is the tool, $SHARE_LOAD a program
# that shares a unit.
top=${UPC_TOP:-upc_top}
load=${SHARE_LOAD:-share_load}
tool=$top
. "${srcdir:?}/ctests/utils.inc"

choose_events
events="$clock $faults task::voluntary_ctxt_switches process::statm_resident"
unit=top-test.$$
me=$(id -u)
owner=
process=
watcher=
unset NO_COLOR
export TERM=xterm
echo "1..54"

# share [OPTION]... NAME: shares a unit from a process in the background, $owner
share()
{
	: > ready
	# shellcheck disable=SC2086
	"$load" "$@" 3000 $events > ready 2> load.err &
	owner=$!
	until_passes [ -s ready ] || { sed 's/^/# /' load.err; false; }
}

# end SIGNAL: of the owner
end()
{
	kill -"$1" "$owner" 2> /dev/null
	wait "$owner" 2> /dev/null
	owner=
}

# watch ARGUMENT...: upc_top in the background, $watcher; seen is its output
watch()
{
	: > seen
	"$top" "$@" > seen 2> err &
	watcher=$!
}

# watched STATUS: it ends so
watched()
{
	wait "$watcher"
	got=$?
	[ $got = "$1" ] || { echo "# status $got, not $1"; sed 's/^/# seen: /' seen; false; }
}

trap '[ -z "$owner" ] || kill -9 $owner 2> /dev/null
	rm -rf "$dir" "/dev/shm/upc.$me.$unit" "/dev/shm/upc.$me.$unit-2"' EXIT

tables()
{
	[ "$(grep -c '^ ctr ' "$1")" = "$2" ]
}

no_control()
{
	! LC_ALL=C grep -q '[^ -~]' "$1"
}

# ---- a unit that runs

check "a process shares a unit" share "$unit"
check "--list" run 0 --list
check "... has its name, user, owner, state and command" \
	grep -Eq "^$unit +$(id -un) +$owner +running +.*share_load $unit" out

check "no terminal: a table a refresh" run 0 -n 3 -I 1s "$unit"
check "... as many as were asked for" tables out 3
check "... without control characters" no_control out
check "... with the owner and its command" grep -q "^$unit, process $owner (.*share_load" out
check "... and its state" grep -Eq '^running, 4 events, counts [0-9.]+ s old, configuration [0-9]+ by thread ' out
check "... no rates at first, then one" \
	[ "$(awk -v e=$faults '$NF == e { print ($4 == "-" ? "none" : $5) }' out | tr '\n' ' ')" = "none /s /s " ]
check "... and none for a level" [ "$(awk '$NF == "process::statm_resident" { print $4 }' out | sort -u)" = level ]
narrow()
{
	(COLUMNS=60 && export COLUMNS && run 0 -n 1 "$unit") && [ "$(wc -L < out)" -le 60 ] &&
		grep -q '\.\.\.)*$' out
}
check "lines are cut to COLUMNS" narrow
names_at_40()
{
	(COLUMNS=40 && export COLUMNS && run 0 -n 2 -I 0.1s "$unit") && [ "$(wc -L < out)" -le 40 ] &&
		[ "$(grep -c "$faults" out)" = 2 ] && [ "$(grep -c process::statm out)" = 2 ]
}
check "... of which 40 show names" names_at_40
check "--all: 256 counters" run 0 --all -n 1 "$unit"
check "... each of them" [ "$(grep -Ec '^ +[0-9]+ +[0-9]' out)" = 256 ]

csv()
{
	run 0 -f csv -n 2 -I 1s "$unit" && awk -F, -v unit="$unit" -v owner="$owner" -v faults="$faults" '
		NR == 1 { head = $0; next }
		$1 == "fact" { facts++; fact[$6] = $7; next }
		$1 != "event" || $4 != "running" || $11 != "exact" { exit bad = 1 }
		{ n++ }
		$6 == faults && $2 == 1 { first = $14 == "" && $15 == "first"; from = $7 }
		$6 == faults && $2 == 2 { second = $7 >= from && $14 > 0 && $15 == "rate" }
		END {
			exit bad || n != 8 || !first || !second || facts != 6 || fact["name"] != unit || fact["pid"] != owner ||
				head !~ /^record,refresh,unix_time,state,counter,event,value,low,high,standard_error,exactness,unit,/
		}' out
}
check "--format=csv: a line an event" csv
check "--list --format=csv" sh -c '"$1" -l -f csv | awk -F, -v unit="$2" -v owner="$3" "
	NR == 1 { head = \$0 } \$1 == \"unit\" && \$2 == unit && \$5 == owner && \$6 == \"running\" { found = 1 }
	END { exit !found || head != \"record,name,user,uid,pid,state,command_line,event,value\" }"' sh "$tool" "$unit" "$owner"

# event LOOK NAME MEMBER
event()
{
	at "/$1/events/$(awk -F '\t' -v look="/$1/events/" -v name="\"$2\"" \
		'index($1, look) == 1 && $2 == name { split($1, part, "/"); print part[4] }' leaves)/$3"
}
# Each look, and what is said of the unit in all of them.
looks()
{
	for look in 0 1 2; do
		leaf "/$look/refresh" $((look + 1)) && leaf "/$look/tool" '"upc_top"' &&
			leaf "/$look/name" "\"$unit\"" && leaf "/$look/pid" "$owner" &&
			leaf "/$look/state" '"running"' && leaf "/$look/changed" false &&
			at "/$look/command_line" | grep -q share_load || return 1
		for name in $events; do
			kind='"count"'
			[ $name != process::statm_resident ] || kind='"level"'
			[ "$(event $look $name kind)" = $kind ] || return 1
		done
		[ "$(grep -c "^/$look/events/.*/event	" leaves)" = 4 ] || return 1
	done
	! at /3/refresh
}
# The rate is the growth over the time between two looks.
rates()
{
	for look in 1 2; do
		[ "$(event $look $faults unit)" = '"faults"' ] && [ "$(event $look $faults note)" = '"rate"' ] &&
			[ "$(event $look process::statm_resident per_second)" = null ] &&
			awk -v from="$(event $((look - 1)) $faults value)" -v to="$(event $look $faults value)" \
				-v rate="$(event $look $faults per_second)" -v seconds="$(at /$look/seconds)" 'BEGIN {
				off = rate - (to - from) / seconds
				exit !(to >= from + 10 && off <= 1e-6 * rate && off >= -1e-6 * rate) }' || return 1
	done
}
json()
{
	run 0 --json -n 3 -I 1s "$unit" && leaves_of out && looks &&
		[ "$(event 0 $faults per_second)" = null ] && [ "$(event 0 $faults note)" = '"first"' ] &&
		awk -v seconds="$(at /0/seconds)" 'BEGIN { exit seconds != 0 }' && rates
}
# in_order KEY SORT-OPTION: of the second look
in_order()
{
	run 0 --json -n 2 -I 0.2s --sort "$1" "$unit" && leaves_of out || return 1
	case $1 in
	rate) set -- per_second "$2" ;;
	count) set -- value "$2" ;;
	name) set -- event "$2" ;;
	esac
	sed -n "s|^/1/events/[0-9]*/$1	||p" leaves | sed 's/null/-1/' > keys
	[ "$(wc -l < keys)" = 4 ] && LC_ALL=C sort -s -c "$2" keys
}
sorted()
{
	in_order rate -gr && in_order count -gr && in_order counter -g && in_order name -s
}
list_json()
{
	run 0 --list --json -u "$me" && leaves_of out || return 1
	listed=$(sed -n "s|^\(/0/units/[0-9]*\)/name	\"$unit\"\$|\1|p" leaves)
	leaf "$listed/pid" "$owner" && leaf "$listed/state" '"running"' && leaf "$listed/uid" "$me"
}
check "--json: an object a refresh, with rates that are right" json
check "--sort" sorted
check "--list --json" list_json

# ---- whose, and which

check "a unit of a user by name" run 0 -n 1 -u "$(id -un)" "$unit"
check "... and by number" run 0 -n 1 -u "$me" "$unit"
check "no such user: 125" run 125 -n 1 -u "no such" "$unit"
check "no such unit: 125" run 125 -n 1 "top-tast.$$"
check "... with the nearest name" grep -q "shares no unit 'top-tast.$$'; nearest: $unit" err
check "nothing near: where to look" sh -c "! '$top' -n 1 QQQQ 2> err && grep -q 'upc_top --list' err"
check "a name that leads out of the directory: 125" run 125 -n 1 ../passwd

unreadable()
{
	run_other "$top" -n 1 -u "$me" "$unit" > out 2> err
	[ $? = 125 ] && [ ! -s out ] && grep -q 'not permitted' err &&
		run_other "$top" --list | grep -Eq "^$unit .* not readable"
}
if [ "$me" != 0 ]; then
	run_other()
	{
		"$@"
	}
	chmod 0 "/dev/shm/upc.$me.$unit"
	check "a unit that is not readable: says so" unreadable
	chmod 0600 "/dev/shm/upc.$me.$unit"
else
	run_other()
	{
		LD_LIBRARY_PATH=$dir/bin setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/bin/${1##*/}" "${@:2}"
	}
	check "a unit that is not readable: says so" eval 'chmod 711 "$dir" && copy_built "$dir/bin" "$top" && unreadable'
fi

# ---- on a terminal

# type_keys KEYS ARGUMENT...: upc_top on a terminal where somebody types when something
# is to be seen; seen is what it draws. Whoever runs the tests in the background has
# SIGINT ignored, which upc_top would keep to.
type_keys()
{
	keys=$1
	shift
	: > seen
	{
		until_passes [ -s seen ]
		printf '%s' "$keys"
	} | timeout 600 script -qec "exec env --default-signal=INT $top $*" typescript > seen 2>&1
}
if command -v script > /dev/null && type_keys q --version && grep -q upc_top seen; then
	drawn()
	{
		grep -q "$(printf '\033')\\[?1049h.*" seen && grep -q "process $owner" seen &&
			tail -c 40 seen | grep -q "$(printf '\033')\\[?7h$(printf '\033')\\[?25h$(printf '\033')\\[?1049l"
	}
	check "on a terminal: q ends it" type_keys q "$unit"
	check "... it has drawn on a screen of its own, and left it" drawn
	check "... it has said which keys it knows" grep -q 'q quit  s sort:rate  a all  space now' seen
	check "... s is another order" type_keys ssq "$unit"
	check "... which it says" sh -c 'grep -q sort:count seen && grep -q sort:counter seen'
	check "... a is all counters" type_keys aq "$unit"
	check "... also those that count nothing" grep -q '(nothing)' seen
	check "... Ctrl-C ends it, too" type_keys "$(printf '\003')" "$unit"
	check "... and left the screen" drawn
	check "--batch on a terminal" type_keys '' -b -n 2 -I 0.1s "$unit"
	check "... draws nothing" sh -c "tr -d '\r' < seen > plain && ! grep -q '$(printf '\033')' plain"
else
	for name in "on a terminal: q ends it" "... it has drawn on a screen of its own, and left it" \
		"... it has said which keys it knows" "... s is another order" "... which it says" \
		"... a is all counters" "... also those that count nothing" \
		"... Ctrl-C ends it, too" "... and left the screen" "--batch on a terminal" "... draws nothing"; do
		skip "$name" "no script(1) to make a terminal with"
	done
fi

# ---- changes

changes()
{
	watch -I 0.1s "$unit"
	until_passes grep -q process::statm_resident seen || return 1
	kill -USR1 "$owner"
	until_passes grep -q "\*\*\* configuration changed by thread $owner: [0-9]* -> [0-9]* \*\*\*" seen &&
		until_passes grep -q '^running, 3 events' seen || return 1
	kill -USR2 "$owner"
	until_passes grep -q '^stopped, 3 events' seen || return 1
	# Stopped, they stay less than they were: the mark comes, however late we look.
	kill -HUP "$owner"
	until_passes grep -Eq "restart +$faults" seen || return 1
	kill -USR2 "$owner"
	kill -TERM "$watcher"
	watched 0
}
check "a changed configuration, a stop and a reset are seen" changes

# ---- ends

ends()
{
	watch -I 1000s "$unit"
	until_passes grep -q "$faults" seen || return 1
	end TERM
	watched 0 && grep -q '^\*\*\* ended by its owner: these are the last counts' seen && tables seen 2
}
check "its owner ends it: the last counts, long before the next refresh" ends
check "... and it is gone" run 125 -n 1 "$unit"

left()
{
	share "$unit" || return 1
	process=$owner
	watch -I 1000s "$unit"
	until_passes grep -q "$faults" seen || return 1
	end KILL
	watched 0 && grep -q "^\*\*\* process $process has ended: these are the last counts" seen
}
check "its owner is killed: the last counts" left
check "... it is left behind" sh -c "'$top' --list | grep -Eq '^$unit .* left behind'"
check "... and cannot be watched any more: 125" run 125 -n 1 "$unit"
check "... which the message says" grep -q "process $process, has ended" err

# An owner that is stopped in the middle of a change, as its sequence says: the
# lowest byte of the fourth 64-bit word is odd.
torn()
{
	share "$unit" || return 1
	watch -I 0.2s "$unit"
	until_passes grep -q "$faults" seen || return 1
	kill -STOP "$owner"
	# It may go on for a moment, and would make good what is damaged here.
	until_passes grep -q '^State:[[:space:]]*T' "/proc/$owner/status" || return 1
	printf '\001' | dd of="/dev/shm/upc.$me.$unit" bs=1 seek=24 conv=notrunc 2> /dev/null
	until_passes grep -q '^\*\*\* in the middle of a change: counts are of an earlier refresh' seen || return 1
	end KILL
	watched 125 && grep -q 'killed in the middle of a change: these are the counts of the last refresh' err
}
check "its owner is killed in the middle of a change: 125, and why" torn
check "... the next owner's is as good as new" share "$unit"

silent()
{
	share -x "$unit-2" || return 1
	process=$owner
	watch --json -I 1000s "$unit-2"
	until_passes grep -q "$faults" seen || return 1
	end TERM
	watched 0 && tail -n 1 seen | grep -q '"state": "left behind"'
}
end TERM
check "its owner ends without a word: as if killed" silent

# ---- a level that its owner has not read

# text, CSV and JSON: the count and the note of the level
level_is()
{
	run 0 -n 1 "$unit" && [ "$(awk '$NF == "process::statm_resident" { print $2, $(NF - 1) }' out)" = "$1 $2" ] &&
		run 0 -f csv -n 1 "$unit" &&
		[ "$(awk -F, '$6 == "process::statm_resident" { print $7, $15, $11 }' out)" = "$3 $2 $5" ] &&
		run 0 --json -n 1 "$unit" && leaves_of out &&
		[ "$(event 0 process::statm_resident value) $(event 0 process::statm_resident note)" = "$4 \"$2\"" ] &&
		[ "$(event 0 process::statm_resident exactness)" = "\"$5\"" ]
}
level_is_known()
{
	run 0 --json -n 1 "$unit" && leaves_of out &&
		[ "$(event 0 process::statm_resident note)" = '"level"' ] &&
		[ "$(event 0 process::statm_resident value)" -gt 0 ]
}
reads_the_level()
{
	kill -USR2 "$owner"
	until_passes level_is_known
}
check "a unit that was never started" share -s "$unit"
check "... has levels that are not known" level_is - unread "" null uncounted
check "... until they are read" reads_the_level
end TERM

# ---- options

bad_options()
{
	for options in "" "a b" "-i 0.01 a" "-i 1e3 a" "-i -1 a" "-i x a" "-i inf a" "-i 90000 a" "-n 0 a" \
		       "-n 1.5 a" "--sort size a" "--list a" "--nosuch a" "-u"; do
		# shellcheck disable=SC2086
		run 125 $options || { echo "# $options"; return 1; }
		[ -s err ] && [ ! -s out ] || { echo "# $options"; return 1; }
	done
}
check "wrong options: 125" bad_options
check "--help" run 0 --help
check "--version" run 0 --version
