import Glibc
import SpyglassFetching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCatalog
@testable import SpyglassJSON

extension FetchResponse {
    init(to request: FetchRequest, status: Int = 200, _ body: String) {
        self.init(address: request.address, status: status, body: Array(body.utf8))
    }
}

/// Serves a recorded response of a service; the shared recordings are beside the project.
func recording(_ name: String, of service: String, status: Int = 200) -> ScriptedTransport {
    let body = TestData.bytes(of: "\(TestData.shared ?? "")/api/\(service)/\(name).json")
    return ScriptedTransport { request, _ in FetchResponse(address: request.address, status: status, body: body) }
}

/// Returns the error that a body throws.
func catalogError(_ body: () async throws -> Any) async throws -> CatalogError {
    var found: CatalogError?
    do { _ = try await body() } catch let error as CatalogError { found = error }
    return try #require(found, "no error came")
}

extension PagedPhotos {
    /// The ids of the photos that are left, at most so many.
    mutating func ids(limit: Int = .max) async throws -> [String] {
        var ids: [String] = []
        while ids.count < limit, let photo = try await nextPhoto() { ids.append(photo.id) }
        return ids
    }
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
    String(decoding: TestData.bytes(of: TestData.fixture("nasa/\(name)")), as: UTF8.self)
        .replacing("{{base}}", with: base)
}

extension JSONValue {
    /// Values of every type, and text that is long, empty, markup or an odd address.
    static let wrongValues: [JSONValue] = [
        .null, .bool(true), .number("-1"), .number("9007199254740993123"), .number("1e999"), .string(""),
        .string(" \u{1B}[2J"),
        .string("//h"), .string("http://[::"), .string("<b>&#27;<i"), .string(String(repeating: "<a ", count: 40_000)),
        .array([]), .array([.null, .array([.object([])])]), .object([]),
    ]

    /// Copies of the value, in each of which one member or element is wrong or missing.
    var damagedCopies: [JSONValue] {
        switch self {
        case .array(let elements):
            elements.indices.flatMap { index in
                (Self.wrongValues + elements[index].damagedCopies).map { wrong in
                    var copy = elements
                    copy[index] = wrong
                    return JSONValue.array(copy)
                }
            }
        case .object(let members):
            members.indices.flatMap { index in
                var rest = members
                let old = rest.remove(at: index)
                let others = (Self.wrongValues + old.value.damagedCopies).map { wrong in
                    var copy = members
                    copy[index] = JSONValue.Member(name: old.name, value: wrong)
                    return JSONValue.object(copy)
                }
                return others + [.object(rest)]
            }
        default: []
        }
    }
}
