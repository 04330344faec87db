/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_default.c - the default configuration. It has few counters of each kind: events of the CPUs and of
 * the kernel, and files of /proc and /sys for CPUs and devices. All counters are optional: a counter that is
 * not available on this machine or to this user is shown with the reason.
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_default.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/common.h"

#define DEVICES 8 /* limit of devices of each kind */

/* The events of each CPU. The hardware events are next to each other, so that they are counted together and
 * their rates can be compared. No tracepoint of system calls is included, since it slows down each call of
 * each program. */
static const char *const per_cpu[] = {
	"perf::CPU-CYCLES",    "perf::INSTRUCTIONS",     "perf::CACHE-MISSES",
	"perf::BRANCH-MISSES", "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
	"perf::PAGE-FAULTS",   "perf::MAJOR-FAULTS",     "tp::sched:sched_process_fork",
};

static const char *const per_cpu_file[][2] = {
	{"user", "cpu::cpu{cpu}:user_ns"},       {"system", "cpu::cpu{cpu}:system_ns"},
	{"idle", "cpu::cpu{cpu}:idle_ns"},       {"iowait", "cpu::cpu{cpu}:iowait_ns"},
	{"softirq", "cpu::cpu{cpu}:softirq_ns"}, {"steal", "cpu::cpu{cpu}:steal_ns"},
};

static const char *const of_node[] = {
	"NET_RX_BYTES",
	"NET_TX_BYTES",
	"DISK_READ_BYTES",
	"DISK_WRITE_BYTES",
	"cpu::processes",
	"cpu::procs_running",
	"mem::MemAvailable",
	"vm::pgmajfault",
	"vm::pswpin",
	"vm::pswpout",
	"netstat::TcpExt:TCPTimeouts",
	"psi::cpu:some_total",
	"psi::io:some_total",
	"psi::memory:some_total",
};

/* Add events "HEADdeviceTAIL" of the first devices, except the loopback device. */
static void put_devices(FILE *out, struct upc_catalogue *catalogue, const char *head, const char *tail)
{
	int events = upc_catalogue_count(catalogue), n = 0;

	for (int code = 0; code < events && n < DEVICES; code++) {
		struct upc_event_info info = {.size = sizeof(info)};
		size_t length, end = strlen(tail);

		if (upc_catalogue_info(catalogue, (uint32_t)code, &info) != 0 ||
		    info.source == UPC_SOURCE_NONE)
			continue;
		length = strlen(info.name);
		if (strncmp(info.name, head, strlen(head)) || length <= strlen(head) + end ||
		    strcmp(info.name + length - end, tail) || !strncmp(info.name, "net::lo:", 8) ||
		    strpbrk(info.name, " \t\n\"#\\"))
			continue;
		fprintf(out, "add %s scope=node optional=yes\n", info.name);
		n++;
	}
}

bool serve_default_write(struct upc_catalogue *catalogue, const char *file, uint64_t interval_ns)
{
	FILE *out = fopen(file, "we");
	bool good;

	if (!out) {
		util_error("cannot write %s: %s", file, strerror(errno));
		return false;
	}
	fputs("# What upc_serve counts where no other configuration is given. It is made anew at each start:\n"
	      "# copy it, change the copy, and give that with --config.\n",
	      out);
	fprintf(out, "initialize interval=%" PRIu64 "ms flexible=yes\n", interval_ns / 1000000);
	for (size_t i = 0; i < sizeof(per_cpu) / sizeof(per_cpu[0]); i++)
		fprintf(out, "add %s scope=cpu optional=yes\n", per_cpu[i]);
	for (size_t i = 0; i < sizeof(per_cpu_file) / sizeof(per_cpu_file[0]); i++)
		fprintf(out, "add %s scope=cpu as=%s optional=yes\n", per_cpu_file[i][1], per_cpu_file[i][0]);
	for (size_t i = 0; i < sizeof(of_node) / sizeof(of_node[0]); i++)
		fprintf(out, "add %s scope=node optional=yes\n", of_node[i]);
	put_devices(out, catalogue, "net::", ":rx_bytes");
	put_devices(out, catalogue, "net::", ":tx_bytes");
	put_devices(out, catalogue, "disk::", ":sectors_read");
	put_devices(out, catalogue, "disk::", ":sectors_written");
	fputs("finalize\n", out);
	good = fflush(out) == 0 && !ferror(out);
	if (fclose(out) != 0 || !good) {
		util_error("cannot write %s: %s", file, strerror(errno));
		return false;
	}
	return true;
}
