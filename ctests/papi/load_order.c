/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load_order.c - our libraries are opened at run time in every order, also beside libgomp,
 * which takes of the same store of thread-local storage, each order in a process of its own.
 */
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"

#define LIBRARIES 4

static struct library {
	const char *name, *variable, *below; /* its file: what the variable says, and below that */
	size_t tls_max;                      /* 0: not ours */
	char path[PATH_MAX];
} all[LIBRARIES] = {
	/* More than half of what PAPI's may have is PAPI's own. */
	{.name = "libpapi", .variable = "PAPI_PREFIX", .below = "lib/libpapi.so", .tls_max = 256},
	{.name = "libupc", .variable = "builddir", .below = "src/upc/.libs/libupc.so", .tls_max = 64},
	{.name = "libmpx", .variable = "builddir", .below = "src/mpx/.libs/libmpx.so", .tls_max = 128},
	{.name = "libgomp", .path = "libgomp.so.1"},
};
static struct library *here[LIBRARIES];
static unsigned present;

/* ---- in the process ----------------------------------------------------------------- */

struct storage {
	const char *path;
	size_t bytes;
	int is_static;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct storage *s = arg;
	char path[PATH_MAX];
	size_t i;

	(void)size;
	if (!realpath(info->dlpi_name, path) || strcmp(path, s->path))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const ElfW(Dyn) * d;

		if (p->p_type == PT_TLS)
			s->bytes = p->p_memsz;
		for (d = (const void *)(info->dlpi_addr + p->p_vaddr); p->p_type == PT_DYNAMIC && d->d_tag;
		     d++)
			s->is_static |= d->d_tag == DT_FLAGS && d->d_un.d_val & DF_STATIC_TLS;
	}
	return 1;
}

/* In the process: exits 0 when each has been opened, and our words can be read. */
static int open_all(char *paths[])
{
	const char *(*words)(void);
	void *opened;

	for (; *paths; paths++) {
		opened = dlopen(*paths, RTLD_NOW | RTLD_GLOBAL);
		if (!opened) {
			fprintf(stderr, "# %s\n", dlerror());
			return 1;
		}
	}
	*(void **)&words = dlsym(RTLD_DEFAULT, "upc_last_message");
	return words && strcmp(words(), "") ? 1 : 0;
}

/* ---- outside ------------------------------------------------------------------------ */

static int run(unsigned n, struct library *const order[])
{
	char *arguments[LIBRARIES + 2] = {"load_order"};
	int status = -1;
	unsigned i;
	pid_t pid;

	for (i = 0; i < n; i++)
		arguments[1 + i] = order[i]->path;
	pid = fork();
	if (!pid) {
		execv("/proc/self/exe", arguments);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void permute(unsigned done_already)
{
	char names[256] = "";
	unsigned i;

	if (done_already == present) {
		for (i = 0; i < present; i++) {
			strcat(names, i ? ", " : "");
			strcat(names, here[i]->name);
		}
		ok(run(present, here), "%s are opened in this order", names);
		return;
	}
	for (i = done_already; i < present; i++) {
		struct library *chosen = here[i];

		here[i] = here[done_already];
		here[done_already] = chosen;
		permute(done_already + 1);
		here[done_already] = here[i];
		here[i] = chosen;
	}
}

static void find(struct library *library)
{
	const char *directory = library->variable ? getenv(library->variable) : "";
	char path[PATH_MAX];

	if (library->variable) {
		snprintf(path, sizeof(path), "%s/%s", directory ? directory : "", library->below);
		if (!directory || !*directory || !realpath(path, library->path)) {
			skip("%s is not here: the other libraries are opened without it", library->name);
			return;
		}
	} else if (!run(1, &library)) {
		skip("%s is not here: the other libraries are opened without it", library->path);
		return;
	}
	here[present++] = library;
}

/* PAPI's library has the component: it asks for libupc's calls by name. */
static int has_component(const char *path)
{
	FILE *file = fopen(path, "re");
	char text[1 << 16];
	size_t kept = 0, n;
	int found = 0;

	while (file && !found && (n = fread(text + kept, 1, sizeof(text) - kept, file))) {
		n += kept;
		found = memmem(text, n, "upc_abi_version", 15) != NULL;
		kept = n < 14 ? n : 14;
		memmove(text, text + n - kept, kept);
	}
	if (file)
		fclose(file);
	return found;
}

static void check_storage(const struct library *library)
{
	struct storage s = {.path = library->path};

	if (!strcmp(library->name, "libpapi") && !has_component(library->path)) {
		skip("%s has no component upc: what it takes for threads is not ours", library->path);
		return;
	}
	if (!dlopen(library->path, RTLD_NOW) || !dl_iterate_phdr(look, &s)) {
		ok(0, "%s is found among what is loaded: %s", library->name, library->path);
		return;
	}
	ok(s.bytes <= library->tls_max, "%s has %zu bytes of %s storage for each thread, at most %zu",
	   library->name, s.bytes, s.is_static ? "static" : "dynamic", library->tls_max);
}

int main(int argc, char *argv[])
{
	unsigned i;

	if (argc > 1)
		return open_all(argv + 1);
	for (i = 0; i < LIBRARIES; i++)
		find(&all[i]);
	permute(0);
	for (i = 0; i < present; i++)
		if (here[i]->tls_max)
			check_storage(here[i]);
	return done();
}
