! SPDX-License-Identifier: BSD-3-Clause
!
! mpxf.h - libmpx for Fortran, in fixed and in free form. mpx.h says
! what each call does. Its result, 0 (PAPI_OK) or a negative error, is
! the last argument, check. Arguments are INTEGER (4 bytes), but values,
! counts, counted_time, time, slices, put_off, lost, memory, seed and
! slice_ns, which are INTEGER*8; level, estimate, value, error, low,
! high, coverage, together and coefficients, which are REAL*8; name,
! clock_name, clock_unit, covariate and text, which are CHARACTER*(*).
! Blanks behind a name do not count. Where mpx.h has pointers that may
! be NULL, an array is to be there.
!
!  call mpxf_library_init(MPX_ABI_VERSION, check)
!  call mpxf_library_init_options(MPX_ABI_VERSION, slice_ns, timer,
!       clock, estimator, group_max, covariate, check)
!    (0, and ' ' for covariate, stand for the defaults)
!  call mpxf_library_init_signal(MPX_ABI_VERSION, slice_ns, timer,
!       clock, estimator, group_max, covariate, signal_number, seed,
!       check)
!    (as before; 0: a free signal, any seed)
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
!    (check: the number, or a negative error)
!  call mpxf_set_list_events(set, codes, n, check)
!  call mpxf_set_attach(set, tid, check)
!  call mpxf_set_detach(set, check)
!  call mpxf_set_domain(set, domain, check)
!    (a sum of PAPI_DOM_USER, ... of fpapi.h)
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
!    (arrays of n, of the same events; a set that runs is read again)
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
!    (of another thread's set, too; n is not above its events)
!  call mpxf_thread_register(check)
!  call mpxf_thread_end(check)
!  call mpxf_thread_get_info(clock_name, clock_unit, covariate, time,
!       slices, put_off, lost, groups, events, running, memory, check)
!    (covariate: ' ' where there is none)
!  call mpxf_thread_master_list(n, codes, references, activations,
!       counts, counted_time, slices, group, current, domain, check)
!    (arrays of n; check: how many there are, or a negative error)
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
