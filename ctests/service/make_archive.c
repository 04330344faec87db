/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * make_archive.c - makes archives as the node service's agent would fill them, with truth that is known:
 * nodes, CPUs, NUMA nodes, counters, samples, noise, and faults.
 *
 *   make_archive DIR [nodes=N] [cpus=N] [numa=N] [counters=N] [interval=S] [samples=N] [start=S]
 *                [seed=N] [noise=KIND:SIZE] [spread=KIND:SIZE] [fault=NODE:KIND[:FROM[:TO[:SIZE]]]]...
 *                [apart=N] [plain]
 *
 * noise is that of each interval, spread that of nodes, which stays: normal, lognormal, exponential, two
 * (groups), uniform. KIND of a fault: slow (rates times SIZE), taken, halted, absent (values are missing, no
 * state says why), restart (at FROM: another epoch), mark (at FROM), missing (samples), lacks (a metric),
 * idle (the CPUs from SIZE on), jump (a count goes backwards at FROM), reassign (at FROM: a metric ends,
 * another begins). FROM and TO are samples. apart: NUMA nodes of the k-th node are numbered from k * N on.
 * plain: values and running times alone, for benches. Its archives are DIR/nodeNNN/made.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>

#include <pcp/import.h>

#define DOMAIN 450
#define MAX_FAULTS 64
#define MAX_CPUS 256
#define MAX_COUNTERS 1000

enum kind { NONE, NORMAL, LOGNORMAL, EXPONENTIAL, TWO, UNIFORM };
static const char *const kinds[] = {"none", "normal", "lognormal", "exponential", "two", "uniform"};

enum fault { SLOW, TAKEN, HALTED, ABSENT, RESTART, MARK, MISSING, LACKS, IDLE, JUMP, REASSIGN, FAULTS };
static const char *const faults[] = {"slow",    "taken", "halted", "absent", "restart", "mark",
				     "missing", "lacks", "idle",   "jump",   "reassign"};

struct told {
	unsigned node;
	enum fault kind;
	unsigned from, to;
	double size;
};

static struct {
	const char *dir;
	unsigned nodes, cpus, numa, counters, samples;
	double interval;
	uint64_t start, seed;
	enum kind noise, spread;
	double noise_size, spread_size;
	struct told fault[MAX_FAULTS];
	unsigned n_faults;
	bool plain;
	unsigned apart;
} o = {NULL, 8, 4, 2, 3, 60, 60, 1790000040, 1, NORMAL, NONE, 0.02, 0, {{0}}, 0, false, 0};

/* Counts, running times and handles of the node that is being made. */
static uint64_t count[MAX_COUNTERS][MAX_CPUS], running[MAX_COUNTERS][MAX_CPUS];
static int handle[8][MAX_COUNTERS]
		 [MAX_CPUS]; /* value, running, state of a CPU; value, running of a NUMA node */
static int control[8];

static void die(const char *what, int error)
{
	fprintf(stderr, "make_archive: %s: %s\n", what, pmiErrStr(error));
	exit(1);
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
	return ((double)(next_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Returns a random number about 1. */
static double draw(enum kind kind, double size, uint64_t *state)
{
	const double u = uniform(state), v = uniform(state);
	const double normal = sqrt(-2 * log(u)) * cos(2 * M_PI * v);

	switch (kind) {
	case NORMAL:
		return fmax(1 + size * normal, 0.01);
	case LOGNORMAL:
		return exp(size * normal);
	case EXPONENTIAL:
		return 1 - size + size * -log(u);
	case TWO:
		return u < 0.5 ? 1 : 1 + size;
	case UNIFORM:
		return 1 + size * (2 * u - 1);
	default:
		return 1;
	}
}

static const struct told *fault_at(unsigned node, enum fault kind, unsigned sample)
{
	for (unsigned i = 0; i < o.n_faults; i++)
		if (o.fault[i].node == node && o.fault[i].kind == kind && sample >= o.fault[i].from &&
		    sample < o.fault[i].to)
			return &o.fault[i];
	return NULL;
}

static void add_metric(const char *name, int cluster, int item, int type, int indom, int sem)
{
	const int error = pmiAddMetric(name, pmiID(DOMAIN, cluster, item), type,
				       indom < 0 ? PM_INDOM_NULL : pmiInDom(DOMAIN, indom), sem,
				       pmiUnits(0, 0, 0, 0, 0, 0));

	if (error < 0)
		die(name, error);
}

static int handle_of(const char *name, const char *instance)
{
	const int h = pmiGetHandle(name, instance);

	if (h < 0)
		die(name, h);
	return h;
}

static const char *counter_name(unsigned counter)
{
	static const char *const first[] = {"instructions", "cycles", "l3_misses", "flops"};
	static char name[40];

	if (counter < 4)
		return first[counter];
	snprintf(name, sizeof(name), "event_%u", counter);
	return name;
}

/* The number of this node's first NUMA node, with apart=N. */
static unsigned numa_first;

static void add_counter(unsigned c)
{
	static const struct {
		const char *before;
		int cluster, type, indom;
	} of[] = {{"upc.cpu.", 1, PM_TYPE_U64, 0},
		  {"upc.running.cpu.", 2, PM_TYPE_U64, 0},
		  {"upc.state.cpu.", 3, PM_TYPE_U32, 0},
		  {"upc.numa.", 4, PM_TYPE_U64, 1},
		  {"upc.running.numa.", 5, PM_TYPE_U64, 1}};
	char name[100], instance[20];

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]) && (!o.plain || i < 2); i++) {
		const bool is_numa = of[i].indom == 1;

		snprintf(name, sizeof(name), "%s%s", of[i].before, counter_name(c));
		add_metric(name, of[i].cluster, (int)c, of[i].type, of[i].indom,
			   i == 2 ? PM_SEM_INSTANT : PM_SEM_COUNTER);
		for (unsigned j = 0; j < (is_numa ? o.numa : o.cpus); j++) {
			snprintf(instance, sizeof(instance), "%s%u", is_numa ? "node" : "cpu",
				 is_numa ? numa_first + j : j);
			handle[i][c][j] = handle_of(name, instance);
		}
	}
}

static void add_control(void)
{
	static const char *const name[] = {"upc.control.started", "upc.control.generation",
					   "upc.sample.interval", "upc.user.command"};

	for (int i = 0; i < 4; i++) {
		add_metric(name[i], 6, i, i == 3 ? PM_TYPE_STRING : PM_TYPE_U64, i == 3 ? 2 : -1,
			   PM_SEM_INSTANT);
		control[i] = i == 3 ? handle_of(name[i], "4711 perf") : handle_of(name[i], "");
	}
}

static void put(int h, uint64_t value)
{
	char text[32];
	int error;

	snprintf(text, sizeof(text), "%" PRIu64, value);
	error = pmiPutValueHandle(h, text);
	if (error < 0)
		die("pmiPutValueHandle", error);
}

static bool lacks(unsigned node, unsigned c, unsigned sample)
{
	const struct told *fault = fault_at(node, LACKS, sample);

	if (fault_at(node, REASSIGN, sample) != NULL)
		return c == 0;
	return fault != NULL && c == (unsigned)fault->size;
}

/* Advances the counters by an interval, up to a sample. */
static void advance(unsigned node, unsigned sample, double level, uint64_t *state)
{
	const struct told *slow = fault_at(node, SLOW, sample), *idle = fault_at(node, IDLE, sample);
	const double phase = 1 + 0.3 * sin(2 * M_PI * sample / 40.0);
	const bool stands = fault_at(node, TAKEN, sample) || fault_at(node, HALTED, sample);

	for (unsigned c = 0; c < o.counters; c++) {
		const double noise = draw(o.noise, o.noise_size, state);

		for (unsigned j = 0; j < o.cpus; j++) {
			double rate = 1e8 * (c + 1) * phase * level * noise * (1 + 0.002 * uniform(state));

			if (slow != NULL)
				rate *= slow->size;
			if (idle != NULL && j >= (unsigned)idle->size)
				rate *= 1e-4;
			/* The running time goes on only for counters that count. */
			if (stands)
				continue;
			count[c][j] += (uint64_t)(rate * o.interval);
			running[c][j] += (uint64_t)(o.interval * 1e9);
		}
	}
}

static void put_sample(unsigned node, unsigned sample)
{
	const bool taken = fault_at(node, TAKEN, sample), halted = fault_at(node, HALTED, sample);
	const bool absent = fault_at(node, ABSENT, sample);
	const unsigned per = o.cpus / o.numa ? o.cpus / o.numa : 1;

	for (unsigned c = 0; c < o.counters; c++) {
		uint64_t sum[MAX_CPUS] = {0}, ran[MAX_CPUS] = {0};

		if (lacks(node, c, sample))
			continue;
		for (unsigned j = 0; j < o.cpus; j++) {
			if (!o.plain)
				put(handle[2][c][j], taken ? 3 : halted ? 2 : 1);
			put(handle[1][c][j], running[c][j]);
			if (!taken && !halted && !absent)
				put(handle[0][c][j], count[c][j]);
			sum[j / per < o.numa ? j / per : o.numa - 1] += count[c][j];
			ran[j / per < o.numa ? j / per : o.numa - 1] += running[c][j] / per;
		}
		for (unsigned k = 0; !o.plain && k < o.numa; k++) {
			put(handle[4][c][k], ran[k]);
			if (!taken && !halted && !absent)
				put(handle[3][c][k], sum[k]);
		}
	}
	put(control[2], (uint64_t)(o.interval * 1e9));
	put(control[1], 1);
	if (taken && pmiPutValueHandle(control[3], "perf") < 0)
		die("perf", 0);
}

static void make_node(unsigned node)
{
	uint64_t state = o.seed * 1000003 + node, started = o.start * UINT64_C(1000000000);
	const double level = draw(o.spread, o.spread_size, &state);
	char path[4200], host[40], instance[20];
	int error;

	memset(count, 0, sizeof(count));
	memset(running, 0, sizeof(running));
	numa_first = node * o.apart;
	snprintf(host, sizeof(host), "node%03u", node + 1);
	snprintf(path, sizeof(path), "%s/%s", o.dir, host);
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		die(path, -errno);
	strcat(path, "/made");
	error = pmiStart(path, 0);
	if (error < 0)
		die(path, error);
	pmiSetHostname(host);
	pmiSetTimezone("UTC");
	for (unsigned j = 0; j < o.cpus; j++) {
		snprintf(instance, sizeof(instance), "cpu%u", j);
		pmiAddInstance(pmiInDom(DOMAIN, 0), instance, (int)j);
	}
	for (unsigned k = 0; k < o.numa; k++) {
		snprintf(instance, sizeof(instance), "node%u", numa_first + k);
		pmiAddInstance(pmiInDom(DOMAIN, 1), instance, (int)(numa_first + k));
	}
	pmiAddInstance(pmiInDom(DOMAIN, 2), "4711 perf", 4711);
	for (unsigned c = 0; c < o.counters; c++)
		add_counter(c);
	add_control();
	for (unsigned sample = 0; sample < o.samples; sample++) {
		const double at = (double)o.start + sample * o.interval + 0.002 * uniform(&state);
		const double whole = floor(at);

		if (sample > 0)
			advance(node, sample, level, &state);
		if (fault_at(node, RESTART, sample)) {
			started += 1;
			memset(count, 0, sizeof(count));
			memset(running, 0, sizeof(running));
		}
		if (fault_at(node, JUMP, sample))
			for (unsigned j = 0; j < o.cpus; j++)
				count[0][j] /= 2;
		if (fault_at(node, MARK, sample) && pmiPutMark() < 0)
			die("pmiPutMark", -1);
		if (fault_at(node, MISSING, sample))
			continue;
		put_sample(node, sample);
		put(control[0], started);
		error = pmiWrite((int)whole, (int)((at - whole) * 1e6));
		if (error < 0)
			die("pmiWrite", error);
	}
	error = pmiEnd();
	if (error < 0)
		die(path, error);
}

/* ---- the command line ------------------------------------------------------------------------ */

static int word(const char *const *words, size_t n, const char *text, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == length && strncmp(words[i], text, length) == 0)
			return (int)i;
	fprintf(stderr, "make_archive: what is '%s'?\n", text);
	exit(1);
}

static void parse_noise(const char *text, enum kind *kind, double *size)
{
	const char *colon = strchr(text, ':');

	*kind = (enum kind)word(kinds, sizeof(kinds) / sizeof(kinds[0]), text,
				colon != NULL ? (size_t)(colon - text) : strlen(text));
	*size = colon != NULL ? atof(colon + 1) : 0.02;
}

static void parse_fault(const char *text)
{
	struct told fault = {.from = 0, .to = ~0u, .size = 0.5};
	char *at;

	fault.node = (unsigned)strtoul(text, &at, 10) - 1;
	at += *at == ':';
	fault.kind = (enum fault)word(faults, FAULTS, at, strcspn(at, ":"));
	at += strcspn(at, ":");
	if (*at == ':')
		fault.from = (unsigned)strtoul(at + 1, &at, 10);
	if (fault.kind == RESTART || fault.kind == MARK || fault.kind == JUMP)
		fault.to = fault.from + 1;
	if (*at == ':')
		fault.to = (unsigned)strtoul(at + 1, &at, 10);
	if (*at == ':')
		fault.size = strtod(at + 1, &at);
	if (o.n_faults == MAX_FAULTS)
		exit(1);
	o.fault[o.n_faults++] = fault;
}

static void parse(const char *text)
{
	const char *value = strchr(text, '=');

	if (strcmp(text, "plain") == 0) {
		o.plain = true;
		return;
	}
	if (value == NULL)
		value = text + strlen(text) - 1;
	value++;
	if (strncmp(text, "nodes=", 6) == 0)
		o.nodes = (unsigned)atoi(value);
	else if (strncmp(text, "cpus=", 5) == 0)
		o.cpus = (unsigned)atoi(value);
	else if (strncmp(text, "numa=", 5) == 0)
		o.numa = (unsigned)atoi(value);
	else if (strncmp(text, "apart=", 6) == 0)
		o.apart = (unsigned)atoi(value);
	else if (strncmp(text, "counters=", 9) == 0)
		o.counters = (unsigned)atoi(value);
	else if (strncmp(text, "samples=", 8) == 0)
		o.samples = (unsigned)atoi(value);
	else if (strncmp(text, "interval=", 9) == 0)
		o.interval = atof(value);
	else if (strncmp(text, "start=", 6) == 0)
		o.start = strtoull(value, NULL, 10);
	else if (strncmp(text, "seed=", 5) == 0)
		o.seed = strtoull(value, NULL, 10);
	else if (strncmp(text, "noise=", 6) == 0)
		parse_noise(value, &o.noise, &o.noise_size);
	else if (strncmp(text, "spread=", 7) == 0)
		parse_noise(value, &o.spread, &o.spread_size);
	else if (strncmp(text, "fault=", 6) == 0)
		parse_fault(value);
	else
		word(NULL, 0, text, 0);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	o.dir = argv[1];
	for (int i = 2; i < argc; i++)
		parse(argv[i]);
	if (o.cpus > MAX_CPUS || o.numa > MAX_CPUS || o.counters > MAX_COUNTERS || o.numa == 0)
		return 1;
	if (mkdir(o.dir, 0777) != 0 && errno != EEXIST)
		die(o.dir, -errno);
	for (unsigned node = 0; node < o.nodes; node++)
		make_node(node);
	return 0;
}
