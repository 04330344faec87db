! SPDX-License-Identifier: BSD-3-Clause
!
! mpxf.h - libmpx for Fortran, in fixed and in free form. mpx.h
! describes each call. The last argument, check, receives the result:
! 0 (PAPI_OK) or a negative error. Arguments are INTEGER (4 bytes),
! except these:
!   INTEGER*8      values, counts, counted_time, time, slices, put_off,
!                  lost, memory, seed, slice_ns
!   REAL*8         level, estimate, value, error, low, high, coverage,
!                  together, coefficients
!   CHARACTER*(*)  name, clock_name, clock_unit, covariate, text
! Trailing blanks of a name are ignored. If mpx.h allows a NULL array,
! pass an array here.
!
!  call mpxf_library_init(MPX_ABI_VERSION, check)
!  call mpxf_library_init_options(MPX_ABI_VERSION, slice_ns, timer,
!       clock, estimator, group_max, covariate, check)
!    (0, or ' ' for covariate: the default)
!  call mpxf_library_init_signal(MPX_ABI_VERSION, slice_ns, timer,
!       clock, estimator, group_max, covariate, signal_number, seed,
!       check)
!    (as above; signal_number 0: a free signal; seed 0: any seed)
!  call mpxf_library_shutdown(check)
!  call mpxf_library_get_info(slice_ns, timer, estimator,
!       signal_number, threads, check)
!  call mpxf_version(text)
!  call mpxf_last_message(text)
!  call mpxf_set_create(set, check)
!  call mpxf_set_create_process(set, check)
!  call mpxf_set_destroy(set, check)
!  call mpxf_set_add_event(set, code, check)
!  call mpxf_set_add_events(set, codes, n, check)
!  call mpxf_set_add_named_event(set, name, check)
!  call mpxf_set_remove_event(set, code, check)
!  call mpxf_set_remove_named_event(set, name, check)
!  call mpxf_set_cleanup(set, check)
!  call mpxf_set_num_events(set, check)
!    (check: the number of events, or a negative error)
!  call mpxf_set_list_events(set, codes, n, check)
!  call mpxf_set_attach(set, tid, check)
!  call mpxf_set_detach(set, check)
!  call mpxf_set_domain(set, domain, check)
!    (domain: a sum of PAPI_DOM_USER, ... from fpapi.h)
!  call mpxf_set_always(set, code, on, check)
!  call mpxf_set_covariate(set, covariate, check)
!    (' ': none)
!  call mpxf_set_state(set, state, check)
!  call mpxf_set_start(set, check)
!  call mpxf_set_stop(set, values, check)
!  call mpxf_set_read(set, values, check)
!  call mpxf_set_accum(set, values, check)
!  call mpxf_set_reset(set, check)
!  call mpxf_set_confidence(set, level, check)
!  call mpxf_set_estimates(set, n, estimate, error, low, high, flags,
!       check)
!    (arrays of n; error is the standard error)
!  call mpxf_set_estimate_info(set, n, values, counts, counted_time,
!       time, coverage, threads, missed, check)
!    (arrays of n, in the order of the events; this call reads a
!    running set again)
!  call mpxf_set_add_ratio(set, numerator, denominator, check)
!  call mpxf_set_remove_ratio(set, numerator, denominator, check)
!  call mpxf_set_ratios(set, n, value, error, low, high, together,
!       flags, check)
!    (arrays of n)
!  call mpxf_set_add_relation(set, codes, coefficients, n, check)
!    (arrays of n)
!  call mpxf_set_clear_relations(set, check)
!  call mpxf_set_reconciled_estimates(set, n, estimate, error, low,
!       high, flags, check)
!  call mpxf_set_region(set, region, check)
!  call mpxf_set_switch_region(set, region, check)
!  call mpxf_set_list_regions(set, regions, n, check)
!  call mpxf_set_region_estimates(set, region, n, estimate, error, low,
!       high, flags, check)
!  call mpxf_set_kept_estimates(set, region, n, estimate, error, low,
!       high, flags, check)
!    (also for another thread's set; n: at most its number of events)
!  call mpxf_thread_register(check)
!  call mpxf_thread_end(check)
!  call mpxf_thread_get_info(clock_name, clock_unit, covariate, time,
!       slices, put_off, lost, groups, events, running, memory, check)
!    (covariate: ' ' if there is none)
!  call mpxf_thread_master_list(n, codes, references, activations,
!       counts, counted_time, slices, group, current, domain, check)
!    (arrays of n; check: the number of entries, or a negative error)
!
      INTEGER, PARAMETER :: MPX_ABI_VERSION = 1
      INTEGER*8, PARAMETER :: MPX_NEVER = -1

      INTEGER, PARAMETER :: MPX_TIMER_AUTO = 0
      INTEGER, PARAMETER :: MPX_TIMER_TASK_CLOCK = 1
      INTEGER, PARAMETER :: MPX_TIMER_THREAD = 2
      INTEGER, PARAMETER :: MPX_TIMER_VIRTUAL = 3

      INTEGER, PARAMETER :: MPX_CLOCK_AUTO = 0
      INTEGER, PARAMETER :: MPX_CLOCK_CYCLES = 1
      INTEGER, PARAMETER :: MPX_CLOCK_UNIT = 2
      INTEGER, PARAMETER :: MPX_CLOCK_CPU = 3
      INTEGER, PARAMETER :: MPX_CLOCK_USER = 4

      INTEGER, PARAMETER :: MPX_ESTIMATOR_AUTO = 0
      INTEGER, PARAMETER :: MPX_ESTIMATOR_RATIO = 1
      INTEGER, PARAMETER :: MPX_ESTIMATOR_INTERPOLATED = 2
      INTEGER, PARAMETER :: MPX_ESTIMATOR_COVARIATE = 3

      INTEGER, PARAMETER :: MPX_EXACT = 1
      INTEGER, PARAMETER :: MPX_UNCOUNTED = 2
      INTEGER, PARAMETER :: MPX_ROUGH = 4
      INTEGER, PARAMETER :: MPX_LOST = 8
      INTEGER, PARAMETER :: MPX_PARTIAL = 16
      INTEGER, PARAMETER :: MPX_BORROWED = 32
      INTEGER, PARAMETER :: MPX_UNEVEN = 64
      INTEGER, PARAMETER :: MPX_UNBOUNDED = 128
      INTEGER, PARAMETER :: MPX_CAREFUL = 256
      INTEGER, PARAMETER :: MPX_RECONCILED = 512
      INTEGER, PARAMETER :: MPX_CONTRADICTED = 1024
      INTEGER, PARAMETER :: MPX_ENDED = 2048
      INTEGER, PARAMETER :: MPX_SLOWED = 4096
