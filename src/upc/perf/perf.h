/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf.h - perf_event groups of one context: the interface to the kernel's perf events.
 *
 * Terms:
 *   perf source     all files of this folder that have to do with perf events
 *   group           a perf group: events that the kernel schedules together, opened in every target
 *   leader          the event by which a target's group is started, stopped and read
 *   member          an event that was added to a group
 *   told member     a member without a perf event of its own: its count is what the leader counts anyway
 *   waiting         of a member: its perf event is opened only at the next start
 *   removed         of a member: the caller has removed it, but its perf event is still open, disabled
 *   spec            the kernel's encoding of an event
 *   pinned          of a group: it must always have its counters, or goes into error state
 *   flexible        not pinned: the group may wait for counters that other users' pinned groups leave
 *   error state     the kernel's state for a pinned group that found no counter: it counts no more until
 *                   it is enabled again
 *   reserve         counters of a PMU, or descriptors of the program, that a unit leaves free
 *   sampler         a second perf event of an event, which sends a signal after each period
 *   user mode read  a read of a counter by an instruction instead of a system call
 *
 * More terms: base/source.h, base/target.h.
 *
 * The parts of the perf source are:
 *
 *   perf_open.c     the only caller of perf_event_open
 *   perf.c          the groups
 *   perf_member.c   the events in them
 *   perf_late.c     events that are opened only at the start
 *   perf_fit.c      checks that the PMU has room for the events
 *   perf_read.c     reads the groups
 *   perf_user.c     reads them in user mode
 *   perf_sampler.c  events that send signals
 *
 * Events of one kind form one group in each task or CPU of the context. Software events and tracepoints
 * together are a kind, and each hardware PMU is one. One ioctl starts all events of a group, and one read
 * gets all counts. The first event of a group is its leader if it can lead. Otherwise an additional event
 * that counts nothing leads the group, which makes each start and stop slower.
 */
#ifndef UPCI_PERF_H
#define UPCI_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/source.h"

/* The maximum number of events of one context that can have a period. */
#define UPCI_SAMPLERS_MAX 64u

struct upci_perf_spec {
	uint32_t type;
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv;
	bool cpu_only; /* uncore and similar: counts CPUs, not tasks */
	bool core;     /* event of a CPU's own PMU, which separates user and kernel mode */
	bool can_wait; /* a tracepoint that any caller who may count the kernel can open */
};

/* True if the kernel itself counts the event, which takes no counter of a PMU. Includes tracepoints. */
bool upci_perf_is_software(const struct upci_perf_spec *spec);

struct upci_perf;
struct upci_context;
struct upci_bag;

/*
 * Make the perf source of a context, of which it keeps a copy. Nothing is opened yet: the tasks of a process
 * are listed when a group is opened, so tasks that come and go before an event is added do no harm.
 */
int upci_perf_create(const struct upci_context *context, struct upci_perf **perf);
void upci_perf_destroy(struct upci_perf *perf);

/*
 * Open an event, in all targets or in none. The event counts while the groups run and the event is not
 * halted. If halted is set, it is halted from the start. All events of a PMU, halted or not, must fit its
 * counters together, so that a halted event can always go on. Return a handle (>= 0), reused after removal,
 * or a negative error with a message that begins with name. name must live as long as the event.
 *
 * If children inherit, a group must not grow once a child may have it, since the kernel then refuses to read
 * it. Such a group takes the events of one batch only, and upci_perf_check reports whether a child has
 * started meanwhile.
 *
 * If the groups run and others hold the counter that the event needs, the error is UPC_ECONFLICT, and the
 * groups run on without the event. As for a start, this is detected for CPUs and the calling thread only.
 *
 * An event that can wait is opened later, by upci_perf_open_waiting, unless the groups run, or wait for an
 * exec, or upci_perf_set_waits forbids it. The result is nevertheless the result of opening the event now.
 * The check includes the descriptors that all waiting events need, but other code may take these before the
 * start.
 */
int upci_perf_add(struct upci_perf *perf, const struct upci_perf_spec *spec, bool halted, const char *name);
void upci_perf_remove(struct upci_perf *perf, int handle);

/* True if CPUs have come online or gone offline since the events were opened. The next opening counts the
 * present CPUs. */
bool upci_perf_cpus_changed(struct upci_perf *perf);

/* True if a removed event is still open and opening the other events again would close it. A removed event
 * stays open if it leads others, or if it is a tracepoint among others, which would take long to close.
 * Events can be opened again only if nothing is inherited, enabled on exec, or has a period. */
bool upci_perf_keeps_removed(const struct upci_perf *perf);

/* Close removed tracepoints, and wait until that is done. */
void upci_perf_close_removed(struct upci_perf *perf);

/* Open all waiting events, those that can lead first, or none. Return 0, or an error with message, as
 * upci_perf_add. Not for signal handlers. upci_perf_start itself opens nothing. */
int upci_perf_open_waiting(struct upci_perf *perf);
bool upci_perf_waits(const struct upci_perf *perf);

/* Set whether events added from here on wait if they can, which is the default. */
void upci_perf_set_waits(struct upci_perf *perf, bool waits);

/* Begin a batch, which all events added from here on belong to. */
void upci_perf_begin_batch(struct upci_perf *perf);

/* True if the groups of this batch can be read. False: remove the events of the batch and try again. */
bool upci_perf_check(struct upci_perf *perf);

/* True if all events would fit in fewer groups as one batch. */
bool upci_perf_scattered(const struct upci_perf *perf);

/* True if a read has found that any group was ever enabled. */
bool upci_perf_ever_enabled(const struct upci_perf *perf);

/*
 * Start or stop all groups, with one system call per group and target. In a context that waits for an exec,
 * the first start does nothing: the exec enables the groups. A stop before that exec ends the wait, with
 * nothing to read, and the groups must be opened again.
 *
 * Start fails with UPC_ECONFLICT, with everything stopped again, if others hold the PMU's counters and the
 * kernel knows this at once, as for CPUs and the calling thread. For other tasks the next read reports it in
 * the states. The caller must discard the counts made in between. Start and stop switch the samplers too.
 * UPC_ENOTASK: everything that is to be counted has ended.
 */
int upci_perf_start(struct upci_perf *perf);
int upci_perf_stop(struct upci_perf *perf);

/* Halt or continue one event while the others go on. upci_perf_continue fails with UPC_ECONFLICT as
 * upci_perf_add does; the event then stays halted. */
int upci_perf_halt(struct upci_perf *perf, int handle);
int upci_perf_continue(struct upci_perf *perf, int handle);

/*
 * Read all groups, with one system call per group and target, or none for a group that is read in user mode
 * (perf_user.h). value[handle] becomes the sum over the targets since the event was opened, and state[handle]
 * how completely the event was counted (base/source.h). Both arrays have room for all handles. Elements of
 * handles that are not in use do not change.
 */
int upci_perf_read(struct upci_perf *perf, uint64_t *value, uint8_t *state);

/* Read like upci_perf_read, for a caller that discards the counts since the last read. upci_perf_time then
 * leaves out the time between that read and this one. */
int upci_perf_pass_over(struct upci_perf *perf, uint64_t *value, uint8_t *state);

/*
 * Return how long an event should have counted, and for how much of that it had no counter, in ns, since it
 * was added or upci_perf_rebase was called. Only time in which the groups ran and the event was not halted
 * counts. The times are those of the last read; a group that is read in user mode is read for its times in
 * this call. For several targets, the times are the mean.
 */
struct upci_source_time upci_perf_time(struct upci_perf *perf, int handle);

/* Restart states and times at the last read. */
void upci_perf_rebase(struct upci_perf *perf);

/*
 * Send a signal to the counted thread each time the event of a handle, which was opened for spec, has counted
 * period more. A full period begins here and advances while the groups run and the event is not halted.
 * period 0 removes the period. signal must be a real-time signal. perf_sampler.c says which signals may be
 * missing; counts are never missing.
 *
 * Context: a thread of the caller's own process, without inherit. The groups must not run. Return 0, or an
 * error with message, which changes nothing: UPC_ENOSUPP (context, or an event that cannot sample),
 * UPC_EINVAL (signal, single page faults, clocks below 100 us), UPC_ECONFLICT (64 events have a period, or
 * the PMU does not have the additional counter that a period takes), UPC_EMFILE, UPC_EPERM, UPC_ENOTASK,
 * UPC_ENOMEM, UPC_ESYSTEM.
 */
int upci_perf_set_period(struct upci_perf *perf, int handle, const struct upci_perf_spec *spec,
			 uint64_t period, int signal, const char *name);

/*
 * Restart the period, at a reset or a preset: the first signal comes after left counts, 1 to period, and
 * later signals after period. Does nothing without a period. Pending signals that the program blocks stay
 * pending. If left is less than period, they are not taken for new ones. Call on the counted thread, or while
 * that thread counts nothing. Return 0, or an error with message: UPC_EINVAL, UPC_ESYSTEM.
 */
int upci_perf_restart_period(struct upci_perf *perf, int handle, uint64_t left);

/*
 * Return the handle whose period is over, by the si_fd of the signal. Return -1 for a signal of another
 * source, of a handle that is gone, or from before the last restart. Call once per signal: after a restart
 * with less than a period, this call arms the next period. If the program blocks a signal while its handle is
 * removed, the signal may be taken for one of a later handle with the same descriptor. Context: the handler
 * of the signal, on the counted thread; it may have interrupted any function here.
 */
int upci_perf_signalled(struct upci_perf *perf, int fd);

/* Add all descriptors that take long to close to the bag, at the end of the program. */
void upci_perf_gather(const struct upci_perf *perf, struct upci_bag *bag);

/* In a forked child, close everything without an effect on the parent's counters. All handles become
 * invalid. */
void upci_perf_forked(struct upci_perf *perf);

/* Check whether the caller may open the event, for a catalogue. Return 0, or a negative error with message.
 * Opens it for the calling thread, or for the first CPU on which the PMU counts. */
int upci_perf_probe(const struct upci_perf_spec *spec, const char *name);

/* Return the domains (UPC_DOMAIN_*) that the caller may count, or a negative error with message if the kernel
 * does not say. Asks the kernel each time, since privileges change. */
int upci_perf_domains(void);

/* Return perf_event_paranoid, or INT_MAX if the kernel has no perf events. */
int upci_perf_paranoid(void);

#endif
