extension FetchControl {
    /// Calls `apply` with the current priority and after every change; the last call has the final value.
    ///
    /// Changes must come from one thread at a time.
    package func forward(to apply: @escaping @Sendable (FetchPriority) -> Void) {
        onPriorityChange(apply)
        // A change between reading and applying would be undone here.
        var applied: FetchPriority
        repeat {
            applied = priority
            apply(applied)
        } while priority != applied
    }
}
