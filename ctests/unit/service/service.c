/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The service as a whole: mistakes in its configuration, commands that are done or not at all,
 * samples at multiples of an interval whatever is done to the clock, a state that cannot be saved,
 * CPUs that come and go, and threads at once.
 */
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/timerfd.h>

#include "service/service_test.h"
#include "service/worker.h"

#define SECOND UINT64_C(1000000000)

/* ---- a clock that can be set -------------------------------------------------------- */

static _Atomic int64_t clock_ahead; /* ns that CLOCK_REALTIME is ahead of the machine's */
static atomic_int timer_fd = -1, was_set;
static atomic_bool disk_full;

int __real_clock_gettime(clockid_t clock, struct timespec *at);
int __wrap_clock_gettime(clockid_t clock, struct timespec *at);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old);
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __real_pwrite(int fd, const void *bytes, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at);

static struct timespec shift(struct timespec t, int64_t ns)
{
	int64_t all = (int64_t)t.tv_sec * (int64_t)SECOND + t.tv_nsec + ns;

	return (struct timespec){all / (int64_t)SECOND, all % (int64_t)SECOND};
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *at)
{
	int error = __real_clock_gettime(clock, at);

	if (clock == CLOCK_REALTIME)
		*at = shift(*at, clock_ahead);
	return error;
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old)
{
	struct itimerspec real = *at;

	assert_true(flags & TFD_TIMER_CANCEL_ON_SET);
	timer_fd = fd;
	real.it_value = shift(real.it_value, -clock_ahead);
	return __real_timerfd_settime(fd, flags, &real, old);
}

/* Answers as the kernel does after the clock was set. */
ssize_t __wrap_read(int fd, void *to, size_t n)
{
	ssize_t result = __real_read(fd, to, n);
	int one = 1;

	if (fd != timer_fd || !atomic_compare_exchange_strong(&was_set, &one, 0))
		return result;
	errno = ECANCELED;
	return -1;
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	if (!disk_full || at < 4096)
		return __real_pwrite(fd, bytes, n, at);
	errno = ENOSPC;
	return -1;
}

static void set_clock(int64_t by)
{
	const struct itimerspec now = {.it_value = {.tv_nsec = 1}};

	clock_ahead += by;
	was_set = 1;
	__real_timerfd_settime(timer_fd, 0, &now, NULL);
}

/* ---- what is common ------------------------------------------------------------------- */

static void write_script(unsigned marks)
{
	FILE *f = fopen(test_path("script"), "w");

	assert_non_null(f);
	fputs("upc-trace 1\n", f);
	while (marks--)
		fputs("c 100 0@10/3 17@10/6 35@10/2\ns\n", f);
	assert_int_equal(fclose(f), 0);
	test_cpus(2, "0-1\n");
}

static void refuse(const char *keys, const char *rest, int error, const char *place, const char *part)
{
	const struct service_options options = {.config = test_path("config"), .state = test_path("state")};
	struct service *s;
	char whole[300], *message;

	test_config(keys, rest);
	unlink(test_path("state"));
	assert_int_equal(service_open(&options, &s, &message), error);
	assert_null(s);
	snprintf(whole, sizeof(whole), "%s%s", test_path("config"), place);
	if (!message || strncmp(message, whole, strlen(whole)) || !strstr(message, part))
		fail_msg("%s is not %s: %s", message, whole, part);
	free(message);
}

TEST(what_a_configuration_may_not_say)
{
	write_script(1);
	refuse("", "add PU0_JPIPE_INSTRUCTION\nfinalize\n", UPC_ENOEVENT, ":2:5: ", "PU0_JPIPE_INSTRUCTIONS");
	refuse("", "add PU0_JPIPE_INSTRUCTIONS\n  add  PU0_JPIPE_INSTRUCTIONS scope=node\nfinalize\n",
	       UPC_EINVAL, ":3:8: ", "is called so already (scope=cpu)");
	refuse("", "cgroup a /nowhere\nfinalize\n", UPC_ENOSUPP, ":2:10: ", "no control groups");
	refuse("", "add PU0_JPIPE_INSTRUCTIONS scope=cgroup\nfinalize\n", UPC_EINVAL,
	       ":2:5: ", "no control group");
	refuse("", "finalize\nhalt x\n", UPC_ENOEVENT, ":3:6: ", "no counter is called x");
	refuse("", "add PU0_JPIPE_INSTRUCTIONS as=j\nfinalize\n\nreassign j NOT_THERE\n", UPC_ENOEVENT,
	       ":5:10: ", "NOT_THERE");
	refuse("source=replay:/a", "finalize\n", UPC_EINVAL, ":1:", "source= is there twice");
	/* Two inputs of one counter, of which the second is to blame, or both together. */
	refuse("",
	       "add PU0_JPIPE_INSTRUCTIONS as=a\nadd PU1_JPIPE_INSTRUCTIONS as=b\nadd PU0_JPIPE_ADD_SUB:mode=rise "
	       "PU0_JPIPE_ADD_SUB\nfinalize\n",
	       UPC_ECONFLICT, ":4:", "PU0_JPIPE_ADD_SUB");
	/* Nothing is left of it. */
	assert_int_equal(access(test_path("config"), F_OK), 0);
}

TEST(no_script)
{
	const struct service_options options = {.config = test_path("config")};
	struct service *s;
	char *message;

	test_put("config", "initialize source=replay:/nowhere/script\nfinalize\n");
	assert_int_equal(service_open(&options, &s, &message), UPC_ENOEVENT);
	assert_non_null(strstr(message, "config:1:1: "));
	assert_non_null(strstr(message, "/nowhere/script"));
	free(message);
	unlink(test_path("config"));
	assert_int_equal(service_open(&options, &s, &message), UPC_EINVAL);
	assert_non_null(strstr(message, "No such file"));
	free(message);
}

/* A counter that one CPU refuses is on none. Here the event needs the counter that j takes on CPU 1. */
TEST(all_places_or_none)
{
	struct service *s;
	const struct service_sample *sample;

	write_script(100);
	test_config("", "add PU{cpu}_JPIPE_INSTRUCTIONS as=j\nfinalize\n");
	s = test_open_with(NULL);
	test_bad(s, "add PU1_JPIPE_INSTRUCTIONS:mode=rise as=k scope=cpu", UPC_ECONFLICT, "cpu1: ");
	test_bad(s, "reassign j PU0_JPIPE_INSTRUCTIONS:mode=ris as=k", UPC_ENOSUPP, "");
	/* On CPU 0 k was there for a moment. An event that both CPUs take can be added then. */
	test_good(s, "add PU1_JPIPE_ADD_SUB as=l scope=cpu");
	sample = service_sample_get(s, 60000);
	assert_int_equal(sample->counters, 2);
	assert_int_equal(test_find(sample, "j")->value[0].value, 30);
	assert_int_equal(test_find(sample, "j")->value[1].value, 20);
	service_sample_put(sample);
	/* A reassign that CPU 1 refuses leaves the counts. */
	test_bad(s, "reassign l PU1_JPIPE_INSTRUCTIONS:mode=rise as=m", UPC_ECONFLICT, "cpu1: ");
	sample = service_sample_get(s, 60000);
	assert_int_equal(test_find(sample, "j")->value[0].value, 60);
	assert_int_equal(test_find(sample, "l")->value[1].running_ns, 200);
	service_sample_put(sample);
	service_close(s);
}

TEST(what_cannot_be_counted)
{
	struct service *s;
	const struct service_sample *sample;
	const struct service_counter *c;
	const char *reply;

	write_script(100);
	test_config("", "add NOT_THERE PU9_X optional=yes\nadd PU0_JPIPE_INSTRUCTIONS as=j\nfinalize\n");
	s = test_open_with(NULL);
	sample = service_sample_get(s, 60000);
	assert_int_equal(sample->counters, 3);
	c = test_find(sample, "NOT_THERE");
	assert_int_equal(c->value[0].state, SERVICE_FAILED);
	assert_non_null(strstr(c->why, "NOT_THERE"));
	assert_int_equal(test_find(sample, "j")->value[0].value, 30);
	assert_string_equal(test_find(sample, "j")->why, "");
	service_sample_put(sample);
	assert_int_equal(test_command(s, "rewrite ALL", &reply), 0);
	assert_non_null(strstr(reply, "2 places count, 4 cannot"));
	/* Commands for counters that do not count: a halt of all, and others by name. */
	test_good(s, "halt ALL");
	test_good(s, "continue NOT_THERE j");
	test_good(s, "reassign NOT_THERE PU1_JPIPE_INSTRUCTIONS as=k");
	sample = service_sample_get(s, 60000);
	assert_int_equal(test_find(sample, "k")->value[1].value, 20);
	assert_int_equal(test_find(sample, "k")->number, 1);
	service_sample_put(sample);
	test_good(s, "remove PU9_X k");
	service_close(s);
}

/* The counter that an event needs is taken (here by another event of the service). The event counts once
 * that counter is free, without a command. */
TEST(taken_and_free)
{
	struct service *s;
	const struct service_sample *sample;
	enum service_state now = SERVICE_TAKEN;

	write_script(100);
	test_config("", "add PU0_JPIPE_INSTRUCTIONS as=j scope=node\nfinalize\n");
	s = test_open_with(NULL);
	test_good(s, "add PU2_JPIPE_INSTRUCTIONS as=k scope=node optional=yes");
	sample = service_sample_get(s, 60000);
	assert_int_equal(test_find(sample, "j")->value[0].state, SERVICE_COUNTING);
	assert_int_equal(test_find(sample, "k")->value[0].state, SERVICE_TAKEN);
	assert_non_null(strstr(test_find(sample, "k")->why, "need the same counter 0"));
	service_sample_put(sample);
	test_good(s, "remove j");
	for (unsigned i = 0; i < 3000 && now == SERVICE_TAKEN; i++) {
		usleep(10000);
		sample = service_sample_get(s, 60000);
		now = test_find(sample, "k")->value[0].state;
		service_sample_put(sample);
	}
	assert_int_equal(now, SERVICE_COUNTING);
	service_close(s);
}

TEST(lists)
{
	struct service *s;
	const char *reply;

	write_script(100);
	test_config(
		"",
		"add PU0_JPIPE_INSTRUCTIONS as=j scope=node\nadd PU1_JPIPE_INSTRUCTIONS as=k\nfinalize\nhalt k\n");
	s = test_open_with(NULL);
	service_sample_put(service_sample_get(s, 60000));
	assert_int_equal(test_command(s, "ls j", &reply), 0);
	assert_non_null(strstr(reply, "\"message\":\"1 counter\""));
	assert_non_null(
		strstr(reply, "\"name\":\"\",\"state\":\"counting\",\"value\":30,\"running_ns\":100"));
	assert_null(strstr(reply, "\"k\""));
	assert_int_equal(test_command(s, "status", &reply), 0);
	assert_non_null(strstr(reply, "\"name\":\"cpu1\",\"state\":\"halted\",\"running_ns\":0"));
	test_bad(s, "ls x", UPC_ENOEVENT, "no counter is called x");
	test_bad(s, "initialize", UPC_EINVAL, "for a configuration only");
	test_bad(s, "resume", UPC_ESTATE, "nobody");
	service_close(s);
}

/* Whatever the words are, the answer is JSON, and no counter that counts is added. */
TEST(words_of_any_bytes)
{
	static const char *const verb[] = {"add",    "halt",    "reassign", "ls",
					   "remove", "rewrite", "continue", "status",
					   "yell",   "cgroup",  "",         "initialize"};
	char word[4][400], *reply;
	const char *words[5];
	struct service *s;
	const struct service_sample *sample;
	uint64_t seed = 3;

	write_script(2);
	test_config("", "add PU0_JPIPE_INSTRUCTIONS as=j\nfinalize\n");
	s = test_open_with(NULL);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned n = (unsigned)(random_next(&seed) % 4);
		json_t *json;

		words[0] = verb[random_next(&seed) % (sizeof(verb) / sizeof(*verb))];
		for (unsigned k = 0; k < n; k++) {
			size_t length =
				random_next(&seed) % 20 ? random_next(&seed) % 8 : sizeof(word[k]) - 1;

			for (size_t b = 0; b < length; b++)
				word[k][b] = (char)(1 + random_next(&seed) % 255);
			word[k][length] = '\0';
			words[k + 1] = random_next(&seed) % 8 ? word[k] : "optional=yes";
		}
		service_command(s, words, n + 1, &reply);
		assert_non_null(reply);
		json = json_loads(reply, 0, NULL);
		if (!json || !json_is_boolean(json_object_get(json, "ok")) ||
		    !json_is_string(json_object_get(json, "message")))
			fail_msg("no answer: %s", reply);
		json_decref(json);
		free(reply);
	}
	/* An optional counter may be kept as failed; its name is short enough and has no ASCII controls. */
	sample = service_sample_get(s, 60000);
	for (unsigned i = 0; i < sample->counters; i++) {
		const struct service_counter *c = &sample->counter[i];

		assert_true(strlen(c->name) < UPC_NAME_MAX);
		assert_true(!strcmp(c->name, "j") || c->value[0].state == SERVICE_FAILED);
		for (const char *p = c->name; *p; p++)
			assert_true((unsigned char)*p >= ' ' && *p != 0x7f);
	}
	service_sample_put(sample);
	service_close(s);
}

/* A derived event shares what it is made of with plain ones; halts of these do not touch it. */
TEST(derived)
{
	struct service *s;
	const struct service_sample *sample;
	const char *reply;

	write_script(100);
	test_config("", "add PU0_JPIPE_INSTRUCTIONS as=j scope=node\nfinalize\n");
	s = test_open_with(NULL);
	test_good(s, "add LST_INS as=d scope=node");
	test_good(s, "add PU0_DATA_LOADS as=t scope=node");
	test_good(s, "halt t");
	sample = service_sample_get(s, 60000);
	assert_int_equal(test_find(sample, "d")->value[0].value, 60);
	assert_int_equal(test_find(sample, "t")->value[0].state, SERVICE_HALTED);
	service_sample_put(sample);
	test_good(s, "continue t");
	test_good(s, "halt d");
	service_sample_put(service_sample_get(s, 60000));
	test_good(s, "continue d");
	sample = service_sample_get(s, 60000);
	assert_int_equal(test_find(sample, "d")->value[0].value, 120);
	assert_int_equal(test_find(sample, "t")->value[0].value, 120);
	service_sample_put(sample);
	assert_int_equal(test_command(s, "remove t", &reply), 0);
	sample = service_sample_get(s, 60000);
	assert_int_equal(test_find(sample, "d")->value[0].value, 180);
	assert_int_equal(test_find(sample, "d")->value[0].running_ns, 300);
	service_sample_put(sample);
	service_close(s);
}

/* ---- time ------------------------------------------------------------------------------- */

TEST(multiples)
{
	assert_true(worker_next_due(0, 10) == 10);
	assert_true(worker_next_due(9, 10) == 10);
	assert_true(worker_next_due(10, 10) == 20);
	assert_true(worker_next_due(UINT64_C(1795470878123456789), SECOND) == UINT64_C(1795470879000000000));
}

/* The next sample that is due after this time. */
static uint64_t next_due(struct service *s, uint64_t than, bool other, uint64_t *samples)
{
	for (unsigned i = 0; i < 20000; i++) {
		const struct service_sample *sample = service_sample_get(s, 0);
		uint64_t due = sample->due_ns, n = sample->samples, time = sample->time_ns;

		service_sample_put(sample);
		if (n > *samples && (other ? due != than : due > than)) {
			*samples = n;
			assert_true(time >= due);
			assert_int_equal(due % (20 * SECOND / 1000), 0);
			return due;
		}
		usleep(1000);
	}
	fail_msg("no sample for long");
	return 0;
}

TEST(steps_of_the_clock)
{
	struct service *s;
	const struct service_sample *sample;
	uint64_t due, before, samples = 1;

	write_script(100);
	test_config("interval=20ms", "add PU0_JPIPE_INSTRUCTIONS as=j scope=node\nfinalize\n");
	s = test_open_with(NULL);
	due = next_due(s, 0, true, &samples);
	due = next_due(s, due, false, &samples);
	/* An hour forward: the next sample is due at a multiple of the interval in the new time; the samples
	 * of the skipped hour are not made up for. */
	before = samples;
	set_clock(INT64_C(3600) * (int64_t)SECOND);
	due = next_due(s, due + 3000 * SECOND, false, &samples);
	assert_in_range(samples, before + 1, before + 100);
	/* A day back: the samples go on as well. */
	set_clock(INT64_C(-86400) * (int64_t)SECOND);
	for (before = due; due >= before - 80000 * SECOND;)
		due = next_due(s, due, true, &samples);
	due = next_due(s, due, false, &samples);
	sample = service_sample_get(s, 0);
	assert_non_null(strstr(sample->message, "the clock was set"));
	assert_true(sample->interval_ns == 20000000);
	service_sample_put(sample);
	service_close(s);
	clock_ahead = 0;
}

/* With an interval a new counter has no value before the next sample is due. */
TEST(opening)
{
	struct service *s;
	const struct service_sample *sample;

	write_script(100);
	test_config("interval=24h", "add PU0_JPIPE_INSTRUCTIONS as=j scope=node\nfinalize\n");
	s = test_open_with(NULL);
	test_good(s, "add PU1_JPIPE_INSTRUCTIONS as=k scope=node");
	test_good(s, "halt j");
	test_good(s, "continue j");
	sample = service_sample_get(s, 60000);
	assert_int_equal(test_find(sample, "k")->value[0].state, SERVICE_OPENING);
	assert_int_equal(test_find(sample, "j")->value[0].state, SERVICE_COUNTING);
	assert_int_equal(sample->samples, 1);
	service_sample_put(sample);
	service_close(s);
}

/* ---- the saved state, through the service -------------------------------------------------- */

static unsigned id_of(struct service *s, const char *name, uint64_t *value)
{
	const struct service_sample *sample = service_sample_get(s, 60000);
	const struct service_counter *c = test_find(sample, name);
	unsigned id = c->id;

	*value = c->value[0].value;
	service_sample_put(sample);
	return id;
}

TEST(another_configuration)
{
	struct service *s;
	const struct service_sample *sample;
	uint64_t value, generation;
	unsigned j, k;

	unlink(test_path("state"));
	write_script(100);
	test_config("", "add PU0_JPIPE_INSTRUCTIONS as=j\nadd PU1_JPIPE_INSTRUCTIONS as=k\nfinalize\n");
	s = test_open_with(test_path("state"));
	j = id_of(s, "j", &value);
	k = id_of(s, "k", &value);
	test_good(s, "halt k");
	generation = service_generation(s);
	service_close(s);
	/* j goes on, k counts another event, l is new. */
	test_config(
		"",
		"add PU1_JPIPE_ADD_SUB as=l\nadd PU0_JPIPE_ADD_SUB as=k\nadd PU0_JPIPE_INSTRUCTIONS as=j\nfinalize\n");
	s = test_open_with(test_path("state"));
	sample = service_sample_get(s, 60000);
	assert_int_equal(test_find(sample, "j")->id, j);
	assert_int_equal(test_find(sample, "j")->value[0].value, 90);
	assert_true(test_find(sample, "k")->id > k && test_find(sample, "l")->id > k);
	assert_int_equal(test_find(sample, "k")->value[0].state, SERVICE_COUNTING);
	assert_int_equal(test_find(sample, "k")->value[0].value, 0);
	assert_true(sample->generation > generation);
	service_sample_put(sample);
	service_close(s);
}

TEST(a_full_disk)
{
	struct service *s;
	const struct service_sample *sample;
	uint64_t value, started;
	unsigned before, id;

	unlink(test_path("state"));
	write_script(100);
	test_config("", "add PU0_JPIPE_INSTRUCTIONS as=j\nfinalize\nhalt j\n");
	s = test_open_with(test_path("state"));
	test_good(s, "continue j");
	before = id_of(s, "j", &value);
	disk_full = true;
	assert_int_equal(id_of(s, "j", &value), before);
	sample = service_sample_get(s, 60000);
	assert_non_null(strstr(sample->message, "the state cannot be saved: No space left on device"));
	assert_int_equal(test_find(sample, "j")->value[0].value, 90);
	started = sample->started_ns;
	service_sample_put(sample);
	service_close(s);
	disk_full = false;
	/* The command "continue j" holds. The saved counts are too old: counts begin anew, as the message
	 * says. */
	s = test_open_with(test_path("state"));
	id = id_of(s, "j", &value);
	assert_true(id > before);
	assert_int_equal(value, 30);
	sample = service_sample_get(s, 60000);
	assert_true(sample->started_ns > started);
	assert_non_null(strstr(sample->message, "counts begin anew"));
	assert_int_equal(test_find(sample, "j")->value[0].state, SERVICE_COUNTING);
	service_sample_put(sample);
	service_close(s);
}

TEST(two_services)
{
	const struct service_options options = {.config = test_path("config"), .state = test_path("state")};
	struct service *s = test_open_with(test_path("state")), *other;
	char *message;

	assert_int_equal(service_open(&options, &other, &message), UPC_ESTATE);
	assert_non_null(strstr(message, "another service has it"));
	free(message);
	service_close(s);
}

/* ---- this machine --------------------------------------------------------------------------- */

/* Its own clocks and files, which every user has. */
TEST(a_live_node)
{
	struct service *s;
	const struct service_options options = {.config = test_path("config")};
	const struct service_sample *one, *two;
	const struct service_counter *c;
	char *message;

	test_put("config", "initialize\nadd time::raw_ns scope=node as=t\nfinalize\n");
	if (service_open(&options, &s, &message))
		fail_msg("%s", message);
	test_bad(s, "add time::process_cpu_ns scope=node", UPC_ENOSUPP, "");
	one = service_sample_get(s, 60000);
	two = service_sample_get(s, 60000);
	c = test_find(two, "t");
	assert_int_equal(c->value[0].state, SERVICE_COUNTING);
	assert_true(c->value[0].value >= test_find(one, "t")->value[0].value);
	assert_true(two->time_ns >= one->time_ns && two->samples == one->samples + 1);
	service_sample_put(one);
	test_good(s, "halt t");
	service_close(s);
	/* A sample is valid until it is put, also after its service is closed. */
	assert_string_equal(c->name, "t");
	service_sample_put(two);
}

/* Fields of files, of which every machine has some hundreds. */
static unsigned find_fields(char name[][UPC_NAME_MAX], unsigned most)
{
	struct upc_event_info info = {.size = sizeof(info)};
	struct upc_catalogue *c;
	unsigned n = 0;

	assert_int_equal(upc_catalogue_open(NULL, &c), 0);
	for (uint32_t code = 0; code < upc_catalogue_count(c) && n < most; code++)
		if (!upc_catalogue_info(c, code, &info) && info.source == UPC_SOURCE_FILE &&
		    info.scope == UPC_SCOPE_MACHINE)
			snprintf(name[n++], UPC_NAME_MAX, "%s", info.name);
	upc_catalogue_close(c);
	return n;
}

/* A place has 256 counters: of 257 none is added, and then 256 are. */
TEST(one_too_many)
{
	static char name[UPC_COUNTERS + 1][UPC_NAME_MAX];
	const char *word[UPC_COUNTERS + 2] = {"add"};
	const struct service_options options = {0};
	unsigned n = find_fields(name, UPC_COUNTERS + 1);
	const struct service_sample *sample;
	struct service *s;
	char *text;

	if (n <= UPC_COUNTERS)
		skip_because("this machine's /proc and /sys have %u fields", n);
	for (unsigned i = 0; i < n; i++)
		word[i + 1] = name[i];
	assert_int_equal(service_open(&options, &s, &text), 0);
	assert_int_equal(service_command(s, word, n + 1, &text), UPC_ECONFLICT);
	assert_non_null(strstr(text, "256"));
	free(text);
	sample = service_sample_get(s, 60000);
	assert_int_equal(sample->counters, 0);
	service_sample_put(sample);
	assert_int_equal(service_command(s, word, n, &text), 0);
	free(text);
	assert_int_equal(service_command(s, (const char *[]){"add", name[n - 1]}, 2, &text), UPC_ECONFLICT);
	free(text);
	/* It can take the place of another counter. */
	assert_int_equal(service_command(s, (const char *[]){"reassign", name[7], name[n - 1]}, 3, &text), 0);
	free(text);
	sample = service_sample_get(s, 60000);
	assert_int_equal(sample->counters, UPC_COUNTERS);
	assert_string_equal(sample->counter[7].event, name[n - 1]);
	assert_int_equal(sample->counter[7].number, 8);
	service_sample_put(sample);
	service_close(s);
}

TEST(no_configuration)
{
	const struct service_options options = {0};
	const struct service_sample *sample;
	struct service *s;
	char *message;

	assert_int_equal(service_open(&options, &s, &message), 0);
	sample = service_sample_get(s, 60000);
	assert_int_equal(sample->counters, 0);
	assert_int_equal(sample->places[SERVICE_NODE], 1);
	assert_true(sample->places[SERVICE_CPU] > 0);
	service_sample_put(sample);
	service_close(s);
	service_close(NULL);
	service_sample_put(NULL);
}

/* ---- threads ----------------------------------------------------------------------------------- */

static struct service *shared;
static atomic_bool ended;

static void *sampling(void *arg)
{
	uint64_t generation = 0, samples = 0;

	while (!ended) {
		const struct service_sample *sample = service_sample_get(shared, arg ? 60000 : 0);

		assert_true(sample->generation >= generation && sample->samples >= samples);
		generation = sample->generation;
		samples = sample->samples;
		for (unsigned i = 0; i < sample->counters; i++)
			assert_true(sample->counter[i].id && *sample->counter[i].name);
		service_sample_put(sample);
		assert_true(service_generation(shared) >= generation);
		/* Without a pause no other thread would run under valgrind. */
		if (!arg)
			usleep(100);
	}
	return NULL;
}

static void *commanding(void *arg)
{
	static const char *const event[3][2] = {{"PU0_JPIPE_LOGICAL_OPS", "PU0_JPIPE_ADD_SUB"},
						{"PU1_JPIPE_LOGICAL_OPS", "PU1_JPIPE_ADD_SUB"},
						{"PU1_JPIPE_INSTRUCTIONS", "PU0_JPIPE_INSTRUCTIONS"}};
	unsigned who = (unsigned)(uintptr_t)arg;
	char line[128];

	for (unsigned i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "add %s as=t%u", event[who][0], who);
		test_good(shared, line);
		snprintf(line, sizeof(line), "halt t%u", who);
		test_good(shared, line);
		snprintf(line, sizeof(line), "reassign t%u %s as=u%u", who, event[who][1], who);
		test_good(shared, line);
		test_good(shared, "ls");
		snprintf(line, sizeof(line), "remove u%u", who);
		test_good(shared, line);
	}
	test_forget();
	return NULL;
}

TEST(threads_at_once)
{
	pthread_t sampler[3], commander[3];

	write_script(100);
	unlink(test_path("state"));
	test_config("", "add PU0_JPIPE_INSTRUCTIONS as=j\nfinalize\n");
	shared = test_open_with(test_path("state"));
	for (uintptr_t i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&sampler[i], NULL, sampling, (void *)i), 0);
		assert_int_equal(pthread_create(&commander[i], NULL, commanding, (void *)i), 0);
	}
	for (unsigned i = 0; i < 3; i++)
		pthread_join(commander[i], NULL);
	ended = true;
	for (unsigned i = 0; i < 3; i++)
		pthread_join(sampler[i], NULL);
	service_close(shared);
}

/* The state of a counter is that of its worst place, in the answer to "ls" and in samples. */
TEST(worst_place)
{
	static const enum service_state order[] = {SERVICE_COUNTING, SERVICE_OPENING, SERVICE_HALTED,
						   SERVICE_OFFLINE,  SERVICE_YIELDED, SERVICE_TAKEN,
						   SERVICE_FAILED};
	const struct service_sample *sample;
	struct service_value value[3] = {{0}};
	struct service_counter counter = {.value = value};
	const char *reply;
	struct service *s;

	for (unsigned i = 0; i < SERVICE_STATES; i++)
		for (unsigned k = 0; k <= i; k++) {
			value[0].state = value[2].state = order[k];
			value[1].state = order[i];
			assert_int_equal(service_counter_state(&counter, 3), order[i]);
		}
	assert_int_equal(service_counter_state(&counter, 0), SERVICE_OFFLINE);
	write_script(3);
	test_cpus(2, "0\n");
	test_config("", "add PU{cpu}_JPIPE_INSTRUCTIONS as=j\nfinalize\nhalt j\n");
	s = test_open_with(NULL);
	assert_int_equal(test_command(s, "ls j", &reply), 0);
	assert_non_null(strstr(reply, "\"state\":\"offline\""));
	assert_non_null(strstr(reply, "\"state\":\"halted\""));
	sample = service_sample_get(s, 1000);
	assert_int_equal(service_counter_state(test_find(sample, "j"), 2), SERVICE_OFFLINE);
	service_sample_put(sample);
	service_close(s);
	test_forget();
}

int main(void)
{
	return run_own_tests(make_test_dir, test_end);
}
