#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_survive.sh - programs that end without exit, or are killed: all finished regions are in the report,
# with how the process ended; and a record that is truncated or has no room never ends the program.
# $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
[ -w /dev/shm ] || { echo "1..0 # SKIP shared memory, /dev/shm, cannot be written here"; exit 0; }
plan 28

HPM_NUM_INST_PTS=2000
export HPM_NUM_INST_PTS

# "work" has 300 pages in three calls; then comes what the first argument says.
cat > program.c << 'END'
#define _GNU_SOURCE
#include <glob.h>
#include <libhpm.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "touch.h"

static void work(int number, const char *name)
{
	int i;

	for (i = 0; i < 3; i++) {
		hpmTstart(number, name);
		touch_pages(100);
		hpmTstop(number);
	}
}

static void handler(void)
{
	work(2, "handler");
}

static __attribute__((destructor)) void destructor(void)
{
	if (getenv("DESTRUCT"))
		work(3, "destructor");
}

static void *thread(void *argument)
{
	work(4, "threads");
	return argument;
}

/* 0: the record is private and regular; it is cut to nothing. */
static int truncate_record(void)
{
	char pattern[4096];
	struct stat about;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s.%d.*", getenv("UPC_REGIONS_RECORDS"), getpid());
	return glob(pattern, 0, NULL, &found) || found.gl_pathc != 1 || stat(found.gl_pathv[0], &about) ||
	       (about.st_mode & 07777) != 0600 || truncate(found.gl_pathv[0], 0);
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	pthread_t id[8];
	int i;

	if (!strcmp(what, "handler"))
		atexit(handler);
	work(1, "work");
	/* Only now: the libraries may lie where another user cannot read. */
	if (!strcmp(what, "rights") && setuid(65534))
		return 1;
	if (argc > 2) { /* inside a region */
		hpmTstart(5, "open");
		touch_pages(50);
	}
	if (!strcmp(what, "signal"))
		raise(atoi(argv[2]));
	if (!strcmp(what, "abort"))
		abort();
	if (!strcmp(what, "_exit"))
		syscall(SYS_exit_group, 0);
	if (!strcmp(what, "quick_exit"))
		quick_exit(0);
	if (!strcmp(what, "dense"))
		for (i = 0; i < 1000000; i++) {
			hpmTstart(6, "dense");
			hpmTstop(6);
		}
	if (!strcmp(what, "threads")) {
		for (i = 0; i < 8; i++)
			pthread_create(&id[i], NULL, thread, NULL);
		for (i = 0; i < 8; i++)
			pthread_join(id[i], NULL);
	}
	if (!strcmp(what, "children"))
		for (i = 0; i < 4; i++) {
			if (!fork()) {
				work(1, "work");
				raise(SIGKILL);
			}
			wait(NULL);
		}
	if (!strcmp(what, "plain_fork")) {
		if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) {
			work(1, "work");
			work(7, "child");
			syscall(SYS_exit_group, 0);
		}
		wait(&i);
		if (i)
			return 1;
	}
	if (!strcmp(what, "truncate") && truncate_record())
		return 1;
	if (!strcmp(what, "launcher"))
		kill(getppid(), SIGKILL);
	if (strcmp(what, "truncate") && strcmp(what, "handler") && strcmp(what, "rights") && strcmp(what, "many"))
		raise(SIGKILL);
	for (i = 0; i < 1000; i++) {
		char name[32];

		sprintf(name, "name %d", i);
		work(100 + i, name);
	}
	if (!strcmp(what, "many"))
		raise(SIGKILL);
	return 0;
}
END

# ends STATUS ARGUMENT...: with a CSV file, and not a word
ends()
{
	wanted=$1
	shift
	"$tool" -e $faults -f csv -o csv ./program "$@" 2> err
	status=$?
	[ $status = "$wanted" ] && [ ! -s err ] || { echo "# status $status: $(cat err)"; return 1; }
}
# note STATUS WORDS ARGUMENT...
note()
{
	wanted=$1 words=$2
	shift 2
	"$tool" -e $faults -o text ./program "$@" 2> err
	[ $? = "$wanted" ] && grep "^Note: $words" text
}
check "a program compiles" hpm program
for signal in 9 11 15; do
	check "signal $signal: what was finished is counted" eval 'ends $((128 + signal)) signal $signal && is work 3 300 300'
	check "... and how it ended is told" note $((128 + signal)) "process [0-9]*: ended by signal $signal ([A-Z].*), last mark at [0-9.]* s" signal $signal
done
check "an open region is no exact count" eval 'field open exactness | grep -E "^(uncounted|at least)$" && grep -q "^Note: open: open at the end" text'
check "... and the finished one is exact" eval '[ "$(field work exactness)" = exact ]'
check "abort" eval 'ends 134 abort && is work 3 300 300'
check "the system call of exit" eval 'ends 0 _exit && is work 3 300 300'
check "quick_exit" eval 'ends 0 quick_exit && is work 3 300 300'
check "dense marks: no start is lost" eval 'ends 137 dense && [ "$(field dense calls)" = 1000000 ]'
check "ended threads of a killed process" eval 'ends 137 threads && is threads 24 2400 2600 && [ "$(field threads exactness)" = exact ]'
check "children that are killed" eval 'ends 137 children && is work 15 1500 1700'
check "... are told of as one" note 137 'processes [0-9, -]*: no end record, last marks at' children
check "a child without the C library's fork leaves the parent's record alone" eval \
	'ends 137 plain_fork && is work 3 300 300 && ! grep -q "^child" csv'
check "a handler of exit that was there before the first region" eval 'ends 0 handler && is handler 3 300 400'
check "a destructor" eval 'DESTRUCT=1 && export DESTRUCT && ends 0 handler && is destructor 3 300 400; result=$?; unset DESTRUCT; [ $result = 0 ]'
check "a record that is truncated ends nothing" eval 'ends 0 truncate && is "name 999" 3 300 400'
# 32 KiB, and a record begins with more
limited()
{
	(ulimit -f 64 && "$tool" -e $faults ./program _exit 2> err)
	[ $? = 125 ] && grep "a process was in regions, and has left no file" err
}
check "a limit of file sizes ends nothing" limited
if [ "$(id -u)" = 0 ]; then
	check "a program that drops its rights leaves its file" eval 'chmod 755 . program && ends 0 rights && is "name 999" 3 300 400'
else
	skip "a program that drops its rights leaves its file" "only root can drop its rights"
fi
if unshare -m true 2> /dev/null; then
	# full SIZE ARGUMENT...: with so much shared memory
	full()
	{
		size=$1
		shift
		unshare -m sh -c "mount -t tmpfs -o size=$size none /dev/shm && \"\$@\"" sh "$tool" -e $faults "$@" 2> err
	}
	check "a full /dev/shm ends nothing" eval 'full 64k -f csv -o csv ./program handler && is "name 999" 3 300 400'
	check "... and what finds no room there is told of" eval \
		'! full 160k -o text ./program many && grep -q "^work  *3 " text && grep "^Note: no room in /dev/shm" text'
else
	skip "a full /dev/shm ends nothing" "no mount name space of one's own here"
	skip "... and what finds no room there is told of" "no mount name space of one's own here"
fi
mkdir files
"$tool" -e $faults -o 'files/%p' ./program launcher 2> /dev/null
record=$(sed 's/.*"record":"\([^"]*\)".*/\1/' files/*.part)
part=$(ls files)
cp -p "$record" record
cp -p "files/$part" part
tries=0
until "$tool" --merge files > /dev/null 2>&1 || [ $tries = 100 ]; do
	sleep .1
	tries=$((tries + 1))
done
check "the launcher is killed, too: --merge finds the record" eval 'run 0 --merge files -f csv -o csv && is work 3 300 300'
check "... says so, again and again" eval 'run 0 --merge files && run 0 --merge files && grep "^Note: process [0-9]*: no end record, last mark at" out'
check "... and nothing else is left" eval '[ "$(ls files | wc -l)" = 1 ] && [ -n "$record" ] && [ ! -e "$record" ]'
# As if whoever wrote the file had been killed before the rest was removed.
cp -p record "$record"
cp -p part "files/$part"
check "... nor of one that was killed behind its file" eval \
	'run 0 --merge files -f csv -o csv && is work 3 300 300 && [ "$(ls files | wc -l)" = 1 ] && [ ! -e "$record" ]'
