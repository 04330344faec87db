/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gadget.h - a component of PAPI that nobody has heard of: events of upc that are said to be its.
 * As most that are no processor's it does not attach, runs one event set at a time, and counts so
 * many events at once. Functions of PAPI are defined in gadget.c once more, before PAPI's.
 */
#ifndef GADGET_H
#define GADGET_H

/* From now on the event is the gadget's. Its code, or PAPI_NULL. */
int gadget_takes(const char *name);

/* It counts no more events at once. */
void gadget_holds(int events);

/* What is called, by the name of PAPI's function, for each call that reaches the component. */
void gadget_tells(void (*call)(const char *function));

/* Event sets of the gadget that run, and starts so far. */
int gadget_running(void);
int gadget_starts(void);

#endif /* GADGET_H */
