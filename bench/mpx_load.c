/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_load.c - the operations of the load, the events that count each operation, and the operations' order.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "mpx_load.h"

enum { MIXES = 3, OFTEN = 20 };

struct mpx_load {
	uint64_t *done; /* [COUNTED] how often each operation, switch and wake-up happened */
	int wakes;      /* descriptor of a counter of the wake-ups during this thread's time */
	char *page;
	int zero, null, socket;
	struct sockaddr_in address;
	int to_partner[2], from_partner[2];
	pthread_t partner;
	long sink;
};

static void need(bool have, const char *what)
{
	if (have)
		return;
	perror(what);
	exit(1);
}

/* ---- operations ---------------------------------------------------------------------- */

#define CALL(name, ...)                                           \
	static void do_##name(struct mpx_load *load)              \
	{                                                         \
		load->sink += syscall(SYS_##name, ##__VA_ARGS__); \
	}

CALL(getppid)
CALL(getuid)
CALL(geteuid)
CALL(getgid)
CALL(getegid)
CALL(gettid)
CALL(getpgid, 0)
CALL(getsid, 0)
CALL(umask, 022)
CALL(getpriority, PRIO_PROCESS, 0)
CALL(times, NULL)
CALL(getcpu, NULL, NULL, NULL)
CALL(sched_getscheduler, 0)
CALL(sched_get_priority_max, SCHED_OTHER)
CALL(lseek, load->zero, 0L, SEEK_CUR)
CALL(fcntl, load->zero, F_GETFD, 0)
CALL(sched_yield)
/* Signal 0 only checks whether the thread exists. */
CALL(tgkill, getpid(), gettid(), 0)

static void do_uname(struct mpx_load *load)
{
	struct utsname name;

	load->sink += syscall(SYS_uname, &name);
}

static void do_getrusage(struct mpx_load *load)
{
	struct rusage usage;

	load->sink += syscall(SYS_getrusage, RUSAGE_THREAD, &usage);
}

static void do_getitimer(struct mpx_load *load)
{
	struct itimerval timer;

	load->sink += syscall(SYS_getitimer, ITIMER_PROF, &timer);
}

static void do_sysinfo(struct mpx_load *load)
{
	struct sysinfo info;

	load->sink += syscall(SYS_sysinfo, &info);
}

static void do_getresuid(struct mpx_load *load)
{
	uid_t real, effective, saved;

	load->sink += syscall(SYS_getresuid, &real, &effective, &saved);
}

static void do_getcwd(struct mpx_load *load)
{
	char path[4096];

	load->sink += syscall(SYS_getcwd, path, sizeof(path));
}

static void do_pread64(struct mpx_load *load)
{
	char byte;

	load->sink += syscall(SYS_pread64, load->zero, &byte, 1L, 0L);
}

static void do_pwrite64(struct mpx_load *load)
{
	load->sink += syscall(SYS_pwrite64, load->null, "", 1L, 0L);
}

static void do_dup(struct mpx_load *load)
{
	load->sink += syscall(SYS_close, (int)syscall(SYS_dup, load->null));
}

static void do_map(struct mpx_load *load)
{
	char *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	load->sink += munmap(p, 4096);
}

static void do_fault(struct mpx_load *load)
{
	load->sink += madvise(load->page, 4096, MADV_DONTNEED);
	*(volatile char *)load->page = 1;
}

static void do_packet(struct mpx_load *load)
{
	char byte = 0;

	load->sink += syscall(SYS_sendto, load->socket, &byte, 1L, 0, &load->address, sizeof(load->address));
	load->sink += syscall(SYS_recvfrom, load->socket, &byte, 1L, 0, NULL, NULL);
}

static void do_hand_over(struct mpx_load *load)
{
	char byte = 0;

	if (write(load->to_partner[1], &byte, 1) != 1 || read(load->from_partner[0], &byte, 1) != 1)
		abort();
}

static void *partner(void *arg)
{
	struct mpx_load *load = arg;
	char byte;

	while (read(load->to_partner[0], &byte, 1) == 1)
		if (write(load->from_partner[1], &byte, 1) != 1)
			break;
	return NULL;
}

/* ---- the events of each operation ------------------------------------------------------ */

/* clang-format off */
enum operation {
	GETPPID, GETUID, GETEUID, GETGID, GETEGID, GETTID, GETPGID, GETSID, UMASK, GETPRIORITY,
	TIMES, GETCPU, GETSCHEDULER, PRIORITY_MAX, LSEEK, FCNTL, YIELD, TGKILL, UNAME, GETRUSAGE,
	GETITIMER, SYSINFO, GETRESUID, GETCWD, PREAD, PWRITE, DUP, MAP, FAULT, PACKET, HAND_OVER,
	OPERATIONS,
	/* Events with several causes, whose true counts come from the kernel. */
	SWITCHES = OPERATIONS,
	WAKES,
	COUNTED,
};
/* clang-format on */

/* clang-format off */
static void (*const operation[OPERATIONS])(struct mpx_load *load) = {
	[GETPPID] = do_getppid, [GETUID] = do_getuid, [GETEUID] = do_geteuid,
	[GETGID] = do_getgid, [GETEGID] = do_getegid, [GETTID] = do_gettid,
	[GETPGID] = do_getpgid, [GETSID] = do_getsid, [UMASK] = do_umask,
	[GETPRIORITY] = do_getpriority, [TIMES] = do_times, [GETCPU] = do_getcpu,
	[GETSCHEDULER] = do_sched_getscheduler, [PRIORITY_MAX] = do_sched_get_priority_max,
	[LSEEK] = do_lseek, [FCNTL] = do_fcntl, [YIELD] = do_sched_yield, [TGKILL] = do_tgkill,
	[UNAME] = do_uname, [GETRUSAGE] = do_getrusage, [GETITIMER] = do_getitimer,
	[SYSINFO] = do_sysinfo, [GETRESUID] = do_getresuid, [GETCWD] = do_getcwd,
	[PREAD] = do_pread64, [PWRITE] = do_pwrite64, [DUP] = do_dup, [MAP] = do_map,
	[FAULT] = do_fault, [PACKET] = do_packet, [HAND_OVER] = do_hand_over,
};
/* clang-format on */

/* clang-format off */
#define ENTER(name, op) {"tp::syscalls:sys_enter_" name, op}
#define EXIT(name, op) {"tp::syscalls:sys_exit_" name, op}
#define BOTH(name, op) ENTER(name, op), EXIT(name, op)

/* Each event happens once in each operation named in by. The end of a slice itself causes read, ioctl,
 * rt_sigreturn and signals, so these are not in the list. */
static const struct {
	const char *name;
	enum operation by;
} event[] = {
	BOTH("getppid", GETPPID), BOTH("getuid", GETUID), BOTH("geteuid", GETEUID),
	BOTH("getgid", GETGID), BOTH("getegid", GETEGID), BOTH("getpgid", GETPGID),
	BOTH("getsid", GETSID), BOTH("umask", UMASK), BOTH("getpriority", GETPRIORITY),
	BOTH("times", TIMES), BOTH("getcpu", GETCPU), ENTER("sched_getscheduler", GETSCHEDULER),
	ENTER("sched_get_priority_max", PRIORITY_MAX), BOTH("lseek", LSEEK),
	BOTH("fcntl", FCNTL), ENTER("sched_yield", YIELD), BOTH("tgkill", TGKILL),
	BOTH("newuname", UNAME), ENTER("getrusage", GETRUSAGE), ENTER("getitimer", GETITIMER),
	ENTER("sysinfo", SYSINFO), ENTER("getresuid", GETRESUID), BOTH("getcwd", GETCWD),
	BOTH("pread64", PREAD), BOTH("pwrite64", PWRITE), ENTER("dup", DUP), ENTER("close", DUP),
	BOTH("mmap", MAP), BOTH("munmap", MAP), BOTH("madvise", FAULT), BOTH("sendto", PACKET),
	BOTH("recvfrom", PACKET), ENTER("write", HAND_OVER),
	{"tp::exceptions:page_fault_user", FAULT}, {"tp::net:net_dev_queue", PACKET},
	{"tp::net:net_dev_start_xmit", PACKET}, {"tp::net:net_dev_xmit", PACKET},
	{"tp::net:netif_rx", PACKET}, {"tp::net:netif_receive_skb", PACKET},
	{"tp::sched:sched_waking", WAKES},
	{"tp::sched:sched_switch", SWITCHES},
};
/* clang-format on */
_Static_assert(sizeof(event) / sizeof(event[0]) == MPX_LOAD_EVENTS, "64 events");

static uint64_t switches(struct mpx_load *load)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	load->done[GETRUSAGE]++;
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

static uint64_t wakes(const struct mpx_load *load)
{
	uint64_t count = 0;

	need(read(load->wakes, &count, sizeof(count)) == sizeof(count), "a counter of wake-ups");
	return count;
}

/* Open a counter of all wake-ups during this thread's time. Interrupts, too, wake threads, and are counted
 * for the thread that they interrupt. */
static int open_wakes(void)
{
	static const char path[] = "/sys/kernel/tracing/events/sched/sched_waking/id";
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr)};
	FILE *file = fopen(path, "re");
	unsigned long long id = 0;

	need(file && fscanf(file, "%llu", &id) == 1, path);
	fclose(file);
	attr.config = id;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

const char *mpx_load_event(unsigned i)
{
	return event[i].name;
}

uint64_t mpx_load_count(const struct mpx_load *load, unsigned i)
{
	return load->done[event[i].by];
}

/* ---- running --------------------------------------------------------------------------- */

static uint64_t next(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return z ^ (z >> 31);
}

/* Fill the order of a phase's operations: each is in the order once, or OFTEN times. Return the length. */
static unsigned fill_order(uint8_t *order, unsigned mix, bool phased)
{
	unsigned n = 0, round, op;

	for (round = 0; round < (phased ? OFTEN : 1); round++)
		for (op = 0; op < OPERATIONS; op++)
			if (!phased || !round || op % MIXES == mix)
				order[n++] = (uint8_t)op;
	return n;
}

void mpx_load_run(struct mpx_load *load, uint64_t iterations, bool phased, uint64_t seed)
{
	uint8_t order[OPERATIONS * OFTEN];
	uint64_t left = iterations, i;
	uint64_t switched = switches(load), woken = wakes(load);
	unsigned at = 0, n, op, k, mix = 0;

	while (left) {
		/* A phase lasts from a fortieth to an eighth of the run. */
		uint64_t length = phased ? iterations / 40 + next(&seed) % (iterations / 10 + 1) + 1 : left;

		length = length < left ? length : left;
		n = fill_order(order, mix, phased);
		for (i = 0; i < length; i++) {
			op = order[at++ % n];
			operation[op](load);
			load->done[op]++;
			/* Work in user mode, since ticks that interrupt the kernel are dropped. */
			for (k = 0; k < 2000; k++)
				load->sink = load->sink * 5 + 1;
		}
		left -= length;
		mix = (mix + 1 + (unsigned)(next(&seed) % (MIXES - 1))) % MIXES;
	}
	load->done[WAKES] += wakes(load) - woken;
	load->done[SWITCHES] += switches(load) - switched;
}

struct mpx_load *mpx_load_create(unsigned cpu)
{
	struct mpx_load *load = calloc(1, sizeof(*load));
	socklen_t length = sizeof(load->address);
	cpu_set_t one;

	need(load != NULL, "calloc");
	load->done = calloc(COUNTED, sizeof(*load->done));
	need(load->done != NULL, "calloc");
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	need(!sched_setaffinity(0, sizeof(one), &one), "sched_setaffinity");
	load->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(load->page != MAP_FAILED, "mmap");
	load->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	load->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	need(load->zero >= 0 && load->null >= 0, "/dev/zero or /dev/null");
	load->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	load->address.sin_family = AF_INET;
	load->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	need(load->socket >= 0 && !bind(load->socket, (struct sockaddr *)&load->address, length) &&
		     !getsockname(load->socket, (struct sockaddr *)&load->address, &length),
	     "a socket on the loopback device");
	load->wakes = open_wakes();
	need(load->wakes >= 0, "perf_event_open");
	need(!pipe2(load->to_partner, O_CLOEXEC) && !pipe2(load->from_partner, O_CLOEXEC), "pipe2");
	/* The partner inherits this thread's CPU, so each hand-over is a context switch. */
	need(!pthread_create(&load->partner, NULL, partner, load), "pthread_create");
	return load;
}

void mpx_load_destroy(struct mpx_load *load)
{
	close(load->to_partner[1]);
	pthread_join(load->partner, NULL);
	close(load->to_partner[0]);
	close(load->from_partner[0]);
	close(load->from_partner[1]);
	close(load->wakes);
	close(load->socket);
	close(load->zero);
	close(load->null);
	munmap(load->page, 4096);
	free(load->done);
	free(load);
}
