/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place.c - see place.h.
 * Terms: service/service.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/place.h"

/* How long a counter must have been enabled before it is reported as not running. */
#define JUDGE_NS 1000000

/* ---- cells ------------------------------------------------------------------- */

void place_set_state(struct place_cell *cell, enum service_state state, const char *why)
{
	char *copy = why && *why ? strdup(why) : NULL;

	free(cell->why);
	cell->why = copy;
	cell->state = state;
}

void place_cell_free(struct place_cell *cell)
{
	if (!cell)
		return;
	free(cell->term);
	free(cell->why);
	free(cell);
}

/* Replace {cpu} and {numa}: "PU{cpu}_X" becomes "PU2_X" in the place of CPU 2. False if the result does not
 * fit; {cpu} or {numa} stays if the place has no such number. *replaced: {cpu} was replaced. */
static bool replace_cpu_number(const struct place *place, const char *text, char *to, size_t size,
			       bool *replaced)
{
	size_t n = 0;
	int length;

	*replaced = false;
	while (*text && n < size) {
		bool cpu = !strncmp(text, "{cpu}", 5);
		int number = cpu ? place->cpu : -1;
		size_t step = 5;

		if (number < 0 && !strncmp(text, "{numa}", 6)) {
			number = place->numa;
			step = 6;
		}
		if (number < 0) {
			to[n++] = *text++;
			continue;
		}
		length = snprintf(to + n, size - n, "%d", number);
		n += (size_t)length;
		text += step;
		/* An event with {numa}, in the place of a CPU, still is not the CPU's own: a sum over the
		 * CPUs would contain the node's count several times. Only {cpu} sets *replaced. */
		*replaced |= cpu;
	}
	if (n >= size)
		return false;
	to[n] = '\0';
	return true;
}

static int refuse_place(char why[512], const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse_place(char why[512], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, 512, format, args);
	va_end(args);
	return UPC_ENOSUPP;
}

/* Check that a place of this scope counts exactly the event's activity. */
static int check_scope(const struct place *place, const struct upc_event_info *info, bool replaced,
		       char why[512])
{
	static const char *const whose[] = {[UPC_SCOPE_THREAD] = "a thread's",
					    [UPC_SCOPE_PROCESS] = "a process's",
					    [UPC_SCOPE_CPU] = "one CPU's, which its name says",
					    [UPC_SCOPE_MACHINE] = "the whole machine's"};

	if (info->scope == UPC_SCOPE_CONTEXT)
		return 0;
	if (info->scope == UPC_SCOPE_THREAD || info->scope == UPC_SCOPE_PROCESS)
		return refuse_place(why, "%s is %s, and this service counts the node", info->name,
				    whose[info->scope]);
	if (place->scope == SERVICE_NODE || (place->scope == SERVICE_CPU && replaced))
		return 0;
	return refuse_place(why, "%s is %s: it can be counted with scope=node, not scope=%s", info->name,
			    whose[info->scope], service_scope_name(place->scope));
}

static int find_terms(struct upc_catalogue *catalogue, bool replay, struct place_cell *cell)
{
	struct upc_event_info info = {.size = sizeof(info)};
	uint32_t code[UPC_COUNTERS];
	int n = upc_catalogue_terms(catalogue, cell->code, code, UPC_COUNTERS), needs;

	if (n < 0)
		return n;
	cell->derived = n > 0;
	if (!n) {
		code[0] = cell->code;
		n = 1;
	}
	/* If the event was unknown until now, its saved sums stay, provided that the number of terms is the
	 * same. */
	if (cell->terms != (unsigned)n) {
		free(cell->term);
		cell->term = calloc((size_t)n, sizeof(*cell->term));
		cell->terms = cell->term ? (unsigned)n : 0;
		if (!cell->term)
			return UPC_ENOMEM;
	}
	for (unsigned i = 0; i < cell->terms; i++) {
		struct place_term *t = &cell->term[i];

		t->code = code[i];
		if (!upc_catalogue_info(catalogue, t->code, &info))
			t->level = info.kind == UPC_KIND_LEVEL;
		/* A script plays signals of a PMU that this machine does not have. */
		needs = replay ? 1 : upc_catalogue_needs_pmu(catalogue, t->code);
		cell->hardware |= needs > 0;
	}
	return 0;
}

int place_resolve(const struct place_options *options, const struct place *place, const char *event,
		  struct place_cell *cell, struct upc_event_info *info, char why[512])
{
	char name[UPC_NAME_MAX];
	bool replaced;
	int error;

	why[0] = '\0';
	if (!replace_cpu_number(place, event, name, sizeof(name), &replaced)) {
		refuse_place(why, "the name of an event has at most %d characters", UPC_NAME_MAX - 1);
		return UPC_ENOEVENT;
	}
	*info = UPC_OPTIONS_INIT(upc_event_info);
	error = upc_catalogue_find(options->catalogue, name, &cell->code);
	if (!error)
		error = upc_catalogue_info(options->catalogue, cell->code, info);
	if (!error) {
		error = check_scope(place, info, replaced, why);
		if (error)
			return error;
		cell->level = info->kind == UPC_KIND_LEVEL;
		error = find_terms(options->catalogue, options->replay, cell);
	}
	cell->known = !error;
	if (error)
		snprintf(why, 512, "%s", error == UPC_ENOMEM ? "no memory" : upc_last_message());
	return error;
}

int place_reserve(struct place *place, unsigned more)
{
	unsigned room = place->cells + more;
	struct place_cell **grown;

	if (room <= place->room)
		return 0;
	room += 16;
	grown = realloc(place->cell, room * sizeof(struct place_cell *));
	if (!grown)
		return UPC_ENOMEM;
	place->cell = grown;
	place->room = room;
	return 0;
}

/* ---- the unit ------------------------------------------------------------------ */

static int create_place_unit(const struct place_options *o, const struct place *place, unsigned domain,
			     struct upc_unit **unit)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);

	if (o->replay)
		return upc_unit_create(o->catalogue, &options, unit);
	options.context = place->scope == SERVICE_CPU      ? UPC_CONTEXT_CPU
			  : place->scope == SERVICE_CGROUP ? UPC_CONTEXT_CGROUP
							   : UPC_CONTEXT_MACHINE;
	options.cpu = place->scope == SERVICE_CPU ? place->cpu : 0;
	options.cgroup = place->scope == SERVICE_CGROUP ? place->path : NULL;
	options.domain = domain;
	options.flexible = o->flexible;
	options.reserve = o->reserve;
	return upc_unit_create(o->catalogue, &options, unit);
}

/* Make a running unit without events, so that each later commit opens its events at once. */
static int open_place_unit(const struct place_options *o, struct place *place)
{
	int error;

	if (place->unit)
		return 0;
	error = create_place_unit(o, place, o->user ? UPC_DOMAIN_USER : UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL,
				  &place->unit);
	/* Without the right to count the kernel, count as much as this user may. */
	if (error == UPC_EPERM && !o->user)
		error = create_place_unit(o, place, 0, &place->unit);
	if (!error)
		error = upc_unit_start(place->unit);
	if (error) {
		upc_unit_destroy(place->unit);
		place->unit = NULL;
		return error;
	}
	memset(place->bound, 0, sizeof(place->bound));
	memset(place->halted, 0, sizeof(place->halted));
	place->stopped = false;
	return 0;
}

/* Start a stopped unit. Fails if others have taken the counters that it needs meanwhile. */
static int start_again(struct place *place)
{
	int error = upc_unit_start(place->unit);

	place->stopped = error != 0;
	return error;
}

static void set_slots(const struct place *place, struct place_cell *cell)
{
	for (unsigned t = 0; cell->open && t < cell->terms; t++)
		for (int slot = 0; slot < UPC_COUNTERS; slot++)
			if (place->bound[slot] && place->code[slot] == cell->term[t].code)
				cell->term[t].slot = slot;
}

/* Find the unit's counter of each event; a commit may have moved some. New cells (more) are not among the
 * place's cells yet. */
static void find_slots(struct place *place, struct place_cell *const *more, unsigned mores)
{
	struct upc_counter_info info = {.size = sizeof(info)};

	for (int i = 0; i < UPC_COUNTERS; i++) {
		place->bound[i] = !upc_counter_state(place->unit, i, &info) && info.flags & UPC_COUNTER_BOUND;
		place->halted[i] = place->bound[i] && info.flags & UPC_COUNTER_HALTED;
		place->code[i] = info.code;
	}
	for (unsigned i = 0; i < place->cells; i++)
		set_slots(place, place->cell[i]);
	for (unsigned i = 0; i < mores; i++)
		set_slots(place, more[i]);
}

static int slot_of(const struct place *place, uint32_t code)
{
	for (int i = 0; place->unit && i < UPC_COUNTERS; i++)
		if (place->bound[i] && place->code[i] == code)
			return i;
	return -1;
}

/* ---- reading -------------------------------------------------------------------- */

/* Return how much a count has grown since *last, and set *last. A count that fell was reset: return 0. */
static uint64_t growth_of_term(uint64_t now, uint64_t *last)
{
	uint64_t grown = now > *last ? now - *last : 0;

	*last = now;
	return grown;
}

static void add_to_cell(const struct place *place, struct place_cell *cell)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < cell->terms; i++) {
		struct place_term *t = &cell->term[i];
		uint64_t counted = growth_of_term(place->value[t->slot], &t->last);
		uint64_t ran = growth_of_term(place->ran[t->slot], &t->ran);
		uint64_t had = growth_of_term(place->enabled[t->slot], &t->had);

		least = ran < least ? ran : least;
		most = had > most ? had : most;
		if (!cell->on)
			continue;
		t->sum = t->level ? place->value[t->slot] : t->sum + counted;
	}
	if (cell->on) {
		cell->running_ns += least;
		cell->enabled_ns += most;
		cell->read = true;
	}
}

void place_read(struct place *place)
{
	struct upc_counter_info info = {.size = sizeof(info)};
	int error;

	if (!place->unit)
		return;
	error = upc_unit_read(place->unit, NULL);
	place->unread = error && error != UPC_ELOST && error != UPC_EPARTIAL && error != UPC_EPARITY;
	if (place->unread) {
		snprintf(place->why, sizeof(place->why), "it cannot be read: %s", upc_last_message());
		return;
	}
	for (int i = 0; i < UPC_COUNTERS; i++) {
		if (!place->bound[i] || upc_counter_state(place->unit, i, &info))
			continue;
		place->value[i] = info.value;
		place->flags[i] = info.flags;
		place->enabled[i] = info.enabled_ns;
		place->ran[i] = info.running_ns;
	}
	for (unsigned i = 0; i < place->cells; i++)
		if (place->cell[i]->open)
			add_to_cell(place, place->cell[i]);
}

/* ---- changing --------------------------------------------------------------------- */

static void want_cell_slots(const struct place_cell *cell, bool wanted[UPC_COUNTERS])
{
	for (unsigned t = 0; cell->open && !cell->held && t < cell->terms; t++)
		wanted[cell->term[t].slot] = true;
}

static int apply_halts(const struct place_options *options, struct place *place,
		       struct place_cell *const *more, unsigned mores)
{
	bool wanted[UPC_COUNTERS] = {false};
	int error = 0;

	/* A script cannot be halted. Its counts during a halt are not added to the cells, since these are not
	 * on. */
	if (!place->unit || options->replay)
		return 0;
	for (unsigned i = 0; i < place->cells; i++)
		want_cell_slots(place->cell[i], wanted);
	for (unsigned i = 0; i < mores; i++)
		want_cell_slots(more[i], wanted);
	for (int i = 0; i < UPC_COUNTERS; i++) {
		int failed;

		if (!place->bound[i] || place->halted[i] == !wanted[i])
			continue;
		failed = wanted[i] ? upc_counter_continue(place->unit, i) : upc_counter_halt(place->unit, i);
		if (!failed)
			place->halted[i] = !wanted[i];
		else if (!error)
			error = failed;
	}
	return error;
}

int place_apply_halts(const struct place_options *options, struct place *place)
{
	if (place->unit && place->stopped)
		(void)start_again(place);
	return apply_halts(options, place, NULL, 0);
}

static int commit_cells(struct place *place, struct place_cell *const *out, unsigned outs,
			struct place_cell *const *in, unsigned ins)
{
	struct upc_transaction *transaction;
	int error = upc_transaction_begin(place->unit, &transaction);

	if (error)
		return error;
	for (unsigned i = 0; i < outs && !error; i++)
		if (out[i]->open)
			error = upc_transaction_remove(transaction, out[i]->code);
	for (unsigned i = 0; i < ins && !error; i++)
		error = upc_transaction_add(transaction, in[i]->code, UPC_ANY_COUNTER);
	if (error) {
		upc_transaction_abort(transaction);
		return error;
	}
	return upc_transaction_commit(transaction);
}

/* Set the counts from which the cell's terms begin. If other cells already count a term's event in the unit,
 * the term begins at the event's present count; otherwise at 0. */
static void begin_cell(const struct place *place, struct place_cell *cell)
{
	for (unsigned i = 0; i < cell->terms; i++) {
		struct place_term *t = &cell->term[i];
		int slot = slot_of(place, t->code);

		t->last = slot < 0 ? 0 : place->value[slot];
		t->ran = slot < 0 ? 0 : place->ran[slot];
		t->had = slot < 0 ? 0 : place->enabled[slot];
	}
	cell->judged_ran = cell->running_ns;
	cell->judged_enabled = cell->enabled_ns;
	cell->read = cell->shown = false;
}

static void set_open(struct place_cell *const *cell, unsigned cells, bool open)
{
	for (unsigned i = 0; i < cells; i++)
		cell[i]->open = open;
}

/* True if the unit must be stopped for the change. Hardware counters that are halted from the start must not
 * run even for a moment: another user may have them, since the service has declared them free. */
static bool must_be_quiet(const struct place_options *options, struct place_cell *const *in, unsigned ins)
{
	bool quiet = false;

	for (unsigned i = 0; i < ins && !options->replay; i++)
		quiet |= in[i]->hardware && in[i]->held;
	return quiet;
}

/* Restore the former cells, except where another user has taken a counter meanwhile. */
static void undo_change(const struct place_options *options, struct place *place,
			struct place_cell *const *out, unsigned outs, struct place_cell *const *in,
			unsigned ins)
{
	(void)commit_cells(place, in, ins, NULL, 0);
	(void)start_again(place);
	set_open(in, ins, false);
	find_slots(place, NULL, 0);
	place_open_each(options, place, out, outs);
}

int place_change(const struct place_options *options, struct place *place, struct place_cell *const *out,
		 unsigned outs, struct place_cell *const *in, unsigned ins)
{
	int error = ins ? open_place_unit(options, place) : 0;
	bool quiet = must_be_quiet(options, in, ins);

	if (error || !place->unit)
		return error;
	place_read(place);
	if (quiet)
		(void)upc_unit_stop(place->unit);
	error = commit_cells(place, out, outs, in, ins);
	if (error) {
		(void)start_again(place);
		return error;
	}
	for (unsigned i = 0; i < ins; i++)
		begin_cell(place, in[i]);
	set_open(out, outs, false);
	set_open(in, ins, true);
	find_slots(place, in, ins);
	error = apply_halts(options, place, in, ins);
	if (!error && quiet)
		error = start_again(place);
	if (error)
		undo_change(options, place, out, outs, in, ins);
	return error;
}

/* Set the state after a failed open. It is TAKEN if other users may have the PMU's counters for a while. Any
 * other failure stays until a rewrite. */
static void set_failed(struct place_cell *cell, int error)
{
	place_set_state(cell, error == UPC_ECONFLICT && cell->hardware ? SERVICE_TAKEN : SERVICE_FAILED,
			error == UPC_ENOMEM ? "no memory" : upc_last_message());
}

void place_open_each(const struct place_options *options, struct place *place, struct place_cell *const *cell,
		     unsigned cells)
{
	struct place_cell **closed = calloc(cells + 1, sizeof(struct place_cell *));
	unsigned n = 0;
	int error = UPC_ENOMEM;

	for (unsigned i = 0; i < cells; i++)
		if (!cell[i]->open && cell[i]->known) {
			place_set_state(cell[i], SERVICE_OPENING, NULL);
			if (closed)
				closed[n++] = cell[i];
		}
	if (n)
		error = place_change(options, place, NULL, 0, closed, n);
	for (unsigned i = 0; error && i < cells; i++) {
		if (cell[i]->open || !cell[i]->known)
			continue;
		error = place_change(options, place, NULL, 0, &cell[i], 1);
		if (error)
			set_failed(cell[i], error);
		error = 1;
	}
	free(closed);
}

void place_close(struct place *place)
{
	if (!place->unit)
		return;
	place_read(place);
	upc_unit_destroy(place->unit);
	place->unit = NULL;
	memset(place->bound, 0, sizeof(place->bound));
	set_open(place->cell, place->cells, false);
}

/* ---- states ----------------------------------------------------------------------- */

static unsigned flags_of_cell(const struct place *place, const struct place_cell *cell)
{
	unsigned flags = 0;

	for (unsigned i = 0; i < cell->terms; i++)
		flags |= place->flags[cell->term[i].slot];
	return flags;
}

/* True if a counter of the cell could not be continued, since others have the PMU's counters. */
static bool cell_waits(const struct place *place, const struct place_cell *cell)
{
	bool waiting = false;

	for (unsigned i = 0; i < cell->terms; i++)
		waiting |= place->halted[cell->term[i].slot];
	return waiting;
}

/* Judge whether a cell that is open and on was counted since the last judgement. */
static void judge_open(const struct place *place, struct place_cell *cell, bool sample)
{
	uint64_t had = cell->enabled_ns - cell->judged_enabled, ran = cell->running_ns - cell->judged_ran;
	unsigned flags = flags_of_cell(place, cell);

	if (place->unread) {
		place_set_state(cell, SERVICE_FAILED, place->why);
	} else if (place->stopped) {
		place_set_state(cell, cell->hardware ? SERVICE_TAKEN : SERVICE_FAILED,
				"it could not be started again, for others have the counters of the PMU");
	} else if (cell_waits(place, cell)) {
		place_set_state(cell, SERVICE_TAKEN, "others have the counters of the PMU that it needs");
	} else if (!cell->read || (!cell->shown && !sample)) {
		place_set_state(cell, SERVICE_OPENING, NULL);
	} else if (flags & UPC_COUNTER_LOST) {
		place_set_state(cell, SERVICE_FAILED, "its source went away; rewrite opens it again");
	} else if (flags & UPC_COUNTER_DAMAGED) {
		place_set_state(cell, SERVICE_FAILED, "a parity error: its word in the array is damaged");
	} else if (flags & (UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER) && !ran && had >= JUDGE_NS) {
		place_set_state(cell, SERVICE_TAKEN, "others have the counters of the PMU that it needs");
	} else if (ran || had >= JUDGE_NS || cell->state != SERVICE_TAKEN) {
		place_set_state(cell, SERVICE_COUNTING, NULL);
	}
	if (had >= JUDGE_NS || ran) {
		cell->judged_enabled = cell->enabled_ns;
		cell->judged_ran = cell->running_ns;
	}
}

static void set_value(const struct place_options *options, struct place_cell *cell)
{
	uint64_t term[UPC_COUNTERS], value = cell->term[0].sum;

	for (unsigned i = 0; i < cell->terms; i++)
		term[i] = cell->term[i].sum;
	if (cell->derived &&
	    upc_catalogue_compute(options->catalogue, cell->code, term, cell->terms, &value)) {
		place_set_state(cell, SERVICE_FAILED, upc_last_message());
		return;
	}
	/* A difference of counts may fall, but a counter's value never does. */
	if (cell->level || value > cell->value)
		cell->value = value;
	cell->value_ns = cell->running_ns;
	cell->shown = true;
}

void place_judge(const struct place_options *options, struct place *place, bool sample)
{
	for (unsigned i = 0; i < place->cells; i++) {
		struct place_cell *cell = place->cell[i];

		if (cell->known && !place->online)
			place_set_state(cell, SERVICE_OFFLINE, NULL);
		else if (cell->open && cell->on)
			judge_open(place, cell, sample);
		else if (cell->open)
			place_set_state(cell, cell->off,
					cell->off == SERVICE_YIELDED ? options->aside_why : NULL);
		/* Closed cells have a value, too: their counts up to the close. */
		if (sample && cell->known && (!cell->open || cell->read))
			set_value(options, cell);
	}
}
