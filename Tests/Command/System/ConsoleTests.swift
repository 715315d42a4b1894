import Testing

@testable import spyglass

@Suite("Console")
struct ConsoleTests {
    @Test("Messages use the characters of the locale", arguments: [("C.UTF-8", "café.jpg"), ("C", "cafe.jpg")])
    func characters(locale: String, name: String) {
        var fake = FakeSystem()
        fake.environment = ["LC_ALL": locale]
        Console(fake.services).error("café.jpg: no such file\u{1B}[2J")
        let replaced = locale == "C" ? "?" : "\u{FFFD}"
        #expect(fake.errors.text == "spyglass: \(name): no such file\(replaced)[2J\n")
    }
}
