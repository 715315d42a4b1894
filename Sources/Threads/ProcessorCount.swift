internal import Glibc

/// The number of processors.
public enum ProcessorCount {
    /// The processors this process may run on (`Cpus_allowed` in proc_pid_status(5)), at least one.
    ///
    /// All processors if that is unreadable. A container's quota of processor time does not count.
    public static var usable: Int {
        allowed(inStatus: ownStatus()) ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
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

    private static func ownStatus() -> String {
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        // The file has about 1.5 kB.
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }
}
