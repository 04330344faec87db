# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# component.sh - what the component is made of in a PAPI tree: its own files, libupc's
# header, and the core of MPX, for multiplexed sets. Sourced; wants $top and lib.sh.

# What it takes of src/mpx, which knows no PAPI, and of src/upc.
core=("$top"/src/mpx/core/*.[ch])
stat=("$top"/src/mpx/stat/{estimate.c,outcome.h,spacing.[ch],stat.[ch],value.c})
runtime=("$top"/src/mpx/runtime/*.[ch])
ticker=("$top"/src/mpx/ticker/{thread_exit,tick,timer*}.[ch])
base=("$top"/src/upc/base/{later.h,words.[ch]})

# component_hash: of all of it
component_hash()
{
	{
		hash_files "$top/src/components/upc"
		hash_of < "$top/include/upc.h"
		cat "${core[@]}" "${stat[@]}" "${runtime[@]}" "${ticker[@]}" "${base[@]}" | hash_of
	} | hash_of
}

# copy_component TREE: puts it there, to be compiled anew: PAPI's make does not see a
# change of a component's rules.
copy_component()
{
	local to=$1/src/components/upc file
	rm -rf "${to:?}"
	cp -R "$top/src/components/upc" "$to"
	mkdir -p "$to"/mpx/{core,stat,runtime,ticker,base}
	cp "$top/include/upc.h" "$to/mpx/"
	cp "${core[@]}" "$to/mpx/core/"
	cp "${stat[@]}" "$to/mpx/stat/"
	cp "${runtime[@]}" "$to/mpx/runtime/"
	cp "${ticker[@]}" "$to/mpx/ticker/"
	cp "${base[@]}" "$to/mpx/base/"
	for file in "$to"/*.c; do
		file=${file##*/}
		rm -f "$1/src/${file%.c}.o"
	done
	rm -f "$1"/src/libpapi.a "$1"/src/upc_mpxi_*.o
}

# put_presets TREE: in place of PAPI's own table of presets, which is of CPUs, those of the
# simulated node
put_presets()
{
	cp "$top/src/components/upc/upc_presets.csv" "$1/src/papi_events.csv"
	rm -f "$1"/src/papi_events_table.h "$1"/src/papi_preset.o
}
