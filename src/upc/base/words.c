/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * words.c - a line of text for each thread, which takes two words of thread-local storage. Signal handlers
 * need variables of the initial-exec model. In a library with one such variable, all its thread-local
 * variables are in the block that threads get at their start, and all libraries that a program opens at run
 * time share 1.7 KB of that block.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for strerrordesc_np */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

/* Number of rounds of destructors in which other destructors may still measure. MPX waits for one round and
 * ends in the next (src/mpx/ticker/thread_exit.c). PTHREAD_DESTRUCTOR_ITERATIONS is 4. */
#define ROUNDS_LEFT 2

struct line {
	unsigned rounds, count;
	char text[UPCI_WORDS_MAX];
};

static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
	struct line *line;
	const char *now; /* the current text: line->text or a general text */
} own;

/* Stands for the line of a thread whose line was freed. The thread gets no other line. */
static struct line ended;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool has_key; /* set under once, cleared by delete_line_key */

static void end_line_of_thread(void *arg)
{
	struct line *line = arg;

	if (line->rounds++ < ROUNDS_LEFT && !pthread_setspecific(key, line))
		return;
	/* The order matters: a handler that runs in between must not use the line again. */
	own.line = &ended;
	atomic_signal_fence(memory_order_seq_cst);
	own.now = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	free(line);
}

static void make_line_key(void)
{
	atomic_store(&has_key, pthread_key_create(&key, end_line_of_thread) == 0);
}

/* The thread that loads the library is mostly the program's first. */
__attribute__((constructor)) static void prepare_first(void)
{
	(void)upci_words_prepare();
}

/* Runs when the library is unloaded or the program ends, so that no thread that ends later calls
 * end_line_of_thread. */
__attribute__((destructor)) static void delete_line_key(void)
{
	struct line *line;

	if (!atomic_exchange(&has_key, false))
		return;
	line = pthread_getspecific(key);
	pthread_key_delete(key);
	if (!line)
		return;
	line->rounds = ROUNDS_LEFT;
	end_line_of_thread(line);
}

bool upci_words_prepare(void)
{
	struct line *line;

	if (own.line)
		return own.line != &ended;
	pthread_once(&once, make_line_key);
	if (!atomic_load(&has_key))
		return false;
	line = malloc(sizeof(*line));
	if (!line)
		return false;
	line->rounds = line->count = 0;
	line->text[0] = 0;
	if (pthread_setspecific(key, line)) {
		free(line);
		return false;
	}
	own.line = line;
	return true;
}

/* Replace control characters: a name that the user gave may contain newlines and terminal escapes. */
static void keep_one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

void upci_words_set(const char *general, const char *format, va_list args)
{
	struct line *line = own.line;

	if (!line || line == &ended) {
		own.now = general;
		return;
	}
	vsnprintf(line->text, sizeof(line->text), format, args);
	keep_one_line(line->text);
	line->count++;
	own.now = line->text;
}

unsigned upci_words_count(void)
{
	return own.line ? own.line->count : 0;
}

const char *upci_words(void)
{
	return own.now ? own.now : "";
}

void upci_words_keep(struct upci_words_kept *kept)
{
	kept->now = own.now;
	if (own.line && own.now == own.line->text)
		strcpy(kept->text, own.now);
}

void upci_words_restore(const struct upci_words_kept *kept)
{
	if (own.line && kept->now == own.line->text)
		strcpy(own.line->text, kept->text);
	own.now = kept->now;
}

const char *upci_words_of_errno(int error)
{
	const char *words = strerrordesc_np(error);

	return words ? words : "an error without a name";
}
