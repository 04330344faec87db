/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * series.c - converts the records of one node to the counts of each interval.
 *
 * The code runs once for each value of an archive, so it avoids look-ups. The metric of a value set is
 * remembered by the set's index in the record, and a place by its index in the set.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <stdlib.h>
#include <string.h>

#include "jobstat/names.h"
#include "jobstat/series.h"
#include "lib/list.h"

/* Limit on the places of a metric, above any node's number of CPUs. Further places are left out. */
#define PLACES_MAX 65536u

/* ---- names of all nodes ---------------------------------------------------------------------- */

static unsigned hash_series_text(const char *text)
{
	unsigned h = 2166136261u;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

static unsigned find_slot(const struct series_names *names, const char *name)
{
	unsigned at = hash_series_text(name) & (names->slots - 1);

	while (names->hash[at] != 0 && strcmp(names->metric[names->hash[at] - 1].name, name) != 0)
		at = (at + 1) & (names->slots - 1);
	return at;
}

static int grow_names(struct series_names *names)
{
	const unsigned room = names->room ? names->room * 2 : 64;
	const bool grown = util_resize(&names->metric, room, sizeof(*names->metric));
	unsigned *hash = grown ? calloc((size_t)room * 2, sizeof(*hash)) : NULL;

	if (hash == NULL)
		return -1;
	free(names->hash);
	names->hash = hash;
	names->room = room;
	names->slots = room * 2;
	for (unsigned i = 0; i < names->n; i++)
		hash[find_slot(names, names->metric[i].name)] = i + 1;
	return 0;
}

int series_find_name(const struct series_names *names, const char *name)
{
	return names->n ? (int)names->hash[find_slot(names, name)] - 1 : -1;
}

int series_name(struct series_names *names, const char *name, enum jobstat_scope scope, bool level)
{
	int at = series_find_name(names, name);
	char *own;

	if (at >= 0)
		return at;
	if (names->n == names->room && grow_names(names) != 0)
		return -1;
	own = strdup(name);
	if (own == NULL)
		return -1;
	names->metric[names->n] = (struct jobstat_metric){
		.name = own, .unit = level ? "" : "/s", .scope = scope, .level = level, .sums = !level};
	names->n++;
	names->hash[find_slot(names, own)] = names->n;
	return (int)names->n - 1;
}

void series_names_free(struct series_names *names)
{
	for (unsigned i = 0; i < names->n; i++)
		free((char *)names->metric[i].name);
	free(names->metric);
	free(names->hash);
	*names = (struct series_names){0};
}

/* ---- metrics of an archive, by number -------------------------------------------------------- */

struct entry {
	pmID pmid;
	int type;
	pmInDom indom;
	enum names_kind kind;
	struct series *series; /* series of a value, a running time or a state; NULL for all other metrics */
};

struct series_table {
	struct entry *entry;
	unsigned n, room;
	unsigned *hash, slots;  /* hash: index in entry + 1; 0: free */
	unsigned *layout, sets; /* layout: index in entry of each value set of the last record */
};

static unsigned pmid_slot(const struct series_table *table, pmID pmid)
{
	unsigned at = (pmid * 2654435761u >> 7) & (table->slots - 1);

	while (table->hash[at] != 0 && table->entry[table->hash[at] - 1].pmid != pmid)
		at = (at + 1) & (table->slots - 1);
	return at;
}

static int grow_series_table(struct series_table *table)
{
	const unsigned room = table->room ? table->room * 2 : 256;
	const bool grown = util_resize(&table->entry, room, sizeof(*table->entry));
	unsigned *hash = grown ? calloc((size_t)room * 2, sizeof(*hash)) : NULL;

	if (hash == NULL)
		return -1;
	free(table->hash);
	table->hash = hash;
	table->room = room;
	table->slots = room * 2;
	for (unsigned i = 0; i < table->n; i++)
		hash[pmid_slot(table, table->entry[i].pmid)] = i + 1;
	return 0;
}

static struct series *find_series(struct series_node *node, const char *name, enum jobstat_scope scope,
				  bool level)
{
	const int metric = series_name(node->names, name, scope, level);
	struct series *series;

	if (metric < 0)
		return NULL;
	if ((unsigned)metric >= node->metrics) {
		if (!util_resize(&node->by_metric, (size_t)metric + 64, sizeof(*node->by_metric)))
			return NULL;
		while (node->metrics < (unsigned)metric + 64)
			node->by_metric[node->metrics++] = -1;
	}
	if (node->by_metric[metric] >= 0)
		return node->series[node->by_metric[metric]];
	if (!util_grow(&node->series, node->n, sizeof(struct series *)) ||
	    !util_grow(&node->touched, node->n, sizeof(struct series *)))
		return NULL;
	series = calloc(1, sizeof(*series));
	if (series == NULL)
		return NULL;
	series->metric = (unsigned)metric;
	series->level = level;
	node->by_metric[metric] = (int)node->n;
	node->series[node->n++] = series;
	return series;
}

static bool is_number(int type)
{
	return type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_64 || type == PM_TYPE_U64 ||
	       type == PM_TYPE_FLOAT || type == PM_TYPE_DOUBLE;
}

static int describe_series_entry(struct series_node *node, struct entry *entry)
{
	enum jobstat_scope scope = JOBSTAT_OTHER;
	const char *name = NULL;
	char *full;
	pmDesc desc;
	bool replay;

	entry->kind = NAMES_OTHER;
	if (archive_describe(node->archive, entry->pmid, &full, &desc, &replay) != 0)
		return 0;
	entry->kind = names_kind(full, &scope, &name);
	entry->type = desc.type;
	entry->indom = desc.indom;
	if (entry->kind == NAMES_FOREIGN && node->all && is_number(desc.type)) {
		/* Floating-point counters have no exact differences. */
		if (desc.sem != PM_SEM_COUNTER ||
		    (desc.type != PM_TYPE_FLOAT && desc.type != PM_TYPE_DOUBLE)) {
			entry->kind = NAMES_VALUE;
			name = full;
		}
	}
	if (entry->kind == NAMES_VALUE || entry->kind == NAMES_RUNNING || entry->kind == NAMES_STATE) {
		const bool level = entry->kind == NAMES_VALUE && desc.sem != PM_SEM_COUNTER;
		struct series *series = is_number(desc.type) ? find_series(node, name, scope, level) : NULL;

		if (!is_number(desc.type)) {
			entry->kind = NAMES_OTHER;
		} else if (series == NULL) {
			free(full);
			return -1;
		} else if (entry->kind == NAMES_VALUE) {
			series->replay = replay;
			/* If the running time or the state came first, the series was created as a
			 * counter's. Correct this. */
			if (level) {
				series->level = true;
				node->names->metric[series->metric].level = true;
				node->names->metric[series->metric].sums = false;
				node->names->metric[series->metric].unit = "";
			}
		} else if (entry->kind == NAMES_RUNNING) {
			series->has_running = true;
		}
		entry->series = series;
	}
	free(full);
	return 0;
}

static struct entry *look_up_entry(struct series_node *node, unsigned i, pmID pmid)
{
	struct series_table *table = node->table;
	unsigned slot;

	if (i < table->sets && table->layout[i] < table->n && table->entry[table->layout[i]].pmid == pmid)
		return &table->entry[table->layout[i]];
	if (table->n == table->room && grow_series_table(table) != 0)
		return NULL;
	slot = pmid_slot(table, pmid);
	if (table->hash[slot] == 0) {
		table->entry[table->n] = (struct entry){.pmid = pmid};
		if (describe_series_entry(node, &table->entry[table->n]) != 0)
			return NULL;
		table->hash[slot] = ++table->n;
	}
	if (i >= table->sets) {
		if (!util_resize(&table->layout, (size_t)i + 256, sizeof(*table->layout)))
			return NULL;
		while (table->sets < i + 256)
			table->layout[table->sets++] = 0;
	}
	table->layout[i] = table->hash[slot] - 1;
	return &table->entry[table->layout[i]];
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t as_count(const pmValueSet *set, unsigned j)
{
	const pmValue *value = &set->vlist[j];
	uint64_t wide = 0;
	uint32_t narrow;

	if (set->valfmt == PM_VAL_INSITU)
		return (uint32_t)value->value.lval;
	if (__builtin_expect(value->value.pval->vlen >= PM_VAL_HDR_SIZE + sizeof(wide), 1)) {
		memcpy(&wide, value->value.pval->vbuf, sizeof(wide));
		return wide;
	}
	if (value->value.pval->vlen < PM_VAL_HDR_SIZE + sizeof(narrow))
		return 0;
	memcpy(&narrow, value->value.pval->vbuf, sizeof(narrow));
	return narrow;
}

static double as_level(const pmValueSet *set, unsigned j)
{
	const uint64_t bits = as_count(set, j);
	double real;
	float small;
	uint32_t low = (uint32_t)bits;

	switch (set->valfmt == PM_VAL_INSITU ? PM_TYPE_32 : set->vlist[j].value.pval->vtype) {
	case PM_TYPE_DOUBLE:
		memcpy(&real, &bits, sizeof(real));
		return real;
	case PM_TYPE_FLOAT:
		memcpy(&small, &low, sizeof(small));
		return (double)small;
	case PM_TYPE_64:
		return (double)(int64_t)bits;
	case PM_TYPE_32:
		return (double)(int32_t)low;
	default:
		return (double)bits;
	}
}

/* Return the place of an instance whose index differs from its index in the set; a new place is added.
 * NULL: out of memory, or too many places. */
static struct series_place *place_of_instance(struct series_node *node, struct series *series,
					      const pmValueSet *set, int number)
{
	struct series_place *place;
	const struct entry *entry;
	char **name;

	for (unsigned i = 0; i < series->places; i++)
		if (series->place[i].number == number)
			return &series->place[i];
	if (series->places == PLACES_MAX)
		return NULL;
	if (!util_grow(&series->place, series->places, sizeof(*place)) ||
	    !util_grow(&series->name, series->places, sizeof(*name)))
		return NULL;
	place = &series->place[series->places];
	*place = (struct series_place){.number = number, .state = 1};
	entry = &node->table->entry[node->table->hash[pmid_slot(node->table, set->pmid)] - 1];
	name = &series->name[series->places];
	*name = entry->indom == PM_INDOM_NULL ? strdup("")
					      : archive_instance(node->archive, entry->indom, number);
	if (*name == NULL)
		return NULL;
	series->places++;
	return place;
}

/* Find an instance's value in another value set, in which the instance has another index. Return false if
 * the set lacks the instance. */
static bool find_partner_value(const pmValueSet *set, unsigned n, int number, uint64_t *value)
{
	for (unsigned i = 0; i < n; i++)
		if (set->vlist[i].inst == number) {
			*value = as_count(set, i);
			return true;
		}
	return false;
}

/* True if the series' last record directly precedes this one, without a break or an absence of the metric.
 * The metric was absent if a record in between has upc.control.generation but not the metric. In archives
 * without upc.control.generation, a gap of more than 2.5 times the smallest gap counts as an absence. */
static bool follows_last_record(const struct series_node *node, struct series *series, int64_t time_ns)
{
	const int64_t gap = time_ns - series->last_ns;
	bool is_next = series->tick > 0 && series->breaks == node->breaks && gap > 0;

	if (node->generation_record == node->record) {
		if (series->with != 0 && series->with + 1 != node->generations)
			is_next = false;
		series->with = node->generations;
	} else if (is_next && series->with == 0 && series->least_gap > 0 && gap > series->least_gap * 5 / 2) {
		is_next = false;
	}
	if (is_next && (series->least_gap == 0 || gap < series->least_gap))
		series->least_gap = gap;
	return is_next;
}

/* Add a level: bin.level is the sum of levels, and bin.count is their number. */
static void take_place_level(struct series_place *place, double level, uint64_t running, int64_t gap,
			     bool clock)
{
	place->bin.level += level;
	place->bin.count++;
	if (gap == 0)
		return;
	place->bin.span_ns += gap;
	if (clock)
		place->bin.running_ns += (uint64_t)gap;
	else if (running >= place->running)
		place->bin.running_ns += running - place->running;
}

/* Reset the bins at the series' first record of an interval. */
static void begin_series_interval(const struct series_node *node, struct series *series)
{
	if (series->interval == node->interval)
		return;
	series->interval = node->interval;
	for (unsigned j = 0; j < series->places; j++)
		series->place[j].bin = (struct series_bin){0};
	if (series->has_lost)
		memset(series->lost_ns, 0, sizeof(series->lost_ns));
	series->has_lost = false;
}

static int take_series_values(struct series_node *node, struct series *series, int64_t time_ns)
{
	const pmValueSet *set = series->value_set, *running_set = series->running_set;
	const unsigned n = set->numval > 0 ? (unsigned)set->numval : 0;
	const unsigned n_running =
		running_set != NULL && running_set->numval > 0 ? (unsigned)running_set->numval : 0;
	const bool is_next = follows_last_record(node, series, time_ns), clock = !series->has_running;
	const int64_t gap = is_next ? time_ns - series->last_ns : 0;
	const uint32_t before = series->tick++;

	series->last_ns = time_ns;
	series->breaks = node->breaks;
	series->clock = clock;
	for (unsigned j = 0; j < n; j++) {
		const int number = set->vlist[j].inst;
		struct series_place *place;
		uint64_t value, running = (uint64_t)time_ns;

		if (j < series->places && series->place[j].number == number) {
			place = &series->place[j];
		} else {
			place = place_of_instance(node, series, set, number);
			if (place == NULL)
				return series->places == PLACES_MAX ? 0 : -1;
		}
		if (!clock) {
			if (j < n_running && running_set->vlist[j].inst == number)
				running = as_count(running_set, j);
			else if (!find_partner_value(running_set, n_running, number, &running))
				continue;
		}
		value = as_count(set, j);
		if (series->level) {
			take_place_level(place, as_level(set, j), running, place->seen == before ? gap : 0,
					 clock);
		} else if (is_next && place->seen == before) {
			if (value < place->value || running < place->running) {
				series->backwards++;
			} else if (running > place->running) {
				place->bin.count += value - place->value;
				place->bin.running_ns += running - place->running;
				place->bin.span_ns += gap;
			}
		}
		place->value = value;
		place->running = running;
		place->seen = series->tick;
	}
	return 0;
}

/* Add the time since the node's last record to lost_ns of each place's state. If a place counts again, the
 * time belongs to its previous state. Return 0, or -1 if out of memory. */
static int take_states(struct series_node *node, struct series *series, int64_t gap)
{
	const pmValueSet *set = series->state_set;

	for (unsigned j = 0; j < (unsigned)(set->numval > 0 ? set->numval : 0); j++) {
		const int number = set->vlist[j].inst;
		struct series_place *place = j < series->places && series->place[j].number == number
						     ? &series->place[j]
						     : place_of_instance(node, series, set, number);
		const uint64_t state = as_count(set, j);
		const unsigned lost = place == NULL || state != 1 ? (unsigned)state : place->state;

		if (place == NULL && series->places < PLACES_MAX)
			return -1;
		if (lost != 1 && lost < SERIES_STATES) {
			series->lost_ns[lost] += (double)gap / set->numval;
			series->has_lost = true;
		}
		if (place != NULL)
			place->state = state < SERIES_STATES ? (uint8_t)state : 1;
	}
	return 0;
}

/* Collect the commands of users whose counters the service saw. They are few, and rarely present. */
static void take_users(struct series_node *node, const pmValueSet *set)
{
	for (int j = 0; j < set->numval; j++) {
		const pmValueBlock *block = set->valfmt == PM_VAL_INSITU ? NULL : set->vlist[j].value.pval;
		size_t length, n = strlen(node->users);
		char text[40];

		if (block == NULL || block->vtype != PM_TYPE_STRING || block->vlen <= PM_VAL_HDR_SIZE)
			continue;
		length = block->vlen - PM_VAL_HDR_SIZE;
		if (length >= sizeof(text))
			length = sizeof(text) - 1;
		memcpy(text, block->vbuf, length);
		text[length] = '\0';
		length = strlen(text);
		if (length == 0 || strstr(node->users, text) != NULL || n + length + 3 > sizeof(node->users))
			continue;
		if (n > 0) {
			memcpy(node->users + n, ", ", 3);
			n += 2;
		}
		memcpy(node->users + n, text, length + 1);
	}
}

static void take_control(struct series_node *node, const struct entry *entry, const pmValueSet *set)
{
	uint64_t value;

	if (entry->kind == NAMES_USER)
		take_users(node, set);
	if (set->numval != 1)
		return;
	switch (entry->kind) {
	case NAMES_STARTED:
		value = as_count(set, 0);
		if (node->started != 0 && value != node->started)
			node->breaks++;
		node->started = value;
		break;
	case NAMES_GENERATION:
		node->generations++;
		node->generation_record = node->record;
		break;
	case NAMES_INTERVAL:
		node->interval_ns = as_count(set, 0);
		break;
	default:
		break;
	}
}

static void reset_table(struct series_table *table)
{
	table->n = table->sets = 0;
	if (table->hash != NULL)
		memset(table->hash, 0, table->slots * sizeof(*table->hash));
}

static void note_time(struct series_node *node, int64_t time_ns)
{
	if (node->last_ns != INT64_MIN && time_ns > node->last_ns) {
		if (node->to_ns == node->from_ns)
			node->from_ns = node->last_ns;
		node->to_ns = time_ns;
	}
	node->last_ns = time_ns;
}

int series_take(struct series_node *node, const pmResult *record, int64_t time_ns)
{
	unsigned touched = 0, breaks;
	int64_t gap;
	int error = 0;

	if (node->serial != node->archive->serial) {
		node->serial = node->archive->serial;
		reset_table(node->table);
	}
	if (node->archive_breaks != node->archive->breaks) {
		node->archive_breaks = node->archive->breaks;
		node->breaks++;
		node->last_ns = INT64_MIN;
	}
	breaks = node->breaks;
	if (record->numpmid == 0) {
		node->breaks++;
		node->last_ns = INT64_MIN;
		return 0;
	}
	node->record++;
	for (unsigned i = 0; i < (unsigned)record->numpmid; i++) {
		const pmValueSet *set = record->vset[i];
		const struct entry *entry = look_up_entry(node, i, set->pmid);
		struct series *series;

		if (entry == NULL)
			return -1;
		series = entry->series;
		if (series == NULL) {
			if (entry->kind < NAMES_FOREIGN)
				take_control(node, entry, set);
			continue;
		}
		if (series->value_set == NULL && series->running_set == NULL && series->state_set == NULL)
			node->touched[touched++] = series;
		*(entry->kind == NAMES_VALUE     ? &series->value_set
		  : entry->kind == NAMES_RUNNING ? &series->running_set
						 : &series->state_set) = set;
	}
	if (breaks != node->breaks)
		node->last_ns = INT64_MIN;
	gap = node->last_ns != INT64_MIN && time_ns > node->last_ns ? time_ns - node->last_ns : 0;
	for (unsigned i = 0; i < touched; i++) {
		struct series *series = node->touched[i];

		begin_series_interval(node, series);
		if (error == 0 && series->value_set != NULL)
			error = take_series_values(node, series, time_ns);
		if (error == 0 && series->state_set != NULL)
			error = take_states(node, series, gap);
		series->value_set = series->running_set = series->state_set = NULL;
	}
	if (touched > 0)
		note_time(node, time_ns);
	return error;
}

void series_next(struct series_node *node)
{
	/* Each series resets its bins at its next record. */
	node->interval++;
	node->from_ns = node->to_ns = 0;
	node->users[0] = '\0';
}

int series_open(struct series_node *node, struct archive *archive, struct series_names *names, bool all)
{
	*node = (struct series_node){.name = archive->host,
				     .archive = archive,
				     .names = names,
				     .last_ns = INT64_MIN,
				     .interval = 1,
				     .all = all,
				     .serial = archive->serial,
				     .archive_breaks = archive->breaks};
	node->table = calloc(1, sizeof(*node->table));
	return node->table != NULL ? 0 : -1;
}

void series_close(struct series_node *node)
{
	for (unsigned i = 0; i < node->n; i++) {
		for (unsigned j = 0; j < node->series[i]->places; j++)
			free(node->series[i]->name[j]);
		free(node->series[i]->place);
		free(node->series[i]->name);
		free(node->series[i]);
	}
	if (node->table != NULL) {
		free(node->table->entry);
		free(node->table->hash);
		free(node->table->layout);
	}
	free(node->table);
	free(node->series);
	free(node->touched);
	free(node->by_metric);
	*node = (struct series_node){0};
}
