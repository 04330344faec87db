# SPDX-License-Identifier: BSD-3-Clause
# upc.bash - bash completes the lines of upc, upc_stat and the others. A tool is asked for its
# own table (--complete): an option, what completes its argument, and what it does, with tabs
# between; the last line, without an option, has what completes an operand.

# Names of events, asked for once in a shell.
_upc_events()
{
	[[ -n ${_upc_names-} ]] || _upc_names=$("${1%"${1##*/}"}upc_avail" --names --spellings 2> /dev/null)
	printf '%s\n' "$_upc_names"
}

# Lines of those words that begin so.
_upc_begin()
{
	local word
	while read -r word; do
		[[ $word != "$1"* ]] || printf '%s\n' "$2$word"
	done
}

# _upc_values TOOL KIND TEXT: what TEXT can become
_upc_values()
{
	local last=${3##*,}
	case $2 in
	'<file>') compgen -f -- "$3" ;;
	'<directory>') compgen -d -- "$3" ;;
	'<command>') compgen -c -- "$3"; compgen -f -- "$3" ;;
	'<user>') compgen -u -- "$3" ;;
	'<pid>') compgen -W "$(cd /proc && printf '%s ' [0-9]*)" -- "$3" ;;
	'<cpu>') compgen -W "$(cd /sys/devices/system/cpu && printf '%s\n' cpu[0-9]* | tr -d a-z)" -- "$3" ;;
	'<unit>') "${1%"${1##*/}"}upc_top" --list --format=csv 2> /dev/null | sed -n 's/^unit,\([^,]*\).*/\1/p' | _upc_begin "$3" '' ;;
	'<counter>') "${1%"${1##*/}"}upcctl" --csv ls 2> /dev/null | sed -n 's/^place,[^,]*,[^,]*,\([^,]*\).*/\1/p' | sort -u | _upc_begin "$3" '' ;;
	'<words> '*) compgen -W "$(printf '%s ' ${2#<words> } | sed 's/:[^ ]*//g')" -- "$3" ;;
	'<event>') _upc_events "$1" | _upc_begin "$3" '' ;;
	'<events>') _upc_events "$1" | _upc_begin "$last" "${3%"$last"}" ;;
	'<list> '*) printf '%s\n' ${2#<list>} | _upc_begin "$last" "${3%"$last"}" ;;
	*) compgen -W "$2" -- "$3" ;;
	esac
}

_upc()
{
	local line=${COMP_LINE:0:COMP_POINT} word cur option kind rest operand='' expects='' operands=0
	local -a words=() tool table=()
	local -A takes=()
	local i

	COMPREPLY=()
	read -ra words <<< "$line"
	[[ $line != *[[:space:]] ]] || words+=('')
	cur=${words[-1]}
	tool=("${words[0]}")
	i=1
	# "upc stat" asks for the table of upc_stat.
	if [[ ${tool[0]##*/} = upc && ${#words[@]} -gt 2 && ${words[1]} != -* ]]; then
		[[ ${words[1]} = help ]] || tool+=("${words[1]}")
		i=2
	fi
	mapfile -t table < <("${tool[@]}" --complete 2> /dev/null)
	for word in "${table[@]}"; do
		option=${word%%$'\t'*}
		rest=${word#*$'\t'}
		kind=${rest%%$'\t'*}
		[[ -n $option ]] && takes[$option]=$kind || operand=$kind
	done
	for (( ; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		if [[ -n $expects ]]; then
			expects=
		elif [[ $word = -- ]]; then
			operands=1
			((i == ${#words[@]} - 2)) || operands=2
			break
		elif [[ $word = -?* ]]; then
			expects=${takes[$word]-}
		elif [[ $operand = '<command>' ]]; then
			operands=2
			break
		elif [[ $operand = '<words> '* ]]; then
			rest=
			for kind in ${operand#<words> }; do
				[[ ${kind%%:*} != "$word" ]] || rest=${kind#*:}
			done
			operand=$rest
		fi
	done

	local prefix=
	if ((operands == 2)); then
		kind='<file>' # of another program
	elif ((operands == 1)); then
		kind=$operand
	elif [[ -n $expects ]]; then
		kind=$expects
	elif [[ $cur = --*=* ]]; then
		kind=${takes[${cur%%=*}]-${takes[${cur%%=*}=]-}}
		prefix=${cur%%=*}=
	elif [[ $cur = -* ]]; then
		kind=${!takes[*]}
	else
		kind=$operand
	fi
	[[ -n $kind && $kind != - ]] || return 0
	mapfile -t COMPREPLY < <(_upc_values "${words[0]}" "$kind" "${cur#"$prefix"}" | sort -u)
	COMPREPLY=("${COMPREPLY[@]/#/"$prefix"}")
	case $kind in
	'<file>' | '<directory>' | '<command>') compopt -o filenames 2> /dev/null ;;
	'<events>' | '<list>'*) compopt -o nospace 2> /dev/null ;; # a comma may follow
	esac
	[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != --*= ]] || compopt -o nospace 2> /dev/null

	# bash breaks words at ':' and '=': what stands before the last is there already.
	local breaks=${COMP_WORDBREAKS-}
	breaks=${breaks//[^:=]/}
	if [[ -n $breaks ]]; then
		prefix=${cur%"${cur##*[$breaks]}"}
		for i in "${!COMPREPLY[@]}"; do
			COMPREPLY[i]=${COMPREPLY[i]#"$prefix"}
		done
	fi
}

complete -F _upc upc upc_stat upc_run upc_top upc_avail upc_wire upc_replay upc_regions upc_jobstat upc_serve upcctl mpx_run
