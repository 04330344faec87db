/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_lazy - PAPI_library_init loads no libupc, nor does a name that is not the component's. An
 * event's name, an enumeration and an event set do, in any thread, beside forks, and again where
 * descriptors ran out. With an older C library PAPI_library_init does. An add and a start read no
 * tracepoint's format, and nor do the number of events and their names; a description does.
 */
#include <fcntl.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include <stdarg.h>
#include <stdatomic.h>

#include "papi_util.h"

static unsigned formats, names_read;

/* In place of the C library's, for libupc as well. */
__attribute__((visibility("default"))) int openat(int directory, const char *path, int flags, ...)
{
	static const char tail[] = "/format";
	size_t n = strlen(path);
	mode_t mode = 0;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		va_list arguments;

		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		va_end(arguments);
	}
	if (n >= sizeof(tail) && !strcmp(path + n - (sizeof(tail) - 1), tail))
		formats++;
	if (strstr(path, "bus/event_source/devices"))
		names_read++;
	return (int)syscall(SYS_openat, directory, path, flags, mode);
}

/* In place of the C library's. */
static const char *libc_version = "2.36";

__attribute__((visibility("default"))) const char *gnu_get_libc_version(void)
{
	return libc_version;
}

static atomic_int to_meet, loading_now, forking_now;

/* Replaces the C library's: a thread that loads libupc waits here until another thread forks. */
__attribute__((visibility("default"))) char *secure_getenv(const char *name)
{
	if (to_meet && !strcmp(name, "UPC_LIBRARY")) {
		loading_now = 1;
		while (!forking_now)
			sched_yield();
		usleep(20000); /* until the fork waits for this thread */
	}
	return getauxval(AT_SECURE) ? NULL : getenv(name);
}

/* Whether libupc is linked into this program: then none is loaded. */
extern int upc_abi_version(void) __attribute__((weak));

static int libupc_is_mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	int mapped = 0;

	while (maps && fgets(line, sizeof(line), maps))
		mapped |= strstr(line, "libupc.so") != NULL;
	if (maps)
		fclose(maps);
	return mapped;
}

/* PAPI as it is before the component is used. */
static int init_papi(void)
{
	int component;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    PAPI_thread_init(pthread_self) != PAPI_OK)
		bail_out("PAPI cannot be initialised");
	component = find_component();
	if (component < 0)
		bail_out("PAPI was built without the upc component");
	return component;
}

static int is_delayed(int component)
{
	return PAPI_get_component_info(component)->disabled == PAPI_EDELAY_INIT && !libupc_is_mapped();
}

static int is_open(int component)
{
	return PAPI_get_component_info(component)->disabled == PAPI_OK &&
	       (upc_abi_version || libupc_is_mapped());
}

/* An event counts in a set of this thread's own. */
static int counts_faults(void)
{
	int set = set_with(faults_event());
	long long value;
	int right = set != PAPI_NULL && PAPI_start(set) == PAPI_OK && PAPI_stop(set, &value) == PAPI_OK;

	if (set != PAPI_NULL)
		drop(&set);
	return right;
}

/* ---- each in a process of its own --------------------------------------------------- */

static int runs_in_child(int (*work)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		alarm(300); /* a lock that nobody lets go */
		_exit(work() ? 0 : 1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static int foreign_names(void)
{
	static const char *const names[] = {"perf::NO-SUCH-EVENT", "PAPI_TOT_CYC",
					    "example:::perf::PAGE-FAULTS"};
	int component = init_papi(), code, right = is_delayed(component);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)PAPI_event_name_to_code(names[i], &code);
	(void)PAPI_query_event(PAPI_TOT_INS);
	return right && is_delayed(component);
}

static int init_anew(void)
{
	int component = init_papi(), right = is_delayed(component);

	PAPI_shutdown();
	component = init_papi();
	right = right && is_delayed(component) && counts_faults() && is_open(component);
	PAPI_shutdown();
	component = init_papi();
	return right && PAPI_get_component_info(component)->disabled == PAPI_EDELAY_INIT && counts_faults();
}

/* perf's own names are found without the rest. */
static int by_name(void)
{
	int component = init_papi(), right = is_delayed(component);
	const PAPI_component_info_t *info = PAPI_get_component_info(component);

	right = right && counts_faults() && is_open(component) && !formats;
	if (machine_counts())
		right = right && !names_read && info->num_native_events == 0;
	return right && use_component(component)->num_native_events > 0 && !formats;
}

static int name_opens_component(const char *name)
{
	int component = init_papi(), code;

	return is_delayed(component) && PAPI_event_name_to_code(name, &code) != PAPI_OK && is_open(component);
}

static int by_wrong_name(void)
{
	return name_opens_component("upc:::NO_SUCH_EVENT");
}

/* PAPI asks all components for it. */
static int by_bare_name(void)
{
	return name_opens_component("NO_SUCH_EVENT");
}

static int by_list(void)
{
	int component = init_papi(), right = is_delayed(component), code = PAPI_NATIVE_MASK;

	return right && PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component) == PAPI_OK &&
	       is_open(component);
}

static int by_set(void)
{
	int component = init_papi(), right = is_delayed(component), set = PAPI_NULL;

	return right && PAPI_create_eventset(&set) == PAPI_OK &&
	       PAPI_assign_eventset_component(set, component) == PAPI_OK && is_open(component) &&
	       PAPI_add_named_event(set, faults_event()) == PAPI_OK && PAPI_start(set) == PAPI_OK;
}

static int by_older_libc(void)
{
	libc_version = "2.35";
	return is_open(init_papi()) && counts_faults();
}

/* A program that chooses a script before the first use gets what it plays. */
static int by_late_source(void)
{
	static const char script[] = "upc-trace 1\nc 1000 0@10/3\ns\nc 500 0\n";
	char path[] = "/tmp/papi_lazy-XXXXXX", source[sizeof(path) + 8];
	int component = init_papi(), fd = mkstemp(path), set;
	long long value = 0;

	snprintf(source, sizeof(source), "replay:%s", path);
	if (!is_delayed(component) || write(fd, script, strlen(script)) != (ssize_t)strlen(script) ||
	    setenv("UPC_SOURCE", source, 1))
		return 0;
	set = set_with("upc:::PU0_JPIPE_INSTRUCTIONS");
	unlink(path);
	return PAPI_start(set) == PAPI_OK && PAPI_read(set, &value) == PAPI_OK && value == 300;
}

/* A default domain that the component does not keep is reported on standard error. */
static int with_domain(void)
{
	char said[4096] = "";
	int component, fd = memfd_create("said", MFD_CLOEXEC), kept;

	unsetenv("UPC_QUIET");
	component = init_papi();
	if (dup2(fd, STDERR_FILENO) < 0 ||
	    PAPI_set_cmp_domain(PAPI_DOM_USER | PAPI_DOM_KERNEL, component) != PAPI_OK)
		return 0;
	kept = use_component(component)->default_domain != PAPI_DOM_USER;
	return pread(fd, said, sizeof(said) - 1, 0) >= 0 &&
	       kept != (strstr(said, "PAPI_set_cmp_domain") != NULL);
}

/* ---- threads ----------------------------------------------------------------------------- */

static pthread_barrier_t together;

static void *count_with_others(void *arg)
{
	pthread_barrier_wait(&together);
	return counts_faults() ? arg : (void *)1;
}

static int by_threads(void)
{
	pthread_t threads[4];
	void *failed;
	int i, right = 1;

	init_papi();
	pthread_barrier_init(&together, NULL, 4);
	for (i = 0; i < 4; i++)
		right &= pthread_create(&threads[i], NULL, count_with_others, NULL) == 0;
	for (i = 0; i < 4; i++)
		right &= pthread_join(threads[i], &failed) == 0 && !failed;
	return right;
}

/* Uses the component with a cancellation pending: the first opening of a file would act on it. */
static void *list_cancelled(void *arg)
{
	int *component = arg;

	if (PAPI_register_thread() != PAPI_OK)
		return arg;
	pthread_cancel(pthread_self());
	(void)use_component(*component);
	return NULL;
}

static int by_cancelled_thread(void)
{
	int component = init_papi();
	pthread_t thread;

	return pthread_create(&thread, NULL, list_cancelled, &component) == 0 &&
	       pthread_join(thread, NULL) == 0 && is_open(component) && counts_faults();
}

static atomic_int opening_now, opened_now;

/* Looks for a name that no event has, which reads all names. PAPI takes no lock for this call; it
 * does not hold its lock across forks. */
static void *open_beside_forks(void *arg)
{
	int code, registered = PAPI_register_thread();

	opening_now = 1;
	if (registered == PAPI_OK)
		(void)PAPI_event_name_to_code("upc:::NO_SUCH_EVENT", &code);
	opened_now = 1;
	return arg;
}

/* A child that is forked at any moment of the first use can use the component itself. */
static int beside_forks(void)
{
	int right = 1, n = 0;
	pthread_t thread;

	init_papi();
	if (pthread_create(&thread, NULL, open_beside_forks, NULL))
		return 0;
	while (!opening_now)
		sched_yield();
	do
		right &= runs_in_child(counts_faults);
	while (!opened_now && ++n < 200);
	return pthread_join(thread, NULL) == 0 && right && counts_faults();
}

static atomic_int handled;

/* Runs before a fork, after the component's own handler. */
static void use_in_handler(void)
{
	int code;

	(void)PAPI_event_name_to_code(faults_event(), &code);
	handled = 1;
}

static void tell_of_fork(void)
{
	forking_now = 1;
}

/* A fork does not deadlock when a handler uses the component while another thread opens it. */
static int in_fork_handler(void)
{
	pthread_t thread;
	int right;

	pthread_atfork(use_in_handler, NULL, NULL);
	init_papi();
	pthread_atfork(tell_of_fork, NULL, NULL);
	to_meet = 1;
	if (pthread_create(&thread, NULL, open_beside_forks, NULL))
		return 0;
	while (!loading_now)
		sched_yield();
	right = runs_in_child(counts_faults);
	return pthread_join(thread, NULL) == 0 && right && handled && counts_faults();
}

/* ---- descriptors ------------------------------------------------------------------------- */

static struct rlimit limit;

static void leave_no_descriptor(void)
{
	struct rlimit none;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = (rlim_t)fd;
	setrlimit(RLIMIT_NOFILE, &none);
}

static int without_descriptors(void)
{
	int component = init_papi(), code, set = PAPI_NULL, listed = PAPI_NATIVE_MASK, right;

	leave_no_descriptor();
	right = PAPI_event_name_to_code(faults_event(), &code) != PAPI_OK;
	right = right && PAPI_enum_cmp_event(&listed, PAPI_ENUM_FIRST, component) != PAPI_OK;
	right = right && PAPI_create_eventset(&set) == PAPI_OK &&
		PAPI_assign_eventset_component(set, component) == PAPI_OK;
	(void)PAPI_attach(set, (unsigned long)getpid());
	(void)PAPI_start(set);
	(void)PAPI_reset(set);
	setrlimit(RLIMIT_NOFILE, &limit);
	if (!right || PAPI_attach(set, (unsigned long)getpid()) != PAPI_OK ||
	    PAPI_add_named_event(set, faults_event()) != PAPI_OK || !still_counts(set, 1))
		return 0;
	return counts_faults() && use_component(component)->num_native_events > 0;
}

/* The path is so long that the reason has no room for the error. */
static int without_descriptors_far(void)
{
	const char *library = getenv("UPC_LIBRARY");
	char path[2048] = "/";

	if (upc_abi_version || !library)
		return without_descriptors();
	while (strlen(path) < sizeof(path) / 2)
		strcat(path, "./");
	strncat(path, library, sizeof(path) - strlen(path) - 1);
	return setenv("UPC_LIBRARY", path, 1) == 0 && without_descriptors();
}

/* The name is found; the list of all needs descriptors. */
static int list_without_descriptors(void)
{
	int component = init_papi(), right = counts_faults(), code = PAPI_NATIVE_MASK;

	leave_no_descriptor();
	if (machine_counts())
		right = right && PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK;
	setrlimit(RLIMIT_NOFILE, &limit);
	return right && use_component(component)->num_native_events > 0 && counts_faults();
}

/* ---- what is read ---------------------------------------------------------------------- */

/* The number of events that are listed; *tracepoint is the last plain one of the kernel's. */
static int count_names(int component, int *tracepoint)
{
	int code = PAPI_NATIVE_MASK, n = 0, error;
	char name[PAPI_HUGE_STR_LEN];

	for (error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); error == PAPI_OK;
	     error = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		n += PAPI_event_code_to_name(code, name) == PAPI_OK;
		if (!strncmp(name, "upc:::tp::sched:sched_switch", 28))
			*tracepoint = code;
	}
	return n;
}

static void files_read(void)
{
	int component = init_papi(), tracepoint = 0, n;
	PAPI_event_info_t info;

	ok(formats == 0 && names_read == 0, "PAPI_library_init reads %u formats", formats);
	ok(counts_faults(), "an event counts");
	ok(formats == 0, "so far %u formats are read", formats);
	n = count_names(component, &tracepoint);
	ok(n == PAPI_get_component_info(component)->num_native_events,
	   "%d names, as many as the component says", n);
	ok(formats == 0, "so far %u formats are read", formats);
	if (tracepoint) {
		ok(PAPI_get_event_info(tracepoint, &info) == PAPI_OK && strstr(info.long_descr, "prev_comm"),
		   "a description has the fields: %s", info.long_descr);
		ok(formats == 1, "which are in one format: %u", formats);
	} else {
		skip("a description has the fields: no tracepoints for this user");
	}
	PAPI_shutdown();
}

int main(void)
{
	static const struct {
		int (*work)(void);
		const char *what;
		int times;
	} first_uses[] = {
		{foreign_names, "names that are not the component's load nothing", 1},
		{init_anew, "PAPI is initialised anew", 1},
		{by_name, "a name opens it", 1},
		{by_wrong_name, "so does a wrong name behind its prefix", 1},
		{by_bare_name, "so does a name that no component has", 1},
		{by_list, "the list of events opens it", 1},
		{by_set, "an event set opens it", 1},
		{by_older_libc, "PAPI_library_init opens it with glibc 2.35", 1},
		{by_late_source, "so does a set of a script that is chosen late", 1},
		{with_domain, "a domain that cannot be counted is taken back, and told", 1},
		{by_threads, "four threads at once open it", 10},
		{by_cancelled_thread, "a thread that is being cancelled opens it", 1},
		{beside_forks, "children that are forked meanwhile count", 3},
		{in_fork_handler, "a handler before a fork uses it meanwhile", 1},
		{without_descriptors, "it opens when there are descriptors again", 1},
		{without_descriptors_far, "also where its path is long", 1},
		{list_without_descriptors, "so does the list", 1},
	};
	size_t i;
	int n;

	setenv("UPC_QUIET", "1", 1);
	for (i = 0; i < sizeof(first_uses) / sizeof(first_uses[0]); i++) {
		for (n = 0; n < first_uses[i].times && runs_in_child(first_uses[i].work); n++)
			;
		ok(n == first_uses[i].times, "%s", first_uses[i].what);
	}
	files_read();
	return done();
}
