/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_files.h - how the builders of /proc and /sys events share their work:
 * tables of keys and columns, and one way to put an event.
 */
#ifndef UPCI_CAT_FILES_H
#define UPCI_CAT_FILES_H

#include "catalogue/catalogue.h"
#include "procfs/field.h"

/* Factors that are known only here and now; 0 is 1. */
#define UPCI_MUL_TICKS 0xfffffffeu /* clock ticks of /proc, into ns     */
#define UPCI_MUL_PAGES 0xfffffffdu /* pages, into bytes                 */

/* The meaning of a key, or of a column. */
struct upci_words {
	const char *key;  /* NULL for a column */
	const char *name; /* of the event, after its prefix; NULL: the key */
	unsigned token;   /* of the value; 0: the one after the key */
	enum upc_kind kind;
	const char *unit;
	uint32_t mul;
	const char *text; /* a sentence without its full stop */
};

#define UPCI_NAMED_KEY(of_kind, of_key, event, of_unit, of_mul, what)                                     \
	{                                                                                                 \
		.key = of_key, .name = event, .kind = UPC_KIND_##of_kind, .unit = of_unit, .mul = of_mul, \
		.text = what                                                                              \
	}
#define UPCI_KEY(of_kind, of_key, of_unit, of_mul, what) \
	UPCI_NAMED_KEY(of_kind, of_key, NULL, of_unit, of_mul, what)
#define UPCI_COLUMN(of_kind, number, event, of_unit, of_mul, what)                                          \
	{                                                                                                   \
		.name = event, .token = number, .kind = UPC_KIND_##of_kind, .unit = of_unit, .mul = of_mul, \
		.text = what                                                                                \
	}

struct upci_table {
	unsigned n;
	const struct upci_words *words;
};
#define UPCI_TABLE(array)                               \
	{                                               \
		sizeof(array) / sizeof(*(array)), array \
	}
#define UPCI_TABLE_OF(array) (&(const struct upci_table)UPCI_TABLE(array))

/* A loop over the lines of a text. */
#define UPCI_LINES(scan, text, length) \
	for (struct upci_line_scan scan = {0}; upci_line_next(text, length, true, &scan);)

extern const struct upci_table upci_vmstat_words;
extern const struct upci_table upci_meminfo_words;
extern const struct upci_table upci_irq_words;
extern const struct upci_table upci_softirq_words;
extern const struct upci_table upci_snmp_words;
extern const struct upci_table upci_task_status_words, upci_process_status_words, upci_io_words,
	upci_sched_words, upci_schedstat_columns, upci_statm_columns; /* cat_task.c */

const struct upci_words *upci_words_find(const struct upci_table *table, const char *key);

/* The properties that the events of one file have in common. */
struct upci_cat_file {
	struct upc_catalogue *c;
	enum upci_root root;
	const char *path;
	const char *subsystem;
	enum upc_scope scope;
};

/* An event in the making; zero fields are the usual. */
struct upci_draft {
	const char *name; /* any text, sanitized and made unique */
	const char *text; /* a sentence without its full stop */
	const char *of;   /* what object it is about, after the text */
	const char *unit;
	enum upc_kind kind;
	uint32_t mul;
	const char *key; /* copied */
	unsigned key_token, occurrence, first, last;
};

/* The draft of an event with the text, unit, kind and mul of the words. */
struct upci_draft upci_draft_of(const struct upci_words *words);

/*
 * Puts an event of a file, or nothing where the line (as it is now) has no
 * number there; line NULL: the file need only be one that can be opened.
 * Returns 0 or a negative error.
 */
int upci_cat_put(const struct upci_cat_file *file, const struct upci_draft *draft, const char *line,
		 const char *end);

/* The token with a number, as a string cut to size; false when the line has
 * none. */
bool upci_cat_token(const char *line, const char *end, unsigned number, char *out, size_t size);

/* Events for those lines whose key a table knows, and no others. */
int upci_cat_known_keys(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
			const char *of, const char *text, size_t length);

/* Events for the columns of a table; key NULL: of the file's first line. */
int upci_cat_columns(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
		     const char *of, const char *key, unsigned key_token, const char *line, const char *end);

/* Events for the columns of a text's first line, which has no key. */
int upci_cat_first_line(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
			const char *text, size_t length);

/*
 * Adds the events of a file with this text, as if it stood at the path: the
 * builders work on text, so that any machine's can be tried. A path that has no
 * builder is UPC_EINVAL.
 */
int upci_catalogue_add_file_text(struct upc_catalogue *c, enum upci_root root, const char *path,
				 const char *text, size_t length);

/* Builders by text, or by line, of which key is the first token; each returns 0 or a negative error. */
typedef int upci_text_builder(const struct upci_cat_file *file, const char *text, size_t length);
typedef int upci_line_builder(const struct upci_cat_file *file, const char *key, const char *line,
			      const char *end);
upci_line_builder upci_cat_vmstat, upci_cat_meminfo, upci_cat_stat; /* cat_proc.c */
upci_text_builder upci_cat_interrupts, upci_cat_softirqs;           /* cat_proc.c */
upci_text_builder upci_cat_net_dev, upci_cat_net_pairs;             /* cat_net.c  */
upci_line_builder upci_cat_net_snmp6, upci_cat_net_sockets;         /* cat_net.c  */
upci_text_builder upci_cat_stat_of_task;                            /* cat_task.c */

/* The directories of /sys (cat_sysfs.c). */
int upci_catalogue_add_sysfs(struct upc_catalogue *c);

#endif
