/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command.h - executes what config.h has read.
 */
#ifndef SERVICE_COMMAND_H
#define SERVICE_COMMAND_H

#include <jansson.h>

#include "service/config.h"
#include "service/counters.h"
#include "service/sample.h"

/*
 * Executes a whole configuration but for its initialize: what comes before finalize as one
 * transaction. Errors: negative UPC_E*, with *error; the counters are the caller's to destroy.
 */
int command_configure(struct counters *counters, const struct config *config, struct config_error *error);

/* Only the places that it makes: control groups. missing: they were there once, and may be gone. */
int command_configure_places(struct counters *counters, const struct config *config, bool missing,
			     struct config_error *error);

/*
 * Executes one command. Always sets *message, one sentence, which the caller frees (NULL: no memory).
 * Errors: negative UPC_E*; nothing has changed then.
 */
int command_run(struct counters *counters, const struct config_command *command, char **message);

/* Whether the reply lists counters, and the JSON of what it lists as a sample has it. */
bool command_lists(const struct config_command *command);
json_t *command_list(const struct service_sample *sample, const struct config_command *command);

/*
 * The reply to a command that lists, of a sample alone: for those who do not wait until the worker has
 * time. 0, or UPC_ENOEVENT where a name is not in it.
 */
int command_list_late(const struct service_sample *sample, const struct config_command *command,
		      json_t **reply);

#endif
