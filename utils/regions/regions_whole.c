/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_whole.c - the launcher's part of region/whole.h: opens the counters of the whole run, and reads
 * them.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_whole.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "catalogue/cat_pfm.h"
#include "catalogue/catalogue.h"
#include "lib/common.h"
#include "lib/list.h"
#include "perf/context.h"
#include "region/names.h"
#include "region/settings.h"
#include "region/whole.h"

/* ---- counters ------------------------------------------------------------------------------ */

/* Our descriptors are just below this number, or below the program's limit, since programs use the lowest
 * descriptors. */
#define NUMBERS 1024

/* Move a descriptor, which the program inherits, to a high number. Return it, or -1 with errno. */
static int whole_keep(int fd)
{
	struct rlimit files = {.rlim_cur = NUMBERS};
	int from, kept = -1;

	if (fd < 0)
		return -1;
	(void)getrlimit(RLIMIT_NOFILE, &files);
	from = files.rlim_cur > NUMBERS ? NUMBERS : (int)files.rlim_cur;
	/* Try ever lower numbers, but leave the lowest ones to the program. */
	for (from -= 16; from >= NUMBERS / 8 && kept < 0; from -= 16)
		kept = fcntl(fd, F_DUPFD, from);
	close(fd);
	if (kept < 0)
		errno = EMFILE;
	return kept;
}

static int whole_spec_of(struct upc_catalogue *catalogue, const char *name, struct upci_perf_spec *spec)
{
	const struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	const struct upci_event *event;
	struct upci_context context;
	uint32_t code;
	int error = upc_catalogue_find(catalogue, name, &code);

	if (!error)
		error = upci_context_set(&context, &options);
	if (error)
		return error;
	event = upci_catalogue_event(catalogue, code);
	if (event->driver.source != UPC_SOURCE_PERF && event->driver.source != UPC_SOURCE_TRACEPOINT)
		error = UPC_ENOSUPP;
	else
		error = upci_perf_encode_for(&event->driver, &context, spec);
	upci_context_close(&context);
	return error;
}

/* Open the event's counter, which counts this process's child from its exec on, but never this process.
 * Return NULL, or why there is no counter. PMU events get no counter, so that all PMU counters are free for
 * the regions. */
static const char *whole_open_event(struct upc_catalogue *catalogue, const char *name,
				    struct upcr_whole_counter *counter)
{
	const size_t prefix = util_papi_prefix(name);
	struct upci_perf_spec spec;

	if (!prefix)
		return "it is not an event of upc:::";
	if (!catalogue || whole_spec_of(catalogue, name + prefix, &spec))
		return "it is not counted by perf_event_open";
	if (!upci_perf_is_software(&spec))
		return "the PMU's counters are left to the regions";
	counter->type = spec.type;
	counter->config = spec.config;
	counter->config1 = spec.config1;
	counter->config2 = spec.config2;
	counter->excludes = (spec.exclude_user ? UPCR_WHOLE_NO_USER : 0u) |
			    (spec.exclude_kernel ? UPCR_WHOLE_NO_KERNEL : 0u) |
			    (spec.exclude_hv ? UPCR_WHOLE_NO_HV : 0u);
	counter->fd = whole_keep(upcr_whole_open_counter(counter, true));
	if (counter->fd < 0)
		return strerror(errno);
	if (ioctl(counter->fd, PERF_EVENT_IOC_ID, &counter->id))
		return "the kernel gives counters no numbers";
	return NULL;
}

/* ---- the run ------------------------------------------------------------------------------- */

static unsigned whole_list(struct regions_whole *whole, const char *events)
{
	char *list = strdup(events), *rest = list, *name;

	while ((name = strsep(&rest, ",")) != NULL) {
		if (!name[0])
			continue;
		if (!util_grow(&whole->event, whole->events, sizeof(*whole->event)))
			break;
		whole->event[whole->events++] =
			(struct regions_whole_event){.name = strdup(name), .counter = -1};
	}
	free(list);
	return whole->events;
}

static bool whole_make_memory(struct regions_whole *whole, unsigned counters)
{
	const size_t size = upcr_whole_head(counters) + UPCR_WHOLE_STRETCHES * upcr_whole_stride(counters);
	struct rlimit limit;
	int fd;
	void *memory = MAP_FAILED;

	/* RLIMIT_FSIZE applies to a memfd as well: exceeding it raises a signal. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size)
		return false;
	fd = whole_keep(memfd_create("upc_regions", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	whole->fd = fd;
	whole->memory = memory;
	whole->memory->size = size;
	whole->memory->magic = UPCR_WHOLE_MAGIC;
	return true;
}

static void whole_open(struct regions_whole *whole, struct upc_catalogue *catalogue)
{
	const char *why;

	for (unsigned i = 0; i < whole->events; i++) {
		struct upcr_whole_counter counter = {.fd = -1, .place = i};

		why = whole_open_event(catalogue, whole->event[i].name, &counter);
		whole->event[i].why = why ? strdup(why) : NULL;
		if (why && counter.fd >= 0)
			close(counter.fd);
		if (why)
			continue;
		whole->event[i].counter = (int)whole->memory->counters;
		whole->memory->counter[whole->memory->counters++] = counter;
	}
}

void regions_whole_begin(struct regions_whole *whole, const char *events, struct upc_catalogue *catalogue)
{
	char text[16];

	*whole = (struct regions_whole){.fd = -1};
	(void)unsetenv(UPCR_WHOLE_VARIABLE);
	if (!events || !whole_list(whole, events))
		return;
	if (!whole_make_memory(whole, whole->events)) {
		util_error(
			"the whole run is not counted: no memory can be shared with the program (ulimit -f "
			"and -n limit it)");
		return;
	}
	whole_open(whole, catalogue);
	snprintf(text, sizeof(text), "%d", whole->fd);
	(void)setenv(UPCR_WHOLE_VARIABLE, text, 1);
}

void regions_whole_free(struct regions_whole *whole)
{
	for (unsigned i = 0; whole->memory && i < whole->memory->counters; i++)
		close(whole->memory->counter[i].fd);
	if (whole->memory)
		munmap(whole->memory, whole->memory->size);
	if (whole->fd >= 0)
		close(whole->fd);
	for (unsigned i = 0; i < whole->events; i++) {
		free(whole->event[i].name);
		free(whole->event[i].why);
	}
	free(whole->event);
	*whole = (struct regions_whole){.fd = -1};
}

/* ---- the file ------------------------------------------------------------------------------ */

static int by_beginning(const void *a, const void *b)
{
	const struct upcr_whole_stretch *p = *(struct upcr_whole_stretch *const *)a,
					*q = *(struct upcr_whole_stretch *const *)b;

	return p->begun < q->begun ? -1 : p->begun > q->begun;
}

/* Counts outside of all stretches: before each stretch, and after the last one, including what ending threads
 * counted after their sets had stopped. */
struct whole_gaps {
	uint64_t *before, *behind; /* [counters]; behind: after the last stretch */
	bool ended;                /* behind is known */
};

/* Walk the stretches in the order of their beginnings. A stretch whose process stored no end counts as
 * lasting to the end of the run. */
static void whole_find_gaps(const struct regions_whole *whole, struct upcr_whole_stretch *const *list,
			    unsigned n, const uint64_t *now, struct whole_gaps *gaps)
{
	const unsigned counters = whole->memory->counters;
	const struct upcr_whole_stretch *last = NULL; /* the stretch that ended last, so far */
	bool open = false;

	for (unsigned i = 0; i < n && !open; i++) {
		const struct upcr_whole_stretch *at = list[i];

		for (unsigned k = 0; k < counters; k++)
			gaps->behind[k] += at->value[2 * counters + k];
		if (!last || at->begun > last->ended) {
			for (unsigned k = 0; k < counters; k++)
				gaps->before[k] += at->value[k] - (last ? last->value[counters + k] : 0);
		}
		open = atomic_load(&at->state) != UPCR_WHOLE_ENDED;
		if (!last || at->ended > last->ended)
			last = at;
	}
	gaps->ended = !open && last;
	for (unsigned k = 0; gaps->ended && k < counters; k++)
		gaps->behind[k] += now[k] - last->value[counters + k];
}

/* Return the begun stretches in the order of their beginnings. NULL if out of memory, or if a stretch could
 * not be counted. */
static struct upcr_whole_stretch **whole_stretches(const struct upcr_whole *memory, unsigned *n)
{
	const unsigned taken = atomic_load(&memory->stretches);
	struct upcr_whole_stretch **list = calloc((size_t)taken + 1, sizeof(*list));

	*n = 0;
	for (unsigned i = 0; list && i < taken; i++) {
		struct upcr_whole_stretch *at =
			i < UPCR_WHOLE_STRETCHES ? upcr_whole_stretch_of(memory, i) : NULL;
		const unsigned state = at ? atomic_load(&at->state) : UPCR_WHOLE_FREE;

		if (state != UPCR_WHOLE_BEGUN && state != UPCR_WHOLE_ENDED) {
			free(list);
			return NULL;
		}
		list[(*n)++] = at;
	}
	if (list)
		qsort(list, *n, sizeof(*list), by_beginning);
	return list;
}

/* True if a process leaves a file of regions. */
static bool whole_is_used(const struct upcr_whole *memory)
{
	const unsigned taken = atomic_load(&memory->stretches);
	bool used = false;

	for (unsigned i = 0; i < taken && i < UPCR_WHOLE_STRETCHES; i++)
		used |= atomic_load(&upcr_whole_stretch_of(memory, i)->used) != 0;
	return used;
}

static json_t *whole_events_of(const struct regions_whole *whole, const uint64_t *now,
			       const struct whole_gaps *gaps)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < whole->events; i++) {
		const struct regions_whole_event *event = &whole->event[i];
		const int k = event->counter;
		json_t *one = json_pack("{ss}", "event", event->name);

		if (!now || k < 0)
			json_object_set_new(
				one, "why",
				json_string(event->why ? event->why : "its counter could not be read"));
		else {
			json_object_set_new(one, "whole", json_integer((json_int_t)now[k]));
			if (gaps)
				json_object_set_new(one, "start", json_integer((json_int_t)gaps->before[k]));
			if (gaps && gaps->ended)
				json_object_set_new(one, "end", json_integer((json_int_t)gaps->behind[k]));
		}
		json_array_append_new(list, one);
	}
	return list;
}

static void whole_write(const struct regions_whole *whole, const char *path, const uint64_t *now,
			const struct whole_gaps *gaps, struct upcr_whole_stretch *const *list, unsigned n)
{
	char host[256] = "", written[PATH_MAX + 8];
	json_t *pids = json_array(), *root;

	(void)gethostname(host, sizeof(host) - 1);
	for (unsigned i = 0; i < n; i++)
		json_array_append_new(pids, json_integer(list[i]->pid));
	root = json_pack("{si ss sI so so}", "upc_regions_whole", 1, "host", host, "rank",
			 (json_int_t)upcr_rank(), "pids", pids, "events", whole_events_of(whole, now, gaps));
	/* Write the whole file or nothing: mpirun may kill the launcher here. */
	snprintf(written, sizeof(written), "%s.new", path);
	if (!root || json_dump_file(root, written, JSON_COMPACT) || rename(written, path)) {
		util_error("'%s' cannot be written: %s", path, strerror(errno));
		unlink(written);
	}
	json_decref(root);
}

void regions_whole_end(struct regions_whole *whole, const char *files)
{
	const unsigned counters = whole->memory ? whole->memory->counters : 0;
	uint64_t *value = calloc(3 * (size_t)counters + 1, sizeof(*value));
	struct whole_gaps gaps = {.before = value + counters, .behind = value + 2 * counters};
	struct upcr_whole_stretch **list = NULL;
	char path[PATH_MAX];
	unsigned n = 0;

	if (value && whole->memory && whole_is_used(whole->memory) &&
	    upcr_out_path(files, getpid(), true, path, sizeof(path) - sizeof(REGIONS_WHOLE_END))) {
		const bool known = upcr_whole_read(whole->memory, value) == 0;

		list = whole_stretches(whole->memory, &n);
		if (list)
			whole_find_gaps(whole, list, n, value, &gaps);
		strcat(path, REGIONS_WHOLE_END);
		whole_write(whole, path, known ? value : NULL, list ? &gaps : NULL, list, list ? n : 0);
	}
	free(list);
	free(value);
}

/* ---- contents of the files ----------------------------------------------------------------------- */

/* True if the process, found by its host and PID, belongs to the run of the file. */
static bool whole_has(const json_t *file, const struct regions_process *process)
{
	const char *host = json_string_value(json_object_get(file, "host"));
	const json_t *pid;
	size_t i;

	if (!host || strcmp(host, process->host) != 0)
		return false;
	json_array_foreach(json_object_get(file, "pids"), i, pid)
	{
		if (json_integer_value(pid) == process->pid)
			return true;
	}
	return false;
}

static bool whole_add_row(struct regions_data *data, struct regions_process *process,
			  struct regions_thread *thread, const json_t *file, const char *name,
			  const char *key)
{
	const uint32_t number = regions_number(&data->names, name);
	const uint32_t path = number == REGIONS_NONE ? number : regions_path(data, 0, number);
	struct regions_row *row = path == REGIONS_NONE ? NULL : regions_add_row(process, thread, path);
	const json_t *one;
	size_t i;

	if (!row)
		return false;
	json_array_foreach(json_object_get(file, "events"), i, one)
	{
		const char *event = json_string_value(json_object_get(one, "event"));
		const json_t *count = json_object_get(one, key);
		const uint32_t place = event ? regions_number(&data->events, event) : REGIONS_NONE;

		if (place < process->events && json_is_integer(count))
			row->value[place] = upcr_exact((uint64_t)json_integer_value(count));
	}
	return true;
}

/* True if any event of the file has a count under this key. */
static bool whole_says(const json_t *file, const char *key)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(file, "events"), i, one)
	{
		if (json_is_integer(json_object_get(one, key)))
			return true;
	}
	return false;
}

static bool whole_add_rows(struct regions_data *data, struct regions_process *process, const json_t *file)
{
	struct regions_thread *thread;

	if (!whole_says(file, "start"))
		return true;
	thread = regions_add_thread(process);
	if (!thread)
		return false;
	thread->threads = 0;
	thread->name = strdup("start and end");
	return thread->name && whole_add_row(data, process, thread, file, UPCR_START_NAME, "start") &&
	       (!whole_says(file, "end") || whole_add_row(data, process, thread, file, UPCR_END_NAME, "end"));
}

static bool whole_add_counts(struct regions_data *data, struct regions_process *process, const json_t *file)
{
	const json_t *one;
	bool done = true;
	size_t i;

	process->whole = calloc(process->events + 1, sizeof(*process->whole));
	for (uint32_t k = 0; process->whole && k < process->events; k++)
		process->whole[k] = upcr_uncounted();
	json_array_foreach(json_object_get(file, "events"), i, one)
	{
		const char *event = json_string_value(json_object_get(one, "event")),
			   *why = json_string_value(json_object_get(one, "why"));
		const json_t *count = json_object_get(one, "whole");
		const uint32_t place = event ? regions_number(&data->events, event) : REGIONS_NONE;
		char what[512];

		if (process->whole && place < process->events && json_is_integer(count))
			process->whole[place] = upcr_exact((uint64_t)json_integer_value(count));
		snprintf(what, sizeof(what), "an event was not counted in the whole run: %s", why ? why : "");
		done &= !why || regions_add_note(process, what, NULL, 1);
	}
	return process->whole && done;
}

/* Add one file. Rows are added only if all processes of the run are covered: processes that are not covered
 * may have worked outside of the stretches. */
static bool whole_add(struct regions_data *data, size_t first, const json_t *file)
{
	const json_int_t rank = json_integer_value(json_object_get(file, "rank"));
	struct regions_process *owner = NULL;
	bool all = true;

	for (size_t i = first; i < data->processes; i++) {
		struct regions_process *process = &data->process[i];

		if (!whole_has(file, process)) {
			all &= process->covered || (rank >= 0 && process->rank != rank);
			continue;
		}
		process->covered = true;
		owner = owner ? owner : process;
	}
	return !owner || (whole_add_counts(data, owner, file) && (!all || whole_add_rows(data, owner, file)));
}

static int is_whole(const struct dirent *entry)
{
	const size_t n = strlen(entry->d_name), end = strlen(REGIONS_WHOLE_END);

	return entry->d_name[0] != '.' && n > end && !strcmp(entry->d_name + n - end, REGIONS_WHOLE_END);
}

bool regions_whole_gather(struct regions_data *data, size_t first, const char *directory)
{
	struct dirent **entry;
	int n = scandir(directory, &entry, is_whole, alphasort), i;
	char path[PATH_MAX];
	bool done = true;

	for (i = 0; i < n; i++) {
		json_t *file = NULL;

		if (done &&
		    snprintf(path, sizeof(path), "%s/%s", directory, entry[i]->d_name) < (int)sizeof(path))
			file = json_load_file(path, 0, NULL);
		if (!file)
			util_error("'%s' cannot be read: the whole run is not known", path);
		if (json_integer_value(json_object_get(file, "upc_regions_whole")) == 1)
			done = whole_add(data, first, file);
		json_decref(file);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return done;
}
