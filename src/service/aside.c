/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aside.c - see aside.h.
 * Terms: service/service.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/aside.h"
#include "service/probe.h"
#include "service/watch.h"
#include "service/yield.h"
#include "upc.h"

struct aside {
	bool notice;
	unsigned asked;
	struct yield yield;
	struct probe *probe; /* NULL: not available on this machine or to this user */
	struct watch_opens opens;
	struct watch *watch; /* NULL: there is no /proc */
	char why[192];
};

static int read_probe(void *arg, uint64_t *count)
{
	return probe_read(arg, count);
}

int aside_create(const struct aside_options *options, struct aside **aside)
{
	struct aside *a = calloc(1, sizeof(*a));
	struct watch_options watch = {.users = {.software = options->software}, .idle = !options->hardware};
	int error;

	if (!a)
		return UPC_ENOMEM;
	a->notice = options->notice;
	/* If the service never steps aside, slow passes suffice to report the users. */
	if (!a->notice)
		watch.idle = true;
	else if (!probe_open(&a->probe)) {
		a->opens = (struct watch_opens){.read = read_probe, .arg = a->probe, .name = PROBE_NAME};
		watch.opens = &a->opens;
	}
	error = watch_create(&watch, &a->watch);
	if (error && error != UPC_ENOSUPP) {
		aside_destroy(a);
		return error;
	}
	*aside = a;
	return 0;
}

void aside_destroy(struct aside *a)
{
	if (!a)
		return;
	watch_destroy(a->watch);
	probe_close(a->probe);
	free(a);
}

void aside_set_hardware(struct aside *a, bool hardware)
{
	if (a->watch)
		watch_set_idle(a->watch, !hardware || !a->notice);
}

void aside_ask(struct aside *a)
{
	a->asked++;
}

void aside_ask_no_more(struct aside *a)
{
	a->asked -= a->asked > 0;
}

bool aside_tick(struct aside *a, uint64_t now_ns)
{
	const struct service_user *user = NULL;
	struct yield_facts facts = {.asked = a->asked, .notice = a->notice};
	unsigned users = 0, more = 0;
	char before[sizeof(a->why)];
	bool changed = a->watch && watch_tick(a->watch, now_ns);

	if (a->watch)
		user = watch_users(a->watch, &users, &more);
	facts.users = users + more;
	yield_decide(&a->yield, now_ns, &facts);
	memcpy(before, a->why, sizeof(before));
	yield_text(&a->yield, user, users, more, a->why, sizeof(a->why));
	return changed || strcmp(before, a->why) != 0;
}

uint64_t aside_due(const struct aside *a)
{
	uint64_t watch = a->watch ? watch_due(a->watch) : UINT64_MAX, yield = yield_due(&a->yield);

	return watch < yield ? watch : yield;
}

bool aside_runs(const struct aside *a)
{
	return a->yield.why == YIELD_NOT;
}

const char *aside_why(const struct aside *a)
{
	return a->why;
}

const struct service_user *aside_users(const struct aside *a, unsigned *count)
{
	unsigned more;

	*count = 0;
	return a->watch ? watch_users(a->watch, count, &more) : NULL;
}

const char *aside_unseen(const struct aside *a)
{
	return a->watch ? watch_unseen(a->watch) : "who counts is not seen: there is no /proc here";
}

const char *aside_how(const struct aside *a)
{
	return a->watch ? watch_how(a->watch) : "";
}
