/// Whether a command locks itself and its workers; `off` is for debugging.
enum SandboxChoice: String, CaseIterable, Sendable {
    case on
    case off
}
