/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_request.c - checks requests to the page.
 *
 * Three checks keep other web pages out. The Host must be a name of this machine (otherwise a page could map
 * its own name to this address). The browser must not say that another page makes the request. No answer has
 * a header that lets another page read it. Forwarded requests change nothing, and this file, not the client,
 * chooses the host from which pmproxy gets the values.
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_request.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct text {
	const char *at;
	size_t length;
};

static bool is_request_word(struct text text, const char *word)
{
	return text.length == strlen(word) && !memcmp(text.at, word, text.length);
}

static bool is_nocase(struct text text, const char *word)
{
	return text.length == strlen(word) && !strncasecmp(text.at, word, text.length);
}

static bool take_request_word(struct text *text, const char *head)
{
	size_t n = strlen(head);

	if (text->length < n || memcmp(text->at, head, n))
		return false;
	text->at += n;
	text->length -= n;
	return true;
}

/* Return the text before the first `end`, and advance past this character. Without this character, return the
 * whole text. */
static struct text take_text_until(struct text *text, char end)
{
	const char *at = memchr(text->at, end, text->length);
	struct text head = {text->at, at ? (size_t)(at - text->at) : text->length};

	text->at += head.length + (at != NULL);
	text->length -= head.length + (at != NULL);
	return head;
}

static bool is_request_number(struct text text)
{
	if (text.length == 0 || text.length > 10)
		return false;
	for (size_t i = 0; i < text.length; i++)
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
	return true;
}

/* True for a name of this machine, with any port: ssh -L may have changed the port. */
static bool own_host(struct text text)
{
	struct text host = text;

	if (take_request_word(&host, "127.0.0.1") || take_request_word(&host, "localhost") ||
	    take_request_word(&host, "[::1]")) {
		if (host.length == 0)
			return true;
		return take_request_word(&host, ":") && is_request_number(host);
	}
	return false;
}

struct head {
	struct text host, origin, site;
	bool two_hosts, body;
};

static bool read_request_head(struct text lines, struct head *head)
{
	while (lines.length > 0) {
		struct text line = take_text_until(&lines, '\n'), name;

		if (line.length > 0 && line.at[line.length - 1] == '\r')
			line.length--;
		if (line.length == 0)
			return true;
		if (!memchr(line.at, ':', line.length) || line.at[0] == ' ' || line.at[0] == '\t')
			return false;
		name = take_text_until(&line, ':');
		while (line.length > 0 && (*line.at == ' ' || *line.at == '\t'))
			line.at++, line.length--;
		while (line.length > 0 &&
		       (line.at[line.length - 1] == ' ' || line.at[line.length - 1] == '\t'))
			line.length--;
		if (is_nocase(name, "Host")) {
			head->two_hosts |= head->host.at != NULL;
			head->host = line;
		} else if (is_nocase(name, "Origin")) {
			head->origin = line;
		} else if (is_nocase(name, "Sec-Fetch-Site")) {
			head->site = line;
		} else if ((is_nocase(name, "Content-Length") && !is_request_word(line, "0")) ||
			   is_nocase(name, "Transfer-Encoding")) {
			head->body = true;
		}
	}
	return true;
}

/* True for names of metrics and their numbers: no character of these has a special meaning in a URL. */
static bool is_plain_text(struct text text)
{
	if (text.length == 0)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		char c = text.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '.' || c == ','))
			return false;
	}
	return true;
}

/* Allow "/pmapi/CONTEXT/WHAT?KEY=NAMES" and no other request of pmproxy's interface. */
static enum serve_answer choose_forward_path(struct text path, char out[SERVE_REQUEST_MAX])
{
	static const char *const what[][2] = {{"fetch", "pmids"}, {"metric", "prefix"}, {"indom", "name"}};
	struct text context, name, key;

	if (is_request_word(path, "/metrics")) {
		strcpy(out, "/metrics?hostspec=unix:&names=upc");
		return SERVE_FORWARD;
	}
	if (is_request_word(path, "/pmapi/context")) {
		strcpy(out, "/pmapi/context?hostspec=unix:&polltimeout=60");
		return SERVE_FORWARD;
	}
	if (!take_request_word(&path, "/pmapi/"))
		return SERVE_NOTHING;
	context = take_text_until(&path, '/');
	name = take_text_until(&path, '?');
	key = take_text_until(&path, '=');
	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		if (!is_request_word(name, what[i][0]) || !is_request_word(key, what[i][1]) ||
		    !is_request_number(context) || !is_plain_text(path))
			continue;
		/* The result is shorter than the request. */
		snprintf(out, SERVE_REQUEST_MAX, "/pmapi/%.*s/%s?%s=%.*s", (int)context.length, context.at,
			 what[i][0], what[i][1], (int)path.length, path.at);
		return SERVE_FORWARD;
	}
	return SERVE_NOTHING;
}

static bool is_whole_request(const char *bytes, size_t length)
{
	return memmem(bytes, length, "\r\n\r\n", 4) || memmem(bytes, length, "\n\n", 2);
}

enum serve_answer serve_request(const char *bytes, size_t length, char path[SERVE_REQUEST_MAX])
{
	struct text rest = {bytes, length}, line, method, target;
	struct head head = {0};
	enum serve_answer answer;
	bool another_page;

	if (!is_whole_request(bytes, length))
		return length >= SERVE_REQUEST_MAX ? SERVE_LARGE : SERVE_MORE;
	if (length > SERVE_REQUEST_MAX)
		return SERVE_LARGE;
	if (memchr(bytes, '\0', length))
		return SERVE_BAD;
	line = take_text_until(&rest, '\n');
	if (line.length > 0 && line.at[line.length - 1] == '\r')
		line.length--;
	method = take_text_until(&line, ' ');
	target = take_text_until(&line, ' ');
	if (!is_request_word(line, "HTTP/1.1") && !is_request_word(line, "HTTP/1.0"))
		return SERVE_BAD;
	if (target.length == 0 || target.at[0] != '/' || !read_request_head(rest, &head))
		return SERVE_BAD;
	if (head.two_hosts || !head.host.at || !own_host(head.host))
		return SERVE_FORBIDDEN;
	if (!is_request_word(method, "GET"))
		return SERVE_METHOD;
	if (head.body)
		return SERVE_BAD;
	if (head.origin.at && !(take_request_word(&head.origin, "http://") && own_host(head.origin) &&
				head.origin.length == head.host.length &&
				!memcmp(head.origin.at, head.host.at, head.host.length)))
		return SERVE_FORBIDDEN;
	another_page = head.site.at && !is_request_word(head.site, "same-origin") &&
		       !is_request_word(head.site, "none");
	if (is_request_word(target, "/"))
		return SERVE_PAGE; /* links on other pages may lead here */
	if (another_page)
		return SERVE_FORBIDDEN;
	if (is_request_word(target, "/page.css"))
		return SERVE_STYLE;
	if (is_request_word(target, "/page.js"))
		return SERVE_SCRIPT;
	if (is_request_word(target, "/about.json"))
		return SERVE_ABOUT;
	answer = choose_forward_path(target, path);
	return answer;
}
