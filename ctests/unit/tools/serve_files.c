/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_files.c - files of a private node in the directory of nobody, where links and pipes may lie.
 */
#include "lib/common.h"
#include "serve/serve_children.h"
#include "serve/serve_pcp.h"

#include "../test_dir.h"

void util_error(const char *format, ...)
{
	(void)format;
}

static int begin(void **state)
{
	return make_test_dir(state) || chdir(test_dir) || mkdir("web", 0700);
}

static int end(void **state)
{
	static const char *const made[] = {"web/pcp.conf", "web/pmproxy.conf", "web/log",
					   "pcp.conf",     "pmcd.conf",        "pmlogger.conf",
					   "root_upc",     "victim",           "machine.conf"};

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		unlink(made[i]);
	return rmdir("web") == 0 && chdir("/") == 0 && rmdir(test_dir) == 0 ? 0 : -1;
}

/* A link that the user nobody has left is not written through. */
TEST(links)
{
	static struct serve_pcp pcp = {.conf = "machine.conf", .agent = "/a/pmdaupc", .module = "/a/pmcd.so"};
	const struct serve_files files = {.dir = test_dir,
					  .config = "/a/config",
					  .interval_ns = 1000000000,
					  .user = "root",
					  .group = "root",
					  .web_user = "nobody",
					  .web_group = "nogroup"};
	char text[64] = "";
	struct stat s;
	FILE *in;

	test_put("machine.conf", "PCP_BIN_DIR=/usr/bin\nPCP_RUN_DIR=/run/pcp\n");
	test_put("victim", "as it was\n");
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

/* A log that is a pipe, to which no process would ever write, or a link is not read. */
TEST(logs)
{
	char line[80] = "x";

	test_put("victim", "Log for pmproxy\nwhat it says\n\nLog finished\n");
	serve_last_line("victim", line, sizeof(line));
	assert_string_equal(line, "what it says");
	assert_int_equal(symlink("../victim", "web/log"), 0);
	serve_last_line("web/log", line, sizeof(line));
	assert_string_equal(line, "");
	unlink("web/log");
	assert_int_equal(mkfifo("web/log", 0600), 0);
	alarm(600);
	serve_last_line("web/log", line, sizeof(line));
	alarm(0);
	assert_string_equal(line, "");
}

int main(void)
{
	return run_own_tests(begin, end);
}
