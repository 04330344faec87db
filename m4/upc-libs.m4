# SPDX-License-Identifier: BSD-3-Clause
# upc-libs.m4 - finds libpfm4, which becomes a private part of libupc, and the
# PAPI that the tests and examples are built against.

# Sets PFM_ARCHIVE. Only the static library will do: see src/upc/Makemodule.am.
AC_DEFUN([UPC_LIB_PFM], [
	AC_CHECK_HEADER([perfmon/pfmlib_perf_event.h], [],
		[AC_MSG_ERROR([libpfm4's headers are missing: install libpfm4-dev])],
		[#include <perfmon/pfmlib.h>])
	AC_ARG_VAR([PFM_ARCHIVE], [libpfm4's static library, where the compiler does not find it])
	AC_MSG_CHECKING([for libpfm.a])
	AS_IF([test -z "$PFM_ARCHIVE"], [PFM_ARCHIVE=`$CC $CFLAGS -print-file-name=libpfm.a`])
	AS_IF([test -f "$PFM_ARCHIVE"], [AC_MSG_RESULT([$PFM_ARCHIVE])], [
		AC_MSG_RESULT([no])
		AC_MSG_ERROR([libpfm4's static library is missing: install libpfm4-dev (Fedora: libpfm-static),
or give PFM_ARCHIVE=PATH. A shared one will not do: its names would not be hidden from PAPI's own libpfm4.])
	])
])

# Sets LIBIBERTY_LIBS, which upc_run and its simulator demangle C++ names with. The static library
# has to be good for shared ones.
AC_DEFUN([UPC_LIB_IBERTY], [
	upc_saved_libs=$LIBS
	upc_saved_cflags=$CFLAGS
	LIBS="-liberty $LIBS"
	CFLAGS="$CFLAGS -fPIC -shared"
	AC_MSG_CHECKING([for libiberty])
	AC_LINK_IFELSE([AC_LANG_SOURCE([[#include <libiberty/demangle.h>
		int upc_test(demangle_callbackref take) { return cplus_demangle_v3_callback("", 0, take, 0); }]])],
		[upc_iberty_note=yes
		LIBIBERTY_LIBS=-liberty
		AC_DEFINE([HAVE_LIBIBERTY], [1], [Whether C++ names can be demangled.])],
		[upc_iberty_note="only as nm shows them: libiberty is missing, install libiberty-dev"
		LIBIBERTY_LIBS=])
	AC_MSG_RESULT([${LIBIBERTY_LIBS:-no}])
	AC_SUBST([LIBIBERTY_LIBS])
	LIBS=$upc_saved_libs
	CFLAGS=$upc_saved_cflags
])

# Sets PCP_CFLAGS, PCP_LIBS, PCP_IMPORT_LIBS, PCP_DIRECTORY, which is empty for an installed one, and
# PCP_CPPFLAGS with the configuration that programs read. RPATH, and not RUNPATH, also finds the
# libraries that libpcp needs.
AC_DEFUN([UPC_LIB_PCP], [
	AC_ARG_WITH([pcp],
		[AS_HELP_STRING([--with-pcp=DIRECTORY],
			[a Performance Co-Pilot that scripts/service/pcp-unpack has put there (default: an installed one)])],
		[], [with_pcp=yes])
	PCP_DIRECTORY=
	AS_CASE([$with_pcp], [yes|no], [], [
		AS_IF([test ! -f "$with_pcp/pkgconfig/libpcp.pc"],
			[AC_MSG_ERROR([there is no Performance Co-Pilot in $with_pcp: scripts/service/pcp-unpack $with_pcp])])
		PCP_DIRECTORY=$with_pcp
		PKG_CONFIG_PATH=$with_pcp/pkgconfig:$PKG_CONFIG_PATH
		export PKG_CONFIG_PATH
	])
	upc_pcp_note="no: --without-pcp"
	have_pcp_import=no
	AS_IF([test "$with_pcp" != no], [
		PKG_CHECK_MODULES([PCP], [libpcp >= 6.0 libpcp_pmda >= 6.0], [upc_pcp_note=yes],
			[upc_pcp_note="no: libpcp and libpcp_pmda 6.0 or newer not found"])
		PKG_CHECK_MODULES([PCP_IMPORT], [libpcp_import], [have_pcp_import=yes], [have_pcp_import=no])
	])
	AS_IF([test -n "$PCP_DIRECTORY"], [
		PCP_CFLAGS="-isystem $PCP_DIRECTORY/usr/include -isystem $PCP_DIRECTORY/usr/include/pcp"
		PCP_LIBS="-Wl,--disable-new-dtags,-rpath,$PCP_DIRECTORY/libraries $PCP_LIBS"
	])
	PCP_CPPFLAGS="-DUPC_PCP_CONF='\"$PCP_DIRECTORY/etc/pcp.conf\"'"
	AC_SUBST([PCP_DIRECTORY])
	AC_SUBST([PCP_CPPFLAGS])
	AM_CONDITIONAL([HAVE_PCP], [test "$upc_pcp_note" = yes])
	AM_CONDITIONAL([HAVE_PCP_IMPORT], [test "$upc_pcp_note" = yes && test "$have_pcp_import" = yes])
])

# UPC_PAPI_HAS_COMPONENT(PREFIX, IF-IT-HAS, IF-NOT). The component has the name of the library
# that it opens. Nothing of PAPI is run: it may be another machine's.
AC_DEFUN([UPC_PAPI_HAS_COMPONENT], [
	AS_IF([test -f "$1/include/papi.h" &&
	       grep 'libupc\.so' "$1/lib/libpapi.so" >/dev/null 2>&1], [$2], [$3])
])

# Sets PAPI_PREFIX, PAPI_CPPFLAGS, PAPI_LIBS and HAVE_PAPI. Without PAPI all is
# built but the tests and examples that call it; the tests say so as skips.
AC_DEFUN([UPC_WITH_PAPI], [
	AC_ARG_WITH([papi],
		[AS_HELP_STRING([--with-papi=PREFIX],
			[an installed PAPI that has the upc component (default: the one in the prefix, if any)])],
		[], [with_papi=default])
	AC_ARG_WITH([papi-source],
		[AS_HELP_STRING([--with-papi-source=DIR|TARBALL],
			[the source that "make papi" builds (default: Debian's source package)])],
		[], [with_papi_source=])
	PAPI_SOURCE=$with_papi_source
	AC_SUBST([PAPI_SOURCE])

	upc_prefix=$prefix
	AS_IF([test "$upc_prefix" = NONE], [upc_prefix=$ac_default_prefix])
	AS_CASE([$with_papi],
		[no], [PAPI_PREFIX=],
		[yes|default], [PAPI_PREFIX=$upc_prefix],
		[PAPI_PREFIX=$with_papi])
	upc_papi_note=none
	AS_IF([test -n "$PAPI_PREFIX"], [
		UPC_PAPI_HAS_COMPONENT([$PAPI_PREFIX], [upc_papi_note=$PAPI_PREFIX], [
			AS_IF([test "$with_papi" != default], [AC_MSG_ERROR(
				[the PAPI in $PAPI_PREFIX is missing, or has no upc component: run "make papi", or build PAPI --with-components=upc])])
			PAPI_PREFIX=
		])
	])
	PAPI_CPPFLAGS=
	PAPI_LIBS=
	AS_IF([test -n "$PAPI_PREFIX"], [
		PAPI_CPPFLAGS="-isystem $PAPI_PREFIX/include"
		PAPI_LIBS="-L$PAPI_PREFIX/lib -R$PAPI_PREFIX/lib -lpapi"
	])
	AC_SUBST([PAPI_PREFIX])
	AC_SUBST([PAPI_CPPFLAGS])
	AC_SUBST([PAPI_LIBS])
	AM_CONDITIONAL([HAVE_PAPI], [test -n "$PAPI_PREFIX"])
	AM_CONDITIONAL([HAVE_STATIC_PAPI], [test -n "$PAPI_PREFIX" &&
		test -f "$PAPI_PREFIX/lib/libpapi.a" && test -f "$PAPI_PREFIX/lib/libpfm.a"])
])
