#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# utils_wire.sh - the wiring that upc_wire writes can be edited and given back,
# and a wrong one is refused with its place. $UPC_WIRE is the tool.
wire=${UPC_WIRE:-upc_wire}
tool=$wire
. "${srcdir:?}/ctests/utils.inc"

echo "1..24"

check "--probe writes a wiring" run 0 --probe
cp out probed
check "... which begins with its version" [ "$(head -n 1 probed)" = "upc-wiring 1" ]
check "... the same to a file" run 0 --probe -o file
# Devices may come and go between two probes, but not the perf events.
check "... as on standard output" [ "$(grep 'perf::' file)" = "$(grep 'perf::' probed)" ]
check "--check takes what --probe wrote" run 0 --check file
check "... and nothing is changed by it" grep -q '^file: ok, 0 events changed, 0 added, 0 removed$' out

cat > mine <<'WIRING'
upc-wiring 1
drive PU0_JPIPE_INSTRUCTIONS = task "stat" line 1 value 9 differs "no instructions at all"
event mine::faults = task "stat" line 1 value 9 * 2 unit "half faults"
derived mine::sum = "task::minflt + task::majflt"
remove task::nice
WIRING
check "--check counts what an edited one does" run 0 --check mine
check "... change, additions, removal" \
	grep -q '^mine: ok, 1 events changed, 2 added, 1 removed$' out
check "--show without it" run 0 --show PU0_JPIPE_INSTRUCTIONS
check "... nothing drives it, and why" sh -c 'grep -q "driven by *nothing" out && grep -q "why " out'
check "--show with it" run 0 -w mine --show PU0_JPIPE_INSTRUCTIONS
check "... what drives it, and how it differs" \
	sh -c 'grep -q "driven by.*stat" out && grep -q "differs *no instructions at all" out'
check "... also from the environment" sh -c 'UPC_WIRING=mine "$1" --show mine::faults | grep -q "half faults"' \
	sh "$wire"
check "--probe is the machine's own all the same" sh -c \
	'! UPC_WIRING=mine "$1" --probe | grep -q mine::' sh "$wire"

# The one that the manual page shows.
sed -n '/^upc-wiring 1$/,/^\.Ed$/p' "${srcdir:?}/man/upc_wire.1" | sed 's/\\e/\\/g; /^\.Ed$/d' > shown
check_perf "the manual page's own is right" sh -c '[ -s shown ] && exec "$1" --check shown' sh "$wire"

# refused LINE COLUMN TEXT: the file bad, whose second line is given
refused()
{
	printf 'upc-wiring 1\n%s\n' "$3" > bad
	run 1 --check bad && [ ! -s out ] && grep -q "^upc_wire: bad:$1:$2: " err
}
check "a source that is none: its place" refused 2 11 'event X = nonsense "x"'
check "an unknown statement" refused 2 1 'evnt X = perf "PAGE-FAULTS"'
check "a line that ends early" refused 2 10 'event X ='
printf 'upc-wiring 99\n' > bad
check "another version" run 1 --check bad
check "no file: 1" run 1 --check nowhere
check "an event as PAPI writes it" run 0 --show upc:::task::minflt
check "an unknown event: 1" run 1 --show task::minftl
check "... with the nearest" grep -q 'did you mean task::minflt' err

bad_options()
{
	for options in "" "--probe --check x" "--probe extra" "--check" "-o x --check y" "-w x --probe"; do
		# shellcheck disable=SC2086
		run 125 $options || { echo "# '$options'"; return 1; }
	done
}
check "wrong options: 125" bad_options
