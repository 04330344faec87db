/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_avail.c - lists the events, their descriptions, and their source or the reason why an event has no
 * source.
 *
 * Terms: lib/common.h.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/options.h"
#include "lib/pager.h"
#include "avail/query.h"
#include "sheet/sheet.h"

#define NAME_COLUMN 42
#define INDENT 6

struct options {
	bool all, descriptions, names, missing, groups, spellings, no_pager;
	struct util_format_choice format;
	const char *wiring, *color;
	bool colour;
	char **pattern;
	int n_patterns;
};

struct listing {
	struct upc_catalogue *catalogue;
	struct upc_event_info *event; /* all events of the catalogue */
	bool *shown;
	unsigned n, n_shown, n_driven, n_bgp_undriven;
	const char *more; /* a pattern that matches descriptions of further events, not shown; or NULL */
};

static const struct util_usage usage = {
	.tool = UTIL_TOOL_AVAIL,
	.head = "usage: upc_avail [OPTION]... [PATTERN]...\n"
		"\n"
		"Lists the events that can be counted on this machine, or those that match a\n"
		"PATTERN: a glob of the name when it has any of * ? [, else a part of the name;\n"
		"where no name has it, words of names and descriptions, in any form and order.\n"
		"None of them minds case. Without PATTERN and options a terminal gets the groups.\n",
	.tail = "The exit status is 0; 1: a PATTERN matches nothing; 125: upc_avail failed.\n"
		"\n"
		"Examples:\n"
		"  upc_avail '*'\n"
		"  upc_avail net::\n"
		"  upc_avail 'tp::sched:*'\n"
		"  upc_avail 'cache miss'\n"
		"  upc_avail --descriptions fault\n"
		"  upc_avail --all PU0_JPIPE_INSTRUCTIONS\n",
	.place = {UTIL_FLAG(ALL, struct options, all), UTIL_FLAG(DESCRIPTIONS, struct options, descriptions),
		  UTIL_FLAG(NAMES, struct options, names), UTIL_FLAG(MISSING, struct options, missing),
		  UTIL_FLAG(GROUPS, struct options, groups), UTIL_FLAG(SPELLINGS, struct options, spellings),
		  UTIL_FLAG(NO_PAGER, struct options, no_pager), UTIL_WORD(COLOR, struct options, color),
		  UTIL_WORD(WIRING, struct options, wiring)},
};

/* Parse the command line. Return 0, or -1 if the tool must exit with *status. */
static int parse_avail_options(struct options *o, int argc, char **argv, int *status)
{
	*o = (struct options){.all = false};
	if (util_options_read(&usage, argc, argv, o, &o->format, status) != 0)
		return -1;
	if (util_pager_colour(o->color, &o->colour) != 0) {
		*status = UTIL_FAILED;
		return -1;
	}
	if (o->names + (o->format.format != UTIL_TEXT) + o->missing + o->groups > 1) {
		util_error("--names, --missing, --groups, and --format other than text exclude each other");
		*status = UTIL_FAILED;
		return -1;
	}
	o->pattern = argv + optind;
	o->n_patterns = argc - optind;
	if (o->spellings && !o->names) {
		util_error("--spellings goes with --names");
		*status = UTIL_FAILED;
		return -1;
	}
	if (o->groups && o->n_patterns > 0) {
		util_error("--groups is of all events: it goes without PATTERN");
		*status = UTIL_FAILED;
		return -1;
	}
	if (o->missing && (o->n_patterns > 0 || o->all || o->descriptions)) {
		util_error("--missing is of the machine: it goes without PATTERN, --all and --descriptions");
		*status = UTIL_FAILED;
		return -1;
	}
	for (int p = 0; p < o->n_patterns; p++)
		o->pattern[p] += util_papi_prefix(o->pattern[p]);
	return 0;
}

/* ---- selecting events -------------------------------------------------- */

static bool is_driven(const struct upc_event_info *event)
{
	return event->source != UPC_SOURCE_NONE;
}

static int load_listed_events(struct listing *l)
{
	l->event = util_catalogue_events(l->catalogue, &l->n);
	l->shown = calloc(l->n + 1, sizeof(*l->shown));
	if (l->event != NULL && l->shown != NULL)
		return 0;
	util_error("out of memory");
	l->n = 0;
	return -1;
}

enum where { NAMES, WORDS, BOTH };

/* Return the group of an event: the part of the name before "::", or "bgp" or "derived" for names without
 * "::". */
static const char *avail_group(const struct upc_event_info *event, size_t *length)
{
	const char *end = strstr(event->name, "::");
	const char *group = end != NULL ? event->name : event->id != UPC_NO_ID ? "bgp" : "derived";

	*length = end != NULL ? (size_t)(end - group) : strlen(group);
	return group;
}

/* Return true if the pattern is the event's group with "::", such as "derived::". */
static bool avail_is_of_group(const struct upc_event_info *event, const char *pattern)
{
	size_t n;
	const char *group = avail_group(event, &n);

	return strncmp(pattern, group, n) == 0 && strcmp(pattern + n, "::") == 0;
}

static bool matches_event_pattern(const struct upc_event_info *event, const char *pattern, enum where where)
{
	return (where != WORDS &&
		(util_match_event(pattern, event->name) || avail_is_of_group(event, pattern) ||
		 (!util_is_glob(pattern) && util_match(pattern, event->also)))) ||
	       (where != NAMES && util_words_match(pattern, event->name, event->description));
}

/* Mark the events that match the pattern as shown. Return their number. undriven: include events without a
 * source. */
static unsigned show_matches(struct listing *l, const char *pattern, enum where where, bool undriven)
{
	unsigned found = 0;

	for (unsigned i = 0; i < l->n; i++)
		if ((is_driven(&l->event[i]) || undriven) &&
		    matches_event_pattern(&l->event[i], pattern, where)) {
			l->shown[i] = true;
			found++;
		}
	return found;
}

/* Show an event that the catalogue does not list but upc_catalogue_find accepts, such as an event with unit
 * masks. upc_catalogue_find then adds the event to the catalogue. Return false if it refuses the name. */
static bool show_spelled(struct listing *l, const char *name)
{
	uint32_t code;

	if (util_is_glob(name) || upc_catalogue_find(l->catalogue, name, &code) != 0)
		return false;
	for (unsigned i = 0; i < l->n; i++)
		if (l->event[i].code == code)
			return l->shown[i] = true;
	return false;
}

/* Return true if the last lookup of the name failed because perf or PAPI has the event but cannot count it on
 * this machine. upc_last_message then returns the reason. */
static bool avail_is_refused(const char *name)
{
	char begin[UPC_NAME_MAX + 16];

	if (util_is_glob(name))
		return false;
	snprintf(begin, sizeof(begin), "no event '%s' here: ", name);
	return strncmp(upc_last_message(), begin, strlen(begin)) == 0;
}

/* Show the events that match a pattern, and return their number. Names are searched first; descriptions are
 * searched if no name matches, or with --descriptions. Events without a source are shown with --all, or if no
 * other event matches. */
static unsigned search_events(struct listing *l, const struct options *o, const char *pattern)
{
	unsigned found =
		show_matches(l, pattern, o->descriptions && !util_is_glob(pattern) ? BOTH : NAMES, o->all);

	/* If no event with a source matches, show those without a source: the reason why they have none
	 * answers the user's question. */
	if (found == 0)
		found = show_spelled(l, pattern);
	if (found == 0 && avail_is_refused(pattern))
		return 0;
	if (found == 0)
		found = show_matches(l, pattern, NAMES, true);
	if (util_is_glob(pattern) || o->descriptions)
		return found;
	if (found == 0 && (found = show_matches(l, pattern, WORDS, o->all)) == 0)
		found = show_matches(l, pattern, WORDS, true);
	if (found == 0 || l->more != NULL)
		return found;
	for (unsigned i = 0; i < l->n && l->more == NULL; i++)
		if (!l->shown[i] && (is_driven(&l->event[i]) || o->all) &&
		    matches_event_pattern(&l->event[i], pattern, WORDS))
			l->more = pattern;
	return found;
}

/* Select the events to show. Return the exit status. */
static int choose_listed_events(struct listing *l, const struct options *o)
{
	int status = UTIL_OK;

	/* Find the names before loading the catalogue's events, since a lookup may add an event to the
	 * catalogue. */
	for (int p = 0; p < o->n_patterns; p++) {
		uint32_t code;

		if (!util_is_glob(o->pattern[p]))
			upc_catalogue_find(l->catalogue, o->pattern[p], &code);
	}
	if (load_listed_events(l) != 0)
		return UTIL_FAILED;
	for (int p = 0; p < o->n_patterns; p++)
		if (search_events(l, o, o->pattern[p]) == 0) {
			if (avail_is_refused(o->pattern[p]))
				util_error("%s", upc_last_message());
			else
				util_no_match(l->catalogue, o->pattern[p]);
			status = UTIL_NO;
		}
	for (unsigned i = 0; i < l->n; i++) {
		if (o->n_patterns == 0)
			l->shown[i] = o->all || is_driven(&l->event[i]);
		l->n_shown += l->shown[i];
		l->n_driven += is_driven(&l->event[i]);
		l->n_bgp_undriven += !is_driven(&l->event[i]) && l->event[i].id != UPC_NO_ID;
	}
	return status;
}

/* ---- printing ---------------------------------------------------------- */

struct style {
	unsigned width;
	const char *bold, *name, *dim, *plain;
};

static struct style style_of(const struct options *o)
{
	return (struct style){
		.width = util_width(stdout),
		.bold = o->colour ? "\033[1m" : "",
		.name = o->colour ? "\033[36m" : "",
		.dim = o->colour ? "\033[2m" : "",
		.plain = o->colour ? "\033[0m" : "",
	};
}

static void print_event_line(const struct style *style, const char *intro, const char *text)
{
	unsigned column = INDENT + (unsigned)strlen(intro);

	util_pad(stdout, INDENT);
	fputs(intro, stdout);
	util_wrap(stdout, text, column, column, style->width);
	fputc('\n', stdout);
}

/* Print the name of an event. Print its source, scope and unit next to the name, or on the next line if they
 * do not fit. */
static void print_event_head(const struct upc_event_info *event, const struct style *style)
{
	char brief[128];
	unsigned columns, place;

	if (is_driven(event))
		snprintf(brief, sizeof(brief), "%s, %s, %s%s", util_source_name(event->source),
			 util_scope_name(event->scope), event->unit,
			 event->kind == UPC_KIND_LEVEL ? ", level" : "");
	else
		snprintf(brief, sizeof(brief), "nothing drives it, %s", event->unit);
	fputs("  ", stdout);
	fputs(style->name, stdout);
	columns = 2 + util_put(stdout, event->name, UPC_NAME_MAX);
	fputs(style->plain, stdout);
	place = columns + 2 < NAME_COLUMN ? NAME_COLUMN : columns + 2;
	if (place + util_columns(brief) > style->width) {
		fputc('\n', stdout);
		columns = 0;
		place = INDENT;
	}
	util_pad(stdout, place - columns);
	fputs(style->dim, stdout);
	util_put(stdout, brief, sizeof(brief));
	fputs(style->plain, stdout);
	fputc('\n', stdout);
}

static void print_listed_event(const struct upc_event_info *event, const struct style *style)
{
	print_event_head(event, style);
	if (event->description != NULL && event->description[0] != '\0')
		print_event_line(style, "", event->description);
	if (event->id != UPC_NO_ID) {
		util_pad(stdout, INDENT);
		printf("id %d, counter %d, input %d\n", event->id, event->id % UPC_COUNTERS,
		       event->id / UPC_COUNTERS);
	}
	if (is_driven(event) && event->driver != NULL && event->driver[0] != '\0')
		print_event_line(style, "driven by ", event->driver);
	if (event->differs != NULL && event->differs[0] != '\0')
		print_event_line(style, "differs: ", event->differs);
	if (event->also != NULL && event->also[0] != '\0')
		print_event_line(style, "also: ", event->also);
	if (!is_driven(event) && event->why != NULL && event->why[0] != '\0')
		print_event_line(style, "why: ", event->why);
}

static void print_event_group(const struct listing *l, unsigned first, const struct style *style)
{
	unsigned count = 0;

	for (unsigned i = first; i < l->n; i++)
		count += l->shown[i] && strcmp(l->event[i].subsystem, l->event[first].subsystem) == 0;
	fputs(style->bold, stdout);
	util_put(stdout, l->event[first].subsystem, 60);
	printf(" (%u)%s\n", count, style->plain);
	for (unsigned i = first; i < l->n; i++)
		if (l->shown[i] && strcmp(l->event[i].subsystem, l->event[first].subsystem) == 0)
			print_listed_event(&l->event[i], style);
	fputc('\n', stdout);
}

static unsigned count_missing(const struct listing *l)
{
	unsigned n = 0;

	while (upc_catalogue_missing(l->catalogue, n) != NULL)
		n++;
	return n;
}

static void print_footer(const struct listing *l, const struct options *o)
{
	unsigned missing = count_missing(l);
	char shown[UTIL_NUMBER_MAX], driven[UTIL_NUMBER_MAX], more[200];

	util_format_count(l->n_shown, shown);
	util_format_count(l->n_driven, driven);
	if (o->n_patterns > 0)
		printf("%s shown; %s events can be counted here.\n", shown, driven);
	else
		printf("%s events can be counted here.\n", driven);
	if (l->more != NULL) {
		snprintf(more, sizeof(more),
			 "Descriptions of others speak of it, too: upc_avail --descriptions '%s'", l->more);
		util_wrap(stdout, more, 0, 2, util_width(stdout));
		putchar('\n');
	}
	if (o->n_patterns == 0 && !o->all && l->n_bgp_undriven > 0)
		printf("%u Blue Gene/P names have no source here: upc_avail --all\n", l->n_bgp_undriven);
	if (missing > 0)
		printf("%u %s missing on this machine: upc_avail --missing\n", missing,
		       missing == 1 ? "thing is" : "things are");
}

static void print_events_text(const struct listing *l, const struct options *o)
{
	const struct style style = style_of(o);

	for (unsigned i = 0; i < l->n; i++) {
		unsigned before = 0;

		if (!l->shown[i])
			continue;
		while (before < i &&
		       !(l->shown[before] && strcmp(l->event[before].subsystem, l->event[i].subsystem) == 0))
			before++;
		if (before == i)
			print_event_group(l, i, &style);
	}
	for (unsigned i = 0; i < l->n; i++)
		if (l->shown[i] && strstr(l->event[i].name, "PIPE_") != NULL) {
			util_wrap(stdout, UTIL_PIPES, 0, 2, style.width);
			fputs(".\n", stdout);
			break;
		}
	if (l->n_shown > 0)
		print_footer(l, o);
}

static bool avail_same_group(const struct upc_event_info *a, const struct upc_event_info *b)
{
	size_t n, m;
	const char *one = avail_group(a, &n), *other = avail_group(b, &m);

	return n == m && memcmp(one, other, n) == 0;
}

/* Print the line of a group whose first event is `first`: the number of events, their scope, and an
 * example. */
static void print_summary(const struct listing *l, unsigned first, const struct style *style)
{
	const struct upc_event_info *example = &l->event[first];
	char name[80], count[UTIL_NUMBER_MAX];
	unsigned n = 0, column;
	bool mixed = false;
	size_t length;
	const char *group = avail_group(example, &length);

	for (unsigned i = first; i < l->n; i++) {
		if (!l->shown[i] || !avail_same_group(&l->event[i], &l->event[first]))
			continue;
		n++;
		mixed = mixed || l->event[i].scope != example->scope;
		if (strcmp(l->event[i].name, "tp::sched:sched_switch") == 0)
			example = &l->event[i];
	}
	snprintf(name, sizeof(name), "%.*s::", (int)length, group);
	util_format_count(n, count);
	printf("  %s", style->name);
	column = 2 + util_put_left(stdout, name, 14);
	fputs(style->plain, stdout);
	column += util_put_right(stdout, count, 7);
	column += 2 + (unsigned)printf("  %-9s", mixed ? "several" : util_scope_name(example->scope)) - 2;
	util_pad(stdout, 1);
	util_put(stdout, example->name, column + 1 < style->width ? style->width - column - 1 : 1);
	putchar('\n');
}

static void print_event_groups(const struct listing *l, const struct options *o)
{
	const struct style style = style_of(o);

	printf("%s  %-14s%7s  %-9s %s%s\n", style.bold, "group", "events", "scope", "for example",
	       style.plain);
	for (unsigned i = 0; i < l->n; i++) {
		unsigned before = 0;

		while (before < i && !(l->shown[before] && avail_same_group(&l->event[before], &l->event[i])))
			before++;
		if (l->shown[i] && before == i)
			print_summary(l, i, &style);
	}
	fputs("\nThe events of a group: upc_avail net::    of all groups: upc_avail '*'\n"
	      "Events about something: upc_avail 'bytes sent'    scopes and more: man upc_avail\n\n",
	      stdout);
	print_footer(l, o);
}

/* Print an event's names in perf and PAPI. */
static void print_spellings(const char *also)
{
	while (*also != '\0') {
		size_t n = strcspn(also, ",");

		printf("%.*s\n", (int)n, also);
		also += n + strspn(also + n, ", ");
	}
}

static void print_names(const struct listing *l, bool spellings)
{
	for (unsigned i = 0; i < l->n; i++) {
		if (!l->shown[i])
			continue;
		puts(l->event[i].name);
		if (spellings)
			print_spellings(l->event[i].also);
	}
}

static int print_missing_patterns(const struct listing *l)
{
	unsigned width = util_width(stdout);
	const char *sentence;

	if (count_missing(l) == 0)
		puts("Nothing is missing on this machine.");
	for (unsigned i = 0; (sentence = upc_catalogue_missing(l->catalogue, i)) != NULL; i++) {
		fputs("- ", stdout);
		util_wrap(stdout, sentence, 2, 2, width);
		fputc('\n', stdout);
	}
	return UTIL_OK;
}

static int print_events_data(const struct listing *l, enum util_format format)
{
	const unsigned n = count_missing(l);
	struct sheet_cell *missing = calloc(n + 1, sizeof(*missing));
	const struct sheet_fact facts[] = {
		{.key = "wiring", .cell = {.text = upc_catalogue_wiring_hash(l->catalogue)}},
		{.key = "missing", .list = missing, .n = n}};
	int status = UTIL_FAILED;

	for (unsigned i = 0; missing != NULL && i < n; i++)
		missing[i].text = upc_catalogue_missing(l->catalogue, i);
	if (missing != NULL)
		status = sheet_print_events(stdout, "upc_avail", format, facts, 2,
					    &(struct sheet_events){l->event, l->shown, l->n});
	else
		util_error("out of memory");
	free(missing);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct listing listing = {.n = 0};
	int status;

	util_begin("upc_avail");
	if (parse_avail_options(&options, argc, argv, &status) != 0)
		return status;
	/* Thousands of events do not fit on a terminal. Without a request for events, show the groups. */
	if (isatty(STDOUT_FILENO) && options.n_patterns == 0 && !options.all && !options.names &&
	    !options.missing && !options.descriptions && !options.format.given)
		options.groups = true;
	listing.catalogue = util_catalogue_open(options.wiring);
	if (listing.catalogue == NULL)
		return UTIL_FAILED;
	if (options.missing) {
		status = print_missing_patterns(&listing);
	} else {
		status = choose_listed_events(&listing, &options);
		if (!options.no_pager && listing.n_shown > 0)
			util_pager_begin();
		if (listing.n == 0)
			status = UTIL_FAILED;
		else if (options.names)
			print_names(&listing, options.spellings);
		else if (options.format.format != UTIL_TEXT)
			status = print_events_data(&listing, options.format.format) == UTIL_OK ? status
											       : UTIL_FAILED;
		else if (options.groups)
			print_event_groups(&listing, &options);
		else
			print_events_text(&listing, &options);
	}
	if (util_pager_end() != 0)
		status = UTIL_FAILED;
	free(listing.event);
	free(listing.shown);
	upc_catalogue_close(listing.catalogue);
	return status;
}
