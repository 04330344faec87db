/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.h - defines the main function of a test, which is linked into its group's program (run.c).
 */
#ifndef UNIT_RUN_H
#define UNIT_RUN_H

struct unit_run {
	const char *name;
	int (*main)(int argc, char **argv);
};

/* Define the main function of the test with this name: UNIT_MAIN(regs) { ... }. The linker collects the
 * entries of all tests in the section unit_runs. */
#define UNIT_MAIN(test)                                                                                     \
	static int unit_main_##test(int argc, char **argv);                                                 \
	static const struct unit_run unit_run_##test = {#test, unit_main_##test};                           \
	static const struct unit_run *const unit_entry_##test __attribute__((used, section("unit_runs"))) = \
		&unit_run_##test;                                                                           \
	static int unit_main_##test(int argc __attribute__((unused)), char **argv __attribute__((unused)))

#endif
