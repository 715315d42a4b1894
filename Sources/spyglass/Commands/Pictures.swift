import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels

extension ItemError {
    /// What an error of the pipeline means to people; `limits` are those of its decoder.
    init(_ error: any Error, within limits: ImageLimits) {
        switch error {
        case ImageError.fetch(let error): self.init(error.message, isWhole: true)
        case ImageError.status(let status, let address):
            self.init("\(address) answered \(status) (\(Self.remedy(for: status)))", isWhole: true)
        case ImageError.decode(let error): self.init(error.message(within: limits))
        case is CancellationError: self.init("it is no longer wanted")
        default: self.init("\(error)")
        }
    }

    /// What to do about a status that brings no picture (RFC 9110 section 15).
    private static func remedy(for status: Int) -> String {
        switch status {
        case 401, 403, 407: "its server does not give it to everybody"
        case 404, 410: "it is not there; check the address"
        case 429: "too many requests; try again later, or with a smaller --connections"
        case 500...: "its server is in trouble; try again later"
        default: "check the address"
        }
    }
}

extension ImageFrame {
    /// What is missing of the picture, or `nil`.
    var note: String? {
        guard let missing = image.note else { return nil }
        return transferError.map { "\(missing); \($0.description)" } ?? missing
    }
}

extension ImageDecoder {
    /// Decodes as `decode` does, with an error for people.
    func picture(
        _ source: EncodedImage, to target: TargetSize, isExact: Bool, isCancelled: () -> Bool
    ) throws(ItemError) -> DecodedImage {
        do {
            return try decode(source, to: target, isExact: isExact, isCancelled: isCancelled)
        } catch {
            throw ItemError(error.message(within: limits))
        }
    }
}
