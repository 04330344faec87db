#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# pmda_cost.sh - what the node service costs a node: CPU time of pmcd and of the agent a fetch of 400 values,
# each of its own sample, one a second. The kernel's own account of both processes.
# make bench sets: srcdir, PMDAUPC.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/node.inc"

if node_missing; then
	echo "# pmda_cost: $missing"
	exit
fi
cpus=$(getconf _NPROCESSORS_ONLN)
counters=$(((400 + cpus - 1) / cpus))
# configure EVENT...: so many counters of these
configure()
{
	echo initialize
	for ((i = 0; i < counters; i++)); do
		echo "add ${*:i % $# + 1:1} as=c$i"
	done
	echo finalize
}
configure perf::PAGE-FAULTS perf::CONTEXT-SWITCHES perf::CPU-MIGRATIONS perf::MINOR-FAULTS perf::MAJOR-FAULTS > conf
node_start "$dir/node" -c conf > out || {
	# What an ordinary user has of each CPU.
	configure 'cpu::cpu{cpu}:user_ns' 'cpu::cpu{cpu}:system_ns' 'cpu::cpu{cpu}:idle_ns' > conf
	node_start "$dir/node" -c conf || exit 1
}
agent=$(node_agent "$dir/node")
pmcd=$(cat "$dir/node/pmcd.pid")
# ns PID: CPU time of all its threads
ns()
{
	awk '{ s += $1 } END { printf "%d\n", s }' "/proc/$1"/task/*/schedstat
}
samples()
{
	at_node "$dir/node" pminfo -h unix: -f upc.sample.count | sed -n 's/.*value //p'
}
printf 'log mandatory on 1 sec { upc.cpu }\n' > pmlogger.conf
# Without what pmlogger asks first: names, units, labels.
node_exec "$dir/node" pmlogger -h unix: -c pmlogger.conf -l log -T 26sec "$dir/node/archive/cost" > out 2>&1 &
sleep 4
first=$(samples) agent_before=$(ns "$agent") pmcd_before=$(ns "$pmcd")
sleep 20
agent_after=$(ns "$agent") pmcd_after=$(ns "$pmcd") last=$(samples)
awk -v n=$((last - first)) -v agent=$((agent_after - agent_before)) -v pmcd=$((pmcd_after - pmcd_before)) -v values=$((counters * cpus)) 'BEGIN {
	if (n < 1) exit 1
	printf "bench pmda_fetch_%d_agent %.1f us\n", values, agent / n / 1e3
	printf "bench pmda_fetch_%d_pmcd %.1f us\n", values, pmcd / n / 1e3
	printf "bench pmda_%d_values_1hz %.4f percent_of_a_cpu\n", values, (agent + pmcd) / n / 1e7
}'
