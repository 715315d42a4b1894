package struct FailureLimit: Hashable, Sendable {
    private enum Bound: Hashable {
        case items(Int)
        case percent(Double)
    }

    private let bound: Bound
    package static let none = FailureLimit(.items(0))

    private init(_ bound: Bound) { self.bound = bound }

    /// Parses a number of items (`5`) or a share (`2%`, `0.5%`).
    package init?(parsing text: String) {
        let isShare = text.hasSuffix("%")
        let number = isShare ? text.dropLast() : text[...]
        let digits = number.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // 15 digits are exact as a `Double`.
        guard (1...(isShare ? 2 : 1)).contains(digits.count), number.utf8.count <= 15,
            digits.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        if isShare {
            guard let percent = Double(String(number)), percent <= 100 else { return nil }
            bound = .percent(percent)
        } else {
            guard let items = Int(String(number)) else { return nil }
            bound = .items(items)
        }
    }

    package func allows(_ summary: BatchSummary) -> Bool {
        switch bound {
        case .items(let limit): summary.failed <= limit
        case .percent(let percent): Double(summary.failed) * 100 <= percent * Double(summary.total)
        }
    }
}
