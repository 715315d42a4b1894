import SpyglassCodecs
import SpyglassFiles
import SpyglassSandbox
import SpyglassThreads

extension Settings {
    var isSandboxed: Bool { self.sandbox == .on }

    /// Lets another process start workers for this one, which will be locked.
    func delegateWorkers(_ system: SystemServices) {
        guard workers != nil else { return }
        system.launcher?.delegate(memoryBytes: workMemory.limit)
    }

    /// Locks this process, as far as the kernel permits; the console explains with `--verbose`.
    func lock(_ use: SandboxUse, reading: [any FilePath], _ system: SystemServices, _ console: Console) {
        let report = system.lock(use, reading)
        if let report { console.verbose("locked: \(report)") }
    }
}

/// Whether a command locks itself and its workers; `off` is for debugging.
enum SandboxChoice: String, CaseIterable, Sendable {
    case on
    case off
}
