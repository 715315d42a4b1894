extension BrowserState {
    /// What an event makes of the state, and what is wanted of the world for it.
    mutating func update(_ event: BrowserEvent) -> [BrowserEffect] { [] }
}
