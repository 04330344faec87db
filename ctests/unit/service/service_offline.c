/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs of this machine that go offline and come back, by a /sys of the test's own: one that is there goes,
 * and one comes that the kernel truly does not have.
 */
#include <pthread.h>
#include <sched.h>

#include "service/service.h"
#include "unit/made_sys.h"

static const struct service_counter *only(const struct service_sample *sample)
{
	assert_int_equal(sample->counters, 1);
	return sample->counter;
}

static void check_states(struct service *s, const enum service_state *state, unsigned places)
{
	const struct service_sample *sample = service_sample_get(s, 60000);

	assert_int_equal(sample->places[SERVICE_CPU], places);
	for (unsigned i = 0; i < places; i++)
		if (only(sample)->value[i].state != state[i])
			fail_msg("%s is %s, not %s: %s", sample->place[SERVICE_CPU][i].name,
				 service_state_name(only(sample)->value[i].state),
				 service_state_name(state[i]), only(sample)->why);
	service_sample_put(sample);
}

static struct service_value value_of(struct service *s, unsigned place)
{
	const struct service_sample *sample = service_sample_get(s, 60000);
	struct service_value value = only(sample)->value[place];

	service_sample_put(sample);
	return value;
}

/* Something that CPU 0 counts. */
static void switch_on_cpu_0(void)
{
	cpu_set_t before, one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (sched_setaffinity(0, sizeof(one), &one))
		skip_because("CPU 0 is not for this process");
	for (unsigned i = 0; i < 5; i++)
		usleep(1000);
	sched_setaffinity(0, sizeof(before), &before);
}

TEST(go_and_come)
{
	static const char *const add[] = {"add", "perf::CONTEXT-SWITCHES", "as=c"};
	const struct service_options options = {0};
	struct service_value before, gone, after;
	struct service *s;
	char *message, *reply;
	uint64_t generation;
	int error;

	/* CPU 4094 is not there, but not online, either. */
	made_sys_put("0,4094\n", "devices/system/cpu/present");
	made_sys_put("0\n", "devices/system/cpu/online");
	assert_int_equal(service_open(&options, &s, &message), 0);
	error = service_command(s, add, 3, &reply);
	if (error == UPC_EPERM || error == UPC_ENOSUPP || error == UPC_ENOEVENT) {
		printf("# %s\n", reply);
		free(reply);
		service_close(s);
		skip_because("this user may not count CPUs here");
	}
	assert_int_equal(error, 0);
	free(reply);
	check_states(s, (enum service_state[]){SERVICE_COUNTING, SERVICE_OFFLINE}, 2);
	switch_on_cpu_0();
	before = value_of(s, 0);
	assert_true(before.value >= 5);
	generation = service_generation(s);
	/* CPU 0 goes, and a CPU comes that cannot be opened: it says so, and is no zero. */
	made_sys_put("4094\n", "devices/system/cpu/online");
	check_states(s, (enum service_state[]){SERVICE_OFFLINE, SERVICE_FAILED}, 2);
	assert_true(service_generation(s) > generation);
	gone = value_of(s, 0);
	assert_true(gone.running_ns >= before.running_ns);
	switch_on_cpu_0();
	/* It goes on where it was; what happened meanwhile is missing, in the time as well. */
	made_sys_put("0,4094\n", "devices/system/cpu/online");
	check_states(s, (enum service_state[]){SERVICE_COUNTING, SERVICE_FAILED}, 2);
	after = value_of(s, 0);
	assert_true(after.value >= before.value);
	assert_in_range(after.running_ns, gone.running_ns, gone.running_ns + UINT64_C(60000000000));
	made_sys_put("0\n", "devices/system/cpu/online");
	check_states(s, (enum service_state[]){SERVICE_COUNTING, SERVICE_OFFLINE}, 2);
	service_close(s);
}

UNIT_TESTS(service_offline, made_sys_begin, made_sys_end)
