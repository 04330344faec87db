/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * caliper.c - stands in for the calls of Caliper that begin and end regions; each call goes on to libcaliper.
 *
 * Calls from C reach this file by their names. Uses of Caliper's C++ classes, and values that are set, reach
 * it when libcaliper calls the methods of its own class Caliper. Calls from C lead to these methods, too, so
 * a method starts or ends a region only if no call from C was seen on the way. This file declares the parts
 * of the classes that it uses.
 *
 * Each attribute has a stack in each thread. If the attribute's values are names of regions, a region is
 * named by the value, otherwise "attribute=value". Values that are numbers are left out: all iterations of a
 * loop are one region.
 * Terms: region/front/front.h.
 */
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
#include "region/front/real.h"

static const char libcaliper[] = "libcaliper.so";

/* ---- libcaliper ---------------------------------------------------------------------------------- */

/* Number of this thread's calls that are inside libcaliper, and whether one of these calls has reached a
 * method of class Caliper. */
static _Thread_local unsigned inside;
static _Thread_local bool reached;

/* True if the call does not come from libcaliper. Also make the thread's state before its first region: this
 * may take long, and must not be counted in a region. */
static bool is_outermost(void)
{
	static _Thread_local bool begun;

	if (inside)
		return false;
	if (!begun)
		upcr_thread_begin();
	begun = true;
	return true;
}

/* Define a function that stands in for a call. A region starts after libcaliper's own work for the start, and
 * ends before libcaliper's work for the end. */
#define CALL(name, parameters, arguments, before, behind)             \
	UPCR_EXPORT void name parameters;                             \
	void name parameters                                          \
	{                                                             \
		__typeof__(name) *real = UPCR_REAL(name, libcaliper); \
		const bool is_ours = is_outermost();                  \
                                                                      \
		if (is_ours) {                                        \
			before;                                       \
		}                                                     \
		inside++;                                             \
		if (real)                                             \
			real arguments;                               \
		inside--;                                             \
		if (is_ours) {                                        \
			behind;                                       \
		}                                                     \
	}

/* ---- by the region's name ------------------------------------------------------------------------ */

static void region_begin(const char *name, bool is_real)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (is_real && !reached && !atomic_flag_test_and_set(&said))
		upcr_say(
			"this libcaliper is linked in a way that hides its inner calls: cali::Loop, "
			"cali::Annotation, functions and scopes of C++, and values that are set, are not seen");
	if (name)
		upcr_enter(upcr_name_of(name));
}

static void region_end(const char *name)
{
	if (name)
		(void)upcr_exit_closing(upcr_name_of(name));
}

#define PAIR(begin, end)                                                            \
	CALL(begin, (const char *name), (name), , region_begin(name, real != NULL)) \
	CALL(end, (const char *name), (name), region_end(name), )

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

static const char *text_of_attribute(unsigned label)
{
	const char *text = upcr_label_text(&attributes, label);

	return text ? text : "other attributes";
}

/* Begin the region of an attribute. value: NULL if the value is not a text. */
static void begin_attribute(unsigned label, const char *value)
{
	char name[2 * UPCR_LABEL_MAX + 2];
	const char *attribute = text_of_attribute(label);

	if (!value)
		snprintf(name, sizeof(name), "%s", attribute);
	else if (is_of_names(attribute))
		snprintf(name, sizeof(name), "%s", value);
	else
		snprintf(name, sizeof(name), "%s=%s", attribute, value);
	(void)upcr_push(UPCR_OF_CALIPER + label, upcr_name_of(name));
}

static void end_attribute(unsigned label)
{
	/* No region is pushed: upcr_exit finds none open, and notes this. */
	if (upcr_pop(UPCR_OF_CALIPER + label) < 0)
		(void)upcr_exit(upcr_name_of(text_of_attribute(label)));
}

/* ---- by an attribute's name ---------------------------------------------------------------------- */

CALL(cali_begin_byname, (const char *attribute), (attribute), , begin_attribute(label_of(attribute), NULL))
CALL(cali_begin_int_byname, (const char *attribute, int value), (attribute, value), ,
     begin_attribute(label_of(attribute), NULL))
CALL(cali_begin_double_byname, (const char *attribute, double value), (attribute, value), ,
     begin_attribute(label_of(attribute), NULL))
CALL(cali_begin_string_byname, (const char *attribute, const char *value), (attribute, value), ,
     begin_attribute(label_of(attribute), value ? value : ""))
CALL(cali_end_byname, (const char *attribute), (attribute), end_attribute(label_of(attribute)), )

/* ---- by an attribute's number, which libcaliper gives ---------------------------------------------- */

/* Each entry of the table is an attribute's number or its node's address, with the label in the low bits; 0:
 * free. */
enum { KNOWN = 256, LABEL_BITS = 11, LEFT_OUT = (1 << LABEL_BITS) - 1 };

static _Atomic(uint64_t) known[KNOWN];

static _Atomic(uint64_t) *known_place(uint64_t number)
{
	return &known[(number ^ number >> 8) % KNOWN];
}

/* Return the label of an attribute's number; 0 if the number is not in the table. */
static unsigned known_label(uint64_t number)
{
	uint64_t there = atomic_load_explicit(known_place(number), memory_order_relaxed);

	return there >> LABEL_BITS == number ? (unsigned)(there & ((1u << LABEL_BITS) - 1)) : 0;
}

static void known_put(uint64_t number, unsigned label)
{
	if (number < UINT64_C(1) << (64 - LABEL_BITS) && label)
		atomic_store_explicit(known_place(number), number << LABEL_BITS | label,
				      memory_order_relaxed);
}

extern const char *cali_attribute_name(uint64_t number);

static unsigned label_of_number(uint64_t number)
{
	__typeof__(cali_attribute_name) *name_of = UPCR_REAL(cali_attribute_name, libcaliper);
	unsigned label = known_label(number);
	const char *name;
	char made[32];

	if (label)
		return label;
	name = name_of ? name_of(number) : NULL;
	if (!name || !name[0]) {
		snprintf(made, sizeof(made), "attribute %" PRIu64, number);
		name = made;
	}
	label = label_of(name);
	known_put(number, label);
	return label;
}

CALL(cali_begin, (uint64_t attribute), (attribute), , begin_attribute(label_of_number(attribute), NULL))
CALL(cali_begin_int, (uint64_t attribute, int value), (attribute, value), ,
     begin_attribute(label_of_number(attribute), NULL))
CALL(cali_begin_double, (uint64_t attribute, double value), (attribute, value), ,
     begin_attribute(label_of_number(attribute), NULL))
CALL(cali_begin_string, (uint64_t attribute, const char *value), (attribute, value), ,
     begin_attribute(label_of_number(attribute), value ? value : ""))
CALL(cali_end, (uint64_t attribute), (attribute), end_attribute(label_of_number(attribute)), )

/* ---- libcaliper's class -------------------------------------------------------------------------- */

/* Properties of attributes that make no region: attributes that skip events, hidden ones, and attributes of a
 * whole run. */
enum { SKIP_EVENTS = 64, HIDDEN = 128, GLOBAL = 512 };
/* The lowest byte of the word before a variant's value is its type; the upper half of that word is the size
 * of a text. */
enum { TYPE_MASK = 0xff, TYPE_STRING = 4 };

struct attribute {
	const void *node;
};

struct variant {
	uint64_t type_and_size;
	union {
		const char *text;
		uint64_t number;
	} value;
};

extern const char *_ZNK4cali9Attribute10name_c_strEv(const struct attribute *attribute);
extern int _ZNK4cali9Attribute10propertiesEv(const struct attribute *attribute);

static unsigned label_of_attribute(const struct attribute *attribute)
{
	__typeof__(_ZNK4cali9Attribute10name_c_strEv) *name_of =
		UPCR_REAL(_ZNK4cali9Attribute10name_c_strEv, libcaliper);
	__typeof__(_ZNK4cali9Attribute10propertiesEv) *properties_of =
		UPCR_REAL(_ZNK4cali9Attribute10propertiesEv, libcaliper);
	const uint64_t number = (uintptr_t)attribute->node;
	unsigned label = number ? known_label(number) : LEFT_OUT;

	if (label)
		return label;
	if (!name_of || !properties_of || properties_of(attribute) & (SKIP_EVENTS | HIDDEN | GLOBAL))
		label = LEFT_OUT;
	else
		label = label_of(name_of(attribute));
	known_put(number, label);
	return label;
}

static bool is_text(const struct variant *value)
{
	return (value->type_and_size & TYPE_MASK) == TYPE_STRING && value->value.text;
}

static void begin_variant(unsigned label, const struct variant *value)
{
	char text[UPCR_LABEL_MAX];

	if (is_text(value))
		snprintf(text, sizeof(text), "%.*s", (int)(value->type_and_size >> 32), value->value.text);
	begin_attribute(label, is_text(value) ? text : NULL);
}

/* Begin a region for a text that is set; it ends when the next text is set. */
static void set_variant(unsigned label, const struct variant *value)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (is_text(value)) {
		(void)upcr_pop(UPCR_OF_CALIPER + label);
		begin_variant(label, value);
	} else if (!atomic_flag_test_and_set(&said)) {
		upcr_say("numbers that are set for attributes of Caliper ('%s') begin no region",
			 text_of_attribute(label));
	}
}

/* Define a method of class Caliper. In older releases of Caliper it returns a value, which is passed on. */
#define METHOD(name, parameters, arguments, before, behind)                                       \
	UPCR_EXPORT long name parameters;                                                         \
	long name parameters                                                                      \
	{                                                                                         \
		__typeof__(name) *real = UPCR_REAL(name, libcaliper);                             \
		const unsigned label = is_outermost() ? label_of_attribute(attribute) : LEFT_OUT; \
		long answer = 0;                                                                  \
                                                                                                  \
		reached = true;                                                                   \
		if (label != LEFT_OUT) {                                                          \
			before;                                                                   \
		}                                                                                 \
		inside++;                                                                         \
		if (real)                                                                         \
			answer = real arguments;                                                  \
		inside--;                                                                         \
		if (label != LEFT_OUT) {                                                          \
			behind;                                                                   \
		}                                                                                 \
		return answer;                                                                    \
	}

METHOD(_ZN4cali7Caliper5beginERKNS_9AttributeERKNS_7VariantE,
       (void *caliper, const struct attribute *attribute, const struct variant *value),
       (caliper, attribute, value), , begin_variant(label, value))
METHOD(_ZN4cali7Caliper3setERKNS_9AttributeERKNS_7VariantE,
       (void *caliper, const struct attribute *attribute, const struct variant *value),
       (caliper, attribute, value), , set_variant(label, value))
METHOD(_ZN4cali7Caliper3endERKNS_9AttributeE, (void *caliper, const struct attribute *attribute),
       (caliper, attribute), end_attribute(label), )
METHOD(_ZN4cali7Caliper20end_with_value_checkERKNS_9AttributeERKNS_7VariantE,
       (void *caliper, const struct attribute *attribute, const struct variant *value),
       (caliper, attribute, value), end_attribute(label), )
