/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_counts.c - adds up the counts of a run from its records.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_counts.h"

void run_vector_settle(struct run_vector *vector)
{
	for (unsigned k = 0; k < UPCS_TALLIES; k++)
		vector->item[k] -= vector->slack < vector->item[k] ? vector->slack : vector->item[k];
	upcs_items_derive(vector->item);
}

/* Read a number that the counting thread or the folding thread may store at the same time. Each number is
 * read untorn; the order of several numbers does not matter. */
static uint64_t load_thread_count(const uint64_t *number)
{
	return __atomic_load_n(number, __ATOMIC_RELAXED);
}

static uint32_t load_thread_count32(const uint32_t *number)
{
	return __atomic_load_n(number, __ATOMIC_RELAXED);
}

void run_vector_add(struct run_vector *vector, const struct upcs_thread *thread, unsigned column)
{
	const unsigned cut_late = UPCS_DOUBT_CUT | UPCS_DOUBT_LATE;
	unsigned doubt = load_thread_count32(&thread->doubt[column]);

	for (unsigned k = 0; k < UPCS_TALLIES; k++)
		vector->item[k] += load_thread_count(&thread->tally[column][k]);
	/* The thread was killed some time after its counts were copied last. The copy includes the whole
	 * block that the thread was executing then. If the counts of one block are subtracted, the rest is a
	 * lower bound. */
	if ((doubt & cut_late) == cut_late) {
		vector->slack += UPCS_BLOCK_TALLY_MAX;
		doubt &= ~(unsigned)UPCS_DOUBT_CUT;
	}
	vector->doubt |= doubt;
}

unsigned run_columns(const struct upcs_results *results)
{
	uint32_t regions = results->options.regions;

	return 1 + (regions < UPCS_REGIONS_MAX ? regions : UPCS_REGIONS_MAX);
}

static bool was_cut_off(const struct upcs_process *process)
{
	return upcs_results_state(&process->state) == UPCS_LOST && process->unshared != 0;
}

bool run_process_misses(const struct upcs_process *process)
{
	return process->unfolded > 0 || process->unread != 0 || was_cut_off(process);
}

bool run_process_is_part(const struct upcs_process *process)
{
	return run_process_misses(process) || process->left != 0;
}

void run_counts_add_process(struct run_counts *counts, const struct upcs_process *process)
{
	enum upcs_state state = upcs_results_state(&process->state);

	if (process->guest < UPCS_GUESTS)
		counts->guests |= 1u << process->guest;
	if (process->serial == 0 && process->guest < UPCS_GUESTS)
		counts->guest = (enum upcs_guest)process->guest;
	/* An exec begins another record for the same process. */
	counts->processes += !process->continues;
	counts->unfolded += process->unfolded;
	counts->no_memory |= process->unshared && process->unfolded;
	counts->regions_found |= process->region_found;
	counts->regions_unseen |= process->region_unseen;
	counts->lost += state == UPCS_LOST;
	counts->lost_whole += state == UPCS_LOST && !run_process_misses(process);
	counts->cut_off += was_cut_off(process);
	counts->unread += process->unread != 0 && !was_cut_off(process);
	counts->running += state == UPCS_RUNS;
	counts->left += process->left != 0;
	counts->spins += process->spins != 0;
}

void run_counts_add_thread(struct run_counts *counts, const struct upcs_thread *thread, unsigned columns)
{
	unsigned core = thread->core % UPCS_CORES;

	counts->threads++;
	counts->cores |= 1u << core;
	counts->folded += thread->number >= UPCS_CORES;
	for (unsigned c = 0; c < columns; c++)
		run_vector_add(&counts->core[c][core], thread, c);
	for (unsigned r = 0; r + 1 < columns; r++)
		counts->entered[r] += load_thread_count(&thread->entered[r]);
}

/* Add UPCS_DOUBT_MISSING to all counts: if work has no record, neither its core nor its regions are known. */
static void doubt_all_counts(struct run_counts *counts, unsigned columns)
{
	for (unsigned c = 0; c < columns; c++)
		for (unsigned core = 0; core < UPCS_CORES; core++)
			counts->core[c][core].doubt |= UPCS_DOUBT_MISSING;
}

static void doubt_unseen(struct run_counts *counts, unsigned columns)
{
	for (unsigned c = 1; c < columns; c++)
		for (unsigned core = 0; core < UPCS_CORES; core++)
			if (counts->regions_unseen >> (c - 1) & 1)
				counts->core[c][core].doubt |= UPCS_DOUBT_UNSEEN;
}

void run_counts_finish(struct run_counts *counts, const struct upcs_results *results)
{
	unsigned columns = run_columns(results);

	counts->processes_without = load_thread_count32(&results->processes.without);
	counts->threads_without = load_thread_count32(&results->threads.without);
	counts->no_memory |= counts->cut_off > 0 ||
			     load_thread_count32(&results->processes.without_memory) != 0 ||
			     load_thread_count32(&results->threads.without_memory) != 0;
	/* The work of a program that could not be simulated is in no count. */
	if (!run_counts_are_whole(counts) || counts->left > 0)
		doubt_all_counts(counts, columns);
	doubt_unseen(counts, columns);
	for (unsigned c = 0; c < columns; c++) {
		for (unsigned core = 0; core < UPCS_CORES; core++) {
			for (unsigned k = 0; k < UPCS_TALLIES; k++)
				counts->sum[c].item[k] += counts->core[c][core].item[k];
			counts->sum[c].doubt |= counts->core[c][core].doubt;
			counts->sum[c].slack += counts->core[c][core].slack;
			run_vector_settle(&counts->core[c][core]);
		}
		if (c == 0)
			counts->whole = counts->sum[0];
		run_vector_settle(&counts->sum[c]);
	}
}

bool run_counts_are_whole(const struct run_counts *counts)
{
	return counts->threads_without + counts->processes_without + counts->unfolded + counts->cut_off +
		       counts->unread ==
	       0;
}

uint64_t run_instructions(const struct run_counts *counts, const struct upcs_results *results,
			  unsigned *threads)
{
	uint32_t n = upcs_results_threads(results);
	uint64_t sum = 0;

	*threads = 0;
	for (unsigned core = 0; core < UPCS_CORES; core++)
		sum += counts->core[0][core].item[UPCS_INSTRUCTIONS];
	for (uint32_t t = 0; t < n; t++) {
		const struct upcs_thread *thread = &results->thread[t];
		enum upcs_state state = upcs_results_state(&thread->state);

		*threads += state == UPCS_RUNS;
		if (state == UPCS_RUNS || state == UPCS_ENDED)
			sum += load_thread_count(&thread->tally[0][UPCS_INSTRUCTIONS]);
	}
	return sum;
}

unsigned run_entered_doubt(const struct run_counts *counts, unsigned region)
{
	unsigned doubt = counts->sum[1 + region].doubt;

	/* While it was uncertain whether the thread was in the region, an entry may have been counted as
	 * recursion, or recursion as an entry. */
	if ((doubt & (UPCS_DOUBT_UNWOUND | UPCS_DOUBT_SWITCHED | UPCS_DOUBT_FORGOT | UPCS_DOUBT_JUMPED)) != 0)
		return doubt | UPCS_DOUBT_CUT | UPCS_DOUBT_LATE;
	return doubt & ~(unsigned)(UPCS_DOUBT_CUT | UPCS_DOUBT_HELPED);
}

double run_percent(const struct run_vector *vector, unsigned item)
{
	uint64_t instructions = vector->item[UPCS_INSTRUCTIONS];

	/* INSTRUCTIONS and TOT_INS are themselves the total, and FP_OPS counts operations, not
	 * instructions. */
	if (item == UPCS_INSTRUCTIONS || item == UPCS_TOT_INS || item == UPCS_FP_OPS || instructions == 0)
		return 0;
	return 100 * (double)vector->item[item] / (double)instructions;
}
