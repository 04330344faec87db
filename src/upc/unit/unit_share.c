/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_share.c - shows a unit to monitors in other processes.
 * Terms: base/source.h, base/event.h, share/shared.h.
 */
#include "base/message.h"
#include "base/sized.h"
#include "unit/unit.h"
#include "unit/registers.h"
#include "unit/unit_read.h"
#include "base/words.h"

static void show_configuration(struct upc_unit *u)
{
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		const struct upci_event *event = u->binding[i].references ? u->binding[i].event : NULL;

		upci_shared_field(&u->shared, i, u->regs.field[i]);
		upci_shared_event(&u->shared, i, event ? event->name : NULL,
				  event && event->unit ? event->unit : "events",
				  event ? event->kind : UPC_KIND_COUNT);
	}
}

/* Mark the levels that have no reading yet. Sources that stop have no levels: none exist if goers is 0. */
static void show_unread(struct upc_unit *u)
{
	uint64_t unread[UPC_COUNTERS / 64] = {0};
	unsigned a;

	for (a = 0; u->goers && a < u->actives; a++) {
		const unsigned i = u->active[a];
		const struct upci_binding *b = &u->binding[i];

		if (b->is_level && !b->level_read && b->source < UPCI_SOURCE_ROWS)
			unread[i / 64] |= UINT64_C(1) << i % 64;
	}
	upci_shared_unread(&u->shared, unread);
}

static void show_unit(struct upc_unit *u, bool configuration)
{
	unsigned i;

	upci_shared_begin(&u->shared);
	for (i = 0; i < UPC_COUNTERS; i++)
		upci_shared_count(&u->shared, i, upci_unit_count(u, i));
	upci_shared_registers(&u->shared, u->regs.run, u->regs.threshold);
	show_unread(u);
	if (configuration)
		show_configuration(u);
	upci_shared_end(&u->shared, configuration);
}

void upci_unit_show(struct upc_unit *u, bool configuration)
{
	if (!upci_shared_is_ours(&u->shared))
		return;
	upci_unit_refresh(u);
	show_unit(u, configuration);
}

void upci_unit_show_copy(struct upc_unit *u)
{
	if (upci_shared_is_ours(&u->shared))
		show_unit(u, false);
}

int upc_unit_share(struct upc_unit *u, const char *name, const struct upc_share_options *given)
{
	static const struct upci_sized sized = UPCI_SIZED(upc_share_options, group, upci_fail);
	struct upc_share_options options = UPC_OPTIONS_INIT(upc_share_options);
	int error = 0;

	(void)upci_words_prepare();
	if (given)
		error = upci_sized_take(&sized, &options, given);
	if (error)
		return error;
	if (!name)
		return upci_fail(UPC_EINVAL, "upc_unit_share: a name is needed");
	if (u->shared.page)
		return upci_fail(UPC_ESTATE, "the unit is shown already: upc_unit_unshare first");
	error = upci_shared_create(name, options.group, &u->shared);
	if (error)
		return error;
	upci_unit_show(u, true);
	return 0;
}

void upc_unit_unshare(struct upc_unit *u)
{
	if (!u->shared.page)
		return;
	if (!upci_shared_is_ours(&u->shared)) {
		upci_shared_forked(&u->shared);
		return;
	}
	upci_unit_show(u, false);
	upci_shared_destroy(&u->shared);
}

/* Withdraw a unit that the program has not destroyed when it ends. Other threads may still use the unit, so
 * its page stays mapped. */
static void withdraw_unit(struct upci_fork_entry *entry)
{
	struct upc_unit *u = upci_unit_of(entry);

	if (upci_shared_is_ours(&u->shared))
		upci_shared_withdraw(&u->shared);
}

__attribute__((destructor)) static void withdraw_all(void)
{
	upci_process_end(withdraw_unit);
}
