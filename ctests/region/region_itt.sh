#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_itt.sh - annotations of Intel's ITT API, by programs that load a collector as its static part
# does; $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 38

# Of ITT's binary interface what a program's copy of the static part has.
cat > load.h << 'EOF'
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "touch.h"
typedef struct domain { volatile int flags; const char *name; void *wide; int extra1; void *extra2; struct domain *next; } domain;
typedef struct text { const char *text; void *wide; int extra1; void *extra2; struct text *next; } text;
typedef struct { unsigned long long d1, d2, d3; } id;
#define pause itt_pause /* beside the C library's */
#define CALLS(X) \
	X(domain_create, domain *, (const char *), 1 << 12) X(string_handle_create, text *, (const char *), 1 << 12) \
	X(task_begin, void, (const domain *, id, id, const text *), 1 << 12) X(task_end, void, (const domain *), 1 << 12) \
	X(task_begin_fn, void, (const domain *, id, id, void *), 1 << 12) \
	X(task_begin_overlapped, void, (const domain *, id, id, const text *), 1 << 12) \
	X(task_end_overlapped, void, (const domain *, id), 1 << 12) \
	X(region_begin, void, (const domain *, id, id, const text *), 1 << 12) \
	X(region_end, void, (const domain *, id), 1 << 12) \
	X(frame_begin_v3, void, (const domain *, id *), 1 << 12) X(frame_end_v3, void, (const domain *, id *), 1 << 12) \
	X(event_create, int, (const char *, int), 1 << 3) X(event_start, int, (int), 1 << 3) X(event_end, int, (int), 1 << 3) \
	X(mark_create, int, (const char *), 1 << 3) X(mark, int, (int, const char *), 1 << 3) \
	X(marker, void, (const domain *, id, const text *, int), 1 << 12) \
	X(pause, void, (void), 1 << 1) X(sync_acquired, void, (void *), 1 << 4)
#define DECLARE(name, type, parameters, group) static type first_##name parameters; static type (*name) parameters = first_##name;
CALLS(DECLARE)
#undef DECLARE
#define DEFINE(name, type, parameters, group) static type first_##name parameters { abort(); }
CALLS(DEFINE)
static void none(void) { }
static struct call { const char *name; void **function; void *first, *none; int group; } calls[] = {
#define ENTRY(name, type, parameters, group) {"__itt_" #name, (void **)&name, (void *)first_##name, (void *)none, group},
	CALLS(ENTRY)
	{NULL}
};
static domain made_domain = {1, "made before"};
static text made_second = {"second before"}, made_text = {"made before", .next = &made_second};
static struct global {
	unsigned char magic[8];
	unsigned long major, minor, build;
	long state[3];
	pthread_mutex_t mutex;
	void *tool, *handler, *path;
	struct call *calls;
	void *next, *threads;
	domain *domains;
	text *texts;
	int collects;
	void *rest[8];
} global = {{0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30}, 3, 0, 20250807, .mutex = PTHREAD_MUTEX_INITIALIZER,
	.calls = calls, .domains = &made_domain, .texts = &made_text};
static const id null;
static int load(struct global *of, int groups)
{
	const char *path = getenv("INTEL_LIBITTNOTIFY64");
	void (*init)(struct global *, int);

	global.tool = path ? dlopen(path, RTLD_LAZY) : NULL;
	if (!global.tool)
		return 0;
	*(void **)&init = dlsym(global.tool, "__itt_api_init");
	if (init)
		init(of, groups);
	return init != NULL;
}
EOF
cat > itt.c << 'EOF'
#include "load.h"
void function_of_ours(void) { }
static void *thread(void *lib)
{
	text *name = string_handle_create("of threads");
	int i;

	for (i = 0; i < 50; i++) {
		task_begin(lib, null, null, name);
		touch_pages(3);
		task_end(lib);
	}
	return NULL;
}
int main(void)
{
	const id one = {1, 2, 3}, two = {1, 2, 4};
	domain *lib, *other;
	text *step, *inner;
	pthread_t threads[4];
	int event, i;

	if (!load(&global, -1))
		return 1;
	lib = domain_create("lib"), other = domain_create("other");
	step = string_handle_create("step"), inner = string_handle_create("inner");
	if (lib == other || domain_create("lib") != lib || strcmp(lib->name, "lib") || !lib->flags)
		return 2;
	if (step == inner || string_handle_create("step") != step || strcmp(step->text, "step"))
		return 3;
	task_begin(lib, null, null, step);
	touch_pages(1000);
	task_begin(lib, one, null, inner);
	touch_pages(2000);
	task_end(lib);
	/* A domain's stack is its own: these overlap. */
	task_begin(other, null, null, step);
	touch_pages(300);
	task_end(lib);
	touch_pages(400);
	task_end(other);
	task_begin(&made_domain, null, null, &made_second);
	touch_pages(100);
	task_end(domain_create("made before"));
	task_begin_fn(lib, null, null, (void *)function_of_ours);
	touch_pages(200);
	task_end(lib);
	task_begin_overlapped(lib, one, null, string_handle_create("A"));
	touch_pages(500);
	task_begin_overlapped(lib, two, null, string_handle_create("B"));
	touch_pages(600);
	task_end_overlapped(lib, one);
	touch_pages(700);
	task_end_overlapped(lib, two);
	region_begin(lib, one, null, string_handle_create("region"));
	touch_pages(150);
	region_end(lib, one);
	frame_begin_v3(lib, NULL);
	touch_pages(250);
	frame_end_v3(lib, NULL);
	event = event_create("event is longer", 5);
	if (event_start(event))
		return 4;
	touch_pages(350);
	if (event_end(event))
		return 5;
	mark(mark_create("mark"), "parameter");
	/* As OpenMP's libraries of LLVM and Intel do. */
	mark(mark_create("OMP RTL Version 5.0.20140926"), NULL);
	marker(lib, null, step, 1);
	pause();
	sync_acquired(NULL); /* a call that nobody wants */
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, lib);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOF
check "a program" eval '$CC -Wall itt.c -o itt -ldl -lpthread -rdynamic 2> err'
check "... runs" csv ./itt
check "... that pauses, and is told that nothing does" grep -q "ITT pause: nothing pauses here" err
check "... a task, and a mark of its name" is lib/step 2 3300 3400
check "... in it" is lib/inner 1 2000 2100
check "... of another domain" is other/step 1 700 800
check "... of names that were made before" is "made before/second before" 1 100 200
check "... of a function" is lib/function_of_ours 1 200 300
check "... that overlap" is lib/A 1 1100 1200
check "... both" is lib/B 1 1300 1400
check "... a region" is lib/region 1 150 250
check "... a frame" is lib/frame 1 250 350
check "... an event" is event 1 350 450
check "... a mark" is mark 1 0 0
check "... not that of OpenMP's library" eval "! grep -q 'OMP RTL' csv"
check "... threads" is "lib/of threads" 200 600 1600
check "another collector of the user's stays" eval 'INTEL_LIBITTNOTIFY64=/nowhere run 1 ./itt'

cat > groups.c << 'EOF'
#include "load.h"
int main(void)
{
	int i;

	if (!load(&global, 1 << 3))
		return 1;
	for (i = 0; calls[i].name; i++)
		if ((*calls[i].function != (void *)none) != (calls[i].group == 1 << 3))
			return 2;
	event_start(event_create("event", 5));
	return 0;
}
EOF
check "groups of calls that a program does not want are left out" eval \
	'$CC -Wall groups.c -o groups -ldl 2> err && csv ./groups && is event 1 0 100'

cat > version.c << 'EOF'
#include "load.h"
int main(int argc, char **argv)
{
	int i;

	global.magic[0] ^= atoi(argv[1]);
	global.major = atoi(argv[2]);
	global.build = atoi(argv[3]);
	if (!load(atoi(argv[1]) < 0 ? NULL : &global, -1))
		return 1;
	for (i = 0; calls[i].name; i++)
		if (*calls[i].function != calls[i].first)
			return 2;
	return argc == 4 ? 3 : 4;
}
EOF
check "a program of another version" eval '$CC -Wall version.c -o version -ldl 2> err'
check "... a major one is refused" eval 'run 3 ./version 0 4 20250807; grep -q "ITT 4.0 (20250807) is not known" err'
check "... an old build" eval 'run 3 ./version 0 3 20101001; grep -q "ITT 3.0 (20101001) is not known" err'
check "... what is no ITT" eval 'run 3 ./version 7 3 20250807; grep -q "is no ITT" err'
check "... nothing at all" eval 'run 3 ./version -1 3 20250807; grep -q "is no ITT" err'

cat > hostile.c << 'EOF'
#include "load.h"
static domain *lib;
static void at_end(void)
{
	task_begin(lib, null, null, string_handle_create("behind the end"));
	task_end(lib);
	region_end(lib, null);
}
int main(void)
{
	static char long_name[100000];
	static text strange = {"never made known"};
	const id one = {1};
	text *deep, *last = NULL;
	domain *domains = NULL;
	int i, k;

	atexit(at_end); /* counted, by the parent and the child; their name is beyond the limit */
	if (!load(&global, -1) || !load(&global, -1))
		return 1;
	lib = domain_create("lib");
	memset(long_name, 'x', sizeof(long_name) - 1);
	domain_create(NULL);
	domain_create(long_name);
	string_handle_create(NULL);
	string_handle_create(long_name);
	task_begin(lib, null, null, string_handle_create("a\n\"\\\x01\xff\xc0,"));
	task_end(lib);
	/* Handles that nobody has given, also in the middle of one. */
	task_begin((domain *)12345, null, null, (text *)-1);
	task_end((domain *)12345);
	task_begin((domain *)((char *)lib + 1), null, null, (text *)((char *)string_handle_create("x") + 8));
	task_end((domain *)((char *)lib + 1));
	task_begin(NULL, null, null, NULL);
	task_end(NULL);
	task_begin(lib, null, null, &strange);
	task_begin(lib, null, null, (text *)lib);
	task_begin_fn(lib, null, null, NULL);
	task_begin_fn(lib, null, null, (void *)-1);
	task_begin_fn(lib, null, null, (void *)at_end);
	for (i = 0; i < 5; i++)
		task_end(lib);
	marker(NULL, one, NULL, -1);
	frame_begin_v3(NULL, (id *)-1);
	frame_end_v3(NULL, NULL);
	/* Ends that nobody has begun. */
	task_end(lib);
	task_end_overlapped(lib, one);
	region_end((domain *)-1, null);
	frame_end_v3(lib, NULL);
	if (event_end(event_create("event", 5)) == 0)
		return 2;
	event_start(-1);
	event_end(0x7fffffff);
	event_create(NULL, 10);
	event_create("long", -1);
	event_create("short", 1000000);
	mark(0, NULL);
	mark(-5, (char *)-1);
	mark_create(NULL);
	/* More than there is room for. */
	for (i = 0; i < 500; i++)
		task_begin(lib, null, null, string_handle_create("nested"));
	for (i = 0; i < 500; i++)
		task_end(lib);
	for (k = 0; k < 2; k++) {
		for (i = 0; i < 100; i++)
			region_begin(lib, (id){i, k}, null, string_handle_create("crowd"));
		for (i = 0; i < 64; i++)
			region_end(lib, (id){i, k});
	}
	deep = string_handle_create("still there");
	for (i = 0; i < 20000; i++) {
		sprintf(long_name, "name %d", i);
		last = string_handle_create(long_name);
	}
	for (i = 0; i < 2000; i++) {
		sprintf(long_name, "domain %d", i);
		domains = domain_create(long_name);
	}
	if (last || domains || string_handle_create("still there") != deep || domain_create("lib") != lib)
		return 3;
	task_begin(lib, null, null, deep);
	if (!fork()) {
		task_begin(lib, null, null, string_handle_create("name 1"));
		task_end(lib);
		task_end(lib);
		task_end(lib);
		region_begin(lib, one, null, deep);
		exit(0);
	}
	wait(&i);
	task_end(lib);
	return i ? 4 : 0;
}
EOF
check "names of any bytes, handles of any value, numbers beyond all" eval \
	'$CC -Wall -w hostile.c -o hostile -ldl 2> err && csv ./hostile'
check "... domains that are too many are told of" grep -q "more than 1024 domains of ITT" err
check "... and names" grep -q "more than 16384 names of ITT" err
check "... and regions that are open" grep -q "more than 64 of ITT" err
check "... and tasks that are pushed" grep -q "more than 400 regions are pushed" err
check "... those with room are counted" is lib/crowd 128 0 3000
check "... and those of a child" is "lib/name 1" 1 0 100
check "... a task that nobody has named" is lib/ 4 0 100
check "... a function that nobody knows" is "lib/(nil)" 1 0 100
check "... an event that nobody has made" is "unknown event of ITT" 3 0 100
run 0 ./hostile
check "an end of a task without a begin is told of" grep -q "^Note: lib/end of a task: stop without a start" err
check "... of a region" grep -q "^Note: end by number: stop without a start" err
check "... of a frame" grep -q "^Note: lib/frame: stop without a start" err
check "... of an event" grep -q "^Note: event: stop without a start" err

cat > made.c << 'EOF'
#include "load.h"
static const void *made[8][500][2];
static void *make(void *which)
{
	long k = (long)which;
	char name[32];
	int i, at;

	for (i = 0; i < 500; i++) {
		at = (i * 7 + k * 13) % 500;
		sprintf(name, "made %d", at);
		made[k][at][0] = domain_create(name);
		made[k][at][1] = string_handle_create(name);
		task_begin(made[k][at][0], null, null, made[k][at][1]);
		task_end(made[k][at][0]);
	}
	return NULL;
}
int main(void)
{
	pthread_t threads[8];
	long k;

	if (!load(&global, -1))
		return 1;
	for (k = 0; k < 8; k++)
		pthread_create(&threads[k], NULL, make, (void *)k);
	for (k = 0; k < 8; k++)
		pthread_join(threads[k], NULL);
	for (k = 1; k < 8; k++)
		if (memcmp(made[0], made[k], sizeof(made[0])))
			return 2;
	return 0;
}
EOF
check "what eight threads make at once is made once" eval \
	'$CC -Wall made.c -o made -ldl -lpthread 2> err && csv ./made && is "made 499/made 499" 8 0 500'
