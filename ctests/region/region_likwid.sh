#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_likwid.sh - a program with LIKWID's marker calls, without LIKWID and in front of an imitation of it:
# the preloaded library has them, and says what its regions have counted.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
fortran=${FC:-gfortran}
plan 11

cat > program.c << 'EOF'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "touch.h"
/* As LIKWID declares them. */
extern void likwid_markerInit(void);
extern void likwid_markerThreadInit(void);
extern void likwid_markerNextGroup(void);
extern void likwid_markerClose(void);
extern int likwid_markerRegisterRegion(const char *regionTag);
extern int likwid_markerStartRegion(const char *regionTag);
extern int likwid_markerStopRegion(const char *regionTag);
extern int likwid_markerResetRegion(const char *regionTag);
extern void likwid_markerGetRegion(const char *regionTag, int *nr_events, double *events, double *time, int *count);
extern void likwid_markerstartregion_(const char *regionTag, int length);
extern int likwid_pinThread(int processorId);
extern int likwid_getProcessorId();

static void *work(void *unused)
{
	double values[4] = {0}, seconds = 0;
	int n = 4, count = 0, i;

	likwid_markerThreadInit();
	likwid_markerRegisterRegion("work");
	for (i = 0; i < 5; i++) {
		likwid_markerStartRegion("work");
		touch_pages(400);
		likwid_markerStopRegion("work");
		likwid_markerNextGroup();
	}
	likwid_markerGetRegion("work", &n, values, &seconds, &count);
	if (n != 1 || values[0] < 2000 || values[0] > 2200 || count != 5 || seconds <= 0)
		printf("bad: %d %f %d %f\n", n, values[0], count, seconds);
	n = 0;
	likwid_markerGetRegion("work", &n, NULL, NULL, NULL);
	return unused;
}

int main(void)
{
	double values[4] = {0}, seconds = 0;
	int n = 4, count = 1, cpu = likwid_getProcessorId();
	pthread_t thread[3];
	int i;

	likwid_markerInit();
	if (cpu < 0 || likwid_pinThread(-1) != 0)
		printf("bad CPU\n");
	/* Overlapping, as LIKWID allows. */
	likwid_markerStartRegion("A");
	touch_pages(500);
	likwid_markerStartRegion("B");
	touch_pages(2000);
	if (likwid_markerStopRegion("A"))
		printf("bad stop\n");
	touch_pages(8000);
	likwid_markerStopRegion("B");
	if (!likwid_markerStopRegion("B"))
		printf("bad second stop\n");
	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	likwid_markerStartRegion("warm");
	touch_pages(3000);
	likwid_markerStopRegion("warm");
	likwid_markerResetRegion("warm");
	likwid_markerGetRegion("warm", &n, values, &seconds, &count);
	if (n != 1 || values[0] > 0 || count || seconds > 0)
		printf("bad reset: %f %d\n", values[0], count);
	/* No text, and Fortran's with a length below 0; more events than there are. */
	likwid_markerStartRegion(NULL);
	likwid_markerstartregion_("Fortran", -5);
	likwid_markerstartregion_("Fortran\0 and more  ", 19);
	if (likwid_markerStopRegion("Fortran") || likwid_markerStopRegion("") || likwid_markerStopRegion(NULL))
		printf("bad texts\n");
	n = -3;
	likwid_markerGetRegion(NULL, &n, values, NULL, NULL);
	if (n != 0)
		printf("bad number of events\n");
	likwid_markerClose();
	printf("all\n");
	return 0;
}
EOF
# An imitation of liblikwid, which leaves a report of the calls that come to it; 13 is its answer.
{
	cat << 'EOF'
#include <stdio.h>
#include <stdlib.h>
static char line[1000][100];
static int lines;
static int note(const char *call, const char *tag)
{
	int at = __atomic_fetch_add(&lines, 1, __ATOMIC_SEQ_CST);

	if (at < 1000)
		snprintf(line[at], sizeof(line[at]), "%s %s", call, tag ? tag : "");
	return 13;
}
__attribute__((destructor)) static void report(void)
{
	FILE *file = getenv("LIKWID_REPORT") ? fopen(getenv("LIKWID_REPORT"), "w") : NULL;
	int i;

	for (i = 0; file && i < lines; i++)
		fprintf(file, "%s\n", line[i]);
	if (file)
		fclose(file);
}
void likwid_markerGetRegion(const char *t, int *n, double *v, double *s, int *c) { note("GetRegion", t); *n = 13; }
int likwid_getProcessorId(void) { return 0; }
int likwid_pinThread(int cpu) { return cpu >= 0; }
void likwid_markergetregion_(const char *t, int *n, double *v, double *s, int *c, int l) { likwid_markerGetRegion(t, n, v, s, c); }
EOF
	for name in Init ThreadInit NextGroup Close; do
		echo "void likwid_marker$name(void) { note(\"$name\", 0); }"
	done
	for name in RegisterRegion StartRegion StopRegion ResetRegion; do
		echo "int likwid_marker$name(const char *tag) { return note(\"$name\", tag); }"
	done
	for name in init threadinit nextgroup close registerregion startregion stopregion resetregion; do
		echo "void likwid_marker${name}_(void) { __builtin_trap(); }"
	done
} > stub.c
check "a program that only declares the calls compiles" eval \
	"$CC -w -shared -fPIC -Wl,-soname,liblikwid.so.5.2 stub.c -o liblikwid.so && ln -s liblikwid.so liblikwid.so.5.2 &&
	$CC -Wall program.c -o program -lpthread -L. -llikwid 2> err"
run()
{
	LD_LIBRARY_PATH=. UPC_REGIONS_OUT=table UPC_REGIONS_EVENTS=$faults \
		LD_PRELOAD=$libraries/libupc_regions.so ./"$1" > out 2> err
}
check "it runs, and comes to ours first" eval "run program && grep -q all out"
check "... and what its regions give is right" eval "! grep bad out"

cat > marks.c << 'EOF'
#include <stdio.h>
extern void likwid_markerInit(void), likwid_markerClose(void), likwid_markerNextGroup(void);
extern int likwid_markerRegisterRegion(const char *), likwid_markerStartRegion(const char *), likwid_markerStopRegion(const char *);
extern int likwid_markerResetRegion(const char *);
extern void likwid_markerGetRegion(const char *, int *, double *, double *, int *);
int main(void)
{
	double values[9], seconds;
	int n = 9, count;

	likwid_markerInit();
	printf("%d ", likwid_markerRegisterRegion("A"));
	printf("%d ", likwid_markerStartRegion("A"));
	likwid_markerNextGroup();
	printf("%d ", likwid_markerStopRegion("A"));
	likwid_markerGetRegion("A", &n, values, &seconds, &count);
	printf("%d\n", n);
	likwid_markerResetRegion("A");
	likwid_markerClose();
	return 0;
}
EOF
perfctr()
{
	LIKWID_MODE=0 LIKWID_FILEPATH=f LIKWID_EVENTS=e LIKWID_THREADS=0 LIKWID_REPORT=$1 "$2" marks
}
alone()
{
	LD_LIBRARY_PATH=. "./$1" > out
}
check "under likwid-perfctr LIKWID's own report and answers are the same" eval "$CC -Wall marks.c -o marks -L. -llikwid 2> err &&
	perfctr alone alone && grep -qx '13 13 13 13' out && perfctr beside run && grep -qx '13 13 13 13' out &&
	grep -qx 'StopRegion A' alone && diff alone beside && grep -q '\"A\"' table"
check "... without it answers are ours" eval "run marks && grep -qx '0 0 0 1' out"

# As where LIKWID is not installed: ours by its name.
ln -sf "$libraries/libupc_regions.so" liblikwid.so.5.2
check "without LIKWID ours by its name will do" eval "run program && grep -q all out && ! grep bad out"

# The table: name, calls, and faults of each path, over all threads.
cat > read.py << 'EOF'
import json, sys
table = json.load(open("table"))
sums = {}
for thread in table["threads"]:
    for node in thread["nodes"]:
        path = " ".join(table["names"][i] for i in node["path"])
        value = node["values"][0]
        calls, faults = sums.get(path, (0, 0))
        assert value.get("exact"), value
        sums[path] = calls + node["calls"], faults + value["value"]
for path in sorted(sums):
    print("%s: %d %d" % (path, *sums[path]))
EOF
if command -v python3 > /dev/null; then
	check "the table is exact" eval "python3 read.py > paths 2> err"
	path() # PATH CALLS LOW HIGH
	{
		sed -n "s/^$1: //p" paths | awk -v c="$2" -v l="$3" -v h="$4" '$1 == c && $2 >= l && $2 <= h { k = 1 } END { exit !k }'
	}
	check "overlapping regions have what is theirs" eval \
		"path A 1 500 700 && path 'A B' 1 2000 2100 && path B 0 8000 8100"
	check "threads are all there" path work 15 6000 6300
else
	for i in 5 6 7; do
		echo "ok $i - the table # SKIP no python3"
	done
fi

if ! command -v "$fortran" > /dev/null; then
	skip_rest "a program in Fortran" "no compiler for it: $fortran"
	exit 0
fi
cat > program.f90 << 'EOF'
program markers
  implicit none
  integer :: i, n, count
  double precision :: values(3), seconds
  real, allocatable :: a(:)
  call likwid_markerInit()
  call likwid_markerThreadInit()
  call likwid_markerRegisterRegion("in Fortran")
  do i = 1, 3
    call likwid_markerStartRegion("in Fortran")
    allocate(a(4000000))
    a = i
    if (a(1000) < 0) print *, a
    deallocate(a)
    call likwid_markerStopRegion("in Fortran")
  end do
  n = 3
  call likwid_markerGetRegion("in Fortran", n, values, seconds, count)
  if (n /= 1 .or. count /= 3 .or. seconds <= 0 .or. values(1) < 1) stop 1
  call likwid_markerNextGroup()
  call likwid_markerResetRegion("in Fortran")
  call likwid_markerClose()
  print *, 'all'
end program
EOF
check "a program in Fortran compiles" eval \
	"$fortran program.f90 -o fortran -L. -llikwid 2> err"
check "... and runs" eval "run fortran && grep -q all out && grep -q '\"in Fortran (before a reset)\"' table"
