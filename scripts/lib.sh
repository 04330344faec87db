# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# lib.sh - what all scripts share: telling what is done, and running commands
# whose output goes to a log.

# With it, cd prints where it goes.
unset CDPATH

STEP=0
STEPS=${STEPS-}

# step TEXT: what comes now, as "[2/6] TEXT"
step()
{
	STEP=$((STEP + 1))
	if [[ -n $STEPS ]]; then
		printf '[%d/%d] %s\n' "$STEP" "$STEPS" "$*"
	else
		printf '%s\n' "$*"
	fi
}

# guests FIELD: that field of each of upc_run's guests, a line each: target, as QEMU says it, or triplet
guests()
{
	sed -n "s/^\t\.$1 = \"\(.*\)\",\$/\1/p" "${BASH_SOURCE[0]%/*}/../src/sim/decode/guests.def"
}

note()
{
	printf '      %s\n' "$*"
}

# die TEXT...: one line each
die()
{
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	shift
	[[ $# == 0 ]] || printf '%s\n' "$@" >&2
	exit 1
}

# refuse_option OPTION: ends with the status of all tools for a wrong option, before anything is done
refuse_option()
{
	printf "%s: there is no option '%s'; scripts/%s --help lists them\n" "${0##*/}" "$1" "${0##*/}" >&2
	exit 125
}

# lacking TEXT...: as die, with the status of what this machine cannot be given
lacking()
{
	(die "$@") || exit 3
}

# logged NAME COMMAND...: runs it with its output in $LOGS/NAME.log; shows the
# end of that when it fails, and returns its status
logged()
{
	local log=$LOGS/$1.log status=0
	shift
	"$@" > "$log" 2>&1 < /dev/null || status=$?
	if [[ $status != 0 ]]; then
		{
			echo "---- the end of $log"
			tail -n 30 "$log"
			echo "---- failed with status $status: $*"
		} >&2
	fi
	return $status
}

hash_of()
{
	sha256sum | cut -d ' ' -f 1
}

# hash_files DIRECTORY: one hash of all names and contents below it
hash_files()
{
	(cd "$1" && find . -name .git -prune -o -type f -print0 | LC_ALL=C sort -z |
		xargs -0r sha256sum) | hash_of
}

# plain_path WHAT PATH: ends where configure, libtool or PAPI's makefiles would fail halfway
plain_path()
{
	local unfit=$'[][:space:]"\'`\\\\#$&:,;=%*?()<>|!{}[]'
	# shellcheck disable=SC2053 # a pattern
	[[ $2 == *$unfit* ]] || return 0
	die "$1 has a blank or another of the shell's characters in its path: $2" \
		"autoconf, libtool and PAPI's makefiles cannot build there." \
		"Move it to a place whose path has letters, digits and . _ + - only."
}

absolute()
{
	case $1 in
	/*) printf '%s\n' "$1" ;;
	*) printf '%s/%s\n' "$PWD" "$1" ;;
	esac
}

# refuses_plugins EMULATOR: it is there, and was built without them
refuses_plugins()
{
	[[ $("$1" -plugin /nonexistent /bin/true 2>&1 < /dev/null) == *"unknown option"* ]]
}

# find_emulators DIR: those that scripts/sim/qemu-build has put there, where PATH's load no plugins
find_emulators()
{
	if ! command -v qemu-x86_64 > /dev/null || refuses_plugins qemu-x86_64; then
		PATH=$1:$PATH
	fi
}
