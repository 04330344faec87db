/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_names.h - the catalogue's events as PAPI knows events: native codes,
 * names, descriptions.
 */
#ifndef UPC_NAMES_H
#define UPC_NAMES_H

#include "papi.h"

#include "upc_library.h"

/* The catalogue that all of the calls below ask. */
void upcp_names_open(const struct mpxi_libupc *library, struct upc_catalogue *catalogue);

/* How many events are enumerated, and what drives the first of them: a script or the
 * simulated node drive all that they can. */
int upcp_names_count(void);
enum upc_source upcp_names_source(void);

/*
 * The calls of PAPI's vector that these are (ntv_...), with PAPI's codes. A native
 * code is the catalogue's; an event in a signal mode, NAME:mode=..., has one of its
 * own, made when it is first asked for, and so has one with qualifiers for its set
 * (upc_qualifiers.h), which are not enumerated. Only events that something drives are
 * enumerated, and found by name.
 * Context: any thread.
 */
int upcp_enum_events(unsigned int *native, int modifier);
int upcp_name_to_code(const char *name, unsigned int *native);
int upcp_code_to_name(unsigned int native, char *name, int size);
int upcp_code_to_descr(unsigned int native, char *text, int size);
int upcp_code_to_info(unsigned int native, PAPI_event_info_t *papi);

/* Says that two events of one set have different qualifiers. PAPI_ECNFLCT. */
int upcp_names_refuse_mix(unsigned int one, unsigned int other);

#endif /* UPC_NAMES_H */
