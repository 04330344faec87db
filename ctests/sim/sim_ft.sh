#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_ft.sh - the kernels of bench/sim under upc_run: they are right, count the same twice, and a
# compiler that vectorises does the same arithmetic, two numbers at a time. $UPC_RUN is the tool,
# $UPC_SIM_PLUGIN the simulator.
tool=${UPC_RUN:-upc_run}
kernels=$(cd "${srcdir:?}/scripts/sim" && pwd)/sim-kernels
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN

echo "1..44"

# Values are those of the region, of all cores.
value()
{
	awk -F, -v name="$1" '$1 == "run" && $4 != "" && $5 == name { print $6 }' "${2:-csv}"
}

# count KERNEL REGION ARGUMENT...: output in out, report in csv
count()
{
	kernel=$1
	region=$2
	shift 2
	rm -f csv
	run 0 --no-progress -z -R "$region" -f csv -o csv -- "$guest/$kernel" "$@"
}

# is EVENT VALUE
is()
{
	got=$(value "$1")
	[ "$got" = "$2" ] || { echo "# $1 $got, not $2"; false; }
}

# Nothing but the time may differ.
same_twice()
{
	grep -v ^fact csv | cut -d, -f 1,4-6 > first
	count "$@" && grep -v ^fact csv | cut -d, -f 1,4-6 > second && [ -s first ] && cmp first second
}

# What a step does, of n numbers in a dimension (all of n^3): n^3 x 2 multiplications; for each
# dimension log2 n stages of n^3 / 2 butterflies of 10 operations; the checksum's 1024 x 2
# additions, its two divisions. Here n is 16. PowerPC has no conversion of an integer to a
# number: the checksum's divisor costs it a subtraction.
steps=2
operations=$((steps * (2 * 4096 + 3 * 4 * 2048 * 10 + 2048 + 2)))

arithmetic()
{
	extra=0
	[ "$guest" != ppc ] || extra=$steps
	is FP_OPS $((operations + extra)) && is FPU_DIV_1 $((2 * steps))
}

scalar()
{
	for event in FPU_ADD_SUB_2 FPU_MULT_2 FPU_FMA_4; do
		is $event 0 || return 1
	done
	# printf's own aside.
	[ "$(value FPU_QUADWORD_LOADS)" -lt 200 ] && [ "$(value FPU_QUADWORD_STORES)" -lt 200 ]
}

# sum of ONE + 2 x TWO is that of the scalar program; all are two-wide but for REST
halved()
{
	one=$(value "$1")
	two=$(value "$2")
	before=$(value "$1" scalar)
	[ "$one" = "$3" ] && [ $((one + 2 * two)) = "$before" ] && [ "$before" -gt 0 ] && return
	echo "# $1 $one, $2 $two, before $before"
	false
}

vector()
{
	# The checksum's additions stay what they are.
	halved FPU_ADD_SUB_1 FPU_ADD_SUB_2 $((2048 * steps)) && halved FPU_MULT_1 FPU_MULT_2 0 || return 1
	if [ "$guest" = x86_64 ]; then
		is FPU_FMA_2 0 && is FPU_FMA_4 0
	else
		halved FPU_FMA_2 FPU_FMA_4 0
	fi
}

# Half of all doubles at least are moved two at a time, and less instructions move them.
moves()
{
	for direction in LOADS STORES; do
		quad=$(value FPU_QUADWORD_$direction)
		other=$(value FPU_OTHER_$direction)
		before=$(value FPU_OTHER_$direction scalar)
		[ $((2 * quad)) -ge "$other" ] && [ $((quad + other)) -lt "$before" ] && continue
		echo "# $direction: $quad quadwords, $other others; before $before"
		return 1
	done
}

# RISC-V has no flags, and so no logic that sets them.
bt_fills()
{
	tests=IPIPE_LOGICAL_OPS
	[ "$guest" != riscv64 ] || tests=
	for event in JPIPE_ADD_SUB JPIPE_LOGICAL_OPS IPIPE_MULT_DIV IPIPE_ADD_SUB $tests \
		IPIPE_BRANCHES DATA_LOADS DATA_STORES FPU_ADD_SUB_1 FPU_MULT_1 FPU_DIV_1; do
		[ "$(value $event)" -gt 0 ] || { echo "# no $event"; return 1; }
	done
	# In each of the three directions: a point has five divisions of its solution and one of its
	# speed; a line has one.
	is FPU_DIV_1 $((2 * 3 * (216 * 6 + 36)))
}

# Of those that the compiler may use.
has_vectors()
{
	[ "$guest" != ppc ] && [ "$guest" != riscv64 ]
}

with_kernels()
{
	check "$guest: FT beside a transform by its sum" run 0 --no-progress -o csv -- $guest/ft-scalar check
	check "... vectorised" run 0 --no-progress -o csv -- $guest/ft-vector check
	check "FT: counts" count ft-scalar ft_steps 16 $steps
	cp out scalar.out
	check "... operations by their formula" arithmetic
	check "... none of it two-wide" scalar
	check "... the same twice" same_twice ft-scalar ft_steps 16 $steps
	cp csv scalar
	if has_vectors; then
		check "FT vectorised: counts" count ft-vector ft_steps 16 $steps
		check "... and prints the same" cmp out scalar.out
		check "... the same arithmetic, two-wide" vector
		check "... quadwords for doubles" moves
	fi
	check "BT: its equations hold" count bt bt_steps 6 2
	check "... all rows of the paper's table" bt_fills
	check "... the same twice" same_twice bt bt_steps 6 2
}

# without GUEST CHECKS
without()
{
	i=0
	while [ $i -lt "$2" ]; do
		i=$((i + 1))
		skip "$1: check $i" "no emulator or no compiler for $1: scripts/packages.sh, PACKAGES_SIM"
	done
}

"$kernels" . ft-scalar ft-vector bt > guests 2> err
status=$?
if [ $status != 0 ] && [ $status != 3 ]; then
	sed 's/^/# /' err
	echo "Bail out! the kernels cannot be compiled"
	exit 1
fi
for guest in x86_64 aarch64 ppc riscv64; do
	checks=13
	has_vectors || checks=9
	if grep -qx $guest guests; then
		with_kernels
	else
		without $guest $checks
	fi
done
