#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# json_doc.sh - doc/reference/json.md has every field that a tool prints, with its type, and no
# other; its examples are as it says; and so are the headings of CSV.
. "${srcdir:?}/ctests/utils.inc"

doc=$srcdir/doc/reference/json.md
plan 30

# section NAME: its lines
section()
{
	awk -v name="## $1" '/^## / { inside = $0 == name } inside' "$doc"
}

# fields NAME: a line "path type" for each; a type ends with "?" where the field may be missing
fields()
{
	section "$1" | awk -F ' *[|] *' '
		/^\| `/ {
			n = split($2, name, /, */)
			types = split($3, type, /, */)
			for (i = 1; i <= n; i++) {
				gsub(/`/, "", name[i])
				at = types == 1 ? 1 : i
				gsub(/ /, "_", type[at])
				print name[i], type[at]
			}
		}'
}

# fenced NAME LANGUAGE: what is in its blocks of the language
fenced()
{
	section "$1" | awk -v begin="\`\`\`$2" '
		$0 == begin { inside = 1; next }
		/^```/ { inside = 0 }
		inside'
}

# conforms NAME: leaves have documented fields only, of their types, and none is missing that has
# to be there; what is there goes to the file seen
conforms()
{
	fields "$1" > fields
	awk -v seen=seen '
		function type_of(value)
		{
			if (value ~ /^"/) return "string"
			if (value ~ /^(true|false)$/) return "boolean"
			if (value ~ /^-?[0-9]+$/) return "integer"
			if (value == "[]" || value == "{}") return "empty"
			return value == "null" ? "null" : "number"
		}
		function is(documented, type)
		{
			sub(/\?$/, "", documented)
			if (documented ~ /_or_null$/ && type == "null") return 1
			sub(/_or_null$/, "", documented)
			return documented == type || (documented == "number" && type == "integer")
		}
		FNR == NR { type[$1] = $2; next }
		{
			at = $1
			value = substr($0, length(at) + 2)
			n = split(at, part, "/")
			path = ""
			actual = "/" part[2]
			has[actual] = 1
			objects[""] = objects[""] " " actual
			for (i = 3; i <= n; i++) {
				actual = actual "/" part[i]
				if (part[i] ~ /^[0-9]+$/) {
					path = path "[]"
					if (!(actual in has) && i < n)
						objects[path] = objects[path] " " actual
				} else {
					path = path (path == "" ? "" : ".") part[i]
				}
				has[actual] = 1
			}
			# The head of json.md has these.
			if (at ~ /^\/[0-9]+\/notes$/)
				next
			if (type_of(value) == "empty") {
				found = 0
				for (name in type)
					if (index(name, path "[]") == 1)
						found = 1
				if (!found) { print "# " at " is empty, and no list"; bad = 1 }
				next
			}
			print path > seen
			if (!(path in type)) { print "# " path " is not in json.md"; bad = 1 }
			else if (!is(type[path], type_of(value))) { print "# " path " is " value ", not " type[path]; bad = 1 }
			some = 1
		}
		END {
			for (name in type) {
				if (type[name] ~ /\?$/)
					continue
				# The object that it belongs to, and its own name there.
				cut = match(name, /\.[^.]*$/)
				parent = cut ? substr(name, 1, cut - 1) : ""
				own = cut ? substr(name, cut + 1) : name
				sub(/(\[\])+$/, "", own)
				n = split(objects[parent], object, " ")
				for (i = 1; i <= n; i++)
					if (!((object[i] "/" own) in has)) {
						print "# " object[i] " has no " own
						bad = 1
					}
			}
			exit bad || !some
		}' fields leaves
}

# example NAME: all of its fields are in its examples, which conform
example()
{
	fenced "$1" json > example.json && leaves_of example.json && conforms "$1" || return 1
	cut -d ' ' -f 1 fields | sort -u > named
	sort -u seen | diff named - > differs || { sed 's/^/# /' differs; false; }
}

# prints NAME FILE: real JSON conforms
prints()
{
	[ -s "$2" ] && leaves_of "$2" && conforms "$1"
}

# heads NAME FILE: it is CSV with the headings that are told
heads()
{
	[ "$(head -n 1 "$2")" = "$(fenced "$1" csv)" ] && [ "$(wc -l < "$2")" -gt 1 ]
}

for name in upc_stat 'upc_stat --compare' upc_run upc_top 'upc_top --list' upc_avail 'upc_wire --show' 'upc_wire --check' upc_replay mpx_run upc_regions 'upc_regions --diff' upc_jobstat upcctl; do
	check "$name: examples have all fields, and no others" example "$name"
done

choose_events
soft=$clock,$faults
# The same as PAPI has them from the component: perf_event may have no events.
counted=upc:::$clock,upc:::$faults
stat_prints()
{
	"$UPC_STAT" -f json -o json -e $soft -- sh -c 'exit 3' && return 1
	prints upc_stat json && leaf /0/exit_status 3 &&
		"$UPC_STAT" -I 50ms -f json -o json -e $soft -- \
			sh -c 'i=0; until [ -s json ] || [ $i = 3000 ]; do sleep 0.1; i=$((i + 1)); done' &&
		prints upc_stat json && at /1/record &&
		"$UPC_STAT" -r 2 -f json -o json -e $soft -- true && prints upc_stat json && at /0/runs/1/seconds &&
		"$UPC_STAT" -r 2 -I 10ms -D 10ms --timeout 30ms -f json -o json -e $soft -- sleep 100 && prints upc_stat json &&
		"$UPC_STAT" -p $$ --per-process -f json -o json -e $soft -- true && prints upc_stat json &&
		leaf /0/parts/0/pid $$
}
check "upc_stat prints what json.md has, and no more" stat_prints
compared()
{
	"$UPC_STAT" -r 4 -f json -o a.json -e $soft,task::majflt -- true &&
		"$UPC_STAT" -r 4 -f json -o b.json -e $soft,task::voluntary_ctxt_switches -- true &&
		"$UPC_STAT" -f json --compare a.json b.json > json && prints 'upc_stat --compare' json &&
		"$UPC_STAT" -f csv --compare a.json b.json > csv && heads 'upc_stat --compare' csv
}
check "... of two reports" compared
traced()
{
	"$UPC_STAT" -t -I 50ms -f json -o json -e $soft -- sh -c 'sleep 0.1 & wait' && prints upc_stat json &&
		"$UPC_STAT" -t -I 50ms -f csv -o csv -e $soft -- sh -c 'sleep 0.1 & wait' && heads upc_stat csv
}
if "${MACHINE:?}" ptrace; then
	check "... and of threads" traced
else
	skip "... and of threads" "tracing is forbidden here"
fi
avail_prints()
{
	"$UPC_AVAIL" --all -f json > json && prints upc_avail json &&
		"$UPC_AVAIL" --all -f csv > csv && heads upc_avail csv
}
check "upc_avail" avail_prints
wire_prints()
{
	"$UPC_WIRE" --show $faults -f json > json && prints 'upc_wire --show' json &&
		"$UPC_WIRE" --show PU0_DCACHE_MISS -f json > json && prints 'upc_wire --show' json &&
		"$UPC_WIRE" --show $faults -f csv > csv && heads 'upc_wire --show' csv
}
check "upc_wire --show" wire_prints
wire_checks()
{
	echo 'upc-wiring 1' > empty &&
		"$UPC_WIRE" --check empty -f json > json && prints 'upc_wire --check' json && leaf /0/file '"empty"' &&
		"$UPC_WIRE" --check empty -f csv > csv && heads 'upc_wire --check' csv
}
check "upc_wire --check" wire_checks
check "... a mistake has no JSON" sh -c 'echo x > wrong; "$1" --check wrong -f json > json 2> err; [ $? = 1 ] && [ ! -s json ]' \
	sh "$UPC_WIRE"
printf 'upc-trace 1\nw 0x000 0xf9c\nw 0x800 0x10\nw 0x900 1\nc 1000 0@2/1\nr 0x000\nr 0x904\ne 0 3\nr 0x000\n' > script
replay_prints()
{
	"$UPC_REPLAY" script --stats -f json > json && prints upc_replay json &&
		for record in irq read fault parity stats; do
			grep -q "\"record\":\"$record\"" json || return 1
		done
	"$UPC_REPLAY" script --stats -f csv > csv && heads upc_replay csv || return 1
	# As many fields in a line as there are headings, and what the text says.
	awk -F, 'NR == 1 { n = NF } NF != n { exit bad = 1 } END { exit bad }' csv &&
		"$UPC_REPLAY" script > text && awk -F, '
			$1 == "read" { print $2, $3 }
			$1 == "fault" { print $1, $2 }
			$1 == "irq" || $1 == "parity" { print $1, $4, $5 }' csv | cmp - text
}
check "upc_replay" replay_prints

top_prints()
{
	"$SHARE_LOAD" "$unit" 3000 ${soft//,/ } > ready 2> err &
	owner=$!
	until_passes [ -s ready ] &&
		"$UPC_TOP" -n 2 -I 50ms --all -f json "$unit" > json && prints upc_top json &&
		"$UPC_TOP" -n 2 -I 50ms -f csv "$unit" > csv && heads upc_top csv &&
		"$UPC_TOP" -l -f json > json && prints 'upc_top --list' json &&
		"$UPC_TOP" -l -f csv > csv && heads 'upc_top --list' csv
	result=$?
	kill $owner
	wait $owner
	return $result
}
unit=json-doc.$$
if file=$(mktemp /dev/shm/upc-test.XXXXXX 2>&1); then
	rm -f "$file"
	check "upc_top, and its list" top_prints
else
	skip "upc_top, and its list" "shared memory, /dev/shm, cannot be written here: ${file##*: }"
fi

. "$srcdir/ctests/service/daemon.inc"
ctl_prints()
{
	printf 'initialize interval=0\nadd %s scope=node\nfinalize\n' "$clock" > config
	daemon_start config && "$UPCCTL" status -f json > json && prints upcctl json &&
		at /0/places/0/running_ns > out && "$UPCCTL" ls -f csv > csv && heads upcctl csv &&
		! "$UPCCTL" halt nobody -f json > json && prints upcctl json && leaf /0/ok false && daemon_stop
}
check "upcctl" ctl_prints

if cannot_simulate; then
	skip "upc_run" "$missing"
	skip "... and what ended it" "$missing"
else
	find_emulators
	run_prints()
	{
		"$UPC_RUN" --no-progress -t --per-process -R malloc --functions -f json -o json -- sh -c 'true & wait' && prints upc_run json &&
			"$UPC_RUN" --no-progress -t --per-process --functions -f csv -o csv -- sh -c 'true & wait' && heads upc_run csv
	}
	check "upc_run" run_prints
	run_ends()
	{
		"$UPC_RUN" --no-progress -f json -o json -- sh -c 'kill -TERM $$'
		prints upc_run json && leaf /0/signal 15
	}
	check "... and what ended it" run_ends
fi

if [ ! -x "$MPX_RUN" ]; then
	skip "mpx_run" "mpx_run is not built: there is no PAPI"
else
	mpx_prints()
	{
		"$MPX_RUN" -f json -o json -g 1 -s 1ms "$MPX_RUN_PROGRAM" threads 1 > out 2>&1 && prints mpx_run json &&
			"$MPX_RUN" -f json -o json --by-place "$MPX_RUN_PROGRAM" places > out 2>&1 && prints mpx_run json &&
			"$MPX_RUN" -f csv -o csv -g 1 "$MPX_RUN_PROGRAM" threads 1 > out 2>&1 && heads mpx_run csv
	}
	check_perf "mpx_run" mpx_prints
fi

if [ ! -x "$UPC_REGIONS" ]; then
	skip "upc_regions" "upc_regions is not built: there is no PAPI"
	skip "... of two runs" "upc_regions is not built: there is no PAPI"
elif [ -n "${SANITIZERS:-}" ]; then
	skip "upc_regions" "a sanitizer's runtime must be the first library of a program"
	skip "... of two runs" "a sanitizer's runtime must be the first library of a program"
else
	cat > marked.c << 'EOF'
#include <libhpm.h>
int main(void)
{
	hpmStart(1, "one");
	hpmStop(1);
	hpmStop(2);
	return 0;
}
EOF
	regions_print()
	{
		libraries=${builddir:?}/src/region/.libs
		$CC -I"$srcdir/include" marked.c -o marked -L"$libraries" -lhpm -Wl,-rpath,"$libraries" &&
			"$UPC_REGIONS" -t -e $counted -f json -o json -- ./marked && prints upc_regions json &&
			"$UPC_REGIONS" -f json -o json -- ./marked && prints upc_regions json &&
			"$UPC_REGIONS" -t -m nopmu -f json -o json -- ./marked && prints upc_regions json &&
			"$UPC_REGIONS" -t -m bgp -f json -o json -- ./marked && prints upc_regions json &&
			"$UPC_REGIONS" -r 2 -e $counted -f json -o json -- ./marked && prints upc_regions json &&
			"$UPC_REGIONS" -m nopmu -f csv -o csv -- ./marked && heads upc_regions csv &&
			"$UPC_REGIONS" -t --paths -f csv -o csv -- ./marked && heads upc_regions csv
	}
	check_perf "upc_regions" regions_print
	regions_differ()
	{
		"$UPC_REGIONS" -r 4 -e $counted -f json -o a.json -- ./marked && cp a.json b.json &&
			"$UPC_REGIONS" --diff a.json -f json -o json b.json && prints 'upc_regions --diff' json &&
			"$UPC_REGIONS" --diff a.json -f csv -o csv b.json && heads 'upc_regions --diff' csv &&
			"$UPC_REGIONS" -r 4 --against ./marked --keep . -f json -o json -- ./marked && prints 'upc_regions --diff' json &&
			prints upc_regions after.json
	}
	check_perf "... of two runs" regions_differ
fi

if [ ! -x "$UPC_JOBSTAT" ] || [ ! -x "$MAKE_ARCHIVE" ]; then
	skip "upc_jobstat" "it is not built: there is no libpcp, or no libpcp_import"
else
	jobstat_prints()
	{
		"$MAKE_ARCHIVE" archives nodes=8 samples=12 counters=3 fault=2:slow:0:99:0.3 fault=3:taken:4:9 fault=4:idle:0:99:2 &&
			"$UPC_JOBSTAT" -f json --bandwidth=l3_misses --define='x=sum(cpu.cycles)' archives > json && prints upc_jobstat json &&
			leaf /0/findings/0/kind '"divergent"' && "$UPC_JOBSTAT" -f csv archives > csv && heads upc_jobstat csv
	}
	check "upc_jobstat" jobstat_prints
fi
