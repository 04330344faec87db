/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page.c - the frame of a page, its texts and its data.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/page_put.h"

/* The page's policy allows no network, and only page.js and page.css, which these hashes of their bytes
 * identify. ctests/tools/page.sh checks the hashes. */
#define HASH_CSS "Vk/+27WiGQCJX/frHtIA959ogleTudU4L3IZAGIfH3Q="
#define HASH_JS "B1ucuyQq+dCQMV0M87ayRHWKatdz1rOqOKbCQV+Dg7Q="

static const char policy[] = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
			     "style-src 'sha256-" HASH_CSS "'; script-src 'sha256-" HASH_JS "'; "
			     "base-uri 'none'; form-action 'none'\" />\n";

static void put_lines(struct page *page, const char *const *line)
{
	for (; *line; line++)
		page_put(page, *line);
}

struct page *page_begin(FILE *out, const char *title, const char *subtitle)
{
	struct page *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->out = out;
	page_put(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n");
	page_put(page, policy);
	page_put(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n"
		       "<meta name=\"color-scheme\" content=\"light dark\" />\n"
		       "<meta name=\"referrer\" content=\"no-referrer\" />\n<title>");
	page_put_text(page, title);
	page_put(page, "</title>\n<style>");
	put_lines(page, page_css);
	page_put(page, "</style>\n</head>\n<body>\n<header>\n<h1>");
	page_put_text(page, title);
	page_put(page, "</h1>\n");
	if (subtitle) {
		page_put(page, "<p class=\"subtitle\">");
		page_put_text(page, subtitle);
		page_put(page, "</p>\n");
	}
	page_put(page, "</header>\n<main>\n");
	return page;
}

int page_end(struct page *page)
{
	int error;

	page_block(page);
	page_put(page, "</main>\n<script>");
	put_lines(page, page_js);
	page_put(page, "</script>\n</body>\n</html>\n");
	if (!page->error && fflush(page->out) == EOF)
		page_failed(page);
	if (!page->error && ferror(page->out))
		page->error = EIO;
	error = page->error;
	free(page->column);
	free(page);
	return error;
}

static void put_element(struct page *page, const char *begin, const char *text, const char *end)
{
	page_block(page);
	page_put(page, begin);
	page_put_text(page, text);
	page_put(page, end);
}

void page_section(struct page *page, const char *heading)
{
	put_element(page, "<h2>", heading, "</h2>\n");
}

void page_text(struct page *page, const char *text)
{
	put_element(page, "<p>", text, "</p>\n");
}

void page_note(struct page *page, const char *text)
{
	put_element(page, "<p class=\"note\" role=\"note\">", text, "</p>\n");
}

void page_fact(struct page *page, const char *label, const char *text)
{
	if (!page->facts) {
		page_block(page);
		page_put(page, "<dl>\n");
		page->facts = true;
	}
	page_put(page, "<div><dt>");
	page_put_text(page, label);
	page_put(page, "</dt><dd>");
	page_put_text(page, text);
	page_put(page, "</dd></div>\n");
}

/* Write JSON text into a script element. The characters that could end the element occur only inside strings
 * of JSON, so they can be escaped. */
int page_data_put(const char *buffer, size_t size, void *arg)
{
	struct page *page = arg;
	size_t i;

	for (i = 0; i < size && !page->error; i++)
		if (strchr("<>&", buffer[i]) && buffer[i])
			page_putf(page, "\\u%04x", (unsigned)buffer[i]);
		else if (fputc(buffer[i], page->out) == EOF)
			page_failed(page);
	return page->error ? -1 : 0;
}

void page_data_begin(struct page *page, const char *id)
{
	page_block(page);
	page_put(page, "<script type=\"application/json\" id=\"");
	page_put_text(page, id);
	page_put(page, "\">");
}

void page_data_end(struct page *page)
{
	page_put(page, "</script>\n");
}

void page_data(struct page *page, const char *id, const json_t *value)
{
	page_data_begin(page, id);
	if (!page->error &&
	    json_dump_callback(value, page_data_put, page,
			       JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY |
				       JSON_REAL_PRECISION(12)) &&
	    !page->error)
		page->error = EINVAL;
	page_data_end(page);
}
