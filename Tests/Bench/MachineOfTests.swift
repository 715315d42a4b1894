@testable import SpyglassBench

extension Machine {
    /// A fictional machine.
    static let ofTests = Machine(
        hardware: .init(architecture: "x86_64", processor: "AMD", cores: 2), system: "Debian", kernel: "6.1",
        memory: 1024, swift: "6.3", spyglass: "0.1.0")
}
