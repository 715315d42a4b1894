import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("UIStrings")
struct UIStringsTests {
    /// The footer shows several names of actions.
    private static let maxName = 26

    @Test("The names of actions fit into the footer", arguments: Language.allCases)
    func actions(language: Language) {
        let strings = UIStrings(language)
        for action in Action.withKeys {
            let name = action.name(in: strings)
            #expect((1...Self.maxName).contains(TerminalText(cleaning: name).width), "\(action): \(name)")
        }
    }

    @Test("A search without words has no empty quotation marks", arguments: Language.allCases)
    func searchOfAll(language: Language) {
        let strings = UIStrings(language)
        #expect(strings.headline(of: BrowserError(reason: "", kind: .unavailable)) == nil)
        let title = strings.title(of: .search(""))
        #expect(!title.isEmpty && title != strings.alert.search(""))
        #expect(strings.title(of: .search("moon")).contains { $0 == "m" })
    }

    @Test(
        "An archive without the words says so, and a service without a connection is named",
        arguments: Language.allCases)
    func plainFailures(language: Language) {
        let strings = UIStrings(language)
        let archived = Alert(
            subject: .search("mars"), error: BrowserError("x", canRetry: false, archiveHolds: ["moon"]))
        #expect(strings.title(of: archived) == strings.alert.nothingRecorded("mars"))
        var error = BrowserError(reason: "Could not resolve host", kind: .unreachable)
        error.site = "NASA"
        #expect(strings.headline(of: error)?.contains("NASA") == true)
        #expect(!strings.text(of: error).contains("resolve"))
        var options = BrowserOptions()
        #expect(error.hidesReason(options))
        options.isVerbose = true
        #expect(!error.hidesReason(options))
    }

    @Test("The search field of APOD names its filters", arguments: Language.allCases)
    func filtersOfAPOD(language: Language) {
        let operands = UIStrings(language).operands(of: "apod") ?? ""
        #expect(operands.contains("date:") && operands.contains("count:"))
    }

    @Test("Every other language differs from English", arguments: Language.allCases.filter { $0 != .english })
    func translated(language: Language) {
        let strings = UIStrings(language)
        let english = UIStrings(.english)
        #expect(strings.home.tagline("NASA") != english.home.tagline("NASA"))
        #expect(strings.list.nothingFoundHint != english.list.nothingFoundHint)
        #expect(strings.list.end("345") != english.list.end("345"))
        #expect(strings.save.saveFailed != english.save.saveFailed)
        #expect(strings.text(of: .noPage, key: \.description) != english.text(of: .noPage, key: \.description))
    }

    @Test("A limit names the option that raises it, if one does")
    func options() {
        func text(_ limit: FetchError.Limit?) -> String {
            UIStrings(.english).fullText(of: FailureKind(FetchError(.tooLarge, "x", exceededLimit: limit)))
        }
        #expect(text(.body) == "too large (--max-bytes)" && text(.workMemory) == "too large (--work-memory)")
        #expect(text(nil) == "too large")
    }

    @Test(
        "Image failures are translated and fit into a thumbnail",
        arguments: Language.allCases)
    func failures(language: Language) {
        let failures: [FailureKind] = [
            .notFound, .status(503), .unreachable, .timedOut, .tooLarge(option: nil), .refused, .notRecorded,
            .notCached,
            .unavailable, .empty,
            .notAPicture, .unsupported, .damaged, .outOfMemory, .unknown,
        ]
        for failure in failures {
            let text = UIStrings(language).text(of: failure)
            #expect(!text.isEmpty && TerminalText(cleaning: text).width <= 22, "\(text)")
            #expect(language == .english || text != UIStrings(.english).text(of: failure), "\(text)")
        }
        #expect(UIStrings(language).text(of: .status(503)).utf8.contains(UInt8(ascii: "5")))
    }

    @Test("Counts follow the language's plural rules")
    func plurals() {
        #expect(UIStrings(.english).folders.photos(1, "1") == "1 photo")
        #expect(UIStrings(.english).folders.photos(345, "345") == "345 photos")
        #expect(UIStrings(.german).folders.photos(1, "1") == "1 Foto")
        #expect(UIStrings(.french).folders.photos(0, "0") == "0 photo")
        #expect(UIStrings(.spanish).folders.photos(2, "2") == "2 fotos")
        #expect(UIStrings(.japanese).folders.photos(2, "2") == "写真 2 枚")
        #expect(UIStrings(.arabic).folders.photos(1, "1") == "صورة واحدة")
        #expect(UIStrings(.arabic).folders.photos(2, "2") == "صورتان")
        #expect(UIStrings(.arabic).folders.photos(7, "7") == "7 صور")
        #expect(UIStrings(.arabic).folders.photos(345, "345") == "345 صورة")
        #expect(UIStrings(.english).folders.folders(1, "1") == "1 folder")
        #expect(UIStrings(.spanish).folders.files(18, "18") == "18 archivos")
        #expect(UIStrings(.arabic).folders.folders(2, "2") == "مجلدان")
        #expect(UIStrings(.arabic).folders.files(18, "18") == "18 ملفًا")
        #expect(UIStrings(.arabic).folders.photos(103, "103") == "103 صور")
    }

    @Test("Messages quote what was typed", arguments: Language.allCases)
    func quotes(language: Language) {
        let strings = UIStrings(language)
        #expect(strings.home.resume("apollo 11", "812").contains("apollo 11"))
        #expect(strings.home.resume("apollo 11", "812").contains("812"))
        #expect(strings.text(of: .unknownFilter("colour", known: ["center", "year"])).contains("center, year"))
        #expect(strings.text(of: .badValue("soon", filter: "year", examples: ["1969"])).contains("soon"))
        #expect(strings.text(of: .saved(path: "/tmp/a.jpg"), key: \.description).contains("/tmp/a.jpg"))
        #expect(strings.title(of: .search("mars")).contains("mars"))
    }
}
