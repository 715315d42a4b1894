import SpyglassCatalog
import SpyglassFetching

/// Any response of a server: photos that can be shown and written, or an error in one line.
enum AnswersTarget {
    /// Responds to every URL with one body; the first byte selects an error status.
    private struct OneAnswer: Transport {
        let body: [UInt8]

        func fetch(_ request: FetchRequest) async throws -> FetchResponse {
            FetchResponse(address: request.address, status: body.first == 0x21 ? 404 : 200, body: body)
        }
    }

    static func run(_ body: [UInt8]) async {
        for declaration in SourceRegistry.all where declaration.usesNetwork || declaration.retirement != nil {
            let source = SourceRegistry.factory(of: declaration, endpoint: WebAddress("https://api.example/v1/"))
            await read(source(OneAnswer(body: body)))
        }
    }

    private static func read(_ source: any PhotoSource) async {
        do {
            for photo in try await source.page(of: PhotoQuery("mars"), at: nil).photos {
                let line = PhotoJSON.line(for: photo)
                precondition(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
                _ = PhotoFormatter(language: .english).byline(of: photo)
            }
        } catch {
            let message = "\(error)"
            precondition(!message.isEmpty && !message.contains("\n"))
        }
    }
}
