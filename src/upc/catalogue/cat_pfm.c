/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_pfm.c - the interface to libpfm4: the events that it can name and the kernel counts here, and their
 * encoding.
 * Terms: catalogue/catalogue.h, base/target.h.
 */
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/cat_pfm.h"
#include "catalogue/cat_pmus.h"
#include "catalogue/cat_trace.h"
#include "base/message.h"
#include "base/process.h"
#include "perf/pmus.h"
#include "base/text.h"

/* Protects libpfm4, which does not promise thread safety for encodings. A leaf lock; no signal handler takes
 * it. The fork handlers hold it too: events are encoded as they are added, and a child forked while another
 * thread held the lock would hang when it adds an event. */
static pthread_mutex_t pfm_lock = PTHREAD_MUTEX_INITIALIZER;
UPCI_FORK_LOCK(pfm, &pfm_lock, UPCI_FORK_PFM)

#define NOT_YET 1                 /* not an error code of libpfm4 */
static int initialized = NOT_YET; /* result of pfm_initialize(), written once under pfm_lock */

static bool pfm_is_ready(void)
{
	int result = __atomic_load_n(&initialized, __ATOMIC_ACQUIRE);

	if (result == NOT_YET) {
		lock_pfm();
		if (initialized == NOT_YET)
			__atomic_store_n(&initialized, pfm_initialize(), __ATOMIC_RELEASE);
		result = initialized;
		unlock_pfm();
	}
	return result == PFM_SUCCESS;
}

static int encode_locked(const char *name, unsigned domain, struct upci_perf_spec *spec)
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
	int plm = 0, result;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	if (domain & UPC_DOMAIN_USER)
		plm |= PFM_PLM3;
	if (domain & UPC_DOMAIN_KERNEL)
		plm |= PFM_PLM0;
	if (domain & UPC_DOMAIN_HYPERVISOR)
		plm |= PFM_PLMH;
	result = pfm_get_os_event_encoding(name, plm, PFM_OS_PERF_EVENT, &arg);
	if (result != PFM_SUCCESS)
		return result;
	memset(spec, 0, sizeof(*spec));
	spec->type = attr.type;
	spec->config = attr.config;
	spec->config1 = attr.config1;
	spec->config2 = attr.config2;
	spec->exclude_user = attr.exclude_user;
	spec->exclude_kernel = attr.exclude_kernel;
	spec->exclude_hv = attr.exclude_hv;
	return PFM_SUCCESS;
}

/* Encode the kernel's software events for which libpfm4 has no names, with the modifiers in name. */
static int encode_unnamed_locked(const char *name, unsigned domain, struct upci_perf_spec *spec)
{
	static const struct {
		const char *name;
		unsigned config;
	} unnamed[] = {
		{"perf::ALIGNMENT-FAULTS", PERF_COUNT_SW_ALIGNMENT_FAULTS},
		{"perf::EMULATION-FAULTS", PERF_COUNT_SW_EMULATION_FAULTS},
	};
	size_t i;

	for (i = 0; i < sizeof(unnamed) / sizeof(unnamed[0]); i++) {
		size_t n = strlen(unnamed[i].name);
		char known[UPC_NAME_MAX];
		int result;

		if (upci_fold_compare_n(name, unnamed[i].name, n) || (name[n] && name[n] != ':'))
			continue;
		snprintf(known, sizeof(known), "perf::PAGE-FAULTS%s", name + n);
		result = encode_locked(known, domain, spec);
		spec->config = unnamed[i].config;
		return result;
	}
	return PFM_ERR_NOTFOUND;
}

/*
 * True for a software event that is raised with the kernel's registers. If such an event is opened for the
 * user domain alone, it always reads 0, which is not its count.
 */
static bool happens_in_kernel(const struct upci_perf_spec *spec)
{
	if (spec->type != PERF_TYPE_SOFTWARE)
		return false;
	switch (spec->config) {
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
	case 11: /* PERF_COUNT_SW_CGROUP_SWITCHES, newer than some headers */
		return true;
	default:
		return false;
	}
}

int upci_perf_encode(const struct upci_driver *driver, unsigned domain, struct upci_perf_spec *spec)
{
	int result;

	if (driver->source == UPC_SOURCE_TRACEPOINT) {
		if (!(domain & UPC_DOMAIN_KERNEL))
			return upci_fail(
				UPC_EPERM,
				"tracepoint %s: lies in the kernel, whose domain is not counted; choose "
				"the kernel domain (root or CAP_PERFMON, or perf_event_paranoid below 2)",
				driver->tracepoint);
		memset(spec, 0, sizeof(*spec));
		spec->type = PERF_TYPE_TRACEPOINT;
		spec->can_wait = upci_tracepoint_is_plain(driver->tracepoint);
		return upci_tracepoint_id(driver->tracepoint, &spec->config);
	}
	if (strchr(driver->perf, '/'))
		return upci_pmu_encode(driver->perf, domain, spec);
	if (!pfm_is_ready())
		return upci_fail(UPC_ENOSUPP, "libpfm4: %s", pfm_strerror(initialized));
	lock_pfm();
	result = encode_locked(driver->perf, domain, spec);
	if (result == PFM_ERR_NOTFOUND)
		result = encode_unnamed_locked(driver->perf, domain, spec);
	unlock_pfm();
	if (result == PFM_ERR_NOMEM)
		return upci_fail(UPC_ENOMEM, "%s: libpfm4 has no memory", driver->perf);
	if (result != PFM_SUCCESS)
		return upci_fail(UPC_ENOEVENT, "libpfm4 cannot encode '%s': %s", driver->perf,
				 pfm_strerror(result));
	spec->cpu_only = upci_pmu_is_cpu_only(spec->type);
	spec->core = upci_pmu_is_core(spec->type);
	if (happens_in_kernel(spec) && spec->exclude_kernel && domain & UPC_DOMAIN_KERNEL)
		return upci_fail(UPC_ENOSUPP,
				 "%s: happens in the kernel and would read 0 in user mode; leave ':u' out",
				 driver->perf);
	if (happens_in_kernel(spec) && spec->exclude_kernel)
		return upci_fail(
			UPC_EPERM,
			"%s: happens in the kernel and would read 0 in the user domain; run as root or "
			"with CAP_PERFMON, or use task::voluntary_ctxt_switches and "
			"task::nonvoluntary_ctxt_switches",
			driver->perf);
	return 0;
}

int upci_perf_encode_for(const struct upci_driver *driver, const struct upci_context *context,
			 struct upci_perf_spec *spec)
{
	int error = upci_perf_encode(driver, context->domain, spec);

	if (error || context->domain_chosen || !spec->core)
		return error;
	/* Encode again, because a name can choose its own domain, as in "...:k". */
	return upci_perf_encode(driver, UPC_DOMAIN_USER, spec);
}

/* Get the i-th PMU of libpfm4's tables. False if there is none. */
static bool get_pmu(int i, pfm_pmu_info_t *pmu)
{
	bool there;

	memset(pmu, 0, sizeof(*pmu));
	pmu->size = sizeof(*pmu);
	lock_pfm();
	there = pfm_get_pmu_info((pfm_pmu_t)i, pmu) == PFM_SUCCESS;
	unlock_pfm();
	return there;
}

static bool is_name_of_pmu(const pfm_pmu_info_t *pmu, const char *name)
{
	size_t n = strlen(pmu->name);

	return !upci_fold_compare_n(pmu->name, name, n) && !strncmp(name + n, "::", 2);
}

bool upci_pfm_is_elsewhere(const char *name)
{
	pfm_pmu_info_t pmu;
	int i;

	if (!strstr(name, "::") || !pfm_is_ready())
		return false;
	for (i = 0; i < PFM_PMU_MAX; i++)
		if (get_pmu(i, &pmu) && pmu.is_present && is_name_of_pmu(&pmu, name))
			return false;
	return true;
}

bool upci_pfm_own(const char *name, char *own, size_t size)
{
	struct upci_out out = {.text = own, .size = size};
	pfm_pmu_info_t pmu;
	bool known = false;
	int i;

	for (i = 0; pfm_is_ready() && i < PFM_PMU_MAX; i++) {
		if (!get_pmu(i, &pmu))
			continue;
		known = known || is_name_of_pmu(&pmu, name);
		if (pmu.is_present && pmu.type == PFM_PMU_TYPE_CORE)
			upci_out(&out, "%s%s", out.length ? ", " : "", pmu.name);
	}
	if (!out.length)
		upci_out(&out, "libpfm4 finds none of its CPU");
	return known;
}

/* Descriptions of perf's generic events, used instead of libpfm4's, and units. unit NULL means "events". */
struct generic {
	const char *text, *unit;
};

static const struct generic software[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = {"Time that the context ran, by the CPU's high-resolution clock, user "
				     "and kernel time together.",
				     "ns"},
	[PERF_COUNT_SW_TASK_CLOCK] = {"CPU time of the context's threads, user and kernel time together.",
				      "ns"},
	[PERF_COUNT_SW_PAGE_FAULTS] = {"Page faults, minor and major together: first touches of a page, "
				       "copy-on-write, and pages brought in from storage.",
				       "faults"},
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = {"Times that the CPU was given to another thread.", "switches"},
	[PERF_COUNT_SW_CPU_MIGRATIONS] = {"Times that a thread went on running on another CPU than before.",
					  NULL},
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = {"Page faults that needed no I/O.", "faults"},
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = {"Page faults that had to wait for storage.", "faults"},
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = {"Unaligned accesses that the kernel had to repair.", NULL},
	[PERF_COUNT_SW_EMULATION_FAULTS] = {"Instructions that the kernel emulated.", NULL},
	[11] = {"Context switches between threads of different control groups.", NULL},
};

static const struct generic hardware[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = {"CPU cycles, at the frequency that the core had.", "cycles"},
	[PERF_COUNT_HW_INSTRUCTIONS] = {"Instructions retired.", "instructions"},
	[PERF_COUNT_HW_CACHE_REFERENCES] = {"Cache accesses, usually of the last level.", NULL},
	[PERF_COUNT_HW_CACHE_MISSES] = {"Cache misses, usually of the last level.", NULL},
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = {"Branch instructions retired.", "instructions"},
	[PERF_COUNT_HW_BRANCH_MISSES] = {"Branch instructions that were mispredicted.", "instructions"},
	[PERF_COUNT_HW_BUS_CYCLES] = {"Cycles of the bus or of a fixed reference clock.", "cycles"},
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = {"Cycles in which the front end delivered nothing.",
						   "cycles"},
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = {"Cycles in which the back end accepted nothing.", "cycles"},
	[PERF_COUNT_HW_REF_CPU_CYCLES] = {"CPU cycles at a fixed reference frequency.", "cycles"},
};

static struct generic generic_of(const struct upci_perf_spec *spec)
{
	if (spec->type == PERF_TYPE_SOFTWARE && spec->config < sizeof(software) / sizeof(software[0]))
		return software[spec->config];
	if (spec->type == PERF_TYPE_HARDWARE && spec->config < sizeof(hardware) / sizeof(hardware[0]))
		return hardware[spec->config];
	return (struct generic){NULL, NULL};
}

static const char *subsystem_of(const struct upci_perf_spec *spec)
{
	switch (spec->type) {
	case PERF_TYPE_SOFTWARE:
		return "software";
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return "hardware";
	default:
		return "pmu";
	}
}

/* True if an error ends the building of a catalogue, and not only the offer of one name. */
static bool is_fatal_error(int64_t error)
{
	return error == UPC_ENOMEM || error == UPC_EMFILE;
}

/* Add a name to the catalogue if the kernel encodes and opens it. Return its code, or a negative error with
 * nothing added: UPC_ENOSUPP or UPC_EPERM if the kernel does not open it. */
static int64_t offer_name(struct upc_catalogue *c, unsigned domain, const char *name, const char *text)
{
	struct upci_event event = {.id = UPC_NO_ID, .scope = UPC_SCOPE_CONTEXT, .kind = UPC_KIND_COUNT};
	struct upci_perf_spec spec;
	struct generic generic;
	int error;

	event.driver.source = UPC_SOURCE_PERF;
	event.driver.mul = event.driver.div = 1;
	event.driver.perf = name;
	error = upci_perf_encode(&event.driver, domain, &spec);
	if (!error)
		error = upci_perf_probe(&spec, name);
	if (error)
		return error;
	event.name = upci_catalogue_printf(c, "%s", name);
	if (!event.name)
		return UPC_ENOMEM;
	event.driver.perf = event.name;
	generic = generic_of(&spec);
	event.description = generic.text ? generic.text : upci_catalogue_printf(c, "%s.", text);
	event.unit = generic.unit ? generic.unit : "events";
	event.subsystem = subsystem_of(&spec);
	if (spec.cpu_only)
		event.scope = UPC_SCOPE_MACHINE;
	if (!event.description)
		return UPC_ENOMEM;
	return upci_catalogue_put(c, &event);
}

static bool get_event(int e, pfm_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_info(e, PFM_OS_PERF_EVENT, info) == PFM_SUCCESS;
}

/* Offer an event and each of its unit masks, as separate names. */
static int offer_event(struct upc_catalogue *c, unsigned domain, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *info)
{
	char name[UPC_NAME_MAX], text[1024];
	int64_t code;
	int i;

	snprintf(name, sizeof(name), "%s::%s", pmu->name, info->name);
	code = offer_name(c, domain, name, info->desc);
	if (is_fatal_error(code))
		return (int)code;
	for (i = 0; i < info->nattrs; i++) {
		pfm_event_attr_info_t attr;

		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s::%s:%s", pmu->name, info->name, attr.name);
		snprintf(text, sizeof(text), "%s: %s", info->desc, attr.desc);
		code = offer_name(c, domain, name, text);
		if (is_fatal_error(code))
			return (int)code;
	}
	return 0;
}

/*
 * Offer the names of the generic PMU "perf", which gives most events two to four names. The first alias of an
 * event is the name that perf's users type, and is listed. With only set, offer only this name and return its
 * code, or a negative error: UPC_ENOEVENT if the name is not listed.
 */
static int64_t offer_generic(struct upc_catalogue *c, unsigned domain, const pfm_pmu_info_t *pmu,
			     const char *only)
{
	const char *listed[256];
	unsigned n = 0, i;
	int64_t code;
	int e;

	for (e = pmu->first_event; e >= 0; e = pfm_get_event_next(e)) {
		pfm_event_info_t info;
		char name[UPC_NAME_MAX];

		if (!get_event(e, &info) || !info.equiv)
			continue;
		for (i = 0; i < n && strcmp(listed[i], info.equiv); i++)
			;
		if (i < n || n == sizeof(listed) / sizeof(listed[0]))
			continue;
		listed[n++] = info.equiv;
		snprintf(name, sizeof(name), "%s::%s", pmu->name, info.name);
		if (only && strcmp(name, only))
			continue;
		code = offer_name(c, domain, name, info.desc);
		if (only || is_fatal_error(code))
			return code;
	}
	return only ? UPC_ENOEVENT : 0;
}

int64_t upci_pfm_find_alone(struct upc_catalogue *c, const char *name)
{
	int domains = upci_perf_domains();
	pfm_pmu_info_t pmu;

	if (domains < 0)
		return domains;
	return pfm_is_ready() && get_pmu(PFM_PMU_PERF_EVENT, &pmu)
		       ? offer_generic(c, (unsigned)domains, &pmu, name)
		       : UPC_ENOEVENT;
}

/* Check that the kernel drives a detected PMU and opens its events for this caller. Return 0, or the error. A
 * PMU that the kernel does not drive (a virtual machine without one) is not listed event by event. */
static int kernel_has(const pfm_pmu_info_t *pmu, unsigned domain)
{
	int e, tried = 0, error = UPC_ENOSUPP;

	for (e = pmu->first_event; e >= 0 && tried < 8; e = pfm_get_event_next(e)) {
		struct upci_driver driver = {.source = UPC_SOURCE_PERF};
		struct upci_perf_spec spec;
		pfm_event_info_t info;
		char name[UPC_NAME_MAX];

		if (!get_event(e, &info))
			continue;
		snprintf(name, sizeof(name), "%s::%s", pmu->name, info.name);
		driver.perf = name;
		if (upci_perf_encode(&driver, domain, &spec))
			continue;
		tried++;
		error = upci_perf_probe(&spec, name);
		if (error == 0 || is_fatal_error(error))
			return error;
	}
	return error;
}

/* Report why there are no events of the CPU's PMU. core is the result of kernel_has for the PMU that libpfm4
 * found, or UPC_ENOEVENT if it found none. */
static int add_missing_core(struct upc_catalogue *c, int core)
{
	/* Check this first, since perf_event_paranoid refuses even if there is no PMU. */
	if (!upci_pmu_core_is_there())
		return upci_catalogue_add_missing(
			c,
			"hardware counters: the kernel shows no PMU of this CPU (a virtual machine without one); "
			"run on the bare machine or have the hypervisor pass the PMU on");
	if (core == UPC_EPERM)
		return upci_catalogue_add_missing(
			c, upci_catalogue_printf(
				   c,
				   "hardware counters: the kernel does not permit them "
				   "(perf_event_paranoid is %d; a container's seccomp filter answers so "
				   "too): run as root or with CAP_PERFMON, or ask for "
				   "perf_event_paranoid 2 or lower",
				   upci_perf_paranoid()));
	if (core == UPC_ENOEVENT)
		return upci_catalogue_add_missing(
			c,
			"hardware counters by this CPU's own names: libpfm4 does not know the CPU; perf's generic "
			"ones (perf::INSTRUCTIONS and others) are there where the kernel has them");
	return upci_catalogue_add_missing(
		c, "hardware counters by this CPU's own names: the kernel opens none of those "
		   "that libpfm4 has for it");
}

int upci_catalogue_add_pfm(struct upc_catalogue *c)
{
	int i, error = upci_pmus_refresh(), core = UPC_ENOEVENT, domains;

	if (error)
		return error;
	domains = upci_perf_domains();
	if (domains < 0)
		return domains;
	if (!pfm_is_ready())
		return upci_catalogue_add_missing(
			c, upci_catalogue_printf(c, "perf events by name: libpfm4 failed: %s",
						 pfm_strerror(initialized)));
	for (i = 0; i < PFM_PMU_MAX && !error; i++) {
		pfm_pmu_info_t pmu;
		int e, there;

		if (!get_pmu(i, &pmu) || !pmu.is_present || !strcmp(pmu.name, "perf_raw"))
			continue;
		if (!strcmp(pmu.name, "perf")) {
			error = (int)offer_generic(c, (unsigned)domains, &pmu, NULL);
			continue;
		}
		there = kernel_has(&pmu, (unsigned)domains);
		if (pmu.type == PFM_PMU_TYPE_CORE && core)
			core = there;
		if (is_fatal_error(there))
			error = there;
		if (there)
			continue;
		for (e = pmu.first_event; e >= 0 && !error; e = pfm_get_event_next(e)) {
			pfm_event_info_t info;

			if (get_event(e, &info))
				error = offer_event(c, (unsigned)domains, &pmu, &info);
		}
	}
	if (!error && core)
		error = add_missing_core(c, core);
	if (!error && !(domains & UPC_DOMAIN_KERNEL))
		error = upci_catalogue_add_missing(
			c,
			"the kernel domain, context switches and CPU migrations of perf: run as root or with "
			"CAP_PERFMON, or ask for perf_event_paranoid 1 or lower; task::voluntary_ctxt_switches "
			"and task::nonvoluntary_ctxt_switches need nothing");
	return error;
}

static bool same_encoding(const struct upci_perf_spec *a, const struct upci_perf_spec *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2 && a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel;
}

/* True if two names count the same even if no domain is chosen. Events of a CPU's own PMU then count user
 * mode, unless the name says otherwise (upci_perf_encode_for). */
static bool same_by_default(const struct upci_driver *a, const struct upci_driver *b)
{
	struct upci_perf_spec one, other;

	return !upci_perf_encode(a, UPC_DOMAIN_USER, &one) && !upci_perf_encode(b, UPC_DOMAIN_USER, &other) &&
	       same_encoding(&one, &other);
}

/* Return the code of a catalogue event with the same encoding as spec, which is another name of it, or
 * UPC_ENOEVENT. */
static int64_t find_alias(struct upc_catalogue *c, unsigned domain, const struct upci_driver *driver,
			  const struct upci_perf_spec *spec)
{
	uint32_t count = upci_catalogue_size(c), code;

	for (code = 0; code < count; code++) {
		const struct upci_event *event = upci_catalogue_event(c, code);
		struct upci_perf_spec known;

		if (event->driver.source != UPC_SOURCE_PERF || event->driver.mul != 1 ||
		    event->driver.div != 1 || event->id != UPC_NO_ID ||
		    upci_perf_encode(&event->driver, domain, &known))
			continue;
		if (same_encoding(&known, spec) && (!spec->core || same_by_default(driver, &event->driver)))
			return code;
	}
	return UPC_ENOEVENT;
}

int64_t upci_pfm_resolve(struct upc_catalogue *c, const char *name)
{
	struct upci_driver driver = {.source = UPC_SOURCE_PERF, .perf = name};
	struct upci_perf_spec spec;
	int64_t code;
	int error, domains;

	/* libpfm4 would look for a bare name in all PMUs. Names here contain their PMU. */
	if (!strstr(name, "::") || strchr(name, '/') || !pfm_is_ready())
		return UPC_ENOEVENT;
	domains = upci_perf_domains();
	if (domains < 0)
		return domains;
	error = upci_perf_encode(&driver, (unsigned)domains, &spec);
	if (error)
		return error;
	code = find_alias(c, (unsigned)domains, &driver, &spec);
	return code >= 0 ? code : offer_name(c, (unsigned)domains, name, name);
}
