#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# serve_page.sh - upc_serve's page, in a browser: counters, states with reasons, rates, and that they follow
# commands while they run.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/lib/browser.inc"
. "${srcdir:?}/ctests/service/node.inc"
serve=${UPC_SERVE:?}
trap '"$serve" --stop --dir "$dir/node" > /dev/null 2>&1; rm -rf "${dir:?}"' EXIT
unset PCP_CONF PMCD_SOCKET PMCD_PORT

plan 27
! node_missing || skip_rest "in a browser" "$missing"
find_browser

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
in_browser 400 serve_browser.js "$address" "$UPCCTL" "$dir/node/run/control"
