/// Writes bytes without bounds checks: callers reserve the maximum (`SymbolEncoder.maxRow`, `RowWriter.maxRow`) and `slack`.
struct ByteCursor {
    private(set) var position: UnsafeMutablePointer<UInt8>
    /// The bytes that a wide store may write beyond its result.
    static let slack = 8

    init(_ start: UnsafeMutablePointer<UInt8>) { position = start }

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

    @inline(__always) mutating func endSGR() { position[-1] = UInt8(ascii: "m") }

    /// A scalar in UTF-8, one to four bytes.
    @inline(__always)
    mutating func write(scalar value: UInt32) {
        let value = UInt64(value)
        switch value {
        case 0..<0x80: write(value, count: 1)
        case 0..<0x800: write(0x80C0 | value >> 6 | (value & 0x3F) << 8, count: 2)
        case 0..<0x1_0000:
            write(0x80_80E0 | value >> 12 | (value >> 6 & 0x3F) << 8 | (value & 0x3F) << 16, count: 3)
        default:
            let high = 0x80F0 | value >> 18 | (value >> 12 & 0x3F) << 8
            write(high | (0x8080 | value >> 6 & 0x3F | (value & 0x3F) << 8) << 16, count: 4)
        }
    }

    /// The maximum number of bytes of a move: `ESC [ 1000 ; 1000 H`.
    static let maxMove = 12

    /// CUP, without redundant parameters.
    mutating func move(toRow row: Int, column: Int) {
        write(0x5B1B, count: 2)  // ESC [
        if row > 0 || column > 0 { write(number: row + 1) }
        if column > 0 {
            write(0x3B, count: 1)  // ;
            write(number: column + 1)
        }
        write(0x48, count: 1)  // H
    }

    /// CHA.
    mutating func move(toColumn column: Int) {
        write(0x5B1B, count: 2)  // ESC [
        if column > 0 { write(number: column + 1) }
        write(0x47, count: 1)  // G
    }

    /// CUF.
    mutating func moveRight(by columns: Int) {
        write(0x5B1B, count: 2)  // ESC [
        if columns > 1 { write(number: columns) }
        write(0x43, count: 1)  // C
    }

    static func digits(_ number: Int) -> Int { number < 10 ? 1 : number < 100 ? 2 : number < 1000 ? 3 : 4 }

    /// A number from 0 to 9999 in decimal.
    mutating func write(number: Int) {
        var rest = UInt64(number)
        var packed: UInt64 = 0
        for _ in 0..<Self.digits(number) {
            packed = packed << 8 | (0x30 + rest % 10)
            rest /= 10
        }
        write(packed, count: Self.digits(number))
    }
}

extension [UInt8] {
    /// Appends what `write` puts through a cursor; `capacity` includes `ByteCursor.slack`.
    @inline(__always)
    mutating func append(cursorCapacity capacity: Int, _ write: (inout ByteCursor, UnsafePointer<UInt32>) -> Void) {
        append(addingCapacity: capacity) { output in
            output.withUnsafeMutableBufferPointer { memory, count in
                guard let start = memory.baseAddress else { return }
                decimalTable.withUnsafeBufferPointer { table in
                    guard let decimal = table.baseAddress else { return }
                    var cursor = ByteCursor(start + count)
                    write(&cursor, decimal)
                    count = cursor.position - start
                }
            }
        }
    }
}

/// The numbers from 0 to 255 in decimal, each with a semicolon: four bytes with the first digit in the low byte.
private let decimalTable: [UInt32] = (UInt32(0)...255).map { value in
    var (text, rest) = (UInt32(UInt8(ascii: ";")), value)
    repeat {
        text = text << 8 | UInt32(UInt8(ascii: "0")) + rest % 10
        rest /= 10
    } while rest > 0
    return text
}
