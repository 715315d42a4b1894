import SpyglassCodecs

extension CodecError {
    /// The error with what to do about it, where something helps, in one line.
    func message(within limits: ImageLimits) -> String { description + (remedy(limits).map { " (\($0))" } ?? "") }

    private func remedy(_ limits: ImageLimits) -> String? {
        switch exceeded {
        case .pixels(let needed): "raise it with --max-pixels \(Self.roundedUp(needed))"
        case .side(let needed): "raise it with --max-side \(needed)"
        // How many there are is not known, and asking for one more each time helps nobody.
        case .scans(let needed): "raise it with --max-scans \(max(needed, limits.scans * 2))"
        case .bodyBytes: "raise it with --max-bytes"
        case .coefficientBytes: "save it anew as a baseline JPEG, neither progressive nor in several scans"
        case .pngChunkBytes: "save it anew without its metadata"
        case nil: nil
        }
    }

    /// The least value to give to an option so that it allows `count`: `900M`, `101M`, `999`.
    private static func roundedUp(_ count: Int) -> String {
        let million = 1_000_000
        guard count >= million else { return "\(count)" }
        return "\(count / million + (count % million == 0 ? 0 : 1))M"
    }
}
