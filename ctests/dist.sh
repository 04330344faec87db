#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# dist.sh - the distribution has all files of the repository.
. "${srcdir:?}/ctests/utils.inc"

plan 1
name="all that the repository has is distributed"
if ! command -v git > /dev/null || ! git -C "$srcdir" ls-files --error-unmatch configure.ac > out 2> err; then
	skip "$name" "this is no checkout, or there is no git: $(head -n 1 err)"
	exit
fi

# Make's own list, with names as git has them.
# shellcheck disable=SC2016 # make's variable
printf 'include Makefile\nprint-distributed:\n\t@printf "%%s\\n" $(DISTFILES)\n' |
	(cd "${builddir:?}" && make -s --no-print-directory -f - print-distributed) 2> err |
	sed "s|^$srcdir/||; s|^\(\.\./\)*||; s|^\./||" | sort -u > distributed
git -C "$srcdir" ls-files | grep -v '^\.gitignore$' | sort > kept
all_there()
{
	comm -13 distributed kept > out
	[ -s distributed ] && [ ! -s out ]
}
check "$name" all_there
