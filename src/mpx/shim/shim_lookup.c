/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_lookup.c - a stand-in for dlsym. A program that opens libpapi with dlopen and looks PAPI's functions
 * up with dlsym, as interpreters do, gets the shim's functions.
 *
 * If the handle is RTLD_NEXT or RTLD_DEFAULT, the result of dlsym depends on its caller. The stand-in
 * therefore passes every other lookup to the C library's dlsym with a jump, which keeps the return address.
 *
 * Terms: shim/shim.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr, dlvsym */
#endif
#include <dlfcn.h>
#include <string.h>

#include "shim/shim.h"
#include "shim/shim_real.h"

#if defined(__x86_64__) || defined(__aarch64__)

typedef void *lookup(void *handle, const char *name);

/* The C library's dlsym, and the function that finds the shim's symbols. Both have external linkage because
 * the assembly code below refers to them. */
__attribute__((visibility("hidden"), used)) lookup *shim_lookup_next;
__attribute__((visibility("hidden"), used)) lookup shim_lookup;

/* Return the C library's dlsym, looked up by its symbol version, which changed in glibc 2.34. */
static lookup *find_next(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
	void *found = NULL;
	lookup *next;
	size_t i;

	for (i = 0; i < sizeof(versions) / sizeof(versions[0]) && !found; i++)
		found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	memcpy(&next, &found, sizeof(next));
	return next;
}

static bool is_papi(const void *address)
{
	const char *slash;
	Dl_info info;

	if (!dladdr(address, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	return !strncmp(slash ? slash + 1 : info.dli_fname, "libpapi.", 8);
}

/* Return the shim's function of this name, or NULL if the shim has none. */
static void *find_own_function(const char *name)
{
	Dl_info self, info;
	void *handle, *found = NULL;

	if (!dladdr((const void *)&shim_lookup_next, &self))
		return NULL;
	handle = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	found = shim_lookup_next(handle, name);
	if (found && (!dladdr(found, &info) || info.dli_fbase != self.dli_fbase))
		found = NULL;
	dlclose(handle);
	return found;
}

void *shim_symbol(void *handle, const char *name)
{
	if (!shim_lookup_next)
		shim_lookup_next = find_next();
	return shim_lookup_next ? shim_lookup_next(handle, name) : NULL;
}

void *shim_lookup(void *handle, const char *name)
{
	void *found;

	if (!shim_lookup_next)
		shim_lookup_next = find_next();
	if (!shim_lookup_next || !name || handle == RTLD_NEXT || handle == RTLD_DEFAULT)
		return NULL;
	if (strncmp(name, "PAPI_", 5) && strncmp(name, "papif_", 6) && strncmp(name, "PAPIF_", 6))
		return NULL;
	found = shim_lookup_next(handle, name);
	return found && is_papi(found) ? find_own_function(name) : NULL;
}

/* clang-format off */
#ifdef __x86_64__
__asm__(".text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	"dlsym:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	push %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call shim_lookup\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	test %rax, %rax\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	jmp *shim_lookup_next(%rip)\n"
	"	.cfi_endproc\n"
	".size dlsym, . - dlsym\n");
#else
__asm__(".text\n"
	".globl dlsym\n"
	".type dlsym, %function\n"
	"dlsym:\n"
	"	.cfi_startproc\n"
	"	hint #34\n" /* bti c */
	"	stp x29, x30, [sp, #-32]!\n"
	"	.cfi_def_cfa_offset 32\n"
	"	.cfi_offset 29, -32\n"
	"	.cfi_offset 30, -24\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	bl shim_lookup\n"
	"	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x29, x30, [sp], #32\n"
	"	.cfi_def_cfa_offset 0\n"
	"	.cfi_restore 29\n"
	"	.cfi_restore 30\n"
	"	cbz x16, 1f\n"
	"	mov x0, x16\n"
	"	ret\n"
	"1:	adrp x16, shim_lookup_next\n"
	"	ldr x16, [x16, #:lo12:shim_lookup_next]\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	".size dlsym, . - dlsym\n");
#endif
/* clang-format on */

#else

void *shim_symbol(void *handle, const char *name)
{
	return dlsym(handle, name);
}

#endif
