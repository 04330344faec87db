#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# jobstat_page.sh - the page of upc_jobstat as its readers find it: one file that asks for nothing, well formed,
# and in a browser; of jobs whose numbers are made.
. "${srcdir:?}/ctests/utils.inc"

plan 23
writes=${JOBSTAT_PAGES:?}
check "a page of a job is written" "$writes" "$dir/one.html" 1
check "... and of seven" "$writes" "$dir/seven.html" 7
nothing_from_elsewhere()
{
	! sed '/^<style>/,/<\/style>$/d; /^<script>/,/<\/script>$/d' seven.html | grep -nE 'https?:|src=|href=|@import|url\(|style="| on[a-z]+="' > out
}
check "nothing is asked for from elsewhere" nothing_from_elsewhere
well_formed()
{
	sed '/^<style>/,/<\/style>$/d; /^<script>/,/<\/script>$/d' "$1" > body.html
	xmllint --noout --huge body.html 2> err
}
if command -v xmllint > /dev/null; then
	check "they are well formed" eval 'well_formed one.html && well_formed seven.html'
else
	skip "they are well formed" "there is no xmllint"
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
timeout 120 node "$srcdir/ctests/lib/jobstat_browser.js" "$browser" "$dir/one.html" "$dir/seven.html" > browser 2> err
status=$?
if [ $status = 3 ]; then
	skip_rest "in a browser" "$browser does not start here"
	exit
fi
awk -v n=$n '/^(not )?ok - / { sub(/ok - /, "ok " ++n " - ") } { print }' browser
n=$((n + $(grep -cE '^(not )?ok - ' browser)))
check "... and the browser has answered all" [ $status = 0 ]
