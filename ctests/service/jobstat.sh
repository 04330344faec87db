#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# jobstat.sh - upc_jobstat on made archives, whose truth is known: rates, tables, jobs, who is named
# and who is not, and archives that are not as they should be. $UPC_JOBSTAT is the tool,
# $MAKE_ARCHIVE makes the archives. With $UPC_TEST_LONG each case of many nodes is repeated with 20 seeds.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/node.inc"

tool=$UPC_JOBSTAT
plan 40
if [ ! -x "$MAKE_ARCHIVE" ] || [ ! -x "$tool" ]; then
	skip_rest "upc_jobstat" "it is not built: there is no libpcp, or no libpcp_import"
	exit
fi

seeds=3
[ -z "${UPC_TEST_LONG-}" ] || seeds=20

# make DIR ARGUMENT...: archives
make()
{
	rm -rf "$1" && "$MAKE_ARCHIVE" "$@"
}

# csv_named: the same of CSV
csv_named()
{
	awk -F, '$1 == "finding" && match($0, /,(divergent|uncounted|unrecorded),/) { print substr($0, RSTART + 1, RLENGTH - 2), $3 }' "$1" | sort
}

# csv ARGUMENT...: to the file csv
csv()
{
	"$tool" -f csv "$@" > csv 2> err
}

# ---- numbers ----

# 1e8 * (c + 1) a second on each of 4 CPUs, without noise but the generator's 0.2 % at most.
rates()
{
	make one nodes=1 noise=none samples=21 counters=2 && csv one &&
		awk -F, '
			$1 == "place" && $6 == "mean" && $7 == "cpu.instructions" { n++; if ($8 < 0.7e8 || $8 > 1.31e8 || $15 < 0.999 || $16 != 20) bad = 1 }
			$1 == "place" && $12 != "exact" { bad = 1 }
			# The total is what the archive has: its last value less its first, which is 0.
			$1 == "place" && $6 == "total" && $7 ~ /^cpu/ { total[$7] += $8 }
			$1 == "place" && $6 == "total" && $7 ~ /^numa/ { sum[$7] += $8 }
			END { exit bad || n != 4 || total["cpu.instructions"] == 0 ||
				total["cpu.instructions"] != sum["numa.instructions"] ||
				total["cpu.cycles"] != sum["numa.cycles"] }' csv
}
check "rates, and totals to the last one" rates
last_value()
{
	pmdumplog one/node001/made upc.cpu.instructions 2> err | awk '/value/ { v[$2] = $NF } END { for (i in v) print v[i] }' | sort > dumped &&
		awk -F, '$1 == "place" && $6 == "total" && $7 == "cpu.instructions" { print $8 }' csv | sort | cmp - dumped
}
if command -v pmdumplog > /dev/null; then
	check "... as PCP's own pmdumplog has them" last_value
else
	skip "... as PCP's own pmdumplog has them" "there is no pmdumplog"
fi
# Half of the time taken: rates are as before, not half.
halves()
{
	make half nodes=1 noise=none samples=41 counters=1 fault=1:taken:10:31 && csv half &&
		awk -F, '
			$1 == "node" && $6 == "mean" && $7 == "cpu.instructions" {
				found = 1
				if ($8 < 4 * 0.7e8 || $8 > 4 * 1.31e8 || $15 < 0.449 || $15 > 0.451) bad = 1
			}
			$1 == "point" && $6 == "mean" && $7 == "cpu.instructions" { points++ }
			END { exit bad || !found || points != 18 }' csv
}
check "counters taken for half of the time: no rate is made across it" halves
# The missing counts would make a total and a maximum larger and a minimum smaller, and may change a mean.
bounds()
{
	csv half && awk -F, '
		$1 == "place" && $7 == "cpu.instructions" { n++; word[$6] = word[$6] $12 ";"; if (!/,"?not counted all of the time: taken 55 %"?$/) bad = 1 }
		$1 == "node" && $6 == "sd" && $12 != "estimate" { bad = 1 }
		function four(what) { return what ";" what ";" what ";" what ";" }
		END { exit bad || n != 16 || word["total"] != four("at least") || word["mean"] != four("estimate") ||
			word["min"] != four("at most") || word["max"] != four("at least") }' csv || return 1
	make never nodes=2 noise=none samples=21 counters=1 fault=1:halted:0:99 && csv never &&
		awk -F, '$1 == "place" && $3 == "node001" && $7 == "cpu.instructions" { n++; if ($8 != "" || $12 != "uncounted" || !/halted/) bad = 1 } END { exit bad || n != 16 }' csv
}
check "... bounds, an estimate, and no number where nothing was counted, with the reason" bounds
# A node without an archive, and one that has no value for a time.
lacking()
{
	make lacking nodes=6 samples=41 counters=1 fault=1:halted:10:20 && csv --nodes='node[001-006],ghost' lacking && awk -F, '
		$1 == "point" && $7 == "cpu.instructions" { at[$6, $12, substr($0, match($0, /[^,]*$/))]++ }
		END { exit !(at["mean", "estimate", "1 of 7 nodes without a value"] > 20 && at["min", "at most", "2 of 7 nodes without a value"] > 5 &&
			at["max", "at least", "2 of 7 nodes without a value"] > 5 && !(("mean", "exact", "") in at)) }' csv
}
check "... of points, where nodes have no value" lacking
breaks()
{
	for fault in restart mark jump; do
		make broken nodes=1 noise=none samples=41 counters=1 fault=1:$fault:20 && csv broken &&
			awk -F, -v fault=$fault '$1 == "place" && $7 == "cpu.instructions" {
				n += $6 == "mean"
				if ($16 != 39 || ($6 == "max" && $8 > 1.31e8) || ($6 == "min" && $8 < 0.69e8)) bad = 1
			}
			END { exit bad || n != 4 }' csv || { echo "# $fault"; return 1; }
	done
}
check "no difference over a restart, a mark, or a count that goes back" breaks
missing()
{
	make gone nodes=1 noise=none samples=41 counters=1 fault=1:missing:20:24 && csv gone &&
		awk -F, '$1 == "place" && $6 == "total" && $7 == "cpu.instructions" {
			n++
			# 40 intervals, five of which are one difference.
			if ($16 != 36 || $15 < 0.999 || $12 != "exact") bad = 1
		}
		END { exit bad || n != 4 }' csv
}
check "missing samples: one difference over the gap, and nothing in between" missing
absent()
{
	make less nodes=1 noise=none samples=41 counters=1 fault=1:absent:20:30 && csv less &&
		awk -F, '$1 == "place" && $6 == "total" && $7 == "cpu.instructions" { n++; if ($16 != 29 || $12 != "at least") bad = 1 } END { exit bad || n != 4 }' csv
}
check "values that were absent are no base" absent

# ---- tables ----

table()
{
	make table nodes=4 cpus=8 numa=4 counters=3 && run 0 --bandwidth=l3_misses --line=64 --peak=25600e6 table &&
		grep -qE '^NUMA +Min \[B/s\] +\+/- +Max \[B/s\] +\+/- +Avg \[B/s\] +\+/- +of peak +covered$' out &&
		[ "$(grep -cE '^   [0-3]( +[0-9.]+ [MG]){6} +[0-9.]+ % +100.0 %$' out)" = 4 ] &&
		grep -q 'Each miss is taken for one line' out
}
check "a table as tables III to VII, with its assumption" table
# Numbers of people have the marks of what they are; those of nodes that counted all of the time have none.
marks()
{
	make marks nodes=8 noise=none samples=41 counters=1 fault=3:taken:10:31 && run 0 --per-cpu marks &&
		grep -qE '^cpu.instructions +/s( +~[0-9.]+ [kMG]){4}' out && awk '
			/^Node / { node = $2 }
			/^cpu.instructions / && node == "node002," { whole += /^[^~<>]*$/ }
			/^cpu.instructions / && node == "node003," { part += / ~[0-9.]+ M +<=[0-9.]+ M +>=[0-9.]+ M +~[0-9.]+ M/ }
			/^  cpu0 / && node == "node003," { places += / <=[0-9.]+ M / }
			END { exit whole != 1 || part != 1 || places != 1 }' out
}
check "... and marks of bounds and estimates" marks
apart()
{
	make apart nodes=3 cpus=4 numa=1 apart=8 counters=3 && csv --bandwidth=numa.l3_misses apart &&
		[ "$(awk -F, '$1 == "bandwidth" && $6 == "mean" { printf "%s ", $4 }' csv)" = "node0 node8 node16 " ]
}
check "... also where nodes number their NUMA nodes otherwise" apart
bandwidth()
{
	csv --bandwidth=numa.l3_misses --line=64 table && awk -F, '
		$6 != "mean" { next }
		$1 == "place" && $7 == "memory_bandwidth" { bytes[$3, $4] = $8 }
		$1 == "place" && $7 == "numa.l3_misses" { misses[$3, $4] = $8 }
		$1 == "bandwidth" { rows++; mean[$4] = $8 }
		END {
			for (i in misses) { n++; split(i, at, SUBSEP); sum[at[2]] += bytes[i] / 4
				if (bytes[i] / misses[i] < 63.9999 || bytes[i] / misses[i] > 64.0001) bad = 1 }
			for (p in mean) if (mean[p] / sum[p] < 0.9999 || mean[p] / sum[p] > 1.0001) bad = 1
			exit bad || n != 16 || rows != 4
		}' csv
}
check "bandwidth is misses times line, and the table their means over nodes" bandwidth
functions()
{
	csv --define='ipc=cpu.instructions / cpu.cycles' --define='most=max(cpu.cycles)' \
		--define='all=sum(cpu.cycles)' --define='busy=sum(threshold(cpu.cycles, 1e9))' \
		--define='apart=all - nodes_mean(all)' --define='new=delta(cpu.cycles)' table || return 1
	awk -F, '
		$6 != "mean" { next }
		$1 == "node" && $7 == "ipc" && ($8 < 0.45 || $8 > 0.55) { bad = 1 }
		$1 == "node" && $7 == "cpu.cycles" { whole[$3] = $8 }
		$1 == "node" && $7 == "all" { n++; all[$3] = $8 }
		$1 == "node" && $7 == "apart" { apart += $8 }
		$1 == "node" && $7 == "busy" && $8 != 0 { bad = 1 }
		$1 == "node" && $7 == "new" { delta[$3] = $8 }
		END {
			for (k in all) if (all[k] / whole[k] < 0.9999 || all[k] / whole[k] > 1.0001 ||
				delta[k] / whole[k] < 59.9 || delta[k] / whole[k] > 60.1) bad = 1
			exit bad || n != 4 || apart > 1e4 || apart < -1e4
		}' csv
}
check "functions of metrics, one's output another's input" functions
wrong_function()
{
	run 125 --define='x=sum(' table && grep -q 'column 5: expected' err &&
		run 125 --define='x=cpu.cycels' table && grep -q "did you mean cpu.cycles?" err &&
		run 125 --define='x=cpu.cycles+numa.cycles' table && grep -q 'do not go together' err
}
check "... mistakes in them" wrong_function
young()
{
	make young nodes=2 samples=1 && run 125 young && [ ! -s out ] &&
		[ "$(wc -l < err)" = 1 ] && grep -q 'no node has two samples yet' err
}
check "archives with a sample each: 125, and no time that was not" young
no_jobs()
{
	: > none && run 125 --jobs=none table && [ ! -s out ] && grep -q "there is no job in 'none'" err
}
check "a jobs file without a job: 125, and no report of all" no_jobs
wide()
{
	# Three counters, each with a value for eight CPUs and four NUMA nodes.
	"$tool" -f csv --timeline table > wide 2> err && [ "$(wc -l < wide)" = $((3 + 4 * 59 * 3 * 12)) ] &&
		awk -F, '
			NR == 1 { n = NF }
			NF != n || ($1 == "interval" && $12 != "exact") { exit bad = 1 }
			$1 == "interval" && $4 == "cpu0" && $7 == "cpu.cycles" { seen[$3, $5]++; if ($8 < 1e8 || $8 > 4e8) bad = 1 }
			END { for (i in seen) if (seen[i] == 1) lines++; exit bad || lines != 4 * 59 }' wide &&
		"$tool" -f csv --timeline half > wide && awk -F, '
			$1 == "interval" && $4 == "cpu0" && $7 == "cpu.instructions" { n[$12, $8 == "", $NF]++ }
			END { exit !(n["exact", 0, ""] == 18 && n["uncounted", 1, "not counted"] == 22) }' wide
}
check "the wide form has a line for each value of each interval" wide
page()
{
	run 0 -f html --bandwidth=l3_misses --flops=cpu.instructions table && grep -qi '<!doctype html>' out
}
check "a page" page
json()
{
	run 0 -f json --bandwidth=l3_misses table && cp out json && leaves_of json && leaf /0/schema 2 && leaf /0/tool '"upc_jobstat"' &&
		leaf /0/nodes/3/node '"node004"' && at /0/bandwidth/3/mean/value
}
check "JSON" json

# ---- jobs ----

jobs()
{
	make jobs nodes=6 samples=61 counters=1 &&
		printf 'id,start,end,nodes\nA,1790000040,1790001840,"node[001-003]"\nB,2026-09-21T14:44:00Z,2026-09-21T15:14:00Z,node004,node005,ghost\n' > list &&
		csv --jobs=list jobs && awk -F, '
			$1 == "node" { seen[$2 " " $3]++; if ($16 != 30) bad = 1 }
			END { for (i in seen) n++; exit bad || n != 5 || !("A node003" in seen) || !("B node005" in seen) }' csv &&
		run 0 --jobs=list jobs && grep -q 'No archive of ghost' out
}
check "jobs of a CSV, on their nodes, in their time" jobs
sacct()
{
	{
		echo 'JobID|JobName|Start|End|NodeList|State'
		echo '7|solver|2026-09-21T14:14:00Z|2026-09-21T14:44:00Z|node[001-003]|COMPLETED'
		echo '7.batch|batch|2026-09-21T14:14:00Z|2026-09-21T14:44:00Z|node001|COMPLETED'
		echo '8|solver|Unknown|Unknown|None assigned|PENDING'
		echo '9|solver|2026-09-21T14:14:00Z|Unknown|node006|RUNNING'
	} | csv --jobs=- jobs && [ "$(awk -F, '$1 == "node" { print $2, $3 }' csv | sort -u | tr '\n' ';')" = '7 node001;7 node002;7 node003;9 node006;' ]
}
check "... of sacct" sacct
wrong_jobs()
{
	printf 'id,start,end,nodes\nA,1790000040,yesterday,node001\n' > list && run 125 --jobs=list jobs &&
		grep -q 'list:2:14: expected a time' err && [ ! -s out ] &&
		printf 'id,start,end,nodes\nA,1,2,nid[3-1]\n' > list && run 125 --jobs=list jobs && grep -q 'list:2:11: expected a range' err &&
		run 125 --nodes='nid[1' jobs && grep -q 'column 4' err
}
check "... with mistakes: line and column" wrong_jobs

# ---- who is named ----

good()
{
	for seed in $(seq $seeds); do
		make many nodes=64 cpus=2 numa=1 samples=40 counters=4 seed="$seed" noise="$1" spread="$2" && csv many || return 1
		[ -z "$(csv_named csv)" ] || { echo "# seed $seed, noise $1, spread $2"; csv_named csv | sed 's/^/# /'; return 1; }
	done
}
several()
{
	good normal:0.05 none && good exponential:0.5 normal:0.02 && good lognormal:0.3 lognormal:0.1
}
check "good nodes, each case with $seeds seeds: nobody is named" several
uneven()
{
	good normal:0.02 two:1 && good normal:0.02 uniform:0.4
}
check "... and of jobs whose nodes differ for good reasons" uneven
bad()
{
	for seed in $(seq $seeds); do
		slow=$((1 + seed * 7 % 64)) taken=$((1 + (seed * 7 + 11) % 64))
		make many nodes=64 cpus=2 numa=1 samples=40 counters=4 seed="$seed" noise=lognormal:0.1 spread=normal:0.02 \
			fault="$slow:slow:0:999:0.6" fault="$taken:taken:10:25" && csv many || return 1
		printf 'divergent node%03d\nuncounted node%03d\n' $slow $taken > wanted
		csv_named csv | cmp -s - wanted || { echo "# seed $seed"; csv_named csv | sed 's/^/# /'; return 1; }
	done
}
check "$seeds seeds, one slow and one whose counters are taken: these two, and nobody else" bad
while_it_lasts()
{
	make part nodes=16 cpus=2 numa=1 samples=121 counters=1 fault=5:slow:40:70:0.4 && csv part &&
		[ "$(csv_named csv)" = 'divergent node005' ] && grep '^finding,.*,divergent,' csv | grep -q 'of the time on end'
}
check "slow for a part of the time: named, with the part" while_it_lasts
reasons()
{
	make why nodes=16 cpus=4 numa=2 samples=60 counters=2 fault=2:halted:5:20 fault=4:lacks:0:99:1 fault=6:idle:0:99:2 fault=8:absent:30:45 &&
		run 0 why && grep -A 1 'node002: uncounted' out | grep -q halted && grep -A1 'node004: uncounted' out | grep -q 'not there' &&
		grep -q 'node006: unused: CPUs 2-3' out && grep -A 1 'node008: uncounted' out | grep -q 'without values'
}
check "reasons in words" reasons

# ---- what could be seen, and what could not ----

# told ALL|PART|NOT TEXT ARCHIVES: what text, JSON and the page say in one sentence
told()
{
	"$tool" "$3" | tr -s '\n ' ' ' | grep -qF "$2" && "$tool" -f html "$3" | grep -qF "$2" &&
		"$tool" -f csv "$3" | grep '^fact,.*,verdict,' | grep -qF "$2" &&
		"$tool" -f json "$3" > json && leaves_of json && leaf /0/told "\"$1\"" && grep -qF "$2" json
}
# slow_nodes FACTOR NODE...: faults
slow_nodes()
{
	local factor=$1
	shift
	printf "fault=%s:slow:0:999:$factor " "$@"
}
too_unlike()
{
	for seed in 1 2 3; do
		# shellcheck disable=SC2046 # each is a word
		make unlike nodes=64 cpus=2 numa=1 samples=40 counters=2 noise=normal:0.01 seed=$seed \
			$(slow_nodes 0.4 $(seq 1 2 63)) fault=30:slow:0:999:0.6 &&
			told not 'Whether a node stands apart cannot be told: nodes differ too much in cpu.cycles, cpu.instructions' unlike &&
			! grep -q 'stands apart:' json || return 1
		make unlike nodes=64 cpus=2 numa=1 samples=40 counters=2 noise=normal:0.01 seed=$seed \
			$(for k in 0 1 2 3 4 5 6 7 8 9; do slow_nodes 0.$((400 + 38 * k)) $((6 * k + 1)); done) &&
			told not 'Whether a node stands apart cannot be told: nodes differ too much in cpu.cycles, cpu.instructions' unlike ||
			return 1
	done
}
check "nodes that differ too much to be compared: it cannot be told, in all forms" too_unlike
smallest()
{
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		how="nodes=16 cpus=2 numa=1 samples=40 counters=1 noise=normal:0.02 spread=normal:0.003 seed=$seed"
		# shellcheck disable=SC2086 # each is a word
		make alike $how && told all 'No node stands apart: a node ' alike || return 1
		less=$("$tool" alike | sed -n 's/^cpu.instructions .* -\([0-9]*\)\/+[0-9]* %$/\1/p')
		# shellcheck disable=SC2086 # each is a word
		make alike $how fault=$seed:slow:0:999:0.$((1000 - 10 * less - 1)) && csv alike &&
			[ "$(csv_named csv)" = "$(printf 'divergent node%03d' $seed)" ] || { echo "# seed $seed: $less"; return 1; }
	done
}
check "the smallest difference that is told: a node with a little more is named" smallest
few_files()
{
	make files nodes=48 samples=40 counters=2 && "$tool" -f json files > all && grep -q '"told": *"all"' all || return 1
	for limit in 128 40; do
		(ulimit -n $limit && "$tool" -f json files) > few && cmp all few || return 1
	done
	(ulimit -n 40 && "$tool" -f csv --timeline files) > few && "$tool" -f csv --timeline files | cmp - few
}
check "more archives than files may be open: all are read" few_files
unread()
{
	make some nodes=8 samples=40 counters=1 && head -c 5000 /dev/urandom > some/node003/made.meta || return 1
	run 1 some && tr -s '\n ' ' ' < out | grep -q 'Whether a node stands apart cannot be told: 1 archive could not be read (.*No node of the 7 that were read stands apart: a node ' &&
		run 1 -f json some && leaves_of out && leaf /0/unread 1 && leaf /0/notes/0/what '"archives could not be read"' && leaf /0/told '"not"'
}
check "an archive that cannot be read: it cannot be told" unread

# ---- archives that are not as they should be ----

truncated()
{
	make cut nodes=6 samples=60 counters=1 && size=$(stat -c %s cut/node003/made.0) &&
		truncate -s $((size / 2)) cut/node003/made.0 && csv cut
	[ -s csv ] && csv_named csv | grep -q 'unrecorded node003' && ! csv_named csv | grep -v node003
}
check "a truncated archive: named, and the others are read" truncated
foreign()
{
	make bad nodes=2 samples=10 counters=1 && head -c 5000 /dev/urandom > bad/node001/made.meta && echo x > bad/node002/other.meta &&
		run 1 bad && grep -q "cannot read the archive 'bad/node001/made'" err && grep -q '^1 node' out &&
		run 125 nowhere && run 125 bad/node001
}
check "what is no archive: said, and the others are read" foreign
twice()
{
	make first nodes=2 samples=31 counters=1 && make second nodes=2 samples=61 counters=1 && csv first second &&
		awk -F, '$1 == "node" && $6 == "mean" { n++; if ($16 < 58 || $16 > 60) bad = 1 } END { exit bad || n != 4 }' csv
}
check "two archives of one host that overlap: nothing twice" twice

# ---- live ----

# points FILE: how many lines it has of the metric, as they came
points()
{
	[ "$(grep -c '^now,.*,mean,cpu.instructions,' follow)" = "$1" ]
}
follows()
{
	make whole nodes=2 samples=60 counters=1 && rm -rf growing && cp -r whole growing || return 1
	for node in node001 node002; do
		truncate -s $(($(stat -c %s whole/$node/made.0) / 2)) growing/$node/made.0
	done
	"$tool" --follow -f csv growing > follow 2> err &
	watcher=$!
	until_passes grep -q '^now,.*,mean,cpu.instructions,' follow && for node in node001 node002; do
		cat whole/$node/made.0 > growing/$node/made.0
	done && until_passes points 59
	result=$?
	kill -INT $watcher
	wait $watcher && [ $result = 0 ] && [ "$(awk -F, '$1 == "node" && $7 == "cpu.instructions" { print $16 }' follow | sort -u)" = 59 ]
}
check "archives that grow: each interval as it comes, none is lost, and the report at the end" follows

# Two bad of six are no outliers: nobody is named, but that the nodes are divided is said. Not so of noise.
groups()
{
	make divided nodes=6 samples=60 counters=2 fault=2:slow:0:999:0.6 fault=5:slow:0:999:0.6 && csv divided &&
		[ -z "$(csv_named csv)" ] && [ "$(awk -F, '/^finding,.*,groups,/ { print $3 }' csv)" = '"node[002' ] || return 1
	for seed in 1 2 3 4 5 6; do
		for spread in normal lognormal exponential uniform; do
			make noisy nodes=$((4 + seed)) samples=40 counters=2 seed=$seed spread=$spread:0.2 && csv noisy || return 1
			! grep '^finding,.*,groups,' csv || return 1
		done
	done
}
check "nodes that are two groups are told, and none is named; of noise neither" groups

# An absence ends what a rate is made from: that of one node alone, or with another that has no absence.
gap()
{
	make alone nodes=1 samples=40 counters=1 fault=1:missing:20:30 fault=1:slow:30:40:9 &&
		make beside nodes=2 samples=40 counters=1 fault=1:missing:20:30 fault=1:slow:30:40:9 || return 1
	for archives in alone beside; do
		csv --define='new=rate(sum(cpu.instructions))' $archives || return 1
		awk -F, '$1 == "node" && $3 == "node001" && $7 == "new" { print $6, $8, $16 }' csv > $archives.new
	done
	[ -s alone.new ] && cmp alone.new beside.new
}
check "a rate of what is defined is not made over an absence" gap

# Bytes of archives changed at random, with a seed: there is a report, or a sentence, and nothing else.
damaged()
{
	make good nodes=3 samples=30 counters=2 || return 1
	for seed in $(seq 1 40); do
		rm -rf hurt && cp -r good hurt
		awk -v seed="$seed" 'BEGIN { srand(seed)
			split("0 meta index 0 0", end, " ")
			print "hurt/node00" 1 + int(3 * rand()) "/made." end[1 + int(5 * rand())], int(rand() * 4000), int(rand() * 256) }' > where
		read -r file at byte < where
		# shellcheck disable=SC2059 # one byte, as octal
		printf "\\$(printf %03o "$byte")" | dd of="$file" bs=1 seek="$at" conv=notrunc 2> err
		"$tool" -f csv hurt > csv 2> err
		case $? in
		0 | 1 | 125) ;;
		*) echo "# seed $seed"; return 1 ;;
		esac
	done
}
check "archives with bytes changed at random" damaged
other_metrics()
{
	make mixed nodes=6 samples=30 counters=2 && make other nodes=2 samples=30 counters=5 interval=30 &&
		mv other/node001 mixed/extra && csv mixed && [ -s csv ]
}
check "nodes with other metrics, and at other intervals" other_metrics
# The service itself, as it runs: a CPU's clock is a second a second, and the node's is.
host()
{
	scope=cpu event=perf::CPU-CLOCK
	"${RIGHTS:?}" | grep -qx cpus || scope=node event=time::boot_ns
	printf 'initialize interval=200ms\nadd %s scope=%s as=clock\nfinalize\n' $event $scope > conf &&
		node_start "$dir/node" -c conf -H node07 > out 2> err || return 1
	(node_exec "$dir/node" "$tool" --follow -f csv --host=unix: --define="mean=mean($scope.clock)") > follow 2> err &
	watcher=$!
	until_passes means 5
	result=$?
	kill -INT $watcher
	wait $watcher && [ $result = 0 ] && awk -F, -v clock=$scope.clock '
		$1 == "now" && $6 == "mean" && $7 == "mean" && ($8 < 0.99e9 || $8 > 1.01e9) { bad = 1 }
		$1 == "node" && $3 == "node07" && $7 == clock { found = 1 }
		END { exit bad || !found }' follow
}
means()
{
	[ "$(grep -c '^now,.*,mean,mean,' follow)" -ge "$1" ]
}
if node_missing; then
	skip "a host that runs" "$missing"
else
	check "a host that runs" host
fi
