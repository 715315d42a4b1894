import SpyglassTestSupport
import Testing

@Suite("Samples/kubernetes")
struct SampleContainerTests {
    @Test("The container has the libraries of all formats that the tests need")
    func libraries() throws {
        func text(_ path: String) -> String { String(decoding: contents("\(TestData.root)/\(path)"), as: UTF8.self) }
        let line = try #require(text("Makefile").split(separator: "\n").first { $0.hasPrefix("TEST_LIBRARIES") })
        let packages = line.split(separator: " ").dropFirst(2)
        let installed = Set(text("Samples/kubernetes/Dockerfile").split { " \n\\".contains($0) })
        #expect(packages.count >= 6 && packages.allSatisfy(installed.contains), "\(packages)")
    }
}
