/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service_daemon.c - runs the node service without any export of its values, for tests of its commands.
 *
 *   service_daemon CONTROL [CONFIG [STATE]]
 *
 * The program prints "ready" when it listens. It ends after SIGTERM, or at the end of its standard input, so
 * it does not outlive a test that was killed.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "service/service.h"

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static void wait_for_end(const sigset_t *before)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	char bytes[100];

	while (!ended) {
		if (ppoll(&input, 1, NULL, before) > 0 && read(0, bytes, sizeof(bytes)) <= 0)
			break;
	}
}

int main(int argc, char **argv)
{
	struct service_options options = {.control = argc > 1 ? argv[1] : NULL,
					  .config = argc > 2 && argv[2][0] ? argv[2] : NULL,
					  .state = argc > 3 ? argv[3] : NULL};
	struct sigaction action = {.sa_handler = end};
	struct service *service;
	sigset_t taken, before;
	char *message = NULL;

	/* Block SIGTERM except in ppoll, so that no SIGTERM is lost before the call. */
	sigemptyset(&taken);
	sigaddset(&taken, SIGTERM);
	sigprocmask(SIG_BLOCK, &taken, &before);
	sigaction(SIGTERM, &action, NULL);
	if (service_open(&options, &service, &message) != 0) {
		fprintf(stderr, "service_daemon: %s\n", message != NULL ? message : "no memory");
		free(message);
		return 1;
	}
	puts("ready");
	fflush(stdout);
	wait_for_end(&before);
	service_close(service);
	return 0;
}
