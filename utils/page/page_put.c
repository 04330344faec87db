/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_put.c - converts texts of any bytes to text of a page.
 */
#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "page/page_put.h"

#define REPLACEMENT "\xef\xbf\xbd"

void page_failed(struct page *page)
{
	if (!page->error)
		page->error = errno ? errno : EIO;
}

void page_put(struct page *page, const char *markup)
{
	if (!page->error && fputs(markup, page->out) == EOF)
		page_failed(page);
}

void page_block(struct page *page)
{
	if (page->table)
		page_table_end(page);
	if (page->facts)
		page_put(page, "</dl>\n");
	page->facts = false;
}

/* True unless the character is a control, a noncharacter, or changes the direction of the following text. */
static bool is_shown(uint32_t code)
{
	return !((code >= 0x80 && code < 0xa0) || (code & 0xfffe) == 0xfffe ||
		 (code >= 0xfdd0 && code < 0xfdf0) || code == 0x61c || code == 0x200e || code == 0x200f ||
		 (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069));
}

static const char *escape_char(unsigned char c, bool json)
{
	switch (c) {
	case '<':
		return json ? "\\u003c" : "&lt;";
	case '>':
		return json ? "\\u003e" : "&gt;";
	case '&':
		return json ? "\\u0026" : "&amp;";
	case '"':
		return json ? "\\\"" : "&quot;";
	case '\'':
		return json ? "'" : "&#39;";
	case '\\':
		return json ? "\\\\" : "\\";
	default:
		return NULL;
	}
}

static void put_character(struct page *page, const char *text, unsigned n, bool json)
{
	const unsigned char first = (unsigned char)*text;
	const char picture[] = {'\xe2', '\x90', (char)(0x80 + (first == 0x7f ? 0x21 : first)), 0};
	char as_it_is[5] = "";

	if (n == 1 && escape_char(first, json)) {
		page_put(page, escape_char(first, json));
	} else if (n == 1 && (first < 0x20 || first == 0x7f)) {
		page_put(page, picture);
	} else {
		memcpy(as_it_is, text, n);
		page_put(page, as_it_is);
	}
}

static void put_escaped_text(struct page *page, const char *text, bool json)
{
	uint32_t code;
	unsigned n;

	for (; text && *text && !page->error; text += n ? n : 1) {
		n = upci_utf8(text, &code);
		if (n && is_shown(code))
			put_character(page, text, n, json);
		else
			page_put(page, REPLACEMENT);
	}
}

void page_put_text(struct page *page, const char *text)
{
	put_escaped_text(page, text, false);
}

void page_put_json_text(struct page *page, const char *text)
{
	put_escaped_text(page, text, true);
}
