/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_dir.h - a private directory for a test, which is removed at its end.
 */
#ifndef TEST_DIR_H
#define TEST_DIR_H

#include <sys/stat.h>

#include "unit_test.h"

static char test_dir[] = "/tmp/upc-test-XXXXXX";

/* Return a path in the directory. It remains valid for seven more calls. */
static inline const char *test_path(const char *name)
{
	static char path[8][256];
	static unsigned next;
	char *p = path[next++ % 8];

	snprintf(p, sizeof(path[0]), "%s/%s", test_dir, name);
	return p;
}

/* Write a file with this text. Create missing directories. If text is NULL, create only the directories; name
 * then ends with a slash. */
static inline void test_put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s", test_path(name));
	for (char *at = path + strlen(test_dir) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	if (!text)
		return;
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static inline int make_test_dir(void **state)
{
	(void)state;
	strcpy(test_dir + sizeof(test_dir) - sizeof("XXXXXX"), "XXXXXX");
	return mkdtemp(test_dir) ? 0 : -1;
}

static inline int remove_test_dir(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", test_dir);
	return system(command);
}

#endif
