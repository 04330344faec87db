#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mutations.sh - does the comparison of the engines see anything? Each plausible
# mistake of ctests/mutations/engines.list is made in a copy of an engine, and its tests must
# then fail. TAP. A mistake that cannot be made any more, because the line is
# gone, is a failure too. Those in other folders are for make check-mutations.
set -u
: "${srcdir:=..}" "${CC:=cc}"
XCPU=$(kill -l XCPU)
unset MAKEFLAGS MFLAGS MAKELEVEL # those of the make that has called it
# shellcheck source=ctests/mutations/lists.inc
. "$srcdir/ctests/mutations/lists.inc"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
copy=$dir/copy log=$dir/log
mkdir -p "$copy/src/upc" "$dir/test" && cp -R "$srcdir/src/upc/engine" "$copy/src/upc" || exit 1

# Without configure: the engines and their tests need nothing else.
cat > "$dir/Makefile" <<'MAKE'
engine = $(copy)/src/upc/engine
compile = $(CC) -std=gnu11 -D_GNU_SOURCE -O1 -w -I$(copy)/src/upc -I$(srcdir)/include -I$(srcdir)/src/upc \
	-I$(srcdir)/ctests -MMD -c $< -o $@
objects = run.o $(patsubst $(engine)/%.c,%.o,$(wildcard $(engine)/*.c))
%.o: $(engine)/%.c
	$(compile)
run.o: $(srcdir)/ctests/unit/run.c
	$(compile)
test/%.o: $(srcdir)/ctests/unit/upc/%.c
	$(compile)
test/%: test/%.o $(objects)
	$(CC) $^ -lcmocka -o $@
-include $(wildcard *.d test/*.d)
MAKE
build() # FILE TEST
{
	make -r -C "$dir" CC="$CC" srcdir="$srcdir" copy="$copy" "test/${2##*/}" > "$log" 2>&1
}
# An engine that hangs is one that loops: the limit is of CPU time.
passes() # TEST
{
	(
		ulimit -t 60
		UPC_ENGINE_CASES=1000 UPC_TEST_CASES=500 exec "$dir/test/${1##*/}"
	) > "$log" 2>&1
	case $? in
	0) return 0 ;;
	$((128 + XCPU))) return 2 ;;
	*) return 1 ;;
	esac
}

try_all engines
