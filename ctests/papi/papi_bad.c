/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_bad - bad input: unknown names, and libraries that are missing, of another
 * version, or no libupc at all. PAPI goes on; the component says why it does not.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "papi_util.h"

static void unknown_names(void)
{
	static const char *const names[] = {
		"upc:::",
		"upc:::NO_SUCH_EVENT",
		"upc:::perf::PAGE-FAULT",
		"upc:::tp::nothing:at_all",
		"upc:::perf::PAGE-FAULTS:mode=sideways",
		"upc:::perf::PAGE-FAULTS:",
		"upc::::",
		"upc:::%s%n%s",
		"upc:::perf::PAGE-FAULTS perf::PAGE-FAULTS",
	};
	char long_name[4000] = "upc:::";
	int set = set_with(FAULTS);
	size_t i;
	int code;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int error = PAPI_add_named_event(set, names[i]);

		ok(error == PAPI_ENOEVNT || error == PAPI_ENOSUPP, "\"%s\" is refused: %s", names[i],
		   PAPI_strerror(error));
	}
	memset(long_name + 6, 'x', sizeof(long_name) - 7);
	ok(PAPI_event_name_to_code(long_name, &code) != PAPI_OK, "so is a name of 4000 letters");
	ok(PAPI_event_name_to_code("NO_SUCH_EVENT_OF_ANYBODY", &code) != PAPI_OK,
	   "and one without a component");
	ok(still_counts(set, 1), "the set is as it was");
	drop(&set);
}

static int hears; /* also what the child says on standard error */

/* The component's state in a new PAPI of a child with the environment changed:
 * its disabled_reason, "" where it is active. */
static int reason_with(const char *library, const char *path, char *reason, size_t size)
{
	int ends[2];
	size_t used = 0;
	ssize_t length;
	int status;
	pid_t child;

	if (pipe(ends))
		return -1;
	child = fork();
	if (child == 0) {
		const PAPI_component_info_t *info;
		int component;

		if (library)
			setenv("UPC_LIBRARY", library, 1);
		else
			unsetenv("UPC_LIBRARY");
		if (path)
			setenv("LD_LIBRARY_PATH", path, 1);
		dup2(hears ? ends[1] : open("/dev/null", O_WRONLY), STDERR_FILENO);
		if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
			_exit(1);
		component = find_component();
		if (component < 0)
			_exit(2);
		info = use_component(component);
		if (info->disabled &&
		    write(ends[1], info->disabled_reason, strlen(info->disabled_reason)) < 0)
			_exit(3);
		PAPI_shutdown();
		_exit(info->disabled ? 4 : 0);
	}
	close(ends[1]);
	while (used < size - 1 && (length = read(ends[0], reason + used, size - 1 - used)) > 0)
		used += (size_t)length;
	close(ends[0]);
	reason[used] = '\0';
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether libupc is linked into this program: then none is looked for. */
extern int upc_abi_version(void) __attribute__((weak));

static int compile(const char *directory, const char *name, const char *source)
{
	char path[PATH_MAX], command[3 * PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.c", directory, name);
	file = fopen(path, "w");
	if (!file)
		return -1;
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof(command), "${CC:-cc} -shared -fPIC -o '%s/%s.so' '%s'", directory, name,
		 path);
	return system(command) ? -1 : 0;
}

static void libraries(void)
{
	char directory[] = "papi_bad.XXXXXX";
	char here[PATH_MAX / 2], path[PATH_MAX], reason[2048], command[PATH_MAX + 16];
	int status;

	if (upc_abi_version) {
		skip("libupc is linked into this program");
		return;
	}
	if (!mkdtemp(directory) || !getcwd(here, sizeof(here))) {
		skip("no directory can be made here");
		return;
	}

	snprintf(path, sizeof(path), "%s/%s/missing.so", here, directory);
	status = reason_with(path, NULL, reason, sizeof(reason));
	ok(status == 4 && strstr(reason, path) && strstr(reason, "UPC_LIBRARY"),
	   "a library that is missing: %s", reason);

	snprintf(path, sizeof(path), "%s/%s/text.so", here, directory);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	status = reason_with(path, NULL, reason, sizeof(reason));
	ok(status == 4 && strstr(reason, "UPC_LIBRARY"), "a file that is no library: %s", reason);

	if (compile(directory, "other", "int upc_abi_version(void) { return 999; }\n")) {
		skip("no C compiler");
	} else {
		snprintf(path, sizeof(path), "%s/%s/other.so", here, directory);
		status = reason_with(path, NULL, reason, sizeof(reason));
		ok(status == 4 && strstr(reason, "999") && strstr(reason, "same release"),
		   "a library of another version: %s", reason);
	}
	if (compile(directory, "stranger", "int nothing_of_upc(void) { return 1; }\n")) {
		skip("no C compiler");
	} else {
		snprintf(path, sizeof(path), "%s/%s/stranger.so", here, directory);
		status = reason_with(path, NULL, reason, sizeof(reason));
		ok(status == 4 && strstr(reason, "upc_abi_version"), "no libupc at all: %s", reason);
	}
	if (compile(directory, "partial", "int upc_abi_version(void) { return 1; }\n")) {
		skip("no C compiler");
	} else {
		snprintf(path, sizeof(path), "%s/%s/partial.so", here, directory);
		status = reason_with(path, NULL, reason, sizeof(reason));
		ok(status == 4 && strstr(reason, "has no upc_"), "one with functions missing: %s", reason);
	}
	/* Longer than the reason can hold: the remedy is still whole. */
	memset(path, 'p', 2000);
	path[0] = '/';
	path[2000] = '\0';
	status = reason_with(path, NULL, reason, sizeof(reason));
	ok(status == 4 && strlen(reason) < PAPI_HUGE_STR_LEN &&
		   !strcmp(reason + strlen(reason) - 12, "or unset it."),
	   "a path that is too long for the reason: ...%s",
	   strlen(reason) > 60 ? reason + strlen(reason) - 60 : reason);

	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	if (system(command))
		note("%s is left", directory);
}

static void wiring(void)
{
	char path[] = "papi_bad_wiring.XXXXXX";
	char reason[2048];
	int fd = mkstemp(path);
	int status;

	if (fd < 0 || write(fd, "this is no wiring\n", 18) != 18) {
		skip("no file can be made here");
		return;
	}
	close(fd);
	setenv("UPC_WIRING", path, 1);
	status = reason_with(getenv("UPC_LIBRARY"), NULL, reason, sizeof(reason));
	ok(status == 4 && strstr(reason, path) && strstr(reason, "UPC_WIRING"), "a wrong wiring file: %s",
	   reason);
	ok(!strstr(reason, "PAPI upc: "), "the reason is PAPI's");
	hears = 1;
	reason_with(getenv("UPC_LIBRARY"), NULL, reason, sizeof(reason));
	ok(strstr(reason, "PAPI upc: ") && strstr(reason, path), "and is said on standard error");
	setenv("UPC_QUIET", "1", 1);
	reason_with(getenv("UPC_LIBRARY"), NULL, reason, sizeof(reason));
	ok(!strstr(reason, "PAPI upc: "), "but where nothing is to be said");
	unsetenv("UPC_QUIET");
	hears = 0;
	unsetenv("UPC_WIRING");
	unlink(path);
}

int main(void)
{
	/* First, while no libupc is loaded here: children inherit a loaded one. */
	libraries();
	wiring();
	start_papi();
	unknown_names();
	PAPI_shutdown();
	return done();
}
