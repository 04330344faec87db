#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# papi_callers.sh - the component finds out who reads, however PAPI is linked and
# whoever stands between: a replay plays for PAPI_read and not for PAPI_stop, and a live
# set is stopped before PAPI_stop's read, and not before PAPI_read's. TAP. Needs
# PAPI_PREFIX.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cc=${CC:-cc}
n=0 failed=0
export UPC_SOURCE=replay:$dir/script

printf 'upc-trace 1\nc 10 0\ns\nc 20 0\ns\nc 40 0\ns\nc 80 0\n' >"$dir/script"

cat >"$dir/program.c" <<'C'
#define _GNU_SOURCE
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <unwind.h>

static void *address;

#ifdef TAKE_ADDRESSES
/* In a program at a fixed place they are those of its own jump table. */
void *const volatile taken[] = {PAPI_read, PAPI_read_ts, PAPI_accum, PAPI_start, PAPI_stop};
#endif

static void on_overflow(int set, void *at, long long vector, void *context)
{
	(void)set, (void)vector, (void)context;
	address = at;
}

/* Far from the stack's end and not in main. */
__attribute__((noinline)) static int deep(int depth, int set, long long *value)
{
	int error;

	if (depth)
		error = deep(depth - 1, set, value);
	else
		error = PAPI_read(set, value);
	return error + (*value < 0);
}

static void *work(void *unused)
{
	long long value = -1, sum = 1000, cycles;
	int set = PAPI_NULL, code;

	if (PAPI_create_eventset(&set) || PAPI_add_named_event(set, "upc:::PU0_JPIPE_INSTRUCTIONS"))
		return printf("no event\n"), unused;
	PAPI_event_name_to_code("upc:::PU0_JPIPE_INSTRUCTIONS", &code);
	if (PAPI_overflow(set, code, 5, 0, on_overflow) || PAPI_start(set))
		return printf("no start\n"), unused;
	if (deep(20, set, &value) || value != 10)
		printf("PAPI_read: %lld\n", value);
	if (_Unwind_FindEnclosingFunction(address) != (void *)deep)
		printf("the address is not the caller's\n");
	if (PAPI_stop(set, &value) || value != 10)
		printf("PAPI_stop: %lld\n", value);
	if (PAPI_start(set) || PAPI_accum(set, &sum) || sum != 1020)
		printf("PAPI_accum: %lld\n", sum);
	if (PAPI_read_ts(set, &value, &cycles) || value != 40)
		printf("PAPI_read_ts: %lld\n", value);
	if (PAPI_stop(set, &value) || value != 40)
		printf("the second PAPI_stop: %lld\n", value);
	PAPI_unregister_thread();
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	PAPI_thread_init(pthread_self);
	work(0);
	pthread_create(&thread, 0, work, 0);
	pthread_join(thread, 0);
	PAPI_shutdown();
	return puts("done") < 0;
}
C

cat >"$dir/stops.c" <<'C'
#include <papi.h>
#include <sys/mman.h>

int main(void)
{
	long long value[2], accumulated[2] = {0, 0};
	int set = PAPI_NULL, i;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    PAPI_create_eventset(&set) || PAPI_add_named_event(set, "upc:::perf::PAGE-FAULTS") ||
	    PAPI_add_named_event(set, "upc:::perf::MINOR-FAULTS"))
		return 1;
	for (i = 0; i < 5; i++) {
		volatile char *page = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED || PAPI_start(set))
			return 2;
		page[(i + 1) << 14] = 1;
		if (PAPI_read(set, value) || value[0] < 1 || PAPI_accum(set, accumulated))
			return 3;
		page[((i + 1) << 14) + (1 << 19)] = 1;
		if (PAPI_stop(set, value) || value[0] != 1 || value[1] != 1)
			return 4;
		if (PAPI_read(set, value) || value[0] != 1)
			return 5;
		munmap((void *)page, 1 << 20);
	}
	return accumulated[0] < 5;
}
C

# A library of PAPI's names, as tools preload them: each passes its call on. That
# PAPI_stop reads first shows that it is the innermost call which counts.
cat >"$dir/shim.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define REAL(name) ((int (*)())dlsym(RTLD_NEXT, name))

__attribute__((destructor)) static void here(void) { puts("shim"); }
int PAPI_read(int set, long long *values) { int e = REAL("PAPI_read")(set, values); return e | (values == 0); }
int PAPI_accum(int set, long long *values) { int e = REAL("PAPI_accum")(set, values); return e | (values == 0); }
int PAPI_start(int set) { int e = REAL("PAPI_start")(set); return e | (set == -1); }
int PAPI_stop(int set, long long *values) { int e = REAL("PAPI_stop")(set, values); return e | (set == -1); }
C

include=-I$PAPI_PREFIX/include
dynamic="-L$PAPI_PREFIX/lib -Wl,-rpath,$PAPI_PREFIX/lib -lpapi -lpthread"
static="$PAPI_PREFIX/lib/libpapi.a -ldl -lpthread -lm"

# check TEXT FLAGS LIBRARIES [PRELOAD]
check() {
	local text=$1 flags=$2 libraries=$3 preload=${4-} wanted=done
	n=$((n + 1))
	[[ -z $preload ]] || wanted=$'done\nshim'
	# shellcheck disable=SC2086
	if "$cc" -w $flags "$dir/program.c" -o "$dir/program" $include $libraries \
		>"$dir/out" 2>&1 &&
		LD_PRELOAD=$preload "$dir/program" >"$dir/out" 2>&1 &&
		[[ $(<"$dir/out") == "$wanted" ]]; then
		echo "ok $n - $text"
	else
		echo "not ok $n - $text"
		sed 's/^/# /' "$dir/out"
		failed=1
	fi
}

# The calls on the group of the second round and later: PAPI_start enables; PAPI_read and
# PAPI_accum read, PAPI_accum once more for its reset; PAPI_stop disables and reads.
# stops TEXT LIBRARIES
stops() {
	local text=$1 libraries=$2 calls
	n=$((n + 1))
	# shellcheck disable=SC2086
	if ! "$cc" -w -O1 "$dir/stops.c" -o "$dir/stops" $include $libraries >"$dir/out" 2>&1; then
		echo "not ok $n - $text"
		sed 's/^/# /' "$dir/out"
		failed=1
		return
	fi
	if ! strace -o "$dir/calls" true 2>/dev/null; then
		echo "ok $n - $text # SKIP strace cannot trace here"
		return
	fi
	UPC_SOURCE='' strace -e trace=read,ioctl -o "$dir/calls" "$dir/stops" >"$dir/out" 2>&1
	echo "rc $?" >>"$dir/out"
	calls=$(sed -n '/IOC_ENABLE/,$p' "$dir/calls" |
		sed -n 's/^ioctl([0-9]*, PERF_EVENT_IOC_\([A-Z]*\),.*/\1/p; s/^read(.*/read/p' |
		tr '\n' ' ' | sed 's/ENABLE/\n&/g' | sed 1,2d | sort -u)
	if [[ $(<"$dir/out") == "rc 0" && $calls == "ENABLE read read read DISABLE read " ]]; then
		echo "ok $n - $text"
	else
		echo "not ok $n - $text"
		sed 's/^/# /' "$dir/out" - <<<"$calls"
		failed=1
	fi
}

if [[ -n ${SANITIZERS-} ]]; then
	echo "1..0 # SKIP programs compiled here would need the sanitizer's flags"
	exit 77
fi
echo 1..10
"$cc" -w -O2 -shared -fPIC "$dir/shim.c" -o "$dir/shim.so" -ldl || exit 1
check "libpapi.so, -O0" -O0 "$dynamic"
check "libpapi.so, -O2" -O2 "$dynamic"
check "libpapi.so, -O2 without frame pointers and asynchronous tables" \
	"-O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables -funwind-tables" "$dynamic"
check "libpapi.so, in a program at a fixed place that takes PAPI's addresses" \
	"-O2 -no-pie -fno-pic -DTAKE_ADDRESSES" "$dynamic"
check "libpapi.a, -O0" -O0 "$static"
check "libpapi.a, -O2" -O2 "$static"
check "libpapi.a, -O2, not position-independent" "-O2 -no-pie" "$static"
check "a preloaded library that has PAPI's names" -O2 "$dynamic" "$dir/shim.so"
stops "libpapi.so: PAPI_stop reads what has stopped, once" "$dynamic"
stops "libpapi.a: PAPI_stop reads what has stopped, once" "$static"
exit $failed
