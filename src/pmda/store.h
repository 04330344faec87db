/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store.h - reads and writes the agent's file, with the entries and their values. It is next to the service's
 * saved state, and has the same lifetime.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_STORE_H
#define PMDA_STORE_H

#include <stdint.h>

#include "pmda/pmids.h"
#include "pmda/tally.h"

/*
 * Read the file. Return 0 if it does not exist. -EINVAL if it is another kind of file or damaged: no data of
 * the file is used, and why has the reason. Other errors: -errno of the file system, -ENOMEM.
 */
int store_load(const char *path, struct pmids *pmids, struct places places[SERVICE_SCOPES], uint64_t *epoch,
	       char why[256]);

/* Write the whole file, or leave the old one unchanged and return -errno, with the reason in why. */
int store_save(const char *path, const struct pmids *pmids, const struct places places[SERVICE_SCOPES],
	       uint64_t epoch, char why[256]);

#endif
