/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names mean the same in every locale that a program chooses: in Turkish I and i are two
 * letters, and in its 8-bit form there are letters beyond ASCII.
 */
#include <ctype.h>
#include <locale.h>

#include "catalogue/cat_pfm.h"
#include "catalogue/catalogue.h"
#include "perf/perf.h"
#include "base/text.h"
#include "../test_dir.h"

/* The system's, or one made in a directory of our own; false and said why where neither. */
static bool choose(const char *name, const char *charset)
{
	char path[64], command[256];
	int status;

	unsetenv("LOCPATH");
	if (setlocale(LC_ALL, name))
		return true;
	/* Each has a path of its own: the C library remembers what was not there. */
	snprintf(path, sizeof(path), "%s", test_path(charset));
	snprintf(command, sizeof(command), "mkdir %s && localedef -i tr_TR -f %s %s/%s > /dev/null 2>&1",
		 path, charset, path, name);
	status = system(command);
	setenv("LOCPATH", path, 1);
	if (setlocale(LC_ALL, name))
		return true;
	printf("# there is no locale %s, and localedef makes none here (status %d)\n", name,
	       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return false;
}

static void find_all(struct upc_catalogue *c)
{
	static const char *const same[][2] = {
		{"PU0_JPIPE_INSTRUCTIONS", "PU0_JPIPE_INSTRUCTIONS"},
		{"PU0_JPIPE_INSTRUCTIONS", "pu0_jpipe_instructions"},
		{"PU0_JPIPE_INSTRUCTIONS", "pne_bgp_pu0_jpipe_instructions"},
		{"perf::CPU-MIGRATIONS", "perf::cpu-migrations"},
		{"perf::CPU-MIGRATIONS", "PERF::cpu-Migrations"},
		{"task::minflt", "TASK::MINFLT"},
	};
	uint32_t one, other;
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		/* Context switches are root's, on some machines. */
		if (upc_catalogue_find(c, same[i][0], &one) == UPC_EPERM)
			continue;
		if (upc_catalogue_find(c, same[i][1], &other))
			fail_msg("%s: %s", same[i][1], upc_last_message());
		assert_int_equal(one, other);
	}
}

TEST(test_turkish)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	struct upci_driver driver = {.source = UPC_SOURCE_PERF, .perf = "perf::cpu-migrations"};
	struct upc_catalogue *before, *after;
	struct upci_perf_spec spec;
	uint32_t code, n;

	assert_int_equal(upc_catalogue_open(&options, &before), 0);
	if (!choose("tr_TR.UTF-8", "UTF-8")) {
		upc_catalogue_close(before);
		skip();
	}
	/* Not by strcasecmp, of which AddressSanitizer has its own. */
	assert_int_not_equal(tolower('I'), 'i');
	assert_int_equal(upc_catalogue_open(&options, &after), 0);
	find_all(before);
	find_all(after);
	/* A mode, where a source has any, and libpfm4's own names. */
	assert_int_equal(upci_fold_compare("RISE", "rise"), 0);
	assert_int_not_equal(upci_perf_encode(&driver, UPC_DOMAIN_KERNEL | UPC_DOMAIN_USER, &spec),
			     UPC_ENOEVENT);
	n = upc_catalogue_count(before);
	for (code = 0; code < n; code++)
		assert_int_equal(event_code(before, upci_catalogue_event(before, code)->name), code);
	setlocale(LC_ALL, "C");
	find_all(after);
	upc_catalogue_close(before);
	upc_catalogue_close(after);
}

TEST(test_letters_beyond_ascii)
{
	char name[] = "d\xfd\x7f k";

	if (!choose("tr_TR", "ISO-8859-9"))
		skip();
	upci_name_sanitize(name);
	assert_string_equal(name, "d___k");
	setlocale(LC_ALL, "C");
}

UNIT_TESTS(locale, make_test_dir, remove_test_dir)
