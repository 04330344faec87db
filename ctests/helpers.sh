#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# helpers.sh - what the tests stand on: what it lets pass, and what it does not.
tool=${JSON_LEAVES:?}
. "${srcdir:?}/ctests/utils.inc"
unset UPC_SUM_FILE UPC_TIMES_FILE # of the tests as a whole

plan 27

# ---- JSON

printf '{"a": [1, {"b/c~": "x y"}], "d": [], "e": null}\n{"f": 0.5}\n' > json
tab=$(printf '\t')
printf '%s\n' "/0/a/0${tab}1" "/0/a/1/b~1c~0${tab}\"x y\"" "/0/d${tab}[]" "/0/e${tab}null" "/1/f${tab}0.5" > want
leaves()
{
	run 0 json && cmp want out
}
check "json_leaves: each value of each text is a line" leaves
no_json()
{
	for text in '' '{"a": 1,}' '{"a": 1} x' '{"a": 1, "a": 2}' '{"a": nan}' '{"a": "'; do
		printf '%s' "$text" > json
		run 1 json && grep -q '^json: text [01], line [01]: ' err || { echo "# $text"; return 1; }
	done
}
check "... what is no JSON is refused" no_json
printf '{"a": {"b": 1}}' > json
leaves_of json
check "a leaf is what it is" leaf /0/a/b 1
other_leaf()
{
	! leaf /0/a/b 2 && ! leaf /0/a/c 1 && ! at /0/a
}
check "... and nothing else" other_leaf
check "... all below are found" [ "$(below /0/a)" = "/b${tab}1" ]

# ---- texts to compare with

# A name may be made of a number.
all_used()
{
	for file in "$srcdir"/ctests/golden/*; do
		sed -n 's/^==== //p' "$file" > sections
		[ -s sections ] || return 1
		while read -r section; do
			printf '"%s"\n' "$section" "$(echo "$section" | sed 's/[0-9][0-9]*/%u/')" > names
			grep -qFf names "$srcdir"/ctests/unit/*/"${file##*/}.c" || { echo "# $file: $section"; return 1; }
		done < sections
	done
}
check "each section of ctests/golden is compared with something" all_used

# ---- results

# taken OUTPUT: by tap-run, of a test that prints it; comes has what it makes of it
taken()
{
	printf '%s\n' "$1" > says
	"$srcdir/ctests/tap-run" cat says > comes
}
# becomes OUTPUT RESULT
becomes()
{
	taken "$1"
	[ "$(tail -n 1 comes)" = "$2" ] || { sed 's/^/# /' comes; false; }
}
check "cmocka's skip: its reason is the comment before it" \
	becomes '# no tracefs
not ok 1 # SKIP test_a' 'ok 1 - test_a # SKIP no tracefs'
check "... in the form of cmocka 1.1.8, too" \
	becomes '# no tracefs
ok 1 # SKIP test_a' 'ok 1 - test_a # SKIP no tracefs'
check "... without one it is a failure" \
	becomes 'not ok 1 # SKIP test_a' 'not ok 1 - test_a: skipped without a reason'
check "... and so it is with that of another" \
	becomes '# no tracefs
ok 1 - test_a
not ok 2 # SKIP test_b' 'not ok 2 - test_b: skipped without a reason'
check "any other skip without a reason is a failure" \
	becomes 'ok 3 - b # SKIP ' 'not ok 3 - b: skipped without a reason'
check "... with one it stays" becomes 'ok 3 - b # SKIP no b' 'ok 3 - b # SKIP no b'
check "a test that checks nothing is a failure" becomes 1..0 'Bail out! it checks nothing, and does not say why'
check "... with a reason it is skipped" becomes '1..0 # SKIP no c' '1..0 # SKIP no c'
hangs()
{
	! UPC_TEST_TIMEOUT=1 "$srcdir/ctests/tap-run" sh -c 'echo 1..1; exec sleep 1000' > comes 2>&1 &&
		grep -q '^Bail out! ended after 1 seconds' comes
}
check "a test that hangs is ended" hangs
cat > none.c << 'C'
#include "tap.h"
int main(int argc, char **argv)
{
	if (argc > 1)
		skip("%s", argv[1]);
	return done();
}
C
no_check()
{
	${CC:-cc} -I"$srcdir/ctests" -o none none.c 2> err && ! ./none > out && grep -q '^not ok 1 - ' out &&
		./none here > out && grep -q '^ok 1 # SKIP here$' out
}
if command -v "${CC%% *}" > /dev/null; then
	check "... of tap.h's, too" no_check
else
	skip "... of tap.h's, too" "there is no compiler"
fi

# ---- mistakes that tests must see

places()
{
	perl -e '
		my ($top, $lost) = (shift, 0);
		for my $list (@ARGV) {
			open(my $in, "<", $list) or die "$list: $!\n";
			chomp(my @lines = grep { !/^#/ && /\S/ } <$in>);
			while (my ($what, $file, $from) = splice(@lines, 0, 5)) {
				open(my $source, "<", "$top/$file") or die "$file: $!\n";
				my $text = do { local $/; <$source> };
				$from =~ s/\\n/\n/g;
				$from =~ s/\\t/\t/g;
				my $times = () = $text =~ /\Q$from\E/g;
				next if $times == 1;
				print "$list: $what: $times places in $file\n";
				$lost = 1;
			}
		}
		exit $lost' "$srcdir" "$srcdir"/ctests/mutations/*.list > out
}
check "each mistake of ctests/mutations has its place in the sources" places

# ---- tests that failed beside others

cat > sum << 'END'
FAILED: ctests/a.sh 3 - takes a second
FAILED: ctests/a.sh 4 - ... and no more
FAILED: ctests/a.sh - exited with status 1 (ERROR)
FAILED: ctests/b 1 - is right
FAILED: ctests/c 2 - is right
FAILED: ctests/c - exited with status 139 (terminated by signal 11?) (ERROR)
FAILED: ctests/d: it gave no result
FAILED: ctests/f 1 - is right
skipped: ctests/e 1: no e
100 passed, 8 failed, 1 skipped
END
cat > again << 'END'
#!/bin/sh
echo "$2" >> ran
skipped=0
[ "$2" != TESTS=ctests/f ] || skipped=1
echo "5 passed, 0 failed, $skipped skipped"
[ "$2" != TESTS=ctests/b ]
END
chmod +x again
alone()
{
	"$srcdir/ctests/tap-alone" sum ./again check
}
check "tests whose checks failed run once more" eval 'alone && [ "$(cat ran)" = "TESTS=ctests/a.sh
TESTS=ctests/b
TESTS=ctests/f" ]'
check "... what passes alone is named" eval '[ "$(grep -c "^failed beside others, passed alone: ctests/a.sh" sum)" = 3 ] && ! grep -q "^FAILED: ctests/a" sum'
check "... and counts" [ "$(tail -n 1 sum)" = "103 passed, 5 failed, 1 skipped" ]
check "... what fails again, is skipped then, or ended by a signal, stays a failure" eval '[ "$(grep -c "^FAILED: ctests/[bcdf]" sum)" = 5 ]'
printf 'FAILED: ctests/%s 1 - x
' 1 2 3 4 5 6 7 > sum
check "... and so do many" eval 'rm ran && alone && [ ! -e ran ]'

# ---- skips: where nothing may be counted but by threads in user mode

printf '#!/bin/sh\necho self\n' > rights
chmod +x rights
cat > allowed << 'END'
# as ctests/allowed-skips
when no-perf lacks:sh
unit/a  no perf
when no-cpus
unit/a  no CPU * here
unit/b  none
END
# judged TEST REASON WORDS: what ctests/skips says of it
judged()
{
	printf '%s\t%s\n' "$1" "$2" | ALLOWED_SKIPS=allowed RIGHTS=./rights "$srcdir/ctests/skips" > out
	[ "$(cut -f 3 out)" = "$3" ]
}
may_be()
{
	judged unit/a "no CPU 0 here" '' && judged unit/b none '' && [ ! -s out ]
}
check "a skip of ctests/allowed-skips" may_be
check "... not of another test, nor with another reason" eval \
	'judged unit/c none "not in ctests/allowed-skips" && judged unit/b no "not in ctests/allowed-skips"'
check "... nor where its condition does not hold" judged unit/a "no perf" "allowed when no-perf or lacks:sh"
failing()
{
	mkdir -p ctests/unit && printf ':test-result: PASS\n:test-result: SKIP\n' > ctests/unit/a.trs || return 1
	printf 'SKIP: ctests/unit/a 2 - b # SKIP no CPU 0 here\n' > ctests/unit/a.log
	ALLOWED_SKIPS=allowed RIGHTS=./rights "$srcdir/ctests/tap-sum" ctests/unit/a.trs > out || return 1
	[ "$(tail -n 1 out)" = "1 passed, 0 failed, 1 skipped" ] || return 1
	printf 'SKIP: ctests/unit/a 2 - b # SKIP no perf\n' > ctests/unit/a.log
	! ALLOWED_SKIPS=allowed RIGHTS=./rights "$srcdir/ctests/tap-sum" ctests/unit/a.trs > out &&
		grep -q '^FAILED: ctests/unit/a: must not be skipped here (allowed when' out &&
		[ "$(tail -n 1 out)" = "1 passed, 1 failed, 0 skipped" ]
}
check "... and is a failure then" failing

no_such()
{
	"${MACHINE:?}" nonsense 2> err
	[ $? = 2 ]
}
check "the machine is asked what is known only" no_such
