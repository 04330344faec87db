/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_files.h - common parts of the builders of /proc and /sys events: tables of keys and columns, and one
 * function that adds an event.
 * Terms: catalogue/catalogue.h.
 */
#ifndef UPCI_CAT_FILES_H
#define UPCI_CAT_FILES_H

#include "catalogue/catalogue.h"
#include "procfs/field.h"

/* Values of mul for factors that are known only at run time. A mul of 0 means 1. */
#define UPCI_MUL_TICKS 0xfffffffeu /* clock ticks of /proc, converted to ns */
#define UPCI_MUL_PAGES 0xfffffffdu /* pages, converted to bytes */

/* The meaning of a key or of a column. */
struct upci_words {
	const char *key;  /* NULL for a column */
	const char *name; /* event name after the prefix; NULL: the key */
	unsigned token;   /* token number of the value; 0: the token after the key */
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

/* Loop over the lines of a text. */
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

/* The properties that all events of one file share. */
struct upci_cat_file {
	struct upc_catalogue *c;
	enum upci_root root;
	const char *path;
	const char *subsystem;
	enum upc_scope scope;
};

/* An event to be added; zero members have the usual values. */
struct upci_draft {
	const char *name; /* any text; it is sanitized and made unique */
	const char *text; /* a sentence without its full stop */
	const char *of;   /* object that the event is about, which follows the text */
	const char *unit;
	enum upc_kind kind;
	uint32_t mul;
	const char *key; /* as in struct upci_field; upci_cat_put copies the string */
	unsigned key_token, occurrence, first, last;
};

/* Return a draft with the text, unit, kind and mul of the words. */
struct upci_draft upci_draft_of(const struct upci_words *words);

/*
 * Add an event of a file, or nothing if the line, as it is now, has no number at the position. line NULL: the
 * file need only be openable. Return 0 or a negative error.
 */
int upci_cat_put(const struct upci_cat_file *file, const struct upci_draft *draft, const char *line,
		 const char *end);

/* Copy the token with this number, as a string. False if the line has no such token or the token does not
 * fit. */
bool upci_cat_token(const char *line, const char *end, unsigned number, char *out, size_t size);

/* Add events for the lines whose key is in the table. */
int upci_cat_known_keys(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
			const char *of, const char *text, size_t length);

/* Add events for the columns of a table. key NULL: the columns of the file's first line. */
int upci_cat_columns(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
		     const char *of, const char *key, unsigned key_token, const char *line, const char *end);

/* Add events for the columns of a text's first line, which has no key. */
int upci_cat_first_line(const struct upci_cat_file *file, const struct upci_table *table, const char *prefix,
			const char *text, size_t length);

/*
 * Add the events of a file with this text, as if the file were at path. Builders work on text, so that files
 * of any machine can be tested. Return UPC_EINVAL if path has no builder.
 */
int upci_catalogue_add_file_text(struct upc_catalogue *c, enum upci_root root, const char *path,
				 const char *text, size_t length);

/* Functions that add the events of a file's whole text, or of one line, whose first token is key. Each
 * returns 0 or a negative error. */
typedef int upci_text_builder(const struct upci_cat_file *file, const char *text, size_t length);
typedef int upci_line_builder(const struct upci_cat_file *file, const char *key, const char *line,
			      const char *end);
upci_line_builder upci_cat_vmstat, upci_cat_meminfo, upci_cat_stat; /* cat_proc.c */
upci_text_builder upci_cat_interrupts, upci_cat_softirqs;           /* cat_proc.c */
upci_text_builder upci_cat_net_dev, upci_cat_net_pairs;             /* cat_net.c */
upci_line_builder upci_cat_net_snmp6, upci_cat_net_sockets;         /* cat_net.c */
upci_text_builder upci_cat_stat_of_task;                            /* cat_task.c */

/* Add the events of directories in /sys (cat_sysfs.c). */
int upci_catalogue_add_sysfs(struct upc_catalogue *c);

#endif
