/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics_file.c - reads files of metrics.
 *
 * Terms: metrics/metrics.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "catalogue/catalogue.h"
#include "catalogue/formula.h"
#include "catalogue/nearest.h"
#include "metrics/metrics_set.h"
#include "wiring/wiring.h"
#include "wiring/wiring_statement.h"
#include "wiring/wiring_words.h"
#include "lib/list.h"

#define STATEMENTS_MAX 4096u

struct file {
	struct metrics *m;
	struct upci_lex lex;
	char *pool; /* position for the next string */
	struct upci_statement *statement;
	size_t count, current;
};

/* ---- names ----------------------------------------------------------------------------------- */

static struct upci_statement *find_statement(const struct file *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (!strcmp(f->statement[i].event.name, name))
			return &f->statement[i];
	return NULL;
}

static int64_t time_or_calls(const char *name)
{
	return !strcmp(name, "time") ? METRICS_TIME : !strcmp(name, "calls") ? METRICS_CALLS : -1;
}

/* Return the code of the event's term. A new event is added. */
static int64_t event_term(struct file *f, const char *event)
{
	struct metrics *m = f->m;
	const char *name;
	unsigned i;

	for (i = 0; i < m->events; i++)
		if (!strcmp(m->event[i], event))
			return METRICS_EVENTS + i;
	if (!util_grow(&m->event, m->events, sizeof(*m->event)))
		return UPC_ENOMEM;
	name = upci_catalogue_printf(m->memory, "%s", event);
	if (!name)
		return UPC_ENOMEM;
	m->event[m->events] = name;
	return METRICS_EVENTS + m->events++;
}

/* True for names that PAPI defines: presets, and names with a component or a PMU. */
static bool is_papi_name(const char *name)
{
	return !strncmp(name, "PAPI_", 5) || strstr(name, "::");
}

static int64_t fail_unknown_metric(const struct file *f, const char *name, char *message, size_t size)
{
	struct upci_nearest nearest = {.max = 1};
	size_t i;

	upci_nearest_offer(&nearest, name, "time");
	upci_nearest_offer(&nearest, name, "calls");
	for (i = 0; i < f->count; i++)
		upci_nearest_offer(&nearest, name, f->statement[i].event.name);
	if (nearest.count)
		snprintf(message, size,
			 "expected a name of this file, an event of PAPI, 'time' or 'calls', found '%.80s'; "
			 "did you mean %.80s?",
			 name, nearest.name[0]);
	else
		snprintf(message, size,
			 "expected a name of this file, an event of PAPI (PAPI_... or with '::' in it), "
			 "'time' or 'calls', found '%.80s'",
			 name);
	return UPC_EWIRING;
}

static int64_t find_metrics_name(void *arg, const char *name, const struct upci_formula **formula,
				 char *message, size_t size)
{
	struct file *f = arg;
	const struct upci_statement *s = find_statement(f, name);
	int64_t code = time_or_calls(name);

	if (code >= 0)
		return code;
	if (!s && !is_papi_name(name))
		return fail_unknown_metric(f, name, message, size);
	if (s && s->verb == UPCI_VERB_DERIVED) {
		*formula = s->event.formula;
		if (s < f->statement + f->current)
			return 0;
		snprintf(message, size,
			 "expected an event, or a derived name from a line above, found '%.100s' of line %u",
			 name, s->name_at.line);
		return UPC_EWIRING;
	}
	code = event_term(f, s ? s->event.driver.perf : name);
	if (code < 0)
		snprintf(message, size, "no memory for the event '%.100s'", name);
	return code;
}

/* ---- statements ------------------------------------------------------------------------------- */

static int check_statement(struct file *f, const struct upci_statement *s)
{
	const struct upci_statement *other = find_statement(f, s->event.name);
	const struct upci_driver *driver = &s->event.driver;

	if (other)
		return upci_lex_fail_at(&f->lex, s->name_at,
					"expected each name once in a file, found '%.100s' as on line %u",
					s->event.name, other->name_at.line);
	if (time_or_calls(s->event.name) >= 0)
		return upci_lex_fail_at(&f->lex, s->name_at,
					"expected a name of your own, found '%s', which each region has",
					s->event.name);
	if (s->verb == UPCI_VERB_DERIVED)
		return 0;
	if (driver->source != UPC_SOURCE_PERF)
		return upci_lex_fail_at(&f->lex, s->source_at,
					"expected 'perf' and the name that PAPI has for the event, found "
					"another source");
	if (driver->mul != 1 || driver->div != 1)
		return upci_lex_fail_at(&f->lex, s->source_at,
					"expected an event as it is counted, found one with a factor: that "
					"is for formulas");
	return 0;
}

static int add_metrics_statement(void *arg)
{
	struct file *f = arg;
	struct upci_statement *s;
	int error;

	if (!upci_lex_is(&f->lex, "event") && !upci_lex_is(&f->lex, "derived"))
		return upci_lex_fail_expected(&f->lex, "'event' or 'derived'");
	if (f->count == STATEMENTS_MAX)
		return upci_lex_fail_at(&f->lex, upci_lex_place(&f->lex),
					"expected at most %u statements, found another", STATEMENTS_MAX);
	if (!util_grow(&f->statement, f->count, sizeof(*f->statement)))
		return UPC_ENOMEM;
	s = &f->statement[f->count];
	error = upci_statement_parse(&f->lex, &f->pool, s);
	if (!error)
		error = check_statement(f, s);
	if (error)
		return error;
	f->count++;
	f->m->count += s->verb == UPCI_VERB_DERIVED;
	return 0;
}

static int parse_metrics_formulas(struct file *f)
{
	const struct upci_names names = {.find = find_metrics_name, .arg = f};
	struct metrics *m = f->m;
	struct upci_formula_error wrong;
	unsigned n = 0;

	m->derived = calloc(m->count + 1, sizeof(*m->derived));
	if (!m->derived)
		return UPC_ENOMEM;
	for (f->current = 0; f->current < f->count; f->current++) {
		struct upci_statement *s = &f->statement[f->current];
		int error;

		if (s->verb != UPCI_VERB_DERIVED)
			continue;
		error = upci_formula_parse_names(m->memory, &names, s->formula, &s->event.formula, &wrong);
		if (error == UPC_EWIRING)
			return upci_lex_fail_at(&f->lex, upci_lex_inside(s->source_at, wrong.column - 1),
						"%s", wrong.message);
		if (error)
			return error;
		m->derived[n++] = (struct metrics_derived){
			.shown = {.name = s->event.name,
				  .unit = s->event.unit,
				  .description = s->event.description,
				  .formula = s->formula},
			.formula = s->event.formula,
		};
	}
	return 0;
}

/* ---- files -------------------------------------------------------------------------------------- */

static const char *name_of_set(struct metrics *m, const char *name)
{
	const char *base = strrchr(name, '/'), *dot;

	base = base ? base + 1 : name;
	dot = strrchr(base, '.');
	return upci_catalogue_printf(m->memory, "%.*s",
				     (int)(dot && dot != base ? (size_t)(dot - base) : strnlen(base, 4096)),
				     base);
}

/* Parse text, which ends with a 0 at text[length]. */
static int parse_metrics_text(struct file *f, const char *text, size_t length, const char *name)
{
	int error = upci_lex_begin(&f->lex, name, text, length);

	if (error)
		return error;
	f->pool = upci_catalogue_alloc(f->m->memory, length + 1);
	f->m->set = name_of_set(f->m, name);
	if (!f->pool || !f->m->set)
		return UPC_ENOMEM;
	error = upci_statements_parse(&f->lex, "upc-metrics", "'upc-metrics 1' on the first line",
				      "version 1, the one that is known here", add_metrics_statement, f);
	return error ? error : parse_metrics_formulas(f);
}

int metrics_parse(const char *text, size_t length, const char *name, struct metrics **metrics)
{
	struct file f = {.m = calloc(1, sizeof(*f.m))};
	char *copy = NULL;
	int error = UPC_ENOMEM;

	*metrics = NULL;
	if (length > UPCI_WIRING_BYTES_MAX) {
		free(f.m);
		return upci_fail(UPC_EWIRING, "%.200s:1:1: expected at most %u bytes, found %zu", name,
				 UPCI_WIRING_BYTES_MAX, length);
	}
	if (f.m)
		f.m->memory = upci_catalogue_create(NULL, NULL);
	if (f.m && f.m->memory)
		copy = malloc(length + 1);
	if (copy) {
		memcpy(copy, text, length);
		copy[length] = 0;
		error = parse_metrics_text(&f, copy, length, name);
	}
	free(copy);
	free(f.statement);
	if (!error)
		*metrics = f.m;
	else
		metrics_free(f.m);
	return error == UPC_ENOMEM ? upci_fail(UPC_ENOMEM, "%.200s: no memory for these metrics", name)
				   : error;
}

int metrics_load(const char *path, struct metrics **metrics)
{
	/* O_NONBLOCK: opening a FIFO must not block before it is refused. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), error = 0;
	size_t length = 0;
	char *text = NULL;
	struct stat st;

	*metrics = NULL;
	if (fd < 0)
		return upci_fail(errno == EACCES || errno == EPERM ? UPC_EPERM : UPC_EWIRING,
				 "%.200s: the file of metrics cannot be opened: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		error = upci_fail(UPC_EWIRING, "%.200s: expected a regular file", path);
	else
		error = upci_wiring_read(fd, path, &text, &length);
	close(fd);
	if (!error)
		error = metrics_parse(text, length, path, metrics);
	free(text);
	return error;
}

void metrics_free(struct metrics *metrics)
{
	if (!metrics)
		return;
	if (metrics->memory)
		upci_catalogue_free(metrics->memory);
	free(metrics->derived);
	free(metrics->event);
	free(metrics);
}

const char *metrics_set(const struct metrics *metrics)
{
	return metrics->set;
}

unsigned metrics_count(const struct metrics *metrics)
{
	return metrics->count;
}

const struct metric *metrics_at(const struct metrics *metrics, unsigned metric)
{
	return &metrics->derived[metric].shown;
}

unsigned metrics_events(const struct metrics *metrics)
{
	return metrics->events;
}

const char *metrics_event(const struct metrics *metrics, unsigned event)
{
	return metrics->event[event];
}

bool metrics_adds_up(const struct metrics *metrics, unsigned metric)
{
	return metrics->derived[metric].formula->divisor != 0;
}

bool metrics_needs(const struct metrics *metrics, unsigned metric, unsigned event)
{
	const struct upci_formula *formula = metrics->derived[metric].formula;
	unsigned i;

	for (i = 0; i < formula->terms; i++)
		if (formula->term[i].code == METRICS_EVENTS + event)
			return true;
	return false;
}
