/// How true the colours of pictures are that are sent to the terminal.
package enum Fidelity: String, CaseIterable, Hashable, Sendable {
    /// As the terminal's speed allows.
    case auto
    /// Always exact.
    case exact
    /// A colour stays while every channel is near enough.
    case fast
}
