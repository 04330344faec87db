/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results_test.h - a results file for each test, of which nothing stays.
 */
#ifndef RESULTS_TEST_H
#define RESULTS_TEST_H

#include "count/counts.h"
#include "count/results.h"
#include "../unit_test.h"

static char path[UPCS_WORD_MAX], counts_path[UPCS_COUNTS_PATH_MAX]; /* the latter of process 0 */
static struct upcs_results *results;
static int lock;

static inline int set_up(void **state)
{
	(void)state;
	results = upcs_results_create(path, &lock);
	assert_non_null(results);
	upcs_counts_path(counts_path, path, 0);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	upcs_results_destroy(results, path, lock);
	assert_int_equal(access(counts_path, F_OK), -1);
	assert_int_equal(access(path, F_OK), -1);
	return 0;
}

#endif
