extension FetchControl {
    /// Calls `apply` with the priority as it is now and after every change, so that what it was called with last is what holds.
    ///
    /// Changes must come from one thread at a time, as those of a pipeline's requests do.
    package func forward(to apply: @escaping @Sendable (FetchPriority) -> Void) {
        onPriorityChange(apply)
        // A change between reading and applying has been applied already, and would be undone here.
        var applied: FetchPriority
        repeat {
            applied = priority
            apply(applied)
        } while priority != applied
    }
}
