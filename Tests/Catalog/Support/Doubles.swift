import Glibc
import SpyglassFetching
import SpyglassTestSupport
import SpyglassThreads

extension FetchResponse {
    init(to request: FetchRequest, status: Int = 200, _ body: String) {
        self.init(address: request.address, status: status, body: Array(body.utf8))
    }
}

/// A file's bytes; none if it cannot be read.
func bytes(ofFile path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var all: [UInt8] = []
    var window = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&window, 1, window.count, file), count > 0 { all += window[..<count] }
    return all
}

/// Serves `Fixtures/nasa` at `base`.
func fixtureTransport(base: String = "http://localhost:8080") -> ScriptedTransport {
    ScriptedTransport { request, _ in
        let query = (request.address.query ?? "").split(separator: "&").map { $0.split(separator: "=") }
        func value(_ name: String) -> String {
            query.first { $0.first.map(String.init) == name }?.last.map(String.init) ?? ""
        }
        var path = request.address.path.dropFirst()
        if path == "search" {
            path = "search/\(value("q"))-\(value("page"))"
        } else if path.hasPrefix("album/") {
            path += "-\(value("page"))"
        }
        let file = TestData.fixture("nasa/\(path).json")
        guard TestData.exists(file) else { return FetchResponse(to: request, status: 404, "{}") }
        return FetchResponse(to: request, fixture("\(path).json", base: base))
    }
}

/// A file of `Fixtures/nasa` with the server's address filled in.
func fixture(_ name: String, base: String = "http://localhost:8080") -> String {
    let text = String(decoding: bytes(ofFile: TestData.fixture("nasa/\(name)")), as: UTF8.self)
    var parts: [Substring] = []
    var rest = text[...]
    while let place = rest.firstRange(of: "{{base}}") {
        parts += [rest[..<place.lowerBound], Substring(base)]
        rest = rest[place.upperBound...]
    }
    return (parts + [rest]).joined()
}
