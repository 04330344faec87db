/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool.c - sums stretches of counting, and estimates the total.
 *
 * Terms: stat/stat.h.
 */
#include <math.h>

#include "stat/outcome.h"
#include "stat/pool.h"

/* A window by covariate needs no correction for burden, since delays slow the covariate as much as the
 * event. */
static uint64_t burden_of(const struct mpxi_window *w)
{
	return w->by_covariate ? 0 : w->burden;
}

static uint64_t burdens_of(const struct mpxi_window *w)
{
	return w->by_covariate ? 0 : w->burdens;
}

static double rate_of(uint64_t count, uint64_t time)
{
	return time ? (double)count / (double)time : 0;
}

double mpxi_window_burden(const struct mpxi_window *window)
{
	return rate_of(burden_of(window), mpxi_window_size(window));
}

void mpxi_result_widen(struct mpxi_result *result, double off)
{
	struct mpxi_estimate *e = &result->estimate;

	e->low = fmax(e->low - off, fmin((double)result->count, e->low));
	e->high += off;
}

static void widen_by_lost(struct mpxi_result *result, uint64_t lost)
{
	const struct mpxi_estimate *e = &result->estimate;

	if (!e->exact && !e->never)
		mpxi_result_widen(result, e->value * fmin(rate_of(lost, result->time), 1));
}

void mpxi_result_of_window(const struct mpxi_window *window, enum mpxi_estimator estimator, bool lost,
			   struct mpxi_result *result)
{
	*result = (struct mpxi_result){
		.count = window->sums.count,
		.size = mpxi_window_size(window),
		.time = mpxi_window_time(window),
		.slices = window->sums.slices,
		.threads = 1,
		.lost = lost,
		.burden = mpxi_window_burden(window),
		.burdens = rate_of(burdens_of(window), mpxi_window_time(window)),
	};
	mpxi_estimate(window, estimator, &result->estimate);
	widen_by_lost(result, window->lost);
}

static void add_to_sum(uint64_t *sum, uint64_t x)
{
	if (__builtin_add_overflow(*sum, x, sum))
		*sum = UINT64_MAX;
}

/* ---- adding --------------------------------------------------------------------------- */

static void end_cluster(struct mpxi_pieces *pieces)
{
	double c = pieces->open_count, s = pieces->open_size, groups = pieces->open_groups;

	pieces->open_count = pieces->open_size = pieces->open_groups = 0;
	if (s <= 0)
		return;
	pieces->count += groups * c;
	pieces->size += groups * s;
	pieces->cc += groups * c * groups * c;
	pieces->cs += groups * c * groups * s;
	pieces->ss += groups * s * groups * s;
	pieces->size_squares += s * s;
	pieces->clusters++;
}

/* Add the open time (open_time) to time_squares, as `turns' slices of equal length, and clear it. */
static void end_turns(struct mpxi_pieces *pieces, uint64_t turns)
{
	pieces->time_squares += pieces->open_time * pieces->open_time / (double)turns;
	pieces->open_time = 0;
}

static void end_piece(struct mpxi_pieces *pieces)
{
	end_cluster(pieces);
	end_turns(pieces, 1);
}

static void end_source(struct mpxi_pieces *pieces)
{
	end_piece(pieces);
	pieces->unseen = fmax(pieces->unseen, pieces->source_unseen);
	pieces->source_unseen = 0;
}

static void add_piece(struct mpxi_pieces *pieces, const struct mpxi_piece *w)
{
	double groups = w->groups ? w->groups : 1;

	if (!pieces->sources || pieces->source != w->source) {
		end_source(pieces);
		pieces->sources++;
	}
	pieces->source = w->source;
	if (pieces->next_turn != w->turn || groups != pieces->open_groups)
		end_cluster(pieces);
	pieces->open_count += (double)w->count;
	pieces->open_size += (double)w->size;
	pieces->open_groups = groups;
	if (w->turns)
		end_cluster(pieces);
	if (pieces->next_turn != w->turn)
		end_turns(pieces, 1);
	pieces->open_time += (double)w->time;
	pieces->next_turn = w->turn + w->turns;
	if (w->turns)
		end_turns(pieces, w->turns + 1);
	pieces->groups += groups;
	pieces->source_unseen += (double)w->time - groups * (double)w->size;
	pieces->stretches++;
	add_to_sum(&pieces->time, w->time);
	add_to_sum(&pieces->counted, w->count);
	add_to_sum(&pieces->counted_time, w->size);
}

static struct mpxi_piece piece_of(const struct mpxi_window *w)
{
	return (struct mpxi_piece){
		.count = w->sums.count,
		.size = w->sums.size,
		.time = w->time,
		.turn = w->turn,
		.turns = w->turns,
		.groups = w->groups,
		.source = w->source,
	};
}

static void add_long(struct mpxi_longs *longs, const struct mpxi_window *w, enum mpxi_estimator estimator)
{
	struct mpxi_outcome o = mpxi_outcome_of(w, estimator);

	longs->value += o.value;
	longs->of_noise += o.of_noise;
	longs->of_change += o.of_change;
	longs->closely += o.closely;
	longs->unseen += o.unseen;
	longs->squares += o.of_noise * o.of_noise / fmax(o.freedom, .5);
	longs->stretches++;
	add_to_sum(&longs->count, w->sums.count);
	add_to_sum(&longs->size, mpxi_window_size(w));
	add_to_sum(&longs->time, mpxi_window_time(w));
	longs->left |= o.left;
}

static bool is_piece(const struct mpxi_window *w)
{
	return w->turns / MPXI_ROUNDS < w->groups || !w->sums.size || !w->time;
}

static void add_one_of_several(struct mpxi_pool *pool, const struct mpxi_window *w,
			       enum mpxi_estimator estimator)
{
	struct mpxi_piece piece;

	if (is_piece(w)) {
		piece = piece_of(w);
		add_piece(&pool->pieces, &piece);
	} else {
		add_long(&pool->longs, w, estimator);
	}
}

/* If the pool has had only one shared stretch so far, add it to the long stretches or to the pieces,
 * since another stretch follows. */
static void join_others(struct mpxi_pool *pool, enum mpxi_estimator estimator)
{
	if (pool->shared == 1)
		add_one_of_several(pool, &pool->only, estimator);
}

static void add_shared(struct mpxi_pool *pool, const struct mpxi_window *w, enum mpxi_estimator estimator)
{
	join_others(pool, estimator);
	if (!pool->shared++)
		pool->only = *w;
	else
		add_one_of_several(pool, w, estimator);
}

static void add_sure(struct mpxi_pool *pool, uint64_t count, uint64_t time)
{
	add_to_sum(&pool->sure_count, count);
	add_to_sum(&pool->sure_time, time);
}

void mpxi_pool_add(struct mpxi_pool *pool, const struct mpxi_window *w, enum mpxi_estimator estimator,
		   bool lost)
{
	pool->lost |= lost;
	/* The set did not run. */
	if (!w->time && !w->exact && !w->sums.count)
		return;
	add_to_sum(&pool->count, w->sums.count);
	add_to_sum(&pool->size, mpxi_window_size(w));
	add_to_sum(&pool->time, mpxi_window_time(w));
	add_to_sum(&pool->slices, w->sums.slices);
	add_to_sum(&pool->burden, burden_of(w));
	add_to_sum(&pool->burdens, burdens_of(w));
	add_to_sum(&pool->lost_time, w->lost);
	pool->stretches++;
	pool->inexact |= !w->exact;
	if (!w->exact && !w->sums.size)
		add_to_sum(&pool->borrowed, mpxi_window_time(w));
	if (w->exact && w->needs_no_turn)
		add_sure(pool, w->sums.count, mpxi_window_time(w));
	else
		add_shared(pool, w, estimator);
}

/* Convert a piece to a window, for the only stretch of a pool. */
static struct mpxi_window window_of_piece(const struct mpxi_piece *piece)
{
	return (struct mpxi_window){
		.sums = {.count = piece->count,
			 .size = piece->size,
			 .squares = (mpxi_u128)piece->size * piece->size},
		.time = piece->time,
		.unknown = piece->time - piece->size,
		.turn = piece->turn,
		.turns = piece->turns,
		.source = piece->source,
		.groups = piece->groups,
		.exact = piece->exact,
		.needs_no_turn = piece->needs_no_turn,
	};
}

void mpxi_pool_add_piece(struct mpxi_pool *pool, const struct mpxi_piece *piece,
			 enum mpxi_estimator estimator)
{
	if (!piece->time && !piece->exact && !piece->count)
		return;
	add_to_sum(&pool->count, piece->count);
	add_to_sum(&pool->size, piece->size);
	add_to_sum(&pool->time, piece->time);
	pool->stretches++;
	if (piece->exact && piece->needs_no_turn) {
		add_sure(pool, piece->count, piece->time);
		return;
	}
	pool->inexact |= !piece->exact;
	if (!piece->exact && !piece->size)
		add_to_sum(&pool->borrowed, piece->time);
	join_others(pool, estimator);
	if (!pool->shared++)
		pool->only = window_of_piece(piece);
	else
		add_piece(&pool->pieces, piece);
}

static void merge_longs(struct mpxi_longs *to, const struct mpxi_longs *from)
{
	to->value += from->value;
	to->of_noise += from->of_noise;
	to->of_change += from->of_change;
	to->closely += from->closely;
	to->unseen += from->unseen;
	to->squares += from->squares;
	to->stretches += from->stretches;
	add_to_sum(&to->count, from->count);
	add_to_sum(&to->size, from->size);
	add_to_sum(&to->time, from->time);
	to->left |= from->left;
}

static void merge_pieces(struct mpxi_pieces *to, const struct mpxi_pieces *other)
{
	struct mpxi_pieces from = *other;

	end_source(to);
	end_source(&from);
	/* Count a thread once if both pools have pieces of that thread only, for example from sets that
	 * ran in it one after the other. */
	if (to->sources != 1 || from.sources != 1 || to->source != from.source)
		to->sources += from.sources;
	to->source = from.sources ? from.source : to->source;
	to->groups += from.groups;
	to->unseen = fmax(to->unseen, from.unseen);
	to->count += from.count;
	to->size += from.size;
	to->cc += from.cc;
	to->cs += from.cs;
	to->ss += from.ss;
	to->size_squares += from.size_squares;
	to->time_squares += from.time_squares;
	to->clusters += from.clusters;
	to->stretches += from.stretches;
	add_to_sum(&to->counted, from.counted);
	add_to_sum(&to->counted_time, from.counted_time);
	add_to_sum(&to->time, from.time);
}

void mpxi_pool_merge(struct mpxi_pool *pool, const struct mpxi_pool *other, enum mpxi_estimator estimator)
{
	pool->lost |= other->lost;
	pool->partial |= other->partial;
	pool->torn |= other->torn;
	add_to_sum(&pool->count, other->count);
	add_to_sum(&pool->size, other->size);
	add_to_sum(&pool->time, other->time);
	add_to_sum(&pool->slices, other->slices);
	add_to_sum(&pool->burden, other->burden);
	add_to_sum(&pool->burdens, other->burdens);
	add_to_sum(&pool->lost_time, other->lost_time);
	add_sure(pool, other->sure_count, other->sure_time);
	pool->stretches += other->stretches;
	pool->inexact |= other->inexact;
	add_to_sum(&pool->borrowed, other->borrowed);
	if (other->shared == 1) {
		add_shared(pool, &other->only, estimator);
	} else if (other->shared) {
		join_others(pool, estimator);
		pool->shared += other->shared;
		merge_longs(&pool->longs, &other->longs);
		merge_pieces(&pool->pieces, &other->pieces);
	}
}

/* ---- estimating ----------------------------------------------------------------------- */

static struct mpxi_outcome estimate_longs(const struct mpxi_longs *longs)
{
	struct mpxi_outcome o = {.value = longs->value, .unseen = longs->unseen, .left = longs->left};

	if (longs->squares > 0)
		o.freedom = longs->of_noise * longs->of_noise / longs->squares;
	else
		o.freedom = (double)longs->stretches;
	o.variance = mpxi_outcome_variance(longs->of_noise, longs->of_change, longs->closely, 3 * o.freedom);
	return o;
}

/*
 * Return the factor by which unlike clusters increase the variance. If the rate changes from one cluster to
 * the next, the error grows with the square of the length of each slice without the event, so a sample of
 * short clusters represents a long slice badly. The factor is 1 if all slices are as long as the clusters,
 * and more if the slices of other groups were longer.
 */
static double weigh_unlike_clusters(const struct mpxi_pieces *p, double time, double size)
{
	double up = time / size - 1, alike = p->size_squares * up * (time / size);

	return alike > 0 ? fmax((p->time_squares - p->size_squares + up * up * p->size_squares) / alike, 1)
			 : 1;
}

/* Estimate the pieces as a sample of clusters. The variance comes from the residuals c - R s of the
 * clusters' counts c and sizes s, where R is the rate of all clusters. other is the rate to assume if no
 * piece had a turn. */
static struct mpxi_outcome estimate_pieces(const struct mpxi_pieces *pieces, double other)
{
	struct mpxi_pieces all = *pieces;
	struct mpxi_outcome o = {0};
	double time = (double)all.time, size = (double)all.counted_time, n, r, p, up, effective;

	end_source(&all);
	n = (double)all.clusters;
	if (!all.clusters) {
		o.value = o.variance = other * time;
		return o;
	}
	r = all.count / all.size;
	up = time / all.size;
	p = fmin(size / time, 1);
	o.value = fmax(r * time, (double)all.counted);
	o.variance = fmax((double)all.counted, 1) * (1 - p) / (p * p);
	if (n > 1)
		o.variance = fmax(all.cc - 2 * r * all.cs + r * r * all.ss, 0) * n / (n - 1) * (1 - p) * up *
			     up * weigh_unlike_clusters(&all, time, size);
	/* A thread without a turn of the event may be unlike all others, for example the main thread,
	 * which waits for short threads. The standard error therefore includes two thirds of the counts
	 * that the longest unrepresented time of a thread (unseen) has at the mean rate. The factor was
	 * measured (bench/mpx_calibration). */
	if (all.sources > 1)
		o.variance += r * all.unseen * r * all.unseen * 4 / 9;
	/* The effective number of clusters is the number of clusters of equal length that would contain
	 * the same information. It is computed from the event's clusters and from the slices of all
	 * groups; the smaller number counts. */
	effective = fmin(size * size / all.size_squares, p * time * time / fmax(all.time_squares, 1));
	o.freedom = fmax(fmin(effective, n) - 1, 0);
	return o;
}

/* Add two outcomes with independent errors: add the variances, and compute the degrees of freedom with
 * the formula of Welch and Satterthwaite. */
static struct mpxi_outcome put_together(const struct mpxi_outcome *a, const struct mpxi_outcome *b)
{
	double below = a->variance * a->variance / fmax(a->freedom, .5) +
		       b->variance * b->variance / fmax(b->freedom, .5);
	struct mpxi_outcome o = {
		.value = a->value + b->value,
		.variance = a->variance + b->variance,
		.unseen = a->unseen + b->unseen,
		.left = a->left || b->left,
	};

	o.freedom = below > 0 ? o.variance * o.variance / below : a->freedom + b->freedom;
	/* If one part is too small a sample for its error to be known, and its value exceeds the other
	 * part's standard error, the sum is no better known: it has at most one degree of freedom. */
	if ((a->freedom < 1 && a->value * a->value > b->variance) ||
	    (b->freedom < 1 && b->value * b->value > a->variance))
		o.freedom = fmin(o.freedom, 1);
	return o;
}

static struct mpxi_outcome estimate_shared(const struct mpxi_pool *pool)
{
	const struct mpxi_longs *longs = &pool->longs;
	const struct mpxi_pieces *pieces = &pool->pieces;
	struct mpxi_outcome o = {0}, rest;
	double rate = (double)pool->count / (double)pool->size;

	if (longs->stretches) {
		o = estimate_longs(longs);
		rate = o.value / (double)longs->time;
	}
	if (pieces->stretches) {
		rest = estimate_pieces(pieces, rate);
		o = longs->stretches ? put_together(&o, &rest) : rest;
	}
	return o;
}

static void estimate_several(const struct mpxi_pool *pool, struct mpxi_estimate *estimate)
{
	const struct mpxi_longs *longs = &pool->longs;
	const struct mpxi_pieces *pieces = &pool->pieces;
	double count = (double)longs->count + (double)pieces->counted;
	double size = (double)longs->size + (double)pieces->counted_time;
	double time = (double)longs->time + (double)pieces->time, p;
	struct mpxi_outcome o = estimate_shared(pool);

	/* If the event had no turn at all, p is its mean chance of a turn. */
	p = size > 0 ? fmin(size / time, 1) : (double)pieces->stretches / pieces->groups;
	mpxi_outcome_settle(&o, count, p, estimate);
}

static void estimate_turns(const struct mpxi_pool *pool, enum mpxi_estimator estimator,
			   struct mpxi_estimate *estimate)
{
	struct mpxi_pool copy;

	if (pool->shared == 1 && pool->only.sums.size) {
		mpxi_estimate(&pool->only, estimator, estimate);
		return;
	}
	copy = *pool;
	join_others(&copy, estimator);
	estimate_several(&copy, estimate);
}

void mpxi_pool_result(const struct mpxi_pool *pool, enum mpxi_estimator estimator, struct mpxi_result *result)
{
	struct mpxi_estimate *e = &result->estimate;
	double sure = (double)pool->sure_count, borrowed;

	*result = (struct mpxi_result){
		.count = pool->count,
		.size = pool->size,
		.time = pool->time,
		.slices = pool->slices,
		.lost = pool->lost,
		.partial = pool->partial,
		.burden = rate_of(pool->burden, pool->size),
		.burdens = rate_of(pool->burdens, pool->time),
	};
	if (pool->stretches && !pool->inexact) {
		e->value = e->low = e->high = (double)pool->count;
		e->coverage = 1;
		e->exact = true;
		return;
	}
	if (!pool->size) {
		e->value = e->low = e->high = (double)pool->count;
		e->never = e->rough = true;
		return;
	}
	estimate_turns(pool, estimator, e);
	borrowed = (double)pool->borrowed / fmax((double)pool->time - (double)pool->sure_time, 1);
	if (e->value > 0)
		borrowed *= e->value / (e->value + sure);
	e->value += sure;
	e->basis.sure += sure;
	e->low += sure;
	e->high += sure;
	e->coverage = fmin((double)pool->size / (double)pool->time, 1);
	e->rough |= pool->torn;
	result->borrowed = borrowed > MPXI_BORROWED;
	widen_by_lost(result, pool->lost_time);
}

bool mpxi_pool_rate(const struct mpxi_pool *pool, double *rate)
{
	struct mpxi_result result;

	mpxi_pool_result(pool, MPXI_RATIO, &result);
	if (result.estimate.never || !result.time)
		return false;
	*rate = result.estimate.value / (double)result.time;
	return true;
}
