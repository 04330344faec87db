/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_options.c - stand-ins for PAPI's calls that change or query a set's options. The rule in shim.h says
 * when such a call turns a libmpx set into a plain set.
 *
 * Terms: shim/shim.h.
 */
#include <stdlib.h>

#include "shim/shim.h"
#include "shim/shim_pass.h"

/* ---- turning a libmpx set into a plain set -------------------------------------------- */

static int copy_events(const struct shim_set *set, int id)
{
	int n = 0, error = mpx_set_list_events(set->id, NULL, &n), i;
	int *codes = calloc(n ? (size_t)n : 1, sizeof(*codes));

	if (!codes)
		return PAPI_ENOMEM;
	if (!error)
		error = mpx_set_list_events(set->id, codes, &n);
	for (i = 0; !error && i < n; i++)
		error = shim_real()->add_event(id, codes[i]);
	free(codes);
	return error;
}

static void drop_plain_set(int id)
{
	(void)shim_real()->cleanup_eventset(id);
	(void)shim_real()->destroy_eventset(&id);
}

/* Create a PAPI set with the events, component and multiplex flag of a libmpx set, and store the PAPI
 * set's id in *id. The libmpx set is kept. Return PAPI_OK, or an error whose reason was printed. */
static int make_plain(const char *call, const struct shim_set *set, int *id)
{
	int error;

	if (set->running) {
		shim_say_once("%s, event set %d: not while it runs with multiplexing; stop it first", call,
			      set->number);
		return PAPI_EISRUN;
	}
	*id = PAPI_NULL;
	error = shim_real()->create_eventset(id);
	if (error)
		return error;
	if (set->component >= 0)
		error = shim_real()->assign_eventset_component(*id, set->component);
	if (!error && set->multiplex && set->component >= 0)
		error = shim_real()->set_multiplex(*id);
	if (!error)
		error = copy_events(set, *id);
	if (!error)
		return PAPI_OK;
	drop_plain_set(*id);
	shim_say_once("%s, event set %d: multiplexing cannot give it, and PAPI by itself cannot count "
		      "the events of the set together: %s; call it with fewer events",
		      call, set->number, shim_real()->strerror(error));
	return error;
}

/* If `error', the result of the program's call on the PAPI set id, is not negative, replace the libmpx
 * set by the PAPI set. Otherwise destroy the PAPI set, and leave the libmpx set unchanged. Return error. */
static int end_plain(const char *call, struct shim_set *set, int id, int error)
{
	if (error < 0) {
		drop_plain_set(id);
		return error;
	}
	shim_turn_plain(set, id);
	shim_say_once("%s, event set %d: multiplexing cannot give it, so PAPI counts this set by "
		      "itself, without multiplexing",
		      call, set->number);
	return error;
}

/* Return the result of expression, which is a PAPI call on the PAPI set `id'. If set is a libmpx set,
 * turn it into a plain set first. */
#define ON_PLAIN(call, set, expression)                                        \
	do {                                                                   \
		int id = (set)->id, result;                                    \
		if (shim_is_plain(set))                                        \
			return expression;                                     \
		result = make_plain(call, set, &id);                           \
		return result ? result : end_plain(call, set, id, expression); \
	} while (0)

SHIM_EXPORT int PAPI_attach(int number, unsigned long tid)
{
	PASS(attach, number, tid);
	FIND(set, number);
	ON_PLAIN("PAPI_attach", set, shim_real()->attach(id, tid));
}

SHIM_EXPORT int PAPI_detach(int number)
{
	OURS(set, detach, number);
	/* A libmpx set is never attached. */
	return PAPI_EINVAL;
}

/* Call the program's overflow handler with the set's number in place of PAPI's id. Context: signal
 * handler. */
static void overflow_sig(int id, void *address, long long vector, void *context)
{
	struct shim_set *set = shim_find_plain_sig(id);

	if (set && set->handler)
		set->handler(set->number, address, vector, context);
}

static int overflow_plain_set(struct shim_set *set, int id, int code, int threshold, int flags,
			      PAPI_overflow_handler_t handler)
{
	PAPI_overflow_handler_t before = set->handler;
	int error;

	if (handler)
		set->handler = handler;
	error = shim_real()->overflow(id, code, threshold, flags, handler ? overflow_sig : NULL);
	if (error)
		set->handler = before;
	return error;
}

SHIM_EXPORT int PAPI_overflow(int number, int code, int threshold, int flags, PAPI_overflow_handler_t handler)
{
	PASS(overflow, number, code, threshold, flags, handler);
	FIND(set, number);
	ON_PLAIN("PAPI_overflow", set, overflow_plain_set(set, id, code, threshold, flags, handler));
}

SHIM_EXPORT int PAPI_profil(void *buffer, unsigned size, vptr_t offset, unsigned scale, int number, int code,
			    int threshold, int flags)
{
	if (!shim_is_ours(number))
		return shim_real()->profil(buffer, size, offset, scale, number, code, threshold, flags);
	FIND(set, number);
	ON_PLAIN("PAPI_profil", set,
		 shim_real()->profil(buffer, size, offset, scale, id, code, threshold, flags));
}

SHIM_EXPORT int PAPI_sprofil(PAPI_sprofil_t *profile, int n, int number, int code, int threshold, int flags)
{
	if (!shim_is_ours(number))
		return shim_real()->sprofil(profile, n, number, code, threshold, flags);
	FIND(set, number);
	ON_PLAIN("PAPI_sprofil", set, shim_real()->sprofil(profile, n, id, code, threshold, flags));
}

SHIM_EXPORT int PAPI_get_overflow_event_index(int number, long long vector, int *array, int *n)
{
	OURS(set, get_overflow_event_index, number, vector, array, n);
	/* A libmpx set has no overflows. */
	return PAPI_EINVAL;
}

SHIM_EXPORT int PAPI_write(int number, long long *values)
{
	OURS(set, write, number, values);
	shim_say_once("PAPI_write, event set %d: an estimate cannot be written; add the values to "
		      "what is read, or use PAPI_accum",
		      set->number);
	return PAPI_ENOSUPP;
}

/* ---- multiplexing and components ----------------------------------------------------- */

SHIM_EXPORT int PAPI_set_multiplex(int number)
{
	OURS(set, set_multiplex, number);
	if (set->running)
		return PAPI_EISRUN;
	set->multiplex = true;
	return PAPI_OK;
}

SHIM_EXPORT int PAPI_get_multiplex(int number)
{
	OURS(set, get_multiplex, number);
	return set->multiplex;
}

static int component_of(const struct shim_set *set)
{
	int code = 0, n = 1;

	if (set->component >= 0)
		return set->component;
	if (mpx_set_list_events(set->id, &code, &n) || n < 1)
		return PAPI_ENOCMP;
	return shim_real()->get_event_component(code);
}

SHIM_EXPORT int PAPI_assign_eventset_component(int number, int component)
{
	OURS(set, assign_eventset_component, number, component);
	if (!shim_real()->get_component_info(component))
		return PAPI_ENOCMP;
	if (component_of(set) >= 0)
		return PAPI_EINVAL;
	set->component = component; /* events of other components may be added, too */
	return PAPI_OK;
}

SHIM_EXPORT int PAPI_get_eventset_component(int number)
{
	OURS(set, get_eventset_component, number);
	/* If the set's events are of several components, return the component of the first event. */
	return component_of(set);
}

/* ---- options --------------------------------------------------------------------------- */

/* Return the address of the event set's number in value, or NULL if the option has no event set. */
static int *number_in(int option, PAPI_option_t *value)
{
	if (!value)
		return NULL;
	switch (option) {
	case PAPI_MULTIPLEX:
		return &value->multiplex.eventset;
	case PAPI_DOMAIN:
		return &value->domain.eventset;
	case PAPI_GRANUL:
		return &value->granularity.eventset;
	case PAPI_INHERIT:
		return &value->inherit.eventset;
	case PAPI_ATTACH:
	case PAPI_DETACH:
		return &value->attach.eventset;
	case PAPI_CPU_ATTACH:
		return &value->cpu.eventset;
	case PAPI_DATA_ADDRESS:
	case PAPI_INSTR_ADDRESS:
		return &value->addr.eventset;
	default:
		return NULL;
	}
}

static const char *name_of_option(int option)
{
	switch (option) {
	case PAPI_DOMAIN:
		return "PAPI_set_opt(PAPI_DOMAIN)";
	case PAPI_GRANUL:
		return "PAPI_set_opt(PAPI_GRANUL)";
	case PAPI_INHERIT:
		return "PAPI_set_opt(PAPI_INHERIT)";
	case PAPI_ATTACH:
		return "PAPI_set_opt(PAPI_ATTACH)";
	case PAPI_CPU_ATTACH:
		return "PAPI_set_opt(PAPI_CPU_ATTACH)";
	default:
		return "PAPI_set_opt(PAPI_DATA_ADDRESS or PAPI_INSTR_ADDRESS)";
	}
}

/* Call get_opt or set_opt with PAPI's id of the set in place of the program's number. */
static int with_number(int (*call)(int, PAPI_option_t *), int option, PAPI_option_t *value, int id)
{
	int *place = number_in(option, value), number = *place, error;

	*place = id;
	error = call(option, value);
	*place = number;
	return error;
}

/* Get the option from a new PAPI set, since a libmpx set always has the option's default value. */
static int get_of_fresh(int option, PAPI_option_t *value, const struct shim_set *set)
{
	int id = PAPI_NULL, component = component_of(set), error;

	error = shim_real()->create_eventset(&id);
	if (error)
		return error;
	if (component >= 0)
		(void)shim_real()->assign_eventset_component(id, component);
	error = with_number(shim_real()->get_opt, option, value, id);
	drop_plain_set(id);
	return error;
}

static bool is_as_it_is(int option, const PAPI_option_t *value, const struct shim_set *set)
{
	PAPI_option_t now = *value;

	if (option != PAPI_DOMAIN && option != PAPI_GRANUL && option != PAPI_INHERIT)
		return false;
	if (component_of(set) < 0 || get_of_fresh(option, &now, set) < 0)
		return false;
	return option == PAPI_DOMAIN   ? now.domain.domain == value->domain.domain
	       : option == PAPI_GRANUL ? now.granularity.granularity == value->granularity.granularity
				       : now.inherit.inherit == value->inherit.inherit;
}

SHIM_EXPORT int PAPI_set_opt(int option, PAPI_option_t *value)
{
	int *number = number_in(option, value);

	if (!number || !shim_is_ours(*number))
		return shim_real()->set_opt(option, value);
	FIND(set, *number);
	if (!shim_is_plain(set)) {
		if (option == PAPI_MULTIPLEX)
			return PAPI_set_multiplex(set->number);
		if (option == PAPI_DETACH)
			return PAPI_EINVAL;
		if (is_as_it_is(option, value, set))
			return PAPI_OK;
	}
	ON_PLAIN(name_of_option(option), set, with_number(shim_real()->set_opt, option, value, id));
}

SHIM_EXPORT int PAPI_get_opt(int option, PAPI_option_t *value)
{
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	int *number = number_in(option, value);

	if (!number || !shim_is_ours(*number))
		return shim_real()->get_opt(option, value);
	FIND(set, *number);
	if (shim_is_plain(set))
		return with_number(shim_real()->get_opt, option, value, set->id);
	switch (option) {
	case PAPI_MULTIPLEX:
		error = mpx_library_get_info(&info);
		if (error)
			return error;
		value->multiplex.ns = (int)(info.slice_ns < INT32_MAX ? info.slice_ns : INT32_MAX);
		value->multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
		return set->multiplex;
	case PAPI_CPU_ATTACH: /* PAPI 7 would return the CPU of a set that is attached to no CPU */
		return 0;
	default:
		return get_of_fresh(option, value, set);
	}
}
