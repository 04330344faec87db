/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unit that is shown: a monitor sees its counts, events and configuration, and each
 * change of it; thresholds do not show; a child's copy is not shown.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "unit/unit.h"
#include "script_test.h"

static struct upc_monitor_info info_of(struct upc_monitor *m, uint64_t *values)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);

	assert_int_equal(upc_monitor_read(m, values, &info), 0);
	return info;
}

TEST(test_shown)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 5000 0 1@2/1\ns\nc 5000 0\n");
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	struct upc_share_options options = UPC_OPTIONS_INIT(upc_share_options);
	struct upc_monitor_info info;
	uint64_t values[UPC_COUNTERS], generation;
	struct upc_monitor *m;
	struct upc_unit *u;
	char name[64];
	pid_t pid;

	snprintf(name, sizeof(name), "unit_share.%d", (int)getpid());
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_share(u, NULL, NULL), UPC_EINVAL);
	assert_int_equal(upc_unit_share(u, "../up", NULL), UPC_EINVAL);
	options.size = 1;
	assert_int_equal(upc_unit_share(u, name, &options), UPC_EINVAL);
	assert_int_equal(upc_unit_share(u, name, NULL), 0);
	assert_int_equal(upc_unit_share(u, name, NULL), UPC_ESTATE);
	assert_int_equal(upc_monitor_open(name, NULL, &m), 0);
	info = info_of(m, values);
	assert_int_equal(info.process, getpid());
	assert_false(info.running);
	generation = info.generation;

	assert_int_equal(upc_unit_add(u, code), 0);
	info = info_of(m, values);
	assert_true(info.generation > generation);
	generation = info.generation;
	assert_int_equal(info.changed_by, gettid());
	assert_int_equal(upc_monitor_counter(m, 0, &event), 0);
	assert_true(event.bound);
	assert_string_equal(event.name, "PU0_JPIPE_INSTRUCTIONS");
	assert_int_equal(upc_monitor_counter(m, 1, &event), 0);
	assert_false(event.bound);

	assert_int_equal(upc_unit_set_threshold(u, code, 777), 0);
	assert_int_equal(upc_unit_start(u), 0);
	info = info_of(m, values);
	assert_true(info.running);
	assert_true(info.field[0] & UPC_FIELD_INTERRUPT_ENABLE);
	assert_int_equal(values[0], 0);
	assert_int_equal(upc_unit_play(u), 1);
	generation = info_of(m, values).generation;
	assert_int_equal(values[0], 5000);
	/* Nothing is bound to it, and in the reset state it counts its input 0. */
	assert_int_equal(values[1], 2500);

	/* A child's unit is its own affair. */
	pid = fork();
	if (pid == 0) {
		int good = upc_unit_start(u) == 0 && upc_unit_play(u) == 1 && upc_unit_read(u, values) == 0 &&
			   values[0] == 5000;

		good = good && upc_unit_reset(u) == 0;
		upc_unit_destroy(u);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(end_of(pid), 0);
	assert_int_equal(upc_monitor_alive(m), 1);
	assert_int_equal(info_of(m, values).generation, generation);
	assert_int_equal(values[0], 5000);

	/* Reads change no configuration, registers do. */
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(upc_unit_read(u, NULL), 0);
	assert_int_equal(info_of(m, values).generation, generation);
	assert_int_equal(values[0], 10000);
	assert_int_equal(upc_register_write(u, UPC_REG_THRESHOLD, 8192), 0);
	info = info_of(m, values);
	assert_true(info.generation > generation);
	assert_int_equal(info.threshold, 8192);
	assert_int_equal(values[0], 10000);

	upc_unit_destroy(u);
	assert_int_equal(upc_monitor_alive(m), 0);
	info = info_of(m, values);
	assert_true(info.ended);
	assert_int_equal(values[0], 10000);
	upc_monitor_close(m);
	assert_int_equal(upc_monitor_open(name, NULL, &m), UPC_ENOTASK);
	upc_catalogue_close(c);
}

/* A program that ends as programs do leaves nothing behind; a killed one does, until
 * the next one takes the name. */
TEST(test_ends_with_the_program)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 5 0\n");
	struct upc_monitor *m;
	struct upc_unit *u;
	int killed, status;
	char name[64];
	pid_t pid;

	snprintf(name, sizeof(name), "unit_share.%d", (int)getpid());
	for (killed = 0; killed < 2; killed++) {
		fflush(NULL);
		pid = fork();
		if (pid == 0) {
			if (upc_unit_create(c, NULL, &u) || upc_unit_share(u, name, NULL))
				_exit(1);
			if (killed)
				kill(getpid(), SIGKILL);
			exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, killed ? SIGKILL : 0);
		assert_int_equal(upc_monitor_open(name, NULL, &m), killed ? UPC_EGONE : UPC_ENOTASK);
	}
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_share(u, name, NULL), 0);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* A level is not known before its first reading, whenever it comes: at a start, where it is added
 * while the unit runs, when it is no longer halted, and anew where the unit counts somebody else. */
TEST(test_levels_that_were_not_read)
{
	struct upc_unit_options self = UPC_OPTIONS_INIT(upc_unit_options);
	uint64_t values[UPC_COUNTERS];
	uint32_t resident, size, faults;
	struct upc_catalogue *c;
	struct upc_monitor *m;
	struct upc_unit *u;
	char name[64];

	snprintf(name, sizeof(name), "unit_share.%d", (int)getpid());
	assert_int_equal(upc_catalogue_open(NULL, &c), 0);
	resident = event_code(c, "process::statm_resident");
	size = event_code(c, "process::vsize");
	faults = event_code(c, "process::minflt");
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_share(u, name, NULL), 0);
	assert_int_equal(upc_monitor_open(name, NULL, &m), 0);
	assert_int_equal(upc_unit_add(u, faults), 0);
	assert_int_equal(upc_unit_add(u, resident), 0);
	assert_int_equal(info_of(m, values).unread[0], 0);
	assert_int_equal(info_of(m, values).unread[1], 1);
	assert_int_equal(values[1], 0);
	assert_int_equal(upc_unit_read(u, NULL), 0);
	assert_int_equal(info_of(m, values).unread[1], 1);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(info_of(m, values).unread[1], 0);
	assert_true(values[1] > 0);
	assert_int_equal(upc_unit_add(u, size), 0);
	assert_int_equal(info_of(m, values).unread[2], 0);
	assert_true(values[2] > 0);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(info_of(m, values).unread[1], 0);
	assert_true(values[1] > 0);

	assert_int_equal(upc_unit_retarget(u, &self), 0);
	assert_int_equal(info_of(m, values).unread[1], 1);
	assert_int_equal(upc_counter_halt(u, 1), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(info_of(m, values).unread[1], 1);
	assert_int_equal(values[1], 0);
	assert_int_equal(info_of(m, values).unread[2], 0);
	assert_int_equal(upc_counter_continue(u, 1), 0);
	assert_int_equal(upc_unit_read(u, NULL), 0);
	assert_int_equal(info_of(m, values).unread[1], 0);
	assert_true(values[1] > 0);
	upc_unit_destroy(u);
	upc_monitor_close(m);
	upc_catalogue_close(c);
}

/* A child of a bare clone, in which no handler of forks has run, has its parent's unit, and
 * none of what it shows: it may read it, destroy it, and end. */
TEST(test_bare_clone_shows_nothing)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 5 0\n");
	uint64_t values[UPC_COUNTERS];
	struct upc_monitor *m;
	struct upc_unit *u;
	char name[64];
	int ends;
	pid_t pid;

	snprintf(name, sizeof(name), "unit_share.%d", (int)getpid());
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_share(u, name, NULL), 0);
	assert_int_equal(upc_monitor_open(name, NULL, &m), 0);
	for (ends = 0; ends < 2; ends++) {
		fflush(NULL);
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (pid == 0) {
			if (upc_unit_read(u, values))
				_exit(1);
			if (ends)
				exit(0);
			upc_unit_destroy(u);
			_exit(0);
		}
		assert_true(pid > 0);
		assert_int_equal(end_of(pid), 0);
		assert_false(info_of(m, values).ended);
		assert_int_equal(upc_monitor_alive(m), 1);
		upc_monitor_close(m);
		assert_int_equal(upc_monitor_open(name, NULL, &m), 0);
	}
	upc_monitor_close(m);
	upc_unit_destroy(u);
	assert_int_equal(upc_monitor_open(name, NULL, &m), UPC_ENOTASK);
	upc_catalogue_close(c);
}

UNIT_TESTS(unit_share, NULL, NULL)
