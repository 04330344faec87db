/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demangle.c - calls the demangler of libiberty, which binutils and gdb use.
 *
 * A symbol of a few hundred characters can stand for gigabytes of text, in parts of which each is twice as
 * long as the part before. The text is therefore received in pieces, and a longjmp leaves the demangler when
 * the text gets too long. libiberty keeps all of its memory on the stack, so nothing leaks. libiberty refuses
 * symbols that nest too deeply or have more than 1024 characters.
 */
#include "load/demangle.h"

#include <ctype.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>

struct output {
	char *text;
	size_t length;
	jmp_buf too_long;
};

static void take_demangled_piece(const char *piece, size_t n, void *to)
{
	struct output *output = to;

	if (n >= UPCS_DEMANGLED_MAX - output->length)
		longjmp(output->too_long, 1);
	memcpy(output->text + output->length, piece, n);
	output->length += n;
	output->text[output->length] = '\0';
}

bool upcs_demangle_is_there(void)
{
	return true;
}

bool upcs_demangle(const char *symbol, bool arguments, char *text)
{
	int options = arguments ? DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP : DMGL_NO_OPTS;
	struct output output = {.text = text};

	text[0] = '\0';
	if (!upcs_is_mangled(symbol) || setjmp(output.too_long))
		return false;
	/* Names of Rust, in both mangling schemes, without their hash. */
	if (rust_demangle_callback(symbol, DMGL_NO_OPTS, take_demangled_piece, &output) && text[0])
		return true;
	output.length = 0;
	text[0] = '\0';
	return cplus_demangle_v3_callback(symbol, options, take_demangled_piece, &output) && text[0];
}

#else

bool upcs_demangle_is_there(void)
{
	return false;
}

bool upcs_demangle(const char *symbol, bool arguments, char *text)
{
	(void)symbol;
	(void)arguments;
	text[0] = '\0';
	return false;
}

#endif

/* _ZT: thunks and tables. _ZG: guard variables and functions of transactions. */
bool upcs_is_mangled(const char *symbol)
{
	if (strncmp(symbol, "_R", 2) == 0)
		return isupper((unsigned char)symbol[2]) || isdigit((unsigned char)symbol[2]);
	return strncmp(symbol, "_Z", 2) == 0 && symbol[2] != 'T' && symbol[2] != 'G';
}
