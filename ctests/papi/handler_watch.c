/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handler_watch.c - see handler_watch.h.
 */
#pragma GCC visibility push(default) /* libraries are to find these functions */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
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
#include <ucontext.h>
#include <unistd.h>

#include "handler_watch.h"

static __thread volatile int depth __attribute__((tls_model("initial-exec")));
static unsigned runs, chosen;
static uint64_t allowed;
static int report = -1;

/* A sanitizer has these functions already, and handlers.c skips all then. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHES 0
#else
#define WATCHES 1
#endif

/* ---- functions ------------------------------------------------------------------- */

#define BLAMED_MAX 32

static const char *blamed[BLAMED_MAX]; /* of any thread */

#if WATCHES
static void blame(const char *function)
{
	const char *none;
	unsigned i;

	if (!depth)
		return;
	for (i = 0; i < BLAMED_MAX; i++) {
		none = NULL;
		if (__atomic_compare_exchange_n(&blamed[i], &none, function, 0, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) ||
		    none == function)
			return;
	}
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
#define WATCH3(type, name, a, b, c)        \
	type name(a x, b y, c z)           \
	{                                  \
		REAL(type, name, a, b, c); \
		return real(x, y, z);      \
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
WATCH2(int, putc, int, FILE *)
WATCH1(int, putchar, int)
WATCH3(int, posix_memalign, void **, size_t, size_t)
WATCH2(void *, aligned_alloc, size_t, size_t)
WATCH1(char *, strdup, const char *)
WATCH2(int, pthread_mutex_timedlock, pthread_mutex_t *, const struct timespec *)
WATCH1(int, pthread_spin_lock, pthread_spinlock_t *)
WATCH3(int, pthread_cond_timedwait, pthread_cond_t *, pthread_mutex_t *, const struct timespec *)
WATCH2(int, sem_timedwait, sem_t *, const struct timespec *)
WATCH1(char *, strsignal, int)
WATCH1(int, dlclose, void *)
WATCH1(char *, getenv, const char *)

/* pthread_once is only a load once the routine has run: the C library has set this bit then. The
 * unwinder calls it. */
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

/* vsnprintf is not watched, since handlers use it: it takes no lock and no stream, and malloc
 * reports an allocation for a wide field. */
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

int vprintf(const char *format, va_list args)
{
	return vfprintf(stdout, format, args);
}

#define WITH_ARGS(call)         \
	va_list args;           \
	int n;                  \
                                \
	va_start(args, format); \
	n = call;               \
	va_end(args);           \
	return n

int printf(const char *format, ...)
{
	WITH_ARGS(vfprintf(stdout, format, args));
}

/* The same functions under their names in code that the compiler checks (_FORTIFY_SOURCE). */
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
	(void)flag;
	WITH_ARGS(vfprintf(file, format, args));
}

int __printf_chk(int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...)
{
	(void)flag;
	WITH_ARGS(vfprintf(stdout, format, args));
}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list args);
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list args)
{
	(void)flag;
	return vfprintf(file, format, args);
}

#endif /* WATCHES */

/* ---- system calls ------------------------------------------------------------------ */

#define ANY UINT32_MAX /* any request; also for calls that have none */

#define ROW(name, call, request, why) {#call, #request, SYS_##call, (uint32_t)(request)},
static const struct {
	const char *name, *what;
	uint32_t number, request;
} calls[] = {WATCH_CALLS(ROW)};
#undef ROW
_Static_assert(WATCH_ALL <= 64, "a bit for each");

/* The calls that every case may make: they end a handler, and this process. */
static const uint32_t always[] = {SYS_rt_sigreturn, SYS_exit_group};

static void say(const char *text)
{
	if (write(report, text, strlen(text)) < 0)
		_exit(3);
}

/* Writes the number in hexadecimal, without stdio. */
static void say_number(uint64_t number)
{
	char text[] = "0x0000000000000000", *digit = text + sizeof(text) - 1;

	for (; number; number >>= 4)
		*--digit = "0123456789abcdef"[number & 15];
	say(text);
}

static uint64_t second_argument(const void *context)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	return (uint64_t)u->uc_mcontext.gregs[REG_RSI];
#elif defined(__aarch64__)
	return u->uc_mcontext.regs[1];
#else
	(void)u;
	return ANY;
#endif
}

static void on_refused(int number, siginfo_t *info, void *context)
{
	const uint32_t call = (uint32_t)info->si_syscall, request = (uint32_t)second_argument(context);
	unsigned i;

	(void)number;
	for (i = 0; i < WATCH_ALL; i++)
		if (calls[i].number == call && (calls[i].request == ANY || calls[i].request == request))
			break;
	if (i < WATCH_ALL)
		say(calls[i].name);
	else
		say_number(call);
	say(" ");
	if (i < WATCH_ALL && calls[i].request != ANY)
		say(calls[i].what);
	else if (call == SYS_ioctl)
		say_number(request);
	say(" is a system call that its handlers may not make\n");
	_exit(0);
}

/* The filter's code. */
static struct sock_filter code[2 * WATCH_ALL + 16];
static unsigned short length;

static void put(struct sock_filter instruction)
{
	code[length++] = instruction;
}

static void put_allow(uint32_t value)
{
	put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
	put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

static void put_load(size_t offset)
{
	put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void put_trap(void)
{
	put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
}

/* The lower half of an argument: requests and descriptors are of 32 bits. */
#define ARGUMENT(n) offsetof(struct seccomp_data, args[n])

static void write_filter(void)
{
	unsigned i;

	put_load(offsetof(struct seccomp_data, nr));
	for (i = 0; i < sizeof(always) / sizeof(*always); i++)
		put_allow(always[i]);
	for (i = 0; i < WATCH_ALL; i++)
		if (allowed >> i & 1 && calls[i].request == ANY)
			put_allow(calls[i].number);
	/* write to the report, which is this test's */
	put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 4));
	put_load(ARGUMENT(0));
	put_allow((uint32_t)report);
	put_trap();
	put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0));
	put_trap();
	put_load(ARGUMENT(1));
	for (i = 0; i < WATCH_ALL; i++)
		if (allowed >> i & 1 && calls[i].request != ANY)
			put_allow(calls[i].request);
	put_trap();
}

/* Refuses the calling thread's system calls from here on, except the allowed ones. */
static void refuse_others(void)
{
	const struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO};
	struct sock_fprog program = {.filter = code};
	sigset_t trap;

	write_filter();
	program.len = length;
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

/* Installs on_signal in front of the caller's handler; the caller is given its own handler when it asks. */
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

void watch_handlers(unsigned nth, uint64_t listed, int fd)
{
	chosen = nth;
	allowed = listed;
	report = fd;
}

unsigned watch_runs(void)
{
	return __atomic_load_n(&runs, __ATOMIC_SEQ_CST);
}

void watch_end(void)
{
	unsigned i;

	for (i = 0; i < BLAMED_MAX && blamed[i]; i++) {
		say(blamed[i]);
		say("\n");
	}
	say(watch_runs() ? "" : "no handler has run\n");
	say("done\n");
	_exit(0);
}
