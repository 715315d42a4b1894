/// What stands at a place of the screen, for the mouse; the view says where.
enum ClickTarget: Hashable, Sendable {
    /// A photo of a list, by its position in the results.
    case photo(Int)
    /// The line that is typed into.
    case field
    /// A line under the field, by its place among the choices.
    case choice(Int)
    /// A line of the settings.
    case setting(SettingsScreen.Row)
    /// A mark beside the chosen setting's value: one value back (-1) or on (1).
    case step(Int)
    /// A key that is shown, or what else does the same.
    case action(Action)
}
