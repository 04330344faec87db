#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# utils_stat_when.sh - upc_stat counts from a time on, until a time, in intervals of repeated runs; and whom perf
# stat counts besides: the threads of a process that runs, and a control group. $UPC_STAT is the tool.
tool=${UPC_STAT:-upc_stat}
. "${srcdir:?}/ctests/utils.inc"
choose_events
plan 23

cat > program.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static void touch_pages(long n)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *area = mmap(0, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	madvise(area, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		((volatile char *)area)[i * page] = 1;
	munmap(area, n * page);
}

static void wait_for(const char *file)
{
	while (access(file, F_OK))
		usleep(1000);
}

static void *touch_here(void *pages)
{
	touch_pages((long)pages);
	return NULL;
}

/* 1,000 pages for the first, 2,000 for the second, and for each 100 of a thread that it starts. */
static void *work(void *number)
{
	char name[16];
	pthread_t thread;

	snprintf(name, sizeof(name), "worker %ld", (long)number);
	prctl(PR_SET_NAME, name);
	wait_for("go");
	touch_pages(1000 * (long)number);
	pthread_create(&thread, NULL, touch_here, (void *)100);
	pthread_join(thread, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];
	long i;

	if (!strcmp(argv[1], "threads")) {
		for (i = 0; i < 2; i++)
			pthread_create(&thread[i], NULL, work, (void *)(i + 1));
		for (i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
	} else if (!strcmp(argv[1], "waits")) {
		wait_for("go");
		touch_pages(1000);
	} else if (!strcmp(argv[1], "stubborn")) { /* it was started to ignore SIGTERM */
		pause();
	} else {
		/* Until it is ended: 10 pages and when, again and again. */
		FILE *list = fopen(argv[1], "w");
		struct timespec now;

		for (;;) {
			touch_pages(10);
			clock_gettime(CLOCK_REALTIME, &now);
			fprintf(list, "%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
			fflush(list);
			usleep(1000);
		}
	}
	return 0;
}
END
${CC:-cc} -O1 -o program program.c -lpthread 2> err || { echo "Bail out! $(head -n 1 err)"; exit 1; }

# value EVENT: of a CSV report's last record
value()
{
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["event"] == name && (!("tid" in at) || $at["tid"] == "") { last = $at["value"] } END { print last }' csv
}
near() # VALUE TRUTH: faults of threads' stacks and the like beside it
{
	[ -n "$1" ] && [ "$1" -ge "$2" ] && [ "$1" -le $(($2 + 60)) ] || { echo "# $1 of $2"; return 1; }
}

# ---- from a time on, until a time

# Counting began after the delay, whenever that was: no more is counted than what was touched since.
delayed()
{
	begin=$(date +%s.%N)
	run 0 -e $faults -D 300ms --timeout 200ms -f csv -o csv -- ./program list || return 1
	most=$(awk -v from="$begin" '$1 > from + 0.3 { n += 10 } END { print n + 60 }' list)
	counted=$(value $faults)
	[ "$counted" -gt 0 ] && [ "$counted" -le "$most" ] || { echo "# $counted of $most"; return 1; }
}
check "counting begins after --delay" delayed
check "... of more than was counted" [ "$(($(wc -l < list) * 10))" -gt "$(value $faults)" ]
check "the report says from when on" eval 'run 0 -e $faults -D 20ms --timeout 20ms -- ./program list && grep -q "counted from 0.020 s after the start on" err'
check "... and that --timeout has ended the program" grep -q 'ended by signal 15 (Terminated), by --timeout' err
check "... also in JSON" eval 'run 0 -e $faults -D 20ms --timeout 20ms -f json -o json -- ./program list && leaves_of json && leaf /0/delay 0.02 && leaf /0/timed_out true'
check "a program that ignores SIGTERM is killed" eval '(trap "" TERM; run 0 -e $faults --timeout 20ms -- ./program stubborn) && grep -q "signal 9 (Killed), by --timeout" err'
check "the program's own end is not --timeout's" eval 'run 3 -e $faults --timeout 1h -- sh -c "exit 3" && ! grep -q -- --timeout err'
check "an end before --delay is over is told of" eval 'run 125 -e $faults -D 1h -- true && grep -q "nothing was counted: the end came before --delay was over" err'
check "... a program that is not there, too" eval 'run 127 -e $faults -D 1h -- ./nowhere'
check "a process is watched for so long" eval './program waits & pid=$!; run 0 -e $faults -p $pid --timeout 20ms; result=$?; kill $pid; wait $pid; [ $result = 0 ]'

# ---- runs in intervals

check "-r with -I: intervals of each run" run 0 -e $faults -r 2 -I 20ms --timeout 100ms -f csv -o csv -- ./program list
runs()
{
	[ "$(awk -F, '$1 == "interval" { print $2 }' csv | sort -u | tr '\n' ' ')" = "1 2 " ] &&
		[ "$(awk -F, '$1 ~ /^(total|mean)$/ { print $1, $2 }' csv | tr '\n' ,)" = "total 1,total 2,mean ," ]
}
check "... and the totals of each, and their mean" runs
sums()
{
	awk -F, '$1 == "interval" { sum[$2] += $6 } $1 == "total" { total[$2] = $6 }
		END { for (run = 1; run <= 2; run++) if (sum[run] > total[run] || !total[run]) exit 1 }' csv
}
check "... the intervals of a run are no more than its total" sums

check "... none of which failed" eval 'run 0 -e $faults -r 2 --timeout 20ms -- ./program list && ! grep -q failed err'

# ---- the threads of a process

counting() # starts upc_stat, which counts when the head of its CSV file is there
{
	rm -f go csv
	"$tool" -f csv -o csv "$@" 2> err &
	watcher=$!
	until_passes [ -s csv ]
}
begun() # WHAT: the program, which waits for the file go
{
	rm -f go
	./program "$1" &
	program=$!
	[ "$1" != threads ] || until_passes eval '[ "$(cat /proc/$program/task/*/comm | grep -c worker)" = 2 ]'
}
ended()
{
	: > go
	wait $program && wait $watcher
}
thread_value() # NAME
{
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["thread"] == name { print $at["value"] }' csv
}
if cannot_count; then
	for what in "the threads of a process that runs, each" "... with those that it starts" "... all of them together"; do
		skip "$what" "$missing"
	done
else
	begun threads
	counting -e $faults -t -p $program
	check "the threads of a process that runs, each" ended
	check "... with those that it starts" eval 'near "$(thread_value "worker 1")" 1100 && near "$(thread_value "worker 2")" 2100'
	check "... all of them together" near "$(value $faults)" 3200
fi
check "-t is for one process" eval 'run 125 -t -p 1,2 && grep -q "of one process with -p" err'
check "-t with -D is refused" eval 'run 125 -t -D 1s -- true && grep -q "goes without --delay" err && run 125 -t -D 1s -p $$'

# ---- a control group

root= program=
for at in /sys/fs/cgroup/perf_event /sys/fs/cgroup/unified /sys/fs/cgroup; do
	[ -n "$root" ] || ! mkdir "$at/upc-when-$$" 2> /dev/null || root=$at
done
end_group()
{
	kill $program 2> /dev/null
	wait $program 2> /dev/null
	rmdir "$root/upc-when-$$"
}
[ -z "$root" ] || trap 'end_group; rm -rf "$dir"' EXIT
if [ "$(id -u)" != 0 ]; then
	missing="only root makes control groups"
elif ! "${RIGHTS:?}" | grep -qx cpus; then
	missing="whole CPUs may not be counted here"
elif [ ! -e "$root/upc-when-$$/cgroup.procs" ]; then
	missing="no control group can be made here"
else
	missing=
fi
if [ -n "$missing" ]; then
	skip "a control group is counted" "$missing"
	skip "... its processes and no others" "$missing"
	skip "... by its path below the hierarchy" "$missing"
else
	begun waits
	echo $program > "$root/upc-when-$$/cgroup.procs"
	counting -e $faults -G "$root/upc-when-$$" -- sh -c "until [ -e go ]; do sleep 0.01; done; ./program waits; while kill -0 $program; do sleep 0.01; done"
	check "a control group is counted" ended
	check "... its processes and no others" near "$(value $faults)" 1000
	check "... by its path below the hierarchy" eval 'run 0 -e $faults -G "upc-when-$$" --timeout 20ms && grep -q "Counts of control group upc-when-" out'
fi
check_perf "a directory that is no control group" eval 'run 125 -e $faults -G "$dir" -- true && grep -q "not the directory of a control group" err'
