extension UIStrings {
    /// Why something did not come, in a few words.
    struct Problems: Sendable {
        let unreachable: String
        let timedOut: String
        let refused: String
        let notRecorded: String
        let notCached: String

        subscript(kind: Problem.Kind) -> String {
            switch kind {
            case .unreachable: unreachable
            case .timedOut: timedOut
            case .refused: refused
            case .notRecorded: notRecorded
            case .notCached: notCached
            }
        }
    }

    /// What is said of a problem in one line: what it comes to first, since the end may be cut off.
    func text(of problem: Problem) -> String {
        let reason = ShortAddresses.text(problem.reason)
        return problem.kind.map { problems[$0] + ": " + reason } ?? reason
    }
}
