/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_service - the node service makes way for users, on a PMU that it fills. If it is asked
 * (upcctl run), a user's events count from their first instruction; if it notices the user, they
 * count within a second; with a reserve, they count at once. The service's counters go on when the
 * user has closed his, and their state says who the user was.
 *
 * The service is a child of this process, so this process is a user like any other. The machine's
 * clock counts instructions, so its times do not depend on the host's load.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "pmu_util.h"
#include "service/service.h"
#include "upc.h"

#define COUNTERS 6 /* programmable ones, of the PMU that this is written for */
#define ROUNDS 100000
#define PATIENCE_NS UINT64_C(10000000000)

static const char *event[COUNTERS]; /* instructions, then others of programmable counters */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static unsigned find_events(void)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	static struct upc_catalogue *c;
	uint32_t code, first;
	unsigned n = 0;

	if (upc_catalogue_open(NULL, &c) || upc_catalogue_find(c, "perf::INSTRUCTIONS", &first))
		return 0;
	upc_catalogue_info(c, first, &info);
	event[n++] = info.name;
	for (code = 0; code < upc_catalogue_count(c) && n < COUNTERS; code++)
		if (code != first && !upc_catalogue_info(c, code, &info) &&
		    !strcmp(info.subsystem, "hardware") && info.id == UPC_NO_ID &&
		    !strstr(info.name, "CYC") && !strstr(info.name, "CYCLES"))
			event[n++] = info.name;
	return n;
}

/* ---- the service, and what it is asked ------------------------------------------------- */

/* The service's answer, its first counter, and its first user. */
struct said {
	int error;
	enum service_state state;
	uint64_t value, running_ns;
	unsigned users;
	struct service_user user;
	char why[128], unseen[192], reply[512];
};

struct node {
	pid_t pid;
	int to, from;
};

/* Fills in the words of a question, which is a letter; word has room for 3. Returns their number. */
static unsigned words_of(char question, const char **word)
{
	switch (question) {
	case 'y':
		word[0] = "yield";
		return 1;
	case 'r':
		word[0] = "resume";
		return 1;
	case 'a':
		word[0] = "add";
		word[1] = event[COUNTERS - 1];
		word[2] = "scope=cpu";
		return 3;
	case 'x':
		word[0] = "reassign";
		word[1] = event[COUNTERS - 1];
		word[2] = "perf::CPU-CYCLES";
		return 3;
	case 'w':
		word[0] = "rewrite";
		word[1] = "ALL";
		return 2;
	default:
		word[0] = "status";
		return 1;
	}
}

static void say(struct service *s, char question, struct said *said)
{
	const char *word[3];
	unsigned words = words_of(question, word);
	const struct service_sample *sample;
	char *reply = NULL;

	memset(said, 0, sizeof(*said));
	said->error = service_command(s, word, words, &reply);
	snprintf(said->reply, sizeof(said->reply), "%s", reply ? reply : "");
	free(reply);
	sample = service_sample_get(s, 1000);
	if (sample->counters) {
		const struct service_counter *counter = &sample->counter[0];

		said->state = counter->value[0].state;
		said->value = counter->value[0].value;
		said->running_ns = counter->value[0].running_ns;
		snprintf(said->why, sizeof(said->why), "%s", counter->why);
	}
	said->users = sample->users;
	if (sample->users)
		said->user = sample->user[0];
	snprintf(said->unseen, sizeof(said->unseen), "%s", sample->users_unseen);
	service_sample_put(sample);
}

#define CONTROL_DIRECTORY "/tmp/pmu_service.run"
#define CONTROL CONTROL_DIRECTORY "/control"

static void serve(const char *config, int from, int to)
{
	struct service_options options = {.config = config, .control = CONTROL};
	struct service *service;
	struct said said;
	char *message = NULL, question;
	int error = service_open(&options, &service, &message);

	memset(&said, 0, sizeof(said));
	said.error = error;
	snprintf(said.reply, sizeof(said.reply), "%s", message ? message : "");
	while (write(to, &said, sizeof(said)) == sizeof(said) && !error && read(from, &question, 1) == 1)
		say(service, question, &said);
	if (!error)
		service_close(service);
}

/* Starts the service with a configuration. Returns whether it counts. */
static bool start_node(struct node *node, const char *initialize, unsigned events, struct said *said)
{
	static const char path[] = "/tmp/pmu_service.conf";
	FILE *f = fopen(path, "w");
	int to[2], from[2];

	if (!f || pipe(to) || pipe(from)) {
		perror("pmu_service");
		exit(1);
	}
	fprintf(f, "initialize %s\n", initialize);
	for (unsigned i = 0; i < events; i++)
		fprintf(f, "add %s scope=cpu\n", event[i]);
	fprintf(f, "finalize\n");
	fclose(f);
	node->pid = fork();
	if (!node->pid) {
		prctl(PR_SET_NAME, "service");
		close(to[1]);
		close(from[0]);
		serve(path, to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	node->to = to[1];
	node->from = from[0];
	if (read(node->from, said, sizeof(*said)) != sizeof(*said))
		said->error = UPC_EGONE;
	return !said->error;
}

static void ask(const struct node *node, char question, struct said *said)
{
	if (write(node->to, &question, 1) != 1 || read(node->from, said, sizeof(*said)) != sizeof(*said)) {
		memset(said, 0, sizeof(*said));
		said->error = UPC_EGONE;
	}
}

/* Asks while this process works on: the service acts beside a user that runs. */
static void ask_and_work(const struct node *node, char question, struct said *said)
{
	struct pollfd answer = {.fd = node->from, .events = POLLIN};

	if (write(node->to, &question, 1) != 1)
		question = 0;
	while (question && !poll(&answer, 1, 0))
		loop(1000);
	if (!question || read(node->from, said, sizeof(*said)) != sizeof(*said)) {
		memset(said, 0, sizeof(*said));
		said->error = UPC_EGONE;
	}
}

static void end_node(struct node *node)
{
	close(node->to);
	close(node->from);
	waitpid(node->pid, NULL, 0);
}

/* Waits until the first counter is in a state. Returns how long it took, or UINT64_MAX. */
static uint64_t wait_for(const struct node *node, enum service_state state, struct said *said)
{
	uint64_t from = now_ns();

	do {
		ask(node, 's', said);
		if (said->state == state || said->error)
			return said->error ? UINT64_MAX : now_ns() - from;
		usleep(10000);
	} while (now_ns() - from < PATIENCE_NS);
	return UINT64_MAX;
}

/* ---- a user ------------------------------------------------------------------------------- */

struct group {
	int fd[COUNTERS];
	unsigned n;
};

static int open_instructions(int leader, bool pinned)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = leader < 0,
		.pinned = leader < 0 && pinned,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static bool open_group(struct group *g, unsigned n, bool pinned)
{
	for (g->n = 0; g->n < n; g->n++) {
		g->fd[g->n] = open_instructions(g->n ? g->fd[0] : -1, pinned);
		if (g->fd[g->n] < 0) {
			note("perf_event_open: %s", strerror(errno));
			return false;
		}
	}
	return true;
}

static void close_group(struct group *g)
{
	while (g->n)
		close(g->fd[--g->n]);
}

/* Returns how many of the group's events counted the loop whole and ran all the time. */
static unsigned count_with(struct group *g)
{
	unsigned right = 0;

	ioctl(g->fd[0], PERF_EVENT_IOC_ENABLE, 0);
	loop(ROUNDS);
	ioctl(g->fd[0], PERF_EVENT_IOC_DISABLE, 0);
	for (unsigned i = 0; i < g->n; i++) {
		uint64_t count = raw_read(g->fd[i]);

		right += count != UINT64_MAX && count >= ROUNDS * PER_ROUND &&
			 count < ROUNDS * PER_ROUND + 100;
	}
	return right;
}

/* Returns how long an event that may run at any time has to wait for its counter, or UINT64_MAX. */
static uint64_t wait_for_counter(int fd, uint64_t patience_ns)
{
	uint64_t from = now_ns(), got[3];

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	do {
		loop(1000);
		if (read(fd, got, sizeof(got)) == (ssize_t)sizeof(got) && got[2])
			return now_ns() - from;
	} while (now_ns() - from < patience_ns);
	return UINT64_MAX;
}

/* ---- the tests ------------------------------------------------------------------------------ */

/* A user who does nothing about the service has no counter: the other tests are about the ways to
 * get one. The service's groups are pinned here, which is the worst for users; its default
 * (flexible=yes) comes last. */
static void unnoticed(void)
{
	struct node node;
	struct said said;
	struct group g;

	if (!ok(start_node(&node, "notice=no flexible=no", COUNTERS, &said),
		"the service counts with all counters: %s", said.reply))
		return;
	ok(wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX, "it counts, and says so");
	ok(open_group(&g, 1, false) && wait_for_counter(g.fd[0], 2000000000u) == UINT64_MAX,
	   "without notice=yes a user's event gets no counter beside it");
	ask(&node, 's', &said);
	ok(said.state == SERVICE_COUNTING, "and the service counts on");
	close_group(&g);
	end_node(&node);
}

static void asked(void)
{
	uint64_t value, running;
	struct node node;
	struct said said;
	struct group g;

	if (!ok(start_node(&node, "notice=no flexible=no", COUNTERS, &said), "the service counts: %s",
		said.reply))
		return;
	wait_for(&node, SERVICE_COUNTING, &said);
	ask(&node, 'y', &said);
	ok(!said.error && said.state == SERVICE_YIELDED, "asked to, it yields: %s", said.why);
	value = said.value;
	running = said.running_ns;
	ok(open_group(&g, COUNTERS, true) && count_with(&g) == COUNTERS,
	   "a user's pinned group of all counters counts from its first instruction");
	close_group(&g);
	ok(open_group(&g, COUNTERS, false) && count_with(&g) == COUNTERS,
	   "and so does one that is not pinned");
	ask(&node, 's', &said);
	ok(said.state == SERVICE_YIELDED && said.running_ns == running && said.value == value,
	   "meanwhile the service has counted nothing");
	close_group(&g);
	ask(&node, 'r', &said);
	ok(!said.error && wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX,
	   "told that it is over, it counts on");
	loop(ROUNDS);
	ask(&node, 's', &said);
	ok(said.value > value && said.running_ns > running, "from where it was");
	end_node(&node);
}

/* A user as a program of its own. Returns 0 if all counters counted its loop from the first instruction. */
static int user(void)
{
	struct group g;

	return open_group(&g, COUNTERS, true) && count_with(&g) == COUNTERS ? 0 : 1;
}

static void by_upcctl(const char *self)
{
	struct node node;
	struct said said;
	char command[512];

	if (!ok(start_node(&node, "notice=no flexible=no", COUNTERS, &said), "the service counts: %s",
		said.reply))
		return;
	wait_for(&node, SERVICE_COUNTING, &said);
	snprintf(command, sizeof(command), "%s --user", self);
	ok(system(command) != 0, "a user who starts his program as it is has not all that it should count");
	snprintf(command, sizeof(command), "UPC_CONTROL=" CONTROL " upcctl run -- %s --user", self);
	ok(system(command) == 0, "with upcctl run it counts from its first instruction");
	ok(wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX, "and then the service counts on");
	end_node(&node);
}

/* Commands that open counters (add, reassign, rewrite) succeed while a user has these, and take none from
 * the user. */
static void changed_meanwhile(void)
{
	static const char question[] = "axw";
	struct node node;
	struct said said;
	struct group g;

	if (!ok(start_node(&node, "notice=no flexible=no", COUNTERS - 1, &said), "the service counts: %s",
		said.reply))
		return;
	wait_for(&node, SERVICE_COUNTING, &said);
	ask(&node, 'y', &said);
	for (const char *q = question; *q; q++) {
		const char *word[3];
		uint64_t count;

		words_of(*q, word);
		if (!ok(open_group(&g, COUNTERS, true), "a user has all counters"))
			break;
		ioctl(g.fd[0], PERF_EVENT_IOC_ENABLE, 0);
		ask_and_work(&node, *q, &said);
		loop(ROUNDS);
		ioctl(g.fd[0], PERF_EVENT_IOC_DISABLE, 0);
		count = raw_read(g.fd[0]);
		ok(!said.error && count != UINT64_MAX && count >= ROUNDS * PER_ROUND,
		   "and keeps them during the service's %s: %s", word[0], said.reply);
		close_group(&g);
	}
	ask(&node, 'r', &said);
	ok(wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX, "after which the service counts on");
	end_node(&node);
}

/* The service is told to resume while a user, who has not asked and was not noticed, has the counters. */
static void taken(void)
{
	uint64_t running, value;
	struct node node;
	struct said said;
	struct group g;

	if (!ok(start_node(&node, "notice=no flexible=no", COUNTERS, &said), "the service counts: %s",
		said.reply))
		return;
	wait_for(&node, SERVICE_COUNTING, &said);
	ask(&node, 'y', &said);
	open_group(&g, COUNTERS, true);
	ioctl(g.fd[0], PERF_EVENT_IOC_ENABLE, 0);
	running = said.running_ns;
	value = said.value;
	ask(&node, 'r', &said);
	/* Pinned events of a CPU come before those of a task: the user's events have lost their counters. */
	loop(ROUNDS);
	wait_for(&node, SERVICE_COUNTING, &said);
	ok((said.state == SERVICE_COUNTING && said.running_ns > running) ||
		   (said.state == SERVICE_TAKEN && said.running_ns == running),
	   "told too early that it is over, the service is %s, and counts %s", service_state_name(said.state),
	   said.running_ns > running ? "on" : "nothing");
	close_group(&g);
	ok(wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX, "and when the user has ended it counts");
	loop(ROUNDS);
	ask(&node, 's', &said);
	ok(said.value > value && said.running_ns > running, "from where it was");
	end_node(&node);
}

static void noticed(void)
{
	uint64_t delay, worst = 0;
	struct node node;
	struct said said;
	struct group g;
	bool all = true;
	const char *noticing;

	if (!ok(start_node(&node, "notice=yes flexible=no", COUNTERS, &said), "the service counts: %s",
		said.reply))
		return;
	ok(wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX, "it counts, and says so");
	noticing = strstr(said.reply, "by ");
	noticing = noticing ? noticing : "it does not say how users are noticed";
	note("%.*s", (int)strcspn(noticing, "\""), noticing);
	ok(!*said.unseen, "it sees all users%s", said.unseen);
	for (unsigned i = 0; i < 10; i++) {
		/* Each round begins at another time of the service's rhythm. */
		usleep(17000 * i);
		delay = open_group(&g, 1, false) ? wait_for_counter(g.fd[0], PATIENCE_NS) : UINT64_MAX;
		worst = delay > worst ? delay : worst;
		ask(&node, 's', &said);
		all &= said.state == SERVICE_YIELDED && said.users == 1 && said.user.pid == getpid() &&
		       said.user.uid == getuid() && said.user.descriptors == 1 &&
		       strstr(said.why, said.user.command);
		if (i == 0) {
			struct group more;

			note("its state says: %s", said.why);
			ok(open_group(&more, COUNTERS - 1, true) && count_with(&more) == COUNTERS - 1,
			   "what the user opens from then on counts from its first instruction");
			close_group(&more);
		}
		close_group(&g);
		delay = wait_for(&node, SERVICE_COUNTING, &said);
		if (delay == UINT64_MAX)
			break;
	}
	ok(worst <= 1000000000u, "noticed, a user's event has its counter within a second");
	note("the longest delay of 10 was %.0f ms", (double)worst * 1e-6);
	ok(all, "and the state says who has the counters");
	ok(delay != UINT64_MAX, "when he has closed it, the service counts on");
	note("after %.0f ms", (double)delay * 1e-6);
	end_node(&node);
}

/* A user who has counters before the service begins keeps them. */
static void there_before(void)
{
	struct node node;
	struct said said;
	struct group g;
	uint64_t count;

	if (!ok(open_group(&g, COUNTERS, true), "a user has all counters"))
		return;
	ioctl(g.fd[0], PERF_EVENT_IOC_ENABLE, 0);
	ok(start_node(&node, "notice=yes flexible=no", COUNTERS, &said), "the service begins beside him: %s",
	   said.reply);
	ask_and_work(&node, 's', &said);
	ok(said.state == SERVICE_YIELDED, "and steps aside: %s", said.why);
	loop(ROUNDS);
	ioctl(g.fd[0], PERF_EVENT_IOC_DISABLE, 0);
	count = raw_read(g.fd[0]);
	ok(count != UINT64_MAX && count >= ROUNDS * PER_ROUND, "he has lost none of his counts");
	close_group(&g);
	ok(wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX, "when he has ended the service counts");
	end_node(&node);
}

/* Tools that trace hold events for ever, which take no counter. */
static void software(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE};
	struct node node;
	struct said said;
	bool counted = true;
	int fd;

	if (!ok(start_node(&node, "notice=yes flexible=no", COUNTERS, &said), "the service counts: %s",
		said.reply))
		return;
	wait_for(&node, SERVICE_COUNTING, &said);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	for (int i = 0; i < 15; i++) {
		usleep(100000);
		ask(&node, 's', &said);
		counted &= said.state == SERVICE_COUNTING && !said.users;
	}
	ok(fd >= 0 && counted, "it does not step aside for an event that takes no counter");
	close(fd);
	end_node(&node);
}

static void reserved(void)
{
	struct node node;
	struct said said;
	struct group g;

	ok(!start_node(&node, "notice=no flexible=yes reserve=2", COUNTERS - 1, &said) && said.reply[0],
	   "with a reserve of 2 it is refused 5 of 6 counters: %s", said.reply);
	end_node(&node);
	if (!ok(start_node(&node, "notice=no flexible=yes reserve=2", COUNTERS - 2, &said),
		"and counts with 4: %s", said.reply))
		return;
	ok(wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX, "it counts, and says so");
	ok(open_group(&g, 2, true) && count_with(&g) == 2,
	   "a user's pinned group of the 2 that remain counts from its first instruction");
	ask(&node, 's', &said);
	ok(said.state == SERVICE_COUNTING, "beside the service, which counts on");
	close_group(&g);
	ok(open_group(&g, COUNTERS, true) && count_with(&g) == COUNTERS,
	   "and so does a pinned group of all 6, since the service's groups are flexible");
	close_group(&g);
	ok(wait_for(&node, SERVICE_COUNTING, &said) != UINT64_MAX, "after which the service counts on");
	end_node(&node);
}

int main(int argc, char **argv)
{
	struct group g;

	if (argc == 2 && !strcmp(argv[1], "--user"))
		return user();
	need_pmu();
	mkdir(CONTROL_DIRECTORY, 0700);
	signal(SIGPIPE, SIG_IGN);
	if (find_events() < COUNTERS)
		skip_all("this PMU has fewer than 6 events of programmable counters");
	/* The tests are written for six counters: a seventh event of them never runs. */
	ok(open_group(&g, COUNTERS, true) && count_with(&g) == COUNTERS, "the PMU has 6 counters for a user");
	close_group(&g);
	unnoticed();
	asked();
	by_upcctl(argv[0]);
	changed_meanwhile();
	taken();
	noticed();
	there_before();
	software();
	reserved();
	return done();
}
