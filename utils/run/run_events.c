/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_events.c - selects the counts to show, by names and globs, and explains why some are not available.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_events.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "catalogue/bgp_simulated.h"
#include "catalogue/nearest.h"
#include "catalogue/spelling.h"
#include "lib/common.h"

#define PLACES (1 + UPCS_CORES)
#define NEAREST 3

/* Every documented event, to distinguish events that are not simulated from names that do not exist. */
static const char *const documented[] = {
#define UPC_BGP(id, name) #name,
#include "catalogue/bgp_events.def"
#undef UPC_BGP
};

void run_event_name(unsigned place, unsigned item, char name[RUN_EVENT_NAME_MAX])
{
	if (place == 0)
		snprintf(name, RUN_EVENT_NAME_MAX, "%s", upcs_item_name(item));
	else
		snprintf(name, RUN_EVENT_NAME_MAX, "PU%u_%s", place - 1, upcs_item_name(item));
}

void run_events_all(struct run_events *events)
{
	memset(events, 0, sizeof(*events));
	for (unsigned place = 0; place < PLACES; place++)
		for (unsigned item = 0; item < UPCS_ITEMS; item++)
			events->shown[place][item] = upcs_is_produced(item);
}

void run_events_seen(struct run_events *events, const struct run_vector *whole)
{
	for (unsigned place = 0; place < PLACES; place++)
		if (!events->asked && whole->item[UPCS_UNKNOWN] == 0)
			events->shown[place][UPCS_UNKNOWN] = false;
}

bool run_events_has_item(const struct run_events *events, unsigned item)
{
	for (unsigned place = 0; place < PLACES; place++)
		if (events->shown[place][item])
			return true;
	return false;
}

bool run_events_has_core(const struct run_events *events, unsigned place)
{
	for (unsigned item = 0; item < UPCS_ITEMS; item++)
		if (events->shown[place][item])
			return true;
	return false;
}

/* Return the name without prefixes that other tools use. */
static const char *without_prefix(const char *name)
{
	static const char *const prefixes[] = {"PNE_", "BGP_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncasecmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			name += strlen(prefixes[i]);
	return name;
}

static int refuse_documented(const char *word, enum upci_simulated how)
{
	static const char *const reason[] = {
		[UPCI_SIM_MEMORY] = "it is of caches and memory, which are not simulated yet",
		[UPCI_SIM_NETWORK] = "it is of the network between nodes, and one node is simulated",
		[UPCI_SIM_TIME] = "it is of the node's clock, and time is not simulated yet",
	};

	util_error("'%s' is not produced: %s", word, reason[how]);
	return -1;
}

/* Change the pattern so that it matches the name. If the changed pattern is nearer to the given one than
 * *best, store its distance in *best and the changed pattern in text, and return true. */
static bool run_events_mend(const char *pattern, const char *name, unsigned *best, char *text, size_t size)
{
	unsigned d = upci_nearest_pattern(pattern, name, *best - 1, text, size);

	if (d >= *best)
		return false;
	*best = d;
	return true;
}

/* Report an unknown name, with suggestions. */
static int refuse_event_word(const char *word, const char *bare)
{
	static char names[PLACES * UPCS_ITEMS][RUN_EVENT_NAME_MAX];
	struct upci_nearest nearest = {.max = NEAREST};
	char list[NEAREST * (RUN_EVENT_NAME_MAX + 4)] = "", text[RUN_EVENT_NAME_MAX + 16];
	unsigned best = UPCI_FAR - 1;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(documented) / sizeof(documented[0]); i++)
		if (util_is_glob(bare) ? util_match(bare, documented[i])
				       : strcasecmp(bare, documented[i]) == 0)
			return refuse_documented(word, upci_bgp_simulated(documented[i]));
	for (unsigned item = 0; item < UPCS_ITEMS; item++)
		if (!upcs_is_produced(item) &&
		    (util_is_glob(bare) ? util_match(bare, upcs_item_name(item))
					: strcasecmp(bare, upcs_item_name(item)) == 0))
			return refuse_documented(word, UPCI_SIM_MEMORY);
	for (unsigned place = 0; place < PLACES; place++)
		for (unsigned item = 0; item < UPCS_ITEMS; item++) {
			char *name = names[place * UPCS_ITEMS + item];

			run_event_name(place, item, name);
			if (!upcs_is_produced(item))
				continue;
			if (!util_is_glob(bare))
				upci_nearest_offer(&nearest, bare, name);
			else if (run_events_mend(bare, name, &best, text, sizeof(text)))
				snprintf(list, sizeof(list), "; did you mean %s?", text);
		}
	for (int i = 0; i < nearest.count; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i > 0 ? ", " : "", nearest.name[i]);
	if (util_is_glob(bare))
		util_error("no event matches '%s'%s", word, list);
	else if (nearest.count > 0)
		util_error("no event '%s'; the nearest: %s", word, list);
	else
		util_error("no event '%s', nor one with a name like it; upc_run(1) lists what is counted",
			   word);
	return -1;
}

/* Report a name of perf or PAPI that is not counted here. */
static int run_events_refuse_spelled(const char *word, const struct upci_spelling *spelling)
{
	if (spelling->model != NULL)
		util_error("'%s' is not modelled: upc_run counts instructions and does not model %s; "
			   "'upc_stat -e %s' counts it where the machine can, and 'upc_avail --missing' says "
			   "whether it can",
			   word, spelling->model, spelling->name);
	else
		util_error(
			"'%s' is the kernel's, and upc_run counts instructions; 'upc_stat -e %s' counts it",
			word, spelling->name);
	return -1;
}

/* Report a modifier other than :u, since only user mode is counted. */
static int run_events_refuse_modifier(const char *word, const char *modifier)
{
	util_error("'%s': instructions in user mode are counted, which is ':u', and '%s' is not", word,
		   modifier);
	return -1;
}

static bool run_events_show(struct run_events *events, const char *bare)
{
	bool glob = util_is_glob(bare), found = false;

	for (unsigned place = 0; place < PLACES; place++)
		for (unsigned item = 0; item < UPCS_ITEMS; item++) {
			char name[RUN_EVENT_NAME_MAX];

			if (!upcs_is_produced(item))
				continue;
			run_event_name(place, item, name);
			if (glob ? util_match(bare, name) : strcasecmp(bare, name) == 0)
				events->shown[place][item] = found = true;
		}
	events->plain = events->plain && !(found && glob);
	return found;
}

/* Select the events of a name of perf or PAPI. Return 1 if word is not such a name. */
static int run_events_spelled(struct run_events *events, const char *word, const char *bare)
{
	const struct upci_spelling *spelling = upci_spelling_find(bare);
	const char *modifier;

	if (spelling == NULL)
		return 1;
	if (spelling->counted == NULL)
		return run_events_refuse_spelled(word, spelling);
	modifier = bare + strlen(spelling->name);
	if (modifier[0] != '\0' && strcmp(modifier, ":u") != 0)
		return run_events_refuse_modifier(word, modifier);
	return run_events_parse(events, spelling->counted);
}

static int parse_word(struct run_events *events, const char *word)
{
	const char *bare = without_prefix(word + util_papi_prefix(word));
	int spelled;

	if (run_events_show(events, bare))
		return 0;
	spelled = run_events_spelled(events, word, bare);
	return spelled != 1 ? spelled : refuse_event_word(word, bare);
}

int run_events_parse(struct run_events *events, const char *list)
{
	char *copy, *rest, *word;
	int error = 0;

	if (!events->asked) {
		memset(events, 0, sizeof(*events));
		events->asked = events->plain = true;
	}
	copy = rest = strdup(list);
	if (copy == NULL) {
		util_error("out of memory");
		return -1;
	}
	while (error == 0 && (word = strsep(&rest, ",")) != NULL)
		if (word[0] == '\0') {
			util_error("--events wants names with commas between, not '%s'", list);
			error = -1;
		} else {
			error = parse_word(events, word);
		}
	free(copy);
	return error;
}
