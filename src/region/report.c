/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.c - writes JSON with write(2) from a private buffer: the program's streams may be closed by then.
 * The text does not depend on the program's locale.
 * Terms: region/region.h.
 */
#include "region/report.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region/settings.h"

/* Greatest depth of a path of which all names are written. */
enum { WHOLE_PATH = 64 };

static struct {
	char text[1 << 16];
	size_t used;
	int fd; /* -1: write to memory */
	char *memory;
	size_t kept;
	bool failed;
} out;

static void flush_to_memory(void)
{
	char *more = realloc(out.memory, out.kept + out.used + 1);

	out.failed |= !more;
	if (more) {
		memcpy(more + out.kept, out.text, out.used);
		out.memory = more;
		out.kept += out.used;
	}
	out.used = 0;
}

static void flush_report_buffer(void)
{
	size_t done = 0;
	ssize_t n;

	if (out.fd < 0) {
		flush_to_memory();
		return;
	}
	while (done < out.used && !out.failed) {
		n = write(out.fd, out.text + done, out.used - done);
		if (n < 0 && errno != EINTR)
			out.failed = true;
		done += n > 0 ? (size_t)n : 0;
	}
	out.used = 0;
}

static void put_bytes(const char *text, size_t length)
{
	size_t piece;

	for (; length; text += piece, length -= piece) {
		if (out.used == sizeof(out.text))
			flush_report_buffer();
		piece = sizeof(out.text) - out.used;
		piece = piece < length ? piece : length;
		memcpy(out.text + out.used, text, piece);
		out.used += piece;
	}
}

static __attribute__((format(printf, 1, 2))) void put(const char *format, ...)
{
	char piece[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(piece, sizeof(piece), format, arguments);
	va_end(arguments);
	put_bytes(piece, strlen(piece));
}

/* Return how many bytes of valid UTF-8 begin at p, or 0. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	static const struct {
		unsigned char mask, lead;
		unsigned length;
		uint32_t least;
	} form[] = {{0x80, 0, 1, 1}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
	size_t i, k;

	for (i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		uint32_t code = p[0] & (unsigned char)~form[i].mask;

		if ((p[0] & form[i].mask) != form[i].lead || form[i].length > left)
			continue;
		for (k = 1; k < form[i].length; k++) {
			if ((p[k] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (p[k] & 0x3f);
		}
		return code < form[i].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
			       ? 0
			       : form[i].length;
	}
	return 0;
}

/* Write a JSON string. A byte that is not UTF-8 becomes its Latin-1 character: names are bytes, and two
 * different names stay different. A NUL becomes U+FFFD, since most readers' strings cannot hold it. */
static void put_string(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n;

	put("\"");
	for (; length; p += n, length -= n) {
		n = utf8_length(p, length);
		if (*p == '\0')
			put("\\ufffd");
		else if (!n || *p < 0x20 || *p == 0x7f)
			put("\\u%04x", *p);
		else if (*p == '"' || *p == '\\')
			put("\\%c", *p);
		else
			put_bytes((const char *)p, n);
		n = n ? n : 1;
	}
	put("\"");
}

static void put_report_text(const char *text)
{
	put_string(text, strlen(text));
}

static void put_double(const char *name, double value)
{
	if (isfinite(value))
		put(",\"%s\":%.17g", name, value);
	else
		put(",\"%s\":null", name);
}

/* ---- the process ------------------------------------------------------------------------- */

static void put_command(void)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char text[65536];
	size_t used = 0, i, begin = 0;
	ssize_t n = 1;

	while (fd >= 0 && n > 0 && used < sizeof(text)) {
		n = read(fd, text + used, sizeof(text) - used);
		used += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	put("[");
	for (i = 0; i < used; i++)
		if (!text[i]) {
			put("%s", begin ? "," : "");
			put_string(text + begin, i - begin);
			begin = i + 1;
		}
	put("]");
}

static void put_number_or_null(const char *name, long value)
{
	if (value < 0)
		put(",\"%s\":null", name);
	else
		put(",\"%s\":%ld", name, value);
}

/* Begin a text in the C locale, whatever the program's locale is. Return the locale for end_text. */
static locale_t begin_text(int fd, locale_t *before)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	out.used = out.kept = 0;
	out.memory = NULL;
	out.failed = false;
	out.fd = fd;
	*before = c ? uselocale(c) : (locale_t)0;
	return c;
}

static void end_text(locale_t c, locale_t before)
{
	flush_report_buffer();
	if (c) {
		uselocale(before);
		freelocale(c);
	}
}

static void put_about(const struct upcr_about *about)
{
	char host[256] = "", when[64];
	struct tm tm;
	unsigned i;

	(void)gethostname(host, sizeof(host) - 1);
	gmtime_r(&about->started.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	put("{\"upc_regions\":1,\"command\":");
	put_command();
	put(",\"pid\":%d,\"parent\":%d", (int)getpid(), (int)getppid());
	put_number_or_null("rank", upcr_rank());
	put_number_or_null("ranks", upcr_ranks());
	put(",\"host\":");
	put_report_text(host);
	put(",\"started\":\"%s.%03ldZ\",\"clock\":", when, about->started.tv_nsec / 1000000);
	put_report_text(about->clock);
	put(",\"slice_ns\":%llu,\n\"events\":[", (unsigned long long)about->slice_ns);
	for (i = 0; i < about->events; i++) {
		put("%s{\"name\":", i ? "," : "");
		put_report_text(about->event(i));
		put("}");
	}
	put("]");
}

char *upcr_report_head(const struct upcr_about *about, size_t *length)
{
	locale_t before, c = begin_text(-1, &before);

	put_about(about);
	end_text(c, before);
	*length = out.kept;
	if (!out.failed)
		return out.memory;
	free(out.memory);
	return NULL;
}

/* ---- facts known at the end ------------------------------------------------------------------ */

static void put_names(const struct upcr_names *names)
{
	unsigned i, n = upcr_names_count(names);
	const char *text;
	size_t length;

	put(",\n\"names\":[");
	for (i = 0; i < n; i++) {
		text = upcr_names_text(names, i, &length);
		put("%s", i ? "," : "");
		put_string(text, length);
	}
	put("]");
}

const char *upcr_report_words(const struct upcr_said *said, const char *(*reason)(unsigned i), char *text,
			      size_t size)
{
	const char *why = NULL;

	if (said->what == UPCR_SAID_REFUSED)
		why = reason(said->name);
	else if (said->what == UPCR_SAID_NO_SET)
		why = reason(UINT32_MAX);
	snprintf(text, size, "%s%s%s", upcr_notes_word(said->what), why ? ": " : "", why ? why : "");
	return text;
}

static void put_report_note(const struct upcr_report *report, const struct upcr_said *said, bool *more)
{
	const char *event = said->what == UPCR_SAID_REFUSED ? report->event(said->name) : NULL;
	char words[1024];
	const char *text;
	size_t length;

	put("%s{\"what\":", *more ? "," : "");
	put_report_text(upcr_report_words(said, report->reason, words, sizeof(words)));
	put(",\"name\":");
	*more = true;
	if (event) {
		put_report_text(event);
	} else if (said->name == UPCR_OTHERS || said->what == UPCR_SAID_REFUSED) {
		put("null");
	} else {
		text = upcr_names_text(report->names, said->name, &length);
		put_string(text, length);
	}
	put(",\"times\":%llu}", (unsigned long long)said->times);
}

static void put_report_notes(const struct upcr_report *report)
{
	const struct upcr_notes *notes = report->notes;
	bool more = false;
	unsigned i;

	put(",\n\"notes\":[");
	for (i = 0; i < notes->n; i++)
		put_report_note(report, &notes->said[i], &more);
	for (i = 0; i < UPCR_SAID_KINDS; i++)
		if (notes->rest[i])
			put_report_note(
				report,
				&(struct upcr_said){.what = (enum upcr_what)i,
						    .name = i == UPCR_SAID_REFUSED ? UINT32_MAX : UPCR_OTHERS,
						    .times = notes->rest[i]},
				&more);
	put("]");
}

/* ---- threads ------------------------------------------------------------------------------- */

static void put_flags(unsigned flags)
{
	bool more = false;
	unsigned i;

	put(",\"flags\":[");
	for (i = 0; i < UPCR_FLAGS; i++)
		if (flags & 1u << i) {
			put("%s\"%s\"", more ? "," : "", upcr_flag_word(i));
			more = true;
		}
	put("]");
}

static void put_report_value(const struct upcr_value *value)
{
	if (value->uncounted && !value->estimated && !value->whole) {
		put("{\"uncounted\":true}");
		return;
	}
	if (upcr_is_exact(value)) {
		put("{\"value\":%llu,\"exact\":true}", (unsigned long long)value->whole);
		return;
	}
	put("{\"value\":%.17g", value->value);
	put_double("standard_error", value->error);
	put_double("freedom", value->freedom);
	put_double("low", value->low);
	put_double("high", value->high);
	put_double("coverage", value->coverage);
	/* A sum over threads is partial if a thread is uncounted. */
	put_flags(value->flags | (value->uncounted ? UPCR_PARTIAL : 0));
	put("}");
}

/* Write the path of a row. A deep path is written as the continuation of the path of another node in the list
 * ("under"): if all names were written, the total length of the paths of a recursion would grow with the
 * square of its depth. place: for each earlier row, its index in the list; 0: not in the list. False: out of
 * memory. */
static bool put_row_path(const struct upcr_result *result, unsigned row, const unsigned *place)
{
	const bool whole = result->row[row].depth <= WHOLE_PATH;
	unsigned at = row, n = 0, i, *path;

	for (i = row; i && (whole || i == row || !place[i]); i = result->row[i].parent)
		n++;
	path = calloc(n + 1, sizeof(*path));
	if (!path)
		return false;
	for (i = n; i-- > 0; at = result->row[at].parent)
		path[i] = result->row[at].name;
	if (at)
		put("{\"under\":%u,\"path\":[", place[at]);
	else
		put("{\"path\":[");
	for (i = 0; i < n; i++)
		put("%s%u", i ? "," : "", path[i]);
	free(path);
	return true;
}

static void put_result_row(const struct upcr_result *result, unsigned row, const unsigned *place)
{
	unsigned i;

	out.failed |= !put_row_path(result, row, place);
	put("],\"calls\":%llu,\"seconds\":%.9f,\"values\":[", (unsigned long long)result->row[row].calls,
	    (double)result->row[row].ns * 1e-9);
	for (i = 0; i < result->events; i++) {
		put("%s", i ? "," : "");
		put_report_value(&result->value[(size_t)row * result->events + i]);
	}
	put("]}");
}

/* True if the row is written. A row without calls and time is left out: its path exists only because a path
 * below it was made, or it is the root of a worker that was never outside of regions. The root is written if
 * the thread has no other path. */
static bool says_something(const struct upcr_result *result, unsigned row)
{
	return result->row[row].calls || result->row[row].ns || (row == UPCR_ROOT && result->rows <= 2);
}

static void put_thread(const struct upcr_result *result)
{
	unsigned *place = calloc(result->rows, sizeof(*place)), n = 0, i;

	if (!place) {
		out.failed = true;
		return;
	}
	if (result->threads > 1)
		put("{\"thread\":null,\"tid\":null,\"name\":\"other threads\",\"threads\":%u",
		    result->threads);
	else {
		put("{\"thread\":%u,\"tid\":%d,\"name\":", result->serial, (int)result->tid);
		put_report_text(result->name);
	}
	put(",\"seconds\":%.9f,\"nodes\":[", (double)result->ns * 1e-9);
	for (i = 0; i < result->rows; i++)
		if (says_something(result, i)) {
			put("%s", n ? ",\n  " : "\n  ");
			put_result_row(result, i, place);
			place[i] = n++;
		}
	put("]}");
	free(place);
}

static void put_whole_report(const struct upcr_report *report)
{
	const struct upcr_result *result;

	put_bytes(report->head, report->head_length);
	put(",\"seconds\":%.9f,\"ended\":", (double)report->ns * 1e-9);
	put_report_text(report->ended);
	put_names(report->names);
	put_report_notes(report);
	put(",\n\"threads\":[");
	for (result = report->results; result; result = result->next) {
		put("%s", result == report->results ? "\n " : ",\n ");
		put_thread(result);
	}
	put("]}\n");
}

/* Return the name of a file next to the process's: ".part" announces the file, and ".new" is the file while
 * it is written. NULL: out of memory. */
static char *name_beside(const char *path, pid_t pid, const char *end)
{
	char *name;

	return asprintf(&name, "%s.%d.%s", path, (int)pid, end) < 0 ? NULL : name;
}

static int open_part(const char *part)
{
	return open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
}

void upcr_report_begin(const char *path, const char *record)
{
	char *part = name_beside(path, getpid(), "part"), host[256] = "";
	int saved = errno, fd = part ? open_part(part) : -1;
	locale_t before, c;

	(void)gethostname(host, sizeof(host) - 1);
	if (fd >= 0 && record) {
		c = begin_text(fd, &before);
		put("{\"host\":");
		put_report_text(host);
		put(",\"record\":");
		put_report_text(record);
		put("}\n");
		end_text(c, before);
	}
	if (fd >= 0)
		close(fd);
	free(part);
	errno = saved;
}

void upcr_report_forget(const char *path, pid_t pid)
{
	char *part = name_beside(path, pid, "part");
	int saved = errno;

	if (part)
		unlink(part);
	free(part);
	errno = saved;
}

bool upcr_report_write(const struct upcr_report *report)
{
	char *whole = name_beside(report->path, report->pid, "new");
	int saved, fd = whole ? open_part(whole) : -1;
	locale_t before, c;
	bool done;

	if (fd < 0) {
		free(whole);
		return false;
	}
	c = begin_text(fd, &before);
	put_whole_report(report);
	end_text(c, before);
	done = !out.failed;
	if (close(fd) || (done && rename(whole, report->path)))
		done = false;
	if (done) {
		if (report->record)
			unlink(report->record);
		upcr_report_forget(report->path, report->pid);
	}
	saved = errno;
	if (!done)
		unlink(whole);
	free(whole);
	errno = saved;
	return done;
}
