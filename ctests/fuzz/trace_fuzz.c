/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a replay script: refused with a line and a reason, or taken; and then
 * all in it is within its bounds, and printed and read again it is the same.
 * With UPC_FUZZ_MAIN a program without libFuzzer, for files given to it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "replay/trace.h"
#include "fuzz_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refused(const uint8_t *data, size_t size, const struct upci_trace *trace,
			  const struct upci_trace_error *error)
{
	unsigned lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	check(error->line >= 1 && error->line <= lines);
	check(error->message[0] != '\0' && strlen(error->message) < sizeof(error->message) - 1);
	check(upci_is_text(error->message));
	check(trace->op == NULL && trace->token == NULL && trace->ops == 0 && trace->tokens == 0);
}

static void check_wave(const struct upci_wave *wave)
{
	check(wave->period >= 1 && wave->high <= wave->period && wave->phase < wave->period);
}

static void check_bounds(const struct upci_trace *trace)
{
	struct upci_wave wave[UPC_INPUTS];
	size_t tokens = 0;
	unsigned line = 1;

	for (size_t i = 0; i < trace->ops; i++) {
		const struct upci_trace_op *op = &trace->op[i];

		check(op->line > line);
		line = op->line;
		check(op->kind <= UPCI_TRACE_SYNC && op->counter < UPC_COUNTERS && op->bit < 52);
		if (op->kind != UPCI_TRACE_CYCLES)
			continue;
		check(op->cycles >= 1 && op->token == tokens);
		tokens += op->tokens;
		check(tokens <= trace->tokens);
		if (i >= 16)
			continue; /* each fills 1024 waves */
		upci_trace_waves(trace, op, wave);
		for (unsigned id = 0; id < UPC_INPUTS; id++)
			check_wave(&wave[id]);
	}
	check(tokens == trace->tokens);
	for (size_t i = 0; i < trace->tokens; i++) {
		check(trace->token[i].first <= trace->token[i].last && trace->token[i].last < UPC_INPUTS);
		check(trace->token[i].wave.high >= 1);
		check_wave(&trace->token[i].wave);
	}
}

static void print_token(FILE *file, const struct upci_trace_token *token)
{
	fprintf(file, " %u-%u@%" PRIu64 "/%" PRIu64 "+%" PRIu64, token->first, token->last,
		token->wave.period, token->wave.high, token->wave.phase);
}

static void print(FILE *file, const struct upci_trace *trace)
{
	unsigned line = 1;

	fputs("upc-trace 1", file);
	for (size_t i = 0; i < trace->ops; i++) {
		const struct upci_trace_op *op = &trace->op[i];

		for (; line < op->line; line++)
			fputc('\n', file);
		switch (op->kind) {
		case UPCI_TRACE_WRITE:
			fprintf(file, "w 0x%" PRIx64 " 0x%" PRIx64, op->offset, op->value);
			break;
		case UPCI_TRACE_READ:
			fprintf(file, "r 0x%" PRIx64, op->offset);
			break;
		case UPCI_TRACE_CYCLES:
			fprintf(file, "c %" PRIu64, op->cycles);
			for (size_t k = 0; k < op->tokens; k++)
				print_token(file, &trace->token[op->token + k]);
			break;
		case UPCI_TRACE_FLIP:
			fprintf(file, "e %u %u", op->counter, op->bit);
			break;
		case UPCI_TRACE_SYNC:
			fputc('s', file);
			break;
		}
	}
}

/* Field by field, since there are holes between them. */
static bool same_op(const struct upci_trace_op *a, const struct upci_trace_op *b)
{
	return a->kind == b->kind && a->line == b->line && a->offset == b->offset && a->value == b->value &&
	       a->cycles == b->cycles && a->token == b->token && a->tokens == b->tokens &&
	       a->counter == b->counter && a->bit == b->bit;
}

static bool same_token(const struct upci_trace_token *a, const struct upci_trace_token *b)
{
	return a->first == b->first && a->last == b->last && a->wave.period == b->wave.period &&
	       a->wave.high == b->wave.high && a->wave.phase == b->wave.phase;
}

static void check_printed(const struct upci_trace *trace)
{
	struct upci_trace_error error;
	struct upci_trace again;
	char *text;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	check(file != NULL);
	print(file, trace);
	check(fclose(file) == 0);
	if (upci_trace_parse(text, length, &again, &error) != 0) {
		fprintf(stderr, "line %u: %s\n%s\n", error.line, error.message, text);
		abort();
	}
	check(again.ops == trace->ops && again.tokens == trace->tokens);
	for (size_t i = 0; i < trace->ops; i++)
		check(same_op(&again.op[i], &trace->op[i]));
	for (size_t i = 0; i < trace->tokens; i++)
		check(same_token(&again.token[i], &trace->token[i]));
	upci_trace_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct upci_trace_error error;
	struct upci_trace trace;
	int result = upci_trace_parse((const char *)data, size, &trace, &error);

	if (result != 0) {
		check(result == UPC_EWIRING);
		check_refused(data, size, &trace, &error);
		return 0;
	}
	check_bounds(&trace);
	check_printed(&trace);
	upci_trace_free(&trace);
	return 0;
}
