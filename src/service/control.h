/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.h - takes commands on a unix socket, from processes of the service's own user and of
 * root. A line is a request, {"words": ["halt", "ALL"]}, and a line is its answer, {"ok": true,
 * "message": "...", ...}: what the command has for it.
 *
 * One thread has all clients and waits for none of them; commands run on two others, one for
 * questions (ls, status) and one for all that changes something, so that a question is
 * answered while a change takes long. A client's commands run in their order.
 *
 * "yield" and "resume" are a client's own: what it has yielded comes back when it says so, or when its
 * connection ends, however it ends. The service is told of each, and of no resume without
 * a yield that worked: it counts them. "yield for=PROGRAM" says what it is for; answers to
 * questions then have "yielded_for", with each one's pid, uid and program.
 */
#ifndef SERVICE_CONTROL_H
#define SERVICE_CONTROL_H

struct control;

#define CONTROL_CLIENTS_MAX 64u /* at a time; beyond, who has said nothing for longest has to go */
#define CONTROL_YIELDS_MAX 48u  /* of them may have yielded: there is room for others, always  */

/* One command as its words, which end with NULL, too; 0 or a negative code, and *reply, a JSON object
 * as text that free takes (NULL: there is no memory). Called on two threads at once. */
struct control_calls {
	int (*command)(void *arg, const char *const *word, unsigned words, char **reply);
	void *arg;
};

/*
 * Begins to listen at path, in a directory that only this user or root can change, or a sticky
 * one; it is made where it is missing, but not its parents. A socket that a dead service has left
 * is replaced. Errors: a negative UPC_E*, and *message, which the caller frees (NULL without memory):
 * UPC_EINVAL (the path), UPC_ESTATE (a service is there), UPC_EPERM (a link, another's socket, or what
 * is no socket, is there, or others could put one there), UPC_ENOMEM, UPC_ESYSTEM.
 */
int service_control_start(const char *path, const struct control_calls *calls, struct control **control,
			  char **message);

/* Ends all connections, after the commands that run have ended, and takes the socket away. Yielded
 * counters stay yielded. NULL is fine. */
void service_control_stop(struct control *control);

#endif
