import Glibc
import Testing

@testable import SpyglassFiles

@Suite("LocalFile")
struct LocalFileTests {
    @Test(
        "A path is divided into folder and name",
        arguments: [
            ("/home/ada/1.jpg", "/home/ada", "1.jpg"), ("/1.jpg", "/", "1.jpg"), ("1.jpg", ".", "1.jpg"),
            ("photos/1.jpg", "photos", "1.jpg"), ("./1.jpg", ".", "1.jpg"),
        ])
    func parts(path: String, folder: String, name: String) {
        let file = LocalFile(Array(path.utf8), FileStatus(stat()))
        #expect(file.folder == folder)
        #expect(file.name == name)
    }

    @Test("Bytes that are not UTF-8 are replaced")
    func notUTF8() {
        let file = LocalFile(Array("a".utf8) + [0xFF] + Array("/".utf8) + [0xFE], FileStatus(stat()))
        #expect(file.folder == "a\u{FFFD}")
        #expect(file.name == "\u{FFFD}")
    }
}
