/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_sysfs.c - events from /sys. Each file has one number, so directories are searched and files only
 * opened. Sensors are not read here, since some take long to answer.
 * Terms: base/event.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalogue/cat_files.h"
#include "procfs/files.h"
#include "procfs/roots.h"

struct search {
	struct upc_catalogue *c;
	int error;
	unsigned denied; /* number of files that only root may read */
};

/* A file in one kind of directory; key is the file's name. */
#define FILE_COUNT(file, unit, what) UPCI_KEY(COUNT, file, unit, 0, what)
#define FILE_LEVEL(file, unit, mul, what) UPCI_KEY(LEVEL, file, unit, mul, what)

static void add_value(struct search *search, const char *subsystem, enum upc_scope scope, const char *path,
		      const char *name, const char *of, const struct upci_words *words)
{
	struct upci_cat_file file = {
		.c = search->c,
		.root = UPCI_ROOT_SYS,
		.subsystem = subsystem,
		.scope = scope,
	};
	struct upci_draft draft = upci_draft_of(words);
	int fd;

	if (search->error)
		return;
	fd = upci_root_open(UPCI_ROOT_SYS, 0, 0, path);
	if (fd < 0) {
		search->denied += errno == EACCES || errno == EPERM;
		return;
	}
	close(fd);
	draft.name = name;
	draft.of = of;
	file.path = upci_catalogue_printf(search->c, "%s", path);
	search->error = file.path ? upci_cat_put(&file, &draft, NULL, NULL) : UPC_ENOMEM;
}

/* Copy the first line of a file, or the other text if there is none. */
static void first_line(const char *path, const char *other, char *out, size_t size)
{
	char *text = upci_file_slurp(UPCI_ROOT_SYS, path, NULL);
	const char *line = text && *text && *text != '\n' ? text : other;

	snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
	free(text);
}

static void free_dirent_list(struct dirent **list, int n)
{
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

/* Call visit for each name in a directory that begins with prefix. */
static void for_names(struct search *search, const char *path, const char *prefix,
		      void (*visit)(struct search *search, const char *path, const char *name))
{
	struct dirent **list;
	int n = upci_root_list(UPCI_ROOT_SYS, path, prefix, &list);

	for (int i = 0; i < n && !search->error; i++)
		visit(search, path, list[i]->d_name);
	free_dirent_list(list, n);
}

/* ---- CPUs: frequency and idle states ------------------------------------ */

static const struct upci_words idle_time = FILE_COUNT("time", "us", "Time asleep in idle state");
static const struct upci_words idle_usage =
	FILE_COUNT("usage", "entries", "Times that it went to sleep in idle state");
static const struct upci_words frequency = FILE_LEVEL(
	"scaling_cur_freq", "Hz", 1000, "Clock frequency as the kernel last set or measured it, of");

static void add_idle_state(struct search *search, const char *path, const char *state)
{
	char file[768], label[32], cpu[32] = "", name[160], of[96];

	sscanf(path, "devices/system/cpu/%31[^/]", cpu);
	snprintf(file, sizeof(file), "%s/%s/name", path, state);
	first_line(file, state, label, sizeof(label));
	snprintf(of, sizeof(of), "%s, of %s", label, cpu);
	snprintf(file, sizeof(file), "%s/%s/time", path, state);
	snprintf(name, sizeof(name), "cpu::%s:idle_%s_us", cpu, label);
	add_value(search, "power", UPC_SCOPE_CPU, file, name, of, &idle_time);
	snprintf(file, sizeof(file), "%s/%s/usage", path, state);
	snprintf(name, sizeof(name), "cpu::%s:idle_%s_entries", cpu, label);
	add_value(search, "power", UPC_SCOPE_CPU, file, name, of, &idle_usage);
}

static void add_cpu(struct search *search, const char *path, const char *cpu)
{
	char file[384], name[320];

	if (!isdigit((unsigned char)cpu[3]) || strlen(cpu) > 16)
		return;
	snprintf(file, sizeof(file), "%s/%s/cpufreq/scaling_cur_freq", path, cpu);
	snprintf(name, sizeof(name), "cpu::%s:frequency", cpu);
	add_value(search, "power", UPC_SCOPE_CPU, file, name, cpu, &frequency);
	snprintf(file, sizeof(file), "%s/%s/cpuidle", path, cpu);
	for_names(search, file, "state", add_idle_state);
}

/* ---- directories with files of known names ------------------------------ */

struct directory {
	const char *path, *prefix; /* directories that match */
	const char *event;         /* prefix of the event's name */
	const char *label;         /* file with a human-readable name, or NULL */
	const char *subsystem;
	unsigned n;
	struct upci_words words[6];
};

static const struct directory directories[] = {
	{"class/thermal",
	 "thermal_zone",
	 "thermal",
	 "type",
	 "thermal",
	 1,
	 {
		 FILE_LEVEL("temp", "millidegrees Celsius", 1, "Temperature of the thermal zone"),
	 }},
	{"devices/system/edac/mc",
	 "mc",
	 "edac",
	 "mc_name",
	 "mem",
	 4,
	 {
		 FILE_COUNT("ce_count", "errors", "Memory errors corrected by"),
		 FILE_COUNT("ue_count", "errors", "Memory errors that could not be corrected, at"),
		 FILE_COUNT("ce_noinfo_count", "errors", "Corrected memory errors of unknown place, at"),
		 FILE_COUNT("ue_noinfo_count", "errors", "Uncorrected memory errors of unknown place, at"),
	 }},
	/* Only values that /proc/net/dev adds into other columns, or does not have. */
	{"class/net",
	 "",
	 "net",
	 NULL,
	 "net",
	 3,
	 {
		 FILE_COUNT("statistics/rx_missed_errors", "packets",
			    "Packets that the device had to drop because the host was too slow, on"),
		 FILE_COUNT("statistics/rx_nohandler", "packets",
			    "Packets dropped because nothing takes them on an inactive link, on"),
		 FILE_COUNT("carrier_changes", "changes", "Times that the link went up or down, of"),
	 }},
};

static void add_directory_entry(struct search *search, const struct directory *directory, const char *entry)
{
	char file[512], label[64], of[352], name[384];

	snprintf(of, sizeof(of), "%s", entry);
	if (directory->label) {
		snprintf(file, sizeof(file), "%s/%s/%s", directory->path, entry, directory->label);
		first_line(file, "unnamed", label, sizeof(label));
		snprintf(of, sizeof(of), "%s (%s)", entry, label);
	}
	for (unsigned i = 0; i < directory->n; i++) {
		const struct upci_words *words = &directory->words[i];
		const char *last = strrchr(words->key, '/');

		snprintf(file, sizeof(file), "%s/%s/%s", directory->path, entry, words->key);
		snprintf(name, sizeof(name), "%s::%s:%s", directory->event, entry,
			 last ? last + 1 : words->key);
		add_value(search, directory->subsystem, UPC_SCOPE_MACHINE, file, name, of, words);
	}
}

static void add_directories(struct search *search, const struct directory *directory)
{
	struct dirent **list;
	int n = upci_root_list(UPCI_ROOT_SYS, directory->path, directory->prefix, &list);

	for (int i = 0; i < n && !search->error; i++)
		add_directory_entry(search, directory, list[i]->d_name);
	free_dirent_list(list, n);
}

/* ---- sensors ------------------------------------------------------------ */

/* Files NAMEi_input of a hwmon device. The event is hwmon::CHIP:NAMEi. */
struct sensor {
	const char *prefix, *suffix, *subsystem;
	struct upci_words words;
};

static const struct sensor sensors[] = {
	{"temp", "_input", "thermal", FILE_LEVEL("", "millidegrees Celsius", 1, "Temperature at")},
	{"fan", "_input", "thermal", FILE_LEVEL("", "turns per minute", 1, "Speed of")},
	{"in", "_input", "power", FILE_LEVEL("", "mV", 1, "Voltage at")},
	{"curr", "_input", "power", FILE_LEVEL("", "mA", 1, "Current at")},
	{"power", "_input", "power", FILE_LEVEL("", "uW", 1, "Power drawn at")},
	{"power", "_average", "power", FILE_LEVEL("", "uW", 1, "Power drawn on average at")},
	{"energy", "_input", "power", FILE_COUNT("", "uJ", "Energy used at")},
};

static const struct sensor *which_sensor(const char *name)
{
	for (unsigned i = 0; i < sizeof(sensors) / sizeof(*sensors); i++) {
		const struct sensor *sensor = &sensors[i];
		size_t n = strlen(sensor->prefix), digits;

		if (strncmp(name, sensor->prefix, n))
			continue;
		digits = strspn(name + n, "0123456789");
		if (digits && !strcmp(name + n + digits, sensor->suffix))
			return sensor;
	}
	return NULL;
}

static void add_sensor(struct search *search, const char *path, const char *entry)
{
	const struct sensor *sensor = which_sensor(entry);
	char file[768], chip[64], label[64], of[192], name[192];
	int stem;

	if (!sensor || strlen(entry) > 64)
		return;
	stem = (int)(strrchr(entry, '_') - entry);
	snprintf(file, sizeof(file), "%s/name", path);
	first_line(file, strrchr(path, '/') + 1, chip, sizeof(chip));
	snprintf(file, sizeof(file), "%s/%.*s_label", path, stem, entry);
	first_line(file, "", label, sizeof(label));
	snprintf(of, sizeof(of), "sensor %.*s%s%s of %s", stem, entry, label[0] ? " " : "", label, chip);
	snprintf(file, sizeof(file), "%s/%s", path, entry);
	snprintf(name, sizeof(name), "hwmon::%s:%.*s%s", chip, stem, entry,
		 !strcmp(sensor->suffix, "_average") ? "_average" : "");
	add_value(search, sensor->subsystem, UPC_SCOPE_MACHINE, file, name, of, &sensor->words);
}

/* Add the sensors of all chips. If two chips have the same name, the events of the second end in ".2". Chips
 * are sorted by the devices that their links lead to. Their numbers follow the order in which their drivers
 * were loaded. */
static void add_chips(struct search *search)
{
	struct dirent **list;
	int n = upci_root_list_by_link(UPCI_ROOT_SYS, "class/hwmon", "hwmon", &list);
	char directory[384];

	for (int i = 0; i < n && !search->error; i++) {
		snprintf(directory, sizeof(directory), "class/hwmon/%s", list[i]->d_name);
		for_names(search, directory, "", add_sensor);
	}
	free_dirent_list(list, n);
}

/* ---- memory nodes, merging of pages ------------------------------------- */

static const struct upci_words numa_words[] = {
	FILE_COUNT("numa_hit", "pages", "Pages allocated here as wished, on"),
	FILE_COUNT("numa_miss", "pages", "Pages allocated here though another node was wished, on"),
	FILE_COUNT("numa_foreign", "pages", "Pages wished here but allocated on another node, of"),
	FILE_COUNT("interleave_hit", "pages", "Pages of an interleaved allocation placed as wished, on"),
	FILE_COUNT("local_node", "pages", "Pages allocated here by a task that ran here, on"),
	FILE_COUNT("other_node", "pages", "Pages allocated here by a task that ran elsewhere, on"),
};

static void add_numa_node(struct search *search, const char *path, const char *node)
{
	struct upci_cat_file file = {
		.c = search->c,
		.root = UPCI_ROOT_SYS,
		.subsystem = "numa",
		.scope = UPC_SCOPE_MACHINE,
	};
	char prefix[288], *text;
	size_t length;

	if (!isdigit((unsigned char)node[4]))
		return;
	file.path = upci_catalogue_printf(search->c, "%s/%s/numastat", path, node);
	if (!file.path) {
		search->error = UPC_ENOMEM;
		return;
	}
	text = upci_file_slurp(UPCI_ROOT_SYS, file.path, &length);
	if (!text)
		return;
	snprintf(prefix, sizeof(prefix), "numa::%s:", node);
	search->error = upci_cat_known_keys(&file, UPCI_TABLE_OF(numa_words), prefix, node, text, length);
	free(text);
}

static const struct upci_words ksm_words[] = {
	FILE_LEVEL("pages_shared", "pages", 1, "Pages that stand for several equal ones (KSM)"),
	FILE_LEVEL("pages_sharing", "pages", 1, "Pages saved by merging equal ones (KSM)"),
	FILE_LEVEL("pages_unshared", "pages", 1, "Pages looked at that have no equal (KSM)"),
	FILE_LEVEL("pages_volatile", "pages", 1, "Pages that change too fast to be merged (KSM)"),
	FILE_COUNT("full_scans", "scans", "Times that all mergeable memory has been looked through (KSM)"),
};

static void add_ksm(struct search *search)
{
	char file[64], name[64];

	for (unsigned i = 0; i < sizeof(ksm_words) / sizeof(*ksm_words); i++) {
		snprintf(file, sizeof(file), "kernel/mm/ksm/%s", ksm_words[i].key);
		snprintf(name, sizeof(name), "ksm::%s", ksm_words[i].key);
		add_value(search, "vm", UPC_SCOPE_MACHINE, file, name, NULL, &ksm_words[i]);
	}
}

int upci_catalogue_add_sysfs(struct upc_catalogue *c)
{
	struct search search = {.c = c};

	for_names(&search, "devices/system/cpu", "cpu", add_cpu);
	for_names(&search, "devices/system/node", "node", add_numa_node);
	add_chips(&search);
	for (unsigned i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		add_directories(&search, &directories[i]);
	add_ksm(&search);
	if (!search.error && search.denied) {
		const char *sentence = upci_catalogue_printf(
			c, "sys: %u sensors of /sys are for root only; run as root, or chmod a+r them",
			search.denied);

		search.error = sentence ? upci_catalogue_add_missing(c, sentence) : UPC_ENOMEM;
	}
	return search.error < 0 ? search.error : 0;
}
