/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ft - a program to be counted, similar to FT of the NAS benchmarks. It transforms a field of n x n x n
 * complex numbers once. Each step then lets the field decay in frequency space, transforms it back, and
 * prints a checksum.
 *
 * Usage: ft [N [STEPS]]    N a power of two from 4 to 256 [64], STEPS [6]; NAS's smallest
 *        ft check          compares the transform with a discrete Fourier transform computed as a sum
 *
 * Real and imaginary parts are in separate arrays, and many lines are transformed at once. All inner loops
 * therefore have unit stride and an even number of rounds. If the compiler vectorises them, the arithmetic is
 * the same, two numbers at a time.
 *
 * The program does not use libm: for PowerPC, its sine uses an instruction that QEMU 7.2 does not know, and
 * that older processors decode as another one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With MARKS, mark the program's phases as regions of libhpm. */
#ifdef MARKS
#include <libhpm.h>
#define BEGIN(number, name) hpmStart(number, name)
#define END(number) hpmStop(number)
#else
#define BEGIN(number, name) (void)0
#define END(number) (void)0
#endif

#define N_MAX 256
#define LINES_MAX 16 /* transformed side by side */
#define PI 3.14159265358979323846
#define DECAY 1e-6

struct field {
	double *re, *im;
};

static unsigned n, lines;
static size_t cells;
static double root_re[N_MAX], root_im[N_MAX]; /* exp(-2 pi i k / n) */
static double work[2][2][N_MAX * LINES_MAX];  /* [source, destination][real, imaginary] */

static double *make(size_t count)
{
	double *p = aligned_alloc(64, count * sizeof(*p));

	if (!p) {
		fprintf(stderr, "ft: out of memory\n");
		exit(1);
	}
	return p;
}

static struct field make_field(void)
{
	struct field f = {make(cells), make(cells)};

	return f;
}

static void free_field(struct field *f)
{
	free(f->re);
	free(f->im);
}

/* Compute functions by their series: cos and sin of a part of the circle, -1/2 to 1/2, and exp of -1 to 0. */
static void point(double part, double *re, double *im)
{
	double x = 2 * PI * part, term = 1;
	unsigned k;

	*re = *im = 0;
	for (k = 1; k <= 32; k++) {
		if (k % 2)
			*re += term;
		else
			*im += term;
		term *= (k % 2 ? x : -x) / k;
	}
}

static double decay_of(double x)
{
	double sum = 0, term = 1;
	unsigned k;

	for (k = 1; k <= 20; k++) {
		sum += term;
		term *= x / k;
	}
	return sum;
}

static void set_size(unsigned size, unsigned together)
{
	unsigned k;

	n = size;
	lines = n < together ? n : together;
	cells = (size_t)n * n * n;
	for (k = 0; k < n; k++) {
		point(k <= n / 2 ? -(double)k / n : 1 - (double)k / n, &root_re[k], &root_im[k]);
	}
}

/* ---- one dimension -------------------------------------------------------------------- */

/* Compute y0 = a + b and y1 = (a - b) * w for count numbers. */
static void butterflies(unsigned count, double wr, double wi, const double *restrict ar,
			const double *restrict ai, const double *restrict br, const double *restrict bi,
			double *restrict y0r, double *restrict y0i, double *restrict y1r,
			double *restrict y1i)
{
	unsigned k;

	for (k = 0; k < count; k++) {
		double dr = ar[k] - br[k], di = ai[k] - bi[k];

		y0r[k] = ar[k] + br[k];
		y0i[k] = ai[k] + bi[k];
		y1r[k] = dr * wr - di * wi;
		y1i[k] = dr * wi + di * wr;
	}
}

/* Transform work[0] with Stockham's algorithm, radix 2. Return the index in work of the result, 0 or 1. */
static unsigned transform_lines(int inverse)
{
	unsigned from = 0, length, stride, p;

	for (length = n, stride = lines; length > 1; length /= 2, stride *= 2, from = !from) {
		unsigned half = length / 2;
		double *xr = work[from][0], *xi = work[from][1], *yr = work[!from][0], *yi = work[!from][1];

		for (p = 0; p < half; p++) {
			unsigned k = p * (n / length), a = stride * p, b = stride * (p + half);

			butterflies(stride, root_re[k], inverse ? -root_im[k] : root_im[k], xr + a, xi + a,
				    xr + b, xi + b, yr + 2 * a, yi + 2 * a, yr + 2 * a + stride,
				    yi + 2 * a + stride);
		}
	}
	return from;
}

/* ---- three dimensions ----------------------------------------------------------------- */

/* Copy lines from a field. Element i of line l is at i * step + l * apart. */
static void take(double *restrict to, const double *restrict from, size_t step, size_t apart)
{
	unsigned i, l;

	for (i = 0; i < n; i++)
		for (l = 0; l < lines; l++)
			to[i * lines + l] = from[i * step + l * apart];
}

static void put(double *restrict to, const double *restrict from, size_t step, size_t apart)
{
	unsigned i, l;

	for (i = 0; i < n; i++)
		for (l = 0; l < lines; l++)
			to[i * step + l * apart] = from[i * lines + l];
}

/* Transform a bundle of lines, the first of which begins at `begin`, in place. */
static void transform_at(struct field *f, size_t begin, size_t step, size_t apart, int inverse)
{
	unsigned half;

	/* Pass constants, so that the compiler generates copies of unit stride if possible. */
	if (apart == 1) {
		take(work[0][0], f->re + begin, step, 1);
		take(work[0][1], f->im + begin, step, 1);
		half = transform_lines(inverse);
		put(f->re + begin, work[half][0], step, 1);
		put(f->im + begin, work[half][1], step, 1);
	} else {
		take(work[0][0], f->re + begin, 1, apart);
		take(work[0][1], f->im + begin, 1, apart);
		half = transform_lines(inverse);
		put(f->re + begin, work[half][0], 1, apart);
		put(f->im + begin, work[half][1], 1, apart);
	}
}

static void transform(struct field *f, int inverse)
{
	size_t plane = (size_t)n * n, a, b;

	for (a = 0; a < n; a++) {
		BEGIN(1, "fft x");
		for (b = 0; b < n; b += lines)
			transform_at(f, a * plane + b * n, 1, n, inverse); /* along x, lines of several y */
		END(1);
		BEGIN(2, "fft y");
		for (b = 0; b < n; b += lines)
			transform_at(f, a * plane + b, n, 1, inverse); /* along y, of several x */
		END(2);
	}
	BEGIN(3, "fft z");
	for (a = 0; a < n; a++)
		for (b = 0; b < n; b += lines)
			transform_at(f, a * n + b, plane, 1, inverse); /* along z, of several x */
	END(3);
}

/* ---- the benchmark -------------------------------------------------------------------- */

static uint64_t random_state;

/* Return a random number >= 0 and < 1 (Knuth's MMIX generator). */
static double next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (double)(int64_t)(random_state >> 11) * 0x1p-53;
}

static void fill(struct field *f)
{
	size_t i;

	random_state = 314159265;
	for (i = 0; i < cells; i++) {
		f->re[i] = next_random();
		f->im[i] = next_random();
	}
}

/* Compute the factor of each frequency in a step. */
static void make_decay(double *decay)
{
	double along[N_MAX];
	unsigned x, y, z;

	for (x = 0; x < n; x++) {
		double k = x < n / 2 ? (double)x : (double)x - n;

		along[x] = decay_of(-4 * DECAY * PI * PI * k * k);
	}
	for (z = 0; z < n; z++)
		for (y = 0; y < n; y++)
			for (x = 0; x < n; x++)
				decay[((size_t)z * n + y) * n + x] = along[x] * along[y] * along[z];
}

static void evolve(size_t count, double *restrict ur, double *restrict ui, double *restrict vr,
		   double *restrict vi, const double *restrict decay)
{
	size_t i;

	for (i = 0; i < count; i++) {
		ur[i] *= decay[i];
		ui[i] *= decay[i];
		vr[i] = ur[i];
		vi[i] = ui[i];
	}
}

static void print_checksum(unsigned step, const struct field *f)
{
	double re = 0, im = 0;
	unsigned j;

	for (j = 1; j <= 1024; j++) {
		size_t at = ((size_t)(5 * j % n) * n + 3 * j % n) * n + j % n;

		re += f->re[at];
		im += f->im[at];
	}
	/* Twelve digits do not depend on whether the compiler fuses multiplications and additions. */
	printf("step %u checksum %.11e %.11e\n", step, re / (double)cells, im / (double)cells);
}

/* Run the part to be counted, without the set-up. --region finds this function by its name. */
__attribute__((noinline, noclone)) static void ft_steps(unsigned steps, struct field *u, struct field *v,
							const double *decay)
{
	unsigned step;

	for (step = 1; step <= steps; step++) {
		BEGIN(5, "evolve");
		evolve(cells, u->re, u->im, v->re, v->im, decay);
		END(5);
		transform(v, 1);
		BEGIN(6, "checksum");
		print_checksum(step, v);
		END(6);
	}
}

static int run(unsigned size, unsigned steps)
{
	struct field u, v;
	double *decay;

	BEGIN(4, "setup");
	set_size(size, LINES_MAX);
	u = make_field();
	v = make_field();
	decay = make(cells);
	fill(&u);
	make_decay(decay);
	transform(&u, 0);
	END(4);
	ft_steps(steps, &u, &v, decay);
	free(decay);
	free_field(&v);
	free_field(&u);
	return 0;
}

/* ---- comparison with the definition --------------------------------------------------- */

static void by_sum(unsigned x, unsigned y, unsigned z, const struct field *f, int sign, double *re,
		   double *im)
{
	unsigned a, b, c;
	double sum_re = 0, sum_im = 0;

	for (c = 0; c < n; c++)
		for (b = 0; b < n; b++)
			for (a = 0; a < n; a++) {
				size_t at = ((size_t)c * n + b) * n + a;
				unsigned k = (a * x + b * y + c * z) % n;
				double wr = root_re[k], wi = -sign * root_im[k];

				sum_re += f->re[at] * wr - f->im[at] * wi;
				sum_im += f->re[at] * wi + f->im[at] * wr;
			}
	*re = sum_re;
	*im = sum_im;
}

/* Return the larger of error and |difference|. NaN counts as larger than any number. */
static double larger(double error, double difference)
{
	if (difference < 0)
		difference = -difference;
	return error != error || difference <= error ? error : difference;
}

/* Return the largest error of the roots: each must be a power of the first, and a quarter turn must be -i. */
static double error_of_roots(void)
{
	double re = 1, im = 0, next, error = 0;
	unsigned k;

	for (k = 0; k < n; k++) {
		error = larger(larger(error, re - root_re[k]), im - root_im[k]);
		next = re * root_re[1] - im * root_im[1];
		im = re * root_im[1] + im * root_re[1];
		re = next;
	}
	error = larger(larger(error, re - 1), im);
	return larger(larger(error, root_re[n / 4]), root_im[n / 4] + 1);
}

static double largest_error(unsigned size, int inverse)
{
	struct field f, g;
	double error, re, im;
	unsigned x, y, z;

	/* A bundle has at most 4 lines, so a plane of size 8 has more than one bundle. */
	set_size(size, 4);
	f = make_field();
	g = make_field();
	fill(&f);
	memcpy(g.re, f.re, cells * sizeof(*g.re));
	memcpy(g.im, f.im, cells * sizeof(*g.im));
	transform(&g, inverse);
	error = error_of_roots();
	for (z = 0; z < n; z++)
		for (y = 0; y < n; y++)
			for (x = 0; x < n; x++) {
				size_t at = ((size_t)z * n + y) * n + x;

				by_sum(x, y, z, &f, inverse ? 1 : -1, &re, &im);
				error = larger(larger(error, g.re[at] - re), g.im[at] - im);
			}
	free_field(&g);
	free_field(&f);
	return error;
}

static int check(void)
{
	unsigned size;
	int inverse, bad = 0;

	for (size = 4; size <= 8; size *= 2)
		for (inverse = 0; inverse < 2; inverse++) {
			double error = largest_error(size, inverse);

			/* The limit allows for values as large as the number of cells. */
			bad |= !(error < 1e-11);
			printf("%s %u^3: largest error %.1e\n", inverse ? "inverse" : "forward", size, error);
		}
	return bad;
}

int main(int argc, char **argv)
{
	unsigned long size = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
	unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 6;

	if (argc == 2 && strcmp(argv[1], "check") == 0)
		return check();
	if (argc > 3 || size < 4 || size > N_MAX || size & (size - 1) || steps < 1 || steps > 1000) {
		fprintf(stderr, "Usage: ft [N [STEPS]] | check\nN is a power of two from 4 to %d\n", N_MAX);
		return 2;
	}
	return run((unsigned)size, (unsigned)steps);
}
