import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels

/// Makes thumbnails of photos: fetches the preview, decodes it straight to the size of its place.
///
///     let thumbnail = await loader.thumbnail(of: photo)
///
/// It may be asked for any number at once. Transfers are bounded by the transport, decoding by its threads. This is the
/// seam where a pipeline with caches and shared work will stand.
struct ThumbnailLoader: Sendable {
    let transport: any Transport
    let threads: DecodingThreads
    let decoder: ImageDecoder
    /// Whether JPEGs are decoded in full.
    let isExact: Bool
    /// The place of a thumbnail, in pixels.
    let target: TargetSize
    /// The largest preview that is fetched.
    let bodyLimit: Int
    /// How far the addresses may lead that the source names.
    let trust: AddressTrust
    let statistics: Statistics

    /// The thumbnail of a photo; never throws, since a list goes on without one.
    func thumbnail(of photo: Photo) async -> Thumbnail {
        guard let address = photo.thumbnail else { return .absent }
        let request = FetchRequest(
            address, accept: Self.accepted, bodyLimit: bodyLimit, priority: .visible, trust: trust)
        do {
            let response = try await transport.fetch(request)
            guard (200...299).contains(response.status) else {
                return .failed("\(address) answered \(response.status)")
            }
            return try await decoded(response.body)
        } catch let error as DecodeError {
            return .failed("\(address): \(error.advice(decoder.limits))")
        } catch let error as FetchError {
            return .failed(error.description)
        } catch {
            return .failed("\(address): \(error)")
        }
    }

    private func decoded(_ bytes: [UInt8]) async throws -> Thumbnail {
        let image = try await threads.run { [decoder, target, isExact] isCancelled in
            Result { () throws(DecodeError) in
                try decoder.decode(.bytes(bytes), to: target, isExact: isExact, isCancelled: isCancelled)
            }
        }.get()
        statistics.decoded()
        return .picture(image.pixels, note: image.note)
    }

    /// What can be decoded, for servers that choose.
    static let accepted = "image/jpeg, image/png;q=0.9, */*;q=0.1"
}
