internal import Glibc
internal import SpyglassCSandbox
package import SpyglassFiles

/// Gives up what a process does not need, before it looks at the first untrusted byte; nothing of it can be taken back.
package enum Sandbox {
    /// The parts that took hold; a kernel may refuse some.
    package struct Report: Sendable, Equatable, CustomStringConvertible {
        /// The version of Landlock, or why it is missing (`errno`).
        package var landlock: Result<Int, FileError>
        package var seccomp: Result<Int, FileError>

        /// `landlock ABI 6, seccomp yes`, or the reason in place of either.
        package var description: String {
            func part(_ result: Result<Int, FileError>, _ success: (Int) -> String) -> String {
                switch result {
                case .success(let number): success(number)
                case .failure(let error): "no (\(error.reason))"
                }
            }
            return "landlock \(part(landlock) { "ABI \($0)" }), seccomp \(part(seccomp) { _ in "yes" })"
        }

        /// Whether both took hold.
        package var isComplete: Bool { (try? landlock.get()) != nil && (try? seccomp.get()) != nil }
    }

    /// Locks this thread and those it starts; system calls of all threads.
    ///
    /// Never fails: what the kernel refuses is left out, and reported. Costs 0.25 ms.
    ///
    /// - Parameters:
    ///   - use: what is kept.
    ///   - reading: files and folders that may still be opened; missing ones are left out.
    /// - Returns: what took hold.
    package static func lock(_ use: SandboxUse, reading: [any FilePath] = []) -> Report {
        for (resource, value) in use.limits {
            var limit = rlimit()
            let number = __rlimit_resource_t(resource.rawValue)
            guard getrlimit(number, &limit) == 0 else { continue }
            limit.rlim_max = min(limit.rlim_max, rlim_t(value))
            limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
            setrlimit(number, &limit)
        }
        if !use.isDumpable { sg_forbid_dumps() }
        sg_forbid_privileges()
        let landlock = Result { () throws(FileError) in try restrictFiles(to: use.files + reading) }
        let seccomp = Result { () throws(FileError) in
            Int(try checked("seccomp") { sg_seccomp_install(use.rules, use.rules.count) })
        }
        return Report(landlock: landlock, seccomp: seccomp)
    }

    private static func restrictFiles(to reading: [any FilePath]) throws(FileError) -> Int {
        let version = try checked("landlock_create_ruleset") { sg_landlock_version() }
        let rules = FileDescriptor(owning: try checked("landlock_create_ruleset") { sg_landlock_create(version) })
        for path in reading {
            guard let file = try? Folder.working.open(path, Self.pathOnly), let status = try? file.status else {
                continue
            }
            try checked("landlock_add_rule") {
                sg_landlock_allow(rules.number, version, file.number, status.kind == .folder)
            }
        }
        try checked("landlock_restrict_self") { sg_landlock_restrict(rules.number) }
        return Int(version)
    }

    /// `O_PATH` of x86_64 and aarch64.
    private static let pathOnly = OpenOptions(rawValue: 0o10_000_000)
}

/// The private memory of this process, for libraries whose need a file may understate.
package struct MemoryUse: ~Copyable {
    private let file: FileDescriptor
    private static let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Opens the kernel's files about this process; call it before the lock.
    package init() { file = (try? Folder.working.open("/proc/self/statm")) ?? FileDescriptor(owning: -1) }

    /// Lets private memory grow by at most `bytes` from now on (`RLIMIT_DATA`).
    ///
    /// Memory that earlier work left behind does not count, so a limit means the same for the first image and the last.
    package func limitGrowth(to bytes: Int) {
        guard let fields = try? file.bytes(256).split(separator: UInt8(ascii: " ")), fields.count > 5,
            let pages = Int(String(decoding: fields[5], as: UTF8.self))
        else { return }
        let (limit, overflows) = (pages * Self.pageBytes).addingReportingOverflow(bytes)
        var limits = rlimit()
        let number = __rlimit_resource_t(RLIMIT_DATA.rawValue)
        guard getrlimit(number, &limits) == 0 else { return }
        limits.rlim_cur = min(overflows ? .max : rlim_t(max(limit, 0)), limits.rlim_max)
        setrlimit(number, &limits)
    }
}
