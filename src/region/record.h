/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record.h - the record of a process: what its report is made of, in a file in shared memory, where
 * it stays when the process is killed. record.c writes it, recorded.c reads it afterwards.
 *
 * The engine keeps its accounts in private memory and copies each change into the record; it never
 * reads the record. A truncated or damaged file can therefore lose the report, and nothing else.
 * The file is on tmpfs, since the kernel writes pages of other files back, and each write-back costs
 * the program a page fault later. Blocks are allocated before they are mapped, so that a full file
 * system refuses a block and sends no SIGBUS.
 *
 * The file is a head of one page and blocks of whole pages. A block counts once its kind is stored.
 * A kill at any instruction leaves:
 * - calls, time, mark, and current path are single words, of which the last mark may have written some
 *   and not others: a time may be one stretch ahead of the thread's last mark.
 * - counted values of a row have two slots, written in turns. A slot that is being written has generation
 *   0, and the other one holds. A slot has the time of its row when it was written: if the row's
 *   time differs, the values are older than the row, and a lower bound.
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
/* A process has no more than that; later threads and paths are left out of the record. */
#define UPCR_RECORD_MAX ((size_t)64 << 20)

enum upcr_record_state {
	UPCR_RECORD_LIVES = 1,
	UPCR_RECORD_OVER, /* the process has written its file itself */
};

struct upcr_record_head {
	_Atomic uint64_t magic; /* stored last */
	uint32_t events;
	int32_t pid;
	uint64_t start; /* of the process, in ticks since the machine's start: /proc/PID/stat */
	uint64_t begun; /* CLOCK_MONOTONIC, ns */
	uint32_t child; /* of another process with a record */
	atomic_uint state;
	atomic_uint lacking; /* something found no room */
};

enum upcr_record_kind { UPCR_RECORD_TEXTS = 1, UPCR_RECORD_THREAD, UPCR_RECORD_ROWS };

struct upcr_record_block {
	atomic_uint kind; /* stored last */
	uint32_t pages, serial;
	uint32_t first, n; /* rows, from that one on */
	atomic_uint used;  /* bytes of texts          */
};

enum upcr_record_text {
	UPCR_RECORD_HEAD = 1, /* pieces of the JSON file's head, to be put together */
	UPCR_RECORD_NAME,     /* of a region, in the order of their numbers from 1 */
	UPCR_RECORD_EVENT,
	UPCR_RECORD_REASON, /* why an event is refused; beyond the events: why nothing is counted */
};

/* Texts follow each other, each padded to 8 bytes. */
struct upcr_record_entry {
	uint32_t kind, index, length, spare;
	char text[];
};

struct upcr_record_marks {
	_Atomic uint64_t mark; /* CLOCK_MONOTONIC, ns */
	atomic_uint current;   /* node of the tree    */
	atomic_uint rows;      /* nodes that have been made */
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
	uint32_t born; /* row of its base, which upcr_result_settle moves; 0: none */
	atomic_uint home;
	struct upcr_record_marks marks;
	struct upcr_notes notes;
};

struct upcr_record_row {
	_Atomic uint64_t calls, ns;
	uint32_t parent, name;
	uint32_t generation;
	atomic_uint lacks; /* enum upcr_lack */
			   /* struct upcr_record_slot [2] follow, where events are counted */
};

struct upcr_record_slot {
	_Atomic uint64_t generation; /* 0: no values */
	uint64_t ns;                 /* of the row   */
	struct upcr_value value[];   /* [events]     */
};

static inline size_t upcr_record_slot_size(unsigned events)
{
	return sizeof(struct upcr_record_slot) + events * sizeof(struct upcr_value);
}

static inline size_t upcr_record_stride(unsigned events)
{
	return sizeof(struct upcr_record_row) + (events ? 2 * upcr_record_slot_size(events) : 0);
}

/* The process's start as the head has it; 0: there is no such process. */
uint64_t upcr_record_start(pid_t pid);

/* ---- the writer; all but upcr_record_values takes a lock of its own, which nests in all others ---- */

/* Creates "PREFIX.PID.N" and maps it. False: there is none, and the calls below do nothing. */
bool upcr_record_begin(const char *prefix, unsigned events, uint64_t begun, bool child);
const char *upcr_record_path(void);
/* There is one, which can be made into the process's file. */
bool upcr_record_lives(void);
/* A copy of the text, behind those that are there. */
void upcr_record_add(enum upcr_record_text kind, unsigned index, const char *text, size_t length);
/* NULL: no room. */
struct upcr_record_thread *upcr_record_add_thread(unsigned serial);
/* Room for rows of a thread, from first on; *n: how many. NULL: no room. */
void *upcr_record_add_rows(unsigned serial, unsigned first, unsigned *n);
/* Values of a row, in the slot that is not the latest. */
struct upcr_value *upcr_record_slot_begin(struct upcr_record_row *row, unsigned events);
void upcr_record_slot_end(struct upcr_record_row *row, unsigned events);
void upcr_record_set_state(enum upcr_record_state state);
/* Removes the file, where its state is UPCR_RECORD_OVER. */
void upcr_record_end(void);

void upcr_record_before_fork(void);
void upcr_record_after_fork(void);
/* In the child: what is written from now on goes nowhere, and upcr_record_begin makes another record. */
void upcr_record_in_child(bool busy);

#endif
