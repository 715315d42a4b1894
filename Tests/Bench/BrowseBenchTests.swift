import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBench

@Suite("What the browser is measured by", .timeLimit(.minutes(10)))
struct BrowseBenchTests {
    private static let photos = (0..<250).map { number in
        var photo = Photo(id: "id-\(number)", source: "nasa")
        photo.title = "Photo number \(number)."
        photo.thumbnail = WebAddress("https://host.example/\(number)~thumb.jpg")
        return photo
    }

    private func rehearsal(_ columns: Int = 100, _ rows: Int = 30) -> HeadlessBrowser {
        let shelf = CellImagePool(count: 2)
        return HeadlessBrowser(TerminalTraits(size: CellSize(clamping: columns, rows)), Self.photos) {
            shelf.picture($0, $1)
        }
    }

    @Test("A rehearsal begins with a list that has its pictures")
    func begin() {
        let screen = rehearsal().screen
        #expect(screen.description.contains("Photo number 0."))
        #expect(screen.description.contains("▀"))
    }

    @Test("Pages and pictures are there as soon as they are wanted")
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

    @Test("The same keys lead to the same screens")
    func repeatable() {
        var (one, other) = (rehearsal(40, 12), rehearsal(40, 12))
        for key in BrowseBench.script {
            one.press(key)
            other.press(key)
            #expect(one.screen == other.screen)
        }
    }

    @Test("One photo down takes a quarter of a whole screen at the most")
    func step() throws {
        var figures: [Measurement] = []
        for figure in BrowseBench(scale: 0.1).benchmarks where figure.name.hasSuffix("bytes") {
            figures.append(try figure.run(with: Sampler(.quick, now: { .zero }, counters: nil)))
        }
        let down = try #require(figures.first { $0.name == "browse.down.bytes" })
        #expect(down.reference == "full repaint")
        #expect((down.ratio ?? 0) >= 4)
        #expect(down.value > 0)
    }
}
