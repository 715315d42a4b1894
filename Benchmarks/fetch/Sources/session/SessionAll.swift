import FetchTasks
import Foundation
import FoundationNetworking

/// Fetches every address of a file through Foundation's URLSession and discards the bodies, as `fetch-all` does through `CurlTransport`.
///
///     session-all ADDRESSES [CONNECTIONS=16] [TASKS=64]
///
/// Prints how many answers and bytes came; anything but status 200 is exit status 1.
@main
struct SessionAll {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let text = try? String(contentsOfFile: arguments[1], encoding: .utf8) else {
            print("usage: session-all ADDRESSES [CONNECTIONS=16] [TASKS=64]")
            exit(2)
        }
        let addresses = text.split(separator: "\n").compactMap { URL(string: String($0)) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = arguments.count > 2 ? Int(arguments[2]) ?? 16 : 16
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        let session = URLSession(configuration: configuration)
        let tasks = arguments.count > 3 ? Int(arguments[3]) ?? 64 : 64
        let tally = await FetchTally(of: addresses, tasks: tasks) { address in
            guard let (body, response) = try? await session.data(from: address),
                (response as? HTTPURLResponse)?.statusCode == 200
            else { return nil }
            return body.count
        }
        exit(tally.finish())
    }
}
