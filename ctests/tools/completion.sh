#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# completion.sh - bash and zsh complete lines of the tools, from the tools' own table. $UPC_STAT
# and the others are the tools.
. "${srcdir:?}/ctests/utils.inc"

plan 30
completions=$srcdir/share/completions

# shellcheck source=/dev/null
check "bash takes the file" . "$completions/upc.bash"

# completes LINE WORD...: these, in any order, and no others
completes()
{
	typed "$1"
	shift
	printf '%s\n' "$@" | sort > want
	cmp -s want out || { diff want out | sed 's/^/# /' | head -n 20; false; }
}
typed()
{
	COMP_LINE=$1 COMP_POINT=${#1}
	_upc 2> err
	printf '%s\n' "${COMPREPLY[@]}" | sort > out
}
# offers LINE WORD...: these, and perhaps others
offers()
{
	typed "$1"
	shift
	for word in "$@"; do
		grep -qxF -e "$word" out || { echo "# not $word"; return 1; }
	done
}
offers_not()
{
	offers "$@" > /dev/null && return 1
	return 0
}

check "an option" completes "$UPC_STAT --per-t" --per-thread
check "... of several" offers "$UPC_STAT -" -e --events -I --interval -f --format --help
check "... but no old one" offers_not "$UPC_STAT --th" --threads
whole()
{
	"$UPC_RUN" --help | grep -o '^  -., --[a-z-]*\|^      --[a-z-]*' | grep -o -e '--.*' | sort > want
	typed "$UPC_RUN --"
	[ -s want ] && tr -d = < out | sort | cmp -s want - # some may have a value, behind a =
}
check "... the whole of --help's" whole
check "a word of a few" completes "$UPC_RUN -f " text json csv stat
check "... that has begun" completes "$UPC_RUN --format c" csv
check "... behind a =" completes "$UPC_RUN --children=" count off
check "... where bash does not break words at it" eval 'COMP_WORDBREAKS=" " completes "$UPC_RUN --children=c" --children=count'
check "the name of an event, as bash breaks it at colons" completes "$UPC_STAT -e task::minf" minflt
check "... whole, where it does not" eval \
	'COMP_WORDBREAKS=" " completes "$UPC_STAT -e task::minf" task::minflt'
check "... the second of a list" eval \
	'COMP_WORDBREAKS=" " completes "$UPC_STAT -e task::minflt,task::majf" task::minflt,task::majflt'
check "... behind --events=" eval \
	'COMP_WORDBREAKS=" " completes "$UPC_STAT --events=task::majf" --events=task::majflt'
check "upc_run has events of its own" completes "$UPC_RUN -e PU0_FPU_F" PU0_FPU_FMA_2 PU0_FPU_FMA_4
check "upc_avail's operand is an event" eval 'COMP_WORDBREAKS=" " completes "$UPC_AVAIL task::majf" task::majflt'
mkdir -p there/deeper
: > there/file
check "a file" completes "$UPC_STAT -o there/" there/deeper there/file
check "a directory" completes "$UPC_RUN --prefix there/" there/deeper
check "a program" offers "$UPC_STAT -z -e task::minflt printenv" printenv
check "... behind --" offers "$UPC_STAT -z -- printen" printenv
check "... and files for it, not options of ours" completes "$UPC_STAT -z -- cat there/f" there/file
check "a command of upc" completes "$UPC a" avail
check "... and its options" completes "$UPC stat --per-t" --per-thread
check "a command of upcctl" completes "$UPCCTL -S x re" reassign remove rewrite
check "... and what follows it" eval 'offers "$UPC ctl run -- printen" printenv && completes "$UPCCTL status " &&
	COMP_WORDBREAKS=" " completes "$UPCCTL add task::majf" task::majflt'
. "$srcdir/ctests/service/daemon.inc"
counters()
{
	printf 'initialize interval=0\nadd %s as=faults\nadd %s as=fewer\nfinalize\n' "$faults" "$minor" > config &&
		daemon_start config && completes "$UPCCTL halt f" faults fewer && completes "$UPC ctl reassign fe" fewer && daemon_stop
}
check "... counters of the service" counters
check "upc help" completes "$UPC help w" wire

# What lies in the directory where somebody types is not run.
printf '#!/bin/sh\n: > %s/ran\n' "$PWD" > upc_avail
cp upc_avail upc_top
chmod +x upc_avail upc_top
tools=${UPC_STAT%/*}
at_home()
{
	(PATH=$tools:$PATH && unset _upc_names && COMP_WORDBREAKS=" " && completes "upc_stat -e task::minf" task::minflt) &&
		[ ! -e ran ]
}
check "a tool of PATH asks none of the directory that one is in" at_home
units()
{
	"$SHARE_LOAD" "$unit" 3000 task::minflt > ready 2> err &
	owner=$!
	until_passes [ -s ready ] && completes "$UPC_TOP ${unit%.*}" "$unit" && completes "$UPC top ${unit%.*}" "$unit" &&
		zsh_units
	result=$?
	kill $owner
	wait $owner
	return $result
}
zsh_units()
{
	[ -n "$zsh" ] || return 0
	timeout 300 zsh -f "$srcdir/ctests/lib/zsh_complete" "$completions" "$UPC top ${unit%.*}" > out 2> err &&
		[ "$(cat out)" = "$UPC top $unit " ]
}
zsh=
! command -v zsh > out || ! zsh -f -c 'zmodload zsh/zpty && zpty terminal true' 2> err || zsh=yes
unit=complete$$.unit
if file=$(mktemp /dev/shm/upc-test.XXXXXX 2>&1); then
	rm -f "$file"
	check "units, also for upc top" units
else
	skip "units, also for upc top" "shared memory, /dev/shm, cannot be written here: ${file##*: }"
fi

zsh_completes()
{
	cat > want <<-WANT
		upc_stat -e task::majflt,
		$UPC_STAT --per-thread 
		$UPC_RUN --format=csv 
		$UPC_STAT -e task::minflt,
		$UPC_STAT -e task::minflt,task::majflt,
		$UPC_RUN -e PU0_FPU_FMA_4,
		$UPC stat --per-thread 
		$UPC avail 
		$UPC_STAT -z -- printenv 
		$UPCCTL -f json reassign 
		$UPCCTL run printenv 
		$UPCCTL add task::majflt 
	WANT
	PATH=$tools:$PATH timeout 300 zsh -f "$srcdir/ctests/lib/zsh_complete" "$completions" "upc_stat -e task::majf" \
		"$UPC_STAT --per-t" "$UPC_RUN --format=cs" \
		"$UPC_STAT -e task::minf" "$UPC_STAT -e task::minflt,task::majf" "$UPC_RUN -e PU0_FPU_FMA_4" \
		"$UPC stat --per-t" "$UPC a" "$UPC_STAT -z -- printen" \
		"$UPCCTL -f json reas" "$UPCCTL run printen" "$UPCCTL add task::majf" > out 2> err && [ ! -e ran ] && diff want out | sed 's/^/# /' && cmp -s want out
}
completed="... and completes options, words, events, programs and commands"
if command -v zsh > /dev/null; then
	check "zsh reads its file" zsh -n "$completions/_upc"
	if [ -n "$zsh" ]; then
		check "$completed" zsh_completes
	else
		skip "$completed" "zsh has no terminal here: $(head -n 1 err)"
	fi
else
	skip "zsh reads its file" "there is no zsh"
	skip "$completed" "there is no zsh"
fi
