#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# papi_tools.sh - PAPI's own utilities and its high-level interface with the
# component's events. TAP. Needs PAPI_PREFIX.
set -u
bin=$PAPI_PREFIX/bin
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 failed=0
export UPC_QUIET=1

# check TEXT COMMAND...: the command's output is in $dir/out
check() {
	local text=$1
	shift
	n=$((n + 1))
	if "$@" >"$dir/out" 2>"$dir/err" </dev/null; then
		echo "ok $n - $text"
	else
		echo "not ok $n - $text"
		head -20 "$dir/out" "$dir/err" | sed 's/^/# /'
		failed=1
	fi
}
has() { # PATTERN COMMAND...
	local pattern=$1
	shift
	"$@" >"$dir/all" 2>&1
	grep -E "$pattern" "$dir/all" || { tail -20 "$dir/all" && return 1; }
}

echo 1..9
check "papi_component_avail names the component and its 256 counters" \
	has 'Native: [0-9]+, Preset: 0, Counters: 256' "$bin/papi_component_avail"
check "papi_native_avail lists its events with units" \
	has 'Units: faults' "$bin/papi_native_avail" -i perf::PAGE
check "papi_native_avail -e describes one" \
	has 'Page faults, minor and major' "$bin/papi_native_avail" -e upc:::perf::PAGE-FAULTS
check "papi_native_avail -e refuses an unknown one" \
	has 'could not be found' "$bin/papi_native_avail" -e upc:::perf::NO-SUCH
check "papi_native_avail --check finds that they can be added" \
	has 'upc:::perf::PAGE-FAULTS' "$bin/papi_native_avail" --check -i perf::PAGE
check "papi_command_line counts two of them" \
	has '^upc:::mem::MemFree :[[:space:]]+[1-9]' "$bin/papi_command_line" upc:::perf::PAGE-FAULTS upc:::mem::MemFree
check "papi_command_line refuses an unknown one and says so" \
	has 'Failed adding: upc:::perf::NO-SUCH' "$bin/papi_command_line" upc:::perf::NO-SUCH
events=$("$bin/papi_xml_event_info" 2>/dev/null | grep -c 'name="upc:::')
check "papi_xml_event_info has $events of them" test "$events" -ge 300

# The high-level interface, in a program that knows nothing of the component.
cat >"$dir/hl.c" <<'C'
#include <papi.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	volatile char *p;

	if (PAPI_hl_region_begin("touch") != PAPI_OK)
		return 1;
	p = malloc(1 << 22);
	memset((void *)p, 1, 1 << 22);
	return PAPI_hl_region_end("touch") != PAPI_OK || p[5] != 1;
}
C
high_level() {
	cd "$dir" && "${CC:-cc}" hl.c -o hl -I"$PAPI_PREFIX/include" -L"$PAPI_PREFIX/lib" \
		-Wl,-rpath,"$PAPI_PREFIX/lib" -lpapi &&
		PAPI_EVENTS=upc:::perf::PAGE-FAULTS,upc:::perf::TASK-CLOCK ./hl &&
		cat papi_hl_output/*.json && grep -qE '"upc:::perf::PAGE-FAULTS":"[1-9][0-9]' papi_hl_output/*.json
}
check "PAPI's high-level interface counts what PAPI_EVENTS names" high_level
exit $failed
