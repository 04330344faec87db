/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_library.c - finds libupc at run time and checks its ABI version. A failure becomes one line
 * for disabled_reason: the cause, then the remedy.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "upc_library.h"

#define SONAME "libupc.so.0"

/* NULL if libupc is not linked into the program. */
#define WEAK(function) extern __typeof__(function) function __attribute__((weak));
MPXI_LIBUPC_CALLS(WEAK)

static struct mpxi_libupc library;
static int found;
static int lacked; /* errno of the current search, or 0 */

/*
 * Write "cause. remedy" into reason. If the two do not fit, the cause is truncated, because the remedy
 * helps the user more.
 */
static void explain_reason(char *reason, size_t size, const char *cause, const char *remedy)
{
	int room = (int)size - snprintf(NULL, 0, ". %s", remedy) - 1;

	snprintf(reason, size, "%.*s. %s", room > 0 ? room : 0, cause, remedy);
}

static int check_abi(const struct mpxi_libupc *candidate, const char *origin, char *reason, size_t size)
{
	char cause[512];
	int abi = candidate->upc_abi_version();

	if (abi == UPC_ABI_VERSION)
		return 0;
	snprintf(cause, sizeof(cause), "%s has ABI version %d, and this PAPI was built for %d", origin, abi,
		 UPC_ABI_VERSION);
	explain_reason(reason, size, cause, "Install PAPI and libupc from the same release.");
	return -1;
}

/*
 * Use a libupc that is linked into the program. Return 1: usable; 0: not linked in; -1: not usable,
 * with the reason.
 */
static int use_linked(char *reason, size_t size)
{
	struct mpxi_libupc candidate;

	if (!upc_abi_version)
		return 0;
#define COPY(function) candidate.function = function;
	MPXI_LIBUPC_CALLS(COPY)
#undef COPY
	if (check_abi(&candidate, "The libupc linked into this program", reason, size))
		return -1;
#define CHECK(function)                                                                                    \
	if (!candidate.function) {                                                                         \
		explain_reason(reason, size, "Only a part of libupc.a is linked in: " #function " is not", \
			       "Link with -Wl,--whole-archive -lupc -Wl,--no-whole-archive.");             \
		return -1;                                                                                 \
	}
	MPXI_LIBUPC_CALLS(CHECK)
#undef CHECK
	library = candidate;
	return 1;
}

/* Look up every function in an open library. Return 0, or -1 with the reason. */
static int use_handle(void *handle, const char *path, char *reason, size_t size)
{
	struct mpxi_libupc candidate;
	char cause[512];

#define LOOKUP(function)                                                                               \
	candidate.function = (__typeof__(candidate.function))dlsym(handle, #function);                 \
	if (!candidate.function) {                                                                     \
		snprintf(cause, sizeof(cause), "%s has no " #function, path);                          \
		explain_reason(reason, size, cause, "Install PAPI and libupc from the same release."); \
		return -1;                                                                             \
	}
	/* Check the version first, because another release may lack other functions. */
	LOOKUP(upc_abi_version)
	if (check_abi(&candidate, path, reason, size))
		return -1;
	MPXI_LIBUPC_CALLS(LOOKUP)
#undef LOOKUP
	library = candidate;
	return 0;
}

/*
 * Return the errno of the resource that is exhausted now (ENOMEM, EMFILE, ENFILE), or 0. The loader
 * reports its errors only as text.
 */
static int find_lack(int error)
{
	int fd;

	if (error == ENOMEM)
		return ENOMEM;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? errno : 0;
	close(fd);
	return 0;
}

/*
 * Load libupc from a file. Return 1: usable; 0: cannot be loaded; -1: loaded but not usable. The
 * last two set the reason. A usable library is never closed, because in programs that call libupc
 * themselves its units outlive PAPI_shutdown.
 */
static int use_file(const char *path, const char *remedy, char *reason, size_t size)
{
	void *handle;

	errno = 0;
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const int error = errno;
		const char *cause = dlerror();

		if (!lacked)
			lacked = find_lack(error);
		explain_reason(reason, size, cause ? cause : path, remedy);
		return 0;
	}
	if (use_handle(handle, path, reason, size)) {
		dlclose(handle);
		return -1;
	}
	return 1;
}

static int search_library(char *reason, size_t size)
{
	const char *path = secure_getenv("UPC_LIBRARY");
	void *loaded;
	int result;

	result = use_linked(reason, size);
	if (result)
		return result;

	/* A second copy of libupc would have separate units that tools cannot see. */
	loaded = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	if (loaded)
		return use_handle(loaded, "The " SONAME " loaded by this program", reason, size) ? -1 : 1;

	if (path && *path)
		return use_file(path, "UPC_LIBRARY must be the path of " SONAME "; or unset it.", reason,
				size);
#ifdef UPC_LIBDIR
	result = use_file(SONAME, "", reason, size);
	if (result)
		return result;
	return use_file(UPC_LIBDIR "/" SONAME,
			"Install libupc there, or set UPC_LIBRARY to the path of " SONAME ".", reason, size);
#else
	return use_file(SONAME, "Install libupc, or set UPC_LIBRARY to the path of " SONAME ".", reason,
			size);
#endif
}

const struct mpxi_libupc *upcp_library_find(char *reason, size_t size, int *lack)
{
	lacked = 0;
	if (!found && search_library(reason, size) == 1)
		found = 1;
	*lack = lacked;
	return found ? &library : NULL;
}
