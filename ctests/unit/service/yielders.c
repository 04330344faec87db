/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yielders.c - unit tests of the list of clients for which the service steps aside.
 */
#include "service/yielders.h"

#include <jansson.h>

#include "../unit_test.h"

TEST(test_program)
{
	char program[YIELDERS_PROGRAM_MAX], word[200] = "for=";

	assert_true(yielders_program("for=make", program));
	assert_string_equal(program, "make");
	assert_true(yielders_program("for=", program));
	assert_string_equal(program, "");
	assert_false(yielders_program("fo", program));
	assert_false(yielders_program("of=make", program));
	/* Characters of two bytes, one of which the limit would cut in the middle. */
	for (unsigned i = 0; i < 60; i++)
		strcat(word, "\xc3\xa4");
	assert_true(yielders_program(word, program));
	assert_int_equal(strlen(program), 62);
	/* The name begins with 100 bytes that only continue a character. */
	memset(word + 4, 0x80, 100);
	assert_true(yielders_program(word, program));
	assert_string_equal(program, "");
}

TEST(test_list)
{
	struct yielders yielders = {.n = 0};
	struct yielder who = {.pid = 1};

	for (who.client = 1; who.client <= CONTROL_YIELDS_MAX; who.client++)
		assert_true(yielders_add(&yielders, &who));
	assert_false(yielders_add(&yielders, &who));
	assert_false(yielders_remove(&yielders, 100));
	assert_true(yielders_remove(&yielders, 2));
	assert_false(yielders_remove(&yielders, 2));
	/* The others stay in their order. */
	assert_int_equal(yielders.n, CONTROL_YIELDS_MAX - 1);
	assert_int_equal(yielders.who[0].client, 1);
	assert_int_equal(yielders.who[1].client, 3);
	assert_int_equal(yielders.who[CONTROL_YIELDS_MAX - 2].client, CONTROL_YIELDS_MAX);
}

TEST(test_put)
{
	struct yielders yielders = {.n = 0};
	const struct yielder who = {.client = 1, .pid = 7, .uid = 4294967294u, .program = "a\"b"};
	char *reply = strdup("{\"ok\":true}");
	json_t *root;

	assert_ptr_equal(yielders_put(&yielders, reply), reply);
	yielders_add(&yielders, &who);
	yielders_add(&yielders, &who);
	reply = yielders_put(&yielders, reply);
	root = json_loads(reply, 0, NULL);
	assert_non_null(root);
	assert_true(json_is_true(json_object_get(root, "ok")));
	assert_int_equal(json_array_size(json_object_get(root, "yielded_for")), 2);
	assert_non_null(strstr(reply, "{\"pid\":7,\"uid\":4294967294,\"program\":\"a\\\"b\"}"));
	json_decref(root);
	free(reply);
	/* A reply that is NULL, an empty object or empty stays as it is. */
	assert_null(yielders_put(&yielders, NULL));
	reply = strdup("{}");
	assert_ptr_equal(yielders_put(&yielders, reply), reply);
	free(reply);
	reply = strdup("");
	assert_ptr_equal(yielders_put(&yielders, reply), reply);
	free(reply);
}

UNIT_TESTS(yielders, NULL, NULL)
