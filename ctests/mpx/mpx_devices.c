/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_devices - events of a component that is unknown to libmpx (gadget.h) take no turns: they are
 * counted all the time, however sets overlap, while events of upc take turns beside them. Events
 * that the component cannot count at once are refused by name. Page faults are the known counts.
 */
#include "gadget.h"
#include "mpx_util.h"

enum { GADGETS = 3, PAGES = 500 };

/* The gadget's events, the first of which counts page faults; and events that take turns. */
static const char *const gadgets[GADGETS] = {FAULTS, "upc:::task::voluntary_ctxt_switches",
					     "upc:::task::nonvoluntary_ctxt_switches"};
static const char *const turns[] = {MINOR, MAJOR, "upc:::perf::TASK-CLOCK"};

static int set_of(int first, int n)
{
	int set = PAPI_NULL;

	works(mpx_set_create(&set));
	while (n--)
		works(mpx_set_add_named_event(set, gadgets[first++]));
	return set;
}

static void add_turns(int set)
{
	size_t i;

	for (i = 0; i < sizeof(turns) / sizeof(*turns); i++)
		works(mpx_set_add_named_event(set, turns[i]));
}

/* Faults, with slices of the events that take turns. */
static void fault(int pages)
{
	volatile unsigned i;
	int n;

	for (n = 0; n < pages; n += 50) {
		touch_pages(50);
		for (i = 0; i < 1500000; i++)
			;
	}
}

/* Checks that the event was counted all the time that its set ran; and its count, if wanted is not
 * negative. */
static void is_exactly(int set, int index, long long wanted, const char *what)
{
	struct mpx_estimate e = estimate_of(set, index);

	ok(e.flags & MPX_EXACT && !(e.flags & MPX_LOST) && e.coverage > 0.999,
	   "%s: all the time (flags 0x%x)", what, e.flags);
	if (wanted >= 0)
		ok(about(e.value, wanted), "%s: %lld of %lld", what, (long long)e.value, wanted);
}

static void beside_turns(void)
{
	int set = set_of(0, GADGETS), i, before = gadget_starts();

	add_turns(set);
	works(mpx_set_start(set));
	i = gadget_starts();
	fault(PAGES);
	ok(gadget_running() == 1 && gadget_starts() == i, "the gadget runs through all slices");
	works(mpx_set_stop(set, NULL));
	ok(gadget_running() == 0 && gadget_starts() > before, "and stops");
	is_exactly(set, 0, PAGES, "page faults beside slices");
	for (i = 1; i < GADGETS; i++)
		is_exactly(set, i, -1, gadgets[i]);
	ok(estimate_of(set, GADGETS).slices > 0 && !(estimate_of(set, GADGETS).flags & MPX_EXACT),
	   "others take turns: %llu slices", (unsigned long long)estimate_of(set, GADGETS).slices);
	works(mpx_set_destroy(&set));
}

/* PAPI runs one set of the component at a time. */
static void sets_that_overlap(void)
{
	int second = set_of(1, 1), faults = set_of(0, 1), both = set_of(0, 2);
	long long value[2];

	/* The event of `second` has a group of its own before the set with both starts. */
	works(mpx_set_start(second));
	works(mpx_set_stop(second, NULL));
	works(mpx_set_start(both));
	fault(100);
	works(mpx_set_start(second));
	fault(200);
	works(mpx_set_start(faults));
	fault(300);
	works(mpx_set_read(faults, value));
	ok(about(value[0], 300), "the one that began last has %lld of 300", value[0]);
	works(mpx_set_stop(both, NULL));
	works(mpx_set_stop(second, NULL));
	fault(400);
	works(mpx_set_stop(faults, NULL));
	is_exactly(both, 0, 600, "the one that began first");
	is_exactly(both, 1, -1, "its other event");
	is_exactly(second, 0, -1, "a part of it");
	is_exactly(faults, 0, 700, "the one that ended last");
	ok(gadget_running() == 0, "nothing runs for nobody");
	/* An event starts while another one counts. */
	works(mpx_set_start(faults));
	fault(100);
	works(mpx_set_start(second));
	fault(100);
	works(mpx_set_stop(second, NULL));
	fault(100);
	works(mpx_set_stop(faults, NULL));
	is_exactly(faults, 0, 300, "while another event came and went");
	works(mpx_set_destroy(&faults));
	works(mpx_set_destroy(&second));
	works(mpx_set_destroy(&both));
}

static int message_has(const char *a, const char *b)
{
	if (strstr(mpx_last_message(), a) && strstr(mpx_last_message(), b))
		return 1;
	note("said: %s", mpx_last_message());
	return 0;
}

static void more_than_it_holds(void)
{
	int all = set_of(0, GADGETS), two = set_of(0, 2), third = set_of(2, 1);

	gadget_holds(2);
	refuses(PAPI_ECNFLCT, mpx_set_start(all));
	ok(message_has(gadgets[2], "gadget") && message_has("take no turns", "while theirs do not"),
	   "by its name, with the reason and what to do");
	ok(gadget_running() == 0, "nothing runs");
	works(mpx_set_start(two));
	fault(100);
	refuses(PAPI_ECNFLCT, mpx_set_start(third));
	ok(message_has(gadgets[2], "take no turns"), "beside another set too");
	fault(100);
	works(mpx_set_stop(two, NULL));
	is_exactly(two, 0, 200, "what ran runs on");
	works(mpx_set_start(third));
	works(mpx_set_stop(third, NULL));
	is_exactly(third, 0, -1, "and then it is counted");
	gadget_holds(16);
	works(mpx_set_start(all));
	works(mpx_set_stop(all, NULL));
	works(mpx_set_destroy(&all));
	works(mpx_set_destroy(&two));
	works(mpx_set_destroy(&third));
}

static void the_programs_own(void)
{
	int own = PAPI_NULL, set = set_of(0, 1), code = PAPI_NULL;

	PAPI_event_name_to_code(gadgets[1], &code);
	PAPI_create_eventset(&own);
	PAPI_assign_eventset_component(own, PAPI_get_event_component(code));
	ok(PAPI_add_event(own, code) == PAPI_OK && PAPI_start(own) == PAPI_OK,
	   "the program runs a set of it");
	refuses(PAPI_EISRUN, mpx_set_start(set));
	ok(message_has("program's own", ""), "whose that is");
	drop(&own);
	works(mpx_set_start(set));
	fault(100);
	works(mpx_set_stop(set, NULL));
	is_exactly(set, 0, 100, "after it");
	works(mpx_set_destroy(&set));
}

static void not_in_handlers(void)
{
	int set = PAPI_NULL;

	works(mpx_set_create_process(&set));
	refuses(PAPI_ENOSUPP, mpx_set_add_named_event(set, gadgets[0]));
	ok(message_has("device", "mpx_set_create"), "what it counts for, and what to do");
	works(mpx_set_destroy(&set));
	works(mpx_set_create(&set));
	works(mpx_set_attach(set, (int)getppid()));
	refuses(PAPI_ENOSUPP, mpx_set_add_named_event(set, gadgets[0]));
	works(mpx_set_destroy(&set));
}

static void no_covariate(void)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);

	o.covariate = gadgets[0];
	refuses(PAPI_ENOSUPP, mpx_library_init(MPX_ABI_VERSION, &o));
	ok(message_has("covariate", "handler"), "why");
}

/* Components that this PAPI really has, beside the processor's and upc. */
static void components_here(void)
{
	int component, code, set, n, found = 0;

	for (component = 0; component < PAPI_num_components(); component++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(component);

		code = (int)PAPI_NATIVE_MASK;
		if (!strcmp(info->name, "perf_event") || !strcmp(info->name, "upc") ||
		    (info->disabled && info->disabled != PAPI_EDELAY_INIT) ||
		    PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK)
			continue;
		works(mpx_set_create(&set));
		for (n = 0; n < 4;) {
			n += mpx_set_add_event(set, code) == PAPI_OK;
			if (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) != PAPI_OK)
				break;
		}
		if (n) {
			found++;
			add_turns(set);
			works(mpx_set_start(set));
			fault(PAGES);
			works(mpx_set_stop(set, NULL));
			while (n--)
				is_exactly(set, n, -1, info->name);
		}
		works(mpx_set_destroy(&set));
	}
	if (!found)
		skip("this PAPI has no other components with events: the gadget stands for them");
}

int main(void)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	int i;

	start_papi();
	o.slice_ns = 1000000;
	o.group_max = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	components_here();
	for (i = 0; i < GADGETS; i++)
		ok(gadget_takes(gadgets[i]) != PAPI_NULL, "%s is the gadget's", gadgets[i]);
	beside_turns();
	sets_that_overlap();
	/* Groups that were open are kept for a while. */
	works(mpx_library_shutdown());
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	more_than_it_holds();
	the_programs_own();
	not_in_handlers();
	works(mpx_library_shutdown());
	no_covariate();
	return done();
}
