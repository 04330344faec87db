/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_top.c - watches a unit that another process shares: its counts, their rates, and the thread that
 * changed its configuration (UPC, section 7).
 *
 * Terms: top/top_table.h.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/common.h"
#include "lib/options.h"
#include "top/top_data.h"
#include "top/top_screen.h"
#include "top/top_table.h"
#include "top/top_units.h"

#define NS 1000000000
#define INTERVAL_MIN (NS / 20)
#define INTERVAL_MAX (86400ull * NS)
#define REFRESHES_MAX 1000000000

#define TRIES 20            /* attempts to read a unit while its owner changes it */
#define TRY_NS 1000000      /* time between the attempts */
#define ALIVE_NS NS         /* maximum time between two checks that the owner is alive */
#define LOUD_NS (5ull * NS) /* time that a change stays highlighted, for users who look away */

struct options {
	const char *name;
	uint64_t interval; /* ns */
	long refreshes;    /* 0: no limit */
	enum top_sort sort;
	bool all, batch, list;
	struct util_format_choice format;
	bool has_user;
	uid_t user;
};

/* How the watched unit ended, or LIVES. */
enum end { LIVES, UNSHARED, LEFT_BEHIND, TORN };

struct session {
	const struct options *options;
	struct upc_monitor *monitor;
	struct top_screen screen;
	bool drawing;
	enum top_sort sort; /* sort and the members below: changed by keys */
	bool all;

	/* Rates are computed from before to shown. The snapshot shown is on the screen; fresh is being read.
	 */
	struct top_snapshot *before, *shown, *fresh;
	unsigned looks; /* number of valid snapshots among before and shown */
	struct upc_monitor_info info;

	/* The events of the configuration whose number is generation. */
	struct upc_monitor_event event[UPC_COUNTERS];
	uint64_t generation;
	bool has_events;

	bool changed; /* the configuration has changed since the last refresh */
	uint64_t changed_ns, generation_before;
	enum end end;
	char notice[400];
	char user[TOP_USER_MAX], command[512];
	long refresh; /* number of the refresh, from 1 */
	bool printed; /* JSON or CSV was already printed */
};

/* ---- options ----------------------------------------------------------- */

static const char *const sort_words[] = {
	[TOP_SORT_RATE] = "rate",
	[TOP_SORT_COUNT] = "count",
	[TOP_SORT_COUNTER] = "counter",
	[TOP_SORT_NAME] = "name",
	NULL,
};

/* Parse --interval. A number without a unit means seconds, as in earlier versions, when only a number was
 * accepted. */
static int take_interval(struct options *o, const char *text)
{
	if (util_parse_time(text, NS, &o->interval) != 0 || o->interval < INTERVAL_MIN ||
	    o->interval > INTERVAL_MAX)
		return util_wrong_value("--interval", "50ms to 24h", text);
	if (text[strspn(text, "0123456789.")] == '\0')
		util_advise("an interval has a unit: write -I %ss", text);
	return 0;
}

static int take_top_option(void *own, int option)
{
	struct options *o = own;
	int key;

	switch (option) {
	case UTIL_OPTION_INTERVAL:
		return take_interval(o, optarg);
	case UTIL_OPTION_COUNT:
		if (util_parse_number(optarg, 1, REFRESHES_MAX, &o->refreshes) != 0)
			return util_wrong_value("--count", "a number of refreshes", optarg);
		return 0;
	case UTIL_OPTION_SORT:
		key = util_option_word("--sort", sort_words, optarg);
		if (key < 0)
			return UTIL_FAILED;
		o->sort = (enum top_sort)key;
		return 0;
	case UTIL_OPTION_USER:
		o->has_user = true;
		if (top_units_find_user(optarg, &o->user) != 0)
			return util_wrong_value("--user", "a user's name or number", optarg);
		return 0;
	}
	return UTIL_FAILED;
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_TOP,
	.head = "usage: upc_top [OPTION]... NAME\n"
		"       upc_top --list [--user=USER] [--format=FORM]\n"
		"\n"
		"Watches the unit that a process shares under NAME: its counts and their rates,\n"
		"highest first. The process is not stopped, and does not notice. On a terminal\n"
		"the table is drawn anew each second until q or Ctrl-C; elsewhere one table\n"
		"follows the other. It ends when the unit does, with the last counts.\n",
	.tail = "JSON is one object a refresh, each on a line. The exit status is 0;\n"
		"125: upc_top failed.\n"
		"\n"
		"Examples:\n"
		"  upc_top --list\n"
		"  upc_top solver\n"
		"  upc_top -n 2 -I 10s -b solver\n"
		"  upc_top -f json -I 100ms -u alice solver > solver.json\n",
	.place = {UTIL_FLAG(ALL, struct options, all), UTIL_FLAG(BATCH, struct options, batch),
		  UTIL_FLAG(LIST, struct options, list)},
	.take = take_top_option,
};

static int parse_top_options(struct options *o, int argc, char **argv, int *status)
{
	*o = (struct options){.interval = NS, .user = geteuid()};
	if (util_options_read(&usage, argc, argv, o, &o->format, status) != 0)
		return -1;
	if (optind < argc)
		o->name = argv[optind];
	if (o->list && o->name != NULL)
		util_error("--list takes no NAME");
	else if (!o->list && o->name == NULL)
		util_error("which unit? Give its NAME; upc_top --list names those that there are");
	else if (argc - optind > 1)
		util_error("one NAME at a time, and '%s' is a second", argv[optind + 1]);
	else
		return 0;
	*status = UTIL_FAILED;
	return -1;
}

/* Return the library's message for the error of its last call. */
static const char *reason_of_error(int error)
{
	return upc_last_message()[0] != '\0' ? upc_last_message() : upc_strerror(error);
}

/* ---- looking ----------------------------------------------------------- */

/* Read the events of a generation. Return 0, UPC_ESTATE if the generation has changed meanwhile, or another
 * error of the library. */
static int read_events(struct session *s, uint64_t generation)
{
	s->has_events = false;
	for (int i = 0; i < UPC_COUNTERS; i++) {
		int error;

		s->event[i] = UPC_OPTIONS_INIT(upc_monitor_event);
		error = upc_monitor_counter(s->monitor, i, &s->event[i]);
		if (error != 0)
			return error;
		if (s->event[i].generation != generation)
			return UPC_ESTATE;
	}
	s->generation = generation;
	s->has_events = true;
	return 0;
}

/* Read counts, and events that match them. Return 0 or an error of the library. */
static int read_unit(struct session *s)
{
	int error = UPC_ESTATE;

	for (int i = 0; i < TRIES && error == UPC_ESTATE; i++) {
		struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);

		if (i > 0)
			nanosleep(&(struct timespec){.tv_nsec = TRY_NS}, NULL);
		error = upc_monitor_read(s->monitor, s->fresh->value, &info);
		if (error == 0 && !(s->has_events && s->generation == info.generation))
			error = read_events(s, info.generation);
		if (error == 0)
			s->info = info;
	}
	return error;
}

/* Complete the fresh snapshot and make it the shown one. */
static void take_fresh(struct session *s, bool last)
{
	struct top_snapshot *fresh = s->fresh;

	fresh->read_ns = upci_now_ns();
	fresh->updated_ns = s->info.updated_ns;
	fresh->generation = s->info.generation;
	fresh->running = s->info.running != 0;
	memcpy(fresh->unread, s->info.unread, sizeof(fresh->unread));
	memcpy(fresh->event, s->event, sizeof(fresh->event));
	s->changed = s->looks > 0 && fresh->generation != s->shown->generation;
	if (s->changed) {
		s->generation_before = s->shown->generation;
		s->changed_ns = fresh->read_ns;
	}
	if (s->looks > 0 && !top_table_news(s->shown, fresh))
		return; /* keep showing the last known rates */
	if (last && s->looks == 2) {
		/* The time from the last snapshot to the unit's end is too short for rates. Compute the rates
		 * since the snapshot before. */
		s->fresh = s->shown;
	} else {
		s->fresh = s->before;
		s->before = s->shown;
	}
	s->shown = fresh;
	if (s->looks < 2)
		s->looks++;
}

static void look_at_command(struct session *s)
{
	char command[sizeof(s->command)];

	top_units_command(s->info.process, s->options->user, command, sizeof(command));
	if (command[0] != '\0')
		memcpy(s->command, command, sizeof(command));
}

static void note_session_end(struct session *s, enum end end)
{
	const size_t size = sizeof(s->notice);

	s->end = end;
	if (end == UNSHARED)
		snprintf(s->notice, size, "ended by its owner: these are the last counts");
	else if (end == LEFT_BEHIND)
		snprintf(s->notice, size, "process %d has ended: these are the last counts",
			 (int)s->info.process);
	else
		snprintf(s->notice, size, "%s%s",
			 upc_last_message()[0] != '\0' ? upc_last_message()
						       : "its owner was killed in the middle of a change",
			 s->looks > 0 ? ": these are the counts of the last refresh" : "");
}

/* Read the unit once. Return 0, or -1 after printing an error. */
static int look_at_session(struct session *s)
{
	/* Check the owner before reading: counts that are read after the owner's death are final. */
	bool alive = upc_monitor_alive(s->monitor) != 0;
	int error = read_unit(s);

	s->notice[0] = '\0';
	s->changed = false;
	if (error == 0) {
		take_fresh(s, s->info.ended || !alive);
		look_at_command(s);
		if (s->info.ended)
			note_session_end(s, UNSHARED);
		else if (!alive)
			note_session_end(s, LEFT_BEHIND);
	} else if (error == UPC_EGONE || (error == UPC_ESTATE && !alive)) {
		note_session_end(s, TORN);
	} else if (error == UPC_ESTATE) {
		snprintf(s->notice, sizeof(s->notice),
			 s->looks > 0 ? "in the middle of a change: counts are of an earlier refresh"
				      : "in the middle of a change: waiting for its end");
	} else {
		util_error("cannot read '%s': %s", s->options->name, reason_of_error(error));
		return -1;
	}
	return 0;
}

/* ---- showing ----------------------------------------------------------- */

static uint64_t age_of(const struct session *s)
{
	uint64_t now = upci_now_ns();

	return now > s->info.updated_ns ? now - s->info.updated_ns : 0;
}

static bool changed_lately(const struct session *s)
{
	return s->changed || (s->drawing && s->changed_ns > 0 && upci_now_ns() - s->changed_ns < LOUD_NS);
}

static unsigned count_events(const struct session *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < UPC_COUNTERS; i++)
		n += s->shown->event[i].bound != 0;
	return n;
}

/* Return the snapshot that rates begin at, or NULL. */
static const struct top_snapshot *earlier_snapshot(const struct session *s)
{
	return s->looks > 1 ? s->before : NULL;
}

static unsigned lines_of(const struct session *s, struct top_line lines[UPC_COUNTERS])
{
	return top_table_lines(earlier_snapshot(s), s->shown, s->sort, s->all, lines);
}

static void print_session_text(FILE *out, const struct session *s, struct top_style style)
{
	char keys[80];
	const struct top_head head = {
		.name = s->options->name,
		.user = s->user[0] != '\0' ? s->user : NULL,
		.process = s->info.process,
		.command = s->command,
		.running = s->info.running != 0,
		.over = s->end != LIVES,
		.age_ns = age_of(s),
		.generation = s->info.generation,
		.generation_before = s->generation_before,
		.changed_by = s->info.changed_by,
		.changed = changed_lately(s),
		.events = count_events(s),
		.keys = s->screen.keys ? keys : NULL,
		.notice = s->notice[0] != '\0' ? s->notice : NULL,
	};
	struct top_line lines[UPC_COUNTERS];
	unsigned n = lines_of(s, lines), used;

	snprintf(keys, sizeof(keys), "q quit  s sort:%s  a %s  space now", sort_words[s->sort],
		 s->all ? "used" : "all");
	used = top_table_print_head(out, &head, &style) + 1;
	fputc('\n', out);
	if (style.rows > 0)
		style.rows = style.rows > used ? style.rows - used : 1;
	top_table_print(out, lines, n, &style);
}

static const char *state_word(const struct session *s)
{
	switch (s->end) {
	case UNSHARED:
		return "ended";
	case LEFT_BEHIND:
	case TORN:
		return "left behind";
	case LIVES:
		break;
	}
	return s->info.running ? "running" : "stopped";
}

static int print_data(struct session *s)
{
	struct top_line lines[UPC_COUNTERS];
	unsigned n = lines_of(s, lines);
	char user[TOP_USER_MAX];
	struct top_look look = {
		.name = s->options->name,
		.user = user,
		.command = s->command,
		.state = state_word(s),
		.notice = s->notice[0] != '\0' ? s->notice : NULL,
		.process = s->info.process,
		.changed_by = s->info.changed_by,
		.refresh = s->refresh,
		.age = (double)age_of(s) / NS,
		.seconds = top_table_seconds(earlier_snapshot(s), s->shown),
		.generation = s->info.generation,
		.changed = s->changed,
		.continued = s->printed,
		.line = lines,
		.lines = n,
	};

	look.unix_time = (double)util_clock_ns(CLOCK_REALTIME) / NS;
	top_units_user(s->options->user, user);
	s->printed = true;
	return top_data_print(stdout, &look, s->options->format.format);
}

/* Draw a frame on the terminal. Return 0, or -1 if the terminal cannot be written. */
static int draw_frame(const struct session *s)
{
	struct top_style style = {
		.width = top_screen_columns(), .rows = top_screen_rows(), .colour = util_colour(stdout)};
	char *frame = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&frame, &length);
	int result;

	if (out == NULL)
		return 0; /* out of memory: the next refresh may succeed */
	if (s->looks > 0)
		print_session_text(out, s, style);
	else
		fprintf(out, "%s: %s\n", s->options->name, s->notice);
	result = fclose(out) == 0 ? top_screen_draw(frame, length) : 0;
	free(frame);
	return result;
}

/* Print a complete table, separated from earlier tables by an empty line. */
static void print_session_table(const struct session *s)
{
	struct top_style style = {.width = top_screen_columns()};

	if (s->refresh > 1 && !s->drawing)
		putchar('\n');
	print_session_text(stdout, s, style);
}

/* Show the unit. Return 0, or -1 if the output cannot be written. */
static int show_session(struct session *s)
{
	int error = 0;

	if (s->drawing)
		return draw_frame(s);
	if (s->looks == 0) {
		if (s->end == LIVES) /* say_end prints the notice of a unit that has ended */
			util_error("'%s': %s", s->options->name, s->notice);
		return 0;
	}
	if (s->options->format.format != UTIL_TEXT)
		error = print_data(s);
	else
		print_session_table(s);
	return util_flush(stdout, "standard output") == 0 ? error : -1;
}

/* ---- watching ---------------------------------------------------------- */

/* Wait for the next refresh. Return false if upc_top must end. */
static bool wait_for_tick(struct session *s, uint64_t next)
{
	for (;;) {
		uint64_t now = upci_now_ns();

		if (now >= next)
			return true;
		switch (top_screen_wait(&s->screen, next - now > ALIVE_NS ? now + ALIVE_NS : next)) {
		case TOP_WAKE_END:
			return false;
		case TOP_WAKE_NOW:
			return true;
		case TOP_WAKE_SORT:
			s->sort = s->sort == TOP_SORT_NAME ? TOP_SORT_RATE : s->sort + 1;
			if (show_session(s) != 0)
				return false;
			break;
		case TOP_WAKE_ALL:
			s->all = !s->all;
			/* fall through */
		case TOP_WAKE_REDRAW:
			if (show_session(s) != 0)
				return false;
			break;
		case TOP_WAKE_TICK:
			if (!upc_monitor_alive(s->monitor))
				return true;
			break;
		}
	}
}

/* Watch the unit until its end or the last refresh. Return the exit status. */
static int watch_session(struct session *s)
{
	const uint64_t interval = s->options->interval;
	uint64_t next = upci_now_ns();

	for (;;) {
		uint64_t now;

		s->refresh++;
		if (look_at_session(s) != 0 || show_session(s) != 0)
			return UTIL_FAILED;
		if (s->end != LIVES)
			return s->end == TORN ? UTIL_FAILED : UTIL_OK;
		if (s->refresh == s->options->refreshes)
			return s->looks > 0 ? UTIL_OK : UTIL_FAILED;
		/* Skip refreshes that were missed (this process was stopped, or the machine slept). Later
		 * refreshes keep the schedule. */
		now = upci_now_ns();
		if (now >= next)
			next += interval * ((now - next) / interval + 1);
		if (!wait_for_tick(s, next))
			return UTIL_OK;
	}
}

/* Print the final text after the terminal was restored. */
static void say_end(struct session *s)
{
	if (s->end != LIVES && s->drawing && s->looks > 0) {
		print_session_table(s);
		util_flush(stdout, "standard output");
	}
	if (s->end == TORN)
		util_error("%s", s->notice);
}

static int open_session_unit(struct session *s)
{
	const struct options *o = s->options;
	struct upc_monitor_options options = top_units_options(o->user);
	int error = upc_monitor_open(o->name, &options, &s->monitor);

	if (error == UPC_ENOTASK)
		top_units_say_missing(o->name, o->user);
	else if (error != 0)
		util_error("%s", reason_of_error(error));
	return error == 0 ? UTIL_OK : UTIL_FAILED;
}

int main(int argc, char **argv)
{
	struct options options;
	static struct session session;
	static struct top_snapshot snapshots[3];
	int status;

	util_begin("upc_top");
	if (parse_top_options(&options, argc, argv, &status) != 0)
		return status;
	if (options.list)
		return top_units_list(options.has_user ? &options.user : NULL, options.format.format);
	session.options = &options;
	session.sort = options.sort;
	session.all = options.all;
	session.before = &snapshots[0];
	session.shown = &snapshots[1];
	session.fresh = &snapshots[2];
	if (options.user != geteuid())
		top_units_user(options.user, session.user);
	status = open_session_unit(&session);
	if (status != UTIL_OK)
		return status;
	session.drawing = !options.batch && options.format.format == UTIL_TEXT && top_screen_possible();
	if (top_screen_begin(&session.screen, session.drawing) == 0) {
		status = watch_session(&session);
		top_screen_end(&session.screen);
		say_end(&session);
	} else {
		status = UTIL_FAILED;
	}
	upc_monitor_close(session.monitor);
	return status;
}
