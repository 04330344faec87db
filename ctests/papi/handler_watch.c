/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handler_watch.c - see handler_watch.h.
 */
#pragma GCC visibility push(default) /* libraries are to find what is here */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "handler_watch.h"

static __thread volatile int depth __attribute__((tls_model("initial-exec")));
static unsigned runs, chosen;
static int report = -1;

/* A sanitizer has these functions already, and handlers.c skips all then. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHES 0
#else
#define WATCHES 1
#endif

/* ---- functions ------------------------------------------------------------------- */

#define BLAMED_MAX 16

static const char *blamed[BLAMED_MAX];
static unsigned n_blamed;

#if WATCHES
static void blame(const char *function)
{
	unsigned i;

	if (!depth)
		return;
	for (i = 0; i < n_blamed; i++)
		if (blamed[i] == function)
			return;
	if (n_blamed < BLAMED_MAX)
		blamed[n_blamed++] = function;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *old);

/* dlsym itself allocates: these are called by name. */
void *malloc(size_t size)
{
	blame("malloc");
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	blame("calloc");
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	blame("realloc");
	return __libc_realloc(old, size);
}

void free(void *old)
{
	blame("free");
	__libc_free(old);
}

#define REAL(type, name, ...)             \
	static type (*real)(__VA_ARGS__); \
	blame(#name);                     \
	if (!real)                        \
	real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)
#define WATCH1(type, name, a)        \
	type name(a x)               \
	{                            \
		REAL(type, name, a); \
		return real(x);      \
	}
#define WATCH2(type, name, a, b)        \
	type name(a x, b y)             \
	{                               \
		REAL(type, name, a, b); \
		return real(x, y);      \
	}

WATCH1(int, pthread_mutex_lock, pthread_mutex_t *)
WATCH1(int, pthread_mutex_trylock, pthread_mutex_t *)
WATCH1(int, pthread_rwlock_rdlock, pthread_rwlock_t *)
WATCH1(int, pthread_rwlock_wrlock, pthread_rwlock_t *)
WATCH2(int, pthread_cond_wait, pthread_cond_t *, pthread_mutex_t *)
WATCH1(int, sem_wait, sem_t *)
WATCH1(char *, strerror, int)
WATCH2(void *, dlopen, const char *, int)
WATCH2(FILE *, fopen, const char *, const char *)
WATCH1(int, fclose, FILE *)
WATCH1(int, fflush, FILE *)
WATCH1(int, puts, const char *)
WATCH2(int, fputs, const char *, FILE *)
WATCH2(int, fputc, int, FILE *)

/* What was done once is a load: the C library sets this bit then. The unwinder asks so. */
#define ONCE_DONE 2

int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	static int (*real)(pthread_once_t *, void (*)(void));

	if (!(*control & ONCE_DONE))
		blame("pthread_once");
	if (!real)
		real = (int (*)(pthread_once_t *, void (*)(void)))dlsym(RTLD_NEXT, "pthread_once");
	return real(control, routine);
}

size_t fwrite(const void *from, size_t size, size_t n, FILE *file)
{
	REAL(size_t, fwrite, const void *, size_t, size_t, FILE *);
	return real(from, size, n, file);
}

int vfprintf(FILE *file, const char *format, va_list args)
{
	REAL(int, vfprintf, FILE *, const char *, va_list);
	return real(file, format, args);
}

int fprintf(FILE *file, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vfprintf(file, format, args);
	va_end(args);
	return n;
}

/* What fprintf is where the compiler checks it (_FORTIFY_SOURCE). */
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
	va_list args;
	int n;

	(void)flag;
	va_start(args, format);
	n = vfprintf(file, format, args);
	va_end(args);
	return n;
}

#endif /* WATCHES */

/* ---- system calls ------------------------------------------------------------------ */

static const struct {
	int number;
	const char *why;
} allowed[] = {
	{SYS_ioctl, "ENABLE, DISABLE, RESET and PERIOD of perf events"},
	{SYS_read, "a group of perf events"},
	{SYS_pread64, "files of /proc and /sys, from their beginning"},
	{SYS_openat, "such a file that was not there at the last read: its directory"},
	{SYS_openat2, "the file itself, beneath that"},
	{SYS_fstatfs, "whether the kernel has made it"},
	{SYS_close, "its directory"},
	{SYS_prlimit64, "the descriptors that the program is left"},
	{SYS_clock_gettime, "CPU time, and clocks that the vDSO has not"},
	{SYS_getpid, "whether the set is that of a parent"},
	{SYS_gettid, "whose thread it is"},
	{SYS_rt_sigprocmask, "a mask that the user's handler changes; the slices' signal, at a start"},
	{SYS_rt_sigaction, "whether the slices' signal has its handler, at a start"},
	{SYS_rt_sigreturn, "the end of a handler"},
	{SYS_timer_settime, "the timer of time slices"},
	{SYS_exit_group, "the end of this test"},
};

#define ALLOWED (sizeof(allowed) / sizeof(*allowed))

static void say(const char *text)
{
	if (write(report, text, strlen(text)) < 0)
		_exit(3);
}

/* The number in decimal; of stdio nothing is about here. */
static void on_refused(int number, siginfo_t *info, void *context)
{
	char text[] = "            is a system call that is not in the table\n", *digit = text + 10;
	unsigned left = (unsigned)info->si_syscall;

	(void)number;
	(void)context;
	do
		*digit-- = (char)('0' + left % 10);
	while (left /= 10);
	say(digit + 1);
	_exit(0);
}

/* The calling thread's system calls from here on. */
static void refuse_others(void)
{
	const struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO};
	const unsigned data_number = offsetof(struct seccomp_data, nr);
	const unsigned data_file = offsetof(struct seccomp_data, args[0]);
	struct sock_filter code[2 * ALLOWED + 8];
	struct sock_fprog program = {.filter = code};
	unsigned short n = 0;
	sigset_t trap;
	size_t i;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, data_number);
	for (i = 0; i < ALLOWED; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							 (unsigned)allowed[i].number, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	/* write to the report, which is this test's */
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, data_file);
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)report, 0, 1);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	program.len = n;
	sigemptyset(&trap);
	sigaddset(&trap, SIGSYS);
	if (syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &trap, NULL, 8) || sigaction(SIGSYS, &action, NULL) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		say("no filter\n");
		_exit(0);
	}
}

/* ---- handlers ------------------------------------------------------------------------ */

static struct sigaction theirs[NSIG];

static void on_signal(int number, siginfo_t *info, void *context)
{
	const struct sigaction *action = &theirs[number];
	const int watched = __atomic_add_fetch(&runs, 1, __ATOMIC_SEQ_CST) == chosen;

	if (watched)
		refuse_others();
	depth++;
	if (action->sa_flags & SA_SIGINFO)
		action->sa_sigaction(number, info, context);
	else
		action->sa_handler(number);
	depth--;
	if (watched)
		watch_end();
}

/* Who installs a handler gets ours in front of it, and does not see that. */
int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction in_front, was;
	int error;

	static int (*real)(int, const struct sigaction *, struct sigaction *);

	if (!real)
		real = (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT,
											 "sigaction");
	if (report < 0 || number == SIGSYS)
		return real(number, action, before);
	if (action) {
		in_front = *action;
		if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
			in_front.sa_sigaction = on_signal;
			in_front.sa_flags |= SA_SIGINFO;
		}
	}
	error = real(number, action ? &in_front : NULL, &was);
	if (error)
		return error;
	if (was.sa_sigaction == on_signal)
		was = theirs[number];
	if (action)
		theirs[number] = *action;
	if (before)
		*before = was;
	return 0;
}

void watch_handlers(unsigned nth, int fd)
{
	chosen = nth;
	report = fd;
}

unsigned watch_runs(void)
{
	return __atomic_load_n(&runs, __ATOMIC_SEQ_CST);
}

void watch_end(void)
{
	unsigned i;

	for (i = 0; i < n_blamed; i++) {
		say(blamed[i]);
		say("\n");
	}
	say(watch_runs() ? "" : "no handler has run\n");
	say("done\n");
	_exit(0);
}
