/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store.c - see store.h. The file is JSON, so that an administrator can read it. It is written when a counter
 * appears, disappears or is halted, not with each sample: the service's saved state has the later counts.
 * Every number is checked, so a manipulated file can cause wrong names, but nothing worse.
 * Terms: pmda/agent.h.
 */
#include "pmda/store.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STORE_MOST (64u << 20)

static const char *const scopes[SERVICE_SCOPES] = {"cpu", "node", "cgroup"};

/* ---- reading ------------------------------------------------------------------------- */

static int scope_of_stored_name(const char *name)
{
	int i;

	for (i = 0; i < SERVICE_SCOPES; i++)
		if (!strcmp(scopes[i], name))
			return i;
	return -1;
}

static int load_places(const json_t *all, struct places places[SERVICE_SCOPES])
{
	size_t i;
	json_t *one;
	int scope, error;

	for (scope = 0; scope < SERVICE_SCOPES; scope++) {
		json_array_foreach(json_object_get(all, scopes[scope]), i, one)
		{
			const char *name;
			int instance, numa;

			if (json_unpack(one, "[s, i, i!]", &name, &instance, &numa) || instance < 0 ||
			    numa < -1)
				return -EINVAL;
			error = places_add(&places[scope], name, instance, numa);
			if (error)
				return error == -EEXIST ? -EINVAL : error;
		}
	}
	return 0;
}

static int load_counts(const json_t *metric, struct pmids_entry *entry, const struct places *places)
{
	const json_t *place = json_object_get(metric, "places"), *numas = json_object_get(metric, "numa");
	struct tally *tally = tally_grow(NULL, places, entry->key.scope == SERVICE_CPU);
	json_t *one;
	size_t i;
	unsigned n;

	if (!tally)
		return -ENOMEM;
	entry->tally = tally;
	json_array_foreach(place, i, one)
	{
		json_int_t number[4];

		if (json_is_null(one))
			continue;
		if (i >= tally->places ||
		    json_unpack(one, "[I, I, I, I!]", &number[0], &number[1], &number[2], &number[3]))
			return -EINVAL;
		tally->place[i] = (struct tally_place){(uint64_t)number[0],
						       (uint64_t)number[1],
						       (uint64_t)number[2],
						       (uint64_t)number[3],
						       0,
						       true,
						       SERVICE_OFFLINE};
	}
	json_array_foreach(numas, i, one)
	{
		json_int_t running;
		int node;

		if (json_unpack(one, "[i, I!]", &node, &running))
			return -EINVAL;
		for (n = 0; n < tally->numas; n++)
			if (tally->numa[n].node == node)
				tally->numa[n].running = (uint64_t)running, tally->numa[n].known = true;
	}
	return 0;
}

static int load_metric(const json_t *metric, struct pmids *pmids, const struct places places[SERVICE_SCOPES])
{
	const char *name, *event, *unit, *scope, *path;
	json_int_t slot, id;
	struct pmids_entry *entry;
	struct pmids_key key;
	int level, error;

	if (json_unpack((json_t *)metric, "{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I}", "metric", &path, "name",
			&name, "event", &event, "unit", &unit, "scope", &scope, "level", &level, "slot",
			&slot, "id", &id) ||
	    scope_of_stored_name(scope) < 0 || slot < 0 || slot >= (json_int_t)PMIDS_SLOTS || id < 0 ||
	    id > UINT32_MAX)
		return -EINVAL;
	key = (struct pmids_key){name, event, unit, (enum service_scope)scope_of_stored_name(scope), level};
	error = pmids_add(pmids, &key, path, (unsigned)slot, &entry);
	if (error)
		return error == -ENOMEM ? error : -EINVAL;
	entry->id = (unsigned)id;
	return load_counts(metric, entry, &places[key.scope]);
}

/* Read a whole file of acceptable size. */
static int read_store_file(const char *path, char **text, size_t *length, char why[256])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), error = 0;
	struct stat about;
	ssize_t got;

	*text = NULL;
	*length = 0;
	if (fd < 0) {
		error = -errno;
		snprintf(why, 256, "it cannot be read: %s", strerror(errno));
		return error;
	}
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size > (off_t)STORE_MOST) {
		snprintf(why, 256, "it is no regular file of at most 64 MiB");
		error = -EINVAL;
	} else if (!(*text = malloc((size_t)about.st_size + 1))) {
		error = -ENOMEM;
	}
	while (!error && *length < (size_t)about.st_size) {
		got = read(fd, *text + *length, (size_t)about.st_size - *length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			error = -errno;
			snprintf(why, 256, "it cannot be read: %s", strerror(errno));
		}
		if (got <= 0)
			break;
		*length += (size_t)got;
	}
	close(fd);
	return error;
}

int store_load(const char *path, struct pmids *pmids, struct places places[SERVICE_SCOPES], uint64_t *epoch,
	       char why[256])
{
	struct pmids read;
	struct places there[SERVICE_SCOPES] = {{0}};
	json_error_t wrong;
	json_int_t began = 0;
	json_t *all = NULL, *metrics, *metric;
	char *text = NULL;
	size_t length, i;
	int error, scope, version = 0;

	snprintf(why, 256, "out of memory");
	error = read_store_file(path, &text, &length, why);
	if (error == -ENOENT)
		return 0;
	if (error || pmids_init(&read)) {
		free(text);
		return error ? error : -ENOMEM;
	}
	all = json_loadb(text, length, JSON_REJECT_DUPLICATES, &wrong);
	free(text);
	if (!all) {
		snprintf(why, 256, "line %d: %.160s", wrong.line, wrong.text);
		error = -EINVAL;
	} else if (json_unpack(all, "{s:i, s:I, s:o}", "version", &version, "epoch", &began, "metrics",
			       &metrics) ||
		   version != 1 || !json_is_array(metrics)) {
		snprintf(why, 256, "it is not the metrics of this version of the agent");
		error = -EINVAL;
	} else {
		snprintf(why, 256, "a place is not as the agent writes it");
		error = load_places(json_object_get(all, "places"), there);
		for (i = 0; !error && i < json_array_size(metrics); i++) {
			metric = json_array_get(metrics, i);
			snprintf(why, 256, "metric %zu is not as the agent writes it", i + 1);
			error = load_metric(metric, &read, there);
		}
	}
	json_decref(all);
	if (error) {
		pmids_free(&read);
		for (scope = 0; scope < SERVICE_SCOPES; scope++)
			places_free(&there[scope]);
		return error;
	}
	why[0] = 0;
	pmids_free(pmids);
	*pmids = read;
	for (scope = 0; scope < SERVICE_SCOPES; scope++) {
		places_free(&places[scope]);
		places[scope] = there[scope];
	}
	*epoch = (uint64_t)began;
	return 0;
}

/* ---- writing ------------------------------------------------------------------------- */

static json_t *counts_of(const struct tally *tally)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; tally && i < tally->places; i++) {
		const struct tally_place *place = &tally->place[i];

		if (!place->known)
			json_array_append_new(array, json_null());
		else
			json_array_append_new(array, json_pack("[I, I, I, I]", (json_int_t)place->base,
							       (json_int_t)place->running_base,
							       (json_int_t)place->value,
							       (json_int_t)place->running));
	}
	return array;
}

static json_t *numas_of(const struct tally *tally)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; tally && i < tally->numas; i++)
		if (tally->numa[i].known)
			json_array_append_new(array, json_pack("[i, I]", tally->numa[i].node,
							       (json_int_t)tally->numa[i].running));
	return array;
}

static json_t *make_metric_object(const struct pmids_entry *entry)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:o, s:o}", "metric", entry->metric,
			 "name", entry->key.name, "event", entry->key.event, "unit", entry->key.unit, "scope",
			 scopes[entry->key.scope], "level", entry->key.level, "slot", (json_int_t)entry->slot,
			 "id", (json_int_t)entry->id, "places", counts_of(entry->tally), "numa",
			 numas_of(entry->tally));
}

static json_t *make_store_object(const struct pmids *pmids, const struct places places[SERVICE_SCOPES],
				 uint64_t epoch)
{
	json_t *metrics = json_array(), *there = json_object();
	unsigned i, scope;
	bool right = true;

	for (scope = 0; scope < SERVICE_SCOPES; scope++) {
		json_t *array = json_array();

		for (i = 0; i < places[scope].count; i++)
			right &= !json_array_append_new(
				array, json_pack("[s, i, i]", places[scope].one[i].name,
						 places[scope].one[i].instance, places[scope].one[i].numa));
		right &= !json_object_set_new(there, scopes[scope], array);
	}
	for (i = 0; i < pmids->count; i++)
		right &= !json_array_append_new(metrics, make_metric_object(pmids->entry[i]));
	if (!right) {
		json_decref(metrics);
		json_decref(there);
		return NULL;
	}
	return json_pack("{s:i, s:I, s:o, s:o}", "version", 1, "epoch", (json_int_t)epoch, "places", there,
			 "metrics", metrics);
}

static int write_all(int fd, const char *text)
{
	size_t length = strlen(text);
	ssize_t done;

	for (; length; text += done, length -= (size_t)done) {
		done = write(fd, text, length);
		if (done < 0 && errno != EINTR)
			return -errno;
		if (done < 0)
			done = 0;
	}
	return 0;
}

int store_save(const char *path, const struct pmids *pmids, const struct places places[SERVICE_SCOPES],
	       uint64_t epoch, char why[256])
{
	json_t *all = make_store_object(pmids, places, epoch);
	char *text = all ? json_dumps(all, JSON_COMPACT) : NULL, *beside = NULL;
	int fd = -1, error = 0;

	json_decref(all);
	if (!text || asprintf(&beside, "%s.new", path) < 0) {
		free(text);
		snprintf(why, 256, "out of memory");
		return -ENOMEM;
	}
	/* A link of that name is removed, not followed. */
	if (unlink(beside) && errno != ENOENT)
		error = -errno;
	if (!error)
		fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (!error && fd < 0)
		error = -errno;
	/* There is no fsync, which may take seconds, and pmcd does not wait as long. A file that a crash of
	 * the machine truncates is renamed at the next start, and most slots are then the same again, since
	 * they are hashes. */
	if (!error)
		error = write_all(fd, text);
	if (fd >= 0 && close(fd) && !error)
		error = -errno;
	if (!error && rename(beside, path))
		error = -errno;
	if (error) {
		snprintf(why, 256, "%.200s cannot be written: %s", path, strerror(-error));
		if (fd >= 0)
			unlink(beside);
	}
	free(beside);
	free(text);
	return error;
}
