#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# helpers.sh - what the tests stand on: what it lets pass, and what it does not.
tool=${JSON_LEAVES:?}
. "${srcdir:?}/ctests/utils.inc"

plan 6

# ---- JSON

printf '{"a": [1, {"b/c~": "x y"}], "d": [], "e": null}\n{"f": 0.5}\n' > json
tab=$(printf '\t')
printf '%s\n' "/0/a/0${tab}1" "/0/a/1/b~1c~0${tab}\"x y\"" "/0/d${tab}[]" "/0/e${tab}null" "/1/f${tab}0.5" > want
leaves()
{
	run 0 json && cmp want out
}
check "json_leaves: each value of each text is a line" leaves
no_json()
{
	for text in '' '{"a": 1,}' '{"a": 1} x' '{"a": 1, "a": 2}' '{"a": nan}' '{"a": "'; do
		printf '%s' "$text" > json
		run 1 json && grep -q '^json: text [01], line [01]: ' err || { echo "# $text"; return 1; }
	done
}
check "... what is no JSON is refused" no_json
printf '{"a": {"b": 1}}' > json
leaves_of json
check "a leaf is what it is" leaf /0/a/b 1
other_leaf()
{
	! leaf /0/a/b 2 && ! leaf /0/a/c 1 && ! at /0/a
}
check "... and nothing else" other_leaf
check "... all below are found" [ "$(below /0/a)" = "/b${tab}1" ]

# ---- texts to compare with

all_used()
{
	for file in "$srcdir"/ctests/golden/*; do
		sed -n 's/^==== //p' "$file" > sections
		[ -s sections ] || return 1
		while read -r section; do
			grep -qF "\"$section\"" "$srcdir/ctests/unit/${file##*/}.c" || { echo "# $file: $section"; return 1; }
		done < sections
	done
}
check "each section of ctests/golden is compared with something" all_used
