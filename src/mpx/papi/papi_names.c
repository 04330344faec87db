/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_names.c - looks events up by name, and derives properties of events from their names.
 *
 * Terms: papi/papi_backend.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "catalogue/nearest.h"
#include "papi/papi_formula.h"
#include "papi/papi_group.h"

#define NAME_SIZE 256

/*
 * Serializes name lookups, since PAPI 7.0.0 looks names up without a lock, in a table that another thread's
 * lookup may enlarge and thereby move. May be taken while the library's lock is held; no handler takes it.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void mpxi_papi_name(uint32_t event, char *name, unsigned size)
{
	char full[PAPI_HUGE_STR_LEN] = "";

	if (PAPI_event_code_to_name((int)mpxi_papi_code_of(event), full) != PAPI_OK || !*full)
		snprintf(full, sizeof(full), "0x%x", event);
	snprintf(name, size, "%s", full);
}

int mpxi_papi_refuse(uint32_t event, int error)
{
	char name[NAME_SIZE];
	const bool descriptors = error == PAPI_ESYS && errno == EMFILE;

	mpxi_papi_name(event, name, sizeof(name));
	if (descriptors)
		return mpxi_error(error, "no file descriptors left for %s: raise the limit (ulimit -n)",
				  name);
	return mpxi_error(error, "PAPI does not count %s here: %s", name, mpxi_papi_words(error));
}

int mpxi_papi_refuse_trial(int component, const char *what)
{
	return mpxi_error(
		MPXI_ENOSUPP,
		"PAPI's component %s does not %s on this machine: before it does, it tries to count "
		"instructions, and there is no PMU for that. Software events of the component upc "
		"need none (upc:::perf::PAGE-FAULTS, ...)",
		PAPI_get_component_info(component)->name, what);
}

/* ---- properties by name --------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *list)
{
	const size_t length = strcspn(name, ":");

	for (; *list; list++)
		if (strlen(*list) == length && strncmp(name, *list, length) == 0)
			return true;
	return false;
}

/*
 * True if the event takes no counter of the PMU. The kernel counts the listed software events itself, and
 * libupc reads the other listed events from files and clocks. Returns false for an event that is not
 * listed, even if it takes no counter.
 */
bool mpxi_papi_needs_no_counter(uint32_t event)
{
	static const char *const software[] = {
		"CPU-CLOCK",
		"TASK-CLOCK",
		"PAGE-FAULTS",
		"FAULTS",
		"MINOR-FAULTS",
		"MAJOR-FAULTS",
		"CONTEXT-SWITCHES",
		"CS",
		"CPU-MIGRATIONS",
		"MIGRATIONS",
		"ALIGNMENT-FAULTS",
		"EMULATION-FAULTS",
		"CGROUP-SWITCHES",
		"PERF_COUNT_SW_CPU_CLOCK",
		"PERF_COUNT_SW_TASK_CLOCK",
		"PERF_COUNT_SW_PAGE_FAULTS",
		"PERF_COUNT_SW_PAGE_FAULTS_MIN",
		"PERF_COUNT_SW_PAGE_FAULTS_MAJ",
		"PERF_COUNT_SW_CONTEXT_SWITCHES",
		"PERF_COUNT_SW_CPU_MIGRATIONS",
		"PERF_COUNT_SW_CGROUP_SWITCHES",
		NULL,
	};
	static const char *const read[] = {
		"time",    "task",  "process", "cpu",  "irq", "softirq", "vm",   "mem", "net", "snmp",
		"netstat", "snmp6", "sock",    "disk", "psi", "fs",      "numa", "ksm", "tp",  NULL,
	};
	static const char *const sums[] = {
		"NET_RX_BYTES", "NET_TX_BYTES", "DISK_READ_BYTES", "DISK_WRITE_BYTES", NULL,
	};
	char name[NAME_SIZE];
	const char *part;

	mpxi_papi_name(event, name, sizeof(name));
	part = strstr(name, ":::");
	if (part && strncmp(name, "upc:::", 6) == 0 && is_one_of(part + 3, read))
		return strncmp(part + 3 + strcspn(part + 3, ":"), "::", 2) == 0;
	if (part && strncmp(name, "upc:::", 6) == 0 && is_one_of(part + 3, sums))
		return true;
	part = part ? part + 3 : name;
	return strncmp(part, "perf::", 6) == 0 && is_one_of(part + 6, software);
}

bool mpxi_papi_is_unit_software(uint32_t event)
{
	char name[NAME_SIZE];

	mpxi_papi_name(event, name, sizeof(name));
	return (strncmp(name, "upc:::tp::", 10) == 0 || strncmp(name, "upc:::perf::", 12) == 0) &&
	       mpxi_papi_needs_no_counter(event);
}

bool mpxi_papi_is_tracepoint(uint32_t event)
{
	char name[NAME_SIZE];

	mpxi_papi_name(event, name, sizeof(name));
	return strncmp(name, "upc:::tp::", 10) == 0;
}

bool mpxi_papi_has_no_domain(uint32_t event)
{
	char name[NAME_SIZE];

	mpxi_papi_name(event, name, sizeof(name));
	return strncmp(name, "upc:::", 6) == 0 && mpxi_papi_needs_no_counter(event) &&
	       !mpxi_papi_is_unit_software(event);
}

static const char *unit_counts_for(uint32_t event)
{
	PAPI_event_info_t info;

	if (PAPI_get_event_info((int)mpxi_papi_code_of(event), &info) != PAPI_OK)
		return NULL;
	if (info.location == PAPI_LOCATION_UNCORE)
		return "the whole machine";
	if (info.location == PAPI_LOCATION_CPU)
		return "a CPU, whoever runs there";
	return strncmp(info.symbol, "upc:::process::", 15) == 0 || strncmp(info.symbol, "process::", 9) == 0
		       ? "the whole process"
		       : NULL;
}

const char *mpxi_papi_counts_for(uint32_t event)
{
	int component = PAPI_get_event_component((int)mpxi_papi_code_of(event));
	const PAPI_component_info_t *info = component < 0 ? NULL : PAPI_get_component_info(component);

	if (!info || strcmp(info->name, "perf_event") == 0)
		return NULL;
	/* Components other than perf_event and upc count for networks, sensors, accelerators or
	 * packages, or are unknown. */
	return strcmp(info->name, "upc") == 0 ? unit_counts_for(event) : "a device, or the whole machine";
}

bool mpxi_papi_is_rate(const PAPI_event_info_t *info)
{
	if (strcmp(info->derived, "DERIVED_PS") == 0 || strcmp(info->derived, "DERIVED_ADD_PS") == 0)
		return true;
	return strcmp(info->derived, "DERIVED_POSTFIX") == 0 && !mpxi_papi_is_sum(info->postfix);
}

/* ---- suggestions for wrong names ------------------------------------------------------------ */

/* Offer a copy of the name to the list of nearest names, and free the name that it displaces there. */
static void offer_name_copy(struct upci_nearest *nearest, const char *wrong, const char *name)
{
	const char *last = nearest->count == nearest->max ? nearest->name[nearest->count - 1] : NULL;
	char *copy;
	bool kept = false;
	int i;

	if (upci_name_distance(wrong, name) >= UPCI_BEGINNING)
		return;
	copy = strdup(name);
	if (!copy)
		return;
	upci_nearest_offer(nearest, wrong, copy);
	for (i = 0; i < nearest->count; i++)
		kept |= nearest->name[i] == copy;
	free(kept ? (char *)last : copy);
}

static void offer_all(struct upci_nearest *nearest, const char *wrong, int component, int first)
{
	char name[PAPI_HUGE_STR_LEN];
	int code = first;

	if (PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK)
		return;
	do
		if (PAPI_event_code_to_name(code, name) == PAPI_OK)
			offer_name_copy(nearest, wrong, name);
	while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
}

/* True if no descriptors are left. PAPI and its components open files when they look a name up. */
static bool descriptors_are_out(void)
{
	int fd[4], n = 0, failed = 0;

	while (n < 4 && !failed) {
		fd[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fd[n] < 0)
			failed = errno;
		else
			n++;
	}
	while (n-- > 0)
		close(fd[n]);
	return failed == EMFILE || failed == ENFILE;
}

/* True if all events may be listed. Listing them enlarges PAPI's table of events, which other threads
 * read when they add events, so it is done only if no other thread uses PAPI. */
static bool may_list(void)
{
	int threads = 0;

	return PAPI_list_threads(NULL, &threads) == PAPI_OK && threads <= 1;
}

static int fail_name(const char *wrong, int error)
{
	struct upci_nearest nearest = {.max = 4};
	char text[5 * NAME_SIZE] = "";
	const bool lists = *wrong && may_list();
	size_t used = 0;
	int component, i;

	if (descriptors_are_out())
		return mpxi_error(
			MPXI_ESYS,
			"no file descriptors left to look for \"%.200s\": raise the limit (ulimit -n)",
			wrong);
	if (lists)
		offer_all(&nearest, wrong, 0, (int)PAPI_PRESET_MASK);
	for (component = 0; lists && component < PAPI_num_components(); component++)
		offer_all(&nearest, wrong, component, (int)PAPI_NATIVE_MASK);
	for (i = 0; i < nearest.count; i++) {
		if (used + strlen(nearest.name[i]) + 8 < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 i ? ", " : "; near: ", nearest.name[i]);
		free((char *)nearest.name[i]);
	}
	return mpxi_error(error, "PAPI has no event \"%.200s\" here (%s)%s", wrong, mpxi_papi_words(error),
			  text);
}

static int find_papi_code(const char *name, uint32_t *event)
{
	int code = PAPI_NULL, error = PAPI_event_name_to_code(name, &code);

	if (error)
		/* PAPI returns the error of the component that it tried last, so these two errors also
		 * mean that no component knows the name. */
		return fail_name(name, error == PAPI_ECMP || error == PAPI_EINVAL ? PAPI_ENOEVNT : error);
	*event = (uint32_t)code;
	return PAPI_OK;
}

int mpxi_papi_code(const char *name, uint32_t *event)
{
	int error = mpxi_papi_is_there();

	if (error)
		return error;
	/* PAPI does not handle longer names correctly. */
	if (strlen(name) >= PAPI_HUGE_STR_LEN)
		return mpxi_error(MPXI_ENOEVNT, "PAPI has no event with a name of %zu characters",
				  strlen(name));
	pthread_mutex_lock(&lock);
	error = find_papi_code(name, event);
	pthread_mutex_unlock(&lock);
	return error;
}

void mpxi_papi_names_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
}
