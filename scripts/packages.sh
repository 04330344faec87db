# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# packages.sh - the packages that building and testing need: which are missing,
# and their installation where apt-get and the rights for it are there.

# Debian's name (| between those of different releases), a name that people of
# other distributions know, and how to see there that it is installed.
# shellcheck disable=SC2034 # the scripts that source this use the lists
PACKAGES_BUILD=(
	"gcc;the GNU C compiler;command -v gcc"
	"libc6-dev;the C library's headers;has_header stdio.h"
	"make;GNU make;command -v make"
	"autoconf;GNU autoconf 2.71 or newer;command -v autoconf"
	"automake;GNU automake 1.16 or newer;command -v automake"
	"libtool;GNU libtool;command -v libtoolize"
	"pkg-config|pkgconf;pkg-config or pkgconf, with its autoconf macros;command -v pkg-config"
	"libpfm4-dev;libpfm4 with headers and the static library libpfm.a;has_header perfmon/pfmlib.h && has_file libpfm.a"
	"nettle-dev;nettle with headers;pkg-config --exists nettle"
	"libjansson-dev;jansson with headers;pkg-config --exists jansson"
	"xz-utils;xz;command -v xz"
)
# shellcheck disable=SC2034
PACKAGES_CHECK=(
	"g++;the GNU C++ compiler;command -v g++"
	"libcmocka-dev;cmocka 1.1.5 or newer with headers;pkg-config --exists cmocka"
	"valgrind;valgrind;command -v valgrind"
	"strace;strace;command -v strace"
	"linux-perf;perf, the kernel's tool;command -v perf"
	"clang;clang;command -v clang"
	"libomp-dev;clang's OpenMP library with headers;has_clang_openmp"
	"libclang-rt-14-dev|libclang-rt-dev;clang's run-time library with libFuzzer;has_fuzzer"
)
# For tests of pages and of completions.
# shellcheck disable=SC2034
PACKAGES_BROWSERS=(
	"chromium;Chromium;command -v chromium chromium-browser google-chrome"
	"nodejs;Node.js 18 or newer;command -v node"
	"libxml2-utils;xmllint;command -v xmllint"
	"zsh;zsh;command -v zsh"
)
# For upc_run.
# shellcheck disable=SC2034
PACKAGES_SIM=(
	"libcapstone-dev;capstone 4 or newer with headers;pkg-config --exists capstone"
	"libiberty-dev;libiberty with headers, which reads C++ names;has_header libiberty/demangle.h && has_file libiberty.a"
	"qemu-user;QEMU's user-mode emulators;has_emulator"
)
# For tests of upc_run with programs for all guests.
# shellcheck disable=SC2034
PACKAGES_GUESTS=(
	"gcc-aarch64-linux-gnu;GCC for AArch64;command -v aarch64-linux-gnu-gcc"
	"libc6-dev-arm64-cross;the GNU C library for it, static too;has_cross_file libc.a"
	"gcc-powerpc-linux-gnu;GCC for 32-bit PowerPC;command -v powerpc-linux-gnu-gcc"
	"libc6-dev-powerpc-cross;the GNU C library for it;command -v powerpc-linux-gnu-gcc"
	"gcc-riscv64-linux-gnu;GCC for RISC-V;command -v riscv64-linux-gnu-gcc"
	"libc6-dev-riscv64-cross;the GNU C library for it;command -v riscv64-linux-gnu-gcc"
)
# For scripts/sim/qemu-build, where the emulators at hand cannot load a plugin.
# shellcheck disable=SC2034
PACKAGES_QEMU=(
	"ninja-build;ninja;command -v ninja"
	"meson;meson 1.5 or newer;command -v meson"
	"python3;python 3.8 or newer;command -v python3"
	"python3-venv;python's module venv;python3 -c 'import venv, ensurepip'"
	"python3-pycotap;python's module pycotap;python3 -c 'import pycotap'"
	"libglib2.0-dev;GLib 2.66 or newer with headers;pkg-config --exists glib-2.0"
	"flex;flex;command -v flex"
	"bison;bison;command -v bison"
)
# For the emulated machine with a PMU.
# shellcheck disable=SC2034
PACKAGES_PMU=(
	"qemu-system-arm;QEMU's system emulator for AArch64;command -v qemu-system-aarch64"
	"gcc-aarch64-linux-gnu;GCC for AArch64;command -v aarch64-linux-gnu-gcc"
	"libc6-dev-arm64-cross;the GNU C library for it, static too;has_cross_file libc.a"
	"cpio;cpio;command -v cpio"
)

has_clang_openmp()
{
	echo '#include <omp.h>' | clang -fopenmp -E -x c - > /dev/null 2>&1
}

has_header()
{
	echo "#include <$1>" | gcc -E -x c - > /dev/null 2>&1
}

has_file()
{
	[[ $(gcc -print-file-name="$1" 2> /dev/null) == /* ]]
}

has_cross_file()
{
	[[ $(aarch64-linux-gnu-gcc -print-file-name="$1" 2> /dev/null) == /* ]]
}

# Of any guest.
has_emulator()
{
	# shellcheck disable=SC2046 # words
	command -v $(guests target | sed 's/^/qemu-/')
}

has_fuzzer()
{
	local out
	out=$(mktemp) || return
	echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' |
		clang -fsanitize=fuzzer -x c -o "$out" - > /dev/null 2>&1
	local status=$?
	rm -f "$out"
	return $status
}

has_debian_package()
{
	local name
	for name in ${1//|/ }; do
		[[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2> /dev/null) == installed ]] && return
	done
	return 1
}

# can_install NAME: does apt know a version of it?
can_install()
{
	apt-cache show --no-all-versions "$1" > /dev/null 2>&1
}

# Prints how to run a command as root, or fails: it is not asked for a password
# where there is nobody to type one.
root_command()
{
	if [[ $(id -u) == 0 ]]; then
		echo env
	elif ! command -v sudo > /dev/null; then
		return 1
	elif sudo -n true 2> /dev/null; then
		echo sudo -n
	elif [[ -t 0 && -t 2 ]]; then
		echo sudo
	else
		return 1
	fi
}

on_debian()
{
	command -v apt-get dpkg-query > /dev/null && [[ -e /etc/debian_version ]]
}

# missing_packages ROW...: prints the names of those of a list that are not there
missing_packages()
{
	local row name what probe

	for row in "$@"; do
		IFS=';' read -r name what probe <<< "$row"
		if on_debian; then
			has_debian_package "$name" || echo "${name%%|*}"
		else
			eval "$probe" > /dev/null 2>&1 || echo "$what"
		fi
	done
}

# need_packages ROW...: installs what is missing of a list, or says what it is
# and ends with status 3
need_packages()
{
	if on_debian; then
		need_debian_packages "$@"
	else
		need_other_packages "$@"
	fi
}

need_debian_packages()
{
	local row name missing=() as_root

	for row in "$@"; do
		name=${row%%;*}
		has_debian_package "$name" || missing+=("$name")
	done
	if [[ ${#missing[@]} == 0 ]]; then
		note "all packages are there"
		return
	fi
	if ! as_root=$(root_command); then
		printf '%s\n' >&2 \
			"These packages are missing: ${missing[*]%%|*}" \
			"and only root can install them; there is no sudo without a password here." \
			"Have this run, then start again:" \
			"    apt-get install --no-install-recommends ${missing[*]%%|*}"
		exit 3
	fi
	install_debian_packages "$as_root" "${missing[@]}"
}

# announce_packages NAME...: says what apt will install for them, and how much it will fetch
announce_packages()
{
	local all size
	all=$(apt-get -qq -s --no-install-recommends install "$@" | awk '$1 == "Inst" { print $2 }') || all=''
	size=$(apt-get -qq --print-uris -y --no-install-recommends install "$@" |
		awk '{ sum += $3 } END { printf "%.0f\n", sum / 1e6 }') || size=''
	note "installing $* with what they need: ${all:+$(wc -l <<< "$all") packages, }${size:-some} MB to download"
	[[ -z $all ]] || paste -s -d ' ' <<< "$all" | fold -s -w 90 | sed 's/^/        /'
}

# install_debian_packages AS-ROOT NAME...
install_debian_packages()
{
	local as_root=$1 row name found names=() unknown
	shift

	for unknown in maybe yes; do
		names=()
		for row in "$@"; do
			found=
			for name in ${row//|/ }; do
				if can_install "$name"; then
					found=$name
					break
				fi
			done
			[[ -n $found ]] || break
			names+=("$found")
		done
		[[ ${#names[@]} == "$#" ]] && break
		[[ $unknown == maybe ]] || die "apt knows no package ${row//|/ or }" \
			"It is in the section main of Debian 12 and 13: check this machine's apt sources."
		note "apt does not know ${row%%|*} yet: apt-get update"
		# shellcheck disable=SC2086 # the words of AS-ROOT
		logged apt-update $as_root apt-get update || true
	done
	announce_packages "${names[@]}"
	# shellcheck disable=SC2086
	if ! logged apt-install $as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends "${names[@]}" 2> /dev/null; then
		# What apt knew may be older than what the servers still have.
		note "not everything could be fetched: apt-get update, and once more"
		# shellcheck disable=SC2086
		logged apt-update $as_root apt-get update || true
		# shellcheck disable=SC2086
		logged apt-install $as_root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends "${names[@]}" ||
			die "the packages could not be installed"
	fi
}

need_other_packages()
{
	local row name what probe missing=()

	for row in "$@"; do
		IFS=';' read -r name what probe <<< "$row"
		eval "$probe" > /dev/null 2>&1 || missing+=("    $what (Debian: ${name%%|*})")
	done
	if [[ ${#missing[@]} == 0 ]]; then
		note "all that is needed is there"
		return
	fi
	printf '%s\n' >&2 "This is no Debian, so nothing is installed for you. Missing here:" \
		"${missing[@]}"
	exit 3
}
