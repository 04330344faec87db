/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * worker.c - see worker.h. Everything that may be slow is here: opening a tracepoint takes a third of a
 * second, and a PCP agent or another transport must answer within a few seconds.
 * Terms: service/service.h.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "upc.h"
#include "base/text.h"
#include "service/command.h"
#include "service/restore.h"
#include "service/say.h"
#include "service/worker.h"

#define SECOND UINT64_C(1000000000)
#define LIST_WAIT_NS (2 * SECOND) /* time for which a command that lists waits for fresh values */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* ---- samples ------------------------------------------------------------------- */

uint64_t worker_next_due(uint64_t now_ns, uint64_t interval_ns)
{
	return (now_ns / interval_ns + 1) * interval_ns;
}

/* Set the message for the operator, which stays until the next one. */
static void set_worker_remark(struct worker *w, char *message)
{
	if (!message)
		return;
	free(w->message);
	w->message = message;
	w->about.message = message;
}

/* Save the state, before its values are published. If that fails, the service continues, and reports the
 * error. */
static void save_worker_state(struct worker *w, bool clean)
{
	int error;

	if (!w->saved)
		return;
	w->saved_about.started_ns = w->about.started_ns;
	w->saved_about.samples = w->about.samples;
	w->saved_about.clean = clean;
	error = saved_write(w->saved, w->counters, &w->saved_about);
	if (error == w->save_error)
		return;
	w->save_error = error;
	if (error)
		set_worker_remark(
			w, service_say("the state cannot be saved: %s; after a restart counts begin anew",
				       strerror(error)));
	else
		set_worker_remark(w, strdup("the state is saved again"));
}

/* Publish the present states. sample: also new values; otherwise the times and values of the last sample
 * stay. */
static void publish_states(struct worker *w, bool sample)
{
	const struct service_sample *made, *old;

	counters_judge(w->counters, sample);
	save_worker_state(w, false);
	made = sample_make(w->counters, &w->about);
	pthread_mutex_lock(&w->lock);
	/* Out of memory, the last sample stays. */
	old = made ? w->sample : NULL;
	if (made)
		w->sample = made;
	w->generation = w->counters->generation;
	w->making = false;
	w->made += sample;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	service_sample_put(old);
}

static void make_sample(struct worker *w, uint64_t due_ns)
{
	uint64_t began, from;

	(void)counters_refresh(w->counters);
	counters_retry(w->counters, clock_ns(CLOCK_MONOTONIC));
	/* The first sample shows the state before the script plays. */
	if (w->sample)
		counters_play(w->counters);
	from = clock_ns(CLOCK_REALTIME);
	began = clock_ns(CLOCK_MONOTONIC);
	counters_read(w->counters);
	w->about.took_ns = clock_ns(CLOCK_MONOTONIC) - began;
	w->about.time_ns = from + w->about.took_ns / 2;
	w->about.due_ns = due_ns ? due_ns : w->about.time_ns;
	w->about.samples++;
	publish_states(w, true);
}

/* ---- stepping aside ------------------------------------------------------------------------ */

/* Look for users, if the time of the next look has come, and yield or resume the hardware counters. */
static void watch_worker_users(struct worker *w, bool asked)
{
	bool changed = aside_tick(w->aside, clock_ns(CLOCK_MONOTONIC));

	w->about.user = aside_users(w->aside, &w->about.users);
	w->about.users_unseen = aside_unseen(w->aside);
	if (!changed && !asked)
		return;
	counters_set_aside(w->counters, !aside_runs(w->aside), aside_why(w->aside));
	publish_states(w, false);
}

/* Return how long poll may wait, in ms: until the next look. */
static int watch_timeout(const struct worker *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), due = aside_due(w->aside);

	if (due == UINT64_MAX)
		return -1;
	return due <= now ? 0 : due - now > 3600 * SECOND ? 3600000 : (int)((due - now + 999999) / 1000000);
}

/* Yield or resume the hardware counters for a client. */
static int run_yield(struct worker *w, bool yield, char **message)
{
	if (!yield && !w->yields) {
		*message = strdup("nobody has yielded the hardware counters");
		return UPC_ESTATE;
	}
	w->yields += yield ? 1 : -1u;
	if (yield)
		aside_ask(w->aside);
	else
		aside_ask_no_more(w->aside);
	watch_worker_users(w, true);
	*message = strdup(!aside_runs(w->aside) ? "the hardware counters are free"
						: "the hardware counters count");
	return 0;
}

/* ---- time ------------------------------------------------------------------------ */

/* Arm the timer for the next multiple of the interval. It also expires when the clock is set, which changes
 * the due time. */
static void arm_sample_timer(struct worker *w)
{
	struct itimerspec at = {{0, 0}, {0, 0}};

	if (w->timer < 0)
		return;
	w->due_ns = worker_next_due(clock_ns(CLOCK_REALTIME), w->initialize.interval_ns);
	at.it_value.tv_sec = (time_t)(w->due_ns / SECOND);
	at.it_value.tv_nsec = (long)(w->due_ns % SECOND);
	timerfd_settime(w->timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL);
}

static void answer_sample_timer(struct worker *w)
{
	uint64_t times, due = w->due_ns;
	bool fired = read(w->timer, &times, sizeof(times)) == sizeof(times);

	/* When the clock was set, no sample was due: the next one is made at the next multiple. Missed
	 * multiples are skipped. */
	if (!fired && errno != ECANCELED)
		return;
	if (fired)
		make_sample(w, due);
	else if (!w->save_error)
		set_worker_remark(w,
				  strdup("the clock was set; samples go on at the interval's next multiple"));
	arm_sample_timer(w);
}

/* ---- requests ----------------------------------------------------------------------- */

static json_t *make_reply(const struct worker *w, const struct config_command *command, int error,
			  const char *message)
{
	json_t *reply = json_object();
	char sentence[COUNTERS_WHY];
	struct upci_out out = {.text = sentence, .size = sizeof(sentence)};
	json_t *text = json_string(message ? message : upc_strerror(error));

	/* The message contains bytes that are no UTF-8. */
	if (!text)
		upci_out_sentence(&out, message, sizeof(sentence) / 2);

	json_object_set_new(reply, "ok", json_boolean(!error));
	json_object_set_new(reply, "message", text ? text : json_string(sentence));
	json_object_set_new(reply, "generation", json_integer((json_int_t)w->counters->generation));
	if (error || !command_lists(command))
		return reply;
	if (command->verb == CONFIG_STATUS) {
		json_object_set_new(reply, "started_ns", json_integer((json_int_t)w->about.started_ns));
		json_object_set_new(reply, "time_ns", json_integer((json_int_t)w->about.time_ns));
		json_object_set_new(reply, "samples", json_integer((json_int_t)w->about.samples));
		json_object_set_new(reply, "interval_ns", json_integer((json_int_t)w->about.interval_ns));
		json_object_set_new(reply, "yields", json_integer(w->yields));
		json_object_set_new(reply, "noticing", json_string(aside_how(w->aside)));
		json_object_set_new(reply, "unseen", json_string(w->about.users_unseen));
		json_object_set_new(reply, "remark", json_string(w->about.message));
	}
	/* No lock is needed: only the worker replaces the sample. */
	json_object_set_new(reply, "counters", command_list(w->sample, command));
	return reply;
}

static void execute_request(struct worker *w, struct worker_request *r)
{
	uint64_t generation = w->counters->generation;
	char *message = NULL;

	(void)counters_refresh(w->counters);
	if (command_lists(r->command) && !w->initialize.interval_ns && !w->initialize.replay)
		make_sample(w, 0);
	if (r->command->verb == CONFIG_YIELD || r->command->verb == CONFIG_RESUME)
		r->error = run_yield(w, r->command->verb == CONFIG_YIELD, &message);
	else
		r->error = command_run(w->counters, r->command, &message);
	aside_set_hardware(w->aside, counters_have_hardware(w->counters));
	if (w->counters->generation != generation || command_lists(r->command))
		publish_states(w, false);
	r->reply = make_reply(w, r->command, r->error, message);
	free(message);
	pthread_mutex_lock(&w->lock);
	r->done = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static struct worker_request *next_request(struct worker *w)
{
	struct worker_request *r;

	pthread_mutex_lock(&w->lock);
	r = w->first;
	if (r) {
		w->first = r->next;
		if (!w->first)
			w->last = &w->first;
		r->begun = true;
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return r;
}

static void answer_requests(struct worker *w)
{
	struct worker_request *r;
	uint64_t n;
	bool wanted;

	(void)!read(w->wake, &n, sizeof(n));
	while ((r = next_request(w)))
		execute_request(w, r);
	pthread_mutex_lock(&w->lock);
	wanted = w->wanted;
	w->making = wanted;
	w->wanted = false;
	pthread_mutex_unlock(&w->lock);
	if (wanted)
		make_sample(w, 0);
}

static bool worker_ends(struct worker *w)
{
	bool ending;

	pthread_mutex_lock(&w->lock);
	ending = w->ending && !w->first;
	pthread_mutex_unlock(&w->lock);
	return ending;
}

/* ---- the thread ------------------------------------------------------------------------ */

struct start {
	struct worker *worker;
	const struct worker_options *options;
	struct saved_state *was;
	struct config_error *error;
	int result;
	bool done;
};

/* Open the catalogue. libupc takes the source, such as a script, from the environment variable UPC_SOURCE. */
static int open_worker_catalogue(struct worker *w)
{
	const char *before = getenv("UPC_SOURCE");
	char *kept = before ? strdup(before) : NULL, *source = NULL;
	int error = UPC_ENOMEM;

	if (asprintf(&source, w->initialize.replay ? "replay:%s" : "live",
		     w->initialize.replay ? w->initialize.replay : "") < 0)
		source = NULL;
	if (source && !setenv("UPC_SOURCE", source, 1))
		error = upc_catalogue_open(NULL, &w->catalogue);
	if (kept)
		setenv("UPC_SOURCE", kept, 1);
	else
		unsetenv("UPC_SOURCE");
	free(kept);
	free(source);
	return error;
}

static int open_aside(struct worker *w, struct config_error *error)
{
	const struct aside_options options = {.notice = w->initialize.notice && !w->initialize.replay};
	int code = aside_create(&options, &w->aside);

	if (code) {
		snprintf(error->text, sizeof(error->text), "%s", upc_strerror(code));
		return code;
	}
	/* Look for users first, so that users that already have counters keep them. */
	(void)aside_tick(w->aside, clock_ns(CLOCK_MONOTONIC));
	w->about.users_unseen = aside_unseen(w->aside);
	if (!aside_runs(w->aside))
		counters_set_aside(w->counters, true, aside_why(w->aside));
	return 0;
}

/* Restore the saved state, with the changes by commands, if the configuration is still the same. */
static int take_up(struct worker *w, const struct start *start)
{
	const struct config *config = start->options->config;
	const struct saved_state *was = start->was;
	int code;

	if (!was)
		return config ? command_configure(w->counters, config, start->error) : 0;
	restore_ids(w->counters, was);
	if (was->whole) {
		w->about.started_ns = was->started_ns;
		w->about.samples = was->samples;
	} else {
		set_worker_remark(
			w, strdup("the saved state is older than what was given out: counts begin anew"));
	}
	if (was->config == start->options->hash) {
		code = config ? command_configure_places(w->counters, config, true, start->error) : 0;
		return code ? code : restore_all(w->counters, was);
	}
	code = config ? command_configure(w->counters, config, start->error) : 0;
	if (!code && was->source == w->saved_about.source)
		(void)restore_same(w->counters, was);
	return code;
}

static int begin_counters(struct worker *w, const struct start *start)
{
	const struct place_options options = {
		.catalogue = w->catalogue,
		.replay = w->initialize.replay != NULL,
		.user = w->initialize.user,
		.flexible = w->initialize.flexible,
		.reserve = w->initialize.reserve,
	};
	int code = counters_create(&options, w->initialize.sys, &w->counters);

	if (code) {
		snprintf(start->error->text, sizeof(start->error->text), "no CPU is found in %s",
			 w->initialize.sys ? w->initialize.sys : "/sys");
		return code;
	}
	code = open_aside(w, start->error);
	if (!code)
		code = take_up(w, start);
	if (!code)
		aside_set_hardware(w->aside, counters_have_hardware(w->counters));
	return code;
}

static void loop_worker(struct worker *w)
{
	struct pollfd fds[2] = {{.fd = w->wake, .events = POLLIN}, {.fd = w->timer, .events = POLLIN}};

	arm_sample_timer(w);
	while (!worker_ends(w)) {
		if (poll(fds, 2, watch_timeout(w)) < 0)
			continue;
		watch_worker_users(w, false);
		if (fds[1].revents)
			answer_sample_timer(w);
		if (fds[0].revents)
			answer_requests(w);
	}
}

static void *run_worker_thread(void *arg)
{
	struct start *start = arg;
	struct worker *w = start->worker;
	int result;

	pthread_setname_np(pthread_self(), "upc-worker");
	result = begin_counters(w, start);
	if (!result) {
		make_sample(w, 0);
		result = w->sample ? 0 : UPC_ENOMEM;
	}
	pthread_mutex_lock(&w->lock);
	start->result = result;
	start->done = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	/* start, on the stack of worker_start, is invalid from here on. */
	if (!result) {
		loop_worker(w);
		counters_read(w->counters);
		save_worker_state(w, true);
	}
	aside_destroy(w->aside);
	counters_destroy(w->counters);
	w->aside = NULL;
	w->counters = NULL;
	return NULL;
}

/* ---- from other threads ------------------------------------------------------------------ */

static void set_up_worker(struct worker *w)
{
	pthread_condattr_t attributes;

	memset(w, 0, sizeof(*w));
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	w->last = &w->first;
	w->wake = w->timer = -1;
	w->about.users_unseen = w->about.message = "";
	config_defaults(&w->initialize);
}

static void tear_down(struct worker *w)
{
	upc_catalogue_close(w->catalogue);
	if (w->wake >= 0)
		close(w->wake);
	if (w->timer >= 0)
		close(w->timer);
	service_sample_put(w->sample);
	saved_close(w->saved);
	free(w->message);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
}

static int open_saved(struct worker *w, struct start *start)
{
	const char *replay = w->initialize.replay ? w->initialize.replay : "";
	char *message;
	int code;

	w->saved_about.config = start->options->hash;
	w->saved_about.source = saved_hash(replay, strlen(replay)) * 2 + w->initialize.user;
	if (!start->options->state)
		return 0;
	code = saved_open(start->options->state, &w->saved, &start->was, &message);
	if (code)
		snprintf(start->error->text, sizeof(start->error->text), "%s",
			 message ? message : "no memory");
	set_worker_remark(w, message);
	return code;
}

static int open_worker_parts(struct worker *w, struct start *start)
{
	struct config_error *error = start->error;
	int code = open_worker_catalogue(w);

	if (code) {
		snprintf(error->text, sizeof(error->text), "%s", upc_last_message());
		return code;
	}
	code = open_saved(w, start);
	if (code) {
		error->place.line = 0;
		return code;
	}
	w->about.interval_ns = w->initialize.interval_ns;
	w->about.started_ns = clock_ns(CLOCK_REALTIME);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->initialize.interval_ns)
		w->timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->wake >= 0 && (w->timer >= 0 || !w->initialize.interval_ns))
		return 0;
	snprintf(error->text, sizeof(error->text), "no descriptors: %s", strerror(errno));
	return UPC_EMFILE;
}

/* Start the thread with all signals blocked: the program's handlers run in other threads. */
static int start_worker_thread(struct worker *w, struct start *start)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&w->thread, NULL, run_worker_thread, start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return UPC_ENOMEM;
	pthread_mutex_lock(&w->lock);
	while (!start->done)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	if (start->result)
		pthread_join(w->thread, NULL);
	return start->result;
}

int worker_start(struct worker *w, const struct worker_options *options, struct config_error *error)
{
	struct start start = {.worker = w, .options = options, .error = error};
	int result;

	set_up_worker(w);
	memset(error, 0, sizeof(*error));
	if (options->config) {
		w->initialize = options->config->command[0].initialize;
		error->place = options->config->command[0].place;
	}
	result = open_worker_parts(w, &start);
	if (!result)
		result = start_worker_thread(w, &start);
	saved_state_free(start.was);
	w->started = !result;
	if (result) {
		if (!*error->text)
			snprintf(error->text, sizeof(error->text), "%s", upc_strerror(result));
		tear_down(w);
	}
	return result;
}

static void wake_worker(struct worker *w)
{
	const uint64_t one = 1;

	(void)!write(w->wake, &one, sizeof(one));
}

void worker_stop(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_mutex_unlock(&w->lock);
	wake_worker(w);
	pthread_join(w->thread, NULL);
	tear_down(w);
}

const struct service_sample *worker_sample(struct worker *w, int wait_ms)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + (wait_ms > 0 ? (uint64_t)wait_ms : 0) * 1000000;
	const struct timespec at = {(time_t)(until / SECOND), (long)(until % SECOND)};
	const struct service_sample *sample;

	pthread_mutex_lock(&w->lock);
	if (!w->initialize.interval_ns && !w->ending) {
		uint64_t before = w->made;

		/* If a sample is already being made, share it. */
		if (!w->making && !w->wanted) {
			w->wanted = true;
			wake_worker(w);
		}
		while (w->made == before && wait_ms > 0)
			if (pthread_cond_timedwait(&w->changed, &w->lock, &at))
				break;
	}
	sample = sample_ref(w->sample);
	pthread_mutex_unlock(&w->lock);
	return sample;
}

uint64_t worker_generation(struct worker *w)
{
	uint64_t generation;

	pthread_mutex_lock(&w->lock);
	generation = w->generation;
	pthread_mutex_unlock(&w->lock);
	return generation;
}

/* Remove a request from the queue. Context: the lock is held. */
static void withdraw_request_locked(struct worker *w, const struct worker_request *request)
{
	struct worker_request **at = &w->first;

	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	if (!*at)
		w->last = at;
}

/* Wait until the worker begins the request. Return NULL then; after LIST_WAIT_NS withdraw the request and
 * return the last sample. Context: the lock is held. */
static const struct service_sample *wait_for_begin_locked(struct worker *w,
							  const struct worker_request *request)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + LIST_WAIT_NS;
	const struct timespec at = {(time_t)(until / SECOND), (long)(until % SECOND)};

	while (!request->begun)
		if (pthread_cond_timedwait(&w->changed, &w->lock, &at) && !request->begun) {
			withdraw_request_locked(w, request);
			return sample_ref(w->sample);
		}
	return NULL;
}

int worker_command(struct worker *w, struct config_command *command, json_t **reply)
{
	struct worker_request request = {.command = command};
	const struct service_sample *late = NULL;
	int error;

	pthread_mutex_lock(&w->lock);
	*w->last = &request;
	w->last = &request.next;
	wake_worker(w);
	if (command_lists(command))
		late = wait_for_begin_locked(w, &request);
	while (!late && !request.done)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	if (late) {
		error = command_list_late(late, command, reply);
		service_sample_put(late);
		return error;
	}
	*reply = request.reply;
	return request.error;
}
