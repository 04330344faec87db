#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_assembled.sh - the rows of the tests of the decoders are what they say: GNU as makes the
# bytes of each of its text. And what GNU objdump takes RISC-V's words for is what they count as.
. "${srcdir:?}/ctests/utils.inc"

plan 5

# Each row at a place of 16 bytes of its own, so that one of another length moves no other.
assembled()
{
	tests=$1
	tools=$2
	shift 2
	"$builddir/ctests/unit/sim/$tests" --rows > rows || return
	[ "$(wc -l < rows)" -gt 200 ] || return
	cut -d ' ' -f 2- rows | awk '{ print ".org " 16 * (NR - 1); print }' > rows.body
	{ cat head && cat rows.body && echo ".balign 16, 0"; } > rows.s
	"${tools}as" "$@" -o rows.o rows.s 2> err || return
	"${tools}objcopy" -O binary -j .text rows.o rows.bin 2> err || return
	od -An -v -w16 -tx1 rows.bin | tr -d ' ' > is
	awk '{ printf "%s", $1; for (i = length($1); i < 32; i++) printf "0"; print "" }' rows > expected
	paste -d ' ' expected is rows | awk '$1 != $2 { $1 = ""; print "assembled as" $0; bad = 1 } END { exit bad }' > out
}

# rows TESTS TOOLS-PREFIX HEAD OPTION...
rows()
{
	name="the rows of $1 are what GNU as makes of their text"
	printf '%s\n' "$3" > head
	if command -v "$2as" "$2objcopy" > found; then
		tests=$1
		tools=$2
		shift 3
		check "$name" assembled "$tests" "$tools" "$@"
	else
		skip "$name" "$2as is not installed: scripts/packages.sh, PACKAGES_GUESTS"
	fi
}

rows sim_decode_x86 x86_64-linux-gnu- ".intel_syntax noprefix" --64
rows sim_decode_arm64 aarch64-linux-gnu- "" \
	-march=armv8.6-a+memtag+crypto+sha3+sm4+fp16fml+rng+pauth+predres+flagm+sb+ssbs+sve
rows sim_decode_ppc powerpc-linux-gnu- "" -mbig -many
rows sim_decode_riscv riscv64-linux-gnu- ".option norelax" -march=rv64gc

disassembled()
{
	"$builddir/ctests/unit/sim/sim_decode_riscv" --words > words || return
	riscv64-linux-gnu-objdump -D -b binary -m riscv:rv64 -M no-aliases,numeric words > text 2> err || return
	"$builddir/ctests/unit/sim/sim_decode_riscv" --disassembled < text > out
}
name="instructions of RISC-V count as what GNU objdump takes them for"
if command -v riscv64-linux-gnu-objdump > found; then
	check "$name" disassembled
else
	skip "$name" "riscv64-linux-gnu-objdump is not installed: scripts/packages.sh, PACKAGES_GUESTS"
fi
