/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command lines of the emulator, for programs and scripts.
 */
#include <errno.h>
#include <fcntl.h>

#include "load/exec.h"
#include "../test_dir.h"

static struct upcs_options options;
static struct upcs_command command = {
	.options = &options, .results = "/dev/shm/a,b", .after = 7, .counted = true};
static struct upcs_exec exec_;

/* An ELF file of which there are only the heads: 64-bit little endian, or 32-bit big endian. */
static void write_elf(const char *name, unsigned char machine, bool ppc)
{
	unsigned char head[120] = {0x7f, 'E', 'L', 'F', ppc ? 1 : 2, ppc ? 2 : 1, 1};
	int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0700);

	head[ppc ? 17 : 16] = 2;
	head[ppc ? 19 : 18] = machine;
	head[ppc ? 23 : 20] = 1;
	head[ppc ? 41 : 52] = ppc ? 52 : 64;
	head[ppc ? 43 : 54] = ppc ? 32 : 56;
	/* One segment, a PT_LOAD, behind it. */
	head[ppc ? 31 : 32] = ppc ? 52 : 64;
	head[ppc ? 45 : 56] = 1;
	head[ppc ? 55 : 64] = 1;
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	close(fd);
}

static void write_text(const char *name, const char *text)
{
	int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0700);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int set_up(void **state)
{
	if (make_test_dir(state) || chdir(test_dir))
		return -1;
	strcpy(options.plugin, "/lib/with,comma.so");
	options.interface[UPCS_AARCH64] = 1;
	options.interface[UPCS_PPC] = 4;
	strcpy(options.qemu[UPCS_X86_64], "/bin/qx");
	strcpy(options.qemu[UPCS_PPC], "/bin/qp");
	strcpy(options.prefix[UPCS_PPC], "/usr/ppc");
	write_elf("x86", 62, false);
	write_elf("-ppc", 20, true);
	write_elf("arm", 183, false);
	write_text("script", "#!./x86 one word\n");
	write_text("outer", "#! ./script\n");
	write_text("round", "#!./round\n");
	write_text("text", "text\n");
	return 0;
}

static void assert_list(char **list, const char *const *want)
{
	unsigned i;

	for (i = 0; want[i]; i++) {
		assert_non_null(list[i]);
		assert_string_equal(list[i], want[i]);
	}
	assert_null(list[i]);
}

/* The module of a guest, and what it is told. */
#define PLUGIN_OF(module, program) \
	"/lib/with,,comma.so" module ",results=/dev/shm/a,,b,after=7,count=on,program=" program
#define PLUGIN PLUGIN_OF("", "x86")
/* A variable that the emulator has, and the program has not. */
#define OWN "G_SLICE=always-malloc"
#define UNSET "-U", "G_SLICE"

TEST(test_program)
{
	char *argv[] = {"name", "-x", "", NULL},
	     *envp[] = {"A=b", "LD_PRELOAD=x", "QEMU_LOG=y", "LD_X=a,b", NULL};
	static const char *const want[] = {
		"/bin/qx", "-0",           "name", "-seed",      "1",   "-plugin", PLUGIN, UNSET,
		"-E",      "LD_PRELOAD=x", "-E",   "QEMU_LOG=y", "x86", "-x",      "",     NULL};
	static const char *const variables[] = {OWN, "A=b", "LD_X=a,b", NULL};

	assert_int_equal(upcs_exec_make(&command, "x86", argv, envp, &exec_), 0);
	assert_int_equal(exec_.info.guest, UPCS_X86_64);
	assert_list(exec_.argv, want);
	assert_list(exec_.envp, variables);
	upcs_exec_free(&exec_);
}

/* Vectors whose width is in the instruction. */
TEST(test_processor)
{
	static const char *const want[] = {"/bin/qa",
					   "-0",
					   "arm",
					   "-cpu",
					   "max,sve=off,sme=off",
					   "-seed",
					   "1",
					   "-plugin",
					   PLUGIN_OF("/upc_sim_v1.so", "arm"),
					   UNSET,
					   "arm",
					   NULL};
	char *argv[] = {"arm", NULL}, *none[] = {NULL};
	uint32_t was;

	strcpy(options.qemu[UPCS_AARCH64], "/bin/qa");
	assert_int_equal(upcs_exec_make(&command, "arm", argv, none, &exec_), 0);
	assert_list(exec_.argv, want);
	upcs_exec_free(&exec_);
	/* A younger emulator's has instructions that copy any number of bytes. */
	was = options.interface[UPCS_AARCH64];
	options.interface[UPCS_AARCH64] = 4;
	assert_int_equal(upcs_exec_make(&command, "arm", argv, none, &exec_), 0);
	assert_string_equal(exec_.argv[4], "neoverse-v1,sve=off");
	upcs_exec_free(&exec_);
	options.interface[UPCS_AARCH64] = was;
	options.qemu[UPCS_AARCH64][0] = 0;
}

TEST(test_no_arguments)
{
	static const char *const want[] = {"/bin/qp", "-0",       "",
					   "-L",      "/usr/ppc", "-seed",
					   "1",       "-plugin",  PLUGIN_OF("/upc_sim_v4.so", "-ppc"),
					   UNSET,     "./-ppc",   NULL};
	static const char *const variables[] = {OWN, NULL};
	char *none[] = {NULL};

	assert_int_equal(upcs_exec_make(&command, "-ppc", none, none, &exec_), 0);
	assert_list(exec_.argv, want);
	assert_list(exec_.envp, variables);
	upcs_exec_free(&exec_);
	assert_int_equal(upcs_exec_make(&command, "-ppc", NULL, NULL, &exec_), 0);
	assert_list(exec_.argv, want);
	upcs_exec_free(&exec_);
}

/* The prefix given for one guest; those of others are where they are installed. */
TEST(test_given_prefix)
{
	char *none[] = {NULL};

	strcpy(options.given_prefix, "/given");
	options.given_guest = UPCS_PPC;
	assert_int_equal(upcs_exec_make(&command, "-ppc", none, none, &exec_), 0);
	assert_string_equal(exec_.argv[4], "/given");
	upcs_exec_free(&exec_);
	options.given_guest = UPCS_X86_64;
	assert_int_equal(upcs_exec_make(&command, "-ppc", none, none, &exec_), 0);
	assert_string_equal(exec_.argv[4], "/usr/ppc");
	upcs_exec_free(&exec_);
	options.given_prefix[0] = '\0';
}

/* As the kernel: the interpreter, its one argument, the script, and the caller's from the second. */
TEST(test_scripts)
{
	char *argv[] = {"zero", "first", NULL}, *none[] = {NULL};
	static const char *const want[] = {
		"/bin/qx", "-0",    "./x86",    "-seed",  "1",     "-plugin", PLUGIN_OF("", "./x86"),
		UNSET,     "./x86", "one word", "script", "first", NULL};
	static const char *const outer[] = {
		"/bin/qx", "-0",    "./x86",    "-seed",    "1",     "-plugin", PLUGIN_OF("", "./x86"),
		UNSET,     "./x86", "one word", "./script", "outer", "first",   NULL};

	assert_int_equal(upcs_exec_make(&command, "script", argv, none, &exec_), 0);
	assert_list(exec_.argv, want);
	upcs_exec_free(&exec_);
	assert_int_equal(upcs_exec_make(&command, "outer", argv, none, &exec_), 0);
	assert_list(exec_.argv, outer);
	upcs_exec_free(&exec_);
	assert_int_equal(upcs_exec_make(&command, "round", argv, none, &exec_), -ELOOP);
	upcs_exec_free(&exec_);
}

TEST(test_refused)
{
	char *argv[] = {"a", NULL};

	assert_int_equal(upcs_exec_make(&command, "text", argv, argv, &exec_), -ENOEXEC);
	assert_int_equal(upcs_exec_make(&command, "arm", argv, argv, &exec_), -ENOEXEC); /* no emulator */
	assert_int_equal(upcs_exec_make(&command, "nothing", argv, argv, &exec_), -ENOENT);
	assert_null(exec_.argv);
	upcs_exec_free(&exec_);
}

/* Variables that a program has only where it is simulated. */
TEST(test_released)
{
	static const char *const told[] = {"A=b",
					   "UPC_SOURCE=sim",
					   "LD_PRELOAD=x:/papi/libpapi.so.7",
					   "LD_PRELOAD=/papi/libpapi.so",
					   "UPC_SOURCE=live",
					   "LD_PRELOAD=",
					   "LD_PRELOAD=y"};
	static const char *const want[] = {"A=b",         "LD_PRELOAD=x", "UPC_SOURCE=live",
					   "LD_PRELOAD=", "LD_PRELOAD=y", NULL};
	char *envp[8] = {NULL};
	size_t i;

	strcpy(options.papi, "/papi");
	for (i = 0; i < 7; i++)
		envp[i] = strdup(told[i]);
	assert_true(upcs_exec_release(&options, envp));
	assert_list(envp, want);
	assert_false(upcs_exec_release(&options, envp));
	assert_list(envp, want);
	for (i = 0; envp[i]; i++)
		free(envp[i]);
	options.papi[0] = 0;
}

/* The list of a program that needs none is without what its parent was given. */
TEST(test_preloaded)
{
	char *argv[] = {"name", NULL}, *envp[] = {"LD_PRELOAD=x:/papi/libpapi.so.7", NULL};
	static const char *const want[] = {"/bin/qx", "-0",  "name", "-seed",        "1",   "-plugin",
					   PLUGIN,    UNSET, "-E",   "LD_PRELOAD=x", "x86", NULL};

	strcpy(options.papi, "/papi");
	assert_int_equal(upcs_exec_make(&command, "x86", argv, envp, &exec_), 0);
	assert_list(exec_.argv, want);
	upcs_exec_free(&exec_);
	options.papi[0] = 0;
}

/* A program that may load PAPI later finds what it was given, its child on the machine nothing of it. */
TEST(test_searched)
{
	static const char *const want[] = {"UPC_SOURCE=live", "LD_LIBRARY_PATH=a", NULL};
	char *envp[] = {strdup("UPC_SOURCE=live"), strdup("LD_LIBRARY_PATH=/papi:a"),
			strdup("LD_PRELOAD=/papi/libpapi.so"), NULL};
	char *alone[] = {strdup("LD_LIBRARY_PATH=/papi"), NULL};
	size_t i;

	strcpy(options.papi, "/papi");
	options.papi_always = 1;
	assert_true(upcs_exec_release(&options, envp));
	assert_list(envp, want);
	assert_true(upcs_exec_release(&options, alone));
	assert_null(alone[0]);
	for (i = 0; envp[i]; i++)
		free(envp[i]);
	options.papi_always = 0;
	options.papi[0] = 0;
}

/* One's own set-user-id program is run as who one is. */
TEST(test_own_rights)
{
	assert_false(upcs_exec_is_privileged("nothing"));
	assert_false(upcs_exec_is_privileged("x86"));
	assert_int_equal(chmod("x86", 06710), 0);
	assert_false(upcs_exec_is_privileged("x86"));
	assert_int_equal(chmod("x86", 0700), 0);
}

TEST(test_privileged)
{
	if (geteuid() != 0)
		skip_because("only root can make a program of somebody else's");
	assert_int_equal(chown("x86", 1, (gid_t)-1), 0);
	assert_int_equal(chmod("x86", 04710), 0);
	assert_true(upcs_exec_is_privileged("x86"));
	assert_int_equal(chown("x86", 0, getegid() + 1), 0);
	assert_int_equal(chmod("x86", 02700), 0); /* what that marks is no right */
	assert_false(upcs_exec_is_privileged("x86"));
	assert_int_equal(chmod("x86", 02710), 0);
	assert_true(upcs_exec_is_privileged("x86"));
	assert_int_equal(chmod("x86", 0700), 0);
}

UNIT_TESTS(sim_exec, set_up, remove_test_dir)
