internal import SpyglassCaching
internal import SpyglassThreads

/// Which items of a dry run have which names, so that a second claim to one is found, as a run finds it when it writes.
///
/// Of a name and of the result that has it a hash each is kept, of at most `limit` names, so that memory does not grow with a manifest. Whose
/// name came after that many is not found out. Safe to use from any thread.
final class PlannedNames: Sendable {
    /// What claiming names comes to.
    enum Claim: Hashable {
        case granted
        /// The same results have them already.
        case repeated
        /// Another result has this one.
        case refused(OutputName)
    }

    /// Names that are kept, at 16 bytes and as much room for more.
    static let defaultLimit = 1 << 18

    private let limit: Int
    private let owners = Mutex<[UInt64: UInt64]>([:])

    init(limit: Int = PlannedNames.defaultLimit) { self.limit = limit }

    /// Gives all names of an item to its results, or none of them.
    func claim(_ results: [(name: OutputName, mark: Fingerprint)]) -> Claim {
        let claims = results.map { (name: $0.name, key: Self.hash($0.name.path), mark: Self.hash($0.mark.text)) }
        return owners.withLock { owners in
            if let taken = claims.first(where: { owners[$0.key, default: $0.mark] != $0.mark }) {
                return .refused(taken.name)
            }
            guard claims.contains(where: { owners[$0.key] == nil }) else { return .repeated }
            for claim in claims where owners.count < limit { owners[claim.key] = claim.mark }
            return .granted
        }
    }

    private static func hash(_ text: String) -> UInt64 { XXHash64.hash(Array(text.utf8)) }
}
