#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpx_run.sh - programs that count with PAPI and know nothing of MPX, run with their
# event sets multiplexed. $MPX_RUN is the tool, $MPX_RUN_LIBRARY what it preloads,
# $MPX_RUN_PROGRAM the programs (ctests/mpx/mpx_run_program.c), linked with libpapi.so.
tool=${MPX_RUN:-mpx_run}
program=${MPX_RUN_PROGRAM:?}
. "${srcdir:?}/ctests/utils.inc"
export MPX_RUN_LIBRARY
CC=${CC:-cc}
unset LD_PRELOAD

if [ -n "${SANITIZERS:-}" ]; then
	echo "1..0 # SKIP a sanitizer's runtime must be the first library of a program"
	exit 0
fi
PAPI_OUTPUT_DIRECTORY=$dir/hl
PAPI_EVENTS=upc:::perf::PAGE-FAULTS
export PAPI_OUTPUT_DIRECTORY PAPI_EVENTS

if ! "$program" one > out 2> err; then
	echo "Bail out! PAPI does not count here: $(head -n 1 err)"
	exit 1
fi
# Everything in turns, in slices that are short.
turns="-q -g 1 -s 1ms"

lines()
{
	[ "$(wc -l < "$1")" = "$2" ]
}

# says TEXT: on standard error
says()
{
	grep -q -e "$1" err
}

# refused STATUS TEXT ARGUMENT...
refused()
{
	status=$1
	text=$2
	shift 2
	run "$status" "$@" && says "$text" && [ ! -e ran ]
}

echo "1..94"

# ---- what plain PAPI cannot do, and what it can

plain()
{
	"$program" "$1" > out 2> err
}
plain_fails()
{
	! plain "$1"
}
check "two sets at once are too many for PAPI" plain_fails two
check "... and not with mpx_run" run 0 "$program" two
check "... also where they take turns" run 0 $turns "$program" two
if plain fortran && grep -q '^no Fortran$' out; then
	skip "from Fortran they are too many" "this PAPI was built without Fortran"
	skip "... and not with mpx_run" "this PAPI was built without Fortran"
else
	check "from Fortran they are too many" plain_fails fortran
	check "... and not with mpx_run" run 0 "$program" fortran
fi
check "more events than fit, read while they count" run 0 $turns "$program" many
close()
{
	# Within a quarter: 60,000 faults, a fifth of them in some dozens of slices.
	awk '$1 == "many" { exit !($2 > 45000 && $2 < 75000 && $3 > 45000 && $3 < 75000) }' out
}
check "... estimated about right" close
# There are 100,000, and each event is counted in a fifth of the stretches.
near()
{
	awk -v least="$1" '$1 == "stretches" { exit !($2 > least && $2 < 114000 && $3 > least && $3 < 114000) }' out
}
reported()
{
	awk '$1 ~ /PAGE-FAULTS|MINOR-FAULTS/ { n++; right += $2 > 86000 && $2 < 114000 && /without a turn in some runs/ && !/rough/ }
	     END { exit !(n == 2 && right == 2) }' err
}
check "a region of less than a slice, 1,000 times" run 0 -g 1 -s 100ms --report "$program" stretches
check "... the program's sums are of all of it" near 86000
check "... and so is the report" reported
check "... also with a set for each time" run 0 -g 1 -s 100ms --report "$program" stretches sets
check "... in the report" reported
for case in one accum errors; do
	check "$case: PAPI by itself" plain $case
	check "$case: with mpx_run" run 0 "$program" $case
	check "$case: and in turns" run 0 $turns "$program" $case
done
check "what no slice has counted is 0 to a program" run 0 -g 1 -s 10s --report "$program" short
check "... in words" says "an event was in no slice yet when it was read, and its value is 0"
once()
{
	[ "$(grep -c 'in no slice yet' err)" = 1 ]
}
check "... once" once
check "PAPI_set_multiplex and its like" run 0 "$program" multiplex
if run 0 -q "$program" mixed && ! grep -q '^no other' out; then
	check "components mixed in a set" run 0 $turns "$program" mixed
else
	skip "components mixed in a set" "PAPI has one component with events here"
fi

# ---- what multiplexing cannot give

check "PAPI_overflow: the set becomes PAPI's" run 0 "$program" overflow
check "... which is said" says "PAPI_overflow, event set .*PAPI counts this set by itself"
check "PAPI_attach likewise" run 0 "$program" attach
check "... which is said" says "PAPI_attach, event set .*PAPI counts this set by itself"
check "... but not with --quiet" run 0 -q "$program" attach
check "... at all" lines err 0
check "what cannot be had is refused, and the set goes on" run 0 "$program" refused
check "... in words for PAPI_write" says "PAPI_write, event set .*: an estimate cannot be written"
check "... and for a set that runs" says "PAPI_overflow, event set .*: not while it runs"
check "the high-level calls keep their own sets" run 0 "$program" high-level
check "... and their own numbers" grep -q '"upc:::perf::PAGE-FAULTS":"[1-9]' hl/papi_hl_output/*.json
check "another thread's set is refused" run 0 "$program" others
check "... in words" says "event set of another thread"

# ---- threads and processes

check "threads that come and go" run 0 $turns "$program" threads 10
check "a child of fork counts for itself" run 0 $turns "$program" fork
check "... and so when it ends by _exit" run 0 $turns "$program" fork now
check "exec, with ticks on their way" run 0 $turns "$program" exec
check "... of another that counts" run 0 $turns "$program" exec again
virtual()
{
	run 0 $turns --timer virtual "$program" exec && run 0 $turns --timer virtual "$program" spawn
}
check "... also with the process's interval timer" virtual
check "posix_spawn and vfork" run 0 $turns "$program" spawn
check "PAPI_shutdown with a set that runs" run 0 $turns "$program" shutdown

# ---- the report

report()
{
	run 0 --report=est.json --json -g 1 -s 1ms "$program" fork now && leaves_of est.json || return 1
	set=0 one=1
	at /0/sets/0/events/1/event > found || set=1 one=0
	[ "$(at /0/pid)" != "$(at /1/pid)" ] && ! at /2/pid && leaf /$set/slice_ns 1000000 &&
		leaf /$set/sets/0/starts 1 && leaf /$set/sets/0/running false && ! at /$set/sets/1/starts &&
		leaf /$set/sets/0/events/0/event '"upc:::perf::PAGE-FAULTS"' &&
		leaf /$set/sets/0/events/1/event '"upc:::perf::MINOR-FAULTS"' &&
		below /$set/sets/0/events | awk -F '[/\t]' '
			{ of[$2, $3] = $4; n = $2 + 1 }
			END {
				for (i = 0; i < n; i++) {
					never = of[i, "exactness"] == "\"uncounted\""
					is_exact = of[i, "exactness"] == "\"exact\""
					coverage = is_exact ? 1 : never ? 0 : of[i, "coverage"]
					sum += coverage
					if (never != (of[i, "value"] == "null") || coverage == "" ||
					    coverage < 0 || coverage > 1)
						wrong = 1
					# Where each tick has fallen into the kernel, the first event had all the time.
					exact += is_exact
					if (is_exact ? of[i, "value"] != of[i, "count"] : !never && !(of[i, "count"] <= of[i, "low"] &&
					    of[i, "low"] <= of[i, "value"] && of[i, "value"] <= of[i, "high"]))
						wrong = 1
					if (!is_exact && of[i, "reasons"] == "")
						wrong = 1
				}
				exit wrong || sum >= 1.5 || exact && (exact > 1 || sum != 1 || of[0, "exactness"] != "\"exact\"")
			}' &&
		leaf /$one/sets/0/events/0/exactness '"exact"' && ! at /$one/sets/0/events/1/event &&
		! at /$one/sets/0/events/0/low && value=$(at /$one/sets/0/events/0/value) && [ "$value" -ge 200 ]
}
check "--json: a line for each process, with errors" report
check "a report that a full disk does not take" eval \
	'run 0 --report=/dev/full --json -g 1 "$program" one && says "cannot write the report to ./dev/full.: No space left"'
german()
{
	(
		export LOCPATH="$PWD/locales" LC_ALL=de_DE.UTF-8
		run 0 --report=de.json --json -g 1 -s 1ms "$program" fork now
	) && leaves_of de.json
}
mkdir locales
if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 > made 2>&1; then
	check "... where the program's numbers have a comma" german
else
	skip "... where the program's numbers have a comma" "localedef makes no de_DE here: $(tail -n 1 made)"
fi
csv()
{
	run 0 --report=est.csv --csv "$program" threads 1 &&
		awk -F, '$1 != "set" { next } { n++; thread[$3] = 1 } $8 < 2000 && /PAGE/ { bad = 1 }
			END { for (t in thread) m++; exit !(n == 40 && m == 8 && !bad) }' est.csv
}
check "--csv: eight threads of five events" csv
# The process's CPU time is the kernel's number, and multiplexing took a part of it.
took()
{
	run 0 --report=took.json --json -g 1 -s 100us "$program" compute && leaves_of took.json &&
		[ "$(at /0/multiplexing_ns)" -gt 0 ] && [ "$(at /0/multiplexing_ns)" -lt "$(at /0/cpu_ns)" ] &&
		run 0 --report -g 1 -s 100us "$program" compute &&
		grep -q '^mpx_run: multiplexing took at least [0-9.]* s of [0-9.]* s of CPU time' err &&
		run 0 --report=took.csv --csv -g 1 -s 100us "$program" compute &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$1 == "set" { took = $at["multiplexing_ns"] > 0 && $at["multiplexing_ns"] < $at["cpu_ns"] }
			END { exit !took }' took.csv
}
check "what multiplexing took of the CPU time, in each form" took
took_little()
{
	run 0 --report=took.json --json -g 1 -s 10s "$program" compute 20 && leaves_of took.json &&
		leaf /0/multiplexing_ns null && run 0 --report -g 1 -s 10s "$program" compute 20 &&
		grep -q '^mpx_run: what multiplexing took could not be told' err
}
check "... which few ticks do not tell" took_little
# What JSON has of the same set, in the order of its fields; numbers of another run may differ.
rich()
{
	run 0 --report=one.csv --csv "$program" one && run 0 --report=one.json --json "$program" one &&
		leaves_of one.json || return 1
	sed 's/"//g' one.csv | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; columns = NF; next }
		{
			bad += NF != columns
		}
		$1 == "fact" && $at["event"] == "tool" { bad += $at["value"] != "mpx_run" }
		$1 == "set" {
			bad += $at["value"] != $at["count"] || $at["counted_time"] != $at["running_time"] ||
				$at["exactness"] != "exact" || $at["reason"] != "" || $at["sets"] != 1 ||
				$at["plain"] != 0 || $at["slice_ns"] != 10000000 || $at["standard_error"] != "" ||
				$at["estimator"] != "auto" || $at["program"] !~ /mpx_run_program$/
		}
		END { exit bad || NR != 4 }' || return 1
	for field in value exactness count counted_time running_time slices; do
		at /0/sets/0/events/0/$field > found && head -n 1 one.csv | grep -q ",$field\(,\|\$\)" ||
			{ echo "# $field"; return 1; }
	done
}
check "... with all that JSON has" rich
# The counters go with the timer's descriptor, and no tick comes any more.
unticked()
{
	run 0 $turns --timer=task-clock --report=lost.csv --csv "$program" closes &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ lost += $at["reason"] ~ /lost: / } END { exit lost != 5 }' lost.csv
}
# By the place of the start: 2500 faults in 21 starts of one place, 4000 in 4 of another.
places()
{
	run 0 --by-place --csv "$program" places || return 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "fact" { next }
		$at["exactness"] != "exact" || ($1 == "set") != ($at["place"] == "") { exit bad = 1 }
		$at["place"] == "" { all = $at["value"]; starts = $at["starts"] }
		$at["place"] ~ /mpx_run_program\+0x/ { n++; sum += $at["value"]; runs += $at["starts"]
			few += $at["starts"] == 21 && $at["value"] >= 2500 && $at["value"] < 2600
			many += $at["starts"] == 4 && $at["value"] >= 4000 && $at["value"] < 4100 }
		END { exit bad || n != 2 || few != 1 || many != 1 || sum != all || runs != starts }' err ||
		{ cat err; return 1; }
}
check "--by-place: what was counted for each place of a start" places
placed()
{
	run 0 --by-place --report=by.json --json "$program" places && leaves_of by.json &&
		leaf /0/sets/0/places/0/starts 21 && leaf /0/sets/0/places/1/starts 4 &&
		leaf /0/sets/0/places/1/events/0/event '"upc:::perf::PAGE-FAULTS"' &&
		run 0 --by-place "$program" places && says " 21  of them at .*mpx_run_program+0x" &&
		run 0 --report "$program" places && ! says "of them at"
}
check "... in each form of the report" placed
# Every field of a set, an event and the process in JSON is a column, and the other way round.
equal()
{
	run 0 --by-place --report=by.csv --csv "$program" places || return 1
	tr '{},' '\n\n\n' < by.json | sed -n 's/^"\([a-z_]*\)":.*/\1/p' | sort -u |
		grep -v -x -e schema -e tool -e version -e sets -e events -e places -e notes > fields
	# Estimates, which these are not, have more.
	head -n 1 by.csv | tr ',' '\n' | sort |
		grep -v -x -e record -e sets -e low -e high -e standard_error -e coverage -e reason > columns
	cmp fields columns || { diff fields columns; return 1; }
}
check "... and CSV has all that JSON has" equal
# Its timer is no descriptor, and goes on.
lost()
{
	run 0 $turns --timer=thread --report "$program" closes && says "PAGE-FAULTS .*slices lost" &&
		run 0 $turns --timer=thread --report=lost.json --json "$program" closes && leaves_of lost.json &&
		below /0/sets/0/events/0/reasons | grep -q '"lost: slices were lost"' &&
		run 0 $turns --timer=thread --report=lost.csv --csv "$program" closes &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ lost += $at["reason"] ~ /lost: / } END { exit lost != 5 }' lost.csv
}
check "slices that were lost are in each form of it" lost
if run 0 --timer=task-clock "$program" one; then
	check "... also where no tick comes any more" unticked
else
	skip "... also where no tick comes any more" "$(head -n 1 err)"
fi
headed()
{
	run 0 -f csv -o - "$program" threads 1 && head -n 1 out | grep -q '^record,pid,tid,' && [ "$(grep -c PAGE out)" = 8 ] &&
		run 0 -f csv "$program" threads 1 && head -n 1 err | grep -q '^record,pid,tid,'
}
check "... with its headings also on standard output, and standard error" headed
check "the table is on standard error" run 0 --report "$program" churn 300
check "... with sets that are gone added up" says "300  (300 sets)"
summed()
{
	faults=$(sed -n 's/^churn //p' out)
	[ "$faults" -ge 3000 ] && says "PAGE-FAULTS  *$faults .*exact"
}
check "... of 3000 faults and those of others, exact" summed
check "a set that runs at the end is in it" run 0 --report "$program" running
check "... and it says so" says "still running"
files()
{
	rm -f est.*
	run 0 --report=est.%p "$program" spawn && [ "$(echo est.*)" != 'est.*' ] &&
		[ "$(ls est.* | wc -l)" = 3 ]
}
check "%p: a file for each process" files
check "a report that cannot be written: 125" refused 125 "cannot write the report" \
	--report=no/where "$program" one
left_in_handler()
{
	run 7 --report=est "$program" leave && says "cannot write the report to .*: Too many open files"
}
check "... also where a handler ends the program" left_in_handler
check "... of which the words take no lock" lines out 0

killed()
{
	for signal in 15 2 6 11 13 10 14; do
		run $((128 + signal)) --report=killed "$program" killed $signal || return 1
		awk '/PAGE-FAULTS/ { found = $2 >= 1000 && $2 < 1100 } END { exit !found }' killed ||
			{ echo "# $signal"; cat killed; return 1; }
	done
}
check "a process that a signal ends writes it" killed
# To a pipe that nobody reads yet.
twice()
{
	rm -f pipe.*
	{
		until [ -p "$(echo pipe.*)" ]; do sleep 0.1; done
		sleep 1
		timeout 600 cat pipe.* > killed
	} &
	sh -c 'mkfifo pipe.$$ && exec "$@"' sh "$tool" --report=pipe.%p "$program" killed-twice > out 2> err
	got=$?
	wait $!
	[ $got = 143 ] && grep -q PAGE-FAULTS killed
}
check "... also where a second signal comes meanwhile, and a timer's" twice
busy()
{
	for i in 1 2 3 4 5; do
		run 143 --report=killed "$program" killed-busy && grep -q PAGE-FAULTS killed || return 1
	done
}
check "... and where other threads make sets" busy
check "... which sees nothing of that" run 143 -q "$program" killed

# ---- the program and its end

check "the exit status is the program's" run 5 -q "$program" none 5
check "... and it is noted that PAPI was not used" run 0 "$program" none
check "... in words" says "no PAPI event set was used"
check "a program that a signal ends" run 143 -q "$program" signal
printf '#!/bin/sh\nexec "%s" "$1"\n' "$program" > script
chmod +x script
check "a script" run 0 $turns ./script two
check "a program that is not there: 127" refused 127 "cannot run './nowhere'" ./nowhere
echo data > data
check "one that may not be run: 126" refused 126 "cannot run './data'" ./data
bad_options()
{
	for options in "-s 50us" "-s 11s" "-s 5" "-s nan" "--timer x" "-c x" "--estimator x" "-g 0" "-f xml" \
		       "--report --json --csv" "--nosuch"; do
		# shellcheck disable=SC2086
		run 125 $options -- sh -c ': > ran' || { echo "# $options"; return 1; }
	done
	run 125 && [ ! -e ran ]
}
check "wrong options: 125, and nothing runs" bad_options

# ---- programs into which nothing can be put

compile()
{
	echo 'int PAPI_start(int set) { return set; } int main(void) { return PAPI_start(0); }' > prog.c
	# shellcheck disable=SC2086
	${CC:-cc} -o "$1" prog.c ${2:-} 2> err
}
if compile static -static; then
	check "a static program is refused" refused 125 "is linked statically" ./static
else
	skip "a static program is refused" "the compiler makes none here"
fi
if compile inside; then
	check "PAPI inside the program is refused" refused 125 "PAPI is linked into" ./inside
	check "... and told where a shell runs it" run 0 sh -c ./inside
	check "... in words" says "PAPI is linked into './inside' itself"
else
	skip "PAPI inside the program is refused" "there is no compiler"
	skip "... and told where a shell runs it" "there is no compiler"
	skip "... in words" "there is no compiler"
fi
printf '\177ELF\002\001\001' > broken
chmod +x broken
check "a broken program: 126" refused 126 "ELF headers are broken" ./broken

# ---- a PAPI that the program opens

opens()
{
	cat > opens.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#define CALL(name, ...) (((int (*)())dlsym(papi, "PAPI_" #name))(__VA_ARGS__))
		int main(int argc, char **argv)
		{
			void *papi = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
			int a = -1, b = -1, version, failed;
			long long value[2] = {-1, -1};
			if (!papi || sscanf(argv[2], "%d", &version) != 1)
				return 9;
			/* Behind the program comes what mpx_run preloads; behind that nothing has PAPI. */
			if (!dlsym(RTLD_NEXT, "PAPI_start") != !getenv("LD_PRELOAD") || dlsym(papi, "PAPI_nonesuch"))
				return 8;
			failed = CALL(library_init, version) != version || CALL(create_eventset, &a) || CALL(create_eventset, &b);
			failed = failed || CALL(add_named_event, a, "upc:::perf::PAGE-FAULTS");
			failed = failed || CALL(add_named_event, b, "upc:::perf::PAGE-FAULTS");
			if (failed)
				return 7;
			failed = CALL(start, a) || CALL(start, b) || CALL(stop, b, value) || CALL(stop, a, value + 1);
			return failed ? 5 : value[1] < value[0] ? 6 : 0;
		}
	END
	${CC:-cc} -w -D_GNU_SOURCE -o opens opens.c -ldl 2> err
}
if ! command -v "${CC%% *}" > /dev/null; then
	skip "two sets at once are too many for a PAPI that is opened" "there is no compiler"
	skip "... and not with mpx_run" "there is no compiler"
elif case $(uname -m) in x86_64 | aarch64) false ;; esac; then
	skip "two sets at once are too many for a PAPI that is opened" "not on this machine: $(uname -m)"
	skip "... and not with mpx_run" "not on this machine: $(uname -m)"
else
	papi=$PAPI_PREFIX/lib/libpapi.so
	version=$(awk '/^#define PAPI_VERSION[ \t]/ && match($0, /[0-9]+,[0-9]+,[0-9]+,[0-9]+/) {
		split(substr($0, RSTART, RLENGTH), v, ","); print v[1] * 16777216 + v[2] * 65536 }' \
		"$PAPI_PREFIX/include/papi.h")
	alone()
	{
		opens || return 1
		./opens "$papi" "$version" > out 2> err
		[ $? = 5 ]
	}
	check "two sets at once are too many for a PAPI that is opened" alone
	check "... and not with mpx_run" run 0 ./opens "$papi" "$version"
fi

# ---- a PAPI without the component

# One with every call that the shim wants, which knows no event, and a program of it.
strange()
{
	{
		sed -n 's/^\tX(\([a-z_]*\)).*/int PAPI_\1(void) { return 0; }/p' \
			"$srcdir/src/mpx/shim/shim_real.h" |
			grep -v ' PAPI_\(library_init\|is_initialized\|event_name_to_code\|get_component_index\)('
		echo 'int PAPI_library_init(int version) { return version; }'
		echo 'int PAPI_is_initialized(void) { return 1; }'
		echo 'int PAPI_event_name_to_code(const char *name, int *code) { return name && code ? -7 : 0; }'
		echo 'int PAPI_get_component_index(const char *name) { return name ? -20 : 0; }'
	} > strange.c
	cat > asks.c <<-'END'
		int PAPI_library_init(int version);
		int PAPI_event_name_to_code(const char *name, int *code);
		int main(int argc, char **argv)
		{
			int code;
			return PAPI_library_init(7) == 7 && argc > 1 ? -PAPI_event_name_to_code(argv[1], &code) : 0;
		}
	END
	${CC:-cc} -shared -fPIC -w -o libpapi.so strange.c -Wl,-soname,libpapi.so.99 2> err &&
		ln -s libpapi.so libpapi.so.99 &&
		${CC:-cc} -o asks asks.c -L. -lpapi -Wl,-rpath,"$PWD" 2> err
}
if command -v "${CC%% *}" > /dev/null; then
	check "a PAPI without the component is made" strange
	check "its program hears its own error" run 7 ./asks upc:::perf::PAGE-FAULTS
	says_which()
	{
		says "no event 'upc:::perf::PAGE-FAULTS': .*$PWD/libpapi.so.99, a PAPI without the component upc" &&
			says "LD_LIBRARY_PATH=$PAPI_PREFIX/lib "
	}
	check "... with what was loaded, and where the right one is" says_which
	newline()
	{
		run 7 ./asks "upc:::two
lines" && lines err 2 && says "no event 'upc:::two?lines'"
	}
	check "... on one line" newline
	check "no words about others' events" run 7 ./asks perf::PAGE-FAULTS
	check "... at all" lines err 1
else
	for name in "a PAPI without the component is made" "its program hears its own error" \
		"... with what was loaded" "... on one line" "no words about others' events" "... at all"; do
		skip "$name" "there is no compiler"
	done
fi
