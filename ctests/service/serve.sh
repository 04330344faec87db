#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# serve.sh - upc_serve: one command starts a node with a page, as root and as an ordinary user; only the page
# has a port, and nothing can be changed by it; whatever is killed, nothing is left but what is told to stay.
. "${srcdir:?}/ctests/utils.inc"
. "${srcdir:?}/ctests/service/node.inc"
serve=${UPC_SERVE:?}
nodes=
# Of each that this test has started, wherever it is.
end_nodes()
{
	for left in $nodes; do
		"$serve" --stop --dir "$left" > /dev/null 2>&1
	done
}
trap 'end_nodes; rm -rf "${dir:?}"' EXIT
export XDG_STATE_HOME=$dir/state
unset PCP_CONF PMCD_SOCKET PMCD_PORT

plan 47
if node_missing || ! "$serve" --version > /dev/null; then
	skip_rest "a node" "$missing"
	exit
fi

# ---- asking ---------------------------------------------------------------------------

# http REQUEST: what the page's port answers to these bytes, in out
http()
{
	exec 3<> "/dev/tcp/127.0.0.1/$port" || return 1
	printf "$1" >&3
	cat <&3 > out
	exec 3>&-
}
# gets PATH STATUS [HEADER]
gets()
{
	http "GET $1 HTTP/1.1\r\nHost: 127.0.0.1:$port\r\n${3:-}\r\n" && head -n 1 out | grep -q "^HTTP/1.1 $2 "
}
# process NAME: the one that was started last
process()
{
	awk -v name="$1" '{ n = $0; sub(/^[0-9]+ [0-9]+ /, "", n) } n == name { pid = $1 } END { print pid }' "$node/processes"
}
# as USER COMMAND...: as root it becomes nobody, who has no capability
as()
{
	case $1 in
	nobody) shift && setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env HOME=/nonexistent "$@" ;;
	*) shift && "$@" ;;
	esac
}
has_line()
{
	grep -q "$1" said
}
# begin USER [OPTION...]: starts one in $node, and waits for its address; its status will be in status
begin()
{
	who=$1
	shift
	rm -f said status
	: > said
	{
		as "$who" "$serve" --dir "$node" "$@" >> said 2>&1 &
		echo $! > pid
		wait $!
		echo $? > status
	} &
	nodes="$nodes $node"
	until_passes sh -c 'grep -q "Ctrl-C ends it" said || [ -s status ]'
	[ ! -s status ] || { sed 's/^/# /' said; return 1; }
	port=$(sed -n 's,^upc_serve: http://127.0.0.1:\([0-9]*\)/$,\1,p' said)
	[ -n "$port" ]
}
# Its own processes that are there: by the directory in what they were started with.
remains()
{
	for entry in /proc/[0-9]*; do
		! { tr '\0' ' ' < "$entry/cmdline" | grep -qF -- "$node"; } 2> /dev/null || echo "${entry#/proc/}"
	done
	sed 's/ .*//' all_processes 2> /dev/null | while read -r number; do
		[ ! -d "/proc/$number" ] || grep -q '^State:.*Z' "/proc/$number/status" 2> /dev/null || echo "$number"
	done
}
nothing_remains()
{
	[ -z "$(remains)" ]
}
no_trace()
{
	until_passes nothing_remains && [ -z "$(find "$node" -type s -o -name processes)" ] && [ ! -e "$node/run" ] && [ ! -e "$node/web" ]
}
is_over()
{
	until_passes test -s status && [ "$(cat status)" = "$1" ] || { sed 's/^/# /' said; return 1; }
}
# Sockets of TCP that a process listens at.
ports_of()
{
	for link in /proc/"$1"/fd/*; do
		inode=$(readlink "$link" | sed -n 's/^socket:\[\([0-9]*\)\]$/\1/p')
		[ -z "$inode" ] || awk -v inode="$inode" '$4 == "0A" && $10 == inode { print $2 }' /proc/net/tcp /proc/net/tcp6
	done 2> /dev/null
}
logger_is_closed()
{
	[ -z "$(ports_of "$(process pmlogger)" | grep -v '^0100007F:\|^0\{24\}01000000:')" ] || return 1
	command -v pmlc > /dev/null || return 0
	echo 'query upc.sample.count' | PCP_CONF=$node/pcp.conf pmlc "$(process pmlogger)" > out 2>&1
	! grep -q 'mand\|adv ' out
}
counts()
{
	gets /metrics 200 && grep -q '^upc_node_cpu_processes_total{.*} [0-9][0-9]*' out && grep -q '^upc_cpu_user_total{.*instname="cpu0".*} [0-9]' out
}
commands_answer()
{
	as "$who" "$UPCCTL" -S "$node/run/control" ls > ls 2> err && [ -s ls ]
}
# What a page of another site, or a mistaken one, could try.
refused()
{
	gets /metrics 403 "Origin: http://evil.example\r\n" && gets /metrics 403 "Origin: null\r\n" &&
		gets /pmapi/context 403 "Sec-Fetch-Site: cross-site\r\n" &&
		http "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n" && head -n 1 out | grep -q ' 403 ' &&
		http "POST /pmapi/context HTTP/1.1\r\nHost: localhost\r\n\r\n" && head -n 1 out | grep -q ' 405 ' &&
		gets '/pmapi/store?name=upc.control.generation&value=7&hostspec=unix:' 404 &&
		gets '/pmapi/context?hostspec=127.0.0.1' 404 && gets /../pcp.conf 404 && gets "/$node/state" 404
}
# No answer may be read by another page.
closed_answers()
{
	for path in / /page.js /about.json /metrics /pmapi/context /nothing; do
		http "GET $path HTTP/1.1\r\nHost: localhost\r\n\r\n" || return 1
		! grep -qi '^access-control' out && grep -qi '^cross-origin-resource-policy: same-origin' out &&
			grep -qi "^content-security-policy: default-src 'none'" out || return 1
	done
}
# pmproxy's own way to store, as the user who pmproxy is: by its socket, which only he and root can reach.
store_changes_nothing()
{
	commands_answer && mv ls before || return 1
	command -v curl > /dev/null || return 0
	for metric in upc.control.generation upc.control.message upc.state.cpu.user upc.cpu.user; do
		curl -s --unix-socket "$node/web/pmproxy.socket" \
			"http://localhost/pmapi/store?hostspec=unix:&name=$metric&value=2" > out 2> err
		! grep -q '"success": *true' out || return 1
	done
	commands_answer && cmp ls before
}
fault()
{
	cp "$node/processes" all_processes
	kill -9 "$(process "$1")"
}
# promtool's status is 3 where it has advice about names.
prometheus_reads()
{
	if ! command -v promtool > /dev/null; then
		skip "... which Prometheus reads, and has nothing against" "there is no promtool"
		return
	fi
	gets /metrics 200 && tr -d '\r' < out | sed '1,/^$/d' > metrics
	check "... which Prometheus reads, and has nothing against" promtool check metrics < metrics
}
# A client that says nothing, and many, cost nobody.
hanging_clients()
{
	for i in 1 2 3 4 5 6 7 8 9 10; do
		eval "exec $((10 + i))<> /dev/tcp/127.0.0.1/$port"
	done
	counts
	good=$?
	for i in 1 2 3 4 5 6 7 8 9 10; do
		eval "exec $((10 + i))>&-"
	done
	return $good
}
archived()
{
	archive=$(find "$node/archive" -name '*.meta' | sort | tail -n 1)
	[ -n "$archive" ] && pminfo -a "${archive%.meta}" -f upc.sample.count > out 2> err && grep -q 'value [0-9]' out
}

# ---- as each user ---------------------------------------------------------------------

life()
{
	check "$1: it starts, and says its address" begin "$1" -I 500ms
	node_pid=$(cat pid)
	cp "$node/processes" all_processes
	check "... values come by /metrics" until_passes counts
	prometheus_reads
	check "... commands by the control socket" commands_answer
	check "... a second one says that it runs, and where" sh -c "! '$serve' --dir '$node' 2> err && grep -q 'runs already.*http://127.0.0.1:$port/' err"
	ports=
	for name in pmcd pmproxy pmdaupc; do
		ports=$ports$(ports_of "$(process $name)")
	done
	check "... only the page has a port" [ -z "$ports" ]
	check "... and pmlogger one of this machine, for nobody" logger_is_closed
	check "... which other pages and names cannot use" refused
	check "... and whose answers no other page reads" closed_answers
	check "... and clients that hang hold nobody up" hanging_clients
	check "... nothing is changed by stores" store_changes_nothing
	fault pmproxy
	check "... a killed pmproxy comes again" until_passes counts
	fault pmdaupc
	check "... a killed agent, too" until_passes counts
	check "... and takes commands again" until_passes commands_answer
	fault pmcd
	check "... a killed pmcd, too" until_passes counts
	cp "$node/processes" all_processes
	kill -INT "$(holder)"
	check "... Ctrl-C ends it" is_over 0
	check "... without a trace" no_trace
	check "... but with its archive" archived
}
# A pmproxy and its libraries where root alone may go.
hidden()
{
	conf=${PCP_DIR:-}/etc/pcp.conf
	mkdir -m 700 hidden && mkdir hidden/libraries || return 1
	programs=$(node_of "$conf" UPC_UNPACKED_PROGRAMS) libraries=$(node_of "$conf" UPC_UNPACKED_LIBRARIES)
	cp "${programs:-$(node_of "$conf" PCP_BINADM_DIR)}/pmproxy" hidden/ || return 1
	[ -z "$libraries" ] || cp -a "$libraries"/* hidden/libraries/ || return 1
	grep -v '^UPC_UNPACKED\|^PCP_TLSCONF_PATH' "$conf" > hidden/pcp.conf
	printf 'PCP_TLSCONF_PATH=%s/tls.conf\n' "$dir/hidden" >> hidden/pcp.conf
	printf 'UPC_UNPACKED_PROGRAMS=%s\nUPC_UNPACKED_LIBRARIES=%s\n' "$dir/hidden" "$dir/hidden/libraries" >> hidden/pcp.conf
}
# Copies of the programs, and their libraries, where nobody may go; and a directory of his own.
reachable()
{
	built=$PMDAUPC built_ctl=$UPCCTL
	chmod 711 "$dir" && mkdir -m 700 "$dir/other" && chown 65534:65534 "$dir/other" || return 1
	copy_built "$dir/bin" "$serve" "$PMDAUPC" "$UPCCTL" || return 1
	if [ -n "${PCP_DIR:-}" ]; then
		cp -a "$PCP_DIR" "$dir/bin/pcp" && sed -i "s|$PCP_DIR/|$dir/bin/pcp/|g" "$dir"/bin/pcp/{etc/pcp.conf,programs/.run} || return 1
		export LD_LIBRARY_PATH=$dir/bin/pcp/libraries PCP_CONF=$dir/bin/pcp/etc/pcp.conf
	fi
	export LD_LIBRARY_PATH="$dir/bin${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	serve=$dir/bin/upc_serve PMDAUPC=$dir/bin/pmdaupc UPCCTL=$dir/bin/upcctl node=$dir/other
	as nobody "$serve" --version > out 2> err
}
gets_missing()
{
	gets /about.json 200 && grep -q CAP_PERFMON out
}
# Who holds the lock: as begin's own process may be setpriv's or libtool's.
holder()
{
	"$serve" --dir "$node" 2>&1 | sed -n 's/.* as process \([0-9]*\).*/\1/p'
}

user=$(id -un)
node=$dir/own
life "$user"
if [ "$(id -u)" = 0 ]; then
	check "a PCP that root alone can reach" hidden
	check "root's pmproxy and page are nobody's" eval 'PCP_CONF=$dir/hidden/pcp.conf begin root'
	nobodies=$(for name in pmproxy "the page"; do stat -c %u "/proc/$(process "$name")"; done | sort -u)
	check "... all of them, and not root's" [ "$nobodies" != 0 ]
	check "... who cannot command" sh -c "! setpriv --reuid='$nobodies' --regid=65534 --clear-groups '$UPCCTL' -S '$node/run/control' ls > out 2> err && [ -s err ]"
	kill -9 "$(process "the page")"
	check "... and come again as nobody" until_passes counts
	check "--stop ends it" "$serve" --stop --dir "$node"
	cp "$node/processes" all_processes 2> /dev/null
	check "... without a trace" no_trace
	check "an ordinary user's programs are where he comes" reachable
	check "an ordinary user: it starts" begin nobody
	check "... and counts what he may" until_passes counts
	check "... what he may not is named, with the remedy" sh -c 'tr -s " \n" " " < said | grep -q "not here:.*CAP_PERFMON"'
	check "... on the page, too" gets_missing
	check "... and commands it, who is he" commands_answer
	cp "$node/processes" all_processes
	check "... --stop ends it" as nobody "$serve" --stop --dir "$node"
	check "... without a trace" no_trace
	serve=$UPC_SERVE PMDAUPC=$built UPCCTL=$built_ctl
	unset PCP_CONF
else
	for what in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		skip "root's node, and an ordinary user's beside it: $what of 15" "this is not root"
	done
fi

# ---- faults ---------------------------------------------------------------------------

node=$dir/faults
killed()
{
	begin "$user" && cp "$node/processes" all_processes && kill -9 "$(holder)" && is_over 137
}
check "upc_serve itself is killed" killed
check "... --stop finds what is left" "$serve" --stop --dir "$node"
check "... and nothing is" no_trace
check "--stop where nothing runs says so" sh -c "'$serve' --stop --dir '$node' | grep -q 'nothing ran'"
both()
{
	"$serve" --dir "$node" > one 2>&1 &
	first=$!
	"$serve" --dir "$node" > two 2>&1 &
	second=$!
	nodes="$nodes $node"
	until_passes sh -c 'grep -q "Ctrl-C" one two'
	until_passes sh -c 'grep -q "runs already\|starting" one two'
	"$serve" --stop --dir "$node"
	wait $first
	one=$?
	wait $second
	two=$?
	rm -f out err
	[ "$one $two" = "0 125" ] || [ "$one $two" = "125 0" ]
}
check "two at once: one runs" both
check "... and both are gone" no_trace

# refuses PATTERN OPTION...: it says that, and leaves nothing
refuses()
{
	pattern=$1
	shift
	if "$serve" "$@" > out 2> err; then
		"$serve" --stop "$@"
		return 1
	fi
	grep -q "$pattern" err
}
long=$dir/$(printf '%0100d' 0)
check "a path that is too long is named" refuses 'too long' --dir "$long"
mkdir "$dir/mine" && echo text > "$dir/mine/file"
check "another directory with files is refused" refuses "files that are not upc_serve's" --dir "$dir/mine"
check "... and is as it was" sh -c "[ \"\$(ls -A '$dir/mine')\" = file ]"
mkdir "$dir/theirs" && chmod 777 "$dir/theirs"
check "one below a directory that others may change is refused" refuses "others may write to $dir/theirs, and" \
	--dir "$dir/theirs/node"
check "blanks are refused by name" refuses 'blanks' --dir "$dir/a b"
printf 'initialize interval=1s\nadd perf::PAGE-FAULTSS\nfinalize\n' > wrong
check "a mistake in a configuration is told with its line" refuses 'wrong:2:5' --dir "$node" --config wrong
check "... and nothing is left" no_trace
check "without Performance Co-Pilot the remedy is named" env PCP_CONF=/nonexistent bash -c '! "$0" --dir "$1" 2> err && grep -q "scripts/demo" err' "$serve" "$node"
