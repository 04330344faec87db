/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * archive.h - the archives of Performance Co-Pilot (PCP), node by node. Records are returned unchanged, in
 * their order, and never interpolated. A running host is also a source; each of its records is a fetch.
 *
 * A node is the host that an archive names in its label. Several archives of one host are read one after
 * the other. If two archives overlap, only one of them is read in the overlap.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_ARCHIVE_H
#define JOBSTAT_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct archive {
	char *host;
	char **path; /* in the order of their first records; NULL: a running host */
	int64_t *first_ns;
	unsigned paths, at; /* at: index of the open archive */
	int context;        /* PMAPI context; -1: no archive is open */
	bool parked;        /* closed to limit the number of open files; reopened on use */
	unsigned serial;    /* changes when metrics may have new numbers (pmIDs) */
	unsigned breaks;    /* changes when counts cannot be subtracted from earlier counts any more */
	int64_t last_ns;    /* time of the last record; INT64_MIN: no record so far */
	int64_t seek_ns;    /* start of reading; INT64_MIN: the archive's beginning */
	int64_t end_ns;     /* end of the last archive; INT64_MIN: unknown */
	char note[240];     /* problems of the archives in words, or "" */
	bool damaged;       /* some of the data could not be read */
	int64_t size;       /* size of the files, to detect growth */
	struct archive_live *live;
	struct archives *all;
};

struct archives {
	struct archive *node; /* sorted by name */
	unsigned nodes;
	bool damaged;            /* an archive could not be opened; already reported */
	unsigned unread;         /* number of archives that could not be opened */
	char unread_why[160];    /* reason of the first failure */
	unsigned room;           /* number of archives that stay open; all others are opened in turn */
	struct archive *visitor; /* the open archive among those that are opened in turn, or NULL */
};

/* Find all archives. An operand is an archive, with or without a suffix, or a directory of archives.
 * Return 0, or -1 with an error message if no archive can be read. If only some archives cannot be read,
 * report them and return 0. */
int archives_find(const char *const *operand, unsigned n, struct archives *archives);

/* Add a running host, to be fetched every interval_ns, at multiples of interval_ns. Return 0, or -1 with
 * an error message. */
int archives_add_host(struct archives *archives, const char *host, uint64_t interval_ns);
void archives_free(struct archives *archives);

/* Go to the first record at from_ns or later. */
void archive_seek(struct archive *archive, int64_t from_ns);

/* Read the first records, then go back. Return the first record's time and the interval, which is the
 * value of upc.sample.interval or else the distance of the records; 0: unknown. */
void archive_probe(struct archive *archive, int64_t *first_ns, uint64_t *interval_ns);

/* True if the node's archives have a metric of this name. */
bool archive_has(struct archive *archive, const char *name);

/* Call found for each metric of the archives. */
void archive_names(struct archive *archive, void (*found)(const char *name, void *arg), void *arg);

/* Return the names of a metric's instances and their number; 0: the metric has no instances. The names are
 * one allocation, which the caller frees. */
int archive_places(struct archive *archive, const char *name, char ***place);

/* Return 1 with the next record and its time, or 0 at the end. The caller frees the record with
 * pmFreeResult. A record without metrics is a mark: the time before it is unknown. */
int archive_next(struct archive *archive, pmResult **record, int64_t *time_ns);

/* At the end, return true if the files have grown or a host has another record; archive_next then goes on. */
bool archive_grown(struct archive *archive);

/* Describe a metric of the records. The caller frees the name. *replay is set if the metric's source is a
 * script, which has a time scale different from the clock's. Return 0 or -1. */
int archive_describe(struct archive *archive, pmID pmid, char **name, pmDesc *desc, bool *replay);

/* Return an instance's name, which the caller frees. */
char *archive_instance(struct archive *archive, pmInDom indom, int instance);

/* Raise the process's soft limit of open files to the maximum that the system permits. */
void archives_raise_limit(void);

#endif
