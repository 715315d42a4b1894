internal import Glibc
internal import SpyglassCSandbox

/// The rights that a locked process keeps; one table for all uses.
package struct SandboxUse: Sendable {
    let rules: [sg_call_rule]
    var limits: [(resource: __rlimit_resource, value: Int)] = []
    /// The files with the limits of memory, its report and local times.
    var files: [String] = []
    /// Other processes of the user may not look into it.
    var isDumpable = true

    /// A worker: memory, the descriptors it is sent, its socket, its own limits, and threads only if its library needs them.
    ///
    /// Measured with libwebp, libtiff, libjxl, libavif (one thread): mmap, munmap, brk, futex, getrandom; libtiff adds mremap, sysinfo.
    package static func worker(memoryBytes: Int, usesThreads: Bool) -> SandboxUse {
        SandboxUse(
            rules: memory + input + messages + [ownLimits] + (usesThreads ? threads : []),
            limits: workerLimits(memoryBytes), isDumpable: false)
    }

    /// `show` of files: reads the inputs, writes to the open terminal, on one thread.
    package static let show = SandboxUse(
        rules: memory + input + messages + output + [allow(SG_CALL_openat, 2, flagsThatWrite, 0)],
        files: ["/proc/self", "/proc/meminfo", "/sys/fs/cgroup"])

    private static func allow(_ call: sg_call, _ argument: Int32 = -1, _ mask: UInt32 = 0, _ value: UInt32 = 0)
        -> sg_call_rule
    {
        sg_call_rule(number: sg_call_number(call), argument: argument, mask: mask, value: value, error: 0)
    }

    private static func all(_ calls: sg_call...) -> [sg_call_rule] { calls.map { allow($0) } }
    private static func own(_ call: sg_call) -> sg_call_rule { allow(call, 0, ~0, UInt32(bitPattern: getpid())) }
    private static var ownLimits: sg_call_rule { allow(SG_CALL_prlimit64, 0, ~0, 0) }

    private static let flagsThatWrite = UInt32(bitPattern: O_ACCMODE | O_CREAT | O_TRUNC | 0o20_000_000)

    /// The calls that any code needs: memory that cannot be run, time, randomness, signals to itself, the end.
    private static var memory: [sg_call_rule] {
        all(
            SG_CALL_futex, SG_CALL_munmap, SG_CALL_brk, SG_CALL_madvise, SG_CALL_mremap, SG_CALL_clock_gettime,
            SG_CALL_getrandom, SG_CALL_gettid, SG_CALL_getpid, SG_CALL_rt_sigprocmask, SG_CALL_rt_sigreturn,
            SG_CALL_rt_sigaction, SG_CALL_sigaltstack, SG_CALL_restart_syscall, SG_CALL_exit, SG_CALL_exit_group,
            SG_CALL_sysinfo, SG_CALL_sched_getaffinity, SG_CALL_sched_yield, SG_CALL_getrusage)
            + [
                allow(SG_CALL_mmap, 2, UInt32(PROT_EXEC), 0), allow(SG_CALL_mprotect, 2, UInt32(PROT_EXEC), 0),
                own(SG_CALL_tgkill),
            ]
    }

    /// Reading what is open.
    private static var input: [sg_call_rule] {
        all(SG_CALL_read, SG_CALL_pread64, SG_CALL_lseek, SG_CALL_close, SG_CALL_fstat)
            + [allow(SG_CALL_newfstatat, 3, 0x1000, 0x1000)]
    }

    /// The open socket of a worker.
    private static var messages: [sg_call_rule] {
        all(SG_CALL_sendmsg, SG_CALL_recvmsg, SG_CALL_poll, SG_CALL_ppoll)
    }

    private static let cloneThread: UInt32 = 0x10000

    /// New threads, but no processes; `clone3`, whose flags are in memory, returns ENOSYS so that glibc falls back to `clone`.
    private static var threads: [sg_call_rule] {
        all(SG_CALL_set_robust_list, SG_CALL_rseq, SG_CALL_membarrier) + [
            allow(SG_CALL_clone, 0, cloneThread, cloneThread),
            sg_call_rule(number: sg_call_number(SG_CALL_clone3), argument: -1, mask: 0, value: 0, error: ENOSYS),
        ]
    }

    /// Open terminals and pipes, and memory for a worker; no input is put into a terminal (TIOCSTI).
    private static var output: [sg_call_rule] {
        all(
            SG_CALL_write, SG_CALL_writev, SG_CALL_readv, SG_CALL_newfstatat, SG_CALL_statx, SG_CALL_fcntl,
            SG_CALL_memfd_create, SG_CALL_ftruncate, SG_CALL_dup, SG_CALL_getuid, SG_CALL_geteuid, SG_CALL_uname,
            SG_CALL_stat, SG_CALL_lstat, SG_CALL_readlink, SG_CALL_readlinkat, SG_CALL_getcwd, SG_CALL_clock_nanosleep,
            SG_CALL_pause)
            + [TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ, TIOCGPGRP, FIONREAD].map {
                allow(SG_CALL_ioctl, 1, ~0, UInt32($0))
            } + [own(SG_CALL_kill), ownLimits]
    }

    private static let (TCGETS, TCSETS, TCSETSW, TCSETSF) = (0x5401, 0x5402, 0x5403, 0x5404)
    private static let (TIOCGPGRP, TIOCGWINSZ, FIONREAD) = (0x540F, 0x5413, 0x541B)

    /// A worker's own memory besides images: its libraries, their tables, stacks of threads.
    private static let workerBytes = 1 << 30
    /// Seconds of processor time, in case that the process which would end it was killed.
    private static let workerSeconds = 3600

    private static func workerLimits(_ memoryBytes: Int) -> [(resource: __rlimit_resource, value: Int)] {
        let (bytes, overflows) = memoryBytes.addingReportingOverflow(workerBytes)
        return [
            (RLIMIT_CORE, 0), (RLIMIT_NOFILE, 64), (RLIMIT_CPU, workerSeconds),
            (RLIMIT_AS, overflows ? Int.max : bytes),
        ]
    }
}
