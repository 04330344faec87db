/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine_cycle.c - the engine "cycle": runs the unit cycle by cycle, all 256 counters at once. A lane is a
 * counter, and a vector holds one bit of each lane.
 *
 * Time is divided into blocks of 16 cycles, which begin where t mod 16 is 0. The array update is due in the
 * first cycle of a block and in no other. Whole blocks take the fast path (engine_cycle_blocks.h). All other
 * cycles are stepped one by one in step_one_cycle().
 *
 * Why both paths give the results of the reference engine, with the invariants:
 *
 *   Low-order counters are 12 bit planes: bit i of low[k] is bit k of counter i's
 *   low-order counter. A count is a carry into plane 0. The carry out of plane 11
 *   is a wrap.
 *
 *   Sampling. s is the OR of the four banks, each masked with the counters that
 *   choose it. Let now = s and before = p, both inverted in the modes high-low and
 *   level-low. A counter counts if now is set and, in the edge modes, before is
 *   not: high s, rise s & ~p, fall ~s & p, low ~s. A fresh counter, which has no
 *   sample of its input, takes p = s, which makes no edge. Level modes ignore p.
 *
 *   One carry per block. 16 counts wrap a low-order counter at most once, so
 *   OR-ing the carries into the latches at the end of the block loses none. No
 *   latch is read in between: the block's array update comes before its counts,
 *   software accesses come between runs, and firing is treated below.
 *
 *   A latch is clear when its counter wraps. Wraps of a counter are at least 4096
 *   cycles apart. (A write, which sets the low-order counter, clears the latch
 *   too.) In any 4096 cycles each counter is visited once, before it counts in
 *   that cycle. A wrap in cycle t is therefore taken in at t + 4096 at the latest.
 *
 *   Firing. Within a block, armed changes only by the array update and by firing.
 *   If an armed counter carries in a block, the block's result is discarded and
 *   its cycles are stepped, so that interrupts have their cycle and their order.
 *   Only the array update of the block has been stored. A second update in the
 *   same cycle finds no latch set and no wrong parity, and arms the same way.
 *
 *   Parity is bit 52 of an array word, which makes the parity of the whole even.
 *
 *   armed is a subset of enabled, and so is pending. armed and pending exclude
 *   each other.
 *
 * The sink is called when a cycle is complete and t is the number of the next cycle. It may therefore access
 * the unit: such an access lies between the two cycles.
 *
 * Terms: engine/engine.h.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/engine_cycle.h"
#include "engine/engine_cycle_waves.h"

#define BLOCK 16
#define LOW_BITS 12
#define WORD_BITS 52
#define WORD_MASK ((UINT64_C(1) << WORD_BITS) - 1)

/* may_alias, since struct upci_signals declares its signals as words. */
typedef uint64_t v4 __attribute__((vector_size(32), __may_alias__));

/* One bit for each counter. */
union lanes {
	v4 v;
	uint64_t w[UPC_COUNTERS / 64];
};

/* The configuration, as masks of counters. */
struct wiring {
	v4 select[UPC_INPUTS_PER_COUNTER]; /* counters that choose this input */
	v4 invert;                         /* counters in modes high-low and level-low */
	v4 edge;                           /* counters in modes low-high and high-low */
};

struct upci_engine {
	struct wiring wiring;
	union lanes low[LOW_BITS];
	union lanes latch;
	union lanes p;     /* sample of the previous cycle */
	union lanes fresh; /* counters whose p is not a sample of the chosen input */
	union lanes enabled, armed, pending, parity_error;
	uint64_t array[UPC_COUNTERS]; /* the array words, parity in bit 52 */
	uint8_t field[UPC_COUNTERS];  /* configuration as written */
	uint64_t threshold;
	uint64_t t; /* cycles so far, which is the number of the next */
	bool run;
	bool configured; /* a configuration register was written */
	uint64_t (*run_blocks)(struct upci_engine *e, const struct wiring *w,
			       const struct upci_signals *signals, uint64_t blocks);
	struct upci_engine_sink sink;
	/* For run_cycle_waves: the signals of the counters' chosen inputs, in bank 0, and the counters whose
	 * wave is not constant. */
	struct upci_signals buffer[WAVE_SPAN];
	struct wave_lane lane[UPC_COUNTERS];
	union lanes moving;
};

static inline bool any_lane_set(const union lanes *l)
{
	return (l->w[0] | l->w[1] | l->w[2] | l->w[3]) != 0;
}

static inline bool get_lane_bit(const union lanes *l, unsigned i)
{
	return l->w[i / 64] >> i % 64 & 1;
}

static inline void put_lane_bit(union lanes *l, unsigned i, bool bit)
{
	l->w[i / 64] = (l->w[i / 64] & ~(UINT64_C(1) << i % 64)) | (uint64_t)bit << i % 64;
}

/* ---- array words ------------------------------------------------------- */

static inline bool parity_wrong(const struct upci_engine *e, unsigned i)
{
	return __builtin_parityll(e->array[i]);
}

static inline void set_cycle_array(struct upci_engine *e, unsigned i, uint64_t word)
{
	word &= WORD_MASK;
	e->array[i] = word | (uint64_t)__builtin_parityll(word) << WORD_BITS;
}

static inline uint64_t cycle_counter_word(const struct upci_engine *e, unsigned i)
{
	return (e->array[i] + get_lane_bit(&e->latch, i)) & WORD_MASK;
}

static inline void arm_cycle_counter(struct upci_engine *e, unsigned i)
{
	put_lane_bit(&e->armed, i,
		     get_lane_bit(&e->enabled, i) && !get_lane_bit(&e->pending, i) &&
			     cycle_counter_word(e, i) == e->threshold >> LOW_BITS);
}

/* Repair wrong parity, and leave the wrong value. If the flag is clear, set it and return true: the error is
 * to be reported. */
static bool check_cycle_parity(struct upci_engine *e, unsigned i)
{
	if (!parity_wrong(e, i))
		return false;
	set_cycle_array(e, i, e->array[i]);
	if (get_lane_bit(&e->parity_error, i))
		return false;
	put_lane_bit(&e->parity_error, i, true);
	return true;
}

/* Return the counter that an array update at t visits. */
static inline unsigned visited_counter(const struct upci_engine *e)
{
	return e->t / BLOCK % UPC_COUNTERS;
}

/* Do the array update without its parity check. */
static inline void update_cycle_array(struct upci_engine *e, unsigned i)
{
	if (get_lane_bit(&e->latch, i)) {
		put_lane_bit(&e->latch, i, false);
		set_cycle_array(e, i, e->array[i] + 1);
	}
	if (get_lane_bit(&e->enabled, i))
		arm_cycle_counter(e, i);
}

/* ---- cycles ------------------------------------------------------------ */

/* The fast path, compiled once for each instruction set. */
#define ISA(name) plain_##name
#define ISA_TARGET
#include "engine/engine_cycle_blocks.h"

#ifdef __x86_64__
#define ISA(name) avx2_##name
#define ISA_TARGET __attribute__((target("avx2")))
#include "engine/engine_cycle_blocks.h"

#define ISA(name) avx512_##name
#define ISA_TARGET __attribute__((target("avx2,avx512f,avx512vl")))
#include "engine/engine_cycle_blocks.h"
#endif

static void choose_signals(v4 *s, const struct wiring *w, const struct upci_signals *signals)
{
	const v4 *bank = (const v4 *)signals->bank;

	*s = (bank[0] & w->select[0]) | (bank[1] & w->select[1]) | (bank[2] & w->select[2]) |
	     (bank[3] & w->select[3]);
}

/* Run one cycle of any kind. */
static void step_one_cycle(struct upci_engine *e, const struct wiring *w, const struct upci_signals *signals)
{
	uint64_t t = e->t;
	unsigned visit = visited_counter(e), k;
	bool parity = false;
	union lanes fires;
	v4 s, p, carry;

	if (t % BLOCK == 0) {
		parity = check_cycle_parity(e, visit);
		update_cycle_array(e, visit);
	}
	choose_signals(&s, w, signals);
	p = (e->p.v & ~e->fresh.v) | (s & e->fresh.v);
	carry = (s ^ w->invert) & ~((p ^ w->invert) & w->edge);
	e->p.v = s;
	e->fresh.v ^= e->fresh.v;
	if (!e->run)
		carry ^= carry;
	for (k = 0; k < LOW_BITS; k++) {
		v4 plane = e->low[k].v;

		e->low[k].v = plane ^ carry;
		carry &= plane;
	}
	e->latch.v |= carry;
	fires.v = carry & e->armed.v;
	e->armed.v &= ~fires.v;
	e->pending.v |= fires.v;
	e->t = t + 1;

	if (parity)
		e->sink.event(e->sink.arg, UPCI_ENGINE_PARITY, visit, t);
	for (k = 0; k < UPC_COUNTERS / 64; k++)
		for (; fires.w[k]; fires.w[k] &= fires.w[k] - 1)
			e->sink.event(e->sink.arg, UPCI_ENGINE_INTERRUPT,
				      64 * k + (unsigned)__builtin_ctzll(fires.w[k]), t);
}

/* Run whole blocks like run_blocks, for a unit that is stopped. */
static uint64_t rest_blocks(struct upci_engine *e, const struct wiring *w, const struct upci_signals *signals,
			    uint64_t blocks)
{
	uint64_t done;

	for (done = 0; done < blocks && !parity_wrong(e, visited_counter(e)); done++) {
		update_cycle_array(e, visited_counter(e));
		e->t += BLOCK;
	}
	if (done)
		choose_signals(&e->p.v, w, &signals[done * BLOCK - 1]);
	return done;
}

/* Run at least one of n cycles and return the number run. Return after any call of the sink, which may have
 * changed everything. */
static uint64_t advance_cycle_engine(struct upci_engine *e, const struct wiring *w,
				     const struct upci_signals *signals, uint64_t n)
{
	uint64_t blocks = n / BLOCK, done;

	if (blocks && e->t % BLOCK == 0 && !any_lane_set(&e->fresh)) {
		done = e->run ? e->run_blocks(e, w, signals, blocks) : rest_blocks(e, w, signals, blocks);
		if (done)
			return done * BLOCK;
	}
	step_one_cycle(e, w, signals);
	return 1;
}

static void run_cycle_signals(struct upci_engine *e, const struct upci_signals *signals, uint64_t n)
{
	uint64_t done;

	for (; n; n -= done, signals += done)
		done = advance_cycle_engine(e, &e->wiring, signals, n);
}

/* ---- waveforms --------------------------------------------------------- */

/* Start the waves back cycles before cycle k of a run. Constant waves are written into the buffer once. */
static void start_waves(struct upci_engine *e, const struct upci_wave *wave, uint64_t k, unsigned back)
{
	union lanes high;
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		const struct upci_wave *chosen_wave =
			&wave[UPC_COUNTERS * (e->field[i] & UPC_FIELD_INPUT) + i];

		put_lane_bit(&high, i, chosen_wave->high);
		put_lane_bit(&e->moving, i, !wave_is_constant(chosen_wave));
		wave_start(&e->lane[i], chosen_wave, k, back);
	}
	for (i = 0; i < WAVE_SPAN; i++)
		memcpy(e->buffer[i].bank[0], high.w, sizeof(high.w));
}

/* Fill the buffer with the next WAVE_SPAN cycles. */
static void fill_buffer(struct upci_engine *e)
{
	uint64_t word[64];
	unsigned g, i;

	for (g = 0; g < UPC_COUNTERS / 64; g++) {
		if (!e->moving.w[g])
			continue;
		for (i = 0; i < 64; i++)
			word[i] = wave_next(&e->lane[64 * g + i]);
		wave_transpose(word);
		for (i = 0; i < WAVE_SPAN; i++)
			e->buffer[i].bank[0][g] = word[i];
	}
}

/* Run up to n cycles, or until the configuration is written. The buffer begins at a block, so only the first
 * and last cycles of the run are stepped. */
static uint64_t play_waves(struct upci_engine *e, const struct upci_wave *wave, uint64_t k, uint64_t n)
{
	struct wiring w = e->wiring;
	unsigned from = e->t % BLOCK, i;
	uint64_t done = 0;

	memset(w.select, 0, sizeof(w.select));
	w.select[0] = ~w.select[0];
	start_waves(e, wave, k, from);
	e->configured = false;
	for (; done < n && !e->configured; done += i - from, from = 0) {
		unsigned to = n - done < WAVE_SPAN - from ? from + (unsigned)(n - done) : WAVE_SPAN;

		fill_buffer(e);
		for (i = from; i < to && !e->configured;)
			i += (unsigned)advance_cycle_engine(e, &w, &e->buffer[i], to - i);
	}
	return done;
}

static void run_cycle_waves(struct upci_engine *e, const struct upci_wave *wave, uint64_t n)
{
	uint64_t k;

	for (k = 0; k < n;)
		k += play_waves(e, wave, k, n - k);
}

/* ---- software ---------------------------------------------------------- */

static uint64_t read_counter(struct upci_engine *e, unsigned i)
{
	uint64_t low = 0;
	unsigned k;

	if (check_cycle_parity(e, i))
		e->sink.event(e->sink.arg, UPCI_ENGINE_PARITY, i, e->t);
	for (k = 0; k < LOW_BITS; k++)
		low |= (uint64_t)get_lane_bit(&e->low[k], i) << k;
	return cycle_counter_word(e, i) << LOW_BITS | low;
}

static void write_cycle_counter(struct upci_engine *e, unsigned i, uint64_t value)
{
	unsigned k;

	for (k = 0; k < LOW_BITS; k++)
		put_lane_bit(&e->low[k], i, value >> k & 1);
	set_cycle_array(e, i, value >> LOW_BITS);
	put_lane_bit(&e->latch, i, false);
	put_lane_bit(&e->pending, i, false);
	put_lane_bit(&e->parity_error, i, false);
	arm_cycle_counter(e, i);
}

static uint64_t read_field(const struct upci_engine *e, unsigned i)
{
	return e->field[i] | (get_lane_bit(&e->armed, i) ? UPC_FIELD_ARMED : 0) |
	       (get_lane_bit(&e->pending, i) ? UPC_FIELD_INTERRUPT_PENDING : 0) |
	       (get_lane_bit(&e->parity_error, i) ? UPC_FIELD_PARITY_ERROR : 0);
}

static void put_lane(v4 *v, unsigned i, bool bit)
{
	union lanes l = {.v = *v};

	put_lane_bit(&l, i, bit);
	*v = l.v;
}

static void write_cycle_field(struct upci_engine *e, unsigned i, uint8_t field)
{
	enum upc_mode mode = (enum upc_mode)((field & UPC_FIELD_MODE) >> 2);
	unsigned input = field & UPC_FIELD_INPUT, k;

	if ((e->field[i] & UPC_FIELD_INPUT) != input)
		put_lane_bit(&e->fresh, i, true);
	e->field[i] = field & (UPC_FIELD_INPUT | UPC_FIELD_MODE | UPC_FIELD_INTERRUPT_ENABLE);
	for (k = 0; k < UPC_INPUTS_PER_COUNTER; k++)
		put_lane(&e->wiring.select[k], i, k == input);
	put_lane(&e->wiring.invert, i, mode == UPC_MODE_FALL || mode == UPC_MODE_LOW);
	put_lane(&e->wiring.edge, i, mode == UPC_MODE_RISE || mode == UPC_MODE_FALL);
	put_lane_bit(&e->enabled, i, field & UPC_FIELD_INTERRUPT_ENABLE);
	if (!(field & UPC_FIELD_INTERRUPT_ENABLE))
		put_lane_bit(&e->pending, i, false);
	arm_cycle_counter(e, i);
	e->configured = true;
}

static int read_cycle_register(struct upci_engine *e, unsigned offset, uint64_t *value)
{
	unsigned first, k;

	if (offset % 8 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0)) {
		*value = read_counter(e, offset / 8);
	} else if (offset < UPC_REG_START_STOP) {
		first = offset - UPC_REG_CONFIG(0);
		for (*value = 0, k = 0; k < 8; k++)
			*value |= read_field(e, first + k) << 8 * k;
	} else if (offset == UPC_REG_START_STOP) {
		*value = e->run;
	} else if (offset == UPC_REG_STATUS) {
		*value = (any_lane_set(&e->pending) ? 1u : 0u) | (any_lane_set(&e->parity_error) ? 2u : 0u);
	} else {
		*value = e->threshold;
	}
	return 0;
}

static int write_cycle_register(struct upci_engine *e, unsigned offset, uint64_t value)
{
	unsigned first, k;

	if (offset % 8 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0)) {
		write_cycle_counter(e, offset / 8, value);
	} else if (offset < UPC_REG_START_STOP) {
		first = offset - UPC_REG_CONFIG(0);
		for (k = 0; k < 8; k++)
			write_cycle_field(e, first + k, (uint8_t)(value >> 8 * k));
	} else if (offset == UPC_REG_START_STOP) {
		e->run = value & 1;
	} else if (offset == UPC_REG_THRESHOLD) {
		e->threshold = value;
		for (k = 0; k < UPC_COUNTERS; k++)
			arm_cycle_counter(e, k);
	}
	/* The status register is read-only. */
	return 0;
}

static void flip_cycle_bit(struct upci_engine *e, unsigned counter, unsigned bit)
{
	e->array[counter] ^= UINT64_C(1) << bit;
}

static uint64_t cycle_engine_cycles(const struct upci_engine *e)
{
	return e->t;
}

/* Return 0: this engine computes no cycle in closed form. */
static uint64_t cycle_engine_cycles_closed(const struct upci_engine *e)
{
	(void)e;
	return 0;
}

/* ---- creation and instruction sets -------------------------------------------- */

static const struct {
	const char *name;
	uint64_t (*run_blocks)(struct upci_engine *e, const struct wiring *w,
			       const struct upci_signals *signals, uint64_t blocks);
} isas[UPCI_ISAS] = {
	[UPCI_ISA_PLAIN] = {"plain", plain_run_blocks},
#ifdef __x86_64__
	[UPCI_ISA_AVX2] = {"avx2", avx2_run_blocks},
	[UPCI_ISA_AVX512] = {"avx512", avx512_run_blocks},
#else
	[UPCI_ISA_AVX2] = {"avx2", NULL},
	[UPCI_ISA_AVX512] = {"avx512", NULL},
#endif
};

const char *upci_isa_name(enum upci_isa isa)
{
	return isas[isa].name;
}

bool upci_isa_usable(enum upci_isa isa)
{
#ifdef __x86_64__
	__builtin_cpu_init();
	if (isa == UPCI_ISA_AVX2)
		return __builtin_cpu_supports("avx2");
	if (isa == UPCI_ISA_AVX512)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512vl");
#endif
	return isas[isa].run_blocks != NULL;
}

struct upci_engine *upci_engine_cycle_create(const struct upci_engine_sink *sink, enum upci_isa isa)
{
	struct upci_engine *e = aligned_alloc(_Alignof(struct upci_engine), sizeof(*e));

	if (!e)
		return NULL;
	memset(e, 0, sizeof(*e));
	/* All fields are zero: every counter chooses input 0, and none has a sample. */
	e->wiring.select[0] = ~e->wiring.select[0];
	e->fresh.v = ~e->fresh.v;
	e->run_blocks = isas[isa].run_blocks;
	e->sink = *sink;
	return e;
}

static struct upci_engine *create_cycle_engine(const struct upci_engine_sink *sink)
{
	unsigned isa = UPCI_ISAS - 1;

	while (!upci_isa_usable((enum upci_isa)isa))
		isa--;
	return upci_engine_cycle_create(sink, (enum upci_isa)isa);
}

static void destroy_cycle_engine(struct upci_engine *e)
{
	free(e);
}

const struct upci_engine_ops upci_engine_cycle = {
	.name = "cycle",
	.create = create_cycle_engine,
	.destroy = destroy_cycle_engine,
	.read = read_cycle_register,
	.write = write_cycle_register,
	.flip = flip_cycle_bit,
	.run_waves = run_cycle_waves,
	.run_until = NULL,
	.run_signals = run_cycle_signals,
	.cycles = cycle_engine_cycles,
	.cycles_closed = cycle_engine_cycles_closed,
};
