#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# none.sh - stands in for the tests that configure found nothing to build with,
# so that they are seen as skipped, each with the reason.
# make check sets: MISSING_UNIT, MISSING_PAPI (names of tests).
set -u

read -ra unit <<< "${MISSING_UNIT-}"
read -ra papi <<< "${MISSING_PAPI-}"
echo "1..$((${#unit[@]} + ${#papi[@]}))"
n=0
for test in "${unit[@]}"; do
	echo "ok $((++n)) - $test # SKIP no cmocka: install libcmocka-dev and configure again"
done
for test in "${papi[@]}"; do
	echo "ok $((++n)) - $test # SKIP no PAPI with the upc component: make papi, or configure --with-papi=PREFIX"
done
