/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The derived events that come with the library: weights, sums over devices, and
 * that those of Blue Gene/P fit the counters of one unit.
 */
#include "catalogue/formula.h"
#include "script_test.h"
#include "catalogue_test.h"
#include "wiring/wiring.h"
#include "wiring/wiring_builtin.h"

static int64_t weight(const char *derived, const char *term)
{
	const struct upci_formula *f = event(derived)->formula;
	int64_t code = upci_catalogue_lookup(c, term);
	unsigned i;

	assert_non_null(f);
	assert_int_equal(f->divisor, 1);
	for (i = 0; i < f->terms; i++)
		if (f->term[i].code == code)
			return f->term[i].coefficient;
	return 0;
}

TEST_WITH(test_weights, open_catalogue, close_catalogue)
{
	static const struct {
		const char *event;
		int weight;
	} fpu[] = {
		{"FPU_ADD_SUB_1", 1}, {"FPU_MULT_1", 1}, {"FPU_DIV_1", 1}, {"FPU_FMA_2", 2},
		{"FPU_ADD_SUB_2", 2}, {"FPU_MULT_2", 2}, {"FPU_FMA_4", 4}, {"FPU_QUADWORD_LOADS", 0},
	};
	char derived[40], term[40];
	int core;
	size_t i;

	for (core = 0; core < 4; core++) {
		snprintf(derived, sizeof(derived), "PU%d_FP_OPS", core);
		assert_int_equal(event(derived)->formula->terms, 7);
		for (i = 0; i < sizeof(fpu) / sizeof(fpu[0]); i++) {
			snprintf(term, sizeof(term), "PU%d_%s", core, fpu[i].event);
			assert_int_equal(weight(derived, term), fpu[i].weight);
			assert_int_equal(weight(core < 2 ? "PU01_FP_OPS" : "PU23_FP_OPS", term),
					 fpu[i].weight);
		}
		snprintf(derived, sizeof(derived), "PU%d_L1_DCM", core);
		snprintf(term, sizeof(term), "PU%d_DCACHE_MISS", core);
		assert_int_equal(weight(derived, term), 1);
	}
	assert_int_equal(event("PU01_FP_OPS")->formula->terms, 14);
	assert_int_equal(weight("FP_OPS", "PU0_FPU_FMA_4"), 4);
	assert_int_equal(weight("DDR_READ_BYTES", "L3_M0_MH_DDR_FETCHES"), 128);
	assert_int_equal(weight("DDR_WRITE_BYTES", "L3_M1_MH_DDR_STORES"), 128);
	assert_int_equal(weight("TORUS_BYTES", "TORUS_ZM_32BCHUNKS"), 32);
	assert_int_equal(event("TORUS_BYTES")->formula->terms, 6);
}

/* ---- over a script ----------------------------------------------------------- */

#define OF_A_CORE 35u
#define CYCLES 1000u

static const uint16_t core_first[4] = {0, 35, 256, 291};

/* Returns the count of the core's event of that name: each event has a different one. */
static uint64_t count_of(int core, const char *name)
{
	char full[60];

	snprintf(full, sizeof(full), "PU%d_%s", core, name);
	return 200u * (unsigned)core + 5u * (unsigned)(event(full)->id - core_first[core]) + 1;
}

static uint64_t sum_of(int core, const char *const *names)
{
	uint64_t sum = 0;

	for (; *names; names++)
		sum += count_of(core, *names);
	return sum;
}

static uint64_t fp_ops_of(int core)
{
	static const char *const one[] = {"FPU_ADD_SUB_1", "FPU_MULT_1", "FPU_DIV_1", NULL};
	static const char *const two[] = {"FPU_FMA_2", "FPU_ADD_SUB_2", "FPU_MULT_2", NULL};

	return sum_of(core, one) + 2 * sum_of(core, two) + 4 * count_of(core, "FPU_FMA_4");
}

static uint64_t tot_ins_of(int core)
{
	static const char *const classes[] = {"JPIPE_ADD_SUB",
					      "JPIPE_LOGICAL_OPS",
					      "JPIPE_SHROTMK",
					      "IPIPE_MULT_DIV",
					      "IPIPE_ADD_SUB",
					      "IPIPE_LOGICAL_OPS",
					      "IPIPE_SHROTMK",
					      "IPIPE_BRANCHES",
					      "IPIPE_TLB_OPS",
					      "IPIPE_PROCESS_CONTROL",
					      "IPIPE_OTHER",
					      "DATA_LOADS",
					      "DATA_STORES",
					      "DCACHE_OPS",
					      "FPU_ADD_SUB_1",
					      "FPU_MULT_1",
					      "FPU_FMA_2",
					      "FPU_DIV_1",
					      "FPU_OTHER_NON_STORAGE_OPS",
					      "FPU_ADD_SUB_2",
					      "FPU_MULT_2",
					      "FPU_FMA_4",
					      "FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS",
					      NULL};

	return sum_of(core, classes);
}

/* A catalogue of its own: a thread plays the script of one once. */
static void assert_counts(const char *script, const char *prefix, const char *name, uint64_t expected)
{
	struct upc_catalogue *own = open_script(script);
	struct upc_unit *unit;
	uint64_t value = 0;
	char full[40];
	uint32_t code;

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	code = event_code(own, full);
	assert_int_equal(upc_unit_create(own, NULL, &unit), 0);
	if (upc_unit_add(unit, code))
		fail_msg("%s", upc_last_message());
	assert_int_equal(upc_unit_start(unit), 0);
	assert_int_equal(upc_unit_play(unit), 1);
	assert_int_equal(upc_unit_read_events(unit, &code, 1, &value), 0);
	if (value != expected)
		fail_msg("%s: %llu, not %llu", full, (unsigned long long)value, (unsigned long long)expected);
	upc_unit_destroy(unit);
	upc_catalogue_close(own);
}

static void assert_six(const char *script, const char *prefix, int core)
{
	static const char *const fma[] = {"FPU_FMA_2", "FPU_FMA_4", NULL};

	assert_counts(script, prefix, "TOT_INS", tot_ins_of(core));
	assert_counts(script, prefix, "FP_OPS", fp_ops_of(core));
	assert_counts(script, prefix, "FMA_INS", sum_of(core, fma));
	assert_counts(script, prefix, "LD_INS", count_of(core, "DATA_LOADS"));
	assert_counts(script, prefix, "SR_INS", count_of(core, "DATA_STORES"));
	assert_counts(script, prefix, "BR_INS", count_of(core, "IPIPE_BRANCHES"));
}

/* Every event of every core is high for another number of cycles; plain names are
 * core 0's, TOT_INS too where no PMU can be meant. */
TEST(test_script)
{
	char text[8000], prefix[8];
	size_t n = 0;
	unsigned k;
	int core;

	n += (size_t)snprintf(text, sizeof(text), "upc-trace 1\nc %u", CYCLES);
	for (core = 0; core < 4; core++)
		for (k = 0; k < OF_A_CORE; k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %u@%u/%u", core_first[core] + k,
					      CYCLES, 200u * (unsigned)core + 5 * k + 1);
	snprintf(text + n, sizeof(text) - n, "\ns\n");
	c = open_script(text);
	for (core = 0; core < 4; core++) {
		snprintf(prefix, sizeof(prefix), "PU%d_", core);
		assert_six(text, prefix, core);
	}
	assert_six(text, "", 0);
	assert_int_equal(event("TOT_CYC")->driver.source, UPC_SOURCE_NONE);
	upc_catalogue_close(c);
}

/* Nothing drives them without a wiring file, and they say what is missing; and
 * no two terms of one want the same counter. */
TEST_WITH(test_blue_gene, open_catalogue, close_catalogue)
{
	uint32_t count = upc_catalogue_count(c), code;
	unsigned i, k, seen = 0;

	for (code = 0; code < count; code++) {
		const struct upci_event *e = upci_catalogue_event(c, code);
		const struct upci_formula *f = e->formula;

		if (!f || upci_catalogue_event(c, f->term[0].code)->id == UPC_NO_ID)
			continue;
		seen++;
		assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
		assert_non_null(strstr(e->why, upci_catalogue_event(c, f->term[0].code)->name));
		for (i = 0; i < f->terms; i++)
			for (k = 0; k < i; k++)
				assert_int_not_equal(upci_catalogue_event(c, f->term[i].code)->id % 256,
						     upci_catalogue_event(c, f->term[k].code)->id % 256);
	}
	assert_true(seen >= 40);
}

/* As many terms as the machine has devices. */
TEST_WITH(test_net, open_catalogue, close_catalogue)
{
	uint32_t count = upc_catalogue_count(c), code;
	const struct upci_event *e = event("NET_RX_BYTES");
	unsigned devices = 0;

	for (code = 0; code < count; code++) {
		const char *name = upci_catalogue_event(c, code)->name;
		size_t n = strlen(name);

		if (strncmp(name, "net::", 5) || n < 9 || strcmp(name + n - 9, ":rx_bytes"))
			continue;
		devices++;
		assert_int_equal(weight("NET_RX_BYTES", name), 1);
	}
	if (!devices || devices > UPCI_TERMS_MAX) {
		assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
		assert_non_null(e->why);
		return;
	}
	assert_int_equal(e->driver.source, UPC_SOURCE_DERIVED);
	assert_int_equal(e->formula->terms, devices);
	assert_int_equal(e->scope, UPC_SCOPE_MACHINE);
	assert_string_equal(e->unit, "bytes");
}

/* Devices of our own: partitions and stacked disks are left out, sectors are of
 * 512 bytes, and what this machine has stays as it is. */
TEST_WITH(test_disks, open_catalogue, close_catalogue)
{
	static const char *const disks[] = {"sdx",       "sdx1", "sdx12", "sdxy", "nvme7n1",
					    "nvme7n1p2", "dm-0", "md127", "loop7"};
	static const int weights[] = {512, 0, 0, 512, 512, 0, 0, 0, 0};
	char name[80];
	size_t i;

	for (i = 0; i < sizeof(disks) / sizeof(disks[0]); i++) {
		struct upci_event e = {.description = "", .scope = UPC_SCOPE_MACHINE, .id = UPC_NO_ID};

		e.name = upci_catalogue_printf(c, "disk::%s:sectors_read", disks[i]);
		e.driver.source = UPC_SOURCE_FILE;
		e.driver.file.path = "diskstats";
		assert_true(upci_catalogue_put(c, &e) >= 0);
	}
	assert_int_equal(upci_wiring_builtin(c), 0);
	for (i = 0; i < sizeof(disks) / sizeof(disks[0]); i++) {
		snprintf(name, sizeof(name), "disk::%s:sectors_read", disks[i]);
		if (weight("DISK_READ_BYTES", name) != weights[i])
			fail_msg("%s: %ld", disks[i], (long)weight("DISK_READ_BYTES", name));
	}
	assert_int_equal(event("DISK_READ_BYTES")->driver.source, UPC_SOURCE_DERIVED);
}

TEST_WITH(test_too_many_devices, open_catalogue, close_catalogue)
{
	const struct upci_event *e;
	int i;

	for (i = 0; i <= UPCI_TERMS_MAX; i++) {
		struct upci_event one = {.description = "", .scope = UPC_SCOPE_MACHINE, .id = UPC_NO_ID};

		one.name = upci_catalogue_printf(c, "net::many%d:tx_bytes", i);
		one.driver.source = UPC_SOURCE_FILE;
		assert_true(upci_catalogue_put(c, &one) >= 0);
	}
	assert_int_equal(upci_wiring_builtin(c), 0);
	e = event("NET_TX_BYTES");
	assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(e->why, "at most 64 terms"));
	assert_null(e->formula);
}

static void put_perf(const char *name, const char *perf)
{
	struct upci_event e = {.name = name,
			       .description = "",
			       .unit = "events",
			       .id = UPC_NO_ID,
			       .driver = {.source = perf ? UPC_SOURCE_PERF : UPC_SOURCE_NONE,
					  .mul = 1,
					  .div = 1,
					  .perf = perf}};

	assert_true(upci_catalogue_put(c, &e) >= 0);
}

/* With a PMU, here of software events; and with none, whatever this machine has. */
TEST_WITH(test_hardware, open_catalogue, close_catalogue)
{
	needs_perf();
	static const char ratio[] = "CYCLES_PER_1000_INSTRUCTIONS";
	static const char wiring[] = "upc-wiring 1\nevent TOT_INS = perf \"MINOR-FAULTS\"";
	struct upc_unit *unit;
	uint64_t value[4];
	uint32_t code[4];
	char text[100];
	unsigned i, bound = 0;

	put_perf("perf::INSTRUCTIONS", "perf::PAGE-FAULTS");
	put_perf("perf::CYCLES", "perf::CPU-CLOCK");
	assert_int_equal(upci_wiring_builtin(c), 0);
	assert_string_equal(event("TOT_INS")->driver.perf, "perf::PAGE-FAULTS");
	assert_string_equal(event("TOT_INS")->unit, "instructions");
	assert_string_equal(event("TOT_CYC")->driver.perf, "perf::CPU-CLOCK");
	assert_int_equal(event(ratio)->driver.source, UPC_SOURCE_DERIVED);
	assert_int_equal(event(ratio)->kind, UPC_KIND_LEVEL);
	assert_string_equal(event(ratio)->unit, "cycles/1000 instructions");
	upci_formula_print(c, event(ratio)->formula, text, sizeof(text));
	assert_string_equal(text, "(1000*TOT_CYC) / (TOT_INS)");
	/* One counter for both names of an event. */
	code[0] = event_code(c, ratio);
	code[1] = event_code(c, "TOT_INS");
	code[2] = event_code(c, "perf::INSTRUCTIONS");
	code[3] = event_code(c, "TOT_CYC");
	assert_int_equal(upc_unit_create(c, NULL, &unit), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(upc_unit_add(unit, code[i]), 0);
	for (i = 0; i < UPC_COUNTERS; i++) {
		struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);

		assert_int_equal(upc_counter_state(unit, i, &info), 0);
		bound += info.flags & UPC_COUNTER_BOUND;
	}
	assert_int_equal(bound, 2);
	assert_int_equal(upc_unit_start(unit), 0);
	touch_fresh_pages(100);
	assert_int_equal(upc_unit_stop(unit), 0);
	assert_int_equal(upc_unit_read_events(unit, code, 4, value), 0);
	assert_int_equal(value[1], value[2]);
	assert_true(value[1] >= 100);
	assert_int_equal(value[0], 1000 * value[3] / value[1]);
	upc_unit_destroy(unit);
	/* A wiring's own TOT_INS is that of the ratio, and takes a counter. */
	assert_int_equal(upci_wiring_parse(c, wiring, strlen(wiring), "f"), 0);
	assert_int_equal(event(ratio)->formula->term[1].code, code[1]);
	assert_string_equal(event("TOT_INS")->driver.perf, "MINOR-FAULTS");
	assert_int_equal(event("TOT_INS")->same_as, 0);

	put_perf("perf::INSTRUCTIONS", NULL);
	put_perf("perf::CYCLES", NULL);
	assert_int_equal(upci_wiring_builtin(c), 0);
	assert_int_equal(event("TOT_INS")->driver.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(event("TOT_INS")->why, "needs a hardware PMU"));
	assert_non_null(strstr(event("TOT_INS")->why, "(event TOT_INS = ...)"));
	assert_non_null(strstr(event("TOT_INS")->why, "upc_run PROGRAM counts it"));
	assert_null(strstr(event("TOT_CYC")->why, "upc_run"));
	assert_int_equal(event(ratio)->driver.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(event(ratio)->why, "TOT_CYC, TOT_INS, of which it is computed: needs a "
						  "hardware PMU"));
	assert_int_equal(upc_unit_create(c, NULL, &unit), 0);
	assert_int_equal(upc_unit_add(unit, code[0]), UPC_ENOEVENT);
	assert_message("TOT_CYC, TOT_INS");
	upc_unit_destroy(unit);
}

TEST(test_disk_names)
{
	assert_true(upci_disk_is_partition("sda1", "sda"));
	assert_true(upci_disk_is_partition("nvme0n1p12", "nvme0n1"));
	assert_true(upci_disk_is_partition("mmcblk0p1", "mmcblk0"));
	assert_false(upci_disk_is_partition("sda", "sda"));
	assert_false(upci_disk_is_partition("sdab", "sda"));
	assert_false(upci_disk_is_partition("sdb1", "sda"));
	assert_false(upci_disk_is_partition("nvme0n12", "nvme0n1"));
	assert_false(upci_disk_is_partition("nvme0n1p", "nvme0n1"));
	assert_false(upci_disk_is_partition("mmcblk0boot0", "mmcblk0"));
	assert_true(upci_disk_is_virtual("dm-3"));
	assert_true(upci_disk_is_virtual("zram0"));
	assert_false(upci_disk_is_virtual("sdm"));
	assert_false(upci_disk_is_virtual("mmcblk0"));
}

UNIT_TESTS(wiring_builtin, NULL, NULL)
