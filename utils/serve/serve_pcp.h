/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_pcp.h - Performance Co-Pilot on this machine: where its programs are, and the files that a private
 * node of it is made of.
 */
#ifndef UTIL_SERVE_PCP_H
#define UTIL_SERVE_PCP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct serve_pcp {
	char conf[PATH_MAX]; /* $PCP_CONF, or the one that was there when this was built */
	char pminfo[PATH_MAX];
	char pmcd[PATH_MAX], pmproxy[PATH_MAX], pmlogger[PATH_MAX], pmnsmerge[PATH_MAX];
	char libraries[PATH_MAX]; /* that pmproxy needs; "": the loader knows */
	char names[PATH_MAX];     /* pmcd's own metrics */
	char module[PATH_MAX];    /* ... and the agent that answers them */
	char agent[PATH_MAX];     /* ours: $PMDAUPC, or where it is installed */
};

/* False, said with the remedy, where anything is missing. */
bool serve_pcp_find(struct serve_pcp *pcp);

/* Whether all that the configuration says can be counted. False, said. */
bool serve_pcp_check(struct serve_pcp *pcp, const char *config);

struct serve_files {
	const char *dir;    /* of the node, absolute */
	const char *config; /* of the agent, absolute */
	uint64_t interval_ns;
	const char *user, *group;         /* that pmcd and pmlogger stay */
	const char *web_user, *web_group; /* ... and pmproxy */
};

/* Writes pcp.conf, pmcd.conf, pmlogger.conf, root_upc, web/pcp.conf and web/pmproxy.conf in the directory
 * that is the current one. False, said. */
bool serve_pcp_write(const struct serve_pcp *pcp, const struct serve_files *files);

#endif
