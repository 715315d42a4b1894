import CFuzzer
import Dispatch
import Glibc

// Runs the target of SPYGLASS_FUZZ_TARGET on libFuzzer's inputs. The package manager renames libFuzzer's entry point, so its main loop
// is called.
let target = getenv("SPYGLASS_FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }
guard target != nil else {
    print("set SPYGLASS_FUZZ_TARGET to one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
    exit(2)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = CommandLine.unsafeArgv
withUnsafeMutablePointer(to: &arguments) { arguments in
    _ = LLVMFuzzerRunDriver(
        &count,
        UnsafeMutableRawPointer(arguments).assumingMemoryBound(
            to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
    ) { data, size in
        let bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
        switch target?.check {
        case .now(let check): check(bytes)
        case .later(let check):
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                await check(bytes)
                done.signal()
            }
            done.wait()
        case nil: break
        }
        return 0
    }
}
