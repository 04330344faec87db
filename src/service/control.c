/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.c - takes commands on a unix socket. One thread serves all clients and waits for none of them; two
 * other threads, its lanes, run the commands.
 *
 * The lanes identify a client only by its number: the client may be gone when its command is done, and the
 * answer is then dropped. A client that disconnects after a yield, or while its yield runs, leaves a resume
 * in the lane.
 * Terms: service/service.h.
 */
#include "service/control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "service/client.h"
#include "service/lane.h"
#include "service/listen.h"
#include "service/request.h"
#include "service/say.h"
#include "service/yielders.h"
#include "upc.h"

#define IDLE_MS 1000 /* silence after which a client may be disconnected for a new one */
#define PAUSE_MS 100 /* pause if there are no descriptors for a new client */
#define BEFORE_CLIENTS 2
#define TOO_MANY_YIELDS "too many have yielded the hardware counters: try again later"

struct control {
	struct control_calls calls;
	struct listen listen;
	int wake; /* eventfd: a job is done, or control stops */
	pthread_t thread;
	struct lane changes, questions;

	/* protects the next fields; taken while no other lock is held, and by no signal handler */
	pthread_mutex_t mutex;
	struct lane_queue done;
	bool stopping;
	struct yielders yielders; /* changed only on the lane for changes */

	/* only for the thread that serves the clients */
	struct client *client[CONTROL_CLIENTS_MAX];
	unsigned clients;
	uint64_t last_number;
	int64_t pause_until_ms;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wake_control(struct control *c)
{
	const uint64_t one = 1;
	ssize_t n = write(c->wake, &one, sizeof(one));

	(void)n; /* write fails only if the eventfd is full, and poll then returns anyway */
}

/* ---- on the lanes ------------------------------------------------------------------- */

static void call_command(struct control *c, struct lane_job *job, const char *const *word, unsigned words)
{
	job->ok = c->calls.command(c->calls.arg, word, words, &job->reply) >= 0;
}

static void run_yield_job(struct control *c, struct lane_job *job)
{
	static const char *const word[] = {"yield", NULL};
	struct yielder who = {.client = job->client, .pid = job->pid, .uid = job->uid};

	if (c->yielders.n == CONTROL_YIELDS_MAX) {
		/* The resumes of clients that are gone are still in the queue. */
		job->ok = false;
		job->reply = request_answer(false, TOO_MANY_YIELDS);
		return;
	}
	call_command(c, job, word, 1);
	if (!job->ok)
		return;
	if (job->request.words > 1)
		yielders_program(job->request.word[1], who.program);
	pthread_mutex_lock(&c->mutex);
	yielders_add(&c->yielders, &who);
	pthread_mutex_unlock(&c->mutex);
}

/* Resume for a client, which may have disconnected before its yield was done. */
static void run_resume_job(struct control *c, struct lane_job *job)
{
	static const char *const word[] = {"resume", NULL};
	bool yielded;

	pthread_mutex_lock(&c->mutex);
	yielded = yielders_remove(&c->yielders, job->client);
	pthread_mutex_unlock(&c->mutex);
	if (yielded) {
		call_command(c, job, word, 1);
		return;
	}
	job->ok = true;
	job->reply = request_answer(true, "nothing was yielded");
}

static bool is_question(const struct request *request)
{
	return strcmp(request->word[0], "ls") == 0 || strcmp(request->word[0], "status") == 0;
}

static void run_words(struct control *c, struct lane_job *job)
{
	struct yielders yielders;

	call_command(c, job, job->request.word, job->request.words);
	if (!is_question(&job->request))
		return;
	pthread_mutex_lock(&c->mutex);
	yielders = c->yielders;
	pthread_mutex_unlock(&c->mutex);
	job->reply = yielders_put(&yielders, job->reply);
}

static void run_lane_job(void *arg, struct lane_job *job)
{
	struct control *c = arg;

	if (job->kind == LANE_YIELD)
		run_yield_job(c, job);
	else if (job->kind == LANE_RESUME)
		run_resume_job(c, job);
	else
		run_words(c, job);
	pthread_mutex_lock(&c->mutex);
	lane_queue_put(&c->done, job);
	pthread_mutex_unlock(&c->mutex);
	wake_control(c);
}

/* ---- clients ------------------------------------------------------------------------ */

static void drop_client(struct control *c, struct client *client)
{
	unsigned i = 0;

	while (c->client[i] != client)
		i++;
	c->client[i] = c->client[--c->clients];
	if (client->resume != NULL) {
		lane_put(&c->changes, client->resume);
		client->resume = NULL;
	}
	client_close(client);
}

static struct client *find_client(const struct control *c, uint64_t number)
{
	for (unsigned i = 0; i < c->clients; i++)
		if (c->client[i]->number == number)
			return c->client[i];
	return NULL;
}

static unsigned count_yielding_clients(const struct control *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->clients; i++)
		n += c->client[i]->resume != NULL;
	return n;
}

/* Return a new job, which takes over the request, if there is one. */
static struct lane_job *new_job(enum lane_kind kind, const struct client *client, struct request *request)
{
	struct lane_job *job = calloc(1, sizeof(*job));

	if (job == NULL)
		return NULL;
	job->kind = kind;
	job->client = client->number;
	job->pid = client->pid;
	job->uid = client->uid;
	if (request != NULL) {
		job->request = *request;
		*request = (struct request){0};
	}
	return job;
}

static bool say_to_client(struct client *client, bool ok, const char *text)
{
	return client_answer(client, request_answer(ok, text), now_ms());
}

static bool begin_client_job(struct client *client, struct lane *lane, struct lane_job *job)
{
	if (job == NULL)
		return say_to_client(client, false, "out of memory");
	client->busy = true;
	lane_put(lane, job);
	return true;
}

static bool begin_yield(struct control *c, struct client *client, struct request *request)
{
	struct lane_job *job;

	if (client->resume != NULL)
		return say_to_client(client, true,
				     "this connection has yielded the hardware counters already");
	if (count_yielding_clients(c) >= CONTROL_YIELDS_MAX)
		return say_to_client(client, false, TOO_MANY_YIELDS);
	/* Allocated now, so that the resume cannot fail later. */
	client->resume = new_job(LANE_RESUME, client, NULL);
	job = client->resume != NULL ? new_job(LANE_YIELD, client, request) : NULL;
	if (job == NULL) {
		lane_job_free(client->resume);
		client->resume = NULL;
	}
	return begin_client_job(client, &c->changes, job);
}

static bool begin_resume(struct control *c, struct client *client)
{
	struct lane_job *job = client->resume;

	if (job == NULL)
		return say_to_client(client, false, "this connection has not yielded the hardware counters");
	client->resume = NULL;
	return begin_client_job(client, &c->changes, job);
}

/* True for "yield" and "yield for=PROGRAM". The service refuses all other forms. */
static bool is_yield(const struct request *request)
{
	char program[YIELDERS_PROGRAM_MAX];

	return strcmp(request->word[0], "yield") == 0 &&
	       (request->words == 1 || (request->words == 2 && yielders_program(request->word[1], program)));
}

/* Queue the request of a line on its lane. False: the connection is over. */
static bool take_request(struct control *c, struct client *client, struct request *request)
{
	bool question = is_question(request);

	if (is_yield(request))
		return begin_yield(c, client, request);
	if (request->words == 1 && strcmp(request->word[0], "resume") == 0)
		return begin_resume(c, client);
	return begin_client_job(client, question ? &c->questions : &c->changes,
				new_job(LANE_COMMAND, client, request));
}

/* Begin the command of the client's next complete line, unless a command of the client still runs. False: the
 * connection is over. */
static bool advance_client(struct control *c, struct client *client)
{
	char why[REQUEST_WHY_MAX];
	struct request request;
	size_t length;
	bool open;

	if (client->busy || client->out != NULL)
		return true;
	switch (client_line(client, &length)) {
	case CLIENT_NO_LINE:
		return true;
	case CLIENT_TOO_LONG:
		/* Where the next line begins is unknown, so the connection ends after this answer. */
		client->last = true;
		snprintf(why, sizeof(why), "a line of the request has more than %u bytes", REQUEST_MAX);
		return say_to_client(client, false, why);
	case CLIENT_LINE:
		break;
	}
	if (request_read(client->in, length, &request, why) != 0) {
		client_drop_line(client, length);
		return say_to_client(client, false, why);
	}
	client_drop_line(client, length);
	open = take_request(c, client, &request);
	request_free(&request);
	return open;
}

/* True if the buffer has a complete line. poll does not report this line, since no more bytes come. */
static bool has_line(struct client *client)
{
	size_t length;

	return !client->busy && client->out == NULL && client_line(client, &length) != CLIENT_NO_LINE;
}

static void serve_client(struct control *c, struct client *client, short events)
{
	bool open = true;

	/* Both ends are closed: the answer has no reader. */
	if ((events & (POLLHUP | POLLERR | POLLNVAL)) != 0 && (events & POLLIN) == 0)
		open = false;
	else if (client->out != NULL)
		open = client_send(client, now_ms());
	else if ((events & POLLIN) != 0)
		open = client_receive(client);
	if (open)
		open = advance_client(c, client);
	if (!open)
		drop_client(c, client);
}

/* ---- finished jobs ------------------------------------------------------------------- */

static void finish_client_job(struct control *c, struct lane_job *job)
{
	struct client *client = find_client(c, job->client);

	if (client == NULL)
		return;
	client->busy = false;
	if (job->kind == LANE_YIELD && !job->ok) {
		lane_job_free(client->resume);
		client->resume = NULL;
	}
	if (!client_answer(client, job->reply, now_ms()) || !advance_client(c, client))
		drop_client(c, client);
	job->reply = NULL;
}

static void finish_all(struct control *c)
{
	struct lane_queue done;
	struct lane_job *job;
	uint64_t n;
	ssize_t length = read(c->wake, &n, sizeof(n));

	(void)length;
	pthread_mutex_lock(&c->mutex);
	done = c->done;
	if (done.first == NULL)
		lane_queue_init(&done);
	lane_queue_init(&c->done);
	pthread_mutex_unlock(&c->mutex);
	while ((job = lane_queue_take(&done)) != NULL) {
		finish_client_job(c, job);
		lane_job_free(job);
	}
}

/* ---- new ones ----------------------------------------------------------------------- */

/* Return the client to disconnect for a new one: among those that neither wait for an answer nor have
 * yielded, the one that has been silent for longest. NULL if none has been silent for IDLE_MS. */
static struct client *find_idlest_client(const struct control *c, int64_t now)
{
	struct client *best = NULL;

	for (unsigned i = 0; i < c->clients; i++) {
		struct client *client = c->client[i];

		if (!client->busy && client->resume == NULL && now - client->since_ms >= IDLE_MS &&
		    (best == NULL || client->since_ms < best->since_ms))
			best = client;
	}
	return best;
}

static bool is_allowed(int fd, struct ucred *peer)
{
	socklen_t length = sizeof(*peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &length) == 0 &&
	       (peer->uid == geteuid() || peer->uid == 0);
}

static void refuse_client(int fd, const char *text)
{
	struct client *client = client_open(fd, 0, 0);

	if (client == NULL) {
		close(fd);
		return;
	}
	client->last = true;
	say_to_client(client, false, text); /* as much as fits; the rest is dropped */
	client_close(client);
}

static void take_client(struct control *c, int fd)
{
	struct ucred peer = {0};
	struct client *client;
	char text[120];

	if (!is_allowed(fd, &peer)) {
		snprintf(text, sizeof(text),
			 "this service takes commands from uid %u and root, not from uid %u",
			 (unsigned)geteuid(), (unsigned)peer.uid);
		refuse_client(fd, text);
		return;
	}
	if (c->clients == CONTROL_CLIENTS_MAX) {
		client = find_idlest_client(c, now_ms());
		if (client == NULL) {
			snprintf(text, sizeof(text), "%u others are connected: try again later", c->clients);
			refuse_client(fd, text);
			return;
		}
		drop_client(c, client);
	}
	client = client_open(fd, ++c->last_number, now_ms());
	if (client == NULL) {
		close(fd);
		return;
	}
	client->pid = peer.pid;
	client->uid = peer.uid;
	c->client[c->clients++] = client;
}

static void take_clients(struct control *c)
{
	/* Accept a limited number in one go: the connected clients have to be served, too. */
	for (unsigned i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		int fd = accept4(c->listen.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			take_client(c, fd);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			c->pause_until_ms = now_ms() + PAUSE_MS;
		if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

/* ---- the thread --------------------------------------------------------------------- */

static bool is_stopping(struct control *c)
{
	bool stopping;

	pthread_mutex_lock(&c->mutex);
	stopping = c->stopping;
	pthread_mutex_unlock(&c->mutex);
	return stopping;
}

/* Fill in the descriptors to poll, and return the timeout in ms. */
static int fill_poll_descriptors(struct control *c, struct pollfd *fd)
{
	bool paused = now_ms() < c->pause_until_ms;
	int timeout = paused ? PAUSE_MS : -1;

	fd[0] = (struct pollfd){.fd = c->wake, .events = POLLIN};
	fd[1] = (struct pollfd){.fd = paused ? -1 : c->listen.fd, .events = POLLIN};
	for (unsigned i = 0; i < c->clients; i++) {
		struct client *client = c->client[i];

		/* A client is not read while its command runs or while its answer is being sent. */
		fd[BEFORE_CLIENTS + i] = (struct pollfd){
			.fd = client->fd,
			.events = client->out != NULL ? POLLOUT
				  : client->busy      ? 0
						      : POLLIN,
		};
		if (has_line(client))
			timeout = 0;
	}
	return timeout;
}

static void *run_control_thread(void *arg)
{
	struct pollfd fd[BEFORE_CLIENTS + CONTROL_CLIENTS_MAX];
	uint64_t number[CONTROL_CLIENTS_MAX];
	struct control *c = arg;

	while (!is_stopping(c)) {
		unsigned n = c->clients;
		int timeout = fill_poll_descriptors(c, fd);

		for (unsigned i = 0; i < n; i++)
			number[i] = c->client[i]->number;
		if (poll(fd, BEFORE_CLIENTS + n, timeout) < 0)
			continue;
		/* A client may be dropped while another is served. */
		for (unsigned i = 0; i < n; i++) {
			struct client *client = find_client(c, number[i]);

			if (client != NULL && (fd[BEFORE_CLIENTS + i].revents != 0 || has_line(client)))
				serve_client(c, client, fd[BEFORE_CLIENTS + i].revents);
		}
		if (fd[0].revents != 0)
			finish_all(c);
		if (fd[1].revents != 0)
			take_clients(c);
	}
	return NULL;
}

/* ---- beginning and end -------------------------------------------------------------- */

static int start_control_thread(struct control *c)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	error = pthread_create(&c->thread, NULL, run_control_thread, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static int start_control_threads(struct control *c, char **message)
{
	int error = lane_start(&c->changes, run_lane_job, c);

	if (error != 0)
		goto fail;
	error = lane_start(&c->questions, run_lane_job, c);
	if (error == 0) {
		error = start_control_thread(c);
		if (error == 0)
			return 0;
		lane_stop(&c->questions);
	}
	lane_stop(&c->changes);
fail:
	return service_fail(message, UPC_ESYSTEM, "cannot start a thread for commands: %s", strerror(error));
}

int service_control_start(const char *path, const struct control_calls *calls, struct control **control,
			  char **message)
{
	struct control *c = calloc(1, sizeof(*c));
	int error;

	*message = NULL;
	*control = NULL;
	if (c == NULL)
		return UPC_ENOMEM;
	c->calls = *calls;
	lane_queue_init(&c->done);
	pthread_mutex_init(&c->mutex, NULL);
	c->listen.fd = -1;
	c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake >= 0)
		error = listen_open(path, &c->listen, message);
	else
		error = service_fail(message, UPC_EMFILE, "cannot wake a thread for commands: %s",
				     strerror(errno));
	if (error == 0)
		error = start_control_threads(c, message);
	if (error == 0) {
		*control = c;
		return 0;
	}
	listen_close(&c->listen);
	if (c->wake >= 0)
		close(c->wake);
	pthread_mutex_destroy(&c->mutex);
	free(c);
	return error;
}

void service_control_stop(struct control *c)
{
	if (c == NULL)
		return;
	pthread_mutex_lock(&c->mutex);
	c->stopping = true;
	pthread_mutex_unlock(&c->mutex);
	wake_control(c);
	pthread_join(c->thread, NULL);
	listen_close(&c->listen);
	lane_stop(&c->questions);
	lane_stop(&c->changes);
	for (unsigned i = 0; i < c->clients; i++)
		client_close(c->client[i]);
	lane_queue_free(&c->done);
	close(c->wake);
	pthread_mutex_destroy(&c->mutex);
	free(c);
}
