/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recorded.c - the record's reader. The file may contain anything: each number in it is checked before it is
 * used as an index or offset, and an impossible block ends the reading.
 * Terms: region/region.h.
 */
#include "region/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "region/record.h"
#include "region/report.h"
#include "region/settings.h"

#define ROWS_BLOCKS 32 /* limit of a thread's blocks of rows, each as large as all earlier ones together */

/* The blocks of a thread. */
struct thread_parts {
	const struct upcr_record_thread *thread;
	const struct upcr_record_block *rows[ROWS_BLOCKS];
	unsigned blocks;
};

struct upcr_recorded_parts {
	char *file;
	size_t size, head_length;
	const struct upcr_record_head *about;
	char *head; /* the JSON file's head */
	char *event[UPCR_EVENTS_MAX], *reason[UPCR_EVENTS_MAX + 1];
	struct upcr_names names;
	struct upcr_notes notes;
	struct upcr_result *results, **last;
	uint64_t mark; /* time of the last mark, ns */
	bool failed;   /* out of memory */
};

/* The record whose report is being written. A global, since the report's callbacks take no argument for
 * it. */
static const struct upcr_recorded_parts *writing;

static const char *recorded_event(unsigned i)
{
	return i < UPCR_EVENTS_MAX ? writing->event[i] : NULL;
}

static const char *recorded_reason(unsigned i)
{
	return writing->reason[i < writing->about->events ? i : writing->about->events];
}

/* ---- the file ------------------------------------------------------------------------------ */

static bool recorded_load(struct upcr_recorded_parts *parts, const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;
	ssize_t n = 1;

	if (fd < 0)
		return false;
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size < UPCR_RECORD_PAGE ||
	    (size_t)about.st_size > UPCR_RECORD_MAX) {
		close(fd);
		errno = EINVAL;
		return false;
	}
	parts->file = malloc((size_t)about.st_size);
	while (parts->file && parts->size < (size_t)about.st_size && n > 0) {
		n = read(fd, parts->file + parts->size, (size_t)about.st_size - parts->size);
		parts->size += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	parts->about = (const struct upcr_record_head *)(const void *)parts->file;
	if (!parts->file || parts->size < UPCR_RECORD_PAGE ||
	    atomic_load(&parts->about->magic) != UPCR_RECORD_MAGIC ||
	    parts->about->events > UPCR_EVENTS_MAX) {
		errno = parts->file ? EINVAL : ENOMEM;
		return false;
	}
	return true;
}

/* Return the block at *at, and advance *at past it. NULL after the last block. */
static const struct upcr_record_block *recorded_next(const struct upcr_recorded_parts *parts, size_t *at)
{
	const struct upcr_record_block *block;
	size_t size;

	if (*at + UPCR_RECORD_PAGE > parts->size)
		return NULL;
	block = (const struct upcr_record_block *)(const void *)(parts->file + *at);
	size = block->pages * (size_t)UPCR_RECORD_PAGE;
	if (!atomic_load(&block->kind) || !size || size > parts->size - *at)
		return NULL;
	*at += size;
	return block;
}

/* ---- texts --------------------------------------------------------------------------------- */

static void recorded_keep(struct upcr_recorded_parts *parts, char **to, const char *text, size_t length)
{
	free(*to);
	*to = strndup(text, length);
	parts->failed |= !*to;
}

static void recorded_head(struct upcr_recorded_parts *parts, const char *text, size_t length)
{
	char *more = realloc(parts->head, parts->head_length + length);

	parts->failed |= !more;
	if (!more)
		return;
	memcpy(more + parts->head_length, text, length);
	parts->head = more;
	parts->head_length += length;
}

static void recorded_text(struct upcr_recorded_parts *parts, const struct upcr_record_entry *entry)
{
	if (entry->kind == UPCR_RECORD_HEAD)
		recorded_head(parts, entry->text, entry->length);
	else if (entry->kind == UPCR_RECORD_NAME)
		(void)upcr_names_number(&parts->names, entry->text, entry->length);
	else if (entry->kind == UPCR_RECORD_EVENT && entry->index < parts->about->events)
		recorded_keep(parts, &parts->event[entry->index], entry->text, entry->length);
	else if (entry->kind == UPCR_RECORD_REASON && entry->index <= parts->about->events)
		recorded_keep(parts, &parts->reason[entry->index], entry->text, entry->length);
}

static void recorded_texts(struct upcr_recorded_parts *parts, const struct upcr_record_block *block)
{
	const char *text = (const char *)(block + 1);
	const size_t room = block->pages * (size_t)UPCR_RECORD_PAGE - sizeof(*block);
	const struct upcr_record_entry *entry;
	size_t used = atomic_load(&block->used), at = 0, size;

	used = used < room ? used : room;
	while (used - at >= sizeof(*entry)) {
		entry = (const struct upcr_record_entry *)(const void *)(text + at);
		size = (sizeof(*entry) + (size_t)entry->length + 7) & ~(size_t)7;
		if (size > used - at)
			break;
		recorded_text(parts, entry);
		at += size;
	}
}

/* ---- threads ------------------------------------------------------------------------------- */

static const struct upcr_record_row *recorded_row(const struct upcr_recorded_parts *parts,
						  const struct thread_parts *thread, unsigned number)
{
	const size_t stride = upcr_record_stride(parts->about->events);
	unsigned i;

	for (i = 0; i < thread->blocks; i++) {
		const struct upcr_record_block *block = thread->rows[i];
		const size_t room = block->pages * (size_t)UPCR_RECORD_PAGE - sizeof(*block);

		if (number >= block->first && number - block->first < block->n &&
		    (number - block->first + (size_t)1) * stride <= room)
			return (const struct upcr_record_row *)(const void *)((const char *)(block + 1) +
									      (number - block->first) *
										      stride);
	}
	return NULL;
}

/* Return the slot that was written last; NULL if neither was written. */
static const struct upcr_record_slot *recorded_slot(const struct upcr_record_row *row, unsigned events)
{
	const struct upcr_record_slot *a = (const void *)(row + 1), *b;
	uint64_t of_a, of_b;

	b = (const void *)((const char *)a + upcr_record_slot_size(events));
	of_a = atomic_load(&a->generation);
	of_b = atomic_load(&b->generation);
	if (!of_a && !of_b)
		return NULL;
	return of_a > of_b ? a : b;
}

static void recorded_values(const struct upcr_recorded_parts *parts, const struct upcr_record_thread *thread,
			    const struct upcr_record_row *row, bool open, struct upcr_value *value)
{
	const unsigned events = parts->about->events, counts = atomic_load(&thread->marks.counts);
	const struct upcr_record_slot *slot = recorded_slot(row, events);
	const bool unused = !slot && !atomic_load(&row->calls) && !atomic_load(&row->ns);
	const unsigned lack = atomic_load(&row->lacks);
	unsigned i;

	for (i = 0; i < events; i++) {
		value[i] = slot && counts != UPCR_RECORD_UNCOUNTED && lack != UPCR_FOREIGN ? slot->value[i]
											   : upcr_uncounted();
		if (unused && counts != UPCR_RECORD_UNCOUNTED)
			value[i] = upcr_exact(0);
		else if (open || lack || (slot && slot->ns != atomic_load(&row->ns))) {
			value[i].flags |= UPCR_PARTIAL;
			value[i].high = INFINITY;
		}
	}
}

static unsigned recorded_rows(const struct upcr_recorded_parts *parts, const struct thread_parts *thread)
{
	unsigned rows = atomic_load(&thread->thread->marks.rows), i;
	const struct upcr_record_row *row;

	for (i = 0; i < rows; i++) {
		row = recorded_row(parts, thread, i);
		if (!row || (i && row->parent >= i))
			return i;
	}
	return rows;
}

/* Note the regions that are open at the end, which are those on the current path. */
static void recorded_open(struct upcr_recorded_parts *parts, const struct upcr_result *result,
			  unsigned current)
{
	for (; current && current < result->rows; current = result->row[current].parent)
		if (result->row[current].name == UPCR_OTHERS || result->row[current].name > UPCR_OWN_NAMES)
			upcr_notes_add(&parts->notes, UPCR_SAID_OPEN_AT_END, result->row[current].name, 1);
}

static void recorded_notes(struct upcr_recorded_parts *parts, const struct upcr_record_thread *thread)
{
	const uint64_t missed = atomic_load(&thread->marks.missed);
	const struct upcr_said *said;
	unsigned i;

	for (i = 0; i < thread->notes.n && i < UPCR_SAID_MAX; i++) {
		said = &thread->notes.said[i];
		if ((unsigned)said->what < UPCR_SAID_KINDS &&
		    (said->what == UPCR_SAID_REFUSED || said->name < upcr_names_count(&parts->names)))
			upcr_notes_add(&parts->notes, said->what, said->name, said->times);
	}
	for (i = 0; i < UPCR_SAID_KINDS; i++)
		parts->notes.rest[i] += thread->notes.rest[i];
	if (missed)
		upcr_notes_add(&parts->notes, UPCR_SAID_MISSED, UPCR_OTHERS, missed);
}

static void recorded_thread(struct upcr_recorded_parts *parts, const struct thread_parts *of)
{
	const struct upcr_record_thread *thread = of->thread;
	const unsigned rows = recorded_rows(parts, of), events = parts->about->events;
	const unsigned current = atomic_load(&thread->marks.current);
	const bool lives = !atomic_load(&thread->marks.ended);
	const uint64_t mark = atomic_load(&thread->marks.mark);
	struct upcr_result *result;
	unsigned i;

	if (!rows)
		return;
	result = upcr_result_create(rows, events);
	if (!result) {
		parts->failed = true;
		return;
	}
	result->serial = thread->block.serial;
	result->tid = thread->tid;
	memcpy(result->name, thread->name, sizeof(result->name));
	result->name[sizeof(result->name) - 1] = '\0';
	result->ns = mark > thread->begun ? mark - thread->begun : 0;
	for (i = 0; i < rows; i++) {
		const struct upcr_record_row *row = recorded_row(parts, of, i);

		result->row[i] = (struct upcr_row){
			.parent = i ? row->parent : 0,
			.name = row->name < upcr_names_count(&parts->names) ? row->name : UPCR_OTHERS,
			.depth = i ? result->row[row->parent].depth + 1 : 0,
			.calls = atomic_load(&row->calls),
			.ns = atomic_load(&row->ns)};
		if (events)
			recorded_values(parts, thread, row, lives && i == current,
					&result->value[(size_t)i * events]);
	}
	recorded_notes(parts, thread);
	if (thread->born && !(atomic_load(&thread->home) & 1))
		upcr_notes_add(&parts->notes, UPCR_SAID_WITHOUT, UPCR_OTHERS, 1);
	upcr_result_settle(result, thread->born, atomic_load(&thread->home));
	recorded_open(parts, result, current);
	parts->mark = mark > parts->mark ? mark : parts->mark;
	*parts->last = result;
	parts->last = &result->next;
}

/* ---- the record ---------------------------------------------------------------------------- */

/* For each thread, search the blocks after its own for its rows: rows follow their thread's block, and
 * threads are few. */
static void recorded_threads(struct upcr_recorded_parts *parts)
{
	size_t at = UPCR_RECORD_PAGE, behind;
	const struct upcr_record_block *block, *rows;

	while ((block = recorded_next(parts, &at))) {
		struct thread_parts thread = {.thread = (const void *)block};

		if (atomic_load(&block->kind) != UPCR_RECORD_THREAD ||
		    block->pages * (size_t)UPCR_RECORD_PAGE < sizeof(*thread.thread))
			continue;
		for (behind = at; thread.blocks < ROWS_BLOCKS && (rows = recorded_next(parts, &behind));)
			if (atomic_load(&rows->kind) == UPCR_RECORD_ROWS && rows->serial == block->serial)
				thread.rows[thread.blocks++] = rows;
		recorded_thread(parts, &thread);
	}
}

bool upcr_recorded_open(struct upcr_recorded *recorded, const char *path)
{
	struct upcr_recorded_parts *parts = calloc(1, sizeof(*parts));
	const struct upcr_record_block *block;
	size_t at = UPCR_RECORD_PAGE;
	int saved;

	*recorded = (struct upcr_recorded){.parts = parts};
	/* As many names as fit into the largest record. */
	if (!parts ||
	    upcr_names_init(&parts->names, UPCR_RECORD_MAX / sizeof(struct upcr_record_entry) / 4)) {
		free(parts);
		recorded->parts = NULL;
		errno = ENOMEM;
		return false;
	}
	parts->last = &parts->results;
	if (!recorded_load(parts, path)) {
		saved = errno;
		upcr_recorded_free(recorded);
		errno = saved;
		return false;
	}
	recorded->pid = parts->about->pid;
	recorded->child = parts->about->child;
	recorded->over = atomic_load(&parts->about->state) != UPCR_RECORD_LIVES;
	recorded->alive = parts->about->start && upcr_record_start(recorded->pid) == parts->about->start;
	while ((block = recorded_next(parts, &at)))
		if (atomic_load(&block->kind) == UPCR_RECORD_TEXTS)
			recorded_texts(parts, block);
	recorded_threads(parts);
	if (atomic_load(&parts->about->lacking))
		upcr_notes_add(&parts->notes, UPCR_SAID_NO_ROOM, UPCR_OTHERS, 1);
	if (!parts->failed)
		return true;
	upcr_recorded_free(recorded);
	errno = ENOMEM;
	return false;
}

void upcr_recorded_free(struct upcr_recorded *recorded)
{
	struct upcr_recorded_parts *parts = recorded->parts;
	struct upcr_result *result, *next;
	unsigned i;

	if (!parts)
		return;
	for (result = parts->results; result; result = next) {
		next = result->next;
		upcr_result_free(result);
	}
	for (i = 0; i < UPCR_EVENTS_MAX; i++)
		free(parts->event[i]);
	for (i = 0; i <= UPCR_EVENTS_MAX; i++)
		free(parts->reason[i]);
	upcr_names_free(&parts->names);
	free(parts->head);
	free(parts->file);
	free(parts);
	recorded->parts = NULL;
}

bool upcr_recorded_write(const struct upcr_recorded *recorded, const char *record, const char *path,
			 const char *ended)
{
	const struct upcr_recorded_parts *parts = recorded->parts;
	const struct upcr_report report = {
		.path = path,
		.record = record,
		.pid = recorded->pid,
		.head = parts->head,
		.head_length = parts->head_length,
		.ended = ended,
		.ns = parts->mark > parts->about->begun ? parts->mark - parts->about->begun : 0,
		.names = &parts->names,
		.notes = &parts->notes,
		.event = recorded_event,
		.reason = recorded_reason,
		.results = parts->results,
	};

	writing = parts;
	return upcr_report_write(&report);
}
