#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# upc_run.sh - upc_run runs a program as if it were not there, its numbers agree with each
# other, and what it cannot do it says in one line. $UPC_RUN is the tool, $UPC_SIM_PLUGIN
# the simulator, $UPC_STAT upc_stat.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
export UPC_RUN UPC_SIM_PLUGIN

# refused STATUS TEXT ARGUMENT...: in one line, and nothing runs
refused()
{
	status=$1
	text=$2
	shift 2
	rm -f ran
	run "$status" "$@" && grep -q -e "$text" err && [ "$(wc -l < err)" = 1 ] && [ ! -e ran ]
}

# value NAME [REGION]: of the whole run in CSV
value()
{
	awk -F, -v name="$1" -v region="${2:-}" \
		'$1 == "run" && $4 == region && $5 == name { print $6 }' csv
}

# counted ARGUMENT...: status 0 and a report in CSV
counted()
{
	rm -f csv
	run 0 -f csv -o csv "$@"
}

plan 114

# ---- what needs no emulator

check "--help has the options" run 0 --help
check "... with examples" grep -q '^  upc_run -R solve' out
head -n 6 out > head
check "... and names the guests" diff - head << 'HELP'
usage: upc_run [OPTION]... [--] PROGRAM [ARGUMENT]...

Runs PROGRAM, unchanged, on a simulated Blue Gene/P node of four cores and
counts its instructions by class, exactly. Programs are of x86-64, AArch64,
32-bit PowerPC or 64-bit RISC-V, with threads and children; no hardware counters
are needed.
HELP
help_width()
{
	! awk 'length > 80' out | grep .
}
check "... in 80 columns" help_width
check "--version" run 0 --version
bad_options()
{
	for options in "-R" "-f xml" "--children x" "-e" "-e ," "--nosuch" "--qemu=" "-R a -R a" "-f stat -R a"; do
		# shellcheck disable=SC2086
		run 125 $options -- sh -c ': > ran' || { echo "# $options"; return 1; }
	done
	run 125 && [ ! -e ran ]
}
check "wrong options: 125, and nothing runs" bad_options
check "an unknown event: the nearest" refused 125 "'FPU_FMA_3'; the nearest: FPU_FMA_2" \
	-e FPU_FMA_3 sh -c ': > ran'
check "... by the beginning where no name is near" refused 125 "'FPU_FOO'; the nearest: FPU_FMA_2" \
	-e FPU_FOO sh -c ': > ran'
check "a glob that matches nothing: the nearest" refused 125 "'PU0_IPPE\*'; did you mean PU0_IPIPE\*?" \
	-e 'PU0_IPPE*' sh -c ': > ran'
check "perf's names of what no model has: why not" refused 125 "'cycles' is not modelled: .* time" \
	-e cycles sh -c ': > ran'
check "... and PAPI's" refused 125 "'PAPI_L1_DCM' is not modelled: .* caches" -e PAPI_L1_DCM sh -c ': > ran'
check "what is the kernel's: who counts it" refused 125 "'faults' is the kernel's.*upc_stat -e faults" \
	-e faults sh -c ': > ran'
check "a cache's event: why not" refused 125 "'PU0_DCACHE_MISS' is not produced: .* caches" \
	-e PU0_DCACHE_MISS sh -c ': > ran'
check "the network's: why not" refused 125 "'TORUS_XP_PACKETS' is not produced: .* network" \
	-e TORUS_XP_PACKETS sh -c ': > ran'
check "a program that is not there: 127" refused 127 "cannot run './nowhere': No such file" ./nowhere
check "... nor in PATH" refused 127 "cannot run 'nosuchprogram'" nosuchprogram
echo data > data
check "what may not be executed: 126" refused 126 "cannot run './data': Permission denied" ./data
chmod +x data
check "what is no program: 126" refused 126 "'./data': it is no program" ./data
check "a directory: 126" refused 126 "Is a directory" ./
printf '#!/no/such/shell\n' > script
chmod +x script
check "a script without its interpreter: 126" refused 126 "/no/such/shell.*interpreter" ./script
printf '#!./loop\n' > loop
chmod +x loop
check "a script that is its own interpreter: 126" refused 126 "symbolic links\|interpreters" ./loop
# The first 20 bytes of an ELF header: class, order, machine.
elf()
{
	# shellcheck disable=SC2059
	printf "\\177ELF\\00$1\\00$2\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0$3" > foreign
	head -c 1000 /dev/zero >> foreign
	chmod +x foreign
}
elf 2 2 '\0\002\0\025'
check "64-bit PowerPC is refused by name" refused 125 \
	"64-bit PowerPC, which is not simulated: compile it for x86-64, AArch64, 32-bit PowerPC or 64-bit RISC-V$" ./foreign
elf 1 1 '\002\0\363\0'
check "32-bit RISC-V likewise" refused 125 "32-bit RISC-V.*not simulated: compile it" ./foreign
elf 2 2 '\0\002\0\363'
check "big-endian RISC-V likewise" refused 125 "big-endian RISC-V.*not simulated: compile it" ./foreign
cp /bin/true secure
if [ "$(id -u)" = 0 ] && chown 65534 secure && chmod 4755 secure; then
	check "a set-user-id program is refused" refused 125 "more rights than its user" ./secure
else
	skip "a set-user-id program is refused" "only root can make one of somebody else's"
fi
sh=$(command -v sh)
no_qemu()
{
	mkdir -p empty
	PATH=$dir/empty "$tool" "$sh" -c ': > ran' > out 2> err
	[ $? = 125 ] && grep -q "is not installed: install qemu-user" err && [ "$(wc -l < err)" = 1 ] &&
		[ ! -e ran ]
}
# One in PATH that cannot load the plugin is as good as none (Debian 13).
own_qemu()
{
	mkdir -p empty
	PATH=$dir/empty "$tool" -o report "$sh" -c ': > ran' > out 2> err && rm ran
}
if [ -x "${prefix:?}/lib/upc/qemu/qemu-$(uname -m)" ]; then
	check "no qemu: that of scripts/sim/qemu-build" own_qemu
else
	check "no qemu: says what to install" no_qemu
fi
linker()
{
	printf 'int main(void) { return 0; }\n' > main.c
	${CC:-cc} -Wl,--dynamic-linker=/no/linker -o unlinked main.c 2> err
}
if command -v "qemu-$(uname -m)" > /dev/null && [ -e "$UPC_SIM_PLUGIN" ] && linker; then
	check "a dynamic linker that is not there: 126" refused 126 \
		"cannot run './unlinked': it needs the dynamic linker '/no/linker' of .*--prefix" ./unlinked
else
	skip "a dynamic linker that is not there: 126" "no compiler, no emulator or no simulator"
fi
check "--qemu of nothing" refused 125 "cannot run the emulator './nowhere'" --qemu ./nowhere sh -c ': > ran'
# emulator NAMES VERSION: a program of these names, which runs nothing
emulator()
{
	echo "int $1; int main(void) { return 0; }" | ${CC:-cc} -rdynamic -x c -o emulator -
}
emulator nothing
check "an emulator that loads no plugins, as one that is static" refused 125 \
	"emulator' loads no plugins.*Debian 13.*scripts/sim/qemu-build" --qemu ./emulator sh -c ': > ran'
emulator qemu_plugin_scoreboard_new
check "an emulator of QEMU 9.0" refused 125 "version 2 of QEMU's plugin interface.*1 (QEMU 6.2 to 8.2) and 4" \
	--qemu ./emulator sh -c ': > ran'
emulator "qemu_plugin_scoreboard_new, qemu_plugin_register_vcpu_tb_exec_cond_cb"
check "... of 9.1" refused 125 "version 3 of QEMU's plugin interface" --qemu ./emulator sh -c ': > ran'
printf '#!/bin/sh\necho "qemu-x86_64 version 6.1.0"\n' > emulator
check "a script that starts one which is too old" refused 125 "emulator' loads no plugins.*older than 6.2" \
	--qemu ./emulator sh -c ': > ran'
printf '#!/bin/sh\nexec qemu-%s "$@"\n' "$(uname -m)" > emulator
find_emulators
check "a script that starts one which will do" run 3 --qemu ./emulator sh -c 'exit 3'
# What a later emulator says of a module that it does not take any more.
printf '#!/bin/sh\n[ "$1" = --version ] && echo "qemu-x86_64 version 99.0.0" && exit
echo "only a minimum version of 9" >&2; exit 1\n' > emulator
too_new()
{
	run 125 --qemu ./emulator sh -c ': > ran' || return 1
	grep -q "minimum version of 9" err && grep -q "nothing was counted: .*emulator' ended before the program began" err
}
check "an emulator that is too new: its own words, and ours" too_new
check "no simulator: says how to find it" refused 125 "simulator './nowhere'.*UPC_SIM_PLUGIN" \
	--plugin ./nowhere sh -c ': > ran'
check "a report that cannot be written" refused 125 "cannot write 'no/where'" -o no/where sh -c ': > ran'
hidden()
{
	# shellcheck disable=SC2016
	unshare -m sh -c "$1"' && exec "$0" "$@"' "$tool" sh -c ': > ran' > out 2> err
	[ $? = 125 ] && grep -q "$2" err && [ "$(wc -l < err)" = 1 ] && [ ! -e ran ]
}
limited()
{
	# shellcheck disable=SC2016
	sh -c "ulimit $1"' && exec "$0" "$@"' "$tool" sh -c ': > ran' > out 2> err
	[ $? = 125 ] && tail -n 1 err | grep -q "^upc_run: $2" && [ ! -e ran ]
}
check "files that may not be large" limited "-f 8" "files may not be as large"
own_mounts=false
if unshare -m mount -t tmpfs none /dev/shm 2> /dev/null; then
	own_mounts=true
	check "shared memory that is full" hidden \
		'mount -t tmpfs -o size=64k none /dev/shm && head -c 64k /dev/zero > /dev/shm/x' \
		"shared memory is full"
	check "shared memory that is not there" hidden \
		'mount -t tmpfs none /dev && : > /dev/null' "mount a tmpfs at /dev/shm"
else
	skip "shared memory that is full" "no mount name space of one's own here"
	skip "shared memory that is not there" "no mount name space of one's own here"
fi
check "upc_stat --sim: not with what runs already" [ "$("$UPC_STAT" --sim -p 1 2> /dev/null; echo $?)" = 125 ]

# ---- programs

if cannot_simulate; then
	skip_rest "simulated programs" "$missing"
	exit 0
fi
check "memory that the emulator cannot have: no report of nothing" limited "-v 200000" \
	"nothing was counted: .* before the program began; it may have 195 MB of address space, and needs more"
check "a program is simulated" run 0 -o report true
check "the report goes to a file" grep -q '^  INSTRUCTIONS ' report
report_width()
{
	! awk 'length > 80' report | grep .
}
check "... in 80 columns" report_width
check "... and nothing else is written" [ ! -s out ]
check "... to either" [ ! -s err ]
check "the program's output is its own" run 0 -- echo 'a  b' c
check "... and nothing is added to it" [ "$(cat out)" = 'a  b c' ]
check "the table is on standard error" grep -q '^ echo a  b c: .* 1 process, 1 thread on 1 core' err
reads()
{
	printf 'x\ny\n' | run 0 -o report wc -l && [ "$(tr -d ' ' < out)" = 2 ]
}
check "standard input is the program's" reads
check "the exit status is the program's" run 7 -o report sh -c 'exit 7'
unwritable()
{
	for form in text json csv stat; do
		run 125 -f $form -o /dev/full true && grep -q "^upc_run: cannot write to /dev/full: No space left" err ||
			return 1
	done
}
check "a report that a full disk has not taken: said, and 125, in all forms" unwritable
full_stream()
{
	"$tool" -o - true > /dev/full 2> err
	[ $? = 125 ] && grep -q '^upc_run: cannot write to standard output: No space left' err
}
check "... of standard output, by its name" full_stream
closed_stream()
{
	rm -f ran
	"$tool" -o - sh -c ': > ran' >&- 2> err
	[ $? = 125 ] && grep -q '^upc_run: cannot write to standard output: it is closed' err && [ ! -e ran ]
}
check "... that is closed: said, and nothing runs" closed_stream
# shellcheck disable=SC2016
check "a program that a signal ends: 128 and the signal" run 143 -o report sh -c 'kill -TERM $$'
check "... which is in the report" grep -q 'ended by signal 15' report
cat > args << 'SH'
#!/bin/sh -u
printf '%s|' "$0" "$@"
SH
chmod +x args
args()
{
	./args 'a b' '' -x > plain && run 0 -o report ./args 'a b' '' -x && cmp plain out
}
check "a script, with its arguments" args
args_by_path()
(
	mkdir -p bin && cp args bin/in-path
	PATH=$dir/bin:$PATH
	in-path 1 > plain && run 0 -o report in-path 1 && cmp plain out
)
check "... also by PATH" args_by_path
# Five interpreters that are scripts, as many as Linux follows; six are too many.
nested()
{
	printf '#!%s\n' "$sh" > nest0
	printf 'echo "$@"\n' >> nest0
	for i in 1 2 3 4 5; do
		printf '#!%s/nest%d\n' "$dir" $((i - 1)) > nest$i
	done
	chmod +x nest?
	./nest4 a > plain && run 0 -o report ./nest4 a && cmp plain out && run 126 ./nest5 a
}
check "scripts for scripts" nested
environment()
{
	# For the program alone: the emulator would refuse the one and not find its libraries by the other.
	(export QEMU_LOG=nosuchitem LD_DEBUG_OUTPUT=x LD_LIBRARY_PATH="$dir" && env > plain && run 0 -o report env &&
		grep -v ^_= plain | sort > a && grep -v -e ^_= -e ^UPC_SOURCE= out | sort > b && cmp a b)
}
check "the program has the variables that the emulator would heed" environment
source_of_counts()
{
	run 0 -o report env && grep -q '^UPC_SOURCE=sim$' out &&
		(export UPC_SOURCE=live && run 0 -o report env && grep -q '^UPC_SOURCE=live$' out)
}
check "... and UPC_SOURCE=sim, if not another" source_of_counts
cat > catch.sh << 'SH'
trap 'echo caught > caught; exit 9' TERM
: > ready
while :; do sleep 0.1; done
SH
forwards()
{
	rm -f ready caught
	"$tool" --children=off -o report sh catch.sh > out 2> err &
	pid=$!
	tries=0
	while [ ! -e ready ] && [ $tries -lt 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill -TERM $pid
	wait $pid
	[ $? = 9 ] && [ -s caught ]
}
check "a signal sent to upc_run reaches the program" forwards
# shellcheck disable=SC2016
left_over()
{
	unshare -m sh -c 'mount -t tmpfs none /dev/shm && "$0" -o report sh -c "/bin/true & wait" &&
		{ "$0" -o report sh -c "kill -KILL \$\$"; [ $? = 137 ]; } && ls -A /dev/shm' \
		"$tool" > out 2> err && [ ! -s out ]
}
if $own_mounts; then
	check "nothing is left in shared memory" left_over
else
	skip "nothing is left in shared memory" "no mount name space of one's own here"
fi

# ---- numbers

# shellcheck disable=SC2016
echo 'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); done' > count.sh
again()
{
	counted -- sh count.sh && grep -v ^fact csv | cut -d, -f1,4-6 > first && counted -- sh count.sh &&
		grep -v ^fact csv | cut -d, -f1,4-6 > second && cmp first second
}
check "twice the same: the same counts" again
check "... which are some" [ "$(value INSTRUCTIONS)" -gt 10000 ]
check "TOT_INS is INSTRUCTIONS" [ "$(value TOT_INS)" = "$(value INSTRUCTIONS)" ]
check "one thread is core 0's" [ "$(value PU0_INSTRUCTIONS)" = "$(value INSTRUCTIONS)" ]
check "BR_INS, LD_INS, SR_INS are those of the unit" [ "$(value BR_INS) $(value LD_INS) $(value SR_INS)" = \
	"$(value IPIPE_BRANCHES) $(value DATA_LOADS) $(value DATA_STORES)" ]
check "nothing of caches" [ -z "$(value DCACHE_MISS)$(value PU0_ICACHE_HIT)" ]
check "--events: these alone" counted -e PU0_DATA_LOADS,FP_OPS true
check "... of the core and of all" [ "$(grep -v ^fact csv | cut -d, -f5 | tr '\n' ' ')" = "event FP_OPS PU0_DATA_LOADS " ]
per_process()
{
	# The shell, its child, and that as another program.
	counted --per-process -t -e INSTRUCTIONS sh -c '/bin/true & wait' &&
		awk -F, '{ n[$1]++; sum[$1] += $6 } $1 == "process" { pid[$2] }
			END { for (p in pid) pids++; exit !(n["process"] == 3 && n["thread"] == 3 && pids == 2 &&
			sum["process"] == sum["run"] && sum["thread"] == sum["run"]) }' csv
}
check "--per-process and --per-thread add up to the whole" per_process
children_off()
{
	counted --per-process --children=off -e INSTRUCTIONS sh -c '/bin/true & wait' &&
		[ "$(grep -c ^process csv)" = 1 ]
}
check "--children=off: the program alone" children_off
# Outside the simulator libupc would refuse it.
children_source()
{
	run 0 --children=off -o report sh -c 'env; exec env' && [ "$(grep -c '^UPC_SOURCE=sim' out)" = 1 ] &&
		run 0 -o report sh -c 'env; exec env' && [ "$(grep -c '^UPC_SOURCE=sim' out)" = 2 ]
}
check "... and only who is simulated is told to count that" children_source
own_rights()
{
	cp /bin/true own && chmod 4755 own &&
		counted -e INSTRUCTIONS sh -c './own; /bin/true; ./nowhere 2> /dev/null; exit 0' && ! grep '^note' csv
}
check "children that would be set to their own user are simulated" own_rights
privileged()
{
	counted -e INSTRUCTIONS sh -c './secure; ./secure; exit 0' &&
		grep -q '^note,.*2 processes have executed .* not in the counts' csv &&
		grep -q '^run,,,,INSTRUCTIONS,.*,at least,.*,missing: ' csv && ! grep '^run,.*,exact,' csv &&
		run 0 -o text sh -c './secure; exit 0' && grep -q '>=' text && ! grep 'All counts are exact' text
}
if [ -u secure ]; then
	check "children that cannot be simulated run, and that is said" privileged
else
	skip "children that cannot be simulated run, and that is said" "only root can make one of somebody else's"
fi
# of POINTER [PREFIX]: events and values there, without the prefix, which others do not have
of()
{
	awk -F '\t' -v at="$1/counts/" -v prefix="\"${2-}" '
		index($1, at) != 1 { next }
		{ split(substr($1, length(at) + 1), part, "/") }
		part[2] == "event" { name[part[1]] = $2 }
		part[2] == "value" { value[part[1]] = $2 }
		END {
			for (i in name)
				if (index(name[i], prefix) == 1 && (prefix != "\"" || name[i] !~ /^"PU[0-3]_/))
					print substr(name[i], length(prefix) + 1), value[i]
		}' leaves | sort
}
json()
{
	run 0 -f json -o json --per-process -t -- sh -c 'exit 0' && leaves_of json &&
		leaf /0/schema 2 && leaf /0/tool '"upc_run"' && leaf /0/exit_status 0 &&
		leaf /0/cores/0 0 && ! at /0/cores/1 && of /0/run/0 > sum && grep -q '^INSTRUCTIONS" [1-9]' sum &&
		! grep -q DCACHE_MISS sum || return 1
	of /0/run/0 PU0_ | cmp sum - && of /0/threads/0 | cmp sum - && of /0/processes/0 | cmp sum -
}
check "--format=json" json
check "--progress says how far it is" run 0 --progress -o report sleep 3
check "... in a line" grep -q '^upc_run: .* s, .* million instructions, .* a second, 1 thread$' err
# on_terminal ARGUMENTS: on a terminal, with all that is in ARGUMENTS; seen is what it shows
on_terminal()
{
	env TERM=xterm timeout 600 script -qec "exec $tool $*" typescript > seen 2>&1
}
own_line()
{
	on_terminal "-o report sh -c 'sleep 3; echo here >&2' > file" &&
		LC_ALL=C grep -q "$(printf '\r')[0-9.]* s, .*threads*$(printf '\033')\[Khere" seen
}
no_line()
{
	on_terminal "-o report sh -c 'printf a; sleep 3; echo b'" && ! LC_ALL=C grep -q '[^a-b[:space:]]' seen
}
lines()
{
	on_terminal "--progress -o report sleep 3" &&
		grep -q '^upc_run: .* million instructions' seen && ! LC_ALL=C grep -q "$(printf '\033')" seen
}
if command -v script > /dev/null && on_terminal --version && grep -q upc_run seen; then
	check "a terminal has a line if the output goes elsewhere; messages follow it" own_line
	check "... none if the output goes there, which stays as it is" no_line
	check "... but if it is asked for, lines like others" lines
else
	for name in "a terminal has a line if the output goes elsewhere; messages follow it" \
		"... none if the output goes there, which stays as it is" "... but if it is asked for, lines like others"; do
		skip "$name" "no script(1) to make a terminal with"
	done
fi
check "upc_stat --sim has its own table" [ "$("$UPC_STAT" --sim -o report -- sh -c 'exit 5'; echo $?)" = 5 ]
check "... of the simulated events" grep -q '^ *[0-9,]*  *[0-9.]* %  IPIPE_BRANCHES$' report

# ---- what outlives it

# A daemon waits until upc_run has ended, then has children that end in each way: none of the files
# that they make in /dev/shm stays there.
cat > daemon.sh << 'SH'
grep -o 'upc-run-[A-Za-z0-9]*' /proc/$PPID/maps | sort -u > own
{
	i=0
	until [ -e gone ] || [ $i = 3000 ]; do sleep 0.1; i=$((i + 1)); done
	(:)
	/bin/true
	sh -c 'kill -KILL $$'
	: > done
} > /dev/null 2>&1 < /dev/null &
SH
outlives()
{
	rm -f gone done own
	run 0 -o report sh daemon.sh || return 1
	: > gone
	i=0
	until [ -e done ] || [ $i = 3000 ]; do sleep 0.1; i=$((i + 1)); done
	[ -e done ] && [ -s own ] && ls /dev/shm > now && ! grep -f own now
}
check "a daemon's children leave no files behind" outlives
# upc_run itself is killed: the program goes on to its end, and nothing stays.
cat > stays.sh << 'SH'
grep -o 'upc-run-[A-Za-z0-9]*' /proc/$$/maps | sort -u > own
i=0
until [ -e gone ] || [ $i = 3000 ]; do sleep 0.1; i=$((i + 1)); done
/bin/true
: > done
SH
no_file()
{
	ls /dev/shm > now && ! grep -q -f own now
}
survives()
{
	rm -f gone done own
	"$tool" -o report sh stays.sh > out 2> err &
	pid=$!
	until_passes test -s own || return 1
	kill -KILL $pid
	wait $pid
	until_passes no_file && : > gone && until_passes test -e done && no_file
}
check "upc_run is killed: the program goes on, and leaves no files behind" survives

# ---- little shared memory

cat > many.c << 'C'
#include <pthread.h>
#include <unistd.h>
static pthread_barrier_t all;
static void *wait_for_all(void *p)
{
	pthread_barrier_wait(&all);
	return p;
}
int main(void)
{
	pthread_t thread[200];
	pthread_attr_t small;
	int i;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all, 0, 200);
	for (i = 0; i < 200; i++)
		if (pthread_create(&thread[i], &small, wait_for_all, 0))
			return 1;
	for (i = 0; i < 200; i++)
		pthread_join(thread[i], 0);
	return 0;
}
C
# in_memory SIZE ARGUMENT...: $got is the status
in_memory()
{
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs -o "size=$1" none /dev/shm && shift && exec "$@"' sh "$@" > out 2> err
	got=$?
}
# All that ran, or an error which says why not, and a report that is marked.
little()
{
	for size in 48k 64k 128k 256k 512k 1m 2m; do
		rm -f csv text json
		in_memory $size "$tool" -t -e INSTRUCTIONS -f csv -o csv ./many
		echo "# $size: status $got, $(grep -c ^thread csv) threads"
		[ $got = 125 ] && grep -q "^upc_run: not all was counted: .*no memory left in /dev/shm" err &&
			grep -q "^note,.* threads more than there is memory for in /dev/shm" csv || return 1
	done
	in_memory 256k "$tool" -o text ./many
	[ $got = 125 ] && grep -q "at least the counts of columns" text || return 1
	in_memory 256k "$tool" -f json -o json ./many
	[ $got = 125 ] && grep -q '"missing: ' json || return 1
}
enough()
{
	in_memory 8m "$tool" -t -e INSTRUCTIONS -f csv -o csv ./many
	[ $got = 0 ] && [ "$(grep -c ^thread csv)" = 201 ] && [ ! -s err ]
}
# The file system fills up while the program runs: its counts go to memory of its own.
# shellcheck disable=SC2016
echo 'head -c 64m /dev/zero > /dev/shm/all 2> /dev/null; i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done;
	sort /dev/null; eval "$1"; rm /dev/shm/all' > fills.sh
fills()
{
	in_memory 4m "$tool" --children=off -e INSTRUCTIONS -f csv -o csv sh fills.sh
	[ $got = 0 ] && ! grep '^note' csv && [ "$(value INSTRUCTIONS)" -gt 200000 ]
}
cuts_off()
{
	# shellcheck disable=SC2016
	in_memory 4m "$tool" --children=off -e INSTRUCTIONS -f csv -o csv sh fills.sh 'kill -KILL $$'
	[ $got = 125 ] && grep -q '^note,.*killed when there was no memory left' csv &&
		grep -q "^upc_run: not all was counted" err
}
if ! ${CC:-cc} -O1 -pthread -o many many.c 2> err || ! $own_mounts; then
	for name in "little shared memory: said, and 125" "... enough of it: nothing is said" \
		"shared memory that fills up: all is counted" "... but of who is killed then: said, and 125"; do
		skip "$name" "no mount name space of one's own here, or no compiler"
	done
else
	check "little shared memory: said, and 125" little
	check "... enough of it: nothing is said" enough
	check "shared memory that fills up: all is counted" fills
	check "... but of who is killed then: said, and 125" cuts_off
fi

# ---- instructions that nobody knows

# AVX-512, which QEMU does not have: as often as it is told, where the program has a handler for that.
cat > illegal.c << 'C'
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
static int n;
static void handle(int s, siginfo_t *i, void *u)
{
	n++;
	((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP] += 6;
}
int main(int argc, char **argv)
{
	struct sigaction a = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	int i, k = argc > 1 ? atoi(argv[1]) : 1;

	if (argc > 1)
		sigaction(SIGILL, &a, 0);
	for (i = 0; i < k; i++)
		__asm__ volatile("nop\n\t.byte 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1\n\tnop");
	return n != k;
}
C
illegal()
{
	counted ./illegal 1000 && [ "$(value UNKNOWN) $(value PU0_UNKNOWN)" = "1000 1000" ] &&
		grep -q '^note,.*1,000 times an instruction .*: 62 f1 7c 48 58 c1 .*of illegal' csv
}
illegal_ends()
{
	run 132 -f csv -o csv ./illegal && [ "$(value UNKNOWN)" = 1 ] &&
		grep -q '^note,.*the instruction that ended it, most likely 62.*AVX-512; compile for x86-64-v3' csv
}
# Of a script's child, which an emulator may end by itself.
# shellcheck disable=SC2016
child_ends()
{
	run 132 -f csv -o csv sh -c './illegal; exit $?' &&
		grep -q '^note,.*the instruction that ended it, most likely 62.* of illegal: .*compile for x86-64-v3' csv
}
# traps STATUS LETTER BYTES: what ./ends does for it
traps()
{
	run "$1" -f csv -o csv ./ends "$2" &&
		[ "$(grep -c 'a trap, which programs execute on purpose, most likely '"$3"'.* at 0x' csv)" = 1 ] &&
		! grep -q '^note,.*\(emulator\|decoder\)' csv
}
# sent LETTER: a signal is no instruction
sent()
{
	run 132 -f csv -o csv ./ends "$1" && grep -q '^note,.*ended by signal 4' csv && ! grep -q '^note,.*most likely' csv
}
cat > ends.c << 'C'
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile long *n;
static void *work(void *p)
{
	for (;;)
		++*n;
}
/* Until somebody is at it. */
static void await_work(void)
{
	while (!*n)
		usleep(1000);
}
int main(int argc, char **argv)
{
	pthread_t thread;

	n = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	switch (*argv[1]) {
	case '1':
		__asm__ volatile("nop\n\t.byte 0x67, 0x0f, 0xb9, 0x40, 0x16");
		break;
	case '2':
		__builtin_trap();
	case '3':
		__asm__ volatile("int3");
		break;
	case 'r':
		raise(SIGILL);
		break;
	case 't':
		pthread_create(&thread, 0, work, 0);
		await_work();
		raise(SIGILL);
		break;
	case 'k': /* by another, at work */
		if (fork() == 0) {
			await_work();
			kill(getppid(), SIGILL);
			_exit(0);
		}
		work(0);
	}
	return 0;
}
C
all_known()
{
	counted ./illegal 0 && [ -z "$(value UNKNOWN)" ] && ! grep -q '^note' csv
}
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -D_GNU_SOURCE -O1 -o illegal illegal.c 2> err; then
	check "unknown instructions are counted by execution, and shown" illegal
	check "... ends a program: what to do about it" illegal_ends
	check "... ends a script's child: the same" child_ends
	check "... none: nothing is said of them" all_known
else
	for name in "unknown instructions are counted by execution, and shown" \
		"... ends a program: what to do about it" "... ends a script's child: the same" \
		"... none: nothing is said of them"; do
		skip "$name" "not on x86-64, or no compiler"
	done
fi

if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -O1 -pthread -o ends ends.c 2> err; then
	check "ud1, by which programs end themselves: that it is a trap" traps 132 1 '67 0f b9'
	check "... ud2" traps 132 2 '0f 0b'
	check "... int3" traps 133 3 cc
	check "a program sends itself SIGILL: no instruction is named" sent r
	check "... of which another thread is at work" sent t
	check "... or it is sent by another process" sent k
else
	for name in "ud1, by which programs end themselves: that it is a trap" "... ud2" "... int3" \
		"a program sends itself SIGILL: no instruction is named" "... of which another thread is at work" \
		"... or it is sent by another process"; do
		skip "$name" "not on x86-64, or no compiler"
	done
fi

# ---- threads that wait actively

cat > team.c << 'C'
int main(void)
{
	int n = 0;

#pragma omp parallel num_threads(3) reduction(+ : n)
	n++;
	return n != 3;
}
C
# team SETTING: whether the report recommends passive waiting
team()
{
	run 0 -f csv -o csv env -u OMP_WAIT_POLICY ${1:+"$1"} ./team && grep -q '^note,.*set OMP_WAIT_POLICY=passive' csv
}
waits_passively()
{
	! team OMP_WAIT_POLICY=passive && [ "$got" = 0 ] && counted ./many && ! grep '^note,.*OMP_' csv
}
if ${CC:-cc} -O1 -fopenmp -o team team.c 2> err && [ -e many ]; then
	check "OpenMP's threads wait actively: what to do about it" team ""
	check "... not when they do not, nor of other threads" waits_passively
else
	skip "OpenMP's threads wait actively: what to do about it" "a compiler without OpenMP"
	skip "... not when they do not, nor of other threads" "a compiler without OpenMP"
fi

# ---- regions

cat > prog.c << 'C'
__attribute__((noinline)) int solve(int n) { return n > 0 ? solve(n - 1) + 1 : 0; }
__attribute__((noinline)) int set_up(int n) { volatile int sum = 0; while (n--) sum += n; return sum; }
int main(void) { return set_up(1000) + solve(10) + solve(20) == 499530 ? 0 : 1; }
C
if aarch64-linux-gnu-gcc -static -x c -o hwcap - 2> err << 'C' && command -v qemu-aarch64 > /dev/null; then
#include <sys/auxv.h>
int main(void)
{
	return getauxval(AT_HWCAP) >> 22 & 1; /* SVE */
}
C
	check "AArch64 has vectors of 16 bytes, and no wider ones" run 0 ./hwcap
else
	skip "AArch64 has vectors of 16 bytes, and no wider ones" "no compiler for it, or no emulator"
fi
if ${CC:-cc} -O1 -fno-optimize-sibling-calls -o prog prog.c 2> err; then
	check "regions" counted -R solve -R set_up -e INSTRUCTIONS ./prog
	check "... entered from outside only" [ "$(value entered solve) $(value entered set_up)" = "2 1" ]
	inside()
	{
		[ "$(value INSTRUCTIONS solve)" -gt 90 ] && [ "$(value INSTRUCTIONS solve)" -lt 1000 ] &&
			[ "$(value INSTRUCTIONS set_up)" -gt 3000 ] &&
			[ "$(value INSTRUCTIONS set_up)" -lt 10000 ]
	}
	check "... with what they do" inside
	check "an unknown function: the nearest" refused 125 "no function 'slove' in './prog'.*nearest: solve" \
		-R slove ./prog
	check "a list of functions" counted -R solve,set_up -e INSTRUCTIONS ./prog
	check "... has a region of each" [ "$(value entered solve) $(value entered set_up)" = "2 1" ]
	check "... an unknown one of it: the nearest" refused 125 "no function 'set_pu' in './prog'.*nearest: set_up" \
		-R solve,set_pu ./prog
	check "... an empty one of it" refused 125 "wants the name of a function" -R solve, ./prog
	check "one of a library" counted -R __libc_start_main -e INSTRUCTIONS ./prog
	check "one that is loaded later, or never" run 0 --late -R slove ./prog
	check "... which is said" grep -q 'region slove was not found' err
else
	skip_rest "regions" "there is no compiler"
fi
