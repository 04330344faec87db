/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.c - see counters.h. All errors that can be found without libupc are found before a unit is
 * changed. Then the places change one after the other; if one place fails, the places that have changed are
 * changed back.
 * Terms: service/service.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "service/counters.h"

/* Time between two tries to open counters that other users have: each try costs a commit of the unit. */
#define RETRY_NS UINT64_C(1000000000)

static int refuse_counters(struct counters *c, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse_counters(struct counters *c, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->why, sizeof(c->why), format, args);
	va_end(args);
	return error;
}

/* ---- places --------------------------------------------------------------------- */

static int make_cpus(struct counters *c)
{
	struct place *p = calloc(c->topology.cpus, sizeof(*p));
	char name[16];

	c->place[SERVICE_CPU] = p;
	for (unsigned i = 0; p && i < c->topology.cpus; i++, p++) {
		const struct topology_cpu *cpu = &c->topology.cpu[i];

		snprintf(name, sizeof(name), "cpu%d", cpu->number);
		*p = (struct place){.scope = SERVICE_CPU, .cpu = cpu->number, .numa = cpu->numa};
		p->online = cpu->online;
		p->name = strdup(name);
		if (!p->name)
			return UPC_ENOMEM;
		c->places[SERVICE_CPU]++;
	}
	return c->places[SERVICE_CPU] ? 0 : UPC_ENOMEM;
}

static int make_node(struct counters *c)
{
	struct place *p = calloc(1, sizeof(*p));

	c->place[SERVICE_NODE] = p;
	if (!p)
		return UPC_ENOMEM;
	*p = (struct place){.scope = SERVICE_NODE, .cpu = -1, .numa = -1, .online = true, .name = strdup("")};
	c->places[SERVICE_NODE] = 1;
	return p->name ? 0 : UPC_ENOMEM;
}

int counters_create(const struct place_options *options, const char *sys, struct counters **counters)
{
	struct counters *c = calloc(1, sizeof(*c));
	int error;

	*counters = NULL;
	if (!c)
		return UPC_ENOMEM;
	c->options = *options;
	c->sys = sys;
	c->next_id = c->next_number = 1;
	error = topology_read(sys, &c->topology);
	if (!error)
		error = make_cpus(c);
	if (!error)
		error = make_node(c);
	if (error)
		counters_destroy(c);
	else
		*counters = c;
	return error;
}

static void free_counter(struct counters_counter *counter)
{
	if (!counter)
		return;
	free(counter->name);
	free(counter->event);
	free(counter->given);
	free(counter->description);
	free(counter->unit);
	free(counter);
}

void counters_destroy(struct counters *c)
{
	if (!c)
		return;
	for (int s = 0; s < SERVICE_SCOPES; s++) {
		for (unsigned i = 0; i < c->places[s]; i++) {
			struct place *p = &c->place[s][i];

			place_close(p);
			for (unsigned k = 0; k < p->cells; k++)
				place_cell_free(p->cell[k]);
			free(p->cell);
			free(p->name);
			free(p->path);
		}
		free(c->place[s]);
	}
	for (unsigned i = 0; i < c->counters; i++)
		free_counter(c->counter[i]);
	free(c->counter);
	topology_free(&c->topology);
	free(c);
}

int counters_add_cgroup(struct counters *c, const char *label, const char *path, bool missing)
{
	unsigned n = c->places[SERVICE_CGROUP];
	struct stat status = {0};
	bool there = !stat(path, &status) && S_ISDIR(status.st_mode);
	struct place *p;

	if (c->options.replay)
		return refuse_counters(c, UPC_ENOSUPP, "behind a script there are no control groups");
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(c->place[SERVICE_CGROUP][i].name, label))
			return refuse_counters(c, UPC_EINVAL, "%s: a control group is called so already",
					       label);
	if (n == COUNTERS_CGROUPS_MAX)
		return refuse_counters(c, UPC_EINVAL, "more than %u control groups", COUNTERS_CGROUPS_MAX);
	if (!there && !missing)
		return refuse_counters(c, UPC_ENOTASK, "%s: there is no such directory", path);
	p = realloc(c->place[SERVICE_CGROUP], (n + 1) * sizeof(*p));
	if (!p)
		return refuse_counters(c, UPC_ENOMEM, "no memory");
	c->place[SERVICE_CGROUP] = p;
	p += n;
	*p = (struct place){.scope = SERVICE_CGROUP, .cpu = -1, .numa = -1, .online = there};
	p->name = strdup(label);
	p->path = strdup(path);
	p->inode = status.st_ino;
	if (!p->name || !p->path) {
		free(p->name);
		free(p->path);
		return refuse_counters(c, UPC_ENOMEM, "no memory");
	}
	c->places[SERVICE_CGROUP]++;
	return 0;
}

/* ---- looking for --------------------------------------------------------------- */

struct counters_counter *counters_find(struct counters *c, const char *name)
{
	for (unsigned i = 0; i < c->counters; i++)
		if (!strcmp(c->counter[i]->name, name))
			return c->counter[i];
	return NULL;
}

/* Return the index of the counter's cell in each of its places. */
static unsigned index_of_counter(const struct counters *c, const struct counters_counter *counter)
{
	unsigned k = 0;

	for (unsigned i = 0; i < c->counters && c->counter[i] != counter; i++)
		k += c->counter[i]->scope == counter->scope;
	return k;
}

struct place_cell *counters_cell(const struct counters *c, const struct counters_counter *counter,
				 unsigned place)
{
	return c->place[counter->scope][place].cell[index_of_counter(c, counter)];
}

static bool wants_hold(const struct counters *c, bool halted, bool hardware)
{
	return halted || (c->aside && hardware);
}

/* ---- fresh counters: resolved before anything changes ---------------------------------- */

/* A counter that is not yet in struct counters, with a cell for each place of its scope. */
struct fresh {
	struct counters_counter *counter;
	struct place_cell **cell;
	unsigned cells;
	bool alone; /* outside the transaction: each place that cannot count it fails separately */
};

static void free_fresh(struct fresh *f)
{
	free_counter(f->counter);
	for (unsigned i = 0; i < f->cells; i++)
		place_cell_free(f->cell[i]);
	free(f->cell);
	memset(f, 0, sizeof(*f));
}

/* Return the default scope of an event. */
static int scope_of_event(struct counters *c, const char *event)
{
	struct upc_event_info info = {.size = sizeof(info)};
	uint32_t code;

	if (strstr(event, "{cpu}") || strstr(event, "{numa}"))
		return SERVICE_CPU;
	if (upc_catalogue_find(c->options.catalogue, event, &code) ||
	    upc_catalogue_info(c->options.catalogue, code, &info) || info.scope == UPC_SCOPE_CONTEXT)
		return SERVICE_CPU;
	return SERVICE_NODE;
}

static char *copy_counter_text(const char *text)
{
	return strdup(text ? text : "");
}

/* Set the counter's texts from the catalogue's description of the event in its first place. */
static int describe_counter_names(struct counters_counter *counter, const struct counters_add *add,
				  const struct upc_event_info *info)
{
	bool named = info && !strchr(add->event, '{');

	counter->event = copy_counter_text(named ? info->name : add->event);
	counter->given = copy_counter_text(add->event);
	counter->name = copy_counter_text(add->as ? add->as : counter->event);
	counter->description = copy_counter_text(info ? info->description : "");
	counter->unit = copy_counter_text(info ? info->unit : "");
	counter->level = info && info->kind == UPC_KIND_LEVEL;
	return counter->event && counter->given && counter->name && counter->description && counter->unit
		       ? 0
		       : UPC_ENOMEM;
}

static void begin_state(const struct counters *c, const struct counters_counter *counter,
			struct place_cell *cell)
{
	cell->on = !wants_hold(c, counter->halted, cell->hardware);
	cell->off = counter->halted ? SERVICE_HALTED : SERVICE_YIELDED;
	cell->held = !cell->on;
}

static int make_cells(struct counters *c, const struct counters_add *add, bool each, struct fresh *f)
{
	unsigned n = c->places[f->counter->scope];
	struct upc_event_info info, first = {0};
	char why[512];
	bool known = false;
	int error = 0;

	if (!n)
		return refuse_counters(c, UPC_EINVAL,
				       "%s: there is no control group; the configuration names them",
				       add->event);
	f->cell = calloc(n, sizeof(struct place_cell *));
	if (!f->cell)
		return refuse_counters(c, UPC_ENOMEM, "no memory");
	for (; f->cells < n; f->cells++) {
		struct place_cell *cell = calloc(1, sizeof(*cell));

		if (!cell)
			return refuse_counters(c, UPC_ENOMEM, "no memory");
		f->cell[f->cells] = cell;
		error = place_resolve(&c->options, &c->place[f->counter->scope][f->cells], add->event, cell,
				      &info, why);
		if (error && !each && !add->optional) {
			f->cells++;
			return refuse_counters(c, error, "%s", why);
		}
		if (error)
			place_set_state(cell, SERVICE_FAILED, why);
		else if (!known)
			first = info;
		known |= !error;
		f->counter->hardware |= cell->hardware;
		begin_state(c, f->counter, cell);
	}
	error = describe_counter_names(f->counter, add, known ? &first : NULL);
	return error ? refuse_counters(c, error, "no memory") : 0;
}

static int make_fresh(struct counters *c, const struct counters_add *add, bool each, struct fresh *f)
{
	int error;

	memset(f, 0, sizeof(*f));
	/* The event becomes the counter's name, even if the catalogue does not know it. */
	if (strlen(add->event) >= UPC_NAME_MAX || !upci_is_text(add->event))
		return refuse_counters(c, UPC_EINVAL, "the name of an event is text of at most %d bytes",
				       UPC_NAME_MAX - 1);
	f->counter = calloc(1, sizeof(*f->counter));
	if (!f->counter)
		return refuse_counters(c, UPC_ENOMEM, "no memory");
	f->counter->scope = (enum service_scope)(add->scope < 0 ? scope_of_event(c, add->event) : add->scope);
	f->counter->halted = add->halted;
	f->counter->optional = add->optional;
	error = make_cells(c, add, each, f);
	if (error)
		free_fresh(f);
	return error;
}

static int check_fresh_name(struct counters *c, const struct fresh *f, unsigned n,
			    const struct counters_counter *leaves)
{
	const char *name = f[n].counter->name;
	const struct counters_counter *there = counters_find(c, name);

	for (unsigned i = 0; i < n && (!there || there == leaves); i++)
		if (!strcmp(f[i].counter->name, name))
			there = f[i].counter;
	if (!there || there == leaves)
		return 0;
	return refuse_counters(c, UPC_EINVAL,
			       "%s: a counter is called so already (scope=%s); give this one a name with as=",
			       name, service_scope_name(there->scope));
}

/* ---- changes in all places --------------------------------------------------------- */

/* The changes in one place. */
struct step {
	struct place *place;
	struct place_cell **out, **in;
	unsigned outs, ins;
};

static int apply_steps(struct counters *c, const struct step *step, unsigned steps)
{
	int error = 0;
	unsigned i;

	for (i = 0; i < steps; i++) {
		error = place_change(&c->options, step[i].place, step[i].out, step[i].outs, step[i].in,
				     step[i].ins);
		if (!error)
			continue;
		refuse_counters(c, error, "%s%s%s", step[i].place->name, *step[i].place->name ? ": " : "",
				upc_last_message());
		break;
	}
	while (error && i--)
		if (place_change(&c->options, step[i].place, step[i].in, step[i].ins, step[i].out,
				 step[i].outs))
			place_open_each(&c->options, step[i].place, step[i].out, step[i].outs);
	return error;
}

static void free_steps(struct step *step, unsigned steps)
{
	for (unsigned i = 0; step && i < steps; i++) {
		free(step[i].out);
		free(step[i].in);
	}
	free(step);
}

/* Return the steps that remove counters and add fresh ones. Places that are offline have no step. */
static struct step *plan_steps(struct counters *c, struct counters_counter *const *out, unsigned outs,
			       const struct fresh *in, unsigned ins, unsigned *steps)
{
	unsigned most = 0, n = 0;
	struct step *step;

	for (int s = 0; s < SERVICE_SCOPES; s++)
		most += c->places[s];
	*steps = 0;
	step = calloc(most, sizeof(*step));
	for (int s = 0; step && s < SERVICE_SCOPES; s++)
		for (unsigned i = 0; i < c->places[s]; i++) {
			struct step *at = &step[n];

			at->place = &c->place[s][i];
			at->out = calloc(outs + 1, sizeof(struct place_cell *));
			at->in = calloc(ins + 1, sizeof(struct place_cell *));
			*steps = ++n;
			if (!at->out || !at->in) {
				free_steps(step, n);
				return NULL;
			}
			for (unsigned k = 0; k < outs && at->place->online; k++)
				if ((int)out[k]->scope == s && counters_cell(c, out[k], i)->open)
					at->out[at->outs++] = counters_cell(c, out[k], i);
			for (unsigned k = 0; k < ins && at->place->online; k++)
				if (!in[k].alone && (int)in[k].counter->scope == s && in[k].cell[i]->known)
					at->in[at->ins++] = in[k].cell[i];
			if (!at->outs && !at->ins) {
				free(at->out);
				free(at->in);
				*steps = --n;
			}
		}
	return step;
}

/* Append a fresh counter to c->counter, which has room. */
static void append_fresh(struct counters *c, struct fresh *f, const struct counters_add *add)
{
	f->counter->id = add->id ? add->id : c->next_id;
	f->counter->number = add->number ? add->number : c->next_number;
	if (f->counter->id >= c->next_id)
		c->next_id = f->counter->id + 1;
	if (f->counter->number >= c->next_number)
		c->next_number = f->counter->number + 1;
	for (unsigned i = 0; i < f->cells; i++) {
		struct place *p = &c->place[f->counter->scope][i];

		p->cell[p->cells++] = f->cell[i];
	}
	c->counter[c->counters++] = f->counter;
	free(f->cell);
	memset(f, 0, sizeof(*f));
}

static int reserve_counters(struct counters *c, unsigned more)
{
	struct counters_counter **grown;

	if (c->counters + more > COUNTERS_MAX)
		return refuse_counters(c, UPC_EINVAL, "more than %u counters", COUNTERS_MAX);
	grown = realloc(c->counter, (c->counters + more) * sizeof(*grown));
	if (!grown)
		return refuse_counters(c, UPC_ENOMEM, "no memory");
	c->counter = grown;
	for (int s = 0; s < SERVICE_SCOPES; s++)
		for (unsigned i = 0; i < c->places[s]; i++)
			if (place_reserve(&c->place[s][i], more))
				return refuse_counters(c, UPC_ENOMEM, "no memory");
	return 0;
}

/* Open a fresh counter that is alone, after the transaction. */
static void open_singly(struct counters *c, struct fresh *f)
{
	for (unsigned i = 0; i < f->cells; i++) {
		struct place *p = &c->place[f->counter->scope][i];

		if (p->online)
			place_open_each(&c->options, p, &f->cell[i], 1);
	}
}

static int commit_fresh(struct counters *c, struct counters_counter *const *out, unsigned outs,
			const struct fresh *f, unsigned n)
{
	unsigned steps;
	struct step *step = plan_steps(c, out, outs, f, n, &steps);
	int error = step ? apply_steps(c, step, steps) : refuse_counters(c, UPC_ENOMEM, "no memory");

	free_steps(step, step ? steps : 0);
	return error;
}

int counters_add(struct counters *c, const struct counters_add *add, unsigned n, bool each, unsigned *failed)
{
	struct fresh *f = calloc(n + 1, sizeof(*f));
	unsigned i;
	int error = f ? reserve_counters(c, n) : refuse_counters(c, UPC_ENOMEM, "no memory");

	*failed = n;
	for (i = 0; i < n && !error; i++) {
		*failed = i;
		error = make_fresh(c, &add[i], each, &f[i]);
		if (!error)
			error = check_fresh_name(c, f, i, NULL);
		f[i].alone = each || add[i].optional;
	}
	if (!error) {
		*failed = n;
		error = commit_fresh(c, NULL, 0, f, n);
	}
	for (i = 0; i < n && !error; i++) {
		if (f[i].alone)
			open_singly(c, &f[i]);
		append_fresh(c, &f[i], &add[i]);
	}
	for (i = 0; f && i < n; i++)
		free_fresh(&f[i]);
	free(f);
	c->generation += !error;
	return error;
}

/* ---- leaving -------------------------------------------------------------------- */

static void drop_counter(struct counters *c, struct counters_counter *counter)
{
	unsigned k = index_of_counter(c, counter), at = 0;

	for (unsigned i = 0; i < c->places[counter->scope]; i++) {
		struct place *p = &c->place[counter->scope][i];

		place_cell_free(p->cell[k]);
		memmove(p->cell + k, p->cell + k + 1, (--p->cells - k) * sizeof(struct place_cell *));
	}
	while (c->counter[at] != counter)
		at++;
	memmove(c->counter + at, c->counter + at + 1, (--c->counters - at) * sizeof(*c->counter));
	free_counter(counter);
}

int counters_remove(struct counters *c, struct counters_counter *const *counter, unsigned n)
{
	int error = commit_fresh(c, counter, n, NULL, 0);

	if (error)
		return error;
	for (unsigned i = 0; i < n; i++)
		drop_counter(c, counter[i]);
	c->generation++;
	return 0;
}

int counters_reassign(struct counters *c, struct counters_counter *counter, const char *event, const char *as)
{
	const struct counters_add add = {.event = event,
					 .as = as,
					 .scope = (int)counter->scope,
					 .halted = counter->halted,
					 .number = counter->number};
	unsigned k = index_of_counter(c, counter), at = 0;
	struct fresh f;
	int error = make_fresh(c, &add, false, &f);

	if (error)
		return error;
	error = check_fresh_name(c, &f, 0, counter);
	if (!error)
		error = commit_fresh(c, &counter, 1, &f, 1);
	if (error) {
		free_fresh(&f);
		return error;
	}
	for (unsigned i = 0; i < f.cells; i++) {
		struct place *p = &c->place[counter->scope][i];

		place_cell_free(p->cell[k]);
		p->cell[k] = f.cell[i];
	}
	while (c->counter[at] != counter)
		at++;
	f.counter->id = c->next_id++;
	f.counter->number = counter->number;
	c->counter[at] = f.counter;
	free_counter(counter);
	free(f.cell);
	c->generation++;
	return 0;
}

/* ---- halts ------------------------------------------------------------------------- */

/* Set the wanted state of each cell: first whether the unit halts it (held), then, after a read, whether its
 * counts are added to the sums (on). Counts up to the unit's halt are added, later ones are not. */
static void set_held(struct counters *c)
{
	for (unsigned i = 0; i < c->counters; i++)
		for (unsigned k = 0; k < c->places[c->counter[i]->scope]; k++) {
			struct place_cell *cell = counters_cell(c, c->counter[i], k);

			cell->held = wants_hold(c, c->counter[i]->halted, cell->hardware);
		}
}

static void set_on(struct counters *c)
{
	for (unsigned i = 0; i < c->counters; i++)
		for (unsigned k = 0; k < c->places[c->counter[i]->scope]; k++) {
			struct place_cell *cell = counters_cell(c, c->counter[i], k);

			cell->on = !cell->held;
			cell->off = c->counter[i]->halted ? SERVICE_HALTED : SERVICE_YIELDED;
			if (!cell->open || !cell->on)
				continue;
			cell->judged_ran = cell->running_ns;
			cell->judged_enabled = cell->enabled_ns;
		}
}

static int apply_held(struct counters *c)
{
	int error = 0, failed;

	set_held(c);
	for (int s = 0; s < SERVICE_SCOPES; s++)
		for (unsigned i = 0; i < c->places[s]; i++) {
			failed = place_apply_halts(&c->options, &c->place[s][i]);
			if (failed && !error)
				error = refuse_counters(c, failed, "%s%s%s", c->place[s][i].name,
							*c->place[s][i].name ? ": " : "", upc_last_message());
		}
	return error;
}

static int set_halted(struct counters *c, struct counters_counter *const *counter, const bool *halted,
		      unsigned n, bool halt)
{
	for (unsigned i = 0; i < n; i++)
		counter[i]->halted = halted ? halted[i] : halt;
	return apply_held(c);
}

/* Halt or continue in an order that loses no counts: read, halt and continue in the units, and read the
 * halted counters. */
static int change_halts(struct counters *c, struct counters_counter *const *counter, unsigned n, bool halt)
{
	bool *before = calloc(n + 1, sizeof(*before));
	int error;

	if (!before)
		return refuse_counters(c, UPC_ENOMEM, "no memory");
	for (unsigned i = 0; i < n; i++)
		before[i] = counter[i]->halted;
	counters_read(c);
	error = set_halted(c, counter, NULL, n, halt);
	if (error) {
		char why[COUNTERS_WHY];

		memcpy(why, c->why, sizeof(why));
		(void)set_halted(c, counter, before, n, halt);
		memcpy(c->why, why, sizeof(why));
	} else {
		if (halt)
			counters_read(c);
		set_on(c);
		c->generation++;
	}
	free(before);
	return error;
}

int counters_halt(struct counters *c, struct counters_counter *const *counter, unsigned n, bool halt)
{
	return change_halts(c, counter, n, halt);
}

void counters_set_aside(struct counters *c, bool aside, const char *why)
{
	snprintf(c->options.aside_why, sizeof(c->options.aside_why), "%s", why);
	c->generation++;
	if (aside == c->aside)
		return;
	c->aside = aside;
	counters_read(c);
	/* A counter that cannot be continued is taken by another user; the next judgement sets that state. */
	(void)apply_held(c);
	if (aside)
		counters_read(c);
	set_on(c);
}

bool counters_have_hardware(const struct counters *c)
{
	bool hardware = false;

	for (unsigned i = 0; i < c->counters; i++)
		hardware |= c->counter[i]->hardware;
	return hardware;
}

unsigned counters_rewrite(struct counters *c, struct counters_counter *const *counter, unsigned n,
			  unsigned *left)
{
	unsigned good = 0;

	*left = 0;
	counters_read(c);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < c->places[counter[i]->scope]; k++) {
			struct place *p = &c->place[counter[i]->scope][k];
			struct place_cell *cell = counters_cell(c, counter[i], k);
			bool bad = cell->state == SERVICE_FAILED || cell->state == SERVICE_TAKEN;
			struct upc_event_info info;
			char why[512];

			if (!p->online)
				continue;
			if (bad && cell->open)
				(void)place_change(&c->options, p, &cell, 1, NULL, 0);
			if (!cell->known &&
			    place_resolve(&c->options, p, counter[i]->given, cell, &info, why))
				place_set_state(cell, SERVICE_FAILED, why);
			if (cell->known && !cell->open)
				place_open_each(&c->options, p, &cell, 1);
			good += cell->open;
			*left += !cell->open;
		}
	c->generation++;
	return good;
}

/* ---- as time goes on ------------------------------------------------------------------ */

static bool refresh_cgroup(struct place *p)
{
	struct stat status;
	bool there = !stat(p->path, &status) && S_ISDIR(status.st_mode);
	bool changed = there != p->online || (there && status.st_ino != p->inode);

	if (changed)
		place_close(p);
	p->online = there;
	if (there)
		p->inode = status.st_ino;
	return changed;
}

bool counters_refresh(struct counters *c)
{
	bool cpus = topology_refresh(c->sys, &c->topology), changed = cpus;

	for (unsigned i = 0; i < c->places[SERVICE_CPU]; i++) {
		struct place *p = &c->place[SERVICE_CPU][i];

		if (p->online && !c->topology.cpu[i].online)
			place_close(p);
		p->online = c->topology.cpu[i].online;
		/* The NUMA node of a CPU that was offline at the start is known only now. */
		p->numa = c->topology.cpu[i].numa;
	}
	for (unsigned i = 0; i < c->places[SERVICE_CGROUP]; i++)
		changed |= refresh_cgroup(&c->place[SERVICE_CGROUP][i]);
	if (!changed)
		return false;
	for (int s = 0; s < SERVICE_SCOPES; s++)
		for (unsigned i = 0; i < c->places[s]; i++) {
			struct place *p = &c->place[s][i];

			/* Units of the other scopes cover the CPUs that were online when they were opened. */
			if (cpus && s != SERVICE_CPU)
				place_close(p);
			if (p->online && p->cells)
				place_open_each(&c->options, p, p->cell, p->cells);
		}
	c->generation++;
	return true;
}

static void open_taken(struct counters *c, struct place *p)
{
	for (unsigned i = 0; i < p->cells && p->online; i++) {
		struct place_cell *cell = p->cell[i];

		if (cell->known && !cell->open && cell->state == SERVICE_TAKEN)
			place_open_each(&c->options, p, &cell, 1);
	}
}

void counters_retry(struct counters *c, uint64_t now_ns)
{
	bool open = now_ns >= c->retry_ns;

	for (int s = 0; s < SERVICE_SCOPES; s++)
		for (unsigned i = 0; i < c->places[s]; i++) {
			(void)place_apply_halts(&c->options, &c->place[s][i]);
			if (open)
				open_taken(c, &c->place[s][i]);
		}
	if (open)
		c->retry_ns = now_ns + RETRY_NS;
}

void counters_play(struct counters *c)
{
	if (!c->options.replay)
		return;
	for (int s = 0; s < SERVICE_SCOPES; s++)
		for (unsigned i = 0; i < c->places[s]; i++)
			if (c->place[s][i].unit) {
				(void)upc_unit_play(c->place[s][i].unit);
				return;
			}
}

void counters_read(struct counters *c)
{
	for (int s = 0; s < SERVICE_SCOPES; s++)
		for (unsigned i = 0; i < c->places[s]; i++)
			place_read(&c->place[s][i]);
}

void counters_judge(struct counters *c, bool sample)
{
	for (int s = 0; s < SERVICE_SCOPES; s++)
		for (unsigned i = 0; i < c->places[s]; i++)
			place_judge(&c->options, &c->place[s][i], sample);
}
