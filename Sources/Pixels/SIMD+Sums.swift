// What the instruction sets of both machines do in one or two instructions, in words that the compiler knows them by.

extension SIMD8<Int16> {
    /// Eight numbers at any address, in one load: as numbers of their own size they would be loaded by halves.
    @inline(__always)
    init(unalignedAt address: UnsafeRawPointer) {
        self = unsafeBitCast(address.loadUnaligned(as: SIMD2<UInt64>.self), to: SIMD8<Int16>.self)
    }

    /// The sums of neighbouring products: `pmaddwd`.
    @inline(__always)
    func pairSums(times other: SIMD8<Int16>) -> SIMD4<Int32> {
        let products = SIMD8<Int32>(truncatingIfNeeded: self) &* SIMD8<Int32>(truncatingIfNeeded: other)
        return products.evenHalf &+ products.oddHalf
    }

    /// Eight sums, rounded and divided by `1 << bits`, of which there are 16 at the most; they must fit.
    @inline(__always)
    init(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>, dividedBy bits: Int32) {
        // Splat here, and shifted up first: the compiler then knows that lanes shift alike, and that nothing is lost by `packssdw`.
        let (half, up) = (SIMD4<Int32>(repeating: 1 &<< (bits &- 1)), SIMD4<Int32>(repeating: 16 &- bits))
        let down = SIMD4<Int32>(repeating: 16)
        self.init(
            truncatingIfNeeded: SIMD8<Int32>(
                lowHalf: ((low &+ half) &<< up) &>> down, highHalf: ((high &+ half) &<< up) &>> down))
    }
}

extension SIMD4<Int32> {
    /// The sum of each of four vectors.
    @inline(__always)
    init(sumsOf a: SIMD4<Int32>, _ b: SIMD4<Int32>, _ c: SIMD4<Int32>, _ d: SIMD4<Int32>) {
        let (ab, cd) = (SIMD8(lowHalf: a, highHalf: b), SIMD8(lowHalf: c, highHalf: d))
        let halves = SIMD8(lowHalf: ab.evenHalf &+ ab.oddHalf, highHalf: cd.evenHalf &+ cd.oddHalf)
        self = halves.evenHalf &+ halves.oddHalf
    }
}
