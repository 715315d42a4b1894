import Foundation
import SpyglassCodecs
import SpyglassTestSupport
import Testing

@Suite("Fuzz targets", .timeLimit(.minutes(10)))
struct ReplayTests {
    /// Those without their library are left out, and said so.
    private static let targets = FuzzTarget.allCases.filter { target in
        guard let family = target.library, !family.isInstalled else { return true }
        print("skipped: the corpus of \(target), whose library is missing")
        return false
    }

    @Test("Every input of the kept corpus keeps the promises", arguments: targets)
    func replay(target: FuzzTarget) async throws {
        let folder = "\(TestData.root)/Tests/Fuzz/Corpus/\(target)"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!names.isEmpty)
        for name in names {
            let bytes = Array(try #require(FileManager.default.contents(atPath: "\(folder)/\(name)")))
            switch target.check {
            case .now(let check): check(bytes)
            case .later(let check): await check(bytes)
            }
        }
    }
}
