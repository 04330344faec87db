/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gadget.h - an invented component of PAPI: it has events of upc that are said to be its own. Like
 * most components that are no processor's it does not attach, runs one event set at a time, and
 * counts so many events at once. gadget.c defines functions of PAPI again, in front of PAPI's own.
 */
#ifndef GADGET_H
#define GADGET_H

/* Assigns the event to the gadget from now on. Returns its code, or PAPI_NULL. */
int gadget_takes(const char *name);

/* Limits the number of events that the gadget counts at once. */
void gadget_holds(int events);

/* Sets the function that is called, with the name of PAPI's function, for each call that reaches
 * the component. */
void gadget_tells(void (*call)(const char *function));

/* Event sets of the gadget that run, and starts so far. */
int gadget_running(void);
int gadget_starts(void);

#endif /* GADGET_H */
