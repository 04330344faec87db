/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_builtin.c - derived events that need no wiring file: over Blue Gene/P names, which have a source if
 * their terms do, over instructions and cycles of a hardware PMU, and sums over the devices of this machine.
 * Terms: wiring/wiring.h, catalogue/catalogue.h, base/event.h, node/sim.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/derived.h"
#include "catalogue/formula.h"
#include "wiring/wiring.h"
#include "wiring/wiring_builtin.h"

/* ---- Blue Gene/P ------------------------------------------------------- */

/*
 * The digit at the end of a floating-point mnemonic is the number of operations per instruction: a fused
 * multiply-add is two, and an instruction in both pipes counts twice.
 */
#define FP_OPS                                                                                \
	"$_FPU_ADD_SUB_1 + $_FPU_MULT_1 + $_FPU_DIV_1 + 2*$_FPU_FMA_2 + 2*$_FPU_ADD_SUB_2 + " \
	"2*$_FPU_MULT_2 + 4*$_FPU_FMA_4"

/*
 * The instructions of a core are the sum of the classes, not of the pipes' totals. It is open what these
 * totals contain on the chip, since in UPC table 1 they are less than the classes of the same pipe
 * (doc/reference/CLASSES.md). FPU loads and stores are among the loads and stores.
 */
#define TOT_INS                                                                          \
	"$_JPIPE_ADD_SUB + $_JPIPE_LOGICAL_OPS + $_JPIPE_SHROTMK + $_IPIPE_MULT_DIV + "  \
	"$_IPIPE_ADD_SUB + $_IPIPE_LOGICAL_OPS + $_IPIPE_SHROTMK + $_IPIPE_BRANCHES + "  \
	"$_IPIPE_TLB_OPS + $_IPIPE_PROCESS_CONTROL + $_IPIPE_OTHER + $_DATA_LOADS + "    \
	"$_DATA_STORES + $_DCACHE_OPS + $_FPU_ADD_SUB_1 + $_FPU_MULT_1 + $_FPU_FMA_2 + " \
	"$_FPU_DIV_1 + $_FPU_OTHER_NON_STORAGE_OPS + $_FPU_ADD_SUB_2 + $_FPU_MULT_2 + "  \
	"$_FPU_FMA_4 + $_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS"

/* $ stands for the core. */
static const struct recipe {
	const char *name, *formula, *unit, *description;
} core_recipes[] = {
	{"FP_OPS", FP_OPS, "operations",
	 "Floating-point operations of core $: each instruction counts as many as it does, 2 for a "
	 "fused multiply-add or a two-wide one, 4 for a two-wide fused multiply-add."},
	{"FMA_INS", "$_FPU_FMA_2 + $_FPU_FMA_4", "instructions",
	 "Fused multiply-adds of core $, in one pipe or both: instructions, of 2 and 4 operations "
	 "in FP_OPS."},
	{"L1_DCM", "$_DCACHE_MISS", "misses", "Misses of the L1 data cache of core $."},
	{"L1_DCA", "$_DCACHE_HIT + $_DCACHE_MISS", "accesses",
	 "Accesses to the L1 data cache of core $, hits and misses."},
	{"L1_ICM", "$_ICACHE_MISS", "misses", "Misses of the L1 instruction cache of core $."},
	{"LD_INS", "$_DATA_LOADS", "loads", "Data loads of core $."},
	{"SR_INS", "$_DATA_STORES", "stores", "Data stores of core $."},
	{"LST_INS", "$_DATA_LOADS + $_DATA_STORES", "instructions", "Data loads and stores of core $."},
	{"BR_INS", "$_IPIPE_BRANCHES", "instructions", "Branches of core $."},
	{"TOT_INS", TOT_INS, "instructions",
	 "Instructions of core $: all its classes of the integer pipes, of loads and stores, and "
	 "of floating point added up."},
};

/* Names without a core belong to core 0: in a wiring of a host PMU, PU0 is the counting thread. On a
 * simulated node, PU is the thread's own core. */
static const struct {
	const char *prefix, *core;
} cores[] = {{"", "PU0"}, {"PU0_", "PU0"}, {"PU1_", "PU1"}, {"PU2_", "PU2"}, {"PU3_", "PU3"}};

/*
 * Cores 0 and 1 are on input 0, cores 2 and 3 on input 1 of the same counters, so no unit can count all four
 * at once. Sums are therefore over a pair of cores, and their terms are the events of core_recipes.
 */
static const struct recipe node_recipes[] = {
	{"PU01_FP_OPS", "PU0_FP_OPS + PU1_FP_OPS", "operations",
	 "Floating-point operations of cores PU0 and PU1, each instruction weighted by the "
	 "operations that it does."},
	{"PU23_FP_OPS", "PU2_FP_OPS + PU3_FP_OPS", "operations",
	 "Floating-point operations of cores PU2 and PU3, each instruction weighted by the "
	 "operations that it does."},
	{"DDR_READ_BYTES", "128*L3_M0_MH_DDR_FETCHES + 128*L3_M1_MH_DDR_FETCHES", "bytes",
	 "Bytes that both L3 banks fetched from DDR memory, in lines of 128."},
	{"DDR_WRITE_BYTES", "128*L3_M0_MH_DDR_STORES + 128*L3_M1_MH_DDR_STORES", "bytes",
	 "Bytes that both L3 banks stored to DDR memory, in lines of 128."},
	{"TORUS_BYTES",
	 "32*TORUS_XP_32BCHUNKS + 32*TORUS_XM_32BCHUNKS + 32*TORUS_YP_32BCHUNKS + "
	 "32*TORUS_YM_32BCHUNKS + 32*TORUS_ZP_32BCHUNKS + 32*TORUS_ZM_32BCHUNKS",
	 "bytes", "Bytes sent on the torus network in all six directions, in chunks of 32."},
	{"TORUS_PACKETS",
	 "TORUS_XP_PACKETS + TORUS_XM_PACKETS + TORUS_YP_PACKETS + TORUS_YM_PACKETS + "
	 "TORUS_ZP_PACKETS + TORUS_ZM_PACKETS",
	 "packets", "Packets sent on the torus network in all six directions."},
};

static void write_expanded(FILE *file, const char *text, const char *core)
{
	for (; *text; text++)
		if (*text == '$')
			fputs(core, file);
		else
			fputc(*text, file);
}

static void write_recipe(FILE *file, const struct recipe *r, const char *prefix, const char *core)
{
	fprintf(file, "derived %s%s = \"", prefix, r->name);
	write_expanded(file, r->formula, core);
	fprintf(file, "\" unit \"%s\" subsystem \"derived\" describe \"", r->unit);
	write_expanded(file, r->description, core);
	fputs("\"\n", file);
}

/* True if a recipe applies. TOT_INS without a core's name is the PMU's, unless a script drives all units. The
 * simulated node counts instructions directly, so no TOT_INS there is a sum of the classes. */
static bool is_our_builtin(struct upc_catalogue *c, const char *name, const char *prefix)
{
	return strcmp(name, "TOT_INS") || upci_catalogue_script(c) || (*prefix && !upci_catalogue_node(c));
}

/* Add the events as a wiring file, so that they go through the same checks. */
static int add_blue_gene(struct upc_catalogue *c)
{
	char *text = NULL;
	size_t length = 0, i, k;
	FILE *file = open_memstream(&text, &length);
	int error = UPC_ENOMEM;

	if (!file)
		return UPC_ENOMEM;
	fputs("upc-wiring 1\n", file);
	for (k = 0; k < sizeof(cores) / sizeof(cores[0]); k++)
		for (i = 0; i < sizeof(core_recipes) / sizeof(core_recipes[0]); i++)
			if (is_our_builtin(c, core_recipes[i].name, cores[k].prefix))
				write_recipe(file, &core_recipes[i], cores[k].prefix,
					     k == 0 && upci_catalogue_node(c) ? "PU" : cores[k].core);
	for (i = 0; i < sizeof(node_recipes) / sizeof(node_recipes[0]); i++)
		write_recipe(file, &node_recipes[i], "", "");
	if (!fclose(file))
		error = upci_wiring_parse(c, text, length, "the built-in wiring");
	free(text);
	return error;
}

/* ---- a hardware PMU ------------------------------------------------------ */

/*
 * Short names for events that every PMU counts, so that a ratio and the TOT_INS of a wiring file use the same
 * event. They are not derived, since thresholds need plain events. They share a counter with the perf event
 * that they name.
 */
static const struct {
	const char *name, *of, *simulated, *unit, *description;
} totals[] = {
	{"TOT_INS", "perf::INSTRUCTIONS", "PU_INSTRUCTIONS", "instructions", "Instructions retired."},
	{"PU0_TOT_INS", NULL, "PU0_INSTRUCTIONS", "instructions", "Instructions of core PU0."},
	{"PU1_TOT_INS", NULL, "PU1_INSTRUCTIONS", "instructions", "Instructions of core PU1."},
	{"PU2_TOT_INS", NULL, "PU2_INSTRUCTIONS", "instructions", "Instructions of core PU2."},
	{"PU3_TOT_INS", NULL, "PU3_INSTRUCTIONS", "instructions", "Instructions of core PU3."},
	{"TOT_CYC", "perf::CYCLES", NULL, "cycles", "CPU cycles, at the frequency that the core had."},
};

static const char *why_no_total(struct upc_catalogue *c, const char *name)
{
	static const char missing[] = "hardware counters: ";
	const char *sentence;
	unsigned i;

	if (upci_catalogue_script(c))
		return "UPC_SOURCE has a replay script drive the unit, whose signals are those of "
		       "Blue Gene/P names";
	if (upci_catalogue_node(c))
		return "the simulated node has no clock to count cycles of";
	for (i = 0; (sentence = upci_catalogue_missing(c, i)) != NULL; i++)
		if (!strncmp(sentence, missing, sizeof(missing) - 1))
			break;
	return upci_catalogue_printf(
		c,
		"needs a hardware PMU%s%.250s; %sa wiring file can name another source "
		"(event %s = ...)",
		sentence ? ": " : ", whose event of this the kernel does not open here",
		sentence ? sentence + sizeof(missing) - 1 : "",
		strcmp(name, "TOT_INS") ? "" : "upc_run PROGRAM counts it, in simulation; and ", name);
}

static int add_total(struct upc_catalogue *c, size_t i)
{
	const char *name = upci_catalogue_node(c) ? totals[i].simulated : totals[i].of;
	int64_t of = name ? upci_catalogue_lookup(c, name) : -1;
	struct upci_event event = {
		.name = totals[i].name,
		.description = totals[i].description,
		.unit = totals[i].unit,
		.subsystem = "derived",
		.driver = {.source = UPC_SOURCE_NONE, .mul = 1, .div = 1},
		.scope = UPC_SCOPE_CONTEXT,
		.kind = UPC_KIND_COUNT,
		.id = UPC_NO_ID,
	};

	if (upci_catalogue_script(c) && upci_catalogue_lookup(c, totals[i].name) >= 0)
		return 0; /* TOT_INS of core 0 exists already */
	if (!totals[i].of && !upci_catalogue_node(c))
		return 0; /* sum of the classes exists already */
	if (of >= 0 && upci_catalogue_event(c, (uint32_t)of)->driver.source != UPC_SOURCE_NONE) {
		event.driver = upci_catalogue_event(c, (uint32_t)of)->driver;
		event.same_as = (uint32_t)of + 1;
	} else {
		event.why = why_no_total(c, event.name);
		if (!event.why)
			return UPC_ENOMEM;
	}
	return upci_catalogue_add(c, &event);
}

static int add_hardware(struct upc_catalogue *c)
{
	static const struct recipe ratio = {
		"CYCLES_PER_1000_INSTRUCTIONS", "(1000*TOT_CYC) / TOT_INS", "cycles/1000 instructions",
		"Cycles that 1000 instructions took on average since the start or the reset: 1000 "
		"is one cycle an instruction. 0 where no instruction was counted."};
	struct upci_event event = {
		.name = ratio.name,
		.description = ratio.description,
		.unit = ratio.unit,
		.subsystem = "derived",
		.scope = UPC_SCOPE_CONTEXT,
		.id = UPC_NO_ID,
	};
	struct upci_formula_error wrong;
	int error = 0;
	size_t i;

	for (i = 0; !error && i < sizeof(totals) / sizeof(totals[0]); i++)
		error = add_total(c, i);
	if (!error)
		error = upci_formula_parse(c, ratio.formula, &event.formula, &wrong);
	if (!error)
		error = upci_derived_settle(c, &event);
	if (!error)
		error = upci_catalogue_add(c, &event);
	return error;
}

/* ---- sums over devices ------------------------------------------------- */

/* A sum of events PREFIX device SUFFIX, over the devices that are wanted. */
struct sum {
	const char *name, *prefix, *suffix;
	int64_t coefficient;
	bool disks;
	const char *unit, *description;
};

static const struct sum sums[] = {
	{"NET_RX_BYTES", "net::", ":rx_bytes", 1, false, "bytes",
	 "Bytes received by all network interfaces, the loopback among them; what passes two of them, as a "
	 "bridge and its port, is counted by both."},
	{"NET_TX_BYTES", "net::", ":tx_bytes", 1, false, "bytes",
	 "Bytes sent by all network interfaces, the loopback among them; what passes two of them, as a "
	 "bridge and its port, is counted by both."},
	{"DISK_READ_BYTES", "disk::", ":sectors_read", 512, true, "bytes",
	 "Bytes read from all disks: whole ones, without partitions and without what lies on other disks "
	 "(device mapper, RAID, loop) or in memory."},
	{"DISK_WRITE_BYTES", "disk::", ":sectors_written", 512, true, "bytes",
	 "Bytes written to all disks: whole ones, without partitions and without what lies on other disks "
	 "(device mapper, RAID, loop) or in memory."},
};

bool upci_disk_is_partition(const char *disk, const char *whole)
{
	size_t n = strlen(whole), digits;

	if (!n || strncmp(disk, whole, n))
		return false;
	disk += n;
	/* If the disk's name ends in a digit, a 'p' separates the partition's number. */
	if (whole[n - 1] >= '0' && whole[n - 1] <= '9' && *disk++ != 'p')
		return false;
	digits = strspn(disk, "0123456789");
	return digits && !disk[digits];
}

bool upci_disk_is_virtual(const char *disk)
{
	static const char *const prefixes[] = {"dm-", "md", "loop", "ram", "zram", "drbd", "bcache"};
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(disk, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Get the device in an event's name; false if the name does not fit. */
static bool device_of(const struct sum *sum, const char *name, char device[UPC_NAME_MAX])
{
	size_t n = strlen(name), prefix = strlen(sum->prefix), suffix = strlen(sum->suffix);

	if (n <= prefix + suffix || strncmp(name, sum->prefix, prefix) ||
	    strcmp(name + n - suffix, sum->suffix))
		return false;
	memcpy(device, name + prefix, n - prefix - suffix);
	device[n - prefix - suffix] = 0;
	return true;
}

static bool is_sum_wanted(struct upc_catalogue *c, const struct sum *sum, const char *device)
{
	char whole[UPC_NAME_MAX], event[2 * UPC_NAME_MAX];
	size_t n;

	if (!sum->disks)
		return true;
	if (upci_disk_is_virtual(device))
		return false;
	/* A disk whose name begins with another disk's name may be its partition. */
	for (n = strlen(device) - 1; n > 0; n--) {
		snprintf(whole, sizeof(whole), "%.*s", (int)n, device);
		snprintf(event, sizeof(event), "%s%s%s", sum->prefix, whole, sum->suffix);
		if (upci_disk_is_partition(device, whole) && upci_catalogue_lookup(c, event) >= 0)
			return false;
	}
	return true;
}

static int add_sum(struct upc_catalogue *c, const struct sum *sum)
{
	struct upci_event event = {
		.name = sum->name,
		.description = sum->description,
		.unit = sum->unit,
		.subsystem = "derived",
		.driver = {.source = UPC_SOURCE_NONE, .mul = 1, .div = 1},
		.scope = UPC_SCOPE_CONTEXT,
		.kind = UPC_KIND_COUNT,
		.id = UPC_NO_ID,
	};
	struct upci_formula *formula =
		upci_catalogue_alloc(c, sizeof(*formula) + UPCI_TERMS_MAX * sizeof(formula->term[0]));
	uint32_t count = upci_catalogue_size(c), code;
	char device[UPC_NAME_MAX];
	unsigned n = 0;
	int error = 0;

	if (!formula)
		return UPC_ENOMEM;
	for (code = 0; code < count; code++) {
		const struct upci_event *term = upci_catalogue_event(c, code);

		if (term->driver.source == UPC_SOURCE_NONE || term->formula ||
		    !device_of(sum, term->name, device) || !is_sum_wanted(c, sum, device))
			continue;
		if (n < UPCI_TERMS_MAX)
			formula->term[n] = (struct upci_term){.coefficient = sum->coefficient, .code = code};
		n++;
	}
	formula->terms = n;
	formula->divisor = 1;
	if (n && n <= UPCI_TERMS_MAX) {
		event.formula = formula;
		error = upci_derived_settle(c, &event);
	} else {
		event.why =
			n ? upci_catalogue_printf(c,
						  "this machine has %u such devices, and a derived event "
						  "at most %d terms; a wiring file can add up some of them "
						  "(derived NAME = \"...\")",
						  n, UPCI_TERMS_MAX)
			  : upci_catalogue_printf(c, "this machine shows no event %s*%s to add up",
						  sum->prefix, sum->suffix);
		error = event.why ? 0 : UPC_ENOMEM;
	}
	if (!error)
		error = upci_catalogue_add(c, &event);
	return error;
}

int upci_wiring_builtin(struct upc_catalogue *c)
{
	int error = add_blue_gene(c);
	size_t i;

	if (!error)
		error = add_hardware(c);
	for (i = 0; !error && i < sizeof(sums) / sizeof(sums[0]); i++)
		error = add_sum(c, &sums[i]);
	return error;
}
