@testable import SpyglassTerminalUI

/// What a terminal has been switched to by what was sent to it; knows the sequences of `TerminalSession` and no other.
struct SessionModes: Hashable {
    /// Private modes that are not as they are at first: on, but for wrapping (7) and the cursor (25), which are on at first.
    private(set) var changed: Set<Int> = []
    /// Kitty's flags that were pushed on the alternate screen.
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

    /// As a terminal is at first.
    static let untouched = SessionModes(after: [])
}
