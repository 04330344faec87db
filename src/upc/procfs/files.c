/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.c - the files that a unit reads: their wanted fields, and the messages for files that cannot be read.
 *
 * A file has a list of its wanted lines, and a line has a list of its wanted fields, so that one pass
 * (file_pass.c) reads them all. A slot maps a handle to its file and line.
 *
 * Terms: procfs/files.h, base/source.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/file_pass.h"
#include "procfs/files.h"
#include "base/message.h"
#include "base/process.h"
#include "procfs/roots.h"

/* The file and line of a handle; file is NULL if the handle is free. */
struct slot {
	struct upci_wanted_file *file;
	struct upci_wanted_line *line;
};

struct upci_files {
	pid_t pid, tid;
	unsigned files;
	struct upci_wanted_file **file;
	int slots;
	struct slot *slot;
	struct upci_text text;
};

/* ---- messages ----------------------------------------------------------- */

static int fail_file_open(const struct upci_files *files, const struct upci_field *field, int error)
{
	char name[256];

	upci_root_name(field->root, files->pid, files->tid, field->path, name, sizeof(name));
	switch (error) {
	case EACCES:
	case EPERM:
		if (field->root == UPCI_ROOT_PROC || field->root == UPCI_ROOT_SYS)
			return upci_fail(UPC_EPERM,
					 "%s: only root may read it here: run as root, or let "
					 "root make it readable",
					 name);
		return upci_fail(UPC_EPERM,
				 "%s: the kernel refuses it to you: run as root, or as the "
				 "owner of that process with the right to trace it",
				 name);
	case EMFILE:
	case ENFILE:
		return upci_fail(UPC_EMFILE,
				 "%s: too few file descriptors are left: raise the limit "
				 "(ulimit -n) or take fewer events",
				 name);
	case ENOMEM:
		return upci_fail(UPC_ENOMEM, "%s: out of memory", name);
	case ESRCH:
		return upci_fail(UPC_ENOTASK, "%s: the task has ended", name);
	case ENOENT:
		if (field->root == UPCI_ROOT_TASK || field->root == UPCI_ROOT_PROCESS) {
			int fd = upci_root_open(field->root, files->pid, files->tid, "stat");

			if (fd < 0)
				return upci_fail(UPC_ENOTASK, "%s: no such process or thread", name);
			close(fd);
		}
		return upci_fail(UPC_ENOSUPP, "%s: this kernel has no such file", name);
	case EINVAL:
	case EXDEV:
	case ELOOP:
		return upci_fail(UPC_ENOSUPP,
				 "%s: give a path that stays beneath /proc or /sys, without "
				 "\"..\" and links that lead out",
				 name);
	case EOPNOTSUPP:
		return upci_fail(UPC_ENOSUPP,
				 "%s: the kernel has it switched off (for /proc/pressure, "
				 "boot with psi=1)",
				 name);
	case EISDIR:
		return upci_fail(UPC_ENOSUPP, "%s: a directory, not a file", name);
	case EFBIG:
		return upci_fail(UPC_ENOSUPP, "%s: too long to be read for counters", name);
	default:
		return upci_fail(UPC_ENOSUPP, "%s: cannot be read: %s", name, strerror(error));
	}
}

static int fail_field(const struct upci_files *files, const struct upci_field *field)
{
	char name[256];

	upci_root_name(field->root, files->pid, files->tid, field->path, name, sizeof(name));
	if (field->key)
		return upci_fail(UPC_ENOSUPP,
				 "%s: has no number at value %u of line \"%s\" (token %u, "
				 "occurrence %u) on this machine",
				 name, field->first, field->key, field->key_token, field->occurrence);
	return upci_fail(UPC_ENOSUPP, "%s: has no number at value %u of line %u on this machine", name,
			 field->first, field->occurrence);
}

/* ---- adding and removing fields ------------------------------------------- */

static struct upci_wanted_file *find_file(const struct upci_files *files, const struct upci_field *field)
{
	for (unsigned i = 0; i < files->files; i++)
		if (files->file[i]->root == field->root && !strcmp(files->file[i]->path, field->path))
			return files->file[i];
	return NULL;
}

static void free_line(struct upci_wanted_line *line)
{
	free((char *)line->key.key);
	free(line->want);
	free(line);
}

static void free_file(struct upci_wanted_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	for (unsigned i = 0; i < file->lines; i++)
		free_line(file->line[i]);
	free(file->line);
	free(file->path);
	free(file);
}

static struct upci_wanted_file *new_file(const struct upci_field *field)
{
	struct upci_wanted_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->root = field->root;
	file->fd = -1;
	file->path = strdup(field->path);
	if (!file->path) {
		free(file);
		return NULL;
	}
	return file;
}

static bool same_line(const struct upci_wanted_line *line, const struct upci_field *field)
{
	const struct upci_line_key *key = &line->key;

	if (key->occurrence != field->occurrence || !key->key != !field->key)
		return false;
	return !key->key || (key->token == field->key_token && !strcmp(key->key, field->key));
}

static struct upci_wanted_line *find_wanted_line(const struct upci_wanted_file *file,
						 const struct upci_field *field)
{
	for (unsigned i = 0; i < file->lines; i++)
		if (same_line(file->line[i], field))
			return file->line[i];
	return NULL;
}

/* Add a line. It has no number yet and therefore comes first, which keeps the order by number. */
static struct upci_wanted_line *add_line(struct upci_wanted_file *file, const struct upci_field *field)
{
	struct upci_wanted_line **more = reallocarray(file->line, file->lines + 1, sizeof(*more));
	struct upci_wanted_line *line;

	if (!more)
		return NULL;
	file->line = more;
	line = calloc(1, sizeof(*line));
	if (!line)
		return NULL;
	line->key.token = field->key_token;
	line->key.occurrence = field->occurrence;
	if (field->key) {
		line->key.key = strdup(field->key);
		line->key.length = strlen(field->key);
		if (!line->key.key) {
			free(line);
			return NULL;
		}
	}
	memmove(file->line + 1, file->line, file->lines * sizeof(*file->line));
	file->line[0] = line;
	file->lines++;
	return line;
}

static void drop_line(struct upci_wanted_file *file, struct upci_wanted_line *line)
{
	unsigned i = 0;

	while (file->line[i] != line)
		i++;
	memmove(file->line + i, file->line + i + 1, (--file->lines - i) * sizeof(*file->line));
	free_line(line);
}

static void drop_file(struct upci_files *files, struct upci_wanted_file *file)
{
	for (unsigned i = 0; i < files->files; i++)
		if (files->file[i] == file)
			files->file[i] = files->file[--files->files];
	free_file(file);
}

static int free_handle(struct upci_files *files)
{
	struct slot *more;

	for (int i = 0; i < files->slots; i++)
		if (!files->slot[i].file)
			return i;
	more = reallocarray(files->slot, (size_t)files->slots + 1, sizeof(*more));
	if (!more)
		return UPC_ENOMEM;
	files->slot = more;
	files->slot[files->slots] = (struct slot){0};
	return files->slots++;
}

/* Make room for one more want, and for one more file. */
static bool make_room_for_want(struct upci_files *files, struct upci_wanted_line *line)
{
	struct upci_want *want = reallocarray(line->want, line->wants + 1, sizeof(*want));
	struct upci_wanted_file **file;

	if (!want)
		return false;
	line->want = want;
	file = reallocarray(files->file, files->files + 1, sizeof(*file));
	if (!file)
		return false;
	files->file = file;
	return true;
}

/* Insert a want in order; there must be room. */
static void insert_want(struct upci_wanted_line *line, const struct upci_want *want)
{
	unsigned i = line->wants++;

	for (; i > 0 && line->want[i - 1].first > want->first; i--)
		line->want[i] = line->want[i - 1];
	line->want[i] = *want;
}

/* Check that the field exists now, by reading its file to the end. Return 0, or an error with message. */
static int check_file_field(struct upci_files *files, struct upci_wanted_file *file,
			    const struct upci_driver *driver)
{
	struct upci_text *text = &files->text;
	uint64_t value;

	if (!upci_wanted_open(file, files->pid, files->tid) || !upci_text_read_all(text, file->fd))
		return fail_file_open(files, &driver->file, errno);
	if (!upci_field_find(text->text, text->length, driver, &value))
		return fail_field(files, &driver->file);
	return UPC_OK;
}

static int check_driver(const struct upci_files *files, const struct upci_driver *driver)
{
	const struct upci_field *field = &driver->file;

	if (driver->source != UPC_SOURCE_FILE || !driver->mul || !driver->div || !field->path ||
	    !field->occurrence || field->last < field->first)
		return upci_fail(UPC_EINVAL, "not the description of a field of a file");
	if (field->root == UPCI_ROOT_TASK && (files->pid <= 0 || files->tid <= 0))
		return upci_fail(UPC_ENOSUPP,
				 "%s of a thread: this context is no single thread; count a "
				 "thread",
				 field->path);
	if (field->root == UPCI_ROOT_PROCESS && files->pid <= 0)
		return upci_fail(UPC_ENOSUPP,
				 "%s of a process: this context has none; count a thread or a "
				 "process",
				 field->path);
	return UPC_OK;
}

/* Add a wanted field. fresh: the file is not in the list yet. */
static int add_want_locked(struct upci_files *files, const struct upci_driver *driver,
			   struct upci_wanted_file *file, bool fresh)
{
	const struct upci_field *field = &driver->file;
	struct upci_wanted_line *line = find_wanted_line(file, field);
	int handle;

	if (!line)
		line = add_line(file, field);
	handle = line ? free_handle(files) : UPC_ENOMEM;
	if (handle < 0 || !make_room_for_want(files, line)) {
		if (line && !line->wants)
			drop_line(file, line);
		return UPC_ENOMEM;
	}
	if (fresh)
		files->file[files->files++] = file;
	insert_want(line, &(struct upci_want){handle, field->first, field->last, driver->mul, driver->div});
	files->slot[handle] = (struct slot){file, line};
	return handle;
}

static void remove_locked(struct upci_files *files, int handle)
{
	struct upci_wanted_file *file;
	struct upci_wanted_line *line;
	unsigned i = 0;

	if (handle < 0 || handle >= files->slots || !files->slot[handle].file)
		return;
	file = files->slot[handle].file;
	line = files->slot[handle].line;
	files->slot[handle] = (struct slot){0};
	while (line->want[i].handle != handle)
		i++;
	memmove(line->want + i, line->want + i + 1, (--line->wants - i) * sizeof(*line->want));
	if (!line->wants)
		drop_line(file, line);
	if (!file->lines)
		drop_file(files, file);
}

/*
 * The lists change only under the process lock, because a fork in another thread copies them and the child
 * walks through them (upci_files_forked). Only this thread changes the lists, so it searches them and reads
 * the file without the lock.
 */
int upci_files_add(struct upci_files *files, const struct upci_driver *driver)
{
	struct upci_wanted_file *file, *fresh = NULL;
	int result = check_driver(files, driver);

	if (result)
		return result;
	file = find_file(files, &driver->file);
	if (!file)
		file = fresh = new_file(&driver->file);
	if (!file)
		return upci_fail(UPC_ENOMEM, "out of memory");
	result = check_file_field(files, file, driver);
	if (!result) {
		upci_process_lock();
		result = add_want_locked(files, driver, file, fresh != NULL);
		upci_process_unlock();
		if (result < 0)
			(void)upci_fail(result, "out of memory");
	}
	if (result < 0)
		free_file(fresh);
	return result;
}

void upci_files_remove(struct upci_files *files, int handle)
{
	upci_process_lock();
	remove_locked(files, handle);
	upci_process_unlock();
}

/* ---- creation, reading, fork ----------------------------------------------- */

int upci_files_create(pid_t pid, pid_t tid, struct upci_files **files)
{
	*files = calloc(1, sizeof(**files));
	if (!*files)
		return upci_fail(UPC_ENOMEM, "out of memory");
	(*files)->pid = pid;
	(*files)->tid = tid;
	return UPC_OK;
}

void upci_files_destroy(struct upci_files *files)
{
	for (unsigned i = 0; i < files->files; i++)
		free_file(files->file[i]);
	free(files->file);
	free(files->slot);
	upci_text_free(&files->text);
	free(files);
}

unsigned upci_files_read(struct upci_files *files, uint64_t *value, uint8_t *state)
{
	unsigned losses = 0;

	for (unsigned i = 0; i < files->files; i++) {
		upci_wanted_open(files->file[i], files->pid, files->tid);
		losses += upci_wanted_pass(files->file[i], &files->text, value, state);
	}
	return losses;
}

/*
 * Close every file, so that the next read opens it again. An open file of /proc/net belongs to the process
 * that opened it, and the TASK and PROCESS roots now mean another task.
 */
void upci_files_forked(struct upci_files *files, pid_t pid, pid_t tid)
{
	files->pid = pid;
	files->tid = tid;
	for (unsigned i = 0; i < files->files; i++) {
		if (files->file[i]->fd >= 0)
			close(files->file[i]->fd);
		files->file[i]->fd = -1;
	}
}
