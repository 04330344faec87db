/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_share - $UPC_SHARE shows the units of running sets to other processes.
 */
#include <dlfcn.h>

#include "papi_script.h"
#include "upc.h"

static __typeof__(upc_monitor_open) *monitor_open;
static __typeof__(upc_monitor_close) *monitor_close;
static __typeof__(upc_monitor_read) *monitor_read;

/* Finds the functions of a monitor in the libupc that the component opens. */
static int find_library(void)
{
	const char *path = getenv("UPC_LIBRARY");
	void *library = dlopen(path && *path ? path : "libupc.so.0", RTLD_NOW);

	if (!library)
		return 0;
	monitor_open = (__typeof__(monitor_open))dlsym(library, "upc_monitor_open");
	monitor_close = (__typeof__(monitor_close))dlsym(library, "upc_monitor_close");
	monitor_read = (__typeof__(monitor_read))dlsym(library, "upc_monitor_read");
	return monitor_open && monitor_close && monitor_read;
}

/* Returns counter 0 as a monitor reads it, or -1 where there is nothing to read. */
static long long seen(const char *name)
{
	uint64_t counts[UPC_COUNTERS];
	struct upc_monitor *monitor;
	long long count = -1;

	if (monitor_open(name, NULL, &monitor))
		return -1;
	if (monitor_read(monitor, counts, NULL) == 0)
		count = (long long)counts[0];
	monitor_close(monitor);
	return count;
}

static void *another_thread(void *name)
{
	const int ids[] = {0};
	long long value;
	int set = set_of(ids, 1);
	int good;

	good = PAPI_start(set) == PAPI_OK && PAPI_read(set, &value) == PAPI_OK && value == 100 &&
	       PAPI_read(set, &value) == PAPI_OK && value == 150 && seen(name) == 150;
	drop(&set);
	PAPI_unregister_thread();
	return good ? name : NULL;
}

int main(void)
{
	const int ids[] = {0, 1};
	char name[64], second[80];
	pthread_t thread;
	long long values[2];
	void *good;
	int set;

	if (is_static())
		skip_all("a static program opens no library");
	if (!find_library())
		bail_out("libupc cannot be loaded: %s", dlerror());
	snprintf(name, sizeof(name), "papi-share-test.%d", (int)getpid());
	snprintf(second, sizeof(second), "%s-2", name);
	setenv("UPC_SHARE", name, 1);
	setenv("UPC_QUIET", "1", 1);
	use_script("upc-trace 1\nc 100 0\ns\nc 50 0\n");
	start_papi();
	set = set_of(ids, 2);
	ok(seen(name) == -1, "a set that has not started is not shown");
	ok(PAPI_start(set) == PAPI_OK && seen(name) == 0, "a running one is");
	ok(PAPI_read(set, values) == PAPI_OK && values[0] == 100 && seen(name) == 100,
	   "with what was read: %lld", seen(name));
	pthread_create(&thread, NULL, another_thread, second);
	pthread_join(thread, &good);
	ok(good, "another thread's has a name of its own");
	ok(seen(second) == -1, "until it is destroyed");
	ok(PAPI_stop(set, values) == PAPI_OK && PAPI_start(set) == PAPI_OK &&
		   PAPI_read(set, values) == PAPI_OK && seen(name) == 50,
	   "started again it keeps its name");
	drop(&set);
	ok(seen(name) == -1, "destroyed it is gone");
	setenv("UPC_SHARE", "../no/name", 1);
	set = set_of(ids, 2);
	ok(PAPI_start(set) == PAPI_OK && PAPI_stop(set, values) == PAPI_OK,
	   "what cannot be shown counts all the same");
	drop(&set);
	PAPI_shutdown();
	return done();
}
