#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# metrics.sh - the sets of metrics of share/upc/metrics: libpfm4 knows the events of each PMU's,
# whichever machine this is. $PFM_ENCODE asks it.
encode=${PFM_ENCODE:-pfm_encode}
srcdir=$(cd "${srcdir:?}" && pwd) || exit 1
# shellcheck source=ctests/utils.inc
. "$srcdir/ctests/utils.inc"

# The events of a set, and its PMUs.
events()
{
	sed -n 's/^event [A-Z0-9_]* = perf "\([^"]*\)"$/\1/p' "$1"
}
pmus()
{
	events "$1" | sed -n 's/^\([a-z0-9_]*\)::[^:].*/\1/p' | sort -u
}

# all_used FILE: each event is in a formula
all_used()
{
	local name
	sed -n 's/^event \([A-Z0-9_]*\) = perf "[^"]*"$/\1/p' "$1" > names
	[ "$(grep -c '^event' "$1")" = "$(wc -l < names)" ] || return 1
	while read -r name; do
		grep -q "^derived [^=]*= \"[^\"]*\\b$name\\b" "$1" || { echo "# unused: $name"; return 1; }
	done < names
}

# encodes PMU FILE: all of its events, one by one
encodes()
{
	local list
	mapfile -t list < <(events "$2")
	"$encode" "$1" "${list[@]}" > out 2> err && [ "$(wc -l < out)" = "${#list[@]}" ]
}

# known PMU FILE: that, and what is no event is refused
known()
{
	! "$encode" "$1" "$1::NO_SUCH_EVENT" > out 2> err && encodes "$1" "$2"
}

sets=("$srcdir"/share/upc/metrics/*.metrics)
echo "1..$((2 * ${#sets[@]}))"
for given in "${sets[@]}"; do
	set=$(basename "$given" .metrics)
	check "$set: each event is used" all_used "$given"
	case $set in
	bgp | nopmu | papi)
		check "$set: of no PMU" [ -z "$(pmus "$given" | grep -vx perf)" ]
		continue
		;;
	esac
	pmu=$(pmus "$given")
	"$encode" "$pmu" "$pmu::" > out 2> err
	if [ $? = 3 ]; then
		skip "$set: libpfm4 encodes its events" "this libpfm4 has no tables of $pmu"
	else
		check "$set: libpfm4 encodes its events" known "$pmu" "$given"
	fi
done
