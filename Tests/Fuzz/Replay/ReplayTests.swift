import Foundation
import SpyglassTestSupport
import Testing

@Suite("Fuzz targets", .timeLimit(.minutes(10)))
struct ReplayTests {
    @Test("Every input of the kept corpus keeps the promises", arguments: FuzzTarget.allCases)
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
