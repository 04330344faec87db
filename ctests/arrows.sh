#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# arrows.sh - which folder of the product may include what of which other: the table below, in
# which arrows run one way. An include that it does not have fails, and so does a line of it
# that no include needs any more, and a folder that INTERNALS.md does not have. TAP.
set -u
: "${srcdir:=..}"

# A folder, what it may include headers of, and those of its own that others may include.
mapfile -t table <<'END'
src/upc/base          :                                                        : event.h fds.h later.h let_go.h message.h notice.h now.h process.h sized.h source.h sources.def target.h text.h utf8.h words.h
src/upc/engine        :                                                        : engine.h regs.h threshold.h totals.h wave.h
src/upc/share         : src/upc/base                                           : shared.h
src/upc/procfs        : src/upc/base                                           : field.h files.h roots.h
src/upc/perf          : src/upc/base src/upc/procfs                            : context.h perf.h pmus.h
src/upc/powercap      : src/upc/base src/upc/catalogue src/upc/procfs          :
src/upc/replay        : src/upc/base src/upc/engine                            : replay.h trace.h trace_file.h
src/upc/node          : src/upc/base                                           : doorbell.h sim.h
src/upc/catalogue     : src/upc/base src/upc/node src/upc/perf src/upc/procfs  : bgp_events.def bgp_simulated.def bgp_simulated.h cat_pfm.h catalogue.h derived.h driver.h formula.h nearest.h on_demand.h spelling.h spellings.def
src/upc/clock         : src/upc/base src/upc/catalogue                         :
src/upc/wiring        : src/upc/base src/upc/catalogue                         : wiring.h wiring_statement.h wiring_words.h
src/upc/unit          : src/upc/base src/upc/catalogue src/upc/engine src/upc/node src/upc/perf src/upc/replay src/upc/share :
src/upc               : src/upc/base src/upc/catalogue src/upc/node src/upc/replay src/upc/wiring :
src/mpx/stat          :                                                        : stat.h estimate.c burden.h level.h pool.h regions.h joint.h ratio.h
src/mpx/core          : src/mpx/stat src/upc/base                              : backend.h core.h error.h
src/mpx/ticker        : src/mpx/core src/upc/base                              : inside.h thread_exit.h tick.h timer.h timer_attached.h
src/mpx/runtime       : src/mpx/core src/mpx/ticker                            : in_call.h libupc.h spread.h turns.h
src/mpx/papi          : src/mpx/core src/upc/catalogue                         : papi_backend.h
src/mpx/process       : src/mpx/core src/mpx/papi src/mpx/stat src/mpx/ticker src/upc/base : target.h thread.h
src/mpx/shim          : src/mpx/process src/mpx/stat src/mpx/ticker src/upc/base : mpx_elf.h shim_exec.h
src/mpx               : src/mpx/core src/mpx/process src/mpx/stat src/upc/base :
src/components/upc    : src/mpx/core src/mpx/runtime src/mpx/stat src/mpx/ticker src/upc/base :
src/region            : src/mpx/stat src/sim/decode src/upc/base src/upc/node  : region.h sum.h names.h settings.h recorded.h whole.h
src/region/front      : src/mpx/shim src/region                                :
src/sim/decode        : src/upc/catalogue                                      : decode.h guest.h model.h
src/sim/count         : src/sim/decode src/upc/base                            : account.h guest_memory.h left.h leftover.h region.h results.h score.h team.h thread.h
src/sim/load          : src/sim/count src/sim/decode src/upc/catalogue         : chosen.h demangle.h elf_file.h emulator.h exec.h needed.h objects.h places.h preload.h
src/sim/plugin        : src/sim/count src/sim/decode src/sim/load src/upc/engine src/upc/node :
src/service           : src/upc/base src/upc/catalogue src/upc/procfs          : request.h service.h
src/pmda              : src/service src/upc/base                               :
utils/lib             : src/mpx/shim src/mpx/stat src/service src/upc/base src/upc/catalogue : clock.h common.h control.h data.h difference.h list.h options.h output.h pager.h papi_check.h preload.h program.h send.h stat_run.h
utils/avail           : utils/lib utils/sheet                                  :
utils/ctl             : utils/lib utils/sheet src/upc/catalogue                :
utils/metrics         : utils/lib src/mpx/stat src/region src/upc/base src/upc/catalogue src/upc/perf src/upc/wiring : metrics.h
utils/mpx             : utils/lib src/mpx/shim                                 :
utils/page            : src/upc/base                                           : page.h page_axis.h
utils/sheet           : utils/lib utils/page                                   : sheet.h
utils/jobstat         : utils/lib utils/page utils/sheet src/upc/catalogue                 :
utils/regions         : utils/lib utils/metrics utils/page utils/sheet src/region src/sim/decode src/sim/load src/upc/catalogue src/upc/perf :
utils/replay          : utils/lib src/upc/replay                               :
utils/run             : utils/lib utils/sheet src/sim/count src/sim/load src/upc/base src/upc/catalogue src/upc/engine src/upc/share :
utils/serve           : utils/lib                                              :
utils/stat            : utils/lib utils/sheet                                  :
utils/top             : utils/lib utils/sheet src/upc/catalogue                :
utils/wire            : utils/lib utils/sheet                                  :
utils                 : utils/lib src/upc/catalogue                            :
END

# includes: a line for each that leaves its folder: the file, its folder, the other's, the header
includes()
{
	(cd "$srcdir" && find src/components src/upc src/mpx src/pmda src/region src/service src/sim utils -name '*.[ch]' -exec grep -H '^[ \t]*#[ \t]*include ".*/' {} +) |
		sed 's/:[^"]*"\([^"]*\)".*/ \1/' | while read -r file header; do
		root=${file%%/*}
		[ "$root" = utils ] || root=${file#src/} root=src/${root%%/*}
		for there in "$root" src/upc src/sim src/mpx src; do
			[ ! -e "$srcdir/$there/$header" ] || break
		done
		echo "$file ${file%/*} $there/${header%/*} ${header##*/}"
	done | awk '$2 != $3'
}

included=$(mktemp) || exit 1
trap 'rm -f "$included"' EXIT
includes > "$included"
n=0 failed=0
report() # WHAT [LINE...]: ok without lines
{
	n=$((n + 1))
	if [ $# = 1 ]; then
		echo "ok $n - $1"
	else
		failed=1
		echo "not ok $n - $1"
		printf '# %s\n' "${@:2}"
	fi
}

echo 1..5
mapfile -t wrong < <(printf '%s\n' "${table[@]}" | awk -v included="$included" -F ' *: *' '
	{
		k = split($2, to, " ")
		for (i = 1; i <= k; i++) may[$1, to[i]] = 1
		k = split($3, own, " ")
		for (i = 1; i <= k; i++) open[$1, own[i]] = 1
	}
	END {
		while ((getline line < included) > 0) {
			split(line, f, " ")
			if (!((f[2], f[3]) in may)) print "arrow: " f[1] " includes " f[3] "/" f[4]
			if (!((f[3], f[4]) in open)) print "header: " f[1] " includes " f[3] "/" f[4]
			used[f[2], f[3]] = taken[f[3], f[4]] = 1
		}
		for (x in may) if (!(x in used)) { split(x, f, SUBSEP); print "old: no file of " f[1] " includes one of " f[2] }
		for (x in open) if (!(x in taken)) { split(x, f, SUBSEP); print "old: nobody else includes " f[1] "/" f[2] }
	}')
of() # KIND: their texts
{
	local line
	for line in "${wrong[@]}"; do
		[ "${line%%:*}" != "$1" ] || found+=("${line#*: }")
	done
}
found=() && of arrow && report "folders include those that they may" "${found[@]}"
found=() && of header && report "... and of these the headers that are for others" "${found[@]}"
found=() && of old && report "... and the table has nothing else" "${found[@]}"
mapfile -t found < <(printf '%s\n' "${table[@]}" | awk -F ' *: *' '{ k = split($2, to, " "); for (i = 1; i <= k; i++) print $1, to[i] }' |
	tsort 2>&1 > /dev/null)
report "arrows run one way" "${found[@]}"
map=$(sed -n '/^| folder | has |/,/^$/p' "$srcdir/doc/design/INTERNALS.md" | tr '`' '\n')
mapfile -t found < <(cd "$srcdir" && find src utils -name '*.[ch]' -printf '%h\n' | sort -u | while read -r folder; do
	grep -qxF "$folder" <<< "$map" || echo "$folder is not in the table of folders"
done
grep -E '^(src|utils)(/|$)' <<< "$map" | while read -r folder; do
	[ -d "$folder" ] || echo "$folder is in the table of folders, and not in the tree"
done)
report "doc/design/INTERNALS.md has each folder of the product" "${found[@]}"
exit $failed
