public import CFuzzer

/// Hands inputs to `body` until libFuzzer has had enough; one that breaks a promise traps there.
///
/// Called from a `main.swift`, since the package manager renames the entry point that libFuzzer would bring.
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
