internal import Glibc
internal import SpyglassCaching
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassThreads

package struct Machine: Hashable, Sendable {
    package struct Hardware: Hashable, Sendable, CustomStringConvertible {
        /// The instruction set, as the compiler names it: `x86_64`.
        package var architecture: String
        package var processor: String
        package var cores: Int

        /// Whether the processor has a name; two without one may differ.
        var isKnown: Bool { processor != Machine.unknown }
        package var description: String { "\(processor), \(cores) \(cores == 1 ? "processor" : "processors")" }
    }

    package var hardware: Hardware
    package var system: String
    package var kernel: String
    package var memory: Int
    /// The compiler's version, as far as `#if compiler` tells.
    package var swift: String
    package var spyglass: String
    /// Why instructions and cycles are not counted; `nil` if they are.
    package var countersError: String?

    private static let unknown = "unknown"

    package static func current() -> Machine {
        Machine(
            hardware: Hardware(
                architecture: architecture, processor: processor(in: Folder.startOfFile("/proc/cpuinfo")) ?? unknown,
                cores: ProcessorCount.usable),
            system: value(of: "PRETTY_NAME", in: Folder.startOfFile("/etc/os-release"), after: "=") ?? "Linux",
            kernel: Folder.startOfFile("/proc/sys/kernel/osrelease").split(separator: "\n").first.map(String.init)
                ?? unknown,
            memory: MemoryBudget.current().bytes, swift: compiler, spyglass: SpyglassVersion.current)
    }

    /// The processor's name in `/proc/cpuinfo`; on ARM its numbers: `ARM 0x41 0xd0c`.
    static func processor(in text: String) -> String? {
        if let name = value(of: "model name", in: text, after: ":") { return name }
        guard let implementer = value(of: "CPU implementer", in: text, after: ":"),
            let part = value(of: "CPU part", in: text, after: ":")
        else { return nil }
        return "ARM \(implementer) \(part)"
    }

    static func value(of name: String, in text: String, after sign: Character) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            guard let at = line.firstIndex(of: sign) else { continue }
            let value = line[line.index(after: at)...].drop { $0 == " " || $0 == "\"" }
            return String(value.hasSuffix("\"") ? value.dropLast() : value)
        }
        return nil
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "unknown"
        #endif
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
}
