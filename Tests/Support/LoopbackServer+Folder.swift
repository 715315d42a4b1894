internal import Glibc
internal import SpyglassFetching

extension LoopbackServer {
    /// Serves a folder like `Fixtures/nasa`: an API like NASA's, with its images.
    ///
    /// `/search` returns `search/<q>-<page>.json` (else `search/empty-1.json`), `/album/<name>` returns
    /// `album/<name>-<page>.json`; `q=invalid` has status 400 and `q=html` 502. Any other path returns
    /// the file of that path, that path with `.json`, or the image of its last part below `images`; else 404. In
    /// JSON, `{{base}}` is replaced by the server's address.
    public static func serving(folder: String, port: UInt16 = 0) throws -> LoopbackServer {
        try LoopbackServer(port: port) { request in
            switch (request.path, request.query("q")) {
            case ("/search", "invalid"): reply(400, to: request, with: ["invalid/reason.json"], below: folder)
            case ("/search", "html"): reply(502, to: request, with: ["invalid/page.html"], below: folder)
            default: reply(200, to: request, with: files(for: request), below: folder)
            }
        }
    }

    /// The candidates for a response, the best first.
    private static func files(for request: Request) -> [String] {
        let page = request.query("page") ?? "1"
        let parts = request.path.split(separator: "/").map(decoded)
        // Names cannot leave the folder.
        guard let last = parts.last, !parts.contains(where: { $0.contains("/") || $0.hasPrefix(".") }) else {
            return []
        }
        switch parts.count == 1 ? last : parts[0] {
        case "search":
            let words = request.query("q") ?? "mars"
            return (words.contains("/") ? [] : ["search/\(words)-\(page).json"]) + ["search/empty-1.json"]
        case "album": return ["album/\(last)-\(page).json"]
        default:
            let path = parts.joined(separator: "/")
            return [path, "\(path).json", "images/\(last)"]
        }
    }

    private static func reply(_ status: Int, to request: Request, with names: [String], below folder: String) -> Reply {
        for name in names {
            var bytes = TestData.bytes(of: "\(folder)/\(name)")
            if bytes.isEmpty { continue }
            if name.hasSuffix(".json") {
                let base = Array("http://\(request.headers["Host"] ?? "127.0.0.1")".utf8)
                bytes.replace(Array("{{base}}".utf8), with: base)
            }
            return Reply(status, headers: [("Content-Type", type(of: name))], body: bytes)
        }
        return Reply(404, headers: [("Content-Type", "application/json")], text: #"{"reason": "Not found"}"#)
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "json": "application/json; charset=UTF-8"
        case "html": "text/html"
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        default: "application/octet-stream"
        }
    }

    /// Decodes a part of a path, in which a plus sign is a plus sign, unlike in a query.
    private static func decoded(_ part: Substring) -> String {
        let item = part.split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%2B")
        return WebAddress("http://host/?x=\(item)")?.queryItems.first?.value ?? ""
    }
}
