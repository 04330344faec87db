/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.c - see watch.h.
 *
 * Reading a count of opened perf events is cheap, so it is read often, and a pass over the processes follows
 * only if the count has grown. It is read before the pass, so that events opened during the pass cause
 * another one. The count must not grow before the descriptor exists, since the pass would then miss it. Slow
 * passes find users that got an event without opening it (fork, a socket), and those that open an MSR.
 * Without a count of opens, there are only passes.
 *
 * While some users have counters, only these users are checked each time. When they have no counters any
 * more, a pass finds out whether other processes have some.
 * Terms: service/service.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/watch.h"
#include "upc.h"

struct watch {
	struct watch_options options;
	struct users *users;
	uint64_t opens;
	bool opens_work;
	bool begun;
	uint64_t tick_ns, pass_ns; /* next times */
	/* The users that the last pass found. */
	struct service_user user[USERS_MAX];
	unsigned count, more;
	char unseen[320], how[160];
};

int watch_create(const struct watch_options *options, struct watch **watch)
{
	struct watch *w = calloc(1, sizeof(*w));
	int error;

	if (!w)
		return UPC_ENOMEM;
	error = users_create(&options->users, &w->users);
	if (error) {
		free(w);
		return error;
	}
	w->options = *options;
	w->opens_work = options->opens != NULL;
	*watch = w;
	return 0;
}

void watch_destroy(struct watch *w)
{
	if (!w)
		return;
	users_destroy(w->users);
	free(w);
}

void watch_set_idle(struct watch *w, bool idle)
{
	/* Look at once when the service gets hardware counters: users may have come meanwhile. */
	if (w->options.idle && !idle)
		w->begun = false;
	w->options.idle = idle;
}

static uint64_t between_passes(const struct watch *w)
{
	return w->opens_work || w->options.idle ? WATCH_SLOW_NS : WATCH_PASS_NS;
}

/* True if any process has opened an event since the last call. */
static bool event_was_opened(struct watch *w)
{
	uint64_t count = 0;
	bool grown;

	if (!w->opens_work)
		return false;
	if (w->options.opens->read(w->options.opens->arg, &count)) {
		/* Only passes from now on. */
		w->opens_work = false;
		return true;
	}
	grown = count != w->opens;
	w->opens = count;
	return grown;
}

static bool same_users(const struct watch *w, const struct service_user *user, unsigned count, unsigned more)
{
	if (count != w->count || more != w->more)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (user[i].pid != w->user[i].pid || user[i].uid != w->user[i].uid ||
		    user[i].descriptors != w->user[i].descriptors ||
		    strcmp(user[i].command, w->user[i].command) != 0)
			return false;
	return true;
}

static void say_watch_state(struct watch *w)
{
	unsigned hidden = users_hidden(w->users);

	if (w->opens_work)
		snprintf(w->how, sizeof(w->how), "by %s, looked at each %.1f s", w->options.opens->name,
			 WATCH_TICK_NS * 1e-9);
	else
		snprintf(w->how, sizeof(w->how), "by a look at all processes each %.1f s",
			 (double)between_passes(w) * 1e-9);
	if (!users_all_here())
		snprintf(
			w->unseen, sizeof(w->unseen),
			"who counts in processes that this /proc does not show is not seen: it is a container's, "
			"or mounted with hidepid; start the service outside of containers, as root");
	else if (hidden)
		snprintf(
			w->unseen, sizeof(w->unseen),
			"who counts in %u processes of other users is not seen: the kernel keeps their descriptors "
			"from this user; start the service as root, or with CAP_SYS_PTRACE",
			hidden);
	else
		w->unseen[0] = 0;
}

/* Look at all processes. True if anything has changed. */
static bool pass_over_users(struct watch *w)
{
	const struct service_user *user;
	unsigned count, more;
	char before[sizeof(w->unseen)];
	bool same;

	memcpy(before, w->unseen, sizeof(before));
	if (users_look(w->users)) {
		snprintf(w->unseen, sizeof(w->unseen), "who counts is not seen: /proc cannot be listed");
		return strcmp(before, w->unseen) != 0;
	}
	say_watch_state(w);
	user = users_found(w->users, &count, &more);
	same = same_users(w, user, count, more) && !strcmp(before, w->unseen);
	memcpy(w->user, user, count * sizeof(*user));
	w->count = count;
	w->more = more;
	return !same;
}

bool watch_tick(struct watch *w, uint64_t now_ns)
{
	bool look;

	if (w->begun && now_ns < w->tick_ns)
		return false;
	look = event_was_opened(w) || !w->begun || now_ns >= w->pass_ns;
	if (!look && (w->count || w->more))
		look = !users_still(w->users);
	w->begun = true;
	w->tick_ns = now_ns + WATCH_TICK_NS;
	if (!look)
		return false;
	w->pass_ns = now_ns + between_passes(w);
	return pass_over_users(w);
}

uint64_t watch_due(const struct watch *w)
{
	if (!w->begun)
		return 0;
	/* No count of opens to read, and no user to wait for: the next pass is the next look. */
	if (!w->opens_work && !w->count && !w->more)
		return w->pass_ns;
	return w->tick_ns;
}

const struct service_user *watch_users(const struct watch *w, unsigned *count, unsigned *more)
{
	*count = w->count;
	*more = w->more;
	return w->user;
}

const char *watch_unseen(const struct watch *w)
{
	return w->unseen;
}

const char *watch_how(const struct watch *w)
{
	return w->how;
}
