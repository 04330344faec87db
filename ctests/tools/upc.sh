#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# upc.sh - upc starts the other tools, and says which there are. $UPC is the tool.
tool=${UPC:-upc}
. "${srcdir:?}/ctests/utils.inc"

plan 15

check "upc stat" run 7 stat -e task::minflt -- sh -c 'echo hello; exit 7'
check "... is upc_stat" [ "$(cat out)$(grep -c task::minflt err)" = hello1 ]
check "upc avail" run 0 avail --names task::minflt
check "... has its own options" grep -qx task::minflt out
commands="stat run top avail wire replay"
[ ! -x "$MPX_RUN" ] || commands="$commands mpx regions"
helps()
{
	for command in $commands; do
		run 0 help "$command" && grep -q "^usage: [a-z]*_$command\|^usage: mpx_run" out && mv out first &&
			run 0 "$command" --help && cmp -s out first || { echo "# $command"; return 1; }
	done
}
check "upc help says what --help of each does" helps
names()
{
	for command in $commands; do
		grep -q "^  $command  *[a-z]" out || { echo "# $command"; return 1; }
	done
}
check "upc --help" run 0 --help
check "... names all commands" names
cp out first
check "upc help" run 0 help
check "... says the same" cmp -s out first
check "a name that is not there: 125" run 125 sta
check "... with the nearest" grep -q "^upc: there is no command 'sta'; did you mean stat?$" err
check "... also for help" run 125 help topp
check "a name like none" run 125 zzzzzz
check "no name: 125" run 125
away()
{
	mkdir alone && cp "$tool" alone/ || return 1
	alone/upc stat true 2> err
	[ $? = 127 ] && grep -q "alone/upc_stat': No such file" err
}
check "a tool that is not installed: 127" away
