#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# upc_run_names.sh - regions by name: of C++, several at once, of stripped files, mistyped; and
# functions that are chosen when the program runs. $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
CC=${CC:-cc}

# value NAME REGION: of the whole run in CSV
value()
{
	awk -F, -v name="$1" -v region="$2" '$1 == "run" && $4 == region && $5 == name { print $6 }' csv
}

# counted ARGUMENT...: status 0 and a report in CSV
counted()
{
	rm -f csv
	run 0 -f csv -o csv -e INSTRUCTIONS "$@"
}

# entered REGION N INSTRUCTIONS PROGRAM [OPTION...]
entered()
{
	region=$1
	known="$2 $3"
	program=$4
	shift 4
	counted "$@" -R "$region" "$program" || return 1
	seen="$(value entered "$region") $(value INSTRUCTIONS "$region")"
	[ "$seen" = "$known" ] || { echo "# $seen, not $known"; false; }
}

# refused TEXT ARGUMENT...: in one line, and nothing runs
refused()
{
	text=$1
	shift
	rm -f ran
	run 125 "$@" && grep -q -e "$text" err && [ "$(wc -l < err)" = 1 ] && [ ! -e ran ]
}

plan 75

if cannot_simulate; then
	skip_rest "regions by name" "$missing"
	exit 0
fi
# Functions of known lengths: a C compiler's own, with the names that C++ would give them.
cat > names.c << 'C'
#define FUNCTION(c, symbol, nops) \
	void c(void) __asm__(symbol); \
	__asm__(".text\n\t.globl " symbol "\n\t.type " symbol ", %function\n" symbol ":\n\t.rept " #nops \
		"\n\tnop\n\t.endr\n\tret\n\t.size " symbol ", .-" symbol "\n");
FUNCTION(solve_int, "_ZN6Solver5solveEi", 9)
FUNCTION(solve_double, "_ZNK6Solver5solveEd", 19)
FUNCTION(of_template, "_ZN5FieldIiE5solveEi", 29)
FUNCTION(step_one, "step_one", 39)
FUNCTION(step_two, "step_two", 49)
__attribute__((noinline)) static void hidden(void) { __asm__ volatile("nop"); }
int main(void)
{
	solve_int(), solve_int(), solve_double(), of_template(), step_one(), step_two(), step_two(), hidden();
	return 0;
}
C
if ! $CC -g -O1 -fno-ipa-icf -o names names.c 2> err; then
	skip_rest "regions by name" "there is no compiler"
	exit 0
fi
check "a name as it is in the file" entered _ZN6Solver5solveEi 2 20 ./names
if ./names && run 125 -R 'A::b' ./names && grep -q 'without libiberty' err; then
	for name in "a name of C++: all overloads" "... which is said" "... one of them" "a template's: all that there are" \
		"... one of them" "a glob of C++" "a mistyped name of C++" "... with what it takes"; do
		skip "$name" "this upc_run was built without libiberty"
	done
else
	check "a name of C++: all overloads" entered Solver::solve 3 40 ./names
	check "... which is said" grep -q \
		'^note,.*region Solver::solve is all of 2 functions: Solver::solve(int), Solver::solve(double) const' csv
	check "... one of them" entered 'Solver::solve(double)' 1 20 ./names
	check "a template's: all that there are" entered Field::solve 1 30 ./names
	check "... one of them" entered 'Field<int>::solve(int)' 1 30 ./names
	check "a glob of C++" entered '*::solve' 4 70 ./names
	check "a mistyped name of C++" refused "nearest: Solver::solve" -R Solver::slove ./names
	check "... with what it takes" refused "nearest: Solver::solve(int), Solver::solve(double) const" \
		-R 'Solver::solve(float)' ./names
fi
check "a glob: one region" entered 'step_*' 3 140 ./names
check "... of functions that are named" grep -q '^note,.*region step_\* is all of 2 functions: step_one, step_two' csv
check "... in what is loaded later, too" entered 'step_*' 3 140 ./names --late
check "a glob of nothing" refused "no function 'stop_\*'" -R 'stop_*' ./names
check "a mistyped mangled name" refused "nearest: _ZN6Solver5solveEi" -R _ZN6Solver5slov ./names
check "commas of a name are no list" refused "no function 'Field<int, long>::solve(int, int)'" \
	-R 'Field<int, long>::solve(int, int)' ./names
long=$(printf '%300s' '' | tr ' ' a)
check "a name that is too long" refused "too long for a region: 255 characters" -R "$long" ./names

# ---- stripped files

strip -o bare names
check "a stripped program: what to do" refused "stripped: link it without -s, or install its debug symbols" \
	-R hidden ./bare
objcopy --only-keep-debug names names.debug
objcopy --strip-all --add-gnu-debuglink=names.debug names linked
check "... with a debug file beside it" counted -R hidden -R step_two ./linked
check "... its functions are those of the program" [ "$(value entered hidden) $(value entered step_two) \
$(value INSTRUCTIONS step_two)" = "1 2 100" ]
printf 'x' >> names.debug
if readelf -n names | grep -q 'Build ID'; then
	check "... another checksum, but the same build ID" counted -R hidden ./linked
else
	skip "... another checksum, but the same build ID" "this compiler writes none"
fi
objcopy --remove-section=.note.gnu.build-id linked unnamed
check "... another checksum, and no build ID" refused "stripped: link it without -s" -R hidden ./unnamed
cat > library.c << 'C'
static __attribute__((noinline)) int local(int n) { return n + 1; }
int exported(int n) { return local(n); }
C
cat > user.c << 'C'
int exported(int n);
int main(void) { return exported(-1); }
C
$CC -shared -fPIC -s -o libstripped.so library.c && $CC -o user user.c ./libstripped.so || exit 1
check "what a library does not export: whose debug symbols" \
	refused "libstripped.so .*stripped: install .* debug symbols" -R zzzz_local ./user
check "... and what it exports" counted -R exported ./user

# ---- functions that are chosen when the program runs (IFUNCs)

# A library's, which calls what is chosen by itself before and behind: twenty instructions, the first
# of which ends a block without a call.
cat > chosen.h << 'C'
#ifdef __aarch64__
#define JUMP "b"
#elif defined(__riscv)
#define JUMP "j"
#else
#define JUMP "jmp"
#endif
#define CHOICE(name, nops) __attribute__((visibility("hidden"))) void name(void); \
	__asm__(".text\n\t.globl " #name "\n\t.hidden " #name "\n\t.type " #name ", %function\n" #name \
		":\n\t" JUMP " 1f\n1:\n\t.rept " #nops "\n\tnop\n\t.endr\n\tret\n\t.size " #name ", .-" #name "\n");
CHOICE(not_this, 8)
CHOICE(this_one, 18)
static void (*resolve(void))(void) { return this_one; }
void work(void) __attribute__((ifunc("resolve")));
C
cat > chosen.c << 'C'
#include "chosen.h"
void also(void) __attribute__((ifunc("resolve")));
void direct(void) { this_one(); __asm__ volatile(""); }
void tail(void) { this_one(); }
C
cat > choose.c << 'C'
#include <dlfcn.h>
void work(void), direct(void), tail(void);
int main(int argc, char **argv)
{
	int i;

	for (i = 0; i < 3; i++)
		direct(), tail();
	for (i = 0; argc == 1 && i < 5; i++)
		work();
	for (i = 0; i < 100; i++)
		direct(), tail();
	for (i = 0; argc > 1 && i < 2; i++)
		((void (*)(void))dlsym(RTLD_DEFAULT, argv[1]))();
	return 0;
}
C
cat > alone.c << 'C'
#include "chosen.h"
static void (*volatile pointer)(void) = work;
int main(void)
{
	int i;

	for (i = 0; i < 5; i++)
		work();
	pointer();
	return 0;
}
C
cat > team.c << 'C'
#include <pthread.h>
void work(void);
static void *call(void *p)
{
	for (int i = 0; i < 1000; i++)
		work();
	return p;
}
int main(void)
{
	pthread_t thread[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], 0, call, 0);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], 0);
	return 0;
}
C
cat > copies.c << 'C'
#include <stdlib.h>
#include <string.h>
static char from[4096], to[4096];
int main(int argc, char **argv)
{
	volatile size_t n = BYTES;

	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
		memcpy(to, from, n);
	return 0;
}
C

# copied PROGRAM: two thousand calls of memcpy more are just those
copied()
{
	counted -R memcpy "$1" 1000 && set -- "$1" "$(value entered memcpy)" "$(value INSTRUCTIONS memcpy)" &&
		counted -R memcpy "$1" 3000 &&
		set -- "$1" $(($(value entered memcpy) - $2)) $(($(value INSTRUCTIONS memcpy) - $3)) &&
		[ "$2" = 2000 ] && [ $(($3 % 2000)) = 0 ] && [ $(($3 / 2000)) -gt 8 ] && [ $(($3 / 2000)) -lt 100 ]
}

# chosen COMPILER BYTES: what follows, for programs of it; so many bytes are copied by less than 100 instructions
chosen()
{
	cc=$1
	for how in "-static" "-static-pie -fPIE" "-no-pie -Wl,-z,lazy" "-pie -fPIE -Wl,-z,lazy" "-pie -fPIE -Wl,-z,now"; do
		if [ "$how" = "-static-pie -fPIE" ] && [ ! -e "$($cc -print-file-name=rcrt1.o)" ]; then
			skip "$cc $how: what is chosen" "its C library has no rcrt1.o"
			skip "... by the C library, too" "its C library has no rcrt1.o"
			continue
		fi
		# shellcheck disable=SC2086
		$cc -O1 -fno-builtin $how -o alone alone.c 2> err &&
			$cc -O1 -fno-builtin $how "-DBYTES=$2" -o copies copies.c 2>> err || exit 1
		check "$cc $how: what is chosen" entered work 6 120 ./alone
		check "... by the C library, too" copied ./copies
	done
	$cc -O2 -shared -fPIC -o libchosen.so chosen.c && $cc -O1 -Wl,-z,lazy -o choose choose.c ./libchosen.so &&
		$cc -O1 -Wl,-z,now -o choose_now choose.c ./libchosen.so || exit 1
	check "$cc: a library's, from when it is first called" entered work 205 4100 ./choose -R also
	check "... by its other name as well" [ "$(value entered also) $(value INSTRUCTIONS also)" = "205 4100" ]
	check "... from the start where it is chosen then" entered work 211 4220 ./choose_now
	check "... stripped" eval 'strip_of $cc libchosen.so && entered work 211 4220 ./choose_now'
	check "chosen by dlsym alone" counted -R work ./choose work
	check "... is said" grep -q '^note,.*not exact: work: its function is one of several.*dlsym' csv
	check "... and marked" grep -q '^run,,,work,INSTRUCTIONS,0,.*,at least,,,.*,unseen: ' csv
}

# strip_of COMPILER FILE
strip_of()
{
	"${1%gcc}strip" "$2" 2> err || strip "$2"
}

chosen "$CC" 100
$CC -O1 -pthread -Wl,-z,lazy -o team team.c ./libchosen.so || exit 1
check "threads that have it chosen at once" entered work 8000 160000 ./team
if command -v aarch64-linux-gnu-gcc > /dev/null && command -v qemu-aarch64 > /dev/null; then
	chosen aarch64-linux-gnu-gcc 100
else
	i=0
	while [ $((i += 1)) -le 17 ]; do
		skip "functions that are chosen on AArch64: check $i" "no compiler for it, or no emulator"
	done
fi
if command -v riscv64-linux-gnu-gcc > /dev/null && command -v qemu-riscv64 > /dev/null; then
	chosen riscv64-linux-gnu-gcc 64
else
	skip_rest "functions that are chosen on RISC-V" "no compiler for it, or no emulator"
fi
