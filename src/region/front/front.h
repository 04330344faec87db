/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * front.h - what front ends share.
 */
#ifndef UPCR_FRONT_H
#define UPCR_FRONT_H

#define UPCR_EXPORT __attribute__((visibility("default")))

#endif
