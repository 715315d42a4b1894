/// Which animations play.
package enum AnimationChoice: String, CaseIterable, Hashable, Sendable {
    case none
    /// That of the selected photo, and of one photo in full.
    case selected
    /// All on the screen.
    case all
}
