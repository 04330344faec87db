/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.c - compares names of functions as users write them with symbols of files.
 */
#include "load/names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)::"
#define TAG "[abi:"

/* ---- symbols ------------------------------------------------------------------------- */

/* True for suffixes such as .constprop.0.isra.1, followed by nothing or a version. */
static bool is_copy(const char *suffix)
{
	static const char *const kinds[] = {".constprop.", ".isra.", ".lto_priv."};

	while (*suffix && *suffix != '@') {
		size_t i, n = 0;

		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !n; i++)
			if (strncmp(suffix, kinds[i], strlen(kinds[i])) == 0)
				n = strlen(kinds[i]);
		suffix += n;
		i = strspn(suffix, "0123456789");
		if (!n || !i)
			return false;
		suffix += i;
	}
	return true;
}

/* Return the length of a symbol without its version and without GCC's suffix for copies. */
static size_t base_length(const char *symbol)
{
	size_t n = strcspn(symbol, "@"), i;

	for (i = strcspn(symbol, ".@"); i < n; i += 1 + strcspn(symbol + i + 1, ".@"))
		if (i && is_copy(symbol + i))
			return i;
	return n;
}

/* ---- C++ ----------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Return the length of an operator at text, such as "<<" or "()" after the word operator, or 0. */
static size_t operator_length(const char *begin, const char *text)
{
	static const char *const names[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=",
					    "->",  "()",  "[]",  "<",   ">",  "*",  "*=", ","};
	const char *word = text;
	size_t i;

	while (word > begin && word[-1] == ' ')
		word--;
	if (word - begin < 8 || strncmp(word - 8, "operator", 8) != 0 ||
	    (word - begin > 8 && is_word(word[-9])))
		return 0;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0)
			return strlen(names[i]);
	return 0;
}

/*
 * Return the length of the step at text, in a walk over a C++ name that begins at begin. An operator's name,
 * an anonymous namespace and text in brackets are one step each, and so is any other character.
 */
static size_t step_in_name(const char *begin, const char *text)
{
	size_t n = operator_length(begin, text), depth = 0;

	if (n)
		return n;
	if (strncmp(text, "(anonymous namespace)", 21) == 0)
		return 21;
	if (!strchr("<({", *text))
		return 1;
	while (text[n]) {
		size_t next = operator_length(begin, text + n);

		if (next) {
			n += next;
			continue;
		}
		if (strchr("<({", text[n]))
			depth++;
		/* "->" occurs in decltype(...). */
		if (strchr(">)}", text[n]) && !(text[n] == '>' && text[n - 1] == '-'))
			depth--;
		n++;
		if (!depth)
			break;
	}
	return n;
}

/* Return the beginning of a name's arguments, or its end. */
static const char *arguments_of(const char *name)
{
	const char *at = name;

	while (*at) {
		size_t n = step_in_name(name, at);

		if (*at == '(' && n != 21 && !operator_length(name, at))
			return at;
		at += n;
	}
	return at;
}

/* Remove parts of a name: arguments of templates, "[abi:...]", anonymous namespaces. */
static void leave_out(char *text, bool templates, bool tags, bool anonymous)
{
	char *to = text;
	size_t n;

	for (const char *from = text; *from; from += n) {
		n = operator_length(text, from);
		if (n || *from == '{') {
			n = n ? n : step_in_name(text, from);
		} else if (templates && *from == '<') {
			n = step_in_name(text, from);
			if (to > text && to[-1] == ' ')
				to--; /* "operator<< <int>" */
			continue;
		} else if (tags && strncmp(from, TAG, strlen(TAG)) == 0) {
			n = strcspn(from, "]");
			n += from[n] == ']';
			continue;
		} else if (anonymous && strncmp(from, ANONYMOUS, strlen(ANONYMOUS)) == 0) {
			n = strlen(ANONYMOUS);
			continue;
		} else {
			n = step_in_name(text, from);
		}
		memmove(to, from, n);
		to += n;
	}
	*to = '\0';
}

/* Remove blanks, except between words. */
static void squeeze_blanks(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (to > text && is_word(to[-1]) && is_word(from[1])))
			*to++ = *from;
	*to = '\0';
}

/* Spell a name as the demangler does: an argument "const T" becomes "T const", and "(void)" becomes "()". */
static void spell_for_demangler(char *text)
{
	char *at, *end;

	for (at = text; (at = strstr(at, "const ")); at++) {
		char *type = at + strlen("const ");

		for (end = type;
		     is_word(*end) || *end == ':' || *end == '<' || (*end == ' ' && is_word(end[1]));)
			end += *end == '<' ? step_in_name(type, end) : 1;
		if (at == text || !strchr("(,<", at[-1]) || end == type)
			continue;
		memmove(at, type, (size_t)(end - type));
		memcpy(end - strlen(" const"), " const", strlen(" const"));
	}
	at = strstr(text, "(void)");
	if (at)
		memmove(at + 1, at + 5, strlen(at + 5) + 1);
}

/* ---- names that users write ------------------------------------------------------------- */

/* True for "*", "?" and "[" of a glob, but not for those of C++. */
static bool is_glob(const char *name, const char *at)
{
	return strchr("*?[", *at) && !operator_length(name, at) && strncmp(at, TAG, strlen(TAG)) != 0;
}

static bool find_glob(const char *name)
{
	for (const char *at = name; *at && *at != '('; at += step_in_name(name, at))
		if (is_glob(name, at))
			return true;
	return false;
}

/* Escape a name for fnmatch: characters that are not part of a glob get '\' in front. */
static void escape_glob_name(char *to, const char *name)
{
	const char *at = name;
	size_t n, i;

	for (; *at; at += n) {
		n = step_in_name(name, at);
		if (n == 1 && is_glob(name, at) && *at == '[') {
			/* Copy a set of characters up to its end. */
			n = strcspn(at, "]");
			n += at[n] == ']';
			memcpy(to, at, n);
			to += n;
			continue;
		}
		for (i = 0; i < n; i++) {
			if (strchr("*?[\\", at[i]) && !(n == 1 && is_glob(name, at)))
				*to++ = '\\';
			*to++ = at[i];
		}
	}
	*to = '\0';
}

bool upcs_name_parse(struct upcs_name *name, const char *text)
{
	char copy[UPCS_NAME_MAX];
	const char *arguments;

	memset(name, 0, sizeof(*name));
	if (!*text || strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	name->mangled = strncmp(copy, "_Z", 2) == 0;
	name->glob = find_glob(copy);
	if (name->mangled && !name->glob) {
		strcpy(name->text, copy);
		return true;
	}
	squeeze_blanks(copy);
	spell_for_demangler(copy);
	arguments = arguments_of(copy);
	name->arguments = *arguments;
	name->qualified = name->arguments && copy[strlen(copy) - 1] != ')';
	name->anonymous = strstr(copy, ANONYMOUS);
	name->tagged = strstr(copy, TAG);
	for (const char *at = copy; at < arguments && !name->templated; at += step_in_name(copy, at))
		name->templated = *at == '<' && !operator_length(copy, at);
	if (name->glob)
		escape_glob_name(name->text, copy);
	else
		strcpy(name->text, copy);
	return true;
}

/* ---- comparison ---------------------------------------------------------------------------- */

static bool is_equal(const struct upcs_name *name, const char *text)
{
	return name->glob ? fnmatch(name->text, text, 0) == 0 : strcmp(name->text, text) == 0;
}

/* Copy a symbol without its version and GCC's suffix. Return false if it is too long. */
static bool take_base(char base[UPCS_DEMANGLED_MAX], const char *symbol)
{
	size_t n = base_length(symbol);

	if (n >= UPCS_DEMANGLED_MAX)
		return false;
	memcpy(base, symbol, n);
	base[n] = '\0';
	return true;
}

static bool fits_cxx(const struct upcs_name *name, const char *base)
{
	char text[2 * UPCS_DEMANGLED_MAX], all[UPCS_DEMANGLED_MAX], *end;
	size_t n;

	if (!upcs_demangle(base, false, text))
		return false;
	n = strlen(text);
	leave_out(text, !name->templated, !name->tagged, !name->anonymous);
	if (name->arguments) {
		if (!upcs_demangle(base, true, all) || strlen(all) < n)
			return false;
		strcat(text, all + n);
		end = strrchr(text, ')');
		if (end && !name->qualified)
			end[1] = '\0';
	}
	squeeze_blanks(text);
	return is_equal(name, text);
}

/* True if the name is the symbol with a version added, as readelf and nm show it. Libraries keep versions
 * outside of their symbol tables. */
static bool is_unversioned(const struct upcs_name *name, const char *symbol)
{
	size_t n = strcspn(name->text, "@");

	return !name->glob && name->text[n] && strlen(symbol) == n && strncmp(name->text, symbol, n) == 0;
}

bool upcs_name_fits(const struct upcs_name *name, const char *symbol)
{
	char base[UPCS_DEMANGLED_MAX];

	if (!name->glob && is_equal(name, symbol))
		return true;
	if (!take_base(base, symbol))
		return false;
	/* A glob applies to demangled C++ names, unless it begins with _Z. */
	if (name->mangled || (strncmp(symbol, "_Z", 2) != 0 && !upcs_is_mangled(symbol)))
		return is_equal(name, base) || is_unversioned(name, symbol);
	return fits_cxx(name, base);
}

uint64_t upcs_name_hash(const char *symbol)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	size_t n = base_length(symbol), i;

	for (i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)symbol[i]) * UINT64_C(0x100000001b3);
	return hash;
}

void upcs_name_show(char *text, const char *symbol, bool arguments)
{
	char base[UPCS_DEMANGLED_MAX];

	if (!take_base(base, symbol))
		text[0] = '\0';
	else if (!upcs_demangle(base, arguments, text))
		strcpy(text, base);
	else if (!arguments)
		leave_out(text, true, true, true);
}
