#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# papi_ctests.sh - scripts/papi/papi-ctests compares two trees of PAPI's tests, and ends what they leave
# behind, but nobody else's process, whatever its name. The trees are made here.
. "${srcdir:?}/ctests/utils.inc"
tool=$srcdir/scripts/papi/papi-ctests

plan 10
left=
bystander=
trap '[ -z "$bystander" ] || kill -KILL $bystander 2> /dev/null
	for pid in $left; do kill -KILL "$pid" 2> /dev/null; done
	rm -rf "$dir"' EXIT

# test_of TREE NAME SCRIPT
test_of()
{
	mkdir -p "$1/ctests"
	: > "$1/run_tests_exclude.txt"
	printf '#!/bin/sh\n%s\n' "$3" > "$1/ctests/$2"
	chmod +x "$1/ctests/$2"
}
for tree in plain upc; do
	test_of $tree zero "sh -c 'kill -STOP \$\$; sleep 1000' & echo \$! >> '$dir/left'; echo PASSED"
	test_of $tree second 'echo PASSED'
done

# By the name of a test, with its argument.
(exec -a './ctests/zero TESTS_QUIET' sleep 1000) 2> /dev/null &
bystander=$!

check "two trees that are alike" run 0 plain upc
check "... are said to be" grep -q '^2 tests, 0 differences$' out
left=$(cat left)
check "... each test has run in both" [ "$(wc -l < left)" = 2 ]
# A process that has ended may still be waited for by somebody.
ended()
{
	case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2> /dev/null) in
	'' | Z*) return 0 ;;
	*) return 1 ;;
	esac
}
all_ended()
{
	for pid in $left; do
		until_passes ended "$pid" || return 1
	done
}
check "a stopped process that a test left behind is ended" all_ended
check "... and nobody else's of its name" kill -0 $bystander
check "no test: 1" run 1 plain upc nonsense
check "... and why" grep -qF "no test of both trees has 'nonsense' in its name" err

test_of upc second 'echo FAILED'
check "a difference: 1" run 1 plain upc
check "... is said" grep -qF '| **ctests/second** | **passed** | **failed** |' out
left="$left $(cat left)"
check "... and nobody else's process is gone" kill -0 $bystander
