/// What happens while a batch runs.
///
/// Events come one at a time, in an order that all of them share, and mostly on threads that may wait: writing a line to a slow
/// pipe holds the batch up, which is what it should do.
package enum BatchEvent: Sendable {
    /// Work on an item began.
    case began(number: Int, id: String)
    /// An item came to its end; every item that began does.
    case ended(ItemReport)
    /// The last event, also of a run that was interrupted or that could not go on.
    case finished(BatchSummary)
}
