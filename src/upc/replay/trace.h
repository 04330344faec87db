/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.h - replay scripts, "upc-trace 1": the whole text is checked and becomes a list of operations.
 * Terms: replay/replay.h.
 */
#ifndef UPCI_TRACE_H
#define UPCI_TRACE_H

#include <stddef.h>

#include "engine/engine.h"

enum upci_trace_kind {
	UPCI_TRACE_WRITE,
	UPCI_TRACE_READ,
	UPCI_TRACE_CYCLES,
	UPCI_TRACE_FLIP,
	UPCI_TRACE_SYNC
};

/* In a c line, ids first..last have wave; later tokens override earlier ones. */
struct upci_trace_token {
	uint16_t first, last;
	struct upci_wave wave;
};

struct upci_trace_op {
	enum upci_trace_kind kind;
	unsigned line;
	uint64_t offset, value; /* WRITE, READ: any 64-bit offset; a wrong one is found when run */
	uint64_t cycles;        /* CYCLES */
	size_t token, tokens;   /* CYCLES: range in upci_trace.token */
	unsigned counter, bit;  /* FLIP */
};

struct upci_trace {
	struct upci_trace_op *op;
	size_t ops;
	struct upci_trace_token *token;
	size_t tokens;
};

struct upci_trace_error {
	unsigned line;
	char message[300]; /* what is wrong and what was expected */
};

/* Parse a text, which may contain any bytes. Return 0, UPC_ENOMEM, or UPC_EWIRING with *error. The caller
 * frees *trace with upci_trace_free. */
int upci_trace_parse(const char *text, size_t length, struct upci_trace *trace,
		     struct upci_trace_error *error);
void upci_trace_free(struct upci_trace *trace);

/* Set the 1024 waves of a CYCLES operation. Waves are always low if no token defines them. */
void upci_trace_waves(const struct upci_trace *trace, const struct upci_trace_op *op,
		      struct upci_wave wave[UPC_INPUTS]);

#endif
