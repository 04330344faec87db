/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * translate.c - adds counting to blocks as they are translated.
 *
 * Translation runs one thread at a time, under the emulator's lock, which fork takes as well. Blocks that
 * look for functions chosen by an IFUNC resolver run concurrently and take `lock`; fork waits for their end.
 *
 * Terms: plugin/context.h.
 */
#include "plugin/translate.h"

#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "load/chosen.h"
#include "plugin/context.h"
#include "count/guest_memory.h"
#include "plugin/inline.h"
#include "load/places.h"
#include "count/team.h"
#include "count/thread.h"

static struct upcs_decoder *decoder;
static struct upcs_block block;
static struct upcs_place place; /* properties of the code where the block begins */
static bool exact;
static bool call_always; /* UPC_SIM_CALLS=1, for tests that counting inline and by calls agree */
static void *sites;      /* all sites, for tsearch: code that is translated again gets its earlier sites */
#define SITES_MAX (1u << 20)
#define NO_INDEX UINT32_MAX
static struct upcs_site *sites_array; /* the first sites, by their index */
static uint32_t sites_made;           /* number of sites in sites_array */
static bool any_late;                 /* some site has late regions; atomic */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* places.h, chosen.h, sites; inside QEMU's lock */

bool upcs_translate_begin(enum upcs_guest guest)
{
	const char *calls = getenv("UPC_SIM_CALLS");

	call_always = calls && strcmp(calls, "1") == 0;
	decoder = upcs_decoder_create(guest);
	return decoder != NULL;
}

void upcs_translate_set_exact(void)
{
	__atomic_store_n(&exact, true, __ATOMIC_RELEASE);
}

bool upcs_translate_is_exact(void)
{
	return __atomic_load_n(&exact, __ATOMIC_ACQUIRE);
}

static struct upcs_site *site_at(uint32_t index)
{
	return &sites_array[index];
}

/* ---- called at every block, so kept minimal ---------------------------------------------- */

static inline void count_kind(unsigned vcpu, uint32_t kind)
{
	uint64_t *counting = upcs_thread_counting();

	if (__builtin_expect(!counting, 0))
		upcs_context_block(vcpu, kind);
	else
		upcs_thread_count(&counting[kind]);
}

static void block_begins(unsigned vcpu, void *kind)
{
	count_kind(vcpu, (uint32_t)(uintptr_t)kind);
}

static void look_for_chosen(const struct upcs_site *site);

static inline uint16_t late_regions(const struct upcs_site *site)
{
	return __atomic_load_n(&site->late, __ATOMIC_RELAXED);
}

static inline bool is_any_late(void)
{
	return __atomic_load_n(&any_late, __ATOMIC_RELAXED);
}

static void site_begins(unsigned vcpu, void *data)
{
	struct upcs_site *site = data;

	if (__builtin_expect(!upcs_thread_counting(), 0))
		upcs_thread_begin(vcpu);
	if (__builtin_expect(site->chooses || upcs_chosen_awaited(), 0))
		look_for_chosen(site);
	upcs_thread_site(site);
	count_kind(vcpu, site->kind);
}

static inline void site_pass(struct upcs_site *site, uint8_t end)
{
	upcs_passed = site;
	upcs_last_end = end;
	__atomic_store_n(&upcs_bare, end || is_any_late() ? NULL : upcs_thread_counting(), __ATOMIC_RELAXED);
}

/* Begin a block whose effect is limited to the thread's stack. Return false, without a change, if the block
 * may have other effects. */
static bool site_steps(struct upcs_site *site)
{
	struct upcs_region_stack *stack = upcs_stepping;
	struct upcs_site *passed = upcs_passed;
	enum upcs_region_step step;

	if (!upcs_last_end) {
		site_pass(site, site->block.end);
		return true;
	}
	if (__builtin_expect(!stack || upcs_thread_runtime(), 0))
		return false;
	step = upcs_region_step(stack, &passed->block, upcs_last_end & UPCS_LAST_FRESH, &passed->number,
				&site->block);
	if (__builtin_expect(step == UPCS_REGION_NO_STEP, 0))
		return false;
	site_pass(site,
		  site->block.end | (step == UPCS_REGION_FRESH && site->block.end ? UPCS_LAST_FRESH : 0));
	return true;
}

/* Pack a site's kind, end and index into a pointer. Most sites need no more when they begin, so that the site
 * itself need not be in the cache. */
static void *site_data(const struct upcs_site *site)
{
	return (void *)(uintptr_t)((uint64_t)site->kind << 40 | (uint64_t)site->block.end << 32 |
				   site->index);
}

static __attribute__((noinline)) void ended_site_begins(unsigned vcpu, uint64_t data)
{
	uint64_t *counting = upcs_thread_counting();
	struct upcs_site *site = site_at((uint32_t)data);

	if (__builtin_expect(counting && !(late_regions(site) | upcs_chosen_awaited()) && site_steps(site),
			     1))
		upcs_thread_count(&counting[site->kind]);
	else
		site_begins(vcpu, site);
}

/* Begin a plain site, as most sites are. The effect of its end shows at the next site. */
static void plain_site_begins(unsigned vcpu, void *of)
{
	uint64_t data = (uintptr_t)of, *counting = __atomic_load_n(&upcs_bare, __ATOMIC_RELAXED);

	if (__builtin_expect(!counting || upcs_chosen_awaited(), 0)) {
		ended_site_begins(vcpu, data);
		return;
	}
	site_pass(site_at((uint32_t)data), (uint8_t)(data >> 32));
	upcs_thread_count(&counting[data >> 40]);
}

/* Begin a plain site without an end, which leaves the thread's state as it was. */
static void bare_site_begins(unsigned vcpu, void *of)
{
	uint64_t data = (uintptr_t)of, *counting = __atomic_load_n(&upcs_bare, __ATOMIC_RELAXED);

	if (__builtin_expect(!counting, 0))
		ended_site_begins(vcpu, data);
	else
		upcs_thread_count(&counting[data >> 40]);
}

/*
 * Count an iteration of an instruction that repeats itself. The instruction begins once per iteration and may
 * begin once more without an iteration, so iterations are counted by their memory accesses.
 */
static void repeat_touches(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *kind)
{
	(void)info;
	(void)address;
	block_begins(vcpu, kind);
}

/* Track an OpenMP runtime's memory accesses, which show for which regions its threads work (count/team.h). */
static void runtime_touches(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	(void)vcpu;
	(void)data;
	upcs_thread_touched(address, (size_t)1 << qemu_plugin_mem_size_shift(info),
			    qemu_plugin_mem_is_store(info));
}

/* True after the first access since the repeated instruction began. */
static UPCS_TLS bool touched;

static void repeat_begins(unsigned vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	touched = false;
}

static void repeat_touches_first(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *kind)
{
	if (!touched)
		repeat_touches(vcpu, info, address, kind);
	touched = true;
}

/* ---- translation --------------------------------------------------------------------- */

static int compare_sites(const void *a, const void *b)
{
	const struct upcs_site *x = a, *y = b;

#define COMPARE(field)            \
	if (x->field != y->field) \
	return x->field < y->field ? -1 : 1
	COMPARE(block.begin);
	COMPARE(block.next);
	COMPARE(block.enters);
	COMPARE(block.end);
	COMPARE(block.handler);
	COMPARE(block.role);
	COMPARE(block.runtime);
	COMPARE(block.marks);
	COMPARE(kind);
	COMPARE(chooses);
#undef COMPARE
	return 0;
}

/* Return memory for a site: in the array while there is room, else from aligned_alloc with index NO_INDEX. */
static struct upcs_site *site_room(uint32_t *index)
{
	void *array;

	if (!sites_made) {
		/* 64 MB of address space, of which few pages are ever touched. */
		array = mmap(NULL, SITES_MAX * sizeof(*sites_array), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		sites_array = array == MAP_FAILED ? NULL : array;
	}
	*index = sites_array && sites_made < SITES_MAX ? sites_made++ : NO_INDEX;
	return *index == NO_INDEX ? aligned_alloc(_Alignof(struct upcs_site), sizeof(struct upcs_site))
				  : site_at(*index);
}

static struct upcs_site *make_site(const struct upcs_site *site)
{
	uint32_t index;
	struct upcs_site *new = site_room(&index);

	if (!new)
		return NULL;
	*new = *site;
	new->index = index;
	return tsearch(new, &sites, compare_sites) ? new : NULL;
}

/* Return the site's permanent copy, or NULL if memory is short. Sites live as long as the process, because
 * translated code contains their addresses. */
static struct upcs_site *keep_site(const struct upcs_site *site)
{
	struct upcs_site **found = tfind(site, &sites, compare_sites);

	if (!found)
		return make_site(site);
	/* Regions that were found late are in block.enters now. */
	__atomic_store_n(&(*found)->late, 0, __ATOMIC_RELAXED);
	return *found;
}

/* ---- functions that IFUNC resolvers choose ------------------------------------------------ */

struct late {
	uint64_t address;
	uint16_t regions;
};

static void enter_late(const void *node, VISIT visit, void *data)
{
	struct upcs_site *site = *(struct upcs_site *const *)node;
	const struct late *found = data;

	if ((visit != preorder && visit != leaf) || site->block.begin != found->address)
		return;
	__atomic_fetch_or(&site->late, found->regions & (uint16_t)~site->block.enters, __ATOMIC_RELAXED);
	if (site->late)
		__atomic_store_n(&any_late, true, __ATOMIC_RELAXED);
}

/* Add regions to existing sites at an address. Code that is translated later gets the regions from
 * upcs_places_at. */
static void enter_chosen(uint64_t address, uint16_t regions)
{
	twalk_r(sites, enter_late, &(struct late){address, regions});
}

static void look_for_chosen(const struct upcs_site *site)
{
	const struct upcs_options *options = &upcs_run.results->options;

	pthread_mutex_lock(&lock);
	if (site->chooses)
		upcs_chosen_begins(options, site->block.begin, site->chooses);
	upcs_chosen_look(options, upcs_run.guest, enter_chosen);
	if (upcs_run.process)
		upcs_run.process->region_unseen = upcs_chosen_unseen();
	pthread_mutex_unlock(&lock);
}

/* ---- blocks ------------------------------------------------------------------------------ */

static void decode_insn(const struct qemu_plugin_insn *insn, uint64_t address, struct upcs_insn *to)
{
#if UPCS_QEMU_INTERFACE == 1
	upcs_decode(decoder, address, qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), to);
#else
	uint8_t bytes[16];

	upcs_decode(decoder, address, bytes, qemu_plugin_insn_data(insn, bytes, sizeof(bytes)), to);
#endif
}

/*
 * True if the last instruction may be cut. QEMU 7.2 ends a block of x86 before an instruction that crosses
 * into the next page, but still reports this instruction as the block's last, with the bytes read so far. The
 * instruction's own callback is dropped with its code, so such an instruction is counted by its own callback.
 */
static bool may_be_cut(uint32_t i, uint64_t address)
{
	return upcs_guests[upcs_run.guest].is_cut && i && i == block.n - 1 && address % 4096 + 15 > 4096;
}

/*
 * Code that stores to its own page: QEMU leaves the block at the store, discards the page's code, and
 * executes the store in a separate block. A block of one plain store is taken as a sign of this, and its page
 * is remembered for later translations.
 */
#define PAGES 1024u
static uint64_t rewritten[PAGES]; /* page numbers; two pages may share an entry */

static bool is_rewritten(uint64_t address)
{
	uint64_t page = address / 4096;

	return page && rewritten[page % PAGES] == page;
}

static void note_rewritten(uint64_t address)
{
	const struct upcs_insn *insn = &block.insn[0].insn;
	const uint8_t others = UPCS_INSN_ATOMIC | UPCS_INSN_CALL | UPCS_INSN_REPEATS;
	uint64_t page;

	if (!upcs_guests[upcs_run.guest].sees_stores || block.n != 1)
		return;
	page = address / 4096;
	if (insn->tally[UPCS_DATA_STORES] && !(insn->flags & others))
		rewritten[page % PAGES] = page;
}

/* Copy the instruction's bytes from the program's memory, since the emulator may have read only the first
 * byte. */
static struct upcs_code code_of(const struct qemu_plugin_insn *insn)
{
	struct upcs_code code = {.address = qemu_plugin_insn_vaddr(insn), .guest = upcs_run.guest};
	size_t there = 4096 - code.address % 4096, length = qemu_plugin_insn_size(insn);
	const void *host = qemu_plugin_insn_haddr(insn);

	if (there > UPCS_CODE_BYTES)
		there = UPCS_CODE_BYTES;
	if (host)
		memcpy(code.bytes, host, there);
	code.n = (uint8_t)(length < there ? length : there);
	return code;
}

/* Note an instruction unknown to the decoder, for the report. */
static void note_unknown_insn(const struct qemu_plugin_insn *insn)
{
	struct upcs_unknown what = {.state = UPCS_MAKING, .code = code_of(insn)};
	const char *slash = strrchr(upcs_run.program, '/');
	size_t length = upcs_decode_name(decoder, what.code.address, what.code.bytes, sizeof(what.code.bytes),
					 what.name);

	if (length && length <= sizeof(what.code.bytes))
		what.code.n = (uint8_t)length;
	snprintf(what.program, sizeof(what.program), "%.79s", slash ? slash + 1 : upcs_run.program);
	upcs_unknown_note(upcs_run.results->unknown, &what);
}

/* Decode the block to `block`. *found collects region_found bits for the process's record. */
static void look_at_block(struct qemu_plugin_tb *tb, uint32_t *found)
{
	const struct upcs_options *options = &upcs_run.results->options;
	struct upcs_place_function function = {.end = 0};
	uint32_t i;

	block.exact = upcs_translate_is_exact();
	block.rewritten = false;
	place = (struct upcs_place){0};
	block.n = (uint32_t)qemu_plugin_tb_n_insns(tb);
	if (block.n > UPCS_BLOCK_MAX)
		block.n = UPCS_BLOCK_MAX;
	for (i = 0; i < block.n; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn),
			 host = (uintptr_t)qemu_plugin_insn_haddr(insn);
		struct upcs_block_insn *to = &block.insn[i];

		decode_insn(insn, address, &to->insn);
		to->apart = may_be_cut(i, address);
		block.rewritten |= is_rewritten(address);
		if (to->insn.flags & UPCS_INSN_UNKNOWN && !to->apart && upcs_run.process)
			note_unknown_insn(insn);
		to->enters = 0;
		to->function = function.number;
		if (!host)
			continue;
		upcs_guest_set_base(host - address);
		if (options->functions && (host < function.begin || host >= function.end))
			function = upcs_places_function(upcs_run.results, host);
		to->function = function.number;
		if (!upcs_options_follow(options))
			continue;
		to->enters = upcs_places_at(options, host, found);
		if (i == 0)
			place = upcs_places_about(options, host);
	}
	note_rewritten(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)));
}

static void put_callback(struct qemu_plugin_tb *tb, const struct upcs_part *part,
			 qemu_plugin_vcpu_udata_cb_t cb, const void *data)
{
	if (part->at)
		qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, part->at), cb,
						       QEMU_PLUGIN_CB_NO_REGS, (void *)data);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, cb, QEMU_PLUGIN_CB_NO_REGS, (void *)data);
}

/* Register a site's callback. With an OpenMP runtime, the last block must be known even if it has no end, so
 * no site is bare. */
static void put_kept(struct qemu_plugin_tb *tb, const struct upcs_part *part, struct upcs_site *site)
{
	if (site->block.enters | site->block.handler | site->block.role | site->chooses ||
	    site->index == NO_INDEX || sizeof(void *) < sizeof(uint64_t))
		put_callback(tb, part, site_begins, site);
	else
		put_callback(tb, part,
			     site->block.end || upcs_thread_runtime() ? plain_site_begins : bare_site_begins,
			     site_data(site));
}

static void put_site(struct qemu_plugin_tb *tb, uint32_t p)
{
	const struct upcs_part *part = &block.part[p];
	bool last = p + 1 == block.parts;
	const struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, part->first);
	const struct qemu_plugin_insn *end = qemu_plugin_tb_get_insn(tb, last ? block.n - 1 : part[1].first);
	const uint8_t ends = UPCS_INSN_CALL | UPCS_INSN_RETURN | UPCS_INSN_INDIRECT;
	struct upcs_site site = {
		.block =
			{
				.begin = qemu_plugin_insn_vaddr(first),
				.next = qemu_plugin_insn_vaddr(end) + (last ? qemu_plugin_insn_size(end) : 0),
				.enters = part->enters,
				.end = last ? block.insn[block.n - 1].insn.flags & ends : 0,
				.handler = upcs_process_is_handler(qemu_plugin_insn_vaddr(first)),
				.role = p ? 0 : place.role,
				.runtime = place.runtime,
				.marks = place.marks,
			},
		.kind = part->repeats ? block.nothing : part->kind,
		.chooses = p ? 0 : place.chooses,
	};
	struct upcs_site *kept = keep_site(&site);

	/* Without memory for the site, the whole program is still counted. */
	if (kept)
		put_kept(tb, part, kept);
	else if (!part->repeats)
		put_callback(tb, part, block_begins, (void *)(uintptr_t)part->kind);
}

/*
 * True for a repeated instruction that begins or ends in another page than its block begins in. QEMU leaves
 * such an instruction through a helper, and versions up to 7.2 do not remove its callbacks then: they are
 * also called for memory accesses by helpers of later instructions and for signals. One access per execution
 * is counted for such an instruction.
 */
static bool stays_behind(const struct qemu_plugin_tb *tb, const struct qemu_plugin_insn *insn)
{
	uint64_t page = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)) / 4096;
	uint64_t begin = qemu_plugin_insn_vaddr(insn), next = begin + qemu_plugin_insn_size(insn);

	return begin / 4096 != page || next / 4096 != page;
}

/*
 * Count each iteration by one memory access. If an iteration loads and stores, QEMU 7.2 reports the store to
 * callbacks for loads, and both accesses to callbacks for stores. Later versions report the load to callbacks
 * for loads. A callback for loads is thus called once in all versions. If faults may interrupt iterations,
 * the first access must be counted. Two loads are not distinguished at all.
 */
static void put_repeat(struct qemu_plugin_tb *tb, const struct upcs_part *part, bool inlined)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, part->first);
	const uint8_t *tally = block.insn[part->first].insn.tally;
	unsigned loads = tally[UPCS_DATA_LOADS], stores = tally[UPCS_DATA_STORES];
	enum qemu_plugin_mem_rw rw = loads && stores ? QEMU_PLUGIN_MEM_R : QEMU_PLUGIN_MEM_RW;
	void *kind = (void *)(uintptr_t)part->kind;

	if (loads > 1 || (loads && stores && block.exact) || stays_behind(tb, insn)) {
		qemu_plugin_register_vcpu_insn_exec_cb(insn, repeat_begins, QEMU_PLUGIN_CB_NO_REGS, NULL);
		qemu_plugin_register_vcpu_mem_cb(insn, repeat_touches_first, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, kind);
	} else if (inlined) {
		upcs_inline_touches(insn, rw, part->kind);
	} else {
		qemu_plugin_register_vcpu_mem_cb(insn, repeat_touches, QEMU_PLUGIN_CB_NO_REGS, rw, kind);
	}
}

/*
 * True if memory callbacks of this instruction are safe. If QEMU leaves the block within the instruction, it
 * does not remove the callbacks (see stays_behind). They would be called at later accesses, and even after
 * they are freed, when other data is in their memory. A jump accesses at most the stack, or loads its target.
 */
static bool may_be_watched(const struct qemu_plugin_tb *tb, uint32_t i)
{
	const uint8_t jumps = UPCS_INSN_CALL | UPCS_INSN_RETURN | UPCS_INSN_INDIRECT;
	const uint8_t flags = block.insn[i].insn.flags;

	if (flags & jumps || !(flags & UPCS_INSN_FAULTS))
		return false;
	return !(flags & UPCS_INSN_REPEATS) || !stays_behind(tb, qemu_plugin_tb_get_insn(tb, i));
}

/* Watch the block's memory accesses if it is code of an OpenMP runtime. Otherwise note that functions of this
 * code may be passed to a runtime. */
static void put_team(struct qemu_plugin_tb *tb)
{
	static uint64_t begin;
	uint32_t i;

	if (place.runtime) {
		upcs_thread_has_runtime();
		for (i = 0; i < block.n; i++)
			if (may_be_watched(tb, i))
				qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i),
								 runtime_touches, QEMU_PLUGIN_CB_NO_REGS,
								 QEMU_PLUGIN_MEM_RW, NULL);
	} else if (place.begin != begin) {
		upcs_team_code(place.begin - upcs_guest_base(), place.end - upcs_guest_base());
		begin = place.begin;
	}
}

static void put_block_part(struct qemu_plugin_tb *tb, uint32_t p, bool inlined)
{
	const struct upcs_part *part = &block.part[p];

	if (upcs_options_follow(&upcs_run.results->options))
		put_site(tb, p);
	else if (!part->repeats && inlined)
		upcs_inline_begins(tb, part->at ? qemu_plugin_tb_get_insn(tb, part->at) : NULL, part->kind);
	else if (!part->repeats)
		put_callback(tb, part, block_begins, (void *)(uintptr_t)part->kind);
	if (part->repeats)
		put_repeat(tb, part, inlined);
}

void upcs_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	const bool follows = upcs_options_follow(&upcs_run.results->options);
	bool inlined;
	uint32_t found = 0, p;

	(void)id;
	pthread_mutex_lock(&lock);
	look_at_block(tb, &found);
	upcs_process_split(&block);
	inlined = !follows && !call_always && upcs_inline_may();
	for (p = 0; p < block.parts; p++)
		put_block_part(tb, p, inlined);
	if (follows)
		put_team(tb);
	pthread_mutex_unlock(&lock);
	if (!upcs_run.process)
		return;
	upcs_run.process->region_found |= found;
	if (block.n)
		upcs_run.process->last = block.insn[block.n - 1].insn.tally[UPCS_IPIPE_BRANCHES]
						 ? (struct upcs_code){.n = 0}
						 : code_of(qemu_plugin_tb_get_insn(tb, block.n - 1));
}
