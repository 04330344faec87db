#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_fronts.sh - annotations of PAPI's high-level calls, Caliper, Kokkos and NVTX, by programs that
# make these calls as the libraries have them; $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
tool=${UPC_REGIONS:-upc_regions}
faults=upc:::perf::PAGE-FAULTS

if [ -n "${SANITIZERS:-}" ]; then
	echo "1..0 # SKIP a sanitizer's runtime must be the first library of a program"
	exit 0
fi
plan 27

cat > touch.h << 'EOF'
#include <sys/mman.h>
#include <unistd.h>
static void touch_pages(long n)
{
	long page = sysconf(_SC_PAGESIZE), i;
	volatile char *area = mmap(0, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)area, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		area[i * page] = 1;
	munmap((void *)area, n * page);
}
EOF
# field REGION COLUMN: of the CSV file
field()
{
	awk -F, -v region="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && $1 == region { print $at[column]; exit }' csv
}
# is REGION CALLS LOW HIGH: inclusive
is()
{
	calls=$(field "$1" calls) value=$(field "$1" value)
	[ "$calls" = "$2" ] && [ -n "$value" ] && [ "$value" -ge "$3" ] && [ "$value" -le "$4" ] ||
		{ echo "# $1: $calls calls, $value"; return 1; }
}
csv()
{
	run 0 -e $faults -f csv -o csv "$@"
}

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

# As NVTX loads it, of its binary interface what a program's copy of NVTX has.
cat > nvtx.c << 'EOF'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "touch.h"
typedef void (*call)(void);
static call core[16], core2[16];
static call *core_table[16], *core2_table[16];
static int table(uint32_t module, call ***out, unsigned *size)
{
	*out = module == 1 ? core_table : module == 5 ? core2_table : NULL;
	*size = 16;
	return *out != NULL;
}
static struct { size_t size; int (*table)(uint32_t, call ***, unsigned *); } callbacks = {sizeof(callbacks), table};
static const void *export(uint32_t id) { return id == 1 ? &callbacks : NULL; }
struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};
int main(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL, *domain;
	struct attributes registered = {.version = 3, .size = sizeof(registered), .message_type = 3};
	int (*init)(const void *(*)(uint32_t)), i;
	uint64_t a, b;

	for (i = 0; i < 16; i++) {
		core_table[i] = &core[i];
		core2_table[i] = &core2[i];
	}
	if (!library)
		return 1;
	*(void **)&init = dlsym(library, "InitializeInjectionNvtx2");
	if (!init || !init(export) || !core[9] || !core2[12])
		return 2;
	if (((int (*)(const char *))core[9])("outer") != 0)
		return 3;
	touch_pages(1000);
	if (((int (*)(const wchar_t *))core[10])(L"inn\u00e9r") != 1)
		return 4;
	touch_pages(2000);
	((void (*)(const char *))core[2])("mark");
	if (((int (*)(void))core[11])() != 1 || ((int (*)(void))core[11])() != 0)
		return 5;
	domain = ((void *(*)(const char *))core2[12])("lib");
	registered.message = ((const void *(*)(void *, const char *))core2[10])(domain, "step");
	/* A domain's stack is its own: these overlap. */
	((int (*)(void *, const struct attributes *))core2[4])(domain, &registered);
	((int (*)(const char *))core[9])("other");
	touch_pages(300);
	((int (*)(void *))core2[5])(domain);
	touch_pages(400);
	((int (*)(void))core[11])();
	a = ((uint64_t(*)(const char *))core[5])("A");
	touch_pages(500);
	b = ((uint64_t(*)(const char *))core[5])("B");
	touch_pages(600);
	((void (*)(uint64_t))core[7])(a);
	touch_pages(700);
	((void (*)(uint64_t))core[7])(b);
	((void (*)(uint64_t))core[7])(0);
	/* Numbers and handles that nobody has given. */
	((void (*)(uint64_t))core[7])(12345);
	((void (*)(uint64_t))core[7])(~UINT64_C(0));
	registered.message = (const void *)12345;
	((int (*)(void *, const struct attributes *))core2[4])(domain, &registered);
	((int (*)(void *))core2[5])(domain);
	registered.message = (const void *)(uintptr_t)0x100000001;
	((void (*)(void *, const struct attributes *))core2[1])(domain, &registered);
	return ((int (*)(void))core[11])() != -2;
}
EOF
check "NVTX: a program" eval '$CC -Wall nvtx.c -o nvtx -ldl 2> err'
check "... runs" csv ./nvtx
check "... a range" is outer 1 3000 3100
check "... of another alphabet" is "$(printf 'inn\303\251r')" 1 2000 2100
check "... a mark" is mark 1 0 0
check "... of a domain" is lib/step 1 300 400
check "... beside another" is other 1 700 800
check "... that overlap" is A 1 1100 1200
check "... both" is B 1 1300 1400
check "a number that nobody has given is told of" eval 'run 0 ./nvtx && grep -q "^Note: stop without a start" err'
check "... and so is a handle" is lib/ 2 0 100
check "a pop without a push is told of" eval 'run 0 ./nvtx && grep -q "^Note: pop: stop without a start" err'
