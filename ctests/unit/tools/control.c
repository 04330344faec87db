/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.c - unit tests of the tools' way to the node service: an answer in any pieces, and other listeners
 * at the socket: one that says nothing, ends, goes on for ever, or sends text that is no answer.
 */
#include "lib/control.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../test_dir.h"

static char path[80];

/* ---- what listens ---------------------------------------------------------------------- */

struct script {
	const char *text; /* is said when a line has come; NULL: nothing is */
	size_t length, piece;
	bool hold;    /* the connection stays until the client ends it */
	bool endless; /* the text again and again                      */
};

static struct script script;
static char heard[5000];
static int listening;
static pthread_t thread;

static bool put(int fd, const char *text, size_t length)
{
	while (length > 0) {
		size_t piece = script.piece > 0 && script.piece < length ? script.piece : length;
		ssize_t n = send(fd, text, piece, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		text += n;
		length -= (size_t)n;
	}
	return true;
}

static void *serve(void *arg)
{
	int fd = accept(listening, NULL, NULL);
	size_t n = 0;
	char byte;

	(void)arg;
	if (fd < 0)
		return NULL;
	while (n < sizeof(heard) - 1 && read(fd, heard + n, 1) == 1 && heard[n] != '\n')
		n++;
	heard[n] = '\0';
	if (script.text != NULL)
		while (put(fd, script.text, script.length) && script.endless)
			;
	while (script.hold && read(fd, &byte, 1) > 0)
		;
	close(fd);
	return NULL;
}

static void begin(struct script what)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	script = what;
	listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strcpy(address.sun_path, path);
	assert_return_code(bind(listening, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_return_code(listen(listening, 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
}

static void end(void)
{
	pthread_join(thread, NULL);
	close(listening);
	unlink(path);
}

static int setup(void **state)
{
	assert_int_equal(make_test_dir(state), 0);
	snprintf(path, sizeof(path), "%s/control", test_dir);
	unsetenv("UPC_CONTROL");
	return 0;
}

/* ---- tests ------------------------------------------------------------------------------- */

#define TEXT(t) .text = t, .length = sizeof(t) - 1

TEST_WITH(test_answer, setup, remove_test_dir)
{
	static const char *const word[] = {"halt", "a \"b\""};

	for (size_t piece = 0; piece < 30; piece += 7) {
		struct util_control control;
		json_t *answer;

		begin((struct script){TEXT("{\"ok\":false,\"message\":\"no \\u00e4\"}\n{\"ok\":true,"),
				      .piece = piece, .hold = true});
		assert_int_equal(util_control_open(&control, path), 0);
		assert_string_equal(control.path, path);
		answer = util_control_ask(&control, word, 2);
		assert_non_null(answer);
		assert_true(json_is_false(json_object_get(answer, "ok")));
		assert_string_equal(json_string_value(json_object_get(answer, "message")), "no \xc3\xa4");
		assert_string_equal(heard, "{\"words\":[\"halt\",\"a \\\"b\\\"\"]}");
		json_decref(answer);
		util_control_close(&control);
		end();
	}
}

static void refused(struct script what, const char *part)
{
	static const char *const word[] = {"ls"};
	struct util_control control;
	unsigned before = open_descriptors();

	begin(what);
	assert_int_equal(util_control_open(&control, path), 0);
	control.wait_ms = what.hold && what.text == NULL ? 50 : -1;
	assert_null(util_control_ask(&control, word, 1));
	if (strstr(control.why, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", control.why, part);
	assert_int_equal(control.fd, -1);
	util_control_close(&control);
	end();
	assert_int_equal(open_descriptors(), before);
}

TEST_WITH(test_no_answer, setup, remove_test_dir)
{
	refused((struct script){.text = NULL}, "has ended, or closed the connection, before it answered");
	refused((struct script){TEXT("{\"ok\":true,")}, "before it answered");
	refused((struct script){.hold = true}, "has not answered for 50 ms");
	refused((struct script){TEXT("\n")}, "no answer of a service");
	refused((struct script){TEXT("\0\xff\n")}, "no answer of a service");
	refused((struct script){TEXT("HTTP/1.1 400 Bad Request\r\n")}, "no answer of a service");
	refused((struct script){TEXT("[]\n")}, "no answer of a service");
	refused((struct script){TEXT("{\"ok\":1,\"message\":\"\"}\n")}, "no answer of a service");
	refused((struct script){TEXT("{\"ok\":true,\"message\":[]}\n")}, "no answer of a service");
	refused((struct script){TEXT("{\"ok\":true}\n")}, "no answer of a service");
}

TEST_WITH(test_endless, setup, remove_test_dir)
{
	size_t length = 1u << 20;
	char *text = malloc(length);

	memset(text, 'x', length);
	refused((struct script){.text = text, .length = length, .endless = true}, "and not ended");
	free(text);
}

TEST_WITH(test_words, setup, remove_test_dir)
{
	static const char *const word[] = {"ls", "\xff"}, *const good[] = {"ls"};
	struct util_control control;
	json_t *answer;

	begin((struct script){TEXT("{\"ok\":true,\"message\":\"\"}\n")});
	assert_int_equal(util_control_open(&control, path), 0);
	assert_null(util_control_ask(&control, word, 2));
	assert_non_null(strstr(control.why, "word 2 is no UTF-8"));
	/* Nothing was sent: the connection is as good as before. */
	answer = util_control_ask(&control, good, 1);
	assert_non_null(answer);
	json_decref(answer);
	util_control_close(&control);
	end();
}

static void not_there(const char *where, const char *part)
{
	struct util_control control;

	assert_int_equal(util_control_open(&control, where), -1);
	if (strstr(control.why, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", control.why, part);
	util_control_close(&control);
}

TEST_WITH(test_places, setup, remove_test_dir)
{
	struct util_control control;
	char longest[200];

	not_there(path, "no service listens at");
	memset(longest, 'x', 199);
	longest[199] = '\0';
	not_there(longest, "199 bytes, and at most 107");
	setenv("UPC_CONTROL", "/nowhere/control", 1);
	not_there(NULL, "/nowhere/control: No such file");
	begin((struct script){.text = NULL});
	setenv("UPC_CONTROL", path, 1);
	assert_int_equal(util_control_open(&control, NULL), 0);
	util_control_close(&control);
	end();
	/* A home that is relative or not set gives no path. */
	unsetenv("UPC_CONTROL");
	setenv("XDG_STATE_HOME", "state", 1);
	setenv("HOME", test_dir, 1);
	not_there(NULL, "/.local/state/upc/serve/run/control or /run/upc/control");
	unsetenv("HOME");
	not_there(NULL, "none listens at /run/upc/control");
}

UNIT_TESTS(control, NULL, NULL)
