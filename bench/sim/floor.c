/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * floor - a minimal plugin that counts, with which sim_floor compares the simulator. With QEMU's plugin
 * interface 4, each block adds one to a number. Interface 1 has no inline addition for several threads. With
 * interface 1, the plugin therefore only sees blocks when they are translated, and does nothing.
 */
#include "plugin/qemu_plugin.h"

int qemu_plugin_version = UPCS_QEMU_INTERFACE;

#if UPCS_QEMU_INTERFACE == 1
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	(void)tb;
}
#else
static struct qemu_plugin_scoreboard *board;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
							  (qemu_plugin_u64){board, 0}, 1);
}
#endif

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	(void)argc;
	(void)argv;
#if UPCS_QEMU_INTERFACE != 1
	board = qemu_plugin_scoreboard_new(sizeof(uint64_t));
#endif
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
