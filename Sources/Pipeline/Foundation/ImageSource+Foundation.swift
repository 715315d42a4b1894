#if Foundation
    public import Foundation
    public import SpyglassCodecs
    public import SpyglassFetching

    // The package trait `Foundation`: without it, no program needs that library.

    extension ImageSource {
        /// A file URL, looked up now, or an http(s) address.
        ///
        /// - Throws: `ImageError`, as `init(file:)` and `init(address:)`.
        public init(_ url: URL) throws(ImageError) {
            self = url.isFileURL ? try ImageSource(file: url.path) : try ImageSource(address: url.absoluteString)
        }

        /// An encoded image in memory.
        public init(_ data: Data) { self = .bytes(Array(data)) }
    }

    extension EncodedImage {
        /// An encoded image in memory.
        public init(_ data: Data) { self = .bytes(Array(data)) }
    }
#endif
