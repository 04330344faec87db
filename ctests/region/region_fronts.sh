#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_fronts.sh - annotations of PAPI's high-level calls, Caliper and Kokkos, by programs that make
# these calls as the libraries have them; $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/fronts.inc"
plan 15

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

cat > caliper.c << 'EOF'
#include "touch.h"
void cali_begin_region(const char *);
void cali_end_region(const char *);
void cali_begin_phase(const char *);
void cali_end_phase(const char *);
int main(void)
{
	int i;

	cali_begin_phase("steps");
	for (i = 0; i < 3; i++) {
		cali_begin_region("step");
		touch_pages(700);
		cali_end_region("step");
	}
	cali_end_phase("steps");
	return 0;
}
EOF
printf 'void cali_begin_region(const char *r) {} void cali_end_region(const char *r) {}
void cali_begin_phase(const char *r) {} void cali_end_phase(const char *r) {}\n' > caliper_stub.c
check "Caliper: a program" eval \
	'$CC -w -shared -fPIC caliper_stub.c -o libcalistub.so && $CC caliper.c -o caliper -L. -lcalistub -Wl,-rpath,$PWD 2> err'
check "... runs" csv ./caliper
check "... each step" is step 3 2100 2200
check "... and all" is steps 1 2100 2200

# As Kokkos loads it.
cat > kokkos.c << 'EOF'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "touch.h"
int main(void)
{
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
	if (!init || !finalize || !push || !pop || !begin || !end)
		return 2;
	init(0, 20211015, 0, NULL);
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
check "another tool of the user's stays" eval 'KOKKOS_TOOLS_LIBS=/nowhere run 1 ./kokkos'
