import Glibc
import SpyglassCatalog

/// What a run of `resize` takes its pictures from.
enum ResizeInputs: Sendable {
    /// Files, folders and addresses, as they were written.
    case operands([Argument])
    /// JSON lines of a file; `-` is standard input.
    case manifest(String)
    case search(PhotoQuery)

    /// What the command line names, which must be of one kind.
    init(_ settings: Settings, _ operands: [Argument]) throws(Failure) {
        let resize = settings.resize
        if let path = resize.manifest {
            guard operands.isEmpty else { throw Self.superfluous(operands, beside: "--manifest") }
            self = .manifest(path)
        } else if let words = resize.search {
            guard operands.isEmpty else { throw Self.superfluous(operands, beside: "--search") }
            self = .search(try settings.query(words.isEmpty ? [] : [words]))
        } else {
            guard !operands.isEmpty else {
                throw .usage(
                    "resize needs pictures: spyglass resize FILE|FOLDER|URL... --out DIR, or --manifest, or --search")
            }
            guard !operands.contains(where: { $0.text == "-" }) else {
                throw .usage("- is no picture here; standard input can be a manifest: --manifest -")
            }
            self = .operands(operands)
        }
    }

    private static func superfluous(_ operands: [Argument], beside option: String) -> Failure {
        let first = operands.first?.text ?? ""
        return .usage("\(first) and \(option) contradict each other: pictures come from one of them")
    }
}
