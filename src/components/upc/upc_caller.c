/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_caller.c - finds PAPI's call on the stack, by the unwind tables that every
 * function of libpapi has (Rules.upc asks for them).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unwind.h>

#include "papi.h"

#include "upc_caller.h"

/* Between the component and PAPI's call lie three frames; a preloaded library
 * that passes the call on adds its own. */
#define FRAMES_MAX 12

struct walk {
	enum upcp_call call;
	uintptr_t address;
	unsigned frames;
};

/*
 * PAPI's calls by their first instruction: libpapi's own, and what this library
 * finds under the name. The two differ where a preloaded library defines the name as
 * well, to pass the call on.
 */
static struct {
	const char *name;
	enum upcp_call call;
	uintptr_t own, found;
} calls[] = {
	{"PAPI_read", UPCP_CALL_READ, 0, 0},       {"PAPI_accum", UPCP_CALL_ACCUM, 0, 0},
	{"PAPI_stop", UPCP_CALL_STOP, 0, 0},       {"PAPI_start", UPCP_CALL_START, 0, 0},
	{"PAPI_read_ts", UPCP_CALL_READ, 0, 0},
};
#define CALLS (sizeof(calls) / sizeof(*calls))

void upcp_caller_open(void)
{
	const uintptr_t found[CALLS] = {
		(uintptr_t)PAPI_read,  (uintptr_t)PAPI_accum,   (uintptr_t)PAPI_stop,
		(uintptr_t)PAPI_start, (uintptr_t)PAPI_read_ts,
	};
	Dl_info here, there;
	void *self = NULL;
	size_t i;

	if (!dladdr((void *)upcp_caller_open, &here))
		here.dli_fbase = NULL; /* a program that nothing is loaded into */
	for (i = 0; i < CALLS; i++) {
		calls[i].own = calls[i].found = found[i];
		if (!here.dli_fbase || !dladdr((void *)found[i], &there) ||
		    there.dli_fbase == here.dli_fbase)
			continue;
		if (!self)
			self = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		if (self)
			calls[i].own = (uintptr_t)dlsym(self, calls[i].name);
	}
	if (self)
		dlclose(self);
}

static enum upcp_call classify(uintptr_t start)
{
	size_t i;

	for (i = 0; i < CALLS; i++)
		if (start == calls[i].own || start == calls[i].found)
			return calls[i].call;
	return UPCP_CALL_UNKNOWN;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument)
{
	struct walk *walk = argument;
	int interrupted = 0;
	uintptr_t address = _Unwind_GetIPInfo(context, &interrupted);
	enum upcp_call call;

	if (!address)
		return _URC_END_OF_STACK;
	/* What a signal interrupted made no call, and nobody above it did. */
	if (interrupted && walk->call == UPCP_CALL_UNKNOWN)
		walk->call = UPCP_CALL_SIGNAL;
	if (interrupted || ++walk->frames > FRAMES_MAX)
		return _URC_END_OF_STACK;
	call = classify(_Unwind_GetRegionStart(context));
	if (walk->call == UPCP_CALL_UNKNOWN) {
		walk->call = call;
		return _URC_NO_REASON;
	}
	/* A library in between that has PAPI's names is not the program. */
	if (call != UPCP_CALL_UNKNOWN)
		return _URC_NO_REASON;
	walk->address = address;
	return _URC_END_OF_STACK;
}

enum upcp_call upcp_caller_find(uintptr_t *address)
{
	struct walk walk = {.call = UPCP_CALL_UNKNOWN};

	_Unwind_Backtrace(visit, &walk);
	*address = walk.address;
	return walk.call;
}

/* ---- a shorter way ------------------------------------------------------------- */

/*
 * PAPI's calls read by one internal function. Its frame has the same size each time, so
 * that the address to which it returns, in one of PAPI's calls, always lies as far from the
 * frame of what it calls. A walk finds how far; then that word says which call it is, if a walk
 * has seen it before.
 */
static struct {
	const void *returns_to; /* into that function */
	size_t words;		/* from the callee's frame to the word */
} reader;

enum { WALKED = 1, NOT_TO_BE_WALKED };
static atomic_int reader_is; /* 0, or one of these: release, acquire; written with learning */

#define SITES 8
static struct {
	uintptr_t address; /* behind a call of the reader */
	enum upcp_call call;
} sites[SITES];
static atomic_uint known; /* release, acquire; written with learning */

/* Who learns; another thread, or a handler, that finds it taken does without. */
static atomic_flag learning = ATOMIC_FLAG_INIT;

struct trace {
	const void *returns_to;
	uintptr_t address, frame; /* of the reader's caller */
	int seen;
};

static _Unwind_Reason_Code find_reader(struct _Unwind_Context *context, void *argument)
{
	struct trace *trace = argument;

	if (trace->seen) {
		trace->address = _Unwind_GetIP(context);
		trace->frame = _Unwind_GetCFA(context);
		return _URC_END_OF_STACK;
	}
	trace->seen = _Unwind_GetIP(context) == (uintptr_t)trace->returns_to;
	return _URC_NO_REASON;
}

/* The one place of the address between the two frames. */
static int find_word(const struct trace *trace, const void *frame)
{
	const uintptr_t *word = frame;
	size_t n = trace->frame > (uintptr_t)frame ? (trace->frame - (uintptr_t)frame) / sizeof(*word) : 0;
	size_t i, found = 0;

	for (i = 0; i < n; i++) {
		if (word[i] != trace->address)
			continue;
		reader.words = i;
		found++;
	}
	return found == 1;
}

static void learn(const void *returns_to, const void *frame)
{
	struct trace trace = {.returns_to = returns_to};
	unsigned n = atomic_load_explicit(&known, memory_order_relaxed);
	uintptr_t address;

	if (n == SITES || atomic_flag_test_and_set_explicit(&learning, memory_order_acquire))
		return;
	_Unwind_Backtrace(find_reader, &trace);
	if (!atomic_load_explicit(&reader_is, memory_order_relaxed)) {
		reader.returns_to = returns_to;
		atomic_store_explicit(&reader_is, find_word(&trace, frame) ? WALKED : NOT_TO_BE_WALKED,
				      memory_order_release);
	}
	n = atomic_load_explicit(&known, memory_order_relaxed);
	if (trace.address && n < SITES) {
		sites[n].address = trace.address;
		sites[n].call = upcp_caller_find(&address);
		atomic_store_explicit(&known, n + 1, memory_order_release);
	}
	atomic_flag_clear_explicit(&learning, memory_order_release);
}

static int find_site(uintptr_t address, enum upcp_call *call)
{
	unsigned n = atomic_load_explicit(&known, memory_order_acquire), i;

	for (i = 0; i < n && sites[i].address != address; i++)
		;
	*call = i < n ? sites[i].call : UPCP_CALL_UNKNOWN;
	return i < n;
}

int upcp_caller_is_stop(const void *returns_to, const void *frame)
{
	int is = atomic_load_explicit(&reader_is, memory_order_acquire);
	enum upcp_call call;

	if (is == NOT_TO_BE_WALKED || (is && reader.returns_to != returns_to))
		return 0;
	if (is && find_site(((const uintptr_t *)frame)[reader.words], &call))
		return call == UPCP_CALL_STOP;
	learn(returns_to, frame);
	return 0;
}
