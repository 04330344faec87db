/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.h - a test as a part of its group's runner: what would be main of a program of its own.
 */
#ifndef UNIT_RUN_H
#define UNIT_RUN_H

struct unit_run {
	const char *name;
	int (*main)(int argc, char **argv);
};

/* The test of that name, which its file has: UNIT_MAIN(regs) { ... }. The linker puts what is
 * in a section of that name side by side. */
#define UNIT_MAIN(test)                                                                                     \
	static int unit_main_##test(int argc, char **argv);                                                 \
	static const struct unit_run unit_run_##test = {#test, unit_main_##test};                           \
	static const struct unit_run *const unit_entry_##test __attribute__((used, section("unit_runs"))) = \
		&unit_run_##test;                                                                           \
	static int unit_main_##test(int argc __attribute__((unused)), char **argv __attribute__((unused)))

#endif
