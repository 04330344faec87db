/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wiring files: what each statement does, where a mistake is said to be, and that
 * a file with one changes nothing.
 */
#include "catalogue/formula.h"
#include "catalogue_test.h"
#include "wiring/wiring.h"

static int parse(const char *body)
{
	char text[8192];
	int n = snprintf(text, sizeof(text), "upc-wiring 1\n%s", body);

	assert_in_range(n, 0, sizeof(text) - 1);
	return upci_wiring_parse(c, text, (size_t)n, "f");
}

static void apply(const char *body)
{
	if (parse(body))
		fail_msg("%s", upc_last_message());
}

/* An entry that is replaced has another address: the catalogue as it is. */
struct snapshot {
	uint32_t count;
	const struct upci_event **event;
};

static struct snapshot take_snapshot(void)
{
	struct snapshot s = {.count = upc_catalogue_count(c)};
	uint32_t i;

	s.event = malloc(s.count * sizeof(*s.event));
	assert_non_null(s.event);
	for (i = 0; i < s.count; i++)
		s.event[i] = upci_catalogue_event(c, i);
	return s;
}

static bool unchanged(const struct snapshot *s)
{
	uint32_t i;

	if (upc_catalogue_count(c) != s->count)
		return false;
	for (i = 0; i < s->count; i++)
		if (upci_catalogue_event(c, i) != s->event[i])
			return false;
	return true;
}

/* ---- what statements do ------------------------------------------------ */

TEST_WITH(test_event, open_catalogue, close_catalogue)
{
	const struct upci_event *e;

	apply("event my.faults = perf \"PAGE-FAULTS\" * 4096 / 3 unit \"bytes\" describe \"Say \\\"hi\\\" \\\\.\" "
	      "subsystem \"mine\" # a remark\n"
	      "\t event \"blank in it\" = task \"stat\" key \"a\" token 2 occurrence 3 value 4 to 7\n"
	      "\n   # only a remark\n"
	      "event my.line = sys \"kernel/x\" line 2 value 0 level scope cpu\n"
	      "event my.key = process \"io\" key \"k\" occurrence 2 value 1\n"
	      "event my.trace = tracefs \"sched:sched_switch\" scope machine\n"
	      "event my.wall = clock realtime\n"
	      "event my.cpu = clock thread / 1000");
	e = event("my.faults");
	assert_int_equal(e->driver.source, UPC_SOURCE_PERF);
	assert_string_equal(e->driver.perf, "PAGE-FAULTS");
	assert_int_equal(e->driver.mul, 4096);
	assert_int_equal(e->driver.div, 3);
	assert_string_equal(e->unit, "bytes");
	assert_string_equal(e->subsystem, "mine");
	assert_string_equal(e->description, "Say \"hi\" \\.");
	assert_int_equal(e->scope, UPC_SCOPE_CONTEXT);
	assert_int_equal(e->id, UPC_NO_ID);
	e = event("blank in it");
	assert_int_equal(e->driver.source, UPC_SOURCE_FILE);
	assert_int_equal(e->driver.file.root, UPCI_ROOT_TASK);
	assert_string_equal(e->driver.file.path, "stat");
	assert_string_equal(e->driver.file.key, "a");
	assert_int_equal(e->driver.file.key_token, 2);
	assert_int_equal(e->driver.file.occurrence, 3);
	assert_int_equal(e->driver.file.first, 4);
	assert_int_equal(e->driver.file.last, 7);
	assert_int_equal(e->scope, UPC_SCOPE_THREAD);
	assert_string_equal(e->unit, "events");
	e = event("my.line");
	assert_int_equal(e->driver.file.root, UPCI_ROOT_SYS);
	assert_null(e->driver.file.key);
	assert_int_equal(e->driver.file.occurrence, 2);
	assert_int_equal(e->driver.file.first, 0);
	assert_int_equal(e->driver.file.last, 0);
	assert_int_equal(e->kind, UPC_KIND_LEVEL);
	assert_int_equal(e->scope, UPC_SCOPE_CPU);
	e = event("my.key");
	assert_int_equal(e->driver.file.key_token, 0);
	assert_int_equal(e->scope, UPC_SCOPE_PROCESS);
	e = event("my.trace");
	assert_string_equal(e->driver.tracepoint, "sched:sched_switch");
	assert_null(e->description);
	assert_int_equal(event("my.wall")->kind, UPC_KIND_LEVEL);
	e = event("my.cpu");
	assert_int_equal(e->driver.clock, CLOCK_THREAD_CPUTIME_ID);
	assert_int_equal(e->driver.div, 1000);
	assert_string_equal(e->unit, "ns");
}

/* A known name keeps its code, and nothing else. */
TEST_WITH(test_event_known, open_catalogue, close_catalogue)
{
	needs_perf();
	int64_t code;

	code = upci_catalogue_lookup(c, "perf::PAGE-FAULTS");
	assert_true(code >= 0);
	apply("event perf::PAGE-FAULTS = perf \"CONTEXT-SWITCHES\" scope thread");
	assert_int_equal(upci_catalogue_lookup(c, "perf::PAGE-FAULTS"), code);
	assert_string_equal(event("perf::PAGE-FAULTS")->driver.perf, "CONTEXT-SWITCHES");
	assert_int_equal(event("perf::PAGE-FAULTS")->scope, UPC_SCOPE_THREAD);
}

TEST_WITH(test_drive, open_catalogue, close_catalogue)
{
	const struct upci_event *e = event("PU1_DATA_LOADS");
	char was[256];

	assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
	snprintf(was, sizeof(was), "%s", e->description);
	/* Derived over it, known or new, comes to life with it. */
	assert_int_equal(event("PU1_LD_INS")->driver.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(event("PU1_LD_INS")->why, "PU1_DATA_LOADS"));
	assert_int_equal(event("PU1_LST_INS")->driver.source, UPC_SOURCE_NONE);
	apply("derived TWICE = \"2*PU1_DATA_LOADS\"\n"
	      "derived NOT_YET = \"PU1_DATA_LOADS + PU1_DATA_STORES + PU1_FPU_FMA_4 + PU1_FPU_FMA_2 + "
	      "PU1_FPU_MULT_2\"\n"
	      "drive PU1_DATA_LOADS = proc \"stat\" key \"ctxt\" value 1 * 3 differs \"all\"");
	e = event("PU1_DATA_LOADS");
	assert_int_equal(e->driver.source, UPC_SOURCE_FILE);
	assert_int_equal(e->id, 52);
	assert_null(e->why);
	assert_string_equal(e->differs, "all");
	assert_string_equal(e->description, was);
	assert_string_equal(e->unit, "loads");
	assert_int_equal(e->scope, UPC_SCOPE_MACHINE);
	e = event("PU1_LD_INS");
	assert_int_equal(e->driver.source, UPC_SOURCE_DERIVED);
	assert_null(e->why);
	assert_int_equal(e->driver.formula->terms, 1);
	assert_int_equal(e->scope, UPC_SCOPE_MACHINE);
	assert_int_equal(event("TWICE")->driver.source, UPC_SOURCE_DERIVED);
	e = event("PU1_LST_INS");
	assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
	assert_null(strstr(e->why, "PU1_DATA_LOADS"));
	assert_non_null(strstr(e->why, "PU1_DATA_STORES"));
	assert_non_null(strstr(event("NOT_YET")->why, "PU1_FPU_FMA_2 and 1 more"));
	apply("drive PU1_DATA_STORES = proc \"stat\" key \"ctxt\" value 1 differs \"all\" unit \"x\" describe \"D\" "
	      "scope thread");
	assert_int_equal(event("PU1_LST_INS")->driver.source, UPC_SOURCE_DERIVED);
	assert_string_equal(event("PU1_DATA_STORES")->unit, "x");
	assert_string_equal(event("PU1_DATA_STORES")->description, "D");
}

/* Terms may stand below, derived ones must stand above and are expanded. */
TEST_WITH(test_derived, open_catalogue, close_catalogue)
{
	const struct upci_event *e;

	apply("derived d.sum = \"d.a + 2*\\\"d b\\\"\"\n"
	      "derived d.more = \"(3*d.sum - d.a) / 5\" unit \"u\"\n"
	      "derived d.level = \"d.sum + d.l\"\n"
	      "derived d.count = \"d.l\" count scope process\n"
	      "event d.a = clock thread\n"
	      "event \"d b\" = clock process\n"
	      "event d.l = clock realtime\n");
	e = event("d.more");
	assert_int_equal(e->driver.source, UPC_SOURCE_DERIVED);
	assert_int_equal(e->formula->terms, 2);
	assert_int_equal(e->formula->divisor, 5);
	assert_int_equal(e->formula->term[0].code, upci_catalogue_lookup(c, "d.a"));
	assert_int_equal(e->formula->term[0].coefficient, 2);
	assert_int_equal(e->formula->term[1].code, upci_catalogue_lookup(c, "d b"));
	assert_int_equal(e->formula->term[1].coefficient, 6);
	assert_int_equal(e->scope, UPC_SCOPE_PROCESS);
	assert_int_equal(e->kind, UPC_KIND_COUNT);
	assert_int_equal(event("d.level")->kind, UPC_KIND_LEVEL);
	assert_int_equal(event("d.level")->scope, UPC_SCOPE_MACHINE);
	assert_int_equal(event("d.count")->kind, UPC_KIND_COUNT);
	/* Expanded when it was read: redefining d.sum leaves d.more. */
	apply("derived d.sum = \"d.a\"\n");
	assert_int_equal(event("d.more")->formula->term[1].coefficient, 6);
	assert_int_equal(event("d.sum")->formula->terms, 1);
}

TEST_WITH(test_ratio, open_catalogue, close_catalogue)
{
	const struct upci_event *e;

	apply("derived r.ratio = \"(1000*r.a + r.b) / (r.b + 2*r.c)\" unit \"a/1000 b\"\n"
	      "derived r.told = \"(r.a) / r.b\" level\n"
	      "event r.a = clock thread\nevent r.b = clock process\nevent r.c = clock thread / 3\n");
	e = event("r.ratio");
	assert_int_equal(e->driver.source, UPC_SOURCE_DERIVED);
	assert_int_equal(e->formula->divisor, 0);
	assert_int_equal(e->formula->terms, 3);
	assert_int_equal(e->formula->term[0].code, upci_catalogue_lookup(c, "r.a"));
	assert_int_equal(e->formula->term[2].code, upci_catalogue_lookup(c, "r.c"));
	assert_int_equal(e->formula->term[2].under, 2);
	/* Neither is a count, though their terms are. */
	assert_int_equal(e->kind, UPC_KIND_LEVEL);
	assert_int_equal(event("r.told")->kind, UPC_KIND_LEVEL);
	assert_int_equal(e->scope, UPC_SCOPE_PROCESS);
	/* A term of the divisor is needed like those above. */
	assert_int_equal(parse("remove r.c"), UPC_EWIRING);
	assert_message("found 'r.c', which 'r.ratio' is computed of");
}

/* A second name of an event is one of its own when the file drives the first anew, and
 * stays one otherwise. */
TEST_WITH(test_second_names, open_catalogue, close_catalogue)
{
	struct upci_event plain = {
		.name = "n.plain",
		.description = "",
		.id = UPC_NO_ID,
		.driver = {.source = UPC_SOURCE_PERF, .mul = 1, .div = 1, .perf = "perf::PAGE-FAULTS"}};
	struct upci_event second = plain;
	int64_t code = upci_catalogue_put(c, &plain);

	second.name = "n.second";
	second.same_as = (uint32_t)code + 1;
	assert_true(upci_catalogue_put(c, &second) >= 0);
	apply("event n.other = clock thread");
	assert_int_equal(event("n.second")->same_as, code + 1);
	apply("event n.plain = perf \"perf::MINOR-FAULTS\"");
	assert_int_equal(event("n.second")->same_as, 0);
	assert_string_equal(event("n.second")->driver.perf, "perf::PAGE-FAULTS");
	assert_int_equal(event("n.second")->driver.source, UPC_SOURCE_PERF);
}

TEST_WITH(test_remove, open_catalogue, close_catalogue)
{
	const struct upci_event *e;
	uint32_t code;

	apply("event r.a = clock thread\nderived r.b = \"2*r.a\"");
	code = event_code(c, "r.a");
	assert_int_equal(parse("remove r.a"), UPC_EWIRING);
	assert_message("f:2:8: expected an event that no derived event needs, found 'r.a', which 'r.b' is");
	assert_int_equal(parse("derived r.a = \"time::raw_ns\""), UPC_EWIRING);
	assert_message("f:2:9: ");
	/* Together they may go, in any order, or the one that needs it changes. */
	apply("remove r.a\nremove r.b");
	e = event("r.a");
	assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
	assert_string_equal(e->why, "removed by f, line 2");
	assert_null(event("r.b")->formula);
	assert_int_equal(upci_catalogue_lookup(c, "r.a"), code);
	/* A later file may bring a removed event back. */
	apply("event r.a = clock process\nderived r.b = \"r.a\"");
	assert_int_equal(event("r.b")->driver.source, UPC_SOURCE_DERIVED);
	apply("derived r.b = \"time::raw_ns\"\nremove r.a");
	assert_int_equal(event("r.b")->driver.source, UPC_SOURCE_DERIVED);
}

/* ---- mistakes ---------------------------------------------------------- */

#define A20 "aaaaaaaaaaaaaaaaaaaa"
#define A100 A20 A20 A20 A20 A20
#define EVENT "event e.x = "

static const struct {
	const char *body;    /* from line 2 on */
	const char *message; /* how it begins */
} mistakes[] = {
	{"evnt x = clock thread", "f:2:1: expected 'event', 'drive', 'derived' or 'remove', found 'evnt'"},
	{"\n\n  \"event\" x", "f:4:3: expected 'event', 'drive', 'derived' or 'remove', found \"event\""},
	{"event", "f:2:6: expected an event name, found the end of the line"},
	{"event = clock thread", "f:2:7: expected an event name, found '='"},
	{"event \"\" = clock thread", "f:2:7: expected an event name of 1 to 255 bytes, found 0"},
	{"event " A100 A100 A20 A20 A20 " = clock thread",
	 "f:2:7: expected an event name of 1 to 255 bytes, found 260"},
	{"event \" x\" = clock thread", "f:2:7: expected an event name, found one with a blank"},
	{"event x:mode=rise = clock thread", "f:2:14: expected a source: 'perf', "},
	{"event \"x:mode=rise\" = clock thread", "f:2:7: expected an event name, found one with ':mode='"},
	{"event x clock thread", "f:2:9: expected '=', found 'clock'"},
	{"event x =", "f:2:10: expected a source: 'perf', "},
	{"event x = bogus \"x\"", "f:2:11: expected a source: 'perf', "},
	{EVENT "perf",
	 "f:2:17: expected a name of libpfm4 or of a PMU of sysfs in double quotes, found the end"},
	{EVENT "perf PAGE-FAULTS",
	 "f:2:18: expected a name of libpfm4 or of a PMU of sysfs in double quotes, "
	 "found 'PAGE-FAULTS'"},
	{EVENT "perf \"\"", "f:2:18: expected a name of libpfm4 or of a PMU of sysfs, found an empty string"},
	{EVENT "perf \"PAGE-FALTS\"", "f:2:18: expected a name that libpfm4 or a PMU of sysfs knows, found "
				      "\"PAGE-FALTS\""},
	{EVENT "tracefs \"sched\"", "f:2:21: expected \"SYSTEM:EVENT\" of letters, "},
	{EVENT "tracefs \"../x:y\"", "f:2:21: expected \"SYSTEM:EVENT\" of letters, "},
	{EVENT "tracefs \"a:b:c\"", "f:2:21: expected \"SYSTEM:EVENT\" of letters, "},
	{EVENT "tracefs \"a:\"", "f:2:21: expected \"SYSTEM:EVENT\" of letters, "},
	{EVENT "clock sundial", "f:2:19: expected 'realtime', "},
	{EVENT "proc \"/etc/passwd\" line 1 value 0", "f:2:19: expected a path beneath the root"},
	{EVENT "proc \"../etc\" line 1 value 0",
	 "f:2:19: expected the name of a file or directory, found '..'"},
	{EVENT "proc \"a/../b\" line 1 value 0",
	 "f:2:21: expected the name of a file or directory, found '..'"},
	{EVENT "proc \"a\\\"/..\" line 1 value 0",
	 "f:2:23: expected the name of a file or directory, found '..'"},
	{EVENT "sys \"a//b\" line 1 value 0",
	 "f:2:20: expected the name of a file or directory, found an empty"},
	{EVENT "sys \"a/\" line 1 value 0",
	 "f:2:20: expected the name of a file or directory, found an empty"},
	{EVENT "sys \"./a\" line 1 value 0", "f:2:18: expected the name of a file or directory, found '.'"},
	{EVENT "proc \"stat\" value 0", "f:2:25: expected 'key' or 'line', found 'value'"},
	{EVENT "proc \"stat\" line 0 value 0",
	 "f:2:30: expected a line of the file, a number from 1 to 1000000, "
	 "found '0'"},
	{EVENT "proc \"stat\" line -1 value 0",
	 "f:2:30: expected a line of the file, a number from 1 to 1000000, "
	 "found '-1'"},
	{EVENT "proc \"stat\" key \"\" value 0", "f:2:29: expected a key, found an empty string"},
	{EVENT "proc \"stat\" key \"x\" occurrence 1 token 1 value 0",
	 "f:2:46: expected 'token', 'occurrence' (in "
	 "this order) or 'value', found 'token'"},
	{EVENT "proc \"stat\" line 1 token 1 value 0", "f:2:32: expected 'value', found 'token'"},
	{EVENT "proc \"stat\" line 1 value",
	 "f:2:37: expected the token that is the value, a number from 0 to "
	 "65535, found the end of the line"},
	{EVENT "proc \"stat\" line 1 value 18446744073709551616",
	 "f:2:38: expected the token that is the value, "},
	{EVENT "proc \"stat\" line 1 value 5 to 4",
	 "f:2:43: expected the last token to add up, a number from 5 "},
	{EVENT "clock thread * 0", "f:2:28: expected a factor, a number from 1 to 2147483647, found '0'"},
	{EVENT "clock thread * 2147483648", "f:2:28: expected a factor, a number from 1 to 2147483647, "},
	{EVENT "clock thread * 18446744073709551617", "f:2:28: expected a factor, "},
	{EVENT "clock thread * 1e3", "f:2:28: expected a factor, "},
	{EVENT "clock thread / 0", "f:2:28: expected a divisor, a number from 1 to 2147483647, found '0'"},
	{EVENT "clock thread / 2 * 3", "f:2:30: expected a property ('unit', "},
	{EVENT "clock thread differs \"x\"", "f:2:26: expected a property ('unit', "},
	{EVENT "clock thread unit ns", "f:2:31: expected the unit in double quotes, found 'ns'"},
	{EVENT "clock thread unit \"\"", "f:2:31: expected the unit, found an empty string"},
	{EVENT "clock thread unit \"" A100 "\"", "f:2:31: expected the unit of at most 60 bytes, found 100"},
	{EVENT "clock thread unit \"a\" unit \"b\"", "f:2:40: expected the unit once"},
	{EVENT "clock thread scope cpu scope cpu", "f:2:36: expected the scope once"},
	{EVENT "clock thread count level", "f:2:32: expected 'count' or 'level' once"},
	{EVENT "clock thread scope world",
	 "f:2:32: expected 'context', 'thread', 'process', 'cpu' or 'machine', "
	 "found 'world'"},
	{EVENT "clock thread describe \"x", "f:2:35: expected a closing '\"'"},
	{EVENT "clock thread describe \"x\\n\"", "f:2:37: expected \\\" or \\\\ in a string"},
	{EVENT "clock thread describe \"\xc3\xa4\xc3\xb6\" x", "f:2:40: expected a property ('unit', "},
	{EVENT "clock thread\nevent e.y = clock thread\nevent e.x = clock thread",
	 "f:4:7: expected each name once in a file, found 'e.x' as on line 2"},
	{"event PU0_DATA_LOADS = clock thread",
	 "f:2:7: expected a name of your own or of this machine, found the "
	 "Blue Gene/P event 'PU0_DATA_LOADS': use 'drive'"},
	{"event BGP_PU0_DATA_LOADS = clock thread",
	 "f:2:7: expected an event name, found 'BGP_PU0_DATA_LOADS'; in "
	 "a wiring file this event is 'PU0_DATA_LOADS'"},
	{"derived PU0_DATA_LOADS = \"time::raw_ns\"",
	 "f:2:9: expected a name of your own or of this machine, "},
	{"drive PU0_DATA_LOAD = clock thread differs \"x\"",
	 "f:2:7: expected the name of a Blue Gene/P event, "
	 "found 'PU0_DATA_LOAD'; did you mean PU0_DATA_LOADS"},
	{"drive perf::PAGE-FAULTS = clock thread differs \"x\"",
	 "f:2:7: expected the name of a Blue Gene/P event, "
	 "found 'perf::PAGE-FAULTS', an event of this machine: use 'event'"},
	{"drive PU0_DATA_LOADS = clock thread", "f:2:36: expected '*', '/' or 'differs' "},
	{"drive PU0_DATA_LOADS = clock thread differs \"\"",
	 "f:2:45: expected how the meaning differs, found an empty string"},
	{"drive PU0_DATA_LOADS = clock thread * 2 unit \"x\"", "f:2:41: expected 'differs' and in which "},
	{"remove PU0_DATA_LOADS",
	 "f:2:8: expected an event that can be removed, found the Blue Gene/P event "},
	{"remove perf::PAGE-FALTS",
	 "f:2:8: expected the name of an event, found 'perf::PAGE-FALTS'; did you mean "
	 "perf::PAGE-FAULTS"},
	{"remove perf::PAGE-FAULTS x", "f:2:26: expected the end of the line, found 'x'"},
	{"derived d = 1", "f:2:13: expected a formula in double quotes, found '1'"},
	{"derived d = \"\"", "f:2:13: expected a formula, found an empty string"},
	{"derived d = \"time::raw_ns\" * 2", "f:2:28: expected a property "},
	{"derived d = \"time::raw_ns + nothing\"", "f:2:29: expected an event name, found 'nothing'"},
	{"derived d = \"\\\"time::raw_ns\\\" + \\\"x y\\\"\"", "f:2:33: expected an event name, found 'x y'"},
	{"derived d = \"e.new\"\nevent e.now = clock thread",
	 "f:2:14: expected an event name, found 'e.new'; did you "
	 "mean e.now"},
	{"derived d = \"d + time::raw_ns\"",
	 "f:2:14: expected an event, or a derived one from a line above, found "
	 "'d' of line 2"},
	{"derived d = \"time::raw_ns + e\"\nderived e = \"time::raw_ns\"",
	 "f:2:29: expected an event, or a derived "
	 "one from a line above, found 'e' of line 3"},
	{"derived d = \"time::raw_ns\"\nremove time::raw_ns",
	 "f:2:14: expected an event, found 'time::raw_ns', which "
	 "is removed on line 3"},
	{"derived d = \"(time::raw_ns) / \\\"perf::PAGE-FAULTS\\\"\" unit \"x\" count",
	 "f:2:63: expected 'level' or nothing, found 'count': a ratio does not only grow"},
	{"derived d = \"(time::raw_ns) / \\\"perf::PAGE-FAULTS\\\"\"\nderived e = \"2*d\"",
	 "f:3:16: expected an event, or a derived one without a divisor, found 'd', which is a "
	 "ratio"},
	{EVENT "perf \"no_pmu::EVENT\"", "f:2:18: expected an event of a PMU of this machine ("},
	{"event x = clock thread\r",
	 "f:2:23: expected lines that end with a newline only, found a carriage return"},
	{"event x\001", "f:2:8: expected text, found the control character 0x01"},
	{"# \xff", "f:2:3: expected UTF-8, found the byte 0xff"},
	{"# \xc3\xa4 \xed\xa0\x80", "f:2:5: expected UTF-8, found the byte 0xed"},
	{"# \xc0\x80", "f:2:3: expected UTF-8, found the byte 0xc0"},
	{"# cut \xe2\x82", "f:2:7: expected UTF-8, found the byte 0xe2"},
	{"upc-wiring 1", "f:2:1: expected 'event', "},
};

TEST_WITH(test_mistakes, open_catalogue, close_catalogue)
{
	needs_perf();
	static const char before[] = "event m.before = clock thread\n";
	struct snapshot snapshot = take_snapshot();
	char body[2048], message[600];
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		const char *expected = mistakes[i].message;
		unsigned line;

		assert_int_equal(parse(mistakes[i].body), UPC_EWIRING);
		if (strncmp(upc_last_message(), expected, strlen(expected)))
			fail_msg("\"%s\"\ngives    %s\nexpected %s", mistakes[i].body, upc_last_message(),
				 expected);
		if (!unchanged(&snapshot))
			fail_msg("\"%s\" changed the catalogue", mistakes[i].body);
		/* Behind a good line it is as bad, a line further down. */
		if (sscanf(expected, "f:%u:", &line) != 1 || strstr(expected, "on line") ||
		    strstr(expected, "of line"))
			continue;
		snprintf(body, sizeof(body), "%s%s", before, mistakes[i].body);
		snprintf(message, sizeof(message), "f:%u:%s", line + 1, strchr(expected + 2, ':') + 1);
		assert_int_equal(parse(body), UPC_EWIRING);
		if (strncmp(upc_last_message(), message, strlen(message)))
			fail_msg("gives    %s\nexpected %s", upc_last_message(), message);
		assert_true(unchanged(&snapshot));
	}
	free(snapshot.event);
}

TEST_WITH(test_first_line, open_catalogue, close_catalogue)
{
	static const struct {
		const char *text, *message;
	} files[] = {
		{"", "f:1:1: expected 'upc-wiring 1' on the first line, found the end of the line"},
		{"\nupc-wiring 1", "f:1:1: expected 'upc-wiring 1' on the first line"},
		{"upc-wiring", "f:1:11: expected version 1, "},
		{"upc-wiring 2\nwhatever",
		 "f:1:12: expected version 1, the one that this libupc knows, found '2'"},
		{"upc-wiring 1 x", "f:1:14: expected the end of the line, found 'x'"},
		{"\xef\xbb\xbfupc-wiring 1", "f:1:1: expected 'upc-wiring 1' on the first line"},
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(upci_wiring_parse(c, files[i].text, strlen(files[i].text), "f"),
				 UPC_EWIRING);
		if (strncmp(upc_last_message(), files[i].message, strlen(files[i].message)))
			fail_msg("gives    %s\nexpected %s", upc_last_message(), files[i].message);
	}
	assert_int_equal(upci_wiring_parse(c, "upc-wiring 1 # yes", 18, "f"), 0);
	assert_int_equal(upci_wiring_parse(c, "upc-wiring 1\n\0", 14, "f"), UPC_EWIRING);
	assert_message("f:2:1: expected text, found a byte of value 0");
	/* The length is what counts, not a 0 behind it. */
	assert_int_equal(upci_wiring_parse(c, "upc-wiring 12", 12, "f"), 0);
}

TEST_WITH(test_limits, open_catalogue, close_catalogue)
{
	size_t size = 9 * 1024 * 1024, used, i;
	char *text = malloc(size);

	assert_non_null(text);
	memset(text, '\n', size);
	memcpy(text, "upc-wiring 1", 12);
	assert_int_equal(upci_wiring_parse(c, text, size, "f"), UPC_EWIRING);
	assert_message("at most 8388608 bytes");
	assert_int_equal(upci_wiring_parse(c, text, 12 + 65536, "f"), 0);
	assert_int_equal(upci_wiring_parse(c, text, 12 + 65537, "f"), UPC_EWIRING);
	assert_message("f:65537:1: expected at most 65536 lines");
	/* As many statements as there may be. */
	used = (size_t)sprintf(text, "upc-wiring 1\n");
	for (i = 0; i < 65535; i++)
		used += (size_t)sprintf(text + used, "event many.%zu = clock thread\n", i);
	assert_int_equal(upci_wiring_parse(c, text, used, "f"), 0);
	assert_int_equal(event("many.65534")->driver.source, UPC_SOURCE_CLOCK);
	free(text);
}

/* ---- chance ------------------------------------------------------------ */

static const char sample[] =
	"upc-wiring 1\n"
	"# a sample of all that there is\n"
	"event a.faults = perf \"PAGE-FAULTS\" * 4096 unit \"bytes\" describe \"Bytes \\\"faulted\\\" in.\"\n"
	"event a.switch = tracefs \"sched:sched_switch\" scope machine\n"
	"event \"a ctxt\" = proc \"stat\" key \"ctxt\" value 1 scope machine count subsystem \"cpu\"\n"
	"event a.file = sys \"kernel/x/y\" line 2 value 0 to 3 level * 1\n"
	"drive PU0_DATA_LOADS = task \"io\" key \"rchar\" token 0 occurrence 1 value 1 / 8 differs \"Bytes.\"\n"
	"derived a.sum = \"(a.faults + 3*PU0_DATA_LOADS - \\\"a ctxt\\\") / 7\" unit \"u\"\n"
	"derived a.two = \"-a.faults + PU0_DATA_LOADS*9\"\n"
	"remove perf::ALIGNMENT-FAULTS\n";

/* Whatever a byte or a piece more, less or elsewhere makes of a file, it is
 * applied, or refused with a place in it and nothing changed. */
TEST_WITH(test_mutations, open_catalogue, close_catalogue)
{
	static const char bytes[] = "\"\\=*/#() \n\t019azAZ_.:+-\r\0\xc3\xff\x80";
	uint64_t seed = 2;
	struct snapshot snapshot = take_snapshot();
	unsigned i, k, good = 0, bad = 0;

	for (i = 0; i < 6000; i++) {
		char text[2 * sizeof(sample)];
		size_t length = sizeof(sample) - 1;
		unsigned edits = 1 + random_next(&seed) % 3, line, column;
		int error;

		memcpy(text, sample, length);
		for (k = 0; k < edits; k++) {
			size_t at = random_next(&seed) % length, n = random_next(&seed) % 12;

			if (n > length - at)
				n = length - at;
			switch (random_next(&seed) % 4) {
			case 0:
				text[at] = bytes[random_next(&seed) % (sizeof(bytes) - 1)];
				break;
			case 1:
				memmove(text + at, text + at + n, length - at - n);
				length -= n < length ? n : 0;
				break;
			case 2:
				memmove(text + at + n, text + at, length - at);
				length += n;
				break;
			default:
				length = at + 1;
			}
		}
		error = upci_wiring_parse(c, text, length, "f");
		if (!error) {
			good++;
			free(snapshot.event);
			snapshot = take_snapshot();
			continue;
		}
		bad++;
		assert_int_equal(error, UPC_EWIRING);
		if (sscanf(upc_last_message(), "f:%u:%u: expected ", &line, &column) != 2 || !line || !column)
			fail_msg("no place: %s", upc_last_message());
		if (!unchanged(&snapshot))
			fail_msg("refused, and changed the catalogue: %s", upc_last_message());
	}
	free(snapshot.event);
	assert_true(good > 30 && bad > 1000);
}

UNIT_TESTS(wiring, NULL, NULL)
