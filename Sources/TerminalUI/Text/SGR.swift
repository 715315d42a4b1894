/// Select Graphic Rendition, as bytes: every colour and style that leaves this module is spelled here.
enum SGR {
    /// Starts a control sequence.
    static let introducer: StaticString = "\u{1B}["
    /// Everything back to the terminal's own.
    static let reset: StaticString = "\u{1B}[0m"
    /// The terminal's own background.
    static let defaultBackground: StaticString = "\u{1B}[49m"
    /// Breaks off a sequence that was cut (CAN, which no terminal shows), and everything back to the terminal's own.
    static let cancelAndReset: StaticString = "\u{18}\u{1B}[0m"
    /// Back to the first column, and the line behind it emptied.
    static let clearLine: StaticString = "\r\u{1B}[K"
}

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(spaces count: Int) {
        append(contentsOf: repeatElement(UInt8(ascii: " "), count: Swift.max(count, 0)))
    }
}

/// Writes bytes one after another into memory that the caller has made large enough.
///
/// Stores are eight and four bytes wide, of which only the first count, so the memory needs `slack` bytes more than
/// what is written. Nothing is checked here; who makes a cursor proves the size (see `HalfBlock.appendColors`).
struct ByteCursor {
    private(set) var position: UnsafeMutablePointer<UInt8>

    /// How far a store may reach beyond the bytes that count.
    static let slack = 8

    init(_ start: UnsafeMutablePointer<UInt8>) {
        position = start
    }

    /// Up to eight bytes, the first in the low byte.
    @inline(__always)
    mutating func write(_ bytes: UInt64, count: Int) {
        UnsafeMutableRawPointer(position).storeBytes(of: bytes.littleEndian, as: UInt64.self)
        position += count
    }

    /// A number from 0 to 255 in decimal and a semicolon.
    @inline(__always)
    mutating func write(decimal value: UInt32, from table: UnsafePointer<UInt32>) {
        let digits = table[Int(value & 0xFF)]
        UnsafeMutableRawPointer(position).storeBytes(of: digits.littleEndian, as: UInt32.self)
        position += value < 10 ? 2 : value < 100 ? 3 : 4
    }

    /// Puts `m` where the last semicolon is.
    @inline(__always)
    mutating func endSGR() {
        position[-1] = UInt8(ascii: "m")
    }
}

/// Numbers from 0 to 255 in decimal, each with a semicolon, four bytes a number with the first digit in the low byte.
enum DecimalTable {
    static let entries: [UInt32] = (0...255).map { value in
        "\(value);".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
