# SPDX-License-Identifier: BSD-3-Clause
# blocks.awk - takes the fenced blocks out of a Markdown document, for documents.sh.
#
# usage: awk -v to=DIRECTORY -f blocks.awk DOCUMENT
#
# Writes block N to DIRECTORY/N and prints a line for each: N, the line of the document, and the words
# after the fence (the language first), or "bad" and the reason where it has none.

function number(n)
{
	return sprintf("%03d", n)
}

/^ *```/ {
	if (inside) {
		inside = 0
		close(to "/" number(n))
	} else {
		inside = 1
		n++
		indent = match($0, /`/) - 1
		words = $0
		sub(/^ *```/, "", words)
		print number(n), FNR, words == "" ? "bad a fence without a language" : words
		printf "" > (to "/" number(n))
	}
	before = "text"
	next
}
inside {
	print substr($0, indent + 1) > (to "/" number(n))
	next
}
# An indented block has a blank line before it and is no item of a list.
/^(    |\t)/ && before == "" && !list {
	print number(++n), FNR, "bad a block by its indent, and not by a fence"
	printf "" > (to "/" number(n))
}
/^ *([-*]|[0-9]+\.) / { list = 1 }
/^[^ \t]/ && !/^([-*]|[0-9]+\.) / { list = 0 }
{ before = $0 }
END {
	if (inside)
		print number(++n), FNR, "bad a fence that is not closed"
}
