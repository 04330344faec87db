/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - see config.h. A line is split into words with their places. Then a command is made from the
 * words, which may also come from a client. A table says which operands and keys each verb takes.
 * Terms: service/service.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "catalogue/nearest.h"
#include "service/config.h"
#include "service/service.h"

/* ---- mistakes ------------------------------------------------------------- */

bool config_mistake(struct config_error *error, struct config_place place, const char *format, ...)
{
	va_list args;

	error->place = place;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return false;
}

/* A word in a form that fits into a sentence: quoted, cut, and printable. */
struct shown {
	char text[96];
};

static struct shown show_word(const char *word)
{
	struct shown shown = {""};
	struct upci_out out = {.text = shown.text, .size = sizeof(shown.text)};

	upci_out_sentence(&out, word, 40);
	return shown;
}

/* Return "; did you mean X?", or "" if no name is near. */
static struct shown near_word(const char *wrong, const char *const *names)
{
	struct upci_nearest nearest = {.max = 1};
	struct shown shown = {""};

	for (; *names; names++)
		upci_nearest_offer(&nearest, wrong, *names);
	if (nearest.count)
		snprintf(shown.text, sizeof(shown.text), "; did you mean %s?", nearest.name[0]);
	return shown;
}

/* ---- words ---------------------------------------------------------------- */

struct reader {
	const char *at, *end;
	struct config_place place;
	struct config_error *error;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = upci_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void step_reader(struct reader *r)
{
	r->at++;
	r->place.column++;
}

/* Read the escape whose backslash is at r->at. */
static bool read_escape(struct reader *r, char *c)
{
	struct config_place place = r->place;
	int high, low;

	step_reader(r);
	switch (r->at < r->end ? *r->at : 0) {
	case '"':
	case '\\':
		*c = *r->at;
		break;
	case 'n':
		*c = '\n';
		break;
	case 'x':
		high = r->end - r->at > 2 ? hex_digit(r->at[1]) : -1;
		low = high < 0 ? -1 : hex_digit(r->at[2]);
		if (low < 0)
			return config_mistake(r->error, place, "\\x is followed by two hexadecimal digits");
		if (!(high | low))
			return config_mistake(r->error, place, "\\x00: a word has no byte 0");
		*c = (char)(high << 4 | low);
		step_reader(r), step_reader(r);
		break;
	default:
		return config_mistake(r->error, place,
				      "an unknown escape; \\\" \\\\ \\n and \\xNN are known");
	}
	step_reader(r);
	return true;
}

static bool ends_word(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Read a word, parts of which may be quoted, as in as="a". A byte of the word takes at least one byte of the
 * text, so `to` needs no more room than the text. */
static bool read_word(struct reader *r, char *to)
{
	struct config_place quote = r->place;
	bool quoted = false;

	for (; r->at < r->end && (quoted || !ends_word(*r->at));) {
		if (quoted && *r->at == '\n')
			break;
		if (*r->at == '"') {
			quote = r->place;
			quoted = !quoted;
			step_reader(r);
		} else if (quoted && *r->at == '\\') {
			if (!read_escape(r, to))
				return false;
			to++;
		} else if ((unsigned char)*r->at < ' ' && *r->at != '\t') {
			return config_mistake(r->error, r->place,
					      "a control character, byte 0x%02x; in quotes it is \\x%02x",
					      (unsigned char)*r->at, (unsigned char)*r->at);
		} else {
			*to++ = *r->at;
			step_reader(r);
		}
	}
	*to = '\0';
	return !quoted || config_mistake(r->error, quote, "a quote that does not end on its line");
}

static bool append_word(struct reader *r, struct config_command *c)
{
	const char *line = memchr(r->at, '\n', (size_t)(r->end - r->at));
	size_t length = (size_t)((line ? line : r->end) - r->at);
	struct config_word *word;

	if (c->words == CONFIG_WORDS_MAX)
		return config_mistake(r->error, r->place, "more than %u words in a command",
				      CONFIG_WORDS_MAX);
	word = realloc(c->word, (c->words + 1) * sizeof(*word));
	if (!word)
		return config_mistake(r->error, r->place, "no memory");
	c->word = word;
	word += c->words;
	word->place = r->place;
	word->text = malloc(length + 1);
	if (!word->text)
		return config_mistake(r->error, r->place, "no memory");
	c->words++;
	return read_word(r, word->text);
}

/* Read the words of one line; there may be none. */
static bool read_command_line(struct reader *r, struct config_command *c)
{
	while (r->at < r->end && *r->at != '\n') {
		if (*r->at == '#') {
			while (r->at < r->end && *r->at != '\n')
				step_reader(r);
		} else if (ends_word(*r->at)) {
			step_reader(r);
		} else if (!append_word(r, c)) {
			return false;
		}
	}
	return true;
}

/* ---- keys and their values -------------------------------------------------- */

void config_defaults(struct config_initialize *i)
{
	*i = (struct config_initialize){.flexible = true, .notice = true};
}

bool config_is_name(const char *text, const char **why)
{
	const char *p = text;

	*why = "a name has letters, digits, '_', '.', ':' and '-', begins with a letter, and is not ALL";
	if (!((unsigned)(upci_lower(*p) - 'a') < 26) || !strcmp(text, "ALL"))
		return false;
	while (upci_is_alnum(*p) || (*p && strchr("_.:-", *p)))
		p++;
	if (*p)
		return false;
	*why = "a name has at most 127 characters";
	return (size_t)(p - text) < CONFIG_NAME_MAX;
}

/* Return the place of the value in a word "key=value". */
static struct config_place value_place(const struct config_word *w, const char *value)
{
	struct config_place place = w->place;

	if (place.line)
		place.column += (unsigned)(value - w->text);
	return place;
}

#define DAY_NS UINT64_C(86400000000000)

static bool parse_time_operand(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} unit[] = {{"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}};
	uint64_t n = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && n <= DAY_NS; p++)
		n = n * 10 + (uint64_t)(*p - '0');
	if (p == text)
		return false;
	*ns = 0;
	if (!strcmp(text, "0"))
		return true;
	for (unsigned i = 0; i < sizeof(unit) / sizeof(*unit); i++)
		if (!strcmp(p, unit[i].name) && n <= DAY_NS / unit[i].ns)
			*ns = n * unit[i].ns;
	/* A shorter interval costs the node more than it yields. */
	return *ns >= 10000000;
}

typedef bool set_value(struct config_command *c, const char *value, const char **expected);

static bool set_source(struct config_command *c, const char *value, const char **expected)
{
	*expected = "live or replay:FILE";
	if (!strncmp(value, "replay:", 7) && value[7]) {
		c->initialize.replay = value + 7;
		return true;
	}
	return !strcmp(value, "live");
}

static bool set_sys(struct config_command *c, const char *value, const char **expected)
{
	*expected = "the path of a directory";
	c->initialize.sys = value;
	return *value == '/';
}

static bool set_interval(struct config_command *c, const char *value, const char **expected)
{
	*expected = "0, or a time from 10ms to 24h: a number and ms, s, m or h";
	return parse_time_operand(value, &c->initialize.interval_ns);
}

static bool set_domain(struct config_command *c, const char *value, const char **expected)
{
	*expected = "all or user";
	c->initialize.user = !strcmp(value, "user");
	return c->initialize.user || !strcmp(value, "all");
}

static bool set_bool(bool *to, const char *value, const char **expected)
{
	*expected = "yes or no";
	*to = !strcmp(value, "yes");
	return *to || !strcmp(value, "no");
}

static bool set_flexible(struct config_command *c, const char *value, const char **expected)
{
	return set_bool(&c->initialize.flexible, value, expected);
}

static bool set_notice(struct config_command *c, const char *value, const char **expected)
{
	return set_bool(&c->initialize.notice, value, expected);
}

static bool set_reserve(struct config_command *c, const char *value, const char **expected)
{
	*expected = "a number from 0 to 64";
	c->initialize.reserve = 0;
	for (; *value >= '0' && *value <= '9' && c->initialize.reserve <= 64; value++)
		c->initialize.reserve = c->initialize.reserve * 10 + (unsigned)(*value - '0');
	return !*value && value[-1] != '=' && c->initialize.reserve <= 64;
}

static bool set_scope(struct config_command *c, const char *value, const char **expected)
{
	*expected = "cpu, node or cgroup";
	for (c->scope = 0; c->scope < SERVICE_SCOPES; c->scope++)
		if (!strcmp(value, service_scope_name((enum service_scope)c->scope)))
			return true;
	return false;
}

static bool set_as(struct config_command *c, const char *value, const char **expected)
{
	c->as = value;
	return config_is_name(value, expected);
}

static bool set_optional(struct config_command *c, const char *value, const char **expected)
{
	return set_bool(&c->optional, value, expected);
}

#define KEYS_MAX 8

struct key {
	const char *name;
	set_value *set;
};

/* Each verb's operands and keys, and where it may be used: in a configuration before finalize, after
 * finalize, and at run time. */
static const struct verb {
	const char *name;
	unsigned least, most; /* number of operands */
	const char *operands; /* description of the operands */
	bool before, after, run;
	struct key key[KEYS_MAX];
} verbs[CONFIG_VERBS] = {
	[CONFIG_INITIALIZE] = {"initialize",
			       0,
			       0,
			       "no operand",
			       true,
			       false,
			       false,
			       {{"source", set_source},
				{"interval", set_interval},
				{"domain", set_domain},
				{"flexible", set_flexible},
				{"reserve", set_reserve},
				{"notice", set_notice},
				{"sys", set_sys}}},
	[CONFIG_CGROUP] = {"cgroup", 2, 2, "a LABEL and a PATH", true, false, false, {{NULL, NULL}}},
	[CONFIG_ADD] = {"add",
			1,
			CONFIG_WORDS_MAX,
			"an EVENT",
			true,
			true,
			true,
			{{"scope", set_scope}, {"as", set_as}, {"optional", set_optional}}},
	[CONFIG_FINALIZE] = {"finalize", 0, 0, "no operand", true, false, false, {{NULL, NULL}}},
	[CONFIG_HALT] = {"halt", 1, CONFIG_WORDS_MAX, "a NAME or ALL", false, true, true, {{NULL, NULL}}},
	[CONFIG_CONTINUE] =
		{"continue", 1, CONFIG_WORDS_MAX, "a NAME or ALL", false, true, true, {{NULL, NULL}}},
	[CONFIG_REWRITE] =
		{"rewrite", 1, CONFIG_WORDS_MAX, "a NAME or ALL", false, true, true, {{NULL, NULL}}},
	[CONFIG_REASSIGN] = {"reassign", 2, 2, "a NAME and an EVENT", false, true, true, {{"as", set_as}}},
	[CONFIG_REMOVE] = {"remove", 1, CONFIG_WORDS_MAX, "a NAME or ALL", false, true, true, {{NULL, NULL}}},
	[CONFIG_LS] = {"ls", 0, CONFIG_WORDS_MAX, "a NAME", false, false, true, {{NULL, NULL}}},
	[CONFIG_STATUS] = {"status", 0, 0, "no operand", false, false, true, {{NULL, NULL}}},
	[CONFIG_YIELD] = {"yield", 0, 0, "no operand", false, false, true, {{NULL, NULL}}},
	[CONFIG_RESUME] = {"resume", 0, 0, "no operand", false, false, true, {{NULL, NULL}}},
};

/* ---- a command -------------------------------------------------------------- */

static bool unknown_verb(const struct config_word *w, struct config_error *error)
{
	const char *names[CONFIG_VERBS + 1] = {NULL};

	for (unsigned i = 0; i < CONFIG_VERBS; i++)
		names[i] = verbs[i].name;
	return config_mistake(error, w->place, "%s is no command; expected is initialize, add, halt, ...%s",
			      show_word(w->text).text, near_word(w->text, names).text);
}

static bool unknown_key(const struct verb *v, const struct config_word *w, size_t length,
			struct config_error *error)
{
	const char *names[KEYS_MAX + 1] = {NULL};
	char wrong[32], known[128];
	struct upci_out out = {.text = known, .size = sizeof(known)};

	snprintf(wrong, sizeof(wrong), "%.*s", (int)length, w->text);
	known[0] = '\0';
	for (unsigned i = 0; i < KEYS_MAX && v->key[i].name; i++) {
		upci_out(&out, "%s%s=", i ? " " : "", v->key[i].name);
		names[i] = v->key[i].name;
	}
	return config_mistake(error, w->place, "%s has no %s=; %s%s%s", v->name, wrong,
			      names[0] ? "known are " : "it takes ", names[0] ? known : v->operands,
			      near_word(wrong, names).text);
}

/* Return the length of the key in a word "key=value", or 0 if it has none. A key is letters before a '='. In
 * events a ':' comes before any '='. */
static size_t key_length(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz");

	return n && n < 24 && text[n] == '=' ? n : 0;
}

static bool set_key(const struct verb *v, struct config_command *c, const struct config_word *w,
		    size_t length, unsigned *seen, struct config_error *error)
{
	const char *value = w->text + length + 1, *expected = "";

	for (unsigned i = 0; i < KEYS_MAX && v->key[i].name; i++) {
		if (strlen(v->key[i].name) != length || strncmp(v->key[i].name, w->text, length))
			continue;
		if (*seen & 1u << i)
			return config_mistake(error, w->place, "%s= is there twice", v->key[i].name);
		*seen |= 1u << i;
		if (v->key[i].set(c, value, &expected))
			return true;
		return config_mistake(error, value_place(w, value), "%s=%s: expected is %s", v->key[i].name,
				      show_word(value).text, expected);
	}
	return unknown_key(v, w, length, error);
}

/* Move an operand to the front. Keys come behind the operands. */
static void move_operand(struct config_command *c, unsigned from, unsigned to)
{
	struct config_word w = c->word[from];

	memmove(c->word + to + 1, c->word + to, (from - to) * sizeof(w));
	c->word[to] = w;
}

static bool check_cgroup(const struct config_command *c, struct config_error *error)
{
	const char *expected;

	if (!config_is_name(c->operand[0].text, &expected))
		return config_mistake(error, c->operand[0].place, "%s is no label: %s",
				      show_word(c->operand[0].text).text, expected);
	return *c->operand[1].text == '/' ||
	       config_mistake(error, c->operand[1].place,
			      "%s: expected is the path of a directory, from / on",
			      show_word(c->operand[1].text).text);
}

/* Check a verb's operands and keys together. */
static bool check_whole_command(const struct config_command *c, struct config_error *error)
{
	for (unsigned i = 0; i < c->operands; i++)
		if (!*c->operand[i].text)
			return config_mistake(error, c->operand[i].place, "an empty word; expected is %s",
					      verbs[c->verb].operands);
	if (c->verb == CONFIG_CGROUP)
		return check_cgroup(c, error);
	if (c->verb == CONFIG_ADD && c->as && c->operands > 1)
		return config_mistake(error, c->operand[1].place, "as= names one event, and here are %u",
				      c->operands);
	if (c->initialize.sys && !c->initialize.replay)
		return config_mistake(error, c->place, "sys= is for source=replay:FILE only");
	return true;
}

/* Make a command from its words, of which the first is the verb. */
static bool read_command(struct config_command *c, struct config_error *error)
{
	const struct verb *v;
	unsigned seen = 0, i;

	c->place = c->word[0].place;
	c->scope = CONFIG_SCOPE_OF_EVENT;
	config_defaults(&c->initialize);
	for (i = 0; i < CONFIG_VERBS && strcmp(verbs[i].name, c->word[0].text); i++)
		;
	if (i == CONFIG_VERBS)
		return unknown_verb(&c->word[0], error);
	c->verb = (enum config_verb)i;
	v = &verbs[i];
	for (i = 1; i < c->words; i++) {
		size_t length = key_length(c->word[i].text);

		if (length) {
			if (!set_key(v, c, &c->word[i], length, &seen, error))
				return false;
		} else if (c->operands == v->most) {
			return config_mistake(error, c->word[i].place, "%s is one word too many: %s takes %s",
					      show_word(c->word[i].text).text, v->name, v->operands);
		} else {
			move_operand(c, i, ++c->operands);
		}
	}
	c->operand = c->word + 1;
	if (c->operands < v->least)
		return config_mistake(error, c->place, "%s: expected is %s", v->name, v->operands);
	return check_whole_command(c, error);
}

void config_command_free(struct config_command *c)
{
	for (unsigned i = 0; i < c->words; i++)
		free(c->word[i].text);
	free(c->word);
	memset(c, 0, sizeof(*c));
}

void config_free(struct config *config)
{
	for (unsigned i = 0; i < config->commands; i++)
		config_command_free(&config->command[i]);
	free(config->command);
	memset(config, 0, sizeof(*config));
}

/* ---- a configuration --------------------------------------------------------- */

/* Check whether the command is allowed after the commands before it. */
static bool check_order(const struct config *config, const struct config_command *c,
			struct config_error *error)
{
	const struct verb *v = &verbs[c->verb];
	bool finalized = false;

	if (!config->commands)
		return c->verb == CONFIG_INITIALIZE ||
		       config_mistake(error, c->place,
				      "%s comes before initialize, which is the first command", v->name);
	for (unsigned i = 0; i < config->commands; i++)
		finalized |= config->command[i].verb == CONFIG_FINALIZE;
	if (c->verb == CONFIG_INITIALIZE)
		return config_mistake(error, c->place, "a second initialize; the first is in line %u",
				      config->command[0].place.line);
	if (!v->before && !v->after)
		return config_mistake(error, c->place,
				      "%s is a command to the running service, not for its configuration",
				      v->name);
	if (finalized && !v->after)
		return config_mistake(error, c->place, "%s comes after finalize", v->name);
	return finalized || v->before ||
	       config_mistake(error, c->place, "%s comes before finalize, where there is no counter yet",
			      v->name);
}

static bool append_command(struct config *config, struct config_command *c, struct config_error *error)
{
	struct config_command *grown;

	if (!check_order(config, c, error))
		return false;
	grown = realloc(config->command, (config->commands + 1) * sizeof(*grown));
	if (!grown)
		return config_mistake(error, c->place, "no memory");
	config->command = grown;
	grown[config->commands++] = *c;
	memset(c, 0, sizeof(*c));
	return true;
}

static bool parse_lines(struct reader *r, struct config *config)
{
	struct config_command c = {0};
	bool good = true;

	while (good && r->at < r->end) {
		good = read_command_line(r, &c) &&
		       (!c.words || (read_command(&c, r->error) && append_command(config, &c, r->error)));
		config_command_free(&c);
		if (r->at < r->end) {
			r->at++;
			r->place.line++;
			r->place.column = 1;
		}
	}
	return good;
}

bool config_parse(const char *text, size_t length, struct config *config, struct config_error *error)
{
	struct reader r = {text, text + length, {1, 1}, error};
	bool finalized = false;

	memset(config, 0, sizeof(*config));
	if (length > CONFIG_TEXT_MAX)
		return config_mistake(error, r.place, "longer than %u bytes", CONFIG_TEXT_MAX);
	if (!parse_lines(&r, config))
		goto fail;
	for (unsigned i = 0; i < config->commands; i++)
		finalized |= config->command[i].verb == CONFIG_FINALIZE;
	if (finalized)
		return true;
	config_mistake(error, r.place, "the end, without %s", config->commands ? "finalize" : "initialize");
fail:
	config_free(config);
	return false;
}

bool config_parse_words(const char *const *word, unsigned words, struct config_command *c,
			struct config_error *error)
{
	struct config_place place = {0, 1};

	memset(c, 0, sizeof(*c));
	if (!words || words > CONFIG_WORDS_MAX)
		return config_mistake(error, place, words ? "too many words" : "no command");
	c->word = calloc(words, sizeof(*c->word));
	for (; c->word && c->words < words; c->words++, place.column++) {
		c->word[c->words] = (struct config_word){strdup(word[c->words]), place};
		if (!c->word[c->words].text)
			break;
	}
	if (c->words < words)
		config_mistake(error, place, "no memory");
	else if (read_command(c, error)) {
		if (verbs[c->verb].run)
			return true;
		config_mistake(error, c->place, "%s is for a configuration only", verbs[c->verb].name);
	}
	config_command_free(c);
	return false;
}
