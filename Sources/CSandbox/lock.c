#include "spyglass_sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t sg_fork(void) { return fork(); }
int sg_close_range(int first, unsigned last) { return (int)syscall(436, (unsigned)first, last, 0u); }
int sg_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }
int sg_set_stack_size(size_t bytes) {
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0) return code;
    code = pthread_attr_setstacksize(&attributes, bytes);
    if (code == 0) code = pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    return code;
}
int sg_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
int sg_forbid_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

long sg_ptrace(pid_t process) { return syscall(__NR_ptrace, 0x4206, process, 0, 0); }
long sg_read_memory(pid_t process) { return syscall(__NR_process_vm_readv, process, NULL, 0, NULL, 0, 0); }

// MARK: Landlock (linux/landlock.h, which older systems lack)

enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };
enum { VERSION_FLAG = 1, PATH_BENEATH = 1 };
enum { READ_FILE = 1 << 2, READ_DIR = 1 << 3 };

typedef struct {
    uint64_t files, network, scopes;
} ruleset_attributes;

typedef struct {
    uint64_t rights;
    int32_t folder;
} __attribute__((packed)) path_rule;

static uint64_t file_rights(int version) {
    // Rights 0 to 12 are those of version 1; 2 added REFER, 3 TRUNCATE, 5 IOCTL_DEV.
    int count = version < 2 ? 13 : version < 3 ? 14 : version < 5 ? 15 : 16;
    return (UINT64_C(1) << count) - 1;
}

int sg_landlock_version(void) { return (int)syscall(LANDLOCK_CREATE, NULL, 0, VERSION_FLAG); }

int sg_landlock_create(int version) {
    ruleset_attributes attributes = {.files = file_rights(version)};
    size_t size = sizeof attributes.files;
    if (version >= 4) {
        attributes.network = 3;  // bind and connect of TCP
        size = 2 * sizeof(uint64_t);
    }
    if (version >= 6) {
        attributes.scopes = 3;  // abstract sockets, signals
        size = sizeof attributes;
    }
    return (int)syscall(LANDLOCK_CREATE, &attributes, size, 0);
}

int sg_landlock_allow(int ruleset, int version, int descriptor, bool is_folder) {
    uint64_t rights = is_folder ? READ_FILE | READ_DIR : READ_FILE;
    path_rule rule = {.rights = rights & file_rights(version), .folder = descriptor};
    return (int)syscall(LANDLOCK_ADD, ruleset, PATH_BENEATH, &rule, 0);
}

int sg_landlock_restrict(int ruleset) { return (int)syscall(LANDLOCK_RESTRICT, ruleset, 0); }

// MARK: seccomp

#if defined(__x86_64__)
enum { ARCHITECTURE = AUDIT_ARCH_X86_64, X32_BIT = 0x40000000 };
#elif defined(__aarch64__)
enum { ARCHITECTURE = AUDIT_ARCH_AARCH64 };
#else
enum { ARCHITECTURE = 0 };
#endif

#define STATEMENT(code, value) (struct sock_filter)BPF_STMT(code, value)
#define JUMP(code, value, if_true, if_false) (struct sock_filter)BPF_JUMP(BPF_JMP | (code) | BPF_K, value, if_true, if_false)
#define LOAD(member) STATEMENT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RESULT(value) STATEMENT(BPF_RET | BPF_K, value)

// Rules of a block, and of one with many for the same call, whose jumps must be below ALLOWED.
enum { BLOCK = 8, MAX_BLOCK = 50, PER_RULE = 5, PER_BLOCK = 3, ALLOWED = UINT8_MAX };

// Adds a jump over all for calls that come later, the rules, a refusal, and what they jump to.
static size_t add_block(struct sock_filter *filter, const sg_call_rule *rules, size_t count) {
    size_t at = 1;
    for (const sg_call_rule *rule = rules; rule < rules + count; rule++) {
        const uint32_t number = (uint32_t)rule->number;
        if (rule->error > 0) {
            filter[at++] = JUMP(BPF_JEQ, number, 0, 1);
            filter[at++] = RESULT(SECCOMP_RET_ERRNO | ((uint32_t)rule->error & SECCOMP_RET_DATA));
        } else if (rule->argument < 0 || rule->argument > 5) {
            filter[at++] = JUMP(BPF_JEQ, number, ALLOWED, 0);
        } else {
            filter[at++] = JUMP(BPF_JEQ, number, 0, 4);
            // Both architectures are little-endian: the low half comes first.
            filter[at++] = LOAD(args[rule->argument]);
            filter[at++] = STATEMENT(BPF_ALU | BPF_AND | BPF_K, rule->mask);
            filter[at++] = JUMP(BPF_JEQ, rule->value, ALLOWED, 0);
            filter[at++] = LOAD(nr);
        }
    }
    filter[0] = JUMP(BPF_JGT, (uint32_t)rules[count - 1].number, (uint8_t)(at + 1), 0);
    filter[at++] = RESULT(SECCOMP_RET_ERRNO | EPERM);
    for (size_t index = 1; index < at; index++)
        if (filter[index].jt == ALLOWED) filter[index].jt = (uint8_t)(at - index - 1);
    filter[at++] = RESULT(SECCOMP_RET_ALLOW);
    return at;
}

static int by_number(const void *one, const void *other) {
    return ((const sg_call_rule *)one)->number - ((const sg_call_rule *)other)->number;
}

static int failing(int error) {
    errno = error;
    return -1;
}

int sg_seccomp_install(const sg_call_rule *rules, size_t count) {
    enum { PREFIX = 6, MAX_COUNT = 200 };
    if (!ARCHITECTURE) return failing(ENOSYS);
    if (count > MAX_COUNT) return failing(E2BIG);
    struct sock_filter filter[PREFIX + MAX_COUNT * (PER_RULE + PER_BLOCK) + 1];
    sg_call_rule sorted[MAX_COUNT];
    size_t at = 0, end;
    memcpy(sorted, rules, count * sizeof *rules);
    // In blocks in order of the numbers: when the kernel takes a filter, it tries all calls.
    qsort(sorted, count, sizeof *sorted, by_number);
    filter[at++] = LOAD(arch);
    filter[at++] = JUMP(BPF_JEQ, ARCHITECTURE, 1, 0);
    filter[at++] = RESULT(SECCOMP_RET_KILL_PROCESS);
    filter[at++] = LOAD(nr);
#if defined(__x86_64__)
    filter[at++] = JUMP(BPF_JGE, X32_BIT, 0, 1);
    filter[at++] = RESULT(SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t start = 0; start < count; start = end) {
        end = start + BLOCK < count ? start + BLOCK : count;
        while (end < count && sorted[end].number == sorted[end - 1].number) end++;
        if (end - start > MAX_BLOCK) return failing(E2BIG);
        at += add_block(&filter[at], &sorted[start], end - start);
    }
    filter[at++] = RESULT(SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog program = {.len = (unsigned short)at, .filter = filter};
    long status = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    // Above 0: the thread that could not take it.
    if (status > 0) errno = EBUSY;
    return status == 0 ? 0 : -1;
}
