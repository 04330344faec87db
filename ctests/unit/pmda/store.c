/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store.c - the agent's file: it is read again as it was written, and files of others do no harm.
 */
#include "unit/unit_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "pmda/store.h"

static char dir[] = "/tmp/upc-store-XXXXXX", path[64];

struct kept {
	struct pmids pmids;
	struct places places[SERVICE_SCOPES];
	uint64_t epoch;
	char why[256];
};

static void begin(struct kept *kept)
{
	memset(kept, 0, sizeof(*kept));
	assert_int_equal(pmids_init(&kept->pmids), 0);
}

static void end(struct kept *kept)
{
	unsigned i;

	pmids_free(&kept->pmids);
	for (i = 0; i < SERVICE_SCOPES; i++)
		places_free(&kept->places[i]);
}

static int load(struct kept *kept)
{
	return store_load(path, &kept->pmids, kept->places, &kept->epoch, kept->why);
}

/* Two metrics, with numbers of all 64 bits. */
static void fill(struct kept *kept)
{
	static const struct pmids_key a = {"perf::A", "perf::A", "events", SERVICE_CPU, false},
				      b = {"q\"\\", "proc::b", "bytes", SERVICE_CGROUP, true};
	struct pmids_entry *entry;

	begin(kept);
	kept->epoch = 1795470265202951125u;
	assert_int_equal(places_add(&kept->places[SERVICE_CPU], "cpu0", 0, 0), 0);
	assert_int_equal(places_add(&kept->places[SERVICE_CPU], "cpu1", 1, 1), 0);
	assert_int_equal(places_add(&kept->places[SERVICE_CGROUP], "web \"1\"", 4, -1), 0);
	assert_int_equal(pmids_add(&kept->pmids, &a, NULL, 0, &entry), 0);
	entry->id = 17;
	entry->tally = tally_grow(NULL, &kept->places[SERVICE_CPU], true);
	entry->tally->place[1] = (struct tally_place){1, 2, UINT64_MAX, 4, 0, true, SERVICE_COUNTING};
	entry->tally->numa[1] = (struct tally_numa){1, 99, 5, true, true};
	assert_int_equal(pmids_add(&kept->pmids, &b, NULL, 0, &entry), 0);
}

TEST(test_again)
{
	struct kept out, in;
	struct pmids_entry *entry;
	struct stat about;

	fill(&out);
	assert_int_equal(store_save(path, &out.pmids, out.places, out.epoch, out.why), 0);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	begin(&in);
	assert_int_equal(load(&in), 0);
	assert_true(in.epoch == out.epoch);
	assert_int_equal(in.pmids.count, 2);
	assert_int_equal(in.places[SERVICE_CPU].count, 2);
	assert_string_equal(places_find(&in.places[SERVICE_CGROUP], 4)->name, "web \"1\"");
	entry = in.pmids.entry[0];
	assert_int_equal(entry->slot, out.pmids.entry[0]->slot);
	assert_true(entry->hash == out.pmids.entry[0]->hash);
	assert_int_equal(entry->id, 17);
	assert_false(entry->tally->place[0].known);
	assert_true(entry->tally->place[1].known);
	assert_true(entry->tally->place[1].value == UINT64_MAX);
	assert_int_equal(entry->tally->place[1].running_base, 2);
	assert_int_equal(entry->tally->numa[1].running, 99);
	entry = in.pmids.entry[1];
	assert_string_equal(entry->key.name, "q\"\\");
	assert_true(entry->key.level);
	end(&in);
	end(&out);
}

static void write_file(const char *text, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	fclose(file);
}

TEST(test_none)
{
	struct kept in;

	unlink(path);
	begin(&in);
	assert_int_equal(load(&in), 0);
	assert_int_equal(in.pmids.count, 0);
	end(&in);
}

/* Nothing is taken from a file that is wrong. */
TEST(test_wrong)
{
	static const char *const wrong[] = {
		"",
		"[]",
		"{}",
		"{\"version\":2,\"epoch\":1,\"metrics\":[]}",
		"{\"version\":1,\"epoch\":1,\"metrics\":{}}",
		"{\"version\":1,\"epoch\":1,\"metrics\":[7]}",
		"{\"version\":1,\"epoch\":1,\"epoch\":1,\"metrics\":[]}",
		"{\"version\":1,\"epoch\":1,\"metrics\":[],\"places\":{\"cpu\":[[\"a\",-1,0]]}}",
		"{\"version\":1,\"epoch\":1,\"metrics\":[],\"places\":{\"cpu\":[[\"a\",1,0],[\"a\",2,0]]}}",
		"{\"version\":1,\"epoch\":1,\"metrics\":[{\"metric\":\"A\",\"name\":\"a\",\"event\":\"a\",\"unit\":"
		"\"b\",\"scope\":\"cpu\",\"level\":false,\"slot\":1,\"id\":1}]}",
		"{\"version\":1,\"epoch\":1,\"metrics\":[{\"metric\":\"a\",\"name\":\"a\",\"event\":\"a\",\"unit\":"
		"\"b\",\"scope\":\"cpu\",\"level\":false,\"slot\":262144,\"id\":1}]}",
		"{\"version\":1,\"epoch\":1,\"metrics\":[{\"metric\":\"a\",\"name\":\"a\",\"event\":\"a\",\"unit\":"
		"\"b\",\"scope\":\"numa\",\"level\":false,\"slot\":1,\"id\":1}]}",
		"{\"version\":1,\"epoch\":1,\"metrics\":[{\"metric\":\"a\",\"name\":\"a\",\"event\":\"a\",\"unit\":"
		"\"b\",\"scope\":\"cpu\",\"level\":false,\"slot\":1,\"id\":-1}]}",
		"{\"version\":1,\"epoch\":1,\"metrics\":[{\"metric\":\"a\",\"name\":\"a\",\"event\":\"a\",\"unit\":"
		"\"b\",\"scope\":\"cpu\",\"level\":false,\"slot\":1,\"id\":1,\"places\":[[1,2,3,4]]}]}",
	};
	struct kept in;
	unsigned i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		write_file(wrong[i], strlen(wrong[i]));
		begin(&in);
		if (load(&in) != -EINVAL)
			fail_msg("%s was taken", wrong[i]);
		assert_true(in.why[0]);
		assert_int_equal(in.pmids.count, 0);
		assert_int_equal(in.places[SERVICE_CPU].count, 0);
		assert_true(in.epoch == 0);
		end(&in);
	}
}

/* A file that is cut anywhere is refused; one with any byte changed is taken or refused, without harm. */
TEST(test_damaged)
{
	char text[4096], changed[4096];
	struct kept out, in;
	size_t length, i;
	FILE *file;

	fill(&out);
	assert_int_equal(store_save(path, &out.pmids, out.places, out.epoch, out.why), 0);
	end(&out);
	file = fopen(path, "r");
	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	assert_true(length > 100 && length < sizeof(text));
	for (i = 0; i < length; i++) {
		write_file(text, i);
		begin(&in);
		assert_int_equal(load(&in), -EINVAL);
		end(&in);
		memcpy(changed, text, length);
		changed[i] = (char)(changed[i] ^ 0x11);
		write_file(changed, length);
		begin(&in);
		(void)load(&in);
		end(&in);
	}
}

/* Paths that are no regular file, and a directory that does not exist. */
TEST(test_places_of_files)
{
	struct kept in;
	char why[256];

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	begin(&in);
	assert_int_equal(load(&in), -EINVAL);
	unlink(path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_true(load(&in) < 0);
	unlink(path);
	assert_int_equal(store_save("/nonexistent/a", &in.pmids, in.places, 1, why), -ENOENT);
	assert_non_null(strstr(why, "/nonexistent/a"));
	end(&in);
}

/* A write that fails leaves the file as it was, and nothing beside it. */
TEST(test_full)
{
	struct kept out;
	char beside[80];

	fill(&out);
	assert_int_equal(store_save(path, &out.pmids, out.places, out.epoch, out.why), 0);
	snprintf(beside, sizeof(beside), "%s.new", path);
	assert_int_equal(mkdir(beside, 0700), 0);
	assert_true(store_save(path, &out.pmids, out.places, 1, out.why) < 0);
	assert_int_equal(rmdir(beside), 0);
	end(&out);
	begin(&out);
	assert_int_equal(load(&out), 0);
	assert_true(out.epoch != 1);
	end(&out);
	/* A link that lies there is not followed. */
	begin(&out);
	assert_int_equal(symlink("victim", beside), 0);
	assert_int_equal(store_save(path, &out.pmids, out.places, 1, out.why), 0);
	assert_int_equal(access(beside, F_OK), -1);
	end(&out);
}

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/metrics", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

UNIT_TESTS(store, make_dir, remove_dir)
