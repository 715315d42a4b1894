/// Hides the secret of a request in its response.
extension FetchResponse {
    /// Shorter secrets stay visible: they are parts of ordinary words.
    private static let minSecretBytes = 4
    /// Shorter secrets are hidden as whole words only.
    private static let minPartBytes = 8

    /// Overwrites a secret that the body or the header fields repeat by asterisks, so that lengths stay.
    ///
    /// O(length of the body). `nil` changes nothing.
    package mutating func hide(_ secret: String?) {
        guard let secret, secret.utf8.count >= Self.minSecretBytes else { return }
        for spelled in [secret, PercentEncoding.component(secret)] {
            let isWord = spelled.utf8.count < Self.minPartBytes
            body.hide(Array(spelled.utf8), onlyWords: isWord)
            headers.hide(spelled, onlyWords: isWord)
            for index in redirects.indices { redirects[index].headers.hide(spelled, onlyWords: isWord) }
        }
    }
}

extension HTTPHeaders {
    fileprivate mutating func hide(_ secret: String, onlyWords: Bool) {
        guard fields.contains(where: { $0.value.containsBytes(of: secret) }) else { return }
        self = HTTPHeaders(
            fields.map { field in
                var value = Array(field.value.utf8)
                value.hide(Array(secret.utf8), onlyWords: onlyWords)
                return Field(name: field.name, value: String(decoding: value, as: UTF8.self))
            })
    }
}

extension [UInt8] {
    fileprivate mutating func hide(_ secret: [UInt8], onlyWords: Bool) {
        var start = 0
        while let offset = offset(of: secret, from: start) {
            start = offset + secret.count
            let neighbours = [offset - 1, start].filter(indices.contains)
            guard !onlyWords || !neighbours.contains(where: { PercentEncoding.isAlphanumeric(self[$0]) }) else {
                continue
            }
            for index in offset..<start { self[index] = UInt8(ascii: "*") }
        }
    }

    private func offset(of other: [UInt8], from start: Int) -> Int? {
        withUnsafeBufferPointer { bytes in
            other.withUnsafeBufferPointer { UnsafeBufferPointer(rebasing: bytes[start...]).offset(of: $0) }
        }.map { start + $0 }
    }
}
