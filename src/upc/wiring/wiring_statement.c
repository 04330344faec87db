/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_statement.c - parses the statements of a wiring file.
 * Terms: wiring/wiring.h.
 */
#include <limits.h>
#include <stdio.h>

#include "catalogue/driver.h"
#include "wiring/wiring_statement.h"
#include "wiring/wiring_words.h"

#define TOKEN_MAX 65535u        /* maximum token number in a line */
#define OCCURRENCE_MAX 1000000u /* maximum line number in a file */

/* ---- parts ------------------------------------------------------------- */

static bool is_sign(const struct upci_lex *lex, char sign)
{
	return lex->token.kind == UPCI_TOKEN_SIGN && *lex->token.start == sign;
}

/* Take the token if it is this word. Return 1, 0 if it is another, or a negative error. */
static int take_word_token(struct upci_lex *lex, const char *word)
{
	int error;

	if (!upci_lex_is(lex, word))
		return 0;
	error = upci_lex_next(lex);
	return error ? error : 1;
}

static int expect_word(struct upci_lex *lex, const char *word, const char *what)
{
	int taken = take_word_token(lex, word);

	return taken > 0 ? 0 : taken < 0 ? taken : upci_lex_fail_expected(lex, what);
}

static int expect_end(struct upci_lex *lex)
{
	return lex->token.kind == UPCI_TOKEN_END ? 0 : upci_lex_fail_expected(lex, "the end of the line");
}

/* Return the index of the word that the token is, or -1. */
static int find_word(const struct upci_lex *lex, const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++)
		if (upci_lex_is(lex, words[i]))
			return i;
	return -1;
}

static int parse_number_word(struct upci_lex *lex, const char *what, unsigned min, unsigned max,
			     unsigned *number)
{
	char expected[120];
	uint64_t n = 0;
	size_t i;

	snprintf(expected, sizeof(expected), "%s, a number from %u to %u", what, min, max);
	if (lex->token.kind != UPCI_TOKEN_WORD)
		return upci_lex_fail_expected(lex, expected);
	for (i = 0; i < lex->token.length; i++) {
		char c = lex->token.start[i];

		if (c < '0' || c > '9')
			return upci_lex_fail_expected(lex, expected);
		n = n * 10 + (uint64_t)(c - '0');
		if (n > max)
			return upci_lex_fail_expected(lex, expected);
	}
	if (n < min)
		return upci_lex_fail_expected(lex, expected);
	*number = (unsigned)n;
	return upci_lex_next(lex);
}

/* Parse a string of min to max bytes into the pool. */
static int parse_string(struct upci_lex *lex, char **pool, const char *what, size_t min, size_t max,
			const char **string)
{
	size_t length;
	char expected[120];

	snprintf(expected, sizeof(expected), "%s in double quotes", what);
	if (lex->token.kind != UPCI_TOKEN_STRING)
		return upci_lex_fail_expected(lex, expected);
	length = upci_lex_copy(lex, *pool);
	if (length < min)
		return upci_lex_fail_at(lex, upci_lex_place(lex), "expected %s, found an empty string", what);
	if (length > max)
		return upci_lex_fail_at(lex, upci_lex_place(lex),
					"expected %s of at most %zu bytes, found %zu", what, max, length);
	*string = *pool;
	*pool += length + 1;
	return upci_lex_next(lex);
}

/* Parse a string that may occur only once in a statement. */
static int parse_once(struct upci_lex *lex, char **pool, const char *what, size_t min, size_t max,
		      const char **string)
{
	if (*string)
		return upci_lex_fail_at(lex, upci_lex_place(lex),
					"expected %s once in a statement, found it again", what);
	return parse_string(lex, pool, what, min, max, string);
}

static int parse_statement_name(struct upci_lex *lex, char **pool, struct upci_statement *s)
{
	const char *name = *pool;
	size_t length;

	s->name_at = upci_lex_place(lex);
	if (lex->token.kind != UPCI_TOKEN_WORD && lex->token.kind != UPCI_TOKEN_STRING)
		return upci_lex_fail_expected(lex, "an event name");
	length = upci_lex_copy(lex, *pool);
	if (!length || length >= UPC_NAME_MAX)
		return upci_lex_fail_at(lex, s->name_at, "expected an event name of 1 to %d bytes, found %zu",
					UPC_NAME_MAX - 1, length);
	if (strstr(name, ":mode="))
		return upci_lex_fail_at(lex, s->name_at,
					"expected an event name, found one with ':mode=' in it, "
					"which is a qualifier of any event");
	if (name[0] == ' ' || name[0] == '\t' || name[length - 1] == ' ' || name[length - 1] == '\t')
		return upci_lex_fail_at(lex, s->name_at,
					"expected an event name, found one with a blank at its end");
	s->event.name = name;
	*pool += length + 1;
	return upci_lex_next(lex);
}

/* ---- sources ----------------------------------------------------------- */

static int parse_path(struct upci_lex *lex, char **pool, const char **path)
{
	struct upci_place place = upci_lex_place(lex);
	int error = parse_string(lex, pool, "a path", 1, UPCI_WIRING_PATH_MAX, path);
	const char *part;
	size_t n;

	if (error)
		return error;
	if (**path == '/')
		return upci_lex_fail_at(
			lex, upci_lex_inside(place, 0),
			"expected a path beneath the root that the word before it names, found one "
			"that begins with '/'");
	for (part = *path;; part += n + 1) {
		n = strcspn(part, "/");
		if (!n || (n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
			return upci_lex_fail_at(lex, upci_lex_inside(place, (size_t)(part - *path)),
						"expected the name of a file or directory, found %s",
						!n       ? "an empty one"
						: n == 1 ? "'.'"
							 : "'..'");
		if (!part[n])
			return 0;
	}
}

/* Parse "PATH" (key "KEY" [token N] [occurrence N] | line N) value N [to N]. */
static int parse_field(struct upci_lex *lex, char **pool, struct upci_field *field)
{
	int error = parse_path(lex, pool, &field->path);
	int taken;

	if (error)
		return error;
	field->occurrence = 1;
	taken = take_word_token(lex, "key");
	if (taken > 0) {
		error = parse_string(lex, pool, "a key", 1, UPCI_WIRING_PATH_MAX, &field->key);
		if (!error && (taken = take_word_token(lex, "token")) != 0)
			error = taken < 0 ? taken
					  : parse_number_word(lex, "the token that is the key", 0, TOKEN_MAX,
							      &field->key_token);
		if (!error && (taken = take_word_token(lex, "occurrence")) != 0)
			error = taken < 0 ? taken
					  : parse_number_word(lex, "which of the lines with this key", 1,
							      OCCURRENCE_MAX, &field->occurrence);
	} else if (taken == 0) {
		error = expect_word(lex, "line", "'key' or 'line'");
		if (!error)
			error = parse_number_word(lex, "a line of the file", 1, OCCURRENCE_MAX,
						  &field->occurrence);
	} else {
		error = taken;
	}
	if (!error)
		error = expect_word(lex, "value",
				    !field->key ? "'value'"
						: "'token', 'occurrence' (in this order) or 'value'");
	if (!error)
		error = parse_number_word(lex, "the token that is the value", 0, TOKEN_MAX, &field->first);
	field->last = field->first;
	if (!error && (taken = take_word_token(lex, "to")) != 0)
		error = taken < 0 ? taken
				  : parse_number_word(lex, "the last token to add up", field->first,
						      TOKEN_MAX, &field->last);
	return error;
}

static int parse_clock(struct upci_lex *lex, struct upci_event *event)
{
	const struct upci_driver_clock *clock = upci_driver_clocks;

	while (clock->word && !upci_lex_is(lex, clock->word))
		clock++;
	if (!clock->word)
		return upci_lex_fail_expected(lex, "'realtime', 'monotonic', 'monotonic_raw', 'boottime', "
						   "'process' or 'thread'");
	event->driver.source = UPC_SOURCE_CLOCK;
	event->driver.clock = clock->id;
	event->scope = clock->scope;
	event->kind = clock->kind;
	event->unit = "ns";
	return upci_lex_next(lex);
}

/* Check that the string is SYSTEM:EVENT and does not lead out of tracefs. */
static int check_tracepoint(const struct upci_lex *lex, const struct upci_statement *s)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	const char *name = s->event.driver.tracepoint;
	size_t system = strspn(name, letters);
	size_t event = name[system] == ':' ? strspn(name + system + 1, letters) : 0;

	if (!system || !event || name[system + 1 + event])
		return upci_lex_fail_at(lex, s->source_at,
					"expected \"SYSTEM:EVENT\" of letters, digits, '_' and "
					"'-', found \"%.60s\"",
					name);
	return 0;
}

/* A source that is written as a word and a string. */
struct worded {
	const char *word, *string;
	enum upc_source source;
	enum upc_scope scope;
};

static const struct worded *find_worded(const struct upci_lex *lex)
{
	static const struct worded all[] = {
#define WORDED(kind, row, name, word, scope, string) {word, string, kind, scope},
#define DRIVEN(kind, row, name)
#include "base/sources.def"
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (upci_lex_is(lex, all[i].word))
			return &all[i];
	return NULL;
}

static int parse_source(struct upci_lex *lex, char **pool, struct upci_statement *s)
{
	static const enum upc_scope root_scope[] = {
		[UPCI_ROOT_PROC] = UPC_SCOPE_MACHINE,
		[UPCI_ROOT_SYS] = UPC_SCOPE_MACHINE,
		[UPCI_ROOT_TASK] = UPC_SCOPE_THREAD,
		[UPCI_ROOT_PROCESS] = UPC_SCOPE_PROCESS,
	};
	struct upci_event *event = &s->event;
	struct upci_driver *driver = &event->driver;
	int root = find_word(lex, upci_driver_roots);
	const struct worded *worded = find_worded(lex);
	bool clock = upci_lex_is(lex, "clock");
	int error;

	if (root < 0 && !worded && !clock)
		return upci_lex_fail_expected(lex, "a source: "
#define WORDED(kind, row, name, word, scope, string) "'" word "', "
#define DRIVEN(kind, row, name)
#include "base/sources.def"
						   "'proc', 'sys', 'task', 'process' or 'clock'");
	error = upci_lex_next(lex);
	s->source_at = upci_lex_place(lex);
	if (error)
		return error;
	if (clock)
		return parse_clock(lex, event);
	if (worded) {
		driver->source = worded->source;
		event->scope = worded->scope;
		error = parse_string(lex, pool, worded->string, 1, UPC_NAME_MAX - 1, &driver->text);
		if (!error && worded->source == UPC_SOURCE_TRACEPOINT)
			error = check_tracepoint(lex, s);
		return error;
	}
	driver->source = UPC_SOURCE_FILE;
	driver->file.root = (enum upci_root)root;
	event->scope = root_scope[root];
	return parse_field(lex, pool, &driver->file);
}

/* Parse [* MUL] [/ DIV]. */
static int parse_scale(struct upci_lex *lex, struct upci_driver *driver)
{
	unsigned number;
	int error = 0;

	if (is_sign(lex, '*')) {
		error = upci_lex_next(lex);
		if (!error)
			error = parse_number_word(lex, "a factor", 1, INT_MAX, &number);
		if (!error)
			driver->mul = number;
	}
	if (!error && is_sign(lex, '/')) {
		error = upci_lex_next(lex);
		if (!error)
			error = parse_number_word(lex, "a divisor", 1, INT_MAX, &number);
		if (!error)
			driver->div = number;
	}
	return error;
}

/* ---- properties and statements ----------------------------------------- */

static int parse_properties(struct upci_lex *lex, char **pool, struct upci_statement *s)
{
	static const char *const words[] = {"unit", "describe", "subsystem", "scope", "count", "level", NULL};
	const char *unit = NULL;
	bool scope_given = false;
	int error = 0, word;

	while (!error && lex->token.kind != UPCI_TOKEN_END) {
		struct upci_place place = upci_lex_place(lex);

		word = find_word(lex, words);
		if (word < 0)
			return upci_lex_fail_expected(lex, "a property ('unit', 'scope', 'count', 'level', "
							   "'describe', 'subsystem') or the end of the line");
		if ((word == 3 && scope_given) || (word > 3 && s->kind_given))
			return upci_lex_fail_at(lex, place, "expected %s once in a statement, found it again",
						word == 3 ? "the scope" : "'count' or 'level'");
		error = upci_lex_next(lex);
		if (error)
			return error;
		switch (word) {
		case 0:
			error = parse_once(lex, pool, "the unit", 1, UPCI_WIRING_LABEL_MAX, &unit);
			break;
		case 1:
			error = parse_once(lex, pool, "the description", 0, UPCI_WIRING_TEXT_MAX,
					   &s->event.description);
			break;
		case 2:
			error = parse_once(lex, pool, "the subsystem", 0, UPCI_WIRING_LABEL_MAX,
					   &s->event.subsystem);
			break;
		case 3:
			word = find_word(lex, upci_wiring_scopes);
			if (word < 0)
				return upci_lex_fail_expected(
					lex, "'context', 'thread', 'process', 'cpu' or 'machine'");
			s->event.scope = (enum upc_scope)word;
			scope_given = true;
			error = upci_lex_next(lex);
			break;
		default:
			s->event.kind = word == 5 ? UPC_KIND_LEVEL : UPC_KIND_COUNT;
			s->kind_given = true;
			s->kind_at = place;
		}
	}
	if (unit)
		s->event.unit = unit;
	return error;
}

static int expect_equals(struct upci_lex *lex)
{
	return is_sign(lex, '=') ? upci_lex_next(lex) : upci_lex_fail_expected(lex, "'='");
}

static int parse_driven(struct upci_lex *lex, char **pool, struct upci_statement *s)
{
	int error = parse_source(lex, pool, s);

	if (!error)
		error = parse_scale(lex, &s->event.driver);
	if (error || s->verb != UPCI_VERB_DRIVE)
		return error;
	error = expect_word(lex, "differs",
			    s->event.driver.mul == 1 && s->event.driver.div == 1
				    ? "'*', '/' or 'differs' and in which way the meaning differs"
				    : "'differs' and in which way the meaning differs");
	return error ? error
		     : parse_string(lex, pool, "how the meaning differs", 1, UPCI_WIRING_TEXT_MAX,
				    &s->event.differs);
}

int upci_statement_parse(struct upci_lex *lex, char **pool, struct upci_statement *s)
{
	static const char *const verbs[] = {
		[UPCI_VERB_EVENT] = "event",
		[UPCI_VERB_DRIVE] = "drive",
		[UPCI_VERB_DERIVED] = "derived",
		[UPCI_VERB_REMOVE] = "remove",
		NULL,
	};
	int verb = find_word(lex, verbs), error;

	*s = (struct upci_statement){.event = {.id = UPC_NO_ID, .driver = {.mul = 1, .div = 1}}};
	if (verb < 0)
		return upci_lex_fail_expected(lex, "'event', 'drive', 'derived' or 'remove'");
	s->verb = (enum upci_verb)verb;
	error = upci_lex_next(lex);
	if (!error)
		error = parse_statement_name(lex, pool, s);
	if (!error && s->verb == UPCI_VERB_REMOVE)
		return expect_end(lex);
	if (!error)
		error = expect_equals(lex);
	if (error)
		return error;
	if (s->verb == UPCI_VERB_DERIVED) {
		s->source_at = upci_lex_place(lex);
		error = parse_string(lex, pool, "a formula", 1, UPCI_WIRING_FORMULA_MAX, &s->formula);
	} else {
		error = parse_driven(lex, pool, s);
	}
	return error ? error : parse_properties(lex, pool, s);
}

int upci_statements_parse(struct upci_lex *lex, const char *word, const char *first, const char *version,
			  int (*add)(void *arg), void *arg)
{
	int error = expect_word(lex, word, first), more;

	if (!error)
		error = expect_word(lex, "1", version);
	if (!error)
		error = expect_end(lex);
	while (!error) {
		more = upci_lex_next_line(lex);
		if (more <= 0)
			return more;
		if (lex->token.kind != UPCI_TOKEN_END)
			error = add(arg);
	}
	return error;
}
