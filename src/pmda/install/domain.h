/* SPDX-License-Identifier: BSD-3-Clause */
#define UPC 450
