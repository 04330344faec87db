#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# upcctl_node.sh - commands of upcctl are seen by clients of Performance Co-Pilot: on a private node.
# $UPCCTL is the tool, $PMDAUPC the agent.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/node.inc"
. "$srcdir/ctests/service/events.inc"

tool=$UPCCTL
plan 6
if node_missing; then
	skip_rest "commands to the agent" "$missing"
	exit
fi
# info METRIC: what pminfo says of it
info()
{
	at_node "$PWD/n" pminfo -h unix: -f "$1" > out 2> err
}
# has_values METRIC: one at least
has_values()
{
	info "$1" && grep -q ' value [0-9]' out
}
has_none()
{
	info "$1"
	! grep -q ' value ' out
}

cat > config << EOF
initialize interval=0
add $node_faults scope=node as=faults
finalize
EOF
check "a private node" node_start "$PWD/n" -c config
if [ ! -S n/run/control ]; then
	skip_rest "commands to the agent" "there is no node"
	exit
fi
export UPC_CONTROL=$PWD/n/run/control

listed()
{
	run 0 ls && grep -q "^ 1  faults  $node_faults  node   counting\$" out && has_values upc.node.faults
}
check "ls, and a value" listed
halted()
{
	run 0 halt faults && has_none upc.node.faults && info upc.state.node.faults && grep -q 'value 2$' out &&
		run 0 continue faults && has_values upc.node.faults
}
check "halted: no value, and no 0; then one again" halted
added()
{
	run 0 add "$node_minor" "$clock" scope=node && has_values "upc.node.$(metric_of "$node_minor")" &&
		has_values "upc.node.$(metric_of "$clock")" && run 0 remove "$clock" && ! has_values "upc.node.$(metric_of "$clock")"
}
check "added and removed while the node runs" added
reassigned()
{
	run 0 reassign "$node_minor" "$node_major" && ! has_values "upc.node.$(metric_of "$node_minor")" &&
		has_values "upc.node.$(metric_of "$node_major")"
}
check "reassigned: a metric ends, another begins" reassigned
stopped()
{
	node_stop "$PWD/n" && [ ! -e n/run/control ] && run 125 ls
}
check "the node ends, and takes the socket away" stopped
