#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_many.sh - many processes and threads: all of their counts are in the report, once each, also of those that
# are killed. With $UPC_TEST_LONG there are more than there are records at a time, which takes minutes.
# $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
export UPC_RUN UPC_SIM_PLUGIN
many=300 threads=1200 apart=300 killed=150
[ -z "${UPC_TEST_LONG-}" ] || many=4300 threads=17000 apart=4000 killed=600

plan 13
if cannot_simulate; then
	skip_rest "many processes and threads" "$missing"
	exit 0
fi

# Nothing else in it multiplies: each child and each thread 1,000 times. A child says when it begins, and
# when it has done so.
cat > many.c << 'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define AT_A_TIME 32
static void multiply(void)
{
	volatile double d = 1;
	int i;

	for (i = 0; i < 1000; i++)
		d = d * d;
}
static void *work(void *p)
{
	multiply();
	return p;
}
static int threads(int n)
{
	pthread_t t[4];
	int i, k;

	for (i = 0; i < n; i += 4) {
		for (k = 0; k < 4; k++)
			if (pthread_create(&t[k], 0, work, 0))
				return 1;
		for (k = 0; k < 4; k++)
			pthread_join(t[k], 0);
	}
	return 0;
}
static int children(int n, int kills)
{
	volatile int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid[AT_A_TIME];
	int i, k;

	for (i = 0; i < n; i++) {
		if (i && i % AT_A_TIME == 0)
			for (k = 0; k < AT_A_TIME; k++) {
				if (kills && rand() % 2)
					kill(pid[k], SIGKILL);
				waitpid(pid[k], 0, 0);
			}
		pid[i % AT_A_TIME] = fork();
		if (pid[i % AT_A_TIME] < 0)
			return 1;
		if (pid[i % AT_A_TIME] == 0) {
			__sync_fetch_and_add(&shared[0], 1);
			multiply();
			__sync_fetch_and_add(&shared[1], 1);
			_exit(0);
		}
	}
	while (wait(0) > 0)
		;
	printf("%d %d\n", shared[0], shared[1]);
	return 0;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[2]);

	return argv[1][0] == 't' ? threads(n) : children(n, argv[1][0] == 'k');
}
C
if ! ${CC:-cc} -O1 -pthread -o many many.c 2> err; then
	skip_rest "many processes and threads" "there is no compiler"
	exit 0
fi

# value NAME: of the whole run
value()
{
	awk -F, -v name="$1" '$1 == "run" && $4 == "" && $5 == name { print $6 }' csv
}
multiplied()
{
	echo $(($(value FPU_MULT_1) + $(value FPU_MULT_2)))
}
check "$threads threads" run 0 -f csv -o csv ./many t $threads
check "... all that they did is counted, once" [ "$(multiplied)" = ${threads}000 ]
check "... and nothing is missing" [ "$(grep '^note' csv | grep -vc 'mod 4')$(cat err)" = 0 ]
check "$apart threads, each by itself" run 0 -t --per-process -e FPU_MULT_1 -f csv -o csv ./many t $apart
# apart SCOPE: how many of it have multiplied 1,000 times, and what all of it has
apart()
{
	awk -F, -v scope="$1" '$1 == scope { sum += $6; n += $6 == 1000 } END { print n, sum }' csv
}
check "... all are there, with what they did" [ "$(apart thread)" = "$apart ${apart}000" ]
check "... and so is their process" [ "$(apart process)" = "0 ${apart}000" ]
check "$many processes" run 0 -f csv -o csv ./many p "$many"
check "... all have ended by themselves" [ "$(cat out)" = "$many $many" ]
check "... and all that they did is counted, once" [ "$(multiplied)" = "${many}000" ]
check "$killed processes, of which some are killed" run 0 -f csv -o csv ./many k $killed
read -r begun done < out
echo "# $begun began, $done multiplied 1,000 times, $(multiplied) in all"
# The one that is killed in a block counts the whole of it. With QEMU's interface 4 what it did last may
# be lost, which is said.
within()
{
	[ "$(multiplied)" -le $((begun * 1000 + begun - done)) ] || return 1
	[ "$(multiplied)" -ge "${done}000" ] || grep -q 'last hundredths of a second may not be in the counts' csv
}
check "... what they did until then is counted, once" within
check "... some were" [ "$done" -lt $killed ]
check "... and none is missing" [ -z "$(cat err)$(grep 'more than there is' csv)" ]
