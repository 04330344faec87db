/* SPDX-License-Identifier: BSD-3-Clause */
/* source_file.c - a unit's source for files of /proc and /sys. */
#include "base/message.h"
#include "base/source.h"
#include "base/target.h"
#include "procfs/files.h"

struct file_source {
	struct upci_source source; /* must be the first member: see files_of_source() */
	struct upci_files *files;
};

static struct upci_files *files_of_source(const struct upci_source *source)
{
	return ((const struct file_source *)source)->files;
}

static int file_create(struct upci_source *source, const struct upci_context *context)
{
	return upci_files_create(context->pid, context->tid, &((struct file_source *)source)->files);
}

static void file_destroy(struct upci_source *source)
{
	upci_files_destroy(files_of_source(source));
}

static void file_forked(struct upci_source *source, const struct upci_context *context)
{
	upci_files_forked(files_of_source(source), context->pid, context->tid);
}

static int file_open(struct upci_source *source, const struct upci_context *context,
		     const struct upci_event *event, bool halted)
{
	(void)halted;
	if (context->cgroup)
		return upci_fail(
			UPC_ENOSUPP,
			"%s: is read from a file of /proc or /sys, which knows no control groups: count it "
			"in another context",
			event->name);
	return upci_files_add(files_of_source(source), &event->driver);
}

static void file_close(struct upci_source *source, int handle)
{
	upci_files_remove(files_of_source(source), handle);
}

static int file_read(struct upci_source *source, uint64_t *value, uint8_t *state)
{
	(void)upci_files_read(files_of_source(source), value, state);
	return 0;
}

const struct upci_source_ops upci_file_source = {
	.gone = "its source is gone; the counter keeps the last value",
	.scales = true,
	.size = sizeof(struct file_source),
	.create = file_create,
	.destroy = file_destroy,
	.forked = file_forked,
	.open = file_open,
	.close = file_close,
	.read = file_read,
};
