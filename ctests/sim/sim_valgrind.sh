#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_valgrind.sh - instructions, loads and stores of whole programs, as upc_run counts them and as
# valgrind does (scripts/sim/sim-valgrind). $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator.
# shellcheck disable=SC2034 # utils.inc runs it
tool="${srcdir:?}/scripts/sim/sim-valgrind"
# shellcheck source=ctests/utils.inc
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN

if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP only x86-64 is compared: valgrind runs programs of its own machine"
	exit
fi
case $SANITIZERS in
*address* | *thread*)
	echo "1..0 # SKIP this sanitizer's shadow memory is not to be had under the emulator"
	exit
	;;
esac
for program in valgrind qemu-x86_64 x86_64-linux-gnu-gcc; do
	command -v $program > /dev/null && continue
	echo "1..0 # SKIP $program is not installed (scripts/packages.sh)"
	exit
done

echo "1..4"

refused()
{
	"$tool" "$@" 2> err
	[ $? = 1 ] && grep -q 'there is no program\|usage' err
}

check "loops have the same instructions" run 0 --check "$UPC_RUN" integer daxpy calls
check "... all three" [ "$(wc -l < out)" = 3 ]
check "and so have programs of this machine" run 0 --check "$UPC_RUN" cksum base64
check "a program that is not known is refused" refused "$UPC_RUN" nothing
