internal import SpyglassCaching

extension DiskCacheError {
    /// The problem with what to do about it, in one line.
    var message: String {
        switch self {
        case .notAFolder, .notWritable: "\(description) (choose another folder with --cache-dir)"
        case .busy: "\(description); try again when it is done"
        case .damagedEntry: "\(description) (spyglass cache verify checks the others)"
        case .diskFull, .unusable: description
        }
    }
}
