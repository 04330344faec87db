/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_time.c - the format of times in reports, all in UTC.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "jobstat/report.h"

void report_time(int64_t ns, char text[REPORT_TIME_MAX])
{
	const time_t seconds = ns / 1000000000;
	const int ms = (int)(ns / 1000000 % 1000);
	struct tm tm;
	size_t n;

	if (gmtime_r(&seconds, &tm) == NULL) {
		snprintf(text, REPORT_TIME_MAX, "%lld", (long long)seconds);
		return;
	}
	n = strftime(text, REPORT_TIME_MAX - 6, "%Y-%m-%dT%H:%M:%S", &tm);
	if (ms > 0)
		n += (size_t)snprintf(text + n, REPORT_TIME_MAX - n, ".%03d", ms);
	snprintf(text + n, REPORT_TIME_MAX - n, "Z");
}
