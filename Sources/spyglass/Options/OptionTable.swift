import SpyglassBatch
import SpyglassBrowser
import SpyglassCatalog
import SpyglassCodecs
import SpyglassPixels
import SpyglassTerminalUI

enum OptionTable {
    static let all = resizing + benching + search + source + cache + look + report + limits + other

    static func named(_ name: some StringProtocol) -> OptionDeclaration? { all.first { $0.name == name } }

    static func abbreviated(_ letter: Character) -> OptionDeclaration? { all.first { $0.short == letter } }

    static let contradictions = [
        ("archive", "record", "one replays recorded responses, the other records them"),
        ("offline", "no-cache", "offline, the disk cache is the only source"),
        ("offline", "record", "one avoids the network, the other records it"),
        ("quiet", "verbose", "one prints less, the other more"),
        ("manifest", "search", "images come from one of them"),
        ("dry-run", "contact-sheet", "a dry run makes no images"),
        ("color", "pixels", "without colours images are half-blocks"),
        ("loops", "frame", "one plays all frames, the other prints one"),
    ]

    static func contradict(_ one: String, _ other: String) -> Bool {
        contradictions.contains { ($0.0, $0.1) == (one, other) || ($0.0, $0.1) == (other, one) }
    }

    private static let defaults = Options()
    private static let finding: [Command] = [.browse, .list, .resize]
    private static let imaging: [Command] = [.browse, .list, .show, .resize]
    private static let drawing: [Command] = [.browse, .list, .show, .doctor]
    private static let everywhere = imaging + [.cache, .doctor]

    static func section(
        _ group: OptionDeclaration.Group, for commands: [Command], isShared: Bool = true, _ options: [OptionDeclaration]
    ) -> [OptionDeclaration] {
        options.map { option in
            var option = option
            option.group = group
            if option.commands.isEmpty { option.commands = commands }
            if !isShared { option.isShared = false }
            return option
        }
    }

    private static let search = section(
        .search, for: finding,
        [
            .value(
                "limit", "N|all", "maximum number of results (\(defaults.limit.maximum))", .resultLimit,
                for: [.list, .resize], short: "n"
            ) { $0.limit = $1 },
            filter,
        ] + filters)

    /// `NAME:VALUE` is a filter of any source; `--center`, `--sort` and others are options of their own, too.
    ///
    /// For `resize`, the name of a resampling filter still counts as `--resample`.
    private static var filter: OptionDeclaration {
        var option = OptionDeclaration.value(
            "filter", "NAME:VALUE", "a filter of the source, repeatable, also among the words", filterParser
        ) { $1(&$0) }
        option.isList = true
        return option
    }

    private static var filterParser: ValueParser<OptionDeclaration.Change> {
        let examples = SourceRegistry.all.flatMap(\.filters).flatMap { filter in
            filter.examples.map { "\(filter.name):\($0)" }
        }
        return ValueParser("NAME:VALUE, such as license:cc0", .words(examples)) { text in
            if let filter = ResampleFilter(rawValue: text) {
                return { options in
                    options.resize.job.filter = filter
                    options.hint = "--filter \(text) is now --resample \(text)"
                }
            }
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
            let (name, value) = (text[..<colon].lowercased(), String(text[text.index(after: colon)...]))
            return { $0.filters[name, default: []].append(value) }
        }
    }

    /// The filters that are options of their own; `--size` of `resize` is not the filter `size`.
    static let filterNames = Set(filters.map(\.name))

    private static var filters: [OptionDeclaration] {
        let declared = [SourceDeclaration.nasa, DemoSource.declaration, .folder].flatMap(\.filters)
        return declared.enumerated().filter { index, filter in
            !declared[..<index].contains { $0.name == filter.name }
        }.map { _, filter in
            let same = declared.filter { $0.name == filter.name }
            let parser = ValueParser(
                filter.expectation, filter.choices.isEmpty ? .nothing : .words(filter.choices)
            ) { text in same.contains { $0.values(of: text)?.isEmpty == false } ? text : nil }
            let defaults = filter.defaultValues.isEmpty ? "" : " (\(filter.defaultValues.joined(separator: ",")))"
            var option = OptionDeclaration.value(
                filter.name, filter.placeholder, filter.help + defaults, parser
            ) { options, text in
                let values = filter.isRepeatable ? options.filters[filter.name] ?? [] : []
                options.filters[filter.name] = values + [text]
            }
            option.isList = filter.isRepeatable
            return option
        }
    }

    private static let source = section(
        .source, for: imaging,
        [
            .value(
                "source", "NAME",
                "\(ValueText.alternatives(SourceDeclaration.all.map(\.name))); see spyglass help (nasa)",
                .source,
                for: finding + [.doctor]
            ) {
                $0.source = $1
            },
            .value(
                "endpoint", "URL", "base URL of the source's API, for mirrors and tests", .address,
                for: finding + [.doctor]
            ) { $0.endpoint = $1 },
            .value(
                "archive", "DIR", "replay recorded responses, never use the network", .folder, for: imaging + [.doctor]
            ) { $0.archive = $1 },
            .value("record", "DIR", "save every response in an archive", .folder) { $0.record = $1 },
            .flag("public-only", "refuse every URL that leads into a private network") {
                $0.isPublicOnly = $1
            },
            .flag("offline", "show what the disk cache has, never use the network") { $0.isOffline = $1 },
            .value(
                "connections", "N", "concurrent transfers (16, 6 to one host)", .number(1...256),
                for: imaging + [.bench]
            ) { $0.connections = $1 },
            .value("retries", "N", "retries after a temporary failure (\(defaults.retries))", .number(0...10)) {
                $0.retries = $1
            },
            .value(
                "user-agent", "TEXT",
                "User-Agent header (Spyglass/VERSION); Wikimedia asks for your e-mail or web page in it", .headerText
            ) { $0.userAgent = $1 },
        ])

    private static let cache = section(
        .cache, for: everywhere,
        [
            .flag("no-cache", "do not use the disk cache", for: imaging) { $0.usesDiskCache = !$1 },
            .value("cache-dir", "DIR", "folder of the disk cache ($XDG_CACHE_HOME/spyglass)", .folder) {
                $0.cacheFolder = $1
            },
            .value(
                "disk-limit", "SIZE", "of the disk cache (1GiB, at most 2 % of the free space)", .size(0...(1 << 50))
            ) { $0.diskLimit = $1 },
        ])

    private static let look =
        section(
            .look, for: [.show], isShared: false,
            [
                OptionDeclaration(
                    name: "caption", form: .optional("FORMAT"),
                    summary: "a line under each image: \(CaptionFormat.fields), or what FORMAT makes of them"
                ) { text throws(Failure) in
                    let format = try text.map(CaptionFormat.init(parsing:)) ?? .standard
                    return { $0.caption = format }
                },
                .value("grid", "COLS", "so many images beside each other; animations do not play", .number(1...100)) {
                    $0.grid = $1
                },
                .value(
                    "loops", "N", "play an animation N times (an endless one alone until a key, else once)",
                    .number(1...1_000_000)
                ) { $0.loops = $1 },
                .value("frame", "N", "print this frame of an animation, from 1", .number(1...1_000_000)) {
                    $0.frame = $1
                },
            ])
        + section(
            .look, for: drawing,
            [
                .value("color", "WHEN", "auto, truecolor, 256, 16 or none (auto)", .choiceOrAuto) { $0.color = $1 },
                .value(
                    "background", "COLOR",
                    "behind images: #rrggbb, #rgb, black, white, or auto: the terminal's where known, else black (auto; resize: white)",
                    ValueParser(
                        "auto, black, white or a colour such as #1e1e2e", .words(["auto", "black", "white"]),
                        acceptsAuto: true
                    ) { ValueText.color($0) }, for: imaging
                ) { $0.background = $1 },
                .value(
                    "cells", "COLSxROWS",
                    "size of the screen; for show, of the largest image; 80x (or 80) and x40 leave a side free",
                    ValueParser(
                        "COLSxROWS, such as 80x24, 80x or x40, each \(ValueText.text(1...CellSize.largestSide))"
                    ) { CellBox(parsing: $0) }
                ) { $0.cells = $1 },
                .value(
                    "pixels", "MODE",
                    "how images are drawn: auto, \(PixelMode.allCases.map(\.rawValue).joined(separator: ", ")) (auto)",
                    .choiceOrAuto
                ) { $0.pixels = $1 },
                .value(
                    "cell-size", "WxH", "pixels of a cell, where the terminal tells none; else \(cellPixels)",
                    ValueParser("WxH, such as 10x20: as high as wide, or up to four times as high") {
                        PixelSize(parsingCell: $0)
                    }
                ) { $0.cellSize = $1 },
                .flag("enlarge", "let small images fill the box", for: [.show, .resize], isShared: false) {
                    $0.enlarges = $1
                },
                .flag("no-images", "text only, fetch no image", for: [.browse, .list]) { $0.showsImages = !$1 },
            ])
        + section(
            .look, for: [.browse],
            [
                .value(
                    "theme", "NAME|FILE",
                    "colours and marks: \(ValueText.alternatives(Theme.names)), or a file (by the background)",
                    .text(.words(Theme.names))
                ) { $0.theme = $1 },
                .flag("no-history", "store no search and no position") { $0.keepsHistory = !$1 },
            ])

    private static let cellPixels = ImageRenderer.assumedCellPixels

    private static let report = section(
        .report, for: imaging,
        [
            .flag(
                "json", "print JSON, one object a line", for: [.list, .cache, .bench, .doctor], isShared: false
            ) { $0.printsJSON = $1 },
            .flag("quiet", "print no progress and no notes, only errors", for: everywhere + [.bench], short: "q") {
                $0.isQuiet = $1
            },
            .flag("verbose", "warnings and diagnostics", short: "v") { $0.isVerbose = $1 },
            OptionDeclaration(
                name: "stats", form: .optional("json"), summary: "end with counts and times on standard error",
                values: ValueParser<StatsForm>.choice.values
            ) { text throws(Failure) in
                let form = try text.map { (text) throws(Failure) in try ValueParser<StatsForm>.choice.parse(text) }
                return { $0.stats = form ?? .text }
            },
        ])

    private static let limits = section(
        .limits, for: imaging,
        [
            .value(
                "max-pixels", "N",
                "pixels of one image (\(ValueText.scaled(defaults.limits.pixels)), \(ValueText.grouped(defaults.limits.side)) "
                    + "along a side; with N, a side of any length)",
                .count(1...1_000_000_000_000)
            ) { ($0.limits.pixels, $0.limits.side) = ($1, Int(Int32.max)) },
            .value(
                "max-bytes", "SIZE",
                "a download or standard input (\(ValueText.scaled(defaults.limits.bodyBytes))); above 4GiB, also a file on disk",
                .size(1...(1 << 40))
            ) { $0.limits.bodyBytes = $1 },
            .value(
                "work-memory", "SIZE",
                "of decoders and downloads together (a quarter of the memory allowed, 352 MiB for one image)",
                .size(1...(1 << 50)), for: imaging + [.doctor]
            ) { ($0.workLimit, $0.limits.workBytes) = ($1, $1) },
            .value("jobs", "N", "decoding threads (one a core)", .number(1...256)) { $0.jobs = $1 },
            .value(
                "sandbox", "on|off",
                "on: give up what a command does not need, decode WebP, AVIF, HEIC and TIFF in worker processes (on)",
                .choice, for: imaging + [.doctor]
            ) { $0.sandbox = $1 },
            .value(
                "timeout", "SECONDS",
                "without progress, before giving up (\(defaults.timeout)); a response's body takes at most "
                    + "\(Options.timeoutsOfBody) times as long",
                .number(1...86_400)
            ) { $0.timeout = $1 },
        ])

    /// Options that `CommandLineParser` answers itself.
    private static let other = section(
        .other, for: Command.allCases, isShared: false,
        [
            .flag("help", "print help and exit", short: "h"),
            .flag("version", "print the version", short: "V"),
            .flag("man", "print the man page as roff", for: [.help], isHidden: true),
        ])
}
