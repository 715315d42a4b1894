package import SpyglassFetching

/// Serves the image addresses of `DemoSource` by painting, without network and files.
///
///     let response = try await DemoTransport().fetch(FetchRequest(thumbnail))   // a PNG of 96x64
///
/// It serves every demo source; other addresses get a 404.
package struct DemoTransport: Transport {
    package init() {}

    /// Throws `FetchError` of kind `tooLarge` above the request's limit, and `CancellationError`.
    package func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try Task.checkCancellation()
        guard let (photo, size) = Self.image(at: request.address) else {
            return FetchResponse(address: request.address, status: 404, origin: .archive)
        }
        let body = StoredPNG.bytes(
            of: DemoPainter(photo: photo, size: size).pixels(), width: size.width, height: size.height)
        guard body.count <= request.bodyLimit else {
            throw FetchError.bodyTooLarge(request.address, limit: request.bodyLimit)
        }
        var headers = HeaderFields([HeaderFields.Field(name: "Content-Type", value: "image/png")])
        if request.delivery == .headersOnly { headers.add(name: "Content-Length", value: "\(body.count)") }
        return FetchResponse(
            address: request.address, status: 200, headers: headers, body: request.delivery == .headersOnly ? [] : body,
            origin: .archive)
    }

    /// Parses `/<seed>/<index>~<size>.png`.
    private static func image(at address: WebAddress) -> (DemoPhoto, DemoPhoto.Size)? {
        guard address.host == DemoPhoto.host, address.path.hasSuffix(".png") else { return nil }
        let parts = address.path.dropLast(4).split(whereSeparator: { $0 == "/" || $0 == "~" })
        guard parts.count == 3, let seed = UInt64(parts[0]), let index = Int(parts[1]), index >= 0,
            let size = DemoPhoto.Size(rawValue: String(parts[2]))
        else { return nil }
        return (DemoPhoto(index: index, seed: seed), size)
    }
}
