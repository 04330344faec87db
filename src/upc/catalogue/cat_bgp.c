/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_bgp.c - the documented events of the Blue Gene/P unit, ids 0 to 511. Descriptions are composed from the
 * parts of the names.
 * Terms: catalogue/catalogue.h, base/event.h.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "catalogue/bgp_simulated.h"
#include "catalogue/catalogue.h"

/*
 * The mnemonics are regular: the events of a family differ in the number of the core, bank, port or channel.
 * In a pattern, '#' stands for a digit and '@' for a capital letter. In the texts, $1, $2, ... are the
 * characters that these matched.
 */
struct family {
	const char *pattern;
	const char *subsystem;
	const char *unit;
	const char *text;
};

static const struct family families[] = {
	/* Integer pipes of a core */
	{"PU#_JPIPE_INSTRUCTIONS", "PU$1 integer pipes", "instructions",
	 "Instructions in the J pipe of processor core $1, the one for simple integer work."},
	{"PU#_JPIPE_ADD_SUB", "PU$1 integer pipes", "instructions",
	 "Integer additions and subtractions in the J pipe of processor core $1."},
	{"PU#_JPIPE_LOGICAL_OPS", "PU$1 integer pipes", "instructions",
	 "Logical operations (and, or, exclusive or, ...) in the J pipe of processor core $1."},
	{"PU#_JPIPE_SHROTMK", "PU$1 integer pipes", "instructions",
	 "Shifts, rotates and masks in the J pipe of processor core $1."},
	{"PU#_IPIPE_INSTRUCTIONS", "PU$1 integer pipes", "instructions",
	 "Instructions in the I pipe of processor core $1, the one for all integer work and branches."},
	{"PU#_IPIPE_MULT_DIV", "PU$1 integer pipes", "instructions",
	 "Integer multiplications and divisions in the I pipe of processor core $1."},
	{"PU#_IPIPE_ADD_SUB", "PU$1 integer pipes", "instructions",
	 "Integer additions and subtractions in the I pipe of processor core $1."},
	{"PU#_IPIPE_LOGICAL_OPS", "PU$1 integer pipes", "instructions",
	 "Logical operations (and, or, exclusive or, ...) in the I pipe of processor core $1."},
	{"PU#_IPIPE_SHROTMK", "PU$1 integer pipes", "instructions",
	 "Shifts, rotates and masks in the I pipe of processor core $1."},
	{"PU#_IPIPE_BRANCHES", "PU$1 integer pipes", "instructions",
	 "Branches in the I pipe of processor core $1."},
	{"PU#_IPIPE_TLB_OPS", "PU$1 integer pipes", "instructions",
	 "Operations on the translation lookaside buffer in the I pipe of processor core $1."},
	{"PU#_IPIPE_PROCESS_CONTROL", "PU$1 integer pipes", "instructions",
	 "Process control instructions in the I pipe of processor core $1."},
	{"PU#_IPIPE_OTHER", "PU$1 integer pipes", "instructions",
	 "Instructions in the I pipe of processor core $1 that belong to none of its other classes."},
	/* First-level caches of a core */
	{"PU#_DCACHE_LINEFILLINPROG", "PU$1 L1", "events",
	 "Line fills in progress in the L1 data cache of processor core $1."},
	{"PU#_ICACHE_LINEFILLINPROG", "PU$1 L1", "events",
	 "Line fills in progress in the L1 instruction cache of processor core $1."},
	{"PU#_DCACHE_MISS", "PU$1 L1", "misses", "Misses of the L1 data cache of processor core $1."},
	{"PU#_DCACHE_HIT", "PU$1 L1", "hits", "Hits of the L1 data cache of processor core $1."},
	{"PU#_DATA_LOADS", "PU$1 L1", "loads", "Data loads of processor core $1."},
	{"PU#_DATA_STORES", "PU$1 L1", "stores", "Data stores of processor core $1."},
	{"PU#_DCACHE_OPS", "PU$1 L1", "operations", "Operations on the L1 data cache of processor core $1."},
	{"PU#_ICACHE_MISS", "PU$1 L1", "misses", "Misses of the L1 instruction cache of processor core $1."},
	{"PU#_ICACHE_HIT", "PU$1 L1", "hits", "Hits of the L1 instruction cache of processor core $1."},
	{"PU#_L1_INVALIDATION_REQUESTS", "PU$1 L1", "requests",
	 "Requests to invalidate a line of the L1 cache of processor core $1."},
	/* Floating point: the number at the end is the operations of each */
	{"PU#_FPU_ADD_SUB_1", "PU$1 FPU", "instructions",
	 "Floating-point additions and subtractions of processor core $1 in one pipe, 1 operation each."},
	{"PU#_FPU_MULT_1", "PU$1 FPU", "instructions",
	 "Floating-point multiplications of processor core $1 in one pipe, 1 operation each."},
	{"PU#_FPU_FMA_2", "PU$1 FPU", "instructions",
	 "Fused multiply-adds of processor core $1 in one pipe, 2 operations each."},
	{"PU#_FPU_DIV_1", "PU$1 FPU", "instructions",
	 "Floating-point divisions of processor core $1 in one pipe, 1 operation each."},
	{"PU#_FPU_OTHER_NON_STORAGE_OPS", "PU$1 FPU", "instructions",
	 "Other floating-point instructions of processor core $1 in one pipe that neither load nor store."},
	{"PU#_FPU_ADD_SUB_2", "PU$1 FPU", "instructions",
	 "Floating-point additions and subtractions of processor core $1 in both pipes at once, "
	 "2 operations each."},
	{"PU#_FPU_MULT_2", "PU$1 FPU", "instructions",
	 "Floating-point multiplications of processor core $1 in both pipes at once, 2 operations each."},
	{"PU#_FPU_FMA_4", "PU$1 FPU", "instructions",
	 "Fused multiply-adds of processor core $1 in both pipes at once, 4 operations each."},
	{"PU#_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS", "PU$1 FPU", "instructions",
	 "Other floating-point instructions of processor core $1 in both pipes at once that neither load "
	 "nor store."},
	{"PU#_FPU_QUADWORD_LOADS", "PU$1 FPU", "loads",
	 "Floating-point loads of a quadword (16 bytes, for both pipes) by processor core $1."},
	{"PU#_FPU_OTHER_LOADS", "PU$1 FPU", "loads",
	 "Floating-point loads by processor core $1 of less than a quadword."},
	{"PU#_FPU_QUADWORD_STORES", "PU$1 FPU", "stores",
	 "Floating-point stores of a quadword (16 bytes, from both pipes) by processor core $1."},
	{"PU#_FPU_OTHER_STORES", "PU$1 FPU", "stores",
	 "Floating-point stores by processor core $1 of less than a quadword."},
	/* Prefetching second-level cache of a core */
	{"PU#_L2_VALID_PREFETCH_REQUESTS", "PU$1 L2", "requests",
	 "Valid prefetch requests in the L2 of processor core $1."},
	{"PU#_L2_PREFETCH_HITS_IN_FILTER", "PU$1 L2", "hits",
	 "Prefetch requests that hit the filter of the L2 of processor core $1."},
	{"PU#_L2_PREFETCH_HITS_IN_STREAM", "PU$1 L2", "hits",
	 "Prefetch requests that hit an active stream of the L2 of processor core $1."},
	{"PU#_L2_CYCLES_PREFETCH_PENDING", "PU$1 L2", "cycles",
	 "Cycles in which a prefetch of the L2 of processor core $1 was pending."},
	{"PU#_L2_PAGE_ALREADY_IN_L2", "PU$1 L2", "requests",
	 "Prefetch requests for what the L2 of processor core $1 already held."},
	{"PU#_L2_PREFETCH_SNOOP_HIT_SAME_CORE", "PU$1 L2", "hits",
	 "Prefetches of the L2 of processor core $1 that were hit by a snoop from the same core."},
	{"PU#_L2_PREFETCH_SNOOP_HIT_OTHER_CORE", "PU$1 L2", "hits",
	 "Prefetches of the L2 of processor core $1 that were hit by a snoop from another core."},
	{"PU#_L2_PREFETCH_SNOOP_HIT_PLB", "PU$1 L2", "hits",
	 "Prefetches of the L2 of processor core $1 that were hit by a snoop from the processor local bus."},
	{"PU#_L2_CYCLES_READ_REQUEST_PENDING", "PU$1 L2", "cycles",
	 "Cycles in which a read request to the L2 of processor core $1 was pending."},
	{"PU#_L2_READ_REQUESTS", "PU$1 L2", "requests", "Read requests to the L2 of processor core $1."},
	{"PU#_L2_DEVBUS_READ_REQUESTS", "PU$1 L2", "requests",
	 "Read requests that the L2 of processor core $1 sent to the device bus."},
	{"PU#_L2_L3_READ_REQUESTS", "PU$1 L2", "requests",
	 "Read requests that the L2 of processor core $1 sent to the L3 cache."},
	{"PU#_L2_NETBUS_READ_REQUESTS", "PU$1 L2", "requests",
	 "Read requests that the L2 of processor core $1 sent to the network bus."},
	{"PU#_L2_BLIND_DEV_READ_REQUESTS", "PU$1 L2", "requests",
	 "Blind reads of devices through the L2 of processor core $1."},
	{"PU#_L2_PREFETCHABLE_REQUESTS", "PU$1 L2", "requests",
	 "Requests to the L2 of processor core $1 that allow a prefetch."},
	{"PU#_L2_HIT", "PU$1 L2", "hits", "Hits of the L2 of processor core $1."},
	{"PU#_L2_SAME_CORE_SNOOPS", "PU$1 L2", "snoops",
	 "Snoops in the L2 of processor core $1 that the same core caused."},
	{"PU#_L2_OTHER_CORE_SNOOPS", "PU$1 L2", "snoops",
	 "Snoops in the L2 of processor core $1 that the other core of its pair caused."},
	{"PU#_L2_OTHER_DP_PU#_SNOOPS", "PU$1 L2", "snoops",
	 "Snoops in the L2 of processor core $1 that core $2 of the other pair of cores caused."},
	{"PU#_L2_MEMORY_WRITES", "PU$1 L2", "writes",
	 "Writes to memory through the L2 of processor core $1."},
	{"PU#_L2_NETWORK_WRITES", "PU$1 L2", "writes",
	 "Writes to the networks through the L2 of processor core $1."},
	{"PU#_L2_DEVBUS_WRITES", "PU$1 L2", "writes",
	 "Writes to the device bus through the L2 of processor core $1."},
	/* Snoop filter of a core */
	{"PU#_SNOOP_PORT#_REMOTE_SOURCE_REQUESTS", "snoop", "requests",
	 "Snoop requests from a remote source at port $2 of the snoop filter of processor core $1."},
	{"PU#_SNOOP_PORT#_REJECTED_REQUESTS", "snoop", "requests",
	 "Snoop requests that port $2 of the snoop filter of processor core $1 kept away from its L1 cache."},
	{"PU#_SNOOP_L1_CACHE_WRAP", "snoop", "events",
	 "Cache wraps of processor core $1: its snoop filter saw that all lines of the L1 cache had been "
	 "replaced."},
	/* Third-level cache banks */
	{"L3_M#_RD#_SINGLE_LINE_DELIVERED_L2", "L3 bank $1", "lines",
	 "Single lines that read port $2 of L3 bank $1 delivered to an L2."},
	{"L3_M#_RD#_BURST_DELIVERED_L2", "L3 bank $1", "bursts",
	 "Bursts that read port $2 of L3 bank $1 delivered to an L2."},
	{"L3_M#_RD#_READ_RETURN_COLLISION", "L3 bank $1", "collisions",
	 "Collisions of data returned at read port $2 of L3 bank $1."},
	{"L3_M#_RD#_DIR#_HIT_OR_INFLIGHT", "L3 bank $1", "hits",
	 "Lookups by read port $2 in directory $3 of L3 bank $1 that found the line there or on its way."},
	{"L3_M#_RD#_DIR#_MISS_OR_LOCKDOWN", "L3 bank $1", "misses",
	 "Lookups by read port $2 in directory $3 of L3 bank $1 that missed or met a locked line."},
	{"L3_M#_R#_SINGLE_LINE_DELIVERED_L2", "L3 bank $1", "lines",
	 "Single lines that read port $2 of L3 bank $1 delivered."},
	{"L3_M#_R#_BURST_DELIVERED_L2", "L3 bank $1", "bursts",
	 "Bursts that read port $2 of L3 bank $1 delivered."},
	{"L3_M#_R#_READ_RETURN_COLLISION", "L3 bank $1", "collisions",
	 "Collisions of data returned at read port $2 of L3 bank $1."},
	{"L3_M#_R#_DIR#_HIT_OR_INFLIGHT", "L3 bank $1", "hits",
	 "Lookups by read port $2 in directory $3 of L3 bank $1 that found the line there or on its way."},
	{"L3_M#_R#_DIR#_MISS_OR_LOCKDOWN", "L3 bank $1", "misses",
	 "Lookups by read port $2 in directory $3 of L3 bank $1 that missed or met a locked line."},
	{"L3_M#_DIR#_LOOKUPS", "L3 bank $1", "lookups", "Lookups in directory $2 of L3 bank $1."},
	{"L3_M#_DIR#_CYCLES_REQUESTS_NOT_TAKEN", "L3 bank $1", "cycles",
	 "Cycles in which directory $2 of L3 bank $1 had requests and took none."},
	{"L3_M#_W#_DEPOSIT_REQUESTS", "L3 bank $1", "requests",
	 "Requests to deposit data in write buffer $2 of L3 bank $1."},
	{"L3_M#_W#_CYCLES_REQUESTS_NOT_TAKEN", "L3 bank $1", "cycles",
	 "Cycles in which write buffer $2 of L3 bank $1 had requests and took none."},
	{"L3_M#_MH_ALLOCATION_REQUESTS", "L3 bank $1", "requests",
	 "Requests to the miss handler of L3 bank $1 to allocate a line."},
	{"L3_M#_MH_CYCLES_ALLOCATION_REQUESTS_NOT_TAKEN", "L3 bank $1", "cycles",
	 "Cycles in which the miss handler of L3 bank $1 had requests to allocate and took none."},
	{"L3_M#_PF_PREFETCH_INTO_EDRAM", "L3 bank $1", "lines",
	 "Lines that the prefetcher of L3 bank $1 brought into its embedded DRAM."},
	{"L3_M#_MH_DDR_STORES", "DDR/memory", "lines",
	 "Lines of 128 bytes that the miss handler of L3 bank $1 stored to DDR memory."},
	{"L3_M#_MH_DDR_FETCHES", "DDR/memory", "lines",
	 "Lines of 128 bytes that the miss handler of L3 bank $1 fetched from DDR memory."},
	/* Torus network: P and M are the plus and minus directions */
	{"TORUS_@P_PACKETS", "torus", "packets",
	 "Packets sent on the torus network in the plus $1 direction."},
	{"TORUS_@M_PACKETS", "torus", "packets",
	 "Packets sent on the torus network in the minus $1 direction."},
	{"TORUS_@P_32BCHUNKS", "torus", "32-byte chunks",
	 "Chunks of 32 bytes sent on the torus network in the plus $1 direction."},
	{"TORUS_@M_32BCHUNKS", "torus", "32-byte chunks",
	 "Chunks of 32 bytes sent on the torus network in the minus $1 direction."},
	/* DMA engine of the torus */
	{"DMA_PACKETS_INJECTED", "DMA", "packets", "Packets that the DMA engine injected into the torus."},
	{"DMA_DESCRIPTORS_READ_FROM_L3", "DMA", "descriptors",
	 "Message descriptors that the DMA engine read from the L3 cache."},
	{"DMA_FIFO_PACKETS_RECEIVED", "DMA", "packets",
	 "Packets that the DMA engine received into a memory FIFO."},
	{"DMA_COUNTER_PACKETS_RECEIVED", "DMA", "packets",
	 "Packets that the DMA engine received for a byte counter (direct puts)."},
	{"DMA_REMOTE_GET_PACKETS_RECEIVED", "DMA", "packets",
	 "Remote get packets that the DMA engine received."},
	{"DMA_IDPU_READ_REQUESTS_TO_L3", "DMA", "requests",
	 "Read requests of the DMA engine's injection side (IDPU) to the L3 cache."},
	{"DMA_READ_VALID_RETURNED", "DMA", "reads", "Reads of the DMA engine that returned valid data."},
	{"DMA_ACKED_READ_REQUESTS", "DMA", "requests",
	 "Read requests of the DMA engine that were acknowledged."},
	{"DMA_CYCLES_RDPU_WRITE_ACTIVE", "DMA", "cycles",
	 "Cycles in which the DMA engine's reception side (RDPU) was writing."},
	{"DMA_WRITE_REQUESTS_TO_L3", "DMA", "requests", "Write requests of the DMA engine to the L3 cache."},
	/* Collective network: AC arbiter, AR receivers, AS senders, ALC local
	 * client; the events of input 1 (_UM1) repeat those of input 0 */
	{"COL_AC_CH#_VC#_MATURE", "collective", "requests",
	 "Requests of channel $1, virtual channel $2, that matured in the collective network's arbiter."},
	{"COL_AC_INJECT_VC#_MATURE", "collective", "requests",
	 "Requests of the injection FIFO, virtual channel $1, that matured in the collective network's "
	 "arbiter."},
	{"COL_AC_CH#_VC#_MATURE_UM1", "collective", "requests",
	 "Requests of channel $1, virtual channel $2, that matured in the collective network's arbiter, "
	 "as seen by input 1."},
	{"COL_AC_INJECT_VC#_MATURE_UM1", "collective", "requests",
	 "Requests of the injection FIFO, virtual channel $1, that matured in the collective network's "
	 "arbiter, as seen by input 1."},
	{"COL_AC_PENDING_REQUESTS", "collective", "requests",
	 "Requests pending in the collective network's arbiter."},
	{"COL_AC_WAITING_REQUESTS", "collective", "requests",
	 "Requests waiting in the collective network's arbiter."},
	{"COL_AR#_PACKET_TAKEN", "collective", "packets",
	 "Packets taken from receiver $1 of the collective network."},
	{"COL_ALC_PACKET_TAKEN", "collective", "packets",
	 "Packets taken from the local client of the collective network."},
	{"COL_AR#_VC#_DATA_PACKETS_RECEIVED", "collective", "packets",
	 "Data packets that receiver $1 of the collective network got on virtual channel $2."},
	{"COL_AR#_VC#_EMPTY_PACKET", "collective", "packets",
	 "Empty packets that receiver $1 of the collective network got on virtual channel $2."},
	{"COL_AR#_IDLE_PACKET", "collective", "packets",
	 "Idle packets that receiver $1 of the collective network got."},
	{"COL_AR#_BAD_PACKET_MARKER", "collective", "packets",
	 "Packets marked as bad that receiver $1 of the collective network got."},
	{"COL_AR#_VC#_CUT_THROUGH", "collective", "packets",
	 "Packets that receiver $1 of the collective network passed straight through on virtual channel $2."},
	{"COL_AR#_HEADER_PARITY_ERROR", "collective", "errors",
	 "Parity errors in packet headers at receiver $1 of the collective network."},
	{"COL_AR#_UNEXPECTED_HEADER_ERROR", "collective", "errors",
	 "Unexpected packet headers at receiver $1 of the collective network."},
	{"COL_AR#_RESYNC", "collective", "events",
	 "Times that receiver $1 of the collective network synchronised anew."},
	{"COL_AS#_VC#_DATA_PACKETS_SENT", "collective", "packets",
	 "Data packets that sender $1 of the collective network sent on virtual channel $2."},
	{"COL_AS#_VC#_CUT_THROUGH", "collective", "packets",
	 "Packets that sender $1 of the collective network passed straight through on virtual channel $2."},
	{"COL_AS#_VC#_PACKETS_SENT", "collective", "packets",
	 "Packets of any kind that sender $1 of the collective network sent on virtual channel $2."},
	{"COL_AS#_IDLE_PACKETS_SENT", "collective", "packets",
	 "Idle packets that sender $1 of the collective network sent."},
	{"COL_INJECT_VC#_HEADER", "collective", "headers",
	 "Packet headers put into the collective network's injection FIFO, virtual channel $1."},
	{"COL_INJECT_VC#_PAYLOAD_ADDED", "collective", "payloads",
	 "Payloads added to the collective network's injection FIFO, virtual channel $1."},
	{"COL_INJECT_VC#_PACKET_TAKEN", "collective", "packets",
	 "Packets that the collective network took from its injection FIFO, virtual channel $1."},
	{"COL_RECEPTION_VC#_PACKET_ADDED", "collective", "packets",
	 "Packets added to the collective network's reception FIFO, virtual channel $1."},
	{"COL_RECEPTION_VC#_HEADER_TAKEN", "collective", "headers",
	 "Packet headers taken from the collective network's reception FIFO, virtual channel $1."},
	{"COL_RECEPTION_VC#_PAYLOAD_TAKEN", "collective", "payloads",
	 "Payloads taken from the collective network's reception FIFO, virtual channel $1."},
	{"COL_RECEPTION_VC#_PACKET_DISCARDED", "collective", "packets",
	 "Packets discarded from the collective network's reception FIFO, virtual channel $1."},
	/* Time */
	{"IC_TIMESTAMP", "time", "cycles", "The interconnect's time stamp."},
	{"MISC_ELAPSED_TIME", "time", "cycles", "Time elapsed, in cycles of the unit."},
	{"MISC_ELAPSED_TIME_UM1", "time", "cycles",
	 "Time elapsed, in cycles of the unit, as seen by input 1."},
};

#define CAPTURES_MAX 4

static bool family_match(const char *pattern, const char *name, char *captured)
{
	for (; *pattern; pattern++, name++) {
		if (*pattern == '#' ? isdigit((unsigned char)*name)
				    : *pattern == '@' && *name >= 'A' && *name <= 'Z')
			*captured++ = *name;
		else if (*pattern != *name)
			return false;
	}
	return !*name;
}

static void family_expand(const char *text, const char *captured, char *out, size_t size)
{
	size_t used = 0;

	for (; *text && used + 1 < size; text++)
		out[used++] = *text == '$' ? captured[*++text - '1'] : *text;
	assert(!*text);
	out[used] = 0;
}

#define WHY_NONE "no source on this machine drives it: it is a signal of the Blue Gene/P chip; "
#define WIRING "a wiring file can give it a source with a like meaning (drive NAME = ...)"

/* The reason why no source drives an event here, and the remedy. */
static const char *const why[] = {
	[UPCI_SIM_EXACT] = WHY_NONE "upc_run PROGRAM counts it exactly, in simulation; and " WIRING,
	[UPCI_SIM_MEMORY] = WHY_NONE WIRING "; upc_run does not produce it yet: the memory model",
	[UPCI_SIM_NETWORK] = WHY_NONE WIRING "; upc_run does not produce it: it simulates one "
					     "node, without networks",
	[UPCI_SIM_TIME] = WHY_NONE WIRING "; upc_run does not produce it yet: the model of time",
};

static int add_bgp_event(struct upc_catalogue *c, int id, const char *name)
{
	struct upci_event event = {
		.name = name,
		.why = why[upci_bgp_simulated(name)],
		.driver = {.source = UPC_SOURCE_NONE, .mul = 1, .div = 1},
		.scope = UPC_SCOPE_CONTEXT,
		.kind = UPC_KIND_COUNT,
		.id = id,
	};
	char captured[CAPTURES_MAX] = "", text[256];
	const struct family *f = families;

	while (!family_match(f->pattern, name, captured)) {
		f++;
		assert(f < families + sizeof(families) / sizeof(families[0]));
	}
	family_expand(f->text, captured, text, sizeof(text));
	event.description = upci_catalogue_printf(c, "%s", text);
	family_expand(f->subsystem, captured, text, sizeof(text));
	event.subsystem = upci_catalogue_printf(c, "%s", text);
	event.unit = f->unit;
	if (!event.description || !event.subsystem)
		return UPC_ENOMEM;
	return upci_catalogue_add(c, &event);
}

int upci_catalogue_add_bgp(struct upc_catalogue *c)
{
	static const struct {
		int id;
		const char *name;
	} events[] = {
#define UPC_BGP(number, mnemonic) {number, #mnemonic},
#include "catalogue/bgp_events.def"
#undef UPC_BGP
	};
	size_t i;
	int error = 0;

	for (i = 0; !error && i < sizeof(events) / sizeof(events[0]); i++)
		error = add_bgp_event(c, events[i].id, events[i].name);
	return error;
}
