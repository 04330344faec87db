/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_report.c - writes the counts of a process's event sets as a text table, a JSON object on one line, or
 * CSV.
 *
 * The report is written with write(2) from a private buffer: the program's streams may already be closed, and
 * the caller may be an _exit in a signal handler. A report that fits into the buffer is a single write, so
 * that processes that share a file do not mix their lines.
 *
 * Terms: shim/shim.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* program_invocation_name */
#endif
#include "shim/shim_report.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"
#include "process/thread.h"
#include "shim/shim.h"
#include "shim/shim_exec.h"

enum format { TEXT, JSON, CSV };

static bool wanted, by_place;

static enum format format;
static char path[4096]; /* empty: standard error */
static char timer[32] = "none", estimator[32] = "none";
static uint64_t slice_ns, signal_ns;
static unsigned long left_out;

/* ---- output ---------------------------------------------------------------------------- */

static struct {
	char text[1 << 18];
	size_t used;
	int fd;
	int error; /* errno of the first write that failed */
} out;

static void flush_report(void)
{
	size_t done = 0;
	ssize_t n;

	while (done < out.used) {
		n = write(out.fd, out.text + done, out.used - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			out.error = out.error ? out.error : errno;
			break;
		}
		done += (size_t)n;
	}
	out.used = 0;
}

static __attribute__((format(printf, 1, 2))) void put_report(const char *text, ...)
{
	char piece[1024];
	va_list arguments;
	size_t length;

	va_start(arguments, text);
	vsnprintf(piece, sizeof(piece), text, arguments);
	va_end(arguments);
	length = strlen(piece);
	if (out.used + length > sizeof(out.text))
		flush_report();
	memcpy(out.text + out.used, piece, length);
	out.used += length;
}

/* Write a string in quotes. JSON escapes control characters and non-ASCII bytes, CSV doubles quotes. */
static void put_quoted(const char *text)
{
	put_report("\"");
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '"')
			put_report(format == CSV ? "\"\"" : "\\\"");
		else if (c == '\\' && format == JSON)
			put_report("\\\\");
		else if (format == JSON && (c < 0x20 || c >= 0x7f))
			/* each byte is taken as a Latin-1 character, since program names may have any
			 * bytes */
			put_report("\\u%04x", c);
		else
			put_report("%c", c);
	}
	put_report("\"");
}

static const char *name_of_row(const struct shim_row *row, char code[16])
{
	if (row->name && row->name[0])
		return row->name;
	snprintf(code, 16, "0x%08x", (unsigned)row->code);
	return code;
}

static const char *name_of_place(const struct shim_place *place)
{
	return place->name ? place->name : "other places";
}

/* ---- numbers ----------------------------------------------------------------------------- */

struct numbers {
	struct mpxi_result all;
	long long value;
	double percent;
	bool known;
};

static struct numbers numbers_of(struct mpxi_result result)
{
	struct numbers n = {.all = result};
	const struct mpxi_estimate *e = &n.all.estimate;

	mpxi_thread_judge(NULL, &n.all);
	n.known = !e->never;
	n.value = e->value < 0x1p63 ? llrint(e->value) : INT64_MAX;
	/* A double is exact only up to 2^53, so take an exact count as an integer. */
	if (e->exact && n.all.count <= INT64_MAX)
		n.value = (long long)n.all.count;
	if (n.known && e->value > 0)
		n.percent = 100 * fmax(e->high - e->value, e->value - e->low) / e->value;
	return n;
}

/* ---- the cost of multiplexing -------------------------------------------------------------- */

/* Minimum number of timed handler runs. Fewer do not represent the others. */
#define TIMED_LEAST 10

/*
 * CPU time of multiplexing in ns. `all' is a lower bound of the time that the handlers and the delivery of
 * their signals took. The handlers' part holds with 97.5 % confidence, since only some of them were timed.
 * `all' excludes the timer's interrupts, which cost the most in a virtual machine.
 */
struct cost {
	bool known;
	uint64_t ticks;
	double all, cpu;
};

static struct cost cost_of_multiplexing(void)
{
	struct mpxi_tick_cost timed;
	struct timespec now = {0};
	struct cost cost = {0};
	double ns, error;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	cost.cpu = 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
	mpxi_timers_cost(&timed);
	cost.known = timed.timed >= TIMED_LEAST;
	if (!cost.known)
		return cost;
	ns = (double)timed.ns;
	error = 2 * sqrt(fmax((double)timed.squares - ns * ns / (double)timed.timed, 0));
	cost.ticks = timed.timed * MPXI_TICK_SAMPLE;
	cost.all = fmax(MPXI_TICK_SAMPLE * (ns - error), ns) + (double)cost.ticks * (double)signal_ns;
	return cost;
}

/* ---- text -------------------------------------------------------------------------------- */

static unsigned name_width;
static bool report_slowed; /* some event in the report has the flag `slowed' (stat/burden.h) */

static void widen_name_column(const struct shim_record *record, void *unused)
{
	char code[16];
	unsigned i;

	(void)unused;
	for (i = 0; i < record->rows; i++) {
		unsigned width = (unsigned)strlen(name_of_row(&record->row[i], code));

		name_width = width > name_width ? width : name_width;
	}
}

static const char *remark_on_numbers(const struct numbers *n)
{
	const struct mpxi_estimate *e = &n->all.estimate;

	if (!n->known)
		return n->all.lost ? "never counted, slices lost" : "never counted";
	if (n->all.lost)
		return e->rough ? "rough, slices lost" : "slices lost";
	if (e->exact)
		return "exact";
	if (n->all.borrowed)
		return e->rough ? "rough, without a turn in some runs" : "without a turn in some runs";
	if (e->rough)
		return "rough";
	if (n->all.slowed)
		return "slowed by counting";
	return e->uneven ? "uneven slices" : "";
}

static void put_text_row(const struct shim_row *row, struct mpxi_result result)
{
	struct numbers n = numbers_of(result);
	const struct mpxi_estimate *e = &n.all.estimate;
	char code[16], interval[64];

	put_report("%*s%-*s ", 24, "", (int)name_width, name_of_row(row, code));
	if (!n.known) {
		put_report("%16s %8s %32s %8.3f %8llu  %s\n", "-", "-", "-", e->coverage,
			   (unsigned long long)n.all.slices, remark_on_numbers(&n));
		return;
	}
	snprintf(interval, sizeof(interval), "[%.0f, %.0f]", e->low, e->high);
	put_report("%16lld %7.2f%% %32s %8.3f %8llu  %s\n", n.value, n.percent, interval, e->coverage,
		   (unsigned long long)n.all.slices, remark_on_numbers(&n));
	report_slowed |= n.all.slowed;
}

static void put_text_record(const struct shim_record *record, void *unused)
{
	char thread[16];
	unsigned i, k;

	(void)unused;
	if (!record->starts && !record->plain)
		return;
	snprintf(thread, sizeof(thread), record->thread ? "%d" : "several", (int)record->thread);
	put_report("%8s %5u %8llu", thread, record->serial, (unsigned long long)record->starts);
	if (record->sets > 1)
		put_report("  (%u sets)", record->sets);
	if (record->running)
		put_report("  (still running: as of its last read)");
	if (record->plain)
		put_report("  (counted by PAPI itself since)");
	put_report("\n");
	for (i = 0; i < record->rows; i++)
		put_text_row(&record->row[i], shim_row_result(&record->row[i]));
	for (k = 0; k < record->places.n; k++) {
		if (!record->places.place[k].starts)
			continue;
		put_report("%8s %5s %8llu  of them at %s\n", "", "",
			   (unsigned long long)record->places.place[k].starts,
			   name_of_place(&record->places.place[k]));
		for (i = 0; i < record->rows; i++)
			put_text_row(&record->row[i], shim_record_place_result(record, k, i));
	}
}

static void put_text_cost(void)
{
	struct cost cost = cost_of_multiplexing();

	if (!cost.known) {
		put_report(
			"mpx_run: what multiplexing took could not be told: there were fewer than %d ticks\n",
			TIMED_LEAST * MPXI_TICK_SAMPLE);
		return;
	}
	put_report(
		"mpx_run: multiplexing took at least %.3g s of %.4g s of CPU time, %.2g %%: the handlers of about %llu ticks, one "
		"in %d of which was timed, and their signals",
		cost.all / 1e9, cost.cpu / 1e9, 100 * cost.all / cost.cpu, (unsigned long long)cost.ticks,
		MPXI_TICK_SAMPLE);
	if (signal_ns)
		put_report(" of %.3g us each; interrupts are not in it\n", (double)signal_ns / 1e3);
	else
		put_report(", whose time is not in it and could not be measured\n");
}

static void write_text_report(bool wait)
{
	name_width = 5;
	shim_record_each(widen_name_column, NULL, wait);
	put_report("mpx_run: process %d, %s\n", (int)getpid(), program_invocation_name);
	put_report("mpx_run: slices of %g ms asked for, timer %s, estimator %s\n", (double)slice_ns / 1e6,
		   timer, estimator);
	put_report("%8s %5s %8s %-*s %16s %8s %32s %8s %8s\n", "thread", "set", "starts", (int)name_width,
		   "event", "value", "+-", "95 % interval", "coverage", "slices");
	report_slowed = false;
	shim_record_each(put_text_record, NULL, wait);
	if (report_slowed)
		put_report("mpx_run: counting itself has slowed the program; its rates are nearer with "
			   "--covariate=EVENT, longer slices or fewer events\n");
	if (left_out)
		put_report("mpx_run: %lu more event sets are left out\n", left_out);
	put_text_cost();
}

/* ---- JSON -------------------------------------------------------------------------------- */

static const char *boolean_word(bool value)
{
	return value ? "true" : "false";
}

static void put_real(const char *before, double value)
{
	if (isfinite(value))
		put_report("%s%.17g", before, value);
	else
		put_report("%s%s", before, format == CSV ? "" : "null");
}

static bool numbers_are_estimate(const struct numbers *n)
{
	return n->known && !n->all.estimate.exact;
}

/* Write a value in the form that all tools use (doc/reference/json.md). If nothing was counted, write
 * the string `nothing'. */
static void put_value(const struct numbers *n, const char *nothing)
{
	if (numbers_are_estimate(n))
		put_real("", n->all.estimate.value);
	else if (n->known)
		put_report("%lld", n->value);
	else
		put_report("%s", nothing);
}

static const char *exactness_of_numbers(const struct numbers *n)
{
	if (!n->known)
		return "uncounted";
	return numbers_are_estimate(n) ? "estimate" : n->all.lost ? "at least" : "exact";
}

/* Write the reasons why a value is not exact, with the string `between' between two reasons. */
static void put_reasons(const struct numbers *n, const char *between)
{
	const struct mpxi_estimate *e = &n->all.estimate;
	const struct {
		bool holds;
		const char *text;
	} reason[] = {{!n->known, "not counted"},
		      {n->known && e->rough, "rough: the interval is of few slices"},
		      {n->all.lost, "lost: slices were lost"},
		      {n->known && n->all.borrowed, "borrowed: the error is of other runs' slices"},
		      {e->uneven, "uneven: slices were unlike"},
		      {n->all.slowed, "slowed: counting slowed the program"}};
	const char *before = "";

	for (unsigned i = 0; i < sizeof(reason) / sizeof(*reason); i++)
		if (reason[i].holds) {
			put_report("%s%s", before, reason[i].text);
			before = between;
		}
	put_report("%s", *before ? "" : "turns: events took turns");
}

static void put_json_row(const struct shim_row *row, struct mpxi_result result)
{
	struct numbers n = numbers_of(result);
	const struct mpxi_estimate *e = &n.all.estimate;
	const char *exactness = exactness_of_numbers(&n);
	char code[16];

	put_report("{\"event\":");
	put_quoted(name_of_row(row, code));
	put_report(",\"value\":");
	put_value(&n, "null");
	put_report(",\"exactness\":\"%s\"", exactness);
	if (numbers_are_estimate(&n)) {
		put_real(",\"low\":", e->low);
		put_real(",\"high\":", e->high);
		put_real(",\"standard_error\":", e->standard_error);
		put_report(",\"freedom\":null,\"coverage\":%.6f", e->coverage);
	}
	if (strcmp(exactness, "exact")) {
		put_report(",\"reasons\":[\"");
		put_reasons(&n, "\",\"");
		put_report("\"]");
	}
	put_report(",\"count\":%llu,\"counted_time\":%llu,\"running_time\":%llu,\"slices\":%llu}",
		   (unsigned long long)n.all.count, (unsigned long long)n.all.size,
		   (unsigned long long)n.all.time, (unsigned long long)n.all.slices);
}

static void put_json_places(const struct shim_record *record)
{
	unsigned i, k;
	bool more = false;

	put_report(",\"places\":[");
	for (k = 0; k < record->places.n; k++) {
		if (!record->places.place[k].starts)
			continue;
		put_report("%s{\"place\":", more ? "," : "");
		more = true;
		put_quoted(name_of_place(&record->places.place[k]));
		put_report(",\"starts\":%llu,\"events\":[",
			   (unsigned long long)record->places.place[k].starts);
		for (i = 0; i < record->rows; i++) {
			put_report("%s", i ? "," : "");
			put_json_row(&record->row[i], shim_record_place_result(record, k, i));
		}
		put_report("]}");
	}
	put_report("]");
}

static void put_json_record(const struct shim_record *record, void *argument)
{
	bool *more = argument;
	unsigned i;

	if (!record->starts && !record->plain)
		return;
	put_report("%s{\"tid\":%d,\"set\":%u,\"sets\":%u,\"starts\":%llu,\"running\":%s,\"plain\":%s,"
		   "\"events\":[",
		   *more ? "," : "", (int)record->thread, record->serial, record->sets,
		   (unsigned long long)record->starts, boolean_word(record->running),
		   boolean_word(record->plain));
	*more = true;
	for (i = 0; i < record->rows; i++) {
		put_report("%s", i ? "," : "");
		put_json_row(&record->row[i], shim_row_result(&record->row[i]));
	}
	put_report("]");
	if (by_place)
		put_json_places(record);
	put_report("}");
}

static void write_json(bool wait)
{
	const struct cost cost = cost_of_multiplexing();
	bool more = false;

	put_report("{\"schema\":2,\"tool\":\"mpx_run\",\"version\":\"%s\",\"pid\":%d,\"program\":",
		   mpx_version(), (int)getpid());
	put_quoted(program_invocation_name);
	put_report(",\"slice_ns\":%llu,\"timer\":\"%s\",\"estimator\":\"%s\",\"sets\":[",
		   (unsigned long long)slice_ns, timer, estimator);
	shim_record_each(put_json_record, &more, wait);
	put_report("],\"left_out\":%lu", left_out);
	if (cost.known)
		put_report(",\"multiplexing_ns\":%.0f", cost.all);
	else
		put_report(",\"multiplexing_ns\":null");
	put_report(",\"cpu_ns\":%.0f,\"notes\":[]}\n", cost.cpu);
}

/* ---- CSV: mpx_run has written the header ----------------------------------------------- */

static struct cost csv_cost; /* repeated in each row */

/* Write a row. place NULL: the row covers all places. */
static void put_csv_row(const struct shim_record *record, const struct shim_row *row,
			struct mpxi_result result, const struct shim_place *place)
{
	struct numbers n = numbers_of(result);
	const struct mpxi_estimate *e = &n.all.estimate;
	const char *exactness = exactness_of_numbers(&n);
	char code[16];

	put_report("%s,%d,%d,%u,%llu,", place ? "place" : "set", (int)getpid(), (int)record->thread,
		   record->serial, (unsigned long long)(place ? place->starts : record->starts));
	if (place)
		put_quoted(name_of_place(place));
	put_report(",");
	put_quoted(name_of_row(row, code));
	put_report(",");
	put_value(&n, "");
	put_real(",", numbers_are_estimate(&n) ? e->low : NAN);
	put_real(",", numbers_are_estimate(&n) ? e->high : NAN);
	put_real(",", numbers_are_estimate(&n) ? e->standard_error : NAN);
	put_report(",%s,%.6f,%llu,%llu,%llu,%llu,%d,%u,%d,%llu,%s,%s,", exactness, e->coverage,
		   (unsigned long long)n.all.count, (unsigned long long)n.all.size,
		   (unsigned long long)n.all.time, (unsigned long long)n.all.slices, record->running,
		   record->sets, record->plain, (unsigned long long)slice_ns, timer, estimator);
	put_quoted(program_invocation_name);
	put_report(",%lu", left_out);
	put_real(",", csv_cost.known ? rint(csv_cost.all) : NAN);
	put_report(",%.0f,", csv_cost.cpu);
	if (strcmp(exactness, "exact"))
		put_reasons(&n, "; ");
	put_report("\n");
}

static void put_csv(const struct shim_record *record, void *unused)
{
	unsigned i, k;

	(void)unused;
	if (!record->starts && !record->plain)
		return;
	for (i = 0; i < record->rows; i++)
		put_csv_row(record, &record->row[i], shim_row_result(&record->row[i]), NULL);
	for (k = 0; k < record->places.n; k++)
		for (i = 0; i < record->rows && record->places.place[k].starts; i++)
			put_csv_row(record, &record->row[i], shim_record_place_result(record, k, i),
				    &record->places.place[k]);
}

/* ---- all --------------------------------------------------------------------------------- */

/* Open the report's file. "%p" in the path becomes the process ID. */
static int open_path(void)
{
	char full[sizeof(path) + 16];
	const char *mark = strstr(path, "%p");

	if (mark)
		snprintf(full, sizeof(full), "%.*s%d%s", (int)(mark - path), path, (int)getpid(), mark + 2);
	else
		snprintf(full, sizeof(full), "%s", path);
	return open(full, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

void shim_report_begin(void)
{
	const char *text = getenv(SHIM_REPORT), *colon;

	if (!text)
		return;
	colon = strchr(text, ':');
	if (!colon || strlen(colon + 1) >= sizeof(path))
		return;
	strcpy(path, colon + 1);
	format = !strncmp(text, "json:", 5) ? JSON : !strncmp(text, "csv:", 4) ? CSV : TEXT;
	wanted = true;
	by_place = getenv(SHIM_BY_PLACE) != NULL;
}

bool shim_wants_places(void)
{
	return by_place;
}

bool shim_wants_report(void)
{
	return wanted;
}

void shim_report_describe(void)
{
	static const char *const timers[] = {"none", "task-clock", "thread", "virtual"};
	static const char *const estimators[] = {"auto", "ratio", "interpolated", "covariate"};
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	struct mpxi_library *library;

	if (mpx_library_get_info(&info))
		return;
	slice_ns = info.slice_ns;
	library = wanted ? mpxi_library_lock() : NULL;
	if (library) {
		signal_ns = mpxi_timers_signal_ns(library->timers);
		mpxi_library_unlock();
	}
	if (info.estimator != MPX_ESTIMATOR_AUTO)
		shim_record_estimate_by((enum mpxi_estimator)(info.estimator - MPX_ESTIMATOR_RATIO));
	if ((unsigned)info.timer < 4)
		strcpy(timer, timers[info.timer]);
	if ((unsigned)info.estimator < 4)
		strcpy(estimator, estimators[info.estimator]);
}

void shim_report_write(bool wait)
{
	/* One thread may end the process with exit while another thread calls _exit. Only the first of
	 * them writes the report. */
	static atomic_flag busy = ATOMIC_FLAG_INIT;
	bool own = path[0] != '\0';
	locale_t before;

	if (atomic_flag_test_and_set(&busy))
		return;
	out.fd = own ? open_path() : STDERR_FILENO;
	if (out.fd < 0) {
		shim_say("cannot write the report to '%s': %s", path, upci_words_of_errno(errno));
		atomic_flag_clear(&busy);
		return;
	}
	out.error = 0;
	/* Use the C locale: the program's locale may have a decimal comma. */
	before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	left_out = shim_record_left_out(wait);
	switch (format) {
	case TEXT:
		write_text_report(wait);
		break;
	case JSON:
		write_json(wait);
		break;
	case CSV:
		csv_cost = cost_of_multiplexing();
		shim_record_each(put_csv, NULL, wait);
		break;
	}
	flush_report();
	uselocale(before);
	if (own && close(out.fd) && !out.error)
		out.error = errno;
	if (out.error)
		shim_say("cannot write the report to '%s': %s", own ? path : "standard error",
			 upci_words_of_errno(out.error));
	atomic_flag_clear(&busy);
}
