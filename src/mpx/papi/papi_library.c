/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_library.c - initializes PAPI for libmpx, before threads count.
 *
 * Terms: papi/papi_backend.h.
 */
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "papi/papi_group.h"
#include "papi/papi_set.h"

/* SETS is the number of elements to which PAPI's table of event sets is enlarged. SETS_LEFT of them are
 * left to the program. */
#define SETS 4096
#define SETS_LEFT 64

/*
 * Size of PAPI's table of event sets. PAPI looks sets up in this table without a lock, but
 * PAPI_create_eventset moves the table when it is full, so a handler in another thread could read freed
 * memory. Therefore libmpx enlarges the table while no thread counts, and uses no element near the table's
 * end. The table never shrinks, and PAPI gives the lowest free element to a new set.
 */
static atomic_int places; /* number of elements; mpxi_papi_new_set reads it in every thread */

static void grow_set_table(void)
{
	static int set[SETS];
	int n = 0, most = 0;

	while (n < SETS) {
		set[n] = PAPI_NULL;
		if (PAPI_create_eventset(&set[n]) != PAPI_OK)
			break;
		most = set[n] > most ? set[n] : most;
		n++;
	}
	while (n-- > 0)
		(void)PAPI_destroy_eventset(&set[n]);
	atomic_store(&places, most + 1);
}

int mpxi_papi_new_set(int *set)
{
	int error, most = atomic_load(&places) - SETS_LEFT;

	*set = PAPI_NULL;
	error = PAPI_create_eventset(set);
	if (error)
		return mpxi_error(error, "PAPI cannot create an event set: %s", mpxi_papi_words(error));
	if (*set < most)
		return PAPI_OK;
	(void)PAPI_destroy_eventset(set);
	*set = PAPI_NULL;
	return mpxi_error(MPXI_ENOMEM,
			  "PAPI has no more than %d event sets while threads count: use fewer threads, "
			  "or fewer events in each",
			  most);
}

/* True if PAPI has ended. If PAPI has been initialized again since then, it has no thread support before
 * mpxi_papi_init, which shows that it had ended. */
bool mpxi_papi_has_ended_sig(void)
{
	return PAPI_is_initialized() == PAPI_NOT_INITED || PAPI_thread_id() == (unsigned long)PAPI_EMISC;
}

/* Return PAPI's text for an error. While PAPI is not initialized, it has no text, and a fixed text is
 * returned. */
static const char *words_of(int error)
{
	const char *words = PAPI_strerror(error);

	return words && *words ? words : "an error without a name";
}

const char *mpxi_papi_words(int error)
{
	if (mpxi_papi_has_ended_sig())
		return "the program has ended PAPI (PAPI_shutdown): call mpx_library_shutdown, and "
		       "mpx_library_init anew";
	return words_of(error);
}

int mpxi_papi_is_there(void)
{
	if (!mpxi_papi_has_ended_sig())
		return PAPI_OK;
	return mpxi_error(PAPI_ENOINIT, "PAPI counts nothing: %s", mpxi_papi_words(PAPI_ENOINIT));
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects grown; nests in no other lock */
static atomic_uint beginnings; /* pairs with the load in mpxi_papi_beginnings, in any thread */
static int grown;              /* PAPI is initialized, and its table was enlarged */

/* Return the id of the calling thread, for PAPI. pthread_self would be unsuitable: a new thread may get
 * the value of an ended thread, and if the ended thread has never unregistered, PAPI would take the two
 * for the same. A forked child's thread keeps its id, since PAPI has it in its list with that id. */
static unsigned long my_id(void)
{
	static __thread unsigned long id;

	if (!id)
		id = (unsigned long)syscall(SYS_gettid);
	return id;
}

/* Enable threads in PAPI, which otherwise takes no locks at all. If the program has already passed an id
 * function to PAPI_thread_init, PAPI keeps that function. */
static int start_papi_threads(void)
{
	(void)PAPI_thread_init(my_id);
	if (PAPI_thread_id() != (unsigned long)PAPI_EMISC)
		return PAPI_OK;
	return mpxi_error(MPXI_ENOSUPP, "PAPI was used by several threads before PAPI_thread_init: call "
					"that, or MPX, first");
}

unsigned mpxi_papi_beginnings(void)
{
	return atomic_load(&beginnings);
}

int mpxi_papi_init(void)
{
	int version, error = PAPI_OK;

	pthread_mutex_lock(&lock);
	if (mpxi_papi_has_ended_sig())
		grown = 0;
	if (PAPI_is_initialized() == PAPI_NOT_INITED) {
		version = PAPI_library_init(PAPI_VER_CURRENT);
		if (version != PAPI_VER_CURRENT)
			error = version > 0
					? mpxi_error(MPXI_EINVAL,
						     "PAPI's library is version %d.%d, its header %d.%d",
						     PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
						     PAPI_VERSION_MAJOR(PAPI_VERSION),
						     PAPI_VERSION_MINOR(PAPI_VERSION))
					: mpxi_error(version, "PAPI cannot be initialised: %s",
						     words_of(version));
	}
	if (!error)
		error = start_papi_threads();
	if (!error && !grown) {
		grow_set_table();
		atomic_fetch_add(&beginnings, 1);
		grown = 1;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

unsigned mpxi_papi_count_threads(unsigned long id)
{
	PAPI_thread_id_t *list;
	unsigned found = 0;
	int n = 0, i;

	if (mpxi_papi_has_ended_sig() || PAPI_list_threads(NULL, &n) != PAPI_OK || n < 1)
		return 0;
	n += 64; /* room for threads that register with PAPI meanwhile */
	list = calloc((size_t)n, sizeof(*list));
	if (!list)
		return 0;
	if (PAPI_list_threads(list, &n) == PAPI_OK)
		for (i = 0; i < n; i++)
			found += list[i] == id;
	free(list);
	return found;
}
