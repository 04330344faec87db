/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bt - a program to be counted, similar to BT of the NAS benchmarks. It simulates five quantities of a gas on
 * n x n x n points with an implicit scheme. Each step solves a system of equations along all lines of each of
 * the three directions. The system is block tridiagonal, with blocks of 5 x 5.
 *
 * Usage: bt [N [STEPS]]    N 4 to 64 [12], STEPS [10]
 *
 * Each step prints the sum of the squared changes. At the end, the program solves the systems along all lines
 * once more, and checks the solutions. The exit status is 1 if a solution is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_MAX 64
#define GAMMA 1.4
#define TIME_STEP 0.02
#define VISCOSITY 0.1
#define DAMPING 0.75

/* A system along a line: lower[i] x[i-1] + middle[i] x[i] + upper[i] x[i+1] = right[i]. */
struct line {
	double lower[N_MAX][5][5], middle[N_MAX][5][5], upper[N_MAX][5][5];
	double right[N_MAX][5]; /* after the solution: x */
};

static unsigned n;
static double state[N_MAX][N_MAX][N_MAX][5]; /* density, momentum, energy */
static double change[N_MAX][N_MAX][N_MAX][5];
static double flux[N_MAX][5][5], viscous[N_MAX][5][5]; /* Jacobians along a line */
static struct line line;

/* Return point i of the line in a direction through (a, b). */
static double *at(double field[N_MAX][N_MAX][N_MAX][5], unsigned direction, unsigned i, unsigned a,
		  unsigned b)
{
	return direction == 0 ? field[a][b][i] : direction == 1 ? field[a][i][b] : field[i][a][b];
}

/* Set a block to zero. A loop has the same counts with every version of the C library, unlike memset. */
static void clear(double block[5][5])
{
	unsigned j, k;

	for (j = 0; j < 5; j++)
		for (k = 0; k < 5; k++)
			block[j][k] = 0;
}

static void copy(double *to, const double *from)
{
	unsigned k;

	for (k = 0; k < 5; k++)
		to[k] = from[k];
}

/* ---- the equations -------------------------------------------------------------------- */

static void jacobians(const double *u, unsigned direction, double f[5][5], double v[5][5])
{
	double inverse = 1 / u[0], speed[3], half_square, energy = GAMMA * u[4] * inverse, along;
	unsigned j, k;

	for (k = 0; k < 3; k++)
		speed[k] = u[1 + k] * inverse;
	half_square = 0.5 * (speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]);
	along = speed[direction];
	clear(f);
	clear(v);
	f[0][1 + direction] = 1;
	for (k = 0; k < 3; k++) {
		f[1 + k][0] = -speed[k] * along;
		f[1 + k][1 + k] = along;
		f[1 + k][1 + direction] += speed[k];
		v[1 + k][0] = -VISCOSITY * speed[k] * inverse;
		v[1 + k][1 + k] = VISCOSITY * inverse;
		v[4][1 + k] = -(GAMMA - 1) * VISCOSITY * speed[k] * inverse;
	}
	f[1 + direction][0] += (GAMMA - 1) * half_square;
	for (j = 0; j < 3; j++) {
		f[1 + direction][1 + j] -= (GAMMA - 1) * speed[j];
		f[4][1 + j] = -(GAMMA - 1) * speed[j] * along;
	}
	f[1 + direction][4] = GAMMA - 1;
	f[4][0] = along * (2 * (GAMMA - 1) * half_square - energy);
	f[4][1 + direction] += energy - (GAMMA - 1) * half_square;
	f[4][4] = GAMMA * along;
	v[4][0] = VISCOSITY * inverse * (half_square - energy);
	v[4][4] = GAMMA * VISCOSITY * inverse;
}

static void set_identity(double block[5][5])
{
	unsigned k;

	clear(block);
	for (k = 0; k < 5; k++)
		block[k][k] = 1;
}

/* Make the equations along a line. At the walls, they are x = right. */
static void make_blocks(unsigned direction, unsigned a, unsigned b)
{
	const double t1 = TIME_STEP * n / 2, t2 = TIME_STEP * n * n / 100;
	unsigned i, j, k;

	for (i = 0; i < n; i++)
		jacobians(at(state, direction, i, a, b), direction, flux[i], viscous[i]);
	clear(line.lower[0]);
	clear(line.upper[0]);
	clear(line.lower[n - 1]);
	clear(line.upper[n - 1]);
	set_identity(line.middle[0]);
	set_identity(line.middle[n - 1]);
	for (i = 1; i < n - 1; i++) {
		for (j = 0; j < 5; j++)
			for (k = 0; k < 5; k++) {
				line.lower[i][j][k] = -t1 * flux[i - 1][j][k] - t2 * viscous[i - 1][j][k];
				line.middle[i][j][k] = 2 * t2 * viscous[i][j][k];
				line.upper[i][j][k] = t1 * flux[i + 1][j][k] - t2 * viscous[i + 1][j][k];
			}
		for (k = 0; k < 5; k++) {
			line.lower[i][k][k] -= DAMPING * t2;
			line.middle[i][k][k] += 1 + 2 * DAMPING * t2;
			line.upper[i][k][k] -= DAMPING * t2;
		}
	}
}

/* ---- solution of the equations -------------------------------------------------------- */

/* y -= block x; c -= a b */
static void subtract_vector(const double block[5][5], const double *x, double *y)
{
	unsigned j, k;

	for (j = 0; j < 5; j++)
		for (k = 0; k < 5; k++)
			y[j] -= block[j][k] * x[k];
}

static void subtract_product(const double a[5][5], const double b[5][5], double c[5][5])
{
	unsigned j, k, m;

	for (j = 0; j < 5; j++)
		for (m = 0; m < 5; m++)
			for (k = 0; k < 5; k++)
				c[j][k] -= a[j][m] * b[m][k];
}

/* Eliminate by Gauss and Jordan: multiply upper and right by the inverse of middle. */
static void eliminate(double middle[5][5], double upper[5][5], double *right)
{
	unsigned p, j, k;

	for (p = 0; p < 5; p++) {
		double pivot = 1 / middle[p][p];

		for (k = p + 1; k < 5; k++)
			middle[p][k] *= pivot;
		for (k = 0; k < 5; k++)
			upper[p][k] *= pivot;
		right[p] *= pivot;
		for (j = 0; j < 5; j++) {
			double factor = middle[j][p];

			if (j == p)
				continue;
			for (k = p + 1; k < 5; k++)
				middle[j][k] -= factor * middle[p][k];
			for (k = 0; k < 5; k++)
				upper[j][k] -= factor * upper[p][k];
			right[j] -= factor * right[p];
		}
	}
}

static void solve_line(void)
{
	unsigned i;

	eliminate(line.middle[0], line.upper[0], line.right[0]);
	for (i = 1; i < n; i++) {
		subtract_vector(line.lower[i], line.right[i - 1], line.right[i]);
		subtract_product(line.lower[i], line.upper[i - 1], line.middle[i]);
		eliminate(line.middle[i], line.upper[i], line.right[i]);
	}
	for (i = n - 1; i-- > 0;)
		subtract_vector(line.upper[i], line.right[i + 1], line.right[i]);
}

static void take_right(unsigned direction, unsigned a, unsigned b)
{
	unsigned i;

	for (i = 0; i < n; i++)
		copy(line.right[i], at(change, direction, i, a, b));
}

static void sweep(unsigned direction)
{
	unsigned i, a, b;

	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++) {
			take_right(direction, a, b);
			make_blocks(direction, a, b);
			solve_line();
			for (i = 0; i < n; i++)
				copy(at(change, direction, i, a, b), line.right[i]);
		}
}

/* ---- the benchmark -------------------------------------------------------------------- */

/* Set the initial state, with a hot spot in the middle. */
static void fill(void)
{
	unsigned x, y, z;

	for (z = 0; z < n; z++)
		for (y = 0; y < n; y++)
			for (x = 0; x < n; x++) {
				double s = (2.0 * x - n) / n, t = (2.0 * y - n) / n, w = (2.0 * z - n) / n;
				double *u = state[z][y][x], bump = 1 / (1 + 4 * (s * s + t * t + w * w));

				u[0] = 1 + 0.1 * bump;
				u[1] = 0.1 * s * bump;
				u[2] = 0.1 * t * bump;
				u[3] = 0.1 * w * bump;
				u[4] = 2 + bump;
			}
}

/* Compute the change of the state, by diffusion. The change at the walls remains 0. */
static void make_change(void)
{
	unsigned x, y, z, k;

	for (z = 1; z < n - 1; z++)
		for (y = 1; y < n - 1; y++)
			for (x = 1; x < n - 1; x++)
				for (k = 0; k < 5; k++)
					change[z][y][x][k] = TIME_STEP * DAMPING *
							     (state[z][y][x - 1][k] + state[z][y][x + 1][k] +
							      state[z][y - 1][x][k] + state[z][y + 1][x][k] +
							      state[z - 1][y][x][k] + state[z + 1][y][x][k] -
							      6 * state[z][y][x][k]);
}

static double add_change(void)
{
	double square = 0;
	unsigned x, y, z, k;

	for (z = 0; z < n; z++)
		for (y = 0; y < n; y++)
			for (x = 0; x < n; x++)
				for (k = 0; k < 5; k++) {
					double d = change[z][y][x][k];

					state[z][y][x][k] += d;
					square += d * d;
				}
	return square;
}

/* Run the part to be counted, without the set-up. --region finds this function by its name. */
__attribute__((noinline, noclone)) static void bt_steps(unsigned steps)
{
	unsigned step, direction;

	for (step = 1; step <= steps; step++) {
		make_change();
		for (direction = 0; direction < 3; direction++)
			sweep(direction);
		printf("step %u change %.9e\n", step, add_change());
	}
}

/* ---- check of the solutions ------------------------------------------------------------ */

/* Return the larger of error and |difference|. NaN counts as larger than any number. */
static double larger(double error, double difference)
{
	if (difference < 0)
		difference = -difference;
	return error != error || difference <= error ? error : difference;
}

static double line_error(unsigned direction, unsigned a, unsigned b)
{
	static double solution[N_MAX][5];
	double error = 0;
	unsigned i, k;

	take_right(direction, a, b);
	make_blocks(direction, a, b);
	solve_line();
	memcpy(solution, line.right, sizeof(solution));
	take_right(direction, a, b);
	make_blocks(direction, a, b);
	for (i = 0; i < n; i++) {
		subtract_vector(line.middle[i], solution[i], line.right[i]);
		if (i > 0)
			subtract_vector(line.lower[i], solution[i - 1], line.right[i]);
		if (i < n - 1)
			subtract_vector(line.upper[i], solution[i + 1], line.right[i]);
		for (k = 0; k < 5; k++)
			error = larger(error, line.right[i][k]);
	}
	return error;
}

static int check(void)
{
	unsigned direction, a, b;
	double error = 0, largest = 0;

	make_change();
	for (direction = 0; direction < 3; direction++)
		for (a = 0; a < n; a++)
			for (b = 0; b < n; b++) {
				error = larger(error, line_error(direction, a, b));
				largest = larger(largest, *at(change, direction, n / 2, a, b));
			}
	printf("largest residual %.1e\n", error);
	/* The residual must be small, and the right sides must not all be zero. */
	return !(error < 1e-14 && largest > 1e-5);
}

int main(int argc, char **argv)
{
	unsigned long size = argc > 1 ? strtoul(argv[1], NULL, 10) : 12;
	unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 10;

	if (argc > 3 || size < 4 || size > N_MAX || steps < 1 || steps > 1000) {
		fprintf(stderr, "Usage: bt [N [STEPS]]\nN is 4 to %d\n", N_MAX);
		return 2;
	}
	n = (unsigned)size;
	fill();
	bt_steps((unsigned)steps);
	return check();
}
