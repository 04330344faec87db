/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * script_test.h - a catalogue that a replay script drives, from the script's text.
 */
#ifndef SCRIPT_TEST_H
#define SCRIPT_TEST_H

#include "../unit_test.h"

static inline struct upc_catalogue *open_script(const char *text)
{
	char path[] = "/tmp/upc-script-XXXXXX", source[64];
	struct upc_catalogue *catalogue;
	int fd = mkstemp(path), error;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	snprintf(source, sizeof(source), "replay:%s", path);
	setenv("UPC_SOURCE", source, 1);
	error = upc_catalogue_open(NULL, &catalogue);
	unsetenv("UPC_SOURCE");
	unlink(path);
	if (error)
		fail_msg("%s", upc_last_message());
	return catalogue;
}

#endif
