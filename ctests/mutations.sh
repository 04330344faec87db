#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mutations.sh - does the comparison of the engines see anything? Each plausible
# mistake of the list is made in a copy of an engine, and ctests/unit/engines must
# then fail. TAP. A mistake that cannot be made any more, because the line is
# gone, is a failure too.
set -u
: "${srcdir:=..}" "${CC:=cc}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cp "$srcdir"/src/upc/{engine,wave,regs}*.[ch] "$dir" || exit 1
flags=(-std=gnu11 -D_GNU_SOURCE -O1 -w -I"$dir" -I"$srcdir/include" -I"$srcdir/src/upc" -I"$srcdir/ctests/unit")
sources=(engine_reference.c engine_cycle.c engine_segment.c wave.c)
n=0 failed=0

compile() { # SOURCE OBJECT
	"$CC" "${flags[@]}" -c "$1" -o "$2"
}
caught() { # the objects, linked, fail
	"$CC" "$dir"/*.o -lcmocka -o "$dir/engines" &&
		! UPC_ENGINE_CASES=1000 timeout 120 "$dir/engines" >"$dir/log" 2>&1
}
report() { # ok|not_ok TEXT
	n=$((n + 1))
	if [ "$1" = ok ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2" && failed=1
	fi
}

# Five lines each: what it is, the file, the source that includes it, from, to.
mapfile -t mutations <<'LIST'
the carry-save adder loses a carry
engine_cycle_blocks.h
engine_cycle.c
(half & *b)
(half & *a)
a set latch is forgotten in a block
engine_cycle_blocks.h
engine_cycle.c
e->latch.v |= carry;
e->latch.v = carry;
edge modes count levels
engine_cycle_blocks.h
engine_cycle.c
now & ~(sum->before & w->edge)
now
a block does not look for interrupts
engine_cycle_blocks.h
engine_cycle.c
if (arming) {
if (0) {
a block forgets its last sample
engine_cycle_blocks.h
engine_cycle.c
e->p.v = sum.before ^ w.invert;
;
a latch too many at the end of a run
engine_segment.c
engine_segment.c
latch = carries > seen
latch = carries >= seen
armed by carries that no visit has seen
engine_segment.c
engine_segment.c
j == (seen & WORD_MASK)
j == (carries & WORD_MASK)
fires one carry early
engine_segment.c
engine_segment.c
return j && j < carries ? j + 1 : 0;
return j && j < carries ? j : 0;
fires at the carry that only arms
engine_segment.c
engine_segment.c
j < carries ? j + 1
j <= carries ? j + 1
the last sample is that of the cycle after
engine_segment.c
engine_segment.c
upci_wave_at(wave, n - 1)
upci_wave_at(wave, n)
visits in the wrong cycles
engine_segment.c
engine_segment.c
(16 * i - e->t) % ROUND
(16 * i + e->t) % ROUND
a change of input makes up an edge
engine_segment.c
engine_segment.c
c->sampled = false;
;
a written counter keeps its latch
engine_segment.c
engine_segment.c
c->latch = c->damaged = false;
c->damaged = false;
a pending interrupt does not disarm
engine_reference.c
engine_reference.c
c->enabled && !c->pending
c->enabled
parity errors are reported again
engine_reference.c
engine_reference.c
if (c->parity_error)
if (0)
the array update comes at the end of its block
engine_reference.c
engine_reference.c
if (e->t % 16 == 0)
if (e->t % 16 == 15)
disabling keeps the interrupt pending
engine_reference.c
engine_reference.c
if (!c->enabled)
if (0)
LIST

for source in "${sources[@]}"; do
	compile "$dir/$source" "$dir/${source%.c}.o" || exit 1
done
compile "$srcdir/ctests/unit/engines.c" "$dir/engines_test.o" || exit 1
echo "1..$((${#mutations[@]} / 5 + 1))"
if caught; then
	report not_ok "the engines agree as they are"
	sed 's/^/# /' "$dir/log"
else
	report ok "the engines agree as they are"
fi
for ((m = 0; m < ${#mutations[@]}; m += 5)); do
	what=${mutations[m]} file=${mutations[m + 1]} source=${mutations[m + 2]}
	from=${mutations[m + 3]} to=${mutations[m + 4]}
	original=$(cat "$dir/$file")
	changed=${original//"$from"/"$to"}
	if [ "$changed" = "$original" ]; then
		report not_ok "$what: '$from' is not in $file any more"
		continue
	fi
	printf '%s\n' "$changed" >"$dir/$file"
	if compile "$dir/$source" "$dir/${source%.c}.o" && caught; then
		report ok "caught: $what"
	else
		report not_ok "not caught: $what"
	fi
	printf '%s\n' "$original" >"$dir/$file"
	compile "$dir/$source" "$dir/${source%.c}.o"
done
exit $failed
