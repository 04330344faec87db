/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * become.h - executes a guest's program, under an emulator if the program can be simulated.
 */
#ifndef UPCS_BECOME_H
#define UPCS_BECOME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Perform the guest's execveat. directory is a descriptor or AT_FDCWD; path, argv and envp are pointers of
 * the guest. counted: the program is counted if it is simulated; otherwise it runs natively if the machine
 * can. Return only if the guest's own system call has to report an error or to continue.
 */
void upcs_become(int directory, uint64_t path, uint64_t argv, uint64_t envp, uint64_t flags, bool counted);

#endif
