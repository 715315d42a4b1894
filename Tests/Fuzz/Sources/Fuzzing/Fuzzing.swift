public import CFuzzer

/// Runs `body` on libFuzzer's inputs; a failed check traps.
///
/// Called from a `main.swift`, since the package manager renames libFuzzer's entry point.
public func fuzz(_ body: fuzz_callback) {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = CommandLine.unsafeArgv
    withUnsafeMutablePointer(to: &arguments) { arguments in
        _ = LLVMFuzzerRunDriver(
            &count,
            UnsafeMutableRawPointer(arguments).assumingMemoryBound(
                to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self), body)
    }
}
