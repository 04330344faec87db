/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_no_memory - an event is added to a set, which becomes a multiplexed one by it, and
 * libupc is refused its first, second, third ... piece of memory: the add fails, and the set
 * is as it was, and has no event twice.
 */
#include <dirent.h>
#include <dlfcn.h>

#include "papi_util.h"

#define MINOR "upc:::perf::MINOR-FAULTS"
#define CLOCK "upc:::perf::TASK-CLOCK"

static int countdown; /* allocations up to the one that is refused; 0: none is refused */

extern void *__libc_calloc(size_t n, size_t size);

/* Stands in front of the C library's function, which gives libupc the memory of a transaction's plan. */
__attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
	const void *caller = __builtin_return_address(0);
	Dl_info info;

	if (countdown && dladdr(caller, &info) && strstr(info.dli_fname, "libupc") && --countdown == 0)
		return NULL;
	return __libc_calloc(n, size);
}

static int descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n;
}

/* Creates a set of two events that may take turns. */
static int prepare(void)
{
	int set = set_with(FAULTS);

	if (set == PAPI_NULL || PAPI_add_named_event(set, MINOR) != PAPI_OK ||
	    PAPI_set_multiplex(set) != PAPI_OK)
		bail_out("no multiplexed set");
	return set;
}

/* Descriptors that the second event's removal gives back. */
static int given_back(int set)
{
	int before = descriptors();

	return PAPI_remove_named_event(set, MINOR) == PAPI_OK ? before - descriptors() : -1;
}

int main(void)
{
	int set, wanted, nth, error, refused, failures = 0;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip_all("a sanitizer has an allocator of its own");
#endif
	if (is_static())
		skip_all("a static program: its allocator cannot be told who calls");
	if (!machine_counts())
		skip_all("nothing may be counted here");
	setenv("UPC_QUIET", "1", 1);
	start_papi();
	set = prepare();
	wanted = given_back(set);
	drop(&set);
	for (nth = 1, refused = 1; refused && nth < 200; nth++) {
		set = prepare();
		setenv("UPC_MULTIPLEX_GROUP", "1", 1);
		countdown = nth;
		error = PAPI_add_named_event(set, CLOCK);
		refused = countdown == 0;
		countdown = 0;
		unsetenv("UPC_MULTIPLEX_GROUP");
		failures += error != PAPI_OK;
		if (error != PAPI_OK)
			ok(still_counts(set, 2) && given_back(set) == wanted,
			   "without memory %d: the set is as it was (%s)", nth, PAPI_strerror(error));
		drop(&set);
	}
	ok(error == PAPI_OK && failures > 3, "with it the event is added, after %d failures", failures);
	PAPI_shutdown();
	return done();
}
