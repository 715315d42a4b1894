import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBench

@Suite("BrowseBench", .timeLimit(.minutes(10)))
struct BrowseBenchTests {
    private static let photos = (0..<250).map { number in
        var photo = Photo(id: "id-\(number)", source: "nasa")
        photo.title = "Photo number \(number)."
        photo.thumbnail = WebAddress("https://host.example/\(number)~thumb.jpg")
        return photo
    }

    private func rehearsal(_ columns: Int = 100, _ rows: Int = 30) -> HeadlessBrowser {
        let pool = CellImagePool(count: 2)
        return HeadlessBrowser(TerminalTraits(size: CellSize(clamping: columns, rows)), Self.photos) {
            pool.image($0, $1)
        }
    }

    @Test("A headless browser starts with a list and its images")
    func begin() {
        let screen = rehearsal().screen
        #expect(screen.description.contains("Photo number 0."))
        #expect(screen.description.contains("▀"))
    }

    @Test("Pages and images are available immediately")
    func pages() {
        var rehearsal = rehearsal()
        rehearsal.press(Key(.end))
        for _ in 0..<300 { rehearsal.press(Key(.down)) }
        #expect(rehearsal.screen.description.contains("Photo number 249."))
        rehearsal.press(Key(.enter))
        #expect(rehearsal.screen.description.contains("Photo number 249."))
        rehearsal.press(Key(.escape))
        rehearsal.press(Key(.home))
        #expect(rehearsal.screen.description.contains("Photo number 0."))
    }

    @Test("The same keys give the same screens")
    func repeatable() {
        var (one, other) = (rehearsal(40, 12), rehearsal(40, 12))
        for key in BrowseBench.script {
            one.press(key)
            other.press(key)
            #expect(one.screen == other.screen)
        }
    }

    @Test("One step down takes at most a quarter of the bytes of a full repaint")
    func step() throws {
        var results: [Measurement] = []
        for benchmark in BrowseBench(scale: 0.1).benchmarks where benchmark.name.hasSuffix("bytes") {
            results.append(try benchmark.run(with: Sampler(.quick, now: { .zero }, counters: nil)))
        }
        let down = try #require(results.first { $0.name == "browse.down.bytes" })
        #expect(down.reference == "full repaint")
        #expect((down.ratio ?? 0) >= 4)
        #expect(down.value > 0)
    }
}
