/// A command of kitty's graphics protocol, with the data of all its chunks.
package struct KittyCommand: Sendable {
    package let keys: [String: String]
    package private(set) var data: [UInt8]

    /// Reads bytes that hold nothing else; breaches of the protocol are faults.
    package static func read(_ bytes: [UInt8]) -> (commands: [KittyCommand], faults: [String]) {
        var (commands, faults): ([KittyCommand], [String]) = ([], [])
        var isOpen = false
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.starts(with: "\u{1B}_G".utf8), let end = rest.firstIndex(of: 0x5C), rest[end - 1] == 0x1B else {
                return (commands, faults + ["not a command"])
            }
            let body = String(decoding: rest[(rest.startIndex + 3)..<end - 1], as: UTF8.self)
            rest = rest[(end + 1)...]
            let parts = body.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
            let pairs = parts[0].split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            let keys = Dictionary(pairs.map { ($0[0], $0.count == 2 ? $0[1] : "") }) { first, _ in
                faults.append("\(first) twice")
                return first
            }
            let text = parts.count == 2 ? String(parts[1]) : ""
            if keys["q"] != "2" { faults.append("asks for an answer: \(parts[0])") }
            if text.utf8.count > 4096 { faults.append("\(text.utf8.count) characters in a chunk") }
            let isLast = keys["m"] != "1"
            if !isLast, text.utf8.count % 4 != 0 { faults.append("a chunk of \(text.utf8.count) characters") }
            guard let data = Base64.decoded(text) else { return (commands, faults + ["not base64"]) }
            if isOpen {
                if !Set(keys.keys).isSubset(of: ["m", "q"]) { faults.append("a later chunk with \(keys)") }
                commands[commands.count - 1].data += data
            } else {
                commands.append(KittyCommand(keys: keys, data: data))
            }
            isOpen = !isLast
        }
        return (commands, faults + (isOpen ? ["no last chunk"] : []))
    }
}

/// Base64 as RFC 4648 section 4 describes it.
package enum Base64 {
    /// `nil` for other characters, a length that is not a multiple of four, and padding within.
    package static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        let values = Dictionary(uniqueKeysWithValues: zip(digits.utf8, 0...))
        let content = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
        guard text.utf8.count % 4 == 0, text.utf8.count - content.count <= 2 else { return nil }
        var (bits, count, bytes) = (0, 0, [UInt8]())
        for digit in content {
            guard let value = values[digit] else { return nil }
            (bits, count) = (bits << 6 | value, count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(bits >> count & 0xFF))
        }
        return bytes
    }
}
