public import SpyglassFetching

/// Answers for the picture addresses of `DemoSource` with pictures that it paints: no network, no files.
///
///     let response = try await DemoTransport().fetch(FetchRequest(thumbnail))   // a PNG of 96x64
///
/// The seed and the photo's number stand in the address, so that one transport serves every demo source. Everything else
/// gets a 404. A preview takes about a millisecond to paint.
public struct DemoTransport: Transport {
    /// A transport; it has no state.
    public init() {}

    /// The picture of an address, or a 404.
    ///
    /// - Throws: `FetchError` of kind `tooLarge` when the picture is larger than the request allows; `CancellationError`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try Task.checkCancellation()
        guard let (photo, size) = Self.picture(at: request.address) else {
            return FetchResponse(address: request.address, status: 404, origin: .archive)
        }
        let body = StoredPNG.bytes(
            of: DemoPainter(photo: photo, size: size).pixels(), width: size.width, height: size.height)
        guard body.count <= request.bodyLimit else {
            throw FetchError(
                .tooLarge, "\(request.address): \(body.count) bytes are above the limit of \(request.bodyLimit)",
                exceededLimit: .body)
        }
        var headers = HTTPHeaders([HTTPHeaders.Field(name: "Content-Type", value: "image/png")])
        if request.delivery == .headersOnly { headers.append("Content-Length", "\(body.count)") }
        return FetchResponse(
            address: request.address, status: 200, headers: headers, body: request.delivery == .headersOnly ? [] : body,
            origin: .archive)
    }

    /// Reads `/<seed>/<index>~<size>.png`.
    private static func picture(at address: WebAddress) -> (DemoPhoto, DemoPhoto.Size)? {
        guard address.host == DemoPhoto.host, address.path.hasSuffix(".png") else { return nil }
        let parts = address.path.dropLast(4).split(whereSeparator: { $0 == "/" || $0 == "~" })
        guard parts.count == 3, let seed = UInt64(parts[0]), let index = Int(parts[1]), index >= 0,
            let size = DemoPhoto.Size(rawValue: String(parts[2]))
        else { return nil }
        return (DemoPhoto(index: index, seed: seed), size)
    }
}
