#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_sim.sh - upc_regions --sim: regions of a simulated program have what they did, to the last
# operation, what teams of OpenMP do for them included; and they and what is outside of them are the whole
# run of upc_run. $UPC_REGIONS is the tool.
# shellcheck disable=SC2034 # utils.inc runs it
tool=${UPC_REGIONS:-upc_regions}
libraries=${builddir:?}/src/region/.libs
# shellcheck source=ctests/utils.inc
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN OMP_WAIT_POLICY=passive KMP_BLOCKTIME=0
plan 30

if [ "$(uname -m)" != x86_64 ] && [ "$(uname -m)" != aarch64 ]; then
	skip_rest "regions" "the doorbell is for guests of 64 bits"
	exit 0
fi
if cannot_simulate; then
	skip_rest "regions" "$missing"
	exit 0
fi

# What upc_run itself reports of the run stays in whole.json.
simulator=${UPC_RUN:?}
cat > simulator << EOF
#!/bin/sh
"$simulator" "\$@" || exit
for word; do
	[ "\$last" != --output ] || cp "\$word" "$PWD/whole.json"
	last=\$word
done
EOF
chmod +x simulator
export UPC_RUN="$PWD/simulator"

# compile PROGRAM SOURCE COMPILER OPTION...
compile()
{
	program=$1
	source=$2
	shift 2
	"$@" -DMARKS -I"$srcdir/include" "$source" -o "$program" -L"$libraries" -lhpm \
		-Wl,-rpath,"$libraries" 2> err
}

# count EVENTS PROGRAM ARGUMENT...: the table in csv, what the program prints in out
count()
{
	events=$1
	shift
	status=0
	"$tool" --sim -e "$events" -f csv -o csv -- "./$@" > out 2> err || status=$?
	[ $status = 0 ] || { echo "# status $status"; false; }
}

# value REGION EVENT [COLUMN]: exclusive, if it is exact
value()
{
	awk -F, -v region="$1" -v event="$2" -v column="${3:-14}" '
		$1 == "region" && $2 == region && $8 == event && $18 == "exact" { print $column }' csv
}

# has REGION EVENT VALUE [COLUMN]
has()
{
	got=$(value "$1" "$2" "${4:-14}")
	[ "$got" = "$3" ] || { echo "# $2 of $1: $got, not $3"; false; }
}

# Exclusive counts of all regions and of outside are upc_run's, and exact.
are_the_whole()
{
	leaves_of whole.json
	for event; do
		awk -F '\t' -v event="$event" '
			$2 == "\"" event "\"" { at = $1; sub("event$", "value", at) }
			$1 == at { print $2; exit }' leaves > want
		awk -F, -v event="$event" '
			$1 == "region" && $8 == event { sum += $14; exact += $18 == "exact"; n++ }
			END { if (n > 1 && exact == n) printf "%d\n", sum }' csv > got
		[ -s want ] && cmp -s got want ||
			{ echo "# $event: regions have $(cat got), the run $(cat want)"; return 1; }
	done
}

# ---- teams -------------------------------------------------------------------------------------------

# Those that others begin in threads of their own are no part of them there: what is exclusive is.
true_of_teams()
{
	awk -F '[ ,]' '
		FNR == NR { want[$1] = $2; next }
		$1 == "region" && $8 == "FPU_MULT_1" && $2 in want {
			n++
			value = $2 == "nested" ? $14 : $9
			truth = $2 == "nested" ? want["nested"] - want["inner"] : want[$2]
			if (value != truth || $13 != "exact" || $18 != "exact") {
				print "# " $2 ": " value " (" $13 "), not " truth
				bad = 1
			}
		}
		END { exit bad || n != 15 }' out csv
}

# team PROGRAM WHAT COMPILER...
team()
{
	program=$1
	what=$2
	shift 2
	if ! "$@" -fopenmp empty.c -o empty 2> err; then
		for threads in 1 2 4; do
			skip "$what: $threads" "'$1' makes no OpenMP program here"
			skip "... and the whole" "'$1' makes no OpenMP program here"
		done
		return
	fi
	if ! compile "$program" "$srcdir/ctests/sim/sim_openmp.c" "$@" -O1 -ffp-contract=off -fopenmp; then
		cat err
		echo "Bail out! sim_openmp.c cannot be compiled by '$1'"
		exit 1
	fi
	for threads in 1 2 4; do
		check "$what, threads: $threads" eval 'count FPU_MULT_1,INSTRUCTIONS "$program" $threads && true_of_teams'
		check "... and the whole" are_the_whole FPU_MULT_1 INSTRUCTIONS
	done
}

echo "int main(void) { return 0; }" > empty.c
team gomp "teams of libgomp" gcc
team iomp "teams of libomp" clang

# ---- FT's phases: what each does is known from its loops (ctests/sim/sim_ft.sh) ----------------------

compile ft "$srcdir/bench/sim/ft.c" gcc -std=gnu11 -O2 -fno-tree-vectorize -fno-tree-loop-distribute-patterns
check "FT" count FP_OPS,FPU_DIV_1,INSTRUCTIONS,DATA_LOADS ft 16 2
axis=$((3 * 4 * 2048 * 10))
phases()
{
	has evolve FP_OPS $((2 * 2 * 4096)) && has checksum FP_OPS $((2 * 2050)) &&
		has checksum FPU_DIV_1 4 && has "fft x" FP_OPS $axis && has "fft y" FP_OPS $axis &&
		has "fft z" FP_OPS $axis
}
check "... each phase has its operations" phases
check "... and the whole" are_the_whole FP_OPS FPU_DIV_1 INSTRUCTIONS DATA_LOADS
metrics()
{
	UPC_METRICS=$srcdir/share/upc/metrics "$tool" --sim -m auto -f json -o report.json -- ./ft 16 2 > out 2> err &&
		leaves_of report.json && awk -F '\t' '
			$1 ~ "/regions/[0-9]*/region$" { region = $2 }
			region == "\"evolve\"" && $2 == "\"FLOP\"" { at = $1; sub("metric$", "exclusive/", at) }
			at != "" && ($1 == at "value" || $1 == at "exactness") { print $2 + 0 == $2 ? $2 + 0 : $2 }
			' leaves > got
	[ "$(tr -d \" < got | sort | xargs)" = "$((2 * 2 * 4096)) exact" ] || { echo "# FLOP of evolve: $(cat got)"; false; }
}
check "... and metrics of the simulated node" metrics

# ---- threads, processes ------------------------------------------------------------------------------

cat > program.c << 'EOF'
#include <libhpm.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

static void multiply(long n)
{
	double x = 1;
	long i;

	__asm__ volatile("" : "+m"(x));
	for (i = 0; i < n; i++) {
		x *= 1.0000001;
		__asm__ volatile("" : "+m"(x));
	}
	sink = x;
}

/* Thread k: 1000 in "solve", 100 k in "exchange" inside of it, 7 for the region that it was made in. */
static void *work(void *argument)
{
	long k = (long)argument;

	hpmTstart(1, "solve");
	multiply(1000);
	hpmTstart(2, "exchange");
	multiply(100 * k);
	hpmTstop(2);
	hpmTstop(1);
	multiply(7);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "threads";
	pthread_t thread[4];
	long i;

	hpmStart(3, "main");
	multiply(11);
	if (!strcmp(what, "threads")) {
		for (i = 0; i < 4; i++)
			pthread_create(&thread[i], NULL, work, (void *)i);
		for (i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
	} else if (!strcmp(what, "many")) {
		for (i = 0; i < 1500; i++) {
			pthread_create(&thread[0], NULL, work, (void *)(i % 4));
			pthread_join(thread[0], NULL);
		}
	} else if (!strcmp(what, "overlap")) {
		hpmStart(4, "A");
		multiply(100);
		hpmStart(5, "B");
		multiply(200);
		hpmStop(4);
		multiply(400);
		hpmStop(5);
	} else if (!fork()) {
		multiply(50);
		hpmStart(4, "child");
		multiply(500);
		if (!strcmp(what, "exec"))
			execl(argv[0], argv[0], "threads", NULL);
		hpmStop(4);
		exit(0);
	} else {
		wait(NULL);
	}
	multiply(13);
	hpmStop(3);
	return 0;
}
EOF
compile program program.c gcc -O1 -pthread

check "threads" count FPU_MULT_1,INSTRUCTIONS program
threads()
{
	has main FPU_MULT_1 52 && has solve FPU_MULT_1 4000 && has solve FPU_MULT_1 4600 9 &&
		has exchange FPU_MULT_1 600 && are_the_whole FPU_MULT_1 INSTRUCTIONS
}
check "... exact, and the whole" threads
each_thread()
{
	"$tool" --sim -e FPU_MULT_1 -t -f csv -o csv -- ./program > out 2> err &&
		awk -F, '$1 == "thread" && $2 == "exchange" { print $14 }' csv | sort -n | xargs > got
	[ "$(cat got)" = "0 100 200 300" ] || { echo "# $(cat got)"; false; }
}
check "... each by itself" each_thread
# Those beyond 1,024 are put together.
many()
{
	count FPU_MULT_1,INSTRUCTIONS program many && has solve FPU_MULT_1 1500000 &&
		has exchange FPU_MULT_1 $((375 * 600)) && are_the_whole FPU_MULT_1 INSTRUCTIONS
}
check "1,500 threads, one after the other" many
overlap()
{
	count FPU_MULT_1 program overlap && has A FPU_MULT_1 300 9 && has B FPU_MULT_1 600 9 &&
		has A FPU_MULT_1 100 && has B FPU_MULT_1 600 && has main FPU_MULT_1 24
}
check "regions that overlap, as figure 1 of the MPX paper" overlap
child()
{
	count FPU_MULT_1,INSTRUCTIONS program fork && has main FPU_MULT_1 24 && has child FPU_MULT_1 500 &&
		are_the_whole FPU_MULT_1 INSTRUCTIONS
}
check "a forked child begins anew, and all is the whole" child
# The child's main is of the program that it executes.
executed()
{
	count FPU_MULT_1,INSTRUCTIONS program exec && has main FPU_MULT_1 76 && has child FPU_MULT_1 500 &&
		has solve FPU_MULT_1 4600 9 && are_the_whole FPU_MULT_1 INSTRUCTIONS
}
check "what a child executes has its own" executed

# ---- marks -------------------------------------------------------------------------------------------

# Between two marks of an empty region the program itself executes two instructions: one that loads what
# the stop is given, and its call, which goes by no stub.
cat > empty_regions.c << 'EOF'
void hpmStart(int, const char *), hpmStop(int);
void likwid_markerStartRegion(const char *), likwid_markerStopRegion(const char *);
void cali_begin_region(const char *), cali_end_region(const char *);
void kokkosp_push_profile_region(const char *);
void kokkosp_pop_profile_region(void);
int PAPI_hl_region_begin(const char *), PAPI_hl_region_end(const char *);
int main(void)
{
	for (int i = 0; i < 100; i++) {
		hpmStart(1, "hpm");
		hpmStop(1);
#ifdef ALL
		likwid_markerStartRegion("likwid");
		likwid_markerStopRegion("likwid");
		cali_begin_region("caliper");
		cali_end_region("caliper");
		PAPI_hl_region_begin("papi");
		PAPI_hl_region_end("papi");
		kokkosp_push_profile_region("kokkos");
		kokkosp_pop_profile_region();
#endif
	}
	return 0;
}
EOF
# are_empty REGION=INSTRUCTIONS...: in 100 calls
are_empty()
{
	for region; do
		has "${region%=*}" INSTRUCTIONS "${region#*=}" || return 1
	done
}
if [ "$(uname -m)" = x86_64 ]; then
	compile empty_regions empty_regions.c gcc -O1 -fno-plt
	check "an empty region has what the program does in it, and nothing of a mark" \
		eval 'count INSTRUCTIONS empty_regions && are_empty hpm=200 && are_the_whole INSTRUCTIONS'
	cat > stubs.c << 'EOF'
void hpmStart(int i, const char *n) {} void hpmStop(int i) {}
void likwid_markerStartRegion(const char *n) {} void likwid_markerStopRegion(const char *n) {}
void cali_begin_region(const char *n) {} void cali_end_region(const char *n) {}
void kokkosp_push_profile_region(const char *n) {} void kokkosp_pop_profile_region(void) {}
int PAPI_hl_region_begin(const char *n) { return 0; } int PAPI_hl_region_end(const char *n) { return 0; }
EOF
	gcc -shared -fPIC -o stubs.so stubs.c && gcc -DALL -O1 -fno-plt empty_regions.c -o all_fronts ./stubs.so || exit 1
	check "... by each front end" eval 'count INSTRUCTIONS all_fronts &&
		are_empty hpm=200 likwid=200 caliper=200 papi=200 kokkos=100'
else
	skip "an empty region has what the program does in it, and nothing of a mark" "the numbers are those of x86-64"
	skip "... by each front end" "the numbers are those of x86-64"
fi

# ---- what the emulator does not have -----------------------------------------------------------------

if [ "$(uname -m)" = x86_64 ]; then
	echo 'int main(void) { __asm__ volatile("vpxorq %zmm0, %zmm0, %zmm0"); return 0; }' > wide.c
	gcc -o wide wide.c
	check "AVX-512 is named, with what to do" eval '"$tool" --sim -- ./wide 2> err; [ $? = 132 ] &&
		grep -q "^upc_regions: the emulator does not have the instruction .*-march=x86-64-v3" err'
else
	skip "AVX-512 is named, with what to do" "the instruction is one of x86-64"
fi

# ---- what is refused ---------------------------------------------------------------------------------

refused()
{
	status=0
	"$tool" --sim "$@" -- ./program > out 2> err || status=$?
	[ $status = 125 ]
}
check "an event that is not simulated, with the nearest" \
	eval 'refused -e FPU_MULT_2x && grep -q "FPU_MULT_2" err'

check "outside of the simulator only times are shown" \
	eval 'UPC_REGIONS_SIM=1 UPC_REGIONS_EVENTS=FP_OPS UPC_REGIONS_OUT="$PWD/alone" ./program > out 2> err &&
		grep -q "not simulated" err && grep -q "\"uncounted\":true" alone'
check "slices" eval 'refused --slice 1ms && grep -q "goes without --slice" err'
check "a program that does not exist" eval '"$tool" --sim -- ./nothing 2> err; [ $? = 127 ]'
