/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_threads - eight threads, each with a separate set that counts the page faults of its own
 * thread only.
 */
#include <pthread.h>

#include "upc_tests.h"

#define THREADS 8

static void *count_own_pages(void *argument)
{
	long long pages = (long long)(size_t)argument;
	long long value = -1;
	int set = PAPI_NULL;
	int round;

	CHECK(PAPI_create_eventset(&set));
	CHECK(PAPI_add_named_event(set, FAULTS));
	for (round = 0; round < 20; round++) {
		CHECK(PAPI_start(set));
		touch_pages((size_t)pages);
		CHECK(PAPI_stop(set, &value));
		REQUIRE(value_is_about(value, pages), "a thread's own pages");
	}
	CHECK(PAPI_cleanup_eventset(set));
	CHECK(PAPI_destroy_eventset(&set));
	CHECK(PAPI_unregister_thread());
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	size_t i;

	upc_begin(argc, argv);
	CHECK(PAPI_thread_init(pthread_self));
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count_own_pages, (void *)(100 * (i + 1))))
			test_fail(__FILE__, __LINE__, "pthread_create", PAPI_ESYS);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	test_pass(__FILE__);
	return 0;
}
