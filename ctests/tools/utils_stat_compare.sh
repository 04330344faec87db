#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# utils_stat_compare.sh - upc_stat --compare says of two reports what their numbers say, and no
# more. $UPC_STAT is the tool, $JSON_LEAVES reads its JSON.
stat=${UPC_STAT:-upc_stat}
tool=$stat
. "${srcdir:?}/ctests/utils.inc"

plan 26

# event NAME UNIT RUN...: as upc_stat -r prints it; with one run without runs
event()
{
	printf '{"event": "%s", "unit": "%s", "value": %s' "$1" "$2" "$3"
	shift 2
	if [ $# -gt 1 ]; then
		list=$(printf '%s, ' "$@")
		printf ', "runs": [%s]' "${list%, }"
	fi
	printf '%s}' "${more:-}"
}

# report SECONDS... -- EVENTS: of as many runs
report()
{
	printf '{"schema": 1, "tool": "upc_stat", "wiring": "%s", "command": ["./it"], "seconds": %s%s' \
		"${wiring:-}" "$1" "${end:-}"
	runs=
	[ "$2" = -- ] || while [ "$1" != -- ]; do
		runs="$runs${runs:+, }{\"seconds\": $1, \"user_seconds\": 1, \"system_seconds\": 0}"
		shift
	done
	[ -z "$runs" ] || printf ', "user_seconds": 1, "system_seconds": 0, "failed_runs": 1, "runs": [%s]' "$runs"
	while [ "$1" != -- ]; do
		shift
	done
	printf ', "events": [%s]}\n' "$2"
}

# field NAME COLUMN: of the CSV in out
field()
{
	awk -F, -v name="$1" -v column="$2" '$1 == name { print $column }' out
}

report 1 2 3 4 -- "$(event x faults 101 102 103 104), $(event y ns 5 5 5 5), $(event z bytes 0 0 0 0), $(event a_only faults 1 1 1 1)" > a.json
report 2 4 6 8 -- "$(event z bytes 1 1 1 1), $(event y ns 5 5 5 5), $(event x faults 202 204 206 208), $(event b_only faults 1 1 1 1)" > b.json
check "two reports as CSV" run 0 --csv --compare a.json b.json
check "... the ratio of the means" [ "$(field x 3),$(field x 4),$(field x 5)" = 102.5,205,2 ]
# t is 2.4469 with 6 degrees of freedom; each mean's relative error is sqrt(5/3)/2/102.5.
interval()
{
	awk -v low="$(field x 6)" -v high="$(field x 7)" 'BEGIN {
		half = 2.4469 * sqrt(2) * sqrt(5 / 3) / 2 / 102.5
		exit !((low - 2 * exp(-half)) ^ 2 < 1e-9 && (high - 2 * exp(half)) ^ 2 < 1e-9) }'
}
check "... with its interval" interval
check "... is more" [ "$(field x 8)" = more ]
check "what is alike: no difference is seen" [ "$(field y 8)" = none ]
check "what was none has no ratio and no verdict" [ "$(field z 5),$(field z 8)" = , ]
check "times are compared, too" [ "$(field seconds 5)" = 2 ]
wide()
{
	# Of four runs that spread so the interval is wide: no difference is to be seen.
	[ "$(field seconds 8)" = none ]
}
check "... and their spread is seen" wide
back()
{
	run 0 --csv --compare b.json a.json && [ "$(field x 5),$(field x 8)" = 0.5,less ]
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
	leaves_of out && leaf /0/compared/3/event '"x"' && leaf /0/compared/3/ratio 2.0 &&
		leaf /0/compared/3/verdict '"more"' && leaf /0/report_a/run_count 4 && leaf /0/report_b/failed_runs 1 &&
		leaf /0/only_a/0 '"a_only"' && ! at /0/compared/5/verdict && ! at /0/compared/6/event
}
check "... says the same" json

report 1 -- "$(event x faults 100)" > one.json
report 1 2 3 -- "$(event x faults 100 100 100)" > three.json
without()
{
	run 0 --csv --compare one.json b.json && [ "$(field x 5),$(field x 6),$(field x 8)" = 2.05,, ] &&
		run 0 --csv --compare b.json one.json && [ -z "$(field x 8)" ] &&
		run 0 --compare one.json b.json && grep -q 'no verdict: that takes 4 runs' out
}
check "one run has no spread: a ratio, no interval, no verdict" without
ended()
{
	for end in ', "exit_status": 3' ', "signal": 9' ', "exit_status": 0'; do
		report 1 -- "$(event x faults 100)" > ended.json
		run 0 --json --compare ended.json b.json && leaves_of out &&
			leaf /0/report_a/failed_runs "$([ "$end" = ', "exit_status": 0' ]; echo $?)" || { echo "# $end"; return 1; }
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
	run 0 --csv --compare three.json b.json && [ -n "$(field x 6)" ] && [ -z "$(field x 8)" ]
}
check "three runs have an interval, and no verdict" few
partly()
{
	more=', "shortcoming": "partly counted"'
	report 1 2 3 4 -- "$(event x faults 1 1 1 1)" > part.json
	more=
	run 0 --csv --compare part.json b.json && [ "$(field x 8),$(field x 9)" = ",partly counted" ] &&
		run 0 --compare b.json part.json && grep -q '^  x .*  partly counted$' out
}
check "what was counted in part has no verdict" partly
last()
{
	{ report 7 -- "$(event x faults 7)"; cat one.json; } > two.json
	run 0 --csv --compare two.json one.json && [ "$(field x 5)" = 1 ]
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
	echo '{"schema": 2, "tool": "upc_stat", "seconds": 1, "events": []}' > newer
	echo '{"schema": 1, "tool": "upc_top", "seconds": 1, "events": []}' > top
	echo '{"schema": 1, "tool": "upc_stat", "seconds": 1, "events": [{"event": "x", "value": "1"}]}' > text
	echo '{"schema": 1, "tool": "upc_stat", "seconds": 1, "runs": [1], "events": []}' > times
	head -c 50 a.json > cut
	cat one.json cut > cut_later
	sed 's/{/{"record": "interval", /' one.json > interval
	for file in empty list newer top text times cut cut_later interval nowhere; do
		refuses $file || { echo "# $file"; return 1; }
	done
}
check "what is no report is refused by name" bad_reports
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
		[ "$(field process::wchar 5),$(field process::wchar 8)" = 1.5,more ]
}
check "what upc_stat -r writes is read" real
to_file()
{
	run 0 --csv -o to --compare a.json b.json && [ ! -s out ] && grep -q '^x,faults,102.5,205,2,' to
}
check "-o" to_file
