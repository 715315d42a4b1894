internal import SpyglassCCurl

/// The header fields that a libcurl handle sends; libcurl keeps a pointer to the list (`CURLOPT_HTTPHEADER`).
final class CurlHeaderList {
    /// Inputs of the fields.
    private struct Content: Equatable {
        let accept: String
        let headers: HTTPHeaders
        let sendsSecrets: Bool
    }

    private let curl: CurlLibrary
    private let userAgent: String
    private var list: UnsafeMutablePointer<curl_slist>?
    private var content: Content?

    init(_ curl: CurlLibrary, userAgent: String) {
        self.curl = curl
        self.userAgent = userAgent
    }

    deinit { sg_list_free(curl.functions, list) }

    /// Sets the fields of a request, unless the handle has them; returns libcurl's code.
    func set(_ fetch: CurlFetch, on easy: OpaquePointer) throws(FetchError) -> CURLcode {
        let request = fetch.request
        // A key is for the server that it was meant for, not for where that redirects.
        let sendsSecrets = fetch.redirects.isEmpty || fetch.address.authority == request.address.authority
        let wanted = Content(accept: request.accept, headers: request.headers, sendsSecrets: sendsSecrets)
        guard wanted != content else { return CURLE_OK }
        let new = try list(of: fields(of: wanted))
        let code = sg_easy_set_pointer(curl.functions, easy, CURLOPT_HTTPHEADER, new)
        guard code == CURLE_OK else {
            sg_list_free(curl.functions, new)
            return code
        }
        sg_list_free(curl.functions, list)
        list = new
        content = wanted
        return code
    }

    private func fields(of content: Content) -> [HTTPHeaders.Field] {
        var fields = [HTTPHeaders.Field(name: "Accept", value: content.accept)] + content.headers.fields
        // A service replaces the default one, not the user's.
        if userAgent != SpyglassVersion.userAgent { fields.removeAll { $0.isNamed("User-Agent") } }
        if !content.sendsSecrets { fields.removeAll { Secrets.isSecret($0.name.utf8) } }
        // libcurl would format these options again for each request, which takes a tenth of its time.
        for (name, value) in [("User-Agent", userAgent), ("Accept-Encoding", curl.contentCodings)]
        where !value.isEmpty && !fields.contains(where: { $0.isNamed(name) }) {
            fields.append(HTTPHeaders.Field(name: name, value: value))
        }
        return fields
    }

    private func list(of fields: [HTTPHeaders.Field]) throws(FetchError) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields where field.hasValidName {
            // libcurl needs a semicolon for an empty field; a colon would remove the field.
            let value = field.value.withoutControls
            let line = value.allSatisfy { $0 == " " } ? "\(field.name);" : "\(field.name): \(value)"
            guard let longer = sg_list_append(curl.functions, list, line) else {
                sg_list_free(curl.functions, list)
                throw FetchError(.unavailable, "libcurl is out of memory")
            }
            list = longer
        }
        return list
    }
}
