/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command.h - executes the commands that config.h has read.
 * Terms: service/service.h.
 */
#ifndef SERVICE_COMMAND_H
#define SERVICE_COMMAND_H

#include <jansson.h>

#include "service/config.h"
#include "service/counters.h"
#include "service/sample.h"

/*
 * Execute a whole configuration except its initialize. The adds before finalize are one transaction. Errors:
 * negative UPC_E*, with *error; the caller then destroys the counters.
 */
int command_configure(struct counters *counters, const struct config *config, struct config_error *error);

/* Only make the control groups of the configuration. missing: the groups existed before a restart, and their
 * directories may be gone. */
int command_configure_places(struct counters *counters, const struct config *config, bool missing,
			     struct config_error *error);

/*
 * Execute one command. *message is always set, to one sentence that the caller frees (NULL: no memory).
 * Errors: negative UPC_E*; nothing has changed then.
 */
int command_run(struct counters *counters, const struct config_command *command, char **message);

/* True if the command's reply lists counters. command_list returns this list as JSON, from a sample. */
bool command_lists(const struct config_command *command);
json_t *command_list(const struct service_sample *sample, const struct config_command *command);

/*
 * Make the reply to a command that lists, from a sample alone, for callers that do not wait for the worker.
 * Return 0, or UPC_ENOEVENT if the sample lacks a name.
 */
int command_list_late(const struct service_sample *sample, const struct config_command *command,
		      json_t **reply);

#endif
