import SpyglassBrowser
import SpyglassCatalog
import SpyglassTerminalUI

/// Every option of this version, in the order in which help shows them.
///
/// The defaults stand in `Settings`, and summaries print them from there; the ranges are those of the design's section 3.5.
enum OptionTable {
    static let all: [OptionDeclaration] = resizing + benching + search + source + cache + look + report + limits + other

    static func named(_ name: some StringProtocol) -> OptionDeclaration? { all.first { $0.name == name } }

    static func abbreviated(_ letter: Character) -> OptionDeclaration? { all.first { $0.short == letter } }

    /// Pairs that ask for opposite things.
    static let contradictions = [
        (OptionName.archive, OptionName.record, "one replays recorded answers, the other records them"),
        (OptionName.offline, OptionName.noCache, "offline, the disk cache is all there is"),
        (OptionName.offline, OptionName.record, "one keeps off the network, the other records it"),
        (OptionName.quiet, OptionName.verbose, "one wants less said, the other more"),
        (OptionName.manifest, OptionName.search, "pictures come from one of them"),
        (OptionName.dryRun, OptionName.contactSheet, "a dry run makes no picture"),
        (OptionName.keepOriginals, OptionName.noCache, "originals are kept in the disk cache"),
    ]

    /// What holds where no option says otherwise.
    private static let usual = Settings()

    private static let searching: [Command] = [.browse, .list]
    private static let finding: [Command] = [.browse, .list, .resize]
    private static let pictures: [Command] = [.browse, .list, .show, .resize]
    private static let everywhere: [Command] = [.browse, .list, .show, .resize, .cache, .doctor]
    private static let drawing: [Command] = [.browse, .list, .show, .doctor]

    private static var search: [OptionDeclaration] {
        [
            .value(
                "limit", "N|all", "how many results (\(usual.limit.maximum))", in: .search, for: [.list, .resize],
                short: "n"
            ) {
                (settings, text) throws(ValueError) in
                settings.limit = try limit(text)
            },
            .value("page", "N", "start at this page of the source (\(usual.page))", in: .search, for: finding) {
                (settings, text) throws(ValueError) in
                settings.page = try Values.number(text, 1...1_000_000)
            },
        ] + filters
    }

    /// An option for every filter that a source declares.
    private static var filters: [OptionDeclaration] {
        let declared = SourceChoice.allCases.flatMap(\.filters)
        return declared.enumerated().filter { index, filter in
            !declared[..<index].contains { $0.name == filter.name }
        }.map { _, filter in
            let defaults = filter.defaultValues.joined(separator: ",")
            return .value(
                filter.name, filter.placeholder, defaults.isEmpty ? filter.help : "\(filter.help) (\(defaults))",
                in: .search, for: finding, isList: filter.isRepeatable,
                completes: filter.choices.isEmpty ? .nothing : .words(filter.choices)
            ) { (settings, text) throws(ValueError) in
                let same = declared.filter { $0.name == filter.name }
                if !same.contains(where: { (try? $0.values(of: text)) != nil }) { _ = try Values.of(filter, text) }
                let old = filter.isRepeatable ? settings.filters[filter.name] ?? [] : []
                settings.filters[filter.name] = old + [text]
            }
        }
    }

    private static var source: [OptionDeclaration] {
        [
            .value(
                OptionName.source, "NAME", "nasa, or demo: made-up pictures (\(usual.source.rawValue))", in: .source,
                for: [.browse, .list, .resize, .doctor], completes: .words(SourceChoice.allCases.map(\.rawValue))
            ) { (settings, text) throws(ValueError) in
                settings.source = try Values.choice(text, of: SourceChoice.self)
            },
            .value(
                "endpoint", "URL", "base of the source's API, for mirrors and tests", in: .source,
                for: [.browse, .list, .resize, .doctor]
            ) { (settings, text) throws(ValueError) in
                settings.endpoint = try Values.address(text)
            },
            .value(
                OptionName.archive, "DIR", "replay recorded answers, never touch the network", in: .source,
                for: drawing + [.resize],
                completes: .folders
            ) { (settings, text) throws(ValueError) in
                settings.archive = try Values.text(text)
            },
            .value(
                OptionName.record, "DIR", "save every answer into an archive", in: .source, for: pictures,
                completes: .folders
            ) { (settings, text) throws(ValueError) in
                settings.record = try Values.text(text)
            },
            .flag(
                OptionName.offline, "show what the disk cache has, never touch the network", in: .source, for: pictures
            ) {
                $0.isOffline = $1
            },
            .value(
                "connections", "N", "transfers at once (16, 6 to one host)", in: .source, for: pictures + [.bench]
            ) { (settings, text) throws(ValueError) in
                settings.connections = try Values.number(text, 1...256)
            },
            .value(
                "retries", "N", "further tries of what failed for now (\(usual.retries))", in: .source, for: pictures
            ) {
                (settings, text) throws(ValueError) in
                settings.retries = try Values.number(text, 0...10)
            },
            .value("user-agent", "TEXT", "what to call ourselves (Spyglass/VERSION)", in: .source, for: pictures) {
                (settings, text) throws(ValueError) in
                settings.userAgent = try Values.headerText(text)
            },
        ]
    }

    private static var cache: [OptionDeclaration] {
        [
            .flag(OptionName.noCache, "keep nothing on disk, and read nothing kept there", in: .cache, for: pictures) {
                $0.usesDiskCache = !$1
            },
            .value(
                "cache-dir", "DIR", "where the disk cache is ($XDG_CACHE_HOME/spyglass)", in: .cache, for: everywhere,
                completes: .folders
            ) { (settings, text) throws(ValueError) in
                settings.cacheFolder = try Values.text(text)
            },
            .value(
                OptionName.diskLimit, "SIZE", "of the disk cache (1GiB, at most 2 % of the free space)", in: .cache,
                for: everywhere
            ) { (settings, text) throws(ValueError) in
                settings.diskLimit = try Values.size(text, 0...(1 << 50))
            },
            .value(
                OptionName.memoryLimit, "SIZE", "of the pictures kept in memory (5 % of the memory allowed)",
                in: .cache,
                for: drawing
            ) { (settings, text) throws(ValueError) in
                settings.memoryLimit = try Values.size(text, 0...(1 << 50))
            },
        ]
    }

    private static var look: [OptionDeclaration] {
        [
            .value(
                OptionName.color, "WHEN", "auto, truecolor, 256, 16 or none (auto)", in: .look, for: drawing,
                absent: "auto", completes: .words(["auto"] + ColorDepth.allCases.map(\.rawValue))
            ) { (settings, text) throws(ValueError) in
                guard text != "auto" else { return }
                guard let choice = ColorDepth(rawValue: text) else {
                    throw ValueError("it must be auto, truecolor, 256, 16 or none")
                }
                settings.color = choice
            },
            .value(
                "background", "COLOR", "behind pictures: auto or #rrggbb (black; resize: white)", in: .look,
                for: pictures,
                absent: "auto", completes: .words(["auto"])
            ) { (settings, text) throws(ValueError) in
                settings.background = text == "auto" ? nil : try Values.color(text)
            },
            .value(
                OptionName.cells, "COLSxROWS", "the screen; for show, the largest picture", in: .look, for: drawing
            ) { (settings, text) throws(ValueError) in
                settings.cells = try Values.cells(text)
            },
            .local("enlarge", "let small pictures fill the box", in: .look, for: [.show, .resize]) { $0.enlarges = $1 },
            .local("exact", "decode in full before scaling: slower, exact", in: .look, for: [.list, .show, .resize]) {
                $0.isExact = $1
            },
            .flag("no-images", "text only, fetch no picture", in: .look, for: searching) { $0.showsImages = !$1 },
            .value(
                OptionName.language, "CODE", "language (the locale's)", in: .look, for: searching,
                completes: .words(Language.allCases.map(\.rawValue))
            ) { (settings, text) throws(ValueError) in
                guard let language = Language(text) else {
                    throw ValueError("this version speaks \(Values.alternatives(Language.allCases.map(\.rawValue)))")
                }
                settings.language = language
            },
        ] + browsing
    }

    private static var browsing: [OptionDeclaration] {
        [
            .value(
                OptionName.theme, "NAME|FILE",
                "colours and marks: \(Values.alternatives(Theme.names)), or a file (by the background)", in: .look,
                for: [.browse], completes: .words(Theme.names)
            ) { (settings, text) throws(ValueError) in
                settings.theme = try Values.text(text)
            },
            .flag(OptionName.noMouse, "leave the mouse to the terminal", in: .look, for: [.browse]) {
                $0.usesMouse = !$1
            },
            .value(
                "fidelity", "WHEN", "colours of pictures: auto, exact, or fast for slow lines (auto)", in: .look,
                for: [.browse], completes: .words(Fidelity.allCases.map(\.rawValue))
            ) { (settings, text) throws(ValueError) in
                settings.fidelity = try Values.choice(text, of: Fidelity.self)
            },
            .flag("no-scroll-region", "never let the terminal move rows", in: .look, for: [.browse]) {
                $0.usesScrollRegion = !$1
            },
            .flag("no-history", "remember no search and no place", in: .look, for: [.browse]) {
                $0.keepsHistory = !$1
            },
        ]
    }

    private static var report: [OptionDeclaration] {
        [
            .local("json", "print JSON, one object a line", in: .report, for: [.list, .cache, .bench, .doctor]) {
                $0.printsJSON = $1
            },
            .flag(
                OptionName.quiet, "no progress and no remarks, errors only", in: .report, for: everywhere + [.bench],
                short: "q"
            ) {
                $0.isQuiet = $1
            },
            .flag(OptionName.verbose, "warnings, and what was decided and why", in: .report, for: pictures, short: "v")
            {
                $0.isVerbose = $1
            },
            OptionDeclaration(
                name: "stats", short: nil, value: .optional("json"),
                summary: "end with counts and times on standard error", group: .report, commands: pictures,
                isShared: true, isList: false, absentValue: nil,
                completes: .words(StatsForm.allCases.map(\.rawValue)), isHidden: false
            ) { settings, text throws(ValueError) in
                settings.stats =
                    try text.map { (text) throws(ValueError) in
                        try Values.choice(text, of: StatsForm.self)
                    } ?? .text
            },
        ]
    }

    private static var limits: [OptionDeclaration] {
        [
            .value(
                "max-pixels", "N", "pixels of one picture (\(Values.scaled(usual.maxPixels)))", in: .limits,
                for: pictures
            ) {
                (settings, text) throws(ValueError) in
                settings.maxPixels = try Values.count(text, 1...1_000_000_000_000)
            },
            .value(
                "max-side", "N", "pixels along one side (\(Values.grouped(usual.maxSide)))", in: .limits, for: pictures
            ) {
                (settings, text) throws(ValueError) in
                settings.maxSide = try Values.count(text, 1...Int(Int32.max))
            },
            .value(
                "max-bytes", "SIZE", "a download or standard input (\(Values.scaled(usual.maxBytes)))", in: .limits,
                for: pictures
            ) {
                (settings, text) throws(ValueError) in
                settings.maxBytes = try Values.size(text, 1...(1 << 40))
            },
            .value("max-scans", "N", "scans of a progressive JPEG (\(usual.maxScans))", in: .limits, for: pictures) {
                (settings, text) throws(ValueError) in
                settings.maxScans = try Values.number(text, 1...100_000)
            },
            .value("max-redirects", "N", "redirects of one address (\(usual.maxRedirects))", in: .limits, for: pictures)
            {
                (settings, text) throws(ValueError) in
                settings.maxRedirects = try Values.number(text, 0...50)
            },
            .value("jobs", "N", "decoding threads (one a core)", in: .limits, for: pictures) {
                (settings, text) throws(ValueError) in
                settings.jobs = try Values.number(text, 1...256)
            },
            .value(
                "timeout", "SECONDS", "without progress, before giving up (\(usual.timeout))", in: .limits,
                for: pictures
            ) {
                (settings, text) throws(ValueError) in
                settings.timeout = try Values.number(text, 1...86_400)
            },
        ]
    }

    private static var other: [OptionDeclaration] {
        [
            .local(OptionName.help, "explain, and do nothing else", in: .other, for: Command.allCases, short: "h") {
                $0.wantsHelp = $1
            },
            .local(OptionName.version, "print the version", in: .other, for: Command.allCases, short: "V") {
                $0.wantsVersion = $1
            },
            .local(OptionName.man, "print the man page as roff", in: .other, for: [.help], isHidden: true) {
                $0.wantsManual = $1
            },
        ]
    }

    private static func limit(_ text: String) throws(ValueError) -> ResultLimit {
        guard text != "all" else { return .all }
        do {
            return .count(try Values.number(text, 1...1_000_000))
        } catch {
            throw ValueError(error.reason + ", or all")
        }
    }
}
