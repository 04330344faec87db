/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * become.h - executes a guest's program, under an emulator if the program can be simulated.
 *
 * Terms: plugin/context.h.
 */
#ifndef UPCS_BECOME_H
#define UPCS_BECOME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Perform the guest's execveat. directory is a descriptor or AT_FDCWD; path, argv and envp are pointers of
 * the guest. If counted is true, the program is simulated and counted. If counted is false, the program runs
 * natively if the machine can run it; else the program is simulated and not counted. Return only if the
 * guest's own system call must follow, to report an error or to execute the program.
 */
void upcs_become(int directory, uint64_t path, uint64_t argv, uint64_t envp, uint64_t flags, bool counted);

#endif
