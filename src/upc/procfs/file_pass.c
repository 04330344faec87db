/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file_pass.c - reads a file in one pass for all wanted fields.
 *
 * The first pass finds each line by its key and remembers the line's number. Later passes go straight to that
 * number, compare the key, and split only wanted lines. A line that has moved is searched again by its key.
 * If a key occurs in several lines (/proc/net/snmp has a line of names and then a line of values), its
 * occurrences are counted from the top in every pass, because such a line could move to the place of another
 * line with the same key.
 *
 * The kernel generates these texts while they are read, which is most of the cost of a pass. Reading
 * therefore stops when all wanted lines are found, before the end of the file.
 *
 * Terms: procfs/files.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/source.h"
#include "procfs/file_pass.h"
#include "procfs/files.h"
#include "procfs/roots.h"

#define CAPACITY_FIRST (16u << 10)
#define CAPACITY_LARGEST (64u << 20) /* a larger text is not a table of counters */
#define PIECE_LEAST 4096u

bool upci_wanted_open(struct upci_wanted_file *file, pid_t pid, pid_t tid)
{
	if (file->fd < 0)
		file->fd = upci_root_open(file->root, pid, tid, file->path);
	return file->fd >= 0;
}

/*
 * Enlarge the buffer. Uses system calls only, because a signal handler may read while malloc is interrupted.
 */
static bool text_grow(struct upci_text *text)
{
	size_t capacity = text->capacity ? 2 * text->capacity : CAPACITY_FIRST;
	void *moved;

	if (capacity > CAPACITY_LARGEST) {
		errno = EFBIG;
		return false;
	}
	moved = text->text ? mremap(text->text, text->capacity, capacity, MREMAP_MAYMOVE)
			   : mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (moved == MAP_FAILED)
		return false;
	text->text = moved;
	text->capacity = capacity;
	return true;
}

/*
 * Read the next piece of a file. A short piece does not mean the end of the file: the kernel stops between
 * records, often after 4 KiB.
 */
static bool text_more(struct upci_text *text, int fd)
{
	ssize_t n;

	if (text->capacity - text->length <= PIECE_LEAST && !text_grow(text))
		return false;
	do
		n = pread(fd, text->text + text->length, text->capacity - text->length - 1,
			  (off_t)text->length);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return false;
	text->length += (size_t)n;
	text->complete = n == 0;
	text->text[text->length] = '\0';
	return true;
}

void upci_text_free(struct upci_text *text)
{
	if (text->text)
		munmap(text->text, text->capacity);
	*text = (struct upci_text){0};
}

bool upci_text_read_all(struct upci_text *text, int fd)
{
	text->length = 0;
	text->complete = false;
	while (!text->complete)
		if (!text_more(text, fd))
			return false;
	return true;
}

char *upci_file_slurp(enum upci_root root, const char *path, size_t *length)
{
	int fd = upci_root_open(root, getpid(), gettid(), path);
	struct upci_text text = {0};
	char *copy = NULL;
	int error;

	if (fd < 0)
		return NULL;
	if (upci_text_read_all(&text, fd))
		copy = malloc(text.length + 1);
	error = errno;
	close(fd);
	if (copy)
		memcpy(copy, text.text, text.length + 1);
	if (copy && length)
		*length = text.length;
	upci_text_free(&text);
	errno = error;
	return copy;
}

/* ---- finding the lines -------------------------------------------------- */

/* The state of a pass between two pieces of text. */
struct pass {
	struct upci_line_scan walk; /* position among lines whose number is known */
	unsigned next;              /* index of the line that the walk looks for */
	unsigned found;
	bool moved;
};

/* True if the line has a place where a pass looks first: its number is known, and it is the first line with
 * its key or is wanted by its number. */
static bool line_has_place(const struct upci_wanted_line *line)
{
	return line->number && (line->key.occurrence == 1 || !line->key.key);
}

static void found_line(struct pass *pass, struct upci_wanted_line *line)
{
	line->found = true;
	pass->found++;
	if (line->number != line->scan.number) {
		line->number = line->scan.number;
		pass->moved = true;
	}
}

/* Visit the known places of lines, as far as the text goes. A line that is not in its place loses its
 * number. */
static void walk_places(struct upci_wanted_file *file, const struct upci_text *text, struct pass *pass)
{
	struct upci_line_scan *walk = &pass->walk;

	for (; pass->next < file->lines; pass->next++) {
		struct upci_wanted_line *line = file->line[pass->next];

		if (!line_has_place(line))
			continue;
		while (walk->number < line->number &&
		       upci_line_next(text->text, text->length, text->complete, walk))
			;
		if (walk->number < line->number && !text->complete)
			return;
		if (walk->number == line->number &&
		    upci_line_matches(text->text + walk->start, text->text + walk->end, &line->key)) {
			line->scan = *walk;
			found_line(pass, line);
		} else {
			line->number = 0;
		}
	}
}

static void search_others(struct upci_wanted_file *file, const struct upci_text *text, struct pass *pass)
{
	for (unsigned i = 0; i < file->lines; i++) {
		struct upci_wanted_line *line = file->line[i];

		if (!line->found && !line_has_place(line) &&
		    upci_line_find(text->text, text->length, text->complete, &line->key, &line->scan))
			found_line(pass, line);
	}
}

/* Sort by insertion, since the lines are in order except for those that moved. The C library's sort may
 * allocate. */
static void sort_by_number(struct upci_wanted_file *file)
{
	for (unsigned i = 1; i < file->lines; i++) {
		struct upci_wanted_line *line = file->line[i];
		unsigned to = i;

		for (; to > 0 && file->line[to - 1]->number > line->number; to--)
			file->line[to] = file->line[to - 1];
		file->line[to] = line;
	}
}

/* ---- taking the values -------------------------------------------------- */

static unsigned line_values(const struct upci_wanted_line *line, const char *text, uint64_t *value,
			    uint8_t *state)
{
	const char *p = text + line->scan.start, *end = text + line->scan.end, *token;
	unsigned at = 0, losses = 0;

	for (unsigned i = 0; i < line->wants; i++) {
		const struct upci_want *want = &line->want[i];

		while (at < want->first && upci_token(&p, end, &token))
			at++;
		state[want->handle] = UPCI_SOURCE_EXACT;
		if (at == want->first && upci_line_value(p, end, want->last - want->first + 1, want->mul,
							 want->div, &value[want->handle]))
			continue;
		state[want->handle] = UPCI_SOURCE_LOST;
		losses++;
	}
	return losses;
}

static unsigned line_lost(const struct upci_wanted_line *line, uint8_t *state)
{
	for (unsigned i = 0; i < line->wants; i++)
		state[line->want[i].handle] = UPCI_SOURCE_LOST;
	return line->wants;
}

unsigned upci_wanted_pass(struct upci_wanted_file *file, struct upci_text *text, uint64_t *value,
			  uint8_t *state)
{
	struct pass pass = {0};
	unsigned losses = 0;

	for (unsigned i = 0; i < file->lines; i++) {
		file->line[i]->found = false;
		file->line[i]->scan = (struct upci_line_scan){0};
	}
	text->length = 0;
	text->complete = false;
	while (file->fd >= 0 && pass.found < file->lines && !text->complete && text_more(text, file->fd)) {
		walk_places(file, text, &pass);
		search_others(file, text, &pass);
	}
	for (unsigned i = 0; i < file->lines; i++)
		losses += file->line[i]->found ? line_values(file->line[i], text->text, value, state)
					       : line_lost(file->line[i], state);
	if (pass.moved)
		sort_by_number(file);
	return losses;
}
