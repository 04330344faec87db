/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvtx.c - annotations of NVTX 3, by injection. At its first call the program's own copy of NVTX loads the
 * library that NVTX_INJECTION64_PATH names, and asks the library which calls it wants. This file declares the
 * parts of NVTX's binary interface that it uses.
 *
 * Pushed ranges are on a stack of their thread and domain. Started ranges have a number, and may end in any
 * order. A mark is a region without duration. A name in a domain is "domain/name".
 * Terms: region/front/front.h.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "region/front/front.h"
#include "region/front/labels.h"
#include "region/front/nest.h"
#include "region/region.h"

/* ---- NVTX's interface --------------------------------------------------------------------- */

enum { CALLBACKS = 1 };       /* number of the export table */
enum { CORE = 1, CORE2 = 5 }; /* numbers of modules of calls */
enum { ASCII = 1, UNICODE = 2, REGISTERED = 3 };

/* Indices of calls in their module's table. */
enum core_call {
	MARK_EX = 1,
	MARK_A,
	MARK_W,
	START_EX,
	START_A,
	START_W,
	END,
	PUSH_EX,
	PUSH_A,
	PUSH_W,
	POP,
};
enum core2_call {
	DOMAIN_MARK_EX = 1,
	DOMAIN_START_EX,
	DOMAIN_END,
	DOMAIN_PUSH_EX,
	DOMAIN_POP,
	DOMAIN_REGISTER_A = 10,
	DOMAIN_REGISTER_W,
	DOMAIN_CREATE_A,
	DOMAIN_CREATE_W,
	DOMAIN_DESTROY,
};

typedef void (*call)(void);

struct callbacks {
	size_t size;
	int (*table)(uint32_t module, call ***table, unsigned *count);
};

struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	union {
		const char *ascii;
		const wchar_t *unicode;
		const void *registered;
	} message;
};

/* ---- domains --------------------------------------------------------------------------------- */

/* A domain's handle is its number; 0 is the program's own domain. Domains with the same name have the same
 * number. */
static struct upcr_labels domains;

/* Return a domain's number; 0 if the handle, which may be any, is no domain's. */
static unsigned nvtx_domain_of(const void *handle)
{
	return upcr_label_text(&domains, (uintptr_t)handle) ? (unsigned)(uintptr_t)handle : 0;
}

static const void *domain_create_a(const char *name)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	uintptr_t domain = upcr_label(&domains, name);

	if (!domain && !atomic_flag_test_and_set(&said))
		upcr_say("more than %d domains of NVTX: ranges of the others have no domain's name",
			 UPCR_LABELS);
	return (const void *)domain;
}

/* ---- names ------------------------------------------------------------------------------------ */

enum { NAME_MAX_ = UPCR_LABEL_MAX };

static size_t put_utf8(char *text, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

	if (c > 0x10ffff)
		return put_utf8(text, 0xfffd);
	if (n == 1) {
		text[0] = (char)c;
		return 1;
	}
	for (i = n - 1; i > 0; i--, c >>= 6)
		text[i] = (char)(0x80 | (c & 0x3f));
	text[0] = (char)(0xf00u >> n | c);
	return n;
}

static size_t narrow_wide_text(char text[NAME_MAX_], const wchar_t *wide)
{
	size_t n = 0;

	for (; wide && *wide && n + 4 < NAME_MAX_; wide++)
		n += put_utf8(text + n, (uint32_t)*wide);
	text[n] = '\0';
	return n;
}

static unsigned name_in(unsigned domain, const char *text)
{
	return upcr_label_name(&domains, domain, text);
}

static unsigned wide_name_in(unsigned domain, const wchar_t *wide)
{
	char text[NAME_MAX_];

	(void)narrow_wide_text(text, wide);
	return name_in(domain, text);
}

/* Return the name of a range. The handle of a registered text is 1 + the number of its name. */
static unsigned name_of_attributes(unsigned domain, const struct attributes *attributes)
{
	uintptr_t handle;

	if (!attributes || attributes->size < sizeof(*attributes))
		return name_in(domain, NULL);
	switch (attributes->message_type) {
	case ASCII:
		return name_in(domain, attributes->message.ascii);
	case UNICODE:
		return wide_name_in(domain, attributes->message.unicode);
	case REGISTERED:
		handle = (uintptr_t)attributes->message.registered;
		if (handle && handle <= UINT32_MAX && upcr_is_name((unsigned)(handle - 1)))
			return (unsigned)(handle - 1);
		break;
	}
	return name_in(domain, NULL);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static int pop_nvtx_range(unsigned domain)
{
	int level = upcr_pop(UPCR_OF_NVTX + domain);

	/* No region is pushed: upcr_exit finds none open, and notes this. */
	if (level < 0)
		(void)upcr_exit(name_in(domain, "pop"));
	return level;
}

/* Start a range. The lower half of its number is 1 + the number of its name. */
static uint64_t start_nvtx_range(unsigned name)
{
	static atomic_uint serial;

	upcr_enter(name);
	return (uint64_t)atomic_fetch_add(&serial, 1) << 32 | ((uint64_t)name + 1);
}

static void end_nvtx_range(uint64_t id)
{
	if ((uint32_t)id)
		(void)upcr_exit((uint32_t)id - 1);
}

static void mark_nvtx_name(unsigned name)
{
	upcr_enter(name);
	(void)upcr_exit(name);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void mark_ex(const struct attributes *attributes)
{
	mark_nvtx_name(name_of_attributes(0, attributes));
}

static void mark_a(const char *text)
{
	mark_nvtx_name(name_in(0, text));
}

static void mark_w(const wchar_t *text)
{
	mark_nvtx_name(wide_name_in(0, text));
}

static uint64_t start_ex(const struct attributes *attributes)
{
	return start_nvtx_range(name_of_attributes(0, attributes));
}

static uint64_t start_a(const char *text)
{
	return start_nvtx_range(name_in(0, text));
}

static uint64_t start_w(const wchar_t *text)
{
	return start_nvtx_range(wide_name_in(0, text));
}

static int push_ex(const struct attributes *attributes)
{
	return upcr_push(UPCR_OF_NVTX, name_of_attributes(0, attributes));
}

static int push_a(const char *text)
{
	return upcr_push(UPCR_OF_NVTX, name_in(0, text));
}

static int push_w(const wchar_t *text)
{
	return upcr_push(UPCR_OF_NVTX, wide_name_in(0, text));
}

static int pop_default(void)
{
	return pop_nvtx_range(0);
}

static void domain_mark_ex(const void *domain, const struct attributes *attributes)
{
	mark_nvtx_name(name_of_attributes(nvtx_domain_of(domain), attributes));
}

static uint64_t domain_start_ex(const void *domain, const struct attributes *attributes)
{
	return start_nvtx_range(name_of_attributes(nvtx_domain_of(domain), attributes));
}

static void domain_end(const void *domain, uint64_t id)
{
	(void)domain;
	end_nvtx_range(id);
}

static int domain_push_ex(const void *domain, const struct attributes *attributes)
{
	return upcr_push(UPCR_OF_NVTX + nvtx_domain_of(domain),
			 name_of_attributes(nvtx_domain_of(domain), attributes));
}

static int domain_pop(const void *domain)
{
	return pop_nvtx_range(nvtx_domain_of(domain));
}

static const void *domain_register_a(const void *domain, const char *text)
{
	return (const void *)(uintptr_t)(name_in(nvtx_domain_of(domain), text) + 1u);
}

static const void *domain_register_w(const void *domain, const wchar_t *text)
{
	return (const void *)(uintptr_t)(wide_name_in(nvtx_domain_of(domain), text) + 1u);
}

static const void *domain_create_w(const wchar_t *name)
{
	char text[NAME_MAX_];

	(void)narrow_wide_text(text, name);
	return domain_create_a(text);
}

/* ---- injection -------------------------------------------------------------------------------- */

struct wanted {
	unsigned place;
	call function;
};

static void take_module_callbacks(const struct callbacks *callbacks, uint32_t module,
				  const struct wanted *wanted, size_t n)
{
	call **table;
	unsigned count;
	size_t i;

	if (!callbacks->table(module, &table, &count))
		return;
	for (i = 0; i < n; i++)
		if (wanted[i].place < count && table[wanted[i].place])
			*table[wanted[i].place] = wanted[i].function;
}

UPCR_FUNCTION(int, InitializeInjectionNvtx2, const void *(*export)(uint32_t table))
{
	static const struct wanted core[] = {
		{MARK_EX, (call)mark_ex},    {MARK_A, (call)mark_a},   {MARK_W, (call)mark_w},
		{START_EX, (call)start_ex},  {START_A, (call)start_a}, {START_W, (call)start_w},
		{END, (call)end_nvtx_range}, {PUSH_EX, (call)push_ex}, {PUSH_A, (call)push_a},
		{PUSH_W, (call)push_w},      {POP, (call)pop_default},
	};
	static const struct wanted core2[] = {
		{DOMAIN_MARK_EX, (call)domain_mark_ex},
		{DOMAIN_START_EX, (call)domain_start_ex},
		{DOMAIN_END, (call)domain_end},
		{DOMAIN_PUSH_EX, (call)domain_push_ex},
		{DOMAIN_POP, (call)domain_pop},
		{DOMAIN_REGISTER_A, (call)domain_register_a},
		{DOMAIN_REGISTER_W, (call)domain_register_w},
		{DOMAIN_CREATE_A, (call)domain_create_a},
		{DOMAIN_CREATE_W, (call)domain_create_w},
	};
	const struct callbacks *callbacks = export ? export(CALLBACKS) : NULL;

	if (!callbacks || callbacks->size < sizeof(*callbacks) || !callbacks->table)
		return 0;
	take_module_callbacks(callbacks, CORE, core, sizeof(core) / sizeof(core[0]));
	take_module_callbacks(callbacks, CORE2, core2, sizeof(core2) / sizeof(core2[0]));
	upcr_thread_begin();
	return 1;
}
