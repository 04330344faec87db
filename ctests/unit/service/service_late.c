/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service_late.c - unit tests of questions while a command takes long: they are answered with the last
 * sample. Here a remove waits until the test lets it go on.
 */
#include "service/counters.h"

#include <pthread.h>

#include "service_test.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool inside, go;

int __real_counters_remove(struct counters *c, struct counters_counter *const *list, unsigned n);
int __wrap_counters_remove(struct counters *c, struct counters_counter *const *list, unsigned n);

int __wrap_counters_remove(struct counters *c, struct counters_counter *const *list, unsigned n)
{
	pthread_mutex_lock(&mutex);
	inside = true;
	pthread_cond_broadcast(&changed);
	while (!go)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return __real_counters_remove(c, list, n);
}

static void *remove_one(void *arg)
{
	test_good(arg, "remove second");
	test_forget();
	return NULL;
}

static void replies(struct service *s, const char *line, const char *part, bool there)
{
	const char *reply;

	if (test_command(s, line, &reply) != 0)
		fail_msg("%s: %s", line, reply);
	if ((strstr(reply, part) != NULL) != there)
		fail_msg("%s: %s", line, reply);
}

TEST_WITH(test_questions, make_test_dir, test_end)
{
	pthread_t thread;
	struct service *s;
	const char *reply;

	test_put("config", "initialize interval=0 notice=no\n"
			   "add cpu::user_ns scope=node as=first\n"
			   "add vm::pgfault scope=node as=second\nfinalize\n");
	s = test_open_with(NULL);
	replies(s, "ls", "busy", false);
	assert_int_equal(pthread_create(&thread, NULL, remove_one, s), 0);
	pthread_mutex_lock(&mutex);
	while (!inside)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	replies(s, "ls", "the service is busy with another command", true);
	replies(s, "ls", "\"name\":\"second\"", true);
	replies(s, "ls first", "\"name\":\"second\"", false);
	replies(s, "status", "\"remark\":\"the service is busy", true);
	assert_int_equal(test_command(s, "ls nobody", &reply), UPC_ENOEVENT);
	assert_non_null(strstr(reply, "busy with another command"));
	assert_non_null(strstr(reply, "\"ok\":false"));
	pthread_mutex_lock(&mutex);
	go = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	/* Those that did not wait have left nothing behind. */
	replies(s, "ls", "busy", false);
	replies(s, "ls", "\"name\":\"second\"", false);
	replies(s, "status", "\"yields\":0", true);
	service_close(s);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
