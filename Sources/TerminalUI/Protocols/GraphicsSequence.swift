/// The sequences of pixel protocols.
enum GraphicsSequence {
    /// APC G ... ST.
    case kittyGraphics
    /// OSC 1337 ; ... BEL.
    case iTerm
}

extension [UInt8] {
    /// Appends a sequence: keys, then data in base64.
    ///
    /// Inside tmux it is wrapped in `ESC P tmux;` with each ESC doubled. tmux passes it through if `allow-passthrough` is
    /// on (tmux(1)).
    mutating func append(
        _ kind: GraphicsSequence, _ keys: String, base64 data: Span<UInt8> = Span(), isInsideTmux: Bool
    ) {
        if isInsideTmux { append("\u{1B}Ptmux;\u{1B}" as StaticString) }
        switch kind {
        case .kittyGraphics: append("\u{1B}_G" as StaticString)
        case .iTerm: append("\u{1B}]1337;" as StaticString)
        }
        append(contentsOf: keys.utf8)
        append(base64: data)
        switch kind {
        case .kittyGraphics: append(isInsideTmux ? "\u{1B}\u{1B}\\" : "\u{1B}\\" as StaticString)
        case .iTerm: append(0x07)
        }
        if isInsideTmux { append("\u{1B}\\" as StaticString) }
    }
}

extension [UInt8] {
    /// Appends bytes as base64 with padding (RFC 4648 section 4).
    mutating func append(base64 bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        let whole = bytes.count - bytes.count % 3
        append(addingCapacity: (bytes.count + 2) / 3 * 4) { output in
            base64Pairs.withUnsafeBufferPointer { pairs in
                for at in stride(from: 0, to: whole, by: 3) {
                    let bits = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
                    let (first, second) = (pairs[bits >> 12], pairs[bits & 0xFFF])
                    output.append(UInt8(truncatingIfNeeded: first))
                    output.append(UInt8(truncatingIfNeeded: first >> 8))
                    output.append(UInt8(truncatingIfNeeded: second))
                    output.append(UInt8(truncatingIfNeeded: second >> 8))
                }
            }
        }
        guard whole < bytes.count else { return }
        let hasTwo = whole + 1 < bytes.count
        let bits = Int(bytes[whole]) << 16 | (hasTwo ? Int(bytes[whole + 1]) << 8 : 0)
        let (first, second) = (base64Pairs[bits >> 12], base64Pairs[bits & 0xFFF])
        append(UInt8(truncatingIfNeeded: first))
        append(UInt8(truncatingIfNeeded: first >> 8))
        append(hasTwo ? UInt8(truncatingIfNeeded: second) : UInt8(ascii: "="))
        append(UInt8(ascii: "="))
    }
}

/// Two digits for each 12 bits, the first in the low byte.
private let base64Pairs: [UInt16] = {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8.map { UInt16($0) }
    return digits.flatMap { first in digits.map { first | $0 << 8 } }
}()
