internal import Glibc

/// A profile's tone curve, from encoded value to light, both 0 to 1 (ICC.1:2022, sections 10.6 and 10.18).
enum ToneCurve {
    case gamma(Double)
    /// `count` equally spaced samples from `offset` on, at least two.
    case samples(ProfileBytes, offset: Int, count: Int)
    case function(Int, [Double])

    /// The number of parameters of each type.
    private static let parameters = [1, 3, 4, 5, 7]

    init?(_ content: ProfileBytes, at range: Range<Int>) {
        guard range.count >= 12 else { return nil }
        switch content.name(at: range.lowerBound) {
        case "curv":
            guard let stated = content.number32(at: range.lowerBound + 8) else { return nil }
            let offset = range.lowerBound + 12
            let count = Int(stated)
            guard count <= (range.upperBound - offset) / 2 else { return nil }
            switch count {
            case 0: self = .gamma(1)
            case 1: self = .gamma(Double(content.number16(at: offset) ?? 0) / 256)
            default: self = .samples(content, offset: offset, count: count)
            }
        case "para":
            guard let type = content.number16(at: range.lowerBound + 8).map({ Int($0) }),
                type < Self.parameters.count, range.count >= 12 + 4 * Self.parameters[type]
            else { return nil }
            self = .function(
                type, (0..<Self.parameters[type]).compactMap { content.fixed(at: range.lowerBound + 12 + 4 * $0) })
        default: return nil
        }
    }

    func light(_ value: Double) -> Double {
        switch self {
        case .gamma(let exponent): return pow(value, exponent)
        case .samples(let content, let offset, let count):
            let position = value * Double(count - 1)
            let index = min(max(Int(position), 0), count - 2)
            guard let low = content.number16(at: offset + 2 * index),
                let high = content.number16(at: offset + 2 * index + 2)
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
