/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words have memory that was asked for in ordinary context, or are the general ones; and
 * they last as long as a thread's destructors may measure.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/message.h"
#include "../unit_test.h"
#include "base/words.h"

static _Thread_local unsigned allocations, refusals;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	if (refusals) {
		refusals--;
		return NULL;
	}
	return __real_malloc(size);
}

static void in_thread(void *(*body)(void *))
{
	pthread_t thread;
	void *failed = NULL;

	assert_int_equal(pthread_create(&thread, NULL, body, &failed), 0);
	pthread_join(thread, NULL);
	if (failed)
		fail_msg("%s", (const char *)failed);
}

#define expect(condition)                                    \
	do {                                                 \
		if (!(condition))                            \
			*(const char **)failed = #condition; \
	} while (0)

/* As of a thread whose first call is in a handler. */
static void *without_memory(void *failed)
{
	expect(upci_fail(UPC_EPERM, "event %d", 7) == UPC_EPERM);
	expect(!strcmp(upci_words(), upc_strerror(UPC_EPERM)));
	expect(!allocations);
	/* Whoever reads them is in ordinary context: the next have memory. */
	expect(!strcmp(upc_last_message(), upc_strerror(UPC_EPERM)));
	expect(allocations == 1);
	upci_fail(UPC_EPERM, "event %d", 7);
	expect(!strcmp(upc_last_message(), "event 7"));
	expect(allocations == 1);
	return NULL;
}

TEST(test_nothing_is_allocated_by_a_failure)
{
	in_thread(without_memory);
}

static void *refused(void *failed)
{
	refusals = 1;
	expect(!upci_words_prepare());
	upci_fail(UPC_EINVAL, "event %d", 7);
	expect(!strcmp(upci_words(), upc_strerror(UPC_EINVAL)));
	expect(upci_words_prepare());
	upci_fail(UPC_EINVAL, "event %d", 7);
	expect(!strcmp(upci_words(), "event 7"));
	return NULL;
}

TEST(test_memory_runs_out)
{
	in_thread(refused);
}

static void *begins(void *failed)
{
	uint32_t code;

	expect(upc_catalogue_find(NULL, NULL, &code) == UPC_EINVAL);
	expect(strstr(upci_words(), "upc_catalogue_find"));
	return NULL;
}

TEST(test_calls_that_begin_something_have_words)
{
	in_thread(begins);
}

/* Catalogues try what the machine may not have: a PMU, the kernel's side, tracepoints. */
static void *open_and_find(void *failed)
{
	struct upc_catalogue_options options = UPC_OPTIONS_INIT(upc_catalogue_options);
	static const char *const names[] = {"perf::PAGE-FAULTS", "page-faults", "process::rss"};
	struct upc_catalogue *catalogue;
	uint32_t code;
	size_t i;

	for (options.on_demand = 0; options.on_demand < 2; options.on_demand++) {
		expect(!upc_catalogue_open(&options, &catalogue));
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			expect(!upc_catalogue_find(catalogue, names[i], &code));
		upc_catalogue_close(catalogue);
		expect(!strcmp(upc_last_message(), ""));
	}
	upci_fail(UPC_EPERM, "of the last failure");
	expect(!upc_catalogue_open(NULL, &catalogue));
	expect(!upc_catalogue_find(catalogue, names[0], &code));
	upc_catalogue_close(catalogue);
	expect(!strcmp(upc_last_message(), "of the last failure"));
	return NULL;
}

TEST(test_success_leaves_the_words)
{
	in_thread(open_and_find);
}

static pthread_key_t key;
static char said[4][32];
static atomic_uint rounds; /* for a sanitizer a thread ends before its destructors do */

/* Measures in every round of destructors, as another library's may. */
static void in_destructor(void *arg)
{
	const unsigned round = atomic_load(&rounds);

	upci_fail(UPC_EINVAL, "round %u", round);
	snprintf(said[round], sizeof(said[0]), "%s", upc_last_message());
	atomic_store(&rounds, round + 1);
	if (round + 1 < 4)
		pthread_setspecific(key, arg);
}

static void *ends(void *failed)
{
	expect(upci_words_prepare());
	pthread_setspecific(key, failed);
	return NULL;
}

TEST(test_words_outlive_two_rounds_of_destructors)
{
	unsigned i;

	/* Behind ours, so that ours is the first of each round. */
	assert_int_equal(pthread_key_create(&key, in_destructor), 0);
	in_thread(ends);
	assert_in_range(rounds, 3, 4);
	assert_string_equal(said[0], "round 0");
	assert_string_equal(said[1], "round 1");
	for (i = 2; i < rounds; i++)
		assert_string_equal(said[i], upc_strerror(UPC_EINVAL));
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
