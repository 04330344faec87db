#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# utils_options.sh - the tools speak alike: one set of exit statuses, one form of advice, and
# names of old that still work. $UPC_STAT and the others are the tools.
. "${srcdir:?}/ctests/utils.inc"

tools="$UPC_STAT $UPC_RUN $UPC_TOP $UPC_AVAIL $UPC_WIRE $UPC_REPLAY $UPCCTL"
[ ! -x "$MPX_RUN" ] || tools="$tools $MPX_RUN $UPC_REGIONS"
[ ! -x "$UPC_JOBSTAT" ] || tools="$tools $UPC_JOBSTAT"
plan 17

# each COMMAND...: with $tool each of them
each()
{
	for tool in $tools; do
		"$@" || { echo "# $tool"; return 1; }
	done
}
help()
{
	run 0 --help && [ ! -s err ] && head -n 1 out | grep -q "^usage: ${tool##*/} " &&
		grep -q '^  -h, --help ' out && grep -q '125: ' out && [ "$(awk 'length > 80' out)" = "" ]
}
check "--help of each says usage, options and exit statuses, in 80 columns" each help
wrong()
{
	run 125 --nosuch && [ ! -s out ] && [ "$(wc -l < err)" = 1 ] && grep -q "there is no option .--nosuch.; .${tool##*/} --help. lists them" err
}
check "a wrong option: 125, and where to read on" each wrong
two_formats()
{
	run 125 --json --csv && [ ! -s out ] && grep -q 'one --format at a time' err
}
check "two formats: 125" each two_formats
no_format()
{
	run 125 -f xml && [ ! -s out ] && grep -q "^${tool##*/}: --format wants text, .*, not 'xml'" err
}
check "no format: 125" each no_format
version()
{
	run 0 -V && grep -q "^${tool##*/} [0-9]" out
}
check "-V" each version
# Each spelling of --help is in the shells' table, and the other way round.
same_table()
{
	run 0 --help && grep -o '^  -., --[a-z-]*\|^      --[a-z-]*' out | tr -d ' ' | tr ',' '\n' | sort > helped
	run 0 --complete && cut -f 1 out | tr -d '=' | sed '/^$/d' | sort | cmp -s helped -
}
check "what shells complete is what --help has" each same_table

documented()
{
	for name in $(sed -n 's/^--/-/p' helped); do
		grep -q -e "Fl $name\>" -e ", $name\>" "$srcdir/man/${tool##*/}.1" || { echo "# $name"; return 1; }
	done
}
has_page()
{
	same_table && documented
}
check "... and its manual page, too" each has_page

full()
{
	"$tool" --help > /dev/full 2> err
	[ $? = 125 ] && [ "$(wc -l < err)" = 1 ]
}
if [ -c /dev/full ]; then
	check "a full disk: 125, and one line" each full
else
	skip "a full disk: 125, and one line" "there is no /dev/full"
fi

# advised LINES ARGUMENT...: in so many lines on standard error
advised()
{
	lines=$1
	shift
	run "$@" && [ "$(grep -c ' is the old name of \| has a unit: ' err)" = "$lines" ]
}
tool=$UPC_AVAIL
check "upc_avail -a is --all" advised 1 0 -a --names PU0_JPIPE_INSTRUCTIONS
check "... which has nothing to say" advised 0 0 --all --names PU0_JPIPE_INSTRUCTIONS
tool=$UPC_TOP
check "upc_top -i is -I, once" advised 1 125 -i 1 -i 1 -n 1 "no-such-unit.$$"
check "... and a number alone is seconds" advised 1 125 --interval=1 -n 1 "no-such-unit.$$"
check "... a time has nothing to say" advised 0 125 -I 1s -n 1 "no-such-unit.$$"
tool=$UPC_STAT
# shellcheck disable=SC2016
intervals()
{
	for i in 100ms 0.1s 100; do
		run 0 -I $i -f csv -o often -e process::utime_ns -- sh -c 'i=0
			until grep -q ^interval often || [ $i = 3000 ]; do sleep 0.1; i=$((i + 1)); done' &&
			grep -q ^interval often || { echo "# $i"; return 1; }
	done
}
check "upc_stat: an interval with its unit, as one in milliseconds" intervals
check "--sim goes with what upc_run can do only" run 125 --sim -d -- true
tool=$UPC_RUN
check "upc_run -r is --format, -p --per-process" advised 1 127 -r csv -p ./nowhere
if [ -x "$MPX_RUN" ]; then
	tool=$MPX_RUN
	check "mpx_run -t is --timer, -e --estimator, -r --report" advised 1 127 -t auto -e auto -r ./nowhere
else
	skip "mpx_run -t is --timer, -e --estimator, -r --report" "mpx_run is not built"
fi
