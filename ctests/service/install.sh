#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# install.sh - the agent's Install and Remove, at a pmcd of its own. PCP's scripts tell all pmcds of a
# machine of a change: here only this one hears of it.
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/node.inc"

plan 9
if node_missing; then
	skip_rest "Install and Remove" "$missing"
	exit
fi
if [ "$(id -u)" != 0 ]; then
	skip_rest "Install and Remove" "PCP lets root alone install agents"
	exit
fi

# Where make install puts them, and a PCP with directories of its own.
mkdir stage && cp "$srcdir"/src/pmda/install/* stage && ln -s "$PMDAUPC" stage/pmdaupc
node=$dir/node
mkdir -p "$node/pmdas" "$node/etc" bin
printf 'initialize\nadd cpu::ctxt scope=node\nfinalize\n' > conf
node_start "$node" -c conf > out 2>&1
node_stop "$node"
sed -i -e "s|^PCP_PMDAS_DIR=.*|PCP_PMDAS_DIR=$node/pmdas|" -e "s|^PCP_SYSCONF_DIR=.*|PCP_SYSCONF_DIR=$node/etc|" "$node/pcp.conf"
sed -i '/^upc/d' "$node/pmcd.conf"
printf 'root { }\n' > none
rm "$node/root"
"$(node_of "$node/pcp.conf" PCP_BINADM_DIR)/pmnsmerge" -a "$(node_of "${PCP_CONF:-${PCP_DIR:-}/etc/pcp.conf}" PCP_VAR_DIR)/pmns/root_pmcd" "$node/root" > out 2>&1
# Signals go to this pmcd, and to its agents: PCP's own go to all pmcds and all pmdaupcs of the machine.
cat > bin/pmsignal << END
#!/bin/bash
pmcd=\$(cat "$node/pmcd.pid")
case \$* in
*" pmcd") exec kill -HUP "\$pmcd" ;;
esac
for process in \$(cat "/proc/\$pmcd/task"/*/children); do
	case " \$* " in
	*" \$process "*) kill "\${@:1:2}" "\$process" ;;
	esac
done
END
chmod +x bin/pmsignal
# What PCP would put before it is behind it then.
PATH=$dir/bin:$PATH:$(node_of "$node/pcp.conf" PCP_BINADM_DIR):$(node_of "$node/pcp.conf" PCP_SHARE_DIR)/bin:/usr/sbin
rm -f "$node/log/pmcd.log"
node_exec "$node" "$(node_of "$node/pcp.conf" PCP_BINADM_DIR)/pmcd" -f -A -H node01 -c "$node/pmcd.conf" -n "$node/root" \
	-l "$node/log/pmcd.log" -p $((20000 + RANDOM)) -i 127.0.0.1 -s "$node/run/pmcd.socket" > "$node/log/pmcd.out" 2>&1 &
echo $! > "$node/pmcd.pid"
node_list="$node_list $node"
there()
{
	at_node "$node" pminfo -h unix: -f pmcd.version > out 2> err
}
check "a pmcd without the agent" until_passes there
absent()
{
	! at_node "$node" pminfo -h unix: upc > out 2> err
}
check "... has no metrics of it" absent

installed()
{
	(cd stage && at_node "$node" env UPC_CONTROL="$node/run/control" ./"$1" -n "$node/root" < /dev/null) > out 2> err
}
check "Install" installed Install
check "... says that the metrics have appeared" grep -q 'metrics have appeared.* [1-9][0-9]* metrics' out
check "... the agent counts what upc.conf says" at_node "$node" pminfo -h unix: -f upc.cpu.perf.page_faults
check "... in the site's directory" test -f "$node/etc/upc/upc.conf" -a -d "$node/var/config/upc"
commands()
{
	node_command "$node" halt ALL > out 2> err
}
check "... and takes commands" commands
removed()
{
	(cd "$node/pmdas/upc" && at_node "$node" ./Remove -n "$node/root" < /dev/null) > out 2> err &&
		absent && ! grep -q '^upc' "$node/pmcd.conf" && [ -f "$node/etc/upc/upc.conf" ]
}
check "Remove takes it away, and leaves the configuration" removed
again()
{
	installed Install && at_node "$node" pminfo -h unix: -f upc.counter.state > out 2> err && grep -q '"halted"' out
}
check "Install again goes on with the state that there was" again
