/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_threads - sets of eight threads at once; a thread that ends while it
 * counts; a thread that starts and stops the set of another; names that all ask for at once.
 */
#include "papi_util.h"

#define THREADS 8
#define ROUNDS 20

struct worker {
	pthread_t thread;
	size_t pages;
	int set;
	int right;
	long long value;
	pthread_barrier_t *barrier;
};

static void *count_own(void *argument)
{
	struct worker *worker = argument;
	int round;

	worker->set = set_with(FAULTS);
	worker->right = worker->set != PAPI_NULL;
	pthread_barrier_wait(worker->barrier);
	for (round = 0; round < ROUNDS && worker->right; round++) {
		worker->right = PAPI_start(worker->set) == PAPI_OK;
		touch_pages(worker->pages);
		if (PAPI_stop(worker->set, &worker->value) != PAPI_OK ||
		    !about(worker->value, (long long)worker->pages))
			worker->right = 0;
	}
	drop(&worker->set);
	PAPI_unregister_thread();
	return NULL;
}

static void own_sets(void)
{
	struct worker workers[THREADS];
	pthread_barrier_t barrier;
	int i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.pages = 100 * (size_t)(i + 1), .barrier = &barrier};
		pthread_create(&workers[i].thread, NULL, count_own, &workers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < THREADS; i++)
		ok(workers[i].right, "thread %d counts its own %zu pages: %lld", i, workers[i].pages,
		   workers[i].value);
	pthread_barrier_destroy(&barrier);
}

static void *end_while_counting(void *argument)
{
	struct worker *worker = argument;

	worker->set = set_with(FAULTS);
	worker->right = worker->set != PAPI_NULL && PAPI_start(worker->set) == PAPI_OK;
	touch_pages(worker->pages);
	return NULL;
}

static void ended_thread(void)
{
	struct worker worker = {.pages = 300};
	long long value = -1;
	int set;
	int error;

	pthread_create(&worker.thread, NULL, end_while_counting, &worker);
	pthread_join(worker.thread, NULL);
	ok(worker.right, "a thread ended while its set counted");
	error = PAPI_read(worker.set, &value);
	ok(error == PAPI_OK && about(value, 300), "what it counted is still read: %lld (%s)", value,
	   PAPI_strerror(error));
	ok(PAPI_stop(worker.set, &value) == PAPI_OK, "another thread stops its set");
	ok(PAPI_cleanup_eventset(worker.set) == PAPI_OK && PAPI_destroy_eventset(&worker.set) == PAPI_OK,
	   "and destroys it");
	set = set_with(FAULTS);
	ok(set != PAPI_NULL && still_counts(set, 1), "others are not disturbed");
	drop(&set);
}

/*
 * PAPI forgets the sets of a thread that unregisters itself and never frees
 * them; the component does destroy their units.
 */
#ifdef __SANITIZE_ADDRESS__
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:create_EventSet\nleak:_papi_hwi_assign_eventset\nleak:libpapi\n";
}
#endif

static void *unregister_while_counting(void *argument)
{
	end_while_counting(argument);
	PAPI_unregister_thread();
	return NULL;
}

static void unregistered_thread(void)
{
	struct worker worker = {.pages = 10};
	int set;

	pthread_create(&worker.thread, NULL, unregister_while_counting, &worker);
	pthread_join(worker.thread, NULL);
	set = set_with(FAULTS);
	ok(worker.right && set != PAPI_NULL && still_counts(set, 1),
	   "a thread unregistered itself while its set counted");
	drop(&set);
}

static void *start_foreign(void *argument)
{
	struct worker *worker = argument;

	worker->right = PAPI_start(worker->set) == PAPI_OK;
	touch_pages(5000); /* not the set's thread: not counted */
	return NULL;
}

static void *stop_foreign(void *argument)
{
	struct worker *worker = argument;

	worker->right = PAPI_stop(worker->set, &worker->value) == PAPI_OK;
	return NULL;
}

/* The stranger is not registered with PAPI. */
static void foreign_thread(void)
{
	struct worker worker = {.set = set_with(FAULTS)};

	pthread_create(&worker.thread, NULL, start_foreign, &worker);
	pthread_join(worker.thread, NULL);
	ok(worker.right, "a foreign thread starts this thread's set");
	touch_pages(200);
	worker.right = 0;
	pthread_create(&worker.thread, NULL, stop_foreign, &worker);
	pthread_join(worker.thread, NULL);
	/* A pthread_create faults in a few pages of the new stack. */
	ok(worker.right && worker.value >= 200 && worker.value < 1000,
	   "it counted its owner's 200 pages: %lld", worker.value);
	drop(&worker.set);
}

/* PAPI keeps each spelling of a name apart, so that there are enough that nobody asked for yet. */
#define NAMES 300

struct asker {
	pthread_t thread;
	pthread_barrier_t *barrier;
	int code[NAMES];
};

static void spell(char name[64], unsigned spelling)
{
	char *letter = strcpy(name, FAULTS) + strlen("upc:::");

	for (; *letter; letter++)
		if (*letter >= 'A' && *letter <= 'Z') {
			if (spelling & 1)
				*letter += 'a' - 'A';
			spelling >>= 1;
		}
}

static void *ask(void *argument)
{
	struct asker *asker = argument;
	char name[64];
	unsigned i;

	/* PAPI_event_name_to_code is not for a thread that PAPI does not know. */
	PAPI_register_thread();
	for (i = 0; i < NAMES; i++) {
		spell(name, i + 1);
		pthread_barrier_wait(asker->barrier);
		if (PAPI_event_name_to_code(name, &asker->code[i]) != PAPI_OK)
			asker->code[i] = PAPI_NULL;
	}
	PAPI_unregister_thread();
	return NULL;
}

static void names_at_once(void)
{
	static struct asker askers[THREADS];
	pthread_barrier_t barrier;
	int i, k, known = 0, same = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		askers[i].barrier = &barrier;
		pthread_create(&askers[i].thread, NULL, ask, &askers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(askers[i].thread, NULL);
	for (i = 0; i < THREADS; i++)
		for (k = 0; k < NAMES; k++) {
			known += askers[i].code[k] != PAPI_NULL;
			same += askers[i].code[k] == askers[0].code[k];
		}
	ok(known == THREADS * NAMES, "%d threads ask for %d new names at once", THREADS, NAMES);
	ok(same == THREADS * NAMES, "a name has one code, whoever asked first: %d of %d", same,
	   THREADS * NAMES);
	pthread_barrier_destroy(&barrier);
}

int main(void)
{
	start_papi();
	own_sets();
	ended_thread();
	unregistered_thread();
	foreign_thread();
	names_at_once();
	PAPI_shutdown();
	return done();
}
