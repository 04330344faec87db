#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# serve_page.sh - upc_serve's page, in a browser: counters, states with reasons, rates, and that they follow
# commands while they run.
. "${srcdir:?}/ctests/utils.inc"
. "${srcdir:?}/ctests/service/node.inc"
serve=${UPC_SERVE:?}
trap '"$serve" --stop --dir "$dir/node" > /dev/null 2>&1; rm -rf "${dir:?}"' EXIT
unset PCP_CONF PMCD_SOCKET PMCD_PORT

plan 27
browser=
for command in chromium chromium-browser google-chrome; do
	! command -v $command > /dev/null || { browser=$command && break; }
done
node_missing
[ -z "$missing" ] || skip_rest "in a browser" "$missing"
[ -n "$browser" ] || skip_rest "in a browser" "there is no Chromium"
command -v node > /dev/null || skip_rest "in a browser" "there is no Node.js"
[ $n -lt "$planned" ] || exit 0

cat > config << 'EOF'
initialize interval=500ms
add cpu::cpu{cpu}:user_ns as=user
add perf::PAGE-FAULTS scope=cpu as=faults optional=yes
add no::such_event as=broken optional=yes
add NET_RX_BYTES
finalize
EOF
starts()
{
	"$serve" --dir "$dir/node" --config config > said 2>&1 &
	until_passes sh -c 'grep -q "Ctrl-C ends it" said || ! kill -0 '$!
	address=$(sed -n 's,^upc_serve: \(http://127.0.0.1:[0-9]*/\)$,\1,p' said)
	[ -n "$address" ] || { sed 's/^/# /' said; false; }
}
check "a node starts" starts
mkdir -p browsing && cd browsing || exit 1
timeout 400 node "$srcdir/ctests/lib/serve_browser.js" "$browser" "$address" "$UPCCTL" "$dir/node/run/control" > ../browser 2> ../err
status=$?
cd "$dir" || exit 1
if [ $status = 3 ]; then
	skip_rest "in a browser" "$browser does not start here"
	exit
fi
awk -v n=$n '/^(not )?ok - / { sub(/ok - /, "ok " ++n " - ") } { print }' browser
n=$((n + $(grep -cE '^(not )?ok - ' browser)))
check "... and the browser has answered all" [ $status = 0 ]
