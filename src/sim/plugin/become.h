/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * become.h - a guest executes a program: under an emulator again where it can be simulated.
 */
#ifndef UPCS_BECOME_H
#define UPCS_BECOME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The guest's execveat: directory a descriptor or AT_FDCWD; path, argv and envp its pointers.
 * counted: it is, where it is simulated; else it runs natively where the machine can. Returns
 * only where the guest's own call has to say why not, or to go on.
 */
void upcs_become(int directory, uint64_t path, uint64_t argv, uint64_t envp, uint64_t flags, bool counted);

#endif
