# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# configured.sh - build directories: configured anew when an answer of configure's would
# be another now, and whole again after a run that was killed. Sourced; wants $top, $prefix
# and lib.sh.
# shellcheck disable=SC2154

# The shell of configure, make's recipes and libtool. libtool takes half its time with dash, and is most of the
# time of a build where processes start slowly. Not for PAPI's configure, which needs bash.
configure_shell=/bin/sh
[[ ! -x /bin/dash ]] || configure_shell=/bin/dash

# version_of COMMAND...: its first line, or "none"
version_of()
{
	local line
	line=$("$@" 2> /dev/null | head -n 1) || true
	echo "${line:-none}"
}

# file_state FILE: a hash of what is in it, or "none"
file_state()
{
	if [[ -f $1 ]]; then hash_of < "$1"; else echo none; fi
}

# What autoreconf's output depends on. Automake's files alone are left to make.
autoreconf_inputs()
{
	local tool
	cat "$top/configure.ac" "$top"/m4/upc-*.m4 | hash_of
	for tool in autoreconf automake libtoolize; do
		version_of "$tool" --version
	done
}

# configure_inputs DIRECTORY ARGUMENT...: what configure's answer depends on, a line each
# that begins with its name
configure_inputs()
{
	local directory=$1 argument name compiler=${CC:-gcc} papi=$prefix pcp=
	local archive=${PFM_ARCHIVE-}
	shift
	echo "arguments $*"
	for argument in "$@"; do
		case $argument in
		--without-papi) papi=/none ;;
		CC=*) compiler=${argument#*=} ;;
		--host=*) compiler=${argument#*=}-gcc ;;
		PFM_ARCHIVE=*) archive=${argument#*=} ;;
		--with-papi=*) papi=${argument#*=} ;;
		--with-pcp=*) pcp=${argument#*=} ;;
		esac
	done
	echo "place $directory"
	echo "configure $(file_state "$top/configure")"
	echo "environment ${CC-};${CFLAGS-};${CPPFLAGS-};${LDFLAGS-};${LIBS-};${PKG_CONFIG_PATH-};${PKG_CONFIG_LIBDIR-}"
	# shellcheck disable=SC2086 # the words of CC
	echo "compiler $(version_of $compiler --version)"
	for name in g++ clang++ c++ objcopy nm; do
		echo "$name $(version_of "$name" --version)"
	done
	for name in jansson nettle cmocka capstone libpcp; do
		echo "$name $(version_of pkg-config --modversion "$name")"
	done
	# shellcheck disable=SC2086
	echo "libpfm4 $(file_state "${archive:-$($compiler -print-file-name=libpfm.a 2> /dev/null)}")"
	# shellcheck disable=SC2086
	echo "libiberty $(file_state "$($compiler -print-file-name=libiberty.a 2> /dev/null)")"
	echo "PCP $(file_state "$pcp/.key")"
	echo "PAPI $(file_state "$papi/include/papi.h")" \
		"$(cd "$papi/lib" 2> /dev/null && find . -maxdepth 1 -name 'libpapi.*' | sort | paste -s -d ' ')"
}

# Writes configure, if it is not there or what it is made of has changed.
generated()
{
	local stamp=$top/autom4te.cache/inputs inputs
	inputs=$(autoreconf_inputs)
	[[ -x $top/configure && -f $stamp && $(cat "$stamp") == "$inputs" ]] && return
	rm -f "$stamp"
	(cd "$top" && logged autoreconf autoreconf -fi) || die "autoreconf failed"
	mkdir -p "${stamp%/*}"
	echo "$inputs" > "$stamp"
}

# making DIRECTORY COMMAND...: runs a command there that builds. One that is killed may leave half
# a file, which the next would take for whole: so a mark stays, older than all that it wrote.
making()
{
	local directory=$1 status=0
	shift
	: > "$directory/.making"
	(cd "$directory" && "$@") || status=$?
	[[ $status -gt 128 ]] || rm -f "$directory/.making"
	return $status
}

# Removes what a killed command has written, but for what "make papi" built, which knows by itself.
remove_halves()
{
	local directory=$1
	[[ -e $directory/.making ]] || return 0
	note "${directory##*/}: a run was ended while it built this: what it wrote is built again"
	find "$directory" -path "$directory/papi" -prune -o \
		-type f -newer "$directory/.making" -exec rm -f {} +
	rm -f "$directory/.making"
}

# configured DIRECTORY ARGUMENT...: configures there, if that was not done before with the
# same arguments and the same answers. What was built with others goes: make sees neither that a
# library is another version now nor that the tree was moved.
configured()
{
	local directory=$1 stamp=$1/.configured inputs changed
	shift
	generated
	remove_halves "$directory"
	inputs=$(configure_inputs "$directory" "$@")
	if [[ -f $stamp && -f $directory/Makefile && -f $directory/config.status ]]; then
		[[ $(cat "$stamp") != "$inputs" ]] || return 0
		changed=$(comm -13 <(sort "$stamp") <(sort <<< "$inputs") | cut -d ' ' -f 1 | paste -s -d ' ')
		note "${directory##*/}: built anew, since this has changed: $changed"
	fi
	rm -rf "${directory:?}"
	mkdir -p "$directory"
	(cd "$directory" && logged "configure-${directory##*/}" env CONFIG_SHELL="$configure_shell" \
		"$configure_shell" "$top/configure" "$@") || return
	echo "$inputs" > "$stamp"
}
