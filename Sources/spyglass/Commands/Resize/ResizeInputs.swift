import Glibc
import SpyglassCatalog

enum ResizeInputs: Sendable {
    case operands([Argument])
    /// JSON lines of a file; `-` is standard input.
    case manifest(String)
    case search(PhotoQuery)

    init(_ settings: Settings, _ operands: [Argument]) throws(Failure) {
        let resize = settings.resize
        if let path = resize.manifest {
            guard operands.isEmpty else { throw Self.conflict(operands, "--manifest") }
            self = .manifest(path)
        } else if let words = resize.search {
            guard operands.isEmpty else { throw Self.conflict(operands, "--search") }
            guard settings.source != .folder else {
                throw .usage("--search does not search folders; name them: spyglass resize FOLDER --out DIR")
            }
            self = .search(try settings.query([Argument(words)]))
        } else {
            guard !operands.isEmpty else {
                throw .usage(
                    "resize needs images: spyglass resize FILE|FOLDER|URL... --out DIR, or --manifest, or --search")
            }
            self = .operands(operands)
        }
    }

    private static func conflict(_ operands: [Argument], _ option: String) -> Failure {
        let first = operands.first?.text ?? ""
        return .usage("\(first) and \(option) cannot be combined: images come from one of them")
    }
}
