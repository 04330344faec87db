/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_program.h - finds the program that mpx_run is to run, and says before it runs
 * whether its event sets can be had.
 */
#ifndef UTIL_MPX_PROGRAM_H
#define UTIL_MPX_PROGRAM_H

/* 0: it may be run as execvp would; else the exit status: 127 not there, 126 cannot be
 * run, 125 would run unmultiplexed. It has been said. */
int mpx_program_check(const char *name);

#endif
