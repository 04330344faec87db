/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unknown.c - the list of instructions that the decoder did not know.
 */
#include "count/unknown.h"

#include <string.h>

#include "count/results.h"

bool upcs_unknown_is_same(const struct upcs_code *a, const struct upcs_code *b)
{
	return a->guest == b->guest && a->n == b->n && a->n <= UPCS_CODE_BYTES &&
	       memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* Two processes may add the same instruction concurrently. The reader of the list drops the duplicate. */
void upcs_unknown_note(struct upcs_unknown list[UPCS_CODES_MAX], const struct upcs_unknown *what)
{
	uint32_t i;

	for (i = 0; i < UPCS_CODES_MAX; i++) {
		struct upcs_unknown *to = &list[i];
		uint32_t was = UPCS_FREE;

		if (__atomic_compare_exchange_n(&to->state, &was, UPCS_MAKING, false, __ATOMIC_ACQUIRE,
						__ATOMIC_ACQUIRE)) {
			*to = *what;
			__atomic_store_n(&to->state, UPCS_ENDED, __ATOMIC_RELEASE);
			return;
		}
		if (was == UPCS_ENDED && upcs_unknown_is_same(&to->code, &what->code))
			return;
	}
}
