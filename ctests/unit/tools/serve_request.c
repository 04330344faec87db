/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_request.c - what a client of upc_serve's page gets, and that nothing leads around it.
 */
#include "serve/serve_request.h"

#include "../unit_test.h"

static char path[SERVE_REQUEST_MAX];

static enum serve_answer ask(const char *text)
{
	size_t length = strlen(text);
	char *bytes = malloc(length ? length : 1); /* without a byte behind it */
	enum serve_answer answer;

	assert_non_null(bytes);
	memcpy(bytes, text, length);
	memset(path, '#', sizeof(path));
	answer = serve_request(bytes, length, path);
	free(bytes);
	return answer;
}

static enum serve_answer get(const char *target)
{
	char text[4096];

	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost:44380\r\n\r\n", target);
	return ask(text);
}

TEST(pages)
{
	assert_int_equal(get("/"), SERVE_PAGE);
	assert_int_equal(get("/page.css"), SERVE_STYLE);
	assert_int_equal(get("/page.js"), SERVE_SCRIPT);
	assert_int_equal(get("/about.json"), SERVE_ABOUT);
	assert_int_equal(get("/metrics"), SERVE_FORWARD);
	assert_string_equal(path, "/metrics?hostspec=unix:&names=upc");
	assert_int_equal(get("/pmapi/context"), SERVE_FORWARD);
	assert_string_equal(path, "/pmapi/context?hostspec=unix:&polltimeout=60");
	assert_int_equal(get("/pmapi/17/fetch?pmids=450.1.2,450.3.4"), SERVE_FORWARD);
	assert_string_equal(path, "/pmapi/17/fetch?pmids=450.1.2,450.3.4");
	assert_int_equal(get("/pmapi/17/metric?prefix=upc"), SERVE_FORWARD);
	assert_string_equal(path, "/pmapi/17/metric?prefix=upc");
	assert_int_equal(get("/pmapi/17/indom?name=upc.state.cgroup.a_b"), SERVE_FORWARD);
	assert_int_equal(ask("GET / HTTP/1.0\nHost: 127.0.0.1\n\n"), SERVE_PAGE);
}

TEST(nothing_else)
{
	static const char *const targets[] = {
		"/pmapi/store?names=upc.control.command&value=x",
		"/pmapi/17/store?pmids=450.1.2&value=1",
		"/pmapi/17/store?name=upc.x&value=1",
		"/pmapi/context?hostspec=elsewhere",
		"/pmapi/fetch?hostspec=elsewhere&names=x",
		"/pmapi/17/fetch?pmids=1.2.3&hostspec=elsewhere",
		"/pmapi/17/fetch?pmids=1.2.3%26hostspec=x",
		"/pmapi/17/fetch?hostspec=x",
		"/pmapi/17/fetch?pmids=",
		"/pmapi/17/fetch",
		"/pmapi/17/fetch?names=a",
		"/pmapi/17/../store?pmids=1",
		"/pmapi//fetch?pmids=1.2.3",
		"/pmapi/x/fetch?pmids=1.2.3",
		"/pmapi/99999999999/fetch?pmids=1.2.3",
		"/pmapi/-1/fetch?pmids=1.2.3",
		"/pmapi/17/derive?name=a&expr=b",
		"/pmapi/17/profile?name=a",
		"/series/query?expr=x",
		"/search/text?query=x",
		"/logger/x",
		"/metrics?names=proc",
		"/metrics/",
		"//",
		"/page.js/../../etc/passwd",
		"/../etc/passwd",
		"/%2e%2e/etc/passwd",
		"/Page.js",
	};

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (get(targets[i]) != SERVE_NOTHING)
			print_error("%s\n", targets[i]);
		assert_int_equal(get(targets[i]), SERVE_NOTHING);
	}
}

TEST(other_names)
{
	static const char *const hosts[] = {
		"evil.example", "evil.example:44380", "localhost.evil.example", "127.0.0.1.evil.example",
		"localhost:",   "localhost:x",        "localhost:1@evil",       "",
		"10.0.0.1",     "0.0.0.0:44380",      "localhost:123456789012"};
	char text[512];

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		snprintf(text, sizeof(text), "GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]);
		assert_int_equal(ask(text), SERVE_FORBIDDEN);
	}
	assert_int_equal(ask("GET / HTTP/1.1\r\n\r\n"), SERVE_FORBIDDEN);
	assert_int_equal(ask("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n"), SERVE_FORBIDDEN);
	assert_int_equal(ask("GET / HTTP/1.1\r\nHost: evil\r\nhost: localhost\r\n\r\n"), SERVE_FORBIDDEN);
	assert_int_equal(ask("GET /metrics HTTP/1.1\r\nHOST:\t[::1]:9 \r\n\r\n"), SERVE_FORWARD);
}

TEST(other_pages)
{
	assert_int_equal(
		ask("GET /metrics HTTP/1.1\r\nHost: localhost:9\r\nOrigin: http://localhost:9\r\n\r\n"),
		SERVE_FORWARD);
	assert_int_equal(
		ask("GET /metrics HTTP/1.1\r\nHost: localhost:9\r\nOrigin: http://localhost:8\r\n\r\n"),
		SERVE_FORBIDDEN);
	assert_int_equal(
		ask("GET /metrics HTTP/1.1\r\nHost: localhost:9\r\nOrigin: http://evil.example\r\n\r\n"),
		SERVE_FORBIDDEN);
	assert_int_equal(ask("GET /metrics HTTP/1.1\r\nHost: localhost:9\r\nOrigin: null\r\n\r\n"),
			 SERVE_FORBIDDEN);
	assert_int_equal(
		ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n"),
		SERVE_FORBIDDEN);
	assert_int_equal(ask("GET /page.js HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-site\r\n\r\n"),
			 SERVE_FORBIDDEN);
	assert_int_equal(ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: none\r\n\r\n"),
			 SERVE_FORWARD);
	/* A link that leads to the page. */
	assert_int_equal(ask("GET / HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n"),
			 SERVE_PAGE);
}

TEST(reading_only)
{
	static const char *const methods[] = {"POST",  "PUT",   "DELETE", "OPTIONS", "HEAD",
					      "PATCH", "TRACE", "get",    "CONNECT"};
	char text[256];

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		snprintf(text, sizeof(text), "%s /pmapi/context HTTP/1.1\r\nHost: localhost\r\n\r\n",
			 methods[i]);
		assert_int_equal(ask(text), SERVE_METHOD);
	}
	assert_int_equal(ask("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde"),
			 SERVE_BAD);
	assert_int_equal(ask("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"),
			 SERVE_BAD);
}

TEST(no_requests)
{
	static const char zero[] = "GET / HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n";
	static char large[SERVE_REQUEST_MAX + 64];

	assert_int_equal(ask(""), SERVE_MORE);
	assert_int_equal(ask("GET / HTTP/1.1\r\nHost: localhost\r\n"), SERVE_MORE);
	assert_int_equal(ask("\r\n\r\n"), SERVE_BAD);
	assert_int_equal(ask("GET /\r\n\r\n"), SERVE_BAD);
	assert_int_equal(ask("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n"), SERVE_BAD);
	assert_int_equal(ask("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), SERVE_BAD);
	assert_int_equal(ask("GET / HTTP/1.1\r\nHost: localhost\r\nfolded\r\n\r\n"), SERVE_BAD);
	assert_int_equal(ask("GET / HTTP/1.1\r\nHost: localhost\r\n X: folded\r\n\r\n"), SERVE_BAD);
	assert_int_equal(serve_request(zero, sizeof(zero) - 1, path), SERVE_BAD);
	memset(large, 'a', sizeof(large));
	assert_int_equal(serve_request(large, SERVE_REQUEST_MAX, path), SERVE_LARGE);
	memcpy(large, "GET /pmapi/1/fetch?pmids=", 25);
	memcpy(large + SERVE_REQUEST_MAX - 40, " HTTP/1.1\r\nHost: localhost\r\n\r\n", 30);
	assert_int_equal(serve_request(large, SERVE_REQUEST_MAX, path), SERVE_FORWARD);
	assert_int_equal(strlen(path), SERVE_REQUEST_MAX - 40 - 4);
}

/* Whatever the bytes are: only those ten kinds, and a path that is one line. */
TEST(any_bytes)
{
	static const char *const parts[] = {"GET ",      "/",
					    "pmapi/",    "12/",
					    "fetch?",    "pmids=",
					    "1.2.3",     " HTTP/1.1",
					    "\r\n",      "Host: ",
					    "localhost", "evil",
					    "\r\n\r\n",  "Origin: ",
					    "http://",   "\n",
					    " ",         "Sec-Fetch-Site: ",
					    "store?",    "&hostspec=",
					    "%00",       "\xff\xfe",
					    "..",        "metric?prefix=",
					    "?",         "Content-Length: 0",
					    ":",         "context"};
	unsigned long long seed = 88172645463325252ull;
	char text[512];

	for (int i = 0; i < 200000; i++) {
		size_t n = 0;

		while (n < 300) {
			const char *part;

			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			part = parts[seed % (sizeof(parts) / sizeof(parts[0]))];
			memcpy(text + n, part, strlen(part));
			n += strlen(part);
			if (seed >> 60 == 0)
				break;
		}
		text[n] = '\0';
		if (ask(text) != SERVE_FORWARD)
			continue;
		assert_int_equal(strncmp(path, "/pmapi/", 7) && strncmp(path, "/metrics?", 9), 0);
		assert_null(strpbrk(path, " \r\n%#\xff\xfe"));
		assert_null(strstr(path, "store"));
		assert_true(!strstr(path, "hostspec") || strstr(path, "?hostspec=unix:&"));
	}
}

UNIT_TESTS(serve_request, NULL, NULL)
