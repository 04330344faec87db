/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_number.c - formats numbers for people.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "page/page_put.h"

#define NARROW_BLANK "\xe2\x80\xaf" /* U+202F, a narrow no-break space */
#define MINUS "\xe2\x88\x92"
#define LARGE 1e15

/* Group digits in threes. Characters after the last digit are copied unchanged. */
static void group_digits(const char *digits, char *text)
{
	size_t n = strspn(digits, "0123456789"), i;

	for (i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0) {
			strcpy(text, NARROW_BLANK);
			text += strlen(NARROW_BLANK);
		}
		*text++ = digits[i];
	}
	strcpy(text, digits + n);
}

void page_format_count(uint64_t count, char text[PAGE_NUMBER_MAX])
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, count);
	group_digits(digits, text);
}

void page_format_number(double value, unsigned decimals, char text[PAGE_NUMBER_MAX])
{
	const double size = fabs(value);
	char digits[48];

	if (isnan(value)) {
		strcpy(text, "\xe2\x80\x93");
		return;
	}
	*text = 0;
	if (value < 0) {
		strcpy(text, MINUS);
		text += strlen(MINUS);
	}
	if (isinf(value)) {
		strcpy(text, "\xe2\x88\x9e");
		return;
	}
	if (decimals > 12)
		decimals = 12;
	if (size >= LARGE)
		snprintf(digits, sizeof(digits), "%.5e", size);
	else if (size > 0 && size < .5 * pow(10, -(double)decimals))
		snprintf(digits, sizeof(digits), "%.2g", size);
	else
		snprintf(digits, sizeof(digits), "%.*f", (int)decimals, size);
	group_digits(digits, text);
}

void page_format_interval(double value, double low, double high, unsigned decimals,
			  char text[PAGE_INTERVAL_MAX])
{
	const double down = value - low, up = high - value;
	char a[PAGE_NUMBER_MAX], b[PAGE_NUMBER_MAX];

	if (isnan(down) || isnan(up) || (isinf(low) && isinf(high))) {
		strcpy(text, "\xc2\xb1 ?");
	} else if (down >= 0 && up >= 0 && !isinf(up) && fabs(up - down) <= .05 * fmax(up, down)) {
		page_format_number(fmax(up, down), decimals, a);
		snprintf(text, PAGE_INTERVAL_MAX, "\xc2\xb1 %s", a);
	} else {
		page_format_number(low, decimals, a);
		page_format_number(high, decimals, b);
		snprintf(text, PAGE_INTERVAL_MAX, "%s to %s", a, b);
	}
}
