#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_nvtx.sh - annotations of NVTX, by programs that load a tool as NVTX does; $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 21

# As NVTX loads it, of its binary interface what a program's copy of NVTX has.
cat > load.h << 'EOF'
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
static int load(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(const void *(*)(uint32_t)), i;

	for (i = 0; i < 16; i++) {
		core_table[i] = &core[i];
		core2_table[i] = &core2[i];
	}
	if (!library)
		return 0;
	*(void **)&init = dlsym(library, "InitializeInjectionNvtx2");
	return init && init(export) && core[9] && core2[12];
}
#define MARK ((void (*)(const struct attributes *))core[1])
#define MARK_A ((void (*)(const char *))core[2])
#define START ((uint64_t (*)(const char *))core[5])
#define END ((void (*)(uint64_t))core[7])
#define PUSH_EX ((int (*)(const struct attributes *))core[8])
#define PUSH ((int (*)(const char *))core[9])
#define PUSH_W ((int (*)(const wchar_t *))core[10])
#define POP ((int (*)(void))core[11])
#define DOMAIN_MARK ((void (*)(void *, const struct attributes *))core2[1])
#define DOMAIN_START ((uint64_t (*)(void *, const struct attributes *))core2[2])
#define DOMAIN_END ((void (*)(void *, uint64_t))core2[3])
#define DOMAIN_PUSH ((int (*)(void *, const struct attributes *))core2[4])
#define DOMAIN_POP ((int (*)(void *))core2[5])
#define REGISTER ((void *(*)(void *, const char *))core2[10])
#define CREATE ((void *(*)(const char *))core2[12])
#define CREATE_W ((void *(*)(const wchar_t *))core2[13])
#define DESTROY ((void (*)(void *))core2[14])
EOF
cat > nvtx.c << 'EOF'
#include "load.h"
int main(void)
{
	struct attributes registered = {.version = 3, .size = sizeof(registered), .message_type = 3};
	uint64_t a, b;
	void *domain;

	if (!load())
		return 2;
	if (PUSH("outer") != 0)
		return 3;
	touch_pages(1000);
	if (PUSH_W(L"inn\u00e9r") != 1)
		return 4;
	touch_pages(2000);
	MARK_A("mark");
	if (POP() != 1 || POP() != 0)
		return 5;
	domain = CREATE("lib");
	registered.message = REGISTER(domain, "step");
	/* A domain's stack is its own: these overlap. */
	DOMAIN_PUSH(domain, &registered);
	PUSH("other");
	touch_pages(300);
	DOMAIN_POP(domain);
	touch_pages(400);
	POP();
	a = START("A");
	touch_pages(500);
	b = START("B");
	touch_pages(600);
	END(a);
	touch_pages(700);
	END(b);
	END(0);
	/* Numbers and handles that nobody has given. */
	END(12345);
	END(~UINT64_C(0));
	registered.message = (const void *)12345;
	DOMAIN_PUSH(domain, &registered);
	DOMAIN_POP(domain);
	registered.message = (const void *)(uintptr_t)0x100000001;
	DOMAIN_MARK(domain, &registered);
	return POP() != -1;
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

cat > levels.c << 'EOF'
#include "load.h"
#include <pthread.h>
static void *thread(void *domain)
{
	struct attributes name = {.version = 3, .size = sizeof(name), .message_type = 1, .message = "thread"};
	int i, bad = 0;

	for (i = 0; i < 100; i++) {
		bad += DOMAIN_PUSH(domain, &name) != 0 || PUSH("own") != 0 || CREATE("lib") != domain;
		bad += POP() != 0 || DOMAIN_POP(domain) != 0;
	}
	return bad ? domain : NULL;
}
int main(void)
{
	struct attributes name = {.version = 3, .size = sizeof(name), .category = 7, .color_type = 1,
		.payload_type = 2, .payload = ~UINT64_C(0), .message_type = 1, .message = "name"};
	void *lib, *other, *bad = NULL;
	pthread_t threads[4];
	int i;

	if (!load())
		return 1;
	lib = CREATE("lib");
	other = CREATE_W(L"other");
	if (!lib || !other || lib == other || CREATE("lib") != lib || CREATE_W(L"lib") != lib)
		return 2;
	/* Each domain has a stack of its own, and levels. */
	if (PUSH("a") != 0 || PUSH("b") != 1 || DOMAIN_PUSH(lib, &name) != 0 || PUSH("c") != 2 ||
	    DOMAIN_PUSH(lib, &name) != 1 || DOMAIN_PUSH(other, &name) != 0)
		return 3;
	if (POP() != 2 || DOMAIN_POP(lib) != 1 || POP() != 1 || DOMAIN_POP(lib) != 0 || DOMAIN_POP(lib) != -1 ||
	    POP() != 0 || DOMAIN_POP(other) != 0 || POP() != -1)
		return 4;
	/* NULL is the program's own domain, and a handle that nobody has given is, too. */
	if (DOMAIN_PUSH(NULL, &name) != 0 || DOMAIN_PUSH((void *)12345, &name) != 1 || PUSH_EX(&name) != 2 ||
	    DOMAIN_PUSH((void *)~(uintptr_t)0, &name) != 3)
		return 5;
	for (i = 3; i >= 0; i--)
		if (POP() != i)
			return 6;
	if (core2[14])
		DESTROY(lib);
	if (CREATE("lib") != lib)
		return 7;
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, lib);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &bad);
		if (bad)
			return 8;
	}
	return 0;
}
EOF
check "levels are of a domain and a thread, and a domain is one by its name" eval \
	'$CC -Wall levels.c -o levels -ldl -lpthread 2> err && csv ./levels'
check "... with all its ranges" is lib/thread 400 0 100
check "... and all of the program's own" is own 400 0 100

cat > hostile.c << 'EOF'
#include "load.h"
#include <sys/resource.h>
#include <sys/wait.h>
static void at_end(void)
{
	PUSH("behind the end");
	POP();
	CREATE("behind the end");
}
int main(void)
{
	struct attributes empty = {0}, name = {.version = 3, .size = sizeof(name)};
	static char text[100000];
	struct rusage before, after;
	void *lib, *last = NULL;
	int i;

	atexit(at_end); /* behind the tool's own */
	if (!load())
		return 1;
	memset(text, 'x', sizeof(text) - 1);
	lib = CREATE(text);
	CREATE(NULL);
	CREATE_W(NULL);
	REGISTER(lib, NULL);
	REGISTER((void *)77777, text);
	MARK(NULL);
	MARK(&empty);
	DOMAIN_MARK(lib, NULL);
	DOMAIN_END((void *)1, DOMAIN_START((void *)-1, &name));
	for (i = -3; i < 6; i++) {
		name.message_type = i;
		name.message = i == 1 || i == 2 ? NULL : (void *)-1;
		name.payload_type = name.color_type = i;
		MARK(&name);
		DOMAIN_MARK(lib, &name);
	}
	name.message_type = 1;
	name.message = "a\n\"\\\x01\xff\xc0,";
	DOMAIN_END(NULL, DOMAIN_START(lib, &name));
	PUSH(text);
	PUSH_W((const wchar_t[]){0x110000, 0xd800, 0x7fffffff, -1, 0});
	PUSH(NULL);
	while (POP() >= 0)
		continue;
	/* Deeper than there is room for, in two domains. */
	name.message = "deep";
	for (i = 0; i < 1000; i++)
		if (PUSH("own") != i)
			return 2;
	for (i = 0; i < 10; i++)
		DOMAIN_PUSH(lib, &name);
	for (i = 999; i >= 0; i--)
		if (POP() != i)
			return 3;
	while (DOMAIN_POP(lib) >= 0)
		continue;
	for (i = 0; i < 300; i++)
		if (PUSH("again") != i)
			return 4;
	for (i = 299; i >= 0; i--)
		if (POP() != i)
			return 5;
	/* A hundred thousand times the same, and more than there is room for. */
	lib = CREATE("same");
	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < 100000; i++)
		if (CREATE("same") != lib)
			return 6;
	getrusage(RUSAGE_SELF, &after);
	if (after.ru_maxrss - before.ru_maxrss > 4096)
		return 7;
	for (i = 0; i < 3000; i++) {
		sprintf(text, "domain %d", i);
		last = CREATE(text);
	}
	if (last)
		return 8;
	PUSH("open in the child");
	if (!fork()) {
		PUSH("child");
		POP();
		POP();
		exit(POP() != -1);
	}
	wait(&i);
	POP();
	return i ? 9 : 0;
}
EOF
check "texts of any bytes, handles of any value, depths and numbers beyond all" eval \
	'$CC -Wall hostile.c -o hostile -ldl 2> err && csv ./hostile'
check "... ranges that are too deep are told of" grep -q "more than 400 regions are pushed" err
check "... and domains that are too many" grep -q "more than 1024 domains of NVTX" err
check "... ranges of a child" is child 1 0 50
check "... those with room" is again 300 0 3000

cat > made.c << 'EOF'
#include "load.h"
#include <pthread.h>
static const void *made[8][500];
static void *make(void *which)
{
	long k = (long)which;
	char name[32];
	int i, at;

	for (i = 0; i < 500; i++) {
		at = (i * 7 + k * 13) % 500;
		sprintf(name, "made %d", at);
		made[k][at] = CREATE(name);
	}
	return NULL;
}
int main(void)
{
	pthread_t threads[8];
	long k;

	if (!load())
		return 1;
	for (k = 0; k < 8; k++)
		pthread_create(&threads[k], NULL, make, (void *)k);
	for (k = 0; k < 8; k++)
		pthread_join(threads[k], NULL);
	for (k = 1; k < 8; k++)
		if (memcmp(made[0], made[k], sizeof(made[0])))
			return 2;
	PUSH("all");
	return POP();
}
EOF
check "domains that eight threads make at once are made once" eval \
	'$CC -Wall made.c -o made -ldl -lpthread 2> err && csv ./made && is all 1 0 0'
