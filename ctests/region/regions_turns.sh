#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions_turns.sh - two programs in turn: their order, what is compared, the reports that are kept, and what is
# refused. Times are not looked at. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/region/regions.inc"
plan 20

# Writes its name and argument into "order". The run that the second argument names fails: with the third as its
# status, or, as that is 0, by entering no region.
cat > program.c << 'EOF'
#include <libhpm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "touch.h"

int main(int argc, char **argv)
{
	const int failing = argc > 3 ? atoi(argv[2]) : -1, status = argc > 3 ? atoi(argv[3]) : 0;
	FILE *file = fopen("order", "a+");
	char line[64];
	int run = 0;

	rewind(file);
	while (fgets(line, sizeof(line), file))
		run++;
	fprintf(file, "%s %s\n", strrchr(argv[0], '/') + 1, argc > 1 ? argv[1] : "");
	fclose(file);
	if (run == failing && !status)
		return 0;
	hpmStart(1, "setup");
	touch_pages(300);
	hpmStop(1);
	hpmStart(2, "solve");
	touch_pages(SOLVE);
	hpmStop(2);
	return run == failing ? status : 0;
}
EOF
for side in "old 1000" "new 1050"; do
	printf '#define SOLVE %s\n#include "program.c"\n' "${side#* }" > "${side% *}.c"
done
# turns STATUS OPTION... -- PROGRAM...: with "order" made anew
turns()
{
	status=$1
	shift
	rm -f order
	run "$status" -e $faults --against ./old "$@"
}
# named FILE: "region event verdict" of regions' counts that differ
named()
{
	awk -F, '$1 == "compared" && $2 ~ /^(setup|solve)$/ && $5 != "seconds" && $14 ~ /^(less|more)$/ { print $2, $5, $14 }' "$1"
}
# turn FILE RUN PLACE
turn()
{
	leaves_of "$1" && leaf "/0/runs/$2/turn" "$3"
}

check "two programs compile" eval 'hpm old && hpm new'
mkdir kept failed half none
check "they run in turn" turns 0 -r 4 --keep kept -f csv -o csv -- ./new argument
printf '%s argument\n' old new new old old new new old > wanted
check "... each first in every other pair, with the same arguments" cmp order wanted
check "what was changed is named, and nothing else" [ "$(named csv)" = "solve $faults more" ]
check "reports are kept" eval 'turn kept/before.json 0 0 && turn kept/before.json 1 3 && turn kept/before.json 3 7 &&
	turn kept/after.json 0 1 && turn kept/after.json 1 2 && turn kept/after.json 3 6'
check "... as -r writes them" eval 'leaf /0/title "\"./new argument\"" && leaf /0/runs/3/exit_status 0 && below /0/run_paths | grep -q "/run	3$"'
check "... of one measurement" eval 'id=$(sed -n "s/^\"turns\": //p" kept/before.json) && [ ${#id} -gt 30 ] && grep -q "^\"turns\": $id" kept/after.json'
check "--diff of them compares pairs" eval 'run 0 --diff kept/before.json -f json -o json kept/after.json && leaves_of json && leaf /0/pairs 4 && leaf /0/judged true'
check "... in the other order, too" eval 'run 0 --diff kept/after.json -f csv -o csv kept/before.json && [ "$(named csv)" = "solve $faults less" ] &&
	run 0 --diff kept/after.json kept/before.json && grep -q "took turns" out'
check "... but not runs with themselves" eval 'run 0 --diff kept/before.json -f json -o json kept/before.json && leaves_of json && leaf /0/pairs 0'
sed '/^"turns"/s/[0-9a-f]-/x-/' kept/after.json > other.json
check "... nor runs of two measurements" eval 'run 0 --diff kept/before.json -f json -o json other.json && leaves_of json && leaf /0/pairs 0 &&
	run 0 --diff kept/before.json other.json && grep -q "as busy for both sides" out'
check "text names the programs" eval 'turns 0 -r 4 -- ./old x && grep -q "^Before: ./old x (4 runs)$" err &&
	grep -q "^After:  ./old x (4 runs)$" err && grep -q "took turns" err'
check "nothing is named in a program that was not changed" eval 'turns 0 -r 5 -f csv -o csv -- ./old && [ "$(grep -c "^compared,solve" csv)" -ge 3 ] && [ -z "$(named csv)" ]'
check "the status is that of the first run that failed" eval 'turns 7 -r 4 --keep failed -- ./new x 2 7 && grep -q "took turns" err'
check "... and reports have all runs" eval 'leaves_of failed/after.json && leaf /0/runs/1/exit_status 7 && leaf /0/runs/3/exit_status 0 && leaves_of failed/before.json && leaf /0/runs/3/exit_status 0'
check "a run without regions ends it" eval 'turns 125 -r 6 --keep half -- ./new x 9 0 && grep -q "no region was entered" err && [ "$(wc -l < order)" -eq 10 ]'
check "... and reports have the pairs before" eval 'turn half/before.json 3 7 && turn half/after.json 3 6 && [ "$(cat half/* | grep -c exit_status)" -eq 8 ] &&
	run 0 --diff half/before.json -f csv -o csv half/after.json && [ "$(named csv)" = "solve $faults more" ]'
check "... or there is none" eval 'turns 125 -r 6 --keep none -- ./new x 1 0 && [ -z "$(ls none)" ]'
cp kept/after.json before
check "the comparison is not one of the reports" eval 'turns 125 -r 4 --keep kept -o kept/after.json -- ./new && grep -q "is a report of --keep" err && cmp before kept/after.json && [ ! -e order ]'
check "an event that cannot be counted is refused before any run" eval 'turns 125 -r 4 -e upc:::nosuch -- ./new && [ ! -e order ]'
