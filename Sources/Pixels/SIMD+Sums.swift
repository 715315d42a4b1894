// Operations that both instruction sets have in one or two instructions, in forms that the compiler recognises.

extension SIMD8<Int16> {
    /// Loads eight numbers from any address at once; as separate numbers they would be loaded by halves.
    @inline(__always)
    init(unalignedAt address: UnsafeRawPointer) {
        self = unsafeBitCast(address.loadUnaligned(as: SIMD2<UInt64>.self), to: SIMD8<Int16>.self)
    }

    /// Repeats two numbers four times.
    @inline(__always)
    init(pairs even: Int16, _ odd: Int16) {
        let pair = UInt32(UInt16(bitPattern: even)) | UInt32(UInt16(bitPattern: odd)) &<< 16
        self = unsafeBitCast(SIMD4(repeating: pair.littleEndian), to: SIMD8<Int16>.self)
    }

    /// Multiplies and adds neighbouring pairs: `pmaddwd`.
    @inline(__always)
    func pairSums(times other: SIMD8<Int16>) -> SIMD4<Int32> {
        let products = SIMD8<Int32>(truncatingIfNeeded: self) &* SIMD8<Int32>(truncatingIfNeeded: other)
        return products.evenHalf &+ products.oddHalf
    }

    /// Rounds eight sums and divides them by `1 << bits`; `bits` is at most 16, and results must fit.
    @inline(__always)
    init(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>, dividedBy bits: Int32) {
        // Splatted here and shifted up first, so that the compiler knows that lanes shift alike and `packssdw` loses nothing.
        let (half, up) = (SIMD4<Int32>(repeating: 1 &<< (bits &- 1)), SIMD4<Int32>(repeating: 16 &- bits))
        let down = SIMD4<Int32>(repeating: 16)
        self.init(
            truncatingIfNeeded: SIMD8<Int32>(
                lowHalf: ((low &+ half) &<< up) &>> down, highHalf: ((high &+ half) &<< up) &>> down))
    }
}

extension SIMD4<Int32> {
    @inline(__always)
    init(sumsOf a: SIMD4<Int32>, _ b: SIMD4<Int32>, _ c: SIMD4<Int32>, _ d: SIMD4<Int32>) {
        let (ab, cd) = (SIMD8(lowHalf: a, highHalf: b), SIMD8(lowHalf: c, highHalf: d))
        let halves = SIMD8(lowHalf: ab.evenHalf &+ ab.oddHalf, highHalf: cd.evenHalf &+ cd.oddHalf)
        self = halves.evenHalf &+ halves.oddHalf
    }
}
