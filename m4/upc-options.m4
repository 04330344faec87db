# SPDX-License-Identifier: BSD-3-Clause
# upc-options.m4 - options of configure that choose compiler flags: debugging,
# warnings as errors, sanitizers, fuzzing.

# UPC_FLAG_WORKS(FLAG, IF-IT-DOES, IF-NOT): can a program be built with it?
AC_DEFUN([UPC_FLAG_WORKS], [
	upc_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $1"
	AC_MSG_CHECKING([whether $CC builds with $1])
	AC_LINK_IFELSE([AC_LANG_PROGRAM()], [upc_works=yes], [upc_works=no])
	AC_MSG_RESULT([$upc_works])
	CFLAGS=$upc_saved_CFLAGS
	AS_IF([test "$upc_works" = yes], [$2], [$3])
])

# CFLAGS that the user gives are left as they are.
AC_DEFUN([UPC_OPT_DEBUG], [
	AC_ARG_ENABLE([debug],
		[AS_HELP_STRING([--enable-debug], [build for a debugger: -O0 -g3])])
	AS_IF([test -z "$CFLAGS"],
		[AS_IF([test "$enable_debug" = yes], [CFLAGS="-O0 -g3"], [CFLAGS="-O2 -g"])])
])

AC_DEFUN([UPC_OPT_WERROR], [
	AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [warnings are errors])])
])

# Sets upc_sanitizers; its flags are for compiling and for linking.
AC_DEFUN([UPC_OPT_SANITIZERS], [
	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers=LIST],
			[build everything with sanitizers: "address,undefined" or "thread"])],
		[], [enable_sanitizers=no])
	AS_CASE([$enable_sanitizers],
		[no], [upc_sanitizers=],
		[yes], [upc_sanitizers=address,undefined],
		[upc_sanitizers=$enable_sanitizers])
	SANITIZER_FLAGS=
	AS_IF([test -n "$upc_sanitizers"], [
		SANITIZER_FLAGS="-fsanitize=$upc_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
		UPC_FLAG_WORKS([$SANITIZER_FLAGS], [],
			[AC_MSG_ERROR([$CC cannot build with -fsanitize=$upc_sanitizers])])
	])
	AC_SUBST([SANITIZER_FLAGS])
	AM_CONDITIONAL([SANITIZED], [test -n "$upc_sanitizers"])
])

# Fuzzers are libFuzzer's, so the compiler has to be clang.
AC_DEFUN([UPC_OPT_FUZZING], [
	AC_ARG_ENABLE([fuzzing],
		[AS_HELP_STRING([--enable-fuzzing], [build the fuzzers of ctests/fuzz (needs CC=clang)])])
	FUZZER_FLAGS=
	AS_IF([test "$enable_fuzzing" = yes], [
		FUZZER_FLAGS=-fsanitize=fuzzer-no-link
		UPC_FLAG_WORKS([$FUZZER_FLAGS], [],
			[AC_MSG_ERROR([$CC has no libFuzzer: configure with CC=clang, and install its runtime])])
	])
	AC_SUBST([FUZZER_FLAGS])
	AM_CONDITIONAL([FUZZING], [test "$enable_fuzzing" = yes])
])

# What every file is compiled with, whatever the user's CFLAGS.
AC_DEFUN([UPC_COMPILER_FLAGS], [
	UPC_CFLAGS="-std=gnu11 -Wall -Wextra -Wshadow -Wmissing-prototypes -Wsign-compare"
	AS_IF([test "$enable_werror" = yes], [UPC_CFLAGS="$UPC_CFLAGS -Werror"])
	UPC_CFLAGS="$UPC_CFLAGS $SANITIZER_FLAGS $FUZZER_FLAGS"
	AC_SUBST([UPC_CFLAGS])
])
