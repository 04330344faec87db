#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# page.sh - a page as its readers find it: one file that asks for nothing, well formed, and in a browser.
. "${srcdir:?}/ctests/utils.inc"

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

well_formed()
{
	sed '/^<style>/,/<\/style>$/d; /^<script>/,/<\/script>$/d' "$1" > body.html
	xmllint --noout --huge body.html 2> err
}
if command -v xmllint > /dev/null; then
	check "it is well formed" well_formed page.html
	check "... so is the long one" well_formed long.html
else
	skip "it is well formed" "there is no xmllint"
	skip "... so is the long one" "there is no xmllint"
fi

browser=
for command in chromium chromium-browser google-chrome; do
	! command -v $command > /dev/null || { browser=$command && break; }
done
lacks=
[ -n "$browser" ] || lacks=Chromium
command -v node > /dev/null || lacks=Node.js
if [ -n "$lacks" ]; then
	skip_rest "in a browser" "there is no $lacks"
	exit
fi
timeout 120 node "$srcdir/ctests/lib/page_browser.js" "$browser" "$dir/page.html" "$dir/long.html" > browser 2> err
status=$?
if [ $status = 3 ]; then
	skip_rest "in a browser" "$browser does not start here"
	exit
fi
awk -v n=$n '/^(not )?ok - / { sub(/ok - /, "ok " ++n " - ") } { print }' browser
n=$((n + $(grep -cE '^(not )?ok - ' browser)))
check "... and the browser has answered all" [ $status = 0 ]
