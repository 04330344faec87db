/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_vcd.c - records a replay as a waveform in the value change dump format of IEEE 1364. One cycle is
 * one unit of time.
 *
 * The values at time t are: the registers at the start of cycle t, after the software accesses that precede
 * the cycle; the samples that cycle t takes; and the interrupts that cycle t raises. An increment in cycle t
 * is therefore visible at t + 1, as in a waveform of the circuit.
 *
 * A read of a counter checks its parity, and a parity error that such a read finds would be in the script's
 * output. Therefore counters are read from the shadow, whose parity errors are ignored. Parity errors change
 * no value, so both engines count the same.
 *
 * Terms: replay/replay_vcd.h.
 */
#include "replay/replay_vcd.h"

#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "lib/output.h"

/* The recorded signals of each counter, in the order of their identifiers. */
enum signal {
	SIGNAL_SAMPLE,
	SIGNAL_VALUE,
	SIGNAL_INPUT,
	SIGNAL_MODE,
	SIGNAL_ENABLE,
	SIGNAL_ARMED,
	SIGNAL_PENDING,
	SIGNAL_PARITY,
	SIGNAL_IRQ,
	SIGNALS
};

static const struct {
	const char *name;
	unsigned width;
} signals[SIGNALS] = {
	[SIGNAL_SAMPLE] = {"sample", 1},   [SIGNAL_VALUE] = {"value", 64},
	[SIGNAL_INPUT] = {"input", 2},     [SIGNAL_MODE] = {"mode", 2},
	[SIGNAL_ENABLE] = {"enable", 1},   [SIGNAL_ARMED] = {"armed", 1},
	[SIGNAL_PENDING] = {"pending", 1}, [SIGNAL_PARITY] = {"parity_error", 1},
	[SIGNAL_IRQ] = {"irq", 1},
};

/* Identifiers of the unit's signals, after the identifiers of all counters' signals. */
enum { ID_RUN = SIGNALS * UPC_COUNTERS, ID_THRESHOLD };

struct replay_vcd {
	struct util_output output;
	FILE *file; /* output.file */
	const struct upci_engine_ops *ops;
	struct upci_engine *shadow;
	unsigned counter[UPC_COUNTERS]; /* recorded counters, ascending */
	unsigned counters;
	struct upci_wave wave[UPC_INPUTS]; /* waves; their phase is that of the next cycle */
	uint16_t moving[UPC_INPUTS];       /* event ids of the waves whose phase advances */
	unsigned movings;
	bool irq[UPC_COUNTERS]; /* the counter has raised its interrupt in the current cycle */
	/* By identifier: the values at `time`, and the last values in the file. */
	uint64_t now[ID_THRESHOLD + 1], written[ID_THRESHOLD + 1];
	uint64_t time; /* the time to be written next */
	bool time_put; /* the line for `time` is already in the file */
	bool begun;    /* the first time, with the values of all signals, is in the file */
};

/* ---- the file ---------------------------------------------------------- */

/* Format an identifier in base 94, the lowest digit first. */
static const char *format_vcd_code(unsigned id, char text[4])
{
	char *p = text;

	do {
		*p++ = (char)('!' + id % 94);
		id /= 94;
	} while (id > 0);
	*p = '\0';
	return text;
}

static void put_vcd_time(struct replay_vcd *vcd)
{
	if (vcd->time_put)
		return;
	fprintf(vcd->file, "#%llu\n", (unsigned long long)vcd->time);
	vcd->time_put = true;
}

static void put_vcd_value(struct replay_vcd *vcd, unsigned id, unsigned width)
{
	uint64_t value = vcd->now[id];
	char text[4], bits[65], *p = bits + sizeof(bits) - 1;

	if (vcd->begun && value == vcd->written[id])
		return;
	put_vcd_time(vcd);
	vcd->written[id] = value;
	if (width == 1) {
		fprintf(vcd->file, "%c%s\n", value != 0 ? '1' : '0', format_vcd_code(id, text));
		return;
	}
	*p = '\0';
	do {
		*--p = (char)('0' + (value & 1));
		value >>= 1;
	} while (value > 0);
	fprintf(vcd->file, "b%s %s\n", p, format_vcd_code(id, text));
}

/* Write the values that changed at time t. If no value changed, the file has no line for t. */
static void put_vcd_values(struct replay_vcd *vcd, uint64_t t)
{
	vcd->time = t;
	vcd->time_put = false;
	if (!vcd->begun) {
		put_vcd_time(vcd);
		fputs("$dumpvars\n", vcd->file);
	}
	put_vcd_value(vcd, ID_RUN, 1);
	put_vcd_value(vcd, ID_THRESHOLD, 64);
	for (unsigned n = 0; n < vcd->counters; n++)
		for (unsigned s = 0; s < SIGNALS; s++)
			put_vcd_value(vcd, vcd->counter[n] * SIGNALS + s, signals[s].width);
	if (!vcd->begun)
		fputs("$end\n", vcd->file);
	vcd->begun = true;
}

static void put_variable(FILE *file, unsigned id, const char *name, unsigned width)
{
	char text[4];

	fprintf(file, "$var wire %u %s %s", width, format_vcd_code(id, text), name);
	if (width > 1)
		fprintf(file, " [%u:0]", width - 1);
	fputs(" $end\n", file);
}

static void put_header(struct replay_vcd *vcd)
{
	/* Write no $date, so that the same script gives the same file. */
	fprintf(vcd->file, "$version upc_replay %s $end\n", upc_version());
	fputs("$comment 1 ns stands for one cycle of the unit $end\n"
	      "$timescale 1 ns $end\n"
	      "$scope module upc $end\n",
	      vcd->file);
	put_variable(vcd->file, ID_RUN, "run", 1);
	put_variable(vcd->file, ID_THRESHOLD, "threshold", 64);
	for (unsigned n = 0; n < vcd->counters; n++) {
		fprintf(vcd->file, "$scope module counter%u $end\n", vcd->counter[n]);
		for (unsigned s = 0; s < SIGNALS; s++)
			put_variable(vcd->file, vcd->counter[n] * SIGNALS + s, signals[s].name,
				     signals[s].width);
		fputs("$upscope $end\n", vcd->file);
	}
	fputs("$upscope $end\n$enddefinitions $end\n", vcd->file);
}

/* ---- the engines ------------------------------------------------------- */

static uint64_t read_vcd_register(struct replay_vcd *vcd, struct upci_engine *engine, unsigned offset)
{
	uint64_t value = 0;

	vcd->ops->read(engine, offset, &value); /* cannot fail, since offset is in the register map */
	return value;
}

/* Read the registers between two cycles. */
static void take_registers(struct replay_vcd *vcd, struct upci_engine *engine)
{
	vcd->now[ID_RUN] = read_vcd_register(vcd, engine, UPC_REG_START_STOP);
	vcd->now[ID_THRESHOLD] = read_vcd_register(vcd, engine, UPC_REG_THRESHOLD);
	for (unsigned n = 0; n < vcd->counters; n++) {
		unsigned i = vcd->counter[n];
		uint64_t *now = &vcd->now[i * SIGNALS];
		unsigned field = read_vcd_register(vcd, engine, UPC_REG_CONFIG(i / 8)) >> i % 8 * 8 & 0xff;

		now[SIGNAL_VALUE] = read_vcd_register(vcd, vcd->shadow, UPC_REG_COUNTER(i));
		now[SIGNAL_INPUT] = field & UPC_FIELD_INPUT;
		now[SIGNAL_MODE] = (field & UPC_FIELD_MODE) >> 2;
		now[SIGNAL_ENABLE] = (field & UPC_FIELD_INTERRUPT_ENABLE) != 0;
		now[SIGNAL_ARMED] = (field & UPC_FIELD_ARMED) != 0;
		now[SIGNAL_PENDING] = (field & UPC_FIELD_INTERRUPT_PENDING) != 0;
		now[SIGNAL_PARITY] = (field & UPC_FIELD_PARITY_ERROR) != 0;
		now[SIGNAL_IRQ] = 0;
	}
}

/* Sample each counter's selected input for the next cycle. */
static void take_samples(struct replay_vcd *vcd)
{
	for (unsigned n = 0; n < vcd->counters; n++) {
		unsigned i = vcd->counter[n];
		uint64_t *now = &vcd->now[i * SIGNALS];

		now[SIGNAL_SAMPLE] = upci_wave_at(&vcd->wave[now[SIGNAL_INPUT] * UPC_COUNTERS + i], 0);
	}
}

static void take_waves(struct replay_vcd *vcd, const struct upci_wave wave[UPC_INPUTS])
{
	memcpy(vcd->wave, wave, sizeof(vcd->wave));
	vcd->movings = 0;
	for (unsigned id = 0; id < UPC_INPUTS; id++)
		if (wave[id].high > 0 && wave[id].high < wave[id].period)
			vcd->moving[vcd->movings++] = (uint16_t)id;
}

static void advance_waves(struct replay_vcd *vcd)
{
	for (unsigned n = 0; n < vcd->movings; n++) {
		struct upci_wave *wave = &vcd->wave[vcd->moving[n]];

		if (++wave->phase == wave->period)
			wave->phase = 0;
	}
}

int replay_vcd_run(struct replay_vcd *vcd, struct upci_engine *engine,
		   const struct upci_wave wave[UPC_INPUTS], uint64_t n)
{
	take_waves(vcd, wave);
	for (; n > 0 && !ferror(vcd->file); n--) {
		uint64_t t = vcd->ops->cycles(engine);

		take_registers(vcd, engine);
		take_samples(vcd);
		memset(vcd->irq, 0, sizeof(vcd->irq));
		vcd->ops->run_waves(engine, vcd->wave, 1);
		vcd->ops->run_waves(vcd->shadow, vcd->wave, 1);
		for (unsigned i = 0; i < vcd->counters; i++)
			vcd->now[vcd->counter[i] * SIGNALS + SIGNAL_IRQ] = vcd->irq[vcd->counter[i]];
		put_vcd_values(vcd, t);
		advance_waves(vcd);
	}
	return ferror(vcd->file) ? -1 : 0;
}

void replay_vcd_interrupt(struct replay_vcd *vcd, unsigned counter)
{
	vcd->irq[counter] = true;
}

void replay_vcd_write(struct replay_vcd *vcd, unsigned offset, uint64_t value)
{
	vcd->ops->write(vcd->shadow, offset, value);
}

void replay_vcd_flip(struct replay_vcd *vcd, unsigned counter, unsigned bit)
{
	vcd->ops->flip(vcd->shadow, counter, bit);
}

/* ---- begin and end ----------------------------------------------------- */

static void ignore_vcd_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	(void)arg;
	(void)event;
	(void)counter;
	(void)cycle;
}

/* Mark the counters whose configuration, value or inputs the operation accesses. */
static void mark_used_counters(const struct upci_trace *trace, const struct upci_trace_op *op,
			       bool used[UPC_COUNTERS])
{
	bool access = op->kind == UPCI_TRACE_WRITE || op->kind == UPCI_TRACE_READ;

	if (access && op->offset < UPC_REG_CONFIG(0) && op->offset % 8 == 0)
		used[op->offset / 8] = true;
	if (op->kind == UPCI_TRACE_WRITE && op->offset >= UPC_REG_CONFIG(0) &&
	    op->offset < UPC_REG_START_STOP && op->offset % 8 == 0)
		for (unsigned k = 0; k < 8; k++)
			if ((op->value >> 8 * k & 0xff) != 0)
				used[op->offset - UPC_REG_CONFIG(0) + k] = true;
	if (op->kind == UPCI_TRACE_FLIP)
		used[op->counter] = true;
	for (size_t i = 0; i < op->tokens; i++)
		for (unsigned id = trace->token[op->token + i].first; id <= trace->token[op->token + i].last;
		     id++)
			used[id % UPC_COUNTERS] = true;
}

/* Return the number of cycles of the script, or UINT64_MAX if the number overflows. */
static uint64_t count_cycles(const struct upci_trace *trace)
{
	uint64_t cycles = 0;

	for (size_t i = 0; i < trace->ops; i++)
		if (__builtin_add_overflow(cycles, trace->op[i].cycles, &cycles))
			return UINT64_MAX;
	return cycles;
}

static void destroy_vcd(struct replay_vcd *vcd)
{
	if (vcd == NULL)
		return;
	if (vcd->shadow != NULL)
		vcd->ops->destroy(vcd->shadow);
	free(vcd);
}

struct replay_vcd *replay_vcd_open(const char *path, const struct upci_engine_ops *ops,
				   const struct upci_trace *trace)
{
	static const struct upci_engine_sink sink = {.event = ignore_vcd_event};
	bool used[UPC_COUNTERS] = {false};
	struct replay_vcd *vcd;

	if (count_cycles(trace) > REPLAY_VCD_CYCLES_MAX) {
		util_error("--vcd takes scripts of at most %d cycles, which this one exceeds: "
			   "record a part of it",
			   REPLAY_VCD_CYCLES_MAX);
		return NULL;
	}
	vcd = calloc(1, sizeof(*vcd));
	if (vcd != NULL) {
		vcd->ops = ops;
		vcd->shadow = ops->create(&sink);
	}
	if (vcd == NULL || vcd->shadow == NULL) {
		util_error("out of memory");
		destroy_vcd(vcd);
		return NULL;
	}
	for (size_t i = 0; i < trace->ops; i++)
		mark_used_counters(trace, &trace->op[i], used);
	for (unsigned i = 0; i < UPC_COUNTERS; i++)
		if (used[i])
			vcd->counter[vcd->counters++] = i;
	if (util_output_open(&vcd->output, path, stdout) != 0) {
		destroy_vcd(vcd);
		return NULL;
	}
	util_output_begin(&vcd->output);
	vcd->file = vcd->output.file;
	put_header(vcd);
	return vcd;
}

int replay_vcd_close(struct replay_vcd *vcd, struct upci_engine *engine)
{
	int error;

	/* Write the registers only. No cycle follows that would take samples. */
	take_registers(vcd, engine);
	put_vcd_values(vcd, vcd->ops->cycles(engine));
	put_vcd_time(vcd);
	error = util_output_end(&vcd->output);
	destroy_vcd(vcd);
	return error;
}
