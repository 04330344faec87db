/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.h - takes commands on a unix socket, from processes of the service's own user and of root. A
 * request is one line, {"words": ["halt", "ALL"]}, and its answer is one line, {"ok": true, "message": "...",
 * ...}, with what the command returns.
 *
 * One thread serves all clients and waits for none of them. Commands run on two others, one for questions
 * (ls, status) and one for all changes, so that a question is answered while a change takes long. A client's
 * commands run in their order.
 *
 * "yield" and "resume" belong to a client: its yield ends with its resume, or with its connection, however
 * the connection ends. The service counts yields and resumes: it receives all of them, except a resume
 * without a successful yield. "yield for=PROGRAM" names the program that the yield is for. Answers to
 * questions then have "yielded_for", with the pid, uid and program of each.
 * Terms: service/service.h.
 */
#ifndef SERVICE_CONTROL_H
#define SERVICE_CONTROL_H

struct control;

/* A further client takes the place of the client that has been silent for longest. */
#define CONTROL_CLIENTS_MAX 64u
#define CONTROL_YIELDS_MAX 48u /* limit of clients that have yielded, to leave room for other clients */

/* Run one command, given as words and terminated by NULL. Return 0 or a negative code. *reply is a JSON
 * object as text, which free releases (NULL: out of memory). Two threads may call it at the same time. */
struct control_calls {
	int (*command)(void *arg, const char *const *word, unsigned words, char **reply);
	void *arg;
};

/*
 * Begin to listen at path, in a directory that only this user or root can change, or in a sticky one. The
 * directory, but not its parents, is made if it is missing. A socket that a dead service has left is
 * replaced. Errors: a negative UPC_E*, and *message, which the caller frees (NULL: out of memory): UPC_EINVAL
 * (the path), UPC_ESTATE (a service is there), UPC_EPERM (the path is a link, another user's socket, or no
 * socket, or others could put a socket there), UPC_ENOMEM, UPC_ESYSTEM.
 */
int service_control_start(const char *path, const struct control_calls *calls, struct control **control,
			  char **message);

/* End all connections, once the running commands have ended, and remove the socket. Yielded counters stay
 * yielded. NULL is allowed. */
void service_control_stop(struct control *control);

#endif
