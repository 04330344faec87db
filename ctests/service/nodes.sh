#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# nodes.sh - many nodes on one machine: upc_jobstat, which is told no names, names the bad ones and
# nobody else. Each node is a private pmcd with agent and archive.
#
#   replay   Each node plays a script of its own: rates of four CPUs with noise, of two NUMA nodes, which
#            the seed decides. One has its rates cut, as by a quota; of another upcctl run takes
#            the counters for a while.
#   groups   Each node counts a control group of its own, in which a loop runs. One group has its
#            quota of CPU time cut. As root, with control groups that can be made.
#
# "make check" runs replay, which needs little time of a CPU; with $UPC_TEST_LONG both are run. UPC_NODES=64 UPC_SEEDS=20
# is the longest run; UPC_NODES_WAYS chooses the ways.
# TAP.
srcdir=$(cd "${srcdir:-..}" && pwd)
. "$srcdir/ctests/utils.inc"
. "$srcdir/ctests/service/node.inc"

nodes=${UPC_NODES:-8} seeds=${UPC_SEEDS:-1} ways=${UPC_NODES_WAYS:-replay${UPC_TEST_LONG:+ groups}}
set -- $ways
plan $((1 + 2 * $# * seeds))
top=$dir

# ---- nodes ---------------------------------------------------------------------------

name_of() # I
{
	printf 'nid%03d' "$1"
}

start_nodes() # CONFIG-OF-NODE
{
	local i
	for ((i = 0; i < nodes; i++)); do
		"$1" "$i" > "config.$i"
		node_start "$top/$(name_of "$i")" -c "config.$i" -H "$(name_of "$i")" > "start.$i" || {
			cat "start.$i"
			return 1
		}
	done
}

# Together, as what is compared happens at the same time.
log_nodes()
{
	local i at
	for ((i = 0; i < nodes; i++)); do
		at=$top/$(name_of "$i")
		printf 'log mandatory on %s { upc }\n' "$interval" > "$at/pmlogger.conf"
		node_exec "$at" pmlogger -h unix: -c "$at/pmlogger.conf" -l "$at/log/pmlogger.log" -N "$at/archive/node" \
			> "$at/log/pmlogger.out" 2>&1 &
		echo $! > "$at/pmlogger.pid"
	done
	for ((i = 0; i < nodes; i++)); do
		until_passes test -s "$top/$(name_of "$i")/archive/node.0" || return 1
	done
	# The job: while all archives are written.
	from=$(date +%s.%N)
}

stop_nodes()
{
	local i
	to=$(date +%s.%N)
	for ((i = 0; i < nodes; i++)); do
		node_ends "$top/$(name_of "$i")/pmlogger.pid"
	done
	for ((i = 0; i < nodes; i++)); do
		node_stop "$top/$(name_of "$i")"
	done
}

# samples NODE: how many values its archive has by now
samples()
{
	at_node "$top/$1" pmdumplog "$top/$1/archive/node" upc.sample.count 2> /dev/null | grep -c ' value [0-9]'
}

enough_samples() # N: in the archive of each node
{
	local i
	for ((i = 0; i < nodes; i++)); do
		[ "$(samples "$(name_of "$i")")" -ge "$1" ] || return 1
	done
}

archives()
{
	local i
	for ((i = 0; i < nodes; i++)); do
		printf '%s\n' "$top/$(name_of "$i")/archive/node"
	done
}

analyse()
{
	# shellcheck disable=SC2046 # names without blanks
	"$UPC_JOBSTAT" --format=json --start="$from" --end="$to" $(archives) > report.json 2> report.err || {
		sed 's/^/# /' report.err
		return 1
	}
	"$JSON_LEAVES" report.json > leaves
	# The nodes of findings that are bad.
	awk -F '\t' '
		split($1, part, "/") == 5 && part[3] == "findings" { of[part[4], part[5]] = $2; n = part[4] + 1 }
		END { for (i = 0; i < n; i++) if (of[i, "bad"] == "true") print of[i, "kind"], of[i, "nodes"] }
	' leaves | tr -d '"' | sort -u > named
}

# names_only NODE...: these are named, and nobody else
names_only()
{
	printf '%s\n' "$@" | sort > expected
	awk '{ print $2 }' named | sort -u > found
	if cmp -s expected found; then
		return
	fi
	echo "# expected:" $(cat expected)
	sed 's/^/# named: /' named
	return 1
}

# ---- scripts --------------------------------------------------------------------------

# script I KIND: signals of instructions and of misses on each CPU, a second of 1 GHz a sample
script()
{
	awk -v seed=$((seed * 1000 + $1)) -v cut="$2" -v job="$seed" '
		function noise(of, part) { return of * (1 + part * (rand() + rand() + rand() - 1.5)) }
		function signal(id, high) { return sprintf(" %d@10000/%d", id, high < 1 ? 1 : high > 10000 ? 10000 : int(high)) }
		BEGIN {
			# The phases are the job'"'"'s: all nodes have them.
			srand(job)
			for (t = 0; t < 300; t++) phase[t] = 0.85 + 0.15 * sin(t * (0.1 + rand() / 5))
			srand(seed)
			# PUx_JPIPE_INSTRUCTIONS and PUx_DCACHE_MISS, of which banks have two CPUs each
			for (cpu = 0; cpu < 4; cpu++) own[cpu] = noise(1, 0.02)
			print "upc-trace 1"
			for (t = 0; t < 300; t++) {
				scale = phase[t] * (cut == "cut" ? 0.6 : 1)
				line = "c 1000000000"
				for (cpu = 0; cpu < 4; cpu++) {
					id = cpu < 2 ? 35 * cpu : 256 + 35 * (cpu - 2)
					line = line signal(id, 6000 * scale * own[cpu] * noise(1, 0.03)) \
						signal(id + 15, 300 * scale * own[cpu] * noise(1, 0.1))
				}
				print line
				print "s"
			}
		}'
}

replay_config()
{
	script "$1" "$([ "$1" = "$bad" ] && echo cut)" > "script.$1"
	echo "initialize source=replay:$PWD/script.$1 sys=$PWD/sys"
	echo 'add PU{cpu}_JPIPE_INSTRUCTIONS as=instructions scope=cpu'
	echo 'add PU{cpu}_DCACHE_MISS as=misses scope=cpu'
	echo finalize
}

# Four CPUs, in two NUMA nodes.
made_sys()
{
	local cpu
	mkdir -p sys/devices/system/cpu sys/devices/system/node/node0 sys/devices/system/node/node1
	echo 0-3 | tee sys/devices/system/cpu/online sys/devices/system/cpu/present > sys/devices/system/cpu/possible
	echo 0-1 > sys/devices/system/node/online
	echo 0-1 > sys/devices/system/node/node0/cpulist
	echo 2-3 > sys/devices/system/node/node1/cpulist
	for cpu in 0 1 2 3; do
		mkdir -p sys/devices/system/cpu/cpu$cpu/topology
		echo $((cpu / 2)) > sys/devices/system/cpu/cpu$cpu/topology/physical_package_id
	done
}

replay()
{
	interval='200 msec'
	made_sys
	check "seed $seed, replay: $nodes nodes, $(name_of "$bad") is cut, of $(name_of "$taken") a command has the counters" replay_run
	check "... and these two are named, nobody else" names_only "$(name_of "$bad")" "$(name_of "$taken")"
}

replay_run()
{
	start_nodes replay_config && log_nodes &&
		until_passes enough_samples 10 &&
		"$UPCCTL" --socket="$top/$(name_of "$taken")/run/control" run -- sleep 2 &&
		until_passes enough_samples 30 || return 1
	stop_nodes
	analyse
}

# ---- control groups ---------------------------------------------------------------------

group_roots()
{
	perf_root=/sys/fs/cgroup quota_root=/sys/fs/cgroup
	[ ! -d /sys/fs/cgroup/unified ] || perf_root=/sys/fs/cgroup/unified
	[ ! -d /sys/fs/cgroup/perf_event ] || perf_root=/sys/fs/cgroup/perf_event
	[ ! -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ] || quota_root=/sys/fs/cgroup/cpu
	[ -e $quota_root/cpu.cfs_quota_us ] || echo +cpu > $quota_root/cgroup.subtree_control 2> /dev/null
}

groups_missing()
{
	missing=
	group_roots
	[ "$(id -u)" = 0 ] || missing="only root makes control groups"
	[ -n "$missing" ] || mkdir "$perf_root/upc-test-$$" 2> /dev/null || missing="no control group can be made in $perf_root"
	[ -n "$missing" ] || rmdir "$perf_root/upc-test-$$"
	[ -n "$missing" ] || [ -e $quota_root/cpu.cfs_quota_us ] || grep -qw cpu $quota_root/cgroup.subtree_control ||
		missing="no quotas of CPU time in $quota_root"
	[ -n "$missing" ]
}

# group I: its name
group()
{
	echo "upc-test-$$-$1"
}

make_group() # I
{
	local at=$quota_root/$(group "$1")
	mkdir -p "$perf_root/$(group "$1")" "$at" || return 1
	# Who is in no group, as pmcd, gets its time too.
	echo $((4096 / nodes)) 2> /dev/null > "$at/cpu.shares" || echo $((400 / nodes)) > "$at/cpu.weight" || return 1
	if [ "$1" = "$bad" ]; then
		# A small part of what it would have among the others, so that it has less than they also
		# where others work; a second is the period, of which the kernel gives 1 ms at least.
		quota=$((1000000 * $(getconf _NPROCESSORS_ONLN) / nodes / 32))
		[ $quota -ge 1000 ] || quota=1000
		if [ -e "$at/cpu.cfs_quota_us" ]; then
			echo 1000000 > "$at/cpu.cfs_period_us" && echo $quota > "$at/cpu.cfs_quota_us" || return 1
		else
			echo "$quota 1000000" > "$at/cpu.max" || return 1
		fi
	fi
}

# start_loop I: what the group does
start_loop()
{
	"$BASH" -c 'echo $$ > "$0/cgroup.procs" && echo $$ > "$1/cgroup.procs" && while :; do :; done' \
		"$perf_root/$(group "$1")" "$quota_root/$(group "$1")" &
	loop[$1]=$!
}

end_groups()
{
	local i
	[ -n "$perf_root" ] || return 0
	if [ ${#loop[@]} != 0 ]; then
		kill -9 "${loop[@]}" 2> /dev/null
		wait "${loop[@]}" 2> /dev/null
	fi
	for ((i = 0; i < nodes; i++)); do
		rmdir "$perf_root/$(group "$i")" 2> /dev/null
		rmdir "$quota_root/$(group "$i")" 2> /dev/null
	done
	loop=()
}
loop=() perf_root='' quota_root=''

groups_config()
{
	echo initialize
	echo "cgroup job $perf_root/$(group "$1")"
	echo 'add perf::CPU-CLOCK scope=cgroup as=time'
	echo finalize
}

groups_run()
{
	local i
	for ((i = 0; i < nodes; i++)); do
		make_group "$i" || return 1
	done
	start_nodes groups_config && log_nodes || return 1
	for ((i = 0; i < nodes; i++)); do
		start_loop "$i"
	done
	until_passes enough_samples $((20 + nodes / 4)) || return 1
	stop_nodes
	analyse
}

groups()
{
	interval='1 sec'
	if groups_missing; then
		skip "seed $seed, control groups" "$missing"
		skip "seed $seed, control groups: the one is named" "$missing"
		return
	fi
	check "seed $seed, control groups: $nodes nodes, $(name_of "$bad") has a quota" groups_run
	end_groups
	check "... and is named, nobody else" names_only "$(name_of "$bad")"
}

# ---- all --------------------------------------------------------------------------------------

if node_missing || { [ ! -x "${UPC_JOBSTAT:-}" ] && missing="upc_jobstat is not built: libpcp was not found"; }; then
	skip_rest "many nodes" "$missing"
	exit
fi
trap 'node_stop_all; end_groups; rm -rf "${dir:?}"' EXIT
check "the seeds are numbers" test "$seeds" -gt 0
for way in $ways; do
	for ((seed = 1; seed <= seeds; seed++)); do
		RANDOM=$seed
		bad=$((RANDOM % nodes)) taken=$(((bad + 1 + RANDOM % (nodes - 1)) % nodes))
		rm -rf "$dir"/nid* "$dir"/script.*
		"$way"
		stop_nodes
	done
done
