import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels

extension Transport {
    /// The bytes of the picture at an address.
    ///
    /// - Throws: `ItemError` that names the address, also for an answer that is no success.
    func picture(
        at address: WebAddress, limit: Int, trust: AddressTrust = .user
    ) async throws(ItemError) -> [UInt8] {
        let request = FetchRequest(address, accept: Self.pictures, bodyLimit: limit, priority: .visible, trust: trust)
        let response: FetchResponse
        do {
            response = try await fetch(request)
        } catch let error as FetchError {
            throw ItemError(error.message, isWhole: true)
        } catch {
            throw ItemError("\(address): \(error)", isWhole: true)
        }
        guard (200...299).contains(response.status) else {
            throw ItemError("\(address) answered \(response.status)", isWhole: true)
        }
        return response.body
    }

    /// What can be decoded, for servers that choose.
    private static var pictures: String { "image/jpeg, image/png;q=0.9, */*;q=0.1" }
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
