#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// For what Swift cannot call: variadic functions, macros of cmsg(3), system calls without a wrapper. Without policy.
// Functions return 0 or a count, and -1 with `errno`.

// MARK: Messages

/// Makes two connected sockets (`socketpair`, `SOCK_SEQPACKET`), both close-on-exec.
int sg_socket_pair(int ends[_Nonnull 2]);
/// Sends one message with up to four descriptors (`sendmsg`, `SCM_RIGHTS`); a closed peer is `EPIPE`, without a signal.
/// Never waits: `EAGAIN` if the peer has not read what was sent before.
ssize_t sg_socket_send(int socket, const void *bytes, size_t count, const int *_Nullable descriptors, int descriptor_count);
/// Receives one message (`recvmsg`): its length, or 0 at the end. Received descriptors, up to four, are close-on-exec.
///
/// A message longer than `capacity`, or with more descriptors, is `EMSGSIZE`; its descriptors are closed.
ssize_t sg_receive_message(int socket, void *_Nullable bytes, size_t capacity, int descriptors[_Nonnull 4], int *descriptor_count);

// MARK: Memory

/// Makes an empty file in memory, close-on-exec (`memfd_create`).
int sg_memory(void);
/// Makes it `bytes` long, with memory for all of them (`fallocate`).
int sg_allocate(int memory, size_t bytes);
/// Fixes its size, and its contents unless `is_writable` (`F_ADD_SEALS`: `F_SEAL_SHRINK`, `GROW`, `SEAL`, `WRITE`).
int sg_seal(int memory, bool is_writable);

// MARK: Processes

/// `fork`, for a process with one thread.
pid_t sg_fork(void);
/// Closes the descriptors from `first` to `last` (`close_range`, Linux 5.9).
int sg_close_range(int first, unsigned last);
/// Ends this process when the thread that has started it ends (`prctl`, `PR_SET_PDEATHSIG`).
int sg_end_with_parent(void);
/// Gives threads that start from now on stacks of this size, whatever `ulimit -s` says (`pthread_setattr_default_np`).
int sg_set_stack_size(size_t bytes);
/// Sets what applies before any filter: not dumpable, no new privileges (`prctl`).
int sg_forbid_dumps(void);
int sg_forbid_privileges(void);

// MARK: Landlock

/// The version that the kernel supports (`landlock_create_ruleset`, `LANDLOCK_CREATE_RULESET_VERSION`).
int sg_landlock_version(void);
/// Makes a rule set that handles all rights of `version`: files, TCP, scopes.
int sg_landlock_create(int version);
/// Allows to read an open file, or what is in an open folder (`O_PATH`).
int sg_landlock_allow(int ruleset, int version, int descriptor, bool is_folder);
/// Restricts the calling thread and those it starts (`landlock_restrict_self`).
int sg_landlock_restrict(int ruleset);

// MARK: seccomp

/// Allows a system call if `(argument & mask) == value`, of the low 32 bits; if `argument` is negative, always.
/// With `error` above 0 it fails with that error instead; a call has one such rule, or rules that allow.
typedef struct {
    int number, argument;
    uint32_t mask, value;
    int error;
} sg_call_rule;

/// Installs a filter for all threads (`SECCOMP_SET_MODE_FILTER`, `TSYNC`): other calls fail with `EPERM`, calls of another
/// architecture and of x32 end the process.
int sg_seccomp_install(const sg_call_rule *rules, size_t count);

/// Calls that are forbidden, for tests: attaches to a process (`ptrace`, `PTRACE_SEIZE`), reads its memory (`process_vm_readv`).
long sg_ptrace(pid_t process);
long sg_read_memory(pid_t process);

#pragma clang assume_nonnull end
