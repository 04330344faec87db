/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_sweep - what all opcodes of the guests count as, compared with what ctests/sweep
 * says, which is the same whatever version capstone has. After a change that is meant,
 *
 *     UPC_UPDATE=1 make check TESTS=ctests/unit/sim/sim_sweep
 *
 * writes the files anew, and their difference says what has changed.
 *
 * A file has first the classes, each with its number. Then it has a line for each group of
 * encodings (sim_sweep.h) in which one is known: a class and for how many encodings it goes
 * on, "5x12", or "-", unknown.
 */
#include "../unit_test.h"

#include "sim_sweep.h"

#define CLASSES 512u
#define UNKNOWN CLASSES

/* Differences that are shown. */
#define SHOWN 40u

struct swept {
	struct upcs_decoder *decoder;
	const struct sweep *sweep;
	FILE *file;
	struct upcs_insn class[CLASSES];
	unsigned classes;
	char group[16];

	/* The group at hand: the class of each encoding, as decoded and as in the file. */
	unsigned n, *got, *expected;
	unsigned long known;
	unsigned wrong;
};

enum { MOST = 8192 }; /* encodings of a group */

static unsigned class_of(struct swept *s, const struct upcs_insn *insn)
{
	unsigned i;

	if (insn->flags & UPCS_INSN_UNKNOWN)
		return UNKNOWN;
	for (i = 0; i < s->classes; i++)
		if (!memcmp(&s->class[i], insn, sizeof(*insn)))
			return i;
	assert_true(s->classes < CLASSES);
	s->class[s->classes] = *insn;
	return s->classes++;
}

/* As it is, or with the bytes at its end that make it an instruction. */
static size_t decode(struct swept *s, uint8_t bytes[16], size_t n, struct upcs_insn *insn)
{
	static const uint8_t more[] = {0, 1, 2, 3, 4, 6, 7, 8};
	size_t i;

	for (i = 0; i < sizeof(more); i++) {
		upcs_decode(s->decoder, 0x401000, bytes, n + more[i], insn);
		if (!(insn->flags & UPCS_INSN_UNKNOWN))
			return n + more[i];
		if (s->sweep->guest != UPCS_X86_64)
			break;
	}
	return n;
}

static void take(const uint8_t *bytes, size_t n, void *context)
{
	struct swept *s = context;
	struct upcs_insn insn;
	uint8_t all[16] = {0};

	assert_true(s->n < MOST);
	memcpy(all, bytes, n);
	decode(s, all, n, &insn);
	s->got[s->n] = class_of(s, &insn);
	s->known += s->got[s->n++] != UNKNOWN;
}

/* ---- words of a class ------------------------------------------------------------- */

static void print_class(FILE *file, const struct upcs_insn *insn)
{
	unsigned k;

	for (k = 0; k < UPCS_STATIC; k++)
		if (insn->tally[k])
			fprintf(file, " %s=%u", upcs_tally_name[k], insn->tally[k]);
	fprintf(file, " flags=%x\n", insn->flags);
}

static void parse_class(char *text, struct upcs_insn *insn)
{
	char *word, *save = NULL, *value;
	unsigned k;

	*insn = (struct upcs_insn){0};
	for (word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		value = strchr(word, '=');
		assert_non_null(value);
		*value++ = '\0';
		if (!strcmp(word, "flags")) {
			insn->flags = (uint8_t)strtoul(value, NULL, 16);
			continue;
		}
		for (k = 0; k < UPCS_STATIC && strcmp(word, upcs_tally_name[k]);)
			k++;
		if (k == UPCS_STATIC)
			fail_msg("no tally %s", word);
		insn->tally[k] = (uint8_t)strtoul(value, NULL, 10);
	}
}

/* ---- comparison -------------------------------------------------------------------- */

/* The same encodings once more, to say which one is wrong. */
static void show(const uint8_t *bytes, size_t n, void *context)
{
	struct swept *s = context;
	unsigned i = s->n++, got = s->got[i], expected = s->expected[i];
	struct upcs_insn insn;
	uint8_t all[16] = {0};
	size_t k;

	if (got == expected || s->wrong++ >= SHOWN)
		return;
	memcpy(all, bytes, n);
	n = decode(s, all, n, &insn);
	fprintf(stderr, "%s:", s->sweep->file);
	for (k = 0; k < n; k++)
		fprintf(stderr, " %02x", all[k]);
	fprintf(stderr, "\n    is      ");
	if (got == UNKNOWN)
		fprintf(stderr, " unknown\n");
	else
		print_class(stderr, &s->class[got]);
	fprintf(stderr, "    and not ");
	if (expected == UNKNOWN)
		fprintf(stderr, " unknown\n");
	else
		print_class(stderr, &s->class[expected]);
}

/* The group's line, if the next one is its own; else all of it is unknown. */
static void read_expected(struct swept *s, char *line)
{
	char *word, *save = NULL, *end;
	unsigned i, n = 0;

	for (i = 0; i < s->n; i++)
		s->expected[i] = UNKNOWN;
	word = strtok_r(line, " \n", &save);
	while ((word = strtok_r(NULL, " \n", &save))) {
		unsigned class = UNKNOWN, times = 1;

		end = word + 1;
		if (*word != '-')
			class = (unsigned)strtoul(word, &end, 10);
		if (*end == 'x')
			times = (unsigned)strtoul(end + 1, NULL, 10);
		assert_true(class == UNKNOWN || class < s->classes);
		for (; times; times--, n++)
			if (n < s->n)
				s->expected[n] = class;
	}
	if (n != s->n)
		fail_msg("%s: the group %s has %u encodings, and %u in its file", s->sweep->file, s->group,
			 s->n, n);
}

static char *next_line(struct swept *s, char **line, size_t *size)
{
	do {
		if (getline(line, size, s->file) < 0)
			return NULL;
	} while (**line == '#');
	return *line;
}

static void compare(struct swept *s)
{
	char *line = NULL, *text;
	size_t size = 0, length;
	unsigned group, i;

	while ((text = next_line(s, &line, &size)) && *text == '=') {
		assert_true(s->classes < CLASSES);
		text = strchr(text, ' ');
		assert_non_null(text);
		parse_class(text, &s->class[s->classes++]);
	}
	for (group = 0; group < s->sweep->groups; group++) {
		s->sweep->name(group, s->group);
		s->n = 0;
		s->sweep->each(group, take, s);
		length = strlen(s->group);
		if (text && !strncmp(text, s->group, length) && text[length] == ' ') {
			read_expected(s, text);
			text = next_line(s, &line, &size);
		} else {
			for (i = 0; i < s->n; i++)
				s->expected[i] = UNKNOWN;
		}
		s->n = 0;
		s->sweep->each(group, show, s);
	}
	if (text)
		fail_msg("%s: no group for the line %s", s->sweep->file, text);
	free(line);
	if (s->wrong)
		fail_msg("%s: %u encodings are of another class than in ctests/sweep/%s", s->sweep->file,
			 s->wrong, s->sweep->file);
}

/* ---- update ------------------------------------------------------------------------ */

static void write_group(struct swept *s, FILE *file)
{
	unsigned i, times;
	bool known = false;

	for (i = 0; i < s->n; i++)
		known |= s->got[i] != UNKNOWN;
	if (!known)
		return;
	fprintf(file, "%s", s->group);
	for (i = 0; i < s->n; i += times) {
		for (times = 1; i + times < s->n && s->got[i + times] == s->got[i];)
			times++;
		if (s->got[i] == UNKNOWN)
			fprintf(file, " -");
		else
			fprintf(file, " %u", s->got[i]);
		if (times > 1)
			fprintf(file, "x%u", times);
	}
	fprintf(file, "\n");
}

/* Classes have to be first: the groups wait in memory. */
static void update(struct swept *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *groups = open_memstream(&text, &size);
	unsigned group, i;

	assert_non_null(groups);
	for (group = 0; group < s->sweep->groups; group++) {
		s->sweep->name(group, s->group);
		s->n = 0;
		s->sweep->each(group, take, s);
		write_group(s, groups);
	}
	assert_int_equal(fclose(groups), 0);
	fprintf(s->file, "# What ctests/unit/sim/sim_sweep found: UPC_UPDATE=1 writes it.\n");
	for (i = 0; i < s->classes; i++) {
		fprintf(s->file, "=%u", i);
		print_class(s->file, &s->class[i]);
	}
	assert_int_equal(fwrite(text, 1, size, s->file), size);
	free(text);
}

static void sweep_guest(enum upcs_guest guest)
{
	const char *srcdir = getenv("srcdir");
	bool write = getenv("UPC_UPDATE") != NULL;
	struct swept *s = calloc(1, sizeof(*s));
	char path[4096];

	assert_non_null(s);
	s->sweep = &sweeps[guest];
	assert_int_equal(s->sweep->guest, guest);
	s->decoder = upcs_decoder_create(guest);
	s->got = calloc(MOST, sizeof(*s->got));
	s->expected = calloc(MOST, sizeof(*s->expected));
	assert_true(s->decoder && s->got && s->expected);
	snprintf(path, sizeof(path), "%s/ctests/sweep/%s", srcdir ? srcdir : ".", s->sweep->file);
	s->file = fopen(path, write ? "w" : "r");
	if (!s->file)
		fail_msg("cannot open %s", path);
	if (write)
		update(s);
	else
		compare(s);
	assert_int_equal(fclose(s->file), 0);
	print_message("%s: %lu encodings are known\n", s->sweep->file, s->known);
	upcs_decoder_destroy(s->decoder);
	free(s->got);
	free(s->expected);
	free(s);
}

TEST(test_x86_64)
{
	sweep_guest(UPCS_X86_64);
}

TEST(test_aarch64)
{
	sweep_guest(UPCS_AARCH64);
}

TEST(test_ppc)
{
	sweep_guest(UPCS_PPC);
}

TEST(test_riscv64)
{
	sweep_guest(UPCS_RISCV64);
}

UNIT_TESTS(sim_sweep, NULL, NULL)
