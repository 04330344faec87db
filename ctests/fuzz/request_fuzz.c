/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a line of the control socket: refused with a reason in ASCII, or words, which are written
 * as a line that gives the same words.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "service/request.h"
#include "fuzz_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_why(const char *why)
{
	if (why[0] == '\0')
		abort();
	for (; *why != '\0'; why++)
		if (*why < ' ' || *why > '~')
			abort();
}

static void check_again(const struct request *request)
{
	char why[REQUEST_WHY_MAX] = "", *line = request_write(request->word, request->words, why);
	struct request again;

	/* JSON may take more room than what was read: control characters do. */
	if (line == NULL) {
		check_why(why);
		return;
	}
	if (strchr(line, '\n') != line + strlen(line) - 1 ||
	    request_read(line, strlen(line) - 1, &again, why) != 0 || again.words != request->words)
		abort();
	for (unsigned i = 0; i < again.words; i++)
		if (strcmp(again.word[i], request->word[i]) != 0)
			abort();
	request_free(&again);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[REQUEST_WHY_MAX] = "", *answer;
	struct request request;

	if (request_read((const char *)data, size, &request, why) != 0) {
		check_why(why);
		return 0;
	}
	if (request.words == 0 || request.words > REQUEST_WORDS_MAX || request.word[request.words] != NULL)
		abort();
	check_again(&request);
	answer = request_answer(false, request.word[0]);
	if (answer == NULL || strchr(answer, '\n') != NULL)
		abort();
	free(answer);
	request_free(&request);
	return 0;
}
