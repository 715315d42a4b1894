/// Decodes the LZW codes of a GIF (GIF89a specification, appendix F) to index bytes.
///
/// A code is kept as offset and length of its string in the output, and decoded by copying it. The string of a new code is the one
/// decoded before it and the next byte, which are there. Data may arrive in parts of any length.
struct LZWDecoder: ~Copyable {
    private struct Code {
        var offset: UInt32
        var length: UInt32
    }

    private struct State {
        var codeSize = 1
        /// The number of codes that have a string.
        var codeCount = 0
        var width = 0
        var bits: UInt64 = 0
        var bitCount = 0
        var position = literals
        var end = literals
        /// The string decoded before; of length 0 after a clear code.
        var previous = Code(offset: 0, length: 0)
        var hasEnded = true

        var clearCode: Int { 1 &<< codeSize }

        mutating func clear() { (codeCount, width, previous.length) = (clearCode + 2, codeSize + 1, 0) }
    }

    /// The strings of one byte, the decoded bytes, and room for the last copy.
    private var output: [UInt8] = []
    private var codes = [Code](repeating: Code(offset: 0, length: 0), count: maxCodes)
    private var state = State()

    /// Codes have up to 12 bits.
    private static let maxCodes = 4096
    private static let maxWidth = 12
    private static let literals = 256
    private static let copyBytes = 8

    /// The sizes of an index that are decoded, in bits.
    ///
    /// Above 8 they are not allowed; then the low eight count, as in browsers.
    static let codeSizes = 1...11
    /// Memory besides the decoded bytes.
    static let workBytes = literals + copyBytes + maxCodes * MemoryLayout<Code>.stride

    /// Prepares for `count` bytes, fewer than 2^32 less 256; memory is used again.
    mutating func start(codeSize: Int, count: Int) {
        precondition(Self.codeSizes.contains(codeSize) && count >= 0 && count <= Int(UInt32.max) - Self.literals)
        if output.isEmpty { output = (0..<Self.literals).map { UInt8($0) } }
        let missing = Self.literals + count + Self.copyBytes - output.count
        if missing > 0 { output += repeatElement(0, count: missing) }
        for literal in 0..<1 << codeSize { codes[literal] = Code(offset: UInt32(literal & 255), length: 1) }
        state = State(codeSize: codeSize, end: Self.literals + count, hasEnded: count == 0)
        state.clear()
    }

    /// Whether no more data is needed: all bytes are decoded, the end code was met, or a wrong one.
    var hasEnded: Bool { state.hasEnded }
    /// The number of decoded bytes.
    var count: Int { state.position - Self.literals }

    /// Calls `body` with a range of the decoded bytes.
    func withBytes<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(range.upperBound <= count)
        return body(output.span.extracting(Self.literals + range.lowerBound..<Self.literals + range.upperBound))
    }

    /// Decodes the next part of the data.
    mutating func decode(_ data: Span<UInt8>) { Self.decode(data.bytes, &output, &codes, &state) }

    /// Decodes a part of the data, without a check of each access.
    ///
    /// What keeps them inside:
    /// - A width is at most 12 bits, and `codeCount` is compared with `maxCodes`: `codes` has that many.
    /// - The string of a code below `codeCount` begins before `position`, which is below `end`. At most `copyBytes`
    ///   beyond `end` are read and written, for which `start` makes room.
    /// - Eight bytes of the data are read only where as many are left.
    private static func decode(
        _ data: RawSpan, _ output: inout [UInt8], _ codes: inout [Code], _ saved: inout State
    ) {
        var outputSpan = output.mutableSpan
        var codes = codes.mutableSpan
        precondition(codes.count == maxCodes && outputSpan.count >= saved.end + copyBytes)
        var target = outputSpan.mutableBytes
        var state = saved
        defer { saved = state }
        let clearCode = state.clearCode
        var at = 0
        while !state.hasEnded {
            if state.bitCount < state.width {
                guard at &+ 8 <= data.byteCount else {
                    guard at < data.byteCount else { return }
                    let byte = data.unsafeLoad(fromByteOffset: at, as: UInt8.self)
                    state.bits |= UInt64(byte) &<< UInt64(state.bitCount)
                    at += 1
                    state.bitCount &+= 8
                    continue
                }
                // Bits beyond `bitCount` are read again, to the same place.
                let word = data.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self)
                state.bits |= UInt64(littleEndian: word) &<< UInt64(state.bitCount)
                let bytes = (63 &- state.bitCount) &>> 3
                at &+= bytes
                state.bitCount &+= bytes &* 8
            }
            let code = Int(truncatingIfNeeded: state.bits) & (1 &<< state.width &- 1)
            state.bits &>>= UInt64(state.width)
            state.bitCount &-= state.width
            if code == clearCode {
                state.clear()
                continue
            }
            if state.previous.length > 0, state.codeCount < maxCodes {
                codes[unchecked: state.codeCount] = Code(
                    offset: state.previous.offset, length: state.previous.length &+ 1)
                state.codeCount &+= 1
                if state.codeCount == 1 &<< state.width, state.width < maxWidth { state.width &+= 1 }
            }
            guard code < state.codeCount, code != clearCode &+ 1 else {
                state.hasEnded = true
                return
            }
            let string = codes[unchecked: code]
            let position = state.position
            let offset = Int(string.offset)
            let length = min(Int(string.length), state.end &- position)
            var copied = 0
            repeat {
                let word = target.unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ copied, as: UInt64.self)
                target.storeBytes(of: word, toUncheckedByteOffset: position &+ copied, as: UInt64.self)
                copied &+= copyBytes
            } while copied < length
            if offset &+ length > position {
                // The newest code: its last byte is its first, which was not there yet.
                let first = target.unsafeLoad(fromUncheckedByteOffset: position, as: UInt8.self)
                target.storeBytes(of: first, toUncheckedByteOffset: position &+ length &- 1, as: UInt8.self)
            }
            state.previous = Code(
                offset: UInt32(truncatingIfNeeded: position), length: UInt32(truncatingIfNeeded: length))
            state.position = position &+ length
            state.hasEnded = state.position == state.end
        }
    }
}
