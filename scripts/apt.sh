# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# apt.sh - apt with lists, cache and sources of its own under one directory: the
# machine's own sources, as binary packages of any architecture or as source
# packages. Nothing outside that directory is written, and no rights are needed.

# Suites of the distribution itself; third parties and backports have others.
own_suites()
{
	local ID VERSION_CODENAME
	# shellcheck disable=SC1091
	. /etc/os-release
	: "${VERSION_CODENAME:=$(sed -n 's/^VERSION=.*(\([a-z]*\)).*/\1/p' /etc/os-release)}"
	[[ -n $VERSION_CODENAME ]] || VERSION_CODENAME=sid
	echo "$VERSION_CODENAME $VERSION_CODENAME-updates $VERSION_CODENAME-security" \
		"stable stable-updates stable-security oldstable oldstable-updates oldstable-security" \
		"$VERSION_CODENAME/updates"
}

# sources_deb822 TYPE FILE.sources: paragraphs of fields, which go on in lines that
# begin with a blank. Kept: those of type deb, not disabled, with a suite of our own.
sources_deb822()
{
	awk -v type="$1" -v own=" $(own_suites) " '
		function flush_paragraph(    i, n, word, suites, kept) {
			n = split(value["suites"], word, /[ \t\n]+/)
			for (i = 1; i <= n; i++)
				if (word[i] != "" && index(own, " " word[i] " "))
					kept = kept " " word[i]
			n = split(value["uris"], word, /[ \t\n]+/)
			for (i = 1; i <= n; i++)
				if (word[i] ~ /^cdrom:/)
					kept = ""
			if (kept != "" && (" " value["types"] " ") ~ /[ \t\n]deb[ \t\n]/ &&
			    tolower(value["enabled"]) !~ /^[ \t]*(no|false|off|0|without|disable)[ \t]*$/) {
				print "Types: " type
				print "Suites:" kept
				for (i = 1; i <= fields; i++)
					if (field[i] != "types" && field[i] != "suites" &&
					    field[i] != "enabled" && field[i] != "architectures")
						print text[field[i]]
				print ""
			}
			delete value
			delete text
			fields = 0
			last = ""
		}
		/^#/ { next }
		/^[ \t]*$/ { flush_paragraph(); next }
		/^[ \t]/ {
			if (last != "") {
				value[last] = value[last] "\n" $0
				text[last] = text[last] "\n" $0
			}
			next
		}
		{
			colon = index($0, ":")
			last = tolower(substr($0, 1, colon - 1))
			value[last] = substr($0, colon + 1)
			text[last] = $0
			field[++fields] = last
		}
		END { flush_paragraph() }' "$2"
}

# sources_one_line TYPE FILE.list: "deb [options] URI SUITE COMPONENT..." in a line.
sources_one_line()
{
	awk -v type="$1" -v own=" $(own_suites) " '
		{ sub(/#.*/, "") }
		$1 == "deb" {
			rest = $0
			sub(/^[ \t]*deb[ \t]+/, "", rest)
			options = ""
			if (rest ~ /^\[/) {
				end = index(rest, "]")
				options = substr(rest, 1, end)
				rest = substr(rest, end + 1)
				# That of the machine; ours is an option of apt.
				gsub(/arch=[^] \t]*/, "", options)
				if (options ~ /^\[[ \t]*\]$/)
					options = ""
			}
			split(rest, word, /[ \t]+/)
			first = word[1] == "" ? 2 : 1
			if (word[first] !~ /^cdrom:/ && index(own, " " word[first + 1] " "))
				print type " " options " " rest
		}' "$2"
}

# own_apt_open DIRECTORY deb|deb-src [OPTION...]: options are for each own_apt after.
# Fails where the machine's sources name no suite of its own distribution.
own_apt_open()
{
	local type=$2 main_list='' parts_dir='' file n=0
	OWN_APT=$1
	shift 2
	OWN_APT_OPTIONS=("$@")
	eval "$(apt-config shell main_list Dir::Etc::SourceList/f parts_dir Dir::Etc::SourceParts/d)"
	rm -rf "${OWN_APT:?}/parts"
	mkdir -p "$OWN_APT/parts" "$OWN_APT/lists/partial" "$OWN_APT/cache/archives/partial"
	for file in "$main_list" "$parts_dir"/*.list "$parts_dir"/*.sources; do
		[[ -r $file ]] || continue
		n=$((n + 1))
		case $file in
		*.sources) sources_deb822 "$type" "$file" > "$OWN_APT/parts/$n.sources" ;;
		*) sources_one_line "$type" "$file" > "$OWN_APT/parts/$n.list" ;;
		esac
	done
	find "$OWN_APT/parts" -type f -empty -delete
	[[ -n $(ls -A "$OWN_APT/parts") ]]
}

# own_apt PROGRAM ARGUMENT...: apt-get or apt-cache
own_apt()
{
	local program=$1
	shift
	"$program" -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$OWN_APT/parts" \
		-o Dir::State::Lists="$OWN_APT/lists" -o Dir::Cache="$OWN_APT/cache" \
		-o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 "${OWN_APT_OPTIONS[@]}" "$@"
}

# The lists are large, and of no use when all is fetched.
own_apt_close()
{
	rm -rf "${OWN_APT:?}/lists" "${OWN_APT:?}/cache" "${OWN_APT:?}/parts"
}

# checked_tarball PACKAGE DIRECTORY: prints the original tarball that the description of
# the source package there names, if it is there and as described.
checked_tarball()
{
	local dsc sum name
	for dsc in "$2/$1"_*.dsc; do
		[[ -f $dsc ]] || continue
		read -r sum name < <(sed -n '/^Checksums-Sha256:/,/^[^ ]*:$/p' "$dsc" |
			awk '$3 ~ /\.orig\.tar\.[a-z0-9]+$/ { print $1, $3 }') || true
		if [[ -n $name && -f $2/$name ]] &&
			(cd "$2" && echo "$sum  $name" | sha256sum --check --status); then
			echo "$2/$name"
			return
		fi
	done
	return 1
}

# fetch_tarball PACKAGE DIRECTORY OPTION: has apt fetch a source package, and prints the
# path of its original tarball. apt has checked the package's signature, and its tarball is
# checked again each time. OPTION is how a source can be given without apt.
fetch_tarball()
{
	local package=$1 dir=$2 option=$3
	checked_tarball "$package" "$dir" && return
	command -v apt-get > /dev/null ||
		die "there is no apt here to fetch the source of $package with" "Give it with $option."
	own_apt_open "$dir" deb-src ||
		die "this machine's apt sources name no suite of its own distribution" \
			"Give the source of $package with $option."
	rm -f "$dir/${package:?}"_*
	# One of several servers may fail to answer; what counts is that the source is found.
	own_apt apt-get update >&2 || true
	# The tarball's name and checksum as apt lists them, for those who fetch it elsewhere.
	own_apt apt-cache showsrc --only-source "$package" 2> /dev/null | sed -n '/^Checksums-Sha256:/,/^[^ ]*:$/p' |
		awk '$3 ~ /\.orig\.tar\.[a-z0-9]+$/ { print $3 ", SHA-256 " $1; exit }' > "$dir/offered" || true
	(cd "$dir" && own_apt apt-get source --download-only --only-source "$package" >&2) ||
		die "apt could not fetch the source package $package" \
			"Check the network and apt's proxy, or give $option."
	checked_tarball "$package" "$dir" ||
		die "the source package $package in $dir is not what its description says"
	own_apt_close
}

# machine_apt PROGRAM ARGUMENT...: the same by the lists that the machine has
machine_apt()
{
	local program=$1
	shift
	"$program" -q -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 "$@"
}
