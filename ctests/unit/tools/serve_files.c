/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_files.c - files of a private node in the directory of nobody, where links and pipes may lie.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/common.h"
#include "serve/serve_children.h"
#include "serve/serve_pcp.h"

#include "../unit_test.h"

void util_error(const char *format, ...)
{
	(void)format;
}

static char place[] = "/tmp/serve_files.XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(place) && chdir(place) == 0 && mkdir("web", 0700) == 0 ? 0 : -1;
}

static int end(void **state)
{
	static const char *const made[] = {"web/pcp.conf", "web/pmproxy.conf", "web/log",
					   "pcp.conf",     "pmcd.conf",        "pmlogger.conf",
					   "root_upc",     "victim",           "machine.conf"};

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		unlink(made[i]);
	return rmdir("web") == 0 && chdir("/") == 0 && rmdir(place) == 0 ? 0 : -1;
}

static void put(const char *name, const char *text)
{
	FILE *out = fopen(name, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* A link that nobody has left is not written through. */
static void links(void **state)
{
	static struct serve_pcp pcp = {.conf = "machine.conf", .agent = "/a/pmdaupc", .module = "/a/pmcd.so"};
	const struct serve_files files = {.dir = place,
					  .config = "/a/config",
					  .interval_ns = 1000000000,
					  .user = "root",
					  .group = "root",
					  .web_user = "nobody",
					  .web_group = "nogroup"};
	char text[64] = "";
	struct stat s;
	FILE *in;

	(void)state;
	put("machine.conf", "PCP_BIN_DIR=/usr/bin\nPCP_RUN_DIR=/run/pcp\n");
	put("victim", "as it was\n");
	assert_int_equal(symlink("../victim", "web/pcp.conf"), 0);
	assert_int_equal(symlink("../victim", "web/pmproxy.conf"), 0);
	assert_true(serve_pcp_write(&pcp, &files));
	in = fopen("victim", "r");
	assert_non_null(in);
	assert_non_null(fgets(text, sizeof(text), in));
	fclose(in);
	assert_string_equal(text, "as it was\n");
	assert_int_equal(lstat("web/pcp.conf", &s), 0);
	assert_true(S_ISREG(s.st_mode));
	assert_int_equal(s.st_mode & 0777, 0644);
	assert_int_equal(lstat("pcp.conf", &s), 0);
	assert_int_equal(s.st_mode & 0777, 0600);
	/* ... and the files of before are written again. */
	assert_true(serve_pcp_write(&pcp, &files));
}

/* Nor is a log read that is a pipe, which nobody would ever write to, or a link. */
static void logs(void **state)
{
	char line[80] = "x";

	(void)state;
	put("victim", "Log for pmproxy\nwhat it says\n\nLog finished\n");
	serve_last_line("victim", line, sizeof(line));
	assert_string_equal(line, "what it says");
	assert_int_equal(symlink("../victim", "web/log"), 0);
	serve_last_line("web/log", line, sizeof(line));
	assert_string_equal(line, "");
	unlink("web/log");
	assert_int_equal(mkfifo("web/log", 0600), 0);
	alarm(20);
	serve_last_line("web/log", line, sizeof(line));
	alarm(0);
	assert_string_equal(line, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(links), cmocka_unit_test(logs)};

	return cmocka_run_group_tests(tests, begin, end);
}
