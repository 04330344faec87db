/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_stacks - threads with little stack add, start, read, stop and take away events of the
 * component.
 */
#include "papi_util.h"

/* A sanitizer's frames are larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK ((size_t)512 << 10)
#else
#define STACK ((size_t)32 << 10)
#endif

static void *count_with_little(void *argument)
{
	static long long values[3]; /* one thread at a time */
	int *failed = argument, set = PAPI_NULL;

	*failed = PAPI_create_eventset(&set) != PAPI_OK ||
		  PAPI_add_named_event(set, faults_event()) != PAPI_OK ||
		  PAPI_add_named_event(set, "upc:::time::raw_ns") != PAPI_OK || PAPI_start(set) != PAPI_OK;
	if (!*failed) {
		touch_pages(100);
		*failed = PAPI_read(set, values) != PAPI_OK || values[0] < 100 ||
			  PAPI_stop(set, values) != PAPI_OK;
	}
	*failed |= PAPI_remove_named_event(set, "upc:::time::raw_ns") != PAPI_OK ||
		   PAPI_start(set) != PAPI_OK || PAPI_stop(set, values) != PAPI_OK ||
		   PAPI_cleanup_eventset(set) != PAPI_OK || PAPI_destroy_eventset(&set) != PAPI_OK ||
		   PAPI_unregister_thread() != PAPI_OK;
	return NULL;
}

int main(void)
{
	pthread_attr_t attributes;
	int round, failed = 1;

	start_papi();
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, STACK))
		bail_out("no stacks of %zu bytes", STACK);
	for (round = 0; round < 3; round++) {
		pthread_t thread;

		if (pthread_create(&thread, &attributes, count_with_little, &failed))
			bail_out("no thread");
		pthread_join(thread, NULL);
		ok(!failed, "round %d: a thread with a stack of %zu bytes counts", round, STACK);
	}
	pthread_attr_destroy(&attributes);
	return done();
}
