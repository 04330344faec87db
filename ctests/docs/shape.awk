# SPDX-License-Identifier: BSD-3-Clause
# shape.awk - compares what a command has printed with what a document shows of it, for documents.sh.
#
# usage: awk -f shape.awk SHOWN PRINTED
#
# A number stands for any number, a blank for any number of blanks, a time or rate for one in any
# unit of its kind; "..." in a line stands for any text, and as a line for any lines. Blank lines count
# for nothing. Without a match the status is 1 and the first line that was not found is printed.

function shape(line)
{
	gsub(/[0-9]+([,.:][0-9]+)*(e[-+][0-9]+)?/, "#", line)
	gsub(/[ \t]+/, " ", line)
	gsub(/# [kMGT]?\/s/, "# /s", line)
	gsub(/# [kMGT] /, "# ", line)
	gsub(/# [num]?s /, "# s ", line)
	gsub(/# ([KMG]i)?B /, "# B ", line)
	sub(/^ /, "", line)
	sub(/ $/, "", line)
	return line
}

# Say whether the text is what the line shows, part by part between its "...".
function matches(text, line, parts, count, i, at)
{
	count = split(line, parts, / ?\.\.\. ?/)
	if (count < 2)
		return text == line
	if (substr(text, 1, length(parts[1])) != parts[1])
		return 0
	text = substr(text, length(parts[1]) + 1)
	for (i = 2; i < count; i++) {
		at = index(text, parts[i])
		if (at == 0)
			return 0
		text = substr(text, at + length(parts[i]))
	}
	at = length(text) - length(parts[count])
	return at >= 0 && substr(text, at + 1) == parts[count]
}

/^[ \t]*$/ { next }
FILENAME == ARGV[1] {
	shown[++wanted] = shape($0)
	original[wanted] = $0
	next
}
{ printed[++have] = shape($0) }
END {
	at = 0
	any = 0
	for (i = 1; i <= wanted; i++) {
		if (shown[i] == "...") {
			any = 1
			continue
		}
		for (at++; at <= have && !matches(printed[at], shown[i]); at++)
			if (!any)
				break
		if (at > have || !matches(printed[at], shown[i])) {
			print "shown, and not printed: " original[i]
			if (at <= have)
				print "printed there: " printed[at]
			exit 1
		}
		any = 0
	}
	if (!any && at < have) {
		print "printed, and not shown: " printed[at + 1]
		exit 1
	}
}
