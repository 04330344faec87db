/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_sheet.c - unit tests of what upcctl prints: states with their places and reasons; and answers in which
 * fields are missing, of other types, or want to command the terminal.
 */
#include "ctl/ctl_sheet.h"

#include "../unit_test.h"

static char *text;

static FILE *begin(void)
{
	static size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	return out;
}

static void prints(void (*put)(FILE *out, const json_t *answer), const char *json, const char *want)
{
	json_error_t error;
	json_t *answer = json_loads(json, 0, &error);
	FILE *out = begin();

	if (answer == NULL)
		fail_msg("%s: %s", json, error.text);
	put(out, answer);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	json_decref(answer);
}

static void put_csv(FILE *out, const json_t *answer)
{
	assert_int_equal(ctl_put_data(out, answer, UTIL_CSV), UTIL_OK);
}

static void put_json(FILE *out, const json_t *answer)
{
	assert_int_equal(ctl_put_data(out, answer, UTIL_JSON), UTIL_OK);
}

static void put_status(FILE *out, const json_t *answer)
{
	ctl_put_status(out, "/run/upc/control", answer);
}

#define PLACE(n, s) "{\"name\":\"" n "\",\"state\":\"" s "\",\"running_ns\":5}"
#define COUNTING(n) "{\"name\":\"" n "\",\"state\":\"counting\",\"value\":7,\"running_ns\":9}"
#define COUNTER(number, name, scope, state, why, places)                                         \
	"{\"number\":" number ",\"id\":1" number ",\"name\":\"" name "\",\"event\":\"perf::E\"," \
	"\"unit\":\"u\",\"scope\":\"" scope "\",\"state\":\"" state "\",\"why\":\"" why          \
	"\",\"places\":[" places "]}"

TEST(test_states)
{
	prints(ctl_put_counters,
	       "{\"counters\":[" COUNTER("1", "a", "node", "counting", "", COUNTING("")) "," COUNTER(
		       "2", "b", "cpu", "taken", "perf (pid 12, uid 0) has it",
		       COUNTING("cpu0") "," PLACE("cpu1", "taken") "," COUNTING("cpu2") "," PLACE(
			       "cpu3",
			       "taken")) "," COUNTER("10", "long-name", "cpu", "yielded",
						     "stepped aside: upcctl asked for it",
						     PLACE("cpu0", "yielded") "," PLACE(
							     "cpu1",
							     "yielded")) "," COUNTER("11", "c", "cpu",
										     "taken",
										     "perf (pid 12, uid 0) has it",
										     COUNTING("0") "," PLACE("1", "taken") "," PLACE("2", "taken") "," PLACE(
											     "3",
											     "taken") "," PLACE("4",
														"taken") "," PLACE("5",
																   "taken")) "]}",
	       "No  Name       Event    Scope  State\n"
	       " 1  a          perf::E  node   counting\n"
	       " 2  b          perf::E  cpu    taken on cpu1, cpu3 (1)\n"
	       "10  long-name  perf::E  cpu    yielded (2)\n"
	       "11  c          perf::E  cpu    taken on 5 of 6 (1)\n"
	       "\n"
	       "(1) perf (pid 12, uid 0) has it\n"
	       "(2) stepped aside: upcctl asked for it\n");
	prints(ctl_put_counters,
	       "{\"yielded_for\":[{\"pid\":12,\"uid\":0,\"program\":\"perf\"},{\"pid\":13,\"uid\":7,\"program\":\"\"}],"
	       "\"counters\":[" COUNTER("1", "a", "node", "yielded", "", PLACE("", "yielded")) "]}",
	       "No  Name  Event    Scope  State\n"
	       " 1  a     perf::E  node   yielded\n"
	       "\n"
	       "yielded for perf (pid 12, uid 0), a client (pid 13, uid 7)\n");
	prints(ctl_put_counters, "{\"counters\":[]}", "no counters; 'upcctl add EVENT' adds one\n");
}

#define HEADINGS                                                                                      \
	"record,number,id,name,place,event,value,low,high,standard_error,exactness,unit,scope,state," \
	"running_ns,reason\nfact,,,,,tool,upcctl,,,,,,,,,\nfact,,,,,version," UPC_VERSION_STRING      \
	",,,,,,,,,\n"

/* A place that counts has a value; another has a reason: the counter's, where it is of that state. */
TEST(test_data)
{
	static const char answer[] = "{\"ok\":true,\"message\":\"1 counter\",\"counters\":[" COUNTER(
		"1", "a,b", "cpu", "taken", "he said \\\"no\\\"",
		COUNTING("cpu0") "," PLACE("cpu1", "taken") "," PLACE("cpu2", "halted")) "]}";

	prints(put_csv, answer,
	       HEADINGS "fact,,,,,ok,1,,,,,,,,,\n"
			"fact,,,,,message,1 counter,,,,,,,,,\n"
			"place,1,11,\"a,b\",cpu0,perf::E,7,,,,exact,u,cpu,counting,9,\n"
			"place,1,11,\"a,b\",cpu1,perf::E,,,,,uncounted,u,cpu,taken,5,\"he said \"\"no\"\"\"\n"
			"place,1,11,\"a,b\",cpu2,perf::E,,,,,uncounted,u,cpu,halted,5,halted\n");
	prints(put_json, answer,
	       "{\"schema\": 2,\n\"tool\": \"upcctl\",\n\"version\": \"" UPC_VERSION_STRING "\",\n"
	       "\"ok\": true,\n\"message\": \"1 counter\",\n\"counters\": [\n"
	       "{\"number\": 1, \"id\": 11, \"name\": \"a,b\", \"event\": \"perf::E\", \"description\": \"\", "
	       "\"unit\": \"u\", \"scope\": \"cpu\", \"level\": false, \"hardware\": false, \"state\": \"taken\", "
	       "\"why\": \"he said \\\"no\\\"\"}\n],\n\"places\": [\n"
	       "{\"number\": 1, \"event\": \"perf::E\", \"place\": \"cpu0\", \"state\": \"counting\", \"value\": 7, "
	       "\"exactness\": \"exact\", \"running_ns\": 9},\n"
	       "{\"number\": 1, \"event\": \"perf::E\", \"place\": \"cpu1\", \"state\": \"taken\", \"value\": null, "
	       "\"exactness\": \"uncounted\", \"reasons\": [\"he said \\\"no\\\"\"], \"running_ns\": 5},\n"
	       "{\"number\": 1, \"event\": \"perf::E\", \"place\": \"cpu2\", \"state\": \"halted\", \"value\": null, "
	       "\"exactness\": \"uncounted\", \"reasons\": [\"halted\"], \"running_ns\": 5}\n],\n\"notes\": []}\n");
	/* An answer without counters, and fields of other types. */
	prints(put_csv, "{\"ok\":false,\"message\":\"no\",\"generation\":\"x\",\"counters\":7}",
	       HEADINGS "fact,,,,,ok,0,,,,,,,,,\n"
			"fact,,,,,message,no,,,,,,,,,\n"
			"fact,,,,,generation,,,,,,,,,,\n");
}

TEST(test_status)
{
	setenv("TZ", "UTC", 1);
	prints(put_status,
	       "{\"generation\":3,\"started_ns\":1000000000000000000,\"time_ns\":1000000060000000000,"
	       "\"interval_ns\":60000000000,\"yields\":2,\"noticing\":\"by looking\",\"unseen\":\"\",\"remark\":\"r\","
	       "\"counters\":[]}",
	       "service     /run/upc/control\n"
	       "since       2001-09-09 01:46:40 +0000\n"
	       "samples     each 60.000 s, at multiples of it\n"
	       "last sample 2001-09-09 01:47:40 +0000\n"
	       "generation  3\n"
	       "yielded for 2 of 'upcctl run'\n"
	       "noticing    by looking\n"
	       "remark      r\n"
	       "\n"
	       "no counters; 'upcctl add EVENT' adds one\n");
	prints(put_status, "{\"interval_ns\":0}",
	       "service     /run/upc/control\n"
	       "samples     when somebody asks\n"
	       "\n"
	       "no counters; 'upcctl add EVENT' adds one\n");
}

/* Nothing of it harms, and no control character comes out. */
TEST(test_hostile)
{
	static const char *const answers[] = {
		"{}",
		"{\"counters\":7}",
		"{\"counters\":[7,null,[],{},{\"places\":7},{\"places\":[7,{}]}]}",
		"{\"counters\":[{\"number\":-1,\"name\":7,\"event\":[],\"state\":{},\"why\":null,\"places\":{}}]}",
		"{\"counters\":[" COUNTER("1", "\\u001b[2J", "\\u009b1m", "\\u0007", "\\u001b]0;x\\n\\r",
					  PLACE("\\u001b", "\\u0007") "," COUNTING("b")) "]}",
		"{\"started_ns\":-1,\"time_ns\":9223372036854775807,\"interval_ns\":-5,\"generation\":\"x\",\"yields\":1.5,"
		"\"yielded_for\":[7,{},{\"pid\":[],\"program\":\"\\u001b[2J\"}],\"noticing\":\"\\u001b[31m\",\"unseen\":7,\"remark\":\"\\n\\u009b\"}",
	};
	static void (*const puts[])(FILE *, const json_t *) = {ctl_put_counters, put_status};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		for (size_t k = 0; k < 2; k++) {
			json_t *answer = json_loads(answers[i], 0, NULL);
			FILE *out = begin();

			assert_non_null(answer);
			puts[k](out, answer);
			put_csv(out, answer);
			put_json(out, answer);
			fclose(out);
			free(text);
			out = begin();
			puts[k](out, answer);
			fclose(out);
			for (const char *p = text; *p != '\0'; p++)
				assert_true(*p == '\n' || (*p >= ' ' && *p <= '~'));
			free(text);
			json_decref(answer);
		}
}

/* Names of any length, and more places than are named. */
TEST(test_long)
{
	char name[3000];
	json_t *places = json_array(), *answer;
	FILE *out;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (unsigned i = 0; i < 3; i++)
		json_array_append_new(places, json_pack("{s:s, s:s}", "name", name, "state",
							i == 0 ? "counting" : "taken"));
	answer = json_pack("{s:[{s:s, s:s, s:s, s:o}]}", "counters", "name", name, "why", name, "state",
			   "taken", "places", places);
	assert_non_null(answer);
	out = begin();
	ctl_put_counters(out, answer);
	fclose(out);
	assert_non_null(strstr(text, name));
	free(text);
	json_decref(answer);
}

UNIT_TESTS(ctl_sheet, NULL, NULL)
