/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * child.h - a child process that does work on request, and answers when the work is done.
 */
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
	pid_t pid;
	int order, answer;
};

/* Start a child that calls work(n) for each child_work(n). Return 0, or -1 after a failure. */
static int child_start(struct child *child, void (*work)(size_t n))
{
	int orders[2], answers[2];
	size_t n;

	if (pipe(orders) || pipe(answers))
		return -1;
	child->pid = fork();
	if (child->pid == 0) {
		close(orders[1]);
		close(answers[0]);
		while (read(orders[0], &n, sizeof(n)) == (ssize_t)sizeof(n)) {
			work(n);
			if (write(answers[1], "", 1) != 1)
				break;
		}
		_exit(0);
	}
	close(orders[0]);
	close(answers[1]);
	child->order = orders[1];
	child->answer = answers[0];
	return child->pid > 0 ? 0 : -1;
}

/* Let the child call work(n), and wait until it is done. Return 1, or 0 if the child has ended. */
static int child_work(const struct child *child, size_t n)
{
	char done_byte;

	return write(child->order, &n, sizeof(n)) == (ssize_t)sizeof(n) &&
	       read(child->answer, &done_byte, 1) == 1;
}

/* End the child and wait for it. The child may already be dead. */
static void child_end(const struct child *child)
{
	close(child->order);
	close(child->answer);
	waitpid(child->pid, NULL, 0);
}

#endif /* CHILD_H */
