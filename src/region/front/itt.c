/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * itt.c - annotations of Intel's ITT API. At its first call each copy of ITT's static part loads the library
 * that INTEL_LIBITTNOTIFY64 names, and lets that library fill in the calls that it implements. This file
 * declares the parts of ITT's binary interface that it uses.
 *
 * Tasks are on a stack of their thread and domain. Overlapping tasks, and ITT's regions, have a number, and
 * may end in any order. A name in a domain is "domain/name". Handles from the program are looked up and never
 * dereferenced: they may have any value.
 * Terms: region/front/front.h.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "region/front/front.h"
#include "region/front/labels.h"
#include "region/front/nest.h"
#include "region/region.h"

/* ---- ITT's interface ------------------------------------------------------------------------- */

enum { MAJOR = 3, FIRST_BUILD = 20111111 }; /* older builds have no calls */

struct itt_domain {
	int enabled;
	const char *name;
	void *wide;
	int reserved;
	void *reserved_too;
	struct itt_domain *next;
};

struct itt_text {
	const char *_Atomic text;
	void *wide;
	int reserved;
	void *reserved_too;
	struct itt_text *next;
};

struct itt_id {
	unsigned long long part[3];
};

struct itt_call {
	const char *name;
	void **function;
	void *first, *none; /* value before the library is loaded; value if the library has no such call */
	int groups;
};

struct itt_global {
	unsigned char magic[8];
	unsigned long major, minor, build;
	long state[3];
	pthread_mutex_t mutex;
	void *library, *error_handler, *path;
	const struct itt_call *calls; /* ends with an entry without a name */
	void *next, *threads;
	const struct itt_domain *domains; /* made before the library was loaded */
	const struct itt_text *texts;
};

/* ---- handles --------------------------------------------------------------------------------- */

enum { TEXTS = 1 << 14, FOREIGN = 1 << 12 };

/* Our handles. A domain's handle has the index of its label. A text's handle is its slot in a hash table. */
static struct upcr_labels domains;
static struct itt_domain domain_handle[UPCR_LABELS];
static struct itt_text text_handle[TEXTS];

/* Handles of static parts, made before this library was loaded. */
struct foreign {
	const void *_Atomic handle;
	atomic_uint number;
};
static struct foreign foreign_domain[FOREIGN], foreign_text[FOREIGN];

static struct foreign *foreign_place(struct foreign table[FOREIGN], const void *handle)
{
	unsigned at = (unsigned)((uintptr_t)handle >> 4), i;
	const void *there;

	for (i = 0; i < FOREIGN; i++, at++) {
		there = atomic_load_explicit(&table[at % FOREIGN].handle, memory_order_acquire);
		if (!there || there == handle)
			return &table[at % FOREIGN];
	}
	return NULL;
}

/* Store the number, from 1 on, of a handle of a static part. */
static void learn_foreign_number(struct foreign table[FOREIGN], const void *handle, unsigned number)
{
	struct foreign *place = foreign_place(table, handle);
	const void *none = NULL;

	while (place && !atomic_compare_exchange_strong(&place->handle, &none, handle) && none != handle) {
		place = foreign_place(table, handle);
		none = NULL;
	}
	if (place)
		atomic_store(&place->number, number);
}

static unsigned number_of_foreign(struct foreign table[FOREIGN], const void *handle)
{
	struct foreign *place = handle ? foreign_place(table, handle) : NULL;

	return place ? atomic_load(&place->number) : 0;
}

/* Return a domain's label; 0 if the handle is no domain. */
static unsigned itt_domain_of(const void *handle)
{
	uintptr_t offset = (uintptr_t)handle - (uintptr_t)domain_handle;

	if (offset < sizeof(domain_handle) && offset % sizeof(domain_handle[0]) == 0)
		return (unsigned)(offset / sizeof(domain_handle[0])) + 1;
	return number_of_foreign(foreign_domain, handle);
}

static const char *text_of_handle(const void *handle)
{
	uintptr_t offset = (uintptr_t)handle - (uintptr_t)text_handle;
	unsigned number;

	if (offset < sizeof(text_handle) && offset % sizeof(text_handle[0]) == 0)
		return atomic_load(&text_handle[offset / sizeof(text_handle[0])].text);
	number = number_of_foreign(foreign_text, handle);
	return number ? atomic_load(&text_handle[number - 1].text) : NULL;
}

static struct itt_domain *domain_create(const char *name)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	unsigned label = upcr_label(&domains, name);
	struct itt_domain *domain;

	if (!label) {
		if (!atomic_flag_test_and_set(&said))
			upcr_say("more than %d domains of ITT: what is in the others is left out",
				 UPCR_LABELS);
		return NULL;
	}
	domain = &domain_handle[label - 1];
	/* All threads that make this domain write the same values; but the program may have disabled the
	 * domain since another thread made it. */
	if (!__atomic_load_n(&domain->name, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&domain->enabled, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&domain->name, upcr_label_text(&domains, label), __ATOMIC_RELEASE);
	}
	return domain;
}

static unsigned hash_event_name(const char *text)
{
	unsigned hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* Return a text's handle. NULL if there is no room; its regions then have no name in their domain. */
static struct itt_text *text_create(const char *text)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	char *made = strndup(text ? text : "", UPCR_LABEL_MAX);
	unsigned at = made ? hash_event_name(made) : 0, i;
	const char *there;

	for (i = 0; made && i < TEXTS; i++, at++) {
		struct itt_text *place = &text_handle[at % TEXTS];

		there = NULL;
		if (atomic_compare_exchange_strong(&place->text, &there, made))
			return place;
		if (!strcmp(there, made)) {
			free(made);
			return place;
		}
	}
	free(made);
	if (!atomic_flag_test_and_set(&said))
		upcr_say("more than %d names of ITT: regions of the others have none", TEXTS);
	return NULL;
}

static unsigned name_of_task(const void *domain, const void *text)
{
	return upcr_label_name(&domains, itt_domain_of(domain), text_of_handle(text));
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void task_begin(const void *domain, struct itt_id id, struct itt_id parent, const void *text)
{
	(void)id;
	(void)parent;
	(void)upcr_push(UPCR_OF_ITT + itt_domain_of(domain), name_of_task(domain, text));
}

/* Begin a task that is named by its function's symbol, or by its offset in the object. */
static void task_begin_fn(const void *domain, struct itt_id id, struct itt_id parent, const void *function)
{
	char place[UPCR_LABEL_MAX];
	const char *slash;
	Dl_info info;

	(void)id;
	(void)parent;
	if (!dladdr(function, &info) || !info.dli_fname) {
		snprintf(place, sizeof(place), "%p", function);
	} else if (info.dli_sname) {
		snprintf(place, sizeof(place), "%s", info.dli_sname);
	} else {
		slash = strrchr(info.dli_fname, '/');
		snprintf(place, sizeof(place), "%s+0x%lx", slash ? slash + 1 : info.dli_fname,
			 (unsigned long)((uintptr_t)function - (uintptr_t)info.dli_fbase));
	}
	(void)upcr_push(UPCR_OF_ITT + itt_domain_of(domain),
			upcr_label_name(&domains, itt_domain_of(domain), place));
}

static void task_end(const void *domain)
{
	/* No region is pushed: upcr_exit finds none open, and notes this. */
	if (upcr_pop(UPCR_OF_ITT + itt_domain_of(domain)) < 0)
		(void)upcr_exit(upcr_label_name(&domains, itt_domain_of(domain), "end of a task"));
}

/* ---- tasks that overlap, and regions ----------------------------------------------------------- */

enum { OPEN = 64 };

static _Thread_local struct {
	struct itt_id id;
	unsigned domain, name;
} open_id[OPEN];
static _Thread_local unsigned opens;

static void begin_itt_task(const void *domain, struct itt_id id, struct itt_id parent, const void *text)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	unsigned at;

	(void)parent;
	if (opens == OPEN) {
		if (!atomic_flag_test_and_set(&said))
			upcr_say("more than %d of ITT's regions and overlapping tasks are open at once in a "
				 "thread: the others are left out",
				 OPEN);
		return;
	}
	/* As in nest.c, a signal handler that interrupts the thread here takes the next entry. */
	at = opens++;
	atomic_signal_fence(memory_order_seq_cst);
	open_id[at].id = id;
	open_id[at].domain = itt_domain_of(domain);
	open_id[at].name = name_of_task(domain, text);
	upcr_enter(open_id[at].name);
}

static void end_itt_task(const void *domain, struct itt_id id)
{
	unsigned label = itt_domain_of(domain), at = opens;

	while (at && (open_id[at - 1].domain != label || memcmp(&open_id[at - 1].id, &id, sizeof(id)) != 0))
		at--;
	if (!at) {
		/* The task is not open in this thread: upcr_exit finds no such region, and notes this. */
		(void)upcr_exit(upcr_label_name(&domains, label, "end by number"));
		return;
	}
	(void)upcr_exit(open_id[at - 1].name);
	opens--;
	memmove(&open_id[at - 1], &open_id[at], (opens - (at - 1)) * sizeof(open_id[0]));
}

/* ---- frames, events, marks --------------------------------------------------------------------- */

static void frame_begin(const void *domain, const void *id)
{
	(void)id;
	upcr_enter(upcr_label_name(&domains, itt_domain_of(domain), "frame"));
}

static void frame_end(const void *domain, const void *id)
{
	(void)id;
	(void)upcr_exit(upcr_label_name(&domains, itt_domain_of(domain), "frame"));
}

/* Return 1 + the number of the name, for an event or a mark. */
static int event_create(const char *name, int length)
{
	return (int)upcr_name(name ? name : "", name && length > 0 ? strnlen(name, (size_t)length) : 0) + 1;
}

static unsigned event_name(int event)
{
	static const char unknown[] = "unknown event of ITT";

	return event > 0 && upcr_is_name((unsigned)event - 1) ? (unsigned)event - 1
							      : upcr_name(unknown, sizeof(unknown) - 1);
}

static int event_start(int event)
{
	upcr_enter(event_name(event));
	return 0;
}

static int event_end(int event)
{
	return upcr_exit(event_name(event)) == UPCR_OK ? 0 : -1;
}

static void put_mark(unsigned name)
{
	upcr_enter(name);
	(void)upcr_exit(name);
}

/* Number of the ITT mark by which LLVM's and Intel's OpenMP report their version. The program did not make
 * this mark. */
enum { OF_OPENMP = -1 };

static int mark_create(const char *name)
{
	static const char version[] = "OMP RTL Version ";

	if (name && !strncmp(name, version, sizeof(version) - 1))
		return OF_OPENMP;
	return (int)upcr_name_of(name) + 1;
}

static int mark_itt_event(int type, const char *parameter)
{
	(void)parameter;
	if (type != OF_OPENMP)
		put_mark(event_name(type));
	return 0;
}

static void put_itt_marker(const void *domain, struct itt_id id, const void *text, int scope)
{
	(void)id;
	(void)scope;
	put_mark(name_of_task(domain, text));
}

static void tell_of_pause(void)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		upcr_say("the program has ITT pause: nothing pauses here, and all of it is counted");
}

static void pause_scoped(int scope)
{
	(void)scope;
	tell_of_pause();
}

/* ---- the library ------------------------------------------------------------------------------- */

typedef void (*call)(void);

static void *function_of(const char *name)
{
	static const struct {
		const char *name;
		call function;
	} wanted[] = {
		{"domain_create", (call)domain_create},
		{"string_handle_create", (call)text_create},
		{"task_begin", (call)task_begin},
		{"task_begin_fn", (call)task_begin_fn},
		{"task_end", (call)task_end},
		{"task_begin_overlapped", (call)begin_itt_task},
		{"task_end_overlapped", (call)end_itt_task},
		{"region_begin", (call)begin_itt_task},
		{"region_end", (call)end_itt_task},
		{"frame_begin_v3", (call)frame_begin},
		{"frame_end_v3", (call)frame_end},
		{"event_create", (call)event_create},
		{"event_start", (call)event_start},
		{"event_end", (call)event_end},
		{"mark_create", (call)mark_create},
		{"mark", (call)mark_itt_event},
		{"mark_global", (call)mark_itt_event},
		{"marker", (call)put_itt_marker},
		{"pause", (call)tell_of_pause},
		{"pause_scoped", (call)pause_scoped},
	};
	static const char prefix[] = "__itt_";
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strncmp(name, prefix, sizeof(prefix) - 1) &&
		    !strcmp(name + sizeof(prefix) - 1, wanted[i].name))
			return (void *)wanted[i].function;
	return NULL;
}

static bool is_known(const struct itt_global *global)
{
	static const unsigned char magic[8] = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30};

	if (!global || memcmp(global->magic, magic, sizeof(magic)) != 0) {
		upcr_say("what has asked for ITT's calls is no ITT: it gets none");
		return false;
	}
	if (global->major == MAJOR && global->build >= FIRST_BUILD && global->calls)
		return true;
	upcr_say("ITT %lu.%lu (%lu) is not known, only %d, from %d on: its annotations are not seen; "
		 "build the program with a newer ittnotify",
		 global->major, global->minor, global->build, MAJOR, FIRST_BUILD);
	return false;
}

/* Fill in the calls of a static part. Context: the static part holds its own lock. */
UPCR_FUNCTION(void, __itt_api_init, struct itt_global *global, int groups)
{
	const struct itt_domain *domain;
	const struct itt_text *text, *known;
	const struct itt_call *each;
	void *function;

	if (!is_known(global))
		return;
	for (domain = global->domains; domain; domain = domain->next)
		learn_foreign_number(foreign_domain, domain, upcr_label(&domains, domain->name));
	for (text = global->texts; text; text = text->next) {
		known = text_create(text->text);
		learn_foreign_number(foreign_text, text, known ? (unsigned)(known - text_handle) + 1 : 0);
	}
	for (each = global->calls; each->name; each++) {
		if (!each->function)
			continue;
		function = each->groups & groups ? function_of(each->name) : NULL;
		*each->function = function ? function : each->none;
	}
	upcr_thread_begin();
}
