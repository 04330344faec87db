/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record.h - the record of a process: the data of its report, in a file in shared memory, where
 * it stays when the process is killed. record.c writes it, recorded.c reads it afterwards.
 *
 * The engine keeps its accounts in private memory and copies each change into the record; it never
 * reads the record. A truncated or damaged file can therefore lose the report, and nothing else.
 * The file is on tmpfs, since the kernel writes pages of other files back, and each write-back costs
 * the program a page fault later. Blocks are allocated before they are mapped, so that a full file
 * system refuses a block and sends no SIGBUS.
 *
 * The file is a head of one page and blocks of whole pages. Readers accept a block once its kind is stored.
 * A kill at any instruction leaves:
 * - calls, time, mark, and current path are single words. A kill during a mark may leave some of these words
 *   written and others not: a time may be one stretch ahead of the thread's last mark.
 * - counted values of a row have two slots, written alternately. A slot that is being written has generation
 *   0, and the other one is valid. A slot also stores the time of its row
 *   when the slot was written. If the row's time differs from it, the values are older than the row, and are
 *   lower bounds.
 * Terms: region/region.h.
 */
#ifndef UPCR_RECORD_H
#define UPCR_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "region/notes.h"
#include "region/sum.h"

#define UPCR_RECORD_MAGIC 0x32726f6365527055u
enum { UPCR_RECORD_PAGE = 4096 };
/* Limit of a record's size; later threads and paths are left out of the record. */
#define UPCR_RECORD_MAX ((size_t)64 << 20)

enum upcr_record_state {
	UPCR_RECORD_LIVES = 1,
	UPCR_RECORD_OVER, /* the process has written its report file itself */
};

struct upcr_record_head {
	_Atomic uint64_t magic; /* stored last, when the head is complete */
	uint32_t events;
	int32_t pid;
	uint64_t start; /* start of the process in ticks since boot, from /proc/PID/stat */
	uint64_t begun; /* CLOCK_MONOTONIC, ns */
	uint32_t child; /* 1: the process is a child of another process with a record */
	atomic_uint state;
	atomic_uint lacking; /* 1: a block found no room */
};

enum upcr_record_kind { UPCR_RECORD_TEXTS = 1, UPCR_RECORD_THREAD, UPCR_RECORD_ROWS };

struct upcr_record_block {
	atomic_uint kind; /* stored last, when the block is complete */
	uint32_t pages, serial;
	uint32_t first, n; /* number of the first row, and number of rows */
	atomic_uint used;  /* bytes of texts */
};

enum upcr_record_text {
	UPCR_RECORD_HEAD = 1, /* pieces of the JSON file's head, to be concatenated */
	UPCR_RECORD_NAME,     /* region names in the order of their numbers, from 1 */
	UPCR_RECORD_EVENT,
	UPCR_RECORD_REASON, /* why event index is refused; beyond the events: why nothing is counted */
};

/* A text in a block. Each text is padded to 8 bytes; the next one follows. */
struct upcr_record_entry {
	uint32_t kind, index, length, spare;
	char text[];
};

struct upcr_record_marks {
	_Atomic uint64_t mark; /* time of the thread's last mark, CLOCK_MONOTONIC, ns */
	atomic_uint current;   /* current node of the tree */
	atomic_uint rows;      /* nodes made so far */
	_Atomic uint64_t missed;
	atomic_uint counts; /* enum upcr_record_counts */
	atomic_uint ended;
};

enum upcr_record_counts { UPCR_RECORD_UNCOUNTED, UPCR_RECORD_COUNTS, UPCR_RECORD_BROKEN };

struct upcr_record_thread {
	struct upcr_record_block block;
	int32_t tid;
	char name[16];
	uint64_t begun;
	uint32_t born;    /* row that upcr_result_settle moves; 0: none */
	atomic_uint home; /* new place of the row born (upcr_result_settle) */
	struct upcr_record_marks marks;
	struct upcr_notes notes;
};

struct upcr_record_row {
	_Atomic uint64_t calls, ns;
	uint32_t parent, name;
	uint32_t generation;
	atomic_uint lacks; /* enum upcr_lack */
			   /* two struct upcr_record_slot follow if events are counted */
};

struct upcr_record_slot {
	_Atomic uint64_t generation; /* 0: no values */
	uint64_t ns;                 /* the row's time when the values were copied */
	struct upcr_value value[];   /* [events] */
};

static inline size_t upcr_record_slot_size(unsigned events)
{
	return sizeof(struct upcr_record_slot) + events * sizeof(struct upcr_value);
}

static inline size_t upcr_record_stride(unsigned events)
{
	return sizeof(struct upcr_record_row) + (events ? 2 * upcr_record_slot_size(events) : 0);
}

/* Return the start time of a process, as upcr_record_head.start has it; 0 if there is no such process. */
uint64_t upcr_record_start(pid_t pid);

/* ---- the writer; its own lock nests in all others, and the slot functions take no lock ------------ */

/* Create and map "PREFIX.PID.N". False on failure; the calls below then do nothing. */
bool upcr_record_begin(const char *prefix, unsigned events, uint64_t begun, bool child);
const char *upcr_record_path(void);
/* True if there is a record from which the process's file can be made. */
bool upcr_record_lives(void);
/* Append a copy of the text. */
void upcr_record_add(enum upcr_record_text kind, unsigned index, const char *text, size_t length);
/* Append a thread's block. NULL: no room. */
struct upcr_record_thread *upcr_record_add_thread(unsigned serial);
/* Return memory for rows of a thread, from row number first on; *n becomes the number of rows. NULL: no
 * room. */
void *upcr_record_add_rows(unsigned serial, unsigned first, unsigned *n);
/* Return the array for the values of a row, in the older of its slots. upcr_record_slot_end makes this slot
 * the valid one. */
struct upcr_value *upcr_record_slot_begin(struct upcr_record_row *row, unsigned events);
void upcr_record_slot_end(struct upcr_record_row *row, unsigned events);
void upcr_record_set_state(enum upcr_record_state state);
/* Remove the file if its state is UPCR_RECORD_OVER. */
void upcr_record_end(void);

void upcr_record_before_fork(void);
void upcr_record_after_fork(void);
/* In the child: drop the parent's record. Later writes go nowhere, and upcr_record_begin makes another
 * record. */
void upcr_record_in_child(bool busy);

#endif
