/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any name, up to a newline or 0, and any symbol behind it: there is an answer, in bounded time and
 * memory.
 */
#include <stdlib.h>
#include <string.h>

#include "load/names.h"
#include "fuzz_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *symbol, shown[UPCS_DEMANGLED_MAX];
	struct upcs_name name;

	check(text);
	memcpy(text, data, size);
	text[size] = '\0';
	symbol = strchr(text, '\n');
	if (symbol)
		*symbol++ = '\0';
	else
		symbol = text + strlen(text) + (strlen(text) < size);
	if (upcs_name_parse(&name, text)) {
		(void)upcs_name_fits(&name, symbol);
		/* A mangled name, which is written as in the file, fits itself unless it is a glob. */
		check(!name.mangled || name.glob || upcs_name_fits(&name, text));
	}
	upcs_name_show(shown, symbol, true);
	check(strlen(shown) < sizeof(shown));
	upcs_name_show(shown, symbol, false);
	check(strlen(shown) < sizeof(shown));
	(void)upcs_name_hash(symbol);
	free(text);
	return 0;
}
