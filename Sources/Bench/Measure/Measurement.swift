/// One figure, as it was taken.
package struct Measurement: Hashable, Sendable {
    /// The part, and what of it: `cache.memory.hit.1thread`.
    package let name: String
    /// The median of the samples.
    package let value: Double
    package let unit: Unit
    /// The distance between the quartiles of the samples, as a share of their median; 0 for what is counted.
    package var spread = 0.0
    /// How many samples were taken.
    package var samples = 1
    /// Who did the same in turn with us.
    package var reference: String?
    /// What the reference costs as a multiple of ours: above 1 we are ahead.
    ///
    /// Of times it is the median of the ratios of samples that were taken in turn.
    package var ratio: Double?
    /// The distance between the quartiles of those ratios, as a share of their median; `nil` for what is counted.
    package var ratioSpread: Double?
    /// Instructions in user space for each pixel, byte, image and the like; `nil` where they are not counted.
    package var instructions: Double?
    /// Processor cycles, the same.
    package var cycles: Double?

    package init(_ name: String, _ value: Double, _ unit: Unit) {
        self.name = name
        self.value = value
        self.unit = unit
    }

    /// The part of the program that it belongs to: `cache`.
    package var part: Substring { Self.part(of: name) }

    /// The part that a figure's name begins with.
    static func part(of name: String) -> Substring { name.prefix { $0 != "." } }
}
