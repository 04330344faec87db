/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * machine - tells tests written in shell what this machine permits (machine.h): status 0 if it does, 1 if
 * not.
 *
 * usage: machine counts|cpus|traces|ptrace
 */
#include <signal.h>
#include <stdio.h>

#include "machine.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool (*permits)(void);
	} all[] = {{"counts", machine_counts},
		   {"cpus", machine_counts_cpus},
		   {"traces", machine_traces},
		   {"ptrace", machine_traces_children}};
	unsigned i;

	for (i = 0; argc == 2 && i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(argv[1], all[i].name))
			return !all[i].permits();
	fprintf(stderr, "usage: machine counts|cpus|traces|ptrace\n");
	return 2;
}
