public import SpyglassFetching
public import SpyglassFiles

/// Where an encoded image is.
///
///     let local: ImageSource = "photo.jpg"
///     let remote: ImageSource = "https://images.example/photo.jpg"
///     let found = ImageSource.address(try WebAddress(validating: textFromFeed), .publicService)
///
/// Only a string literal converts implicitly: a string from a feed cannot open a file by accident.
@nonexhaustive
public enum ImageSource: Hashable, Sendable {
    /// A web address, fetched through the pipeline's transport; its origin decides which networks it may reach.
    case address(WebAddress, AddressTrust = .user)
    /// A file, by its path in UTF-8.
    case file(String)
    /// A file with the contents that it had when it was looked at; kept in memory and among the thumbnails.
    case localFile(LocalFile)
    /// A small contact sheet of a folder's first pictures; kept in memory.
    case folder(LocalFile)
    /// Bytes in memory.
    case bytes([UInt8])
}

extension ImageSource: ExpressibleByStringLiteral {
    /// An http or https address if the literal starts like one, otherwise a path; traps if the address is invalid.
    public init(stringLiteral literal: StaticString) {
        let text = literal.description
        guard ["http://", "https://"].contains(where: text.lowercased().hasPrefix) else {
            self = .file(text)
            return
        }
        guard let address = WebAddress(text) else { preconditionFailure("not a valid web address: \(text)") }
        self = .address(address)
    }
}
