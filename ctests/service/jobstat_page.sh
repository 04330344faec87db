#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# jobstat_page.sh - the page of upc_jobstat as its readers find it: one file that asks for nothing, well formed,
# and in a browser; of jobs whose numbers are made.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/lib/browser.inc"

plan 28
writes=${JOBSTAT_PAGES:?}
check "a page of a job is written" "$writes" "$dir/one.html" 1
check "... and of seven" "$writes" "$dir/seven.html" 7
nothing_from_elsewhere()
{
	! page_body seven.html | grep -nE 'https?:|src=|href=|@import|url\(|style="| on[a-z]+="' > out
}
check "nothing is asked for from elsewhere" nothing_from_elsewhere
check_well_formed "they are well formed" one.html seven.html

# ---- of archives, by the tool ------------------------------------------------

# Sixteen nodes for three hours: one is slow in the second half, one had its counters taken for half an hour.
tool=${UPC_JOBSTAT:-}
how="--flops=cpu.flops --bandwidth=numa.l3_misses --line=64 --peak=25600e6"
real()
{
	# shellcheck disable=SC2086 # each is a word
	"$MAKE_ARCHIVE" made nodes=16 cpus=8 numa=4 counters=4 interval=60 samples=180 seed=3 noise=normal:0.02 \
		fault=5:slow:90:180:0.4 fault=9:taken:60:90 > out 2> err && "$tool" $how -f html -o real.html made 2> err && "$tool" $how -f csv -o real.csv made 2> err
}
# The averages of each NUMA node, of both.
same_table()
{
	sed -n '/Memory bandwidth of each NUMA node/,/<\/table>/p' real.html | grep '^<tr><td' |
		sed 's/.*data-v="\([0-9]*\)".*data-v="\([^"]*\)".*data-v="\([^"]*\)".*data-v="\([^"]*\)".*data-v="\([^"]*\)".*data-v="\([^"]*\)".*data-v="\([^"]*\)".*data-v="[^"]*".*data-v="[^"]*".*data-v="[^"]*".*/\1 \2 \4 \6/' > of_page
	awk -F , '$1 == "bandwidth" { n = substr($4, 5); v[n, $6] = $8 / 1e6; if ($6 == "mean") print n, v[n, "min"], v[n, "max"], v[n, "mean"] }' real.csv > of_csv
	[ "$(grep -c . of_csv)" = 4 ] && paste -d ' ' of_page of_csv | awk '{ for (i = 1; i <= 4; i++) if ($i - $(i + 4) > 1e-5 * $i || $(i + 4) - $i > 1e-5 * $i) bad = 1 } END { exit bad || NR != 4 }' ||
		{ paste of_page of_csv; return 1; }
}
if [ -x "${MAKE_ARCHIVE:-}" ] && [ -x "$tool" ]; then
	check "a page of archives is written" real
	check "... with the table that CSV has" same_table
	check "... the slow node first" eval 'grep -m 1 "class=\"note\"" real.html | grep -q ">node005: cpu.*slow\|>node005: .*of what is usual"'
	check "... and the one whose counters were taken, and a gap" eval 'grep -q "node009: .*taken by somebody else" real.html && grep -q "1 of 16 nodes without a value" real.html'
	check_well_formed "... and it is well formed" real.html
else
	for name in "is written" "has the table that CSV has" "has the slow node first" "has the one whose counters were taken" "is well formed"; do
		skip "a page of archives $name" "upc_jobstat is not built: there is no libpcp, or no libpcp_import"
	done
fi

find_browser
in_browser 120 jobstat_browser.js "$dir/one.html" "$dir/seven.html"
