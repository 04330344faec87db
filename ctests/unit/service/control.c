/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.c - unit tests of the control socket: words arrive and answers come back, whatever its other
 * clients do: hang, send half a line or 10 MB, go in the middle of a command, come by the hundred.
 */
#include "service/control.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include "service/request.h"
#include "../unit_test.h"

#define PATIENCE_S 120 /* for what must come: a failure, not a time that is asserted */
#define BIG 4000000u

static char directory[60], path[80];
static struct control *control;

/* ---- a service -------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned runs, waiting, yields, resumes;
static bool gate_open, yield_fails;

static void wait_at_gate(void)
{
	pthread_mutex_lock(&mutex);
	waiting++;
	pthread_cond_broadcast(&changed);
	while (!gate_open)
		pthread_cond_wait(&changed, &mutex);
	waiting--;
	pthread_mutex_unlock(&mutex);
}

static char *big(void)
{
	char *text = malloc(BIG);

	assert_non_null(text);
	memset(text, ' ', BIG);
	memcpy(text, "{\"ok\":true,\"message\":\"big\"\n", 27);
	strcpy(text + BIG - 2, "}");
	return text;
}

/* Says its words back. "wait" does so when the gate opens, "ls big" says much, "fail" fails. */
static int command(void *arg, const char *const *word, unsigned words, char **reply)
{
	char text[REQUEST_WORD_MAX + 100] = "";
	bool ok = strcmp(word[0], "fail") != 0;

	assert_ptr_equal(arg, &control);
	assert_null(word[words]);
	if (strcmp(word[0], "wait") == 0)
		wait_at_gate();
	pthread_mutex_lock(&mutex);
	runs++;
	if (strcmp(word[0], "yield") == 0 && words == 1) {
		ok = !yield_fails;
		yields += ok;
	}
	resumes += strcmp(word[0], "resume") == 0;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	for (unsigned i = 0; i < words; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i == 0 ? "" : " ",
			 word[i]);
	*reply = strcmp(text, "ls big") == 0 ? big() : request_answer(ok, text);
	return ok ? 0 : UPC_EINVAL;
}

/* Waits until a number is what it should be. */
static void until(const unsigned *number, unsigned value)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&mutex);
	while (*number != value)
		if (pthread_cond_timedwait(&changed, &mutex, &end) != 0) {
			pthread_mutex_unlock(&mutex);
			fail_msg("it is %u, not %u", *number, value);
		}
	pthread_mutex_unlock(&mutex);
}

static unsigned now(const unsigned *number)
{
	unsigned value;

	pthread_mutex_lock(&mutex);
	value = *number;
	pthread_mutex_unlock(&mutex);
	return value;
}

static void open_gate(void)
{
	pthread_mutex_lock(&mutex);
	gate_open = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static int setup(void **state)
{
	const struct control_calls calls = {.command = command, .arg = &control};
	char *message;

	(void)state;
	runs = waiting = yields = resumes = 0;
	gate_open = yield_fails = false;
	strcpy(directory, "/tmp/upc-control-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/control", directory);
	if (service_control_start(path, &calls, &control, &message) != 0)
		fail_msg("%s", message);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	open_gate();
	service_control_stop(control);
	assert_int_equal(access(path, F_OK), -1);
	return rmdir(directory);
}

/* ---- clients ---------------------------------------------------------------------------- */

/* A connection, or -1. */
static int try_connect(void)
{
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	strcpy(address.sun_path, path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static int new_client(void)
{
	int fd = try_connect();

	assert_true(fd >= 0);
	return fd;
}

static void say(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = send(fd, text, length, MSG_NOSIGNAL);

		if (n <= 0)
			return; /* refused by now: the answer says so */
		text += n;
		length -= (size_t)n;
	}
}

#define SAY(fd, text) say(fd, text, sizeof(text) - 1)

static void ask(int fd, const char *a, const char *b)
{
	const char *const word[] = {a, b};
	char why[REQUEST_WHY_MAX], *line = request_write(word, b != NULL ? 2 : 1, why);

	if (line == NULL)
		fail_msg("%s", why);
	say(fd, line, strlen(line));
	free(line);
}

/* The next line; NULL at the end. Until the next call. */
static const char *hear(int fd)
{
	static char line[BIG + 1000];
	size_t n = 0;

	for (;;) {
		ssize_t got = recv(fd, line + n, 1, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != ECONNRESET)
			fail_msg("no answer: %s", strerror(errno));
		if (got <= 0)
			return NULL;
		if (line[n] == '\n')
			break;
		assert_in_range(++n, 1, BIG + 900);
	}
	line[n] = '\0';
	return line;
}

/* The message of the next answer. */
static const char *answer(int fd, bool ok)
{
	static char message[REQUEST_WORD_MAX + 100];
	const char *line = hear(fd), *text;
	json_t *root;

	assert_non_null(line);
	root = json_loads(line, 0, NULL);
	assert_non_null(root);
	text = json_string_value(json_object_get(root, "message"));
	assert_non_null(text);
	if (json_is_true(json_object_get(root, "ok")) != ok)
		fail_msg("%s", text);
	snprintf(message, sizeof(message), "%s", text);
	json_decref(root);
	return message;
}

static void answers(int fd, bool ok, const char *part)
{
	const char *message = answer(fd, ok);

	if (strstr(message, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", message, part);
}

/* ---- tests ------------------------------------------------------------------------------ */

TEST_WITH(test_answers, setup, teardown)
{
	int a = new_client(), b = new_client();

	ask(a, "halt", "ALL");
	ask(b, "fail", "\xe2\x82\xac");
	answers(b, false, "fail \xe2\x82\xac");
	answers(a, true, "halt ALL");
	/* Several lines at once are answered in their order; the last one is cut. */
	SAY(a, "{\"words\":[\"one\"]}\n{\"words\":[\"ls\"]}\n{}\n\n{\"words\":[\"fo");
	answers(a, true, "one");
	answers(a, true, "ls");
	answers(a, false, "no list");
	answers(a, false, "no line");
	ask(b, "status", NULL);
	answers(b, true, "status");
	SAY(a, "ur\"]}\n");
	answers(a, true, "four");
	close(a);
	close(b);
}

/* A client that has shut down its sending side still gets the answers to its whole lines. */
TEST_WITH(test_half_closed, setup, teardown)
{
	int a = new_client();

	SAY(a, "{\"words\":[\"wait\"]}\n{\"words\":[\"ls\"]}\n{\"words\"");
	shutdown(a, SHUT_WR);
	until(&waiting, 1);
	open_gate();
	answers(a, true, "wait");
	answers(a, true, "ls");
	assert_null(hear(a));
	close(a);
}

TEST_WITH(test_question_during_a_change, setup, teardown)
{
	int a = new_client(), b = new_client(), c = new_client();

	ask(a, "wait", NULL);
	until(&waiting, 1);
	ask(c, "halt", "ALL");
	for (unsigned i = 0; i < 100; i++) {
		ask(b, "ls", NULL);
		answers(b, true, "ls");
	}
	assert_int_equal(now(&runs), 100);
	open_gate();
	answers(a, true, "wait");
	answers(c, true, "halt ALL");
	close(a);
	close(b);
	close(c);
}

TEST_WITH(test_gone_in_the_middle, setup, teardown)
{
	int a = new_client(), b = new_client();

	ask(a, "wait", NULL);
	until(&waiting, 1);
	close(a);
	ask(b, "ls", NULL);
	answers(b, true, "ls");
	open_gate();
	until(&runs, 2);
	ask(b, "halt", NULL);
	answers(b, true, "halt");
	/* Clients also go before there is an answer to read. */
	for (unsigned i = 0; i < 50; i++) {
		a = new_client();
		ask(a, i % 2 == 0 ? "ls" : "halt", "big");
		close(a);
	}
	ask(b, "ls", NULL);
	answers(b, true, "ls");
	close(b);
}

TEST_WITH(test_does_not_read, setup, teardown)
{
	int a = new_client(), b = new_client();
	const char *line;

	for (unsigned i = 0; i < 5; i++)
		ask(a, "ls", "big");
	for (unsigned i = 0; i < 20; i++) {
		ask(b, "ls", NULL);
		answers(b, true, "ls");
	}
	/* No second answer is made for a client that has not read the first. */
	assert_in_range(now(&runs), 20, 21);
	line = hear(a);
	assert_non_null(line);
	assert_int_equal(strlen(line), BIG - 1);
	close(a);
	ask(b, "ls", NULL);
	answers(b, true, "ls");
	close(b);
}

TEST_WITH(test_endless_line, setup, teardown)
{
	char *text = malloc(10u << 20);
	int a = new_client(), b = new_client();

	memset(text, 'x', 10u << 20);
	say(a, text, 10u << 20);
	answers(a, false, "more than 65536 bytes");
	assert_null(hear(a));
	close(a);
	/* The longest that is taken, and one byte more. */
	memset(text, ' ', REQUEST_MAX);
	memcpy(text, "{\"words\":[\"ls\"]}", 16);
	text[REQUEST_MAX] = '\n';
	say(b, text, REQUEST_MAX + 1);
	answers(b, true, "ls");
	text[REQUEST_MAX] = ' ';
	text[REQUEST_MAX + 1] = '\n';
	say(b, text, REQUEST_MAX + 2);
	answers(b, false, "more than 65536 bytes");
	assert_null(hear(b));
	close(b);
	free(text);
}

TEST_WITH(test_names_of_64_kib, setup, teardown)
{
	char *name = malloc(REQUEST_MAX + 1);
	int a = new_client();

	memset(name, 'x', REQUEST_MAX);
	memcpy(name, "{\"words\":[\"halt\",\"", 18);
	memcpy(name + REQUEST_MAX - 3, "\"]}\n", 4);
	say(a, name, REQUEST_MAX + 1);
	answers(a, false, "at most 4096");
	ask(a, "ls", NULL);
	answers(a, true, "ls");
	assert_int_equal(now(&runs), 1);
	close(a);
	free(name);
}

TEST_WITH(test_bytes, setup, teardown)
{
	static const struct {
		const char *text;
		size_t length;
	} lines[] = {
#define LINE(text) {text, sizeof(text) - 1}
		LINE("\0\0\0\0\n"),
		LINE("{\"words\":[\"halt\0\"]}\n"),
		LINE("{\"words\":[\"\xff\xfe\xc0\x80\"]}\n"),
		LINE("{\"words\":[\"\\u0000\"]}\n"),
		LINE("\x1b[2J\x1b]0;title\x07\n"),
		LINE("GET /pmapi/store?name=upc HTTP/1.1\r\n"),
		LINE("{\"words\":[1e999]}\n"),
		LINE("{\"words\":[\"ls\"],\"uid\":0}\n"),
#undef LINE
	};
	char deep[60001];
	int a = new_client();

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		say(a, lines[i].text, lines[i].length);
		answer(a, false);
	}
	memset(deep, '[', 60000);
	deep[60000] = '\n';
	say(a, deep, sizeof(deep));
	answer(a, false);
	ask(a, "ls", NULL);
	answers(a, true, "ls");
	assert_int_equal(now(&runs), 1);
	close(a);
}

TEST_WITH(test_random_bytes, setup, teardown)
{
	uint64_t seed = 4;
	char bytes[3000];
	int b = new_client();

	for (unsigned round = 0; round < 300; round++) {
		int a = new_client();
		size_t length = random_next(&seed) % sizeof(bytes);

		for (size_t i = 0; i < length; i++)
			bytes[i] = (char)random_next(&seed);
		say(a, bytes, length);
		close(a);
	}
	ask(b, "ls", NULL);
	answers(b, true, "ls");
	assert_int_equal(now(&runs), 1);
	close(b);
}

/* All 100 are answered in the end, though most are there before, and hang. */
TEST_WITH(test_hundred_connections, setup, teardown)
{
	int hang[100], fine = 0, let_go = 0;
	char byte;

	for (unsigned i = 0; i < 100; i++) {
		hang[i] = try_connect();
		if (hang[i] >= 0)
			SAY(hang[i], "{\"wor");
	}
	for (unsigned i = 0; i < 100; i++) {
		const char *line;
		int a;

		do {
			a = new_client();
			ask(a, "ls", NULL);
			line = hear(a);
			/* Another is let go when it has said nothing for a while. */
			if (line == NULL || strstr(line, "try again later") != NULL) {
				close(a);
				usleep(20000);
			}
		} while (line == NULL || strstr(line, "try again later") != NULL);
		fine += strstr(line, "\"ls\"") != NULL;
		close(a);
	}
	assert_int_equal(fine, 100);
	for (unsigned i = 0; i < 100; i++) {
		let_go += hang[i] < 0 || recv(hang[i], &byte, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN;
		close(hang[i]);
	}
	/* At least as many are let go as there is no room for; others may have made room for new clients. */
	assert_in_range(let_go, 100 - CONTROL_CLIENTS_MAX, 100);
}

/* A client that waits for an answer, or has yielded, is not let go for a new one. */
TEST_WITH(test_no_one_that_waits_is_let_go, setup, teardown)
{
	int yielded[CONTROL_YIELDS_MAX], more = new_client(), waits = new_client();
	int hang[CONTROL_CLIENTS_MAX];
	char byte;

	for (unsigned i = 0; i < CONTROL_YIELDS_MAX; i++) {
		yielded[i] = new_client();
		ask(yielded[i], "yield", NULL);
		answer(yielded[i], true);
	}
	ask(more, "yield", NULL);
	answers(more, false, "too many have yielded");
	ask(waits, "wait", NULL);
	until(&waiting, 1);
	sleep(1); /* or they would not be let go */
	for (unsigned i = 0; i < CONTROL_CLIENTS_MAX; i++)
		hang[i] = try_connect();
	for (;;) {
		int a = new_client();
		const char *line;

		ask(a, "ls", NULL);
		line = hear(a);
		close(a);
		if (line != NULL && strstr(line, "\"ls\"") != NULL)
			break;
		usleep(20000);
	}
	for (unsigned i = 0; i < CONTROL_YIELDS_MAX; i++)
		assert_true(recv(yielded[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
	open_gate();
	answers(waits, true, "wait");
	assert_int_equal(now(&resumes), 0);
	for (unsigned i = 0; i < CONTROL_YIELDS_MAX; i++)
		close(yielded[i]);
	until(&resumes, CONTROL_YIELDS_MAX);
	for (unsigned i = 0; i < CONTROL_CLIENTS_MAX; i++)
		close(hang[i]);
	close(more);
	close(waits);
	assert_int_equal(now(&yields), CONTROL_YIELDS_MAX);
}

TEST_WITH(test_each_yield_is_its_clients, setup, teardown)
{
	int a = new_client(), b = new_client(), c = new_client();

	ask(c, "resume", NULL);
	answers(c, false, "has not yielded");
	ask(a, "yield", NULL);
	answers(a, true, "yield");
	ask(a, "yield", NULL);
	answers(a, true, "already");
	assert_int_equal(now(&yields), 1);
	ask(b, "yield", NULL);
	answers(b, true, "yield");
	assert_int_equal(now(&yields), 2);
	assert_int_equal(now(&resumes), 0);
	close(a);
	until(&resumes, 1);
	ask(b, "resume", NULL);
	answers(b, true, "resume");
	assert_int_equal(now(&resumes), 2);
	ask(b, "resume", NULL);
	answers(b, false, "has not yielded");
	/* And again. */
	ask(b, "yield", NULL);
	answers(b, true, "yield");
	close(b);
	until(&resumes, 3);
	assert_int_equal(now(&yields), 3);
	close(c);
}

/* The clients that have yielded stand in the answers to "ls" and "status", and in no others. */
TEST_WITH(test_who_has_yielded, setup, teardown)
{
	int a = new_client(), b = new_client();
	char want[200];
	const char *line;

	ask(a, "yield", "for=\xc3\xa4 \"b\"");
	answers(a, true, "yield");
	snprintf(want, sizeof(want),
		 "\"yielded_for\":[{\"pid\":%d,\"uid\":%u,\"program\":\"\xc3\xa4 \\\"b\\\"\"}]",
		 (int)getpid(), (unsigned)geteuid());
	ask(b, "ls", NULL);
	line = hear(b);
	assert_non_null(line);
	if (strstr(line, want) == NULL)
		fail_msg("\"%s\" has no %s", line, want);
	ask(b, "ls", "big");
	line = hear(b);
	assert_non_null(strstr(line, want));
	ask(b, "halt", NULL);
	assert_null(strstr(hear(b), "yielded_for"));
	/* "yield" with other words is a command of the service, which may refuse it. */
	ask(b, "yield", "of=x");
	answers(b, true, "yield of=x");
	ask(b, "resume", NULL);
	answers(b, false, "has not yielded");
	ask(a, "resume", NULL);
	answers(a, true, "resume");
	ask(b, "status", NULL);
	assert_null(strstr(hear(b), "yielded_for"));
	close(a);
	close(b);
}

TEST_WITH(test_yielder_killed, setup, teardown)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_return_code(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int fd = try_connect();

		if (fd < 0)
			_exit(1);
		SAY(fd, "{\"words\":[\"yield\"]}\n");
		if (recv(fd, &byte, 1, 0) != 1 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(now(&resumes), 0);
	kill(pid, SIGKILL);
	assert_int_equal(end_of(pid), -SIGKILL);
	until(&resumes, 1);
}

/* A yield is made after its client is gone, and is taken back; or it fails then. */
TEST_WITH(test_yielder_gone_before, setup, teardown)
{
	int a = new_client(), b = new_client(), c = new_client();

	ask(c, "wait", NULL);
	until(&waiting, 1);
	ask(a, "yield", NULL);
	ask(b, "ls", NULL);
	answers(b, true, "ls");
	close(a);
	ask(b, "ls", NULL);
	answers(b, true, "ls");
	open_gate();
	answers(c, true, "wait");
	until(&resumes, 1);
	assert_int_equal(now(&yields), 1);

	pthread_mutex_lock(&mutex);
	yield_fails = true;
	pthread_mutex_unlock(&mutex);
	for (unsigned i = 0; i < 50; i++) {
		a = new_client();
		ask(a, "yield", NULL);
		close(a);
	}
	ask(b, "yield", NULL);
	answers(b, false, "yield");
	ask(b, "resume", NULL);
	answers(b, false, "has not yielded");
	assert_int_equal(now(&yields), 1);
	assert_int_equal(now(&resumes), 1);
	close(b);
	close(c);
}

TEST_WITH(test_another_user, setup, teardown)
{
	pid_t pid;

	if (geteuid() != 0)
		skip_because("only root can be another user");
	/* The modes let the other user connect; the service refuses his uid. */
	assert_return_code(chmod(directory, 0755), 0);
	assert_return_code(chmod(path, 0666), 0);
	pid = fork();
	if (pid == 0) {
		const char *line;
		int fd;

		if (setgid(65534) != 0 || setuid(65534) != 0)
			_exit(1);
		fd = try_connect();
		if (fd < 0)
			_exit(2);
		SAY(fd, "{\"words\":[\"halt\",\"ALL\"]}\n");
		line = hear(fd);
		if (line == NULL || strstr(line, "not from uid 65534") == NULL)
			_exit(3);
		_exit(hear(fd) == NULL ? 0 : 4);
	}
	assert_int_equal(end_of(pid), 0);
	assert_int_equal(now(&runs), 0);
}

/* Without free descriptors new clients wait; those that are connected do not. */
TEST_WITH(test_no_descriptors, setup, teardown)
{
	int a = new_client(), b = new_client(), lowest;
	rlim_t before;

	ask(a, "ls", NULL);
	answers(a, true, "ls");
	ask(b, "ls", NULL);
	answers(b, true, "ls");
	close(b);
	b = socket(AF_UNIX, SOCK_STREAM, 0);
	lowest = dup(b);
	close(lowest);
	before = limit_descriptors((rlim_t)lowest);
	{
		struct sockaddr_un address = {.sun_family = AF_UNIX};

		strcpy(address.sun_path, path);
		assert_return_code(connect(b, (struct sockaddr *)&address, sizeof(address)), 0);
	}
	ask(b, "halt", NULL);
	for (unsigned i = 0; i < 20; i++) {
		ask(a, "ls", NULL);
		answers(a, true, "ls");
	}
	limit_descriptors(before);
	answers(b, true, "halt");
	close(a);
	close(b);
}

TEST_WITH(test_ends_while_one_waits, setup, teardown)
{
	const struct control_calls calls = {.command = command, .arg = &control};
	int a = new_client(), b = new_client();
	struct control *second;
	unsigned before;
	char *message;

	ask(a, "yield", NULL);
	answers(a, true, "yield");
	assert_int_equal(service_control_start(path, &calls, &second, &message), UPC_ESTATE);
	assert_null(second);
	free(message);
	service_control_stop(control);
	control = NULL;
	assert_null(hear(a));
	assert_null(hear(b));
	close(a);
	close(b);
	before = open_descriptors();
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(service_control_start(path, &calls, &control, &message), 0);
		a = new_client();
		ask(a, "ls", NULL);
		service_control_stop(control);
		close(a);
	}
	control = NULL;
	assert_int_equal(open_descriptors(), before);
}

/* The threads all ask at once, as fast as they can. */
static void *busy(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 100; i++) {
		int fd = new_client();

		ask(fd, i % 3 == 0 ? "yield" : i % 3 == 1 ? "ls" : "halt", NULL);
		if (i % 5 != 0) {
			char bytes[200];

			assert_true(recv(fd, bytes, sizeof(bytes), 0) > 0);
		}
		close(fd);
	}
	return NULL;
}

TEST_WITH(test_many_threads, setup, teardown)
{
	pthread_t thread[8];

	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, busy, NULL), 0);
	for (unsigned i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	/* Each yield has its resume. */
	for (unsigned i = 0; i < PATIENCE_S * 100 && now(&resumes) != now(&yields); i++)
		usleep(10000);
	assert_int_equal(now(&resumes), now(&yields));
}

UNIT_TESTS(control, NULL, NULL)
