extension UIStrings {
    /// Why a picture is not there, in a word or two: a thumbnail's place is some twenty columns wide.
    struct PictureFailures: Sendable {
        let notFound: String
        /// Before the number with which a server refused.
        let status: OneWord
        let unreachable: String
        let timedOut: String
        let tooLarge: String
        let refused: String
        let notRecorded: String
        let notCached: String
        let unavailable: String
        let notAPicture: String
        let unsupported: String
        let damaged: String
        let outOfMemory: String
        let unknown: String
    }

    /// What is said of a picture that failed.
    func text(of failure: PictureFailure) -> String {
        switch failure {
        case .notFound: pictures.notFound
        case .status(let status): pictures.status("\(status)")
        case .unreachable: pictures.unreachable
        case .timedOut: pictures.timedOut
        case .tooLarge: pictures.tooLarge
        case .refused: pictures.refused
        case .notRecorded: pictures.notRecorded
        case .notCached: pictures.notCached
        case .unavailable: pictures.unavailable
        case .notAPicture: pictures.notAPicture
        case .unsupported: pictures.unsupported
        case .damaged: pictures.damaged
        case .outOfMemory: pictures.outOfMemory
        case .unknown: pictures.unknown
        }
    }
}
