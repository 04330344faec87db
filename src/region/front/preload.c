/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.c - what the preloaded library does at an exec and an _exit; src/mpx/shim/shim_exec.c intercepts
 * these calls.
 */
#include <errno.h>
#include <unistd.h>

#include "region/region.h"
#include "shim/shim_exec.h"

void *shim_exec_begins(const char *path)
{
	static char paused;

	/* The exec is sure to fail, so nothing has to be written. */
	if (path && access(path, X_OK))
		return NULL;
	return upcr_pause("exec") ? &paused : NULL;
}

void shim_exec_failed(void *paused)
{
	int saved = errno;

	if (paused)
		upcr_go_on();
	errno = saved;
}

bool shim_is_owner(void)
{
	return upcr_is_owner();
}

void shim_has_children(void)
{
}

/* If another thread holds the lock, nothing is written: a handler that calls _exit may have interrupted that
 * thread. */
void shim_report_quickly(int status)
{
	upcr_finish(UPCR_AT_QUICK_EXIT, status);
}
