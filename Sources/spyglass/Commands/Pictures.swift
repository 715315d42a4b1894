import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels

extension Transport {
    /// The picture at an address, as far as it came, made into something by `decode`.
    ///
    /// - Throws: `ItemError` that names the address, also for an answer that is no success, and where too little came to
    ///   make anything of.
    func picture<Value>(
        at address: WebAddress, limit: Int, trust: AddressTrust = .user,
        decode: ([UInt8]) async throws(ItemError) -> Value
    ) async throws(ItemError) -> Value {
        let request = FetchRequest(address, accept: Self.pictures, bodyLimit: limit, priority: .visible, trust: trust)
        let response: FetchResponse
        do {
            response = try await fetch(request)
        } catch let error as FetchError {
            let failure = ItemError(error.message, isWhole: true)
            guard let part = error.part else { throw failure }
            // The decoder says what is missing of a picture that broke off.
            do throws(ItemError) { return try await decode(part.body) } catch { throw failure }
        } catch {
            throw ItemError("\(address): \(error)", isWhole: true)
        }
        guard (200...299).contains(response.status) else {
            throw ItemError("\(address) answered \(response.status)", isWhole: true)
        }
        return try await decode(response.body)
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
