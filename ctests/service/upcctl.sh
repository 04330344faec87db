#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# upcctl.sh - upcctl finds the service, says what it answers, and runs programs beside it: whatever happens to
# them, to it, or to the service meanwhile. $UPCCTL is the tool, $SERVICE_DAEMON the service.
# shellcheck disable=SC2016 # for other shells
. "${srcdir:?}/ctests/utils.inc"
. "$srcdir/ctests/service/daemon.inc"

tool=$UPCCTL
plan 31

# says PATTERN: standard error has one line, with this in it
says()
{
	[ "$(wc -l < err)" = 1 ] && grep -q -e "$1" err
}
# prints TEXT: standard output is this and no more
prints()
{
	printf '%s\n' "$1" > want
	diff want out > differs || { sed 's/^/# /' differs; false; }
}
# status_of NAME: a number of status
status_of()
{
	"$tool" --json status > status.json && leaves_of status.json && at "/0/$1"
}
is_yielded() # N: for so many programs
{
	[ "$(status_of yields)" = "$1" ]
}

# ---- where the service is ----------------------------------------------------------------

export HOME=$PWD/home
unset XDG_STATE_HOME
mkdir -p home state
none()
{
	(unset UPC_CONTROL && run 125 ls && says "none listens at $HOME/.local/state/upc/serve/run/control or /run/upc/control") &&
		run 125 ls && says "no service listens at $UPC_CONTROL: No such file" &&
		run 125 -S ./nowhere ls && says 'no service listens at ./nowhere: '
}
check "no service: where it was looked for" none
too_long()
{
	run 125 -S "$(printf '%0108d' 0)" ls && says '108 bytes, and at most 107 are possible'
}
check "... or could not be" too_long

cat > config << EOF
initialize interval=0
add $faults scope=cpu as=faults
add $clock scope=node
finalize
EOF
check "a service" daemon_start config
private=state/upc/serve/run
found()
{
	mkdir -p "$private" && ln "$UPC_CONTROL" "$private/control" &&
		(unset UPC_CONTROL && export XDG_STATE_HOME=$PWD/state && run 0 ls) &&
		mkdir -p home/.local && ln -s "$PWD/state" home/.local/state && (unset UPC_CONTROL && run 0 ls) &&
		UPC_CONTROL=./nowhere run 0 -S "$PWD/control" ls && UPC_CONTROL='' XDG_STATE_HOME=$PWD/state run 0 ls
}
check "a private node's, \$UPC_CONTROL's, and -S before it" found
check "... and a dead one is said to be so" eval \
	'mkfifo no-socket && ! "$tool" -S ./no-socket ls > out 2> err && says "no service listens at ./no-socket: "'

# ---- what it says ------------------------------------------------------------------------

table()
{
	run 0 halt faults && prints '1 counter halted' && run 0 ls && prints "$(
		printf 'No  %-*s  %-*s  Scope  State\n' ${#clock} Name ${#faults} Event
		printf ' 1  %-*s  %-*s  cpu    halted\n' ${#clock} faults ${#faults} "$faults"
		printf ' 2  %-*s  %-*s  node   counting\n' ${#clock} "$clock" ${#faults} "$clock"
	)" && [ ! -s err ]
}
check "ls is a table" table
some()
{
	run 0 ls faults && [ "$(wc -l < out)" = 2 ] && run 0 ls faults "$clock" && [ "$(wc -l < out)" = 3 ]
}
check "... of some counters" some
why()
{
	run 0 add perf::NOT-HERE optional=yes as=gone && run 0 ls && grep -q '^ 3  gone .* failed (1)$' out &&
		grep -q '^(1) .*perf::NOT-HERE' out && run 0 remove gone
}
check "... with the reason below it" why
csv()
{
	run 0 ls --csv && [ "$(head -n 1 out)" = "record,number,id,name,place,event,value,low,high,standard_error,exactness,unit,scope,state,running_ns,reason" ] &&
		grep -q "^place,1,1,faults,cpu0,$faults,,,,,uncounted,$faults_unit,cpu,halted,[0-9]*,halted\$" out &&
		grep -q "^place,2,2,$clock,,$clock,[0-9]*,,,,exact,ns,node,counting,[0-9]*,\$" out &&
		run 0 --csv halt ALL && grep -q '^fact,,,,,message,2 counters halted,' out && run 0 continue "$clock"
}
check "ls as CSV: no value is no 0" csv
refusals()
{
	run 1 halt fault && [ ! -s out ] && says "no counter is called fault; did you mean faults?" &&
		run 1 halt fault --json && [ ! -s err ] && leaves_of out && leaf /0/ok false && at /0/message > message
}
check "what is refused: 1, and the nearest name, also as JSON" refusals
commands()
{
	run 125 lss && grep -q "no command 'lss'; did you mean ls?" err &&
		run 125 contnue ALL && grep -q "did you mean continue?" err &&
		run 125 qqqqqqqq && grep -q "no command 'qqqqqqqq'; 'upcctl --help'" err &&
		run 125 && grep -q 'no command is given' err && run 125 run && grep -q 'name the PROGRAM' err &&
		run 125 yield && says 'upcctl run PROGRAM' && run 125 finalize && says "in the service's configuration only"
}
check "no such command: the nearest" commands
anywhere()
{
	run 0 ls -f json && leaves_of out && leaf /0/ok true && run 0 --json ls faults && leaves_of out && leaf /0/counters/0/name '"faults"' &&
		run 1 halt -- --json && says 'no counter is called --json'
}
check "options before and behind the command, and not behind --" anywhere
escapes()
{
	run 1 halt "$(printf '\033[2J\302\233')" && says 'no counter is called ?\[2J' && ! grep -q "$(printf '[\033\302]')" err
}
check "no terminal is commanded by a name" escapes
no_utf8()
{
	run 125 halt "$(printf 'a\377')" && says 'word 2 is no UTF-8' && run 125 halt "$(printf '%05000d' 0)" && says 'at most 4096'
}
check "words that are none" no_utf8
if [ -c /dev/full ]; then
	check "a full disk" eval '"$tool" ls > /dev/full 2> err; [ $? = 125 ] && [ "$(wc -l < err)" = 1 ]'
else
	skip "a full disk" "there is no /dev/full"
fi

# ---- run ---------------------------------------------------------------------------------

statuses()
{
	run 0 run true && run 3 run -- sh -c 'exit 3' && run 126 run ./config && says "cannot run './config'" &&
		run 127 run ./nowhere && says "cannot run './nowhere'" && run 127 run -- no-such-program.$$ && is_yielded 0
}
check "run: the program's exit status, 126, 127" statuses
same()
{
	echo input | VALUE=of "$tool" run sh -c 'read -r line; echo "$line $VALUE $*"; echo error >&2; ls /proc/self/fd | wc -l' x -S y > out 2> err &&
		echo input | VALUE=of sh -c 'read -r line; echo "$line $VALUE $*"; echo error >&2; ls /proc/self/fd | wc -l' x -S y > want 2> err.want &&
		cmp -s want out && [ "$(cat err)" = error ]
}
check "... its input, output, arguments, environment, and no descriptor of ours" same

# begin NAME COMMAND...: upcctl run in the background, in $pid; what it runs has begun
begin()
{
	begun=$1
	shift
	rm -f "$begun"
	"$tool" run sh -c ': > "$0"; exec "$@"' "$begun" "$@" > out 2> err &
	pid=$!
	until_passes [ -e "$begun" ]
}
child_of()
{
	cat "/proc/$1/task/$1/children"
}
during()
{
	begin one sleep 1000 && is_yielded 1 && first=$pid && begin two sleep 1000 && is_yielded 2 &&
		run 0 status && grep -q "^yielded for sh (pid $first, uid $(id -u)), sh (pid $pid, uid $(id -u))\$" out && run 0 ls && grep -q "^yielded for sh" out &&
		kill -TERM $pid && ends 143 $pid && until_passes is_yielded 1 && kill -TERM "$first" && ends 143 "$first" && is_yielded 0
}
ends() # STATUS PID
{
	wait "$2" 2> waited
	ended=$?
	[ $ended = "$1" ] || { echo "# status $ended, not $1"; false; }
}
check "two at once: until the last ends; by signals, which are the program's" during
handed_on()
{
	begin three sh -c 'trap "exit 5" USR1; trap "" HUP; : > trapped; while :; do sleep 0.1; done' && until_passes [ -e trapped ] &&
		kill -HUP $pid && kill -USR1 $pid && ends 5 $pid && is_yielded 0
}
check "... others are handed on" handed_on
killed()
{
	begin four sleep 1000 && is_yielded 1 && program=$(child_of $pid) && kill -KILL $pid && ends 137 $pid &&
		until_passes is_yielded 0 && kill -0 "$program" && kill "$program"
}
check "upcctl killed: the counters are back, and the program runs on" killed
of_the_program()
{
	run 143 run sh -c 'kill -TERM $$' && run 0 run sh -c 'sleep 0.01 &' && is_yielded 0
}
check "the program ended by a signal; what it leaves behind holds nothing" of_the_program
nested()
{
	run 0 run "$tool" run "$tool" status && grep -q '^yielded for upcctl (pid .*), upcctl (pid ' out && is_yielded 0
}
check "one in another" nested

# ---- a service that ends ------------------------------------------------------------------

comes_back()
{
	begin five sleep 1000 && daemon_kill && until_passes grep -q 'has ended; it will be asked again' err &&
		daemon_start config && until_passes grep -q 'has stepped aside again' err && is_yielded 1 &&
		kill $pid && ends 143 $pid && is_yielded 0
}
check "the service killed under a program, and back: it is asked again" comes_back
does_not()
{
	begin six sh -c 'until [ -e go ]; do sleep 0.1; done; exit 7' && daemon_kill &&
		until_passes grep -q 'has ended; it will be asked again' err && : > go && ends 7 $pid && [ "$(wc -l < err)" = 1 ]
}
check "... and not back: the program's exit status, all the same" does_not
check "a dead service's socket is replaced" daemon_start config
living()
{
	"$SERVICE_DAEMON" "$UPC_CONTROL" config < /dev/null > out 2> err
	[ $? = 1 ] && says 'a service listens at .* already' && run 0 ls
}
check "... and a living one's is not" living
waits()
{
	kill -STOP $daemon
	"$tool" ls > out 2> err &
	pid=$!
	"$tool" run sh -c ': > was-run' > out.run 2> err.run &
	other=$!
	sleep 0.2 # both wait by now, or will have to
	kill -TERM $other && ends 143 $other && [ ! -e was-run ] &&
		daemon_kill && ends 125 $pid && says 'no service listens at\|has ended, or closed the connection, before it answered'
}
check "who waits for a service that hangs can be interrupted; one that ends is said to" waits
check "a service once more" daemon_start config

# ---- other users ---------------------------------------------------------------------------

others="only root can be others"
if [ "$(id -u)" != 0 ] || ! command -v setpriv > out; then
	skip "another user: not by the socket's mode" "$others, and setpriv is wanted"
	skip "... nor where that is open" "$others, and setpriv is wanted"
else
	# Others may not be allowed to enter the folders of the tool and of its library.
	cp -L "${builddir:?}/utils/.libs/upcctl" other-upcctl 2> err || cp "$tool" other-upcctl
	cp -L "$builddir"/src/upc/.libs/libupc.so.0 . 2> err
	as_other()
	{
		status=$1
		shift
		LD_LIBRARY_PATH=$PWD setpriv --reuid 65534 --regid 65534 --clear-groups ./other-upcctl "$@" > out 2> err
		[ $? = "$status" ]
	}
	chmod 755 .
	by_mode()
	{
		as_other 0 --version && as_other 125 halt ALL && says 'takes commands from its own user and from root only: Permission denied'
	}
	check "another user: not by the socket's mode" by_mode
	by_uid()
	{
		chmod 666 "$UPC_CONTROL" && as_other 1 halt ALL && says 'takes commands from uid 0 and root, not from uid 65534'
	}
	check "... nor where that is open" by_uid
	chmod 700 .
fi
check "the service ends as it should, and takes its socket away" eval 'daemon_stop && [ ! -e "$UPC_CONTROL" ]'
