/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common.c - functions shared by the command line tools: messages, readable numbers, and safe text on a
 * terminal.
 */
#include "lib/common.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

#define UNIT_MAX 15
#define RATIO_UNIT_MAX 24 /* "cycles/1000 instructions" */

static const char *tool_name = "upc";

void util_begin(const char *tool)
{
	tool_name = tool;
}

void util_error(const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "%s: ", tool_name);
	util_put(stderr, line, sizeof(line));
	fputc('\n', stderr);
}

int util_wrong_value(const char *option, const char *what, const char *text)
{
	util_error("%s wants %s, not '%.200s'", option, what, text);
	return UTIL_FAILED;
}

int util_cannot_run(const char *program, int error)
{
	const char *remedy = error == ENOENT && strchr(program, '/') == NULL
				     ? "; no directory of $PATH has it"
			     : error == EACCES ? "; it has to be a file that this user may execute"
					       : "";

	util_error("cannot run '%.200s': %s%s", program, strerror(error), remedy);
	/* ENOTDIR also means that a component of PATH is a file. */
	return error == ENOENT || error == ENOTDIR ? UTIL_NOT_FOUND : UTIL_CANNOT_RUN;
}

int util_print_version(void)
{
	printf("%s %s\n", tool_name, upc_version());
	return util_flush(stdout, "standard output") == 0 ? UTIL_OK : UTIL_FAILED;
}

/* True if out is a pipe or socket whose other end is closed, as after quitting a pager. */
static bool has_no_reader(FILE *out)
{
	struct pollfd end = {.fd = fileno(out)};

	return poll(&end, 1, 0) > 0 && end.revents & (POLLERR | POLLHUP);
}

int util_flush(FILE *out, const char *name)
{
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	/* The stream is checked as well, because errno may be from an earlier call. */
	if (errno == EPIPE || has_no_reader(out))
		return 1;
	util_error("cannot write to %s: %s", name, strerror(errno != 0 ? errno : EIO));
	return -1;
}

/* ---- numbers ----------------------------------------------------------- */

void util_format_count(uint64_t value, char text[UTIL_NUMBER_MAX])
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *out = text;

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
}

void util_format_rate(double per_second, char text[UTIL_NUMBER_MAX])
{
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
	size_t i = 0;

	/* Compare with the value that rounds to four digits, so that nothing prints as "1000 k/s". */
	while (per_second >= 999.5 && i + 1 < sizeof(prefix) / sizeof(prefix[0])) {
		per_second /= 1000;
		i++;
	}
	snprintf(text, UTIL_NUMBER_MAX, "%.*f %s/s",
		 per_second >= 99.95   ? 0
		 : per_second >= 9.995 ? 1
				       : 2,
		 per_second, prefix[i]);
}

void util_format_ns(uint64_t ns, char text[UTIL_NUMBER_MAX], const char **unit)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} scale[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};

	for (size_t i = 0; i < sizeof(scale) / sizeof(scale[0]); i++) {
		size_t n;

		if (ns < scale[i].ns)
			continue;
		/* Integer arithmetic only, so that 2^63 ns keeps all digits. */
		util_format_count(ns / scale[i].ns, text);
		n = strlen(text);
		snprintf(text + n, UTIL_NUMBER_MAX - n, ".%03" PRIu64,
			 ns % scale[i].ns / (scale[i].ns / 1000));
		*unit = scale[i].unit;
		return;
	}
	util_format_count(ns, text);
	*unit = "ns";
}

uint64_t util_unit_ns(const char *unit)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} times[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (strcmp(unit, times[i].unit) == 0)
			return times[i].ns;
	return 0;
}

void util_format_value(uint64_t value, const char *unit, char text[UTIL_NUMBER_MAX],
		       char shown[UTIL_NUMBER_MAX])
{
	const int most = strchr(unit, '/') != NULL ? RATIO_UNIT_MAX : UNIT_MAX;
	uint64_t ns = util_unit_ns(unit);
	int length;

	if (ns > 0 && value <= UINT64_MAX / ns)
		util_format_ns(value * ns, text, &unit);
	else
		util_format_count(value, text);
	/* Long units are cut to the first word: "sectors of 512 bytes". A ratio's unit is kept, because its
	 * denominator comes last. */
	length = (int)strlen(unit) > most ? (int)strcspn(unit, " ") : (int)strlen(unit);
	snprintf(shown, UTIL_NUMBER_MAX, "%.*s", length < most ? length : most, unit);
}

int util_parse_number(const char *text, long min, long max, long *value)
{
	char *end;
	long number;

	if (text[0] < '0' || text[0] > '9')
		return -1;
	errno = 0;
	number = strtol(text, &end, 10);
	if (errno != 0 || *end != '\0' || number < min || number > max)
		return -1;
	*value = number;
	return 0;
}

/* ---- text -------------------------------------------------------------- */

/* Return the length in bytes of *text, the printable form of the character at p. *n gets the number of bytes
 * of the character itself. */
static unsigned find_printable_char(const char *p, const char **text, unsigned *n)
{
	uint32_t code;

	*n = upci_utf8(p, &code);
	if (*n == 0)
		*n = 1;
	else if (code >= 0x20 && !(code >= 0x7f && code < 0xa0)) {
		*text = p;
		return *n;
	}
	*text = "?";
	return 1;
}

unsigned util_columns(const char *text)
{
	unsigned columns = 0, n;
	uint32_t code;

	for (; *text != '\0'; text += n, columns++) {
		n = upci_utf8(text, &code);
		if (n == 0)
			n = 1;
	}
	return columns;
}

unsigned util_put(FILE *out, const char *text, unsigned max)
{
	unsigned columns = 0, n;

	for (; *text != '\0' && columns < max; text += n, columns++) {
		const char *character;
		unsigned bytes = find_printable_char(text, &character, &n);

		fwrite(character, 1, bytes, out);
	}
	return columns;
}

void util_pad(FILE *out, unsigned n)
{
	fprintf(out, "%*s", (int)n, "");
}

unsigned util_put_right(FILE *out, const char *text, unsigned width)
{
	unsigned columns = util_columns(text);

	if (columns < width)
		util_pad(out, width - columns);
	util_put(out, text, columns);
	return columns < width ? width : columns;
}

unsigned util_put_left(FILE *out, const char *text, unsigned width)
{
	unsigned columns = util_put(out, text, UINT32_MAX);

	if (columns < width)
		util_pad(out, width - columns);
	return columns < width ? width : columns;
}

void util_widen(unsigned *width, const char *text)
{
	unsigned columns = util_columns(text);

	if (*width < columns)
		*width = columns;
}

unsigned util_wrap(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width)
{
	bool first = true; /* the next word is the first of its line */

	while (*text != '\0') {
		size_t length = strcspn(text, " \n");
		char word[512];
		unsigned columns;

		if (length == 0) {
			text++;
			continue;
		}
		if (length >= sizeof(word))
			length = sizeof(word) - 1;
		memcpy(word, text, length);
		word[length] = '\0';
		text += length;
		columns = util_columns(word);
		if (!first && column + 1 + columns > width) {
			fputc('\n', out);
			util_pad(out, indent);
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		column += util_put(out, word, columns);
		first = false;
	}
	return column;
}

bool util_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

bool util_match(const char *pattern, const char *text)
{
	if (util_is_glob(pattern))
		return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
	return strcasestr(text, pattern) != NULL;
}

bool util_match_event(const char *pattern, const char *name)
{
	static const char tracepoint[] = "tp::";
	const size_t n = sizeof(tracepoint) - 1;

	return util_match(pattern, name) ||
	       (strchr(pattern, ':') != NULL && strncmp(name, tracepoint, n) == 0 &&
		util_match(pattern, name + n));
}

void util_no_match(struct upc_catalogue *catalogue, const char *pattern)
{
	const char *near[3];
	int n = upc_catalogue_nearest(catalogue, pattern, near, 3);

	if (n <= 0)
		util_error("no event that can be counted here matches '%s'; upc_avail lists what there is",
			   pattern);
	else
		util_error("no event that can be counted here matches '%s'; did you mean %s%s%s%s%s?",
			   pattern, near[0], n > 2 ? ", " : "", n > 2 ? near[1] : "", n > 1 ? " or " : "",
			   n > 1 ? near[n - 1] : "");
}

unsigned util_width(FILE *out)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	long width;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
	else if (columns == NULL || util_parse_number(columns, 1, 100000, &width) != 0)
		width = UTIL_WIDTH_DEFAULT;
	if (width < UTIL_WIDTH_MIN)
		width = UTIL_WIDTH_MIN;
	if (width > UTIL_WIDTH_MAX)
		width = UTIL_WIDTH_MAX;
	return (unsigned)width;
}

bool util_colour(FILE *out)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no != NULL && no[0] != '\0')
		return false;
	return isatty(fileno(out)) && term != NULL && strcmp(term, "dumb") != 0;
}

/* ---- the catalogue ----------------------------------------------------- */

const char *util_source_name(enum upc_source source)
{
	switch (source) {
#define DRIVEN(kind, row, name) \
	case kind:              \
		return name;
#include "base/sources.def"
	case UPC_SOURCE_DERIVED:
		return "derived";
	case UPC_SOURCE_REPLAY:
		return "replay";
	case UPC_SOURCE_SIMULATION:
		return "simulation";
	case UPC_SOURCE_NONE:
		break;
	}
	return "none";
}

const char *util_scope_name(enum upc_scope scope)
{
	static const char *const name[] = {
		[UPC_SCOPE_CONTEXT] = "context", [UPC_SCOPE_THREAD] = "thread",
		[UPC_SCOPE_PROCESS] = "process", [UPC_SCOPE_CPU] = "cpu",
		[UPC_SCOPE_MACHINE] = "machine",
	};

	return name[scope];
}

const char *util_kind_name(enum upc_kind kind)
{
	return kind == UPC_KIND_LEVEL ? "level" : "count";
}

size_t util_papi_prefix(const char *name)
{
	static const char native[] = "PAPI_NATIVE_", component[] = "upc:::";
	size_t n = strncasecmp(name, native, sizeof(native) - 1) == 0 ? sizeof(native) - 1 : 0;

	return strncasecmp(name + n, component, sizeof(component) - 1) == 0 ? n + sizeof(component) - 1 : 0;
}

struct upc_catalogue *util_catalogue_open(const char *wiring)
{
	struct upc_catalogue_options options = UPC_OPTIONS_INIT(upc_catalogue_options);
	struct upc_catalogue *catalogue;
	int error;

	options.wiring_path = wiring;
	error = upc_catalogue_open(&options, &catalogue);
	if (error == 0)
		return catalogue;
	util_error("%s", upc_last_message()[0] != '\0' ? upc_last_message() : upc_strerror(error));
	return NULL;
}

struct upc_event_info *util_catalogue_events(struct upc_catalogue *catalogue, unsigned *n)
{
	uint32_t count = upc_catalogue_count(catalogue);
	struct upc_event_info *event = calloc(count + 1, sizeof(*event));

	*n = 0;
	if (event == NULL)
		return NULL;
	for (uint32_t code = 0; code < count; code++) {
		event[*n] = UPC_OPTIONS_INIT(upc_event_info);
		if (upc_catalogue_info(catalogue, code, &event[*n]) == 0)
			++*n;
	}
	return event;
}
