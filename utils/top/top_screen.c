/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_screen.c - the terminal of upc_top, and the events that end its waits: keys, signals, a new size.
 *
 * All signals arrive through a signalfd, so no code runs in a signal handler, and every exit path calls
 * top_screen_end. The escape sequences work on all current terminals.
 */
#include "top/top_screen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/common.h"

#define ROWS_DEFAULT 24

/* ENTER selects the alternate screen without cursor and without wrapping: a row that is wider than computed
 * must not move the other rows. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"
#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_REST "\033[J"

bool top_screen_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

unsigned top_screen_rows(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
		return size.ws_row;
	return ROWS_DEFAULT;
}

unsigned top_screen_columns(void)
{
	return isatty(STDOUT_FILENO) || getenv("COLUMNS") != NULL ? util_width(stdout) : UTIL_WIDTH_MAX;
}

/* ---- taking and releasing the terminal --------------------------------- */

static int put_screen_text(const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(STDOUT_FILENO, text, length);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

static void take_terminal(struct top_screen *screen)
{
	struct termios raw;

	screen->keys = tcgetattr(STDIN_FILENO, &screen->lines) == 0;
	if (screen->keys) {
		/* Read keys one at a time without echo. Ctrl-C and Ctrl-Z still send signals. */
		raw = screen->lines;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		screen->keys = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
	}
	put_screen_text(ENTER, sizeof(ENTER) - 1);
	screen->drawing = true;
}

static void give_terminal(struct top_screen *screen)
{
	put_screen_text(LEAVE, sizeof(LEAVE) - 1);
	if (screen->keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &screen->lines);
	screen->drawing = screen->keys = false;
}

int top_screen_begin(struct top_screen *screen, bool drawing)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action;
	sigset_t taken;

	*screen = (struct top_screen){.signals = -1};
	sigemptyset(&taken);
	/* A signal that was ignored at the start (nohup) stays ignored. */
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigaction(ends[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&taken, ends[i]);
	if (drawing) {
		sigaddset(&taken, SIGWINCH);
		sigaddset(&taken, SIGTSTP);
	}
	sigprocmask(SIG_BLOCK, &taken, &screen->mask);
	screen->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	if (screen->signals < 0) {
		util_error("cannot wait for signals: %s", strerror(errno));
		sigprocmask(SIG_SETMASK, &screen->mask, NULL);
		return -1;
	}
	if (drawing)
		take_terminal(screen);
	return 0;
}

void top_screen_end(struct top_screen *screen)
{
	if (screen->drawing)
		give_terminal(screen);
	if (screen->signals < 0)
		return;
	close(screen->signals);
	screen->signals = -1;
	sigprocmask(SIG_SETMASK, &screen->mask, NULL);
}

/* ---- drawing ----------------------------------------------------------- */

int top_screen_draw(const char *frame, size_t length)
{
	const char *end = frame + length;
	unsigned rows = top_screen_rows();
	char *memory = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&memory, &size);
	int result;

	if (out == NULL)
		return 0; /* the next refresh may succeed */
	fputs(HOME, out);
	for (unsigned row = 0; row < rows; row++) {
		const char *line = frame < end ? memchr(frame, '\n', (size_t)(end - frame)) : NULL;

		/* Print no newline after the last row, since the screen would scroll. */
		fputs(row > 0 ? "\r\n" : "", out);
		if (frame >= end) {
			fputs(CLEAR_REST, out);
			break;
		}
		/* Clear the line before writing: after a full row the cursor is on the row's last character,
		 * which clearing would erase. */
		fputs(CLEAR_LINE, out);
		if (line == NULL)
			line = end;
		fwrite(frame, 1, (size_t)(line - frame), out);
		frame = line + 1;
	}
	/* Write the frame with a single call, so that no partial frame is visible. */
	result = fclose(out) == 0 ? put_screen_text(memory, size) : 0;
	free(memory);
	return result;
}

/* ---- waiting ----------------------------------------------------------- */

/* Handle Ctrl-Z: restore the terminal for the shell, stop, and take the terminal again after SIGCONT. */
static void suspend_screen(struct top_screen *screen)
{
	sigset_t stop;

	give_terminal(screen);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, NULL); /* this process stops here */
	sigprocmask(SIG_BLOCK, &stop, NULL);
	take_terminal(screen);
}

static enum top_wake take_screen_signal(struct top_screen *screen)
{
	struct signalfd_siginfo info;

	if (read(screen->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return TOP_WAKE_TICK;
	if (info.ssi_signo == SIGTSTP)
		suspend_screen(screen);
	else if (info.ssi_signo != SIGWINCH)
		return TOP_WAKE_END;
	return TOP_WAKE_REDRAW;
}

/* Read a key. Return TOP_WAKE_TICK for a key without a function. */
static enum top_wake on_key(struct top_screen *screen)
{
	char key;
	ssize_t n = read(STDIN_FILENO, &key, 1);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return TOP_WAKE_TICK;
	if (n <= 0) {
		screen->keys = false; /* end of input: no further keys */
		return TOP_WAKE_TICK;
	}
	switch (key) {
	case 'q':
	case 'Q':
		return TOP_WAKE_END;
	case ' ':
	case '\f':
		return TOP_WAKE_NOW;
	case 's':
		return TOP_WAKE_SORT;
	case 'a':
		return TOP_WAKE_ALL;
	default:
		return TOP_WAKE_TICK;
	}
}

enum top_wake top_screen_wait(struct top_screen *screen, uint64_t deadline)
{
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = screen->signals, .events = POLLIN},
			{.fd = screen->keys ? STDIN_FILENO : -1, .events = POLLIN},
		};
		uint64_t now = upci_now_ns(), left = deadline > now ? deadline - now : 0;
		struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000),
					   .tv_nsec = (long)(left % 1000000000)};
		enum top_wake wake = TOP_WAKE_TICK;
		int n = ppoll(fds, 2, &timeout, NULL);

		if (n == 0)
			return TOP_WAKE_TICK;
		if (n > 0 && fds[0].revents != 0)
			wake = take_screen_signal(screen);
		else if (n > 0 && fds[1].revents != 0)
			wake = on_key(screen);
		if (wake != TOP_WAKE_TICK)
			return wake;
	}
}
