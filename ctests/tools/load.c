/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load.c - work whose counts are known, for comparing counters.
 *
 *   load faults N     touches N fresh pages
 *   load loopback N   sends N bytes over TCP on 127.0.0.1
 *   load switches N   hands a byte to a child and back N times, on one CPU
 *   load syscalls N   makes N getppid system calls
 *
 * With a file descriptor number in LOAD_GO it first waits for a byte there, so
 * that counters can be attached.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void faults(long n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, (size_t)n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, (size_t)n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		p[(size_t)i * page] = 1;
}

static void *drain(void *arg)
{
	static char buffer[65536];
	int server = *(int *)arg, s = accept(server, NULL, NULL);

	while (s >= 0 && read(s, buffer, sizeof(buffer)) > 0)
		;
	close(s);
	return NULL;
}

static void loopback(long n)
{
	static char buffer[65536];
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0), s = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t thread;

	if (server < 0 || s < 0 || bind(server, (struct sockaddr *)&address, length) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&address, &length) ||
	    pthread_create(&thread, NULL, drain, &server) || connect(s, (struct sockaddr *)&address, length))
		die("loopback");
	while (n > 0) {
		ssize_t sent = write(s, buffer, n < (long)sizeof(buffer) ? (size_t)n : sizeof(buffer));

		if (sent < 0)
			die("write");
		n -= sent;
	}
	close(s);
	pthread_join(thread, NULL);
}

static void switches(long n)
{
	int to[2], from[2];
	cpu_set_t one;
	char byte = 0;
	pid_t pid;
	long i;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(to) || pipe(from))
		die("switches");
	pid = fork();
	if (pid == 0) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	for (i = 0; i < n; i++)
		if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			die("pipe");
	close(to[1]);
	waitpid(pid, NULL, 0);
}

static void syscalls(long n)
{
	while (n--)
		syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long n);
	} load[] = {
		{"faults", faults}, {"loopback", loopback}, {"switches", switches}, {"syscalls", syscalls}};
	const char *go = getenv("LOAD_GO");
	long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	size_t i;
	char byte;

	if (n < 1) {
		fprintf(stderr, "usage: load faults|loopback|switches|syscalls N\n");
		return 2;
	}
	if (go && read(atoi(go), &byte, 1) != 1)
		die("LOAD_GO");
	for (i = 0; i < sizeof(load) / sizeof(load[0]); i++)
		if (!strcmp(argv[1], load[i].name)) {
			load[i].run(n);
			return 0;
		}
	fprintf(stderr, "load: there is no '%s'\n", argv[1]);
	return 2;
}
