import SpyglassCatalog
import SpyglassFetching
import Testing

@testable import SpyglassBrowser

@Suite("SafeFileName")
struct SafeFileNameTests {
    private func name(id: String, title: String = "Title", address: String = "https://h.example/a.jpg") throws -> String
    {
        var photo = Photo(id: id, source: "nasa")
        photo.title = title
        return SafeFileName.of(photo, at: try #require(WebAddress(address)))
    }

    @Test(
        "Ids become safe names",
        arguments: [
            ("as11-40-5874", "as11-40-5874.jpg"), ("../../etc/passwd", "etc_passwd.jpg"), ("a/b\\c", "a_b_c.jpg"),
            (".hidden", "hidden.jpg"), ("-rf", "rf.jpg"), ("a\u{0}b\u{1B}[2Jc", "a_b_[2Jc.jpg"),
            ("a\u{202E}gpj.exe", "a_gpj.exe.jpg"), ("", "Title.jpg"), ("...", "Title.jpg"),
            ("IMG_1.JPG", "IMG_1.jpg"), ("two\nlines", "two_lines.jpg"), ("月の裏", "月の裏.jpg"),
        ])
    func names(id: String, expected: String) throws {
        #expect(try name(id: id) == expected)
    }

    @Test("Names have at most 255 bytes and end between characters")
    func length() throws {
        let long = try name(id: String(repeating: "月", count: 500))
        #expect(long.utf8.count <= SafeFileName.lengthLimit)
        #expect(long.utf8.count > SafeFileName.lengthLimit - 3)
        #expect(long.hasSuffix("月.jpg"))
    }

    @Test("An extension is taken from the address only if it looks like one")
    func endings() throws {
        #expect(try name(id: "x", address: "https://h.example/a.tar.PNG?x=1.gif") == "x.png")
        #expect(try name(id: "x", address: "https://h.example/a") == "x")
        #expect(try name(id: "x", address: "https://h.example/.jpg") == "x")
        #expect(try name(id: "x", address: "https://h.example/a.averylongone") == "x")
    }

    @Test("Without a usable id and title the name is photo")
    func nameless() throws {
        #expect(try name(id: "///", title: "...") == "photo.jpg")
    }
}
