/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf.h - perf_event groups of one context. The border to the kernel's perf
 * events, in parts: perf_open.c alone calls perf_event_open, perf.c has the groups,
 * perf_member.c the events in them, perf_late.c those that wait for the start to be opened,
 * perf_fit.c tells whether the PMU has room for them, perf_read.c reads them, perf_user.c
 * in user mode; perf_sampler.c is for events that signal.
 *
 * The events of one kind (software events and tracepoints together; each
 * hardware PMU by itself) form one group in each task or CPU of the context: one
 * ioctl starts them all, and one read gets them all. A group is led by its first event
 * where that can be, else by one of our own that counts nothing, which makes each start
 * and stop dearer.
 */
#ifndef UPCI_PERF_H
#define UPCI_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/source.h"

/* Events of one context that can have a period. */
#define UPCI_SAMPLERS_MAX 64u

struct upci_perf_spec {
	uint32_t type;
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv;
	bool cpu_only; /* uncore and the like: counts CPUs, not tasks */
	bool core;     /* of a CPU's own PMU: knows user and kernel mode */
	bool can_wait; /* a tracepoint, which whoever may count the kernel can open */
};

/* Counted by the kernel itself, tracepoints too: it takes no counter of a PMU. */
bool upci_perf_is_software(const struct upci_perf_spec *spec);

struct upci_perf;
struct upci_context;
struct upci_bag;

/*
 * Takes a copy of the context. Opens nothing yet: the tasks of a process are
 * listed when a group is opened, so that those which come and go before an
 * event is added do no harm.
 */
int upci_perf_create(const struct upci_context *context, struct upci_perf **perf);
void upci_perf_destroy(struct upci_perf *perf);

/*
 * Opens an event, in all targets or in none. Where children inherit, a group must
 * not grow once a child may have it: the kernel then refuses its reads. A group there
 * takes the events of one batch only, and upci_perf_check tells whether a
 * child has come in between. The event counts when the groups run and
 * it is not halted; with halted it starts halted. All events of a PMU, halted or not,
 * must fit its counters together, so that a halted event can always go on. Where the
 * groups run and others hold the counter that the event needs, the error is UPC_ECONFLICT,
 * and the groups run on without the event: this is known for CPUs and the calling thread,
 * as for a start. Returns a handle (>= 0), reused after removal, or a negative error with
 * a message that begins with name, which must stay as long as the event does.
 *
 * An event that can wait is opened by upci_perf_open_waiting, unless the groups run or wait
 * for an exec, or upci_perf_set_waits says no. The result is nevertheless that of opening
 * it now, and counts the descriptors of all events that wait; later openings may take these.
 */
int upci_perf_add(struct upci_perf *perf, const struct upci_perf_spec *spec, bool halted, const char *name);
void upci_perf_remove(struct upci_perf *perf, int handle);

/* Whether the machine has other CPUs online than those that are counted: they are from the
 * next opening on. */
bool upci_perf_cpus_changed(struct upci_perf *perf);

/* Whether an event that was removed is still open, since it leads others or since closing a
 * tracepoint among others would take long, and opening the others anew can get rid of it:
 * nothing is inherited, enabled on exec, or has a period. */
bool upci_perf_keeps_removed(const struct upci_perf *perf);

/* Closes such tracepoints, and waits. */
void upci_perf_close_removed(struct upci_perf *perf);

/* Opens all that waits, those that can lead first, or nothing. Errors with message, as of
 * upci_perf_add. Not for handlers; a start opens nothing. */
int upci_perf_open_waiting(struct upci_perf *perf);
bool upci_perf_waits(const struct upci_perf *perf);

/* Whether events added from here on wait if they can, as they do in the beginning. */
void upci_perf_set_waits(struct upci_perf *perf, bool waits);

/* Begins a batch: all events added from here on. */
void upci_perf_begin_batch(struct upci_perf *perf);

/* Whether the groups of this batch can be read. False: remove what the batch
 * added and try again. */
bool upci_perf_check(struct upci_perf *perf);

/* Whether all events would fit fewer groups if they were one batch. */
bool upci_perf_scattered(const struct upci_perf *perf);

/* Whether a read has found any group to have been enabled ever. */
bool upci_perf_ever_enabled(const struct upci_perf *perf);

/*
 * One system call a group and target. In a context that waits for an exec the
 * first start switches nothing: the exec does. A stop before that ends the wait
 * (and there is nothing to read): the groups must be opened anew.
 *
 * Start fails with UPC_ECONFLICT, everything stopped again, when others hold the
 * PMU's counters, where that is known at once: for CPUs and the calling thread. For
 * other tasks the states of the next read tell. The caller has to pass over the counts
 * made in between. Start and stop switch the samplers, too. UPC_ENOTASK where all that is
 * to be counted has ended.
 */
int upci_perf_start(struct upci_perf *perf);
int upci_perf_stop(struct upci_perf *perf);

/* Halts or continues one event while the others go on. Continue fails with UPC_ECONFLICT as
 * upci_perf_add does; the event then stays halted. */
int upci_perf_halt(struct upci_perf *perf, int handle);
int upci_perf_continue(struct upci_perf *perf, int handle);

/*
 * One system call a group and target, none for a group that is read in user mode
 * (perf_user.h): value[handle] is the sum over the targets
 * since the event was opened, state[handle] how it was counted (source.h). Both have room
 * for all handles; those not in use are left alone.
 */
int upci_perf_read(struct upci_perf *perf, uint64_t *value, uint8_t *state);

/* The same, for a caller that discards the counts since the last read: upci_perf_time leaves
 * out the time between that read and this one. */
int upci_perf_pass_over(struct upci_perf *perf, uint64_t *value, uint8_t *state);

/*
 * How long an event was to count, and for how much of that it had no counter: nanoseconds since
 * it was added or upci_perf_rebase was called, while the groups ran and it was not halted. The
 * times are those of the last read, for a group that is read in user mode those of this call;
 * for several targets they are the mean.
 */
struct upci_source_time upci_perf_time(struct upci_perf *perf, int handle);

/* States and times begin anew from the last read. */
void upci_perf_rebase(struct upci_perf *perf);

/*
 * A signal to the counted thread each time the event of a handle, which spec has been
 * opened for, has counted period more: a full period from here, as counted while the
 * groups run and it is not halted. period 0 takes it away. signal: a real-time one.
 * perf_sampler.c says which signals may fail to come; counts never do.
 * Contexts: a thread of the caller's own process, without inherit. The groups do not
 * run. Errors with message, which leave all as it was: UPC_ENOSUPP (context; an
 * event that cannot sample), UPC_EINVAL (signal; page faults one by one, clocks below
 * 100 us), UPC_ECONFLICT (64 have a period; on a PMU a period takes a counter more, and
 * there is none), UPC_EMFILE, UPC_EPERM, UPC_ENOTASK,
 * UPC_ENOMEM, UPC_ESYSTEM.
 */
int upci_perf_set_period(struct upci_perf *perf, int handle, const struct upci_perf_spec *spec,
			 uint64_t period, int signal, const char *name);

/*
 * Begins the period anew, at a reset or a preset: left counts, 1 to period, until the
 * first signal, then period. Without a period does nothing. Signals that are pending,
 * blocked by the program, stay; where left is less than period they are not taken
 * for new ones. Called on the counted thread or while it counts nothing.
 * Errors with message: UPC_EINVAL, UPC_ESYSTEM.
 */
int upci_perf_restart_period(struct upci_perf *perf, int handle, uint64_t left);

/*
 * Handle whose period is over, by the si_fd of the signal; -1 when it is for none here:
 * another's, one that is gone, or older than the last restart. Once a signal: after a
 * restart with less than a period it arms the next. A signal that the program blocks
 * while its handle goes may be taken for that of a later one with the same descriptor.
 * Context: the handler of the signal, on the counted thread, on top of any call here.
 */
int upci_perf_signalled(struct upci_perf *perf, int fd);

/* All descriptors whose closing takes long, at the end of the program. */
void upci_perf_gather(const struct upci_perf *perf, struct upci_bag *bag);

/* In a forked child: closes everything without touching the parent's
 * counters, and forgets it: no handle is good afterwards. */
void upci_perf_forked(struct upci_perf *perf);

/* Whether the caller may open this, for a catalogue: 0 or a negative error,
 * with a message. Counts the calling thread, or the first CPU that the PMU counts on. */
int upci_perf_probe(const struct upci_perf_spec *spec, const char *name);

/* Which domains (UPC_DOMAIN_*) the caller may count, or a negative error with
 * message where that cannot be found out. Asked anew each time: privileges
 * change. */
int upci_perf_domains(void);

/* perf_event_paranoid, or INT_MAX when the kernel has no perf events. */
int upci_perf_paranoid(void);

#endif
