/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_wire.c - writes this machine's wiring, checks a wiring file, and shows the driver of an event.
 *
 * Terms: lib/common.h.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "lib/options.h"
#include "lib/output.h"
#include "sheet/sheet.h"

enum action { ACTION_NONE, ACTION_PROBE, ACTION_CHECK, ACTION_SHOW };

struct options {
	enum action action;
	const char *argument; /* argument of the action's option */
	const char *output, *wiring;
	struct util_format_choice format;
};

static int take_action(void *own, int option)
{
	struct options *o = own;

	if (o->action != ACTION_NONE) {
		util_error("--probe, --check and --show exclude each other");
		return UTIL_FAILED;
	}
	o->action = option == UTIL_OPTION_PROBE   ? ACTION_PROBE
		    : option == UTIL_OPTION_CHECK ? ACTION_CHECK
						  : ACTION_SHOW;
	o->argument = optarg;
	return 0;
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_WIRE,
	.head = "usage: upc_wire --probe [-o FILE]\n"
		"       upc_wire --check FILE\n"
		"       upc_wire [-w FILE] --show NAME\n"
		"\n"
		"A wiring file says which source drives which event. Edit what --probe wrote,\n"
		"--check it, and give it to programs in $UPC_WIRING.\n",
	.tail = "The exit status is 0; 1: the file has a mistake, or there is no such event;\n"
		"125: upc_wire failed.\n"
		"\n"
		"Examples:\n"
		"  upc_wire --probe -o my.wiring\n"
		"  upc_wire --check my.wiring\n"
		"  UPC_WIRING=my.wiring upc_wire --show PU0_JPIPE_INSTRUCTIONS\n",
	.place = {UTIL_WORD(OUTPUT, struct options, output), UTIL_WORD(WIRING, struct options, wiring)},
	.take = take_action,
};

static int check_wire_options(const struct options *o, int argc, char **argv)
{
	if (optind < argc)
		util_error("'%s' is not asked for", argv[optind]);
	else if (o->action == ACTION_NONE)
		util_error("nothing to do: give --probe, --check or --show");
	else if (o->output != NULL && o->action != ACTION_PROBE)
		util_error("-o is for --probe");
	else if (o->format.format != UTIL_TEXT && o->action == ACTION_PROBE)
		util_error("a wiring has one form: --format is for --check and --show");
	else if (o->wiring != NULL && o->action != ACTION_SHOW)
		util_error("-w is for --show");
	else
		return 0;
	return -1;
}

/* Open the catalogue with a wiring file, or without a wiring file if wiring is NULL. */
static struct upc_catalogue *open_wired_catalogue(const char *wiring)
{
	struct upc_catalogue_options options = UPC_OPTIONS_INIT(upc_catalogue_options);
	struct upc_catalogue *catalogue;

	options.wiring_path = wiring;
	options.no_wiring = wiring == NULL;
	if (upc_catalogue_open(&options, &catalogue) == 0)
		return catalogue;
	util_error("%s", upc_last_message());
	return NULL;
}

/* ---- --probe ----------------------------------------------------------- */

static int write_piece(const char *text, size_t length, void *arg)
{
	return fwrite(text, 1, length, arg) == length ? 0 : UPC_ESYSTEM;
}

/*
 * Write the wiring of this machine. The whole text is made in memory before the file is opened for writing,
 * so that an error neither destroys a wiring that the user has edited nor leaves half a file.
 */
static int probe_wiring(const struct options *o)
{
	struct upc_catalogue *catalogue = open_wired_catalogue(NULL);
	struct util_output out;
	char *text = NULL;
	size_t length = 0;
	FILE *memory;
	int error = UPC_ENOMEM;

	if (catalogue == NULL)
		return UTIL_FAILED;
	memory = open_memstream(&text, &length);
	if (memory != NULL) {
		error = upc_catalogue_write_wiring(catalogue, write_piece, memory);
		if (fclose(memory) != 0)
			error = UPC_ENOMEM;
	}
	upc_catalogue_close(catalogue);
	if (error != 0) {
		util_error("cannot write the wiring: %s", upc_strerror(error));
		free(text);
		return UTIL_FAILED;
	}
	error = util_output_open(&out, o->output, stdout);
	if (error == 0) {
		util_output_begin(&out);
		fwrite(text, 1, length, out.file);
		error = util_output_end(&out);
	}
	free(text);
	return error;
}

/* ---- --check ----------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool is_same_wired_event(const struct upc_event_info *a, const struct upc_event_info *b)
{
	return a->source == b->source && a->scope == b->scope && a->kind == b->kind &&
	       same_text(a->driver, b->driver) && same_text(a->unit, b->unit) &&
	       same_text(a->subsystem, b->subsystem) && same_text(a->description, b->description) &&
	       same_text(a->differs, b->differs);
}

static int by_wired_name(const void *a, const void *b)
{
	return strcmp(((const struct upc_event_info *)a)->name, ((const struct upc_event_info *)b)->name);
}

/* Return all events of a catalogue, sorted by name; the caller frees them. */
static struct upc_event_info *sorted_events(struct upc_catalogue *catalogue, unsigned *n)
{
	struct upc_event_info *event = util_catalogue_events(catalogue, n);

	if (event != NULL)
		qsort(event, *n, sizeof(*event), by_wired_name);
	return event;
}

static int print_check(enum util_format format, const char *file, unsigned changed, unsigned added,
		       unsigned removed)
{
	const struct sheet_fact facts[] = {
		{.key = "file", .cell = {.text = file}},
		{.key = "changed", .kind = SHEET_COUNT, .cell = {.count = changed}},
		{.key = "added", .kind = SHEET_COUNT, .cell = {.count = added}},
		{.key = "removed", .kind = SHEET_COUNT, .cell = {.count = removed}},
	};

	if (format != UTIL_TEXT)
		return sheet_print_events(stdout, "upc_wire", format, facts, 4, NULL);
	util_put(stdout, file, UINT32_MAX);
	printf(": ok, %u events changed, %u added, %u removed\n", changed, added, removed);
	return UTIL_OK;
}

/* Print the changes that a wiring file makes to the machine's own catalogue. */
static int compare_wiring(const char *file, enum util_format format, struct upc_catalogue *plain,
			  struct upc_catalogue *wired)
{
	unsigned n_before, n_after, changed = 0, added = 0, removed = 0;
	int status;
	struct upc_event_info *before = sorted_events(plain, &n_before);
	struct upc_event_info *after = sorted_events(wired, &n_after);

	if (before == NULL || after == NULL) {
		util_error("out of memory");
		free(before);
		free(after);
		return UTIL_FAILED;
	}
	for (unsigned i = 0; i < n_after; i++) {
		const struct upc_event_info *was =
			bsearch(&after[i], before, n_before, sizeof(*before), by_wired_name);

		if (was == NULL)
			added += after[i].source != UPC_SOURCE_NONE;
		else if (was->source != UPC_SOURCE_NONE && after[i].source == UPC_SOURCE_NONE)
			removed++;
		else if (!is_same_wired_event(was, &after[i]))
			changed++;
	}
	for (unsigned i = 0; i < n_before; i++)
		removed += bsearch(&before[i], after, n_after, sizeof(*after), by_wired_name) == NULL;
	free(before);
	free(after);
	status = print_check(format, file, changed, added, removed);
	return util_flush(stdout, "standard output") == 0 ? status : UTIL_FAILED;
}

static int check_wiring(const char *file, enum util_format format)
{
	struct upc_catalogue *wired = open_wired_catalogue(file), *plain;
	int status = UTIL_FAILED;

	if (wired == NULL)
		return UTIL_NO;
	plain = open_wired_catalogue(NULL);
	if (plain != NULL)
		status = compare_wiring(file, format, plain, wired);
	upc_catalogue_close(plain);
	upc_catalogue_close(wired);
	return status;
}

/* ---- --show ------------------------------------------------------------ */

static void show_text(const char *label, const char *text)
{
	unsigned column;

	if (text == NULL || text[0] == '\0')
		return;
	column = (unsigned)printf("  %-12s", label);
	util_wrap(stdout, text, column, column, util_width(stdout));
	putchar('\n');
}

static void show_all(const struct upc_event_info *info)
{
	char number[80];

	util_put(stdout, info->name, UPC_NAME_MAX);
	putchar('\n');
	show_text("means", info->description);
	if (info->id != UPC_NO_ID) {
		snprintf(number, sizeof(number), "%d: counter %d, input %d", info->id,
			 info->id % UPC_COUNTERS, info->id / UPC_COUNTERS);
		show_text("id", number);
	}
	show_text("unit", info->unit);
	show_text("scope", util_scope_name(info->scope));
	show_text("kind", util_kind_name(info->kind));
	show_text("source", util_source_name(info->source));
	show_text("driven by", info->source != UPC_SOURCE_NONE ? info->driver : "nothing on this machine");
	show_text("differs", info->differs);
	show_text("why", info->source == UPC_SOURCE_NONE ? info->why : NULL);
}

static int show_wired_event(const struct options *o)
{
	struct upc_catalogue *catalogue = util_catalogue_open(o->wiring);
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	struct sheet_fact wiring = {.key = "wiring"};
	uint32_t code;
	int status = UTIL_NO;

	if (catalogue == NULL)
		return UTIL_FAILED;
	if (upc_catalogue_find(catalogue, o->argument + util_papi_prefix(o->argument), &code) != 0 ||
	    upc_catalogue_info(catalogue, code, &info) != 0) {
		util_error("%s", upc_last_message());
		goto out;
	}
	wiring.cell.text = upc_catalogue_wiring_hash(catalogue);
	status = UTIL_OK;
	if (o->format.format == UTIL_TEXT) {
		show_all(&info);
		show_text("wiring", wiring.cell.text);
	} else {
		status = sheet_print_events(stdout, "upc_wire", o->format.format, &wiring, 1,
					    &(struct sheet_events){.event = &info, .n = 1});
	}
	if (util_flush(stdout, "standard output") != 0)
		status = UTIL_FAILED;
out:
	upc_catalogue_close(catalogue);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = {.action = ACTION_NONE};
	int status;

	util_begin("upc_wire");
	if (util_options_read(&usage, argc, argv, &options, &options.format, &status) != 0)
		return status;
	if (check_wire_options(&options, argc, argv) != 0)
		return UTIL_FAILED;
	switch (options.action) {
	case ACTION_PROBE:
		return probe_wiring(&options);
	case ACTION_CHECK:
		return check_wiring(options.argument, options.format.format);
	case ACTION_SHOW:
	case ACTION_NONE:
		break;
	}
	return show_wired_event(&options);
}
