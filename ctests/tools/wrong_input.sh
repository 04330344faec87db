#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# wrong_input.sh - what wrong_input.txt has: wrong invocations of each tool end with its status and one
# sentence, the program is not started, and no file is made or changed.
. "${srcdir:?}/ctests/utils.inc"

table=$srcdir/ctests/tools/wrong_input.txt
declare -A path=([upc]=${UPC:?} [upc_avail]=${UPC_AVAIL:?} [upc_stat]=${UPC_STAT:?} [upc_run]=${UPC_RUN:?}
	[upc_regions]=${UPC_REGIONS:?} [mpx_run]=${MPX_RUN:?} [upc_top]=${UPC_TOP:?} [upc_wire]=${UPC_WIRE:?}
	[upc_replay]=${UPC_REPLAY:?} [upc_serve]=${UPC_SERVE:?} [upcctl]=${UPCCTL:?} [upc_jobstat]=${UPC_JOBSTAT:?}
	[demo]=$srcdir/scripts/demo [check]=$srcdir/scripts/check)
tools=$(sed -n 's/^\([a-z_]*\) .*/\1/p' "$table" | uniq)
# A row's words, which the shell reads, its status, and the pattern that its sentence has.
row='^([a-z_]+)( .*)? +\| +([0-9]+) +\| +(.*)$'
# shellcheck disable=SC2086
plan "$(($(wc -w <<< $tools) + 1))"

# The rows name these: a program that leaves a file when it is started, and files of all kinds.
mkdir files files/tmp files/directory files/garbage
cd files || exit 1
mark=$PWD/mark
printf '#!/bin/sh\n: > %s/../started\n' "$PWD" > mark
printf '#!/no/such/interpreter\n' > lost
printf '#!./lost\n' > lost_twice
printf '#!%s/directory\n' "$PWD" > lost_directory
printf 'int f(int a) { return a; }\nint daxpy(int a) { return f(a); }\nint main(void) { return daxpy(0); }\n' > prog.c
printf '#!/bin/sh\nexit 0\n' > not_executable
chmod 755 mark lost lost_twice lost_directory
: > empty
printf '\001\002\003garbage\n' > binary
printf '{"no": "report"}\n' > other.json
printf '{"cut": ' > cut.json
printf 'kept\n' > kept
for i in 1 2 3 4 5 6 7 8; do
	printf 'no process\n' > garbage/$i
done
long=$(printf '%20000s' '' | tr ' ' x)
odd=$(printf '\377\376\033[31m\001')
# shellcheck disable=SC2086
${CC:?} -g -o prog prog.c && $CC -g -Wl,--dynamic-linker=/no/such/linker -o no_linker prog.c || exit 1
export TMPDIR=$PWD/tmp XDG_STATE_HOME=$PWD/state mark long odd

# state: all files, what is in them, and when they were changed, in $state
state()
{
	state=$(find . -printf '%P %y %s %T@ %m\n')
}

# refuses ROW: as the table says
refuses()
{
	[[ $1 =~ $row ]] || { echo "# no row: $1"; return 1; }
	tool=${path[${BASH_REMATCH[1]}]}
	status=${BASH_REMATCH[3]}
	sentence=${BASH_REMATCH[4]}
	eval "set -- ${BASH_REMATCH[2]}"
	before=$state
	timeout 60 "$tool" "$@" > ../out 2> ../err < /dev/null
	got=$?
	state
	mapfile said < ../err
	line=${said[0]-}
	line=${line%$'\n'}
	if [ $got != "$status" ]; then
		echo "# status $got, not $status"
	elif IFS= read -r -d '' _ < ../err; then
		echo "# a byte 0"
	elif [ -s ../out ] || [ ${#said[@]} != 1 ] || [ "$line" = "${said[0]-}" ]; then
		echo "# not one line"
	elif [[ $line == *[!\ -~]* ]]; then
		echo "# bytes that a terminal may take for commands"
	elif ! [[ $line =~ $sentence ]]; then
		echo "# another sentence"
	elif [ -e ../started ]; then
		echo "# the program was started"
		rm ../started
	elif [ "$state" != "$before" ]; then
		diff <(sort <<< "$before") <(sort <<< "$state") | sed 's/^/# /'
	else
		return 0
	fi
	sed 's/^/# err: /' ../err | cut -c 1-400 | head -n 5
	return 1
}

# refuses_all TOOL: each of its rows, of which there are fifteen at least
refuses_all()
{
	rows=0
	wrong=0
	while read -r line; do
		rows=$((rows + 1))
		refuses "$line" || { echo "# ROW: $line"; wrong=$((wrong + 1)); }
	done < <(grep "^$1 " "$table")
	echo "# $1: $rows rows, $wrong wrong"
	case $1 in
	demo | check) least=2 ;;
	*) least=15 ;;
	esac
	[ $wrong = 0 ] && [ $rows -ge $least ]
}

# Proves that the program is seen where it is started.
check "what starts is seen" eval "./mark && rm ../started"
state
for name in $tools; do
	if [ -x "${path[$name]}" ]; then
		check "$name" refuses_all "$name"
	else
		skip "$name" "it is not built"
	fi
done
