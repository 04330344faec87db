#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_papi_hl.sh - PAPI's high-level calls answer as those of libpapi do: the same program with
# libpapi alone, and under upc_regions; and all names of Fortran. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
fortran=${FC:-gfortran}
plan 23

# Each argument is a call: bNAME, eNAME, rNAME, s; l is one of the low-level API. What follows a T is in another thread.
cat > calls.c << 'END'
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
static void *calls(void *arguments)
{
	char **call;
	pthread_t thread;

	for (call = arguments; *call; call++) {
		const char *name = *call + 1;

		if (**call == 'b')
			printf("%d\n", PAPI_hl_region_begin(name));
		if (**call == 'e')
			printf("%d\n", PAPI_hl_region_end(name));
		if (**call == 'r')
			printf("%d\n", PAPI_hl_read(name));
		if (**call == 's')
			printf("%d\n", PAPI_hl_stop());
		if (**call == 'l') {
			int set = PAPI_NULL;

			printf("%d\n", PAPI_create_eventset(&set));
		}
		if (**call != 'T')
			continue;
		pthread_create(&thread, NULL, calls, call + 1);
		pthread_join(thread, NULL);
		break;
	}
	return NULL;
}
int main(int argc, char **argv)
{
	return argc > 1 && calls(argv + 1) ? 1 : 0;
}
END
check "a program" eval '$CC -Wall calls.c -o calls -I"${PAPI_PREFIX:?}/include" -L"$PAPI_PREFIX/lib" \
	-Wl,-rpath,"$PAPI_PREFIX/lib" -lpapi -lpthread 2> err'
# same ANSWERS CALL...: of libpapi, which are these, and of ours
same()
{
	answers=$1
	shift
	PAPI_EVENTS=$faults PAPI_OUTPUT_DIRECTORY=$PWD ./calls "$@" > theirs 2> err
	"$tool" -e $faults ./calls "$@" > ours 2> err
	theirs=$(tr '\n' ' ' < theirs) ours=$(tr '\n' ' ' < ours)
	[ "$theirs" = "$answers " ] && [ "$ours" = "$theirs" ] || { echo "# $ours, libpapi: $theirs"; false; }
}
# Behind an error PAPI counts nothing more: so that is the last of each.
check "a region" same "0 0" ba ea
check "regions that nest" same "0 0 0 0" ba bb eb ea
check "... in themselves" same "0 0 0 0" ba ba ea ea
check "a reading, also of what is not open" same "0 0 0 0 0" ba ra rb ea ra
check "... before all" same "-14" ra
check "an end before all" same "-14" ea
check "... of another region" same "0 -1" ba eb
check "... a second time" same "0 0 -1" ba ea ea
check "a stop before all" same "-7" s
check "... and a second" same "0 0 0 -7" ba ea s s
check "regions after a stop" same "0 0 0 0 0 0" ba ea s ba ea s
check "another thread's region" same "0 -14" ba T ea
check "... after one of its own" same "0 0 0 -1" ba T bb eb ea
check "... read" same "0 -14" ba T ra
check "... stopped" same "0 -7" ba T s
check "a thread" same "0 0 0 0" T bt rt et s
check "low-level calls behind it" same "0 0 0" ba ea l
check "... without events" eval '"$tool" ./calls ba ea l > ours 2> err && [ "$(tr "\n" " " < ours)" = "0 0 0 " ]'

# calls_of REGION N: in the CSV file
calls_of()
{
	awk -F, -v region="$1" -v n="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && $1 == "region" && $2 == region { print "# " $0; found = $at["calls"] == n; exit }
		END { exit !found }' csv
}
cat > names.c << 'END'
#include <stdio.h>
#define WITH_REGION(call, capital)                                                           \
	void papif_hl_##call(const char *, int *, int), papif_hl_##call##_(const char *, int *, int), \
		papif_hl_##call##__(const char *, int *, int), PAPIF_HL_##capital(const char *, int *, int); \
	static void (*const call[])(const char *, int *, int) = {papif_hl_##call, papif_hl_##call##_, \
		papif_hl_##call##__, PAPIF_HL_##capital}
WITH_REGION(region_begin, REGION_BEGIN);
WITH_REGION(region_end, REGION_END);
WITH_REGION(read, READ);
void papif_hl_stop(int *), papif_hl_stop_(int *), papif_hl_stop__(int *), PAPIF_HL_STOP(int *);
static void (*const stop[])(int *) = {papif_hl_stop, papif_hl_stop_, papif_hl_stop__, PAPIF_HL_STOP};
int main(void)
{
	int i, a, b, c, d, bad = 0;

	for (i = 0; i < 4; i++) {
		a = b = c = d = 1;
		region_begin[i]("x   ", &a, 4);
		read[i]("x", &b, 1);
		region_end[i]("x\0y", &c, 3);
		stop[i](&d);
		bad += a || b || c || d;
		region_begin[i]("never", &a, -5);
		region_end[i]("", &b, 0);
		region_begin[i](NULL, &c, 10);
		region_end[i](NULL, &d, -1);
		bad += a || b || c != -1 || d != -1;
		region_begin[i]("x", NULL, 1);
		read[i](NULL, NULL, 1);
		region_end[i]("x", NULL, 1);
		stop[i](NULL);
	}
	return bad;
}
END
# PAPI 7.1 has them where it found a Fortran compiler when it was built.
if ! nm -D "$PAPI_PREFIX/lib/libpapi.so" | grep -q papif_hl_stop; then
	skip_rest "all names of Fortran's compilers" "this libpapi has no calls for them"
	exit 0
fi
check "all names of Fortran's compilers" eval '$CC -Wall names.c -o names -L"$PAPI_PREFIX/lib" \
	-Wl,-rpath,"$PAPI_PREFIX/lib" -lpapi 2> err && run 0 -e $faults -f csv -o csv ./names && calls_of x 8'
check "... a length below 0 is 0" calls_of "" 4
cat > program.f90 << 'END'
program regions
  implicit none
  integer :: i, check
  do i = 1, 3
    call PAPIf_hl_region_begin("in Fortran   ", check)
    if (check /= 0) stop 1
    call PAPIf_hl_read("in Fortran", check)
    if (check /= 0) stop 2
    call PAPIf_hl_region_end("in Fortran", check)
    if (check /= 0) stop 3
  end do
  call PAPIf_hl_region_end("in Fortran", check)
  if (check /= -1) stop 4
  call PAPIf_hl_stop(check)
  if (check /= 0) stop 5
end program
END
if ! command -v "$fortran" > /dev/null; then
	skip_rest "a program in Fortran" "no compiler for it: $fortran"
	exit 0
fi
check "a program in Fortran" eval '$fortran program.f90 -o fortran -L"$PAPI_PREFIX/lib" -Wl,-rpath,"$PAPI_PREFIX/lib" -lpapi 2> err'
check "... runs" eval 'run 0 -e $faults -f csv -o csv ./fortran && calls_of "in Fortran" 3'
