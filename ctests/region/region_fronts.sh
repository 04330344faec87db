#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_fronts.sh - annotations of PAPI's high-level calls and Kokkos, by programs that make these calls
# as the libraries have them; $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 24

cat > papi.c << 'EOF'
#include <pthread.h>
#include "touch.h"
int PAPI_hl_region_begin(const char *);
int PAPI_hl_region_end(const char *);
int PAPI_hl_read(const char *);
static void *work(void *unused)
{
	PAPI_hl_region_begin("work");
	touch_pages(600);
	PAPI_hl_region_end("work");
	return unused;
}
int main(void)
{
	pthread_t thread[2];
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	if (PAPI_hl_region_begin("outer"))
		return 1;
	touch_pages(1000);
	PAPI_hl_region_begin("inner");
	touch_pages(2000);
	if (PAPI_hl_read("inner") || PAPI_hl_region_begin("open"))
		return 2;
	/* What is open inside ends with it, which is told. */
	if (PAPI_hl_region_end("inner") || PAPI_hl_region_end("outer"))
		return 3;
	return PAPI_hl_region_end("outer") == 0 || PAPI_hl_region_begin(NULL) == 0;
}
EOF
printf 'int PAPI_hl_region_begin(const char *r) { return -1; } int PAPI_hl_region_end(const char *r) { return -1; }
int PAPI_hl_read(const char *r) { return -1; }\n' > papi_stub.c
check "PAPI's high-level calls: a program" eval \
	'$CC -w -shared -fPIC papi_stub.c -o libstub.so && $CC papi.c -o papi -L. -lstub -lpthread -Wl,-rpath,$PWD 2> err'
check "... runs" csv ./papi
check "... outer" is outer 1 3000 3100
check "... inner" is inner 1 2000 2100
check "... threads" is work 2 1200 1300
check "... and what was wrong is told" eval 'run 0 ./papi && grep -q "^Note: open: left open inside" err && grep -q "^Note: outer: stop without a start" err'

# As Kokkos loads it.
cat > kokkos.c << 'EOF'
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "touch.h"
int main(void)
{
	/* Kokkos sets the first, and leaves the others. */
	bool settings[256] = {true, [255] = true};
	void (*request)(uint32_t, bool *), (*fence)(const char *, uint32_t, uint64_t *), (*end_fence)(uint64_t);
	const char *path = getenv("KOKKOS_TOOLS_LIBS");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
	void (*init)(int, uint64_t, uint32_t, void *), (*finalize)(void), (*push)(const char *), (*pop)(void);
	void (*begin)(const char *, uint32_t, uint64_t *), (*end)(uint64_t);
	uint64_t id = 99, i;

	if (!library)
		return 1;
	*(void **)&init = dlsym(library, "kokkosp_init_library");
	*(void **)&finalize = dlsym(library, "kokkosp_finalize_library");
	*(void **)&push = dlsym(library, "kokkosp_push_profile_region");
	*(void **)&pop = dlsym(library, "kokkosp_pop_profile_region");
	*(void **)&begin = dlsym(library, "kokkosp_begin_parallel_for");
	*(void **)&end = dlsym(library, "kokkosp_end_parallel_for");
	*(void **)&request = dlsym(library, "kokkosp_request_tool_settings");
	*(void **)&fence = dlsym(library, "kokkosp_begin_fence");
	*(void **)&end_fence = dlsym(library, "kokkosp_end_fence");
	if (!init || !finalize || !push || !pop || !begin || !end)
		return 2;
	init(0, 20211015, 0, NULL);
	if (request)
		request(1, settings);
	if (!settings[255])
		return 3;
	/* As it does before each call. */
	if (settings[0]) {
		fence("Kokkos Profile Tool Fence", 0, &id);
		end_fence(id);
	}
	push("solve");
	for (i = 0; i < 4; i++) {
		begin("axpy", 0, &id);
		touch_pages(500);
		end(id);
	}
	touch_pages(900);
	end(12345); /* nobody has given it */
	pop();
	finalize();
	return 0;
}
EOF
check "Kokkos: a program" eval '$CC -Wall kokkos.c -o kokkos -ldl 2> err'
check "... runs" csv ./kokkos
check "... its kernel" is axpy 4 2000 2100
check "... its region" is solve 1 2900 3000
check "... and no fences, which Kokkos makes for tools that do not decline them" eval "! grep -q 'Tool Fence' csv"
check "another tool of the user's stays" eval 'KOKKOS_TOOLS_LIBS=/nowhere run 1 ./kokkos'

cat > tool.c << 'EOF'
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "touch.h"
struct space { char name[64]; };
#define CALLS(X) \
	X(push_profile_region, void, (const char *)) X(pop_profile_region, void, (void)) \
	X(begin_parallel_reduce, void, (const char *, uint32_t, uint64_t *)) X(end_parallel_reduce, void, (uint64_t)) \
	X(begin_parallel_scan, void, (const char *, uint32_t, uint64_t *)) X(end_parallel_scan, void, (uint64_t)) \
	X(begin_fence, void, (const char *, uint32_t, uint64_t *)) X(end_fence, void, (uint64_t)) \
	X(create_profile_section, void, (const char *, uint32_t *)) X(start_profile_section, void, (uint32_t)) \
	X(stop_profile_section, void, (uint32_t)) X(destroy_profile_section, void, (uint32_t)) \
	X(profile_event, void, (const char *)) X(end_deep_copy, void, (void)) \
	X(begin_deep_copy, void, (struct space, const char *, const void *, struct space, const char *, const void *, uint64_t))
#define DECLARE(name, type, parameters) static type (*name) parameters;
CALLS(DECLARE)
static void *thread(void *unused)
{
	uint64_t id;
	int i;

	for (i = 0; i < 50; i++) {
		push_profile_region("of threads");
		begin_parallel_reduce("dot", i, &id);
		pop_profile_region();
		end_parallel_reduce(id);
	}
	return unused;
}
int main(void)
{
	const char *path = getenv("KOKKOS_TOOLS_LIBS");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
	struct space host = {"Host"}, cuda = {"Cuda"}, whole;
	uint32_t a = ~0u, b = ~0u;
	pthread_t threads[4];
	uint64_t id = ~UINT64_C(0);
	int i;

	if (!library)
		return 1;
#define FIND(name, type, parameters) if (!(*(void **)&name = dlsym(library, "kokkosp_" #name))) return 2;
	CALLS(FIND)
	create_profile_section("A", &a);
	create_profile_section("B", &b);
	if (a == b)
		return 3;
	/* Sections overlap. */
	start_profile_section(a);
	touch_pages(500);
	start_profile_section(b);
	touch_pages(600);
	stop_profile_section(a);
	touch_pages(700);
	stop_profile_section(b);
	destroy_profile_section(a);
	begin_deep_copy(cuda, "x", NULL, host, "y", NULL, 8);
	touch_pages(300);
	begin_fence("wait", 0, &id);
	touch_pages(100);
	end_fence(id);
	end_deep_copy();
	begin_parallel_scan("prefix", 0, &id);
	touch_pages(400);
	end_parallel_scan(id);
	profile_event("mark");
	/* A pop ends what was pushed, not what else is open. */
	push_profile_region("outer");
	start_profile_section(a);
	touch_pages(200);
	pop_profile_region();
	touch_pages(800);
	stop_profile_section(a);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	/* What nobody has given, and what nobody has begun. */
	memset(&whole, 'w', sizeof(whole));
	begin_deep_copy(whole, NULL, NULL, whole, NULL, NULL, ~UINT64_C(0));
	end_deep_copy();
	end_deep_copy();
	pop_profile_region();
	start_profile_section(123456);
	stop_profile_section(~0u);
	stop_profile_section(123456);
	destroy_profile_section(~0u);
	create_profile_section(NULL, NULL);
	begin_parallel_scan(NULL, ~0u, NULL);
	end_parallel_scan(~UINT64_C(0));
	end_fence(UINT64_C(0x100000000) + id);
	profile_event(NULL);
	push_profile_region("open");
	if (!fork()) {
		push_profile_region("child");
		pop_profile_region();
		pop_profile_region();
		exit(0);
	}
	wait(&i);
	return i != 0;
}
EOF
check "Kokkos: a program with all calls" eval '$CC -Wall tool.c -o tool -ldl -lpthread 2> err'
check "... runs" csv ./tool
check "... sections overlap" eval 'is A 2 2100 2200 && is B 1 1300 1400'
check "... a copy, with what is inside" is "deep copy to Cuda from Host" 1 400 500
check "... a fence" is wait 1 100 200
check "... a scan" is prefix 1 400 500
check "... an event" is mark 1 0 0
check "... a pop ends what was pushed" is outer 1 200 300
check "... threads" eval 'is "of threads" 200 0 1000 && is dot 200 0 1000'
check "... a child" is child 1 0 100
check "... a section that nobody has made" is "unknown section of Kokkos" 1 0 100
check "... and a pop of nothing is told of" eval 'run 0 ./tool && grep -q "^Note: pop of a Kokkos region: stop without a start" err &&
	grep -q "^Note: end of a deep copy: stop without a start" err'
