/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_pcp.c - finds Performance Co-Pilot on this machine, and writes the files of a private node. A copy of
 * PCP's pcp.conf directs all output into the node's directory. The machine's own files stay unchanged.
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_pcp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/common.h"

extern char **environ;

#define REMEDY                                                                                                      \
	"the upc sources' scripts/demo unpacks it on Debian and Ubuntu, and installs nothing of it; on Fedora and " \
	"RHEL 'dnf install pcp' installs it"

/* ---- finding ------------------------------------------------------------------------------ */

/* Get the value of a name in pcp.conf. False if it is missing, empty or too long. */
static bool value_of_pcp_name(const char *conf, const char *name, char value[PATH_MAX])
{
	char line[PATH_MAX + 256];
	size_t n = strlen(name);
	bool found = false;
	FILE *in = fopen(conf, "re");

	if (!in)
		return false;
	while (fgets(line, sizeof(line), in))
		if (!strncmp(line, name, n) && line[n] == '=') {
			const char *at = line + n + 1;
			size_t length = strcspn(at, "\n");

			found = length > 0 && length < PATH_MAX - 64;
			memcpy(value, at, found ? length : 0);
			value[found ? length : 0] = '\0';
		}
	fclose(in);
	return found;
}

__attribute__((format(printf, 2, 3))) static bool is_there(char path[PATH_MAX], const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(path, PATH_MAX, format, arguments);
	va_end(arguments);
	return n > 0 && n < PATH_MAX && access(path, R_OK) == 0;
}

static bool say_pcp_missing(const char *what, const char *path)
{
	util_error("%s of Performance Co-Pilot is not there: %s", what, path);
	util_error(REMEDY);
	return false;
}

static bool find_agent(struct serve_pcp *pcp)
{
	const char *path = getenv("PMDAUPC");

	if (snprintf(pcp->agent, sizeof(pcp->agent), "%s", path && *path ? path : SERVE_AGENT_PATH) >=
	    (int)sizeof(pcp->agent))
		return false;
	if (access(pcp->agent, X_OK) == 0)
		return true;
	util_error("the agent is not there: %s: %s", pcp->agent, strerror(errno));
	util_error("it is built where libpcp was found: on Debian and Ubuntu install libpcp-pmda3-dev and "
		   "libpcp3-dev, then configure, make and make install again");
	return false;
}

/* Let the agent check the configuration, and copy the first line of its message, if any. True if it
 * succeeds. */
static bool ask_agent(const char *agent, const char *config, char *line, int size)
{
	char *argv[] = {(char *)agent, (char *)"--check", (char *)"--config", (char *)config, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], status = 1;
	FILE *answer;
	pid_t pid;
	bool ran;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	answer = fdopen(ends[0], "r");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	ran = posix_spawn(&pid, agent, &actions, NULL, argv, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	line[0] = '\0';
	if (answer && fgets(line, size, answer))
		line[strcspn(line, "\n")] = '\0';
	while (ran && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (answer)
		fclose(answer);
	return ran && status == 0;
}

bool serve_pcp_check(struct serve_pcp *pcp, const char *config)
{
	static const char own[] = "pmdaupc: ";
	char line[1000];

	if (!find_agent(pcp))
		return false;
	if (ask_agent(pcp->agent, config, line, sizeof(line)))
		return true;
	if (line[0] == '\0')
		util_error("%s: the agent cannot read it: %s", config, pcp->agent);
	else
		util_error("%s", line + (strncmp(line, own, sizeof(own) - 1) == 0 ? sizeof(own) - 1 : 0));
	return false;
}

bool serve_pcp_find(struct serve_pcp *pcp)
{
	const char *conf = getenv("PCP_CONF");
	char bin[PATH_MAX], admin[PATH_MAX], var[PATH_MAX], pmdas[PATH_MAX], pmdas_admin[PATH_MAX],
		pmproxy[PATH_MAX];

	if (!is_there(pcp->conf, "%s", conf && *conf ? conf : UPC_PCP_CONF))
		return say_pcp_missing("the configuration", pcp->conf);
	if (!value_of_pcp_name(pcp->conf, "PCP_BIN_DIR", bin) ||
	    !value_of_pcp_name(pcp->conf, "PCP_BINADM_DIR", admin) ||
	    !value_of_pcp_name(pcp->conf, "PCP_VAR_DIR", var) ||
	    !value_of_pcp_name(pcp->conf, "PCP_PMDAS_DIR", pmdas)) {
		util_error("%s does not say where Performance Co-Pilot is", pcp->conf);
		return false;
	}
	if (!value_of_pcp_name(pcp->conf, "PCP_PMDASADM_DIR", pmdas_admin))
		strcpy(pmdas_admin, pmdas);
	if (!is_there(pcp->pminfo, "%s/pminfo", bin))
		return say_pcp_missing("pminfo", pcp->pminfo);
	if (!is_there(pcp->pmcd, "%s/pmcd", admin))
		return say_pcp_missing("pmcd", pcp->pmcd);
	if (!value_of_pcp_name(pcp->conf, "UPC_UNPACKED_LIBRARIES", pcp->libraries) ||
	    !value_of_pcp_name(pcp->conf, "UPC_UNPACKED_PROGRAMS", pmproxy)) {
		pcp->libraries[0] = '\0';
		strcpy(pmproxy, admin);
	}
	if (!is_there(pcp->pmproxy, "%s/pmproxy", pmproxy))
		return say_pcp_missing("pmproxy", pcp->pmproxy);
	if (!is_there(pcp->pmlogger, "%s/pmlogger", bin) && !is_there(pcp->pmlogger, "%s/pmlogger", admin))
		return say_pcp_missing("pmlogger", pcp->pmlogger);
	if (!is_there(pcp->pmnsmerge, "%s/pmnsmerge", admin))
		return say_pcp_missing("pmnsmerge", pcp->pmnsmerge);
	if (!is_there(pcp->names, "%s/pmns/root_pmcd", var))
		return say_pcp_missing("the name space", pcp->names);
	if (!is_there(pcp->module, "%s/pmcd/pmda_pmcd.so", pmdas_admin) &&
	    !is_there(pcp->module, "%s/pmcd/pmda_pmcd.so", pmdas))
		return say_pcp_missing("pmcd's own agent", pcp->module);
	return find_agent(pcp);
}

/* ---- writing ------------------------------------------------------------------------------ */

static bool finish_pcp_file(FILE *out, const char *name)
{
	bool good = fflush(out) == 0 && !ferror(out);
	int error = errno;

	if (fclose(out) != 0 && good) {
		good = false;
		error = errno;
	}
	if (!good)
		util_error("cannot write %s: %s", name, strerror(error));
	return good;
}

/* Create the file anew: another user may own the directory, and an existing file could be a link. */
static FILE *begin_pcp_file(const char *name)
{
	int fd = unlink(name) == 0 || errno == ENOENT
			 ? open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)
			 : -1;
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!out)
		util_error("cannot write %s: %s", name, strerror(errno));
	/* Readable for the owner of web/; no one else can enter that directory. */
	else if (!strncmp(name, "web/", 4))
		fchmod(fileno(out), 0644);
	return out;
}

__attribute__((format(printf, 2, 3))) static bool write_file(const char *name, const char *format, ...)
{
	va_list arguments;
	FILE *out = begin_pcp_file(name);

	if (!out)
		return false;
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	return finish_pcp_file(out, name);
}

/* Copy the machine's pcp.conf with other directories. The node's own settings replace the machine's settings
 * of the same name. */
static bool write_conf(const struct serve_pcp *pcp, const char *name, const char *dir, const char *user,
		       const char *group)
{
	static const char *const ours[] = {
		"PCP_RUN_DIR", "PCP_LOG_DIR",       "PCP_ARCHIVE_DIR", "PCP_TMP_DIR", "PCP_TMPFILE_DIR",
		"PCP_VAR_DIR", "PCP_PMCDCONF_PATH", "PCP_USER",        "PCP_GROUP",   NULL};
	char *line = NULL;
	size_t room = 0;
	FILE *in = fopen(pcp->conf, "re"), *out;

	if (!in) {
		util_error("cannot read %s: %s", pcp->conf, strerror(errno));
		return false;
	}
	out = begin_pcp_file(name);
	while (out && getline(&line, &room, in) > 0) {
		const char *const *key = ours;

		while (*key && (strncmp(line, *key, strlen(*key)) || line[strlen(*key)] != '='))
			key++;
		if (!*key)
			fputs(line, out);
	}
	free(line);
	fclose(in);
	if (!out)
		return false;
	fprintf(out, "PCP_RUN_DIR=%s/run\nPCP_LOG_DIR=%s/log\nPCP_ARCHIVE_DIR=%s/archive\n", dir, dir, dir);
	fprintf(out, "PCP_TMP_DIR=%s/tmp\nPCP_TMPFILE_DIR=%s/tmp\nPCP_VAR_DIR=%s/var\n", dir, dir, dir);
	fprintf(out, "PCP_PMCDCONF_PATH=%s/pmcd.conf\nPCP_USER=%s\nPCP_GROUP=%s\n", dir, user, group);
	return finish_pcp_file(out, name);
}

bool serve_pcp_write(const struct serve_pcp *pcp, const struct serve_files *files)
{
	/* An archive needs values less often than the page does. */
	uint64_t ms = files->interval_ns / 1000000;

	if (ms < 10000)
		ms = 10000;
	return write_conf(pcp, "pcp.conf", files->dir, files->user, files->group) &&
	       /* The web user has no access to the directories above, so its paths are relative to its own
		* directory. */
	       write_conf(pcp, "web/pcp.conf", "../web", files->web_user, files->web_group) &&
	       write_file("root_upc", "root { upc 450:*:* }\n") &&
	       write_file(
		       "pmcd.conf",
		       "pmcd 2 dso pmcd_init %s\n"
		       "upc 450 pipe binary %s -d 450 -l %s/log/upc.log -c %s -s %s/state -S %s/run/control\n",
		       pcp->module, pcp->agent, files->dir, files->config, files->dir, files->dir) &&
	       write_file("pmlogger.conf",
			  "log mandatory on %" PRIu64 " msec { upc }\n[access]\n"
			  "disallow * : all;\n",
			  ms) &&
	       write_file("web/pmproxy.conf",
			  "[pmproxy]\npcp.enabled = false\nhttp.enabled = true\nredis.enabled = false\n"
			  "secure.enabled = false\n[redis]\nenabled = false\n[discover]\nenabled = false\n"
			  "[pmsearch]\nenabled = false\n[pmseries]\nenabled = false\n");
}
