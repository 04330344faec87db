#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# shape.sh - the parts of documents.sh that must see a mistake: shape.awk compares outputs, blocks.awk
# finds the blocks of a document.
. "${srcdir:?}/ctests/utils.inc"
docs=$srcdir/ctests/docs

plan 14

# same SHOWN PRINTED: by shape.awk
same()
{
	printf '%b\n' "$1" > shown
	printf '%b\n' "$2" > printed
	awk -f "$docs/shape.awk" shown printed > out
}
differs()
{
	! same "$@" && [ -s out ]
}
check "numbers and blanks may differ" same '  12,345 faults  1.5 k/s' '7 faults 900 /s'
check "... and units of time" same '3.2 ms elapsed' '410 us elapsed'
check "a word may not" differs '12 faults' '12 misses'
check "... nor a column" differs 'a 1 2' 'a 1'
check "a line that was not printed is missed" differs 'a\nb' 'a'
check "... and so is a line that is not shown" differs 'a' 'a\nb'
check "dots in a line stand for any text" same 'at ... s' 'at noon and 5 s'
check "... up to the text behind them" differs 'at ... s' 'at noon'
check "dots as a line stand for any lines" same 'a\n...\nd' 'a\nb\nc\nd'
check "... but for those that are shown" differs 'a\n...\nd' 'a\nb\nc'
check "... and none may be printed behind the last" differs '...\nd' 'd\ne'

# blocks TEXT: what blocks.awk finds of it
blocks()
{
	mkdir -p to
	printf '%b\n' "$1" > document
	awk -v to=to -f "$docs/blocks.awk" document > list
}
fenced()
{
	blocks 'text\n\n```sh long\necho a\n```\n\n- item\n\n    of it\n' &&
		[ "$(cat list)" = "001 3 sh long" ] && [ "$(cat to/001)" = "echo a" ]
}
check "a block is found, with its words and lines" fenced
bare()
{
	blocks 'text\n\n```\nx\n```' && grep -q '^001 3 bad ' list
}
check "a fence without a language is reported" bare
indented()
{
	blocks 'text\n\n    make' && grep -q '^001 3 bad ' list
}
check "... and so is a block by its indent" indented
