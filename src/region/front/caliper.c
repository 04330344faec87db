/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * caliper.c - the calls of Caliper that begin and end regions, in place of libcaliper's: by the region's
 * name, by an attribute's name or number, and the two classes of C++ whose objects have nothing in them.
 * Values that are set, and what other classes do, go to libcaliper alone.
 *
 * An attribute is a stack of its own, in each thread. Where its values are regions' names, a region has
 * the value's name, else "attribute=value". Numbers are left out: a loop's iterations are one region.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "region/front/front.h"
#include "region/front/labels.h"
#include "region/front/nest.h"

/* ---- by the region's name ------------------------------------------------------------------------ */

#define PAIR(begin, end)                                             \
	UPCR_FUNCTION(void, begin, const char *name)                 \
	{                                                            \
		if (name)                                            \
			upcr_enter(upcr_name_of(name));              \
	}                                                            \
	UPCR_FUNCTION(void, end, const char *name)                   \
	{                                                            \
		if (name)                                            \
			(void)upcr_exit_closing(upcr_name_of(name)); \
	}

PAIR(cali_begin_region, cali_end_region)
PAIR(cali_begin_phase, cali_end_phase)
PAIR(cali_begin_comm_region, cali_end_comm_region)

/* ---- attributes ------------------------------------------------------------------------------ */

static struct upcr_labels attributes;

static unsigned label_of(const char *attribute)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	unsigned label = upcr_label(&attributes, attribute);

	if (!label && !atomic_flag_test_and_set(&said))
		upcr_say("more than %d attributes of Caliper: the others are one", UPCR_LABELS);
	return label;
}

static bool is_of_names(const char *attribute)
{
	static const char *const known[] = {"region", "function",  "annotation", "loop",
					    "phase",  "statement", "comm.region"};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(attribute, known[i]))
			return true;
	return false;
}

static const char *text_of(unsigned label)
{
	const char *text = upcr_label_text(&attributes, label);

	return text ? text : "other attributes";
}

/* value: NULL where it is no text. */
static void begin(unsigned label, const char *value)
{
	char name[2 * UPCR_LABEL_MAX + 2];
	const char *attribute = text_of(label);

	if (!value)
		snprintf(name, sizeof(name), "%s", attribute);
	else if (is_of_names(attribute))
		snprintf(name, sizeof(name), "%s", value);
	else
		snprintf(name, sizeof(name), "%s=%s", attribute, value);
	(void)upcr_push(UPCR_OF_CALIPER + label, upcr_name_of(name));
}

static void end(unsigned label)
{
	/* There is none: the engine tells of it. */
	if (upcr_pop(UPCR_OF_CALIPER + label) < 0)
		(void)upcr_exit(upcr_name_of(text_of(label)));
}

/* ---- by an attribute's name ---------------------------------------------------------------------- */

UPCR_FUNCTION(void, cali_begin_byname, const char *attribute)
{
	begin(label_of(attribute), NULL);
}

UPCR_FUNCTION(void, cali_begin_int_byname, const char *attribute, int value)
{
	(void)value;
	begin(label_of(attribute), NULL);
}

UPCR_FUNCTION(void, cali_begin_double_byname, const char *attribute, double value)
{
	(void)value;
	begin(label_of(attribute), NULL);
}

UPCR_FUNCTION(void, cali_begin_string_byname, const char *attribute, const char *value)
{
	begin(label_of(attribute), value ? value : "");
}

UPCR_FUNCTION(void, cali_end_byname, const char *attribute)
{
	end(label_of(attribute));
}

/* ---- by its number, which is libcaliper's -------------------------------------------------------- */

/* The number, and the label below it; 0: none. */
enum { KNOWN = 256, LABEL_BITS = 11 };

static _Atomic(uint64_t) known[KNOWN];

static unsigned label_of_number(uint64_t number)
{
	_Atomic(uint64_t) *place = &known[number % KNOWN];
	uint64_t there = atomic_load_explicit(place, memory_order_relaxed);
	const bool fits = number < UINT64_C(1) << (64 - LABEL_BITS);
	const char *(*name_of)(uint64_t), *name = NULL;
	char made[32];
	unsigned label;

	if (there && fits && there >> LABEL_BITS == number)
		return (unsigned)(there & ((1u << LABEL_BITS) - 1));
	*(void **)&name_of = dlsym(RTLD_DEFAULT, "cali_attribute_name");
	if (name_of)
		name = name_of(number);
	if (!name || !name[0]) {
		snprintf(made, sizeof(made), "attribute %" PRIu64, number);
		name = made;
	}
	label = label_of(name);
	if (fits && label)
		atomic_store_explicit(place, number << LABEL_BITS | label, memory_order_relaxed);
	return label;
}

UPCR_FUNCTION(void, cali_begin, uint64_t attribute)
{
	begin(label_of_number(attribute), NULL);
}

UPCR_FUNCTION(void, cali_begin_int, uint64_t attribute, int value)
{
	(void)value;
	begin(label_of_number(attribute), NULL);
}

UPCR_FUNCTION(void, cali_begin_double, uint64_t attribute, double value)
{
	(void)value;
	begin(label_of_number(attribute), NULL);
}

UPCR_FUNCTION(void, cali_begin_string, uint64_t attribute, const char *value)
{
	begin(label_of_number(attribute), value ? value : "");
}

UPCR_FUNCTION(void, cali_end, uint64_t attribute)
{
	end(label_of_number(attribute));
}

/* ---- C++: cali::Function and cali::ScopeAnnotation ------------------------------------------------ */

/* Behind all attributes. */
enum { SCOPES = UPCR_OF_CALIPER + UPCR_LABELS + 1 };

/* A constructor and a destructor. */
#define SCOPE(constructor, destructor)                                         \
	UPCR_FUNCTION(void, constructor, const void *object, const char *name) \
	{                                                                      \
		(void)object;                                                  \
		(void)upcr_push(SCOPES, upcr_name_of(name));                   \
	}                                                                      \
	UPCR_FUNCTION(void, destructor, const void *object)                    \
	{                                                                      \
		(void)object;                                                  \
		(void)upcr_pop(SCOPES);                                        \
	}

/* Each by the two names that a C++ compiler gives it. */
SCOPE(_ZN4cali8FunctionC1EPKc, _ZN4cali8FunctionD1Ev)
SCOPE(_ZN4cali8FunctionC2EPKc, _ZN4cali8FunctionD2Ev)
SCOPE(_ZN4cali15ScopeAnnotationC1EPKc, _ZN4cali15ScopeAnnotationD1Ev)
SCOPE(_ZN4cali15ScopeAnnotationC2EPKc, _ZN4cali15ScopeAnnotationD2Ev)
