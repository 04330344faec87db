#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sim_exact.sh - each number says whether it is exact: what is, is the truth by construction, and
# what is not is marked, and no other. $UPC_RUN is the tool, $UPC_SIM_PLUGIN the simulator.
tool=${UPC_RUN:-upc_run}
. "${srcdir:?}/ctests/utils.inc"
export UPC_SIM_PLUGIN

if cannot_simulate; then
	echo "1..0 # SKIP $missing"
	exit 0
fi
case $(${CC:-cc} -dumpmachine) in
x86_64-*) ;;
*)
	echo "1..0 # SKIP ${CC:-cc} makes no programs for x86-64"
	exit 0
	;;
esac

plan 37

# exact STATUS EXPECTED OPTION... PROGRAM...: "REGION EXACT" of the whole run's lines of
# INSTRUCTIONS, "run" for all of it
exact()
{
	status=$1
	expected=$2
	shift 2
	run "$status" -f csv -o csv -e INSTRUCTIONS "$@"
	got=$(awk -F, '$1 == "run" && $5 == "INSTRUCTIONS" { print ($4 ? $4 : "run"), $10 }' csv | tr '\n' ' ')
	[ "$got" = "$expected " ] || { echo "# $got, not $expected"; false; }
}

# ---- ends ------------------------------------------------------------------------------------

cat > ends.c << 'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void *sleeper(void *p)
{
	pause();
	return p;
}
__attribute__((noinline)) void inside(char how)
{
	if (how == 'f')
		*(volatile int *)8 = 1;
	if (how == 'a')
		abort();
	if (how == 'k')
		kill(getpid(), SIGKILL);
	if (how == 'r')
		raise(SIGSEGV);
}
__attribute__((noinline)) void before(void)
{
	__asm__ volatile("");
}
int main(int argc, char **argv)
{
	pthread_t thread;

	before();
	if (argc > 2)
		pthread_create(&thread, 0, sleeper, 0);
	while (argc > 2 && usleep(20000))
		;
	inside(argv[1][0]);
	return 0;
}
C
${CC:-cc} -O1 -pthread -o ends ends.c || exit 1
check "a program that ends is exact" exact 0 "run exact before exact inside exact" -R before -R inside ./ends e
check "... that is ended by a fault is not, nor the function that it was in" \
	exact 139 "run at most before exact inside at most" -R before -R inside ./ends f
check "... and says so" grep -q 'not exact: the whole run, inside: a thread ended within a block' csv
check "... that aborts is exact" exact 134 "run exact before exact inside exact" -R before -R inside ./ends a
check "... that raises a fault's signal, too" \
	exact 139 "run exact before exact inside exact" -R before -R inside ./ends r
check "... and one that kills itself" exact 137 "run exact before exact inside exact" -R before -R inside ./ends k
# only_main: of the threads, the first one only
threads()
{
	run 139 -t -f csv -o csv -e INSTRUCTIONS ./ends f with &&
		[ "$(awk -F, '$1 == "thread" { print $10 }' csv | sort | tr '\n' ' ')" = "at most exact " ]
}
check "of two threads, one of which sleeps, only the other is not" threads
text()
{
	run 139 -R before -R inside -o text ./ends f && grep -q ' <=whole run  *before$' text &&
		grep -q ' <=inside$' text && grep -q 'The truth is at most' text
}
check "the table has a mark" text

# ---- stacks ----------------------------------------------------------------------------------

# region NAME INSTRUCTIONS EXACT: of the last run
region()
{
	got=$(awk -F, -v region="$1" '$1 == "run" && $4 == region && $5 == "INSTRUCTIONS" { print $6, $10 }' csv)
	[ "$got" = "$2 $3" ] || { echo "# $1: $got, not $2 $3"; false; }
}
# is NAME EXACT
is()
{
	awk -F, -v region="$1" -v exact="$2" '$1 == "run" && $4 == region && $5 == "INSTRUCTIONS" {
			found = 1
			bad = $10 != exact
		}
		END { exit !found || bad }' csv || { echo "# $1 is not '$2'"; false; }
}

# A loop of 1,000 is 2,001 instructions, plain 4,004 with what returns from it.
cat > stacks.c << 'C'
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>
#define SPIN do { long i = 1000; __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(i) :: "cc"); } while (0)
static ucontext_t main_context, other;
static char stack[65536];
static jmp_buf back;
__attribute__((noinline)) void yields(void)
{
	for (int i = 0; i < 10; i++) {
		SPIN;
		swapcontext(&other, &main_context);
	}
}
__attribute__((noinline)) void plain(void)
{
	SPIN;
}
__attribute__((noinline)) void leaves(void)
{
	SPIN;
	longjmp(back, 1);
}
__attribute__((noinline)) void caught(void)
{
	if (!setjmp(back))
		leaves();
	SPIN;
}
void resumes(void);
__asm__("\t.globl pushed\n\t.type pushed, @function\npushed:\tmov $1000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n");
static void coroutine(void)
{
	plain();
	yields();
	plain();
}
__attribute__((noinline)) void resumes(void)
{
	swapcontext(&main_context, &other);
	__asm__ volatile("");
}
__attribute__((noinline)) void jumps(void)
{
	__asm__ volatile("lea 1f(%%rip), %%rax\n\tsub $128, %%rsp\n\tpush %%rax\n\tjmp pushed\n1:\tadd $128, %%rsp"
			 ::: "rax", "rcx", "memory", "cc");
	SPIN;
}
int main(int argc, char **argv)
{
	(void)argc;
	plain();
	if (strchr(argv[1], 'c')) {
		getcontext(&other);
		other.uc_stack.ss_sp = stack;
		other.uc_stack.ss_size = sizeof(stack);
		other.uc_link = &main_context;
		makecontext(&other, coroutine, 0);
		for (int i = 0; i < 11; i++)
			resumes();
	}
	if (strchr(argv[1], 'l') && !setjmp(back))
		leaves();
	if (strchr(argv[1], 'l'))
		caught();
	if (strchr(argv[1], 'p'))
		jumps();
	plain();
	return 0;
}
C
${CC:-cc} -O1 -o stacks stacks.c || exit 1
stacks()
{
	run 0 -f csv -o csv -e INSTRUCTIONS -R main -R plain -R yields -R resumes -R leaves -R caught -R pushed \
		-R jumps ./stacks "$1"
}
check "a coroutine" stacks c
coroutine()
{
	is "" exact && is yields "at least" && is resumes exact && is main exact && region plain 8008 exact
}
check "... marks the function that it goes out of and into, and no other" coroutine
check "... and says why" grep -q 'not exact: yields: it was left or entered by a change of stacks' csv
check "longjmp" stacks l
longjmp()
{
	is main exact && is leaves exact && is caught exact && region plain 4004 exact
}
check "... marks nothing" longjmp
# Not with the loop that follows in caught.
left()
{
	got=$(awk -F, '$4 == "leaves" && $5 == "INSTRUCTIONS" { print $6 }' csv)
	[ "$got" -gt 4002 ] && [ "$got" -lt 6003 ]
}
check "... and ends what it leaves" left
check "a function that is entered by push and jmp" stacks p
push()
{
	region pushed 2002 "at least" && is main exact && is plain exact && is jumps exact
}
check "... is marked, and no other" push

# The same where nobody has called: seven times 1,000 instructions.
cat > outermost.S << 'ASM'
	.globl _start, region
	.type region, @function
_start:	mov $7, %ebx
1:	call other
	lea 2f(%rip), %rax
	push %rax
	jmp region
2:	call other
	mov $10000, %ecx
3:	dec %ecx
	jnz 3b
	dec %ebx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
other:	ret
region:	mov $499, %ecx
4:	dec %ecx
	jnz 4b
	ret
	.size region, . - region
ASM
${CC:-cc} -static -nostdlib -o outermost outermost.S || exit 1
check "a function that the outermost one enters by push and jmp" \
	run 0 -f csv -o csv -e INSTRUCTIONS -R region ./outermost
check "... has what it did, and is marked" region region 7000 "at least"
check "... and so is how often it was entered" grep -q '^run,,,region,entered,,.*,uncounted,' csv

# Fibers that a loop resumes in turn. Each is ten times in worker, whose loop of 1,000 is 2,001 instructions.
cat > fibers.c << 'C'
#include <stdlib.h>
#include <ucontext.h>
#define SPIN do { long i = 1000; __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(i) :: "cc"); } while (0)
static ucontext_t loop_context, fiber[3];
static int now;
__attribute__((noinline)) void worker(void)
{
	SPIN;
	swapcontext(&fiber[now], &loop_context);
	SPIN;
}
static void run_fiber(void)
{
	for (int i = 0; i < 10; i++)
		worker();
	for (;;)
		swapcontext(&fiber[now], &loop_context);
}
/* A generator: all that it does is for who resumes it. */
__attribute__((noinline)) void takes(void)
{
	for (now = 0; now < 3; now++)
		swapcontext(&loop_context, &fiber[now]);
}
int main(void)
{
	for (int i = 0; i < 3; i++) {
		getcontext(&fiber[i]);
		fiber[i].uc_stack.ss_sp = malloc(65536);
		fiber[i].uc_stack.ss_size = 65536;
		makecontext(&fiber[i], run_fiber, 0);
	}
	for (int i = 0; i < 15; i++)
		takes();
	return 0;
}
C
${CC:-cc} -O1 -o fibers fibers.c || exit 1
check "fibers that are left and resumed in the middle of a function" \
	run 0 -f csv -o csv -e INSTRUCTIONS -R worker -R takes -R main ./fibers
# between REGION LOW HIGH EXACT
between()
{
	awk -F, -v region="$1" -v low="$2" -v high="$3" -v exact="$4" '
		$1 == "run" && $4 == region && $5 == "INSTRUCTIONS" {
			print "# " region ": " $6 " " $10
			found = 1
			bad = $10 != exact || $6 < low || $6 > high
		}
		END { exit !found || bad }' csv
}
fibers()
{
	between worker 60000 $((60 * 2001 + 60 * 80)) "at least" && between takes 120060 200000 exact &&
		between main 120060 220000 exact
}
check "... have at least what they did until then, and who resumes them has all" fibers

# ---- threads that are none of OpenMP ----------------------------------------------------------

# One waits for work, which posts gives it; another one competes for a lock.
cat > own.c << 'C'
#include <pthread.h>
#define WORK do { long i = 10000; __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(i) :: "cc"); } while (0)
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int jobs, finished, ready;
static void *worker(void *p)
{
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&done);
	while (jobs >= 0) {
		if (jobs == 0) {
			pthread_cond_wait(&more, &lock);
			continue;
		}
		jobs--;
		WORK;
		finished++;
		pthread_cond_signal(&done);
	}
	pthread_mutex_unlock(&lock);
	return p;
}
static void *nothing(void *p)
{
	WORK;
	return p;
}
__attribute__((noinline)) void alone(void)
{
	int i;

	for (i = 0; i < 1000; i++) {
		pthread_mutex_lock(&other);
		WORK;
		pthread_mutex_unlock(&other);
	}
}
static void *competes(void *p)
{
	alone();
	return p;
}
__attribute__((noinline)) void posts(void)
{
	pthread_mutex_lock(&lock);
	jobs++;
	pthread_cond_signal(&more);
	while (finished == 0)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) void starts(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, nothing, 0);
	pthread_join(thread, 0);
}
/* The thread that it makes makes another. */
static void *makes(void *p)
{
	pthread_t thread;

	WORK;
	pthread_create(&thread, 0, nothing, 0);
	pthread_join(thread, 0);
	return p;
}
__attribute__((noinline)) void starts_two(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, makes, 0);
	pthread_join(thread, 0);
}
static int goes_on;
static void *outlives(void *p)
{
	WORK;
	pthread_mutex_lock(&lock);
	goes_on = 1;
	pthread_cond_broadcast(&done);
	while (goes_on == 1)
		pthread_cond_wait(&more, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 100; i++)
		WORK;
	return p;
}
__attribute__((noinline)) pthread_t leaves_one(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, outlives, 0);
	pthread_mutex_lock(&lock);
	while (!goes_on)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	return thread;
}
int main(void)
{
	pthread_t pool, rival, left;

	pthread_create(&pool, 0, worker, 0);
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	pthread_create(&rival, 0, competes, 0);
	alone();
	pthread_join(rival, 0);
	posts();
	starts();
	starts_two();
	left = leaves_one();
	pthread_mutex_lock(&lock);
	goes_on = 2;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	pthread_join(left, 0);
	pthread_mutex_lock(&lock);
	jobs = -1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	pthread_join(pool, 0);
	return 0;
}
C
${CC:-cc} -O1 -pthread -o own own.c || exit 1
check "a program with a pool of threads" run 0 -f csv -o csv -e INSTRUCTIONS -R main -R posts -R starts -R alone \
	-R starts_two -R leaves_one ./own
check "... who gives work to others has at least his own" is posts "at least"
# Beside the loops, 20,001 instructions each, there is what makes and joins threads.
check "... who starts a thread has what that does" between starts 20001 40000 exact
check "... and what those do that it starts" between starts_two 40002 80000 exact
check "... but of one that outlives it only what it does until then" between leaves_one 20001 100000 "at least"
check "... and says so" grep -q 'not exact: posts, leaves_one: threads that it woke, or that it started and that outlived it' csv
check "... and main, which joins all of them, has the whole" is main exact
check "... and not who only waits for a lock" is alone exact
check "... nor does that concern the whole" is "" exact

if ! command -v "${CXX:-c++}" > missing; then
	skip_rest "C++ exceptions" "there is no C++ compiler"
	exit 0
fi
cat > async.cc << 'C'
#include <future>
#define WORK do { long i = 10000; __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(i) :: "cc"); } while (0)
extern "C" __attribute__((noinline)) int asks(void)
{
	std::future<int> first = std::async(std::launch::async, [] { WORK; return 1; }),
			 second = std::async(std::launch::async, [] { WORK; return 2; });
	return first.get() + second.get();
}
int main()
{
	return asks() != 3;
}
C
"${CXX:-c++}" -O1 -pthread -o async async.cc || exit 1
async()
{
	run 0 -f csv -o csv -e INSTRUCTIONS -R asks ./async && between asks 40002 200000 exact
}
check "std::async: what it runs in threads of its own" async
cat > thrown.cc << 'C'
#include <cstring>
#define SPIN(n) do { long i = (n); __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(i) :: "cc"); } while (0)
extern "C" {
__attribute__((noinline)) void thrower(int depth)
{
	if (depth) {
		thrower(depth - 1);
		SPIN(1);
		return;
	}
	throw 1;
}
__attribute__((noinline)) void inside(void)
{
	try {
		thrower(5);
	} catch (int) {
		SPIN(1000);
	}
	SPIN(1000);
}
__attribute__((noinline)) void outside(void)
{
	thrower(5);
	SPIN(1000);
}
__attribute__((noinline)) void clean(void)
{
	SPIN(1000);
}
}
int main(int argc, char **argv)
{
	clean();
	for (int k = 0; k < 2; k++) {
		if (argc > 1 && std::strchr(argv[1], 'i'))
			inside();
		if (argc > 1 && std::strchr(argv[1], 'o')) {
			try {
				outside();
			} catch (int) {
				SPIN(5000);
			}
		}
		clean();
	}
	return 0;
}
C
"${CXX:-c++}" -O1 -o thrown thrown.cc && "${CXX:-c++}" -O1 -static -o thrown_static thrown.cc || exit 1
thrown()
{
	run 0 -f csv -o csv -e INSTRUCTIONS -R main -R clean -R inside -R outside -R thrower "$@"
}
for program in ./thrown ./thrown_static; do
	check "$program: an exception that is caught inside a function" thrown $program i
	caught()
	{
		is main exact && is inside exact && region clean 6006 exact && is thrower "at least"
	}
	check "... marks what it leaves, and not that" caught
done
check "one that is caught outside" thrown ./thrown o
outside()
{
	is main exact && between outside 20 300000 "at least" && is thrower "at least" && region clean 6006 exact
}
check "... marks it" outside
