# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# pmu.sh - the emulated AArch64 machine with a real PMU driver: what it is made of,
# and how it is started. For pmu-rig and pmu-shell.
#
# QEMU counts instructions, so its PMU does too, exactly, and the machine's clock is
# its instruction count (1 ns each): nothing in it depends on how busy this host is.

# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# shellcheck source=scripts/apt.sh
. "$top/scripts/apt.sh"
# shellcheck source=scripts/papi/component.sh
. "$top/scripts/papi/component.sh"

build=$top/build/pmu
target=aarch64-linux-gnu

# What the machine is made of, of architecture arm64; with the kernel that
# linux-image-cloud-arm64 depends on at the time.
PACKAGES_ARM64=(busybox-static libcmocka0 libcmocka-dev libjansson-dev libpfm4-dev nettle-dev)

# shellcheck disable=SC2034 # shown by pmu-rig and pmu-shell
PMU_OPTIONS_HELP="  --build-dir=DIR                 where all is built and kept (default: build/pmu)
  --with-papi-source=DIR|TARBALL  build this PAPI, not the one of Debian's source package
  --no-pmu                        a machine without PMU
  --paranoid=N                    perf_event_paranoid in it (default: -1)
  --no-user-access                perf_user_access 0: no reads of counters in user mode
  --shift=N                       a cycle is 1 instruction, 2^N ns long (default: 0)
  --help                          this text"

# shellcheck disable=SC2034 # used by pmu-rig and pmu-shell
pmu_cpu=cortex-a57 pmu_shift=0 pmu_append='' pmu_may_skip=''
unit_wanted='.*' # unit tests that are built: a regular expression of names
utilities=() # that are built: all, where none is named
own_wanted='.*' # and so for our tests that call PAPI
papi_wanted=() # tests of PAPI's that are built, as ctests/NAME: all, where none is named

# pmu_option ARGUMENT: true if it was one of those
# shellcheck disable=SC2034 # pmu-rig and pmu-shell use what it sets
pmu_option()
{
	case $1 in
	--build-dir=?*) build=$(absolute "${1#*=}") ;;
	--with-papi-source=?*) papi_source=$(absolute "${1#*=}") ;;
	--no-pmu)
		pmu_cpu=cortex-a57,pmu=off
		pmu_may_skip=all
		;;
	--paranoid=[0-9] | --paranoid=-[0-9])
		pmu_append+=" paranoid=${1#*=}"
		# PAPI's perf_event component takes no part then, which these compare with.
		[[ $1 != --paranoid=3 ]] || pmu_may_skip+=" pmu/pmu_papi pmu/pmu_overflow"
		;;
	--no-user-access) pmu_append+=" user_access=0" ;;
	--shift=[0-9]) pmu_shift=${1#*=} ;;
	*) return 1 ;;
	esac
}

# ---- what is fetched ---------------------------------------------------------

# Packages of the other architecture are unpacked, not installed.
fetch_arm64()
{
	local dir=$build/arm64 kernel file
	local wanted="${PACKAGES_ARM64[*]} linux-image-cloud-arm64"

	arm64=$dir/root
	[[ -f $dir/fetched && $(cat "$dir/fetched") == "$wanted" ]] && return
	command -v apt-get dpkg-deb > /dev/null ||
		lacking "there is no apt here to fetch a kernel and libraries for AArch64 with" \
			"They are Debian's packages: ${PACKAGES_ARM64[*]} and a kernel." \
			"Run this on Debian, or in a container with it."
	note "fetching a kernel and libraries for AArch64 with apt (25 MB, and 10 MB of lists)"
	rm -rf "${dir:?}"
	mkdir -p "$dir/debs" "$arm64"
	own_apt_open "$dir" deb -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o Dir::State::status=/dev/null ||
		lacking "this machine's apt sources name no suite of its own distribution"
	# One of several servers may fail to answer; what counts is what is found.
	logged apt-arm64-update own_apt apt-get update || true
	kernel=$(own_apt apt-cache depends linux-image-cloud-arm64 2> /dev/null |
		sed -n 's/^ *Depends: *\(linux-image-[^ ]*\)$/\1/p' | head -n 1)
	[[ -n $kernel ]] ||
		lacking "apt finds no linux-image-cloud-arm64" "See $LOGS/apt-arm64-update.log" \
			"It is Debian's: check this machine's apt sources, network and proxy."
	(cd "$dir/debs" && logged apt-arm64-download own_apt apt-get download "$kernel" \
		"${PACKAGES_ARM64[@]}") || lacking "apt could not fetch packages for AArch64"
	for file in "$dir"/debs/*.deb; do
		dpkg-deb -x "$file" "$arm64" || die "$file cannot be unpacked"
	done
	rm -rf "${dir:?}/debs" "${arm64:?}/lib/modules"
	own_apt_close
	echo "$wanted" > "$dir/fetched"
}

# ---- what is built ------------------------------------------------------------

# Prints the words of a variable of the project's Makefile, one a line.
made()
{
	# shellcheck disable=SC2016 # make's
	printf 'include Makefile\nprint-value:\n\t@printf "%%s\\n" $(%s)\n' "$1" |
		(cd "$build/obj" && make -s --no-print-directory -f - print-value) | grep . || true
}

# make_upc NAME TARGET-OR-VARIABLE...
make_upc()
{
	local name=$1
	shift
	making "$build/obj" logged "$name" make -j"$(nproc)" "$@" ||
		die "libupc, or a test of it, cannot be built for AArch64"
}

# Utilities and tests of PAPI are static. The unit tests are not, because Debian has
# no static cmocka: the C library and cmocka go into the machine with them.
build_upc()
{
	local lib=$arm64/usr/lib/$target

	# For make too, which configures anew when configure.ac has changed.
	export PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$arm64
	configured "$build/obj" --host="$target" --prefix=/usr --without-papi CFLAGS='-O1 -g1' \
		PFM_ARCHIVE="$lib/libpfm.a" CPPFLAGS="-I$arm64/usr/include" ||
		die "libupc cannot be configured for AArch64"
	make_upc make-library src/upc/libupc.la src/upc/libupc.a
	[[ ${#utilities[@]} != 0 ]] || mapfile -t utilities < <(made bin_PROGRAMS)
	mapfile -t unit_tests < <(made UNIT_TESTS | grep -E "/($unit_wanted)\$")
	mapfile -t unit_runners < <(made UNIT_RUNNERS | grep -xF "$(printf '%s/run\n' "${unit_tests[@]%/*}")")
	# shellcheck disable=SC2016 # make's variables
	make_upc make-utilities LDFLAGS=-all-static \
		UTILS_LIBS='src/upc/libupc.a $(NETTLE_LIBS) $(JANSSON_LIBS)' "${utilities[@]}"
	make_upc make-unit "${unit_tests[@]}"
}

# build_papi NAME COMPONENTS LDFLAGS [DEPENDENCY]: a static PAPI with its tests in
# $build/papi/NAME; "simulation" is the one with presets of the simulated node, as
# papi-build --simulation has it. It is a matter of seconds once it is there.
build_papi()
{
	local name=$1 components=$2 flags=$3 dependency=${4-} tree=$build/papi/$1 key source
	local download=$build/papi/download events=--with-perf-events presets=''
	[[ $name != simulation ]] || events='' presets=yes
	local configure=(./configure --host="$target" --with-arch=aarch64 --with-CPU=arm
		--with-nativecc=gcc --with-ffsll=yes --with-walltimer=clock_realtime
		--with-virtualtimer=clock_thread_cputime_id --with-tls=__thread ${events:+"$events"}
		--with-static-lib=yes --with-shared-lib=no --with-static-tools --with-tests=ctests
		${components:+"--with-components=$components"} "LDFLAGS=$flags")

	source=$papi_source
	# The one that papi-build has fetched for this host will do.
	if ! compgen -G "$download/papi_*.dsc" > /dev/null &&
		compgen -G "$top/build/papi/download/papi_*.dsc" > /dev/null; then
		download=$top/build/papi/download
	fi
	[[ -n $source ]] || source=$("$top/scripts/papi/papi-fetch" "$download" \
		2> "$LOGS/papi-fetch.log") || lacking "PAPI's source cannot be fetched: see $LOGS/papi-fetch.log"
	key="$(if [[ -d $source ]]; then hash_files "$source"; else hash_of < "$source"; fi) ${configure[*]} $tree $($target-gcc --version)"
	if [[ ! -f $tree.key || $(cat "$tree.key") != "$key" ]]; then
		note "building PAPI for AArch64, $name (about 20 seconds)"
		rm -rf "${tree:?}" "$tree.key" "$tree.component"
		mkdir -p "$tree"
		if [[ -d $source ]]; then
			cp -R "$source/." "$tree/"
		else
			tar -xf "$source" -C "$tree" --strip-components=1 --no-same-owner ||
				die "$source cannot be unpacked"
		fi
		[[ -f $tree/src/papi.h ]] || die "$source holds no PAPI (no src/papi.h)"
	fi
	[[ -z $components ]] || put_component "$tree"
	# The same libpfm4, compiled already; "simulation" has none of it.
	if [[ $name == upc && ! -f $tree.key ]]; then
		rm -rf "${tree:?}/src/libpfm4"
		cp -a "$build/papi/plain/src/libpfm4" "$tree/src/"
	fi
	if [[ ! -f $tree.key ]]; then
		(cd "$tree/src" && CC=$target-gcc F77=no AR=$target-ar RANLIB=$target-ranlib \
			logged "papi-$name-configure" "${configure[@]}") ||
			die "PAPI cannot be configured for AArch64"
	fi
	# PAPI's tests depend on its library, and ours is in them too.
	if [[ -n $dependency && -f $tree/src/libpapi.a && $dependency -nt $tree/src/libpapi.a ]]; then
		touch "$tree/src/libpapi.a"
	fi
	# Gone until all is whole: a make that is killed may leave half a file.
	rm -f "$tree.key"
	# With F77 empty the Fortran parts are left out; PAPI's libpfm4 would otherwise
	# be linked as a shared library by the wrong compiler.
	local make=(make -j"$(nproc)" F77= CONFIG_PFMLIB_SHARED=n UPC_PRESETS=$presets) tests=ctests
	[[ ${#papi_wanted[@]} == 0 ]] || tests=testlib
	(cd "$tree/src" && logged "papi-$name-make" "${make[@]}" TESTS=$tests &&
		{ [[ $tests == ctests ]] || logged "papi-$name-tests" "${make[@]}" -C ctests "${papi_wanted[@]##*/}"; }) ||
		die "PAPI cannot be built for AArch64"
	echo "$key" > "$tree.key"
}

# put_component TREE: as it is now, compiled anew if it has changed
put_component()
{
	local tree=$1 key
	key=$(component_hash)
	[[ -f $tree.component && $(cat "$tree.component") == "$key" ]] && return
	copy_component "$tree"
	[[ $tree != */simulation ]] || put_presets "$tree"
	echo "$key" > "$tree.component"
}

# PAPI twice, and our own tests that call it.
build_papis()
{
	# libupc.a is one object, and naming one of its symbols takes in all of it.
	local test upc="$build/obj/src/upc/libupc.a" nettle="$arm64/usr/lib/$target/libnettle.a"

	build_papi plain '' '-lpthread -ldl -lm'
	build_papi upc upc "-Wl,-u,upc_abi_version $upc $nettle -lpthread -ldl -lm" "$upc"
	mapfile -t papi_tests < <(made PAPI_TESTS | grep -E "/($own_wanted)\$")
	mapfile -t pmu_tests < <(made PMU_TESTS)
	# Linked anew where anything below them has changed.
	for test in "${papi_tests[@]}" "${pmu_tests[@]}"; do
		[[ $build/obj/$test -nt $upc && $build/obj/$test -nt $build/papi/upc/src/libpapi.a ]] ||
			rm -f "$build/obj/$test"
	done
	# shellcheck disable=SC2016 # make's variables
	make_upc make-papi-tests LDFLAGS=-all-static PAPI_CPPFLAGS="-isystem $build/papi/upc/src" \
		UTILS_LIBS='src/upc/libupc.a $(NETTLE_LIBS)' \
		PAPI_LIBS="$build/papi/upc/src/libpapi.a -Wl,-u,upc_abi_version,$upc,$nettle -ldl -lm" \
		"${papi_tests[@]}" "${pmu_tests[@]}"
}

# ---- the machine's file system --------------------------------------------------

# put DIRECTORY FILE...: programs, without their debugging information, but with their
# symbols, by which libmpx knows a static PAPI
put()
{
	local to=$1 file real
	shift
	mkdir -p "$to"
	for file in "$@"; do
		real=$file
		# libtool's wrapper of a program that is linked with a shared library
		[[ ! -x ${file%/*}/.libs/${file##*/} ]] || real=${file%/*}/.libs/${file##*/}
		"$target-strip" --strip-debug -o "$to/${file##*/}" "$real" || die "$real is no program for AArch64"
	done
}

# archive NAME: moves $build/image/NAME into the machine's initrd, which image_base
# began. It is not compressed: unpacking would be the machine's work.
archive()
{
	(cd "$build/image/$1" && find . -print0 | LC_ALL=C sort -z |
		cpio --null -o -H newc -R 0:0 --reproducible 2> "$LOGS/cpio.log") >> "$build/initrd" ||
		die "cpio failed: see $LOGS/cpio.log"
	rm -rf "${build:?}/image/${1:?}"
}

image_base()
{
	local root=$build/image/base file to
	rm -rf "${build:?}/image"
	: > "$build/initrd"
	mkdir -p "$root"/{bin,dev,etc,lib,proc,root,sys,tmp,usr/bin,var}
	cp "$arm64/bin/busybox" "$root/bin/"
	cp "$top/ctests/pmu/init" "$root/init"
	chmod 755 "$root/init"
	echo 'root:x:0:0:root:/root:/bin/sh' > "$root/etc/passwd"
	echo 'root:x:0:' > "$root/etc/group"
	for file in ld-linux-aarch64.so.1 libc.so.6 libm.so.6; do
		cp -L "$($target-gcc -print-file-name="$file")" "$root/lib/" ||
			die "the C library for AArch64 has no $file"
	done
	cp -L "$arm64/usr/lib/$target"/libcmocka.so.0 "$root/lib/"
	cp "$top/ctests/pmu/papi-test" "$root/etc/"
	put "$root/usr/bin" "${utilities[@]/#/$build/obj/}"
	put "$root/usr/bin" "$build/papi/upc/src/utils"/papi_{avail,native_avail,component_avail,command_line,cost}
	# Most of the tests are links to their group's runner.
	for file in "${unit_runners[@]}" "${unit_tests[@]}"; do
		to=$root/tests/${file#ctests/} file=$build/obj/$file
		if [[ -L $file ]]; then
			cp -P "$file" "$to"
		else
			put "${to%/*}" "$file"
		fi
	done
	put "$root/tests/papi" "${papi_tests[@]/#/$build/obj/}"
	put "$root/tests/pmu" "${pmu_tests[@]/#/$build/obj/}"
	cp -R "$top/ctests/vectors" "$root/tests/vectors"
	cp -R "$top/share/upc/wirings" "$root/tests/wirings"
	# What unit tests compare with, beneath the directory that they run in.
	mkdir -p "$root/root/ctests" "$root/root/doc/reference"
	cp -R "$top/ctests/golden" "$root/root/ctests/"
	cp "$top/doc/reference/EVENTS.md" "$root/root/doc/reference/"
}

# image_papi NAME TEST...: PAPI's own tests, of the plain one or that with upc, and the
# program that those of them start which attach to another.
image_papi()
{
	local name=$1 test
	shift
	for test in "$@" ctests/attach_target; do
		put "$build/image/papi-$name/$name/${test%/*}" "$build/papi/$name/src/$test"
	done
	archive "papi-$name"
}

# ---- starting it ----------------------------------------------------------------

# pmu_command ARGUMENTS-OF-THE-KERNEL: sets machine, the command that starts it
pmu_command()
{
	# One CPU: between more, counts of instructions leak. Time in the machine goes by
	# instructions, its date and clocks too. The kernel's warnings are to be seen.
	# shellcheck disable=SC2034,SC2054
	machine=(qemu-system-aarch64 -M virt,gic-version=2 -cpu "$pmu_cpu" -smp 1 -m 1536
		-nodefaults -no-user-config -nographic -no-reboot -rtc clock=vm
		-kernel "$(echo "$arm64"/boot/vmlinuz-*)" -initrd "$build/initrd"
		-append "console=ttyAMA0 loglevel=5 panic=-1$pmu_append $1")
}

pmu_set_up()
{
	# What is built here is for another machine than the caller's are; and make may
	# be the caller.
	unset CC CXX CPP LD AR NM RANLIB F77 CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBS CPATH \
		C_INCLUDE_PATH CONFIG_SITE PKG_CONFIG_PATH MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL
	step "packages"
	need_packages "${PACKAGES_BUILD[@]}" "${PACKAGES_PMU[@]}"
	step "a kernel and libraries for AArch64"
	fetch_arm64
	step "libupc, the utilities and the unit tests for AArch64"
	build_upc
	step "PAPI for AArch64: plain, and with the component"
	build_papis
}
