#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpx_fortran.sh - programs in Fortran, in fixed and in free form, that include mpxf.h and count
# pages which they touch. mpxf.h and libmpx.so agree on the calls, and with mpx.h on numbers.
. "${srcdir:?}/ctests/utils.inc"
fortran=${FC:-gfortran}
header=$srcdir/include/mpxf.h

if [ -n "${SANITIZERS:-}" ]; then
	echo "1..0 # SKIP a sanitizer's runtime must be the first library of a program"
	exit 0
fi
plan 10

# Names, without a compiler.
grep -o "mpxf_[a-z_]*(" "$header" | tr -d '(' | sort -u > declared # of its comments
${NM:-nm} -D --defined-only "${builddir:?}/src/mpx/.libs/libmpx.so" | awk '{ print $3 }' | sed 's/@.*//' |
	grep '^mpxf_' | sed 's/_$//' | sort -u > exported
check "mpxf.h has the calls that libmpx.so exports" eval "cmp -s declared exported && test -s declared"
# Those of mpx.h, by their declarations.
sed -n 's/^\(int\|const char \*\) *mpx_\([a-z_]*\)(.*/mpxf_\2/p' "$srcdir/include/mpx.h" | sort -u > wanted
check "each call of mpx.h has one" eval \
	"test -s wanted && ! comm -23 wanted declared | grep ."
check "no line is too long for fixed form" eval "! grep -q '.\{73\}' $header"
# A C program that says each constant's number, as the C header has it.
{
	echo '#include <mpx.h>'
	echo '#include <stdio.h>'
	echo 'int main(void) {'
	sed -n 's/.* :: \(MPX_[A-Z_]*\) = .*/printf("\1 %d\\n", (int)\1);/p' "$header"
	echo 'return 0; }'
} > numbers.c
sed -n 's/.* :: \(MPX_[A-Z_]*\) = \(.*\)/\1 \2/p' "$header" > mine
check "its numbers are those of mpx.h" eval \
	"$CC -I$srcdir/include numbers.c -o numbers && ./numbers > theirs && cmp mine theirs"

if ! command -v "$fortran" > /dev/null; then
	skip_rest "a program in Fortran" "no compiler for it: $fortran"
	exit 0
fi

cat > touch.c << 'EOF'
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
/* So many page faults. */
void touch_pages_(const int *n)
{
	long page = sysconf(_SC_PAGESIZE), i;
	volatile char *area = mmap(0, *n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)area, *n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < *n; i++)
		area[i * page] = 1;
	munmap((void *)area, *n * page);
}

/* A thread, and then so many page faults in it. */
static int tid, thread_faults;
static pthread_t id;
static pthread_barrier_t step;
static void *thread(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	touch_pages_(&thread_faults);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	return arg;
}
void start_thread_(int *number)
{
	pthread_barrier_init(&step, 0, 2);
	pthread_create(&id, 0, thread, 0);
	pthread_barrier_wait(&step);
	*number = tid;
}
void touch_in_thread_(const int *n)
{
	thread_faults = *n;
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
}
void end_thread_(void)
{
	pthread_barrier_wait(&step);
	pthread_join(id, 0);
}
EOF

# Statements that are right in both forms: from the 7th column to the 72nd.
cat > program << 'EOF'
      program count
      implicit none
      include 'mpxf.h'
      integer check, set, other, state, n, i
      integer tid, timer, estimator, signal, running, events, groups
      integer refs(2), acts(2), group(2), current(2), domain(2)
      integer*8 ns, slices(2), off, lost, memory
      character*40 clock, unit, cov
      integer codes(4), regions(4), flags(2), threads(2), missed(2)
      integer*8 values(2), sums(2), counts(2), counted(2), time(2)
      double precision e(2), s(2), low(2), high(2), part(2)
      double precision equal(2)
      data equal /1d0, -1d0/
      character*200 text
      character*30 release
      call mpxf_version(release)
      if (release(1:1) .lt. '0' .or. release(30:30) .ne. ' ') stop 1
      call mpxf_set_create(set, check)
      if (check .ge. 0) stop 2
      call mpxf_library_init(MPX_ABI_VERSION + 1, check)
      if (check .ge. 0) stop 3
      call mpxf_last_message(text)
      if (index(text, 'ABI') .eq. 0) stop 4
      if (text(200:200) .ne. ' ') stop 5
      call mpxf_library_init_options(MPX_ABI_VERSION, -1_8, 0, 0, 0,    &
     & 0, ' ', check)
      if (check .ge. 0) stop 6
      call mpxf_library_init_options(MPX_ABI_VERSION, 20000000_8,       &
     & MPX_TIMER_AUTO, 9, MPX_ESTIMATOR_AUTO, 0, ' ', check)
      if (check .ge. 0) stop 7
      call mpxf_library_init_options(MPX_ABI_VERSION, 20000000_8,       &
     & MPX_TIMER_AUTO, MPX_CLOCK_AUTO, MPX_ESTIMATOR_AUTO, 0, 'nosuch', &
     & check)
      if (check .ge. 0) stop 8
      call mpxf_library_init_options(MPX_ABI_VERSION, 20000000_8,       &
     & MPX_TIMER_AUTO, MPX_CLOCK_AUTO, MPX_ESTIMATOR_AUTO, 0, ' ',      &
     & check)
      if (check .ne. 0) stop 9
      call mpxf_thread_register(check)
      if (check .ne. 0) stop 10
      call mpxf_set_create(set, check)
      if (check .ne. 0) stop 11
      call mpxf_set_start(set, check)
      if (check .ge. 0) stop 12
      call mpxf_set_add_named_event(set, 'upc:::perf::PAGE-FAULTS  ',   &
     & check)
      if (check .ne. 0) stop 13
      call mpxf_set_add_named_event(set, 'upc:::perf::MINOR-FAULTS',    &
     & check)
      if (check .ne. 0) stop 14
      call mpxf_set_add_named_event(set, 'upc:::perf::NONE', check)
      if (check .ge. 0) stop 15
      call mpxf_set_num_events(set, check)
      if (check .ne. 2) stop 16
      n = 4
      call mpxf_set_list_events(set, codes, n, check)
      if (check .ne. 0 .or. n .ne. 2) stop 17
      call mpxf_set_cleanup(set, check)
      call mpxf_set_num_events(set, check)
      if (check .ne. 0) stop 18
      call mpxf_set_add_events(set, codes, 2, check)
      if (check .ne. 0) stop 19
      call mpxf_set_add_event(set, codes(1), check)
      if (check .ge. 0) stop 20
      call mpxf_set_remove_event(set, codes(2), check)
      if (check .ne. 0) stop 21
      call mpxf_set_add_event(set, codes(2), check)
      if (check .ne. 0) stop 22
      call mpxf_set_remove_named_event(set, 'upc:::perf::NONE', check)
      if (check .ge. 0) stop 85
      call mpxf_set_remove_named_event(set,                             &
     & 'upc:::perf::MINOR-FAULTS ', check)
      if (check .ne. 0) stop 86
      call mpxf_set_num_events(set, check)
      if (check .ne. 1) stop 87
      call mpxf_set_add_event(set, codes(2), check)
      if (check .ne. 0) stop 88
      call mpxf_set_region(set, 7, check)
      if (check .ne. 0) stop 23
      call mpxf_set_start(set, check)
      if (check .ne. 0) stop 24
      call mpxf_set_state(set, state, check)
      if (state .ne. 2) stop 25
      call touch_pages(1000)
      call mpxf_set_read(set, values, check)
      if (check .ne. 0) stop 26
      if (values(1) .lt. 1000 .or. values(1) .gt. 1100) stop 27
      call mpxf_thread_get_info(clock, unit, cov, time(1), slices(1),   &
     & off, lost, groups, events, running, memory, check)
      if (check .ne. 0) stop 89
      if (clock .eq. ' ' .or. (unit .ne. 'ns' .and. unit .ne. 'cycles'))&
     & stop 90
      if (events .ne. 2 .or. running .ne. 1 .or. groups .ne. 0) stop 91
      if (time(1) .le. 0 .or. memory .le. 0 .or. lost .ne. 0) stop 92
      call mpxf_thread_master_list(1, codes(3), refs, acts, counts,     &
     & counted, slices, group, current, domain, check)
      if (check .ne. 2 .or. refs(1) .ne. 1 .or. acts(1) .ne. 1) stop 93
      if (codes(3) .ne. codes(1) .and. codes(3) .ne. codes(2)) stop 94
      if (counts(1) .lt. 1000 .or. counts(1) .gt. 1100) stop 95
      if (group(1) .ne. -1 .or. domain(1) .ne. 0) stop 96
      call mpxf_thread_master_list(-1, codes(3), refs, acts, counts,    &
     & counted, slices, group, current, domain, check)
      if (check .ge. 0) stop 97
      call mpxf_set_reset(set, check)
      if (check .ne. 0) stop 28
      call touch_pages(200)
      sums(1) = 5
      sums(2) = 0
      call mpxf_set_accum(set, sums, check)
      if (check .ne. 0) stop 29
      if (sums(1) .lt. 205 .or. sums(1) .gt. 305) stop 30
      call touch_pages(300)
      call mpxf_set_stop(set, values, check)
      if (check .ne. 0) stop 31
      if (values(1) .lt. 300 .or. values(1) .gt. 400) stop 32
      call mpxf_set_confidence(set, 0.99d0, check)
      if (check .ne. 0) stop 33
      call mpxf_set_confidence(set, 99d0, check)
      if (check .ge. 0) stop 34
      call mpxf_set_estimates(set, 2, e, s, low, high, flags, check)
      if (check .ne. 0) stop 35
      do i = 1, 2
        if (abs(e(i) - values(i)) .gt. 0 .or. s(i) .gt. 0) stop 36
        if (low(i) .lt. e(i) .or. high(i) .gt. e(i)) stop 37
        if (flags(i) .ne. MPX_EXACT) stop 38
      end do
      call mpxf_set_region_estimates(set, 7, 1, e, s, low, high, flags, &
     & check)
      if (check .ne. 0) stop 39
      if (e(1) .lt. 1500 .or. e(1) .gt. 1600) stop 40
      call mpxf_set_kept_estimates(set, 7, 2, e, s, low, high, flags,   &
     & check)
      if (check .ne. 0) stop 98
      if (e(1) .lt. 1500 .or. e(1) .gt. 1600) stop 99
      call mpxf_set_kept_estimates(set, 6, 2, e, s, low, high, flags,   &
     & check)
      if (check .ge. 0) stop 100
      call mpxf_set_kept_estimates(set, 7, 3, e, s, low, high, flags,   &
     & check)
      if (check .ge. 0) stop 101
      call mpxf_set_estimates(set, 3, e, s, low, high, flags, check)
      if (check .ge. 0) stop 41
      call mpxf_set_estimates(set, -1, e, s, low, high, flags, check)
      if (check .ge. 0) stop 42
      call mpxf_set_estimates(-1, 1, e, s, low, high, flags, check)
      if (check .ge. 0) stop 43
      n = 4
      call mpxf_set_list_regions(set, regions, n, check)
      if (check .ne. 0 .or. regions(n) .ne. 7) stop 44
      call mpxf_set_estimate_info(set, 2, values, counts, counted,      &
     & time, part, threads, missed, check)
      if (check .ne. 0) stop 51
      if (values(1) .ne. counts(1) .or. counts(2) .lt. 300) stop 52
      if (counted(1) .ne. time(1) .or. time(1) .le. 0) stop 53
      if (abs(part(1) - 1) .gt. 0 .or. threads(1) .ne. 1) stop 54
      if (missed(1) .ne. 0 .or. missed(2) .ne. 0) stop 55
      call mpxf_set_estimate_info(set, 3, values, counts, counted,      &
     & time, part, threads, missed, check)
      if (check .ge. 0) stop 56
      call mpxf_set_add_ratio(set, codes(2), codes(1), check)
      if (check .ne. 0) stop 57
      call mpxf_set_add_relation(set, codes, equal, 2, check)
      if (check .ne. 0) stop 58
      call mpxf_set_always(set, codes(1), 1, check)
      if (check .ne. 0) stop 59
      call mpxf_set_covariate(set, 'nosuch', check)
      if (check .ge. 0) stop 82
      call mpxf_set_covariate(set, 'upc:::perf::TASK-CLOCK ', check)
      if (check .ne. 0) stop 83
      call mpxf_set_covariate(set, ' ', check)
      if (check .ne. 0) stop 84
      call mpxf_set_domain(set, 99, check)
      if (check .ge. 0) stop 60
      call mpxf_set_domain(set, 1, check)
      if (check .ne. 0) stop 61
      call mpxf_set_start(set, check)
      if (check .ne. 0) stop 62
      call touch_pages(100)
      call mpxf_set_switch_region(set, 8, check)
      if (check .ne. 0) stop 63
      call touch_pages(400)
      call mpxf_set_stop(set, values, check)
      if (check .ne. 0) stop 64
      if (values(1) .lt. 400 .or. values(1) .gt. 500) stop 65
      call mpxf_set_ratios(set, 1, e, s, low, high, part, flags, check)
      if (check .ne. 0) stop 66
      if (e(1) .lt. 0.9d0 .or. e(1) .gt. 1d0) stop 67
      if (low(1) .gt. e(1) .or. high(1) .lt. e(1)) stop 68
      if (flags(1) .ne. MPX_EXACT .or. part(1) .lt. 1d0) stop 69
      call mpxf_set_ratios(set, 2, e, s, low, high, part, flags, check)
      if (check .ge. 0) stop 70
      call mpxf_set_ratios(set, -1, e, s, low, high, part, flags, check)
      if (check .ge. 0) stop 71
      call mpxf_set_reconciled_estimates(set, 2, e, s, low, high,       &
     & flags, check)
      if (check .ne. 0) stop 72
      if (e(1) .lt. 400 .or. e(1) .gt. 500) stop 73
      call mpxf_set_clear_relations(set, check)
      if (check .ne. 0) stop 74
      call mpxf_set_remove_ratio(set, codes(2), codes(1), check)
      if (check .ne. 0) stop 75
      call mpxf_set_domain(set, 0, check)
      if (check .ne. 0) stop 76
      call mpxf_set_detach(set, check)
      if (check .ge. 0) stop 77
      call start_thread(tid)
      call mpxf_set_attach(set, tid, check)
      if (check .eq. 0) then
        call mpxf_set_start(set, check)
        if (check .ne. 0) stop 78
        call touch_in_thread(500)
        call mpxf_set_stop(set, values, check)
        if (check .ne. 0) stop 79
        if (values(1) .lt. 500 .or. values(1) .gt. 600) stop 80
        call mpxf_set_detach(set, check)
        if (check .ne. 0) stop 81
      else
        call touch_in_thread(500)
      end if
      call end_thread()
      call mpxf_set_create_process(other, check)
      if (check .ne. 0) stop 45
      call mpxf_set_destroy(other, check)
      if (check .ne. 0 .or. other .ne. -1) stop 46
      call mpxf_set_destroy(set, check)
      if (check .ne. 0) stop 47
      call mpxf_thread_end(check)
      if (check .ne. 0) stop 48
      call mpxf_library_shutdown(check)
      if (check .ne. 0) stop 49
      call mpxf_library_init_signal(MPX_ABI_VERSION, 20000000_8,        &
     & MPX_TIMER_AUTO, MPX_CLOCK_AUTO, MPX_ESTIMATOR_RATIO, 0, ' ',     &
     & 99999, 0_8, check)
      if (check .ge. 0) stop 102
      call mpxf_library_get_info(ns, timer, estimator, signal, n, check)
      if (check .ge. 0) stop 103
      call mpxf_library_init_signal(MPX_ABI_VERSION, 20000000_8,        &
     & MPX_TIMER_AUTO, MPX_CLOCK_AUTO, MPX_ESTIMATOR_RATIO, 0, ' ',     &
     & 40, 7_8, check)
      if (check .ne. 0) stop 50
      call mpxf_thread_register(check)
      call mpxf_library_get_info(ns, timer, estimator, signal, n, check)
      if (check .ne. 0) stop 104
      if (ns .ne. 20000000 .or. estimator .ne. MPX_ESTIMATOR_RATIO)     &
     & stop 105
      if (timer .eq. 0 .or. signal .ne. 40 .or. n .ne. 1) stop 106
      print *, 'all'
      end program
EOF
$CC -pthread -c touch.c -o touch.o
for form in fixed free; do
	check "it compiles in $form form, without a warning" eval \
		"$fortran -Wall -Wextra -Wno-unused-parameter -Werror -f$form-form -x f77 -c program -I$srcdir/include -o $form.o 2> err"
	check "... and is linked" eval \
		"$fortran $form.o touch.o -o $form $builddir/src/mpx/.libs/libmpx.so -L$PAPI_PREFIX/lib -lpapi -Wl,-rpath,$builddir/src/mpx/.libs:$PAPI_PREFIX/lib 2> err"
	check "... and counts what it does" eval "./$form > out 2> err && grep -q all out"
done
