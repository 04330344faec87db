#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# host.sh - configure says of a machine of 32 bits that it will not do, before it looks for libraries.
tool=configure
. "${srcdir:?}/ctests/utils.inc"
host=powerpc-linux-gnu
plan 2
if ! command -v $host-gcc > /dev/null; then
	skip_rest "32 bits" "$host-gcc is not installed (scripts/packages.sh: PACKAGES_SIM)"
	exit
fi
(unset CC CFLAGS CPPFLAGS LDFLAGS LIBS && "$srcdir/configure" --host=$host) > out 2> err
status=$?
check "configure fails for a machine of 32 bits" [ $status -ne 0 ]
check "... and says why" grep -q "machines of 32 bits are not supported" err
