#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh - lets each fuzzer run for its share of $UPC_FUZZ_SECONDS. Seeds are
# in ctests/fuzz/corpus/NAME, if there are any; what is found is kept in the
# build tree's fuzz-NAME.
# make check-fuzz sets: srcdir, builddir, FUZZERS.
set -u

read -ra fuzzers <<< "${FUZZERS?}"
if [[ ${#fuzzers[@]} == 0 ]]; then
	echo "1..0 # SKIP there is no fuzzer in this tree"
	exit
fi
echo "1..${#fuzzers[@]}"
share=$((${UPC_FUZZ_SECONDS:-30} / ${#fuzzers[@]}))
n=0
for fuzzer in "${fuzzers[@]}"; do
	n=$((n + 1))
	name=$(basename "$fuzzer" _fuzz)
	found=${builddir:?}/fuzz-$name
	mkdir -p "$found"
	seeds=("$found")
	[[ ! -d ${srcdir:?}/ctests/fuzz/corpus/$name ]] || seeds+=("$srcdir/ctests/fuzz/corpus/$name")
	if output=$("$builddir/$fuzzer" -max_total_time=$((share > 0 ? share : 1)) -timeout=60 \
		-rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="$found/" "${seeds[@]}" 2>&1); then
		grep '^stat::number_of_executed_units' <<< "$output" | sed 's/^/# /'
		echo "ok $n - $name"
	else
		tail -n 40 <<< "$output" | sed 's/^/# /'
		echo "not ok $n - $name: the input is in $found"
	fi
done
