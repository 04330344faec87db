/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kind, scope and name of an agent's metric, and the remark on CPUs that differ from the others.
 */
#include <math.h>

#include "../unit_test.h"
#include "jobstat/names.h"
#include "jobstat/placement.h"

TEST(test_names)
{
	static const struct {
		const char *full;
		enum names_kind kind;
		enum jobstat_scope scope;
		const char *name;
	} cases[] = {
		{"upc.cpu.tp.sched.sched_switch", NAMES_VALUE, JOBSTAT_CPU, "cpu.tp.sched.sched_switch"},
		{"upc.numa.l3", NAMES_VALUE, JOBSTAT_NUMA, "numa.l3"},
		{"upc.node.x", NAMES_VALUE, JOBSTAT_NODE, "node.x"},
		{"upc.cgroup.x", NAMES_VALUE, JOBSTAT_CGROUP, "cgroup.x"},
		{"upc.running.cgroup.x", NAMES_RUNNING, JOBSTAT_CGROUP, "cgroup.x"},
		{"upc.state.cpu.x", NAMES_STATE, JOBSTAT_CPU, "cpu.x"},
		{"upc.control.started", NAMES_STARTED, 0, NULL},
		{"upc.control.generation", NAMES_GENERATION, 0, NULL},
		{"upc.sample.interval", NAMES_INTERVAL, 0, NULL},
		{"upc.user.command", NAMES_USER, 0, NULL},
		{"upc.sample.time", NAMES_OTHER, 0, NULL},
		{"upc.cpu", NAMES_OTHER, 0, NULL},
		{"upc.cpu.", NAMES_OTHER, 0, NULL},
		{"upc.running.other.x", NAMES_OTHER, 0, NULL},
		{"upc", NAMES_FOREIGN, 0, NULL},
		{"kernel.all.load", NAMES_FOREIGN, 0, NULL},
		{"", NAMES_FOREIGN, 0, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum jobstat_scope scope = JOBSTAT_OTHER;
		const char *name = "";

		if (names_kind(cases[i].full, &scope, &name) != cases[i].kind)
			fail_msg("%s", cases[i].full);
		if (cases[i].name == NULL)
			continue;
		assert_int_equal(scope, cases[i].scope);
		assert_string_equal(name, cases[i].name);
	}
}

static void assert_said(const double *mean, unsigned n, bool unused, const char *wanted)
{
	const struct jobstat_metric metric = {.name = "cpu.i", .scope = JOBSTAT_CPU};
	struct jobstat_place place[16] = {{0}};
	const struct jobstat_value value = {.place = place, .places = n};
	char text[PLACEMENT_TEXT] = "";
	bool said;

	for (unsigned i = 0; i < n; i++)
		place[i] = (struct jobstat_place){.number = (int)i, .mean = mean[i]};
	said = placement_say(&value, &metric, unused, text);
	if (said != (wanted != NULL) || (said && strncmp(text, wanted, strlen(wanted)) != 0))
		fail_msg("'%s', not '%s'", text, wanted != NULL ? wanted : "");
}

TEST(test_placement)
{
	assert_said((double[]){5, 5, 0, 0.01}, 4, true, "CPUs 2-3: cpu.i");
	assert_said((double[]){5, 5, 0, 0.01}, 4, false, NULL);
	assert_said((double[]){0, 5, 0, 5, 5, 0}, 6, true, "CPUs 0,2,5: cpu.i");
	assert_said((double[]){5, 5, 5, 2}, 4, false, "CPU 3: cpu.i");
	assert_said((double[]){5, 5, 5, 11}, 4, false, "CPU 3: cpu.i");
	assert_said((double[]){5, 5, 5, 4}, 4, false, NULL);
	assert_said((double[]){0, 0, 0, 0}, 4, true, NULL);
	/* A CPU that was not counted is not unused. */
	assert_said((double[]){5, 5, NAN, NAN}, 4, true, NULL);
	assert_said((double[]){5}, 1, true, NULL);
	assert_said(NULL, 0, true, NULL);
}

UNIT_TESTS(jobstat_names, NULL, NULL)
