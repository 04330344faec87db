/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.c - scripts that drive units: the position in a script, and how a unit follows it.
 *
 * Players
 *   A player is a thread's position in a script: the number of the operation that
 *   comes next. The thread keeps its players in a list that ends with it. A replay
 *   keeps the player of the thread that created it, so a unit that outlives the
 *   thread, or that another thread uses, stays at the position of its own thread.
 *   The thread and the replays hold references.
 *
 *   A position only grows, and only by plays. Every play moves it to the next sync
 *   mark by compare-and-swap. If two threads play units of one player at the same
 *   time, one plays to the next mark and the other to the mark after it. A
 *   replay's own position belongs to the thread that uses the unit.
 *
 *   A script that is freed leaves a record that it ended, until the last player is
 *   gone. A thread drops players of ended scripts when it next searches for a
 *   player. A script can therefore not be mistaken for an earlier one at the same
 *   address.
 *
 *   A forked child has copies of everything, and continues separately from where
 *   its parent was.
 *
 * The engine is the segment engine, which computes a line of the script in closed form, or the part of the
 * line up to the next interrupt.
 *
 * Terms: replay/replay.h, engine/engine.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "replay/replay.h"
#include "replay/trace_file.h"
#include "engine/wave.h"

static const struct upci_engine_ops *const ops = &upci_engine_segment;

struct upci_script {
	struct upci_trace trace; /* empty once the script has ended: upci_script_free was called */
	atomic_uint references;  /* one until the script has ended, and one for each player */
	atomic_bool ended;       /* set by upci_script_free, read by without_ended */
};

struct player {
	struct upci_script *script;
	struct player *next;    /* next player in the thread's list; only this thread uses the list */
	atomic_uint references; /* one of the thread, and one for each replay */
	/* Set by advance_player, read by place_of_player. Relaxed order suffices: the script does not change,
	 * so the store publishes nothing. */
	atomic_size_t place;
};

struct upci_replay {
	struct upci_engine *engine;
	struct player *player;
	uint64_t ran;     /* number of cycles with the run bit set, up to the last start or stop */
	uint64_t at;      /* engine's cycle at the last start or stop */
	bool run;         /* run bit as last written */
	size_t position;  /* number of operations that the engine has run; at most the player's place */
	unsigned in_sink; /* number of nested calls of the sink: a read from a sink can cause another */
	pthread_t sinks_thread, creator;
	struct upci_engine_sink sink;
	struct upci_wave wave[UPC_INPUTS]; /* waves of the c line that runs */
};

/* ---- scripts -------------------------------------------------------------- */

static void put_script(struct upci_script *script)
{
	/* Release and acquire, here and for players: the thread that frees comes after all accesses by
	 * others. */
	if (atomic_fetch_sub_explicit(&script->references, 1, memory_order_acq_rel) == 1)
		free(script);
}

/* Return errno of an open or read of path as an error, with message. */
static int fail_errno(const char *path, int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return upci_fail(UPC_ENOEVENT, "%.200s: there is no such script", path);
	case EACCES:
	case EPERM:
		return upci_fail(UPC_EPERM, "%.200s: the script cannot be read: %s", path, strerror(error));
	case ELOOP:
	case ENAMETOOLONG:
		return upci_fail(UPC_EINVAL, "%.200s: expected the path of a script: %s", path,
				 strerror(error));
	case ENOMEM:
		return upci_fail(UPC_ENOMEM, "%.200s: no memory to read the script", path);
	}
	return upci_fail(UPC_ESYSTEM, "%.200s: the script cannot be read: %s", path, strerror(error));
}

static int open_script_file(const char *path)
{
	/* O_NONBLOCK: a FIFO must not block the program before it is refused. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), error;
	struct stat st;

	if (fd < 0)
		return fail_errno(path, errno);
	if (fstat(fd, &st) != 0) {
		error = fail_errno(path, errno);
	} else if (!S_ISREG(st.st_mode)) {
		error = upci_fail(UPC_EINVAL, "%.200s: expected a script in a regular file, found %s", path,
				  S_ISDIR(st.st_mode)    ? "a directory"
				  : S_ISFIFO(st.st_mode) ? "a pipe: write it to a file first"
							 : "a device or socket");
	} else {
		return fd;
	}
	close(fd);
	return error;
}

static int load_trace_script(int fd, const char *path, struct upci_trace *trace)
{
	struct upci_trace_error wrong;
	int error = upci_trace_load(fd, trace, &wrong);

	switch (error) {
	case 0:
		return 0;
	case UPC_EWIRING:
		return upci_fail(error, "%.200s:%u: %s", path, wrong.line, wrong.message);
	case UPC_EINVAL:
		return upci_fail(error, "%.200s: a script has %zu bytes at most: cut it in parts", path,
				 UPCI_TRACE_BYTES_MAX);
	case UPC_ESYSTEM:
		return fail_errno(path, errno);
	}
	return upci_fail(error, "%.200s: no memory for the script", path);
}

/* Refuse w and r lines: the counted program itself is the software, and a script gives it only input
 * signals. */
static int check_kinds(const struct upci_trace *trace, const char *path)
{
	for (size_t i = 0; i < trace->ops; i++) {
		const struct upci_trace_op *op = &trace->op[i];
		bool writes = op->kind == UPCI_TRACE_WRITE;

		if (writes || op->kind == UPCI_TRACE_READ)
			return upci_fail(
				UPC_EWIRING,
				"%.200s:%u: a script that drives a unit has no %c lines, since the "
				"program %s its registers: take the line out, or run the script with "
				"upc_replay",
				path, op->line, writes ? 'w' : 'r', writes ? "writes" : "reads");
	}
	return 0;
}

int upci_script_load(const char *path, struct upci_script **script)
{
	struct upci_script *s = NULL;
	struct upci_trace trace;
	int fd, error;

	if (!path || !path[0])
		return upci_fail(UPC_EINVAL, "no script is named: expected the path of a file");
	fd = open_script_file(path);
	if (fd < 0)
		return fd;
	error = load_trace_script(fd, path, &trace);
	close(fd);
	if (error)
		return error;
	error = check_kinds(&trace, path);
	if (!error) {
		s = malloc(sizeof(*s));
		if (!s)
			error = upci_fail(UPC_ENOMEM, "%.200s: no memory for the script", path);
	}
	if (error) {
		upci_trace_free(&trace);
		return error;
	}
	s->trace = trace;
	atomic_init(&s->references, 1);
	atomic_init(&s->ended, false);
	*script = s;
	return 0;
}

void upci_script_free(struct upci_script *script)
{
	if (!script)
		return;
	upci_trace_free(&script->trace);
	/* No player reads the trace any more, so the flag publishes nothing. */
	atomic_store_explicit(&script->ended, true, memory_order_relaxed);
	put_script(script);
}

/* ---- players -------------------------------------------------------------- */

/* The value of the key is the thread's list of players. */
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static atomic_bool key_made; /* set in key_once, cleared by delete_players_key, read by find_player */

static void put_player(struct player *player)
{
	if (atomic_fetch_sub_explicit(&player->references, 1, memory_order_acq_rel) != 1)
		return;
	put_script(player->script);
	free(player);
}

static void put_list(void *list)
{
	struct player *player, *next;

	for (player = list; player; player = next) {
		next = player->next;
		put_player(player);
	}
}

static void make_players_key(void)
{
	atomic_store_explicit(&key_made, pthread_key_create(&key, put_list) == 0, memory_order_relaxed);
}

/* Runs when the library is unloaded or the program ends, so that no thread that ends later calls put_list. */
__attribute__((destructor)) static void delete_players_key(void)
{
	if (!atomic_exchange_explicit(&key_made, false, memory_order_relaxed))
		return;
	put_list(pthread_getspecific(key));
	pthread_setspecific(key, NULL);
	pthread_key_delete(key);
}

/* Remove the players of ended scripts from a list. Return the rest. */
static struct player *without_ended(struct player *list)
{
	struct player **link = &list, *player;

	while ((player = *link)) {
		if (!atomic_load_explicit(&player->script->ended, memory_order_relaxed)) {
			link = &player->next;
			continue;
		}
		*link = player->next;
		put_player(player);
	}
	return list;
}

static struct player *add_player(struct upci_script *script, struct player *list)
{
	struct player *player = malloc(sizeof(*player));

	if (!player)
		return NULL;
	player->script = script;
	player->next = list;
	atomic_init(&player->references, 1);
	atomic_init(&player->place, 0);
	if (pthread_setspecific(key, player) != 0) {
		free(player);
		return NULL;
	}
	atomic_fetch_add_explicit(&script->references, 1, memory_order_relaxed);
	return player;
}

/* Return the calling thread's player of the script, or NULL if there is no memory. The caller gets a
 * reference. */
static struct player *find_player(struct upci_script *script)
{
	struct player *list, *rest, *player;

	pthread_once(&key_once, make_players_key);
	if (!atomic_load_explicit(&key_made, memory_order_relaxed))
		return NULL;
	list = pthread_getspecific(key);
	rest = without_ended(list);
	if (rest != list)
		pthread_setspecific(key, rest); /* cannot fail, since the thread has a value */
	for (player = rest; player && player->script != script; player = player->next)
		;
	if (!player)
		player = add_player(script, rest);
	if (player)
		atomic_fetch_add_explicit(&player->references, 1, memory_order_relaxed);
	return player;
}

static size_t place_of_player(struct player *player)
{
	return atomic_load_explicit(&player->place, memory_order_relaxed);
}

/* Return the place after the next sync mark from place on, or the end. */
static size_t behind_mark(const struct upci_trace *trace, size_t place)
{
	while (place < trace->ops)
		if (trace->op[place++].kind == UPCI_TRACE_SYNC)
			break;
	return place;
}

/* Advance the player to *place, after the next sync mark. False if the player is at the end. */
static bool advance_player(struct player *player, size_t *place)
{
	const struct upci_trace *trace = &player->script->trace;
	size_t from = place_of_player(player);

	do {
		if (from == trace->ops)
			return false;
		*place = behind_mark(trace, from);
	} while (!atomic_compare_exchange_weak_explicit(&player->place, &from, *place, memory_order_relaxed,
							memory_order_relaxed));
	return true;
}

/* ---- running -------------------------------------------------------------- */

/* Advance the phases of the waves by n cycles. */
static void move_waves(struct upci_wave *wave, uint64_t n)
{
	for (unsigned id = 0; id < UPC_INPUTS; id++) {
		struct upci_wave *w = &wave[id];
		uint64_t turns;

		if (upci_wave_constant(w))
			continue;
		turns = upci_wave_divide(n, w->period);
		w->phase = upci_wave_add(w->phase, n - turns * w->period, w->period);
	}
}

static void run_trace_cycles(struct upci_replay *r, const struct upci_trace *trace,
			     const struct upci_trace_op *op)
{
	uint64_t left = op->cycles, n;

	upci_trace_waves(trace, op, r->wave);
	while ((n = ops->run_until(r->engine, r->wave, left)) < left) {
		left -= n;
		move_waves(r->wave, n);
	}
}

static void run_to(struct upci_replay *r, size_t place)
{
	const struct upci_trace *trace = &r->player->script->trace;

	for (; r->position < place; r->position++) {
		const struct upci_trace_op *op = &trace->op[r->position];

		if (op->kind == UPCI_TRACE_CYCLES)
			run_trace_cycles(r, trace, op);
		else if (op->kind == UPCI_TRACE_FLIP)
			ops->flip(r->engine, op->counter, op->bit);
	}
}

static void pass_engine_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct upci_replay *r = arg;

	r->in_sink++;
	r->sinks_thread = pthread_self();
	r->sink.event(r->sink.arg, event, counter, cycle);
	r->in_sink--;
}

int upci_replay_create(struct upci_script *script, const struct upci_engine_sink *sink,
		       struct upci_replay **replay)
{
	struct upci_replay *r = malloc(sizeof(*r));
	const struct upci_engine_sink own = {pass_engine_event, r};

	if (!r)
		goto no_memory;
	r->engine = ops->create(&own);
	r->player = r->engine ? find_player(script) : NULL;
	if (!r->player) {
		if (r->engine)
			ops->destroy(r->engine);
		free(r);
		goto no_memory;
	}
	r->position = 0;
	r->ran = r->at = 0;
	r->run = false;
	r->in_sink = 0;
	r->creator = r->sinks_thread = pthread_self();
	r->sink = *sink;
	*replay = r;
	return 0;
no_memory:
	return upci_fail(UPC_ENOMEM, "no memory for a unit that a script drives");
}

void upci_replay_destroy(struct upci_replay *replay)
{
	if (!replay)
		return;
	ops->destroy(replay->engine);
	put_player(replay->player);
	free(replay);
}

bool upci_replay_catch_up(struct upci_replay *replay)
{
	size_t place = place_of_player(replay->player);

	if (replay->in_sink || replay->position >= place)
		return false;
	run_to(replay, place);
	return true;
}

bool upci_replay_play(struct upci_replay *replay)
{
	size_t place;

	if (replay->in_sink || !advance_player(replay->player, &place))
		return false;
	run_to(replay, place);
	return true;
}

bool upci_replay_left(const struct upci_replay *replay)
{
	return place_of_player(replay->player) < replay->player->script->trace.ops;
}

int upci_replay_read(struct upci_replay *replay, unsigned offset, uint64_t *value)
{
	return ops->read(replay->engine, offset, value);
}

void upci_replay_peek(const struct upci_replay *replay, uint64_t *counter, uint8_t *field, bool *suspect)
{
	ops->peek(replay->engine, counter, field, suspect);
}

int upci_replay_write(struct upci_replay *replay, unsigned offset, uint64_t value)
{
	if (offset == UPC_REG_START_STOP) {
		replay->ran = upci_replay_cycles(replay);
		replay->at = ops->cycles(replay->engine);
		replay->run = value & 1;
	}
	return ops->write(replay->engine, offset, value);
}

uint64_t upci_replay_cycles(const struct upci_replay *replay)
{
	return replay->ran + (replay->run ? ops->cycles(replay->engine) - replay->at : 0);
}

void upci_replay_flip(struct upci_replay *replay, unsigned counter, unsigned bit)
{
	ops->flip(replay->engine, counter, bit);
}

bool upci_replay_is_callers(const struct upci_replay *replay)
{
	return pthread_equal(replay->creator, pthread_self());
}

void upci_replay_forked(struct upci_replay *replay)
{
	if (!pthread_equal(replay->sinks_thread, pthread_self()))
		replay->in_sink = 0;
}

bool upci_replay_in_sink(const struct upci_replay *replay)
{
	return replay->in_sink != 0;
}
