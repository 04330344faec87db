#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# setup_qemu.sh - when demo and check build emulators for upc_run, and how scripts/sim/qemu-build
# does: with emulators, a QEMU and a ninja that are a few lines each.
tool=scripts/sim/qemu-build
. "${srcdir:?}/ctests/utils.inc"
unset CC CFLAGS DESTDIR MAKEFLAGS MFLAGS MAKELEVEL LOGS

plan 20

mkdir -p tree/src/sim/decode bin state
cp -R "$srcdir/scripts" tree/
cp "$srcdir/src/sim/decode/guests.def" tree/src/sim/decode/
export PATH="$PWD/bin:$PATH" STATE=$PWD/state

# program NAME: from standard input
program()
{
	{ echo '#!/bin/sh'; cat; } > "bin/$1"
	chmod +x "bin/$1"
}

# says TEXT
says()
{
	grep -q -e "$1" out err
}

# runs WHAT: that was done, and no more
runs()
{
	[ "$(paste -s -d ' ' state/done 2> /dev/null)" = "$1" ]
}

# ---- whether ------------------------------------------------------------------------

# emulator GUEST loads|refuses
emulator()
{
	case $2 in
	loads) echo 'echo "qemu: could not load plugin $2" >&2; exit 1' ;;
	refuses) echo 'echo "qemu: unknown option '\''plugin'\''" >&2; exit 1' ;;
	esac | program "qemu-$1"
}

# set_up [OPTION]: as demo does, with a qemu-build that says for which guests it is called
set_up()
{
	: > state/done
	bash -c 'set -euo pipefail; . tree/scripts/setup.sh
		missing_packages() { cat "$STATE/missing" 2> /dev/null || true; }
		need_packages() { exit 3; }
		[[ -z $1 ]] || common_option "$1"
		set_up_qemu' x "${1-}" > out 2> err
}
mv tree/scripts/sim/qemu-build .
cat > tree/scripts/sim/qemu-build <<'END'
#!/bin/sh
for argument in "$@"; do
	case $argument in
	--guests=* | --source=?*) echo "$argument" >> "$STATE/done" ;;
	esac
done
END
chmod +x tree/scripts/sim/qemu-build

# builds WHAT [OPTION]
builds()
{
	set_up ${2+"$2"} && runs "$1"
}

emulator x86_64 loads
emulator aarch64 loads
emulator ppc loads
emulator riscv64 loads
check "emulators that load plugins are taken" builds ''
check "... but for a QEMU that is given" \
	builds "--source=$PWD/given --guests=x86_64 aarch64 ppc riscv64" "--with-qemu-source=$PWD/given"
emulator x86_64 refuses
emulator ppc refuses
check "those that were built without them are built" builds "--guests=x86_64 ppc"
echo ninja-build > state/missing
check "packages that are missing, and nobody may install, are no end" builds ''
check "... and that is said" says "without these, upc_run has no emulator"
mv qemu-build tree/scripts/sim/

# ---- how ----------------------------------------------------------------------------

# A QEMU as far as it matters, whose emulators are the shell.
mkdir -p qemu/linux-user
echo 9.9 > qemu/VERSION
cat > qemu/configure <<'END'
#!/bin/sh
echo configure >> "$STATE/done"
echo "$*" > "$STATE/arguments"
END
chmod +x qemu/configure
program ninja <<'END'
[ ! -e "$STATE/killed" ] || kill -KILL $$
echo "$3" >> "$STATE/done"
cp "$(command -v bash)" "$2/$3"
END
tar -cf qemu.tar qemu

# build STATUS [OPTION...]
build()
{
	status=$1
	shift
	: > state/done
	tree/scripts/sim/qemu-build --prefix="$PWD/prefix" --build-dir="$PWD/build" "$@" > out 2> err
	got=$?
	[ $got = "$status" ] || { echo "# status $got, not $status"; false; }
}

# built STATUS WHAT [OPTION...]
built()
{
	what=$2
	build "$1" "${@:3}" && runs "$what"
}
all="configure qemu-x86_64 qemu-aarch64 qemu-ppc qemu-riscv64"

check "from a directory" built 0 "$all" --source=qemu
check "... with plugins, user mode alone" \
	grep -q -e '--target-list=x86_64-linux-user,aarch64-linux-user,ppc-linux-user,riscv64-linux-user --enable-plugins .*--disable-system' \
	state/arguments
check "... the emulators run" prefix/lib/upc/qemu/qemu-ppc -c :
check "a second time there is nothing to do" built 0 '' --source=qemu
check "... and that is said" says "QEMU 9.9 with plugins is installed already"
rm prefix/lib/upc/qemu/qemu-aarch64
check "what was removed comes again" built 0 "qemu-x86_64 qemu-aarch64 qemu-ppc qemu-riscv64" --source=qemu
: > state/killed
rm -r prefix
check "a build that is killed fails" built 1 '' --source=qemu
check "... and installs nothing" [ ! -e prefix ]
rm state/killed
check "... and goes on" built 0 "qemu-x86_64 qemu-aarch64 qemu-ppc qemu-riscv64" --source=qemu
echo '# changed' >> qemu/configure
check "another source" built 0 "$all" --source=qemu
check "a tarball, for one guest" built 0 "configure qemu-ppc" --source=qemu.tar --guests=ppc
check "a tarball of something else" build 1 --source=tree
check "... is refused" says "holds no QEMU"
program apt-config <<'END'
exit 0
END
program apt-get <<'END'
exit 1
END
check "without a source package it fails" build 3
check "... and says what helps" says "Give the source of qemu with --with-qemu-source"
