/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_wiring - the wirings of share/upc/wirings where there is a PMU: each that
 * libpfm4 has tables for is taken; that of this PMU drives names of Blue Gene/P which
 * open, count and add up to derived events.
 */
#include <dirent.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "pmu_util.h"
#include "upc.h"

#define FILES_MAX 32
#define NAMES_MAX 64
#define N 1000000u
#define AROUND 1000u /* instructions of start and stop, with much to spare */

static char path[FILES_MAX][512];
static char pmu[FILES_MAX][64];
static unsigned files;

/* The names of a wiring's lines that begin with the verb. */
static unsigned names_of(const char *file, const char *verb, char name[NAMES_MAX][64])
{
	FILE *in = fopen(file, "re");
	char line[2048], pattern[32];
	unsigned n = 0;

	if (!in)
		return 0;
	snprintf(pattern, sizeof(pattern), "%s %%63s =", verb);
	while (n < NAMES_MAX && fgets(line, sizeof(line), in))
		n += sscanf(line, pattern, name[n]) == 1;
	fclose(in);
	return n;
}

static void find_files(void)
{
	const char *srcdir = getenv("srcdir");
	char directory[400], line[2048];
	struct dirent *entry;
	DIR *dir;

	if (srcdir)
		snprintf(directory, sizeof(directory), "%.350s/share/upc/wirings", srcdir);
	else
		snprintf(directory, sizeof(directory), "/tests/wirings");
	dir = opendir(directory);
	if (!ok(dir != NULL, "the wirings are in %s", directory))
		return;
	while (files < FILES_MAX && (entry = readdir(dir)) != NULL) {
		const char *end = strrchr(entry->d_name, '.');
		FILE *in;

		if (!end || strcmp(end, ".wiring"))
			continue;
		snprintf(path[files], sizeof(path[0]), "%.390s/%.100s", directory, entry->d_name);
		in = fopen(path[files], "re");
		while (in && fgets(line, sizeof(line), in))
			if (sscanf(line, "drive %*s = perf \"%63[^:]::", pmu[files]) == 1)
				break;
		if (in)
			fclose(in);
		files++;
	}
	closedir(dir);
	ok(files > 0, "... %u of them", files);
}

static struct upc_catalogue *open_with(const char *wiring)
{
	struct upc_catalogue_options options = UPC_OPTIONS_INIT(upc_catalogue_options);
	struct upc_catalogue *catalogue;

	options.wiring_path = wiring;
	return upc_catalogue_open(&options, &catalogue) ? NULL : catalogue;
}

/* Whether perf drives the name, and the file says how that differs. */
static bool driven(struct upc_catalogue *catalogue, const char *name)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	uint32_t code;

	if (!upc_catalogue_find(catalogue, name, &code) && !upc_catalogue_info(catalogue, code, &info) &&
	    info.source == UPC_SOURCE_PERF && info.differs && info.differs[0])
		return true;
	note("%s: %s", name, upc_last_message());
	return false;
}

/* ---- every wiring, by libpfm4's tables ---------------------------------------- */

enum { TAKEN, REFUSED };

/* In a process whose libpfm4 acts as if that PMU were here: this one's must not be
 * awake yet. */
static int try_forced(unsigned i)
{
	char name[NAMES_MAX][64];
	unsigned n = names_of(path[i], "drive", name), k;
	struct upc_catalogue *catalogue;

	setenv("LIBPFM_FORCE_PMU", pmu[i], 1);
	catalogue = open_with(path[i]);
	if (!catalogue) {
		note("%s", upc_last_message());
		return REFUSED;
	}
	for (k = 0; k < n && driven(catalogue, name[k]); k++)
		;
	upc_catalogue_close(catalogue);
	return n && k == n ? TAKEN : REFUSED;
}

/* libpfm4 has the tables of one architecture's PMUs. */
static bool ours(const char *name)
{
#if defined(__aarch64__)
	return !strncmp(name, "arm_", 4);
#else
	return strncmp(name, "arm_", 4) != 0;
#endif
}

static void every_wiring(void)
{
	unsigned i, tried = 0;

	for (i = 0; i < files; i++) {
		int status = -1;
		pid_t child;

		if (!ours(pmu[i]))
			continue;
		tried++;
		fflush(stdout);
		child = fork();
		if (child == 0)
			_exit(try_forced(i));
		ok(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
			   WEXITSTATUS(status) == TAKEN,
		   "the wiring of %s is taken where it is that PMU", pmu[i]);
	}
	ok(tried > 0, "... all %u for this architecture", tried);
}

/* ---- this PMU's ------------------------------------------------------------------ */

/* Adds the events, of no more than four counters, lets a loop run, and reads them. */
static bool count(struct upc_catalogue *catalogue, const char *const *name, unsigned n, uint64_t *value)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *unit;
	uint32_t code[4];
	bool good = true;
	unsigned i;

	options.domain = UPC_DOMAIN_USER;
	if (upc_unit_create(catalogue, &options, &unit)) {
		note("%s", upc_last_message());
		return false;
	}
	for (i = 0; i < n && good; i++)
		good = !upc_catalogue_find(catalogue, name[i], &code[i]) && !upc_unit_add(unit, code[i]);
	if (good && !upc_unit_start(unit)) {
		loop(N);
		good = !upc_unit_stop(unit) && !upc_unit_read_events(unit, code, n, value);
	} else {
		good = false;
	}
	if (!good)
		note("%s", upc_last_message());
	upc_unit_destroy(unit);
	return good;
}

static bool near_loop(uint64_t value, uint64_t times)
{
	return value >= times * PER_ROUND * N && value <= times * (PER_ROUND * N + AROUND);
}

static void own_wiring(struct upc_catalogue *catalogue, const char *file, unsigned emulated)
{
	static const char *const basic[] = {"TOT_INS", "TOT_CYC"};
	static const char *const sum[] = {"PU0_DATA_LOADS", "PU0_DATA_STORES", "LST_INS"};
	static const char *const branch[] = {"PU0_IPIPE_BRANCHES", "BR_INS"};
	char name[NAMES_MAX][64];
	unsigned n = names_of(file, "drive", name), i;
	uint64_t value[4];

	for (i = 0; i < n; i++) {
		const char *one[] = {name[i]};

		ok(driven(catalogue, name[i]) && count(catalogue, one, 1, value), "%s is there and counts",
		   name[i]);
	}
	if (ok(count(catalogue, basic, 2, value), "TOT_INS and TOT_CYC together")) {
		ok(near_loop(value[0], 1), "... instructions: %" PRIu64, value[0]);
		ok(value[1] > 0, "... cycles: %" PRIu64, value[1]);
		/* Both go on for a moment when the first stops. */
		if (emulated)
			ok(near_loop(value[1], emulated), "... %u an instruction", emulated);
	}
	if (ok(count(catalogue, sum, 3, value), "loads, stores, and what is derived of them"))
		ok(value[2] == value[0] + value[1], "... add up: %" PRIu64 " and %" PRIu64, value[0],
		   value[1]);
	if (ok(count(catalogue, branch, 2, value), "branches, and what is derived of them"))
		ok(value[0] == value[1], "... the same: %" PRIu64, value[0]);
}

/* An emulated PMU counts instructions and cycles, and the rest reads 0: names of
 * Blue Gene/P driven by these two show that what is read is what they count. */
static void exchanged(struct upc_catalogue *catalogue)
{
	static const char *const sum[] = {"PU0_DATA_LOADS", "PU0_DATA_STORES", "LST_INS"};
	static const char *const branch[] = {"PU0_IPIPE_BRANCHES"};
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	char file[] = "/tmp/pmu_wiring_XXXXXX";
	struct upc_catalogue *other;
	uint64_t value[4];
	uint32_t code;
	FILE *out;
	int fd;

	if (!ok(!upc_catalogue_find(catalogue, "TOT_INS", &code) &&
			!upc_catalogue_info(catalogue, code, &info) && info.driver,
		"the source of TOT_INS: %s", info.driver ? info.driver : "none"))
		return;
	fd = mkstemp(file);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!ok(out != NULL, "a wiring with it"))
		return;
	fprintf(out,
		"upc-wiring 1\n"
		"drive PU0_DATA_LOADS = %s differs \"instructions\"\n"
		"drive PU0_DATA_STORES = %s * 3 differs \"instructions, each as three\"\n"
		"drive PU0_IPIPE_BRANCHES = %s / 2 differs \"pairs of instructions\"\n",
		info.driver, info.driver, info.driver);
	fclose(out);
	other = open_with(file);
	unlink(file);
	if (!ok(other != NULL, "... is taken")) {
		note("%s", upc_last_message());
		return;
	}
	if (ok(count(other, sum, 3, value), "... and counts")) {
		ok(near_loop(value[0], 1), "as they are: %" PRIu64, value[0]);
		ok(value[1] % 3 == 0 && near_loop(value[1], 3), "times three: %" PRIu64, value[1]);
		ok(value[2] == value[0] + value[1], "the sum of both: %" PRIu64, value[2]);
	}
	if (ok(count(other, branch, 1, value), "... another name too"))
		ok(near_loop(2 * value[0], 1), "by two: %" PRIu64, value[0]);
	upc_catalogue_close(other);
}

int main(void)
{
	struct upc_catalogue *catalogue = NULL;
	unsigned i;

	need_pmu();
	unsetenv("UPC_WIRING");
	find_files();
	every_wiring();
	for (i = 0; i < files && !(catalogue = open_with(path[i])); i++)
		;
	if (catalogue) {
		note("this machine's: %s", path[i]);
		own_wiring(catalogue, path[i], cycles_each());
		exchanged(catalogue);
		upc_catalogue_close(catalogue);
	} else {
		skip("none of the wirings is of this machine's PMU");
	}
	return done();
}
