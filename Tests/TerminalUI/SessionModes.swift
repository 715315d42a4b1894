@testable import SpyglassTerminalUI

/// The modes of a terminal after output of `TerminalSession`.
struct SessionModes: Hashable {
    /// Private modes that differ from their defaults: off, except wrapping (7) and the cursor (25).
    private(set) var changed: Set<Int> = []
    /// The depth of kitty's flags on the alternate screen.
    private(set) var keyboardStack = 0

    private static let onAtFirst: Set<Int> = [7, 25]

    init(after bytes: [UInt8]) {
        var rest = bytes[...]
        while let escape = rest.firstIndex(of: 0x1B) {
            rest = rest[escape...].dropFirst()
            guard rest.first == UInt8(ascii: "[") else { continue }
            rest = rest.dropFirst()
            let body = rest.prefix { $0 < 0x40 }
            guard let final = rest.dropFirst(body.count).first else { return }
            rest = rest.dropFirst(body.count + 1)
            take(String(decoding: body, as: UTF8.self), final)
        }
    }

    private mutating func take(_ body: String, _ final: UInt8) {
        switch (body.first, final) {
        case ("?", UInt8(ascii: "h")), ("?", UInt8(ascii: "l")):
            guard let mode = Int(body.dropFirst()) else { return }
            let isOn = final == UInt8(ascii: "h")
            if isOn != Self.onAtFirst.contains(mode) { changed.insert(mode) } else { changed.remove(mode) }
            if mode == 1049, !isOn, keyboardStack > 0 { keyboardStack = .max }  // lost on the other screen
        case (">", UInt8(ascii: "u")): keyboardStack += 1
        case ("<", UInt8(ascii: "u")): keyboardStack = max(0, keyboardStack - 1)
        default: break
        }
    }

    static let untouched = SessionModes(after: [])
}
