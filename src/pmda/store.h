/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store.h - the file in which the agent keeps what its metrics are and counted: beside the service's
 * saved state, and of the same life.
 */
#ifndef PMDA_STORE_H
#define PMDA_STORE_H

#include <stdint.h>

#include "pmda/pmids.h"
#include "pmda/tally.h"

/*
 * Reads it. Where there is none, 0 and nothing. Where it is no such file, or damaged: -EINVAL, and
 * nothing of it holds; why has the reason. Other errors: -errno of the file system, -ENOMEM.
 */
int store_load(const char *path, struct pmids *pmids, struct places places[SERVICE_SCOPES], uint64_t *epoch,
	       char why[256]);

/* Writes it anew, whole or not at all: -errno, and why. */
int store_save(const char *path, const struct pmids *pmids, const struct places places[SERVICE_SCOPES],
	       uint64_t epoch, char why[256]);

#endif
