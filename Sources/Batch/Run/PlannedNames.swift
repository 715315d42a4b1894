internal import SpyglassCaching
internal import SpyglassThreads

/// Finds collisions of output names in a dry run, for the first names up to a limit.
final class PlannedNames: Sendable {
    enum Claim: Hashable {
        case granted
        /// Equal outputs have the names already.
        case repeated
        /// Another output has this one.
        case rejected(OutputName)
    }

    /// At 16 bytes, doubled by the dictionary's growth.
    private static let limit = 1 << 18
    private let owners = Mutex<[UInt64: UInt64]>([:])

    func claim(_ results: [(name: OutputName, fingerprint: Fingerprint)]) -> Claim {
        let claims = results.map {
            (name: $0.name, key: Self.hash($0.name.path), fingerprint: Self.hash($0.fingerprint.text))
        }
        return owners.withLock { owners in
            if let taken = claims.first(where: { owners[$0.key, default: $0.fingerprint] != $0.fingerprint }) {
                return .rejected(taken.name)
            }
            guard claims.contains(where: { owners[$0.key] == nil }) else { return .repeated }
            for claim in claims where owners.count < Self.limit { owners[claim.key] = claim.fingerprint }
            return .granted
        }
    }

    private static func hash(_ text: String) -> UInt64 { XXHash64.hash(Array(text.utf8)) }
}
