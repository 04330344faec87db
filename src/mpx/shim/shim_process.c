/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_process.c - the shim's life cycle in a process: mpx_run's options, the first event set, the end of
 * threads, fork, exec and exit.
 *
 * Terms: shim/shim.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/thread.h"
#include "shim/mpx_elf.h"
#include "shim/shim.h"
#include "shim/shim_exec.h"
#include "shim/shim_real.h"
#include "shim/shim_report.h"
#include "ticker/timer.h"

/* Process id of the owner of the shim's state. A vfork child, which shares the memory, has another pid. */
static pid_t owner;
static atomic_bool no_children = true;

/* Protects ready and the initialisation of libmpx. Taken while no other lock of the shim is held. No
 * signal handler takes it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready;

/* Created in the constructor, before libmpx's key, so that its destructor runs before that of libmpx. */
static pthread_key_t key;
static bool has_key;

/* ---- libmpx -------------------------------------------------------------------------- */

/* Return the number in an environment variable. Return 0 if the variable is unset or invalid: mpx_run sets
 * only valid values, and other values are ignored. */
static uint64_t read_number_variable(const char *name, uint64_t max)
{
	const char *text = getenv(name);
	char *end;
	unsigned long long value;

	if (!text || text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	return errno || *end || value > max ? 0 : value;
}

static int start_shim_library(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	int version = shim_real()->get_opt(PAPI_LIB_VERSION, NULL), error;

	if (PAPI_VERSION_MAJOR(version) != PAPI_VERSION_MAJOR(PAPI_VERSION) ||
	    PAPI_VERSION_MINOR(version) != PAPI_VERSION_MINOR(PAPI_VERSION)) {
		shim_say_once("the program's PAPI is version %d.%d, this mpx_run was built with %d.%d: "
			      "build it with that PAPI",
			      PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
			      PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
		return PAPI_EINVAL;
	}
	options.slice_ns = read_number_variable(SHIM_SLICE, UINT64_MAX);
	options.timer = (enum mpx_timer)read_number_variable(SHIM_TIMER, MPX_TIMER_VIRTUAL);
	options.clock = (enum mpx_clock)read_number_variable(SHIM_CLOCK, MPX_CLOCK_USER);
	options.estimator = (enum mpx_estimator)read_number_variable(SHIM_ESTIMATOR, MPX_ESTIMATOR_COVARIATE);
	options.group_max = (unsigned)read_number_variable(SHIM_GROUP_MAX, UINT32_MAX);
	options.seed = read_number_variable(SHIM_SEED, UINT64_MAX);
	options.covariate = getenv(SHIM_COVARIATE);
	error = mpx_library_init(MPX_ABI_VERSION, &options);
	if (error)
		shim_say("no multiplexing: %s", mpx_last_message());
	else
		shim_report_describe();
	return error;
}

int shim_begin(void)
{
	int error = PAPI_OK;

	pthread_mutex_lock(&lock);
	if (!ready)
		error = start_shim_library();
	ready = ready || !error;
	pthread_mutex_unlock(&lock);
	return error;
}

bool shim_end(void)
{
	bool ended = true;

	pthread_mutex_lock(&lock);
	if (ready) {
		ended = mpx_library_shutdown() == PAPI_OK;
		ready = !ended;
	}
	pthread_mutex_unlock(&lock);
	return ended;
}

bool shim_is_owner(void)
{
	return getpid() == owner;
}

/* ---- threads ------------------------------------------------------------------------- */

static void end_shim_thread(void *unused)
{
	(void)unused;
	shim_forget_thread();
	(void)mpx_thread_end();
}

int shim_watch_thread(void)
{
	return has_key && pthread_setspecific(key, &key) == 0 ? PAPI_OK : PAPI_ENOMEM;
}

/* ---- the end --------------------------------------------------------------------------- */

void shim_report(void)
{
	if (!shim_wants_report() || !shim_is_owner() || !shim_record_any())
		return;
	shim_note_thread();
	shim_report_write(true);
}

void shim_report_quickly(int status)
{
	(void)status;
	if (shim_wants_report() && shim_is_owner() && shim_record_any())
		shim_report_write(false);
}

static void say_if_unused(void)
{
	/* Print nothing in a process that has started others, such as a shell, since its children may
	 * have used PAPI. */
	if (shim_was_used() || shim_is_quiet() || !atomic_load(&no_children) ||
	    read_number_variable(SHIM_FIRST_PROCESS, INT32_MAX) != (uint64_t)getpid())
		return;
	shim_say("no PAPI event set was used%s",
		 shim_real_elsewhere() ? "" : ": does the program call PAPI, from libpapi.so?");
}

void *shim_exec_begins(const char *path)
{
	struct mpxi_timers *timers;

	if (!shim_is_owner())
		return NULL;
	if (!path || access(path, X_OK) == 0)
		shim_report();
	if (!mpxi_self) /* this thread gets no signals of a timer, and exec ends the threads that get them */
		return NULL;
	timers = mpxi_self->timer.timers;
	mpxi_timers_pause(timers);
	return timers;
}

void shim_exec_failed(void *paused)
{
	int saved = errno;

	if (paused)
		mpxi_timers_resume(paused);
	errno = saved;
}

/* Report at exit. Runs after the program's own exit handlers. */
static __attribute__((destructor)) void end_shim_process(void)
{
	if (!shim_is_owner())
		return;
	shim_report();
	say_if_unused();
}

/* ---- fork ------------------------------------------------------------------------------ */

static void own_shim_in_child(void)
{
	owner = getpid();
	pthread_mutex_init(&lock, NULL);
	shim_sets_in_child();
	shim_record_in_child();
}

void shim_has_children(void)
{
	atomic_store(&no_children, false);
}

/* True if PAPI is linked statically into this process's program. mpx_run has checked only the first program,
 * not the programs that this one starts. */
static bool has_papi_inside(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	enum mpx_elf found = MPX_ELF_OK;
	struct stat about;
	void *file;

	if (fd < 0)
		return false;
	if (fstat(fd, &about) == 0 && about.st_size > 0) {
		file = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			found = mpx_elf_check(file, (size_t)about.st_size);
			munmap(file, (size_t)about.st_size);
		}
	}
	close(fd);
	return found == MPX_ELF_STATIC_PAPI;
}

static __attribute__((constructor)) void begin_shim_process(void)
{
	const char *elsewhere;

	owner = getpid();
	shim_say_begin();
	shim_report_begin();
	shim_real_find();
	elsewhere = has_papi_inside() ? "" : shim_real_elsewhere();
	if (elsewhere)
		shim_say("PAPI is linked into '%s' itself: it counts without multiplexing; "
			 "link it with libpapi.so",
			 elsewhere[0] ? elsewhere : program_invocation_name);
	has_key = pthread_key_create(&key, end_shim_thread) == 0;
	(void)pthread_atfork(shim_has_children, NULL, own_shim_in_child);
}
