internal import Glibc

/// A profile's tone curve, from encoded value to light, both 0 to 1 (ICC.1:2022, sections 10.6 and 10.18).
enum ToneCurve {
    case gamma(Double)
    /// Equally spaced samples of 16 bits, at least two.
    case samples(BinaryReader)
    case function(Int, [Double])

    /// The number of parameters of each type.
    private static let parameters = [1, 3, 4, 5, 7]

    init?(_ tag: BinaryReader) {
        guard tag.count >= 12 else { return nil }
        switch tag.name(at: 0) {
        case "curv":
            guard let count = try? tag.size(4, at: 8), let bytes = try? count * 2,
                let samples = try? tag.part(bytes, at: 12)
            else { return nil }
            switch count {
            case 0: self = .gamma(1)
            case 1: self = .gamma(Double((try? samples.integer(2, at: 0)) ?? 0) / 256)
            default: self = .samples(samples)
            }
        case "para":
            guard let type = try? tag.integer(2, at: 8), type < Self.parameters.count,
                tag.count >= 12 + 4 * Self.parameters[type]
            else { return nil }
            self = .function(type, (0..<Self.parameters[type]).compactMap { try? tag.fixed(at: 12 + 4 * $0) })
        default: return nil
        }
    }

    func light(_ value: Double) -> Double {
        switch self {
        case .gamma(let exponent): return pow(value, exponent)
        case .samples(let samples):
            let count = samples.count / 2
            let position = value * Double(count - 1)
            let index = min(max(Int(position), 0), count - 2)
            guard let low = try? samples.integer(2, at: 2 * index),
                let high = try? samples.integer(2, at: 2 * index + 2)
            else { return .nan }
            let part = position - Double(index)
            return (Double(low) * (1 - part) + Double(high) * part) / 65_535
        case .function(let type, let p):
            switch type {
            case 0: return pow(value, p[0])
            case 1: return value >= -p[2] / p[1] ? pow(p[1] * value + p[2], p[0]) : 0
            case 2: return value >= -p[2] / p[1] ? pow(p[1] * value + p[2], p[0]) + p[3] : p[3]
            case 3: return value >= p[4] ? pow(p[1] * value + p[2], p[0]) : p[3] * value
            default: return value >= p[4] ? pow(p[1] * value + p[2], p[0]) + p[5] : p[3] * value + p[6]
            }
        }
    }
}

extension BinaryReader {
    /// Returns an `s15Fixed16Number` (ICC.1:2022, section 4.6): from -32,768 to 32,768 in steps of 1/65,536.
    func fixed(at offset: Int) throws(CodecError) -> Double {
        Double(Int32(truncatingIfNeeded: try integer(4, at: offset))) / 65_536
    }
}
