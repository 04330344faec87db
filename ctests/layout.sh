#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# layout.sh - C is laid out by clang-format 14 and .clang-format, and not otherwise: other
# versions lay out a few things differently. How to: CONTRIBUTING.md.
. "${srcdir:?}/ctests/utils.inc"

plan 1
name="all C is laid out as clang-format 14 does it"
format=
for command in clang-format-14 clang-format; do
	! "$command" --version 2> /dev/null | grep -q 'version 14\.' || { format=$command && break; }
done
if [ -z "$format" ]; then
	skip "$name" "there is no clang-format 14"
	exit
fi
# decode_x86_table.c is laid out by hand behind its first lines; clang-format takes longer over the rest of it than over
# all other files.
laid_out()
{
	(cd "$srcdir" && find bench ctests examples include src utils -name '*.[ch]' ! -name mpxf.h \
		! -name decode_x86_table.c -print0) |
		(cd "$srcdir" && xargs -0 -P 2 -n 32 "$format" --dry-run -Werror) 2> out &&
		(cd "$srcdir" && sed '/clang-format off/q' src/sim/decode/decode_x86_table.c |
			"$format" --assume-filename=src/sim/decode/decode_x86_table.c --dry-run -Werror) 2> out
}
check "$name" laid_out
