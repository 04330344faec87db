/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * archive.c - archives of Performance Co-Pilot, read without interpolation.
 *
 * Records come from pmFetchArchive in PM_MODE_FORW, the initial mode of each context. No context is ever
 * in a mode that interpolates values between records.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "jobstat/archive.h"
#include "jobstat/live.h"
#include "lib/common.h"
#include "lib/list.h"

#define NS 1000000000LL

/* Files of an open archive: metadata, index, a volume, and for a moment a second volume. FILES_OF_OTHERS
 * is left for other files of the process and of libraries. */
#define FILES_PER_ARCHIVE 4
#define FILES_OF_OTHERS 32

/* PMAPI times are in microseconds before PCP 7 and in nanoseconds since. */
#if PMAPI_VERSION >= 3
typedef struct timespec pcp_time;
#define SUB_NS(t) ((t).tv_nsec)
#else
typedef struct timeval pcp_time;
#define SUB_NS(t) ((t).tv_usec * 1000LL)
#endif

static int64_t time_ns(const pcp_time *t)
{
	return t->tv_sec * NS + SUB_NS(*t);
}

/* Set the current context to read forward from a time. */
static int set_mode(int64_t from_ns)
{
	struct timespec when = {.tv_sec = from_ns / NS, .tv_nsec = from_ns % NS}, none = {0};

#if PMAPI_VERSION >= 3
	return pmSetMode(PM_MODE_FORW, &when, &none);
#else
	return pmSetModeHighRes(PM_MODE_FORW, &when, &none);
#endif
}

__attribute__((format(printf, 2, 3))) static void note(struct archive *archive, const char *format, ...)
{
	size_t n = strlen(archive->note);
	va_list args;

	if (n + 3 > sizeof(archive->note))
		return;
	if (n > 0) {
		memcpy(archive->note + n, "; ", 3);
		n += 2;
	}
	va_start(args, format);
	vsnprintf(archive->note + n, sizeof(archive->note) - n, format, args);
	va_end(args);
}

static void note_damage(struct archive *archive, const char *what, int error)
{
	char why[PM_MAXERRMSGLEN];

	archive->damaged = true;
	note(archive, "%s %.100s: %s", what, archive->path[archive->at], pmErrStr_r(error, why, sizeof(why)));
}

/* ---- records --------------------------------------------------------------------------------- */

static void close_context(struct archive *archive)
{
	if (archive->context >= 0)
		pmDestroyContext(archive->context);
	archive->context = -1;
}

/* If this archive is one of those that are opened in turn, close the archive that is open among them and make
 * this archive the open one. */
static void take_turn(struct archive *archive)
{
	struct archives *all = archive->all;

	if (all == NULL || (unsigned)(archive - all->node) < all->room)
		return;
	if (all->visitor != NULL && all->visitor != archive && all->visitor->context >= 0) {
		close_context(all->visitor);
		all->visitor->parked = true;
	}
	all->visitor = archive;
}

/* Open the current archive, at its first record or after the last record read. Return 0, or -1 with a
 * note. */
static int open_context(struct archive *archive)
{
	int64_t from_ns;

	take_turn(archive);
	archive->context = pmNewContext(PM_CONTEXT_ARCHIVE, archive->path[archive->at]);
	if (archive->context < 0) {
		note_damage(archive, "cannot read", archive->context);
		return -1;
	}
	/* Metrics keep their numbers if the same files are opened again. */
	archive->serial += !archive->parked;
	archive->parked = false;
	from_ns = archive->last_ns > archive->seek_ns ? archive->last_ns : archive->seek_ns;
	if (from_ns > archive->first_ns[archive->at])
		set_mode(from_ns);
	return 0;
}

/* Close the archive and open it again. Metrics may have new numbers. */
static int reopen_context(struct archive *archive)
{
	close_context(archive);
	archive->parked = false;
	return open_context(archive);
}

/* Make the archive's context the current one. Return false if nothing can be read. */
static bool use_context(struct archive *archive)
{
	if (archive->parked && open_context(archive) != 0)
		archive->parked = false;
	if (archive->context < 0)
		return false;
	pmUseContext(archive->context);
	return true;
}

void archive_seek(struct archive *archive, int64_t from_ns)
{
	if (archive->live != NULL || from_ns <= 0)
		return;
	/* Skip to the last archive that begins at or before from_ns; all earlier archives end before
	 * from_ns. */
	while (archive->at + 1 < archive->paths && archive->first_ns[archive->at + 1] <= from_ns)
		archive->at++;
	archive->seek_ns = from_ns;
	reopen_context(archive);
}

bool archive_has(struct archive *archive, const char *name)
{
	pmID pmid;

	return use_context(archive) && pmLookupName(1, &name, &pmid) == 1;
}

void archive_names(struct archive *archive, void (*found)(const char *name, void *arg), void *arg)
{
	if (use_context(archive))
		pmTraversePMNS_r("", found, arg);
}

int archive_places(struct archive *archive, const char *name, char ***place)
{
	int *number, n;
	pmID pmid;
	pmDesc desc;

	if (!use_context(archive) || pmLookupName(1, &name, &pmid) != 1 || pmLookupDesc(pmid, &desc) < 0 ||
	    desc.indom == PM_INDOM_NULL)
		return 0;
	n = archive->live != NULL ? pmGetInDom(desc.indom, &number, place)
				  : pmGetInDomArchive(desc.indom, &number, place);
	if (n <= 0)
		return 0;
	free(number);
	return n;
}

/* Return the 64-bit value of a metric in a record; 0: no value. */
static uint64_t value_in(const pmResult *record, pmID pmid)
{
	uint64_t value = 0;

	for (int i = 0; i < record->numpmid; i++) {
		const pmValueSet *set = record->vset[i];

		if (set->pmid == pmid && set->numval == 1 && set->valfmt != PM_VAL_INSITU &&
		    set->vlist[0].value.pval->vlen >= PM_VAL_HDR_SIZE + sizeof(value))
			memcpy(&value, set->vlist[0].value.pval->vbuf, sizeof(value));
	}
	return value;
}

#define PROBED 32

static int by_length(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void archive_probe(struct archive *archive, int64_t *first_ns, uint64_t *interval_ns)
{
	const char *name = "upc.sample.interval";
	int64_t gap[PROBED], before = 0, ns = 0;
	pmResult *record;
	unsigned gaps = 0;
	pmID pmid;

	*first_ns = 0;
	*interval_ns = 0;
	if (archive->live != NULL) {
		*interval_ns = live_interval(archive->live);
		return;
	}
	if (!use_context(archive))
		return;
	if (pmLookupName(1, &name, &pmid) != 1)
		pmid = PM_ID_NULL;
	for (int i = 0; i < PROBED && archive_next(archive, &record, &ns) == 1; i++) {
		if (*first_ns == 0)
			*first_ns = ns;
		/* Records less than 1 ms apart belong to one sample. */
		if (before != 0 && ns - before > NS / 1000)
			gap[gaps++] = ns - before;
		before = ns;
		if (*interval_ns == 0)
			*interval_ns = value_in(record, pmid);
		pmFreeResult(record);
	}
	/* Use the median, because a gap may be short: a logger fetches once when it starts, and then at
	 * each expiry of its timer. */
	qsort(gap, gaps, sizeof(gap[0]), by_length);
	if (*interval_ns == 0 && gaps != 0)
		*interval_ns = (uint64_t)gap[gaps / 2];
	archive->at = 0;
	archive->last_ns = INT64_MIN;
	archive->note[0] = '\0';
	archive->damaged = false;
	reopen_context(archive);
}

static int next_archive(struct archive *archive)
{
	close_context(archive);
	archive->breaks++;
	while (archive->at + 1 < archive->paths) {
		archive->at++;
		if (open_context(archive) == 0)
			return 0;
	}
	return -1;
}

int archive_next(struct archive *archive, pmResult **record, int64_t *ns)
{
	int status;

	if (archive->live != NULL) {
		status = live_next(archive->live, record);
		if (status <= 0)
			return 0;
		archive->context = live_context(archive->live, &archive->serial);
		archive->breaks = archive->serial;
		*ns = archive->last_ns = time_ns(&(*record)->timestamp);
		return 1;
	}
	for (;;) {
		if (!use_context(archive))
			return 0;
		status = pmFetchArchive(record);
		if (status < 0) {
			if (status != PM_ERR_EOL)
				note_damage(archive, "damaged:", status);
			if (archive->at + 1 == archive->paths || next_archive(archive) != 0)
				return 0;
			continue;
		}
		*ns = time_ns(&(*record)->timestamp);
		/* Skip records that were already read. Two archives may have the same record, and after a
		 * reopening the first record is the last one that was read. A mark is not skipped: its
		 * time is that of the record before it, or a little later. */
		if (*ns > archive->last_ns || ((*record)->numpmid == 0 && *ns == archive->last_ns))
			break;
		if (archive->last_ns - *ns > NS && archive->at == 0)
			note(archive, "its clock went backwards");
		pmFreeResult(*record);
	}
	archive->last_ns = *ns;
	return 1;
}

/* Return the total size of an archive's files, to detect growth while the archive is written. */
static int64_t files_size(const char *path)
{
	char pattern[4200];
	struct stat status;
	int64_t size = 0;
	glob_t files;
	size_t n = 0;

	for (const char *c = path; *c != '\0' && n < sizeof(pattern) - 4; c++) {
		if (strchr("*?[\\", *c) != NULL)
			pattern[n++] = '\\';
		pattern[n++] = *c;
	}
	memcpy(pattern + n, ".*", 3);
	if (glob(pattern, 0, NULL, &files) != 0)
		return 0;
	for (size_t i = 0; i < files.gl_pathc; i++)
		if (stat(files.gl_pathv[i], &status) == 0)
			size += status.st_size;
	globfree(&files);
	return size;
}

bool archive_grown(struct archive *archive)
{
	int64_t size;

	if (archive->live != NULL)
		return live_due(archive->live);
	size = files_size(archive->path[archive->at]);
	if (size == archive->size)
		return false;
	archive->size = size;
	/* A context knows only the metrics and instances that existed when the context was opened. Counts
	 * continue (breaks is unchanged), because the archive is the same. */
	archive->note[0] = '\0';
	archive->damaged = false;
	return reopen_context(archive) == 0;
}

/* ---- descriptions of metrics ----------------------------------------------------------------- */

static bool is_replayed(pmID pmid)
{
	pmLabelSet *sets = NULL;
	const int n = pmLookupLabels(pmid, &sets);
	bool found = false;

	for (int i = 0; i < n; i++)
		for (int j = 0; sets[i].json != NULL && j < sets[i].nlabels; j++) {
			const pmLabel *label = &sets[i].labels[j];

			if (label->namelen == 6 && strncmp(sets[i].json + label->name, "source", 6) == 0 &&
			    memmem(sets[i].json + label->value, label->valuelen, "replay", 6) != NULL)
				found = true;
		}
	if (n > 0)
		pmFreeLabelSets(sets, n);
	return found;
}

int archive_describe(struct archive *archive, pmID pmid, char **name, pmDesc *desc, bool *replay)
{
	char *own;

	if (!use_context(archive) || pmLookupDesc(pmid, desc) < 0 || pmNameID(pmid, &own) < 0)
		return -1;
	*name = strdup(own);
	free(own);
	*replay = is_replayed(pmid);
	return *name != NULL ? 0 : -1;
}

char *archive_instance(struct archive *archive, pmInDom indom, int instance)
{
	char *own = NULL, *name = NULL;
	int error;

	error = !use_context(archive)   ? PM_ERR_NOCONTEXT
		: archive->live != NULL ? pmNameInDom(indom, instance, &own)
					: pmNameInDomArchive(indom, instance, &own);
	if (error >= 0) {
		name = strdup(own);
		free(own);
	} else if (asprintf(&name, "%d", instance) < 0) {
		name = NULL;
	}
	return name;
}

/* ---- search for archives --------------------------------------------------------------------- */

void archives_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Remove the suffix of an archive's file: .meta, .index, or the number of a volume (.0, ...), each perhaps
 * followed by a compression suffix. */
static void cut_ending(char *path)
{
	static const char *const packed[] = {".xz", ".lzma", ".bz2", ".bz", ".gz", ".Z", ".zst"};
	char *end = strrchr(path, '.');

	for (size_t i = 0; end != NULL && i < sizeof(packed) / sizeof(packed[0]); i++)
		if (strcmp(end, packed[i]) == 0) {
			*end = '\0';
			end = strrchr(path, '.');
			break;
		}
	if (end != NULL && (strcmp(end, ".meta") == 0 || strcmp(end, ".index") == 0 ||
			    (end[1] != '\0' && end[1 + strspn(end + 1, "0123456789")] == '\0')))
		*end = '\0';
}

static struct archive *find_node(struct archives *archives, const char *host)
{
	struct archive *more;

	for (unsigned i = 0; i < archives->nodes; i++)
		if (strcmp(archives->node[i].host, host) == 0)
			return &archives->node[i];
	if (!util_grow(&archives->node, archives->nodes, sizeof(*more)))
		return NULL;
	more = &archives->node[archives->nodes];
	*more = (struct archive){.host = strdup(host),
				 .context = -1,
				 .last_ns = INT64_MIN,
				 .seek_ns = INT64_MIN,
				 .end_ns = INT64_MIN};
	if (more->host == NULL)
		return NULL;
	archives->nodes++;
	return more;
}

static int add_path(struct archive *archive, const char *path, int64_t first_ns, int64_t end_ns)
{
	char **paths;
	int64_t *times;
	unsigned at;

	if (!util_grow(&archive->path, archive->paths, sizeof(*paths)) ||
	    !util_grow(&archive->first_ns, archive->paths, sizeof(*times)))
		return -1;
	paths = archive->path;
	times = archive->first_ns;
	for (at = archive->paths; at > 0 && times[at - 1] > first_ns; at--) {
		paths[at] = paths[at - 1];
		times[at] = times[at - 1];
	}
	paths[at] = strdup(path);
	if (paths[at] == NULL)
		return -1;
	times[at] = first_ns;
	archive->paths++;
	if (end_ns > archive->end_ns)
		archive->end_ns = end_ns;
	return 0;
}

/* Count an archive or directory that cannot be read, and keep the first reason. */
static void note_unread(struct archives *archives, const char *why)
{
	if (archives->unread++ == 0)
		snprintf(archives->unread_why, sizeof(archives->unread_why), "%s", why);
	archives->damaged = true;
}

static void archive_report(struct archives *archives, const char *path, int error)
{
	char why[PM_MAXERRMSGLEN];

	pmErrStr_r(error, why, sizeof(why));
	util_error("cannot read the archive '%s': %s", path, why);
	note_unread(archives, why);
}

/* Read an archive's host and start time and add the archive to its node. Return 0, also if the archive
 * cannot be read, which is reported; -1: out of memory. */
static int add_archive(struct archives *archives, const char *path)
{
	const int context = pmNewContext(PM_CONTEXT_ARCHIVE, path);
	char host[PM_LOG_MAXHOSTLEN > 256 ? PM_LOG_MAXHOSTLEN : 256];
	struct archive *archive;
	pmResult *record;
	pcp_time end;
	int64_t first_ns, end_ns = INT64_MIN;
	int error = context;

	if (context < 0) {
		archive_report(archives, path, error);
		return 0;
	}
	snprintf(host, sizeof(host), "%s", pmGetContextHostName(context));
	error = pmFetchArchive(&record);
	if (error < 0) {
		pmDestroyContext(context);
		archive_report(archives, path, error == PM_ERR_EOL ? PM_ERR_NODATA : error);
		return 0;
	}
	first_ns = time_ns(&record->timestamp);
	pmFreeResult(record);
	if (pmGetArchiveEnd(&end) >= 0)
		end_ns = time_ns(&end);
	pmDestroyContext(context);
	archive = find_node(archives, host);
	if (archive != NULL)
		for (unsigned i = 0; i < archive->paths; i++)
			if (strcmp(archive->path[i], path) == 0)
				return 0;
	if (archive != NULL && add_path(archive, path, first_ns, end_ns) == 0)
		return 0;
	util_error("out of memory");
	return -1;
}

/* Add the archives below a directory. pmlogger writes a directory for each host. */
static void add_archive_directory(struct archives *archives, const char *path, unsigned depth)
{
	struct dirent **entry;
	const int n = scandir(path, &entry, NULL, alphasort);
	struct stat status;
	char *file;

	if (n < 0) {
		util_error("cannot read '%s': %s", path, strerror(errno));
		note_unread(archives, strerror(errno));
		return;
	}
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;

		if (name[0] != '.' && asprintf(&file, "%s/%s", path, name) >= 0) {
			const char *meta = strstr(name, ".meta");

			if (stat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
				if (depth < 3)
					add_archive_directory(archives, file, depth + 1);
			} else if (meta != NULL && (meta[5] == '\0' || meta[5] == '.')) {
				cut_ending(file);
				if (add_archive(archives, file) != 0)
					archives->damaged = true;
			}
			free(file);
		}
		free(entry[i]);
	}
	free(entry);
}

/* Return how many archives may stay open. Descriptors are left for one more archive, since the others are
 * opened in turn. */
static unsigned room_of_files(void)
{
	struct rlimit limit;
	rlim_t n;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX)
		return INT_MAX;
	n = limit.rlim_cur > FILES_OF_OTHERS ? (limit.rlim_cur - FILES_OF_OTHERS) / FILES_PER_ARCHIVE : 0;
	return n > 0 ? (unsigned)n - 1 : 0;
}

static int by_archive_host(const void *a, const void *b)
{
	return strverscmp(((const struct archive *)a)->host, ((const struct archive *)b)->host);
}

int archives_find(const char *const *operand, unsigned n, struct archives *archives)
{
	struct stat status;
	char *path;

	for (unsigned i = 0; i < n; i++) {
		if (stat(operand[i], &status) == 0 && S_ISDIR(status.st_mode)) {
			const unsigned had = archives->nodes;

			add_archive_directory(archives, operand[i], 0);
			if (archives->nodes == had && !archives->damaged && had == 0)
				util_error("'%s' has no archives", operand[i]);
			continue;
		}
		path = strdup(operand[i]);
		if (path == NULL)
			return -1;
		cut_ending(path);
		if (add_archive(archives, path) != 0)
			archives->damaged = true;
		free(path);
	}
	if (archives->nodes > 0)
		qsort(archives->node, archives->nodes, sizeof(*archives->node), by_archive_host);
	archives->room = room_of_files();
	for (unsigned i = 0; i < archives->nodes; i++) {
		struct archive *archive = &archives->node[i];

		archive->all = archives;
		if (archive->live == NULL && open_context(archive) != 0) {
			util_error("node %s: %s", archive->host, archive->note);
			archives->damaged = true;
		}
		if (archive->live == NULL)
			archive->size = files_size(archive->path[archive->paths - 1]);
	}
	return archives->nodes > 0 ? 0 : -1;
}

int archives_add_host(struct archives *archives, const char *host, uint64_t interval_ns)
{
	struct archive_live *live = live_open(host, interval_ns);
	struct archive *archive;
	unsigned serial;

	if (live == NULL)
		return -1;
	archive = find_node(archives, live_host(live));
	if (archive == NULL || archive->live != NULL || archive->paths > 0) {
		util_error("'%s' is the node %s, which is there already", host, live_host(live));
		live_close(live);
		return -1;
	}
	archive->live = live;
	archive->context = live_context(live, &serial);
	return 0;
}

void archives_free(struct archives *archives)
{
	for (unsigned i = 0; i < archives->nodes; i++) {
		struct archive *archive = &archives->node[i];

		if (archive->live != NULL)
			live_close(archive->live);
		else
			close_context(archive);
		for (unsigned j = 0; j < archive->paths; j++)
			free(archive->path[j]);
		free(archive->path);
		free(archive->first_ns);
		free(archive->host);
	}
	free(archives->node);
	*archives = (struct archives){0};
}
