/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_library.c - finds libupc at run time and checks that it is the right one.
 * All that can be wrong ends as one line with the remedy, for disabled_reason.
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

/* Null where libupc is not linked into the program. */
#define WEAK(function) extern __typeof__(function) function __attribute__((weak));
MPXI_LIBUPC_CALLS(WEAK)

static struct mpxi_libupc library;
static int found;
static int lacked; /* by the search that is under way */

/*
 * One reason: cause, then remedy. The cause is cut where both do not fit,
 * because it is the remedy that helps.
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

/* 1: linked in and right, 0: not linked in, -1: linked in and not usable. */
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

/* Takes every function out of an open library: 0, or -1 with the reason. */
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
	/* The version comes first: another release may lack any of the rest. */
	LOOKUP(upc_abi_version)
	if (check_abi(&candidate, path, reason, size))
		return -1;
	MPXI_LIBUPC_CALLS(LOOKUP)
#undef LOOKUP
	library = candidate;
	return 0;
}

/* The loader gives text only: finds the errno of what is short at this moment, or 0. */
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
 * 1: loaded and right, 0: cannot be loaded (reason says why), -1: loaded, and
 * not usable. A good one is never closed: its units outlive PAPI_shutdown in
 * programs that use libupc themselves.
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

	/* A second copy would have units of its own that tools cannot see. */
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
