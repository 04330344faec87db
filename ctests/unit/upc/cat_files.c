/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_files.c - the catalogue of /proc: this machine's, and texts of machines
 * that are not here: 512 CPUs, 200 interfaces, odd names, other kernels.
 */
#include "catalogue/cat_files.h"
#include "procfs/files.h"

#include "catalogue_test.h"

static void add(enum upci_root root, const char *path, const char *text)
{
	assert_int_equal(upci_catalogue_add_file_text(c, root, path, text, strlen(text)), 0);
}

static bool there(const char *name)
{
	return upci_catalogue_lookup(c, name) >= 0;
}

/* The event's value in its file's text. */
static uint64_t value_in(const char *name, const char *text)
{
	uint64_t value = 0;

	if (!upci_field_find(text, strlen(text), &event(name)->driver, &value))
		fail_msg("%s is not in the text", name);
	return value;
}

static void is(const char *name, enum upc_kind kind, enum upc_scope scope, const char *unit)
{
	const struct upci_event *e = event(name);

	assert_int_equal(e->kind, kind);
	assert_int_equal(e->scope, scope);
	assert_string_equal(e->unit, unit);
}

TEST_WITH(this_machine, open_catalogue, close_catalogue)
{
	struct upci_files *files;
	unsigned n = 0;

	assert_int_equal(upci_files_create(getpid(), gettid(), &files), 0);
	for (uint32_t code = 0; code < upc_catalogue_count(c); code++) {
		const struct upci_event *e = upci_catalogue_event(c, code);
		int handle;

		if (e->driver.source != UPC_SOURCE_FILE)
			continue;
		n++;
		assert_true(strlen(e->description) > 20 && *e->unit && *e->subsystem);
		assert_true(strlen(e->name) < UPC_NAME_MAX && strstr(e->name, "::"));
		handle = upci_files_add(files, &e->driver);
		/* A sensor may be there and not answer. */
		if (handle < 0 && e->driver.file.root != UPCI_ROOT_SYS)
			fail_msg("%s: %s", e->name, upc_last_message());
		upci_files_remove(files, handle);
	}
	upci_files_destroy(files);
	assert_true(n >= 350);
}

TEST_WITH(kinds, open_catalogue, close_catalogue)
{
	is("vm::pgfault", UPC_KIND_COUNT, UPC_SCOPE_MACHINE, "faults");
	is("vm::nr_free_pages", UPC_KIND_LEVEL, UPC_SCOPE_MACHINE, "pages");
	is("vm::nr_dirtied", UPC_KIND_COUNT, UPC_SCOPE_MACHINE, "pages");
	is("mem::MemFree", UPC_KIND_LEVEL, UPC_SCOPE_MACHINE, "bytes");
	is("cpu::user_ns", UPC_KIND_COUNT, UPC_SCOPE_MACHINE, "ns");
	is("cpu::cpu0:user_ns", UPC_KIND_COUNT, UPC_SCOPE_CPU, "ns");
	is("cpu::procs_running", UPC_KIND_LEVEL, UPC_SCOPE_MACHINE, "tasks");
	is("task::minflt", UPC_KIND_COUNT, UPC_SCOPE_THREAD, "faults");
	is("process::minflt", UPC_KIND_COUNT, UPC_SCOPE_PROCESS, "faults");
	is("process::VmRSS", UPC_KIND_LEVEL, UPC_SCOPE_PROCESS, "bytes");
	is("time::real_ns", UPC_KIND_COUNT, UPC_SCOPE_MACHINE, "ns");
	is("time::thread_cpu_ns", UPC_KIND_COUNT, UPC_SCOPE_THREAD, "ns");
	is("time::wall_ns", UPC_KIND_LEVEL, UPC_SCOPE_MACHINE, "ns");
	assert_false(there("process::voluntary_ctxt_switches")); /* would be one thread's */
}

TEST_WITH(vmstat_of_another_kernel, open_catalogue, close_catalogue)
{
	static const char text[] = "tst_count 5\nnr_tst_level 6\nbad x\n\nlonely\npgtst 7";

	add(UPCI_ROOT_PROC, "vmstat", text);
	is("vm::tst_count", UPC_KIND_COUNT, UPC_SCOPE_MACHINE, "events");
	is("vm::nr_tst_level", UPC_KIND_LEVEL, UPC_SCOPE_MACHINE, "pages");
	assert_int_equal(value_in("vm::tst_count", text), 5);
	assert_int_equal(value_in("vm::pgtst", text), 7);
	assert_non_null(strstr(event("vm::tst_count")->description, "tst_count"));
	assert_false(there("vm::bad"));
	assert_false(there("vm::lonely"));
}

TEST_WITH(cpus_512, open_catalogue, close_catalogue)
{
	size_t size = 1u << 20, n;
	char *text = malloc(size);
	long tick = 1000000000 / sysconf(_SC_CLK_TCK);

	n = (size_t)snprintf(text, size, "cpu 1 1 1 1 1 1 1 1 1 1\n");
	for (int cpu = 0; cpu < 512; cpu++)
		n += (size_t)snprintf(text + n, size - n, "cpu%d %d 2 3 4 5 6 7 8 9 10\n", 9000 + cpu, cpu);
	add(UPCI_ROOT_PROC, "stat", text);
	assert_int_equal(value_in("cpu::cpu9511:user_ns", text), 511 * tick);
	assert_int_equal(value_in("cpu::cpu9000:guest_nice_ns", text), 10 * tick);
	assert_int_equal(event("cpu::cpu9000:user_ns")->scope, UPC_SCOPE_CPU);
	n = 0;
	for (int cpu = 0; cpu < 512; cpu++)
		n += (size_t)snprintf(text + n, size - n, "  CPU%d", cpu);
	n += (size_t)snprintf(text + n, size - n, "\n TST:");
	for (int cpu = 0; cpu < 512; cpu++)
		n += (size_t)snprintf(text + n, size - n, "  %d", cpu);
	n += (size_t)snprintf(text + n, size - n, "   Tests of the interrupt\n 77:");
	for (int cpu = 0; cpu < 512; cpu++)
		n += (size_t)snprintf(text + n, size - n, "  2");
	snprintf(text + n, size - n,
		 "  IR-PCI-MSI 512-edge      tst dev-rx/0\n 78:  1  chip  9-edge\nTER: 4\n");
	add(UPCI_ROOT_PROC, "interrupts", text);
	assert_int_equal(value_in("irq::TST", text), 511 * 512 / 2);
	assert_non_null(strstr(event("irq::TST")->description, "Tests of the interrupt"));
	assert_int_equal(value_in("irq::tst_dev-rx_0", text), 1024);
	assert_int_equal(value_in("irq::TER", text), 4);
	assert_false(there("irq::78"));
	free(text);
}

TEST_WITH(interfaces_200, open_catalogue, close_catalogue)
{
	size_t size = 1u << 16, n;
	char *text = malloc(size);

	n = (size_t)snprintf(text, size, "Inter-| Receive | Transmit\n face |bytes packets|bytes packets\n");
	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, size - n, " tst%d: %d 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
				      i, 1000 + i);
	snprintf(text + n, size - n,
		 "t=1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
		 "(t): 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
		 "t*s:99 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
		 "t?s: 98 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\ncut: 1 2");
	add(UPCI_ROOT_PROC, "net/dev", text);
	assert_int_equal(value_in("net::tst199:rx_bytes", text), 1199);
	assert_int_equal(value_in("net::tst0:tx_compressed", text), 16);
	/* Two names that become the same stay two events. */
	assert_int_equal(value_in("net::t_s:rx_bytes", text), 99);
	assert_int_equal(value_in("net::t_s:rx_bytes.2", text), 98);
	assert_true(there("net::cut:rx_packets"));
	assert_false(there("net::cut:rx_errs"));
	assert_false(there("net::t:rx_bytes"));
	free(text);
}

TEST_WITH(protocols, open_catalogue, close_catalogue)
{
	static const char text[] = "Tst: RtoMin Octets CurrTst\nTst: 200 5 -1\nIcmpMsg: InType3\nIcmpMsg: 1\n"
				   "Odd: A B\nEven: 1 2\nLast: A B\nLast: 7";
	static const char sockets[] = "TSTP: inuse 3 mem 9\n";

	add(UPCI_ROOT_PROC, "net/snmp", text);
	assert_int_equal(value_in("snmp::Tst:Octets", text), 5);
	assert_string_equal(event("snmp::Tst:Octets")->unit, "bytes");
	assert_int_equal(value_in("snmp::Last:A", text), 7);
	assert_false(there("snmp::Last:B"));
	assert_false(there("snmp::IcmpMsg:InType3"));
	assert_false(there("snmp::Odd:A"));
	assert_false(there("snmp::Even:1"));
	is("snmp::Tcp:CurrEstab", UPC_KIND_LEVEL, UPC_SCOPE_MACHINE, "connections");
	assert_false(there("snmp::Tcp:MaxConn"));
	add(UPCI_ROOT_PROC, "net/sockstat", sockets);
	assert_int_equal(value_in("sock::TSTP:mem", sockets), 9);
	assert_int_equal(event("sock::TSTP:mem")->kind, UPC_KIND_LEVEL);
}

TEST_WITH(disks, open_catalogue, close_catalogue)
{
	static const char text[] = "   7  0 loop77 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
				   "   7  1 loop78 1 0 0 0 0 0 0 0 0 0 0\n"
				   " 104  0 tst/c0d0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
				   " 104  1 t:x 1 2 3 4 5 6 7 8 9 10 11\n";

	add(UPCI_ROOT_PROC, "diskstats", text);
	assert_false(there("disk::loop77:reads"));
	assert_true(there("disk::loop78:reads"));
	assert_false(there("disk::loop78:flushes"));
	assert_int_equal(value_in("disk::tst_c0d0:sectors_written", text), 7);
	assert_int_equal(value_in("disk::tst_c0d0:flush_ms", text), 17);
	is("disk::tst_c0d0:inflight", UPC_KIND_LEVEL, UPC_SCOPE_MACHINE, "requests");
	is("disk::tst_c0d0:io_ms", UPC_KIND_COUNT, UPC_SCOPE_MACHINE, "ms");
	assert_false(there("disk::t:reads"));
}

TEST_WITH(fractions, open_catalogue, close_catalogue)
{
	static const char psi[] = "some avg10=1.25 avg60=0.00 avg300=0.00 total=77\n";

	add(UPCI_ROOT_PROC, "pressure/irq", psi);
	is("psi::irq:some_total", UPC_KIND_COUNT, UPC_SCOPE_MACHINE, "us");
	assert_int_equal(value_in("psi::irq:some_total", psi), 77);
	assert_int_equal(value_in("psi::irq:some_avg10", psi), 125);
	assert_int_equal(value_in("cpu::load1", "1.50 0.00 0.00 2/88 8442\n"), 1500);
	assert_int_equal(value_in("time::uptime_ns", "12.34 5.6\n"), 12340000000);
	is("cpu::load1", UPC_KIND_LEVEL, UPC_SCOPE_MACHINE, "1/1000 tasks");
}

TEST_WITH(scheduler, open_catalogue, close_catalogue)
{
	static const char text[] = "version 15\ntimestamp 1\ncpu900 1 0 3 4 5 6 7 8 9\ndomain0 1 2 3\n";
	static const char old[] = "version 14\ncpu901 1 0 3 4 5 6 7 8 9\n";
	static const char task[] = "x (1, #threads: 1)\n---\nse.statistics.wait_sum : 1.5\n";

	add(UPCI_ROOT_PROC, "schedstat", text);
	add(UPCI_ROOT_PROC, "schedstat", old);
	assert_int_equal(value_in("sched::cpu900:run_delay_ns", text), 8);
	assert_false(there("sched::cpu901:run_delay_ns"));
	add(UPCI_ROOT_TASK, "sched", task);
	assert_true(there("task::wait_ns"));
}

/* Half a text, noise, and nothing are no errors. */
TEST_WITH(broken_texts, open_catalogue, close_catalogue)
{
	static const char *const paths[] = {
		"stat",      "vmstat",       "meminfo",     "interrupts", "softirqs",
		"net/dev",   "net/snmp",     "net/netstat", "net/snmp6",  "net/sockstat",
		"diskstats", "pressure/cpu", "loadavg",     "schedstat",
	};
	char noise[400];

	srandom(7);
	for (unsigned i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char *text = upci_file_slurp(UPCI_ROOT_PROC, paths[i], NULL);

		add(UPCI_ROOT_PROC, paths[i], "");
		add(UPCI_ROOT_PROC, paths[i], "\n\n");
		if (text) {
			size_t length = strlen(text);

			text[(size_t)random() % (length / 3 + 1)] = '\0';
			add(UPCI_ROOT_PROC, paths[i], text);
		}
		free(text);
		for (int round = 0; round < 50; round++) {
			for (size_t j = 0; j < sizeof(noise) - 1; j++)
				noise[j] = " :=()\n\t-.09aZ\x80"[(size_t)random() % 14];
			noise[sizeof(noise) - 1] = '\0';
			add(UPCI_ROOT_PROC, paths[i], noise);
		}
	}
	assert_int_equal(upci_catalogue_add_file_text(c, UPCI_ROOT_PROC, "nothing", "", 0), UPC_EINVAL);
}

UNIT_TESTS(cat_files, NULL, NULL)
