/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_names.h - presents the catalogue's events to PAPI as native codes, names and descriptions.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_NAMES_H
#define UPC_NAMES_H

#include "papi.h"

#include "upc_library.h"

/* Set the libupc and the catalogue that the functions below use. */
void upcp_names_open(const struct mpxi_libupc *library, struct upc_catalogue *catalogue);

/*
 * upcp_names_count returns the number of events that are enumerated. The other function returns the
 * source of the first of them: a replay script and the simulated node are the source of all events
 * that they support.
 */
int upcp_names_count(void);
enum upc_source upcp_names_source(void);

/*
 * Functions of PAPI's vector (ntv_...), which return PAPI's codes. A native code is the catalogue's
 * code. An event in a signal mode, NAME:mode=..., has a separate code, which is created when the
 * name is first looked up. An event with qualifiers (upc_qualifiers.h) also has a separate code,
 * and is not enumerated. Only events that have a source are enumerated and found by name. Context:
 * any thread.
 */
int upcp_enum_events(unsigned int *native, int modifier);
int upcp_name_to_code(const char *name, unsigned int *native);
int upcp_code_to_name(unsigned int native, char *name, int size);
int upcp_code_to_descr(unsigned int native, char *text, int size);
int upcp_code_to_info(unsigned int native, PAPI_event_info_t *papi);

/* Report that two events of one set have different qualifiers. Return PAPI_ECNFLCT. */
int upcp_names_refuse_mix(unsigned int one, unsigned int other);

#endif /* UPC_NAMES_H */
