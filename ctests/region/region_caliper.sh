#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_caliper.sh - annotations of Caliper, by programs that make its calls, from C and C++, linked with
# a library of these names; $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 28

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
#ifdef __cplusplus
}
#endif
EOF
# Caliper's own: nobody gets into what begins and ends; names of attributes and values that are set are its.
cat > stub.c << 'EOF'
#include <stdint.h>
int values_set;
#define NOT(name) void name(void) { __builtin_trap(); }
NOT(cali_begin_region) NOT(cali_end_region) NOT(cali_begin_phase) NOT(cali_end_phase)
NOT(cali_begin_comm_region) NOT(cali_end_comm_region) NOT(cali_begin_byname) NOT(cali_end_byname)
NOT(cali_begin_int_byname) NOT(cali_begin_double_byname) NOT(cali_begin_string_byname)
NOT(cali_begin) NOT(cali_end) NOT(cali_begin_int) NOT(cali_begin_double) NOT(cali_begin_string)
NOT(_ZN4cali8FunctionC1EPKc) NOT(_ZN4cali8FunctionD1Ev)
NOT(_ZN4cali15ScopeAnnotationC1EPKc) NOT(_ZN4cali15ScopeAnnotationD1Ev)
void cali_set_int_byname(const char *name, int value) { values_set++; }
const char *cali_attribute_name(uint64_t number)
{
	return number == 7 ? "loop" : number == 8 ? "iteration#main" : number == 7 + 256 ? "mesh" : number == 9 ? "" : 0;
}
EOF
check "a library of Caliper's names" eval '$CC -w -shared -fPIC stub.c -o libcalistub.so 2> err'
compile()
{
	"$@" -L. -lcalistub -lpthread -Wl,-rpath,"$PWD" 2> err
}

cat > caliper.c << 'EOF'
#include "calls.h"
extern int values_set;
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
	cali_set_int_byname("level", 3);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return values_set != 1;
}
EOF
check "a program" compile $CC -Wall caliper.c -o caliper
check "... runs" csv ./caliper
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
	try {
		work(3);
	} catch (int) {
	}
	cali::Function mark("behind");
	touch_pages(200);
	return 0;
}
EOF
check "C++" compile "$cxx" -Wall classes.cpp -o classes
check "... a function that throws, in itself" eval 'csv ./classes && is work 4 450 550'
check "... a scope" is scope 1 50 100
check "... and what is behind" is behind 1 200 300
check "... in nothing else" eval 'csv --paths ./classes && grep -q "^path,behind,[0-9]*,0," csv'
