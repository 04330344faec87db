#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# utils_stat_compare.sh - upc_stat --compare says of two reports what their numbers say, and no
# more. $UPC_STAT is the tool, $JSON_LEAVES reads its JSON.
stat=${UPC_STAT:-upc_stat}
tool=$stat
. "${srcdir:?}/ctests/utils.inc"

plan 28

# event NAME UNIT RUN...: as upc_stat -r prints it: first what is of all runs, then each run's behind a '|'; with one run
# without runs
exact='"exactness": "exact"'
event()
{
	name=$1 unit=$2
	shift 2
	printf '{"event": "%s", "unit": "%s", "value": %s, ' "$name" "$unit" "$1"
	if [ $# -gt 1 ] && [ -z "${more:-}" ]; then
		printf '"exactness": "estimate", "standard_error": 1, "reasons": ["mean of several runs"]}'
	else
		printf '%s}' "${more:-$exact}"
	fi
	[ $# = 1 ] || for run; do
		printf '|{"event": "%s", "value": %s, %s}' "$name" "$run" "$exact"
	done
}

# report SECONDS... -- EVENT...: of as many runs
report()
{
	printf '{"schema": 2, "tool": "upc_stat", "wiring": "%s", "command": ["./it"], "seconds": %s%s' \
		"${wiring:-}" "$1" "${end:-}"
	times=
	while [ "$1" != -- ]; do
		times="$times $1"
		shift
	done
	shift
	k=1
	runs=
	for time in $times; do
		k=$((k + 1))
		counts=$(for event; do echo "$event" | cut -s -d '|' -f $k; done | paste -s -d ,)
		runs="$runs${runs:+, }{\"seconds\": $time, \"user_seconds\": 1, \"system_seconds\": 0, \"counts\": [$counts]}"
	done
	[ $k = 2 ] || printf ', "user_seconds": 1, "system_seconds": 0, "failed_runs": 1, "runs": [%s]' "$runs"
	printf ', "events": [%s]}\n' "$(for event; do echo "${event%%|*}"; done | paste -s -d ,)"
}

# field NAME COLUMN: of the CSV in out
field()
{
	csv out '$at["event"] == name { print $at[column] }' -v name="$1" -v column="$2"
}

report 1 2 3 4 -- "$(event x faults 101 102 103 104)" "$(event y ns 5 5 5 5)" \
	"$(event z bytes 0 0 0 0)" "$(event a_only faults 1 1 1 1)" > a.json
report 2 4 6 8 -- "$(event z bytes 1 1 1 1)" "$(event y ns 5 5 5 5)" \
	"$(event x faults 202 204 206 208)" "$(event b_only faults 1 1 1 1)" > b.json
check "two reports as CSV" run 0 --csv --compare a.json b.json
check "... the ratio of the means" [ "$(field x a),$(field x b),$(field x value)" = 102.5,205,2 ]
# t is 2.4469 with 6 degrees of freedom; each mean's relative error is sqrt(5/3)/2/102.5.
interval()
{
	awk -v low="$(field x low)" -v high="$(field x high)" 'BEGIN {
		half = 2.4469 * sqrt(2) * sqrt(5 / 3) / 2 / 102.5
		exit !((low - 2 * exp(-half)) ^ 2 < 1e-9 && (high - 2 * exp(half)) ^ 2 < 1e-9) }'
}
check "... with its interval" interval
check "... is more" [ "$(field x verdict)" = more ]
check "what is alike: no difference is seen" [ "$(field y verdict)" = none ]
check "what was none has no ratio and no verdict" [ "$(field z value),$(field z verdict)" = , ]
check "times are compared, too" [ "$(field seconds value)" = 2 ]
wide()
{
	# Of four runs that spread so the interval is wide: no difference is to be seen.
	[ "$(field seconds verdict)" = none ]
}
check "... and their spread is seen" wide
back()
{
	run 0 --csv --compare b.json a.json && [ "$(field x value),$(field x verdict)" = 0.5,less ]
}
check "turned round it is less" back

check "the table" run 0 --compare a.json b.json
table()
{
	grep -q '^  A: a.json, 4 runs of ./it; 1 failed$' out &&
		grep -q '^  x  *102  *205  *2.000  *1.9[0-9]* to 2.0[0-9]*  more$' out &&
		grep -q '^  y  *5 ns  *5 ns  *1.000  *1.000 to 1.000  ~$' out &&
		grep -q '^  only in A: a_only$' out && grep -q '^  only in B: b_only$' out && ! grep -q 'no verdict' out
}
check "... says the same, and what only one of them has" table

check "JSON" run 0 --json --compare a.json b.json
json()
{
	leaves_of out && leaf /0/compared/3/event '"x"' && leaf /0/compared/3/ratio/value 2.0 &&
		leaf /0/compared/3/ratio/exactness '"estimate"' && leaf /0/compared/3/a/exactness '"estimate"' &&
		leaf /0/compared/3/verdict '"more"' && leaf /0/run_count_a 4 && leaf /0/failed_runs_b 1 &&
		leaf /0/only_a/0 '"a_only"' && leaf /0/compared/5/verdict null && leaf /0/compared/5/ratio/value null &&
		leaf /0/compared/5/ratio/exactness '"uncounted"' && ! at /0/compared/6/event
}
check "... says the same" json

report 1 -- "$(event x faults 100)" > one.json
report 1 2 3 -- "$(event x faults 100 100 100)" > three.json
without()
{
	run 0 --csv --compare one.json b.json && [ "$(field x value),$(field x low),$(field x verdict)" = 2.05,, ] &&
		run 0 --csv --compare b.json one.json && [ -z "$(field x verdict)" ] &&
		run 0 --compare one.json b.json && grep -q 'no verdict: that takes 4 runs' out
}
check "one run has no spread: a ratio, no interval, no verdict" without
ended()
{
	for end in ', "exit_status": 3' ', "signal": 9' ', "exit_status": 0'; do
		report 1 -- "$(event x faults 100)" > ended.json
		run 0 --json --compare ended.json b.json && leaves_of out &&
			leaf /0/failed_runs_a "$([ "$end" = ', "exit_status": 0' ]; echo $?)" || { echo "# $end"; return 1; }
	done
	end=
}
check "... and has failed where it says so" ended
far()
{
	report 1 -- "$(event x faults 1000000)" > many.json
	report 1 -- "$(event x faults 4)" > four.json
	run 0 --compare many.json four.json && grep -q '^  x  *1,000,000  *4  *4e-06$' out
}
check "a ratio that is small is not 0" far
few()
{
	run 0 --csv --compare three.json b.json && [ -n "$(field x low)" ] && [ -z "$(field x verdict)" ]
}
check "three runs have an interval, and no verdict" few
partly()
{
	more='"exactness": "at least", "reasons": ["partly counted"]'
	report 1 2 3 4 -- "$(event x faults 1 1 1 1)" > part.json
	more=
	run 0 --csv --compare part.json b.json && [ "$(field x verdict),$(field x reason)" = ",partly counted" ] &&
		run 0 --compare b.json part.json && grep -q '^  x .*  partly counted$' out &&
		[ -z "$(field x low)" ]
}
check "what was counted in part has no verdict" partly
last()
{
	{ report 7 -- "$(event x faults 7)"; cat one.json; } > two.json
	run 0 --csv --compare two.json one.json && [ "$(field x value)" = 1 ]
}
check "of an interval's objects the last is the whole" last
wirings()
{
	wiring=other
	report 1 -- "$(event x faults 100)" > other.json
	wiring=
	run 0 --compare one.json other.json && grep -q 'the wiring files differ' out
}
check "other wirings are told" wirings

refuses()
{
	run 125 --compare one.json "$1" && [ ! -s out ] && [ "$(wc -l < err)" = 1 ] && grep -q "^upc_stat: .*$1" err
}
bad_reports()
{
	: > empty
	echo '[1, 2]' > list
	echo '{"schema": 3, "tool": "upc_stat", "seconds": 1, "events": []}' > newer
	echo '{"schema": 2, "tool": "upc_top", "seconds": 1, "events": []}' > top
	echo '{"schema": 2, "tool": "upc_stat", "seconds": 1, "events": [{"event": "x", "value": "1"}]}' > text
	echo '{"schema": 2, "tool": "upc_stat", "seconds": 1, "events": [{"event": "x", "value": null, "exactness": "exact"}]}' > null
	echo '{"schema": 2, "tool": "upc_stat", "seconds": 1, "runs": [1], "events": []}' > times
	head -c 50 a.json > cut
	cat one.json cut > cut_later
	sed 's/{/{"record": "interval", /' one.json > interval
	for file in empty list newer top text null times cut cut_later interval nowhere; do
		refuses $file || { echo "# $file"; return 1; }
	done
}
check "what is no report is refused by name" bad_reports
old()
{
	echo '{"schema": 1, "tool": "upc_stat", "seconds": 1, "events": [{"event": "x", "value": 1}]}' > old
	refuses old && grep -q 'has another schema; count again with this upc_stat$' err
}
check "... one of an earlier release, with what to do" old
uncounted()
{
	more='"exactness": "uncounted", "reasons": ["not counted"]'
	report 1 -- "$(event x faults null)" > none.json
	more=
	run 0 --csv --compare none.json one.json && [ "$(field x a),$(field x b),$(field x value)" = ,100, ] &&
		[ "$(field x reason)" = "not counted" ] && run 0 --compare one.json none.json &&
		grep -q '^  x  *100  *-  *not counted$' out
}
check "what was not counted is no 0, and has no ratio" uncounted
check "... and what cannot be read" run 125 --compare . one.json
check "... with the reason" grep -q "^upc_stat: cannot read '.': Is a directory" err
bad_options()
{
	for options in "" "one.json one.json" "one.json --csv" "-e x one.json" "-a one.json" "-r 2 one.json"; do
		# shellcheck disable=SC2086
		run 125 --compare one.json $options && [ ! -s out ] || { echo "# $options"; return 1; }
	done
}
check "two reports and nothing else" bad_options

real()
{
	rm -f k
	"$stat" -r 4 --json -o new.json -e process::wchar -- \
		dd if=/dev/zero of=/dev/null bs=1000 count=30 status=none &&
		"$stat" -r 5 --json -o old.json -e process::wchar -- \
			dd if=/dev/zero of=/dev/null bs=1000 count=20 status=none &&
		run 0 --csv --compare old.json new.json &&
		[ "$(field process::wchar value),$(field process::wchar verdict)" = 1.5,more ]
}
check "what upc_stat -r writes is read" real
to_file()
{
	run 0 --csv -o to --compare a.json b.json && [ ! -s out ] && grep -q '^compared,x,2,.*,estimate,102.5,205,faults,more,mean of several runs$' to
}
check "-o" to_file
