import CFuzzer

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
_ = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
    if bytes.count > 3 && bytes[0] == 7 && bytes[1] == 9 && bytes[2] == 11 { fatalError() }
    return 0
}
