import Glibc
import SpyglassTestSupport

/// Serves a folder of responses and images on a loopback port that the kernel chooses, and prints the address.
///
///     swift run fixture-server Fixtures/nasa
@main
struct FixtureServer {
    static func main() throws {
        let folder = CommandLine.arguments.dropFirst().first ?? TestData.fixture("nasa")
        let server = try LoopbackServer.serving(folder: folder)
        print("http://127.0.0.1:\(server.port)")
        fflush(nil)
        // The server has threads of its own; a signal ends the process.
        while true { pause() }
    }
}
