/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine whose CPUs come and go while it is counted. Kernel and /sys are made: groups of a
 * CPU that goes offline are taken apart and keep their counts, as Linux does it.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "../made_sys.h"

enum { EVENTS = 1024, CPUS = 4 };

/* ---- the kernel's side ----------------------------------------------------------------- */

/* By descriptor. */
static struct event {
	bool open, enabled, gone; /* gone: its CPU went offline since */
	int cpu, leader;
	uint64_t count;
} event[EVENTS];
static bool online[CPUS];

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __real_close(int fd);
int __wrap_close(int fd);

static long open_event(const struct perf_event_attr *attr, int cpu, int leader)
{
	int fd;

	if (cpu >= 0 && (cpu >= CPUS || !online[cpu])) {
		errno = ENODEV;
		return -1;
	}
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_in_range(fd, 0, EVENTS - 1);
	event[fd] = (struct event){
		.open = true, .enabled = !attr->disabled, .cpu = cpu, .leader = leader < 0 ? fd : leader};
	return fd;
}

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	take_arguments(a, args);
	va_end(args);
	if (number == SYS_perf_event_open)
		return open_event((const struct perf_event_attr *)a[0], (int)a[2], (int)a[3]);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static bool is_member(int fd, int leader)
{
	return event[fd].open && event[fd].leader == leader && fd != leader;
}

/* PERF_FORMAT_GROUP with both times. Descriptors rise, so they are in the group's order. */
ssize_t __wrap_read(int fd, void *to, size_t n)
{
	uint64_t words[4 + EVENTS] = {1, 1000, 1000, 0};
	int other;

	if (fd < 0 || fd >= EVENTS || !event[fd].open)
		return __real_read(fd, to, n);
	words[3] = event[fd].count;
	for (other = 0; other < EVENTS; other++)
		if (is_member(other, fd))
			words[3 + words[0]++] = event[other].count;
	assert_true(n >= (3 + words[0]) * 8);
	memcpy(to, words, (3 + words[0]) * 8);
	return (ssize_t)(3 + words[0]) * 8;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	if (fd < 0 || !event[fd].open) {
		errno = EBADF;
		return -1;
	}
	event[fd].enabled = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

int __wrap_close(int fd)
{
	if (fd >= 0 && fd < EVENTS)
		event[fd].open = false;
	return __real_close(fd);
}

/* Adds n to the count of each running event on a CPU that is online. */
static void happens(uint64_t n)
{
	int fd;

	for (fd = 0; fd < EVENTS; fd++) {
		struct event *e = &event[fd];

		if (e->open && e->enabled && !e->gone && e->cpu >= 0 && online[e->cpu] &&
		    event[e->leader].enabled)
			e->count += n;
	}
}

static void set_online(const char *list, unsigned mask)
{
	int cpu, fd;

	for (cpu = 0; cpu < CPUS; cpu++)
		online[cpu] = mask >> cpu & 1;
	for (fd = 0; fd < EVENTS; fd++)
		if (event[fd].open && event[fd].cpu >= 0 && !online[event[fd].cpu]) {
			event[fd].gone = true;
			event[fd].leader = fd;
		}
	made_sys_put(list, "devices/system/cpu/online");
}

/* ---- tests ------------------------------------------------------------------------------ */

TEST(test_cpus_come_and_go)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	struct upc_unit_options machine = UPC_OPTIONS_INIT(upc_unit_options);
	uint32_t faults, minor, major;
	struct upc_catalogue *c;
	struct upc_unit *u;

	set_online("0-1\n", 0x3);
	if (upc_catalogue_open(&options, &c))
		fail_msg("%s", upc_last_message());
	faults = event_code(c, "perf::PAGE-FAULTS");
	minor = event_code(c, "perf::MINOR-FAULTS");
	major = event_code(c, "perf::MAJOR-FAULTS");
	machine.context = UPC_CONTEXT_MACHINE;
	assert_int_equal(upc_unit_create(c, &machine, &u), 0);
	assert_int_equal(upc_unit_add(u, faults), 0);
	assert_int_equal(upc_unit_add(u, minor), 0);
	assert_int_equal(upc_unit_start(u), 0);
	happens(10);
	assert_int_equal(event_value(u, faults), 20);

	/* One goes offline: what it has counted stays, and others can be added. */
	set_online("0\n", 0x1);
	assert_int_equal(event_value(u, faults), 20);
	assert_int_equal(event_value(u, minor), 20);
	happens(5);
	if (upc_unit_add(u, major))
		fail_msg("%s", upc_last_message());
	happens(1);
	assert_int_equal(event_value(u, faults), 26);
	assert_int_equal(event_value(u, minor), 26);
	assert_int_equal(event_value(u, major), 1);
	assert_int_equal(upc_unit_stop(u), 0);

	/* Others come, and count from the next start on. */
	set_online("0-2\n", 0x7);
	if (upc_unit_start(u))
		fail_msg("%s", upc_last_message());
	assert_int_equal(event_value(u, faults), 26);
	happens(100);
	assert_int_equal(event_value(u, faults), 326);
	assert_int_equal(event_value(u, minor), 326);
	assert_int_equal(event_value(u, major), 301);
	assert_int_equal(upc_unit_stop(u), 0);
	/* Nothing has changed: nothing is opened anew. */
	assert_int_equal(upc_unit_start(u), 0);
	happens(1);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, major), 304);
	/* As many, and others. */
	set_online("1-3\n", 0xe);
	assert_int_equal(upc_unit_start(u), 0);
	happens(1);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, major), 307);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

int main(void)
{
	return run_own_tests(made_sys_begin, made_sys_end);
}
