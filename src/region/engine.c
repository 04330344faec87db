/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine.c - the state of the process: its names, its threads, fork, exec and the end.
 *
 * A thread's state is changed by the thread alone, without a lock. The thread that ends the program (or
 * reports before an exec) sets stage, has the kernel put a barrier into all threads (membarrier), and
 * waits until each is out of its call. A start of a region thus needs no separate barrier, unless the
 * kernel has no membarrier.
 * Terms: region/region.h.
 */
#include "region/region.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "region/names.h"
#include "region/path.h"
#include "region/record.h"
#include "region/report.h"
#include "region/settings.h"
#include "region/thread.h"
#include "region/whole.h"

/* FORKED is 0: the kernel zeroes the word in a child that was made without the C library's fork. */
enum { FORKED, RUNS, PAUSES, IS_OVER };

/* Ended threads that keep a separate result; results of later ones are merged. */
#define ENDED_MAX 1024
#define WAIT_NS 1000000000u

/* Initial-exec: a thread's block exists from its start, since a signal handler may be the first to touch
 * it. */
static _Thread_local struct upcr_thread *self __attribute__((tls_model("initial-exec")));
static _Thread_local volatile int making __attribute__((tls_model("initial-exec")));
static _Thread_local int gone __attribute__((tls_model("initial-exec")));

static atomic_int first_stage = RUNS;
static atomic_int *stage = &first_stage; /* enum above; paired with the load in thread_of_call */
static bool fences;                      /* there is no membarrier; set at the start */

static struct upcr_settings settings;
static struct upcr_names names;
static atomic_bool started; /* names is initialised; paired with the load in upcr_name */
static pthread_once_t whole_once = PTHREAD_ONCE_INIT, once = PTHREAD_ONCE_INIT,
		      fork_again_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pid_t owner;
static bool child;
static struct timespec begun_at;
static uint64_t begun;

/* Protects the variables below. It is the outermost lock; allocation nests in it. No handler takes it: a
 * thread that holds it is in a call, and calls from handlers are then left out. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct upcr_thread *threads; /* threads that have not ended */
static unsigned serials;
static struct upcr_result *ended, *others;
static unsigned ended_count;
static atomic_ulong missed_making;    /* calls from handlers while their thread's state was being made */
static bool used;                     /* a region was started or a front end called */
static int cancellable;               /* cancel state of the lock's holder before it took the lock */
static struct upcr_notes ended_notes; /* notes of threads that have ended */
static struct upcr_notes notes;       /* notes of all threads, at the end */
static char clock_name[128];
static char path[4096 + 64]; /* file that was written last */
static unsigned forks;       /* forks since the program's start: 2 in a child's child */
static atomic_uint recorded; /* names that are in the record; changed with names.lock held */
static int exit_status;

/* Called by the thread that ends the program. */
static void (*_Atomic at_finish[8])(void);

void upcr_say(const char *format, ...)
{
	static const char prefix[] = "upc_regions: ";
	char line[1024];
	int saved = errno, n;
	va_list arguments;
	ssize_t written;

	memcpy(line, prefix, sizeof(prefix));
	va_start(arguments, format);
	n = vsnprintf(line + sizeof(prefix) - 1, sizeof(line) - sizeof(prefix) - 1, format, arguments);
	va_end(arguments);
	if (n < 0)
		return;
	for (n = 0; line[n]; n++)
		if ((unsigned char)line[n] < ' ' || line[n] == 0x7f)
			line[n] = '?';
	line[n++] = '\n';
	written = write(STDERR_FILENO, line, (size_t)n);
	(void)written;
	errno = saved;
}

/* The simulator recognises libraries that export this function, and counts their work for no region. */
__attribute__((visibility("default"))) void upc_region_marks(void);
void upc_region_marks(void)
{
}

bool upcr_is_owner(void)
{
	return getpid() == owner;
}

/* ---- the lock ----------------------------------------------------------------------------- */

/* Take the lock with cancellation disabled: a thread that is cancelled while it opens or writes files would
 * keep the lock and leave its state half made. */
static void take_lock(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	pthread_mutex_lock(&lock);
	cancellable = before;
}

/* Take the lock within WAIT_NS. False if its holder never releases it, as when a handler has jumped out of a
 * call. */
static bool take_lock_in_time(void)
{
	struct timespec until;
	int before, error;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	do {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += WAIT_NS / 1000000000u;
		error = pthread_mutex_timedlock(&lock, &until);
	} while (error && atomic_load(stage) != RUNS); /* the holder writes the report */
	if (error)
		pthread_setcancelstate(before, NULL);
	else
		cancellable = before;
	return !error;
}

static bool try_lock(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	if (pthread_mutex_trylock(&lock) == 0) {
		cancellable = before;
		return true;
	}
	pthread_setcancelstate(before, NULL);
	return false;
}

static void give_lock(void)
{
	int before = cancellable;

	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(before, NULL);
}

/* ---- notes ------------------------------------------------------------------------------- */

static void add_missed_locked(struct upcr_notes *to, const struct upcr_thread *thread)
{
	unsigned long missed = atomic_load(&thread->missed);

	if (missed)
		upcr_notes_add(to, UPCR_SAID_MISSED, UPCR_OTHERS, missed);
}

/* Add a thread's notes and its open regions to the notes. */
static void add_notes_locked(struct upcr_notes *to, const struct upcr_thread *thread)
{
	unsigned i, depth = atomic_load(&thread->tree.depth);

	upcr_notes_add_all(to, &thread->notes);
	for (i = 0; i < depth; i++)
		upcr_notes_add(to, UPCR_SAID_OPEN_AT_END,
			       atomic_load(&atomic_load(&thread->tree.open)[i].name), 1);
	if (thread->tree.unlisted)
		upcr_notes_add(to, UPCR_SAID_OPEN_AT_END, UPCR_OTHERS, thread->tree.unlisted);
	if (thread->tree.beyond)
		upcr_notes_add(to, UPCR_SAID_BEYOND, UPCR_OTHERS, thread->tree.beyond);
	if (thread->born && !(atomic_load(&thread->home) & 1))
		upcr_notes_add(to, UPCR_SAID_WITHOUT, UPCR_OTHERS, 1);
}

/* ---- threads that are created in regions ----------------------------------------------------- */

/* End one start of a region of the thread. Threads that were created in it belong to it no longer. */
static void close_instance_locked(struct upcr_thread *thread, struct upcr_instance *instance)
{
	struct upcr_thread *other;
	unsigned outlived = 0;

	instance->over = true;
	for (other = threads; other; other = other->next)
		if (upcr_instance_is_inside(other->birth, instance)) {
			upcr_thread_settle(other, upcr_instance_alive(other->birth));
			outlived++;
		}
	if (outlived) {
		upcr_thread_lacks(thread, instance->node, UPCR_LACKS);
		upcr_thread_note(thread, UPCR_SAID_OUTLIVED, instance->name, outlived);
	}
	upcr_instance_release(instance);
}

static void close_instances_locked(struct upcr_thread *thread)
{
	unsigned depth = atomic_load(&thread->tree.depth), i;
	struct upcr_open *open = atomic_load(&thread->tree.open);

	for (i = 0; i < depth; i++)
		if (open[i].instance)
			close_instance_locked(thread, open[i].instance);
}

/* ---- the end of a thread ------------------------------------------------------------------- */

static void keep_locked(struct upcr_result *result)
{
	struct upcr_result **last = &ended;

	if (ended_count < ENDED_MAX) {
		while (*last)
			last = &(*last)->next;
		*last = result;
		ended_count++;
	} else if (!others) {
		others = result;
	} else {
		(void)upcr_result_merge(others, result);
		upcr_result_free(result);
	}
}

/* Unlink the thread from the living ones. False if it is not among them, or if the thread that ends the
 * program takes care of it. */
static bool take_off_locked(struct upcr_thread *thread)
{
	struct upcr_thread **at;

	for (at = &threads; *at && *at != thread; at = &(*at)->next)
		continue;
	if (!*at || atomic_load(stage) == IS_OVER)
		return false;
	*at = thread->next;
	return true;
}

static void end_locked(struct upcr_thread *thread)
{
	struct upcr_result *result;

	if (!take_off_locked(thread))
		return;
	if (thread->simulated)
		upcr_counts_leave();
	if (thread->counts)
		upcr_counts_stop(&thread->set);
	upcr_late_begin();
	/* A jump out of a call has left the thread's state half changed. */
	if (atomic_load(&thread->busy))
		upcr_notes_add(&ended_notes, UPCR_SAID_BUSY, UPCR_OTHERS, 1);
	else
		close_instances_locked(thread);
	add_notes_locked(&ended_notes, thread);
	add_missed_locked(&ended_notes, thread);
	result = atomic_load(&thread->busy) ? NULL : upcr_thread_result(thread, true);
	upcr_thread_record_end(thread, result);
	if (thread->counts || thread->broken)
		upcr_counts_end(&thread->set, thread->tree.nodes);
	if (result) {
		upcr_result_settle(result, thread->born, atomic_load(&thread->home));
		keep_locked(result);
	}
	upcr_instance_release(thread->birth);
	upcr_thread_free(thread);
}

static void end_regions_of_thread(void *argument)
{
	gone = 1; /* checked by handlers and by destructors that run later */
	making = 1;
	self = NULL;
	if (upcr_is_owner()) {
		take_lock();
		end_locked(argument);
		give_lock();
	}
	making = 0;
}

/* ---- fork ---------------------------------------------------------------------------------- */

/* True if the calling thread is in a call. A signal handler that has interrupted a call must not wait for the
 * lock. */
static bool is_busy(void)
{
	return making || (self && atomic_load(&self->busy));
}

/* Fork handlers run in the reverse order of their registration. libmpx, whose locks nest in ours, registers
 * its handlers again when the first event is added. Ours are registered again after that; forking counts how
 * many of our registrations have run in the thread that forks. */
static _Thread_local unsigned forking __attribute__((tls_model("initial-exec")));

static void lock_before_fork(void)
{
	if (!forking++ && !is_busy()) {
		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&names.lock);
		upcr_record_before_fork();
	}
}

static void unlock_after_fork(void)
{
	if (!--forking && !is_busy()) {
		upcr_record_after_fork();
		pthread_mutex_unlock(&names.lock);
		pthread_mutex_unlock(&lock);
	}
}

/* Reset the state in the child: none of the parent's counts belong to the child. Its sets are gone with its
 * libmpx. */
static void start_anew_in_child(void)
{
	bool busy = is_busy();

	if (--forking)
		return;
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&names.lock, NULL);
	upcr_record_in_child(busy);
	owner = getpid();
	child = true;
	upcr_whole_forked();
	threads = NULL;
	ended = others = NULL;
	ended_count = serials = 0;
	used = false;
	forks++;
	ended_notes = (struct upcr_notes){.n = 0};
	atomic_store(&names.beyond, 0);
	atomic_store(&missed_making, 0);
	/* The interrupted call goes on in the child with the state that it has. */
	if (busy) {
		atomic_store(stage, IS_OVER);
		return;
	}
	atomic_store(stage, RUNS);
	if (self) {
		upcr_thread_free(self);
		pthread_setspecific(key, NULL);
		self = NULL;
	}
	clock_gettime(CLOCK_REALTIME, &begun_at);
	begun = upcr_now();
}

static void watch_process_forks(void)
{
	(void)pthread_atfork(lock_before_fork, unlock_after_fork, start_anew_in_child);
}

/* ---- the beginning ------------------------------------------------------------------------- */

static void keep_exit_status(int status, void *argument)
{
	(void)argument;
	exit_status = status;
}

/* Runs after all exit handlers and the destructors of C++ objects, which may start regions, too. */
static __attribute__((destructor)) void end_of_program(void)
{
	upcr_finish(UPCR_AT_EXIT, exit_status);
}

/* Put stage into a page that the kernel zeroes in a child. A child that was made by a plain system call still
 * maps the parent's record, but finds FORKED in stage. */
static void guard_against_forks(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	atomic_int *word = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (word == MAP_FAILED)
		return;
	if (madvise(word, size, MADV_WIPEONFORK)) {
		munmap(word, size);
		return;
	}
	atomic_store(word, RUNS);
	stage = word;
}

static bool name_own_rows(void)
{
	static const char *const own[] = {[UPCR_MEASURING] = UPCR_MEASURING_NAME,
					  [UPCR_WAITING] = "(waiting of workers)",
					  [UPCR_WITHOUT] = "(threads without regions)"};
	bool done = true;
	unsigned i;

	for (i = 1; i <= UPCR_OWN_NAMES; i++)
		done &= upcr_names_number(&names, own[i], strlen(own[i])) == i;
	return done;
}

static void start_engine(void)
{
	char why[512] = "";

	clock_gettime(CLOCK_REALTIME, &begun_at);
	begun = upcr_now();
	owner = getpid();
	upcr_settings_read(&settings);
	guard_against_forks();
	fences = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
	if (upcr_names_init(&names, settings.max + UPCR_OWN_NAMES) || !name_own_rows() ||
	    pthread_key_create(&key, end_regions_of_thread)) {
		upcr_say("no memory for regions: nothing is counted");
		atomic_store(stage, IS_OVER);
		return;
	}
	upcr_names_touch(&names);
	if (settings.events &&
	    !upcr_counts_begin(settings.events, settings.slice_ns, settings.simulate, why, sizeof(why)))
		upcr_say("no events are counted, only time and calls: %s", why);
	watch_process_forks();
	(void)on_exit(keep_exit_status, NULL);
	atomic_store_explicit(&started, true, memory_order_release);
}

/* Write the name of this process's file to `to`. False if it leaves no file, or if the name is too long. */
static bool own_path(char *to, size_t size)
{
	return settings.out && upcr_out_path(settings.out, owner, child, to, size);
}

/* Add the names that were made since the last call to the record. */
static void record_names(void)
{
	unsigned n = upcr_names_count(&names), i;
	const char *text;
	size_t length;

	if (atomic_load(&recorded) == n)
		return;
	pthread_mutex_lock(&names.lock);
	for (i = atomic_load(&recorded); i < upcr_names_count(&names); i++) {
		text = upcr_names_text(&names, i, &length);
		upcr_record_add(UPCR_RECORD_NAME, i, text, length);
	}
	atomic_store(&recorded, i);
	pthread_mutex_unlock(&names.lock);
}

static void record_reason(unsigned i)
{
	const char *why = upcr_counts_reason(i);

	if (why)
		upcr_record_add(UPCR_RECORD_REASON, i, why, strlen(why));
}

/* Return the head of the file, which the caller frees; NULL: out of memory. */
static char *head_of_process(size_t *length)
{
	const struct upcr_about about = {.started = begun_at,
					 .clock = clock_name,
					 .slice_ns = upcr_counts_slice(),
					 .events = upcr_counts_events(),
					 .event = upcr_counts_event};

	return upcr_report_head(&about, length);
}

/* Begin the process's record, with the first thread. Its state is UPCR_RECORD_OVER, so that no file is made
 * from it, as long as there is no region. */
static void begin_record_locked(void)
{
	const unsigned events = upcr_counts_events();
	const char *prefix = secure_getenv("UPC_REGIONS_RECORDS");
	size_t length;
	char *head;
	unsigned i;

	upcr_counts_clock(clock_name, sizeof(clock_name));
	if (!own_path(path, sizeof(path)) || !prefix || !upcr_record_begin(prefix, events, begun, child))
		return;
	head = head_of_process(&length);
	if (head)
		upcr_record_add(UPCR_RECORD_HEAD, 0, head, length);
	free(head);
	for (i = 0; i < events; i++)
		upcr_record_add(UPCR_RECORD_EVENT, i, upcr_counts_event(i), strlen(upcr_counts_event(i)));
	for (i = 0; i <= events; i++)
		record_reason(i);
	atomic_store(&recorded, UPCR_OTHERS + 1);
	record_names();
	upcr_record_set_state(UPCR_RECORD_OVER);
}

/* Note that there is something to report: the process leaves a file. */
static void use_report_locked(void)
{
	if (used)
		return;
	used = true;
	upcr_whole_use();
	if (!own_path(path, sizeof(path)))
		return;
	upcr_record_set_state(UPCR_RECORD_LIVES);
	upcr_report_begin(path, upcr_record_lives() ? upcr_record_path() : NULL);
}

static struct upcr_thread *make_self(enum upcr_kind kind, struct upcr_instance *birth, bool uses)
{
	struct upcr_thread *made;
	struct upcr_early early;
	int before;

	if (gone)
		return NULL;
	if (making) {
		atomic_fetch_add(&missed_making, 1);
		return NULL;
	}
	making = 1;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	(void)pthread_once(&whole_once, upcr_whole_open);
	if (atomic_load(stage) != IS_OVER)
		upcr_whole_begin();
	upcr_early_begin(&early);
	(void)pthread_once(&once, start_engine);
	made = atomic_load(stage) == IS_OVER ? NULL : upcr_thread_create(settings.max, kind, birth, &early);
	upcr_early_end(&early, NULL);
	if (made && made->counts)
		(void)pthread_once(&fork_again_once, watch_process_forks);
	if (made && pthread_setspecific(key, made)) {
		if (made->counts)
			upcr_counts_end(&made->set, made->tree.nodes);
		upcr_thread_free(made);
		made = NULL;
	}
	if (made) {
		take_lock();
		if (!serials)
			begin_record_locked();
		made->serial = serials++;
		made->next = threads;
		threads = made;
		upcr_thread_record(made);
		if (birth) /* a start may have ended meanwhile */
			upcr_thread_settle(made, upcr_instance_alive(birth));
		if (uses)
			use_report_locked();
		give_lock();
		if (made->tree.base != made->outside)
			upcr_thread_rebase(made, made->outside);
		self = made;
	}
	making = 0;
	pthread_setcancelstate(before, NULL);
	return made;
}

/* ---- calls --------------------------------------------------------------------------------- */

static inline void leave_engine(struct upcr_thread *thread)
{
	if (__builtin_expect(thread->simulated, 0) && !upcr_counts_enter(&thread->set, &thread->tree))
		upcr_thread_note(thread, UPCR_SAID_BROKEN, UPCR_OTHERS, 1);
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

/* Wait while another thread reports. True if this call may go on afterwards. */
static __attribute__((noinline)) bool wait_for_stage(struct upcr_thread *thread)
{
	int now;

	leave_engine(thread);
	while ((now = atomic_load(stage)) == PAUSES)
		sched_yield();
	if (now == FORKED)
		atomic_store(stage, IS_OVER);
	if (now == FORKED || now == IS_OVER)
		return false;
	atomic_store(&thread->busy, 1);
	return true;
}

/* Order the memory accesses before the call with those after it, among the threads that call it. It does not
 * use atomic_thread_fence, which ThreadSanitizer does not follow. */
static void fence_threads(void)
{
	static atomic_uint word;

	atomic_fetch_add(&word, 1);
}

/* Return the calling thread's state, busy from now on. NULL if the call is to do nothing. */
static inline struct upcr_thread *thread_of_call(void)
{
	struct upcr_thread *thread = self;

	if (__builtin_expect(!thread, 0)) {
		thread = make_self(UPCR_MARKING, NULL, true);
		if (!thread)
			return NULL;
	}
	if (__builtin_expect(atomic_load_explicit(&thread->busy, memory_order_relaxed), 0)) {
		atomic_store_explicit(&thread->marks->missed,
				      atomic_fetch_add_explicit(&thread->missed, 1, memory_order_relaxed) + 1,
				      memory_order_relaxed);
		return NULL;
	}
	atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
	/* Fence for the handlers of this thread; membarrier makes it a barrier for other threads. */
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(fences, 0))
		fence_threads();
	while (__builtin_expect(atomic_load_explicit(stage, memory_order_acquire) != RUNS, 0))
		if (!wait_for_stage(thread))
			return NULL;
	if (__builtin_expect(thread->simulated, 0))
		upcr_counts_leave();
	return thread;
}

void upcr_thread_begin(void)
{
	struct upcr_thread *thread = thread_of_call();

	if (thread)
		leave_engine(thread);
}

/* Return the name's number. A new name is put into the record before there are rows with its number. */
static unsigned number_of_name(const char *name, size_t length)
{
	unsigned number = upcr_names_number(&names, name, length);

	record_names();
	return number;
}

unsigned upcr_name(const char *name, size_t length)
{
	unsigned number = UPCR_UNKNOWN;
	struct upcr_thread *thread;

	if (atomic_load_explicit(&started, memory_order_acquire))
		number = upcr_names_find(&names, name, length);
	if (__builtin_expect(number != UPCR_UNKNOWN, 1))
		return number;
	thread = thread_of_call();
	if (!thread)
		return UPCR_OTHERS;
	upcr_thread_measure(thread);
	number = number_of_name(name, length);
	upcr_thread_go_on(thread);
	leave_engine(thread);
	return number;
}

bool upcr_is_name(unsigned number)
{
	return atomic_load_explicit(&started, memory_order_acquire) && number < upcr_names_count(&names);
}

/* Note the thread's first start of a region. From now on its work between regions counts as outside of all
 * regions. */
static __attribute__((noinline)) void first_mark(struct upcr_thread *thread)
{
	upcr_thread_measure(thread);
	take_lock();
	use_report_locked();
	thread->marked = true;
	thread->tree.node[thread->outside].path = NULL;
	if (thread->born && !thread->birth)
		upcr_thread_settle(thread, 0);
	give_lock();
	upcr_thread_go_on(thread);
}

void upcr_enter(unsigned name)
{
	struct upcr_thread *thread = thread_of_call();

	if (!thread)
		return;
	if (__builtin_expect(!thread->marked, 0))
		first_mark(thread);
	upcr_thread_enter(thread, name);
	leave_engine(thread);
}

/* True if the region is open in another thread. The lock is tried only while stage is RUNS: the thread that
 * ends the program holds it and waits for this call. */
static __attribute__((noinline)) bool is_open_elsewhere(const struct upcr_thread *thread, unsigned name)
{
	const struct upcr_thread *other;
	bool is_open = false, locked = false;

	while (!locked && atomic_load(stage) == RUNS) {
		locked = pthread_mutex_trylock(&lock) == 0;
		if (!locked)
			sched_yield();
	}
	for (other = locked ? threads : NULL; other && !is_open; other = other->next)
		is_open = other != thread && upcr_tree_is_open(&other->tree, name);
	if (locked)
		pthread_mutex_unlock(&lock);
	return is_open;
}

static __attribute__((noinline)) int not_open(struct upcr_thread *thread, unsigned name)
{
	bool elsewhere = is_open_elsewhere(thread, name);

	upcr_thread_note(thread, elsewhere ? UPCR_SAID_ELSEWHERE : UPCR_SAID_NOT_OPEN,
			 name < upcr_names_count(&names) ? name : UPCR_OTHERS, 1);
	return elsewhere ? UPCR_ELSEWHERE : UPCR_NOT_OPEN;
}

static __attribute__((noinline)) void close_all(struct upcr_thread *thread)
{
	struct upcr_instance *instance, *next;

	take_lock();
	for (instance = thread->closed; instance; instance = next) {
		next = instance->next;
		close_instance_locked(thread, instance);
	}
	thread->closed = NULL;
	give_lock();
}

static inline int exit_region(unsigned name, bool closing)
{
	struct upcr_thread *thread = thread_of_call();
	int result = UPCR_OK;

	if (!thread)
		return UPCR_MISSED;
	if (!upcr_thread_exit(thread, name, closing))
		result = not_open(thread, name);
	if (__builtin_expect(thread->closed != NULL, 0))
		close_all(thread);
	leave_engine(thread);
	return result;
}

int upcr_exit(unsigned name)
{
	return exit_region(name, false);
}

int upcr_exit_closing(unsigned name)
{
	return exit_region(name, true);
}

bool upcr_is_open(unsigned name)
{
	struct upcr_thread *thread = self && !is_busy() ? thread_of_call() : NULL;
	bool is_open;

	if (!thread)
		return false;
	is_open = upcr_tree_is_open(&thread->tree, name) || is_open_elsewhere(thread, name);
	leave_engine(thread);
	return is_open;
}

void upcr_left_out(enum upcr_reason why, unsigned name)
{
	static const enum upcr_what what[] = {
		[UPCR_WAS_OPEN] = UPCR_SAID_IS_OPEN,
		[UPCR_NEVER_STARTED] = UPCR_SAID_NOT_OPEN,
		[UPCR_OUT_OF_RANGE] = UPCR_SAID_RANGE,
	};
	struct upcr_thread *thread = thread_of_call();

	if (!thread)
		return;
	upcr_thread_note(thread, what[why], name, 1);
	leave_engine(thread);
}

void upcr_reset(unsigned name)
{
	struct upcr_thread *thread = thread_of_call();
	char text[UPCR_NAME_MAX + 32];
	size_t length;

	if (!thread)
		return;
	snprintf(text, sizeof(text), "%s (before a reset)", upcr_names_text(&names, name, &length));
	upcr_tree_rename(&thread->tree, name, number_of_name(text, strlen(text)));
	upcr_thread_record_names(thread);
	upcr_thread_note(thread, UPCR_SAID_RESET, name, 1);
	leave_engine(thread);
}

unsigned upcr_events(void)
{
	return upcr_counts_events();
}

const char *upcr_event(unsigned i)
{
	return upcr_counts_event(i);
}

/* ---- work in other threads ----------------------------------------------------------------------- */

/* Return the calling thread's state, busy; if necessary, make it without noting that the process has regions.
 * NULL if the call is to do nothing. */
static struct upcr_thread *thread_of_work(enum upcr_kind kind, struct upcr_instance *birth)
{
	if (!self && !make_self(kind, birth, false))
		return NULL;
	return thread_of_call();
}

/* True if nothing is counted, if the simulator counts, or if the engine itself starts the thread. */
static bool work_is_off(void)
{
	static atomic_int off; /* 0: unknown; 1: no; 2: yes */
	int now = atomic_load_explicit(&off, memory_order_relaxed);

	if (!now) {
		now = secure_getenv("UPC_REGIONS_OUT") && !getenv("UPC_REGIONS_SIM") ? 1 : 2;
		atomic_store_explicit(&off, now, memory_order_relaxed);
	}
	return now == 2 || gone || is_busy();
}

/* True if the thread's base is a path of another thread's regions. */
static bool is_working(const struct upcr_thread *thread)
{
	return thread->tree.base != UPCR_ROOT && thread->tree.base != thread->outside;
}

static const struct upcr_path *path_of_thread_locked(struct upcr_thread *thread)
{
	const struct upcr_path *outside = &upcr_path_root;

	/* A created thread may outlive the regions that it was created in and still hand on work. The path
	 * for that work leaves these regions out, and their counts become lower bounds. */
	if (thread->kind == UPCR_CREATED && (thread->birth || !thread->marked))
		outside = upcr_path_inside(outside, UPCR_WITHOUT);
	if (thread->kind == UPCR_CREATED && thread->birth && !thread->tree.node[thread->outside].lacks) {
		upcr_thread_lacks(thread, thread->outside, UPCR_LACKS);
		upcr_thread_note(thread, UPCR_SAID_HANDED_ON, thread->birth->name, 1);
	}
	return upcr_path_of(&thread->tree, thread->tree.current, thread->outside, outside);
}

const struct upcr_path *upcr_path(void)
{
	struct upcr_thread *thread = work_is_off() ? NULL : thread_of_work(UPCR_MARKING, NULL);
	const struct upcr_path *here;

	if (!thread)
		return NULL;
	here = thread->tree.node[thread->tree.current].path;
	if (!here) {
		upcr_thread_measure(thread);
		take_lock();
		here = path_of_thread_locked(thread);
		give_lock();
		upcr_thread_go_on(thread);
	}
	leave_engine(thread);
	return here;
}

struct upcr_work upcr_work_begin(const struct upcr_path *on)
{
	struct upcr_thread *thread = !on || work_is_off() ? NULL : thread_of_work(UPCR_WORKER, NULL);
	struct upcr_work work = {.process = forks};
	unsigned node;

	if (!thread)
		return work;
	if (upcr_path_grows(&thread->tree, on))
		upcr_thread_measure(thread);
	node = upcr_path_node(&thread->tree, on);
	if (node != thread->tree.base || thread->kind == UPCR_WORKER) {
		work.begun = true;
		work.before = thread->tree.base;
		thread->working++;
		if (node != thread->tree.base)
			upcr_thread_rebase(thread, node);
	}
	upcr_thread_go_on(thread);
	leave_engine(thread);
	return work;
}

/* Return the base after the end of work. Between teams, the work of a worker with open regions counts for
 * these regions, and not as waiting. */
static unsigned base_after_work(struct upcr_thread *thread, unsigned before)
{
	if (--thread->working || thread->kind != UPCR_WORKER)
		return before;
	return atomic_load(&thread->tree.depth) ? UPCR_ROOT : thread->outside;
}

void upcr_work_end(struct upcr_work work)
{
	struct upcr_thread *thread;

	if (!work.begun || work.process != forks || !self || gone)
		return;
	thread = thread_of_call();
	if (!thread)
		return;
	work.before = base_after_work(thread, work.before);
	if (work.before != thread->tree.base)
		upcr_thread_rebase(thread, work.before);
	leave_engine(thread);
}

void upcr_begin_worker(void)
{
	struct upcr_thread *thread = work_is_off() ? NULL : thread_of_work(UPCR_WORKER, NULL);

	if (thread)
		leave_engine(thread);
}

/* Return the start of the innermost open region, with one more user. Starts that do not exist yet are made,
 * for all open regions. Without open regions, return the thread's own birth; NULL if it has none or works for
 * others. */
static struct upcr_instance *birth_locked(struct upcr_thread *thread)
{
	unsigned depth = atomic_load(&thread->tree.depth), i;
	struct upcr_open *open = atomic_load(&thread->tree.open);
	struct upcr_instance *birth = is_working(thread) ? NULL : thread->birth;

	for (i = 0; i < depth; i++) {
		if (!open[i].instance)
			open[i].instance =
				upcr_instance_begin(birth, atomic_load(&open[i].name), open[i].node);
		if (!open[i].instance)
			break;
		birth = open[i].instance;
	}
	if (birth)
		birth->users++;
	return birth;
}

/* Make the counts of the regions that the thread works for lower bounds: they do not include the thread that
 * it creates. */
static void hand_on(struct upcr_thread *thread)
{
	const unsigned base = thread->tree.base, name = thread->tree.node[base].name;

	if (!is_working(thread) || (name >= UPCR_MEASURING && name <= UPCR_OWN_NAMES))
		return;
	upcr_thread_lacks(thread, base, UPCR_LACKS);
	upcr_thread_note(thread, UPCR_SAID_HANDED_ON, name, 1);
}

bool upcr_birth(struct upcr_instance **birth)
{
	struct upcr_thread *thread = work_is_off() ? NULL : thread_of_work(UPCR_MARKING, NULL);

	*birth = NULL;
	if (!thread)
		return false;
	upcr_thread_measure(thread);
	hand_on(thread);
	take_lock();
	*birth = birth_locked(thread);
	give_lock();
	upcr_thread_go_on(thread);
	leave_engine(thread);
	return true;
}

void upcr_begin_thread(struct upcr_instance *birth)
{
	struct upcr_thread *thread = work_is_off() ? NULL : thread_of_work(UPCR_CREATED, birth);

	if (thread)
		leave_engine(thread);
	else
		upcr_no_thread(birth, false);
}

void upcr_no_thread(struct upcr_instance *birth, bool exists)
{
	struct upcr_thread *thread = work_is_off() || !self ? NULL : thread_of_call();

	if (!thread)
		return;
	take_lock();
	if (exists && birth) {
		upcr_thread_lacks(thread, thread->tree.current, UPCR_LACKS);
		upcr_thread_note(thread, UPCR_SAID_SMALL_STACK, birth->name, 1);
	}
	upcr_instance_release(birth);
	give_lock();
	leave_engine(thread);
}

bool upcr_is_without(void)
{
	return self && self->kind == UPCR_CREATED && !self->birth && !self->marked && !is_working(self);
}

void upcr_hands_on(void)
{
	struct upcr_thread *thread;
	struct upcr_node *node;

	if (!self || work_is_off())
		return;
	node = &self->tree.node[self->tree.current];
	if (node->lacks || (!atomic_load(&self->tree.depth) && !is_working(self)))
		return;
	thread = thread_of_call();
	if (!thread)
		return;
	upcr_thread_lacks(thread, thread->tree.current, UPCR_LACKS);
	upcr_thread_note(thread, UPCR_SAID_SHARES, node->name, 1);
	leave_engine(thread);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Add a thread's counts of a name. */
static void add_name_counts(struct upcr_counts *counts, const struct upcr_result *result, unsigned name,
			    unsigned n)
{
	uint64_t ns = 0;

	upcr_result_add(result, name, &counts->calls, &ns, counts->value, n);
	counts->seconds += (double)ns * 1e-9;
}

static unsigned begin_counts(struct upcr_counts *counts)
{
	unsigned n = upcr_events(), room = counts->value ? counts->events : 0;

	counts->calls = 0;
	counts->seconds = 0;
	counts->events = n;
	n = n < room ? n : room;
	if (n)
		memset(counts->value, 0, n * sizeof(*counts->value));
	return n;
}

int upcr_read(unsigned name, struct upcr_counts *counts)
{
	struct upcr_thread *thread = thread_of_call();
	struct upcr_result *result;
	unsigned n = begin_counts(counts);
	bool done;

	if (!thread)
		return UPCR_MISSED;
	result = upcr_thread_result(thread, true);
	if (result)
		upcr_result_settle(result, thread->born, atomic_load(&thread->home));
	leave_engine(thread);
	done = result && upcr_result_index(result);
	if (done)
		add_name_counts(counts, result, name, n);
	upcr_result_free(result);
	return done ? UPCR_OK : UPCR_MISSED;
}

/* ---- the end of the program ------------------------------------------------------------------ */

/* Wait until the thread is in no call; it enters none while stage is not RUNS. False after WAIT_NS. */
static bool wait_for(struct upcr_thread *thread)
{
	uint64_t until = upcr_now() + WAIT_NS;

	while (atomic_load_explicit(&thread->busy, memory_order_acquire)) {
		if (upcr_now() > until)
			return false;
		sched_yield();
	}
	return true;
}

static void hold_all(int to)
{
	if (self) {
		atomic_store(&self->busy, 1);
		if (self->simulated)
			upcr_counts_leave();
	}
	atomic_store(stage, to);
	if (fences)
		fence_threads();
	else
		(void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Return the results of all living threads in the order of their beginnings, and collect all notes. jumped:
 * the calling thread has left a call by a jump, and its state is half changed. */
static struct upcr_result *gather_locked(bool jumped)
{
	struct upcr_result *list = NULL, *result;
	struct upcr_thread *thread;

	notes = ended_notes;
	if (atomic_load(&missed_making))
		upcr_notes_add(&notes, UPCR_SAID_MISSED, UPCR_OTHERS, atomic_load(&missed_making));
	if (atomic_load(&names.beyond))
		upcr_notes_add(&notes, UPCR_SAID_BEYOND, UPCR_OTHERS, atomic_load(&names.beyond));
	for (thread = threads; thread; thread = thread->next) {
		add_missed_locked(&notes, thread);
		if (thread == self ? jumped : !wait_for(thread)) {
			upcr_notes_add(&notes, UPCR_SAID_BUSY, UPCR_OTHERS, 1);
			continue;
		}
		add_notes_locked(&notes, thread);
		result = upcr_thread_result(thread, thread == self);
		if (!result)
			continue;
		upcr_result_settle(result, thread->born, atomic_load(&thread->home));
		result->next = list;
		list = result;
	}
	return list;
}

static void write_file_locked(struct upcr_result *living, const char *how)
{
	struct upcr_report report = {.ended = how,
				     .ns = upcr_now() - begun,
				     .names = &names,
				     .notes = &notes,
				     .event = upcr_counts_event,
				     .reason = upcr_counts_reason};
	struct upcr_result *all = others, **at;
	char *head;
	bool is_exec = !strcmp(how, "exec");

	if (!settings.out)
		return;
	if (!own_path(path, sizeof(path) - 64)) {
		upcr_say("the name of the file is too long: '%s'", settings.out);
		return;
	}
	/* The next program has the same PID, and writes its own file. */
	if (is_exec)
		snprintf(path + strlen(path), 64, ".exec-%llx", (unsigned long long)upcr_now());
	for (at = &living; *at; at = &(*at)->next)
		continue;
	*at = all;
	for (at = &ended; *at; at = &(*at)->next)
		continue;
	*at = living;
	report.path = path;
	report.record = is_exec || !upcr_record_lives() ? NULL : upcr_record_path();
	report.results = ended;
	report.pid = owner;
	report.head = head = head_of_process(&report.head_length);
	if (head && upcr_report_write(&report))
		upcr_record_set_state(UPCR_RECORD_OVER);
	else if (!upcr_record_lives())
		upcr_say("'%s' cannot be written: %s", path, strerror(errno));
	free(head);
	/* Separate the lists again. */
	*at = NULL;
	for (at = &living; *at && *at != all; at = &(*at)->next)
		continue;
	*at = NULL;
}

static void free_result_list(struct upcr_result *list)
{
	struct upcr_result *next;

	for (; list; list = next) {
		next = list->next;
		upcr_result_free(list);
	}
}

static bool was_used(void)
{
	return atomic_load(&started) && used;
}

static struct upcr_result *last; /* results of the living threads, at the end */

/* ---- reading of all threads ------------------------------------------------------------------ */

static struct {
	bool holds; /* the other threads are held until upcr_reading_end */
	struct upcr_result *of[3];
} reading;

static bool index_all(void)
{
	struct upcr_result *result;
	bool done = true;
	size_t i;

	for (i = 0; i < sizeof(reading.of) / sizeof(reading.of[0]); i++)
		for (result = reading.of[i]; done && result; result = result->next)
			done = upcr_result_index(result);
	return done;
}

bool upcr_reading_begin(void)
{
	if (!atomic_load(&started))
		return false;
	/* At the end of the program the calling thread stays busy. In a handler the interrupted thread itself
	 * may hold the lock, so the lock is only tried. */
	if (!is_busy())
		take_lock();
	else if (atomic_load(stage) != IS_OVER || !try_lock())
		return false;
	reading.holds = atomic_load(stage) == RUNS;
	if (reading.holds)
		hold_all(PAUSES);
	reading.of[0] = ended;
	reading.of[1] = reading.holds ? gather_locked(false) : last;
	reading.of[2] = others;
	if (index_all())
		return true;
	upcr_reading_end();
	return false;
}

void upcr_reading_of(unsigned name, struct upcr_counts *counts,
		     void (*each)(void *arg, unsigned thread, const struct upcr_counts *counts), void *arg)
{
	const unsigned room = counts->events;
	const struct upcr_result *result;
	size_t i;

	for (i = 0; i < sizeof(reading.of) / sizeof(reading.of[0]); i++)
		for (result = reading.of[i]; result; result = result->next) {
			unsigned n;

			counts->events = room;
			n = begin_counts(counts);
			add_name_counts(counts, result, name, n);
			if (counts->calls || counts->seconds > 0)
				each(arg, result->threads > 1 ? UPCR_ALL : result->serial, counts);
			counts->events = room;
		}
}

void upcr_reading_notes(void (*each)(void *arg, const char *what, const char *name, uint64_t times),
			void *arg)
{
	const struct upcr_said *said;
	char words[1024];
	unsigned i;

	for (i = 0; i < notes.n; i++) {
		const char *name = NULL;

		said = &notes.said[i];
		if (said->what == UPCR_SAID_REFUSED)
			name = upcr_counts_event(said->name);
		else if (said->name != UPCR_OTHERS)
			name = upcr_names_text(&names, said->name, NULL);
		each(arg, upcr_report_words(said, upcr_counts_reason, words, sizeof(words)), name,
		     said->times);
	}
	for (i = 0; i < UPCR_SAID_KINDS; i++)
		if (notes.rest[i])
			each(arg, upcr_notes_word((enum upcr_what)i), NULL, notes.rest[i]);
}

void upcr_reading_end(void)
{
	struct upcr_result *result;
	size_t i;

	for (i = 0; i < sizeof(reading.of) / sizeof(reading.of[0]); i++)
		for (result = reading.of[i]; result; result = result->next)
			upcr_result_unindex(result);
	if (reading.holds) {
		free_result_list(reading.of[1]);
		atomic_store(stage, RUNS);
		if (self)
			leave_engine(self);
	}
	give_lock();
}

/* ---- the end ----------------------------------------------------------------------------------- */

void upcr_at_finish(void (*call)(void))
{
	size_t i;

	for (i = 0; i < sizeof(at_finish) / sizeof(at_finish[0]); i++) {
		void (*none)(void) = NULL;

		if (atomic_compare_exchange_strong(&at_finish[i], &none, call) || none == call)
			return;
	}
}

/* Return how the program ended, as "exit" or "exit status 7". */
static const char *words_of_end(enum upcr_end how, int status)
{
	static char text[32];

	if (!(status & 0xff))
		return how == UPCR_AT_EXIT ? "exit" : "_exit";
	snprintf(text, sizeof(text), "exit status %d", status & 0xff);
	return text;
}

void upcr_finish(enum upcr_end how, int status)
{
	/* A handler must not call exit, so a thread that is busy at exit has left a call by a jump. */
	bool busy = is_busy(), jumped = busy && how == UPCR_AT_EXIT;
	size_t i;

	if (!upcr_is_owner() || atomic_load(stage) != RUNS)
		return;
	if (!was_used()) {
		upcr_whole_end();
		upcr_record_end();
		return;
	}
	if ((busy && !jumped) || !take_lock_in_time()) {
		if (!upcr_record_lives())
			upcr_say(
				"the program ends in a signal handler that has interrupted the start or end of a "
				"region: nothing is written");
		return;
	}
	if (atomic_load(stage) == IS_OVER) {
		give_lock();
		return;
	}
	hold_all(IS_OVER);
	if (self && self->counts && !jumped)
		upcr_counts_stop(&self->set);
	upcr_whole_end();
	last = gather_locked(jumped);
	write_file_locked(last, words_of_end(how, status));
	give_lock();
	for (i = 0; i < sizeof(at_finish) / sizeof(at_finish[0]) && at_finish[i]; i++)
		at_finish[i]();
	upcr_record_end();
}

bool upcr_pause(const char *how)
{
	static char other[sizeof(path)];
	struct upcr_result *living;

	if (!upcr_is_owner() || is_busy() || atomic_load(stage) != RUNS || !was_used())
		return false;
	take_lock();
	hold_all(PAUSES);
	if (self && self->counts)
		upcr_counts_stop(&self->set);
	upcr_whole_end();
	living = gather_locked(false);
	write_file_locked(living, how);
	free_result_list(living);
	if (own_path(other, sizeof(other)))
		upcr_report_forget(other, owner);
	return true;
}

void upcr_go_on(void)
{
	if (settings.out)
		unlink(path);
	upcr_record_set_state(UPCR_RECORD_LIVES);
	if (own_path(path, sizeof(path)))
		upcr_report_begin(path, upcr_record_lives() ? upcr_record_path() : NULL);
	upcr_whole_begin();
	upcr_whole_use();
	if (self && self->counts && !upcr_counts_go_on(&self->set, self->tree.current)) {
		self->counts = false;
		self->broken = true;
		upcr_thread_note(self, UPCR_SAID_BROKEN, UPCR_OTHERS, 1);
	}
	atomic_store(stage, RUNS);
	if (self)
		leave_engine(self);
	give_lock();
}
