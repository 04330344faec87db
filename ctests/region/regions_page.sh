#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# regions_page.sh - the report as a page: counts whose truth is known, all that a browser shows beside the
# JSON of the same files, hostile names, many regions, ranks. $UPC_REGIONS is the tool.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/lib/browser.inc"
. "$srcdir/ctests/region/regions.inc"
plan 69

cat > program.c << 'END'
#include <libhpm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "touch.h"

static const char *const hostile[] = {"</script><script>window.broken = 1; document.title = 'broken'</script>",
	"quotes \" and ' & <b>bold</b>", "broken \xff\xfe utf-8", "line\nfeed, tab\t, \x1b[31m"};

/* Thread k: 1000 * (k + 1) pages in "solve", and 500 in "exchange" inside of it, twice. */
static void *work(void *argument)
{
	long k = (long)argument;
	int i;

	for (i = 0; i < 2; i++) {
		hpmTstart(3, "solve");
		touch_pages(1000 * (k + 1));
		hpmTstart(4, "exchange");
		touch_pages(500);
		hpmTstop(4);
		hpmTstop(3);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int many = argc > 1 ? atoi(argv[1]) : 0, i, k;
	pthread_t thread[3];
	char name[32];

	for (i = 0; i < many; i++) {
		snprintf(name, sizeof(name), "region %d.", i);
		for (k = 0; k <= (i * 7919 % many) / 100; k++) {
			hpmStart(1 + i, name);
			hpmStop(1 + i);
		}
	}
	if (many)
		return 0;
	for (i = 0; i < 4; i++) {
		hpmStart(10 + i, (char *)hostile[i]);
		touch_pages(100 * (i + 1));
		hpmStop(10 + i);
	}
	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, (void *)(long)i);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
END
# What the files of two ranks of three have: counts that are exact, estimates, lower bounds, and none.
# rank NUMBER EXACT: of each region
rank()
{
	cat << END
{"upc_regions": 1, "command": ["./solver", "-n", "<3>"], "host": "node$1", "pid": $((100 + $1)), "rank": $1, "ranks": 3,
"started": "2026-11-0$((1 + $1))T10:00:00Z", "ended": "exit", "clock": "thread CPU time", "seconds": $((2 + $1)).5, "slice_ns": 2000000,
"names": ["main", "solve", "</script><script>window.broken = 1</script>"],
"events": ["t::EXACT", "t::ESTIMATE", "t::PARTIAL", "t::NONE", "t::UNLIKE", "t::LARGE"],
"notes": [{"what": "it did not stop", "name": "solve <1>", "times": 2}],
"threads": [
$(for thread in 0 1; do
		[ $thread = 0 ] || echo ,
		echo "{\"name\": \"team <$thread>\", \"thread\": $thread, \"tid\": $((1000 + $1 * 10 + thread)), \"seconds\": 9, \"nodes\": ["
		for path in '' 0 0,1 0,1,2 2; do
			[ -z "$path" ] || echo ,
			echo "{\"path\": [$path], \"calls\": ${#path}, \"seconds\": $((1 + ${#path} + thread)).25, \"values\": [
				{\"value\": $2, \"exact\": true},
				{\"value\": 1000.5, \"standard_error\": 10, \"low\": 980, \"high\": 1021},
				{\"value\": 77, \"standard_error\": 1, \"low\": 70, \"high\": 80, \"flags\": [\"partial\"]},
				{\"uncounted\": true},
				{\"value\": 40, \"standard_error\": 20, \"freedom\": 2, \"low\": 0, \"high\": 700, \"flags\": [\"rough\", \"slowed\"]},
				{\"value\": $((9007199254740993 - thread)), \"exact\": true}]}"
		done
		echo "]}"
	done)
]}
END
}
cat > own.metrics << 'END'
upc-metrics 1
derived PER_CALL = "(t::ESTIMATE) / calls" unit "1/call" describe "What a <call> has."
derived SHARE = "(100*t::UNLIKE) / t::ESTIMATE" unit "%"
derived EXACT_SHARE = "(t::EXACT) / t::LARGE"
derived BOUND = "(t::PARTIAL) / calls"
derived UNSURE = "(t::EXACT) / t::PARTIAL"
derived LACKS = "(t::NONE) / time"
derived NOT_HERE = "(t::NO_SUCH_EVENT + t::EXACT) / time"
END

# The numbers of a row that has no other than these bytes as its name: row CAPTION NAME
row()
{
	awk -v caption="$1" -v name="$2" 'index($0, "<h3 ") { here = index($0, ">" caption "</h3>") > 0 }
		here && index($0, "<tr><th scope=\"row\"") && index($0, ">" name "</th>") {
			while (match($0, /data-v="[^"]*"/)) {
				printf "%s ", substr($0, RSTART + 8, RLENGTH - 9)
				$0 = substr($0, RSTART + RLENGTH)
			}
			exit
		}' page.html
}
# has CAPTION NAME COLUMN LOW HIGH
has()
{
	value=$(row "$1" "$2" | cut -d ' ' -f "$3")
	[ -n "$value" ] && awk -v v="$value" -v low="$4" -v high="$5" 'BEGIN { exit !(v >= low && v <= high) }' ||
		{ echo "# $1 $2: '$(row "$1" "$2")'"; return 1; }
}
# The first table: the share of time is in front of the counts.
inclusive='Counts, inclusive, by region' exclusive='Counts, exclusive, by region'

check "a program compiles" hpm program
check "its page is written" run 0 -e $faults -f html -o page.html ./program
check "... with counts of all threads" has "$inclusive" solve 2 15000 15200
check "... without those inside" has "$exclusive" solve 1 12000 12200
check "... of a region inside another" has "$exclusive" exchange 1 3000 3200
check "... and by call path" has 'Counts, exclusive, by call path' exchange 1 3000 3200
check "names are text: elements" has "$inclusive" '&lt;/script&gt;&lt;script&gt;window.broken = 1; document.title = &#39;broken&#39;&lt;/script&gt;' 2 100 150
check "... quotes" has "$inclusive" 'quotes &quot; and &#39; &amp; &lt;b&gt;bold&lt;/b&gt;' 2 200 250
check "... what is no UTF-8" eval "grep -q '>broken [^<]* utf-8</th>' page.html && iconv -f UTF-8 -t UTF-8 page.html > out"
check "... and no control bytes" eval "! LC_ALL=C grep -q \$'[\\001-\\010\\013-\\037]' page.html"
check "exclusive counts of call paths are the whole" eval '
	[ "$(row "Counts, inclusive, by call path" "(whole)")" = "$(awk "index(\$0, \"<h3 \") { here = index(\$0, \">Counts, exclusive, by call path</h3>\") > 0 }
		here && match(\$0, /data-v=\"[0-9]+/) { sum += substr(\$0, RSTART + 8, RLENGTH - 8) } END { print sum \" \" }" page.html)" ]'
short_heads()
{
	grep -q "<th scope=\"col\" class=\"n e\" title=\"$faults\"><span>[a-z]*::" page.html && ! grep -q '<span>upc:::' page.html
}
check "heads are without the prefix of all events, which their titles have" short_heads
one_file()
{
	! page_body page.html | grep -nE 'https?:|src=|href=|@import|url\(|style="| on[a-z]+="|<script>' > out
}
check "it asks for nothing from elsewhere" one_file

mkdir ranks && rank 0 5 > ranks/0 && rank 1 7 > ranks/1
check "ranks are one page" run 0 --merge ranks --metrics ./own.metrics -t --format html -o page.html
check "... that has their sums" has "$exclusive" solve 1 24 24
check "... to the last digit" eval '[ "$(row "$exclusive" solve | cut -d " " -f 6)" = 36028797018963970 ]'
check "... with what is wrong with estimates" grep -q 'slowed: counting slowed the program' page.html
check "... and says which one is not there" grep -q '<p class="note" role="note">rank 2 of 3: no file was left' page.html
check "--merge writes to standard output" eval 'run 0 --merge ranks --metrics ./own.metrics -t -f html && cmp out page.html'
run 0 --merge ranks --metrics ./own.metrics -t -f json -o page.json
same_data()
{
	sed -n '/<script type="application\/json" id="report">/,/^<\/script>$/p' page.html | sed 's/^<[^>]*>//' > data.json &&
		leaves_of data.json && mv leaves data && leaves_of page.json && [ -s data ] && cmp data leaves
}
check "the report is in it, as -f json has it" same_data
many_notes()
{
	mkdir notes && sed 's/"notes": .*/"notes": ['"$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "{\"what\": \"it\", \"name\": \"$i\", \"times\": 1000},"; done | tr -d '\n')"'{"what": "it", "times": 1}],/' ranks/0 > notes/0 &&
		run 0 --merge notes -f html -o notes.html && [ "$(grep -c 'class="note"' notes.html)" = 1 ] &&
		grep -q '<p class="note" role="note">15 things went wrong' notes.html && [ "$(grep -c '<td>it</td>' notes.html)" = 13 ]
}
check "many notes are a table" many_notes
check "two runs are no page" eval 'run 125 --diff ranks -f html ranks; grep -q "text, json or csv" err'
check "a page that cannot be written is an error" eval 'run 125 --merge ranks -f html -o /nowhere/page; grep -q "cannot write" err'
if [ -c /dev/full ]; then
	check "... and so is a full disk" eval 'run 125 --merge ranks -f html -o /dev/full && grep -q "No space left" err'
	check "... for all forms" eval 'for form in text json csv hatchet; do
		run 125 --merge ranks -f $form -o /dev/full && grep -q "No space left" err || break; done; [ $form = hatchet ]'
else
	skip "... and so is a full disk" "no /dev/full"
	skip "... for all forms" "no /dev/full"
fi
mkdir long
export HPM_NUM_INST_PTS=20000
check "10,000 regions" eval 'run 0 --max-regions 20000 -o "long/%p" ./program 10000 && run 0 --merge long -f html -o long.html && run 0 --merge long -f json -o long.json'
check_well_formed "pages are well formed" page.html long.html

find_browser
in_browser 300 regions_browser.js "$dir/page.html" "$dir/page.json" "$dir/long.html" "$dir/long.json"
