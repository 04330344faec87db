#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_mpirun.sh - 16 ranks of a real mpirun, one of which ends the others: the merged report has the finished
# regions of all ranks, and names the one. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
command -v ompi_info > /dev/null && command -v mpicc > /dev/null ||
	{ echo "1..0 # SKIP no Open MPI (openmpi-bin, libopenmpi-dev)"; exit 0; }
[ -w /dev/shm ] || { echo "1..0 # SKIP shared memory, /dev/shm, cannot be written here"; exit 0; }
plan 22
mkdir temporary # of the launchers

cat > program.c << 'END'
#include <libhpm.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "touch.h"

/* Each rank has 300 pages in "work"; then rank 5 does what the argument says. */
int main(int argc, char **argv)
{
	int rank, i;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (i = 0; i < 3; i++) {
		hpmTstart(1, "work");
		touch_pages(100);
		hpmTstop(1);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 5 && !strcmp(argv[1], "abort"))
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (rank == 5 && !strcmp(argv[1], "exit"))
		exit(9);
	if (rank == 5)
		raise(atoi(argv[1]));
	for (;;)
		pause();
}
END
# launch WHAT: into the directory WHAT; $ended is mpirun's status
launch()
{
	mkdir "$1"
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 orterun --oversubscribe -np 16 \
		env TMPDIR="$PWD/temporary" "$tool" -e $faults -o "$1/%r.%p" -- ./program "$1" > launch.out 2>&1
	ended=$?
}

check "a program compiles" eval 'CC=mpicc && hpm program'
for what in 9 11 15 abort exit; do
	launch $what
	case $what in
	abort) words="ended with exit status 3" ;;
	exit) words="ended with exit status 9" ;;
	*) words="ended by signal $what " ;;
	esac
	check "$what of rank 5: mpirun tells of it" test $ended != 0
	check "... the ranks' files are merged" run 0 --merge $what -f csv -o csv
	check "... with the finished regions of all" is work 48 4800 4800
	check "... and the rank is named" eval 'run 0 --merge $what && grep "^Note: rank.*of 16: " out | sed "s/^Note: ranks* //; s/ of 16//" |
		awk -v words="$words" "BEGIN { FS = \": \" } index(\$2, words) == 1 { n = split(\$1, part, \", \")
			for (i = 1; i <= n; i++) { split(part[i], end, \"-\"); if (end[1] <= 5 && (end[2] == \"\" ? end[1] : end[2]) >= 5) found = 1 } }
			END { exit !found }"'
done
check "killed launchers leave no temporary directory" [ -z "$(ls -A temporary)" ]
