/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * monitor_bus.c - memory that was cut off reads as zeros, and every other SIGBUS goes
 * where it would have gone.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "share/monitor_bus.h"
#include "../unit_test.h"

#define PAGES 3

struct file {
	int fd;
	unsigned char *memory;
	size_t length;
};

static void map(struct file *f)
{
	f->length = PAGES * (size_t)sysconf(_SC_PAGESIZE) - 100; /* as a page of a unit: not whole pages */
	f->fd = memfd_create("bus", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(ftruncate(f->fd, (off_t)f->length), 0);
	assert_int_equal(pwrite(f->fd, "x", 1, 0), 1);
	f->memory = mmap(NULL, f->length, PROT_READ, MAP_SHARED, f->fd, 0);
	assert_true(f->memory != MAP_FAILED);
}

static void unmap(struct file *f)
{
	munmap(f->memory, f->length);
	close(f->fd);
}

static unsigned char load(const struct file *f, size_t at)
{
	return *(volatile unsigned char *)&f->memory[at];
}

TEST(zeros_in_place_of_the_file)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct upci_bus_guard *guard;
	struct file f;

	map(&f);
	assert_int_equal(upci_bus_guard(f.memory, f.length, &guard), 0);
	assert_int_equal(load(&f, 0), 'x');
	assert_false(upci_bus_hit(guard));
	/* A page is left: what is on it stays until something beyond is touched. */
	assert_int_equal(ftruncate(f.fd, (off_t)page), 0);
	assert_int_equal(load(&f, 0), 'x');
	assert_false(upci_bus_hit(guard));
	assert_int_equal(load(&f, f.length - 1), 0);
	assert_true(upci_bus_hit(guard));
	assert_int_equal(load(&f, 0), 0);
	/* The file does not come back. */
	assert_int_equal(ftruncate(f.fd, (off_t)f.length), 0);
	assert_int_equal(pwrite(f.fd, "y", 1, 0), 1);
	assert_int_equal(load(&f, 0), 0);
	upci_bus_release(guard);
	unmap(&f);
}

TEST(many_and_again)
{
	struct upci_bus_guard *guard[100];
	struct file f[100];
	unsigned round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 100; i++) {
			map(&f[i]);
			assert_int_equal(upci_bus_guard(f[i].memory, f[i].length, &guard[i]), 0);
			assert_false(upci_bus_hit(guard[i]));
		}
		for (i = round; i < 100; i += 7)
			assert_int_equal(ftruncate(f[i].fd, 0), 0);
		for (i = 0; i < 100; i++)
			assert_int_equal(load(&f[i], 0), i % 7 == round ? 0 : 'x');
		for (i = 0; i < 100; i++) {
			assert_int_equal(upci_bus_hit(guard[i]), i % 7 == round);
			upci_bus_release(guard[i]);
			unmap(&f[i]);
		}
	}
}

static void *load_all(void *arg)
{
	struct file *f = arg;
	unsigned i;

	for (i = 0; i < 1000; i++)
		(void)load(f, i % PAGES * (size_t)sysconf(_SC_PAGESIZE));
	return NULL;
}

TEST(threads_at_once)
{
	struct upci_bus_guard *guard;
	pthread_t thread[4];
	struct file f;
	unsigned i;

	map(&f);
	assert_int_equal(upci_bus_guard(f.memory, f.length, &guard), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, load_all, &f), 0);
	assert_int_equal(ftruncate(f.fd, 0), 0);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(load(&f, 0), 0);
	assert_true(upci_bus_hit(guard));
	upci_bus_release(guard);
	unmap(&f);
}

/* ---- everybody else's ------------------------------------------------------ */

static sigjmp_buf back;
static volatile sig_atomic_t caught, blocked;
static void *volatile caught_at;

static void leap(int signal, siginfo_t *info, void *context)
{
	sigset_t mask;

	(void)signal, (void)context;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	blocked = sigismember(&mask, SIGUSR2);
	caught_at = info->si_addr;
	caught++;
	siglongjmp(back, 1);
}

static void note(int signal)
{
	(void)signal;
	caught++;
}

/* The handler that was there: with an address and a mask, and it leaps away. */
TEST(faults_of_others)
{
	struct sigaction action = {.sa_sigaction = leap, .sa_flags = SA_SIGINFO}, before, now;
	struct upci_bus_guard *guard;
	struct file ours, foreign;
	int i;

	sigaddset(&action.sa_mask, SIGUSR2);
	assert_int_equal(sigaction(SIGBUS, &action, &before), 0);
	map(&ours);
	map(&foreign);
	assert_int_equal(upci_bus_guard(ours.memory, ours.length, &guard), 0);
	assert_int_equal(ftruncate(ours.fd, 0), 0);
	assert_int_equal(ftruncate(foreign.fd, 0), 0);
	caught = 0;
	for (i = 0; i < 3; i++) {
		blocked = 0;
		if (!sigsetjmp(back, 1)) {
			/* The value is used: valgrind leaves out loads for nothing. */
			fail_msg("a foreign fault was swallowed: %d", load(&foreign, 5));
		}
		assert_int_equal(caught, i + 1);
		assert_ptr_equal(caught_at, foreign.memory + 5);
		assert_int_equal(blocked, 1);
	}
	assert_int_equal(load(&ours, 5), 0);
	assert_int_equal(caught, 3);
	upci_bus_release(guard);
	assert_int_equal(sigaction(SIGBUS, &before, &now), 0);
	assert_true(now.sa_sigaction == leap && (now.sa_flags & SA_SIGINFO));
	assert_int_equal(sigismember(&now.sa_mask, SIGUSR2), 1);
	unmap(&ours);
	unmap(&foreign);
}

TEST(signals_that_are_sent)
{
	struct sigaction action = {.sa_handler = note}, before, now;
	struct upci_bus_guard *guard, *second;
	struct file f;

	assert_int_equal(sigaction(SIGBUS, &action, &before), 0);
	map(&f);
	assert_int_equal(upci_bus_guard(f.memory, f.length, &guard), 0);
	assert_int_equal(upci_bus_guard(f.memory, f.length, &second), 0);
	caught = 0;
	raise(SIGBUS);
	assert_int_equal(caught, 1);
	upci_bus_release(second);
	raise(SIGBUS);
	assert_int_equal(caught, 2);
	assert_int_equal(sigaction(SIGBUS, NULL, &now), 0);
	assert_true(now.sa_handler != note);
	upci_bus_release(guard);
	assert_int_equal(sigaction(SIGBUS, &before, &now), 0);
	assert_true(now.sa_handler == note);
	unmap(&f);
}

/* A handler that was installed later is not taken away. */
TEST(later_handlers_stay)
{
	struct sigaction action = {.sa_handler = note}, before, now;
	struct upci_bus_guard *guard;
	struct file f;

	map(&f);
	assert_int_equal(sigaction(SIGBUS, NULL, &before), 0);
	assert_int_equal(upci_bus_guard(f.memory, f.length, &guard), 0);
	assert_int_equal(sigaction(SIGBUS, &action, &now), 0);
	upci_bus_release(guard);
	assert_int_equal(sigaction(SIGBUS, NULL, &action), 0);
	assert_true(action.sa_handler == note);
	/* It may call ours: that is not put on top of it. */
	assert_int_equal(upci_bus_guard(f.memory, f.length, &guard), 0);
	assert_int_equal(sigaction(SIGBUS, NULL, &action), 0);
	assert_true(action.sa_handler == note);
	/* Given back by whoever was later, it goes as usual. */
	assert_int_equal(sigaction(SIGBUS, &now, NULL), 0);
	upci_bus_release(guard);
	assert_int_equal(sigaction(SIGBUS, NULL, &now), 0);
	assert_true(now.sa_handler == before.sa_handler);
	unmap(&f);
}

/* ---- what ends the process ------------------------------------------------- */

enum deed { FAULT, SEND, FAULT_BEHIND_RESET, SEND_TWICE_BEHIND_RESET };

/* Guarded, with another handler before; returns how the child ended. */
static int child_ends(void (*handler)(int), int flags, enum deed deed)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	struct rlimit none = {0, 0};
	struct upci_bus_guard *guard;
	struct file ours, foreign;
	pid_t child;
	int end;

	map(&ours);
	map(&foreign);
	assert_int_equal(ftruncate(foreign.fd, 0), 0);
	child = fork();
	if (!child) {
		setrlimit(RLIMIT_CORE, &none);
		if (sigaction(SIGBUS, &action, NULL) || upci_bus_guard(ours.memory, ours.length, &guard))
			_exit(99);
		alarm(600);
		caught = 0;
		if (deed == SEND || deed == SEND_TWICE_BEHIND_RESET)
			raise(SIGBUS);
		if (deed == SEND_TWICE_BEHIND_RESET && caught == 1)
			raise(SIGBUS);
		if (deed == FAULT || deed == FAULT_BEHIND_RESET)
			_exit(load(&foreign, 0));
		_exit(0);
	}
	end = end_of(child);
	unmap(&ours);
	unmap(&foreign);
	return end;
}

TEST(what_ends_the_process)
{
	assert_int_equal(child_ends(SIG_DFL, 0, FAULT), -SIGBUS);
	assert_int_equal(child_ends(SIG_DFL, 0, SEND), -SIGBUS);
	/* As the kernel does: a fault cannot be ignored, what is sent can. */
	assert_int_equal(child_ends(SIG_IGN, 0, FAULT), -SIGBUS);
	assert_int_equal(child_ends(SIG_IGN, 0, SEND), 0);
	/* A handler for once: the fault comes again after it. */
	assert_int_equal(child_ends(note, (int)SA_RESETHAND, FAULT_BEHIND_RESET), -SIGBUS);
	assert_int_equal(child_ends(note, (int)SA_RESETHAND, SEND), 0);
	assert_int_equal(child_ends(note, (int)SA_RESETHAND, SEND_TWICE_BEHIND_RESET), -SIGBUS);
}

/* The handler for once was called while it was guarded: it does not come back. */
TEST(spent_handlers)
{
	struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND}, before, now;
	struct upci_bus_guard *guard;
	struct file f;

	assert_int_equal(sigaction(SIGBUS, &action, &before), 0);
	map(&f);
	assert_int_equal(upci_bus_guard(f.memory, f.length, &guard), 0);
	caught = 0;
	raise(SIGBUS);
	assert_int_equal(caught, 1);
	upci_bus_release(guard);
	assert_int_equal(sigaction(SIGBUS, &before, &now), 0);
	assert_true(now.sa_handler == SIG_DFL);
	unmap(&f);
}

UNIT_MAIN(monitor_bus)
{
	grow_stack();
	return run_own_tests(NULL, NULL);
}
