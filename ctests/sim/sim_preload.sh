#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_preload.sh - upc_run gives programs the PAPI with presets, however they were linked, and
# only those that need PAPI; what PAPI counts is what upc_run reports. $SIM_PRESETS is a program
# that prints PAPI's counts.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
CC=${CC:-cc}
given=${UPC_SIM_PAPI:-}
unset UPC_SIM_PAPI

missing=
[ -n "$given" ] || missing="there is no PAPI for simulated programs (papi-build --simulation)"
command -v "qemu-$(uname -m)" > out || missing="qemu-$(uname -m) is not installed"
[ -z "${SANITIZERS:-}" ] || missing="the emulator cannot load a simulator with sanitizers"
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 0
fi
export UPC_QUIET=1

echo "1..28"

# ---- what is asked for

refused()
{
	text=$1
	shift
	run 125 "$@" && grep -q -e "$text" err && [ "$(wc -l < err)" = 1 ] && [ ! -e ran ]
}
wrong_word()
{
	run 125 --papi=sim sh -c ': > ran' && grep -q "auto, always or own" err && [ ! -e ran ]
}
check "--papi of something else" wrong_word
mkdir -p "with blank"
not_there()
{
	UPC_SIM_PAPI=$1 refused "$2" sh -c ': > ran'
}
check "UPC_SIM_PAPI of nothing: says what to do" not_there ./nowhere "nowhere.*No such.*papi-build --simulation"
check "... of a file" not_there /bin/sh "Not a directory"
check "... of a directory without PAPI" not_there "$dir" "no libpapi.so in it"
check "... of what cannot be preloaded" not_there "$dir/with blank" "blanks"

export UPC_SIM_PAPI="$given"

# ---- PAPI's own utilities

utility()
{
	utility=$1
	shift
	run 0 -o /dev/null -- "$PAPI_PREFIX/bin/$utility" "$@"
}
check "papi_avail runs" utility papi_avail -a -d
check "... and lists presets with their derivation" grep -q '^PAPI_FP_INS.*	7	' out
check "... term by term" grep -q 'Native Code\[5\].*upc:::PU_FPU_FMA_4' out
check "... and how they count" grep -q 'Each lane of a division' out
check "papi_native_avail lists the events" utility papi_native_avail
check "... those of the own core" grep -q 'upc:::PU_FPU_FMA_2' out
check "... and of each" grep -q 'upc:::PU3_FPU_FMA_2' out
printf 'CPU,upc\nEVENT,MY_MOVES,DERIVED_ADD,upc:::PU_DATA_LOADS,upc:::PU_DATA_STORES\n' > mine
user_defined()
{
	PAPI_USER_EVENTS_FILE=$dir/mine utility papi_command_line MY_MOVES && grep -q '^MY_MOVES :.*[1-9]' out
}
check "events that the user defines" user_defined

# ---- counts beside those of the report

# counts N: PAPI's in papi.N, the region's in csv.N
counts()
{
	run 0 -f csv -o "csv.$1" -R sim_presets_mix -- "$SIM_PRESETS" "$1" && mv out "papi.$1"
}
papi()
{
	sed -n "s/^PAPI_$2 //p" "papi.$1"
}
region()
{
	awk -F, -v name="$2" '$1 == "run" && $4 == "sim_presets_mix" && $5 == name { print $6 }' "csv.$1"
}
check "a program's counts, and the report's of a region" counts 1000
check "... of twice as much" counts 2000
same()
{
	for row in FP_OPS FMA_INS; do
		[ "$(papi 1000 $row)" = "$(region 1000 $row)" ] && [ "$(region 1000 $row)" -gt 0 ] || {
			echo "# $row: $(papi 1000 $row), $(region 1000 $row)"
			return 1
		}
	done
}
check "FP_OPS and FMA_INS: the same to the last one" same
grows_the_same()
{
	for row in TOT_INS LD_INS SR_INS BR_INS FP_OPS FMA_INS; do
		by_papi=$(($(papi 2000 $row) - $(papi 1000 $row)))
		by_region=$(($(region 2000 $row) - $(region 1000 $row)))
		[ $by_papi = $by_region ] && [ $by_papi -ge 1000 ] || {
			echo "# $row: $by_papi, $by_region"
			return 1
		}
	done
}
check "all: as much more as the report has" grows_the_same

# ---- how programs were linked, and which get it

cat > program.c << 'END'
#include <papi.h>
int main(void)
{
	int set = PAPI_NULL;

	return PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK ||
	       PAPI_add_event(set, PAPI_TOT_INS) != PAPI_OK;
}
END
linked()
{
	rm -f program
	$CC "-I$PAPI_PREFIX/include" -o program program.c "$@" -lpapi > out 2> err
}
links()
{
	linked "-L$PAPI_PREFIX/lib" "$@" && run 0 -o /dev/null -- ./program
}
check "a program with RUNPATH has presets" links "-Wl,--enable-new-dtags,-rpath,$PAPI_PREFIX/lib"
check "... with RPATH" links "-Wl,--disable-new-dtags,-rpath,$PAPI_PREFIX/lib"
by_path()
{
	linked "-L$PAPI_PREFIX/lib" && LD_LIBRARY_PATH=$PAPI_PREFIX/lib run 0 -o /dev/null -- ./program
}
check "... with LD_LIBRARY_PATH" by_path
own()
{
	links "-Wl,-rpath,$PAPI_PREFIX/lib" && run 1 --papi=own -o /dev/null -- ./program
}
check "--papi=own leaves it its own" own
check "one that a shell executes has presets" run 0 -o /dev/null -- sh -c './program; exit $?'
nothing_else()
{
	run 0 -o /dev/null -- sh -c '[ -z "$LD_PRELOAD" ] && env | grep -c LD_PRELOAD; ./program && env LD_PRELOAD= sh -c :'
	[ "$(cat out)" = 0 ]
}
check "... and the shell, and what needs no PAPI, nothing" nothing_else
check "--papi=always: all have it" run 0 --papi=always -o /dev/null -- sh -c 'case $LD_PRELOAD in */libpapi.so) ;; *) exit 1 ;; esac'
# Of another version, whose functions are its own.
echo 'int PAPI_library_init(int version) { return version; }' > other.c
cat > asks.c << 'END'
int PAPI_library_init(int version);
int main(void) { return PAPI_library_init(42) != 42; }
END
another()
{
	$CC -shared -fPIC -Wl,-soname,libpapi.so.6.0 -o libpapi.so.6.0 other.c &&
		$CC -o asks asks.c ./libpapi.so.6.0 "-Wl,-rpath,$dir" &&
		run 0 --papi=always -o /dev/null -- ./asks
}
check "... but programs with another version of PAPI" another
cat > loads.c << 'END'
#include <dlfcn.h>
#include <papi.h>
int main(void)
{
	void *papi = dlopen("libpapi.so", RTLD_NOW | RTLD_LOCAL);
	int (*init)(int) = (int (*)(int))dlsym(papi, "PAPI_library_init");
	int (*create)(int *) = (int (*)(int *))dlsym(papi, "PAPI_create_eventset");
	int (*add)(int, int) = (int (*)(int, int))dlsym(papi, "PAPI_add_event");
	int set = PAPI_NULL;

	return init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || create(&set) != PAPI_OK || add(set, PAPI_TOT_INS) != PAPI_OK;
}
END
loads()
{
	$CC "-I$PAPI_PREFIX/include" -o loads loads.c -ldl &&
		LD_LIBRARY_PATH=$PAPI_PREFIX/lib run 0 --papi=always -o /dev/null -- ./loads
}
check "... also one that loads PAPI by its plain name, where another is found" loads
natively()
{
	run 0 --children=off --papi=always -o /dev/null -- sh -c 'env > variables'
	! grep "^LD_PRELOAD\|^UPC_SOURCE\|^LD_LIBRARY_PATH=$given" variables
}
check "--children=off: what runs natively has none of it" natively
other_source()
{
	UPC_SOURCE=live run 1 -o /dev/null -- ./program
}
check "UPC_SOURCE=live: the program's own" other_source
