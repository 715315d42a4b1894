import SpyglassBatch

/// `spyglass resize FILE|FOLDER|URL... --out DIR`: makes resized files.
struct ResizeCommand: Sendable {
    let console: Console

    init(_ settings: Settings, _ operands: [Argument], _ world: World) throws(Failure) { console = Console(world, settings) }
    func run(_ console: Console) async throws -> ExitCode { .success }
}
