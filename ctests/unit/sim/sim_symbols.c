/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_symbols.c - functions by name in ELF files of the guests, made for it, cut and
 * spoilt; and what Linux would make of a file.
 */
#include <errno.h>
#include <inttypes.h>

#include "elf_build.h"
#include "load/symbols.h"
#include "../test_dir.h"

static char path[64];

static int make_directory(void **state)
{
	if (make_test_dir(state))
		return -1;
	snprintf(path, sizeof(path), "%s/file", test_dir);
	return 0;
}

#define FUNC(bind) ELF64_ST_INFO(bind, STT_FUNC)
static const struct elf_symbol symbols[] = {
	{"", 0, 0, 0},
	{"plain", FUNC(STB_GLOBAL), 1, 0x100},
	{"plain", FUNC(STB_LOCAL), 1, 0x180},
	{"alias", FUNC(STB_GLOBAL), 1, 0x100},
	{"versioned@@V_2", FUNC(STB_GLOBAL), 1, 0x110},
	{"versioned@V_1", FUNC(STB_GLOBAL), 1, 0x114},
	{"versioned_too@@V_2", FUNC(STB_GLOBAL), 1, 0x118},
	{"copied.constprop.0.isra.12", FUNC(STB_LOCAL), 1, 0x120},
	{"copied.part.0", FUNC(STB_LOCAL), 1, 0x124},
	{"copied.cold", FUNC(STB_LOCAL), 1, 0x128},
	{"_ZN3foo3barEv", FUNC(STB_GLOBAL), 1, 0x130},
	{"chosen", ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), 1, 0x140},
	{"assembled", ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 1, 0x150},
	{"label", ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 1, 0x154},
	{"object", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, 0x160},
	{"elsewhere", FUNC(STB_GLOBAL), 0, 0},
	{"absolute", FUNC(STB_GLOBAL), SHN_ABS, 0x100},
	{"outside", FUNC(STB_GLOBAL), 1, 0x100000},
	{NULL, 0, 0, 0},
};

static const struct elf_build guests[] = {
	{.wide = true, .machine = EM_X86_64, .table = SHT_SYMTAB, .symbols = symbols},
	{.wide = true, .machine = EM_AARCH64, .table = SHT_SYMTAB, .symbols = symbols},
	{.big = true, .machine = EM_PPC, .table = SHT_SYMTAB, .symbols = symbols},
	{.wide = true, .machine = EM_RISCV, .table = SHT_SYMTAB, .symbols = symbols},
};

static struct upcs_symbols *open_built(struct elf_build *b)
{
	elf_build(b);
	write_file(path, b->file, b->size);
	return upcs_symbols_open(path);
}

/* The offsets of all functions of a name, as one number of 12 bits each; with CHOSEN what
 * chooses. */
#define CHOSEN 0x800u

static uint64_t all_of(const struct upcs_symbols *s, const char *text)
{
	struct upcs_function function;
	struct upcs_name name;
	unsigned next = 0, n = 0;
	uint64_t all = 0;

	if (!upcs_name_parse(&name, text))
		return 0;
	while (upcs_symbols_find(s, &name, &next, &function)) {
		assert_true(function.offset < CHOSEN && n++ < 16 && upcs_name_fits(&name, function.symbol));
		all = all << 12 | function.offset | (function.chosen ? CHOSEN : 0);
	}
	return all;
}

#define CXX(offset) (upcs_demangle_is_there() ? (offset) : 0u)

TEST(test_find)
{
	/* 0: there is none. */
	const struct {
		const char *name;
		uint64_t offsets;
	} known[] = {
		{"plain", 0x100180},
		{"alias", 0x100},
		{"versioned", 0x110114},
		{"versioned@@V_2", 0x110},
		{"copied", 0x120},
		{"copied.cold", 0x128},
		{"_ZN3foo3barEv", 0x130},
		{"foo::bar()", CXX(0x130)},
		{"foo::*", CXX(0x130)},
		{"versioned*", 0x110114118},
		{"assembled", 0x150},
		{"chosen", CHOSEN | 0x140},
		{"label", 0},
		{"object", 0},
		{"elsewhere", 0},
		{"absolute", 0},
		{"outside", 0},
		{"plai", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]); i++) {
		struct elf_build b = guests[i];
		struct upcs_symbols *s;
		unsigned n = 0;

		b.table = i & 1 ? SHT_DYNSYM : SHT_SYMTAB;
		s = open_built(&b);
		assert_non_null(s);
		assert_int_equal(upcs_symbols_are_full(s), !(i & 1));
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (all_of(s, known[k].name) != known[k].offsets)
				fail_msg("'%s' is at 0x%" PRIx64 ", not 0x%" PRIx64, known[k].name,
					 all_of(s, known[k].name), known[k].offsets);
		while (upcs_symbols_name(s, n))
			n++;
		assert_int_equal(n, 12);
		upcs_symbols_close(s);
	}
}

TEST(test_none)
{
	struct elf_build b = guests[0];
	struct upcs_symbols *s;

	b.table = 0; /* stripped */
	s = open_built(&b);
	assert_non_null(s);
	assert_null(upcs_symbols_name(s, 0));
	assert_false(upcs_symbols_are_full(s));
	upcs_symbols_close(s);
	b.type = ET_REL;
	assert_null(open_built(&b));
	assert_int_equal(errno, ENOEXEC);
	b.type = ET_DYN;
	b.machine = EM_S390;
	assert_null(open_built(&b));
	assert_int_equal(errno, ENOEXEC);
	write_file(path, "text", 4);
	assert_null(upcs_symbols_open(path));
	assert_int_equal(errno, ENOEXEC);
	assert_null(upcs_symbols_open(test_dir));
	assert_int_equal(errno, EISDIR);
	assert_null(upcs_symbols_open("/nonexistent"));
	assert_int_equal(errno, ENOENT);
}

#if defined(__x86_64__) || defined(__aarch64__)
int main(void);

/* The linker's own work: this function is in this program where it is in memory. */
TEST(test_own)
{
	struct upcs_symbols *s = upcs_symbols_open("/proc/self/exe");
	unsigned char code[16];
	struct upcs_function function;
	struct upcs_name name;
	unsigned next = 0;
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_non_null(s);
	assert_true(upcs_name_parse(&name, "main"));
	assert_true(upcs_symbols_find(s, &name, &next, &function));
	assert_int_equal(pread(fd, code, sizeof(code), (off_t)function.offset), sizeof(code));
	assert_memory_equal(code, (void *)(uintptr_t)main, sizeof(code));
	close(fd);
	upcs_symbols_close(s);
}
#endif

/* ---- debug files ---------------------------------------------------------------------- */

#define ID "12345678901234567890"
#define OTHER_ID "12345678901234567891"

/* CRC-32, bit by bit. */
static uint32_t crc_of(const unsigned char *bytes, size_t n)
{
	uint32_t crc = ~0u;

	while (n--) {
		crc ^= *bytes++;
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* Where plain is by the stripped file's symbols, if it has a debug file at that name, with such an
 * ID, and a link with its checksum. */
static uint64_t plain_by(const char *file, const char *id, const char *debug_id, const char *link,
			 uint32_t wrong)
{
	static const struct elf_symbol exported[] = {{"plain", FUNC(STB_GLOBAL), 1, 0x1f0}, {NULL, 0, 0, 0}};
	struct elf_build b = guests[0];
	struct upcs_symbols *s;
	const char *name = test_path(file);
	uint64_t all;

	b.build_id = debug_id;
	elf_build(&b);
	write_file(name, b.file, b.size);
	b.link = link;
	b.link_crc = crc_of(b.file, b.size) + wrong;
	b.table = SHT_DYNSYM;
	b.symbols = exported;
	b.build_id = id;
	s = open_built(&b);
	assert_non_null(s);
	all = all_of(s, "plain");
	assert_int_equal(upcs_symbols_are_full(s), all != 0x1f0);
	upcs_symbols_close(s);
	assert_int_equal(unlink(name), 0);
	return all;
}

/* The offsets are those of the file itself; 0x1f0 is what it exports. */
TEST(test_debug)
{
	static const char by_id[] = "usr/lib/debug/.build-id/31/32333435363738393031323334353637383930.debug";
	char below[160];

	snprintf(below, sizeof(below), "usr/lib/debug%s/x.debug", test_dir);
	test_put(by_id, "");
	test_put(".debug/", NULL);
	test_put(below, "");
	assert_int_equal(unlink(test_path(by_id)) | unlink(test_path(below)), 0);
	assert_int_equal(plain_by(by_id, ID, ID, NULL, 0), 0x100180);
	assert_int_equal(plain_by(by_id, ID, OTHER_ID, NULL, 0), 0x1f0);
	assert_int_equal(plain_by(by_id, NULL, ID, NULL, 0), 0x1f0);
	assert_int_equal(plain_by("x.debug", NULL, NULL, "x.debug", 0), 0x100180);
	assert_int_equal(plain_by("x.debug", NULL, NULL, "x.debug", 1), 0x1f0);
	assert_int_equal(plain_by(".debug/x.debug", NULL, NULL, "x.debug", 0), 0x100180);
	assert_int_equal(plain_by(".debug/x.debug", NULL, NULL, "../.debug/x.debug", 0), 0x1f0);
	assert_int_equal(plain_by(".debug/x.debug", ID, ID, "x.debug", 1), 0x100180);
	assert_int_equal(plain_by(".debug/x.debug", ID, OTHER_ID, "x.debug", 0), 0x1f0);
	assert_int_equal(plain_by(".debug/x.debug", ID, NULL, "x.debug", 0), 0x100180);
	assert_int_equal(plain_by("y.debug", NULL, NULL, "x.debug", 0), 0x1f0);
	/* The directory is not the root: its own path is not searched below it. */
	assert_int_equal(plain_by(below, NULL, NULL, "x.debug", 0), 0x1f0);
}

/* All of it: nothing but its answer is known. */
static void look_hard(void)
{
	struct upcs_symbols *s = upcs_symbols_open(path);
	struct upcs_program_info info;
	int kind = upcs_program_look(path, &info);

	assert_true(kind >= -ENAMETOOLONG && kind <= UPCS_PROGRAM_NONE);
	if (s) {
		for (unsigned i = 0; upcs_symbols_name(s, i); i++)
			(void)all_of(s, upcs_symbols_name(s, i));
		upcs_symbols_close(s);
	}
}

/* Every length, and random bytes in the headers and tables: an answer, and no more. */
TEST(test_hostile)
{
	uint64_t seed = 1;
	struct elf_build b;

	for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]); i++) {
		b = guests[i];
		b.build_id = ID;
		elf_build(&b);
		for (size_t n = 0; n < b.size; n += n < 256 ? 1 : 17) {
			write_file(path, b.file, n);
			look_hard();
			if (n < 64)
				assert_null(upcs_symbols_open(path));
		}
	}
	for (int i = 0; i < 3000; i++) {
		b = guests[i % 3];
		b.table = i % 5 ? SHT_SYMTAB : SHT_DYNSYM;
		b.build_id = ID;
		b.link = "file"; /* it is its own debug file, but for the checksum */
		elf_build(&b);
		for (int k = 0; k < 3; k++)
			b.file[5 + random_next(&seed) % (b.size - 5)] =
				(unsigned char)(random_next(&seed) >> 9);
		write_file(path, b.file, b.size);
		look_hard();
	}
}

/* ---- programs ------------------------------------------------------------------------- */

static struct upcs_program_info info;

static int look_at(const void *bytes, size_t n)
{
	write_file(path, bytes, n);
	return upcs_program_look(path, &info);
}

static void check_script(const char *text, const char *interpreter, const char *argument)
{
	assert_int_equal(look_at(text, strlen(text)), UPCS_PROGRAM_SCRIPT);
	assert_string_equal(info.interpreter, interpreter);
	assert_string_equal(info.argument, argument);
}

TEST(test_script)
{
	char text[600];

	check_script("#!/bin/sh\n", "/bin/sh", "");
	check_script("#!/bin/sh", "/bin/sh", "");
	check_script("#! \t/bin/sh \t\necho\n", "/bin/sh", "");
	check_script("#!/usr/bin/env  python3 -u\n", "/usr/bin/env", "python3 -u");
	check_script("#!/bin/sh\r\n", "/bin/sh\r", ""); /* as Linux: there is no such file */
	check_script("#!/bin/sh -e\r\n", "/bin/sh", "-e\r");
	assert_int_equal(look_at("#!\n", 3), UPCS_PROGRAM_NONE);
	assert_int_equal(look_at("#!  \t\n/bin/sh", 13), UPCS_PROGRAM_NONE);
	assert_int_equal(look_at("#!", 2), UPCS_PROGRAM_NONE);
	assert_int_equal(look_at("#", 1), UPCS_PROGRAM_NONE);
	assert_int_equal(look_at("", 0), UPCS_PROGRAM_NONE);
	assert_int_equal(look_at("# /bin/sh\n", 10), UPCS_PROGRAM_NONE);
	/* Lines longer than Linux looks: an argument is cut, an interpreter is refused. */
	memset(text, 'a', sizeof(text));
	memcpy(text, "#!/bin/sh ", 10);
	assert_int_equal(look_at(text, sizeof(text)), UPCS_PROGRAM_SCRIPT);
	assert_int_equal(strlen(info.argument), 246);
	text[9] = 'a';
	assert_int_equal(look_at(text, sizeof(text)), UPCS_PROGRAM_NONE);
	text[255] = ' ';
	assert_int_equal(look_at(text, sizeof(text)), UPCS_PROGRAM_SCRIPT);
	assert_int_equal(strlen(info.interpreter), 253);
}

TEST(test_program)
{
	struct elf_build b;

	for (int i = 0; i < UPCS_GUESTS; i++) {
		b = guests[i];
		elf_build(&b);
		assert_int_equal(look_at(b.file, b.size), UPCS_PROGRAM_ELF);
		assert_int_equal(info.guest, i);
		assert_false(info.dynamic);
		assert_string_equal(info.interpreter, "");
		b.interpreter = "/lib/ld.so.1";
		b.type = ET_EXEC;
		elf_build(&b);
		assert_int_equal(look_at(b.file, b.size), UPCS_PROGRAM_ELF);
		assert_true(info.dynamic);
		assert_string_equal(info.interpreter, "/lib/ld.so.1");
		b.type = ET_CORE;
		elf_build(&b);
		assert_int_equal(look_at(b.file, b.size), UPCS_PROGRAM_NONE);
	}
	assert_int_equal(upcs_program_look(test_dir, &info), -EISDIR);
	assert_int_equal(upcs_program_look("/dev/null", &info), -EACCES);
	assert_int_equal(upcs_program_look("/nonexistent", &info), -ENOENT);
}

TEST(test_interpreter)
{
	struct elf_build b = guests[0];
	char name[300];

	memset(name, 'a', sizeof(name));
	name[255] = '\0';
	b.interpreter = name;
	elf_build(&b);
	assert_int_equal(look_at(b.file, b.size), UPCS_PROGRAM_ELF);
	assert_int_equal(strlen(info.interpreter), 255);
	b.file[64 + 3 * 56 + 255] = 'a'; /* without an end */
	assert_int_equal(look_at(b.file, b.size), UPCS_PROGRAM_NONE);
	name[255] = 'a';
	name[256] = '\0';
	elf_build(&b);
	assert_int_equal(look_at(b.file, b.size), -ENAMETOOLONG);
}

TEST(test_foreign)
{
	static const struct {
		uint16_t machine;
		bool wide, big;
		const char *name;
	} foreign[] = {
		{EM_PPC64, true, true, "64-bit PowerPC"},
		{EM_PPC64, true, false, "64-bit PowerPC, little-endian"},
		{EM_PPC, false, false, "little-endian 32-bit PowerPC"},
		{EM_386, false, false, "32-bit x86"},
		{EM_X86_64, false, false, "x86-64 with 32-bit pointers (x32)"},
		{EM_RISCV, false, false, "32-bit RISC-V"},
		{EM_RISCV, true, true, "big-endian RISC-V"},
		{EM_ARM, false, false, "32-bit ARM"},
		{EM_AARCH64, true, true, "big-endian AArch64"},
		{EM_S390, true, true, "64-bit IBM Z"},
		{999, true, false, "ELF machine 999"},
	};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		struct elf_build b = {
			.machine = foreign[i].machine, .wide = foreign[i].wide, .big = foreign[i].big};

		elf_build(&b);
		assert_int_equal(look_at(b.file, b.size), UPCS_PROGRAM_FOREIGN);
		assert_string_equal(info.machine, foreign[i].name);
	}
}

UNIT_TESTS(sim_symbols, make_directory, remove_test_dir)
