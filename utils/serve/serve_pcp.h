/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_pcp.h - Performance Co-Pilot on this machine: the paths of its programs, and the files of a private
 * node.
 * Terms: serve/serve_node.h.
 */
#ifndef UTIL_SERVE_PCP_H
#define UTIL_SERVE_PCP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct serve_pcp {
	char conf[PATH_MAX]; /* $PCP_CONF, or the path known at build time */
	char pminfo[PATH_MAX];
	char pmcd[PATH_MAX], pmproxy[PATH_MAX], pmlogger[PATH_MAX], pmnsmerge[PATH_MAX];
	char libraries[PATH_MAX]; /* for pmproxy; "": the loader's default */
	char names[PATH_MAX];     /* name space of pmcd's own metrics */
	char module[PATH_MAX];    /* PCP's shared object that provides these metrics */
	char agent[PATH_MAX];     /* our agent: $PMDAUPC, or the installed one */
};

/* Find all programs and files. False, after a message with the remedy, if any is missing. */
bool serve_pcp_find(struct serve_pcp *pcp);

/* Check that all events of the configuration can be counted. False after a message. */
bool serve_pcp_check(struct serve_pcp *pcp, const char *config);

struct serve_files {
	const char *dir;    /* directory of the node, absolute */
	const char *config; /* file of the agent's configuration, absolute */
	uint64_t interval_ns;
	const char *user, *group;         /* user and group of pmcd and pmlogger */
	const char *web_user, *web_group; /* user and group of pmproxy */
};

/* Write pcp.conf, pmcd.conf, pmlogger.conf, root_upc, web/pcp.conf and web/pmproxy.conf in the current
 * directory. False after a message. */
bool serve_pcp_write(const struct serve_pcp *pcp, const struct serve_files *files);

#endif
