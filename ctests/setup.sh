#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# setup.sh - what the scripts decide before they build: with a configure, a make and a PAPI
# that are a few lines each, in a tree of their own.
tool=scripts/demo
. "${srcdir:?}/ctests/utils.inc"
unset CC CFLAGS CPPFLAGS LDFLAGS LIBS PFM_ARCHIVE PKG_CONFIG_PATH PKG_CONFIG_LIBDIR DESTDIR \
	MAKEFLAGS MFLAGS MAKELEVEL

plan 41

# ---- a tree, and programs that are found first -----------------------------------------

mkdir -p tree/m4 tree/include tree/src/components bin
cp -R "$srcdir/scripts" tree/
cp -R "$srcdir/src/components/upc" tree/src/components/
cp -R "$srcdir/src/mpx" tree/src/
mkdir -p tree/src/upc/base tree/src/sim/decode
cp "$srcdir/src/sim/decode/guests.def" tree/src/sim/decode/
cp "$srcdir"/src/upc/base/{later.h,words.[ch]} tree/src/upc/base/
cp "$srcdir/include/upc.h" tree/include/
echo 1 > tree/configure.ac
echo 1 > tree/m4/upc-libs.m4
export PATH="$PWD/bin:$PATH" STATE=$PWD/state
mkdir state

# program NAME: from standard input
program()
{
	{ echo '#!/bin/sh'; cat; } > "bin/$1"
	chmod +x "bin/$1"
}
program autoreconf <<'END'
[ "$1" != --version ] || { cat "$STATE/autoreconf" 2> /dev/null; exit 0; }
echo autoreconf >> "$STATE/done"
cat > configure << 'CONFIGURE'
#!/bin/sh
echo configure >> "$STATE/done"
echo 'all: ; @echo make >> "$$STATE/done"' > Makefile
echo > config.status
CONFIGURE
echo "# $(cat configure.ac)" >> configure
chmod +x configure
END
# Libraries that are there have a file in state, with their version.
program pkg-config <<'END'
cat "$STATE/$2" 2> /dev/null
END
program gcc <<'END'
case $1 in
--version) cat "$STATE/gcc" 2> /dev/null || echo "gcc 1" ;;
-print-file-name=*) echo "$STATE/${1#*=}" ;;
esac
END
# Their versions are asked for each time, and take a second in all.
for name in automake libtoolize g++ clang++ c++ objcopy nm; do
	echo "echo $name 1" | program $name
done
echo 4.0 > state/capstone
echo archive > state/libpfm.a

# configure_in TREE: as set_up does it; what was run is in the file done
configure_in()
{
	: > state/done
	bash -c 'set -euo pipefail; . "$1/scripts/setup.sh"
		open_build; configured "$build/obj" --prefix="$prefix"' x "$PWD/$1" > out 2> err
}

# runs WHAT: that was done, and no more
runs()
{
	[ "$(paste -s -d ' ' state/done)" = "$1" ]
}

nothing_to_do()
{
	configure_in tree && runs ''
}

# anew WORD: all that was built is gone, and the word is why
anew()
{
	configure_in tree && runs configure && [ ! -e tree/build/obj/built ] &&
		grep -q "built anew, since this has changed: .*$1" out && : > tree/build/obj/built &&
		nothing_to_do
}

# ---- configured -----------------------------------------------------------------------

check "a first run writes configure and runs it" configure_in tree
check "... once" runs "autoreconf configure"
: > tree/build/obj/built
check "a second one does nothing" nothing_to_do
check "... and keeps what was built" [ -e tree/build/obj/built ]
echo 1.1.7 > state/cmocka
check "a library that was not there" anew cmocka
rm state/capstone
check "one that is gone" anew capstone
echo 5.0 > state/capstone
check "... and is another version when it comes again" anew capstone
echo "another archive" > state/libpfm.a
check "libpfm4's archive" anew libpfm4
echo archive > state/libiberty.a
check "libiberty's, which was not there" anew libiberty
echo "gcc 2" > state/gcc
check "another compiler" anew compiler
mkdir -p tree/build/prefix/include tree/build/prefix/lib
echo 7.0 > tree/build/prefix/include/papi.h
check "a PAPI" anew PAPI
touch tree/build/prefix/lib/libpapi.so
check "... and its library" anew PAPI
export CFLAGS=-O0
check "the environment" anew environment
unset CFLAGS
configure_in tree
new_configure()
{
	configure_in tree && runs "autoreconf configure"
}
echo 2 > tree/configure.ac
check "configure.ac" new_configure
echo 2 > state/autoreconf
again()
{
	configure_in tree && runs autoreconf
}
check "another autoconf, that makes the same of it" again
rm tree/autom4te.cache/inputs
check "an autoreconf that was ended on its way" again
rm tree/build/obj/.configured
only_configure()
{
	configure_in tree && runs configure
}
check "a configure that was" only_configure
rm tree/build/obj/config.status
check "... also late" only_configure
: > tree/build/obj/built
mv tree moved
moved()
{
	configure_in moved && runs configure && [ ! -e moved/build/obj/built ] &&
		grep -q 'since this has changed: .*place' out
}
check "a tree that was moved" moved
mv moved tree
configure_in tree

# ---- a make that is killed ---------------------------------------------------------------

# killed_by WHAT: it has written half an object. $script is who built, $make what it ran.
killed_by()
{
	echo whole > tree/build/obj/before.o
	sleep 0.1
	bash -c '. "$1/scripts/setup.sh"; export script=$$
		making "$build/obj" bash -c "make=\$\$; sleep 0.1; echo half > half.o; kill -KILL $2; sleep 1"' \
		x "$PWD/tree" "$1" > out 2>&1 || :
	[ -e tree/build/obj/half.o ] && configure_in tree && runs '' &&
		[ ! -e tree/build/obj/half.o ] && [ -e tree/build/obj/before.o ]
}
check "half an object goes where all was killed, the whole ones stay" killed_by '$script $make'
check "... where make was" killed_by '$make'
failed()
{
	! bash -c '. "$1/scripts/setup.sh"; making "$build/obj" bash -c "sleep 0.1; : > done.o; false"' \
		x "$PWD/tree" && configure_in tree && [ -e tree/build/obj/done.o ]
}
check "what a make has done that failed stays" failed

# ---- places ----------------------------------------------------------------------------------

# refuses PATH: before anything is installed or built
refuses()
{
	mkdir -p "$1" && cp -R tree/scripts "$1/" && ! "$1/scripts/demo" > out 2> err &&
		grep -q 'has a blank or another of the shell' err && [ ! -e "$1/build" ]
}
check "a path with a blank is refused in words" refuses "a b"
refuses_link()
{
	ln -s "a b" link && ! link/scripts/demo > out 2> err &&
		grep -q 'has a blank or another of the shell' err && [ ! -e "a b/build" ]
}
check "... by a link, too" refuses_link
check "so is one with a comma, which the linker's options end at" refuses "a,b"
check "one of other letters is not" bash -c '. "$1"; plain_path it /home/Jürgen/upc-1.0_~+x@y' \
	x "$srcdir/scripts/lib.sh"

# ---- papi-build ----------------------------------------------------------------------------

mkdir -p papi/src/components papi/src/utils
echo '#define PAPI_VERSION  PAPI_VERSION_NUMBER(7,0,0,0)' > papi/src/papi.h
: > papi/src/utils/Makefile.target
cat > papi/src/configure <<'END'
#!/bin/sh
echo configure >> "$STATE/done"
for argument; do
	case $argument in --prefix=*) prefix=${argument#*=} ;; esac
done
cat > Makefile << MAKEFILE
all:
	@echo make >> "\$\$STATE/done"; : > libpapi.so
	@eval "\$\$MAKE_DOES"
install: ; mkdir -p \$(DESTDIR)$prefix/lib \$(DESTDIR)$prefix/bin && \
	cp libpapi.so \$(DESTDIR)$prefix/lib && : > \$(DESTDIR)$prefix/bin/papi_component_avail
MAKEFILE
END
chmod +x papi/src/configure

# papi_in TREE [OPTION...]
papi_in()
{
	place=$PWD/$1
	shift
	: > state/done
	"$place/scripts/papi/papi-build" --prefix="$place/prefix" --build-dir="$place/papi" \
		--source="$PWD/papi" "$@" > out 2> err
}

# papi_runs WHAT TREE [OPTION...]
papi_runs()
{
	what=$1
	shift
	papi_in "$@" && runs "$what" && [ -e "$place/prefix/lib/libpapi.so" ]
}
check "PAPI is built" papi_runs "configure make" tree
check "... once" papi_runs "" tree
check "... and anew by another compiler" eval 'echo "gcc 3" > state/gcc && papi_runs "configure make" tree'
cp -R tree moved
check "... and in another place" papi_runs "configure make" moved
echo "/* */" >> tree/src/components/upc/upc.c
check "a changed component is compiled" papi_runs make tree
papi_killed()
{
	echo "/* */" >> tree/src/components/upc/upc.c
	MAKE_DOES='kill -KILL $PPID' papi_in tree
	[ $? != 0 ] && papi_runs "configure make" tree
}
check "a PAPI of which a make was killed is built anew" papi_killed
papi_failed()
{
	echo "/* */" >> tree/src/components/upc/upc.c
	MAKE_DOES=false papi_in tree
	[ $? != 0 ] && papi_runs make tree
}
check "... not where it failed" papi_failed
destdir()
{
	papi_in tree --destdir="$PWD/dest dir" && runs make &&
		[ -e "dest dir$PWD/tree/prefix/lib/libpapi.so" ]
}
check "DESTDIR is before all that is installed" destdir
papi_refused()
{
	! papi_in tree "--prefix=$PWD/a b/c" && grep -q -- '--prefix has a blank' err && runs ''
}
check "a prefix with a blank is refused" papi_refused

# ---- packages ----------------------------------------------------------------------------

program id <<'END'
[ "$1" = -u ] && echo 1000 || echo somebody
END
program sudo <<'END'
exit 1
END
program dpkg-query <<'END'
exit 1
END
for name in apt-get apt-cache; do
	program $name <<-'END'
		exit 1
	END
done
# wants_all SCRIPT NAME...: where nothing is installed and nobody may
wants_all()
{
	script=$1
	shift
	"tree/scripts/$script" < /dev/null > out 2> err
	[ $? = 3 ] || return 1
	for package in "$@"; do
		grep -q " $package" err || { echo "# no $package"; return 1; }
	done
}
if [ -e /etc/debian_version ]; then
	check "demo wants what upc_run needs" wants_all demo libcapstone-dev qemu-user pkg-config
	check "check wants all of that, and its own" wants_all check libcapstone-dev libcmocka-dev valgrind
else
	skip "demo wants what upc_run needs" "packages are asked for on Debian"
	skip "check wants all of that, and its own" "packages are asked for on Debian"
fi

# ---- shells ---------------------------------------------------------------------------------

by_sh()
{
	for script in "$srcdir"/scripts/* "$srcdir"/scripts/*/*; do
		[ -f "$script" ] || continue
		head -n 1 "$script" | grep -q '^#!.*bash' || continue
		[ "$(grep -v '^#' "$script" | head -n 1)" = "$guard" ] ||
			{ echo "# $script goes on in another shell"; return 1; }
	done
}
guard='[ "${BASH##*/}" = bash ] || exec bash "$0" "$@" # another shell was told to run it'
check "each script is bash's whatever it is started by" by_sh
by_other_shells()
{
	for shell in sh dash "bash --posix"; do
		command -v ${shell%% *} > /dev/null || continue
		$shell tree/scripts/demo --help > out 2> err && grep -q 'usage: scripts/demo' out ||
			{ echo "# $shell"; return 1; }
	done
}
check "sh scripts/demo, with its arguments" by_other_shells

# ---- shared memory that cannot be written ------------------------------------------------------

# With a /dev/shm of one's own, which a user may mount in a name space of his own.
program sharing <<'END'
echo 1..1; echo "ok 1 - it shares"
END
read_only="mount -t tmpfs -o ro none /dev/shm"
own_space=
unshare -m sh -c "$read_only" 2> /dev/null && own_space="unshare -m"
[ -n "$own_space" ] || ! unshare -rm sh -c "$read_only" 2> /dev/null || own_space="unshare -rm"
shares()
{
	NEED_SHM="ctests/other bin/sharing" "$srcdir/ctests/tap-run" bin/sharing | grep -q '^ok 1'
}
if [ -w /dev/shm ]; then
	check "a test that shares runs where it can" shares
else
	skip "a test that shares runs where it can" "/dev/shm cannot be written here"
fi
shares_not()
{
	NEED_SHM="ctests/other bin/sharing" $own_space sh -c "$read_only && exec $srcdir/ctests/tap-run bin/sharing" > out &&
		grep -q '^1..0 # SKIP shared memory, /dev/shm, cannot be written here: Read-only' out
}
if [ -n "$own_space" ]; then
	check "... and is skipped with the reason where not" shares_not
else
	skip "... and is skipped with the reason where not" "no mount name space of one's own here"
fi
