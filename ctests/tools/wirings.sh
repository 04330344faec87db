#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# wirings.sh - the wirings of share/upc/wirings: upc_wire takes each as on a machine
# with its PMU, and libpfm4 itself encodes its events as the processor's manual does.
# $UPC_WIRE and $PFM_ENCODE are the tools. What this libpfm4 has no tables for is
# checked in form here, and whole in the machine with a PMU (make check-pmu).
encode=${PFM_ENCODE:-pfm_encode}
# shellcheck disable=SC2034 # of utils.inc
tool=${UPC_WIRE:-upc_wire}
srcdir=$(cd "${srcdir:?}" && pwd) || exit 1
# shellcheck source=ctests/utils.inc
. "$srcdir/ctests/utils.inc"
# Root takes only files that are root's, and the tree may be anybody's.
wirings=$dir/wirings
mkdir "$wirings" && cp "$srcdir"/share/upc/wirings/*.wiring "$wirings" || exit 1

# Processor manuals: event select and unit mask, as perf has them in config. Below they
# are held against libpfm4. Those of Intel and of AMD Zen 2 and 3 were also compared with
# the manufacturers' tables that perf 6.1 is compiled with, and agree: by its names
# br_inst_retired.all_branches, ls_dispatch.ld_dispatch and so on. It has none of Zen 4;
# Arm's are the architecture's common events.
cat > manual <<'CODES'
intel_skl PU0_IPIPE_BRANCHES 0xc4
intel_skl PU0_DATA_LOADS 0x81d0
intel_skl PU0_DATA_STORES 0x82d0
intel_skl PU0_DCACHE_MISS 0x151
intel_skl PU0_ICACHE_MISS 0x283
intel_skl PU0_ICACHE_HIT 0x183
intel_skl TOT_INS 0xc0
intel_skl TOT_CYC 0x3c
intel_skl FP_1 0x3c7
intel_skl FP_2 0x4c7
intel_skl FP_4 0x18c7
intel_skl FP_8 0x20c7
intel_skx PU0_IPIPE_BRANCHES 0xc4
intel_skx PU0_DATA_LOADS 0x81d0
intel_skx PU0_DATA_STORES 0x82d0
intel_skx PU0_DCACHE_MISS 0x151
intel_skx PU0_ICACHE_MISS 0x283
intel_skx PU0_ICACHE_HIT 0x183
intel_skx TOT_INS 0xc0
intel_skx TOT_CYC 0x3c
intel_skx FP_1 0x3c7
intel_skx FP_2 0x4c7
intel_skx FP_4 0x18c7
intel_skx FP_8 0x60c7
intel_skx FP_16 0x80c7
intel_icl PU0_IPIPE_BRANCHES 0xc4
intel_icl PU0_DATA_LOADS 0x81d0
intel_icl PU0_DATA_STORES 0x82d0
intel_icl PU0_DCACHE_MISS 0x151
intel_icl PU0_ICACHE_MISS 0x283
intel_icl PU0_ICACHE_HIT 0x183
intel_icl TOT_INS 0xc0
intel_icl TOT_CYC 0x3c
intel_icl FP_1 0x3c7
intel_icl FP_2 0x4c7
intel_icl FP_4 0x18c7
intel_icl FP_8 0x60c7
intel_icl FP_16 0x80c7
intel_spr PU0_IPIPE_BRANCHES 0xc4
intel_spr PU0_DATA_LOADS 0x81d0
intel_spr PU0_DATA_STORES 0x82d0
intel_spr PU0_DCACHE_MISS 0x151
intel_spr TOT_INS 0xc0
intel_spr TOT_CYC 0x3c
intel_spr FP_1 0x3c7
intel_spr FP_2 0x4c7
intel_spr FP_4 0x18c7
intel_spr FP_8 0x60c7
intel_spr FP_16 0x80c7
amd_zen2 PU0_IPIPE_BRANCHES 0xc2
amd_zen2 PU0_DATA_LOADS 0x529
amd_zen2 PU0_DATA_STORES 0x629
amd_zen2 PU0_DCACHE_MISS 0x5b43
amd_zen2 TOT_INS 0xc0
amd_zen2 TOT_CYC 0x76
amd_zen2 ICACHE_FILLS_L2 0x82
amd_zen2 ICACHE_FILLS_SYSTEM 0x83
amd_zen2 FP_OPS 0xf03
amd_zen3 PU0_IPIPE_BRANCHES 0xc2
amd_zen3 PU0_DATA_LOADS 0x529
amd_zen3 PU0_DATA_STORES 0x629
amd_zen3 PU0_DCACHE_MISS 0x5f43
amd_zen3 PU0_ICACHE_MISS 0x10000188e
amd_zen3 PU0_ICACHE_HIT 0x10000078e
amd_zen3 TOT_INS 0xc0
amd_zen3 TOT_CYC 0x76
amd_zen3 FP_OPS 0xf03
amd_zen4 PU0_IPIPE_BRANCHES 0xc2
amd_zen4 PU0_DATA_LOADS 0x529
amd_zen4 PU0_DATA_STORES 0x629
amd_zen4 PU0_DCACHE_MISS 0xdf43
amd_zen4 PU0_ICACHE_MISS 0x10000188e
amd_zen4 PU0_ICACHE_HIT 0x10000078e
amd_zen4 PU0_FPU_MULT_1 0x30a
amd_zen4 PU0_FPU_FMA_2 0x40a
amd_zen4 PU0_FPU_DIV_1 0x50a
amd_zen4 TOT_INS 0xc0
amd_zen4 TOT_CYC 0x76
amd_zen4 FP_OPS 0x1f03
arm_ac53 PU0_IPIPE_BRANCHES 0x12
arm_ac53 PU0_DATA_LOADS 0x6
arm_ac53 PU0_DATA_STORES 0x7
arm_ac53 PU0_DCACHE_MISS 0x3
arm_ac53 PU0_ICACHE_MISS 0x1
arm_ac53 TOT_INS 0x8
arm_ac53 TOT_CYC 0x11
arm_ac53 L1_DCA 0x4
arm_ac53 L1_ICA 0x14
arm_ac57 PU0_IPIPE_BRANCHES 0x12
arm_ac57 PU0_DATA_LOADS 0x70
arm_ac57 PU0_DATA_STORES 0x71
arm_ac57 PU0_DCACHE_MISS 0x3
arm_ac57 PU0_ICACHE_MISS 0x1
arm_ac57 TOT_INS 0x8
arm_ac57 TOT_CYC 0x11
arm_ac57 L1_DCA 0x4
arm_ac57 L1_ICA 0x14
arm_n1 PU0_IPIPE_BRANCHES 0x21
arm_n1 PU0_DATA_LOADS 0x70
arm_n1 PU0_DATA_STORES 0x71
arm_n1 PU0_DCACHE_MISS 0x3
arm_n1 PU0_ICACHE_MISS 0x1
arm_n1 TOT_INS 0x8
arm_n1 TOT_CYC 0x11
arm_n1 L1_DCA 0x4
arm_n1 L1_ICA 0x14
CODES

# The lines of a wiring that have a source: "NAME EVENT".
sources()
{
	sed -n 's/^[a-z]* \([A-Z0-9_]*\) = perf "\([^"]*\)".*/\1 \2/p' "$1"
}

pmu_of()
{
	sources "$1" | sed 's/^[^ ]* //; s/::.*//' | sort -u
}

# explained FILE: one PMU; a name of PU0's in bank 0 or 1 in each drive, with what differs
explained()
{
	[ "$(pmu_of "$1" | wc -l)" = 1 ] || { echo "# not one PMU: $(pmu_of "$1")"; return 1; }
	! grep '^drive' "$1" | grep -Ev '^drive PU0_[A-Z0-9_]+ = perf "[^"]+" differs "[^"]{20,}"$'
}

# well_formed FILE: with another source in every line, all of it is right
well_formed()
{
	sed 's/ = perf "[^"]*"/ = perf "perf::PAGE-FAULTS"/' "$1" > formed
	run 0 --check formed && grep -Eq '^formed: ok, [1-9][0-9]* events changed' out
}

# encodes WIRING PMU FILE: libpfm4's codes are the manual's, no line more or less
encodes()
{
	local events
	mapfile -t events < <(sources "$3" | cut -d ' ' -f 2)
	"$encode" "$2" "${events[@]}" > codes 2> err || return 1
	paste -d ' ' <(sources "$3" | cut -d ' ' -f 1) <(cut -d ' ' -f 2 codes) |
		sed "s/^/$1 /" | sort > got
	grep "^$1 " manual | sort > wanted
	diff wanted got > out
}

# taken PMU FILE: with that PMU, upc_wire takes it, and its names have the source
taken()
{
	local name event
	LIBPFM_FORCE_PMU=$1 run 0 --check "$2" || return 1
	while read -r name event; do
		LIBPFM_FORCE_PMU=$1 run 0 -w "$2" --show "$name" || return 1
		if ! grep -q "driven by *perf" out || ! tr -d ' \n' < out | grep -qF "\"$event\""; then
			echo "# $name"
			return 1
		fi
	done < <(sources "$2")
}

# computed PMU FILE: derived names of the file, and those of libupc over its names
computed()
{
	local name own
	own=$(sed -n 's/^derived \([A-Z0-9_]*\) .*/\1/p' "$2")
	for name in $own LD_INS SR_INS LST_INS BR_INS L1_DCM CYCLES_PER_1000_INSTRUCTIONS; do
		LIBPFM_FORCE_PMU=$1 run 0 -w "$2" --show "$name" || return 1
		grep -q "source *derived" out || { echo "# $name"; return 1; }
	done
}

# other_than PMU: another one that libpfm4 has tables of
other_than()
{
	local file pmu
	for file in "${files[@]}"; do
		pmu=$(pmu_of "$file")
		[ "$pmu" != "$1" ] || continue
		"$encode" "$pmu" "$pmu::" > out 2> err
		[ $? = 3 ] || { echo "$pmu"; return; }
	done
	return 1
}

# elsewhere PMU FILE: with another CPU's PMU it is refused, and both are named
elsewhere()
{
	local other
	other=$(other_than "$1") || return 1
	LIBPFM_FORCE_PMU=$other run 1 --check "$2" &&
		grep -q "LIBPFM_FORCE_PMU puts in .*($other), found \"$1::.*\", of $1\$" err
}

# here: as this machine is, all but its own are refused, with what to do
here()
{
	local given pmu taken=0
	for given in "${files[@]}"; do
		pmu=$(pmu_of "$given")
		if "$tool" --check "$given" > out 2> err; then
			taken=$((taken + 1))
			continue
		fi
		"$encode" "$pmu" "$pmu::" > out 2> /dev/null
		if [ $? = 3 ]; then
			grep -q "of $pmu, which libpfm4 has no tables of here\$" err || return 1
		else
			grep -q "LIBPFM_FORCE_PMU=$pmu upc_wire --check\$" err || return 1
		fi
	done
	[ $taken -le 1 ]
}

# alike PMU FILE OTHER: the same for a PMU that the file names as alike
alike()
{
	sed "s/\"$1::/\"$3::/" "$2" > "$3.wiring"
	grep -q "write $3:: for $1::" "$2" && LIBPFM_FORCE_PMU=$3 run 0 --check "$3.wiring"
}

files=("$wirings"/*.wiring)
echo "1..$((2 + 6 * ${#files[@]} + 3))"
check "every wiring has its codes here, and every code its wiring" [ \
	"$(cut -d ' ' -f 1 manual | sort -u)" = "$(basename -a -s .wiring "${files[@]}" | sort)" ]
check "all but this machine's are refused here" here
for given in "${files[@]}"; do
	wiring=$(basename "$given" .wiring)
	pmu=$(pmu_of "$given")
	check "$wiring: one PMU, and every line says what differs" explained "$given"
	check "$wiring: syntax and names" well_formed "$given"
	"$encode" "$pmu" "$pmu::" > out 2> err
	if [ $? = 3 ]; then
		for what in "events" "sources" "derived events"; do
			skip "$wiring: $what" "this libpfm4 has no tables of $pmu"
		done
		check "$wiring: refused elsewhere" elsewhere "$pmu" "$given"
		continue
	fi
	check "$wiring: refused elsewhere" elsewhere "$pmu" "$given"
	check "$wiring: libpfm4 encodes its events as the manual does" encodes "$wiring" "$pmu" "$given"
	check "$wiring: upc_wire takes it, and shows its sources" taken "$pmu" "$given"
	check "$wiring: derived events follow" computed "$pmu" "$given"
done
for pair in skx:clx icl:icx arm_n1:arm_v1; do
	pmu=${pair%:*} other=${pair#*:}
	given=$(grep -l "\"$pmu::" "${files[@]}")
	"$encode" "$other" x > out 2> err
	if [ $? = 3 ]; then
		skip "$other is like $pmu" "this libpfm4 has no tables of $other"
	else
		check "$other is like $pmu" alike "$pmu" "$given" "$other"
	fi
done
