#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# utils_replay.sh - every script of ctests/vectors gives what it must, byte for byte,
# on every engine; bad scripts run not at all; statistics and waveforms are right.
# $UPC_REPLAY is the tool.
replay=${UPC_REPLAY:-upc_replay}
tool=$replay
vectors=${srcdir:?}/ctests/vectors
. "${srcdir:?}/ctests/utils.inc"

# gives FILE ARGUMENT...: upc_replay prints what the file has, and nothing else
gives()
{
	local expected=$1
	shift
	run 0 "$@" && cmp out "$expected" && [ ! -s err ]
}

# ---- vectors ---------------------------------------------------------------

run 0 --engine list
mapfile -t engines < out
check "--engine list names the three" [ "${engines[*]}" = "reference cycle segment" ]
for engine in "${engines[@]}"; do
	for trace in "$vectors"/*.trace; do
		check "$engine: $(basename "$trace" .trace)" \
			gives "${trace%.trace}.expected" --engine "$engine" "$trace"
	done
done
every_default()
{
	local trace
	for trace in "$vectors"/*.trace; do
		gives "${trace%.trace}.expected" "$trace" || return 1
		gives "${trace%.trace}.expected" - < "$trace" || return 1
	done
}
check "the default engine, by name and from standard input" every_default

# Offsets that are no register, also behind 32 bits.
cat > faults.trace <<'TRACE'
upc-trace 1
r 0x918
w 0x1000000000 1
r 0x100000000
r 0xffffffffffffffff
w 4 0
r 0
TRACE
cat > faults.expected <<'EXPECTED'
fault 0x918
fault 0x1000000000
fault 0x100000000
fault 0xffffffffffffffff
fault 0x4
0x000 0x0000000000000000
EXPECTED
check "accesses outside the map" gives faults.expected faults.trace

# Cycle 2 alone is high: k + PHASE is not taken modulo 2^64 before it is modulo PERIOD.
cat > wide.trace <<'TRACE'
upc-trace 1
w 0x900 1
c 10 0@18446744073709551615/1+18446744073709551613
r 0x000
TRACE
for engine in "${engines[@]}"; do
	check "$engine: a period and a phase near 2^64" \
		gives <(echo '0x000 0x0000000000000001') --engine "$engine" wide.trace
done

# ---- bad scripts -----------------------------------------------------------

# refused LINE: behind good lines, nothing runs and the place is said
refused()
{
	local line
	for line; do
		printf 'upc-trace 1\nr 0x000\n\n%b\nr 0x008\n' "$line" > bad.trace
		run 2 bad.trace && [ ! -s out ] && [ "$(wc -l < err)" = 1 ] &&
			grep -q '^bad\.trace:4: .' err || { echo "# '$line'"; return 1; }
		run 2 - < bad.trace && [ ! -s out ] && grep -q '^-:4: .' err ||
			{ echo "# '$line', from standard input"; return 1; }
	done
}
check "unknown statements are refused" refused x "W 0 0" "upc-trace 1" "w0 0 0"
check "missing and superfluous fields" refused w "w 0" "w 0 0 0" r "r 0 0" c e "e 0" "e 0 0 0" "s 0"
check "bad numbers" refused "w 0 18446744073709551616" "w 0 0x10000000000000000" "w -1 0" \
	"r 1x" "r 0x" "c 0" "c -1" "c 1.5" "e 256 0" "e 0 52"
check "bad tokens" refused "c 1 1024" "c 1 3-2" "c 1 0-1024" "c 1 1@2" "c 1 1@2/3" "c 1 1@2/0" \
	"c 1 1@0/0" "c 1 1@2/1+" "c 1 1@2/1-1" "c 1 1,2" "c 1 1-" "c 1 1@2/1+18446744073709551616"
check "a carriage return, a byte 0" refused 's\r' 's # \0000'
first_line()
{
	local text
	for text in '' '\n' 'r 0\n' 'upc-trace 2\n' 'upc-trace\n' '# x\nupc-trace 1\n'; do
		printf '%b' "$text" > bad.trace
		run 2 bad.trace && [ ! -s out ] && grep -q '^bad\.trace:1: ' err ||
			{ echo "# '$text'"; return 1; }
	done
}
check "a first line that is another" first_line
printf 'upc-trace 1\nr 0x000\nc 1 \033[2J\n' > bad.trace
shown()
{
	run 2 bad.trace && grep -q '^bad\.trace:3: .*\[2J' err && ! grep -q '[[:cntrl:]]' err
}
check "what is wrong is shown without control characters" shown
printf 'upc-trace 1\nr 0x000' > short.trace
check "no newline at the end" gives <(echo '0x000 0x0000000000000000') short.trace
check "no such file: 125" run 125 nowhere.trace
check "... with its name" grep -q "^upc_replay: cannot read 'nowhere.trace': " err
check "a directory: 125" run 125 .

# ---- options ---------------------------------------------------------------

printf 'upc-trace 1\n' > empty.trace
bad_options()
{
	local options
	for options in "" "--engine reference" "--engine nonsense empty.trace" "empty.trace empty.trace" \
		"--nonsense empty.trace" "--stats=1 empty.trace" "empty.trace --engine" "empty.trace --vcd" \
		"empty.trace --vcd -"; do
		# shellcheck disable=SC2086
		run 125 $options && [ ! -s out ] && [ -s err ] || { echo "# '$options'"; return 1; }
	done
}
check "wrong options: 125" bad_options
check "--help" run 0 --help
check "... is the usage" grep -q '^usage: upc_replay .OPTION.... FILE' out
check "--version" run 0 --version
check "... is the version" grep -q '^upc_replay [0-9]' out
check "a script that does nothing" gives /dev/null empty.trace
# The last write fails, not the first: output is buffered.
full_disk()
{
	"$replay" short.trace > /dev/full 2> err
	[ $? = 125 ] && grep -q '^upc_replay: cannot write to standard output: ' err
}
if [ -c /dev/full ]; then
	check "a full disk: 125" full_disk
else
	n=$((n + 1))
	echo "ok $n - a full disk: 1 # SKIP no /dev/full here"
fi

# ---- --stats ---------------------------------------------------------------

cat > stats.trace <<'TRACE'
upc-trace 1
w 0x900 1
c 12345 0@2/1
c 5
r 0x000
TRACE
# stats ENGINE CLOSED: 12350 cycles, as many of them in closed form, and output as ever
stats()
{
	run 0 --stats --engine "$1" stats.trace && [ "$(cat out)" = "0x000 0x000000000000181d" ] &&
		grep -qx "engine: $1" err && grep -qx 'cycles: 12350' err &&
		grep -qx "in closed form: $2" err && grep -Eqx 'seconds: [0-9]+\.[0-9]+' err &&
		grep -Eqx 'cycles a second: [0-9]+' err
}
check "--stats: the reference engine steps" stats reference 0
check "--stats: the segment engine steps never" stats segment 12350

# ---- --vcd -----------------------------------------------------------------

# The waveform as "TIME SCOPE.NAME VALUE" lines, values in decimal. Fails at a file
# that is not well formed: a change of an unknown variable, or times that go back.
changes()
{
	awk '
		function fail(what) { print FILENAME ":" FNR ": " what > "/dev/stderr"; bad = 1; exit 1 }
		function decimal(bits,  i, value) {
			if (!(bits in decimals)) {
				if (bits !~ /^[01]+$/)
					fail("a value of " bits)
				for (i = 1; i <= length(bits); i++)
					value = 2 * value + substr(bits, i, 1)
				decimals[bits] = value + 0
			}
			return decimals[bits]
		}
		function change(id, bits) {
			if (!(id in name) || time == "" || length(bits) > width[id])
				fail("change of " id " to " bits)
			print time, name[id], decimal(bits)
		}
		defined {
			c = substr($0, 1, 1)
			if (c == "b")
				change($2, substr($1, 2))
			else if (c == "#") {
				if (time != "" && substr($1, 2) + 0 <= time)
					fail("times go back")
				time = substr($1, 2) + 0
			} else if (c != "$")
				change(substr($1, 2), c)
			next
		}
		$1 == "$scope" { path[++depth] = $3; next }
		$1 == "$upscope" { depth--; next }
		$1 == "$var" {
			if ($4 in name)
				fail("two variables " $4)
			name[$4] = path[depth] "." $5
			width[$4] = $3
			next
		}
		$1 == "$enddefinitions" { if (depth) fail("scopes are open"); defined = 1; next }
		!/^\$/ { fail("no definition: " $0) }
		END { if (!bad) print time, "end", 0 }' "$1" > changes
}

cat > wave.trace <<'TRACE'
upc-trace 1
w 0x018 0xffe        # counter 3 fires at its second count
w 0x020 0x1000
w 0x800 0x0410000000 # counter 4 counts rising edges
w 0x900 1
c 6 3@2/1+1 4@3/1+2
e 3 0
c 4 3
w 0x018 0x5
c 2
r 0x018
r 0x020
TRACE
cat > wave.expected <<'EXPECTED'
irq 3 3
0x018 0x0000000000000005
0x020 0x0000000000001002
EXPECTED
# Cycle t's sample is at t, what it counts at t + 1; an interrupt is one cycle long.
cat > wave.changes <<'CHANGES'
0 counter3.armed 1
0 counter3.enable 1
0 counter3.input 0
0 counter3.irq 0
0 counter3.mode 0
0 counter3.parity_error 0
0 counter3.pending 0
0 counter3.sample 0
0 counter3.value 4094
0 counter4.armed 0
0 counter4.enable 0
0 counter4.input 0
0 counter4.irq 0
0 counter4.mode 1
0 counter4.parity_error 0
0 counter4.pending 0
0 counter4.sample 0
0 counter4.value 4096
0 upc.run 1
0 upc.threshold 0
1 counter3.sample 1
1 counter4.sample 1
2 counter3.sample 0
2 counter3.value 4095
2 counter4.sample 0
2 counter4.value 4097
3 counter3.irq 1
3 counter3.sample 1
4 counter3.armed 0
4 counter3.irq 0
4 counter3.pending 1
4 counter3.sample 0
4 counter3.value 4096
4 counter4.sample 1
5 counter3.sample 1
5 counter4.sample 0
5 counter4.value 4098
6 counter3.value 8193
7 counter3.value 8194
8 counter3.value 8195
9 counter3.value 8196
10 counter3.armed 1
10 counter3.pending 0
10 counter3.sample 0
10 counter3.value 5
12 end 0
CHANGES
wave()
{
	rm -f wave.vcd
	gives wave.expected --engine "$1" --vcd wave.vcd wave.trace && changes wave.vcd &&
		LC_ALL=C sort -k1,1n -k2,2 changes | diff -u wave.changes - > differences ||
		{ sed 's/^/# /' differences; false; }
}
for engine in "${engines[@]}"; do
	check "--vcd: every change, engine $engine" wave "$engine"
done

# Every script prints the same when it is recorded, parity errors too, although the
# waveform shows the counters in every cycle. The threshold script's interrupts are
# those of the waveform.
vcd_vectors()
{
	local trace
	for trace in "$vectors"/*.trace; do
		gives "${trace%.trace}.expected" --vcd all.vcd "$trace" && changes all.vcd ||
			{ echo "# $trace"; return 1; }
	done
}
check "--vcd: the vectors print the same" vcd_vectors
interrupts()
{
	run 0 --vcd all.vcd "$vectors/threshold.trace" && changes all.vcd &&
		awk '$2 ~ /\.irq$/ && $3 == 1 { sub(/counter/, "", $2); sub(/\.irq/, "", $2); print "irq", $2, $1 }' \
			changes > waved && grep '^irq' out > printed && [ -s printed ] && cmp waved printed
}
check "--vcd: interrupts are where they are printed" interrupts
printf 'upc-trace 1\nc 10000001\n' > long.trace
check "--vcd: too long a script: 125" run 125 --vcd long.vcd long.trace
check "... says the limit, writes no file" sh -c 'grep -q 10000000 err && [ ! -e long.vcd ]'
printf 'upc-trace 1\nc 18446744073709551615\nc 18446744073709551615\n' > long.trace
check "--vcd: a sum beyond 64 bits: 125" run 125 --vcd long.vcd long.trace
printf 'upc-trace 1\nx\n' > bad.trace
check "--vcd: a bad script: 2" run 2 --vcd bad.vcd bad.trace
check "... touches no file" [ ! -e bad.vcd ]
check "--vcd: a file that cannot be made: 125" run 125 --vcd nowhere/x.vcd wave.trace
vcd_full_disk()
{
	run 125 --vcd /dev/full wave.trace && grep -q '^upc_replay: cannot write to /dev/full: ' err
}
if [ -c /dev/full ]; then
	check "--vcd: a full disk: 125" vcd_full_disk
else
	n=$((n + 1))
	echo "ok $n - --vcd: a full disk: 1 # SKIP no /dev/full here"
fi
echo "1..$n"
