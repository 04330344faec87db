#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpx_calibrated.sh - the short form of bench/mpx_calibration: intervals of real programs hold the
# truth. Few estimates, on a machine that does other things: only gross failures are found.
. "${srcdir:?}/ctests/utils.inc"
cells=region4-0.3,threads,kernel-regular-5-.5,kernel-irregular-5-.5,busy-task-clock-20

if [ -n "${SANITIZERS:-}" ]; then
	echo "1..0 # SKIP sanitizers take most of the slices' time"
	exit 0
fi
"${builddir:?}/bench/mpx_calibration" --estimates=60 --cells=$cells > out 2> err
status=$?
if grep -q '^skipped' out; then
	echo "1..0 # SKIP $(sed 's/^skipped //' out)"
	exit 0
fi
echo "1..6"
check "it measures" eval "test $status = 0 && test $(grep -c '^cell' out) = 5"
for cell in $(echo $cells | tr ',' ' '); do
	# Of 60, some of which may be rough: the chance to hold less than 60 of 100 is nil at 90.
	check "$cell: intervals hold the truth" awk -v cell="$cell" \
		'$1 == "cell" && $2 == cell && $4 >= 20 && $6 >= 60 { good = 1 } END { exit !good }' out
done
