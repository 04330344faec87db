#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_hpm.sh - programs in C and in Fortran with the calls of IBM's HPM Toolkit: linked with
# libhpm, whose text has their sections; and under the preloaded library, which leaves a file.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
fortran=${FC:-gfortran}
plan 24

# By its name in Fortran.
cat > touch.c << 'EOF'
#include "touch.h"
void touch_pages_(const int *n)
{
	touch_pages(*n);
}
EOF
cat > program.c << 'EOF'
#include <libhpm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "touch.h"

static void *work(void *unused)
{
	int i;

	for (i = 0; i < 2; i++) {
		hpmTstart(3, "threads");
		touch_pages(3000);
		hpmTstop(3);
	}
	return unused;
}

int main(int argc, char **argv)
{
	long long values[2] = {0, 0};
	pthread_t thread[2];
	double seconds = -1;
	int i;

	hpmInit(7, argv[0]);
	for (i = 0; i < 3; i++) {
		hpmStart(1, "outer");
		touch_pages(500);
		hpmStart(2, "inner");
		touch_pages(2000);
		hpmStart(2, "inner"); /* is open */
		hpmStop(2);
		hpmStop(1);
	}
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	hpmStart(100, "too high");
	hpmStop(100);
	hpmStart(4, "outer"); /* a label of another's */
	hpmStop(4);
	hpmStop(5); /* was never started */
	hpmGetTimeAndCounters(1, &seconds, values);
	hpmGetCounters(values + 1);
	if (argc == 1 && (seconds <= 0 || values[0] < 7500 || values[1] < values[0]))
		return 1;
	hpmTerminate(7);
	return 0;
}
EOF
# Its numbers: section, thread's count and faults, by lines as "N COUNT FAULTS".
sections()
{
	awk -v faults="$faults" '
		/Instrumented section/ { n = $3 }
		/Count:/ { count = $2 }
		$1 == faults { print n, count, $3 }' "$1"
}
between() # SECTION COUNT LOW HIGH: in how many threads
{
	awk -v n="$1" -v count="$2" -v low="$3" -v high="$4" \
		'$1 == n && $2 == count && $3 >= low && $3 <= high { k++ } END { print k + 0 }' found
}

check "a program in C compiles, with places" hpm program
check "it runs" eval "UPC_REGIONS_EVENTS=$faults HPM_OUTPUT_NAME=text ./program 2> err"
check "a file has its task and its process" eval "ls text0007.[0-9]* > out && test \$(wc -l < out) = 1"
sections text0007.* > found
check "a section has all that is inside" test "$(between 1 3 7500 7700)" = 1
check "... and one in another what is its own" test "$(between 2 3 6000 6200)" = 1
check "threads have theirs" test "$(between 3 2 6000 6200)" = 2
check "a label that another section has stays" grep -q "Instrumented section: 4 - Label: outer - process: [0-9]* - thread: 0" text0007.*
line_of()
{
	grep -n "$1" program.c | head -n 1 | sed 's/:.*//'
}
check "file and lines are there" grep -q \
	" file: program.c, lines: $(line_of 'hpmStart(1') <--> $(line_of 'hpmStop(1')$" text0007.*
check "a second start of an open section is told of" grep -q "section 2 is started while it is open" err
check "... and a number out of range" grep -q "section 100 is left out.*HPM_NUM_INST_PTS" err
rm -f text0007.*
begin=$(date +%s.%N)
check "more sections are to be had" eval \
	"HPM_NUM_INST_PTS=200 HPM_OUTPUT_NAME=text ./program x 2> err && grep -q 'section: 100 - Label: too high' text0007.*"
end=$(date +%s.%N)
time_of_section() # below that of the program
{
	grep -A4 'section: 1 ' text0007.* | awk -v begin="$begin" -v end="$end" \
		'/Wall Clock Time: / { sub(/.*Wall Clock Time: /, ""); seconds = $1 } END { exit !(seconds > 0 && seconds < end - begin) }'
}
check "without events there is time" time_of_section
rm -f text0007.*

# The same program unchanged; its own libhpm is idle.
check "under the preloaded library it leaves a table's file" eval \
	"UPC_REGIONS_OUT=table UPC_REGIONS_EVENTS=$faults LD_PRELOAD=$libraries/libupc_regions.so ./program 2> err"
check "... and no text" eval "! ls perfhpm* text* 2> /dev/null"
check "... with three threads" test "$(grep -c '"thread":[0-2],' table)" = 3
check "... and what was wrong" grep -q '"what":"stop without a start","name":"section 5","times":1' table
rm -f table

# A program without any of these calls is left alone.
check "a program without sections leaves nothing" eval \
	"UPC_REGIONS_OUT=table UPC_REGIONS_EVENTS=$faults LD_PRELOAD=$libraries/libupc_regions.so ls > out 2> err && ! test -e table && ! test -s err"

cat > execs.c << 'EOF'
#include <libhpm.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char *const none[] = {"none", NULL}, *const again[] = {argv[0], "again", NULL};

	hpmStart(1, argc > 1 ? "second" : "first");
	if (argc > 1)
		_exit(0);
	execv("/nowhere/none", none);
	execv(argv[0], again);
	return 1;
}
EOF
check "before an exec there is a file" eval \
	"$CC -I$srcdir/include execs.c -o execs -L$libraries -lhpm -Wl,-rpath,$libraries 2> err &&
	UPC_REGIONS_OUT=table UPC_REGIONS_EVENTS=$faults LD_PRELOAD=$libraries/libupc_regions.so ./execs 2> err &&
	ls table.exec-* > out && test \$(wc -l < out) = 1"
check "... that says so" eval "grep -q '\"ended\":\"exec\"' table.exec-* && grep -q '\"first\"' table.exec-*"
check "... and what follows has its own, also at _exit" eval "grep -q '\"ended\":\"_exit\"' table && grep -q '\"second\"' table"

if ! command -v "$fortran" > /dev/null; then
	skip_rest "a program in Fortran" "no compiler for it: $fortran"
	exit 0
fi
cat > program.f90 << 'EOF'
program sections
  implicit none
  integer :: i
  integer*8 :: values(1)
  real*8 :: seconds
  call f_hpminit(3, 'a program  ')
  do i = 1, 4
    call f_hpmstart(1, 'in Fortran   ')
    call touch_pages(2000)
    call f_hpmtstart(2, 'threads')
    call touch_pages(500)
    call f_hpmtstop(2)
    call f_hpmstop(1)
  end do
  call f_hpmgettimeandcounters(1, seconds, values)
  if (seconds <= 0 .or. values(1) < 10000) stop 1
  call f_hpmgetcounters(values)
  call f_hpmterminate(3)
  print *, 'all'
end program
EOF
for second in '' -fsecond-underscore; do
	check "a program in Fortran compiles ${second}" eval "$CC -c touch.c -o touch.o && { test -z '$second' ||
		objcopy --redefine-sym touch_pages_=touch_pages__ touch.o; } &&
		$fortran $second program.f90 touch.o -o fortran -L$libraries -lhpm -Wl,-rpath,$libraries 2> err"
	check "... and has its sections" eval \
		"UPC_REGIONS_EVENTS=$faults HPM_OUTPUT_NAME=text ./fortran > out 2> err && grep -q all out &&
		sections text0003.* > found && test \$(between 1 4 10000 10200) = 1 && test \$(between 2 4 2000 2200) = 1 &&
		grep -q 'Label: in Fortran - process' text0003.*"
	rm -f text0003.*
done
