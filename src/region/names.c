/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.c - a hash table that only grows. It has room for all names from the beginning, so readers without a
 * lock never see it move.
 */
#include "region/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char others[] = "others";

static uint64_t mix_hash_words(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hash a name, eight bytes at a time. */
static uint64_t hash_region_name(const char *name, size_t length)
{
	uint64_t hash = 0x9e3779b97f4a7c15u ^ length, word;

	for (; length >= sizeof(word); name += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = mix_hash_words(hash ^ word, 0xa0761d6478bd642fu);
	}
	word = 0;
	if (length >= 4) {
		uint32_t low, high;

		memcpy(&low, name, sizeof(low));
		memcpy(&high, name + length - sizeof(high), sizeof(high));
		word = low | (uint64_t)high << 32;
	} else if (length) {
		word = (unsigned char)name[0] | (uint64_t)(unsigned char)name[length / 2] << 8 |
		       (uint64_t)(unsigned char)name[length - 1] << 16;
	}
	return mix_hash_words(hash ^ word, 0xe7037ed1a0b428dbu);
}

static void *map_names_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static struct upcr_entry *entry_of(const char *name, size_t length, uint64_t hash, unsigned number)
{
	struct upcr_entry *entry = malloc(sizeof(*entry) + length + 1);

	if (!entry)
		return NULL;
	entry->hash = hash;
	entry->number = number;
	entry->length = (unsigned)length;
	memcpy(entry->text, name, length);
	entry->text[length] = '\0';
	return entry;
}

int upcr_names_init(struct upcr_names *names, unsigned max)
{
	struct upcr_entry *first = entry_of(others, sizeof(others) - 1, 0, UPCR_OTHERS);
	unsigned slots = 64;

	max = max < 1u << 24 ? max : 1u << 24;
	while (slots < 3 * max)
		slots *= 2;
	*names = (struct upcr_names){.max = max, .mask = slots - 1};
	names->slot = map_names_memory(slots * sizeof(*names->slot));
	names->by_number = map_names_memory((max + 1) * sizeof(*names->by_number));
	if (!first || !names->slot || !names->by_number) {
		free(first);
		upcr_names_free(names);
		return -1;
	}
	pthread_mutex_init(&names->lock, NULL);
	atomic_init(&names->by_number[0], first);
	atomic_init(&names->count, 1);
	return 0;
}

static void read_pages(const void *memory, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < bytes; at += page)
		(void)((const volatile char *)memory)[at];
}

void upcr_names_touch(const struct upcr_names *names)
{
	read_pages((const void *)names->slot, (names->mask + (size_t)1) * sizeof(*names->slot));
	read_pages((const void *)names->by_number, (names->max + (size_t)1) * sizeof(*names->by_number));
}

void upcr_names_free(struct upcr_names *names)
{
	unsigned i, count = upcr_names_count(names);

	for (i = 0; i < count; i++)
		free(atomic_load_explicit(&names->by_number[i], memory_order_relaxed));
	if (names->slot)
		munmap((void *)names->slot, (names->mask + 1) * sizeof(*names->slot));
	if (names->by_number)
		munmap((void *)names->by_number, (names->max + 1) * sizeof(*names->by_number));
	*names = (struct upcr_names){0};
}

/* Return the name's number, or UPCR_UNKNOWN. *place is its slot, or the free slot where it belongs. */
static unsigned find_name_place(const struct upcr_names *names, const char *name, size_t length,
				uint64_t hash, unsigned *place)
{
	const struct upcr_entry *entry;

	for (*place = (unsigned)(hash >> 32) & names->mask;; *place = (*place + 1) & names->mask) {
		entry = atomic_load_explicit(&names->slot[*place], memory_order_acquire);
		if (!entry)
			return UPCR_UNKNOWN;
		if (entry->hash == hash && entry->length == length && !memcmp(entry->text, name, length))
			return entry->number;
	}
}

unsigned upcr_names_find(const struct upcr_names *names, const char *name, size_t length)
{
	unsigned place;

	length = length < UPCR_NAME_MAX ? length : UPCR_NAME_MAX;
	return find_name_place(names, name, length, hash_region_name(name, length), &place);
}

static unsigned make_name_locked(struct upcr_names *names, const char *name, size_t length, uint64_t hash)
{
	unsigned place, number = find_name_place(names, name, length, hash, &place);
	unsigned count = atomic_load_explicit(&names->count, memory_order_relaxed);
	struct upcr_entry *entry;

	if (number != UPCR_UNKNOWN)
		return number;
	entry = count <= names->max ? entry_of(name, length, hash, count) : NULL;
	if (!entry) {
		atomic_fetch_add_explicit(&names->beyond, 1, memory_order_relaxed);
		return UPCR_OTHERS;
	}
	atomic_store_explicit(&names->by_number[count], entry, memory_order_release);
	atomic_store_explicit(&names->count, count + 1, memory_order_release);
	atomic_store_explicit(&names->slot[place], entry, memory_order_release);
	return count;
}

unsigned upcr_names_number(struct upcr_names *names, const char *name, size_t length)
{
	unsigned place, number;
	uint64_t hash;

	length = length < UPCR_NAME_MAX ? length : UPCR_NAME_MAX;
	hash = hash_region_name(name, length);
	number = find_name_place(names, name, length, hash, &place);
	if (number != UPCR_UNKNOWN)
		return number;
	pthread_mutex_lock(&names->lock);
	number = make_name_locked(names, name, length, hash);
	pthread_mutex_unlock(&names->lock);
	return number;
}

unsigned upcr_names_count(const struct upcr_names *names)
{
	return atomic_load_explicit(&names->count, memory_order_acquire);
}

const char *upcr_names_text(const struct upcr_names *names, unsigned number, size_t *length)
{
	const struct upcr_entry *entry =
		atomic_load_explicit(&names->by_number[number], memory_order_acquire);

	if (length)
		*length = entry->length;
	return entry->text;
}
