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
        rules: memory + input + messages + output + [allow(SYS_openat, 2, flagsThatWrite, 0)],
        files: ["/proc/self", "/proc/meminfo", "/sys/fs/cgroup"])

    private static func allow(_ call: Int32, _ argument: Int32 = -1, _ mask: UInt32 = 0, _ value: UInt32 = 0)
        -> sg_call_rule
    {
        sg_call_rule(number: call, argument: argument, mask: mask, value: value, error: 0)
    }

    private static func all(_ calls: Int32...) -> [sg_call_rule] { calls.map { allow($0) } }
    private static func own(_ call: Int32) -> sg_call_rule { allow(call, 0, ~0, UInt32(bitPattern: getpid())) }
    private static var ownLimits: sg_call_rule { allow(SYS_prlimit64, 0, ~0, 0) }

    private static let flagsThatWrite = UInt32(bitPattern: O_ACCMODE | O_CREAT | O_TRUNC | 0o20_000_000)

    /// The calls that any code needs: memory that cannot be run, time, randomness, signals to itself, the end.
    private static var memory: [sg_call_rule] {
        all(
            SYS_futex, SYS_munmap, SYS_brk, SYS_mremap, SYS_clock_gettime, SYS_getrandom, SYS_gettid,
            SYS_getpid, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigaction, SYS_sigaltstack, SYS_restart_syscall,
            SYS_exit, SYS_exit_group, SYS_sysinfo, SYS_sched_getaffinity, SYS_sched_yield, SYS_getrusage)
            + [SYS_mmap, SYS_mprotect].map { allow($0, 2, UInt32(PROT_EXEC), 0) } + [own(SYS_tgkill)]
            // MADV_REMOVE would free pages of the shared memory. Any other advice fails with EPERM.
            + [MADV_DONTNEED, MADV_FREE].map { allow(SYS_madvise, 2, ~0, UInt32($0)) }
    }

    /// Reading what is open.
    private static var input: [sg_call_rule] {
        all(SYS_read, SYS_pread64, SYS_lseek, SYS_close, SYS_fstat) + [allow(SYS_newfstatat, 3, 0x1000, 0x1000)]
    }

    /// The open socket of a worker.
    private static var messages: [sg_call_rule] { all(SYS_sendmsg, SYS_recvmsg) }

    private static let cloneThread: UInt32 = 0x10000

    /// New threads, but no processes; `clone3`, whose flags are in memory, returns ENOSYS so that glibc falls back to `clone`.
    private static var threads: [sg_call_rule] {
        all(SYS_set_robust_list, SYS_rseq, SYS_membarrier) + [
            allow(SYS_clone, 0, cloneThread, cloneThread),
            sg_call_rule(number: SYS_clone3, argument: -1, mask: 0, value: 0, error: ENOSYS),
        ]
    }

    /// Open terminals and pipes, and memory for a worker; no input is put into a terminal (TIOCSTI).
    private static var output: [sg_call_rule] {
        all(
            SYS_write, SYS_writev, SYS_readv, SYS_newfstatat, SYS_statx, SYS_fcntl, SYS_memfd_create,
            SYS_ppoll, SYS_dup, SYS_getuid, SYS_geteuid, SYS_uname, SYS_readlinkat, SYS_getcwd, SYS_clock_nanosleep)
            + oldOutput
            + [TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ, TIOCGPGRP, FIONREAD].map {
                allow(SYS_ioctl, 1, ~0, UInt32($0))
            } + [allow(SYS_fallocate, 1, ~0, 0), own(SYS_kill), ownLimits]
    }

    // Calls that aarch64 lacks.
    #if arch(x86_64)
        private static var oldOutput: [sg_call_rule] { all(SYS_stat, SYS_lstat, SYS_readlink, SYS_pause, SYS_poll) }
    #else
        private static let oldOutput: [sg_call_rule] = []
    #endif

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
