/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_lazy - PAPI_library_init, an add and a start read no tracepoint's format; the number of
 * events and their names need none either. A description does.
 */
#include <fcntl.h>
#include <stdarg.h>

#include "papi_util.h"

static unsigned formats;

/* In place of the C library's, for libupc as well. */
__attribute__((visibility("default"))) int openat(int directory, const char *path, int flags, ...)
{
	static const char tail[] = "/format";
	size_t n = strlen(path);
	mode_t mode = 0;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		va_list arguments;

		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		va_end(arguments);
	}
	if (n >= sizeof(tail) && !strcmp(path + n - (sizeof(tail) - 1), tail))
		formats++;
	return (int)syscall(SYS_openat, directory, path, flags, mode);
}

/* The number of events that are listed; *tracepoint is the last plain one of the kernel's. */
static int count_names(int component, int *tracepoint)
{
	int code = PAPI_NATIVE_MASK, n = 0, error;
	char name[PAPI_HUGE_STR_LEN];

	for (error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); error == PAPI_OK;
	     error = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		n += PAPI_event_code_to_name(code, name) == PAPI_OK;
		if (!strncmp(name, "upc:::tp::sched:sched_switch", 28))
			*tracepoint = code;
	}
	return n;
}

int main(void)
{
	int component = start_papi(), set, tracepoint = 0, n;
	PAPI_event_info_t info;
	long long value;

	ok(formats == 0, "PAPI_library_init reads %u formats", formats);
	set = set_with(faults_event());
	ok(set != PAPI_NULL && PAPI_start(set) == PAPI_OK && PAPI_stop(set, &value) == PAPI_OK,
	   "an event counts");
	ok(formats == 0, "so far %u formats are read", formats);
	n = count_names(component, &tracepoint);
	ok(n == PAPI_get_component_info(component)->num_native_events,
	   "%d names, as many as the component says", n);
	ok(formats == 0, "so far %u formats are read", formats);
	if (tracepoint) {
		ok(PAPI_get_event_info(tracepoint, &info) == PAPI_OK && strstr(info.long_descr, "prev_comm"),
		   "a description has the fields: %s", info.long_descr);
		ok(formats == 1, "which are in one format: %u", formats);
	} else {
		skip("a description has the fields: no tracepoints for this user");
	}
	drop(&set);
	PAPI_shutdown();
	return done();
}
