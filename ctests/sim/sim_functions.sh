#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_functions.sh - upc_run --functions: functions whose instructions were counted by hand, for each guest;
# that all functions make the whole, number by number, however threads and processes come and go; and the same as
# callgrind says. $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN
CC=${CC:-cc}

if cannot_simulate; then
	echo "1..0 # SKIP $missing"
	exit 0
fi
find_emulators
plan 24

# did FUNCTION EVENT: what it did, of a program without the directory, or of all
did()
{
	awk -F, -v name="$1" -v event="$2" '$1 == "function" && $11 == name && $5 == event { n += $6 }
		END { print n + 0 }' csv
}

# does FUNCTION INSTRUCTIONS
does()
{
	got=$(did "$1" INSTRUCTIONS)
	[ "$got" = "$2" ] || { echo "# $1: $got, not $2"; false; }
}

# ---- by hand ---------------------------------------------------------------------------------

# What is called: a function by two names; one that the next one is behind; a local one; code behind
# a function that is nobody's. Each loop is 1 + 2 x 100 + 1 instructions.
write_functions()
{
	loop=$1 return=$2 nothing=$3
	cat << S
	.globl counted, __counted, enters
	.type counted, %function
	.type __counted, %function
	.type enters, %function
	.type local, %function
enters:
	$nothing
	$nothing
	.size enters, .-enters
counted:
__counted:
	$loop
	$return
	.size counted, .-counted
behind:
	$nothing
	$return
local:
	$nothing
	$nothing
	$nothing
	$return
	.size local, .-local
S
}

# by_hand GUEST COMPILER: is there one, and does its program do what was counted
by_hand()
{
	"$2" -nostdlib -static -Wl,--build-id=none -o "by-hand-$1" "by-hand-$1.s" 2> err &&
		run 0 --functions -f csv -o csv "./by-hand-$1" &&
		does _start 7 && does enters 2 && does counted 404 && does local 4 && does "[by-hand-$1]" 2 &&
		[ "$(awk -F, '$1 == "function" { print $11 }' csv | sort -u | wc -l)" = 5 ]
}

hand()
{
	name="$1: what was counted by hand"
	if ! command -v "$2" > /dev/null; then
		skip "$name" "$2 is not installed: scripts/packages.sh, PACKAGES_GUESTS"
	elif ! command -v "qemu-$1" > /dev/null; then
		skip "$name" "qemu-$1 is not installed: scripts/packages.sh, PACKAGES_SIM"
	else
		check "$name" by_hand "$1" "$2"
	fi
}

{
	printf '\t.globl _start\n_start:\n\tcall counted\n\tcall enters\n\tcall local\n\tcall behind\n'
	printf '\tmov $60, %%eax\n\txor %%edi, %%edi\n\tsyscall\n'
	write_functions 'mov $100, %ecx
1:	dec %ecx
	jnz 1b' ret nop
} > by-hand-x86_64.s
{
	printf '\t.globl _start\n_start:\n\tbl counted\n\tbl enters\n\tbl local\n\tbl behind\n'
	printf '\tmov x8, #93\n\tmov x0, #0\n\tsvc #0\n'
	write_functions 'mov x1, #100
1:	subs x1, x1, #1
	b.ne 1b' ret nop
} > by-hand-aarch64.s
{
	printf '\t.globl _start\n_start:\n\tbl counted\n\tbl enters\n\tbl local\n\tbl behind\n'
	printf '\tli 0, 1\n\tli 3, 0\n\tsc\n'
	write_functions 'li 4, 100
1:	addic. 4, 4, -1
	bne 1b' blr nop
} > by-hand-ppc.s
{
	printf '\t.globl _start\n_start:\n\tjal counted\n\tjal enters\n\tjal local\n\tjal behind\n'
	printf '\tli a7, 93\n\tli a0, 0\n\tecall\n'
	write_functions 'li a1, 100
1:	addi a1, a1, -1
	bnez a1, 1b' ret nop
} > by-hand-riscv64.s
hand x86_64 x86_64-linux-gnu-gcc
hand aarch64 aarch64-linux-gnu-gcc
hand ppc powerpc-linux-gnu-gcc
hand riscv64 riscv64-linux-gnu-gcc

# ---- all of them are the whole ---------------------------------------------------------------

# Each event: the sum over functions, and of the whole run. Nothing is left over for a row of others. Lower
# bounds, where a process was killed under QEMU's interface 4, do not add up: none is above that of the whole.
is_whole()
{
	awk -F, '
		$1 == "run" && $4 == "" && $5 !~ /^PU/ { whole[$5] = $6; n += $6 > 0; bound = bound || $10 == "at least" }
		$1 == "function" { sum[$5] += $6; if ($11 == "[others]") bad = 1 }
		$1 == "function" && ($5 in whole) && $6 + 0 > whole[$5] + 0 { print "# " $11 " has more " $5 " than all"; bad = 1 }
		END {
			for (event in whole)
				if (bound ? whole[event] == "" : whole[event] != sum[event]) {
					print "# " event ": " sum[event] " in functions, " whole[event] " in all"
					bad = 1
				}
			exit bad || n < 5
		}' csv
}

# whole STATUS OPTION... COMMAND...
whole()
{
	status=$1
	shift
	run "$status" --functions -f csv -o csv "$@" && is_whole
}

if ! command -v "${CC%% *}" > /dev/null || ! $CC -O1 -pthread -o program "$srcdir/ctests/sim/sim_functions.c" 2> err; then
	skip_rest "all functions are the whole" "there is no compiler that makes programs with threads"
	exit
fi
for way in calls unwinds threads at_work processes goes_on; do
	check "$way: all functions are the whole" whole 0 ./program $way
done
check "... and so they are of all" whole 0 ./program calls unwinds threads processes calls at_work
check "... with regions beside them" whole 0 -R leaf ./program calls unwinds threads processes calls at_work
check "... where blocks call" env UPC_SIM_CALLS=1 sh -c '"$0" --functions -f csv -o csv ./program threads calls' "$tool"
check "... the same sum" is_whole
check "... without children" whole 0 --children=off ./program calls processes
check "of a program of many processes" whole 0 sh -c 'for i in 1 2 3 4 5; do ls / | wc -l; done'
check "of one that is killed" whole 137 sh -c './program threads; kill -9 $$'
check "... in the midst of its work" whole 143 timeout -s KILL 100 sh -c './program goes_on; kill 0; sleep 100'

# ---- what they are ---------------------------------------------------------------------------

same_calls()
{
	run 0 --functions -f csv -o csv ./program calls calls && mv csv twice && run 0 --functions -f csv -o csv ./program calls &&
		once=$(did leaf INSTRUCTIONS) && [ "$once" -gt 3000 ] && [ "$(did floating FP_OPS)" = 1000 ] &&
		[ "$(did leaf FP_OPS)" = 0 ] && mv twice csv && does leaf $((2 * once))
}
check "a function that is called twice does twice as much" same_calls
# Six rounds of four threads with 100 times two each, by three processes, two of them at a time: one row.
of_all_threads()
{
	run 0 --functions -e FP_OPS -f csv -o csv sh -c './program threads & ./program threads; wait; ./program threads' &&
		[ "$(did floating FP_OPS)" = 14400 ] &&
		[ "$(awk -F, '$1 == "function" && $11 == "floating"' csv | wc -l)" = 1 ]
}
check "what threads and processes did in a function is added up" of_all_threads
of_a_region()
{
	run 0 --functions -R leaf -f csv -o csv ./program calls &&
		[ "$(awk -F, '$1 == "run" && $4 == "leaf" && $5 == "INSTRUCTIONS" { print $6 }' csv)" = "$(did leaf INSTRUCTIONS)" ]
}
check "one that calls nothing does what its region does" of_a_region
rows()
{
	run 0 --functions=3 ./program calls && sed '1,/^ Functions/d' err > table && [ "$(grep -c '^ *[0-9,]*  *[0-9]*\.[0-9][0-9]  ' table)" = 4 ] &&
		grep -q ' others$' table && grep -q ' function  *file$' table
}
check "the table has as many rows as were asked for, and one for the rest" rows
no_rows()
{
	run 125 --functions=0 ./program && grep -q "'0'" err && run 125 --functions=x ./program && grep -q "'x'" err
}
check "... as many as there can be" no_rows

# ---- callgrind -------------------------------------------------------------------------------

# Functions of the program itself: the C library's are others where the processor is another.
by_callgrind()
{
	valgrind --tool=callgrind --skip-plt=no --vex-guest-chase=no --callgrind-out-file=callgrind --compress-strings=no \
		--compress-pos=no ./program calls > out 2> err || return
	awk '
		/^ob=/ { own = /\/program$/ }
		/^fn=/ { name = substr($0, 4); sub("\047[0-9]*$", "", name) }
		/^calls=/ { getline; next }
		own && /^[0-9]/ { n[name] += $2 }
		END { for (name in n) print name, n[name] }' callgrind | sort > theirs
	run 0 --functions -f csv -o csv ./program calls || return
	awk -F, '$1 == "function" && $5 == "INSTRUCTIONS" && $12 ~ /\/program$/ { print $11, $6 }' csv | sort > ours
	for function in leaf floating recursive sorted compare calls; do
		theirs=$(sed -n "s/^$function //p" theirs)
		[ -n "$theirs" ] && [ "$theirs" = "$(sed -n "s/^$function //p" ours)" ] ||
			{ echo "# $function: callgrind says $theirs, upc_run $(sed -n "s/^$function //p" ours)"; return 1; }
	done
}
name="functions do what callgrind says"
if ! command -v valgrind > /dev/null; then
	skip "$name" "valgrind is not installed"
elif [ "$(uname -m)" != x86_64 ]; then
	skip "$name" "only x86-64 is compared: valgrind's translation of others is another"
else
	check "$name" by_callgrind
fi
