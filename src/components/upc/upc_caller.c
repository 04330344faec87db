/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_caller.c - finds the call of PAPI on the stack, with the unwind tables of libpapi's functions
 * (Rules.upc builds libpapi with them).
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

/*
 * Maximum number of frames to walk. Three frames lie between the component and the call of PAPI. A
 * preloaded library that wraps the call adds frames.
 */
#define FRAMES_MAX 12

struct walk {
	enum upcp_call call;
	uintptr_t address;
	unsigned frames;
};

/*
 * The addresses of PAPI's functions. own is the function in libpapi itself; found is the result of the
 * dynamic linker's lookup of the name. The two differ if a preloaded library wraps the function.
 */
static struct {
	const char *name;
	enum upcp_call call;
	uintptr_t own, found;
} calls[] = {
	{"PAPI_read", UPCP_CALL_READ, 0, 0},    {"PAPI_accum", UPCP_CALL_ACCUM, 0, 0},
	{"PAPI_stop", UPCP_CALL_STOP, 0, 0},    {"PAPI_start", UPCP_CALL_START, 0, 0},
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
		here.dli_fbase = NULL; /* a statically linked program */
	for (i = 0; i < CALLS; i++) {
		calls[i].own = calls[i].found = found[i];
		if (!here.dli_fbase || !dladdr((void *)found[i], &there) || there.dli_fbase == here.dli_fbase)
			continue;
		if (!self)
			self = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		if (self)
			calls[i].own = (uintptr_t)dlsym(self, calls[i].name);
	}
	if (self)
		dlclose(self);
}

static enum upcp_call classify_call(uintptr_t start)
{
	size_t i;

	for (i = 0; i < CALLS; i++)
		if (start == calls[i].own || start == calls[i].found)
			return calls[i].call;
	return UPCP_CALL_UNKNOWN;
}

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *argument)
{
	struct walk *walk = argument;
	int interrupted = 0;
	uintptr_t address = _Unwind_GetIPInfo(context, &interrupted);
	enum upcp_call call;

	if (!address)
		return _URC_END_OF_STACK;
	/* The frames from here on are those of the code that a signal interrupted, not of callers. */
	if (interrupted && walk->call == UPCP_CALL_UNKNOWN)
		walk->call = UPCP_CALL_SIGNAL;
	if (interrupted || ++walk->frames > FRAMES_MAX)
		return _URC_END_OF_STACK;
	call = classify_call(_Unwind_GetRegionStart(context));
	if (walk->call == UPCP_CALL_UNKNOWN) {
		walk->call = call;
		return _URC_NO_REASON;
	}
	/* The caller is a wrapper with one of PAPI's names, not the program. */
	if (call != UPCP_CALL_UNKNOWN)
		return _URC_NO_REASON;
	walk->address = address;
	return _URC_END_OF_STACK;
}

enum upcp_call upcp_caller_find(uintptr_t *address)
{
	struct walk walk = {.call = UPCP_CALL_UNKNOWN};

	_Unwind_Backtrace(visit_frame, &walk);
	*address = walk.address;
	return walk.call;
}

static _Unwind_Reason_Code find_signal(struct _Unwind_Context *context, void *argument)
{
	int interrupted = 0, *found = argument;

	(void)_Unwind_GetIPInfo(context, &interrupted);
	*found = interrupted;
	return interrupted ? _URC_END_OF_STACK : _URC_NO_REASON;
}

int upcp_caller_in_handler(void)
{
	int found = 0;

	_Unwind_Backtrace(find_signal, &found);
	return found;
}

/* ---- recognising PAPI_stop without a walk -------------------------------------- */

/*
 * All calls of PAPI read through one internal function, the reader. Its frame always has the same
 * size, so its return address into the call of PAPI lies at a constant distance from the frame of
 * the function that the reader calls (on_read). upcp_caller_rehearse finds that distance with one
 * walk of the stack.
 */
static struct {
	const void *returns_to; /* address in the reader; NULL: distance unknown */
	size_t words;           /* distance from the callee's frame to the return address, in words */
} reader;

/*
 * The reader's return address into PAPI_stop; 0 until known. Relaxed order is enough, because every
 * thread finds the same address.
 */
static _Atomic uintptr_t stop_reads;

struct trace {
	const void *returns_to;
	uintptr_t address, frame; /* return address into the reader's caller, and the frame of this caller */
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

void upcp_caller_rehearse(const void *returns_to, const void *frame)
{
	struct trace trace = {.returns_to = returns_to};
	const uintptr_t *word = frame;
	size_t n = 0;

	_Unwind_Backtrace(find_reader, &trace);
	if (trace.address && trace.frame > (uintptr_t)frame)
		n = (trace.frame - (uintptr_t)frame) / sizeof(*word);
	/*
	 * The return address was pushed by the call instruction, or the reader stored it next to
	 * its frame pointer at the lowest address of its frame.
	 */
	if (n > 0 && word[n - 1] == trace.address)
		reader.words = n - 1;
	else if (n > 1 && word[1] == trace.address)
		reader.words = 1;
	else
		n = 0;
	reader.returns_to = n ? returns_to : NULL;
}

uintptr_t upcp_caller_of_reader(const void *returns_to, const void *frame)
{
	return reader.returns_to == returns_to ? ((const uintptr_t *)frame)[reader.words] : 0;
}

int upcp_caller_is_stop(uintptr_t caller)
{
	return caller && caller == atomic_load_explicit(&stop_reads, memory_order_relaxed);
}

void upcp_caller_stopped(uintptr_t caller)
{
	if (!caller || atomic_load_explicit(&stop_reads, memory_order_relaxed))
		return;
	if (classify_call((uintptr_t)_Unwind_FindEnclosingFunction((void *)(caller - 1))) == UPCP_CALL_STOP)
		atomic_store_explicit(&stop_reads, caller, memory_order_relaxed);
}
