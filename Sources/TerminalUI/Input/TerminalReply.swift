/// A reply of the terminal.
@nonexhaustive
public enum TerminalReply: Hashable, Sendable {
    /// The terminal has read everything before (`CSI 0 n`).
    case status
    /// The background colour (OSC 11).
    case background(RGB)
    /// One of the sixteen colours (OSC 4).
    case color(index: Int, RGB)
    /// The size of a cell in pixels (`CSI 6 ; height ; width t`).
    case cellPixels(width: Int, height: Int)
    /// The size of the window in pixels (`CSI 4 ; height ; width t`).
    case windowPixels(width: Int, height: Int)
    /// The name and version (XTVERSION), at most 80 printable ASCII characters.
    case version(String)
    /// The secondary attributes (DA2).
    case secondaryAttributes([Int])
    /// Whether kitty's query succeeded, or failed with an error.
    case graphics(Bool)
    /// Whether kitty's query for shared memory succeeded: the terminal runs on this machine.
    case sharedMemory(Bool)
    /// Whether the terminal kept a 24-bit colour (DECRQSS).
    case truecolor(Bool)
    /// The attributes (DA1). Earlier queries without a reply get none.
    case attributes([Int])
    /// Whether its colours are dark, not light: the report of a change (mode 2031), and the reply to `CSI ? 996 n`.
    ///
    /// `CSI ? 997 ; 1 n` is dark, `CSI ? 997 ; 2 n` light (Contour's color-palette-update-notifications.md).
    case darkMode(Bool)
    /// The current keyboard flags (kitty's protocol, `CSI ? flags u`).
    case keyboard(Int)
    /// Another sequence that is not a key.
    case other
}

extension TerminalReply {
    init?(_ sequence: ControlSequence) {
        switch (sequence.marker, sequence.intermediate, sequence.final) {
        case (nil, nil, UInt8(ascii: "n")):
            // 3 reports a malfunction, but is a reply.
            self = sequence.number(0) == 0 || sequence.number(0) == 3 ? .status : .other
        case (nil, nil, UInt8(ascii: "t")): self = Self.pixels(sequence) ?? .other
        case (UInt8(ascii: "?"), nil, UInt8(ascii: "n")) where sequence.numbers == [997, 1]: self = .darkMode(true)
        case (UInt8(ascii: "?"), nil, UInt8(ascii: "n")) where sequence.numbers == [997, 2]: self = .darkMode(false)
        case (UInt8(ascii: "?"), nil, UInt8(ascii: "c")): self = .attributes(sequence.numbers)
        case (UInt8(ascii: ">"), nil, UInt8(ascii: "c")): self = .secondaryAttributes(sequence.numbers)
        case (UInt8(ascii: "?"), nil, UInt8(ascii: "u")): self = .keyboard(sequence.number(0) ?? 0)
        case (nil, nil, UInt8(ascii: "R")):
            // The cursor's position. xterm sends the same for F3 with a modifier, which is not supported.
            guard sequence.count > 1 else { return nil }
            self = .other
        case (nil, nil, UInt8(ascii: "I")), (nil, nil, UInt8(ascii: "O")):  // focus changes
            guard sequence.count == 0 else { return nil }
            self = .other
        case (nil, nil, UInt8(ascii: "c")), (nil, nil, UInt8(ascii: "x")), (nil, UInt8(ascii: "$"), UInt8(ascii: "y")):
            guard sequence.count > 0 else { return nil }
            self = .other
        case (UInt8(ascii: "?"), _, _), (UInt8(ascii: ">"), _, _), (UInt8(ascii: "="), _, _): self = .other
        default: return nil
        }
    }

    private static func pixels(_ sequence: ControlSequence) -> TerminalReply? {
        guard sequence.count == 3, let height = sequence.number(1), let width = sequence.number(2),
            sides.contains(height), sides.contains(width)
        else { return nil }
        return switch sequence.number(0) {
        case 4: .windowPixels(width: width, height: height)
        case 6: .cellPixels(width: width, height: height)
        default: nil
        }
    }

    /// The range of the kernel's `winsize`, without 0.
    private static let sides = 1...Int(UInt16.max)

    init(_ string: ControlString, _ bytes: [UInt8]) {
        switch string {
        case .operatingSystem: self = Self.color(bytes) ?? .other
        case .deviceControl: self = Self.truecolor(bytes) ?? Self.version(bytes) ?? .other
        case .application: self = Self.graphics(bytes) ?? .other
        case .startOfString, .privacyMessage: self = .other
        }
    }

    /// The reply to OSC 11, or to OSC 4: `4`, an index, the colour.
    private static func color(_ bytes: [UInt8]) -> TerminalReply? {
        let parts = bytes.split(separator: UInt8(ascii: ";"), maxSplits: 2, omittingEmptySubsequences: false)
        guard let last = parts.last, let color = RGB(reply: last) else { return nil }
        if parts.count == 2, isText(parts[0], "11") { return .background(color) }
        guard parts.count == 3, isText(parts[0], "4"),
            let index = (0..<16).first(where: { isText(parts[1], "\($0)") })
        else { return nil }
        return .color(index: index, color)
    }

    /// The reply to XTVERSION: `>|`, the text.
    private static func version(_ bytes: [UInt8]) -> TerminalReply? {
        guard bytes.starts(with: ">|".utf8), bytes.count <= 2 + 80, bytes.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        return .version(String(decoding: bytes.dropFirst(2), as: UTF8.self))
    }

    /// The reply to a query for kitty's images: `G`, `i=31` or `i=32` among keys, a semicolon, `OK` or an error.
    private static func graphics(_ bytes: [UInt8]) -> TerminalReply? {
        let parts = bytes.dropFirst().split(separator: UInt8(ascii: ";"), maxSplits: 1)
        guard bytes.first == UInt8(ascii: "G"), parts.count == 2 else { return nil }
        let keys = parts[0].split(separator: UInt8(ascii: ","))
        if keys.contains(where: { isText($0, "i=\(TerminalProbe.image)") }) { return .graphics(isText(parts[1], "OK")) }
        guard keys.contains(where: { isText($0, "i=\(TerminalProbe.sharedImage)") }) else { return nil }
        return .sharedMemory(isText(parts[1], "OK"))
    }

    /// The reply to DECRQSS for SGR: `1 $ r`, the parameters, `m`; `0 $ r` if not supported.
    private static func truecolor(_ bytes: [UInt8]) -> TerminalReply? {
        guard bytes.count >= 3, bytes[1...2].elementsEqual("$r".utf8) else { return nil }
        guard bytes[0] == UInt8(ascii: "1") else { return bytes[0] == UInt8(ascii: "0") ? .truecolor(false) : nil }
        guard bytes.last == UInt8(ascii: "m") else { return nil }
        let parameters = bytes[3...].dropLast().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        return .truecolor(parameters.indices.contains { isProbe(parameters[$0...]) })
    }

    /// Matches `48:2::1:2:3` (ISO 8613-6, with an empty colour space), `48:2:1:2:3` or `48;2;1;2;3`.
    private static func isProbe(_ parameters: ArraySlice<ArraySlice<UInt8>>) -> Bool {
        let color = TerminalProbe.color
        let channels = ["\(color.red)", "\(color.green)", "\(color.blue)"]
        guard let first = parameters.first else { return false }
        let parts = first.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let list = parts.count > 1 ? parts[...] : parameters.prefix(2 + channels.count)
        guard list.count >= 2 + channels.count, list.starts(with: ["48", "2"], by: isText) else { return false }
        let values = list.dropFirst(2)
        return values.starts(with: channels, by: isText)
            || (values.count > channels.count && values.dropFirst().starts(with: channels, by: isText))
    }

    private static func isText(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool { bytes.elementsEqual(text.utf8) }
}

extension RGB {
    /// Parses `rgb:RRRR/GGGG/BBBB`, one to four digits a channel, or `rgba:` with an alpha channel (XParseColor).
    fileprivate init?(reply bytes: ArraySlice<UInt8>) {
        let opaque = Array("rgb:".utf8)
        let translucent = Array("rgba:".utf8)
        let isOpaque = bytes.starts(with: opaque)
        guard isOpaque || bytes.starts(with: translucent) else { return nil }
        let channels = bytes.dropFirst((isOpaque ? opaque : translucent).count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Self.channel)
        guard channels.count == (isOpaque ? 3 : 4), let red = channels[0], let green = channels[1],
            let blue = channels[2]
        else { return nil }
        self.init(red, green, blue)
    }

    /// A channel of one to four hexadecimal digits; all F is the maximum.
    private static func channel(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard (1...4).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard let nibble = Character(Unicode.Scalar(digit)).hexDigitValue, digit < 0x80 else { return nil }
            value = value << 4 | nibble
        }
        let maximum = 1 << (4 * digits.count) - 1
        return UInt8((value * 255 + maximum / 2) / maximum)
    }
}
