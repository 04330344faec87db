#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# symbols.sh - the libraries define no name that could meet another one in a
# program: not libpfm4's (a static libpapi has its own), not PAPI's MPX ones.
# make check sets: srcdir, builddir, NM, CC.
set -u

shared=${builddir:?}/src/upc/.libs/libupc.so
archive=$builddir/src/upc/libupc.a
# The calls that the header declares: a name at the start of a line or behind
# its type, followed by "(".
declared=$(sed -e '/^[#[:space:]\/*]/d' "${srcdir:?}/include/upc.h" |
	grep -o '\<upc_[a-z_]*(' | tr -d '(' | sort -u)

echo "1..6"
n=0

# empty NAME TEXT: passes if there is none
empty()
{
	n=$((n + 1))
	if [[ -z $2 ]]; then
		echo "ok $n - $1"
	else
		head -n 20 <<< "$2" | sed 's/^/# /'
		echo "not ok $n - $1"
	fi
}

exported=$("$NM" -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
defined=$("$NM" -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u)

empty "libupc.so exports upc_ names only" "$(grep -v '^upc_' <<< "$exported")"
empty "libupc.a defines upc_ names only" "$(grep -v '^upc_' <<< "$defined")"
empty "libupc.so exports every call of upc.h" "$(comm -13 <(echo "$exported") <(echo "$declared"))"
empty "libupc.so exports nothing but the calls of upc.h" "$(comm -23 <(echo "$exported") <(echo "$declared"))"
empty "libupc.a has the same calls" "$(comm -3 <(echo "$exported") <(echo "$defined"))"
empty "libupc.so needs no libpfm" "$(readelf -d "$shared" | grep NEEDED | grep pfm)"
