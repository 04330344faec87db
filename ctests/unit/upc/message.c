/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages are the calling thread's own.
 */
#include <pthread.h>

#include "base/message.h"
#include "../unit_test.h"

static void *other_thread(void *arg)
{
	assert_string_equal(upc_last_message(), "");
	upci_fail(UPC_EINVAL, "of the other thread");
	return arg;
}

TEST(test_message_per_thread)
{
	pthread_t thread;

	assert_int_equal(upci_fail(UPC_EPERM, "event %d", 7), UPC_EPERM);
	assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
	pthread_join(thread, NULL);
	assert_string_equal(upc_last_message(), "event 7");
}

TEST(test_every_error_has_a_sentence)
{
	int e;

	for (e = UPC_EPARTIAL; e <= UPC_OK; e++)
		assert_string_not_equal(upc_strerror(e), "unknown error");
	assert_string_equal(upc_strerror(-1000), "unknown error");
	assert_int_equal(upc_abi_version(), UPC_ABI_VERSION);
}

UNIT_TESTS(message, NULL, NULL)
