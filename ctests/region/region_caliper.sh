#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_caliper.sh - annotations of Caliper, by programs that make its calls, from C and C++, linked with
# an imitation of libcaliper, which leaves a report of what came to it; $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 38

cat > calls.h << 'EOF'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "touch.h"
#ifdef __cplusplus
extern "C" {
#endif
void cali_begin_region(const char *), cali_end_region(const char *);
void cali_begin_phase(const char *), cali_end_phase(const char *);
void cali_begin_comm_region(const char *), cali_end_comm_region(const char *);
void cali_begin_byname(const char *), cali_end_byname(const char *);
void cali_begin_int_byname(const char *, int), cali_begin_double_byname(const char *, double);
void cali_begin_string_byname(const char *, const char *);
void cali_begin(uint64_t), cali_end(uint64_t), cali_begin_int(uint64_t, int), cali_begin_double(uint64_t, double);
void cali_begin_string(uint64_t, const char *), cali_set_int_byname(const char *, int);
void cali_set_string_byname(const char *, const char *), cali_set_global_string_byname(const char *, const char *);
#ifdef __cplusplus
}
#endif
EOF
# As libcaliper: all its calls come to the class Caliper, by names that are looked up.
cat > stub.c << 'EOF'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { SKIP_EVENTS = 64, NESTED = 256, GLOBAL = 512, TEXT = 4, INT = 2 };
struct node { char name[64]; int properties; };
struct attribute { struct node *node; };
struct variant { uint64_t type_and_size; union { const char *text; long number; } value; };
static struct { char line[200]; long times; } row[5000];
static int rows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void note(const char *what, const struct attribute *a, const struct variant *v)
{
	char line[200];
	int i;

	if ((v ? v->type_and_size & 255 : 0) == TEXT)
		snprintf(line, sizeof(line), "%s %s=%.99s", what, a->node->name, v->value.text);
	else
		snprintf(line, sizeof(line), "%s %s=%ld", what, a->node->name, v ? v->value.number : 0);
	pthread_mutex_lock(&lock);
	for (i = 0; i < rows && strcmp(row[i].line, line); i++)
		continue;
	if (i == rows && rows < 5000)
		strcpy(row[rows++].line, line);
	row[i].times++;
	pthread_mutex_unlock(&lock);
}
__attribute__((destructor)) static void report(void)
{
	FILE *file = getenv("CALI_REPORT") ? fopen(getenv("CALI_REPORT"), "w") : NULL;
	int i;

	for (i = 0; file && i < rows; i++)
		fprintf(file, "%s: %ld\n", row[i].line, row[i].times);
	if (file)
		fclose(file);
}
const char *_ZNK4cali9Attribute10name_c_strEv(const struct attribute *a) { return a->node->name; }
int _ZNK4cali9Attribute10propertiesEv(const struct attribute *a) { return a->node->properties; }
void _ZN4cali7Caliper5beginERKNS_9AttributeERKNS_7VariantE(void *c, const struct attribute *a, const struct variant *v) { note("begin", a, v); }
void _ZN4cali7Caliper3setERKNS_9AttributeERKNS_7VariantE(void *c, const struct attribute *a, const struct variant *v) { note("set", a, v); }
void _ZN4cali7Caliper3endERKNS_9AttributeE(void *c, const struct attribute *a) { note("end", a, NULL); }
void _ZN4cali7Caliper20end_with_value_checkERKNS_9AttributeERKNS_7VariantE(void *c, const struct attribute *a, const struct variant *v) { note("end", a, v); }
static struct attribute named(const char *name)
{
	static struct node all[5000];
	static int n;
	int i;

	name = name ? name : "";
	pthread_mutex_lock(&lock);
	for (i = 0; i < n && strncmp(all[i].name, name, 63); i++)
		continue;
	if (i == n) {
		strncpy(all[n].name, name, 63);
		all[n++].properties = strcmp(name, "global") ? NESTED : GLOBAL;
	}
	pthread_mutex_unlock(&lock);
	return (struct attribute){&all[i]};
}
const char *cali_attribute_name(uint64_t number)
{
	return number == 7 ? "loop" : number == 8 ? "iteration#main" : number == 7 + 256 ? "mesh" : number == 9 ? "" : 0;
}
static struct variant text(const char *t) { t = t ? t : ""; return (struct variant){(uint64_t)strlen(t) << 32 | TEXT, {.text = t}}; }
static struct variant number(long n) { return (struct variant){INT, {.number = n}}; }
#define DO(call, which, what) do { struct attribute at = which; struct variant is = what; call(NULL, &at, &is); } while (0)
#define BEGIN(which, what) DO(_ZN4cali7Caliper5beginERKNS_9AttributeERKNS_7VariantE, which, what)
#define SET(which, what) DO(_ZN4cali7Caliper3setERKNS_9AttributeERKNS_7VariantE, which, what)
#define CHECKED_END(which, what) DO(_ZN4cali7Caliper20end_with_value_checkERKNS_9AttributeERKNS_7VariantE, which, what)
#define END(which) do { struct attribute at = which; _ZN4cali7Caliper3endERKNS_9AttributeE(NULL, &at); } while (0)
#define PAIR(kind, key) void cali_begin_##kind(const char *n) { BEGIN(named(key), text(n)); } \
	void cali_end_##kind(const char *n) { CHECKED_END(named(key), text(n)); }
PAIR(region, "region") PAIR(phase, "phase") PAIR(comm_region, "comm.region")
void cali_begin_byname(const char *a) { BEGIN(named(a), number(1)); }
void cali_begin_int_byname(const char *a, int v) { BEGIN(named(a), number(v)); }
void cali_begin_double_byname(const char *a, double v) { BEGIN(named(a), number((long)v)); }
void cali_begin_string_byname(const char *a, const char *v) { BEGIN(named(a), text(v)); }
void cali_end_byname(const char *a) { END(named(a)); }
void cali_set_int_byname(const char *a, int v) { SET(named(a), number(v)); }
void cali_set_string_byname(const char *a, const char *v) { SET(named(a), text(v)); }
void cali_set_global_string_byname(const char *a, const char *v) { SET(named("global"), text(v)); }
void cali_begin(uint64_t a) { BEGIN(named(cali_attribute_name(a)), number(1)); }
void cali_begin_int(uint64_t a, int v) { BEGIN(named(cali_attribute_name(a)), number(v)); }
void cali_begin_double(uint64_t a, double v) { BEGIN(named(cali_attribute_name(a)), number((long)v)); }
void cali_begin_string(uint64_t a, const char *v) { BEGIN(named(cali_attribute_name(a)), text(v)); }
void cali_end(uint64_t a) { END(named(cali_attribute_name(a))); }
/* C++: Function, ScopeAnnotation, Loop with its Iteration, Annotation. */
#define SCOPE(constructor, destructor) void constructor(void *o, const char *n) { BEGIN(named("region"), text(n)); } \
	void destructor(void *o) { END(named("region")); }
SCOPE(_ZN4cali8FunctionC1EPKc, _ZN4cali8FunctionD1Ev)
SCOPE(_ZN4cali15ScopeAnnotationC1EPKc, _ZN4cali15ScopeAnnotationD1Ev)
void _ZN4cali4LoopC1EPKc(struct attribute *o, const char *n)
{
	char name[100];

	snprintf(name, sizeof(name), "iteration#%s", n);
	*o = named(name);
	BEGIN(named("loop"), text(n));
}
void _ZN4cali4LoopD1Ev(struct attribute *o) { END(named("loop")); }
void _ZN4cali4Loop9IterationC1ERKS0_i(struct attribute *o, const struct attribute *loop, int i) { *o = *loop; BEGIN(*o, number(i)); }
void _ZN4cali4Loop9IterationD1Ev(struct attribute *o) { END(*o); }
void _ZN4cali10AnnotationC1EPKci(struct attribute *o, const char *n, int options) { *o = named(n); }
void _ZN4cali10AnnotationD1Ev(struct attribute *o) { }
struct attribute *_ZN4cali10Annotation5beginEi(struct attribute *o, int v) { BEGIN(*o, number(v)); return o; }
struct attribute *_ZN4cali10Annotation3setEPKc(struct attribute *o, const char *v) { SET(*o, text(v)); return o; }
void _ZN4cali10Annotation3endEv(struct attribute *o) { END(*o); }
EOF
check "an imitation of libcaliper" eval '$CC -w -shared -fPIC stub.c -o libcaliper.so -lpthread 2> err'
compile()
{
	"$@" -L. -lcaliper -lpthread -Wl,-rpath,"$PWD" 2> err
}
# Its own report is the same with us.
same_report()
{
	CALI_REPORT=alone "$@" && CALI_REPORT=beside csv "$@" && [ -s alone ] && diff alone beside
}

cat > caliper.c << 'EOF'
#include "calls.h"
static void *thread(void *unused)
{
	int i;

	for (i = 0; i < 50; i++) {
		cali_begin_string_byname("of threads", "value");
		touch_pages(2);
		cali_end_byname("of threads");
	}
	return unused;
}
int main(void)
{
	pthread_t threads[4];
	int i;

	cali_begin_phase("steps");
	for (i = 0; i < 3; i++) {
		cali_begin_region("step");
		touch_pages(700);
		cali_begin_comm_region("halo");
		touch_pages(100);
		cali_end_comm_region("halo");
		cali_end_region("step");
	}
	cali_end_phase("steps");
	cali_begin_string_byname("function", "work");
	touch_pages(200);
	cali_begin_string_byname("mesh", "fine");
	touch_pages(300);
	/* An attribute's stack is its own. */
	cali_end_byname("function");
	touch_pages(400);
	cali_end_byname("mesh");
	cali_begin_byname("flag");
	touch_pages(150);
	cali_end_byname("flag");
	cali_begin_int_byname("level", 1);
	cali_begin_int_byname("level", 2);
	touch_pages(250);
	cali_end_byname("level");
	cali_end_byname("level");
	cali_begin_double_byname("time", 0.5);
	touch_pages(350);
	cali_end_byname("time");
	/* As the macros of loops have it: 7 is "loop", 8 its iterations. */
	cali_begin_string(7, "main loop");
	for (i = 0; i < 5; i++) {
		cali_begin_int(8, i);
		touch_pages(60);
		cali_end(8);
	}
	cali_end(7);
	cali_begin_string(7 + 256, "coarse");
	touch_pages(70);
	cali_begin_string(7, "second loop");
	cali_end(7);
	cali_end(7 + 256);
	cali_set_int_byname("residual", 3);
	cali_set_global_string_byname("owner", "all");
	cali_set_string_byname("stage", "first");
	touch_pages(110);
	cali_set_string_byname("stage", "second");
	touch_pages(120);
	cali_end_byname("stage");
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOF
check "a program" compile $CC -Wall caliper.c -o caliper
check "... runs, and libcaliper's own report is the same" same_report ./caliper
check "... with all that the program has called" eval 'grep -qx "begin region=step: 3" beside && grep -qx "end of threads=0: 200" beside &&
	grep -qx "set residual=3: 1" beside && grep -qx "begin iteration#main=4: 1" beside'
check "... a value that is set, up to the next one" eval "is stage=first 1 110 160 && is stage=second 1 120 170"
check "... what a whole run has is none" eval "! grep -q global csv"
check "... a number that is set is none, and that is told" eval "! grep -q residual csv && grep -q \"numbers that are set .*'residual'\" err"
check "... each step" is step 3 2400 2500
check "... communication in it" is halo 3 300 400
check "... a phase" is steps 1 2400 2500
check "... a function" is work 1 500 600
check "... an attribute with a value" is mesh=fine 1 700 800
check "... without one" is flag 1 150 250
check "... with numbers, in itself" is level 2 250 350
check "... with others" is time 1 350 450
check "... a loop" is "main loop" 1 300 400
check "... its iterations" is "iteration#main" 5 300 400
check "... an attribute of another number" is mesh=coarse 1 70 170
check "... beside it" is "second loop" 1 0 50
check "... threads" is "of threads=value" 200 400 1400

cat > hostile.c << 'EOF'
#include "calls.h"
#include <stdio.h>
#include <string.h>
static void at_end(void)
{
	cali_begin_byname("behind the end");
	cali_end_byname("behind the end");
}
int main(void)
{
	static char text[100000];
	int i;

	atexit(at_end);
	cali_begin_region(NULL);
	cali_end_region(NULL);
	cali_begin_byname(NULL);
	cali_end_byname(NULL);
	cali_begin_string_byname(NULL, NULL);
	cali_begin_string_byname("a", NULL);
	memset(text, 'x', sizeof(text) - 1);
	cali_begin_string_byname(text, text);
	cali_end_byname(text);
	cali_begin_string_byname("b", "a\n\"\\\x01\xff\xc0,");
	cali_begin_string(~UINT64_C(0), "of none");
	cali_end(~UINT64_C(0));
	cali_begin(9);
	cali_end(9);
	cali_begin_double(123, 1);
	cali_end(123);
	/* Ends that nobody has begun. */
	cali_end(7);
	cali_end_byname("never");
	cali_end_region("never");
	for (i = 0; i < 1000; i++)
		cali_begin_int_byname("deep", i);
	for (i = 0; i < 1000; i++)
		cali_end_byname("deep");
	if (!fork()) {
		cali_begin_string_byname("in", "child");
		touch_pages(90);
		cali_end_byname("in");
		cali_end_byname("a");
		exit(0);
	}
	wait(&i);
	for (i = 0; i < 2000; i++) {
		sprintf(text, "made %d", i);
		cali_begin_byname(text);
		cali_end_byname(text);
	}
	return 0;
}
EOF
check "texts of any bytes, numbers of any value, depths beyond all" eval 'compile $CC -Wall -w hostile.c -o hostile && csv ./hostile'
check "... attributes that are too many are told of" grep -q "more than 1024 attributes of Caliper" err
check "... they are one" eval 'calls=$(field "other attributes" calls); [ "$calls" -gt 900 ]'
check "... a number that nobody has given" is "attribute 18446744073709551615=of none" 1 0 50
check "... one without a name" is "attribute 9" 1 0 50
check "... those of a child" is in=child 1 90 200
check "... an end without a begin is told of" eval 'run 0 ./hostile && grep -q "^Note: never: stop without a start" err &&
	grep -q "^Note: loop: stop without a start" err'

# As Python does with modules: libcaliper is in nobody's scope.
cat > plugin.c << 'EOF'
#include "calls.h"
void work(void)
{
	cali_begin_region("in a plugin");
	touch_pages(500);
	cali_end_region("in a plugin");
}
EOF
cat > opens.c << 'EOF'
#include <dlfcn.h>
int main(void)
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
	void (*work)(void);

	if (!plugin)
		return 1;
	*(void **)&work = dlsym(plugin, "work");
	work();
	return 0;
}
EOF
check "a library that comes with a module, alone" eval "compile $CC -w -shared -fPIC plugin.c -o plugin.so && $CC opens.c -o opens -ldl &&
	same_report ./opens && grep -qx 'begin region=in a plugin: 1' beside && is 'in a plugin' 1 500 550"

cxx=${CXX:-g++}
if ! command -v "$cxx" > /dev/null; then
	skip_rest "C++" "no compiler for it: $cxx"
	exit 0
fi
cat > classes.cpp << 'EOF'
#include "calls.h"
namespace cali {
class Function { public: Function(const char *name); ~Function(); };
class ScopeAnnotation { public: explicit ScopeAnnotation(const char *name); ~ScopeAnnotation(); };
class Loop {
	void *p;
public:
	class Iteration { void *p; public: Iteration(const Loop &, int i); ~Iteration(); };
	explicit Loop(const char *name);
	~Loop();
};
class Annotation {
	void *p;
public:
	Annotation(const char *name, int options = 0);
	~Annotation();
	Annotation &begin(int), &set(const char *);
	void end();
};
}
static void work(int depth)
{
	cali::Function mark(__func__);

	touch_pages(100);
	if (depth)
		work(depth - 1);
	cali::ScopeAnnotation scope("scope");
	touch_pages(50);
	if (depth == 0)
		throw 1;
}
int main()
{
	cali_begin_region("first");
	try {
		work(3);
	} catch (int) {
	}
	cali_end_region("first");
	cali::Function mark("behind");
	touch_pages(200);
	cali::Loop loop("steps");
	for (int i = 0; i < 5; i++) {
		cali::Loop::Iteration step(loop, i);
		touch_pages(60);
	}
	cali::Annotation level("level"), stage("stage");
	level.begin(1);
	touch_pages(70);
	level.end();
	stage.set("a");
	touch_pages(80);
	stage.set("b");
	touch_pages(90);
	stage.end();
	return 0;
}
EOF
check "C++" compile "$cxx" -Wall classes.cpp -o classes
check "... libcaliper's own report is the same" eval "same_report ./classes && grep -qx 'begin region=work: 4' beside &&
	grep -qx 'begin iteration#steps=3: 1' beside && grep -qx 'set stage=b: 1' beside"
check "... a function that throws, in itself" is work 4 450 550
check "... a scope" is scope 1 50 100
check "... a loop, and its iterations" eval "is steps 1 540 700 && is 'iteration#steps' 5 300 400"
check "... an annotation" is level 1 70 120
check "... one that is set" eval "is stage=a 1 80 130 && is stage=b 1 90 140"
check "... and what is behind" is behind 1 740 900
check "... in nothing else" eval 'csv --paths ./classes && grep -q "^path,behind,[0-9]*,0," csv'
# Its inner calls cannot be seen: those from C are, and a note says so.
check "a libcaliper that is linked with -Bsymbolic" eval \
	'mkdir symbolic && $CC -w -shared -fPIC -Wl,-Bsymbolic stub.c -o symbolic/libcaliper.so -lpthread 2> err &&
	LD_LIBRARY_PATH=$PWD/symbolic csv ./classes && is first 1 450 600 && [ -z "$(field work calls)" ] &&
	grep -q "hides its inner calls: cali::Loop" err'
