/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_inside.c - is an interrupted thread inside PAPI? Asked by a handler in every place
 * that differs: PAPI's code, what it calls, what calls it, other stacks, old words. PAPI
 * is played by a section of this program, and is itself where it can be loaded.
 */
#include <dlfcn.h>
#include <link.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "../../lib/signal_frame.h"
#include "../unit_test.h"

#include "../../../src/mpx/core/error.h"
#include "../../../src/mpx/ticker/inside.h"
#include "../../../src/mpx/ticker/inside_program.h"
#include "../../../src/mpx/ticker/tick.h"

#define papi_like __attribute__((section("papi_like"), noinline))
#define plain __attribute__((noinline))

extern const char __start_papi_like[], __stop_papi_like[];

static volatile int answer, has_room, depth;

/* If not 0, the end of the stack as the one who asks sees it: what libc's functions have
 * left below is not looked through. */
static volatile uintptr_t from;

static void ask(int signo, siginfo_t *info, void *context)
{
	ucontext_t there = *(ucontext_t *)context;

	(void)signo;
	(void)info;
#if defined(__x86_64__)
	if (from)
		there.uc_mcontext.gregs[REG_RSP] = (greg_t)from;
#elif defined(__aarch64__)
	if (from)
		there.uc_mcontext.sp = from;
#endif
	answer = mpxi_inside_sig(&there);
	has_room = mpxi_has_room_sig(context);
}

static plain void question(void)
{
	answer = -1;
	raise(SIGUSR2);
}

/* Variables on the stack itself: AddressSanitizer may put them elsewhere. */
#define on_the_stack __attribute__((no_sanitize("address")))

/* Clears what earlier calls have left there, which would be found instead. */
static plain on_the_stack void wipe(void)
{
	volatile uintptr_t words[1024];
	unsigned i;

	for (i = 0; i < 1024; i++)
		words[i] = 0;
	depth += (int)words[0];
}

static papi_like void pretend_to_call(void (*function)(void))
{
	function();
	depth++; /* no tail call */
}

static papi_like void pretend_to_count(void)
{
	pthread_kill(pthread_self(), SIGUSR2);
	depth++;
}

/* A second library, which nobody knows at first. */
__attribute__((section("papi_like_too"), noinline)) static void pretend_elsewhere(void (*function)(void))
{
	function();
	depth++;
}

extern const char __start_papi_like_too[], __stop_papi_like_too[];

static int setup(void **state)
{
	struct sigaction action = {.sa_sigaction = ask, .sa_flags = SA_SIGINFO};
	int error = mpxi_inside_prepare();

	(void)state;
	sigaction(SIGUSR2, &action, NULL);
	if (error && error != MPXI_ENOSUPP)
		return error;
	return mpxi_inside_add((uintptr_t)__start_papi_like, (uintptr_t)__stop_papi_like);
}

TEST(outside)
{
	question();
	assert_int_equal(answer, 0);
}

TEST(in_what_it_calls)
{
	answer = -1;
	pretend_to_count();
	assert_int_equal(answer, 1);
	pretend_to_call(question);
	assert_int_equal(answer, 1);
	wipe();
	question();
	assert_int_equal(answer, 0);
}

/* A context whose program counter is in the code itself. */
#ifdef __x86_64__
static void ask_as_if_there(int signo, siginfo_t *info, void *context)
{
	ucontext_t there = *(ucontext_t *)context;

	(void)signo;
	(void)info;
	there.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)__start_papi_like;
	answer = mpxi_inside_sig(&there);
	there.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)__stop_papi_like;
	answer += 2 * mpxi_inside_sig(&there);
}

TEST(in_its_code)
{
	struct sigaction action = {.sa_sigaction = ask_as_if_there, .sa_flags = SA_SIGINFO}, old;

	sigaction(SIGUSR2, &action, &old);
	question();
	sigaction(SIGUSR2, &old, NULL);
	assert_int_equal(answer, 1);
}
#endif

/* A live frame with words in it that are no return addresses. */
static plain on_the_stack void leave_words(void)
{
	volatile uintptr_t words[64];
	int i;

	for (i = 0; i < 64; i++)
		words[i] = (uintptr_t)__start_papi_like + 1;
	depth += (int)(words[0] & 1);
	question();
}

/* They may be PAPI's, as this program has its code; but not in a hundred ticks and 0.4 s. */
TEST(old_words)
{
	struct timespec begin, now;
	unsigned yes = 0;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (leave_words(); answer == 1; leave_words())
		yes++;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	assert_int_equal(answer, 0);
	assert_in_range(yes, 99, UINT_MAX);
	assert_in_range((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000, 399,
			60000);
	/* From the start again. */
	leave_words();
	assert_int_equal(answer, 1);
	pretend_to_call(leave_words);
	assert_int_equal(answer, 1);
}

/* A question that is asked from here: what lies further down is libc's. */
static plain on_the_stack void question_from_here(void)
{
	volatile uintptr_t words[40] = {0};

	from = (uintptr_t)words;
	question();
	from = 0;
	depth += (int)words[0];
}

/* A function's address would be found as well as a return address: it has a number. */
enum way {
	DIRECTLY,
	BY_PAPI,
	BY_ANOTHER,
};

static plain void ask_by(enum way way)
{
	if (way == BY_PAPI)
		pretend_to_call(question_from_here);
	else if (way == BY_ANOTHER)
		pretend_elsewhere(question_from_here);
	else
		question_from_here();
	depth++;
}

static bool is_of_the_second(uintptr_t address)
{
	return address >= (uintptr_t)__start_papi_like_too && address < (uintptr_t)__stop_papi_like_too;
}

/* The return address lies so many words further down. */
static plain void ask_further_down(enum way way, unsigned room)
{
	volatile uintptr_t words[room + 1];
	uintptr_t before = (uintptr_t)__start_papi_like - 1, behind = (uintptr_t)__stop_papi_like;
	unsigned i;

	/* Addresses close to the libraries' are none of them. One library may follow upon the other. */
	if (is_of_the_second(before))
		before = (uintptr_t)__start_papi_like_too - 1;
	if (is_of_the_second(behind))
		behind = (uintptr_t)__stop_papi_like_too;
	for (i = 0; i <= room; i++)
		words[i] = i % 2 ? before : behind;
	wipe();
	ask_by(way);
	depth += (int)(words[room] & 1);
}

/* The one return address lies at any place among the words that are looked at together.
 * In a thread of its own: nothing older lies on its stack. */
static void *in_any_place(void *way)
{
	static unsigned failures;
	unsigned room;

	mpxi_inside_prepare();
	for (failures = room = 0; room < 200; room++) {
		ask_further_down(DIRECTLY, room);
		failures += answer != 0;
		ask_further_down(*(enum way *)way, room);
		failures += answer != 1;
	}
	mpxi_inside_leave();
	return &failures;
}

static unsigned failures_in_any_place(enum way way)
{
	pthread_t thread;
	void *failures;

	assert_int_equal(pthread_create(&thread, NULL, in_any_place, &way), 0);
	pthread_join(thread, &failures);
	return *(unsigned *)failures;
}

TEST(any_place)
{
	assert_int_equal(failures_in_any_place(BY_PAPI), 0);
}

TEST(two_libraries)
{
	pretend_elsewhere(question);
	assert_int_equal(answer, 0);
	assert_int_equal(mpxi_inside_add((uintptr_t)__start_papi_like_too, (uintptr_t)__stop_papi_like_too),
			 0);
	assert_int_equal(failures_in_any_place(BY_ANOTHER), 0);
	assert_int_equal(failures_in_any_place(BY_PAPI), 0);
}

static void handler_of_the_program(int signo)
{
	(void)signo;
	question();
	depth++;
}

static plain void interrupt(void)
{
	raise(SIGUSR1);
	depth++;
}

/* In a thread of its own, with nothing older on its stacks. */
static void *alone(void *function)
{
	const size_t size = 256 << 10;
	const stack_t none = {.ss_flags = SS_DISABLE};
	stack_t alternate = {.ss_size = size};

	alternate.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mpxi_inside_prepare();
	sigaltstack(&alternate, NULL);
	((void (*)(void))(uintptr_t)function)();
	sigaltstack(&none, NULL);
	munmap(alternate.ss_sp, size);
	mpxi_inside_leave();
	return NULL;
}

static int answer_alone(void (*function)(void))
{
	const size_t size = 1 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	answer = -1;
	assert_ptr_not_equal(memory, MAP_FAILED);
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstack(&attr, memory, size), 0);
	assert_int_equal(pthread_create(&thread, &attr, alone, (void *)(uintptr_t)function), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	munmap(memory, size);
	return answer;
}

static bool is_under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload_");
}

static void papi_is_interrupted(void)
{
	pretend_to_call(interrupt);
}

TEST(in_another_handler)
{
	struct sigaction action = {.sa_handler = handler_of_the_program};
	int turn;

	for (turn = 0; turn < 2; turn++) {
		action.sa_flags = turn ? SA_ONSTACK : 0;
		sigaction(SIGUSR1, &action, NULL);
		/* Valgrind's frames of signals are not the kernel's: not known there. */
		if (!turn || !is_under_valgrind())
			assert_int_equal(answer_alone(interrupt), 0);
		assert_int_equal(answer_alone(papi_is_interrupted), 1);
		assert_int_equal(has_room, 1);
	}
	signal(SIGUSR1, SIG_DFL);
}

/* Checks the room on an alternate stack of this size that begins "below" bytes under the function's own
 * frame. */
__attribute__((noinline)) static int has_room_on(uintptr_t below, size_t size)
{
	ucontext_t there = {0};

	there.uc_stack.ss_sp = (char *)__builtin_frame_address(0) - below;
	there.uc_stack.ss_size = size;
	return mpxi_has_room_sig(&there);
}

TEST(room_on_an_alternate_stack)
{
	const size_t frame = signal_frame();
	const size_t little = 2 * frame + (12 << 10);
	static char stack[256 << 10];
	struct sigaction action = {.sa_handler = handler_of_the_program, .sa_flags = SA_ONSTACK};
	/* The end of it, so that what is below it is the test's as well. */
	stack_t alternate = {.ss_sp = stack + sizeof(stack) - little, .ss_size = little};
	const stack_t none = {.ss_flags = SS_DISABLE};

	/* Small ones, and large ones of which little is left. */
	assert_false(has_room_on(4 << 10, 8 << 10));
	assert_false(has_room_on(8 << 10, 8 << 10 | 64));
	assert_false(has_room_on(8 << 10, 256 << 10));
	assert_true(has_room_on(24 << 10, 256 << 10));
	/* Others than that on which the handler stands. */
	assert_true(has_room_on(12 << 10, 8 << 10));
	assert_true(has_room_on((uintptr_t)-4096, 2048));
	assert_true(has_room_on(0, 0));
	/* The kernel tells so. */
	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	interrupt();
#ifndef __SANITIZE_THREAD__ /* it calls handlers on other stacks */
	assert_int_equal(has_room, 0);
#endif
	alternate = (stack_t){.ss_sp = stack, .ss_size = sizeof(stack)};
	sigaltstack(&alternate, NULL);
	interrupt();
	assert_int_equal(has_room, 1);
	sigaltstack(&none, NULL);
	interrupt();
	assert_int_equal(has_room, 1);
	signal(SIGUSR1, SIG_DFL);
}

static plain void deep(int n)
{
	volatile char some[64];

	some[0] = (char)n;
	if (n)
		deep(n - 1);
	else
		question();
	depth += some[0];
}

static void from_deep_down(void)
{
	deep(200);
}

static plain void very_deep(int n)
{
	volatile char much[8192];

	much[0] = (char)n;
	if (n)
		very_deep(n - 1);
	else
		question();
	depth += much[0];
}

TEST(deep_stacks)
{
	wipe();
	from_deep_down();
	assert_int_equal(answer, 0);
	pretend_to_call(from_deep_down);
	assert_int_equal(answer, 1);
	wipe();
	very_deep(100);
	assert_int_equal(answer, 0);
}

static void *in_a_thread(void *prepare)
{
	static int failures;

	if (prepare)
		mpxi_inside_prepare();
	question();
	/* A thread that is not prepared is not known. */
	failures = answer != !prepare;
	pretend_to_call(question);
	failures += answer != 1;
	mpxi_inside_leave();
	return failures ? &failures : NULL;
}

TEST(threads)
{
	int prepare;

	for (prepare = 0; prepare < 2; prepare++) {
		pthread_t thread;
		void *failed;

		assert_int_equal(pthread_create(&thread, NULL, in_a_thread, prepare ? &thread : NULL), 0);
		pthread_join(thread, &failed);
		assert_null(failed);
	}
}

/* PAPI's frame lies under a large one of a handler's: it is looked for as far. */
static void handler_with_a_large_frame(int signo)
{
	volatile char large[1 << 20];

	(void)signo;
	large[0] = 1;
	question();
	depth += large[0];
}

static plain void interrupt_largely(void)
{
	raise(SIGUSR1);
	depth++;
}

TEST(large_frames)
{
	struct sigaction action = {.sa_handler = handler_with_a_large_frame};

	sigaction(SIGUSR1, &action, NULL);
	wipe();
	interrupt_largely();
	assert_int_equal(answer, 0);
	pretend_to_call(interrupt_largely);
	assert_int_equal(answer, 1);
	signal(SIGUSR1, SIG_DFL);
}

/* Another stack: the words are copied, up to memory that is not there. */
static ucontext_t here, there;
static void (*asked_there)(void);

static void on_the_other_stack(void)
{
	asked_there();
}

static void call_papi(void)
{
	pretend_to_call(question);
}

static int ask_there(void (*function)(void), size_t size)
{
	const size_t page = 65536;
	char *memory =
		mmap(NULL, size + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	mprotect(memory, page, PROT_NONE);
	mprotect(memory + page + size, page, PROT_NONE);
	asked_there = function;
	getcontext(&there);
	there.uc_stack.ss_sp = memory + page;
	there.uc_stack.ss_size = size;
	there.uc_link = &here;
	makecontext(&there, on_the_other_stack, 0);
	swapcontext(&here, &there);
	munmap(memory, size + 2 * page);
	return answer;
}

TEST(other_stacks)
{
	static const size_t sizes[] = {64 << 10, 128 << 10, 1 << 20};
	unsigned i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(ask_there(question, sizes[i]), 0);
		assert_int_equal(ask_there(call_papi, sizes[i]), 1);
	}
}

TEST(bad_ranges)
{
	assert_int_equal(mpxi_inside_add(0, 1), MPXI_EINVAL);
	assert_int_equal(mpxi_inside_add(2, 2), MPXI_EINVAL);
	assert_int_equal(mpxi_inside_add(3, 2), MPXI_EINVAL);
	assert_int_equal(mpxi_inside_add((uintptr_t)__start_papi_like, (uintptr_t)__stop_papi_like), 0);
}

static int bias_of_program(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1; /* the first is the program */
}

/* This program has libmpx in itself, with the files that it shares with libupc, and neither
 * libupc nor PAPI: nothing of it is theirs. */
TEST(what_is_shared)
{
	struct mpxi_code code[4], own[2];
	uintptr_t bias = 0;

	dl_iterate_phdr(bias_of_program, &bias);
	assert_int_equal(mpxi_inside_program(bias, code, own), 0);
}

/* PAPI calls back for the thread's number. */
static unsigned long thread_number(void)
{
	question();
	return 1;
}

TEST(papi_itself)
{
	void *papi;
	int (*init)(int), (*thread_init)(unsigned long (*)(void));
	const int version = PAPI_VER_CURRENT;
	char soname[32];

	snprintf(soname, sizeof(soname), "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(version),
		 PAPI_VERSION_MINOR(version));
	papi = dlopen(soname, RTLD_NOW);
	if (!papi)
		skip_because("%s", dlerror());
	*(void **)&init = dlsym(papi, "PAPI_library_init");
	*(void **)&thread_init = dlsym(papi, "PAPI_thread_init");
	assert_non_null((void *)init);
	assert_non_null((void *)thread_init);
	assert_int_equal(init(version), version);
	mpxi_inside_prepare();
	assert_int_equal(answer_alone(question), 0);
	answer = -1;
	assert_int_equal(thread_init(thread_number), 0);
	assert_int_equal(answer, 1);
}

UNIT_TESTS(mpx_inside, setup, NULL)
