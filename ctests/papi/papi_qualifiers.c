/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_qualifiers - NAME:cgroup=DIRECTORY and NAME:flexible: what such sets count, their names and
 * codes, and what is refused.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>

#include "../lib/child.h"
#include "papi_util.h"

#define CPUS_MAX 1024
#define MINOR "upc:::perf::MINOR-FAULTS"

/* ---- perf_event_open as the library calls it -------------------------------------- */

static int pinned, not_pinned; /* openings of events of PMUs */

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	static long (*real)(long, ...);
	const struct perf_event_attr *attr;
	long a[6];
	va_list arguments;
	int i;

	va_start(arguments, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	attr = (const struct perf_event_attr *)a[0];
	if (number == SYS_perf_event_open && attr->type != PERF_TYPE_SOFTWARE) {
		pinned += attr->pinned;
		not_pinned += !attr->pinned;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- what the component says ---------------------------------------------------------- */

static int hearing = -1;

static void hear(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 && dup2(ends[1], STDERR_FILENO) >= 0)
		hearing = ends[0];
}

/* The lines since the last call have both. Each is said once. */
static int said(const char *one, const char *other)
{
	static char text[8192];
	ssize_t n = read(hearing, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	if (strstr(text, one) && strstr(text, other))
		return 1;
	note("was said: %s", text);
	return 0;
}

/* ---- control groups ------------------------------------------------------------------- */

static char group[512];

/* Opens what the kernel itself counts of the group on a CPU, or -1. */
static int open_direct(const char *directory, int cpu)
{
	struct perf_event_attr faults = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(faults), .config = PERF_COUNT_SW_PAGE_FAULTS};
	int of = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = (int)syscall(SYS_perf_event_open, &faults, of, cpu, -1,
			      PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);

	close(of);
	return fd;
}

static int make_group(void)
{
	char line[1024], mounted[400], kind[64], options[256];
	FILE *file = fopen("/proc/self/mounts", "re");
	int fd = -1;

	while (file && fd < 0 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %399s %63s %255s", mounted, kind, options) != 3 ||
		    (strcmp(kind, "cgroup2") && (strcmp(kind, "cgroup") || !strstr(options, "perf_event"))))
			continue;
		snprintf(group, sizeof(group), "%s/upc-papi-%d", mounted, (int)getpid());
		if (mkdir(group, 0700))
			continue;
		fd = open_direct(group, 0);
		if (fd < 0)
			rmdir(group);
		else
			close(fd);
	}
	if (file)
		fclose(file);
	return fd >= 0;
}

static void enter_group(size_t pages)
{
	char path[600];
	int fd;

	if (pages != 0) {
		touch_pages(pages);
		return;
	}
	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		_exit(1);
	close(fd);
}

/* A child in the group, whose first steps are behind it. */
static struct child start_member(void)
{
	struct child child;

	if (child_start(&child, enter_group) || !child_work(&child, 0) || !child_work(&child, 10))
		bail_out("no process can be put into %s", group);
	return child;
}

static const char *of_group(const char *event, const char *behind)
{
	static char name[1024];

	snprintf(name, sizeof(name), "%s:cgroup=%s%s", event, group, behind);
	return name;
}

static long long read_direct(const int *fd, int n)
{
	uint64_t value, sum = 0;
	int i;

	for (i = 0; i < n; i++)
		if (read(fd[i], &value, sizeof(value)) == (ssize_t)sizeof(value))
			sum += value;
	return (long long)sum;
}

/* ---- names and codes ------------------------------------------------------------------ */

static int code_of(const char *name)
{
	int code = 0, error = PAPI_event_name_to_code(name, &code);

	return error == PAPI_OK ? code : error;
}

static void *find_code(void *code)
{
	PAPI_register_thread();
	*(int *)code = code_of(FAULTS ":flexible");
	PAPI_unregister_thread();
	return NULL;
}

static void names(void)
{
	const int plain = code_of(FAULTS), flexible = code_of(FAULTS ":flexible");
	const int both = code_of(FAULTS ":flexible:cgroup=/a:b");
	char name[PAPI_MAX_STR_LEN] = "";
	PAPI_event_info_t info;
	pthread_t thread;
	int other = 0;

	ok(flexible != plain && flexible & PAPI_NATIVE_MASK && code_of(FAULTS ":flexible") == flexible,
	   "a name with its qualifier has one code of its own");
	ok(both != flexible && both & PAPI_NATIVE_MASK, "and so has one with both");
	ok(PAPI_event_code_to_name(code_of(FAULTS ":cgroup=/a:b:flexible"), name) == PAPI_OK &&
		   !strcmp(name, FAULTS ":flexible:cgroup=/a:b"),
	   "in either order: %s", name);
	pthread_create(&thread, NULL, find_code, &other);
	pthread_join(thread, NULL);
	ok(other == flexible, "in another thread, too");
	ok(PAPI_event_code_to_name(flexible, name) == PAPI_OK && !strcmp(name, FAULTS ":flexible"),
	   "the code gives the name back: %s", name);
	ok(PAPI_event_code_to_name(both, name) == PAPI_OK && !strcmp(name, FAULTS ":flexible:cgroup=/a:b"),
	   "with colons in the directory: %s", name);
	ok(PAPI_event_code_to_name(plain, name) == PAPI_OK && !strcmp(name, FAULTS), "and plain is plain");
	ok(PAPI_get_event_info(both, &info) == PAPI_OK &&
		   !strcmp(info.symbol, FAULTS ":flexible:cgroup=/a:b") &&
		   strstr(info.long_descr, "control group") && strstr(info.long_descr, "Flexible"),
	   "the description has both: %s", info.long_descr);
	ok(PAPI_get_event_info(plain, &info) == PAPI_OK && !strstr(info.long_descr, "control group") &&
		   !strstr(info.long_descr, "Flexible"),
	   "and a plain one's neither");
}

static void enumeration(void)
{
	int code = PAPI_NATIVE_MASK, after = code_of(FAULTS ":flexible"), next = code_of(FAULTS);
	char name[PAPI_MAX_STR_LEN], plain[PAPI_MAX_STR_LEN];
	int listed = 0, qualified = 0;
	int error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, find_component());

	for (; error == PAPI_OK;
	     error = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, find_component()), listed++)
		if (PAPI_event_code_to_name(code, name) == PAPI_OK)
			qualified += strstr(name, ":flexible") || strstr(name, ":cgroup=");
	ok(listed > 0 && !qualified, "of %d listed events none is qualified", listed);
	ok(PAPI_enum_cmp_event(&after, PAPI_ENUM_EVENTS, find_component()) == PAPI_OK &&
		   PAPI_event_code_to_name(after, name) == PAPI_OK &&
		   PAPI_enum_cmp_event(&next, PAPI_ENUM_EVENTS, find_component()) == PAPI_OK &&
		   PAPI_event_code_to_name(next, plain) == PAPI_OK && !strcmp(name, plain),
	   "behind a qualified event comes what is behind the plain one: %s", name);
	after = code_of(FAULTS ":flexible");
	ok(PAPI_enum_cmp_event(&after, PAPI_NTV_ENUM_UMASKS, find_component()) != PAPI_OK,
	   "and it has no modes");
}

static void refused_names(void)
{
	static char long_name[PAPI_HUGE_STR_LEN + 16] = FAULTS ":cgroup=/";

	ok(code_of(FAULTS ":cgroup=") == PAPI_EINVAL && said("cgroup=", "directory"), "no directory");
	ok(code_of(FAULTS ":cgroup=:flexible") == PAPI_EINVAL, "nor before another qualifier");
	memset(long_name + strlen(long_name), 'a', PAPI_HUGE_STR_LEN - 1 - strlen(long_name));
	ok(code_of(long_name) & PAPI_NATIVE_MASK, "the longest name that PAPI can give back");
	long_name[PAPI_HUGE_STR_LEN - 1] = 'a';
	ok(code_of(long_name) == PAPI_EINVAL && said("1023", "shorter"), "one more is overlong");
	ok(code_of("upc:::perf::NO-SUCH:flexible") == PAPI_ENOEVNT && said("'perf::NO-SUCH'", "no event"),
	   "an event that is not there is named without the qualifier");
	ok(code_of(FAULTS ":flexible=1") < 0 && code_of(FAULTS ":flexible=1") > -100 &&
		   said("flexible=1", ""),
	   "flexible takes no value");
	ok(code_of(FAULTS ":cgroup") < 0 && said(":cgroup", ""), "cgroup takes one");
	ok(code_of(FAULTS ":nonsense=1") < 0 && said("nonsense", ""), "an unknown qualifier");
	ok(code_of(FAULTS ":flexible:nonsense") < 0 && said("nonsense", ""), "... behind one");
}

/* Adding that event to a new set. */
static int add_alone(const char *name)
{
	int set = PAPI_NULL, error;

	PAPI_create_eventset(&set);
	errno = 0;
	error = PAPI_add_named_event(set, name);
	drop(&set);
	return error;
}

static void refused_directories(void)
{
	ok(add_alone(FAULTS ":cgroup=/no/such/group") == PAPI_ESYS && said("/no/such/group", "no such"),
	   "a group that is not there is PAPI_ESYS");
	ok(add_alone(FAULTS ":cgroup=/etc/passwd") == PAPI_EINVAL && said("/etc/passwd", "expected the"),
	   "a file is PAPI_EINVAL");
}

/* ---- sets that agree ------------------------------------------------------------------ */

static void mixed(void)
{
	int set = set_with(FAULTS);

	ok(PAPI_add_named_event(set, MINOR ":flexible") == PAPI_ECNFLCT && said("PAGE-FAULTS", ":flexible"),
	   "a flexible event and one that is not");
	ok(PAPI_add_named_event(set, FAULTS ":flexible") == PAPI_ECNFLCT, "even of the same event");
	ok(PAPI_add_named_event(set, FAULTS ":cgroup=/a") == PAPI_ECNFLCT &&
		   said("PAGE-FAULTS", ":cgroup=/a"),
	   "and one of a control group");
	ok(still_counts(set, 1), "the set is as it was");
	ok(PAPI_remove_named_event(set, FAULTS) == PAPI_OK &&
		   PAPI_add_named_event(set, FAULTS ":flexible") == PAPI_OK && still_counts(set, 1),
	   "an emptied set can be flexible");
	ok(PAPI_add_named_event(set, MINOR) == PAPI_ECNFLCT, "and takes no other event then");
	ok(PAPI_add_named_event(set, MINOR ":flexible") == PAPI_OK && still_counts(set, 2),
	   "but a flexible one");
	drop(&set);
}

/* Openings of an event of a PMU by a set that starts. */
static void open_set(const char *name)
{
	long long value;
	int set;

	pinned = not_pinned = 0;
	set = set_with(name);
	if (PAPI_start(set) == PAPI_OK)
		PAPI_stop(set, &value);
	drop(&set);
}

static void flexible(void)
{
	if (!machine_has_pmu()) {
		skip("this machine has no PMU");
		return;
	}
	open_set("upc:::perf::INSTRUCTIONS");
	ok(pinned > 0 && !not_pinned, "a set opens %d pinned events, and %d others", pinned, not_pinned);
	open_set("upc:::perf::INSTRUCTIONS:flexible");
	ok(not_pinned > 0 && !pinned, "a flexible one %d, and %d others", pinned, not_pinned);
}

/* A flexible set in which events take turns. */
static void flexible_turns(void)
{
	long long values[2] = {0, 0}, n = 0;
	int set = set_with(FAULTS ":flexible");
	clock_t end;

	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	ok(PAPI_set_multiplex(set) == PAPI_OK && PAPI_add_named_event(set, MINOR ":flexible") == PAPI_OK &&
		   PAPI_start(set) == PAPI_OK,
	   "a multiplexed set can be flexible");
	/* Where a page fault is short, a second of the CPU, for enough turns. */
	for (end = clock() + CLOCKS_PER_SEC; n < 100000 || clock() < end; n += 1000)
		touch_pages(1000);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] > n / 2 && values[0] < 2 * n,
	   "and takes turns: %lld of %lld", values[0], n);
	drop(&set);
	unsetenv("UPC_MULTIPLEX_GROUP");
}

/* ---- control groups ------------------------------------------------------------------- */

static void count_group(void)
{
	const int n = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct child child = start_member();
	long long value = -1, before, direct;
	int fd[CPUS_MAX], i, set = set_with(of_group(FAULTS, ""));

	for (i = 0; i < n; i++)
		fd[i] = open_direct(group, i);
	before = read_direct(fd, n);
	ok(set != PAPI_NULL && PAPI_start(set) == PAPI_OK, "a set of a control group starts");
	touch_pages(5000);
	child_work(&child, 700);
	touch_pages(5000);
	ok(PAPI_read(set, &value) == PAPI_OK && about(value, 700), "and counts its member's faults: %lld",
	   value);
	child_work(&child, 300);
	ok(PAPI_stop(set, &value) == PAPI_OK, "stops");
	direct = read_direct(fd, n) - before;
	ok(direct == value && about(value, 1000), "and has the kernel's own count: %lld, %lld", value,
	   direct);
	for (i = 0; i < n; i++)
		close(fd[i]);
	child_end(&child);
	/* The set's options do not change whom it counts. */
	ok(PAPI_remove_named_event(set, of_group(FAULTS, "")) == PAPI_OK &&
		   PAPI_add_named_event(set, FAULTS) == PAPI_OK && still_counts(set, 1),
	   "emptied, it counts its thread again");
	drop(&set);
}

static int of_member(int set, struct child *child)
{
	long long values[8] = {-1};

	if (PAPI_start(set) != PAPI_OK)
		return 0;
	touch_pages(5000);
	child_work(child, 400);
	return PAPI_stop(set, values) == PAPI_OK && about(values[0], 400);
}

static void group_options(void)
{
	PAPI_option_t option = {.inherit = {.inherit = PAPI_INHERIT_ALL}};
	struct child child = start_member();
	int set = set_with(of_group(FAULTS, "")), other;

	ok(PAPI_attach(set, (unsigned long)child.pid) == PAPI_ECNFLCT && said(group, "PAPI_attach"),
	   "it is attached to nobody");
	memset(&option, 0, sizeof(option));
	option.cpu.eventset = set;
	ok(PAPI_set_opt(PAPI_CPU_ATTACH, &option) == PAPI_ECNFLCT, "nor to a CPU");
	memset(&option, 0, sizeof(option));
	option.granularity.eventset = set;
	option.granularity.granularity = PAPI_GRN_SYS;
	ok(PAPI_set_opt(PAPI_GRANUL, &option) == PAPI_ECNFLCT, "nor to the machine");
	option.granularity.granularity = PAPI_GRN_PROC;
	ok(PAPI_set_opt(PAPI_GRANUL, &option) == PAPI_ECNFLCT, "nor to its process");
	ok(of_member(set, &child), "and counts the group as before");
	memset(&option, 0, sizeof(option));
	option.inherit.eventset = set;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	ok(PAPI_set_opt(PAPI_INHERIT, &option) == PAPI_OK && of_member(set, &child),
	   "inheritance changes nothing");
	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	option.domain.domain = PAPI_DOM_USER;
	ok(PAPI_set_opt(PAPI_DOMAIN, &option) == PAPI_OK && of_member(set, &child), "domains go");
	option.domain.domain = PAPI_DOM_KERNEL;
	ok(PAPI_set_opt(PAPI_DOMAIN, &option) == PAPI_OK && !of_member(set, &child), "with it");
	drop(&set);

	other = set_with(FAULTS);
	ok(PAPI_attach(other, (unsigned long)child.pid) == PAPI_OK &&
		   PAPI_remove_named_event(other, FAULTS) == PAPI_OK &&
		   PAPI_add_named_event(other, of_group(FAULTS, "")) == PAPI_ECNFLCT,
	   "an attached set takes none of its events");
	ok(PAPI_add_named_event(other, FAULTS) == PAPI_OK && of_member(other, &child), "and stays attached");
	drop(&other);
	child_end(&child);
}

static void never_called(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
}

static void group_refuses(void)
{
	struct child child = start_member();
	int set = set_with(of_group(FAULTS, ""));

	ok(PAPI_overflow(set, code_of(of_group(FAULTS, "")), 1000, 0, never_called) == PAPI_ENOSUPP &&
		   said("PAGE-FAULTS", ""),
	   "overflow is refused");
	ok(PAPI_add_named_event(set, of_group("upc:::time::real_ns", "")) == PAPI_ENOSUPP &&
		   said("time::real_ns", "control group"),
	   "a clock is");
	ok(PAPI_add_named_event(set, FAULTS) == PAPI_ECNFLCT &&
		   PAPI_add_named_event(set, MINOR) == PAPI_ECNFLCT,
	   "the thread's own events are");
	ok(PAPI_add_named_event(set, of_group(MINOR, ":flexible")) == PAPI_ECNFLCT, "flexible ones are");
	ok(of_member(set, &child), "the set is as it was");
	ok(PAPI_add_named_event(set, of_group(MINOR, "")) == PAPI_OK && of_member(set, &child),
	   "and takes the group's");
	drop(&set);
	set = set_with(of_group(FAULTS, ":flexible"));
	ok(of_member(set, &child), "a flexible set of a group");
	drop(&set);
	ok(add_alone(FAULTS ":cgroup=/tmp") == PAPI_EINVAL &&
		   said("/tmp", "not the directory of a control group"),
	   "a directory of no group is PAPI_EINVAL");
	child_end(&child);
}

static void group_multiplexed(void)
{
	struct child child = start_member();
	int set = set_with(of_group(FAULTS, ""));

	ok(PAPI_set_multiplex(set) == PAPI_OK && of_member(set, &child),
	   "a multiplexed set of a group is exact");
	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	ok(PAPI_add_named_event(set, of_group(MINOR, "")) == PAPI_ENOSUPP &&
		   said("take turns", "control group"),
	   "but takes no turns");
	unsetenv("UPC_MULTIPLEX_GROUP");
	ok(of_member(set, &child), "and counts on");
	drop(&set);
	child_end(&child);
}

static int end_of(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void group_forked(void)
{
	struct child child = start_member();
	int set = set_with(of_group(FAULTS, "")), own;
	pid_t pid = fork();

	if (pid == 0) {
		own = set_with(of_group(FAULTS, ""));
		_exit(of_member(set, &child) && of_member(own, &child) ? 0 : 1);
	}
	ok(end_of(pid) == 0, "a forked child counts the group with the set, and with one of its own");
	ok(of_member(set, &child), "and so does the parent");
	drop(&set);
	child_end(&child);
}

static void group_forbidden(void)
{
	pid_t pid;

	if (geteuid() != 0) {
		skip("only root can be another user");
		return;
	}
	pid = fork();
	if (pid == 0) {
		if (chmod(group, 0755) || setgid(65534) || setuid(65534))
			_exit(2);
		_exit(add_alone(of_group(FAULTS, "")) == PAPI_EPERM ? 0 : 1);
	}
	ok(end_of(pid) == 0 && said(group, "CAP_PERFMON"), "a user without rights has PAPI_EPERM");
}

static void group_gone(void)
{
	int set = set_with(of_group(FAULTS, ""));

	rmdir(group);
	errno = 0;
	ok(PAPI_start(set) == PAPI_ESYS && errno == ESRCH && said(group, "was removed"),
	   "a set of a group that was removed does not start");
	drop(&set);
}

static void restarted(void)
{
	const int code = code_of(FAULTS ":flexible");
	char name[PAPI_MAX_STR_LEN] = "";
	int set;

	PAPI_shutdown();
	start_papi();
	set = set_with(FAULTS ":flexible");
	ok(code & PAPI_NATIVE_MASK && still_counts(set, 1), "after PAPI_shutdown names are found anew");
	ok(PAPI_event_code_to_name(code_of(FAULTS ":flexible"), name) == PAPI_OK &&
		   !strcmp(name, FAULTS ":flexible"),
	   "and given back: %s", name);
	drop(&set);
}

int main(void)
{
	hear();
	start_papi();
	names();
	enumeration();
	refused_names();
	refused_directories();
	mixed();
	flexible();
	flexible_turns();
	if (!machine_counts_cpus() || !make_group()) {
		skip("no control group can be made here that perf events count");
	} else {
		count_group();
		group_options();
		group_refuses();
		group_multiplexed();
		group_forked();
		group_forbidden();
		group_gone();
		rmdir(group);
	}
	restarted();
	PAPI_shutdown();
	return done();
}
