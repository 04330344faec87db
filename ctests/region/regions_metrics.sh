#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_metrics.sh - metrics of a program's regions whose truth is known, and those whose events
# are not counted. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 20

cat > program.c << 'END'
#include <fcntl.h>
#include <libhpm.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char buffer[4096];
	long page = sysconf(_SC_PAGESIZE), i, call;
	int zero = open("/dev/zero", O_RDONLY);

	hpmInit(0, "program");
	for (call = 0; call < 4; call++) {
		volatile char *area = mmap(0, 500 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise((void *)area, 500 * page, MADV_NOHUGEPAGE);
		hpmStart(1, "touch");
		for (i = 0; i < 500; i++)
			area[i * page] = 1;
		hpmStop(1);
	}
	hpmStart(2, "sleep");
	usleep(300000);
	hpmStop(2);
	hpmStart(3, "read");
	for (i = 0; i < 1000; i++)
		if (read(zero, buffer, sizeof(buffer)) != sizeof(buffer))
			return 1;
	hpmStop(3);
	hpmTerminate(0);
	return 0;
}
END
cat > own.metrics << END
upc-metrics 1
event FAULTS = perf "$faults"
event CPU = perf "$clock"
derived FAULTS_PER_CALL = "(FAULTS) / calls" unit "faults/call" describe "Page faults of a call."
derived OTHER_SHARE = "(1000000000*time - CPU) / (1000000000*time)" unit "1"
derived BYTES_PER_READ = "(upc:::task::rchar) / upc:::task::syscr" unit "bytes"
derived NOT_HERE = "(upc:::NO_SUCH_EVENT + FAULTS) / time"
END

# is REGION METRIC COLUMN LOW HIGH
is()
{
	value=$(field "$1" "$3" "$2")
	[ -n "$value" ] && awk -v v="$value" -v low="$4" -v high="$5" 'BEGIN { exit !(v + 0 >= low && v + 0 <= high) }' ||
		{ echo "# $1 $2 $3: '$value'"; return 1; }
}

check "a program compiles" hpm program
check "it runs, with the events that its metrics need" run 0 -m ./own.metrics -f csv -o csv ./program
check "faults of a call" is touch FAULTS_PER_CALL value 500 520
check "... exactly" [ "$(field touch exactness FAULTS_PER_CALL)" = exact ]
check "... without an interval" eval '[ -z "$(field touch low FAULTS_PER_CALL)$(field touch high FAULTS_PER_CALL)" ]'
check "a region that sleeps is on no CPU" is sleep OTHER_SHARE value 0.5 1
check "... which is not exact: two clocks are in it" eval '[ "$(field sleep exactness OTHER_SHARE)" = estimate ] &&
	field sleep reason OTHER_SHARE | grep -q "clocks"'
io=$(field read exactness BYTES_PER_READ)
if [ "$io" = uncounted ]; then
	skip "bytes of a read" "task::rchar cannot be read here"
else
	# What PAPI itself reads of /proc is in it, too.
	check "bytes of a read" is read BYTES_PER_READ value 3500 4200
fi
check "what was not counted is missing" eval '[ "$(field touch exactness NOT_HERE)" = uncounted ] && field touch reason NOT_HERE | grep -q "NO_SUCH_EVENT" && [ -z "$(field touch value NOT_HERE)" ]'
run 0 -m ./own.metrics -o text ./program
check "the table has metrics with units" grep -q '^FAULTS_PER_CALL  *5[012][0-9]\.[0-9]  *exact  *5[012][0-9]\.[0-9]  *exact  faults/call$' text
check "... and which events are missing" grep -q '^Missing: NOT_HERE needs upc:::NO_SUCH_EVENT$' text
run 0 -m ./own.metrics -f json -o json ./program
check "JSON says what they are" eval 'grep -q "\"formula\": \"(FAULTS) / calls\"" json && grep -q "\"metric_set\": \"own\"" json'
mkdir files && run 0 -e $faults -o 'files/%p' ./program
check "files of processes have metrics afterwards" eval 'run 0 --merge files -m ./own.metrics -f csv -o csv && is touch FAULTS_PER_CALL value 500 520'
check "... as far as their events go" eval '[ "$(field touch exactness OTHER_SHARE)" = uncounted ]'
check "the set for this machine" eval 'run 0 -m auto -o text ./program; grep -q "^Metric " text'
check "sets are listed" eval 'run 0 --list-metrics && grep -q "^nopmu  *[0-9]* metrics of" out && grep -q "^bgp " out'
check "... and what is in one" eval 'run 0 --list-metrics -m nopmu && grep -q "^CPU_SHARE \[%\] = " out && grep -q "needs upc:::perf::TASK-CLOCK" out'
check "an unknown set is told of" eval 'run 125 -m nopmo ./program; grep -q "did you mean nopmu?" err'
echo 'derived X = "sin(1)"' >> own.metrics
check "a wrong file is told of, with its place" eval 'run 125 -m ./own.metrics ./program; grep -q "own.metrics:8:14: expected" err'
check "--list-metrics runs nothing" run 125 --list-metrics ./program
