internal import Glibc
internal import SpyglassCaching
internal import SpyglassFetching
internal import SpyglassThreads

/// Where figures were taken, and with what.
package struct Machine: Hashable, Sendable {
    /// The distribution.
    package var system: String
    package var kernel: String
    package var processor: String
    /// Processors that this process may use.
    package var cores: Int
    /// Bytes that this process may use.
    package var memory: Int
    /// The compiler's version, as far as a program can know it.
    package var swift: String
    package var spyglass: String
    /// Why instructions and cycles are not counted; `nil` when they are.
    package var refusal: String?

    package init(
        system: String, kernel: String, processor: String, cores: Int, memory: Int, swift: String, spyglass: String,
        refusal: String?
    ) {
        self.system = system
        self.kernel = kernel
        self.processor = processor
        self.cores = cores
        self.memory = memory
        self.swift = swift
        self.spyglass = spyglass
        self.refusal = refusal
    }

    /// This one; `refusal` says why nothing is counted, and is `nil` when instructions and cycles are.
    package static func current(refusal: Counters.Refusal?) -> Machine {
        Machine(
            system: value(of: "PRETTY_NAME", in: text(of: "/etc/os-release"), after: "=") ?? "Linux",
            kernel: text(of: "/proc/sys/kernel/osrelease").split(separator: "\n").first.map(String.init) ?? "unknown",
            processor: value(of: "model name", in: text(of: "/proc/cpuinfo"), after: ":") ?? "unknown",
            cores: ProcessorCount.usable, memory: MemoryBudget.current().bytes, swift: compiler,
            spyglass: SpyglassVersion.current, refusal: refusal?.reason)
    }

    /// The value of the first line that begins with a name.
    static func value(of name: String, in text: String, after sign: Character) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            guard let at = line.firstIndex(of: sign) else { continue }
            let value = line[line.index(after: at)...].drop { $0 == " " || $0 == "\"" }
            return String(value.hasSuffix("\"") ? value.dropLast() : value)
        }
        return nil
    }

    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// The beginning of a small file of the system; nothing where it cannot be read.
    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }
}
