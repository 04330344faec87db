/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_main.h - what fuzzers share: what ends them, and a main() that feeds files to a fuzzer's
 * entry, for compilers without libFuzzer: -DUPC_FUZZ_MAIN.
 */
#ifndef FUZZ_MAIN_H
#define FUZZ_MAIN_H

#include <stdbool.h>
#include <stdlib.h>

static inline void check(bool holds)
{
	if (!holds)
		abort();
}

#ifdef UPC_FUZZ_MAIN
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		uint8_t *data;
		size_t size;

		if (!file) {
			perror(argv[i]);
			return 2;
		}
		data = malloc(9u << 20);
		if (!data)
			return 2;
		size = fread(data, 1, 9u << 20, file);
		fclose(file);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return 0;
}
#endif

#endif
