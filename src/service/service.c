/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service.c - see service.h: the service as a whole, from its configuration to its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "upc.h"
#include "service/config.h"
#include "service/control.h"
#include "service/say.h"
#include "service/service.h"
#include "service/worker.h"

struct service {
	struct config config;
	struct worker worker;
	struct control *control; /* NULL: no control socket is configured */
};

/* ---- the configuration --------------------------------------------------------- */

/* Read a file, at most CONFIG_TEXT_MAX + 1 bytes of it. */
static int read_config_file(const char *path, char **text, size_t *length, char **message)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;
	ssize_t n;

	*length = 0;
	*text = NULL;
	if (fd < 0)
		return service_fail(message, errno == EACCES ? UPC_EPERM : UPC_EINVAL, "%s: %s", path,
				    strerror(errno));
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return service_fail(message, UPC_EINVAL, "%s: not a regular file", path);
	}
	*text = malloc(CONFIG_TEXT_MAX + 1);
	while (*text && *length <= CONFIG_TEXT_MAX) {
		n = read(fd, *text + *length, CONFIG_TEXT_MAX + 1 - *length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		*length += (size_t)n;
	}
	close(fd);
	return *text ? 0 : service_fail(message, UPC_ENOMEM, "no memory");
}

static int read_config(const char *path, struct config *config, uint64_t *hash, char **message)
{
	struct config_error error;
	size_t length;
	char *text;
	int code = read_config_file(path, &text, &length, message);

	if (!code && !config_parse(text, length, config, &error))
		code = service_fail(message, UPC_EINVAL, "%s:%u:%u: %s", path, error.place.line,
				    error.place.column, error.text);
	*hash = code ? 0 : saved_hash(text, length);
	free(text);
	return code;
}

/* ---- the socket ------------------------------------------------------------------- */

static int run_service_command(void *arg, const char *const *word, unsigned words, char **reply)
{
	return service_command(arg, word, words, reply);
}

static int listen_at_path(struct service *s, const char *path, char **message)
{
	const struct control_calls calls = {.command = run_service_command, .arg = s};

	return path ? service_control_start(path, &calls, &s->control, message) : 0;
}

/* ---- public ------------------------------------------------------------------------ */

int service_open(const struct service_options *options, struct service **service, char **message)
{
	struct service *s = calloc(1, sizeof(*s));
	struct worker_options worker = {.state = options->state};
	struct config_error error;
	int code;

	*service = NULL;
	*message = NULL;
	if (!s)
		return UPC_ENOMEM;
	if (options->config)
		worker.config = &s->config;
	code = options->config ? read_config(options->config, &s->config, &worker.hash, message) : 0;
	if (!code) {
		code = worker_start(&s->worker, &worker, &error);
		if (code && error.place.line)
			service_fail(message, code, "%s:%u:%u: %s", options->config, error.place.line,
				     error.place.column, error.text);
		else if (code)
			service_fail(message, code, "%s", error.text);
	}
	if (!code) {
		code = listen_at_path(s, options->control, message);
		if (code)
			worker_stop(&s->worker);
	}
	if (code) {
		config_free(&s->config);
		free(s);
		return code;
	}
	*service = s;
	return 0;
}

void service_close(struct service *service)
{
	if (!service)
		return;
	service_control_stop(service->control);
	worker_stop(&service->worker);
	config_free(&service->config);
	free(service);
}

const struct service_sample *service_sample_get(struct service *service, int wait_ms)
{
	return worker_sample(&service->worker, wait_ms);
}

uint64_t service_generation(struct service *service)
{
	return worker_generation(&service->worker);
}

static json_t *make_refusal_answer(const char *why)
{
	json_t *text = json_string(why);

	return json_pack("{s:b, s:o}", "ok", 0, "message",
			 text ? text : json_string("bytes that are no text"));
}

int service_command(struct service *service, const char *const *word, unsigned words, char **reply)
{
	struct config_command command;
	struct config_error mistake;
	json_t *answer = NULL;
	int error = UPC_EINVAL;

	if (config_parse_words(word, words, &command, &mistake)) {
		error = worker_command(&service->worker, &command, &answer);
		config_command_free(&command);
	} else {
		answer = make_refusal_answer(mistake.text);
	}
	*reply = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
	json_decref(answer);
	return *reply ? error : UPC_ENOMEM;
}
