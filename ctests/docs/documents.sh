#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# documents.sh - runs the commands of the documents and compares what they print with what is shown.
#
# The first word after a block's fence says what the block is:
#
#   sh       commands. bash -e runs them in a copy of the tree, in the order of the document; exported
#            variables hold for the blocks below. More words may follow: "fails" (they must fail), "later"
#            (repeated until they pass), "long" (in make check-long only), and what they need: lacks() below
#   text     the output of the sh block above it, as shape.awk compares them
#   c        C. A whole program is compiled as it is, other code inside a function
#   others   not run
#
# C that begins with a comment that begins with a file's name is written to that file, for the commands
# below. The table "exceptions" names the blocks that are not run, each with the reason.
#
# usage: documents.sh [DOCUMENT...]
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/node.inc"
here=$srcdir/ctests/docs
documents=("$@")
asked=$#
if [ $# = 0 ]; then
	documents=(README.md src/components/upc/README.md doc/{clients,install,troubleshooting,tutorial}.md)
	for document in "$srcdir"/doc/reference/*.md; do
		documents+=("${document#"$srcdir/"}")
	done
fi

# ---- blocks ---------------------------------------------------------------------------------------

# excepted DOCUMENT FILE: the table has the block, which begins with the same line
excepted()
{
	awk -v document="$1" -v first="$(head -n 1 "$2")" -F ' [|] ' '
		$1 == document && $2 == first { found = 1 } END { exit !found }' "$here/exceptions"
}

# A line a block that is checked: DOCUMENT FILE LINE WORDS. An output has its block's number and "shown".
: > wanted
for document in "${documents[@]}"; do
	mkdir -p "blocks/$document"
	awk -v to="blocks/$document" -f "$here/blocks.awk" "$srcdir/$document" > list
	while read -r number line words; do
		file=blocks/$document/$number
		case $words in
		sh | sh\ *)
			if excepted "$document" "$file"; then
				: > "$file.excepted"
			elif [[ " $words " != *" long "* || -n ${UPC_DOCS_LONG-} ]]; then
				echo "$document $file $line $words" >> wanted
			fi
			;;
		text)
			if [[ $last == sh* ]]; then
				mv "$file" "${previous}.shown"
			else
				echo "$document $file $line bad an output without commands above it" >> wanted
			fi
			;;
		c | bad*) echo "$document $file $line $words" >> wanted ;;
		esac
		name=
		[ "$words" != c ] || name=$(sed -n '1s,^/\* \([A-Za-z0-9_-]*\.c\): .*,\1,p' "$file")
		if [ -n "$name" ]; then
			cp "$file" "$file.content"
			echo "$document $file.content $line file $name" >> wanted
		fi
		last=$words previous=$file
	done < list
done

for tool in upc_stat mpx_run; do
	if [ ! -x "${prefix:?}/bin/$tool" ] || [ "${builddir:?}/utils/$tool" -nt "$prefix/bin/$tool" ]; then
		plan 1
		skip "the documents' commands" "what is built is not installed in $prefix: make install"
		exit
	fi
done
plan $((1 + $(grep -cv ' file [^ ]*$' wanted)))

exceptions()
{
	[ "$(grep -vc '^#' "$here/exceptions")" -le 10 ] && ! grep -v '^#' "$here/exceptions" | grep -v ' | .* | .' || return 1
	[ "$asked" != 0 ] ||
		[ "$(find blocks -name '*.excepted' | wc -l)" = "$(grep -vc '^#' "$here/exceptions")" ]
}
check "at most ten blocks are not run, each has a reason, and each is in its document" exceptions

# ---- what a block needs ------------------------------------------------------------------------------

# lacks WORD: it is not here; $missing says why
lacks()
{
	missing=
	case $1 in
	sim) cannot_simulate ;;
	pcp) node_missing ;;
	nopmu) [ ! -e /sys/bus/event_source/devices/cpu ] || missing="this machine has a PMU" ;;
	x86) [ "$(uname -m)" = x86_64 ] || missing="this is for x86-64" ;;
	papi) [ -d "$papi_source" ] || missing="there is no source of PAPI in $papi_source" ;;
	esac
	[ -n "$missing" ]
}
papi_source=${UPC_DOCS_PAPI:-$(dirname "$builddir")/papi/tree}

# ---- running ------------------------------------------------------------------------------------------

sessions=
# in_session SESSION: its processes
in_session()
{
	cat /proc/[0-9]*/stat 2> /dev/null |
		awk -v session="$1" '{ pid = $1; sub(/.*\) /, "") } $4 == session && $1 != "Z" { print pid }'
}
session_ended()
{
	[ -z "$(in_session "$1")" ]
}
end_sessions()
{
	local session
	for session in $sessions; do
		# shellcheck disable=SC2046 # words
		kill -TERM $(in_session "$session") 2> /dev/null
		until_passes session_ended "$session"
	done
	sessions=
}
trap 'end_sessions; rm -rf "${dir:?}"' EXIT

# begin DOCUMENT: a tree as the reader has it after scripts/demo, and nothing of this environment
begin()
{
	local file path=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
	end_sessions
	rm -rf at
	mkdir -p at/upc/build/prefix at/home at/tmp
	for file in "$srcdir"/*; do
		[ "${file##*/}" = build ] || ln -s "$file" at/upc/
	done
	ln -s "${builddir:?}" at/upc/build/obj
	cp -Rs "${PAPI_PREFIX:?}/." at/upc/build/prefix/
	[ "$PAPI_PREFIX" -ef "$prefix" ] || cp -Rsf "$prefix/." at/upc/build/prefix/
	# README says itself where the tools are.
	[ "$1" = README.md ] || path=$dir/at/upc/build/prefix/bin:$path
	printf 'export PATH="%s" HOME="%s" TMPDIR="%s" LC_ALL=C.UTF-8\n' "$path" "$dir/at/home" "$dir/at/tmp" > at/state
}

cat > runner << 'END'
. "$2"
cd ~/../upc
trap 'export -p > "$2"' EXIT
. "$1"
END

# same_shape SHOWN PRINTED: in documents the user is u
same_shape()
{
	sed "s,$dir/at/home,/home/u,g; s,$dir/at/upc,/home/u/upc,g" "$2" > plain
	awk -f "$here/shape.awk" "$1" plain > out
}

# run_block FILE FAILS: its commands end as they should, and print what is shown; $wrong says what is wrong
run_block()
{
	local session status
	setsid env -i timeout -k 5 "${UPC_DOCS_LONG:-100}" bash -e runner "$dir/$1" "$dir/at/state" \
		< /dev/null > printed 2>&1 9>&- &
	session=$!
	sessions+=" $session"
	wait $session
	status=$?
	wrong="status $status"
	[ "$2" = $([ $status = 0 ] && echo no || echo yes) ] || return 1
	wrong="another output"
	[ -e "$1.shown" ] || return 0
	if grep -q '&$' "$1"; then
		until_passes same_shape "$1.shown" printed
	else
		same_shape "$1.shown" printed
	fi
}

# commands FILE WORDS
commands()
{
	local words=" $2 " fails=no
	[[ $words != *" fails "* ]] || fails=yes
	if [[ $words == *" papi "* && ! -d at/papi ]]; then
		cp -R "$papi_source" at/papi && make -C at/papi/src clobber > out 2>&1
	fi
	rm -f err out
	if [[ $words == *" later "* ]]; then
		until_passes run_block "$1" $fails && return 0
	else
		run_block "$1" $fails && return 0
	fi
	echo "# $wrong"
	sed 's/^/# printed: /' printed | tail -n 60
	return 1
}

# compiles FILE
compiles()
{
	local flags=(-std=gnu11 -Wall -Wextra -Werror -fsyntax-only "-I$srcdir/include" "-I$PAPI_PREFIX/include")
	if grep -q '^int main(' "$1"; then
		${CC:-cc} "${flags[@]}" -x c "$1" 2> err
	else
		{
			grep '^#include' "$1"
			echo '#include "fragment.h"'
			echo 'void fragment(void)'
			echo '{'
			sed '/^#include/d; s/^\( *\)\.\.\./\1;/' "$1"
			echo '}'
		} > fragment.c
		${CC:-cc} "${flags[@]}" -Wno-unused "-I$here" fragment.c 2> err
	fi
}

document=
while read -r next block line words; do
	[ "$next" = "$document" ] || begin "$next"
	document=$next
	name="$document:$line: $(head -n 1 "$block")"
	case $words in
	bad*) check "$document:$line: ${words#bad }" false ;;
	file*) cp "$block" "at/upc/${words#file }" ;;
	c) check "$name" compiles "$block" ;;
	*)
		for word in $words; do
			! lacks "$word" || break
		done
		if [ -n "$missing" ]; then
			skip "$name" "$missing"
		else
			check "$name" commands "$block" "$words"
		fi
		;;
	esac
done < wanted
end_sessions
