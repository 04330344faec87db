/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_qualifiers.h - the qualifiers at the end of an event's name, which apply to the whole set:
 * whether the set's unit is flexible, and the control group that the set counts.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_QUALIFIERS_H
#define UPC_QUALIFIERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Equal qualifiers share one structure, which exists until the process ends, because sets of other
 * threads survive PAPI_shutdown.
 */
struct upcp_qualifiers {
	int flexible;
	char cgroup[]; /* directory, or "" for none */
};

/* True if the qualifiers name a control group. NULL is allowed. */
static inline int upcp_qualifiers_name_group(const struct upcp_qualifiers *qualifiers)
{
	return qualifiers && *qualifiers->cgroup;
}

/*
 * Layout of a native code: the low 20 bits are the catalogue's code, and the bits above are the
 * number of the qualifiers, 0 for none. libupc's catalogue has room for 2^20 events, and PAPI
 * accepts codes of 31 bits.
 */
#define UPCP_CODE_BITS 20
#define UPCP_QUALIFIERS_MAX ((1u << (31 - UPCP_CODE_BITS)) - 1)

/* An event's name, split into its parts. */
struct upcp_name_parts {
	size_t event; /* length of the name without qualifiers */
	int flexible;
	const char *cgroup; /* NULL: no control group */
	size_t cgroup_length;
};

/*
 * Split NAME[:flexible][:cgroup=DIRECTORY][:flexible]. The directory may contain colons. Context:
 * any.
 */
void upcp_qualifiers_cut(const char *name, struct upcp_name_parts *parts);

/*
 * Return the number of the parts' qualifiers, from 1 to UPCP_QUALIFIERS_MAX; 0 if no number is
 * free; -1 without memory. Context: any thread, but no signal handler.
 */
int upcp_qualifiers_number(const struct upcp_name_parts *parts);

/*
 * Split a native code. *qualifiers becomes NULL if the code has none. Return 0, or -1 if
 * upcp_qualifiers_number never returned that number. Context: any.
 */
int upcp_qualifiers_split(unsigned native, uint32_t *code, const struct upcp_qualifiers **qualifiers);

#endif /* UPC_QUALIFIERS_H */
