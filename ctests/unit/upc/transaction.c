/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transactions: all or nothing, counters by their rules, values that stay with
 * their events whatever moves.
 */
#include <malloc.h>

#include "unit/unit.h"
#include "catalogue_test.h"

/* Events that any machine drives, made to order: clocks under names of ours,
 * and Blue Gene/P names that are driven by clocks. */
static uint32_t clock_event(const char *name, int id)
{
	struct upci_event event = {
		.name = name, .unit = "ns", .subsystem = "test", .description = "Test.", .id = id};
	int64_t code;

	event.driver.source = UPC_SOURCE_CLOCK;
	event.driver.mul = event.driver.div = 1;
	event.driver.clock = CLOCK_MONOTONIC;
	code = upci_catalogue_put(c, &event);
	assert_true(code >= 0);
	return (uint32_t)code;
}

static uint32_t derived_event(const char *name, uint32_t a, uint32_t b)
{
	struct upci_event event = {
		.name = name, .unit = "ns", .subsystem = "test", .description = "Test.", .id = UPC_NO_ID};
	struct upci_formula *f = upci_catalogue_alloc(c, sizeof(*f) + 2 * sizeof(f->term[0]));
	int64_t code;

	assert_non_null(f);
	f->terms = 2;
	f->divisor = 1;
	f->term[0] = (struct upci_term){.coefficient = 1, .code = a};
	f->term[1] = (struct upci_term){.coefficient = 2, .code = b};
	event.driver.source = UPC_SOURCE_DERIVED;
	event.driver.mul = event.driver.div = 1;
	event.driver.formula = f;
	code = upci_catalogue_put(c, &event);
	assert_true(code >= 0);
	return (uint32_t)code;
}

static int counter_of(struct upc_unit *u, uint32_t code)
{
	int i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);

		assert_int_equal(upc_counter_state(u, i, &info), 0);
		if (info.flags & UPC_COUNTER_BOUND && info.code == code)
			return i;
	}
	return -1;
}

TEST(test_fixed_and_free_counters)
{
	uint32_t host[3], fixed = clock_event("test::id1", 1), rival = clock_event("test::id257", 257);
	struct upc_unit *u;
	int i;

	host[0] = clock_event("test::h0", UPC_NO_ID);
	host[1] = clock_event("test::h1", UPC_NO_ID);
	host[2] = clock_event("test::h2", UPC_NO_ID);
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(upc_unit_add(u, host[i]), 0);
	assert_int_equal(counter_of(u, host[1]), 1);
	assert_int_equal(upc_counter_write(u, 1, 77), 0);
	/* A host event makes way, with its value. */
	assert_int_equal(upc_unit_add(u, fixed), 0);
	assert_int_equal(counter_of(u, fixed), 1);
	assert_int_equal(counter_of(u, host[0]), 0);
	assert_int_equal(counter_of(u, host[2]), 2);
	assert_int_equal(counter_of(u, host[1]), 3);
	{
		uint64_t value;

		assert_int_equal(upc_unit_get_events(u, &host[1], 1, &value), 0);
		assert_int_equal(value, 77);
	}
	/* Equal id mod 256 do not go together, and nothing has changed. */
	assert_int_equal(upc_unit_add(u, rival), UPC_ECONFLICT);
	assert_message("test::id257");
	assert_message("test::id1");
	assert_int_equal(upc_unit_list(u, NULL, 0), 4);
	assert_int_equal(upc_unit_remove(u, fixed), 0);
	assert_int_equal(upc_unit_add(u, rival), 0);
	{
		struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);

		assert_int_equal(upc_counter_state(u, 1, &info), 0);
		assert_int_equal(info.input, 1);
		assert_int_equal(info.mode, UPC_MODE_RISE);
	}
	upc_unit_destroy(u);
}

/* Programs have hundreds of sets with few events. */
TEST(test_a_unit_has_room_for_its_own_events)
{
	struct upc_transaction *t;
	uint32_t codes[100];
	struct upc_unit *u;
	static char names[100][16]; /* the catalogue keeps them */
	unsigned i;

	for (i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "room::%u", i);
		codes[i] = clock_event(names[i], UPC_NO_ID);
	}
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, codes[0]), 0);
	assert_in_range(malloc_usable_size(u->entry), sizeof(*u->entry), 10 * sizeof(*u->entry));
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	for (i = 1; i < 100; i++)
		assert_int_equal(upc_transaction_add(t, codes[i], UPC_ANY_COUNTER), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(upc_unit_list(u, NULL, 0), 100);
	upc_unit_destroy(u);
}

TEST(test_257th)
{
	char name[32];
	struct upc_unit *u;
	struct upc_transaction *t;
	uint32_t code[257], list[300];
	int i;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	for (i = 0; i < 257; i++) {
		snprintf(name, sizeof(name), "test::many%d", i);
		code[i] = clock_event(upci_catalogue_printf(c, "%s", name), UPC_NO_ID);
		if (i < 256)
			assert_int_equal(upc_transaction_add(t, code[i], UPC_ANY_COUNTER), 0);
	}
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(upc_unit_add(u, code[256]), UPC_ECONFLICT);
	assert_message("all 256 counters");
	assert_int_equal(upc_unit_list(u, list, 300), 256);
	assert_memory_equal(list, code, 256 * sizeof(code[0]));
	/* Remove and add in one transaction fits. */
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_add(t, code[256], UPC_ANY_COUNTER), 0);
	assert_int_equal(upc_transaction_remove(t, code[100]), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(counter_of(u, code[256]), 100);
	upc_unit_destroy(u);
}

TEST(test_all_or_nothing)
{
	uint32_t a = clock_event("test::a", UPC_NO_ID), b = clock_event("test::b", UPC_NO_ID), list[8];
	uint32_t undriven = event_code(c, "PU3_JPIPE_INSTRUCTIONS");
	struct upc_transaction *t, *second;
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, a), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_begin(u, &second), UPC_ESTATE);
	assert_int_equal(upc_transaction_add(t, undriven, UPC_ANY_COUNTER), UPC_ENOEVENT);
	assert_message("PU3_JPIPE_INSTRUCTIONS");
	assert_int_equal(upc_transaction_add(t, 1u << 30, UPC_ANY_COUNTER), UPC_ENOEVENT);
	assert_int_equal(upc_transaction_add(t, b, 256), UPC_EINVAL);
	assert_int_equal(upc_transaction_add(t, b, 200), 0);
	assert_int_equal(upc_unit_list(u, list, 8), 1);
	/* Removing what is not there spoils the whole. */
	assert_int_equal(upc_transaction_remove(t, undriven), 0);
	assert_int_equal(upc_transaction_commit(t), UPC_EINVAL);
	assert_int_equal(upc_unit_list(u, list, 8), 1);
	assert_int_equal(counter_of(u, b), -1);
	/* Abort leaves no trace either. */
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_add(t, b, 200), 0);
	upc_transaction_abort(t);
	assert_int_equal(upc_unit_list(u, list, 8), 1);
	/* And a wish that is granted. */
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_add(t, b, 200), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(counter_of(u, b), 200);
	upc_unit_destroy(u);
}

TEST(test_references_and_derived)
{
	uint32_t a = clock_event("test::ra", UPC_NO_ID), b = clock_event("test::rb", UPC_NO_ID);
	uint32_t d = derived_event("test::a_plus_2b", a, b);
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	struct upc_transaction *t;
	struct upc_unit *u;
	uint64_t value, preset = 5;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, a), 0);
	assert_int_equal(upc_unit_add(u, d), 0);
	assert_int_equal(upc_counter_state(u, counter_of(u, a), &info), 0);
	assert_int_equal(info.references, 2);
	assert_int_equal(upc_counter_write(u, counter_of(u, a), 100), 0);
	assert_int_equal(upc_counter_write(u, counter_of(u, b), 11), 0);
	assert_int_equal(upc_unit_get_events(u, &d, 1, &value), 0);
	assert_int_equal(value, 122);
	assert_int_equal(upc_unit_write_events(u, &d, 1, &preset), UPC_ENOSUPP);
	assert_int_equal(upc_unit_get_events(u, &b, 1, &value), UPC_EINVAL);
	assert_int_equal(upc_unit_remove(u, a), 0);
	assert_true(counter_of(u, a) >= 0);
	assert_int_equal(upc_unit_get_events(u, &d, 1, &value), 0);
	assert_int_equal(value, 122);
	/* Added twice needs two removes. */
	assert_int_equal(upc_unit_add(u, d), 0);
	assert_int_equal(upc_unit_remove(u, d), 0);
	assert_true(counter_of(u, b) >= 0);
	assert_int_equal(upc_unit_remove(u, d), 0);
	assert_int_equal(counter_of(u, a), -1);
	assert_int_equal(counter_of(u, b), -1);
	assert_int_equal(upc_unit_remove(u, d), UPC_EINVAL);
	/* A derived event has no one counter. */
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_add(t, d, 3), UPC_ENOSUPP);
	assert_int_equal(upc_transaction_reassign(t, d, a), UPC_ENOSUPP);
	upc_transaction_abort(t);
	upc_unit_destroy(u);
}

TEST(test_reassign)
{
	uint32_t a = clock_event("test::sa", UPC_NO_ID), b = clock_event("test::sb", UPC_NO_ID);
	uint32_t x = clock_event("test::sx", UPC_NO_ID);
	struct upc_counter_info before = UPC_OPTIONS_INIT(upc_counter_info), after = before;
	struct upc_transaction *t;
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, a), 0);
	assert_int_equal(upc_unit_add(u, b), 0);
	assert_int_equal(upc_counter_write(u, counter_of(u, a), 9), 0);
	assert_int_equal(upc_counter_state(u, counter_of(u, a), &before), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_reassign(t, a, x), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(counter_of(u, a), -1);
	assert_int_equal(counter_of(u, x), 0);
	assert_int_equal(upc_counter_state(u, 0, &after), 0);
	assert_int_equal(after.value, 0);
	/* Another event is another input of the panel. */
	assert_int_not_equal(after.input, before.input);
	assert_true(after.input >= 2);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_reassign(t, x, b), 0);
	assert_int_equal(upc_transaction_commit(t), UPC_ECONFLICT);
	assert_int_equal(counter_of(u, x), 0);
	upc_unit_destroy(u);
}

TEST(test_reassign_in_a_chain)
{
	uint32_t a = clock_event("test::ca", UPC_NO_ID), b = clock_event("test::cb", UPC_NO_ID);
	uint32_t x = clock_event("test::cx", UPC_NO_ID), d = derived_event("test::chain", b, x);
	struct upc_transaction *t;
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_add(t, a, 77), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_reassign(t, a, b), 0);
	assert_int_equal(upc_transaction_reassign(t, b, x), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(counter_of(u, x), 77);
	assert_int_equal(counter_of(u, a), -1);
	/* One that is counted as a term already keeps its counter. */
	assert_int_equal(upc_unit_add(u, d), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_reassign(t, x, b), 0);
	assert_int_equal(upc_transaction_commit(t), UPC_ECONFLICT);
	assert_message("counted already");
	assert_int_equal(counter_of(u, x), 77);
	upc_unit_destroy(u);
}

/* The replacement of an event that has no counter yet gets any free counter. */
TEST(test_reassign_of_a_newcomer)
{
	uint32_t a = clock_event("test::na", UPC_NO_ID), b = clock_event("test::nb", UPC_NO_ID);
	uint32_t first = clock_event("test::nf", UPC_NO_ID);
	struct upc_transaction *t;
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, first), 0);
	assert_int_equal(counter_of(u, first), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_add(t, a, UPC_ANY_COUNTER), 0);
	assert_int_equal(upc_transaction_reassign(t, a, b), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(counter_of(u, first), 0);
	assert_int_equal(counter_of(u, b), 1);
	upc_unit_destroy(u);
}

/* The wish for a counter is its transaction's: later ones move the event as any other. */
TEST(test_reassigned_makes_way)
{
	uint32_t a = clock_event("test::wa", UPC_NO_ID), b = clock_event("test::wb", UPC_NO_ID);
	uint32_t fixed = clock_event("test::wid", 256);
	struct upc_transaction *t;
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, a), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_reassign(t, a, b), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(counter_of(u, b), 0);
	assert_int_equal(upc_unit_add(u, fixed), 0);
	assert_int_equal(counter_of(u, fixed), 0);
	assert_int_equal(counter_of(u, b), 1);
	upc_unit_destroy(u);
}

/* Two names of one event have one counter, which is there until both have gone. */
TEST(test_two_names)
{
	uint32_t a = clock_event("test::name", UPC_NO_ID), b = clock_event("test::alias", UPC_NO_ID);
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	struct upci_event alias = *upci_catalogue_event(c, b);
	uint64_t values[2], nine = 9;
	const uint32_t codes[2] = {a, b};
	struct upc_unit *u;

	alias.same_as = a + 1;
	assert_int_equal(upci_catalogue_put(c, &alias), b);
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, a), 0);
	assert_int_equal(upc_unit_add(u, b), 0);
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_int_equal(info.references, 2);
	assert_int_equal(upc_counter_state(u, 1, &info), 0);
	assert_false(info.flags & UPC_COUNTER_BOUND);
	assert_int_equal(upc_unit_write_events(u, &a, 1, &nine), 0);
	assert_int_equal(upc_unit_get_events(u, codes, 2, values), 0);
	assert_true(values[0] == 9 && values[1] == 9);
	assert_int_equal(upc_unit_remove(u, a), 0);
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_int_equal(info.references, 1);
	assert_int_equal(event_value(u, b), 9);
	upc_unit_destroy(u);
}

/* A host event that makes way takes its pending interrupt along. */
TEST(test_a_move_keeps_the_interrupt)
{
	uint32_t host = clock_event("test::mh", UPC_NO_ID), fixed = clock_event("test::mid0", 0);
	struct upc_unit *u;
	uint64_t value;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, host), 0);
	assert_int_equal(counter_of(u, host), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &value), 0);
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), value | UPC_FIELD_INTERRUPT_ENABLE), 0);
	/* A clock passes 4096 ns at once. */
	assert_int_equal(upc_unit_start(u), 0);
	usleep(100);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_STATUS, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(upc_unit_add(u, fixed), 0);
	assert_int_equal(counter_of(u, host), 1);
	assert_int_equal(upc_register_read(u, UPC_REG_STATUS, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &value), 0);
	assert_int_equal(value >> 8 & (UPC_FIELD_INTERRUPT_PENDING | UPC_FIELD_INTERRUPT_ENABLE),
			 UPC_FIELD_INTERRUPT_PENDING | UPC_FIELD_INTERRUPT_ENABLE);
	assert_int_equal(value & UPC_FIELD_INTERRUPT_PENDING, 0);
	upc_unit_destroy(u);
}

/* Random adds and removes: every event has the value that it was given. */
TEST(test_random_churn_keeps_values)
{
	uint32_t code[40];
	uint64_t expected[40], seed = 3;
	bool in[40] = {false};
	struct upc_unit *u;
	char name[32];
	int i, round;

	for (i = 0; i < 40; i++) {
		/* Some of them fixed, and some of these rivals. */
		snprintf(name, sizeof(name), "test::churn%d", i);
		code[i] = clock_event(upci_catalogue_printf(c, "%s", name),
				      i < 10 ? i % 5 * 3 + (i / 5) * 256 : UPC_NO_ID);
	}
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	for (round = 0; round < 3000; round++) {
		bool rival;

		i = (int)(random_next(&seed) % 40);
		rival = i < 10 && in[(i + 5) % 10];
		if (in[i]) {
			assert_int_equal(upc_unit_remove(u, code[i]), 0);
			in[i] = false;
		} else {
			assert_int_equal(upc_unit_add(u, code[i]), rival ? UPC_ECONFLICT : 0);
			in[i] = !rival;
			if (in[i]) {
				expected[i] = random_next(&seed);
				assert_int_equal(upc_unit_write_events(u, &code[i], 1, &expected[i]), 0);
			}
		}
		for (i = 0; i < 40; i++) {
			uint64_t value;

			if (!in[i])
				continue;
			assert_int_equal(upc_unit_get_events(u, &code[i], 1, &value), 0);
			assert_true(value == expected[i]);
		}
	}
	upc_unit_destroy(u);
}

UNIT_TESTS(transaction, open_catalogue, close_catalogue)
