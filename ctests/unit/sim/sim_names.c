/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_names.c - names as users write them, and the symbols that they mean; symbols that would be
 * gigabytes of text.
 */
#include "load/names.h"
#include "../unit_test.h"

static bool fits(const char *text, const char *symbol)
{
	struct upcs_name name;

	assert_true(upcs_name_parse(&name, text));
	return upcs_name_fits(&name, symbol);
}

/* With them, and not with the others. */
static void check(const char *text, const char *const *symbols, const char *fitting)
{
	for (size_t i = 0; symbols[i]; i++)
		if (fits(text, symbols[i]) != (fitting[i] == 'x'))
			fail_msg("'%s' %s '%s'", text, fitting[i] == 'x' ? "does not fit" : "fits",
				 symbols[i]);
}

TEST(test_c)
{
	static const char *const symbols[] = {"solve",
					      "solve@@V_2",
					      "solve@V_1",
					      "solve.constprop.0.isra.12",
					      "solve.lto_priv.0",
					      "solve.part.0",
					      "solve.cold",
					      "solve_all",
					      "a.b",
					      "sol[v]e",
					      "",
					      NULL};

	check("solve", symbols, "xxxxx------");
	check("solve.cold", symbols, "------x----");
	check("solve@@V_2", symbols, "xx---------");
	check("a.b", symbols, "--------x--");
	check("solve*", symbols, "xxxxxxxx---");
	check("s?lve", symbols, "xxxxx------");
	check("[r-t]olve", symbols, "xxxxx------");
	check("*_all", symbols, "-------x---");
	check("*", symbols, "xxxxxxxxxxx");
	check("solv", symbols, "-----------");
}

/* nm shows a version that the library's own table of symbols does not have in the name. */
TEST(test_versioned)
{
	assert_true(fits("pthread_once@@GLIBC_2.34", "pthread_once"));
	assert_true(fits("pthread_once@@GLIBC_2.34", "pthread_once@@GLIBC_2.34"));
	assert_false(fits("pthread_once@@GLIBC_2.34", "pthread_once@GLIBC_2.2.5"));
	assert_false(fits("pthread_once@@GLIBC_2.34", "pthread_onc"));
}

/* Both manglings, without their hash. */
TEST(test_rust)
{
	static const char legacy[] = "_ZN6solver4step17h0123456789abcdefE", v0[] = "_RNvCs1234_6solver4step";

	if (!upcs_demangle_is_there())
		return;
	assert_true(fits("solver::step", legacy));
	assert_true(fits("solver::step", v0));
	assert_true(fits("solver::*", legacy));
	assert_false(fits("solver::other", v0));
	assert_true(fits("_Reset", "_Reset"));
}

TEST(test_too_long)
{
	char text[UPCS_NAME_MAX + 1];
	struct upcs_name name;

	assert_false(upcs_name_parse(&name, ""));
	memset(text, 'a', sizeof(text));
	text[UPCS_NAME_MAX] = '\0';
	assert_false(upcs_name_parse(&name, text));
	text[UPCS_NAME_MAX - 1] = '\0';
	assert_true(upcs_name_parse(&name, text));
	assert_true(upcs_name_fits(&name, text));
}

TEST(test_cxx)
{
	static const char *const symbols[] = {
		"_Z5solvei",                         /* solve(int) */
		"_ZN12_GLOBAL__N_15solveEd",         /* (anonymous namespace)::solve(double) */
		"_ZN6Solver5solveEi",                /* Solver::solve(int) */
		"_ZNK6Solver5solveEPKdj",            /* Solver::solve(double const*, unsigned int) const */
		"_ZN6SolverIiE5solveEi.constprop.0", /* Solver<int>::solve(int) */
		"_ZN6SolverIPKcE5solveES1_",         /* Solver<char const*>::solve(char const*) */
		"_Z5clearIiEvT_",                    /* void clear<int>(int) */
		"_Z4nameB5cxx11v",                   /* name[abi:cxx11]() */
		"_ZN6SolvermlERKS_",                 /* Solver::operator*(Solver const&) */
		"_ZN6SolverclEi",                    /* Solver::operator()(int) */
		"_ZN6SolverltERKS_",                 /* Solver::operator<(Solver const&) */
		"_ZlsIiERSoS0_R6SolverIiE",          /* std::ostream& operator<< <int>(...) */
		"_ZZ4mainENKUliE_clEi",              /* main::{lambda(int)#1}::operator()(int) const */
		"_ZN6SolverD1Ev",                    /* Solver::~Solver() */
		"_ZThn8_N6Solver5solveEi",           /* a thunk */
		"solve",
		NULL};

	if (!upcs_demangle_is_there())
		skip_because("this was built without libiberty, which reads C++ names");
	check("solve", symbols, "xx-------------x");
	check("solve(int)", symbols, "x---------------");
	check("solve( int )", symbols, "x---------------");
	check("(anonymous namespace)::solve", symbols, "-x--------------");
	check("Solver::solve", symbols, "--xxxx----------");
	check("Solver::solve(int)", symbols, "--x-x-----------");
	check("Solver::solve(const double *, unsigned int)", symbols, "---x------------");
	check("Solver::solve(double const*,unsigned int) const", symbols, "---x------------");
	check("Solver::solve(int) const", symbols, "----------------");
	check("Solver<int>::solve", symbols, "----x-----------");
	check("Solver<const char*>::solve(const char*)", symbols, "-----x----------");
	check("clear", symbols, "------x---------");
	check("clear<int>(int)", symbols, "------x---------");
	check("void clear<int>(int)", symbols, "----------------");
	check("name", symbols, "-------x--------");
	check("name[abi:cxx11](void)", symbols, "-------x--------");
	check("Solver::operator*", symbols, "--------x-------");
	check("Solver::operator()", symbols, "---------x------");
	check("Solver::operator()(int)", symbols, "---------x------");
	check("Solver::operator<", symbols, "----------x-----");
	check("operator<<", symbols, "-----------x----");
	check("operator<< <int>", symbols, "-----------x----");
	check("main::{lambda(int)#1}::operator()", symbols, "------------x---");
	check("Solver::~Solver", symbols, "-------------x--");
	check("_ZN6Solver5solveEi", symbols, "--x-------------");
	check("Solver::*", symbols, "--xxxx--xxx--x--");
	check("*::solve(int)", symbols, "--x-x-----------");
	check("s*", symbols, "xx-------------x");
	check("*solve", symbols, "xxxxxx---------x");
	check("_ZN6Solver*", symbols, "--x-xx--xxx--x--");
	check("Z", symbols, "----------------");
}

TEST(test_show)
{
	char text[UPCS_DEMANGLED_MAX];

	upcs_name_show(text, "solve.isra.0", true);
	assert_string_equal(text, "solve");
	if (!upcs_demangle_is_there())
		return;
	upcs_name_show(text, "_ZN6SolverIiE5solveEi.constprop.0", true);
	assert_string_equal(text, "Solver<int>::solve(int)");
	upcs_name_show(text, "_ZN6SolverIiE5solveEi@@V_1", false);
	assert_string_equal(text, "Solver::solve");
}

/* Each argument is of twice the text of the one before; and a name that nests deep. */
TEST(test_hostile)
{
	char symbol[1200] = "_Z1f1AIiiE", text[UPCS_DEMANGLED_MAX];
	size_t n = strlen(symbol);
	uint64_t seed = 1;

	n += (size_t)sprintf(symbol + n, "S_IS0_S0_E");
	for (int i = 1; i < 36; i++) {
		char c = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		n += (size_t)sprintf(symbol + n, "S_IS%c_S%c_E", c, c);
	}
	assert_false(upcs_demangle(symbol, true, text));
	assert_false(fits("f(int)", symbol));
	memset(symbol + 3, 'P', 1000);
	strcpy(symbol + 1003, "i");
	(void)fits("f(int)", symbol);
	upcs_name_show(text, symbol, true);
	/* Random names of what names are made of, on both sides. */
	for (int i = 0; i < 20000; i++) {
		static const char letters[] = "_ZNSIEKPTi1a2bc<>(){}[]*?:, ~\\@.operator anonymous namespace";
		struct upcs_name name;
		char a[64], b[64];

		for (size_t k = 0; k < sizeof(a) - 1; k++) {
			a[k] = letters[(random_next(&seed) >> 16) % (sizeof(letters) - 1)];
			b[k] = letters[(random_next(&seed) >> 16) % (i % 2 ? 14 : sizeof(letters) - 1)];
		}
		a[(random_next(&seed) >> 16) % sizeof(a)] = b[(random_next(&seed) >> 16) % sizeof(b)] = '\0';
		a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
		if (i % 2)
			memcpy(b, "_Z", 2);
		if (upcs_name_parse(&name, a))
			(void)upcs_name_fits(&name, b);
	}
}

UNIT_TESTS(sim_names, NULL, NULL)
