/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_check.c - checks that PAPI can count events, before a program runs that counts them.
 *
 * The check runs in a child process, whose open files, changes and output vanish with it. The child loads the
 * program's libpapi, because another version may have other events.
 *
 * Terms: lib/common.h.
 */
#include "lib/papi_check.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/program.h"
#include "mpx.h"

#define NAME_SHOWN 200

/* ---- the program's own PAPI ---------------------------------------------------------------------- */

/* Run a dynamic linker with --list, which lists the libraries without running the program. Return its output,
 * or NULL. */
static FILE *papi_list(const char *linker, const char *file, pid_t *pid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	*pid = fork();
	if (*pid == 0) {
		int none = open("/dev/null", O_RDWR);

		dup2(none, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(none, STDERR_FILENO);
		execl(linker, linker, "--list", file, (char *)NULL);
		_exit(UTIL_NOT_FOUND);
	}
	close(ends[1]);
	if (*pid > 0)
		return fdopen(ends[0], "r");
	close(ends[0]);
	return NULL;
}

/* Write the path of the libpapi that the program is linked with, or "" if the program is not linked with it.
 */
static void papi_of(const char *program, char path[PATH_MAX])
{
	char file[PATH_MAX], linker[PATH_MAX], line[2 * PATH_MAX];
	FILE *list = NULL;
	pid_t pid = -1;

	path[0] = '\0';
	if (util_program_find(program, file) == 0 && util_program_linker(file, linker))
		list = papi_list(linker, file, &pid);
	while (list != NULL && fgets(line, sizeof(line), list) != NULL) {
		char *arrow = strstr(line, " => "), *end = strrchr(line, '(');

		if (strstr(line, "libpapi.so") == NULL || arrow == NULL || end == NULL || end < arrow + 5)
			continue;
		end[-1] = '\0';
		snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, arrow + 4);
	}
	if (list != NULL)
		fclose(list);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* ---- in the child -------------------------------------------------------------------------------- */

struct papi_calls {
	__typeof__(mpx_library_init) *init;
	__typeof__(mpx_last_message) *message;
	__typeof__(mpx_set_create) *create;
	__typeof__(mpx_set_add_named_event) *add;
	__typeof__(mpx_set_start) *start;
};

static bool papi_open(struct papi_calls *calls)
{
	const char *path = getenv("UPC_REGIONS_MPX");
	void *library = dlopen(path != NULL && path[0] != '\0' ? path : MPX_LIBRARY_PATH, RTLD_NOW);

	if (library == NULL)
		library = dlopen("libmpx.so.0", RTLD_NOW);
	if (library == NULL)
		return false;
	*(void **)&calls->init = dlsym(library, "mpx_library_init");
	*(void **)&calls->message = dlsym(library, "mpx_last_message");
	*(void **)&calls->create = dlsym(library, "mpx_set_create");
	*(void **)&calls->add = dlsym(library, "mpx_set_add_named_event");
	*(void **)&calls->start = dlsym(library, "mpx_set_start");
	return calls->init != NULL && calls->message != NULL && calls->create != NULL && calls->add != NULL &&
	       calls->start != NULL;
}

/* Send the failing event ("" for all) and the reason to the parent, and exit. */
static void papi_tell(int answer, const char *event, const char *why)
{
	dprintf(answer, "%.*s\n%s", NAME_SHOWN, event, why);
	_exit(UTIL_FAILED);
}

static void papi_add_all(const struct papi_calls *mpx, const char *events, int answer)
{
	int set = PAPI_NULL;
	char *list = strdup(events), *rest = list, *event;

	if (mpx->create(&set) != PAPI_OK)
		papi_tell(answer, "", mpx->message());
	while ((event = strsep(&rest, ",")) != NULL)
		if (event[0] != '\0' && mpx->add(set, event) != PAPI_OK)
			papi_tell(answer, event, mpx->message());
	if (mpx->start(set) != PAPI_OK)
		papi_tell(answer, "", mpx->message());
}

/* Open, add and start the events, send the result to the parent, and exit. Does not return. */
static void papi_try(const struct util_papi_events *wanted, const char *libpapi, int answer)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	struct papi_calls mpx;
	int none = open("/dev/null", O_RDWR);

	dup2(none, STDOUT_FILENO);
	dup2(none, STDERR_FILENO);
	if (libpapi[0] != '\0')
		(void)dlopen(libpapi, RTLD_NOW | RTLD_GLOBAL);
	if (!papi_open(&mpx))
		papi_tell(answer, "", "libmpx cannot be opened: LD_LIBRARY_PATH says where it is");
	options.covariate = wanted->covariate;
	if (mpx.init(MPX_ABI_VERSION, &options) != PAPI_OK)
		papi_tell(answer, wanted->covariate != NULL ? wanted->covariate : "", mpx.message());
	if (wanted->events != NULL)
		papi_add_all(&mpx, wanted->events, answer);
	_exit(0);
}

/* ---- in the tool --------------------------------------------------------------------------------- */

/* True for names of perf or PAPI in the catalogue, which explains why such an event is not countable here. */
static bool papi_is_spelled(const char *name)
{
	static const char *const spelled[] = {
#define SPELLING(NAME, ...) NAME,
#include "catalogue/spellings.def"
	};

	for (size_t i = 0; i < sizeof(spelled) / sizeof(spelled[0]); i++)
		if (strcmp(spelled[i], name) == 0)
			return true;
	return false;
}

/* Print the catalogue's reason why an event of the unit is refused, since PAPI has no error text for the
 * refusal. Return false if the catalogue has no reason. */
static bool papi_say_of_unit(const char *event)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	size_t prefix = util_papi_prefix(event);
	const bool spelled = papi_is_spelled(event + prefix), known = prefix > 0 || spelled;
	struct upc_catalogue *catalogue = known ? util_catalogue_open(NULL) : NULL;
	uint32_t code;
	bool said = true;
	int error;

	if (catalogue == NULL)
		return false;
	error = upc_catalogue_find(catalogue, event + prefix, &code);
	/* For unknown names, PAPI's own message has the nearest names. */
	if (error == UPC_ENOEVENT && !spelled)
		said = false;
	else if (error != 0)
		util_error("%s", upc_last_message());
	else if (upc_catalogue_info(catalogue, code, &info) == 0 && info.source == UPC_SOURCE_NONE)
		util_error("%s: nothing drives it here: %s", info.name, info.why != NULL ? info.why : "");
	else
		said = false;
	upc_catalogue_close(catalogue);
	return said;
}

static size_t papi_read_all(int fd, char *text, size_t size)
{
	size_t n = 0;
	ssize_t got;

	while (n + 1 < size && ((got = read(fd, text + n, size - 1 - n)) > 0 || (got < 0 && errno == EINTR)))
		n += got > 0 ? (size_t)got : 0;
	text[n] = '\0';
	return n;
}

int util_papi_check(const struct util_papi_events *wanted)
{
	char libpapi[PATH_MAX], text[2000], *why;
	int ends[2];
	pid_t pid;

	papi_of(wanted->program, libpapi);
	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		util_error("cannot start a process that asks PAPI: %s", strerror(errno));
		return UTIL_FAILED;
	}
	if (pid == 0)
		papi_try(wanted, libpapi, ends[1]);
	close(ends[1]);
	papi_read_all(ends[0], text, sizeof(text));
	close(ends[0]);
	waitpid(pid, NULL, 0);
	why = strchr(text, '\n');
	if (why == NULL)
		return 0;
	*why++ = '\0';
	if (text[0] != '\0' && papi_say_of_unit(text))
		return UTIL_FAILED;
	if (text[0] != '\0' && strstr(why, text) == NULL)
		util_error("%s: %s", text, why);
	else
		util_error("%s", why);
	return UTIL_FAILED;
}
