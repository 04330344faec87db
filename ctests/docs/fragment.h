/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fragment.h - names that the documents' pieces of C use and leave to their reader (documents.sh).
 */
#include <mpx.h>
#include <papi.h>

int set;
int code;
int n;
pid_t tid;
long long values[2];
struct mpx_estimate estimates[2];
void work(void);
void solve(void);
enum { PLACE_SOLVE = 1 };
