/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmda.c - pmdaupc, the node service as an agent of Performance Co-Pilot: a daemon that pmcd starts and asks
 * for values. The service's thread counts; this thread answers.
 *
 * pmcd waits 5 s for an agent, and opening the counters may take longer. A separate thread therefore opens
 * the service. Until it is open, only the metrics that always exist are there, without values.
 * Terms: pmda/agent.h.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "pmda/agent.h"
#include "upc.h"

#define DOMAIN 450

static pmLongOptions long_options[] = {
	PMDA_OPTIONS_HEADER("Options"),
	PMDAOPT_DEBUG,
	PMDAOPT_DOMAIN,
	PMDAOPT_LOGFILE,
	{"config", 1, 'c', "FILE",
	 "what is counted (upc_service(5)); without it nothing is, until a command adds it"},
	{"state", 1, 's', "FILE", "what survives a restart is kept here, and in FILE.metrics"},
	{"socket", 1, 'S', "FILE", "socket that takes commands, for upcctl"},
	{"check", 0, 'n', NULL, "say whether all that --config wants can be counted, and end"},
	PMDAOPT_INET,
	PMDAOPT_PIPE,
	PMDAOPT_UNIX,
	PMDAOPT_IPV6,
	PMDAOPT_USERNAME,
	PMOPT_HELP,
	PMDA_OPTIONS_END,
};

static pmdaOptions options = {
	.short_options = "D:d:l:c:s:S:ni:pu:6:U:?",
	.long_options = long_options,
};

static bool only_check; /* --check: check the configuration and exit */

/* The service while it is being opened. */
static struct opening {
	struct service_options options;
	pthread_t thread;
	int done; /* eventfd, written once, when the fields below are set */
	struct service *service;
	char *message;
	int error;
} opening = {.done = -1};

static void say_agent_line(const char *line)
{
	pmNotifyErr(LOG_WARNING, "%s", line);
}

static void *open_service(void *unused)
{
	uint64_t one = 1;

	(void)unused;
	opening.error = service_open(&opening.options, &opening.service, &opening.message);
	while (write(opening.done, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

/* Exit with a message if the service could not be opened. */
static void end_if_failed(void)
{
	if (!opening.error)
		return;
	fprintf(stderr, "%s: %s\n", pmGetProgname(),
		opening.message ? opening.message : upc_strerror(opening.error));
	exit(1);
}

/* Open the service, and close it again. Return the exit status. */
static int check_config(void)
{
	opening.error = service_open(&opening.options, &opening.service, &opening.message);
	end_if_failed();
	free(opening.message);
	service_close(opening.service);
	return 0;
}

/* Take over the service once it is open; exit if it could not be opened. */
static void take_opened_service(pmdaExt *ext)
{
	pthread_join(opening.thread, NULL);
	close(opening.done);
	opening.done = -1;
	end_if_failed();
	free(opening.message);
	current_open(&agent.current, opening.service);
	agent_refresh(ext, false);
}

/* Answer until pmcd closes the connection or a signal ends the agent. */
static void answer_pmcd(pmdaInterface *dispatch, int signals)
{
	struct pollfd fd[3] = {{.fd = __pmdaInFd(dispatch), .events = POLLIN},
			       {.fd = signals, .events = POLLIN},
			       {.fd = opening.done, .events = POLLIN}};

	for (;;) {
		if (poll(fd, 3, -1) < 0) {
			if (errno == EINTR)
				continue;
			return;
		}
		if (fd[1].revents)
			return;
		if (fd[2].revents) {
			take_opened_service(dispatch->version.any.ext);
			fd[2].fd = -1;
		}
		if (fd[0].revents && __pmdaMainPDU(dispatch) < 0)
			return;
	}
}

static const char *make_path_beside(const char *path, const char *end)
{
	char *name;

	if (!path)
		return NULL;
	if (asprintf(&name, "%s%s", path, end) < 0) {
		fprintf(stderr, "%s: out of memory\n", pmGetProgname());
		exit(1);
	}
	return name;
}

static void get_options(int argc, char **argv, pmdaInterface *dispatch)
{
	int c;

	while ((c = pmdaGetOptions(argc, argv, &options, dispatch)) != EOF) {
		switch (c) {
		case 'c':
			opening.options.config = options.optarg;
			break;
		case 's':
			opening.options.state = options.optarg;
			break;
		case 'S':
			opening.options.control = options.optarg;
			break;
		case 'n':
			only_check = true;
			break;
		default:
			options.errors++;
		}
	}
	if (options.errors || options.optind < argc) {
		pmdaUsageMessage(&options);
		exit(1);
	}
}

/* Begin to open the service. Wait for it for a time that is too short for pmcd to notice. */
static void start_service_opening(pmdaInterface *dispatch)
{
	struct pollfd fd;

	opening.done = eventfd(0, EFD_CLOEXEC);
	if (opening.done < 0 || pthread_create(&opening.thread, NULL, open_service, NULL)) {
		fprintf(stderr, "%s: %s\n", pmGetProgname(), strerror(errno));
		exit(1);
	}
	fd = (struct pollfd){.fd = opening.done, .events = POLLIN};
	if (poll(&fd, 1, 1500) > 0)
		take_opened_service(dispatch->version.any.ext);
}

int main(int argc, char **argv)
{
	pmdaInterface dispatch;
	sigset_t ends;
	int signals, error;

	/* Name the file from which libpcp reads its configuration. */
	if (!getenv("PCP_DIR"))
		setenv("PCP_CONF", UPC_PCP_CONF, 0);
	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), DOMAIN, "upc.log", NULL);
	get_options(argc, argv, &dispatch);
	if (only_check)
		return check_config();
	pmdaOpenLog(&dispatch);
	if (options.username)
		pmSetProcessIdentity(options.username);

	/* Block the signals before any thread exists, since threads inherit the mask. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signals = signalfd(-1, &ends, SFD_CLOEXEC);

	agent.current.say = say_agent_line;
	agent.current.store = make_path_beside(opening.options.state, ".metrics");
	agent.current.socket = opening.options.control ? opening.options.control : "";
	error = current_init(&agent.current);
	if (!error)
		error = agent_init(&dispatch);
	if (error < 0 || signals < 0) {
		fprintf(stderr, "%s: %s\n", pmGetProgname(), error < 0 ? pmErrStr(error) : strerror(errno));
		return 1;
	}
	start_service_opening(&dispatch);
	pmdaConnect(&dispatch);
	if (dispatch.status >= 0)
		answer_pmcd(&dispatch, signals);
	if (opening.done < 0)
		agent_free();
	/* A service that is still being opened ends with the process. */
	free((char *)agent.current.store);
	return dispatch.status < 0;
}
