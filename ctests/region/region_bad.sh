#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# region_bad.sh - sections of the HPM Toolkit in programs that use them wrongly: what is counted is
# right, what is not counted is told, and nothing ends the program. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 45

cat > program.c << 'END'
#define _GNU_SOURCE
#define LIBHPM_NO_PLACES
#include <libhpm.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "touch.h"

/* Each with a number and a label of its own. */
static void many(int n)
{
	char label[32];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(label, sizeof(label), "label %d", i);
		hpmStart(i, label);
		hpmStop(i);
	}
	hpmStart(n / 2, "again");
	touch_pages(2000);
	hpmStop(n / 2);
}

static void range(void)
{
	int i;

	hpmStart(1, "around");
	for (i = 0; i < 100000; i++) {
		hpmStart(-1 - i, "negative");
		hpmStop(-1 - i);
		hpmTstart(INT_MAX - i, "high");
		hpmTstop(INT_MAX - i);
	}
	hpmStart(INT_MIN, NULL);
	touch_pages(1500);
	hpmStop(INT_MIN);
	hpmStop(7); /* was never started */
	hpmStop(1);
}

#define TURNS 2000
static void *contend(void *unused)
{
	int i;

	for (i = 0; i < TURNS; i++) {
		hpmStart(1, "one");
		hpmStop(1);
		hpmTstart(2, "each");
		hpmTstop(2);
	}
	hpmTstart(3, "pages");
	touch_pages(1000);
	hpmTstop(3);
	return unused;
}

static void *leave_open(void *pages)
{
	hpmStart(4, "left");
	touch_pages(*(int *)pages);
	hpmTstart(5, "left, too");
	return NULL;
}

static void *stop_one(void *unused)
{
	hpmStop(6);
	return unused;
}

static void in_threads(int n, void *(*call)(void *), void *argument)
{
	pthread_t thread[8];
	int i;

	for (i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, call, argument);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static void elsewhere(void)
{
	int pages = 600;

	in_threads(1, leave_open, &pages);
	hpmStart(4, "left");
	touch_pages(900);
	hpmStop(4);
	hpmStart(6, "mine");
	in_threads(1, stop_one, NULL);
	touch_pages(700);
	hpmStop(6);
}

static void forks(void)
{
	hpmInit(0, "parent");
	hpmStart(1, "open");
	touch_pages(500);
	if (!fork()) {
		hpmInit(1, "child");
		hpmStart(1, "open");
		touch_pages(1700);
		hpmStop(1);
		hpmStop(1); /* is the parent's */
		exit(0);
	}
	wait(NULL);
	hpmStop(1);
	/* One that only ends. */
	if (!fork())
		exit(0);
	wait(NULL);
}

static void labels(void)
{
	static char length[10000];
	char any[256];
	int i;

	for (i = 1; i < 256; i++)
		any[i - 1] = (char)i;
	any[255] = '\0';
	memset(length, 'x', sizeof(length) - 1);
	hpmStart(1, NULL);
	hpmStop(1);
	hpmStart(2, "");
	hpmStop(2);
	hpmStart(3, any);
	hpmStop(3);
	hpmStart(4, "section 1"); /* which is the first one's */
	hpmStop(4);
	hpmStart(5, length);
	touch_pages(400);
	hpmStop(5);
	length[sizeof(length) - 2] = 'y';
	hpmStart(6, length);
	touch_pages(800);
	hpmStop(6);
	hpmStart(7, "section 1 [4]");
	hpmStop(7);
	hpmStart(8, "section 9");
	hpmStop(9); /* was never started, and is not section 8 */
	hpmStop(8);
}

static void again(void)
{
	hpmStart(1, "before");
	touch_pages(300);
	hpmStop(1);
	hpmInit(2, "first");
	hpmInit(3, "second");
	hpmTerminate(3);
	hpmTerminate(3);
	hpmStart(1, "before");
	touch_pages(1100);
	hpmStop(1);
	hpmTerminate(3);
	hpmStart(2, "after");
	touch_pages(1300);
	hpmStop(2);
}

static void cancels(void)
{
	pthread_t self = pthread_self();

	/* Its first start opens files, and so could end it. */
	pthread_cancel(self);
	hpmStart(1, "cancelled");
	touch_pages(600);
	hpmTerminate(0);
	pthread_testcancel();
}

static void *cancelled(void *unused)
{
	cancels();
	return unused;
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	long long value = -2;

	setlocale(LC_ALL, "");
	if (!strcmp(what, "many"))
		many(atoi(argv[2]));
	else if (!strcmp(what, "range"))
		range();
	else if (!strcmp(what, "contend"))
		in_threads(8, contend, NULL);
	else if (!strcmp(what, "elsewhere"))
		elsewhere();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "labels"))
		labels();
	else if (!strcmp(what, "again"))
		again();
	else if (!strcmp(what, "cancel")) {
		in_threads(1, cancelled, NULL);
		in_threads(1, stop_one, NULL);
	} else if (!strcmp(what, "nothing"))
		hpmTerminate(0);
	else if (!strcmp(what, "values")) {
		hpmGetCounters(&value);
		return value < 0;
	} else if (!strcmp(what, "killed")) {
		hpmStart(1, "never ends");
		raise(SIGKILL);
	} else if (!strcmp(what, "children")) {
		hpmStart(1, "parent");
		if (!fork()) {
			hpmStart(1, "child");
			raise(SIGKILL);
		}
		if (!fork()) {
			hpmStop(1);
			execl("/nowhere", "nowhere", NULL);
			execl("/bin/true", "true", NULL);
		}
		wait(NULL);
		wait(NULL);
		touch_pages(1200);
	}
	return argc < 2;
}
END

# texts: N COUNT FAULTS of all sections in files of that name
sections()
{
	awk -v faults="$faults" '
		/Instrumented section/ { n = $3 }
		/Count:/ { count = $2 }
		$1 == faults { print n, count, $3 }' "$@" > found
}
# has SECTION COUNT LOW HIGH: in how many threads
has()
{
	awk -v n="$1" -v count="$2" -v low="$3" -v high="$4" \
		'$1 == n && $2 == count && $3 >= low && $3 <= high { k++ } END { print k + 0 }' found
}
# note TEXT TIMES
note()
{
	if [ "$2" = 1 ]; then
		grep -qx " \{0,1\}Note: $1" text*
	else
		grep -qx " \{0,1\}Note: $1 ($2 times)" text*
	fi
}
# story NAME...: runs it; its text is in text*
story()
{
	rm -f text*
	UPC_REGIONS_EVENTS=$faults HPM_OUTPUT_NAME=text ./program "$@" > out 2> err && sections text*
}
lines() # N PATTERN
{
	[ "$(grep -c "$2" err)" = "$1" ] || { echo "# $(grep -c "$2" err) lines"; return 1; }
}

check "a program compiles" hpm program

check "more sections than numbers" story many 1000
check "... are told of once" lines 1 "section 100 is left out: numbers are from 0 to 99; set HPM_NUM_INST_PTS"
check "... and counted" note "start or stop of a section whose number is out of range" 1802
check "... and the others are there" test "$(has 50 1 0 100)$(has 99 1 0 100)" = 11
check "thousands of sections" eval "HPM_NUM_INST_PTS=9000 story many 9000"
check "... are all there" eval '[ "$(grep -c "Instrumented section" text*)" = 9000 ] && [ "$(has 4500 2 2000 2100)" = 1 ]'
check "a million" eval "HPM_NUM_INST_PTS=1000000 UPC_REGIONS_MAX=3000 story many 1000000"
check "... beyond the limit they are one row" eval \
	'[ "$(grep -c "Instrumented section" text*)" = 3001 ] && grep -q "section: 1000000 - Label: others" text* && [ "$(has 1000000 997001 2000 1000000)" = 1 ]'
check "... which is told" grep -q "^ Note: beyond the limit ([0-9]* times)" text*
check "... and no start is lost" eval '[ "$(awk "{ sum += \$2 } END { print sum }" found)" = 1000001 ]'

check "numbers out of range" story range
check "... are told of once" lines 1 "is left out"
check "... and counted" note "start or stop of a section whose number is out of range" 400002
check "... and what is inside is the section's around them" test "$(has 1 1 1500 1600)" = 1
check "a stop of what was never started" note "section 7: stop without a start" 1

check "starts in eight threads" story contend
none_is_lost()
{
	counted=$(awk '$1 == 1 { sum += $2 } END { print sum + 0 }' found)
	out=$(sed -n 's/^ Note: one: started while it was open, and left out\( (\([0-9]*\) times)\)\{0,1\}$/\2/p' text*)
	[ $((counted + ${out:-0})) = 16000 ] || { echo "# $counted and $out"; return 1; }
}
check "... of one section: each is counted or told of" none_is_lost
check "... of a section in each thread" eval '[ "$(awk "\$1 == 2 && \$2 == 2000" found | wc -l)" = 8 ]'
check "... with their page faults" test "$(has 3 1 1000 1100)" = 8

check "a thread that ends with an open section" story elsewhere
check "... has counted it" test "$(has 4 1 600 700)" = 1
check "... and another thread can start it" test "$(has 4 1 900 1000)" = 1
check "... and it is told of" eval 'note "left: open at the end" 1 && note "left, too: open at the end" 1'
check "a stop in another thread ends nothing" eval \
	'note "mine: stop in another thread than the start" 1 && [ "$(has 6 1 700 800)" = 1 ]'

check "a fork with an open section" story fork
check "... the parent's goes on" eval 'sections text0000.* && [ "$(has 1 1 500 700)" = 1 ]'
check "... the child begins anew" eval \
	'sections text0001.* && [ "$(has 1 1 1700 1800)" = 1 ] && grep -q "^ Program: child - task: 1" text0001.*'
check "... and has its own mistakes" eval 'grep -q "Note: open: stop without a start" text0001.* && ! grep -q Note text0000.*'
check "... and a child without sections leaves nothing" eval '[ "$(ls text* | wc -l)" = 2 ] && [ ! -s err ]'

check "labels of any bytes" story labels
check "... none is another's" eval '[ "$(awk "\$2 == 1" found | wc -l)" = 8 ] &&
	[ "$(has 5 1 400 500)$(has 6 1 800 900)" = 11 ] && [ "$(grep -c "section: 1 - Label: section 1 " text*)" = 1 ]'
check "... and lines stay lines" eval '[ "$(LC_ALL=C grep -c "^ Instrumented section: 3 - Label: ???????.* !\"#.* - process" text*)" = 1 ]'
check "... nor are numbers without a start labels" eval \
	'note "section 9: stop without a start" 1 && ! grep -q "Note: section 9: open" text*'

check "sections before hpmInit, and after hpmTerminate" story again
check "... are in the file" eval '[ "$(ls text* | wc -l)" = 1 ] && [ "$(has 1 2 1400 1500)$(has 2 1 1300 1400)" = 11 ]'
check "... whose program is the last one's" grep -q "^ Program: second - task: 3" text0003.*
check "a thread that is cancelled in a section" eval 'story cancel && [ "$(has 1 1 600 700)" = 1 ]'
check "hpmTerminate alone" eval 'rm -f text*; ./program nothing > out 2> err && ! [ -s err ]'
check "values before anything" eval "UPC_REGIONS_EVENTS=$faults ./program values && UPC_REGIONS_EVENTS=none:::such ./program values; [ \$? = 1 ]"
check "a text that cannot be written" eval \
	"HPM_OUTPUT_NAME=/nowhere/text ./program again 2> err && grep -q \"'/nowhere/text0003.*cannot be written: No such\" err"

killed()
{
	"$tool" -e $faults ./program killed > out 2> err
	[ $? = 137 ] && grep -q "killed" err
}
check "a program that is killed in a section" killed
check "a child that is killed" eval '"$tool" -e $faults -f csv -o csv ./program children 2> err &&
	grep -q "^region,parent,.*,12[0-9][0-9],.*" csv && "$tool" -e $faults -o text ./program children'
check "... and no other is told of" eval '[ "$(grep -c "^Note: process.*: no end record" text)" = 1 ]'
check "... nor is anything lost before an exec" note "parent: stop without a start" 1
