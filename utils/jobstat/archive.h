/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * archive.h - the archives of Performance Co-Pilot, node by node: each record as it was written, in
 * its order, never anything in between. Also a host that runs (a record is a fetch).
 *
 * A node is the host that an archive names in its label. Several archives of one host are read one
 * after the other; of what they both have only one is read.
 */
#ifndef JOBSTAT_ARCHIVE_H
#define JOBSTAT_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct archive {
	char *host;
	char **path; /* in the order of their first records; NULL: a host that runs */
	int64_t *first_ns;
	unsigned paths, at; /* at: the one that is open */
	int context;        /* -1: none is open */
	bool parked;        /* closed to keep few files open; it opens when it is used */
	unsigned serial;    /* another one: metrics may have other numbers */
	unsigned breaks;    /* another one: counts of before are no base */
	int64_t last_ns;    /* of the last record; INT64_MIN: there was none */
	int64_t seek_ns;    /* from where on it is read; INT64_MIN: from its begin */
	int64_t end_ns;     /* when the last archive ends, or INT64_MIN: not known */
	char note[240];     /* what is wrong with them, or "" */
	bool damaged;       /* ... and some of it could not be read */
	int64_t size;       /* of files that may grow */
	struct archive_live *live;
	struct archives *all;
};

struct archives {
	struct archive *node; /* by name */
	unsigned nodes;
	bool damaged;            /* one could not be opened; it has been said */
	unsigned unread;         /* how many could not */
	char unread_why[160];    /* ... the first of them */
	unsigned room;           /* archives that stay open; all others take turns */
	struct archive *visitor; /* the one of those others that is open, or NULL */
};

/* Finds them: operands are archives, with or without an ending of their files, and directories of
 * them. 0; or -1, said, where no archive can be read. An archive that cannot be read beside others is
 * reported. */
int archives_find(const char *const *operand, unsigned n, struct archives *archives);

/* Adds a host that runs, each interval_ns at its multiples. 0; or -1, said. */
int archives_add_host(struct archives *archives, const char *host, uint64_t interval_ns);
void archives_free(struct archives *archives);

/* Goes to the first record at from_ns or later. */
void archive_seek(struct archive *archive, int64_t from_ns);

/* Reads the first records, and goes back: their first time, and how far they are from each other, as
 * they say (upc.sample.interval) or are; 0: not known. */
void archive_probe(struct archive *archive, int64_t *first_ns, uint64_t *interval_ns);

/* Whether its archives have a metric of this name. */
bool archive_has(struct archive *archive, const char *name);

/* Calls found for each metric that it has. */
void archive_names(struct archive *archive, void (*found)(const char *name, void *arg), void *arg);

/* Names of a metric's instances, in one piece for the caller to free; returns how many, 0: it has none. */
int archive_places(struct archive *archive, const char *name, char ***place);

/* The next record, for the caller to free with pmFreeResult, and its time: 1; or 0 at the end. A record
 * without metrics is a mark: nothing is known of the time before it. */
int archive_next(struct archive *archive, pmResult **record, int64_t *time_ns);

/* At the end: whether files have grown since, or a host has another record; then archive_next goes on. */
bool archive_grown(struct archive *archive);

/* A metric of the records: its name, for the caller to free; 0, or -1. replay: its source is a script,
 * whose time is its own. */
int archive_describe(struct archive *archive, pmID pmid, char **name, pmDesc *desc, bool *replay);

/* An instance's name, for the caller to free. */
char *archive_instance(struct archive *archive, pmInDom indom, int instance);

/* As many files as the system lets the process open. */
void archives_raise_limit(void);

#endif
