/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_node.c - the private node: pmcd with the agent, pmproxy, pmlogger and the page.
 *
 * Only the page has a port. pmcd and pmproxy cannot be started without a port. upc_serve gives them the
 * page's port, on which it already listens, so they fail to open it and listen only on their Unix sockets.
 * Both report this failure in their logs.
 *
 * pmproxy's protocols are open to requests from strangers, so pmproxy runs as the user nobody (if upc_serve
 * runs as root). It reaches pmcd's socket through its current directory, since it has no access to the
 * directories above, and it cannot reach the control socket.
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_node.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <jansson.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/common.h"
#include "serve/serve_children.h"
#include "serve/serve_default.h"
#include "serve/serve_front.h"
#include "serve/serve_pcp.h"
#include "serve/serve_upstream.h"

#define PORT_FIRST 44380
#define PORT_LAST 44399
#define READY_SECONDS 60
#define LONG_LIFE 60 /* seconds: a process that lived this long did not fail at once */
#define PROXY_SOCKET "web/pmproxy.socket"

enum { PMCD, PMPROXY, PAGE, PMLOGGER, CHILDREN };

struct node {
	const struct serve_options *options;
	struct serve_place place;
	struct serve_pcp pcp;
	struct serve_nobody nobody;
	char user[64], group[64];
	char config[PATH_MAX];
	char *about; /* JSON */
	char port[16];
	struct serve_front front;
	struct serve_child child[CHILDREN];
	uint64_t again[CHILDREN]; /* time when to start the child again, in seconds; 0: it runs */
	char archive[64];         /* "archive/NAME" */
	pid_t agent;
	unsigned agent_gone; /* consecutive checks without the agent */
};

/* ---- preparation ------------------------------------------------------------------------------ */

static bool find_users(struct node *n)
{
	const struct passwd *own = getpwuid(geteuid()), *nobody;
	const struct group *group = getgrgid(getegid());

	if (!own) {
		util_error("there is no user with the number %u here", (unsigned)geteuid());
		return false;
	}
	snprintf(n->user, sizeof(n->user), "%s", own->pw_name);
	snprintf(n->group, sizeof(n->group), "%s", group ? group->gr_name : n->user);
	n->nobody = (struct serve_nobody){.uid = geteuid(), .gid = getegid()};
	strcpy(n->nobody.user, n->user);
	strcpy(n->nobody.group, n->group);
	if (geteuid() != 0)
		return true;
	nobody = getpwnam("nobody");
	if (!nobody || nobody->pw_uid == 0 || nobody->pw_gid == 0) {
		util_error("there is no user 'nobody' here, to whom pmproxy would belong");
		return false;
	}
	group = getgrgid(nobody->pw_gid);
	n->nobody.uid = nobody->pw_uid;
	n->nobody.gid = nobody->pw_gid;
	strcpy(n->nobody.user, "nobody");
	snprintf(n->nobody.group, sizeof(n->nobody.group), "%s", group ? group->gr_name : "nogroup");
	return true;
}

static int listen_at_port(long port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, error;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 64) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static bool find_port(struct node *n)
{
	long first = n->options->port ? n->options->port : PORT_FIRST;
	long last = n->options->port ? n->options->port : PORT_LAST, port;

	n->front.listening = -1;
	for (port = first; port <= last; port++) {
		n->front.listening = listen_at_port(port);
		if (n->front.listening >= 0 || errno != EADDRINUSE)
			break;
	}
	if (n->front.listening >= 0) {
		snprintf(n->port, sizeof(n->port), "%ld", port);
		return true;
	}
	if (errno == EADDRINUSE && first != last)
		util_error("the ports %ld to %ld of 127.0.0.1 are occupied: give another with --port", first,
			   last);
	else
		util_error("cannot have port %ld of 127.0.0.1 for the page: %s; give another with --port",
			   port > last ? last : port, strerror(errno));
	return false;
}

/* ---- facts about this node for the page -------------------------------------------------------- */

/* Convert any bytes to a JSON string. */
static json_t *make_bytes_json(const char *bytes)
{
	json_t *value = json_string(bytes);
	char *plain = value ? NULL : strdup(bytes);

	if (!plain)
		return value;
	for (unsigned char *c = (unsigned char *)plain; *c; c++)
		if (*c >= 0x80)
			*c = '?';
	value = json_string(plain);
	free(plain);
	return value;
}

static bool find_about(struct node *n, struct upc_catalogue *catalogue)
{
	json_t *about = json_object(), *missing = json_array();
	const char *sentence;
	char host[256] = "", path[PATH_MAX + 128];

	gethostname(host, sizeof(host) - 1);
	for (unsigned i = 0; (sentence = upc_catalogue_missing(catalogue, i)); i++)
		json_array_append_new(missing, make_bytes_json(sentence));
	json_object_set_new(about, "host", make_bytes_json(host));
	json_object_set_new(about, "user", make_bytes_json(n->user));
	json_object_set_new(about, "root", json_boolean(geteuid() == 0));
	json_object_set_new(about, "directory", make_bytes_json(n->place.dir));
	json_object_set_new(about, "configuration", make_bytes_json(n->config));
	snprintf(path, sizeof(path), "%s/%s", n->place.dir, n->archive);
	json_object_set_new(about, "archive", make_bytes_json(path));
	json_object_set_new(about, "release", make_bytes_json(upc_version()));
	json_object_set_new(about, "missing", missing);
	n->about = json_dumps(about, JSON_COMPACT);
	json_decref(about);
	n->front.about = n->about;
	if (!n->about)
		util_error("out of memory");
	return n->about != NULL;
}

/* Set the path of the configuration: the full name of the given file, or the default configuration, which is
 * written. */
static bool find_config(struct node *n, const char *given, struct upc_catalogue *catalogue)
{
	if (given) {
		strcpy(n->config, given);
		return true;
	}
	if (snprintf(n->config, sizeof(n->config), "%s/config", n->place.dir) >= (int)sizeof(n->config))
		return false;
	return serve_default_write(catalogue, "config", n->options->interval_ns);
}

/* ---- its processes ------------------------------------------------------------------------ */

static void run_page(void *argument)
{
	const struct node *n = argument;

	serve_front_run(&n->front);
}

static bool merge_names(const struct node *n)
{
	static const char *const env[] = {"PCP_CONF=pcp.conf", NULL};
	const char *argv[] = {"pmnsmerge", "-a", n->pcp.names, "root_upc", "root", NULL};
	struct serve_child merge = {.name = "pmnsmerge",
				    .program = n->pcp.pmnsmerge,
				    .argv = argv,
				    .env = env,
				    .where = ".",
				    .log = "log/pmns.log"};
	char line[256];

	unlink("root"); /* left by an upc_serve that was killed */
	if (!serve_child_start(&merge))
		return false;
	while (waitpid(merge.pid, &merge.status, 0) < 0 && errno == EINTR)
		;
	if (merge.status == 0)
		return true;
	serve_last_line(merge.log, line, sizeof(line));
	util_error("pmnsmerge, which makes the names of metrics: %s", line);
	return false;
}

static const char *env_of(const char *name, const char *dir, const char *tail)
{
	char *text;

	return asprintf(&text, "%s=%s%s", name, dir, tail) < 0 ? NULL : text;
}

/* Name the archive. Each run of pmlogger gets a new name, so that earlier archives stay. */
static void name_archive(struct node *n)
{
	const time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(n->archive, sizeof(n->archive), "archive/%Y%m%d.%H%M%S", &tm);
}

/* Set up the children. Nothing is freed, since their arguments are needed until the process ends. */
static bool describe_children(struct node *n)
{
	static const char *pmcd_argv[] = {
		"pmcd", "-f", "-A",        "-c", "pmcd.conf",       "-n", "root", "-l", "log/pmcd.log", "-p",
		NULL,   "-i", "127.0.0.1", "-s", "run/pmcd.socket", NULL};
	/* pmproxy appends ".conf" to the name of its file. */
	static const char *pmproxy_argv[] = {
		"pmproxy", "-f", "-A",        "-c", "../web/pmproxy",   "-l", "../web/log/pmproxy.log", "-p",
		NULL,      "-i", "127.0.0.1", "-s", "../" PROXY_SOCKET, NULL};
	static const char *pmlogger_argv[] = {"pmlogger",         "-h", "unix:", "-c", "pmlogger.conf", "-l",
					      "log/pmlogger.log", NULL, NULL};
	static const char *pmcd_env[2], *pmlogger_env[4];
	static const char *const pmproxy_env[] = {"PCP_CONF=../web/pcp.conf",
						  "PMCD_SOCKET=/proc/self/cwd/pmcd.socket", "PMPROXY_LOCAL=1",
						  NULL};

	pmcd_argv[10] = pmproxy_argv[8] = n->port;
	name_archive(n);
	pmlogger_argv[7] = n->archive;
	pmcd_env[0] = env_of("PCP_CONF", n->place.dir, "/pcp.conf");
	pmlogger_env[0] = pmcd_env[0];
	pmlogger_env[1] = env_of("PMCD_SOCKET", n->place.dir, "/run/pmcd.socket");
	/* pmlogger always opens a port for pmlc. It is limited to this machine, and the configuration denies
	 * all access. */
	pmlogger_env[2] = "PMLOGGER_LOCAL=1";
	if (!pmcd_env[0] || !pmlogger_env[1]) {
		util_error("out of memory");
		return false;
	}
	n->child[PMCD] = (struct serve_child){.name = "pmcd",
					      .program = n->pcp.pmcd,
					      .argv = pmcd_argv,
					      .env = pmcd_env,
					      .where = ".",
					      .log = "log/pmcd.out"};
	n->child[PMPROXY] = (struct serve_child){.name = "pmproxy",
						 .program = n->pcp.pmproxy,
						 .libraries = n->pcp.libraries[0] ? n->pcp.libraries : NULL,
						 .argv = pmproxy_argv,
						 .env = pmproxy_env,
						 .where = "run",
						 .log = "log/pmproxy.out",
						 .nobody = &n->nobody};
	n->child[PAGE] = (struct serve_child){.name = "the page",
					      .where = "web",
					      .log = "log/page.out",
					      .nobody = &n->nobody,
					      .run = run_page,
					      .argument = n};
	n->child[PMLOGGER] = (struct serve_child){.name = "pmlogger",
						  .program = n->pcp.pmlogger,
						  .argv = pmlogger_argv,
						  .env = pmlogger_env,
						  .where = ".",
						  .log = "log/pmlogger.out"};
	n->front.socket = "pmproxy.socket";
	return true;
}

static const char *log_of(int which)
{
	static const char *const log[] = {"log/pmcd.log", "web/log/pmproxy.log", "log/page.out",
					  "log/pmlogger.log"};

	return log[which];
}

static bool start_child(struct node *n, int which)
{
	if (which == PMLOGGER && n->child[PMLOGGER].began != 0)
		name_archive(n);
	n->again[which] = 0;
	return serve_child_start(&n->child[which]);
}

/* ---- the agent ---------------------------------------------------------------------------- */

/* True if pmproxy returns a value of the agent, in the way in which the page gets its values. */
static bool pmproxy_answers(void)
{
	struct serve_reply reply;
	bool value;

	if (!serve_upstream(PROXY_SOCKET, "/pmapi/fetch?hostspec=unix:&names=upc.control.generation", 5,
			    &reply))
		return false;
	value = reply.status == 200 && strstr(reply.body, "\"instances\":[{");
	free(reply.body);
	return value;
}

/* True if pmcd runs the agent. Also record a new agent process. */
static bool agent_is_there(struct node *n)
{
	pid_t agent = n->child[PMCD].pid > 0 ? serve_grandchild(n->child[PMCD].pid) : 0;

	if (agent > 0 && agent != n->agent) {
		n->agent = agent;
		serve_record(agent, "pmdaupc");
	}
	if (agent != 0) {
		n->agent_gone = 0;
		return true;
	}
	n->agent_gone++;
	return false;
}

static void say_log(const char *name, const char *log)
{
	char line[512];

	serve_last_line(log, line, sizeof(line));
	if (line[0])
		util_error("%s says: %s", name, line);
}

/* ---- the run ------------------------------------------------------------------------------ */

static volatile sig_atomic_t ending;

static void note_end_signal(int signal_number)
{
	ending = signal_number;
}

static void on_child(int signal_number)
{
	(void)signal_number; /* the signal only interrupts a wait */
}

/* Catch signals; they are blocked except while the node waits. */
static void catch_node_signals(sigset_t *before)
{
	struct sigaction end = {.sa_handler = note_end_signal},
			 child = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
	sigset_t all;

	sigemptyset(&all);
	for (size_t i = 0; i < 4; i++) {
		static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

		sigaction(ends[i], &end, NULL);
		sigaddset(&all, ends[i]);
	}
	sigaction(SIGCHLD, &child, NULL);
	sigaddset(&all, SIGCHLD);
	sigprocmask(SIG_BLOCK, &all, before);
	for (size_t i = 0; i < 5; i++)
		sigdelset(before, (int[]){SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}[i]);
	signal(SIGPIPE, SIG_IGN);
}

static void wait_a_while(const sigset_t *open, long ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	ppoll(NULL, 0, &t, open);
}

/* Reap processes that have ended. Return the index of the child that has ended, or -1. */
static int take_ends(struct node *n)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < CHILDREN; i++)
			if (n->child[i].pid == pid) {
				n->child[i].pid = 0;
				n->child[i].status = status;
				return i;
			}
	return -1;
}

/* Wait until the agent answers. False after a message, or after a signal. */
static bool wait_until_ready(struct node *n, const sigset_t *open)
{
	uint64_t limit = util_now_s() + READY_SECONDS;
	char end[80];

	while (!ending) {
		int ended = take_ends(n);

		if (ended >= 0) {
			util_error("%s %s", n->child[ended].name, serve_child_end(&n->child[ended], end));
			say_log(n->child[ended].name, log_of(ended));
			return false;
		}
		if (access("run/pmcd.socket", F_OK) == 0 && !agent_is_there(n) && n->agent_gone > 20) {
			util_error("the agent has ended");
			say_log("it", "log/upc.log");
			return false;
		}
		if (access(PROXY_SOCKET, F_OK) == 0 && pmproxy_answers())
			return true;
		if (util_now_s() > limit) {
			util_error("no counter is there after %d seconds; the logs are in %s/log",
				   READY_SECONDS, n->place.dir);
			return false;
		}
		wait_a_while(open, 50);
	}
	return false;
}

/* Plan to start a child again, after a longer pause each time that it ends at once. */
static void plan_again(struct node *n, int which)
{
	struct serve_child *child = &n->child[which];
	uint64_t now = util_now_s();
	unsigned wait;
	char end[80];

	child->failures = now - child->began >= LONG_LIFE ? 0 : child->failures + 1;
	wait = child->failures > 6 ? 60 : 1u << child->failures >> 1;
	n->again[which] = now + (wait ? wait : 1);
	/* Repeated failures were already reported. */
	if (child->failures > 3)
		return;
	util_error("%s %s: it is started again%s", child->name, serve_child_end(child, end),
		   child->failures == 3 ? ", once a minute at last, without more words" : "");
	say_log(child->name, log_of(which));
}

static void watch_children(struct node *n, const sigset_t *open)
{
	while (!ending) {
		int ended = take_ends(n);

		if (ended >= 0) {
			plan_again(n, ended);
			continue;
		}
		for (int i = 0; i < CHILDREN; i++)
			if (n->again[i] && util_now_s() >= n->again[i] && !start_child(n, i))
				n->again[i] = util_now_s() + 60;
		if (n->child[PMCD].pid > 0 && !agent_is_there(n) && n->agent_gone == 2 &&
		    util_now_s() - n->child[PMCD].began > 5) {
			util_error("the agent has ended: it is started again");
			say_log("it", "log/upc.log");
			kill(n->child[PMCD].pid, SIGHUP);
			n->agent_gone = 0;
		}
		wait_a_while(open, 1000);
	}
}

/* End all children. pmlogger ends first, while pmcd can still answer pmlogger's last request. */
static void end_all(struct node *n)
{
	serve_child_stop(&n->child[PMLOGGER], 5);
	serve_child_stop(&n->child[PAGE], 2);
	serve_child_stop(&n->child[PMPROXY], 5);
	/* The agent ends with pmcd, which takes time with many counters. */
	serve_child_stop(&n->child[PMCD], 10);
	if (!serve_orphans_ended(10)) {
		serve_end_leftovers();
		serve_orphans_ended(5);
	}
	serve_place_empty();
}

static void say_ready(const struct node *n, struct upc_catalogue *catalogue)
{
	const char *sentence;

	printf("upc_serve: http://127.0.0.1:%s/\n", n->port);
	printf("  counted:  %s\n", n->config);
	printf("  archive:  %s/%s, which stays\n", n->place.dir, n->archive);
	printf("  commands: upc ctl -S %s/run/control ls\n", n->place.dir);
	printf("  PCP:      PMCD_SOCKET=%s/run/pmcd.socket %s -h unix: -f upc\n", n->place.dir,
	       strcmp(n->pcp.pminfo, "/usr/bin/pminfo") ? n->pcp.pminfo : "pminfo");
	for (unsigned i = 0; (sentence = upc_catalogue_missing(catalogue, i)); i++) {
		unsigned column;

		fputs(i ? "            " : "  not here: ", stdout);
		column = util_wrap(stdout, sentence, 12, 12, util_width(stdout));
		(void)column;
		putchar('\n');
	}
	printf("Ctrl-C ends it%s.\n", isatty(1) ? "" : ", as does --stop");
	util_flush(stdout, "standard output");
}

static int run_node_children(struct node *n, struct upc_catalogue *catalogue)
{
	char address[64];
	sigset_t open;
	bool good;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	catch_node_signals(&open);
	good = merge_names(n) && start_child(n, PMCD) && start_child(n, PMPROXY) && start_child(n, PAGE) &&
	       wait_until_ready(n, &open);
	if (good && !ending)
		good = start_child(n, PMLOGGER);
	if (good && !ending) {
		snprintf(address, sizeof(address), "http://127.0.0.1:%s/\n", n->port);
		good = serve_place_set_address(&n->place, address);
	}
	if (good && !ending) {
		say_ready(n, catalogue);
		watch_children(n, &open);
	}
	end_all(n);
	return good || ending ? UTIL_OK : UTIL_FAILED;
}

static int say_held(pid_t holder, const char *dir)
{
	char address[128];

	if (holder < 0)
		return UTIL_FAILED;
	serve_place_address(address);
	if (holder == 0)
		util_error("another upc_serve is just starting or ending in %s", dir);
	else if (address[0])
		util_error("it runs already in %s, as process %d: %s", dir, (int)holder, address);
	else
		util_error("it is starting already in %s, as process %d", dir, (int)holder);
	util_error("upc_serve --stop ends it; --dir has another beside it");
	return UTIL_FAILED;
}

int serve_node(const struct serve_options *options)
{
	static struct node n;
	struct upc_catalogue *catalogue;
	char dir[PATH_MAX], given[PATH_MAX];
	pid_t holder;
	int status = UTIL_FAILED;
	unsigned left;

	n.options = options;
	umask(077);
	if (options->config && !realpath(options->config, given)) {
		util_error("%s: %s", options->config, strerror(errno));
		return UTIL_FAILED;
	}
	if (options->config && strpbrk(given, " \t\n\"'\\#")) {
		util_error("%s has blanks or quotes in its path, which pmcd's file cannot have", given);
		return UTIL_FAILED;
	}
	if ((options->config && !serve_pcp_check(&n.pcp, given)) || !serve_pcp_find(&n.pcp) ||
	    !find_users(&n) || (!options->dir && !serve_place_default(dir)) ||
	    !serve_place_open(&n.place, options->dir ? options->dir : dir, true))
		return UTIL_FAILED;
	if (!serve_place_lock(&n.place, &holder))
		return say_held(holder, n.place.dir);
	left = serve_end_leftovers();
	if (left > 0)
		util_error("%u process%s of one that was killed ha%s been ended", left, left == 1 ? "" : "es",
			   left == 1 ? "s" : "ve");
	serve_place_empty();
	catalogue = util_catalogue_open(NULL);
	if (catalogue && serve_place_fill(&n.nobody) &&
	    find_config(&n, options->config ? given : NULL, catalogue) && find_port(&n)) {
		struct serve_files files = {.dir = n.place.dir,
					    .config = n.config,
					    .interval_ns = options->interval_ns,
					    .user = n.user,
					    .group = n.group,
					    .web_user = n.nobody.user,
					    .web_group = n.nobody.group};

		if (serve_pcp_write(&n.pcp, &files) && describe_children(&n) && find_about(&n, catalogue))
			status = run_node_children(&n, catalogue);
		else
			serve_place_empty();
	} else if (catalogue) {
		serve_place_empty();
	}
	if (ftruncate(n.place.lock, 0) != 0)
		util_error("cannot write %s/serve.lock: %s", n.place.dir, strerror(errno));
	upc_catalogue_close(catalogue);
	free(n.about);
	return status;
}

/* ---- --stop ------------------------------------------------------------------------------- */

int serve_stop(const char *dir)
{
	char own[PATH_MAX];
	struct serve_place place;
	pid_t holder, holder_was;
	unsigned left;

	if ((!dir && !serve_place_default(own)))
		return UTIL_FAILED;
	if (!dir)
		dir = own;
	if (access(dir, F_OK) != 0 && errno == ENOENT) {
		printf("upc_serve: nothing runs: there is no %s\n", dir);
		return UTIL_OK;
	}
	if (!serve_place_open(&place, dir, false))
		return UTIL_FAILED;
	holder = holder_was = serve_place_holder();
	if (holder < 0)
		return UTIL_FAILED;
	if (holder > 0 && kill(holder, SIGTERM) != 0 && errno != ESRCH) {
		util_error("cannot end process %d: %s", (int)holder, strerror(errno));
		return UTIL_FAILED;
	}
	/* The holder ends its children. If it does not end, it is killed, and its children with it. */
	for (int i = 0; i < 40 * 20 && holder > 0 && serve_place_holder() == holder; i++)
		poll(NULL, 0, 50);
	if (holder > 0 && serve_place_holder() == holder) {
		kill(holder, SIGKILL);
		for (int i = 0; i < 100 && serve_place_holder() == holder; i++)
			poll(NULL, 0, 50);
	}
	if (serve_place_holder() > 0) {
		util_error("another has been started in %s meanwhile", place.dir);
		return UTIL_FAILED;
	}
	if (!serve_place_lock(&place, &holder))
		return say_held(holder, place.dir);
	left = serve_end_leftovers();
	serve_place_empty();
	close(place.lock);
	if (holder_was == 0)
		printf("upc_serve: nothing ran in %s%s\n", place.dir,
		       left ? " but what one that was killed has left" : "");
	return UTIL_OK;
}
