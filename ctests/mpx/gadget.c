/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gadget.c - see gadget.h.
 */
#pragma GCC visibility push(default) /* libraries are to find these functions */
#include <dlfcn.h>
#include <papi.h>
#include <string.h>

#include "gadget.h"

#define COMPONENT 1000
#define EVENTS 16
#define SETS 64 /* that are open at once */

static int taken[EVENTS], n_taken, room = EVENTS;
static struct set {
	int id, events, runs;
} sets[SETS];
static int running, starts;
static void (*teller)(const char *function);

/* Not a line of it allocates once a function has been called: handlers may come here by mistake. */
#define REAL(type, name, ...)             \
	static type (*real)(__VA_ARGS__); \
	if (!real)                        \
	real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static struct set *find(int id)
{
	int i;

	for (i = 0; i < SETS; i++)
		if (sets[i].id == id)
			return &sets[i];
	return NULL;
}

static struct set *called(int id, const char *function)
{
	struct set *set = id >= 0 ? find(id + 1) : NULL;

	if (set && teller)
		teller(function);
	return set;
}

static int is_taken(int code)
{
	int i;

	for (i = 0; i < n_taken && taken[i] != code; i++)
		;
	return i < n_taken;
}

/* ---- what PAPI says of it ---------------------------------------------------------------- */

int PAPI_get_event_component(int code)
{
	REAL(int, PAPI_get_event_component, int);
	return is_taken(code) ? COMPONENT : real(code);
}

const PAPI_component_info_t *PAPI_get_component_info(int component)
{
	static PAPI_component_info_t info;

	REAL(const PAPI_component_info_t *, PAPI_get_component_info, int);
	if (component != COMPONENT)
		return real(component);
	strcpy(info.name, "gadget");
	strcpy(info.short_name, "gadget");
	info.CmpIdx = COMPONENT;
	return &info;
}

/* ---- its sets ------------------------------------------------------------------------------- */

/* It is upc's, attached so that others run beside it. */
int PAPI_assign_eventset_component(int id, int component)
{
	struct set *set;
	int error;

	REAL(int, PAPI_assign_eventset_component, int, int);
	if (component != COMPONENT)
		return real(id, component);
	set = find(0);
	if (!set)
		return PAPI_ENOMEM;
	error = real(id, PAPI_get_component_index("upc"));
	if (!error)
		error = PAPI_attach(id, 0);
	if (!error)
		*set = (struct set){.id = id + 1};
	return error;
}

int PAPI_add_event(int id, int code)
{
	struct set *set = called(id, "PAPI_add_event of a device");
	int error;

	REAL(int, PAPI_add_event, int, int);
	if (set && set->events == room)
		return PAPI_ECNFLCT;
	error = real(id, code);
	if (set && !error)
		set->events++;
	return error;
}

int PAPI_start(int id)
{
	struct set *set = called(id, "PAPI_start of a device");
	int error;

	REAL(int, PAPI_start, int);
	if (set && running)
		return PAPI_EISRUN;
	error = real(id);
	if (set && !error) {
		set->runs = 1;
		running++;
		starts++;
	}
	return error;
}

int PAPI_read(int id, long long *values)
{
	REAL(int, PAPI_read, int, long long *);
	(void)called(id, "PAPI_read of a device");
	return real(id, values);
}

int PAPI_stop(int id, long long *values)
{
	struct set *set = called(id, "PAPI_stop of a device");

	REAL(int, PAPI_stop, int, long long *);
	if (set && set->runs) {
		set->runs = 0;
		running--;
	}
	return real(id, values);
}

int PAPI_destroy_eventset(int *id)
{
	struct set *set = called(*id, "PAPI_destroy_eventset of a device");

	REAL(int, PAPI_destroy_eventset, int *);
	if (set)
		*set = (struct set){0};
	return real(id);
}

/* ---- for tests -------------------------------------------------------------------------------- */

int gadget_takes(const char *name)
{
	int code = PAPI_NULL;

	if (n_taken == EVENTS || PAPI_event_name_to_code(name, &code) != PAPI_OK)
		return PAPI_NULL;
	taken[n_taken++] = code;
	return code;
}

void gadget_holds(int events)
{
	room = events;
}

void gadget_tells(void (*call)(const char *function))
{
	teller = call;
}

int gadget_running(void)
{
	return running;
}

int gadget_starts(void)
{
	return starts;
}
