#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_openmp.sh - what the threads of a team do belongs to the region that called for the team, however
# many they are: the multiplications of each region are the truth by construction, to the last one, and
# its instructions are the same within 1 %. $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator.
# shellcheck disable=SC2034 # utils.inc runs it
tool=${UPC_RUN:-upc_run}
# shellcheck source=ctests/utils.inc
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN OMP_WAIT_POLICY=passive KMP_BLOCKTIME=0
source=$srcdir/ctests/sim/sim_openmp.c

regions="region_a region_b nowait tasks_a tasks_b task_tree task_loop depends inner nested left right cg ft helper"
apart="region_a region_b nowait tasks_a tasks_b task_tree task_loop depends nested left right cg ft outside"

plan 27

# build WHICH COMPILER OPTION...
build()
{
	which=$1
	shift
	"$@" -O1 -ffp-contract=off -fopenmp "$source" -o "$which" 2> err
}

# count WHICH THREADS
count()
{
	options=
	for region in $regions; do
		options="$options -R $region"
	done
	status=0
	# shellcheck disable=SC2086
	"$tool" -f csv -o "csv.$2" -e FPU_MULT_1,INSTRUCTIONS $options -- "./$1" "$2" > truth 2> err || status=$?
	[ $status = 0 ] || { sed 's/^/# /' err; echo "# status $status"; false; }
}

# Each region has what it should, and says that it is exact; those that are not in each other and
# what is outside of them are the whole, beside what the runtime does for itself.
true_counts()
{
	awk -v apart="$apart" -v own="$own" '
		FNR == NR { want[$1] = $2; next }
		$1 == "run" && $5 == "FPU_MULT_1" && $4 == "" { whole = $6; sure = $10 == "exact" }
		$1 == "run" && $5 == "FPU_MULT_1" && $4 != "" {
			n++
			if ($6 != want[$4] || $10 != "exact") {
				print "# " $4 ": " $6 " (" $10 "), not " want[$4]
				bad = 1
			}
			got[$4] = $6
		}
		END {
			got["outside"] = want["outside"]
			parts = split(apart, part, " ")
			for (i = 1; i <= parts; i++)
				sum += got[part[i]]
			sum += own
			if (sum != whole || !sure)
				print "# parts: " sum ", the whole: " whole
			exit bad || n != 15 || sum != whole || !sure
		}' truth FS=, "csv.$1"
}

# own WHICH: what its runtime multiplies as it begins
own()
{
	"$tool" -f csv -o csv -e FPU_MULT_1 -- "./$1" 0 > out 2> err
	awk -F, '$1 == "run" { print $6 }' csv
}

# near REGION...: instructions of one thread, of two and of four
near()
{
	awk -F, -v names="$*" '
		BEGIN { n = split(names, name, " ") }
		$1 == "run" && $5 == "INSTRUCTIONS" {
			if (!($4 in least) || $6 < least[$4])
				least[$4] = $6
			if ($6 > most[$4])
				most[$4] = $6
		}
		END {
			for (i = 1; i <= n; i++)
				if (!(most[name[i]] > 0 && most[name[i]] < 1.01 * least[name[i]])) {
					print "# " name[i] ": " least[name[i]] " to " most[name[i]]
					bad = 1
				}
			exit bad
		}' csv.1 csv.2 csv.4
}

# both WHICH THREADS
both()
{
	count "$1" "$2" && true_counts "$2"
}

# team WHICH WHAT COMPILER OPTION... -- REGION...: that are large beside what waiting costs
team()
{
	which=$1
	what=$2
	shift 2
	command=$1
	shift
	while [ "$1" != -- ]; do
		command="$command $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	if ! $command -fopenmp empty.c -o empty 2> err; then
		for threads in 1 2 4 all; do
			skip "$what: $threads" "'$command' makes no OpenMP program here"
		done
		return
	fi
	# shellcheck disable=SC2086
	if ! build "$which" $command; then
		cat err
		echo "Bail out! sim_openmp.c cannot be compiled by '$command'"
		exit 1
	fi
	own=$(own "$which")
	for threads in 1 2 4; do
		check "$what, threads: $threads" both "$which" "$threads"
	done
	check "... and as many instructions" near "$@"
}

if cannot_simulate; then
	skip_rest "teams" "$missing"
	exit 0
fi
echo "int main(void) { return 0; }" > empty.c
all="region_a region_b nowait task_loop nested left right cg ft helper"
# shellcheck disable=SC2086
{
	team gnu "libgomp" x86_64-linux-gnu-gcc -- $all
	team static "libgomp, static" x86_64-linux-gnu-gcc -static -- $all
	team llvm "libomp" clang -- cg ft
	team arm "libgomp, AArch64" aarch64-linux-gnu-gcc -- $all
	team power "libgomp, PowerPC" powerpc-linux-gnu-gcc -- $all
	team riscv "libgomp, RISC-V" riscv64-linux-gnu-gcc -- $all
}

# ---- a runtime without names ------------------------------------------------------------------

# hidden THREADS EXACT: what ft's team does is not known to be its own
hidden()
{
	count hidden "$1" || return 1
	got=$(awk -F, '$1 == "run" && $4 == "ft" && $5 == "INSTRUCTIONS" { print $10 }' "csv.$1")
	[ "$got" = "$2" ] || { echo "# ft: $got, not $2"; false; }
}
own=0
if [ -x static ] && command -v objcopy > missing; then
	objcopy -w -N 'GOMP_*' -N 'gomp_*' static hidden
	check "a runtime without names, one thread: exact" hidden 1 exact
	check "... four: at least" hidden 4 "at least"
	check "... and says why" grep -q 'not exact: .*ft.*: threads that it woke, or that it started' csv.4
else
	skip_rest "a runtime without names" "no static program, or no objcopy"
fi
