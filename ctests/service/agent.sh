#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# agent.sh - the agent alone, without pmcd: dbpmda asks it, and its service is a script's. Names,
# numbers, values of all states, labels, help, what is refused.
. "${srcdir:?}/ctests/utils.inc"

plan 36
fake=${builddir:?}/ctests/service/pmdaupc_fake
if [ ! -x "$fake" ]; then
	skip_rest "the agent" "it is not built: libpcp was not found"
	exit
fi
if ! command -v dbpmda > /dev/null; then
	skip_rest "the agent" "PCP's dbpmda is not installed"
	exit
fi
printf 'root { upc 450:*:* }\n' > root

# ask LINE...: what dbpmda says of them; the script is in the file script
ask()
{
	printf '%s\n' "open pipe $fake -d 450 -l $dir/log -c $dir/script ${more:-}" "$@" quit |
		dbpmda -f -n root -ie > out 2> err
	! grep -q 'unexpected EOF\|IPC protocol failure' out err
}

# said TEXT...: in this order, each in a line of its own or the same
said()
{
	awk 'BEGIN { for (i = 1; i < ARGC; i++) want[i] = ARGV[i]; n = ARGC; ARGC = 1; i = 1 }
		{ while (i < n && (at = index($0, want[i]))) { $0 = substr($0, at + length(want[i])); i++ } }
		END { if (i < n) print "# not there: " want[i]; exit i < n }' "$@" < out
}
unsaid()
{
	! grep -F -e "$1" out
}

cat > script << 'END'
started 1000000000000
interval 60000000000
place cpu cpu0 0 0
place cpu cpu1 1 0
place cpu cpu2 2 1
place cpu cpu3 3 1
place cgroup web
counter 1 1 cpu count events perf::A perf::A
counter 2 2 node level bytes free proc::meminfo:MemFree
counter 3 3 cgroup count ns t perf::T
value 1 cpu0 100 1000 counting
value 1 cpu1 200 1002 counting
value 1 cpu2 400 1000 counting
value 1 cpu3 500 1000 counting
value 2 - 4096 1000 counting
value 3 web 7 8 counting
sample
value 1 cpu1 0 0 taken
value 3 web 9 10 halted
value 2 - 0 1000 failed
why 1 pid 77 (perf, uid 5) has it
user 77 5 3 perf
message the clock went back
sample
sample
sample
value 1 cpu1 0 0 offline
value 1 cpu2 0 0 halted
value 1 cpu3 0 0 yielded
sample
END
more=
check "dbpmda gets answers" ask "children upc" "traverse upc.cpu" "traverse upc.numa" "traverse upc.running" "traverse upc.state" \
	"pmid upc.cpu.perf.a" "name 450.463.1015" "desc upc.cpu.perf.a" "desc upc.node.free" "desc upc.cgroup.t" \
	"desc upc.running.cpu.perf.a" "desc upc.state.node.free" "instance 450.0" "instance 450.1" "instance 450.2" "instance 450.3"
check "... branches for what there is" said "non-leaf cgroup" "non-leaf node" "non-leaf cpu" "non-leaf counter"
check "... a counter of CPUs has its own numbers, sums, times and states" said "upc.cpu.perf.a" "upc.numa.perf.a" \
	"upc.running.cgroup.t" "upc.running.node.free" "upc.running.numa.perf.a" "upc.running.cpu.perf.a" "upc.state.cgroup.t"
pmid=$(sed -n '/> pmid/,/> name/s/^   //p' out)
check "... a count is a counter of 64 bits" said "> desc upc.cpu.perf.a" "64-bit unsigned int  InDom: 450.0" "Semantics: counter  Units: count"
check "... a level is instantaneous, in bytes" said "> desc upc.node.free" "64-bit unsigned int  InDom: PM_INDOM_NULL" "Semantics: instant  Units: byte"
check "... time is in nanoseconds" said "> desc upc.cgroup.t" "InDom: 450.2" "Semantics: counter  Units: nanosec" "> desc upc.running.cpu" "Units: nanosec"
check "... instances have their names and numbers" said 'inst: 3 name: "cpu3"' 'inst: 0 name: "node0"' 'inst: 1 name: "node1"' 'inst: 0 name: "web"' 'inst: 2 name: "2 free"'

named()
{
	ask "name $pmid" && said "upc.cpu.perf.a"
}
check "a number has its name" named

# The first sample is that of the opening: a fetch has the next.
values='upc.cpu.perf.a upc.numa.perf.a upc.node.free upc.cgroup.t'
cp script script.all
sed '/^sample/q' script.all > script
check "all are counting" ask "getiname on" "fetch $values" "fetch upc.running.cpu.perf.a upc.running.numa.perf.a upc.state.cpu.perf.a" \
	"fetch upc.sample.time upc.sample.due upc.sample.skew upc.sample.took upc.sample.interval upc.control.generation upc.control.started upc.control.message" \
	"fetch upc.hinv.ncpu upc.hinv.nnuma upc.hinv.numa"
check "... values of CPUs" said 'inst [0 or "cpu0"] value 100' 'inst [1 or "cpu1"] value 200' 'inst [2 or "cpu2"] value 400' 'inst [3 or "cpu3"] value 500'
check "... sums of NUMA nodes" said 'inst [0 or "node0"] value 300' 'inst [1 or "node1"] value 900'
check "... of the node, and of control groups" said 'value 4096' 'inst [0 or "web"] value 7'
check "... time: of each, and the mean of a NUMA node" said 'inst [1 or "cpu1"] value 1002' 'inst [0 or "node0"] value 1001'
check "... when and how the sample was made" said 'value 1001000000007' 'value 1001000000000' 'value 7' 'value 11' 'value 60000000000' 'value 1000000000000'
check "... the machine" said 'value 4' 'value 2' 'inst [0 or "cpu0"] value 0' 'inst [3 or "cpu3"] value 1'

cp script.all script
check "some are not counted" ask "getiname on" "fetch $values" "fetch upc.state.cpu.perf.a upc.running.cpu.perf.a upc.running.cgroup.t" \
	"fetch upc.counter.state upc.counter.status upc.user.pid upc.user.uid upc.user.command upc.user.descriptors upc.control.message" "fetch $values"
sed -n '/> fetch upc.cpu/,/> fetch upc.state/p; /> fetch upc.state/q' out > values
some_absent()
{
	grep -q '"cpu0"\] value 100' values && grep -q '"cpu2"\] value 400' values && ! grep 'cpu1\|value 0' values
}
check "... a CPU whose counter is taken is absent" some_absent
sum_absent()
{
	grep -q '"node1"\] value 900' values && ! grep 'node0' values
}
check "... and so is its NUMA node's sum" sum_absent
all_again()
{
	[ "$(grep -c 'Try again' values)" = 2 ]
}
check "... what is not counted at all is an error, not 0" all_again
check "... states are given" said 'inst [0 or "cpu0"] value 1' 'inst [1 or "cpu1"] value 3'
check "... time stays known" said 'inst [1 or "cpu1"] value 1002' 'inst [0 or "web"] value 10'
check "... who has the counters" said 'value "taken"' 'value "failed"' 'value "halted"' 'value "pid 77 (perf, uid 5) has it"' \
	'inst [77 or "77 perf"] value 77' 'value 5' 'value "perf"' 'value 3' 'value "the clock went back"'
# Of the NUMA nodes the one whose offline CPU is not missed.
sed -n '/> fetch upc.counter/,$p' out | sed -n '/> fetch upc.cpu/,$p' > values
offline()
{
	grep -q '"cpu0"\] value 100' values && grep -q '"node0"\] value 300' values && ! grep 'cpu1\|cpu2\|cpu3\|node1' values
}
check "... an offline CPU keeps its part of the sum" offline

check "labels and help" ask "label item upc.cpu.perf.a" "label item upc.numa.perf.a" "text upc.cpu.perf.a" "text upc.state.cpu.perf.a" \
	"text upc.running.cpu.perf.a" "text upc.sample.skew" "text indom 450.0"
check "... labels say event, counter, scope and source" said 'counter="perf::A"' 'event="perf::A"' 'scope="cpu"' 'source="perf"' 'scope="numa"'
check "... help is the catalogue's" said "[perf::A: What the script says.]" "perf::A (events), of each CPU." "3 taken" "how far the sample was"

refused()
{
	ask 'store upc.control.generation "4"' 'store upc.control.message "halt ALL"' 'store upc.sample.interval "1"' &&
		[ "$(grep -c 'Error PDU: No permission' out)" = 3 ]
}
check "stores are refused" refused
unknown()
{
	ask "fetch 450.1.1" "fetch 450.0.9" "instance 450.9" "name 450.4095.1023" "text 450.0.15" "children upc.nope" &&
		said "450.1.1" "Unknown or illegal metric" "450.0.9" "Unknown or illegal metric" "instance domain" "metric identifier"
}
check "what there is not is refused, and the agent goes on" unknown

# Strings that are anything.
cat > script << 'END'
started 5
counter 1 1 node count events %22,%22x%22:%22%5c%0a%ff%1b[0m tp::a%22:%09b
counter 2 2 node count events upc.cpu{}*%00 tp::c
counter 3 3 node count %22 %80%81 tp::%80
counter 4 4 node count events %80%82 tp::%80
counter 5 5 node count events a.b tp::d
counter 6 6 node count events a tp::e
counter 7 7 node count events a.b.c tp::f
value 1 - 1 1 counting
value 4 - 4 1 counting
sample
END
check "hostile names" ask "getiname on" "traverse upc.node" "fetch upc.node.x.n0m upc.node.counter_2" "label item upc.node.x.n0m" "label item upc.node.counter_2" \
	"fetch upc.counter.name upc.counter.event" "instance 450.3"
check "... are names of their own" said "upc.node.a_2" "upc.node.a.b_c" "upc.node.a.b" "upc.node.counter_2" "upc.node.counter" "upc.node.upc.cpu" "upc.node.x.n0m"
check "... labels are whole" said 'counter="\",\"x\":\"\\???[0m"' 'event="tp::a\":?b"' 'counter="??"'
check "... and so are texts" said 'value "","x":"\???[0m"' 'value "??"'

# Ids that change under a name: no number goes back.
cat > script << 'END'
started 7
counter 1 1 node count events perf::A perf::A
value 1 - 100 1000 counting
sample
sample
remove 1
counter 2 2 node count events perf::B perf::B
value 2 - 5 50 counting
sample
sample
remove 2
counter 9 3 node count events perf::A perf::A
value 9 - 11 70 counting
sample
END
check "reassigned, and back" ask "fetch upc.node.perf.a" "fetch upc.sample.count" "traverse upc.node" "fetch upc.node.perf.b" \
	"fetch upc.sample.count" "traverse upc.node" "fetch upc.node.perf.a upc.running.node.perf.a"
back()
{
	grep -q 'value 100' out && grep -q 'value 5$' out && grep -q 'value 111' out && grep -q 'value 1070' out
}
check "... the metric goes on from where it was" back

# pmcd waits 5 s.
cat > script << 'END'
opening 2500
started 5
counter 1 1 node count events perf::A perf::A
value 1 - 1 1 counting
sample
busy 60000
sample
sample
END
slow()
{
	ask "fetch upc.control.generation upc.sample.count" "traverse upc" "wait 2" "fetch upc.sample.count" "fetch upc.sample.count" "fetch upc.node.perf.a" &&
		said "Try again" "Try again" "> wait" "value 1" "value 2" "value 1"
}
check "a service that opens slowly, or is busy, blocks nobody" slow
printf 'error %s\n' "x.conf:3:7: no such event, nearest: perf::PAGE-FAULTS" > script
wrong()
{
	! ask "fetch upc.sample.count"
	grep -q 'x.conf:3:7: no such event' log
}
check "a configuration with a mistake ends it, and the log says where" wrong
