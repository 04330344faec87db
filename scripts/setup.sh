# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# setup.sh - everything that demo and check have in common: options, packages,
# PAPI, and the project itself installed under build/prefix.

unset CDPATH
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib.sh
. "$top/scripts/lib.sh"
# shellcheck source=scripts/configured.sh
. "$top/scripts/configured.sh"
# shellcheck source=scripts/packages.sh
. "$top/scripts/packages.sh"

build=$top/build
prefix=$build/prefix
LOGS=$build/logs
papi_source='' papi_prefix='' qemu_source='' simulation_papi=''
# For configure.
pcp_option=() papi_option=()
# shellcheck disable=SC2034 # demo and check ask
papi_there=yes emulator_there=yes
# Machines whose programs upc_run is to run; empty: all that it can.
qemu_guests=''
# Rows of packages that set_up installs if it can, and the names of those it could not.
optional_packages=() packages_lacking=''
export LOGS LC_ALL=C.UTF-8

# shellcheck disable=SC2034 # shown by demo and check
OPTIONS_HELP="  --with-papi-source=DIR|TARBALL  build this PAPI, not the one of Debian's source package
  --with-papi=PREFIX              take an installed PAPI that has the upc component
  --with-qemu-source=DIR|TARBALL  build upc_run's emulators of this QEMU
  --help                          this text"

# common_option ARGUMENT: true if it was one of those
common_option()
{
	case $1 in
	--with-papi-source=?*) papi_source=$(absolute "${1#*=}") ;;
	--with-qemu-source=?*) qemu_source=$(absolute "${1#*=}") ;;
	--with-papi=?*) papi_prefix=$(absolute "${1#*=}") ;;
	*) return 1 ;;
	esac
}

# Makes build/ ready for this run alone.
open_build()
{
	# Also by another name, a link's: make goes by the place itself.
	plain_path "this tree" "$top"
	plain_path "this tree" "$(cd "$top" && pwd -P)"
	[[ -z $papi_prefix ]] || plain_path "--with-papi" "$papi_prefix"
	mkdir -p "$LOGS" 2> /dev/null || true
	[[ -w $build && -w $LOGS ]] ||
		die "$build cannot be written by $(id -un)" \
			"It may be another user's: remove it, or copy the sources to a place of your own."
	exec 9> "$build/.lock" || die "$build/.lock cannot be written: is it another user's?"
	if ! flock -n 9; then
		note "another run is at work in $build: waiting for it"
		flock 9
	fi
}

# The programs that build keep the lock until they end, also where this script is killed before them. Without
# PAPI's source everything is built that needs no PAPI.
set_up_papi()
{
	local status=0
	papi_option=(--with-papi="${papi_prefix:-$prefix}")
	if [[ -n $papi_prefix ]]; then
		note "taking the one in $papi_prefix"
		return
	fi
	"$top/scripts/papi/papi-build" --prefix="$prefix" --build-dir="$build/papi" \
		--source="$papi_source" || status=$?
	if [[ $status == 3 ]]; then
		# shellcheck disable=SC2034
		papi_there=no papi_option=(--without-papi)
		say_papi_source
		return
	fi
	[[ $status == 0 ]] || exit 1
	# The PAPI of simulated programs, where they can be run, is built beside what follows.
	if command -v "qemu-$(uname -m)" > /dev/null; then
		"$top/scripts/papi/papi-build" --prefix="$prefix" --build-dir="$build/papi" --simulation \
			--source="$papi_source" &
		simulation_papi=$!
	fi
}

# Waits for the PAPI of simulated programs.
finish_papi()
{
	[[ -z $simulation_papi ]] || wait "$simulation_papi" || die "the PAPI for simulated programs could not be built"
	simulation_papi=''
}

# Says what is missing without PAPI's source, and where to get the source.
say_papi_source()
{
	note "PAPI's source is not to be had here: without it there are no component, libmpx, mpx_run and upc_regions'" \
		"multiplexing; all else is built. Fetch one of these, and start again with --with-papi-source=FILE:"
	if [[ -s $build/papi/download/offered ]]; then
		note "  $(cat "$build/papi/download/offered"), of Debian's source package papi"
	fi
	note "  papi-7.1.0.tar.gz of https://icl.utk.edu/projects/papi/downloads/, SHA-256"
	note "  5818afb6dba3ece57f51e65897db5062f8e3464e6ed294b654ebf34c3991bc4f"
}

# Performance Co-Pilot: an installed one with its headers, or one that is unpacked.
set_up_pcp()
{
	local admin
	admin=$(sed -n 's/^PCP_BINADM_DIR=//p' /etc/pcp.conf 2> /dev/null) || true
	if [[ -n $admin && -x $admin/pmcd ]] && pkg-config --exists libpcp libpcp_pmda libpcp_import; then
		note "PCP $(pkg-config --modversion libpcp) is installed"
	elif "$top/scripts/service/pcp-unpack" "$build/pcp"; then
		pcp_option=(--with-pcp="$build/pcp")
	else
		note "without PCP there is no node service: upc_jobstat and the agent are not built, and upc_serve has nothing to start"
	fi
}

# Emulators for upc_run, where those at hand cannot load its plugin: of the machines in $qemu_guests.
set_up_qemu()
{
	local guest guests='' status=0
	for guest in ${qemu_guests:-$(guests target)}; do
		if [[ -n $qemu_source ]] || refuses_plugins "qemu-$guest"; then
			guests+=" $guest"
		fi
	done
	if [[ -n $guests && -n $(missing_packages "${PACKAGES_QEMU[@]}") ]]; then
		note "the emulators here cannot load plugins: QEMU is built, which needs"
		if ! (need_packages "${PACKAGES_QEMU[@]}"); then
			note "without these, upc_run has no emulator"
			guests=''
		fi
	fi
	if [[ -n $guests ]]; then
		"$top/scripts/sim/qemu-build" --prefix="$prefix" --build-dir="$build/qemu" \
			--source="$qemu_source" --guests="${guests# }" || status=$?
		[[ $status == 0 || $status == 3 ]] || exit 1
	fi
	PATH=$PATH:$prefix/lib/upc/qemu command -v "qemu-$(uname -m)" > /dev/null || emulator_there=no
	if refuses_plugins "qemu-$(uname -m)" && [[ ! -x $prefix/lib/upc/qemu/qemu-$(uname -m) ]]; then
		# shellcheck disable=SC2034
		emulator_there=no
	fi
}

# The whole set-up; its argument: the rows of packages that are needed.
set_up()
{
	step "packages"
	need_packages "$@"
	set_up_pcp
	if [[ ${#optional_packages[@]} != 0 ]]; then
		note "and those of the emulated machine:"
		# shellcheck disable=SC2034 # check uses it
		(need_packages "${optional_packages[@]}") ||
			packages_lacking=$(missing_packages "${optional_packages[@]}" | paste -s -d ' ')
	fi

	step "PAPI with the upc component"
	set_up_papi
	set_up_qemu

	step "libupc and the utilities: build/obj"
	configured "$build/obj" --prefix="$prefix" "${papi_option[@]}" "${pcp_option[@]}" ||
		die "configure failed"
	making "$build/obj" logged make make -j"$(nproc)" || die "the build failed"
	finish_papi

	step "installation: build/prefix"
	making "$build/obj" logged install make install || die "the installation failed"
}
