/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * let_go.c - see let_go.h.
 *
 * The caller makes two processes. Both share the program's memory, so no page is copied. The first process
 * shares the program's table of descriptors and ends at once; the caller waits for it as for a vfork. The
 * second is a child of the first, and later of init, and has its own table of descriptors. It leaves the
 * terminal and the directory, closes all descriptors except those in the bag, and reports that. It ends when
 * the first process has closed the bag's descriptors in the program's table.
 *
 * The kernel ends a process in this order (6.18, and long before). The process leaves its memory, which wakes
 * the first process. Then it leaves its root directory and namespaces. Its files are closed last. The second
 * process therefore holds nothing else and runs no code while it waits for the grace periods.
 *
 * The program's wait() does not see the processes. The first sends no signal when it ends, so only __WALL and
 * __WCLONE could find it, in the moment before the caller waits for it. The second is not a child of the
 * program. If the program is init or a subreaper, orphans become its children, so no process is made. No
 * pthread_atfork handler runs, and no signal handler, because all signals are blocked.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/let_go.h"
#include "base/message.h"
#include "base/notice.h"

#define STACK 16384

struct work {
	const int *fd; /* in ascending order */
	size_t n;
	int stand_in; /* descriptor that replaces the program's descriptors, or -1 */
	int error;    /* errno of the failure; 0: done */
	/* Futexes, which the second process writes or waits for. */
	int ready; /* 1: the second process holds the descriptors; -1: it cannot */
	int go;    /* 1: the second process may end */
	int there; /* the kernel sets it to 0 when the second process has left the memory */
	_Alignas(64) char stack[2][STACK];
};

/* ---- in the program's memory, as separate processes ---------------------------- */
/*
 * The processes make bare system calls only, since the C library would take them for the caller's thread.
 * They share the errno of that thread, which waits meanwhile. They have no variables that a sanitizer would
 * attribute to that thread.
 */

static void await_word(int *word, int value)
{
	static const struct timespec moment = {.tv_nsec = 20000000};

	(void)syscall(SYS_futex, word, FUTEX_WAIT, value, &moment, NULL, 0);
}

static void tell_word(int *word, int value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	(void)syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool close_others(const struct work *work)
{
	unsigned from = 0, fd;
	size_t i;

	for (i = 0; i < work->n; i++) {
		fd = (unsigned)work->fd[i];
		if (fd > from && syscall(SYS_close_range, from, fd - 1, 0))
			return false;
		from = fd + 1;
	}
	return syscall(SYS_close_range, from, UINT_MAX, 0) == 0;
}

static int hold_descriptors(void *arg)
{
	struct work *work = arg;

	/* The first process allows this one to end. If the first dies, this one must die too. */
	(void)syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	(void)syscall(SYS_setsid);
	(void)syscall(SYS_chdir, "/");
	(void)syscall(SYS_prctl, PR_SET_NAME, "upc-closing", 0, 0, 0);
	if (!close_others(work)) {
		work->error = errno;
		tell_word(&work->ready, -1);
		return 1;
	}
	tell_word(&work->ready, 1);
	while (!__atomic_load_n(&work->go, __ATOMIC_ACQUIRE))
		await_word(&work->go, 0);
	return 0;
}

/* Close the descriptors by number in the program's table, or replace them by stand_in. */
static void close_ours(const struct work *work)
{
	size_t i;

	for (i = 0; i < work->n; i++)
		if (work->stand_in < 0)
			(void)syscall(SYS_close, work->fd[i]);
		else
			(void)syscall(SYS_dup3, work->stand_in, work->fd[i], O_CLOEXEC);
}

static int hand_over(void *arg)
{
	struct work *work = arg;
	int there;

	work->there = 1;
	if (clone(hold_descriptors, work->stack[1] + STACK, CLONE_VM | CLONE_CHILD_CLEARTID, work, NULL, NULL,
		  &work->there) < 0) {
		work->error = errno;
		work->there = 0;
		return 1;
	}
	while (!__atomic_load_n(&work->ready, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&work->there, __ATOMIC_ACQUIRE))
		await_word(&work->ready, 0);
	if (__atomic_load_n(&work->ready, __ATOMIC_ACQUIRE) == 1) {
		work->error = 0;
		close_ours(work);
	}
	tell_word(&work->go, 1);
	/* The second process runs on a stack in the program's memory, so wait until it has left that
	 * memory. */
	while ((there = __atomic_load_n(&work->there, __ATOMIC_ACQUIRE)) != 0)
		await_word(&work->there, there);
	return 0;
}

/* ---- in the program --------------------------------------------------------- */

static int is_valgrind(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	return strstr(info->dlpi_name, "/vgpreload_") != NULL;
}

/* Return the reason why no process may be made, or NULL. */
static const char *reason_not_to(void)
{
	int subreaper = 0;

#ifdef __SANITIZE_THREAD__
	return "ThreadSanitizer knows no such process";
#endif
	if (getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &subreaper) || subreaper)
		return "orphans are this program's children";
	/* Under valgrind, the clone would end the program. */
	if (dl_iterate_phdr(is_valgrind, NULL))
		return "valgrind knows no such process";
	return NULL;
}

/* Let two processes close the bag's descriptors. Return 0, or an errno value if nothing was closed. */
static int try_to(const struct upci_bag *bag, int stand_in)
{
	struct work *work = aligned_alloc(64, sizeof(*work));
	const uint64_t all = UINT64_MAX;
	uint64_t old;
	int saved = errno, error;
	pid_t pid;

	if (!work)
		return ENOMEM;
	work->fd = bag->fd;
	work->n = bag->n;
	work->stand_in = stand_in;
	work->error = EIO; /* remains if either process is killed */
	work->ready = work->go = work->there = 0;
	/* Block all signals, including those that the C library reserves. */
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof(all));
	pid = clone(hand_over, work->stack[0] + STACK, CLONE_VM | CLONE_VFORK | CLONE_FILES, work);
	error = pid < 0 ? errno : work->error;
	while (pid > 0 && syscall(SYS_wait4, pid, NULL, __WALL, NULL) < 0 && errno == EINTR)
		;
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(all));
	/* If the first process was killed, perhaps before the second called prctl, the second may still use
	 * this memory. */
	if (__atomic_load_n(&work->there, __ATOMIC_ACQUIRE))
		tell_word(&work->go, 1);
	else
		free(work);
	errno = saved;
	return error;
}

static int compare_descriptors(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void empty_bag(struct upci_bag *bag)
{
	free(bag->fd);
	memset(bag, 0, sizeof(*bag));
}

static void close_whole_bag(struct upci_bag *bag, const int *fd, size_t n)
{
	size_t i;

	for (i = 0; i < bag->n; i++)
		close(bag->fd[i]);
	for (i = 0; i < n; i++)
		close(fd[i]);
	bag->n = 0;
}

void upci_bag_add(struct upci_bag *bag, const int *fd, size_t n)
{
	size_t i;

	if (!n)
		return;
	if (bag->n + n > bag->room) {
		size_t room = (bag->n + n) * 2;
		int *grown = realloc(bag->fd, room * sizeof(*grown));

		if (!grown) {
			close_whole_bag(bag, fd, n);
			return;
		}
		bag->fd = grown;
		bag->room = room;
	}
	for (i = 0; i < n; i++)
		if (fd[i] >= 0)
			bag->fd[bag->n++] = fd[i];
}

static bool hand_bag(struct upci_bag *bag, int stand_in)
{
	const char *why = reason_not_to();
	int error;

	qsort(bag->fd, bag->n, sizeof(*bag->fd), compare_descriptors);
	if (!why) {
		error = try_to(bag, stand_in);
		if (!error)
			return true;
		why = strerror(error);
	}
	upci_notice("%zu tracepoints are closed, which may take the kernel 40 ms each; no process "
		    "can be made to do it instead: %s",
		    bag->n, why);
	return false;
}

void upci_bag_let_go(struct upci_bag *bag)
{
	if (bag->n && !hand_bag(bag, -1))
		close_whole_bag(bag, NULL, 0);
	empty_bag(bag);
}

void upci_bag_leave(struct upci_bag *bag)
{
	int null = bag->n ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;

	/* If the open fails, the kernel closes the descriptors as the program ends. */
	if (null >= 0)
		(void)hand_bag(bag, null);
	empty_bag(bag);
}
