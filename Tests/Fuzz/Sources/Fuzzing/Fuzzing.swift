public import CFuzzer

/// Hands inputs to `body` until libFuzzer has had enough; called from a `main.swift`, since the package manager renames
/// the entry point that libFuzzer would bring. An input that breaks a promise traps in `body`.
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
