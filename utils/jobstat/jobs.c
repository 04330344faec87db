/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobs.c - reads lists of jobs: CSV, and the output of Slurm's sacct.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "jobstat/jobs.h"
#include "lib/list.h"

#define NS 1000000000LL

/* A larger file is not a list of jobs. */
#define FILE_MAX ((size_t)256 << 20)
#define ID_MAX 200

enum field { ID, START, END, NODES, FIELDS, IGNORED = FIELDS };

/* Column names in the headings of CSV and of sacct. */
static const char *const heading[FIELDS][2] = {
	{"id", "JobID"}, {"start", "Start"}, {"end", "End"}, {"nodes", "NodeList"}};

#define COLUMNS_MAX 256

struct reader {
	const char *name, *text;
	size_t length;
	char *message;
	unsigned line;
	const char *begin, *end; /* begin and end of the current line */
	bool slurm;
	enum field column[COLUMNS_MAX];
	unsigned columns;
};

struct part {
	const char *at;
	size_t n;
};

__attribute__((format(printf, 3, 4))) static int fail(const struct reader *r, const char *at,
						      const char *format, ...)
{
	char why[300];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	snprintf(r->message, 400, "%.80s:%u:%u: %s", r->name, r->line, (unsigned)(at - r->begin) + 1, why);
	return -1;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Read a number with a fixed count of digits, and the character next after it unless next is NUL. */
static bool take_time_digits(const char **at, int digits, char next, int *value)
{
	*value = 0;
	for (int i = 0; i < digits; i++, (*at)++) {
		if (**at < '0' || **at > '9')
			return false;
		*value = *value * 10 + (**at - '0');
	}
	if (next == '\0')
		return true;
	return *(*at)++ == next;
}

static bool take_zone(const char **at, long *offset)
{
	const int sign = **at == '-' ? -1 : 1;
	int hours, minutes = 0;

	*offset = 0;
	if (**at == 'Z') {
		(*at)++;
		return true;
	}
	(*at)++;
	if (!take_time_digits(at, 2, '\0', &hours))
		return false;
	if (**at == ':')
		(*at)++;
	if (!take_time_digits(at, 2, '\0', &minutes) || hours > 14 || minutes > 59)
		return false;
	*offset = sign * (hours * 3600L + minutes * 60L);
	return true;
}

/* Read the digits after a decimal point. Return nanoseconds. */
static int64_t take_fraction(const char **at)
{
	int64_t ns = 0, unit = NS / 10;

	if (**at != '.')
		return 0;
	for ((*at)++; **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
		ns += (**at - '0') * unit;
	return ns;
}

static int parse_date(const char *text, int64_t *ns)
{
	struct tm tm = {.tm_isdst = -1};
	const char *at = text;
	int year, month;
	int64_t fraction;
	long offset;
	time_t seconds;

	if (!take_time_digits(&at, 4, '-', &year) || !take_time_digits(&at, 2, '-', &month) ||
	    !take_time_digits(&at, 2, '\0', &tm.tm_mday))
		return -1;
	if (*at != 'T' && *at != ' ')
		return -1;
	at++;
	if (!take_time_digits(&at, 2, ':', &tm.tm_hour) || !take_time_digits(&at, 2, '\0', &tm.tm_min))
		return -1;
	if (*at == ':') {
		at++;
		if (!take_time_digits(&at, 2, '\0', &tm.tm_sec))
			return -1;
	}
	fraction = take_fraction(&at);
	if (year < 1970 || year > 2200 || month < 1 || month > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 24 || tm.tm_min > 59 || tm.tm_sec > 60)
		return -1;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	if (*at == 'Z' || *at == '+' || *at == '-') {
		if (!take_zone(&at, &offset))
			return -1;
		seconds = timegm(&tm) - offset;
	} else {
		seconds = mktime(&tm);
	}
	if (*at != '\0' || seconds < 0)
		return -1;
	*ns = seconds * NS + fraction;
	return 0;
}

int jobs_time(const char *text, size_t length, int64_t *ns)
{
	char copy[64];
	const char *at = copy;
	int64_t seconds = 0, fraction;

	if (length == 0 || length >= sizeof(copy) || memchr(text, '\0', length) != NULL)
		return -1;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (length > 4 && copy[4] == '-')
		return parse_date(copy, ns);
	while (*at >= '0' && *at <= '9') {
		if (at - copy == 10)
			return -1;
		seconds = seconds * 10 + (*at++ - '0');
	}
	if (at == copy || seconds > INT64_MAX / NS - 1)
		return -1;
	fraction = take_fraction(&at);
	if (*at != '\0')
		return -1;
	*ns = seconds * NS + fraction;
	return 0;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Read the next field of the line at *at, and advance *at to the field after it, or to NULL at the end of the
 * line. rest: the field extends to the end of the line. Doubled quotes inside a quoted field are not
 * supported, because node lists and times contain no quotes. Return 0, or -1 with a message. */
static int next_part(struct reader *r, const char **at, bool rest, struct part *part)
{
	const char separator = r->slurm ? '|' : ',';
	const char *begin = *at, *end;

	if (!r->slurm && begin < r->end && *begin == '"') {
		end = memchr(begin + 1, '"', (size_t)(r->end - begin - 1));
		if (end == NULL)
			return fail(r, begin, "expected a closing '\"' behind this one");
		*part = (struct part){begin + 1, (size_t)(end - begin - 1)};
		for (end++; end < r->end && isblank((unsigned char)*end); end++)
			;
		if (end < r->end && *end != separator)
			return fail(r, end, "expected ',' or the end of the line behind a quoted field");
	} else {
		end = rest ? NULL : memchr(begin, separator, (size_t)(r->end - begin));
		if (end == NULL)
			end = r->end;
		*part = (struct part){begin, (size_t)(end - begin)};
	}
	while (part->n > 0 && isblank((unsigned char)part->at[0]))
		part->at++, part->n--;
	while (part->n > 0 && isblank((unsigned char)part->at[part->n - 1]))
		part->n--;
	*at = end < r->end ? end + 1 : NULL;
	return 0;
}

static bool is_part_word(const struct part *part, const char *word)
{
	return part->n == strlen(word) && strncasecmp(part->at, word, part->n) == 0;
}

/* Find the column of each field. A CSV file without a heading has the columns id,start,end,nodes. */
static int read_heading(struct reader *r, bool *was)
{
	const char *at = r->begin;
	unsigned found[FIELDS] = {0};
	struct part part;

	*was = false;
	r->slurm = memchr(r->begin, '|', (size_t)(r->end - r->begin)) != NULL;
	for (r->columns = 0; at != NULL; r->columns++) {
		if (r->columns == COLUMNS_MAX)
			return fail(r, at, "expected at most %d fields", COLUMNS_MAX);
		if (next_part(r, &at, false, &part) != 0)
			return -1;
		r->column[r->columns] = IGNORED;
		for (enum field f = 0; f < FIELDS; f++)
			if (is_part_word(&part, heading[f][r->slurm]) && found[f]++ == 0)
				r->column[r->columns] = f;
	}
	*was = found[ID] || r->slurm;
	if (!*was) {
		for (enum field f = 0; f < FIELDS; f++)
			r->column[f] = f;
		r->columns = FIELDS;
		return 0;
	}
	for (enum field f = 0; f < FIELDS; f++)
		if (!found[f])
			return fail(r, r->begin, "expected a field '%s' in the heading",
				    heading[f][r->slurm]);
	return 0;
}

static int read_time(struct reader *r, const struct part *part, int64_t *ns)
{
	if (jobs_time(part->at, part->n, ns) == 0)
		return 0;
	return fail(r, part->at, "expected a time as 2026-11-23T12:00:00Z, or seconds since 1970%s",
		    part->n ? "" : ", found nothing");
}

static int read_job_id(struct reader *r, const struct part *part)
{
	if (part->n == 0 || part->n > ID_MAX)
		return fail(r, part->at, "expected the name of a job, of 1 to %d bytes", ID_MAX);
	for (size_t i = 0; i < part->n; i++)
		if ((unsigned char)part->at[i] < ' ' || part->at[i] == 0x7f)
			return fail(r, part->at + i, "expected the name of a job, without control bytes");
	return 0;
}

static void free_job(struct jobs_job *job)
{
	free(job->id);
	nodelist_free(&job->nodes);
}

static int fill_job(struct reader *r, const struct part part[FIELDS], struct jobs_job *job)
{
	const char *expected;
	size_t at;

	if (read_job_id(r, &part[ID]) != 0 || read_time(r, &part[START], &job->start_ns) != 0)
		return -1;
	job->end_ns = JOBS_RUNNING;
	if (!is_part_word(&part[END], "Unknown") && read_time(r, &part[END], &job->end_ns) != 0)
		return -1;
	if (job->end_ns <= job->start_ns)
		return fail(r, part[END].at, "expected an end behind the start");
	if (nodelist_parse(part[NODES].at, part[NODES].n, &job->nodes, &at, &expected) != 0)
		return fail(r, part[NODES].at + at, "expected %s", expected);
	job->id = strndup(part[ID].at, part[ID].n);
	return job->id != NULL ? 0 : fail(r, r->begin, "expected memory");
}

/* True for lines of sacct to skip: job steps, which belong to their job, and jobs without start or nodes,
 * which have not run. */
static bool left_out(const struct reader *r, const struct part part[FIELDS])
{
	return r->slurm && (memchr(part[ID].at, '.', part[ID].n) != NULL ||
			    is_part_word(&part[START], "Unknown") || is_part_word(&part[START], "None") ||
			    is_part_word(&part[NODES], "None assigned") || part[NODES].n == 0);
}

static int read_job(struct reader *r, struct jobs *jobs)
{
	struct part part[FIELDS + 1];
	struct jobs_job job = {0};
	const char *at = r->begin;
	unsigned i;

	for (i = 0; i < r->columns && at != NULL; i++)
		if (next_part(r, &at, !r->slurm && i + 1 == r->columns, &part[r->column[i]]) != 0)
			return -1;
	if (i < r->columns)
		return fail(r, r->end, "expected %u fields, found %u", r->columns, i);
	if (left_out(r, part))
		return 0;
	if (fill_job(r, part, &job) != 0) {
		free_job(&job);
		return -1;
	}
	if (!util_grow(&jobs->job, jobs->n, sizeof(job))) {
		free_job(&job);
		return fail(r, r->begin, "expected memory");
	}
	jobs->job[jobs->n++] = job;
	return 0;
}

int jobs_parse(const char *name, const char *text, size_t length, struct jobs *jobs, char message[400])
{
	struct reader r = {.name = name, .text = text, .length = length, .message = message};
	const char *at = text, *end = text + length;
	const unsigned had = jobs->n;
	bool is_heading, begun = false;
	int error = 0;

	while (error == 0 && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		r.line++;
		r.begin = at;
		r.end = newline != NULL ? newline : end;
		at = newline != NULL ? newline + 1 : end;
		if (r.end > r.begin && r.end[-1] == '\r')
			r.end--;
		if (r.end == r.begin || *r.begin == '#')
			continue;
		if (!begun) {
			begun = true;
			error = read_heading(&r, &is_heading);
			if (error != 0 || is_heading)
				continue;
		}
		error = read_job(&r, jobs);
	}
	while (error != 0 && jobs->n > had)
		free_job(&jobs->job[--jobs->n]);
	return error;
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *read_jobs_text(int fd, size_t *length)
{
	size_t room = 0;
	char *text = NULL, *more;
	ssize_t n;

	for (*length = 0;; *length += (size_t)n) {
		if (*length == room) {
			room = room ? room * 2 : 1 << 16;
			more = *length < FILE_MAX ? realloc(text, room) : NULL;
			if (more == NULL) {
				errno = *length < FILE_MAX ? ENOMEM : EFBIG;
				break;
			}
			text = more;
		}
		do
			n = read(fd, text + *length, room - *length);
		while (n < 0 && errno == EINTR);
		if (n == 0)
			return text;
		if (n < 0)
			break;
	}
	free(text);
	return NULL;
}

int jobs_read(const char *path, struct jobs *jobs, char message[400])
{
	const bool is_standard = strcmp(path, "-") == 0;
	const int fd = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t length = 0;
	int error;

	if (fd >= 0)
		text = read_jobs_text(fd, &length);
	error = errno;
	if (fd >= 0 && !is_standard)
		close(fd);
	if (text == NULL) {
		snprintf(message, 400, "cannot read '%.200s': %s", path, strerror(error));
		return -1;
	}
	error = jobs_parse(is_standard ? "standard input" : path, text, length, jobs, message);
	free(text);
	return error;
}

void jobs_free(struct jobs *jobs)
{
	for (unsigned i = 0; i < jobs->n; i++)
		free_job(&jobs->job[i]);
	free(jobs->job);
	*jobs = (struct jobs){0};
}
