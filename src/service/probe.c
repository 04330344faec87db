/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe.c - see probe.h; this file alone uses the kernel's probes.
 *
 * A tracepoint of a system call slows down every system call of every program. A probe at the end of
 * perf_event_open's own function costs only its callers. The probe runs on all CPUs, while a perf event of
 * the probe counts on one CPU only. A BPF program of a few instructions counts instead, in a page that is
 * read without a system call. The probe is at the function's end, when /proc already shows the new
 * descriptor.
 *
 * Nothing outlives the descriptors: no name in tracefs, no pinned program.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "service/probe.h"
#include "upc.h"

#define KPROBE "/sys/bus/event_source/devices/kprobe/"
#define EVENTS 2 /* the system call's function, and the function for 32-bit programs */

struct probe {
	int map, program, event[EVENTS];
	uint64_t *count;
	size_t size;
};

static int translate_probe_error(int error)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return UPC_EPERM;
	case EMFILE:
	case ENFILE:
		return UPC_EMFILE;
	case ENOMEM:
		return UPC_ENOMEM;
	case ENOSYS:
	case EINVAL:
	case ENOENT:
	case EOPNOTSUPP:
		return UPC_ENOSUPP;
	default:
		return UPC_ESYSTEM;
	}
}

static int call_bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* Map a page of memory in which the BPF program counts. */
static int open_map(struct probe *p)
{
	union bpf_attr attr;
	void *page;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = 8;
	attr.max_entries = 1;
	attr.map_flags = BPF_F_MMAPABLE;
	p->map = call_bpf(BPF_MAP_CREATE, &attr);
	if (p->map < 0)
		return translate_probe_error(errno);
	p->size = (size_t)sysconf(_SC_PAGESIZE);
	page = mmap(NULL, p->size, PROT_READ, MAP_SHARED, p->map, 0);
	if (page == MAP_FAILED)
		return translate_probe_error(errno);
	p->count = page;
	return 0;
}

static int open_probe_program(struct probe *p)
{
	const struct bpf_insn code[] = {
		/* r1 = address of the count: an instruction of two words */
		{.code = BPF_LD | BPF_DW | BPF_IMM,
		 .dst_reg = BPF_REG_1,
		 .src_reg = BPF_PSEUDO_MAP_VALUE,
		 .imm = p->map},
		{.imm = 0},
		/* r0 = 1; *r1 += r0, atomic across CPUs */
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1},
		{.code = BPF_STX | BPF_DW | 0xc0 /* atomic */,
		 .dst_reg = BPF_REG_1,
		 .src_reg = BPF_REG_0,
		 .imm = BPF_ADD},
		/* return 0: the perf event itself does nothing */
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	static const char license[] = "BSD";
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insns = (uint64_t)(uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uint64_t)(uintptr_t)license;
	snprintf(attr.prog_name, sizeof(attr.prog_name), "upc_opens");
	p->program = call_bpf(BPF_PROG_LOAD, &attr);
	return p->program < 0 ? translate_probe_error(errno) : 0;
}

static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

/* Read the kernel's type for probes, and the config bit for a probe at a function's end. */
static bool probe_type(uint32_t *type, uint64_t *at_end)
{
	char text[32];
	unsigned bit;

	if (!read_text(KPROBE "type", text, sizeof(text)))
		return false;
	*type = (uint32_t)strtoul(text, NULL, 10);
	if (!read_text(KPROBE "format/retprobe", text, sizeof(text)) ||
	    sscanf(text, "config:%u", &bit) != 1 || bit > 63)
		return false;
	*at_end = UINT64_C(1) << bit;
	return true;
}

static int open_probe_event(struct probe *p, int *event, uint32_t type, uint64_t at_end, const char *function)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = at_end,
		.config1 = (uint64_t)(uintptr_t)function,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return translate_probe_error(errno);
	*event = fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, p->program) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return translate_probe_error(errno);
	return 0;
}

static int open_probe_events(struct probe *p)
{
	/* Names of the system call's functions. Each row is for one architecture or old kernel, and only
	 * one exists in this kernel. The second function exists only in kernels with support for 32-bit
	 * programs. */
	static const char *const function[][EVENTS] = {
		{"__x64_sys_perf_event_open", "__ia32_sys_perf_event_open"},
		{"__arm64_sys_perf_event_open"},
		{"__riscv_sys_perf_event_open"},
		{"__s390x_sys_perf_event_open", "__s390_sys_perf_event_open"},
		{"sys_perf_event_open"},
	};
	uint64_t at_end;
	uint32_t type;
	int error = UPC_ENOSUPP;

	if (!probe_type(&type, &at_end))
		return UPC_ENOSUPP;
	for (size_t i = 0; i < sizeof(function) / sizeof(function[0]); i++) {
		error = open_probe_event(p, &p->event[0], type, at_end, function[i][0]);
		if (!error && function[i][1])
			open_probe_event(p, &p->event[1], type, at_end, function[i][1]);
		if (error != UPC_ENOSUPP)
			break;
		/* The event may have been opened, but without its BPF program it is useless. */
		if (p->event[0] >= 0)
			close(p->event[0]);
		p->event[0] = -1;
	}
	return error;
}

int probe_open(struct probe **probe)
{
	struct probe *p = calloc(1, sizeof(*p));
	int error;

	if (!p)
		return UPC_ENOMEM;
	p->map = p->program = p->event[0] = p->event[1] = -1;
	error = open_map(p);
	if (!error)
		error = open_probe_program(p);
	if (!error)
		error = open_probe_events(p);
	if (error) {
		probe_close(p);
		return error;
	}
	*probe = p;
	return 0;
}

void probe_close(struct probe *p)
{
	if (!p)
		return;
	for (int i = 0; i < EVENTS; i++)
		if (p->event[i] >= 0)
			close(p->event[i]);
	if (p->program >= 0)
		close(p->program);
	if (p->count)
		munmap(p->count, p->size);
	if (p->map >= 0)
		close(p->map);
	free(p);
}

int probe_read(const struct probe *p, uint64_t *count)
{
	/* Paired with the BPF program's atomic addition. */
	*count = __atomic_load_n(p->count, __ATOMIC_ACQUIRE);
	return 0;
}
