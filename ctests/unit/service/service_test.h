/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service_test.h - a service behind a script, in a directory of the test's own, with CPUs as it likes.
 */
#ifndef SERVICE_TEST_H
#define SERVICE_TEST_H

#include "service/service.h"
#include "unit/test_dir.h"

/* Two NUMA nodes with n CPUs together, of which those in online are. */
static inline void test_cpus(unsigned n, const char *online)
{
	char text[32];

	snprintf(text, sizeof(text), "0-%u\n", n - 1);
	test_put("sys/devices/system/cpu/present", text);
	test_put("sys/devices/system/cpu/online", online);
	snprintf(text, sizeof(text), "0-%u\n", n / 2 - 1);
	test_put("sys/devices/system/node/node0/cpulist", text);
	snprintf(text, sizeof(text), "%u-%u\n", n / 2, n - 1);
	test_put("sys/devices/system/node/node1/cpulist", text);
}

/* Writes the configuration: behind the script "script", with the made CPUs. */
static inline void test_config(const char *keys, const char *rest)
{
	char text[4096];

	snprintf(text, sizeof(text), "initialize source=replay:%s sys=%s %s\n%s", test_path("script"),
		 test_path("sys"), keys, rest);
	test_put("config", text);
}

static inline struct service *test_open_with(const char *state)
{
	const struct service_options options = {.config = test_path("config"), .state = state};
	struct service *s;
	char *message;

	if (service_open(&options, &s, &message))
		fail_msg("%s", message ? message : "no message");
	free(message);
	return s;
}

static __thread char *test_last;

/* One command, its words separated by blanks; the result, and the reply until the thread's next call. A
 * thread's last one is freed by test_forget. */
static inline int test_command(struct service *s, const char *line, const char **reply)
{
	char text[8192];
	const char *word[1024];
	unsigned n = 0;
	int error;

	snprintf(text, sizeof(text), "%s", line);
	for (char *save, *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	free(test_last);
	error = service_command(s, word, n, &test_last);
	assert_non_null(test_last);
	if (reply)
		*reply = test_last;
	return error;
}

static inline void test_forget(void)
{
	free(test_last);
	test_last = NULL;
}

static inline void test_good(struct service *s, const char *line)
{
	const char *reply;

	if (test_command(s, line, &reply))
		fail_msg("%s: %s", line, reply);
	assert_non_null(strstr(reply, "\"ok\":true"));
}

static inline void test_bad(struct service *s, const char *line, int error, const char *part)
{
	uint64_t generation = service_generation(s);
	const char *reply;
	int code = test_command(s, line, &reply);

	if (code != error || !strstr(reply, part) || !strstr(reply, "\"ok\":false"))
		fail_msg("%s: %d, %s", line, code, reply);
	assert_true(service_generation(s) == generation);
}

static inline const struct service_counter *test_find(const struct service_sample *sample, const char *name)
{
	for (unsigned i = 0; i < sample->counters; i++)
		if (!strcmp(sample->counter[i].name, name))
			return &sample->counter[i];
	fail_msg("no counter is called %s", name);
	return NULL;
}

static inline int test_end(void **state)
{
	test_forget();
	return remove_test_dir(state);
}

#endif
