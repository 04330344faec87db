/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * powercap.c - energy counters in /sys/class/powercap (RAPL and similar) as a source, and their events.
 *
 * Terms:
 *   zone     a directory of powercap, which measures the energy of a part of the machine
 *   package  a zone of a whole processor, whose name begins with "package-"
 *   range    the value at which a zone's counter starts again at 0
 *
 * energy_uj starts again at 0 after max_energy_range_uj: after 44 minutes at 100 W if that is 262 kJ. The
 * value of a handle continues across the wrap. If a counter grows by more than the range between two reads,
 * this cannot be detected. The description of an event therefore says within which time it must be read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/source.h"
#include "base/target.h"
#include "catalogue/catalogue.h"
#include "catalogue/derived.h"
#include "procfs/files.h"
#include "procfs/roots.h"

#define POWERCAP "class/powercap"
/* Descriptions assume this power; no zone draws as much for long. */
#define MOST_WATTS 1000u

/* ---- numbers of a zone -------------------------------------------------------- */

/* Parse a text that is one number and perhaps a newline. False if it contains anything else. */
static bool parse_whole_number(const char *text, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno == 0 && (!*end || !strcmp(end, "\n"));
}

static bool read_zone_number(int fd, uint64_t *value)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return parse_whole_number(text, value);
}

/* Return the value at which a zone's counter wraps, in uJ; 0 if it cannot be read. */
static uint64_t range_of(const char *zone)
{
	char path[UPC_NAME_MAX + 64], *text;
	uint64_t range = 0;

	snprintf(path, sizeof(path), POWERCAP "/%s/max_energy_range_uj", zone);
	text = upci_file_slurp(UPCI_ROOT_SYS, path, NULL);
	if (!text || !parse_whole_number(text, &range))
		range = 0;
	free(text);
	return range;
}

static int open_energy(const char *zone)
{
	char path[UPC_NAME_MAX + 64];

	snprintf(path, sizeof(path), POWERCAP "/%s/energy_uj", zone);
	return upci_root_open(UPCI_ROOT_SYS, 0, 0, path);
}

/* ---- the source ---------------------------------------------------------------- */

struct zone {
	int fd; /* -1: the handle is free */
	uint64_t range;
	uint64_t last, total; /* in uJ: the last reading, and the growth since the open */
};

struct powercap {
	struct upci_source source; /* must be the first member */
	struct zone *zone;
	unsigned zones;
};

static void powercap_close(struct upci_source *source, int handle)
{
	struct powercap *p = (struct powercap *)source;

	if (p->zone[handle].fd >= 0)
		close(p->zone[handle].fd);
	p->zone[handle].fd = -1;
}

static void close_all_zones(struct powercap *p)
{
	for (unsigned i = 0; i < p->zones; i++)
		powercap_close(&p->source, (int)i);
}

static void powercap_destroy(struct upci_source *source)
{
	struct powercap *p = (struct powercap *)source;

	close_all_zones(p);
	free(p->zone);
}

/* Close all files. The unit opens its events again if the child uses it. */
static void powercap_forked(struct upci_source *source, const struct upci_context *context)
{
	(void)context;
	close_all_zones((struct powercap *)source);
}

static int fail_zone_open(const struct upci_event *event, const char *zone)
{
	switch (errno) {
	case EACCES:
	case EPERM:
		return upci_fail(UPC_EPERM,
				 "%s: only root may read /sys/" POWERCAP
				 "/%s/energy_uj: run as root, or chmod a+r "
				 "it",
				 event->name, zone);
	case EMFILE:
	case ENFILE:
		return upci_fail(UPC_EMFILE, "%s: no descriptor is left for /sys/" POWERCAP, event->name);
	default:
		return upci_fail(UPC_ENOSUPP, "%s: /sys/" POWERCAP "/%s/energy_uj: %s", event->name, zone,
				 strerror(errno));
	}
}

/* Return a free element, or NULL if there is no memory. */
static struct zone *free_place(struct powercap *p)
{
	struct zone *more;

	for (unsigned i = 0; i < p->zones; i++)
		if (p->zone[i].fd < 0)
			return &p->zone[i];
	more = reallocarray(p->zone, p->zones + 1, sizeof(*more));
	if (!more)
		return NULL;
	p->zone = more;
	more[p->zones].fd = -1;
	return &more[p->zones++];
}

static int powercap_open(struct upci_source *source, const struct upci_context *context,
			 const struct upci_event *event, bool halted)
{
	struct powercap *p = (struct powercap *)source;
	const char *name = event->driver.text;
	struct zone *zone;

	(void)halted;
	if (context->cgroup)
		return upci_fail(UPC_ENOSUPP,
				 "%s: is the whole machine's energy, not a control group's: count it in the "
				 "context of the machine",
				 event->name);
	if (strchr(name, '/'))
		return upci_fail(UPC_EINVAL, "%s: \"%.60s\" is no zone of /sys/" POWERCAP, event->name, name);
	zone = free_place(p);
	if (!zone)
		return upci_fail(UPC_ENOMEM, "no memory for energy counters");
	zone->fd = open_energy(name);
	if (zone->fd < 0)
		return fail_zone_open(event, name);
	if (!read_zone_number(zone->fd, &zone->last)) {
		close(zone->fd);
		zone->fd = -1;
		return upci_fail(UPC_ENOSUPP, "%s: /sys/" POWERCAP "/%s/energy_uj holds no number",
				 event->name, name);
	}
	zone->range = range_of(name);
	zone->total = 0;
	return (int)(zone - p->zone);
}

/* Add the energy that a zone used up to now. If the range is unknown, or smaller than the last reading, a
 * step back means that the counter started again at 0: then only its reading is known. */
static void take_zone_energy(struct zone *zone, uint64_t now)
{
	if (now >= zone->last)
		zone->total += now - zone->last;
	else if (zone->last <= zone->range)
		zone->total += zone->range - zone->last + now;
	else
		zone->total += now;
	zone->last = now;
}

static int powercap_read(struct upci_source *source, uint64_t *value, uint8_t *state)
{
	struct powercap *p = (struct powercap *)source;
	uint64_t now;

	for (unsigned i = 0; i < p->zones; i++) {
		if (p->zone[i].fd < 0)
			continue;
		state[i] = UPCI_SOURCE_LOST;
		if (!read_zone_number(p->zone[i].fd, &now))
			continue;
		take_zone_energy(&p->zone[i], now);
		state[i] = UPCI_SOURCE_EXACT;
		value[i] = p->zone[i].total;
	}
	return 0;
}

const struct upci_source_ops upci_powercap_source = {
	.gone = "its source is gone; the counter keeps the last value",
	.size = sizeof(struct powercap),
	.destroy = powercap_destroy,
	.forked = powercap_forked,
	.open = powercap_open,
	.close = powercap_close,
	.read = powercap_read,
};

/* ---- events -------------------------------------------------------------------- */

struct search {
	struct upc_catalogue *c;
	int64_t error;
	unsigned denied;
	uint32_t package[UPCI_TERMS_MAX - 1]; /* codes of the packages' events; POWER has one more term */
	unsigned packages;
	bool partial; /* there is a package that is not in package[] */
};

static void name_of_zone(const char *zone, char name[64])
{
	char path[UPC_NAME_MAX + 64], *text;

	snprintf(path, sizeof(path), POWERCAP "/%s/name", zone);
	text = upci_file_slurp(UPCI_ROOT_SYS, path, NULL);
	snprintf(name, 64, "%.*s", text ? (int)strcspn(text, "\n") : 7,
		 text && *text != '\n' ? text : "unnamed");
	free(text);
}

static void add_zone(struct search *search, const char *zone)
{
	struct upci_event event = {
		.unit = "uJ",
		.subsystem = "power",
		.scope = UPC_SCOPE_MACHINE,
		.kind = UPC_KIND_COUNT,
		.id = UPC_NO_ID,
		.driver = {.source = UPC_SOURCE_POWERCAP, .mul = 1, .div = 1},
	};
	const int fd = open_energy(zone);
	const bool denied = fd < 0 && (errno == EACCES || errno == EPERM);
	char name[64], event_name[UPC_NAME_MAX], wraps[160] = "";
	bool package;
	uint64_t range;

	name_of_zone(zone, name);
	/* ENERGY and POWER count each package once. RAPL shows some packages in two ways; the zones of the
	 * second way are intel-rapl-mmio. */
	package = !strncmp(name, "package-", 8) && !strstr(zone, "-mmio");
	if (fd < 0) {
		search->denied += denied;
		search->partial |= package;
		return;
	}
	close(fd);
	range = range_of(zone);
	if (range)
		snprintf(wraps, sizeof(wraps),
			 " Its counter wraps, which is put right where it is read within %" PRIu64
			 " seconds (at %u W).",
			 range / 1000000 / MOST_WATTS, MOST_WATTS);
	snprintf(event_name, sizeof(event_name), "power::%.200s:energy_uj", zone);
	upci_name_sanitize(event_name);
	event.name = upci_catalogue_printf(search->c, "%s", event_name);
	event.description = upci_catalogue_printf(
		search->c,
		"Energy used by the power domain %s (%s).%s The whole machine, everybody's; a "
		"count that only grows.",
		zone, name, wraps);
	event.driver.text = upci_catalogue_printf(search->c, "%s", zone);
	if (!event.name || !event.description || !event.driver.text) {
		search->error = UPC_ENOMEM;
		return;
	}
	search->error = upci_catalogue_put(search->c, &event);
	if (search->error < 0 || !package)
		return;
	if (search->packages < UPCI_TERMS_MAX - 1)
		search->package[search->packages++] = (uint32_t)search->error;
	else
		search->partial = true;
}

static const char *why_not(const struct search *search)
{
	if (search->denied)
		return "energy counters of /sys/" POWERCAP
		       " are for root only; run as root, or chmod a+r them";
	return search->partial
		       ? "not all packages of this machine have an energy counter that can be added up"
		       : "this machine shows no energy counter of a package in /sys/" POWERCAP;
}

/* Return a formula for the sum over packages times coefficient, divided by divisor or, if that is 0, by
 * elapsed ns; NULL with search->error. */
static const struct upci_formula *sum_over_packages(struct search *search, int64_t coefficient,
						    int64_t divisor)
{
	struct upci_formula *formula =
		upci_catalogue_alloc(search->c, sizeof(*formula) + UPCI_TERMS_MAX * sizeof(formula->term[0]));
	int64_t time = upci_catalogue_lookup(search->c, "time::real_ns");

	if (!formula || time < 0) {
		search->error = formula ? time : UPC_ENOMEM;
		return NULL;
	}
	formula->divisor = divisor;
	for (formula->terms = 0; formula->terms < search->packages; formula->terms++)
		formula->term[formula->terms] = (struct upci_term){.coefficient = coefficient,
								   .code = search->package[formula->terms]};
	if (!divisor)
		formula->term[formula->terms++] = (struct upci_term){.under = 1, .code = (uint32_t)time};
	return formula;
}

static void add_derived(struct search *search, struct upci_event event, int64_t coefficient, int64_t divisor)
{
	event.subsystem = "derived";
	event.scope = UPC_SCOPE_MACHINE;
	event.kind = UPC_KIND_COUNT;
	event.id = UPC_NO_ID;
	event.driver = (struct upci_driver){.source = UPC_SOURCE_NONE, .mul = 1, .div = 1};
	if (search->error >= 0 && search->packages && !search->partial) {
		event.formula = sum_over_packages(search, coefficient, divisor);
		if (event.formula)
			search->error = upci_derived_settle(search->c, &event);
	} else {
		event.why = why_not(search);
	}
	if (search->error >= 0)
		search->error = upci_catalogue_put(search->c, &event);
}

int upci_powercap_add(struct upc_catalogue *c)
{
	struct search search = {.c = c};
	struct dirent **list;
	int n = upci_root_list(UPCI_ROOT_SYS, POWERCAP, "", &list);

	for (int i = 0; i < n; i++) {
		if (search.error >= 0)
			add_zone(&search, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	add_derived(&search,
		    (struct upci_event){.name = "ENERGY",
					.unit = "J",
					.description =
						"Joules that all packages (processors) used, by RAPL or "
						"its like; whole ones."},
		    1, 1000000);
	add_derived(&search,
		    (struct upci_event){
			    .name = "POWER",
			    .unit = "mW",
			    .description = "Milliwatts that all packages (processors) drew on average "
					   "since the start or the reset: energy by elapsed time. 0 where "
					   "no time has passed."},
		    1000000, 0);
	if (search.error >= 0 && search.denied)
		search.error =
			upci_catalogue_add_missing(c, "power: the energy counters of /sys/" POWERCAP
						      " are for root only; run as root, or chmod a+r them");
	return search.error < 0 ? (int)search.error : 0;
}
