#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_parallel.sh - counts of each thread are exact wherever in a process's life the second thread
# begins: the same blocks run before it, beside it, and in children that are forked before
# and behind it (thread.h: blocks without a call). $UPC_RUN is the tool, $UPC_SIM_PLUGIN the
# simulator.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN

echo "1..12"

# divisions OPTION... -- ARGUMENT...: of each thread, sorted, is what $expected says
divisions()
{
	run 0 --no-progress -t -f csv -e FPU_DIV_1 -o csv "$@" || return 1
	got=$(awk -F, '$1 == "thread" && $4 == "" && $5 == "FPU_DIV_1" { print $6 }' csv | sort -n | tr '\n' ' ')
	[ "$got" = "$expected" ] || { echo "# $got"; echo "# not $expected"; false; }
}

all="40 20007 20010 20020 20030 20050 20060 "
first="20007 20030 "
for guest in x86_64:x86_64 aarch64:aarch64 ppc:powerpc; do
	compiler=${guest#*:}-linux-gnu-gcc
	guest=${guest%:*}
	if ! command -v "$compiler" > missing || ! command -v "qemu-$guest" > missing; then
		for name in threads shared off alone; do
			skip "$guest: $name" "no $compiler or no qemu-$guest: scripts/packages.sh, PACKAGES_SIM"
		done
		continue
	fi
	if ! "$compiler" -O1 -static -pthread "$srcdir/ctests/sim_parallel.c" -o "$guest" 2> err; then
		cat err
		echo "Bail out! sim_parallel.c cannot be compiled"
		exit 1
	fi
	expected=$all
	check "$guest: threads and children, in all orders" divisions -- "./$guest"
	check "... with memory that is shared before" divisions -- "./$guest" shared
	expected=$first
	check "... children that do not count" divisions --children=off -- "./$guest"
	check "... and with shared memory" divisions --children=off -- "./$guest" shared
done
