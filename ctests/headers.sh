#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# headers.sh - each installed header compiles alone, as C and as C++, with the
# strictest warnings and in the oldest standard that it is meant for.
# make check sets: srcdir, CC, CXX, PUBLIC_HEADERS.
set -u

read -ra headers <<< "$PUBLIC_HEADERS"
echo "1..$((4 * ${#headers[@]} + 6))"
n=0

# try NAME COMPILER FLAGS...: the source is on standard input
try()
{
	local name=$1 output
	shift
	n=$((n + 1))
	if ! command -v "$1" > /dev/null; then
		echo "ok $n - $name # SKIP no compiler for it: $1"
	elif output=$("$@" -Wall -Wextra -Wpedantic -Wshadow -Werror -I"${srcdir:?}/include" \
		-fsyntax-only - 2>&1); then
		echo "ok $n - $name"
	else
		printf '# %s\n' "${output//$'\n'/$'\n# '}"
		echo "not ok $n - $name"
	fi
}

for header in "${headers[@]##*/}"; do
	# Twice, because a second inclusion has to be empty.
	once="#include <$header>"
	try "$header as C11" "${CC%% *}" -std=c11 -x c <<< "$once"
	try "$header twice, as GNU C99" "${CC%% *}" -std=gnu99 -x c <<< "$once"$'\n'"$once"
	try "$header as C++11" "${CXX:-c++}" -std=c++11 -x c++ <<< "$once"
	try "$header as C++20" "${CXX:-c++}" -std=c++20 -x c++ <<< "$once"
done

# Structures that begin with their size: C++ has no literals of them.
for type in mpx_options upc_unit_options; do
	macro=${type%%_*}_OPTIONS_INIT
	macro=${macro^^}
	source="#include <${type%%_*}.h>
int use(int n);
int use(int n) { struct $type options = $macro($type); return n + (int)options.size; }"
	try "$macro in C11" "${CC%% *}" -std=c11 -x c <<< "$source"
	try "$macro in C++11" "${CXX:-c++}" -std=c++11 -x c++ <<< "$source"
	try "$macro in C++20" "${CXX:-c++}" -std=c++20 -x c++ <<< "$source"
done
