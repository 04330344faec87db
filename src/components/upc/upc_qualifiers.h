/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_qualifiers.h - what stands behind an event's name and is meant for the whole set: whether
 * its unit is flexible, and the control group that it counts.
 */
#ifndef UPC_QUALIFIERS_H
#define UPC_QUALIFIERS_H

#include <stddef.h>
#include <stdint.h>

/* There is one structure for equal qualifiers, which stays until the process ends: sets that other
 * threads have survive PAPI_shutdown. */
struct upcp_qualifiers {
	int flexible;
	char cgroup[]; /* directory, or "": none */
};

/* Whether they name a control group. NULL: no. */
static inline int upcp_qualifiers_name_group(const struct upcp_qualifiers *qualifiers)
{
	return qualifiers && *qualifiers->cgroup;
}

/*
 * A native code is the catalogue's code and, above it, the number of its qualifiers, 0 for none.
 * libupc's catalogue has room for 2^20 events, and PAPI takes codes of 31 bits.
 */
#define UPCP_CODE_BITS 20
#define UPCP_QUALIFIERS_MAX ((1u << (31 - UPCP_CODE_BITS)) - 1)

/* A name in its parts. */
struct upcp_name_parts {
	size_t event; /* length of the event's own name */
	int flexible;
	const char *cgroup; /* NULL: there is no such qualifier */
	size_t cgroup_length;
};

/*
 * Cuts NAME[:flexible][:cgroup=DIRECTORY], or :flexible behind that. The directory goes to the end: it may
 * contain colons. Context: any.
 */
void upcp_qualifiers_cut(const char *name, struct upcp_name_parts *parts);

/* Returns the number, from 1 to UPCP_QUALIFIERS_MAX, of the parts' qualifiers; 0: none is free. -1: no
 * memory. Context: any thread, no signal handler. */
int upcp_qualifiers_number(const struct upcp_name_parts *parts);

/* Splits a native code. *qualifiers becomes NULL where it has none. Returns 0, or -1 where nobody gave
 * out the code. Context: any. */
int upcp_qualifiers_split(unsigned native, uint32_t *code, const struct upcp_qualifiers **qualifiers);

#endif /* UPC_QUALIFIERS_H */
