#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# pcp_functions.sh - functions on counters in transit, in PCP's language: derived metrics, rules, views, CSV, a
# configuration of pmlogger and a dashboard, all of share/upc/pcp, at a node whose counts are a script's.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/node.inc"
files=$srcdir/share/upc/pcp

plan 34
if node_missing; then
	skip_rest "functions of PCP" "$missing"
	exit
fi

# Each sample: a millisecond of which every signal is high for 0.3, two that are idle. CPU 3 has nothing to do.
for cpu in 0 1 2 3; do
	mkdir -p "sys/devices/system/cpu/cpu$cpu" "sys/devices/system/node/node$cpu"
	echo $cpu > "sys/devices/system/node/node$cpu/cpulist"
done
for list in online present possible; do echo 0-3 > "sys/devices/system/cpu/$list"; done
echo 0-3 > sys/devices/system/node/online
{
	echo 'upc-trace 1'
	for i in $(seq 4000); do
		echo 'c 1000000 0-511@10/3'
		echo 'c 2000000 1023'
		echo s
	done
} > counts.trace
cat > config << END
initialize source=replay:$dir/counts.trace sys=$dir/sys interval=0
add PU{cpu}_FPU_FMA_2 scope=cpu as=fp_ops
add PU{cpu}_DCACHE_MISS scope=cpu as=l3_cache_misses
add PU{cpu}_JPIPE_INSTRUCTIONS scope=cpu as=tot_ins
add PU{cpu}_IPIPE_INSTRUCTIONS scope=cpu as=tot_cyc
finalize
END
node=$dir/node
check "a node begins" node_start "$node" -c config -L "50 msec"

# ---- derived metrics -----------------------------------------------------------

check "derived metrics of all counters are written" eval 'at_node $node "$files/derive" -h unix: > derived 2> err && [ $(grep -c . derived) -gt 40 ]'
# derived NAME: the numbers of one that has a value, in a row
derived()
{
	PCP_DERIVED_CONFIG=${2:-$dir/derived} at_node "$node" pmval -h unix: -s 4 -t 0.1 -f 9 "$1" > values 2> err || return 1
	grep -E '^ +[0-9?]' values | tail -n 1
}
# has NAME LOW HIGH: all of its values are between
has()
{
	derived "$1" "${4:-$dir/derived}" | awk -v low="$2" -v high="$3" '{ for (i = 1; i <= NF; i++) { n++; if (!($i + 0 >= low && $i + 0 <= high)) bad = 1 } }
		END { exit !(n && !bad) }' || { echo "# $1"; tail -n 3 values; cat err; return 1; }
}
check "all of them are understood" eval '! PCP_DERIVED_CONFIG=$dir/derived at_node $node pminfo -h unix: upcf 2>&1 | grep -i error > out && [ ! -s out ]'
check "... and have values, or are counters" eval '
	for name in $(sed "s/ = .*//" derived); do PCP_DERIVED_CONFIG=$dir/derived at_node $node pmprobe -h unix: $name | grep -qE " -?[0-9]+" || echo $name; done > out; [ ! -s out ]'
check "a ratio: instructions a cycle" has upcf.ipc.cpu 1 1
check "a delta" has upcf.delta.cpu.fp_ops 300000 30000000
check "a rate: by the time counted" has upcf.rate.cpu.fp_ops 99999999 100000001
check "a threshold: whether it is counted" has upcf.counting.cpu.fp_ops 1 1
cat > own << 'END'
f.ratio = delta(upc.cpu.fp_ops) / delta(upc.running.cpu.fp_ops)
f.scale = 1000 * (delta(upc.cpu.fp_ops) / delta(upc.running.cpu.fp_ops))
f.twice = delta(upc.cpu.fp_ops) + delta(upc.cpu.tot_ins)
f.sumratio = (delta(upc.cpu.fp_ops) + delta(upc.cpu.tot_ins)) / delta(upc.cpu.tot_cyc)
f.none = delta(upc.cpu.fp_ops) - delta(upc.cpu.tot_ins)
f.product = (delta(upc.cpu.fp_ops) / delta(upc.cpu.tot_cyc)) * (delta(upc.cpu.tot_ins) / delta(upc.cpu.tot_cyc))
f.above = delta(upc.cpu.fp_ops) > 299999
f.never = delta(upc.cpu.fp_ops) > 2000000000
f.one = matchinst(/cpu2/, upc.state.cpu.fp_ops)
f.largest = max(upc.state.cpu.fp_ops)
f.least = min(upc.state.cpu.fp_ops)
f.mean = avg(upc.state.cpu.fp_ops)
f.all = sum(upc.state.cpu.fp_ops)
f.scalar = upc.hinv.ncpu * 2
f.refused = upc.cpu.fp_ops * upc.cpu.tot_ins
f.of = f.ratio * 2
END
check "sums and differences of vectors, and of what a function gave" eval 'has f.sumratio 2 2 $dir/own && has f.none 0 0 $dir/own'
check "products" has f.product 1 1 "$dir/own"
check "thresholds" eval 'has f.above 1 1 $dir/own && has f.never 0 0 $dir/own'
check "min, max, mean and sum over instances" eval 'has f.largest 1 1 $dir/own && has f.least 1 1 $dir/own && has f.mean 1 1 $dir/own && has f.all 4 4 $dir/own'
check "one of a vector, scalars" eval 'derived f.one $dir/own | grep -q "^ *? *? *1 *?" &&  has f.scalar 8 8 $dir/own'
check "what PCP refuses: a product of two counters, and derived metrics of derived ones" eval '[ -z "$(derived f.refused $dir/own)" ] && [ -z "$(derived f.of $dir/own)" ]'
check "a scale: bandwidth of misses, and its part of the peak" eval 'has upcf.bandwidth.numa 6399999999 6400000001 && has upcf.percent.numa 24.99 25.01'
check "with a node that is not there nothing is written" eval '! at_node $node "$files/derive" -h unix:/nowhere > out 2> err && [ ! -s out ] && [ -s err ]'

# ---- views ------------------------------------------------------------------------

view()
{
	at_node "$node" pmrep -c "$files/pmrep.conf" -h unix: -s 3 -t 0.2 ":$1" > out 2> err && [ ! -s err ] && [ "$(grep -c . out)" -ge "$2" ]
}
check "views of pmrep: CPUs, NUMA nodes, the node, ratios, states" eval 'for v in upc-cpu upc-numa upc-node upc-ipc upc-state; do view $v 4 || { cat out err; break; }; done; [ $v = upc-state ]'
check "... and who has counters, which is nobody" view upc-users 1
csv_as_the_papers()
{
	at_node "$node" pmrep -c "$files/pmrep.conf" -h unix: -o csv -s 3 -t 0.2 :upc-csv > out 2> err && [ "$(sed 1d out | cut -d , -f 2 | sort -u)" = '"PU{cpu}_FPU_FMA_2"' ] &&
		sed 1d out | awk -F , 'NF != 6 || $3 !~ /^[0-9]+$/ || $3 % 300000 || ($3 != $6) { bad = 1 } END { exit !(NR == 3 && !bad) }'
}
check "CSV as the paper's: what is counted, then the N values to the last one" csv_as_the_papers
check "... and of an archive" eval 'at_node $node pmrep -c $files/pmrep.conf -a $(node_archive $node) -u -o csv :upc-csv > out 2> err && [ $(grep -c FPU_FMA out) -gt 5 ]'

check "derived metrics of an archive" eval 'at_node $node "$files/derive" -a $(node_archive $node) > of_archive 2> err && cmp of_archive derived'

# ---- by upc_jobstat, of the archive: each CPU has 1e8 a second of all --------------------------

# means: lines "NAME MEAN" of what is defined, of the node or of its parts
means()
{
	"$UPC_JOBSTAT" -f csv --per-cpu "$@" "$(node_archive "$node")" > csv 2> err || return 1
	awk -F , '$6 == "mean" && ($1 == "place" || ($1 == "node" && !($7 in seen))) { seen[$7] = 1; if ($8 != "") v[$7] = $8 } END { for (m in v) print m, v[m] }' csv > means
}
# is NAME VALUE
is()
{
	awk -v name="$1" -v value="$2" '$1 == name { n++; off = $2 - value; if (off > 1e-6 * value || off < -1e-6 * value) bad = 1 } END { exit !n || bad }' means ||
		{ echo "# $1: $(grep "^$1 " means)"; return 1; }
}
if [ -x "${UPC_JOBSTAT:-}" ]; then
	check "upc_jobstat --define: all functions" means \
		--define=total='sum(cpu.fp_ops)' --define=least='min(cpu.fp_ops)' --define=most='max(cpu.fp_ops)' --define=middle='mean(cpu.fp_ops)' \
		--define=none='difference(cpu.fp_ops, cpu.tot_ins)' --define=two='ratio(cpu.fp_ops + cpu.tot_ins, cpu.tot_cyc)' \
		--define=three='product(ratio(cpu.fp_ops, cpu.tot_cyc), 3)' --define=above='threshold(cpu.fp_ops, 90000000)' \
		--define=never='threshold(cpu.fp_ops, 110000000)' --define=bytes='scale(numa.l3_cache_misses, 64)' \
		--define=again='rate(cpu.fp_ops)' --define=change='delta(cpu.fp_ops)' --define=of='scale(ratio(total, most), 2)' --define=chain='of * two'
	check "... over a vector: sum, min, max, mean" eval 'is total 400000000 && is least 100000000 && is most 100000000 && is middle 100000000'
	check "... difference, ratio, product, threshold, scale" eval 'is none 0 && is two 2 && is three 3 && is above 1 && is never 0 && is bytes 6400000000'
	check "... rate, and delta in whole samples" eval 'is again 100000000 && awk "\$1 == \"change\" { exit !(\$2 >= 300000) }" means'
	check "... and one of another" eval 'is of 8 && is chain 16'
else
	for name in "all functions" "over a vector" "of two" "rate, delta" "one of another"; do
		skip "upc_jobstat --define: $name" "upc_jobstat is not built: there is no libpcp"
	done
fi

# ---- rules ------------------------------------------------------------------------

check "rules of pmie are understood" eval 'at_node $node pmie -C -c $files/upc.pmie -h unix: > out 2>&1 && [ ! -s out ]'
# rules [SED EXPRESSION]: what they say within seconds
rules()
{
	sed -e 's/^delta = .*/delta = 0.2 sec;/' "$@" "$files/upc.pmie" > rules.pmie
	at_node "$node" timeout 600 pmie -c rules.pmie -h unix: -T 1.5s > out 2>&1
	grep 'upc:' out
}
check "... and are silent where all is well" eval '[ -z "$(rules)" ]'
check "... a threshold" eval 'rules -e s/320000000/1000/ | grep -q "bandwidth above 80 % of its peak .node0: "'
check "... the most of instances beside their mean" eval 'rules -e "s/> 2 \*/> 0.5 */" -e s/1000000/1000/ | grep -q "CPUs are not balanced"'
# PCP has Python: pmrep is in it.
command_of()
{
	/usr/bin/python3 -c 'import socket, sys, json
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(json.dumps({"words": sys.argv[2:]}).encode() + b"\n")
print(s.makefile().readline())' "$node/run/control" "$@"
}
halted()
{
	command_of halt fp_ops > answer 2>&1 && grep -q '"ok": *true' answer || { cat answer; return 1; }
	! has upcf.rate.cpu.fp_ops 0 1e30 > answer || return 1
	rules -e 's/>= 3 \&\& upc.state.cpu.fp_ops <= 5/>= 2/' | grep -q 'fp_ops is not counted: .cpu0: state 2'
}
check "... counters that are not counted; and what is not counted has no value" halted

# ---- pmlogger, and a dashboard -------------------------------------------------------

check "pmlogger's configuration is understood" eval 'at_node $node pmlogger -C -c $files/upc.pmlogger -h unix: > out 2>&1'
logs()
{
	mkdir -p logs && sed 's/60 sec/50 msec/' "$files/upc.pmlogger" > logs/config &&
		at_node "$node" timeout 600 pmlogger -h unix: -c logs/config -l logs/log -T 0.6sec logs/archive > out 2>&1
	at_node "$node" pminfo -a logs/archive upc > names &&
		for name in upc.cpu.tot_ins upc.running.numa.fp_ops upc.state.cpu.fp_ops upc.control.started upc.hinv.numa upc.sample.time upc.counter.event; do
			grep -qx "$name" names || { echo "# $name"; return 1; }
		done
}
check "... and takes values, times counted, states and names" logs
dashboard()
{
	grep -oE '"expr": "[^"]*"' "$files/grafana.json" | grep -oE 'upc\.[a-z0-9_.]+' | sort -u > names && [ -s names ] &&
		while read -r name; do at_node "$node" pminfo -h unix: "$name" > out 2>&1 || { echo "# $name"; return 1; }; done < names &&
		"$JSON_LEAVES" "$files/grafana.json" > leaves && [ "$(grep -c 'expr' leaves)" -ge 8 ]
}
check "the dashboard is JSON, and its metrics are there" dashboard
