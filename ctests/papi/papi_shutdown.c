/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_shutdown - PAPI_shutdown while other threads count: nothing of libupc and of the component
 * crashes, and the threads go on. PAPI 7.0 itself does crash: it takes away what their calls look
 * into. Each run is a process of its own, and a crash is judged by the function that it was in.
 */
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "papi_util.h"

#define THREADS 4
#define RUNS 20
/* Rounds of its loop that each thread is to do after the shutdown. */
#define ROUNDS 50
#define FRAMES 32

/* How a process ends. */
enum { ALL_WELL, BROKEN, CRASH_OF_PAPI, HANG_OF_PAPI, CRASH_OF_OURS };

struct counter {
	pthread_t thread;
	int (*set_up)(void);
	void (*go_round)(int set);
	atomic_uint rounds;
	atomic_bool broken;
};

/* ---- whose crash it is ------------------------------------------------------------- */

/* Functions of the component in libpapi. */
static uintptr_t ours, ours_end;

/* The linker lays them side by side; functions of PAPI's have other names. */
static void take_symbols(const char *file, uintptr_t base, const ElfW(Shdr) * section, const ElfW(Shdr) * all)
{
	const ElfW(Sym) *symbol = (const void *)(file + section->sh_offset);
	const char *names = file + all[section->sh_link].sh_offset, *name;
	size_t i, n = section->sh_size / sizeof(*symbol);

	for (i = 0; i < n; i++, symbol++) {
		name = names + symbol->st_name;
		if ((strncmp(name, "upcp_", 5) && strncmp(name, "mpxi_", 5)) || strchr(name, '.') ||
		    ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
			continue;
		if (!ours || base + symbol->st_value < ours)
			ours = base + symbol->st_value;
		if (base + symbol->st_value + symbol->st_size > ours_end)
			ours_end = base + symbol->st_value + symbol->st_size;
	}
}

static void find_ours(void)
{
	const ElfW(Shdr) * section;
	const ElfW(Ehdr) * header;
	struct stat status;
	Dl_info papi;
	char *file;
	int fd, i;

	if (!dladdr((void *)PAPI_library_init, &papi) ||
	    (fd = open(papi.dli_fname, O_RDONLY | O_CLOEXEC)) < 0 || fstat(fd, &status))
		bail_out("libpapi cannot be read");
	file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		bail_out("libpapi cannot be mapped");
	header = (const void *)file;
	section = (const void *)(file + header->e_shoff);
	for (i = 0; i < header->e_shnum; i++)
		if (section[i].sh_type == SHT_SYMTAB)
			take_symbols(file, (uintptr_t)papi.dli_fbase, &section[i], section);
	close(fd);
	if (!ours)
		skip_all("libpapi has no symbol table: %s", papi.dli_fname);
}

enum owner { OF_OTHERS, OF_PAPI, OF_OURS };

static enum owner find_code_owner(void *frame)
{
	uintptr_t at = (uintptr_t)frame;
	Dl_info where;

	if (at >= ours && at < ours_end)
		return OF_OURS;
	if (!dladdr(frame, &where))
		return OF_OTHERS;
	return strstr(where.dli_fname, "/libupc.")    ? OF_OURS
	       : strstr(where.dli_fname, "/libpapi.") ? OF_PAPI
						      : OF_OTHERS;
}

static _Noreturn void end_with(int signal, enum owner owner, void *frame)
{
	if (owner == OF_OURS) {
		fprintf(stderr, "signal %d: libpapi's component + %#tx, or libupc: %p\n", signal,
			(uintptr_t)frame - ours, frame);
		_exit(CRASH_OF_OURS);
	}
	_exit(signal == SIGUSR2 ? HANG_OF_PAPI : owner == OF_PAPI ? CRASH_OF_PAPI : BROKEN);
}

static void on_crash(int signal)
{
	void *frame[FRAMES];
	int n = backtrace(frame, FRAMES), i;

	/* A crash in the C library is attributed to its caller. */
	for (i = 0; i < n && find_code_owner(frame[i]) == OF_OTHERS; i++)
		;
	end_with(signal, i < n ? find_code_owner(frame[i]) : OF_OTHERS, i < n ? frame[i] : NULL);
}

/* A thread that gets no CPU seems to hang as well: only the program counter tells the loop's owner. */
static void on_hang(int signal, siginfo_t *info, void *context)
{
	void *place = (void *)program_counter(context);

	(void)info;
	end_with(signal, find_code_owner(place), place);
}

static void judge_crashes(void)
{
	struct sigaction action = {.sa_handler = on_crash};
	struct sigaction hang = {.sa_sigaction = on_hang, .sa_flags = SA_SIGINFO};
	void *frame[1];

	(void)backtrace(frame, 1); /* loads what it needs */
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGABRT, &action, NULL);
	sigaction(SIGUSR2, &hang, NULL);
}

/* ---- what threads do ---------------------------------------------------------------- */

static int set_of_faults(void)
{
	int set = set_with(FAULTS);

	return set != PAPI_NULL && PAPI_start(set) == PAPI_OK ? set : PAPI_NULL;
}

static void read_it(int set)
{
	long long value[8];

	(void)PAPI_read(set, value);
}

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
}

static int set_of_overflows(void)
{
	int set = set_with(FAULTS), code;

	if (set == PAPI_NULL || PAPI_event_name_to_code(FAULTS, &code) != PAPI_OK ||
	    PAPI_overflow(set, code, 2, 0, on_overflow) != PAPI_OK || PAPI_start(set) != PAPI_OK)
		return PAPI_NULL;
	return set;
}

static void overflow_it(int set)
{
	(void)set;
	touch_pages(20);
}

static int set_of_turns(void)
{
	static const char *const names[] = {FAULTS, "upc:::perf::MINOR-FAULTS", "upc:::perf::MAJOR-FAULTS",
					    "upc:::perf::TASK-CLOCK"};
	PAPI_option_t option = {.multiplex = {.ns = 100000}};
	int set = PAPI_NULL;
	size_t i;

	if (PAPI_create_eventset(&set) || PAPI_assign_eventset_component(set, find_component()))
		return PAPI_NULL;
	option.multiplex.eventset = set;
	option.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
	if (PAPI_set_opt(PAPI_MULTIPLEX, &option))
		return PAPI_NULL;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (PAPI_add_named_event(set, names[i]))
			return PAPI_NULL;
	return PAPI_start(set) == PAPI_OK ? set : PAPI_NULL;
}

static void take_turns(int set)
{
	touch_pages(5);
	read_it(set);
}

/* ---- processes ------------------------------------------------------------------------ */

static void *count_on(void *argument)
{
	struct counter *counter = argument;
	int set = counter->set_up();

	atomic_store(&counter->broken, set == PAPI_NULL);
	for (;;) {
		counter->go_round(set);
		atomic_fetch_add(&counter->rounds, 1);
	}
	return NULL;
}

/* One that hangs is judged where it hangs. */
static void await_rounds(struct counter *counters, unsigned more)
{
	static const struct timespec moment = {.tv_nsec = 1000000};
	unsigned from, i, waited;

	for (i = 0; i < THREADS; i++) {
		from = atomic_load(&counters[i].rounds);
		for (waited = 0; atomic_load(&counters[i].rounds) - from < more; waited++) {
			if (waited == 60000)
				pthread_kill(counters[i].thread, SIGUSR2);
			nanosleep(&moment, NULL);
		}
		if (atomic_load(&counters[i].broken))
			_exit(BROKEN);
	}
}

static _Noreturn void shut_down_beside(int (*set_up)(void), void (*go_round)(int))
{
	static struct counter counters[THREADS];
	unsigned i;

	judge_crashes();
	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	start_papi();
	for (i = 0; i < THREADS; i++) {
		counters[i].set_up = set_up;
		counters[i].go_round = go_round;
		if (pthread_create(&counters[i].thread, NULL, count_on, &counters[i]))
			_exit(BROKEN);
	}
	await_rounds(counters, 2);
	PAPI_shutdown();
	await_rounds(counters, ROUNDS);
	_exit(ALL_WELL);
}

/* A thread that hangs in PAPI takes a minute, and would in each run. */
static void shut_down_often(const char *what, int (*set_up)(void), void (*go_round)(int))
{
	int ended[CRASH_OF_OURS + 1] = {0}, status, i, how;
	pid_t pid;

	for (i = 0; i < RUNS && !ended[HANG_OF_PAPI]; i++) {
		fflush(stdout);
		pid = fork();
		if (pid == 0)
			shut_down_beside(set_up, go_round);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			bail_out("no process can be made");
		how = WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
		ended[how <= CRASH_OF_OURS ? how : BROKEN]++;
	}
	ok(!ended[CRASH_OF_OURS] && !ended[BROKEN],
	   "%s: %d of %d runs crashed in libupc or the component, and %d ended otherwise", what,
	   ended[CRASH_OF_OURS], i, ended[BROKEN]);
	note("PAPI itself crashed in %d of them, and a thread hung outside of ours in %d",
	     ended[CRASH_OF_PAPI], ended[HANG_OF_PAPI]);
}

int main(void)
{
	find_ours();
	shut_down_often("threads that read", set_of_faults, read_it);
	shut_down_often("threads with overflows", set_of_overflows, overflow_it);
	shut_down_often("threads whose events take turns", set_of_turns, take_turns);
	return done();
}
