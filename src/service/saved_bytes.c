/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * saved_bytes.c - encodes and decodes a state (saved.h). The decoder does not trust the bytes.
 * Terms: service/service.h.
 */
#include <stdlib.h>
#include <string.h>

#include "service/saved.h"

uint64_t saved_hash(const void *bytes, size_t length)
{
	const unsigned char *p = bytes;
	uint64_t hash = UINT64_C(0xcbf29ce484222325), word;

	/*
	 * Like FNV-1a: detects damage, not forgery. It takes eight bytes at a time, since each sample is
	 * hashed; the shift mixes the upper bits of each step into the lower ones.
	 */
	for (; length >= sizeof(word); p += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 32;
	}
	while (length--)
		hash = (hash ^ *p++) * UINT64_C(0x100000001b3);
	return hash;
}

/* ---- writing -------------------------------------------------------------------- */

/* With at NULL the length is only measured. */
struct writer {
	unsigned char *at;
	size_t length;
};

static void put_saved_bytes(struct writer *w, const void *from, size_t n)
{
	if (w->at)
		memcpy(w->at + w->length, from, n);
	w->length += n;
}

static void put_saved_number(struct writer *w, uint64_t n)
{
	put_saved_bytes(w, &n, sizeof(n));
}

static void put_saved_text(struct writer *w, const char *text)
{
	size_t n = strlen(text);

	put_saved_number(w, n);
	put_saved_bytes(w, text, n);
}

static void put_saved_cell(struct writer *w, const struct place *place, const struct place_cell *cell)
{
	put_saved_text(w, place->name);
	put_saved_number(w, cell->value);
	put_saved_number(w, cell->value_ns);
	put_saved_number(w, cell->running_ns);
	put_saved_number(w, cell->terms);
	for (unsigned i = 0; i < cell->terms; i++)
		put_saved_number(w, cell->term[i].sum);
}

static void encode_saved_state(struct writer *w, const struct counters *c, const struct saved_about *about,
			       const char *boot)
{
	unsigned index[SERVICE_SCOPES] = {0};

	put_saved_text(w, boot);
	put_saved_number(w, about->clean);
	put_saved_number(w, about->config);
	put_saved_number(w, about->source);
	put_saved_number(w, about->started_ns);
	put_saved_number(w, about->samples);
	put_saved_number(w, c->generation);
	put_saved_number(w, c->next_id);
	put_saved_number(w, c->next_number);
	put_saved_number(w, c->counters);
	for (unsigned i = 0; i < c->counters; i++) {
		const struct counters_counter *counter = c->counter[i];
		unsigned k = index[counter->scope]++;

		put_saved_number(w, counter->id);
		put_saved_number(w, counter->number);
		put_saved_number(w, counter->scope);
		put_saved_number(w, counter->halted);
		put_saved_number(w, counter->optional);
		put_saved_text(w, counter->name);
		put_saved_text(w, counter->given);
		put_saved_number(w, c->places[counter->scope]);
		for (unsigned p = 0; p < c->places[counter->scope]; p++)
			put_saved_cell(w, &c->place[counter->scope][p], c->place[counter->scope][p].cell[k]);
	}
}

void *saved_encode(const struct counters *c, const struct saved_about *about, const char *boot,
		   size_t *length)
{
	struct writer w = {NULL, 0};

	encode_saved_state(&w, c, about, boot);
	w.at = malloc(w.length);
	if (!w.at)
		return NULL;
	*length = w.length;
	w.length = 0;
	encode_saved_state(&w, c, about, boot);
	return w.at;
}

/* ---- reading --------------------------------------------------------------------- */

struct reader {
	const unsigned char *at;
	size_t left;
	bool good;
};

static uint64_t get_number(struct reader *r)
{
	uint64_t n = 0;

	r->good = r->good && r->left >= sizeof(n);
	if (!r->good)
		return 0;
	memcpy(&n, r->at, sizeof(n));
	r->at += sizeof(n);
	r->left -= sizeof(n);
	return n;
}

/* Read a number that is at most max. */
static unsigned get_small(struct reader *r, uint64_t max)
{
	uint64_t n = get_number(r);

	r->good = r->good && n <= max;
	return r->good ? (unsigned)n : 0;
}

static char *get_text(struct reader *r)
{
	size_t n = get_small(r, 4096);
	char *text;

	r->good = r->good && r->left >= n && !memchr(r->at, 0, n);
	text = r->good ? strndup((const char *)r->at, n) : NULL;
	r->good = text != NULL;
	if (text) {
		r->at += n;
		r->left -= n;
	}
	return text;
}

/* Allocate n elements, each of which takes at least `least` bytes in the file, so that no number can request
 * more memory than the file's length justifies. */
static void *get_array(struct reader *r, unsigned n, size_t size, size_t least)
{
	void *array;

	r->good = r->good && n <= r->left / least;
	array = r->good ? calloc(n + 1, size) : NULL;
	r->good = array != NULL;
	return array;
}

static void get_cell(struct reader *r, struct saved_cell *cell)
{
	unsigned terms;

	cell->place = get_text(r);
	cell->value = get_number(r);
	cell->value_ns = get_number(r);
	cell->running_ns = get_number(r);
	terms = get_small(r, UPC_COUNTERS);
	cell->sum = get_array(r, terms, sizeof(*cell->sum), sizeof(uint64_t));
	for (; r->good && cell->terms < terms; cell->terms++)
		cell->sum[cell->terms] = get_number(r);
}

static void get_counter(struct reader *r, struct saved_counter *counter)
{
	unsigned cells;

	counter->id = get_small(r, UINT32_MAX);
	counter->number = get_small(r, UINT32_MAX);
	counter->scope = get_small(r, SERVICE_SCOPES - 1);
	counter->halted = get_small(r, 1);
	counter->optional = get_small(r, 1);
	counter->name = get_text(r);
	counter->event = get_text(r);
	cells = get_small(r, TOPOLOGY_CPUS_MAX);
	counter->cell = get_array(r, cells, sizeof(*counter->cell), 5 * sizeof(uint64_t));
	for (; r->good && counter->cells < cells; counter->cells++)
		get_cell(r, &counter->cell[counter->cells]);
}

void saved_state_free(struct saved_state *s)
{
	for (unsigned i = 0; s && i <= s->counters && s->counter; i++) {
		struct saved_counter *counter = &s->counter[i];

		for (unsigned k = 0; counter->cell && k <= counter->cells; k++) {
			free(counter->cell[k].place);
			free(counter->cell[k].sum);
		}
		free(counter->cell);
		free(counter->name);
		free(counter->event);
	}
	if (s)
		free(s->counter);
	free(s);
}

struct saved_state *saved_decode(const void *bytes, size_t length, const char *boot)
{
	struct reader r = {bytes, length, true};
	struct saved_state *s = calloc(1, sizeof(*s));
	char *then = get_text(&r);
	unsigned counters;
	bool clean;

	if (!s) {
		free(then);
		return NULL;
	}
	clean = get_small(&r, 1);
	/* After a crash of the machine the file may be older than the published values. */
	s->same_boot = then && *boot && !strcmp(then, boot);
	s->whole = clean || s->same_boot;
	free(then);
	s->config = get_number(&r);
	s->source = get_number(&r);
	s->started_ns = get_number(&r);
	s->samples = get_number(&r);
	s->generation = get_number(&r);
	s->next_id = get_small(&r, UINT32_MAX);
	s->next_number = get_small(&r, UINT32_MAX);
	counters = get_small(&r, COUNTERS_MAX);
	s->counter = get_array(&r, counters, sizeof(*s->counter), 8 * sizeof(uint64_t));
	for (; r.good && s->counters < counters; s->counters++)
		get_counter(&r, &s->counter[s->counters]);
	if (r.good && !r.left && s->next_id && s->next_number)
		return s;
	saved_state_free(s);
	return NULL;
}
