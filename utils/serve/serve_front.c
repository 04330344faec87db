/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_front.c - serves the page to browsers on this machine, with one thread for each of a few clients. A
 * client that hangs is disconnected after some seconds, and each connection ends after one request.
 *
 * It runs in a separate process, which belongs to the user nobody if upc_serve runs as root.
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_front.h"

#include <errno.h>
#include <pthread.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/send.h"
#include "serve/serve_metrics.h"
#include "serve/serve_request.h"
#include "serve/serve_upstream.h"

#define CLIENTS 32
#define CLIENT_SECONDS 5
#define PROXY_SECONDS 10

/* Allow only the page's own contents, and no page that embeds it. */
#define POLICY                                                                                                          \
	"default-src 'none'; img-src data:; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; " \
	"form-action 'none'; frame-ancestors 'none'"

struct client {
	const struct serve_front *front;
	int fd;
};

/* Protects clients. Taken while no other lock is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned clients;

static void answer_client(int fd, int status, const char *words, const char *type, const char *body,
			  size_t length)
{
	char *head;
	int n = asprintf(
		&head,
		"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
		"Cache-Control: no-store\r\nContent-Security-Policy: " POLICY "\r\n"
		"Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
		"X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n%s\r\n",
		status, words, type, length, status == 405 ? "Allow: GET\r\n" : "");

	if (n < 0)
		return;
	if (util_send_all(fd, head, (size_t)n))
		(void)util_send_all(fd, body, length);
	free(head);
}

static void answer_with_text(int fd, int status, const char *words, const char *text)
{
	answer_client(fd, status, words, "text/plain; charset=utf-8", text, strlen(text));
}

/* Answer with a file that is compiled in as lines. */
static void answer_lines(int fd, const char *type, const char *const *line)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return answer_with_text(fd, 503, "Service Unavailable", "There is no memory.\n");
	for (; *line; line++)
		fputs(*line, out);
	if (fclose(out) == 0)
		answer_client(fd, 200, "OK", type, text, length);
	free(text);
}

static void forward_to_pmproxy(int fd, const struct serve_front *front, const char *path)
{
	struct serve_reply reply;
	char text[256];

	if (!serve_upstream(front->socket, path, PROXY_SECONDS, &reply)) {
		snprintf(text, sizeof(text), "pmproxy does not answer: %s\n", strerror(errno));
		return answer_with_text(fd, 502, "Bad Gateway", text);
	}
	if (!strncmp(path, "/metrics", 8) && !strcmp(reply.type, "text/plain")) {
		char *named = serve_metrics(reply.body, &reply.length);

		free(reply.body);
		reply.body = named;
		if (!named)
			return answer_with_text(fd, 503, "Service Unavailable", "There is no memory.\n");
		strcpy(reply.type, "text/plain; version=0.0.4; charset=utf-8");
	}
	answer_client(fd, reply.status, reply.status == 200 ? "OK" : "Error",
		      reply.type[0] ? reply.type : "text/plain", reply.body, reply.length);
	free(reply.body);
}

static void serve_front_client(const struct client *c)
{
	char *bytes = malloc(SERVE_REQUEST_MAX), *path = malloc(SERVE_REQUEST_MAX);
	enum serve_answer what = SERVE_MORE;
	uint64_t limit = util_now_s() + CLIENT_SECONDS;
	size_t length = 0;

	while (bytes && path && what == SERVE_MORE && util_now_s() <= limit) {
		ssize_t n = recv(c->fd, bytes + length, SERVE_REQUEST_MAX - length, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		length += (size_t)n;
		what = serve_request(bytes, length, path);
	}
	switch (what) {
	case SERVE_MORE: /* disconnected, or incomplete for too long */
		break;
	case SERVE_PAGE:
		answer_lines(c->fd, "text/html; charset=utf-8", serve_page_html);
		break;
	case SERVE_STYLE:
		answer_lines(c->fd, "text/css; charset=utf-8", serve_page_css);
		break;
	case SERVE_SCRIPT:
		answer_lines(c->fd, "text/javascript; charset=utf-8", serve_page_js);
		break;
	case SERVE_ABOUT:
		answer_client(c->fd, 200, "OK", "application/json", c->front->about, strlen(c->front->about));
		break;
	case SERVE_FORWARD:
		forward_to_pmproxy(c->fd, c->front, path);
		break;
	case SERVE_BAD:
		answer_with_text(c->fd, 400, "Bad Request", "This is no request.\n");
		break;
	case SERVE_FORBIDDEN:
		answer_with_text(
			c->fd, 403, "Forbidden",
			"Only a page of this node may ask, by a name of this machine: localhost or 127.0.0.1.\n");
		break;
	case SERVE_NOTHING:
		answer_with_text(
			c->fd, 404, "Not Found",
			"There is /, the page, and /metrics, for Prometheus. Commands go by upcctl, never here.\n");
		break;
	case SERVE_METHOD:
		answer_with_text(c->fd, 405, "Method Not Allowed",
				 "Nothing can be changed here: GET only.\n");
		break;
	case SERVE_LARGE:
		answer_with_text(c->fd, 431, "Request Header Fields Too Large", "This is too long.\n");
		break;
	}
	free(bytes);
	free(path);
}

static void *run_front_client(void *argument)
{
	struct client *c = argument;
	struct timeval limit = {.tv_sec = CLIENT_SECONDS};

	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	serve_front_client(c);
	shutdown(c->fd, SHUT_WR);
	close(c->fd);
	free(c);
	pthread_mutex_lock(&lock);
	clients--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static bool take_client_place(void)
{
	bool place;

	pthread_mutex_lock(&lock);
	place = clients < CLIENTS;
	clients += place;
	pthread_mutex_unlock(&lock);
	return place;
}

static void accept_client(const struct serve_front *front, int fd)
{
	struct client *c = malloc(sizeof(*c));
	pthread_t thread;

	if (c) {
		*c = (struct client){front, fd};
		if (pthread_create(&thread, NULL, run_front_client, c) == 0) {
			pthread_detach(thread);
			return;
		}
	}
	free(c);
	close(fd);
	pthread_mutex_lock(&lock);
	clients--;
	pthread_mutex_unlock(&lock);
}

_Noreturn void serve_front_run(const struct serve_front *front)
{
	for (;;) {
		int fd = accept4(front->listening, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0 && take_client_place())
			accept_client(front, fd);
		else if (fd >= 0)
			close(fd);
		else if (errno != EINTR && errno != ECONNABORTED)
			poll(NULL, 0, 100); /* out of descriptors: wait until one is free */
	}
}
