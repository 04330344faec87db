/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_replay.c - runs a script of register accesses and input signals on a unit, and prints the values read
 * and the interrupts and parity errors raised, bit for bit and in order.
 *
 * Terms: replay/replay_vcd.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/common.h"
#include "lib/options.h"
#include "replay/replay_print.h"
#include "replay/replay_vcd.h"
#include "replay/trace_file.h"

static const struct upci_engine_ops *const engines[] = {
	&upci_engine_reference,
	&upci_engine_cycle,
	&upci_engine_segment,
};
#define ENGINES (sizeof(engines) / sizeof(engines[0]))
#define ENGINE_DEFAULT (&upci_engine_segment)

struct options {
	const char *file, *vcd;
	const struct upci_engine_ops *engine;
	bool stats;
	struct util_format_choice format;
};

struct replay {
	const struct upci_engine_ops *ops;
	struct upci_engine *engine;
	struct replay_vcd *vcd; /* NULL: no waveform */
	enum util_format format;
};

/* ---- options ----------------------------------------------------------- */

static int list_engines(void)
{
	for (size_t i = 0; i < ENGINES; i++)
		puts(engines[i]->name);
	return util_flush(stdout, "standard output") == 0 ? UTIL_OPTION_DONE : UTIL_FAILED;
}

static int take_engine(void *own, int option)
{
	struct options *o = own;

	const char *words[ENGINES + 1] = {NULL};
	int place;

	(void)option;
	if (strcmp(optarg, "list") == 0)
		return list_engines();
	for (size_t i = 0; i < ENGINES; i++)
		words[i] = engines[i]->name;
	place = util_option_word("--engine", words, optarg);
	if (place < 0)
		return UTIL_FAILED;
	o->engine = engines[place];
	return 0;
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_REPLAY,
	.head = "usage: upc_replay [OPTION]... FILE\n"
		"\n"
		"Runs a replay script on a Universal Performance Counter unit and prints the\n"
		"registers that it reads, interrupts, parity errors and refused accesses.\n"
		"FILE '-' is standard input.\n",
	.tail = "The exit status is 0; 2: the script has a mistake; 125: upc_replay failed.\n"
		"\n"
		"Examples:\n"
		"  upc_replay script.trace --stats\n"
		"  printf 'upc-trace 1\\nw 0x900 1\\nc 10000 0@2/1\\nr 0x000\\n' | upc_replay -\n"
		"  upc_replay script.trace --vcd=script.vcd && gtkwave script.vcd\n",
	.place = {UTIL_FLAG(STATS, struct options, stats), UTIL_WORD(VCD, struct options, vcd)},
	.take = take_engine,
};

static int check_replay_options(struct options *o, int argc, char **argv)
{
	if (optind == argc)
		util_error("no script is given: name a file, or '-' for standard input");
	else if (optind + 1 < argc)
		util_error("'%s' is not asked for: one script at a time", argv[optind + 1]);
	else if (o->vcd != NULL && strcmp(o->vcd, "-") == 0)
		util_error("--vcd needs a file: standard output has what the script prints");
	else {
		o->file = argv[optind];
		return 0;
	}
	return -1;
}

/* ---- the script -------------------------------------------------------- */

/* Print the error of a script that upci_trace_load refused. Return the exit status. */
static int report_script_error(const char *name, int error, const struct upci_trace_error *wrong)
{
	switch (error) {
	case UPC_EWIRING:
		/* Print FILE:LINE: without the tool's name, since editors expect FILE at the start of the
		 * line. */
		util_put(stderr, name, UINT_MAX);
		fprintf(stderr, ":%u: ", wrong->line);
		util_put(stderr, wrong->message, UINT_MAX);
		fputc('\n', stderr);
		return UTIL_SCRIPT;
	case UPC_ESYSTEM:
		util_error("cannot read '%.200s': %s", name, strerror(errno));
		break;
	case UPC_EINVAL:
		util_error("'%s' is no script that is read whole: it has more than %zu bytes", name,
			   UPCI_TRACE_BYTES_MAX);
		break;
	default:
		util_error("%s", upc_strerror(error));
	}
	return UTIL_FAILED;
}

/* Load and check the whole script. Return UTIL_OK or the exit status. */
static int load_replay_script(const char *name, struct upci_trace *trace)
{
	bool standard = strcmp(name, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	struct upci_trace_error wrong;
	int error, status;

	if (fd < 0)
		return report_script_error(name, UPC_ESYSTEM, NULL);
	error = upci_trace_load(fd, trace, &wrong);
	status = error == 0 ? UTIL_OK : report_script_error(name, error, &wrong);
	if (!standard)
		close(fd);
	return status;
}

/* ---- running it -------------------------------------------------------- */

static void print_engine_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct replay *replay = arg;

	replay_print_event(replay->format, event == UPCI_ENGINE_PARITY ? "parity" : "irq", counter, cycle);
	if (event == UPCI_ENGINE_INTERRUPT && replay->vcd != NULL)
		replay_vcd_interrupt(replay->vcd, counter);
}

/* Engines take offsets of 32 bits, but a script may have any offset. Do not truncate: 2^32 is not register
 * 0. */
static void run_read(struct replay *replay, const struct upci_trace_op *op)
{
	uint64_t value;

	if (op->offset <= UINT_MAX && replay->ops->read(replay->engine, (unsigned)op->offset, &value) == 0)
		replay_print_read(replay->format, op->offset, value);
	else
		replay_print_fault(replay->format, op->offset);
}

static void run_write(struct replay *replay, const struct upci_trace_op *op)
{
	if (op->offset > UINT_MAX || replay->ops->write(replay->engine, (unsigned)op->offset, op->value) != 0)
		replay_print_fault(replay->format, op->offset);
	else if (replay->vcd != NULL)
		replay_vcd_write(replay->vcd, (unsigned)op->offset, op->value);
}

static void run_flip(struct replay *replay, const struct upci_trace_op *op)
{
	replay->ops->flip(replay->engine, op->counter, op->bit);
	if (replay->vcd != NULL)
		replay_vcd_flip(replay->vcd, op->counter, op->bit);
}

static int run_replay_cycles(struct replay *replay, const struct upci_trace *trace,
			     const struct upci_trace_op *op)
{
	struct upci_wave wave[UPC_INPUTS];

	upci_trace_waves(trace, op, wave);
	if (replay->vcd != NULL)
		return replay_vcd_run(replay->vcd, replay->engine, wave, op->cycles);
	replay->ops->run_waves(replay->engine, wave, op->cycles);
	return 0;
}

/* Run the script. Stop early if the output cannot be written. */
static void run_replay_script(struct replay *replay, const struct upci_trace *trace)
{
	int error = 0;

	for (size_t i = 0; i < trace->ops && error == 0 && !ferror(stdout); i++) {
		const struct upci_trace_op *op = &trace->op[i];

		switch (op->kind) {
		case UPCI_TRACE_WRITE:
			run_write(replay, op);
			break;
		case UPCI_TRACE_READ:
			run_read(replay, op);
			break;
		case UPCI_TRACE_CYCLES:
			error = run_replay_cycles(replay, trace, op);
			break;
		case UPCI_TRACE_FLIP:
			run_flip(replay, op);
			break;
		case UPCI_TRACE_SYNC:
			break;
		}
	}
}

static int replay_script(const struct options *o, const struct upci_trace *trace)
{
	struct replay replay = {.ops = o->engine, .format = o->format.format};
	const struct upci_engine_sink sink = {.event = print_engine_event, .arg = &replay};
	int status = UTIL_OK;
	uint64_t begin;

	replay.engine = replay.ops->create(&sink);
	if (replay.engine == NULL) {
		util_error("out of memory");
		return UTIL_FAILED;
	}
	if (o->vcd != NULL) {
		replay.vcd = replay_vcd_open(o->vcd, replay.ops, trace);
		if (replay.vcd == NULL) {
			replay.ops->destroy(replay.engine);
			return UTIL_FAILED;
		}
	}
	replay_print_begin(replay.format);
	begin = upci_now_ns();
	run_replay_script(&replay, trace);
	if (o->stats)
		replay_print_stats(replay.format, &(struct replay_stats){
							  .engine = replay.ops->name,
							  .cycles = replay.ops->cycles(replay.engine),
							  .closed = replay.ops->cycles_closed(replay.engine),
							  .seconds = (double)(upci_now_ns() - begin) / 1e9,
						  });
	if (replay.vcd != NULL && replay_vcd_close(replay.vcd, replay.engine) != 0)
		status = UTIL_FAILED;
	if (util_flush(stdout, "standard output") != 0)
		status = UTIL_FAILED;
	replay.ops->destroy(replay.engine);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = {.engine = ENGINE_DEFAULT};
	struct upci_trace trace;
	int status;

	util_begin("upc_replay");
	if (util_options_read(&usage, argc, argv, &options, &options.format, &status) != 0)
		return status;
	if (check_replay_options(&options, argc, argv) != 0)
		return UTIL_FAILED;
	status = load_replay_script(options.file, &trace);
	if (status != UTIL_OK)
		return status;
	status = replay_script(&options, &trace);
	upci_trace_free(&trace);
	return status;
}
