#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mutations.sh - does the comparison of the engines see anything? Each plausible
# mistake of the list is made in a copy of an engine, and ctests/unit/upc/engines must
# then fail. TAP. A mistake that cannot be made any more, because the line is
# gone, is a failure too.
set -u
: "${srcdir:=..}" "${CC:=cc}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
engine=$dir/engine
mkdir "$engine" && cp "$srcdir"/src/upc/engine/*.[ch] "$engine" || exit 1
flags=(-std=gnu11 -D_GNU_SOURCE -O1 -w -I"$dir" -I"$srcdir/include" -I"$srcdir/src/upc" -I"$srcdir/ctests")
sources=(engine_reference.c engine_cycle.c engine_segment.c wave.c regs.c totals.c)
n=0 failed=0

compile() { # SOURCE OBJECT
	"$CC" "${flags[@]}" -c "$1" -o "$2"
}
caught() { # TEST...: one of them, linked with the objects, fails
	local test
	for test; do
		# Anew: the inline functions that it calls may be the mistake.
		compile "$srcdir/ctests/unit/upc/$test.c" "$dir/test/$test.o" &&
			"$CC" "$dir/test/$test.o" "$dir"/*.o -lcmocka -o "$dir/test/$test" || return 1
		UPC_ENGINE_CASES=1000 timeout 120 "$dir/test/$test" >"$dir/log" 2>&1 || return 0
	done
	return 1
}
tests_of() { # FILE: those that must see a mistake in it
	case $1 in
	totals.* | threshold.h | regs.h) echo totals totals_random ;;
	engine_segment.c) echo engines engine_segment ;;
	*) echo engines ;;
	esac
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
a cycle more is run after an interrupt
engine_segment.c
engine_segment.c
n = first + 1;
n = first + 2;
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
totals: a stopped unit counts
totals.h
totals.c
totals->regs.run & (id
(id
totals: damage is not seen where nobody is to be told
totals.h
totals.c
watched | totals->any_damaged
watched
totals: a threshold that repeats keeps its offset
totals.c
totals.c
totals->thresholds.offset[i] -= totals->thresholds.period[i];
;
totals: the handler comes after all counts
totals.c
totals.c
step = distance;
;
totals: the counts that are left do not ask who counts them
totals.c
totals.c
while (k && upci_totals_counts(totals, id))
while (k)
totals: the array is visited when its carry is past
totals.c
totals.c
room < step;
room + 1 < step;
totals: a write back preloads anew
totals.c
totals.c
~before & value & UPC
value & UPC
totals: a threshold counts from where it is set
threshold.h
totals.c
value % period
0
totals: a threshold that the last count meets is not met
regs.h
totals.c
k >= distance;
k > distance;
LIST

for source in "${sources[@]}"; do
	compile "$engine/$source" "$dir/${source%.c}.o" || exit 1
done
mkdir "$dir/test" || exit 1
echo "1..$((${#mutations[@]} / 5 + 1))"
if caught engines totals totals_random; then
	report not_ok "the engines agree as they are"
	sed 's/^/# /' "$dir/log"
else
	report ok "the engines agree as they are"
fi
for ((m = 0; m < ${#mutations[@]}; m += 5)); do
	what=${mutations[m]} file=${mutations[m + 1]} source=${mutations[m + 2]}
	from=${mutations[m + 3]} to=${mutations[m + 4]}
	original=$(cat "$engine/$file")
	changed=${original//"$from"/"$to"}
	if [ "$changed" = "$original" ]; then
		report not_ok "$what: '$from' is not in $file any more"
		continue
	fi
	printf '%s\n' "$changed" >"$engine/$file"
	if compile "$engine/$source" "$dir/${source%.c}.o" && caught $(tests_of "$file"); then
		report ok "caught: $what"
	else
		report not_ok "not caught: $what"
	fi
	printf '%s\n' "$original" >"$engine/$file"
	compile "$engine/$source" "$dir/${source%.c}.o"
done
exit $failed
