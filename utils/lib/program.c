/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.c - finds a program as execvp would, for tools that examine it before it runs.
 */
#include "lib/program.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/common.h"

/* Machines whose programs the kernel runs natively. */
#if defined(__x86_64__)
enum { PROGRAM_MACHINE = EM_X86_64, PROGRAM_ALSO = EM_386 };
#elif defined(__aarch64__)
enum { PROGRAM_MACHINE = EM_AARCH64, PROGRAM_ALSO = EM_ARM };
#elif defined(__powerpc64__)
enum { PROGRAM_MACHINE = EM_PPC64, PROGRAM_ALSO = EM_PPC };
#elif defined(__riscv)
enum { PROGRAM_MACHINE = EM_RISCV, PROGRAM_ALSO = EM_RISCV };
#else
enum { PROGRAM_MACHINE = EM_NONE, PROGRAM_ALSO = EM_NONE };
#endif

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static int program_check(const char *path)
{
	struct stat status;

	if (access(path, X_OK) != 0 || stat(path, &status) != 0)
		return errno;
	return S_ISDIR(status.st_mode) ? EISDIR : 0;
}

int util_program_find(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH"), *end;
	int error = ENOENT;

	if (strchr(name, '/')) {
		if (strlen(name) >= PATH_MAX)
			return ENAMETOOLONG;
		strcpy(path, name);
		return program_check(path);
	}
	if (!list)
		list = "/bin:/usr/bin";
	for (;; list = end + 1) {
		int n;

		end = strchrnul(list, ':');
		n = snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - list), list, end == list ? "" : "/",
			     name);
		if (name[0] && n < PATH_MAX) {
			if (is_program(path))
				return 0;
			/* A file that exists but cannot be executed makes the error EACCES, not ENOENT. */
			if (access(path, F_OK) == 0)
				error = EACCES;
		}
		if (!*end)
			return error;
	}
}

/* ---- interpreters and dynamic linkers --------------------------------------------------------------- */

#define PROGRAM_LINKER "dynamic linker"

enum { SCRIPTS_MAX = 4 }; /* kernel's limit of interpreters that are scripts */

/* The first bytes of a file, which name its interpreter or dynamic linker. */
struct program_head {
	size_t n;
	union {
		unsigned char byte[PATH_MAX + 4];
		Elf64_Ehdr elf64;
		Elf32_Ehdr elf32;
	};
};

static size_t program_read(int fd, void *bytes, size_t n, off_t at)
{
	ssize_t got = pread(fd, bytes, n, at);

	return got > 0 ? (size_t)got : 0;
}

/* Copy a name up to the first character that is in end. The result may be empty. */
static void program_copy(const unsigned char *from, size_t n, const char *end, char path[PATH_MAX])
{
	size_t i = 0;

	for (; i < n && i + 1 < PATH_MAX && from[i] && !strchr(end, from[i]); i++)
		path[i] = (char)from[i];
	path[i] = '\0';
}

/* Write the path of the file's dynamic linker, or "" if it needs none. Programs for another machine, which
 * the kernel may run in an emulator, count as needing none, because the emulator finds their files elsewhere.
 */
static void program_linker(int fd, const struct program_head *head, char path[PATH_MAX])
{
	const bool is_64 = head->byte[EI_CLASS] == ELFCLASS64;
	const bool is_own = head->byte[EI_DATA] == (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
	const unsigned machine = is_64 ? head->elf64.e_machine : head->elf32.e_machine;
	const unsigned n = is_64 ? head->elf64.e_phnum : head->elf32.e_phnum;
	const size_t size = is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	const uint64_t at = is_64 ? head->elf64.e_phoff : head->elf32.e_phoff;
	unsigned char name[PATH_MAX];
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	path[0] = '\0';
	if (!is_own || head->n < sizeof(head->elf64) ||
	    (machine != PROGRAM_MACHINE && machine != PROGRAM_ALSO))
		return;
	for (unsigned i = 0; i < n; i++) {
		if (program_read(fd, is_64 ? (void *)&wide : (void *)&narrow, size, (off_t)(at + i * size)) !=
		    size)
			return;
		if ((is_64 ? wide.p_type : narrow.p_type) != PT_INTERP)
			continue;
		program_copy(name,
			     program_read(fd, name, sizeof(name),
					  (off_t)(is_64 ? wide.p_offset : narrow.p_offset)),
			     "", path);
		return;
	}
}

/* Find the program that the kernel runs for the file: the interpreter of a script, or a dynamic linker. *what
 * is the word for its role. Return false if the file needs no such program or cannot be read. */
static bool program_needs(const char *file, char path[PATH_MAX], const char **what)
{
	struct program_head head;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	size_t i = 2;

	/* A program can be executable and unreadable. */
	if (fd < 0)
		return false;
	memset(&head, 0, sizeof(head));
	head.n = program_read(fd, head.byte, sizeof(head.byte), 0);
	path[0] = '\0';
	if (head.n > 2 && head.byte[0] == '#' && head.byte[1] == '!') {
		*what = "interpreter";
		while (i < head.n && (head.byte[i] == ' ' || head.byte[i] == '\t'))
			i++;
		program_copy(head.byte + i, head.n - i, " \t\n", path);
	} else if (head.n > SELFMAG && memcmp(head.byte, ELFMAG, SELFMAG) == 0) {
		*what = PROGRAM_LINKER;
		program_linker(fd, &head, path);
	}
	close(fd);
	return path[0] != '\0';
}

bool util_program_linker(const char *file, char path[PATH_MAX])
{
	const char *what = "";

	return program_needs(file, path, &what) && strcmp(what, PROGRAM_LINKER) == 0;
}

int util_program_check(const char *name)
{
	char file[PATH_MAX], path[PATH_MAX];
	const char *what = "";
	int error = util_program_find(name, file);

	if (error != 0)
		return util_cannot_run(name, error);
	for (int depth = 0; depth <= SCRIPTS_MAX && program_needs(file, path, &what); depth++) {
		error = program_check(path);
		if (error != 0) {
			util_error(
				"cannot run '%.200s': its %s '%.200s' cannot be run: %s; install it, or name "
				"the right one",
				file, what, path, strerror(error));
			return UTIL_CANNOT_RUN;
		}
		strcpy(file, path);
	}
	return 0;
}
