#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# page.sh - a page as its readers find it: one file that asks for nothing, well formed, and in a browser.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/lib/browser.inc"

plan 40
page=${PAGE_DEMO:?}
check "a page is written" "$page" "$dir/page.html" 40
check "... and a long one" "$page" "$dir/long.html" 20000

a_full_disk()
{
	! "$page" /dev/full 2> err && grep -q 'No space left' err
}
if [ -w /dev/full ]; then
	check "a full disk is told" a_full_disk
else
	skip "a full disk is told" "there is no /dev/full"
fi

# The policy names style and script by the hash of their bytes: change page.c when they change.
hashes()
{
	local file kind hash
	: > out
	for file in css js; do
		kind=style && [ $file = css ] || kind=script
		hash=$(printf "$(sha256sum < "$srcdir/utils/page/page.$file" | sed 's/ .*//; s/../\\x&/g')" | base64)
		grep -q "$kind-src 'sha256-$hash'" page.html || echo "page.c: HASH of page.$file is to be $hash" >> out
	done
	[ ! -s out ]
}
check "the policy lets our style and script pass, and none else" hashes

nothing_from_elsewhere()
{
	! grep -nE 'https?:|src=|href=|@import|url\(|style="| on[a-z]+="' page.html | grep -v 'createElementNS' > out
}
check "nothing is asked for from elsewhere" nothing_from_elsewhere

check_well_formed "it is well formed" page.html
check_well_formed "... so is the long one" long.html

find_browser
in_browser 120 page_browser.js "$dir/page.html" "$dir/long.html"
