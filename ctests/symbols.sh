#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# symbols.sh - the libraries define no name that could meet another one in a
# program: not libpfm4's (a static libpapi has its own), not PAPI's MPX ones.
# make check sets: srcdir, builddir, NM, CC.
set -u

# The calls that a header declares: a name at the start of a line or behind its type,
# followed by "(". A template of C++ is in no library.
declared()
{
	sed -e '/^[#[:space:]\/*]/d' -e '/^template/d' "${srcdir:?}/include/$1.h" | grep -o "\<$1_[a-z_]*(" |
		tr -d '('
	# Those of Fortran are in comments, and have an underscore behind them.
	[[ ! -f $srcdir/include/$1f.h ]] ||
		grep -o "\<$1f_[a-z_]*(" "$srcdir/include/$1f.h" | tr '(' '_'
}

libraries=(upc)
[[ ! -f ${builddir:?}/src/mpx/.libs/libmpx.so ]] || libraries+=(mpx)
echo "1..$((5 * ${#libraries[@]} + ${#libraries[@]}))"
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

for name in "${libraries[@]}"; do
	shared=$builddir/src/$name/.libs/lib$name.so
	exported=$("$NM" -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
	defined=$("$NM" -g --defined-only "$builddir/src/$name/lib$name.a" | awk 'NF == 3 { print $3 }' | sort -u)

	empty "lib$name.so exports ${name}_ names only" "$(grep -v "^${name}f\?_" <<< "$exported")"
	empty "lib$name.a defines ${name}_ names only" "$(grep -v "^${name}f\?_" <<< "$defined")"
	empty "lib$name.so exports every call of $name.h" "$(comm -13 <(echo "$exported") <(declared "$name" | sort -u))"
	empty "lib$name.so exports nothing but the calls of $name.h" "$(comm -23 <(echo "$exported") <(declared "$name" | sort -u))"
	empty "lib$name.a has the same calls" "$(comm -3 <(echo "$exported") <(echo "$defined"))"
done
empty "libupc.so needs no libpfm" "$(readelf -d "$builddir/src/upc/.libs/libupc.so" | grep NEEDED | grep pfm)"
if [[ -f $builddir/src/mpx/.libs/libmpx_run.so ]]; then
	# They would reach the library's own calls, not PAPI's.
	empty "no call of PAPI in what mpx_run preloads is without its --wrap" \
		"$("$NM" -D --undefined-only "$builddir/src/mpx/.libs/libmpx_run.so" | grep PAPI_)"
fi
