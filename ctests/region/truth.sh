#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# truth.sh - a table of programs whose work is known (truth.cc), and what is said of it: by upc_regions, by
# upc_regions --sim, and by upc_run -R. A number that is called exact is the truth, "at least" is no more than
# the truth, "at most" no less. $UPC_REGIONS and $UPC_RUN are the tools.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
export UPC_SIM_PLUGIN OMP_WAIT_POLICY=passive KMP_BLOCKTIME=0

# The case; the truth of the region that is marked, and of the function, in which a forked child goes on;
# what each tool is to say: exact, least, most, bound (least or most), none (no number), or - where that is not claimed.
# Live, libgomp's nested teams are not: it creates threads of inner teams anew, whose pages the region has as well.
cat > table << 'END'
gnu  for         83  83  exact  exact  exact
gnu  tasks       60  60  exact  exact  exact
gnu  nested     100 100  -      exact  exact
gnu  exit        40  40  bound  exact  exact
llvm for         83  83  exact  exact  exact
llvm tasks       60  60  exact  exact  exact
llvm nested     100 100  exact  exact  exact
gnu  inside     130 130  exact  exact  exact
gnu  outside     30  30  exact  exact  exact
gnu  outlives    50  50  least  least  least
gnu  pool        45  45  least  least  least
gnu  async       80  80  exact  exact  exact
gnu  fork        10  80  exact  exact  exact
gnu  vfork       30  30  exact  exact  exact
gnu  exec        70  70  exact  exact  exact
gnu  coroutines  90  90  exact  exact  exact
gnu  exception   10  10  none   none   least
gnu  longjmp     10  10  none   none   exact
gnu  destructor  25  25  exact  exact  exact
gnu  atexit      25  25  exact  exact  exact
gnu  names       40  40  exact  exact  exact
END

claims=$(awk '{ for (i = 5; i <= 7; i++) n += $i != "-" } END { print n + 3 }' table)
plan "$claims"

echo 'void cali_begin_region(const char *n) {} void cali_end_region(const char *n) {}' > stub.c
$CC -shared -fPIC -o libstub.so stub.c || exit 1
# build PROGRAM COMPILER...
build()
{
	program=$1
	shift
	"$@" -O1 -ffp-contract=off -fopenmp "$srcdir/ctests/region/truth.cc" -o "$program" -L. -lstub -pthread \
		-Wl,-rpath,"$PWD" 2> "$program.err"
}
build gnu "${CXX:-g++}" || build gnu g++
build llvm clang++

# One who says nothing of a number says "uncounted".
measure_live()
{
	"$UPC_REGIONS" -e $faults -f csv -o csv -- "./$1" "$2" > out 2> err
}
measure_sim()
{
	"$UPC_REGIONS" --sim -e FPU_MULT_1 -f csv -o csv -- "./$1" "$2" > out 2> err
}
measure_function()
{
	"$UPC_RUN" -R region -e FPU_MULT_1 -f csv -o csv -- "./$1" "$2" > out 2> err
}
# said: value and exactness of the region, inclusive
said()
{
	awk -F, -v events="$faults FPU_MULT_1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && ($1 == "region" || $1 == "run") && $at["region"] == "region" &&
		index(" " events " ", " " $at["event"] " ") { print $at["value"] "," $at["exactness"]; exit }' csv
}
# holds TRUTH EXPECTED: of $value and $exactness
holds()
{
	case $exactness in
	exact) [ "$value" -eq "$1" ] && [ "$2" = exact ] ;;
	"at least") [ "$value" -le "$1" ] && { [ "$2" = least ] || [ "$2" = bound ]; } ;;
	"at most") [ "$value" -ge "$1" ] && { [ "$2" = most ] || [ "$2" = bound ]; } ;;
	uncounted) [ "$2" = bound ] || [ "$2" = none ] ;;
	*) false ;;
	esac || { echo "# $exactness $value of $1; expected: $2"; false; }
}
# judge HOW PROGRAM CASE TRUTH EXPECTED
judge()
{
	[ "$5" != - ] || return
	if [ ! -x "$2" ]; then
		skip "$1: $3, $2" "no compiler for it with OpenMP: $(head -n 1 "$2.err")"
		return
	fi
	status=0
	"measure_$1" "$2" "$3" || status=$?
	said > words
	IFS=, read -r value exactness < words || exactness=nothing
	truth=$4 expected=$5
	[ "$1" != live ] || truth=$((truth + $(sed -n 's/^extra //p' out | grep . || echo 0)))
	[ "$exactness" != exact ] || exact=$((exact + 1))
	check "$1: $3, $2: $exactness ${value:-} of $truth" eval '[ $status = 0 ] && holds "$truth" "$expected"'
}

# column HOW TRUTH EXPECTED: all cases; those that can be built are exact where that is claimed
column()
{
	exact=0 claimed=0
	while read -r program case regions function live sim R; do
		eval "judge $1 $program $case \$$2 \$$3"
		[ ! -x "$program" ] || eval "[ \$$3 != exact ]" || claimed=$((claimed + 1))
	done < table
	check "$1: $exact of $(wc -l < table) are exact" [ "$claimed" -ge 12 -a "$exact" -ge "$claimed" ]
}
column live regions live
if [ "$(uname -m)" != x86_64 ] && [ "$(uname -m)" != aarch64 ]; then
	skip_rest "simulated" "the doorbell is for guests of 64 bits"
	exit 0
fi
if cannot_simulate; then
	skip_rest "simulated" "$missing"
	exit 0
fi
column sim regions sim
column function function R
