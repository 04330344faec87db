/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_leave.h - leaves the closing of descriptors to a process of its own.
 */
#ifndef STAT_LEAVE_H
#define STAT_LEAVE_H

/*
 * All that are open. The kernel takes tens of milliseconds to close the last descriptor of
 * each tracepoint, and nobody should wait for that who has the counts already. output is
 * that of the report, which the process gives up at once.
 */
void stat_leave_descriptors(int output);

#endif
