/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * no_perf.c - runs a command with a seccomp filter under which perf_event_open fails with EACCES. Ordinary
 * users of Debian's and Ubuntu's kernels get the same error at perf_event_paranoid 3 and above.
 *
 * usage: no_perf COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MACHINE AUDIT_ARCH_PPC64LE
#endif

#ifdef MACHINE
static int no_perf_install(void)
{
	/* Allow all calls of programs for another architecture, such as 32-bit ones. */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static int no_perf_install(void)
{
	errno = ENOSYS;
	return -1;
}
#endif

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: no_perf COMMAND [ARGUMENT...]\n");
		return 125;
	}
	if (no_perf_install()) {
		perror("no_perf: a seccomp filter cannot be set");
		return 125;
	}
	execvp(argv[1], argv + 1);
	fprintf(stderr, "no_perf: %s: ", argv[1]);
	perror("");
	return errno == ENOENT ? 127 : 126;
}
