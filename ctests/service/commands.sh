#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# commands.sh - the table of commands in doc/reference/SERVICE.md: each row's command does what it says, on
# a service that counts. $UPCCTL is the tool, $SERVICE_DAEMON the service.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/daemon.inc"

tool=$UPCCTL
doc=$srcdir/doc/reference/SERVICE.md

# A line for each row: the command of ours.
awk '/^## / { inside = $0 == "## Commands" }
	inside && /^\|/ && n++ > 1 { split($0, cell, " *[|] *"); split(cell[4], code, "`"); print code[2] }' "$doc" > rows
plan $(($(wc -l < rows) + 3))

# ls_of NAME: its fields are leaves under /0/counters/0
ls_of()
{
	"$tool" --json ls "$1" > ls.json && leaves_of ls.json
}
state_of() # NAME STATE
{
	ls_of "$1" && leaf /0/counters/0/state "\"$2\""
}
# The count of the first place, or null.
value_of()
{
	ls_of "$1" && at /0/places/0/value
}
said() # TEXT
{
	[ "$(cat out)" = "$1" ]
}
counters()
{
	"$tool" --json status > status.json && leaves_of status.json &&
		[ "$(below /0/counters | grep -c '^/[0-9]*/number	')" = "$1" ]
}
touch_pages()
{
	for _ in 1 2 3; do /bin/true; done
}
# Grows on CPUs where something runs: the sum over all places.
sum_of()
{
	"$tool" --csv ls "$1" | awk -F, '$1 == "place" { sum += $7 } END { printf "%.0f\n", sum }'
}
grown()
{
	touch_pages && [ "$(sum_of "$1")" -gt "$before" ]
}
grows()
{
	before=$(sum_of "$1") && until_passes grown "$1"
}

cat > config << EOF
initialize interval=0
add $switches scope=cpu as=switches
finalize
EOF
check "a service with a configuration" daemon_start config

do_initialize()
{
	"$tool" --json status > status.json && leaves_of status.json && leaf /0/interval_ns 0 &&
		run 125 initialize interval=0 && grep -q "configuration only" err &&
		printf 'initialize interval=1x\nfinalize\n' > wrong && "$SERVICE_DAEMON" ./other wrong < /dev/null > out 2> err
	[ $? = 1 ] && grep -q 'wrong:1:' err && [ ! -e other ]
}
do_add()
{
	run 0 add "$faults" && said "added $faults, scope cpu" && state_of "$faults" counting &&
		grows "$faults" && run 0 remove "$faults" && run 0 add "$faults" as=faults && counters 2
}
do_add_several()
{
	run 0 add "$minor" "$major" && said 'added 2 counters' && counters 4 &&
		run 1 add "$spare" perf::NOT-HERE && grep -q "nothing was added" err && counters 4 &&
		run 0 remove "$minor" "$major" && counters 2
}
do_finalize()
{
	run 125 finalize && grep -q "configuration only" err &&
		printf 'initialize interval=0\nadd %s\nadd perf::NOT-HERE\nfinalize\n' "$faults" > wrong &&
		"$SERVICE_DAEMON" ./other wrong < /dev/null > out 2> err
	[ $? = 1 ] && grep -q 'wrong:3:5: .*perf::NOT-HERE' err || return 1
	printf 'initialize interval=0\nadd %s\n' "$faults" > wrong && "$SERVICE_DAEMON" ./other wrong < /dev/null > out 2> err
	[ $? = 1 ] && grep -q 'wrong:.*finalize' err
}
do_halt()
{
	run 0 halt faults && said '1 counter halted' && state_of faults halted && [ "$(value_of faults)" = null ] && state_of switches counting
}
do_continue()
{
	run 0 continue faults && said '1 counter continued' && state_of faults counting && grows faults
}
do_halt_all()
{
	before=$(sum_of faults)
	run 0 halt ALL && said '2 counters halted' && state_of faults halted && state_of switches halted && [ "$(value_of switches)" = null ]
}
do_continue_all()
{
	run 0 continue ALL && said '2 counters continued' && state_of faults counting && state_of switches counting &&
		[ "$(sum_of faults)" -ge "$before" ]
}
do_rewrite()
{
	run 0 rewrite faults && grep -q '^[0-9]* places* count$' out && state_of faults counting &&
		run 1 rewrite nobody && grep -q 'no counter is called nobody' err
}
do_rewrite_all()
{
	run 0 add perf::NOT-HERE optional=yes as=gone && state_of gone failed && run 0 rewrite ALL &&
		grep -q '^[0-9]* places* count, [0-9]* cannot' out && state_of faults counting && run 0 remove gone
}
do_reassign()
{
	ls_of faults && number=$(at /0/counters/0/number) && id=$(at /0/counters/0/id) &&
		run 1 reassign faults perf::NOT-HERE && state_of faults counting &&
		run 0 reassign faults "$major" && said "faults counts no more; its counter counts $major, from 0" &&
		run 1 ls faults && ls_of "$major" && leaf /0/counters/0/number "$number" &&
		[ "$(at /0/counters/0/id)" -gt "$id" ] && run 0 reassign "$major" "$faults" as=faults && grows faults
}
do_ls()
{
	run 0 ls && grep -q "^ *1  switches  $switches  cpu    counting\$" out && [ "$(wc -l < out)" = 3 ]
}
do_remove()
{
	run 0 remove faults && said '1 counter removed' && run 1 ls faults && counters 1 && run 1 remove faults
}
do_status()
{
	run 0 status && grep -q '^since  *[0-9]' out && grep -q '^noticing ' out && grep -q '^samples  *when somebody asks' out
}
do_add_scope()
{
	run 0 add "$clock" scope=node as=clock && said 'added clock, scope node' && ls_of clock &&
		leaf /0/counters/0/scope '"node"' && leaf /0/places/0/place '""' && [ "$(below /0/places | grep -c '/place	')" = 1 ] &&
		run 1 add perf::TASK-CLOCK scope=socket && grep -q 'expected is cpu, node or cgroup' err
}
do_run()
{
	# shellcheck disable=SC2016
	run 4 run -- sh -c '"$UPCCTL" --json status > during.json; exit 4' && leaves_of during.json && leaf /0/yields 1 &&
		"$tool" --json status > status.json && leaves_of status.json && leaf /0/yields 0
}

row_of() # COMMAND: the test of it
{
	case $1 in
	'initialize interval=0') do_initialize ;;
	'upcctl add perf::PAGE-FAULTS') do_add ;;
	'upcctl add perf::MINOR-FAULTS perf::MAJOR-FAULTS') do_add_several ;;
	finalize) do_finalize ;;
	'upcctl halt faults') do_halt ;;
	'upcctl halt ALL') do_halt_all ;;
	'upcctl continue faults') do_continue ;;
	'upcctl continue ALL') do_continue_all ;;
	'upcctl rewrite faults') do_rewrite ;;
	'upcctl rewrite ALL') do_rewrite_all ;;
	'upcctl reassign faults perf::MAJOR-FAULTS') do_reassign ;;
	'upcctl ls') do_ls ;;
	'upcctl remove faults') do_remove ;;
	'upcctl status') do_status ;;
	'upcctl add perf::TASK-CLOCK scope=node as=clock') do_add_scope ;;
	'upcctl run -- PROGRAM') do_run ;;
	*) echo "# no test has it" && false ;;
	esac
}
exec 3< rows
while read -r row <&3; do
	# Those of one counter come first: they leave it as the next row wants it.
	[ "$row" != 'upcctl halt ALL' ] || row_of 'upcctl continue faults' > out || echo "# continue"
	check "$row" row_of "$row"
done
sixteen()
{
	sort -u rows > once
	[ "$(wc -l < once)" = 16 ] || { echo "# $(wc -l < once) commands of the table are known, not 16"; false; }
}
check "the table has all of them" sixteen
check "the service ends" daemon_stop
