internal import Glibc
internal import SpyglassFiles

/// The number of processors.
package enum ProcessorCount {
    /// The processors this process may run on (`Cpus_allowed` in proc_pid_status(5)), at least one.
    ///
    /// All processors if that is unreadable. A container's quota of processor time does not count.
    package static var usable: Int {
        allowed(inStatus: Folder.startOfFile("/proc/self/status")) ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// Counts the bits of the line `Cpus_allowed:	ffffffff,00000003`.
    static func allowed(inStatus status: String) -> Int? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Cpus_allowed:") }) else {
            return nil
        }
        let digits = line.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue)
        let count = digits.reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : nil
    }
}
