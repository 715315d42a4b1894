/// Decodes the LZW codes of a GIF (GIF89a specification, appendix F) to index bytes.
///
/// A code is kept as offset and length of its string in the output, and decoded by copying it. The string of a new code is the one
/// decoded before it and the next byte, which are there. Data may arrive in parts of any length.
struct LZWDecoder: ~Copyable {
    private struct Code {
        var offset: UInt32
        /// 0 for the clear code and the end code.
        var length: UInt32
    }

    private struct State {
        var codeSize = 1
        var width = 0
        /// `1 << width`.
        var limit = 1
        var bits: UInt64 = 0
        var bitCount = 0
        /// The highest code that has a string: the one decoded last and the byte after it.
        var newest = 0
        /// The growth of `newest` per code: 0 once all codes are assigned.
        var step = 1
        var position = literals
        var end = literals
        var hasEnded = true

        var clearCode: Int { 1 &<< codeSize }

        mutating func clear() { (newest, step, width, limit) = (clearCode &+ 1, 1, codeSize &+ 1, 2 &<< codeSize) }

        mutating func fillBits(_ data: inout UnsafeRawPointer, until dataEnd: UnsafeRawPointer) {
            if dataEnd - data >= 8 {
                // Bits beyond `bitCount` are read again, to the same place.
                let word = UInt64(littleEndian: data.loadUnaligned(as: UInt64.self))
                bits |= word &<< UInt64(truncatingIfNeeded: bitCount)
                data += (63 &- bitCount) &>> 3
                bitCount |= 56
            } else {
                while bitCount < 56, data < dataEnd {
                    bits |= UInt64(data.load(as: UInt8.self)) &<< UInt64(truncatingIfNeeded: bitCount)
                    data += 1
                    bitCount &+= 8
                }
            }
        }
    }

    /// The strings of one byte, the decoded bytes, and room for the last copy.
    private var output: [UInt8] = []
    /// One more than there are codes: written once all are assigned, and never read.
    private var codes = [Code](repeating: Code(offset: 0, length: 0), count: maxCodes + 1)
    private var state = State()

    /// Codes have up to 12 bits.
    private static let maxCodes = 1 << maxWidth
    private static let maxWidth = 12
    private static let literals = 256
    /// The unit of copies: most strings are shorter.
    private typealias Piece = SIMD2<UInt64>
    private static let pieceBytes = MemoryLayout<Piece>.size

    /// Bits of an index: more than 8 are not allowed; then the low eight count, as in browsers.
    static let codeSizes = 1...11
    /// Memory besides the decoded bytes.
    static let workBytes = literals + pieceBytes + (maxCodes + 1) * MemoryLayout<Code>.stride

    /// Prepares for `count` bytes, fewer than 2^32 less 256; memory is used again.
    mutating func start(codeSize: Int, count: Int) {
        precondition(Self.codeSizes.contains(codeSize) && count >= 0 && count <= Int(UInt32.max) - Self.literals)
        if output.isEmpty { output = (0..<Self.literals).map { UInt8($0) } }
        let missing = Self.literals + count + Self.pieceBytes - output.count
        if missing > 0 { output += repeatElement(0, count: missing) }
        for literal in 0..<1 << codeSize { codes[literal] = Code(offset: UInt32(literal & 255), length: 1) }
        for special in 0..<2 { codes[1 << codeSize + special] = Code(offset: 0, length: 0) }
        state = State(codeSize: codeSize, end: Self.literals + count, hasEnded: count == 0)
        state.clear()
    }

    /// Whether no more data is needed: all bytes are decoded, the end code was met, or a wrong one.
    var hasEnded: Bool { state.hasEnded }
    var count: Int { state.position - Self.literals }

    func withBytes<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(range.upperBound <= count)
        return body(output.span.extracting(Self.literals + range.lowerBound..<Self.literals + range.upperBound))
    }

    mutating func decode(_ data: Span<UInt8>) {
        var state = state
        codes.withUnsafeMutableBufferPointer { codes in
            output.withUnsafeMutableBytes { output in
                data.withUnsafeBytes { data in
                    guard let data = data.baseAddress.map({ $0..<$0 + data.count }), let codeStart = codes.baseAddress,
                        let outputStart = output.baseAddress
                    else { return }
                    precondition(codes.count == Self.maxCodes + 1)
                    precondition(output.count >= state.end + Self.pieceBytes)
                    Self.decode(data, outputStart, codeStart, &state)
                }
            }
        }
        self.state = state
    }

    /// Decodes a part of the data, without a check of each access.
    ///
    /// All accesses are inside, because:
    /// - `width` is at most 12, so that a code is below `maxCodes`. `newest` starts below `limit`, grows by one at a time, and
    ///   stops at `maxCodes`. All codes up to it have been written since the last clear code.
    /// - A string begins before `position`, which is below `end`, and ends at most one byte beyond `position`. What is
    ///   decoded ends at `end`. Copies move whole pieces, so they stay below `end + pieceBytes`, for which `start` makes room.
    /// - Eight bytes of the data are read only where as many are left.
    private static func decode(
        _ range: Range<UnsafeRawPointer>, _ output: UnsafeMutableRawPointer, _ codes: UnsafeMutablePointer<Code>,
        _ saved: inout State
    ) {
        var (state, data) = (saved, range.lowerBound)
        defer { saved = state }
        while !state.hasEnded {
            state.fillBits(&data, until: range.upperBound)
            guard state.bitCount >= state.width else { return }
            repeat {
                let code = Int(truncatingIfNeeded: state.bits) & (state.limit &- 1)
                state.bits &>>= UInt64(truncatingIfNeeded: state.width)
                state.bitCount &-= state.width
                let length = Int(codes[code].length)
                guard code <= state.newest, length > 0 else {
                    guard code == state.clearCode else {
                        state.hasEnded = true
                        return
                    }
                    state.clear()
                    continue
                }
                let isNewest = code == state.newest
                let (source, target) = (output + Int(codes[code].offset), output + state.position)
                let end = state.position &+ length
                guard end < state.end else {
                    let isWhole = end == state.end
                    copy(source, target, state.end &- state.position, isNewest: isNewest && isWhole)
                    (state.position, state.hasEnded) = (state.end, true)
                    return
                }
                copy(source, target, length, isNewest: isNewest)
                state.newest &+= state.step
                codes[state.newest] = Code(
                    offset: UInt32(truncatingIfNeeded: state.position), length: UInt32(truncatingIfNeeded: length &+ 1))
                state.position = end
                if state.newest == state.limit {
                    if state.width < maxWidth {
                        state.width &+= 1
                        state.limit &<<= 1
                    } else {
                        state.step = 0
                    }
                }
            } while state.bitCount >= state.width
        }
    }

    @inline(__always)
    private static func copy(
        _ source: UnsafeMutableRawPointer, _ target: UnsafeMutableRawPointer, _ length: Int, isNewest: Bool
    ) {
        target.storeBytes(of: source.loadUnaligned(as: Piece.self), as: Piece.self)
        if length > pieceBytes {
            var copied = pieceBytes
            repeat {
                let piece = source.loadUnaligned(fromByteOffset: copied, as: Piece.self)
                target.storeBytes(of: piece, toByteOffset: copied, as: Piece.self)
                copied &+= pieceBytes
            } while copied < length
        }
        // The last byte of the newest code is its first, which was not there yet.
        if isNewest { target.storeBytes(of: target.load(as: UInt8.self), toByteOffset: length &- 1, as: UInt8.self) }
    }
}
