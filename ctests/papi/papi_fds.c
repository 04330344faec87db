/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_fds - a program with few file descriptors: an event that needs one too
 * many is refused, the others count on, and the program can still open files.
 */
#include <fcntl.h>

#include "papi_util.h"

#define LIMIT 48

static int opens(void)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd < 0)
		return 0;
	close(fd);
	return 1;
}

int main(void)
{
	struct rlimit limit = {LIMIT, LIMIT};
	long long values[1024];
	int component = start_papi();
	int code = PAPI_NATIVE_MASK;
	int set = set_with(FAULTS);
	int first_error = PAPI_OK;
	int first_errno = 0;
	int added = 1;
	int refused = 0;
	int more;

	/* The hard limit too: the library may raise the soft one. */
	if (setrlimit(RLIMIT_NOFILE, &limit))
		skip_all("the limit of file descriptors cannot be set");
	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		char name[PAPI_MAX_STR_LEN];
		int error;

		/* Each of these needs a descriptor of its own. */
		if (PAPI_event_code_to_name(code, name) != PAPI_OK ||
		    (strncmp(name, "upc:::perf::", 12) && strncmp(name, "upc:::tp::", 10)))
			continue;
		errno = 0;
		error = PAPI_add_event(set, code);
		if (error == PAPI_OK) {
			added++;
		} else if (error == PAPI_ESYS) {
			if (first_error == PAPI_OK) {
				first_error = error;
				first_errno = errno;
			}
			if (++refused == 20)
				break;
		}
	}
	if (!refused && !machine_traces()) {
		skip("this machine has too few perf events (%d) to use up %d descriptors", added, LIMIT);
	} else {
		ok(first_error == PAPI_ESYS && first_errno == EMFILE,
		   "an event too many is PAPI_ESYS, EMFILE: %s, errno %d", PAPI_strerror(first_error),
		   first_errno);
		ok(added > 5, "%d events came before it", added);
	}
	ok(PAPI_num_events(set) == added, "the set has the %d events that it had", added);
	ok(opens(), "the program opens a file");
	ok(PAPI_start(set) == PAPI_OK, "the set starts");
	touch_pages(100);
	ok(opens(), "the program opens a file while it runs");
	ok(PAPI_stop(set, values) == PAPI_OK && about(values[0], 100), "and counts: %lld", values[0]);
	ok(PAPI_cleanup_eventset(set) == PAPI_OK && PAPI_destroy_eventset(&set) == PAPI_OK, "cleanup");
	set = set_with(FAULTS);
	ok(set != PAPI_NULL && still_counts(set, 1), "the descriptors came back: a new set counts");
	drop(&set);
	PAPI_shutdown();
	return done();
}
