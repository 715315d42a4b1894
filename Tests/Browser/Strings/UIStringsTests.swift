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
        func texts(_ strings: UIStrings) -> [String] {
            [
                strings.home.tagline("NASA"), strings.list.nothingFoundHint, strings.list.end("345"),
                strings.save.saveFailed,
                strings.text(of: .hint(DetailTexts.all.noPage), key: \.description, written: \.description),
            ]
        }
        for (text, english) in zip(texts(UIStrings(language)), texts(UIStrings(.english))) { #expect(text != english) }
    }

    @Test("A limit names the option that raises it, if one does")
    func options() {
        let texts = [FetchError.Limit.body, .workMemory, nil].map { limit in
            UIStrings(.english).fullText(of: FailureKind(FetchError(.tooLarge, "x", exceededLimit: limit)))
        }
        #expect(texts == ["too large (--max-bytes)", "too large (--work-memory)", "too large"])
    }

    @Test("Image failures are translated and fit into a thumbnail", arguments: Language.allCases)
    func failures(language: Language) {
        let failures: [FailureKind] = [
            .notFound, .status(503), .unreachable, .timedOut, .tooLarge(option: nil), .refused, .notRecorded,
            .notCached, .unavailable, .empty, .notAPicture, .unsupported, .damaged, .outOfMemory, .unknown,
        ]
        for failure in failures {
            let text = UIStrings(language).text(of: failure)
            #expect((1...22).contains(TerminalText(cleaning: text).width), "\(text)")
            #expect(language == .english || text != UIStrings(.english).text(of: failure), "\(text)")
        }
        #expect(UIStrings(language).text(of: .status(503)).contains("503"))
    }

    @Test("Counts follow the language's plural rules")
    func plurals() {
        let texts = [(Language.english, 1), (.english, 345), (.german, 1), (.french, 0), (.spanish, 2), (.japanese, 2)]
            .map { UIStrings($0.0).folders.photos($0.1, "\($0.1)") }
        #expect(texts == ["1 photo", "345 photos", "1 Foto", "0 photo", "2 fotos", "写真 2 枚"])
        let arabic = [1, 2, 7, 345, 103].map { UIStrings(.arabic).folders.photos($0, "\($0)") }
        #expect(arabic == ["صورة واحدة", "صورتان", "7 صور", "345 صورة", "103 صور"])
        let others = [
            UIStrings(.english).folders.folders(1, "1"), UIStrings(.spanish).folders.files(18, "18"),
            UIStrings(.arabic).folders.folders(2, "2"), UIStrings(.arabic).folders.files(18, "18"),
        ]
        #expect(others == ["1 folder", "18 archivos", "مجلدان", "18 ملفًا"])
    }

    @Test("Messages quote what was typed", arguments: Language.allCases)
    func quotes(language: Language) {
        let strings = UIStrings(language)
        for (text, quoted) in [
            (strings.home.resume("apollo 11", "812"), "apollo 11"), (strings.home.resume("apollo 11", "812"), "812"),
            (strings.text(of: .unknownFilter("colour", known: ["center", "year"])), "center, year"),
            (strings.text(of: .badValue("soon", filter: "year", examples: ["1969"])), "soon"),
            (strings.text(of: .saved(path: "/tmp/a.jpg"), key: \.description, written: \.description), "/tmp/a.jpg"),
            (strings.title(of: .search("mars")), "mars"),
        ] {
            #expect(text.contains(quoted))
        }
    }
}
