import FetchTasks
import Glibc
import SpyglassFetching

/// Fetches every address of a file through `CurlTransport` and discards the bodies.
///
///     fetch-all ADDRESSES [CONNECTIONS=16] [TASKS=64]
///
/// As a program would that has a picture to make of each: a task group in which so many tasks at a time await their fetch.
/// Prints how many answers and bytes came; anything but status 200 is exit status 1.
@main
struct FetchAll {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let addresses = addresses(in: arguments[1]) else {
            print("usage: fetch-all ADDRESSES [CONNECTIONS=16] [TASKS=64]")
            exit(2)
        }
        let connections = arguments.count > 2 ? Int(arguments[2]) ?? 16 : 16
        let tasks = arguments.count > 3 ? Int(arguments[3]) ?? 64 : 64
        let transport = CurlTransport(connections: connections)
        let tally = await FetchTally(of: addresses, tasks: tasks) { address in
            guard let response = try? await transport.fetch(FetchRequest(address)), response.status == 200
            else { return nil }
            return response.body.count
        }
        await transport.shutDown()
        exit(tally.finish())
    }

    /// The addresses of a file, one a line; `nil` when it cannot be read or a line is none.
    private static func addresses(in path: String) -> [WebAddress]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var addresses: [WebAddress] = []
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while case let count = getline(&line, &capacity, file), count > 0, let text = line {
            let bytes = UnsafeRawBufferPointer(start: text, count: count).prefix { $0 != UInt8(ascii: "\n") }
            guard let address = WebAddress(String(decoding: bytes, as: UTF8.self)) else { return nil }
            addresses.append(address)
        }
        return addresses
    }
}
