import SpyglassBatch
import SpyglassBrowser
import SpyglassCatalog
import SpyglassCodecs
import SpyglassPixels
import SpyglassTerminalUI

enum OptionTable {
    static let all = Array(
        [
            resizeInput, resizeOutput, resizeRun, benching, search, source, cache, showing, drawing, browsing, report,
            limits, other,
        ].joined())

    static func named(_ name: some StringProtocol) -> OptionDeclaration? { all.first { $0.name == name } }
    static func abbreviated(_ letter: Character) -> OptionDeclaration? { all.first { $0.short == letter } }

    static let contradictions = [
        ("archive", "record", "one replays recorded responses, the other records them"),
        ("offline", "no-cache", "offline, the disk cache is the only source"),
        ("offline", "record", "one avoids the network, the other records it"),
        ("quiet", "verbose", "one prints less, the other more"),
        ("manifest", "search", "images come from one of them"),
        ("dry-run", "contact-sheet", "a dry run makes no images"),
        ("pack", "contact-sheet", "a contact sheet needs results in files of their own"),
        ("pack", "name", "samples are named by their ids"),
        ("color", "pixels", "without colours images are half-blocks"),
        ("loops", "frame", "one plays all frames, the other prints one"),
    ]

    private static let defaults = Options()
    private static let finding: [Command] = [.browse, .list, .resize]
    private static let imaging: [Command] = [.browse, .list, .show, .resize]
    private static let everywhere = imaging + [.cache, .doctor]

    private static func section(
        _ group: OptionDeclaration.Group, for commands: [Command], isShared: Bool = true,
        _ options: OptionDeclaration...
    ) -> [OptionDeclaration] {
        options.map { option in
            var option = option
            option.group = group
            if option.commands.isEmpty { option.commands = commands }
            if !isShared { option.isShared = false }
            return option
        }
    }

    private static let resizeInput = section(
        .input, for: [.resize], isShared: false,
        .value(
            "manifest", "FILE|-",
            "a list of images: CSV or TSV with a header, JSON lines, or one address or path per line; may be .gz",
            .file, \.resize.manifest),
        .value(
            "columns", "ROLE=NAME,...", "what the list calls its columns: url=IMAGE,id=KEY,caption=TEXT",
            ValueParser("roles and names such as url=IMAGE,id=KEY,caption=TEXT, each role once") {
                ManifestColumns(parsing: $0)
            },
            \.resize.columns),
        .value(
            "verify", "COLUMN", "fail images whose SHA-256 differs from that in this column of the list", .text,
            \.resize.verify),
        .flag(
            "ignore-robots-tag", "use images of a list even if X-Robots-Tag refuses (noai, noindex, ...)",
            \.resize.job.ignoresRobotsTag),
        .value("search", "WORDS", "resize the results of a search", .anyText, \.resize.search),
        .value(
            "shard", "I/N|auto", "resize part I of N, from 0; auto reads Kubernetes, Slurm or AWS Batch variables",
            .text, \.resize.shard))

    private static let resizeOutput = section(
        .output, for: [.resize], isShared: false,
        .value(
            "out", "DIR|-", "output folder; created if missing; - writes one image, or a tar file, to standard output",
            .folder, \.resize.output),
        .value(
            "pack", "tar[:N]",
            "write tar files for WebDataset, each with the results of N inputs (default: \(TarPacker.defaultInputs))",
            .pack, \.resize.pack),
        .value(
            "size", "SIZE",
            "320x240, 320x, x240, 320 for a square box, or 50%; above 100% enlarges; may repeat; "
                + "default: \(ResizeOptions.defaultSize)",
            ValueParser(
                "a box such as 320 or 320x240, a width such as 320x, a height such as x240 or a percentage "
                    + "such as 50%: whole numbers, sides \(ValueText.text(1...OutputSize.maxSide)), "
                    + "percentages \(ValueText.text(1...OutputSize.maxPercent))"
            ) { OutputSize($0) }, isList: true
        ) { if !$0.resize.job.sizes.contains($1) { $0.resize.job.sizes.append($1) } },
        .value(
            "fit", "HOW",
            "contain: fit within the box; cover: fill it and crop; fill: stretch; pad: fit within it, and fill the rest with "
                + "--background (\(defaults.resize.job.fit.rawValue))",
            .choice, \.resize.job.fit),
        .value(
            "focus", "WHAT",
            "what cover keeps: centre, attention (edges, skin, strong colours), entropy (most varied) or a point "
                + "such as 0.3,0.7 (\(defaults.resize.job.focus))",
            ValueParser(
                "centre, attention, entropy, or X,Y: fractions of width and height from 0 to 1",
                .words(["centre", "attention", "entropy"])
            ) { Focus($0) }, \.resize.job.focus),
        .value(
            "format", "NAME",
            "jpeg, png, webp, avif, or same: the input's if JPEG or PNG, else PNG if transparent or FITS, or JPEG "
                + "(\(defaults.resize.job.format.rawValue))",
            .choice, \.resize.job.format),
        .value(
            "quality", "N|lossless",
            "1 to 100 (JPEG \(ResultFormat.jpeg.standardQuality), WebP \(ResultFormat.webp.standardQuality), "
                + "AVIF \(ResultFormat.avif.standardQuality)), or lossless for WebP; not for PNG",
            .quality, \.resize.job.quality),
        .value(
            "effort", "N",
            "time for a WebP or AVIF, 0 (fast) to 6 (small) (WebP \(BatchJob.standardEffort), "
                + "AVIF \(BatchJob.standardEffort))",
            .number(0...6), \.resize.job.effort),
        .value(
            "resample", "FILTER", "lanczos: sharp; area: cheaper (\(defaults.resize.job.filter.rawValue))", .choice,
            \.resize.job.filter),
        .value(
            "damaged", "HOW",
            "damaged images: fail, or make the part that can be decoded (\(defaults.resize.job.damaged.rawValue))",
            .choice, \.resize.job.damaged),
        .flag("progressive", "make progressive JPEGs", \.resize.job.isProgressive),
        .value(
            "keep", "WHAT",
            "metadata: none; exif, without the position (GPS); icc, the colour profile instead of sRGB; or all: both, "
                + "with the position, but no XMP (\(defaults.resize.job.keep.rawValue))", .choice, \.resize.job.keep),
        OptionDeclaration(name: "keep-metadata", form: .none, summary: "keep EXIF", isHidden: true) { _ in
            { options in
                options.resize.job.keep = .exif
                options.hint = "--keep-metadata is now --keep exif, which leaves out the position (GPS)"
            }
        },
        .value(
            "name", "TEMPLATE",
            "name results by {stem} {ext} {w} {h} {id} {n} {hash} {hash:2}; {w}x{h} is the requested box; "
                + "/ makes folders, an extension such as .png sets the format ({stem}.{ext})",
            .template, \.resize.job.template),
        .value(
            "contact-sheet", "FILE", "also make one image of all results, .jpg or .png", .file, \.resize.contactSheet))

    private static let resizeRun = section(
        .run, for: [.resize], isShared: false,
        .flag("dry-run", "print what would be made, and make nothing", \.resize.job.isDryRun),
        .flag("force", "make everything again, also replace other files", \.resize.job.isForced),
        .value("rate", "N", "requests a second to one host, such as 2 or 0.5", .rate, \.resize.rate),
        .value(
            "max-failures", "N|P%", "exit with 1 only if more items fail than this (0)",
            ValueParser("a number or a share of the items, such as 5 or 2%") { FailureLimit(parsing: $0) },
            \.resize.maxFailures),
        .value(
            "report", "FILE|-", "write a JSON line for each item as it ends, and a summary; - is standard output",
            .file, \.resize.report))

    private static let benching =
        section(
            .run, for: [.bench], isShared: false,
            .flag("quick", "0.15 s for each benchmark instead of 1.5 s", \.bench.isQuick))
        + section(
            .report, for: [.bench], isShared: false,
            .value(
                "baseline", "FILE", "compare with a saved --json report; exits 1 on a regression", .file,
                \.bench.baseline))

    private static let search =
        section(
            .search, for: finding,
            .value(
                "limit", "N|all", "maximum number of results (\(defaults.limit))", .resultLimit,
                for: [.list, .resize], short: "n", \.limit),
            .value(
                "filter", "NAME:VALUE", "a filter of the source; may repeat, and may be among the words", filterParser,
                isList: true
            ) { $1(&$0) }) + filters.flatMap { section(.search, for: finding, $0) }

    /// Reads a filter of any source; `--center`, `--sort` and others are options of their own, too.
    ///
    /// For `resize`, the name of a resampling filter still counts as `--resample`.
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
            let completions: CompletionWords = filter.choices.isEmpty ? .nothing : .words(filter.choices)
            let parser = ValueParser(filter.expectation, completions) { text in
                same.contains { $0.values(of: text)?.isEmpty == false } ? text : nil
            }
            let defaults = filter.defaultValues.isEmpty ? "" : " (\(filter.defaultValues.joined(separator: ",")))"
            return .value(
                filter.name, filter.placeholder, filter.help + defaults, parser, isList: filter.isRepeatable
            ) { options, text in
                let values = filter.isRepeatable ? options.filters[filter.name] ?? [] : []
                options.filters[filter.name] = values + [text]
            }
        }
    }

    private static let source = section(
        .source, for: imaging,
        .value(
            "source", "NAME", "\(ValueText.alternatives(SourceDeclaration.all.map(\.name))); see spyglass help (nasa)",
            .source, for: finding + [.doctor], \.source),
        .value(
            "endpoint", "URL", "base URL of the source's API, for mirrors and tests", .address,
            for: finding + [.doctor], \.endpoint),
        .value(
            "archive", "DIR", "replay recorded responses, never use the network", .folder, for: imaging + [.doctor],
            \.archive),
        .value("record", "DIR", "save every response in an archive", .folder, \.record),
        .flag("public-only", "refuse URLs that lead into a private network", \.isPublicOnly),
        .flag("offline", "show only what is in the disk cache, never use the network", \.isOffline),
        .value(
            "connections", "N", "concurrent transfers (16, 6 to one host)", .number(1...256), for: imaging + [.bench],
            \.connections),
        .value("retries", "N", "retries after a temporary failure (\(defaults.retries))", .number(0...10), \.retries),
        .value(
            "user-agent", "TEXT",
            "User-Agent header (Spyglass/VERSION); Wikimedia asks for your e-mail or web page in it", .headerText,
            \.userAgent))

    private static let cache = section(
        .cache, for: everywhere,
        .flag("no-cache", "do not use the disk cache", for: imaging, \.usesDiskCache, to: false),
        .value("cache-dir", "DIR", "folder of the disk cache ($XDG_CACHE_HOME/spyglass)", .folder, \.cacheFolder),
        .value(
            "disk-limit", "SIZE", "size of the disk cache (1GiB, at most 2 % of the free space)", .size(0...(1 << 50)),
            \.diskLimit))

    private static let showing = section(
        .look, for: [.show], isShared: false,
        OptionDeclaration(
            name: "caption", form: .optional("FORMAT"),
            summary: "print a caption under each image: FORMAT with its fields filled in (\(CaptionFormat.fields))"
        ) { text throws(Failure) in
            let format = try text.map(CaptionFormat.init(parsing:)) ?? .standard
            return { $0.caption = format }
        },
        .value("grid", "COLS", "images per row; animations do not play", .number(1...100), \.grid),
        .value(
            "loops", "N",
            "play N times (default: a single animation as its file states, or until a key if endless; several once each)",
            .number(1...1_000_000), \.loops),
        .value(
            "frame", "N", "print this frame of an animation or page of a FITS file, from 1", .number(1...1_000_000),
            \.frame))

    private static let drawing = section(
        .look, for: [.browse, .list, .show, .doctor],
        .value("color", "WHEN", "auto, truecolor, 256, 16 or none (auto)", .choiceOrAuto, \.color),
        .value(
            "background", "COLOR",
            "colour behind images: #rrggbb, #rgb, black, white, or auto: the terminal's if known, else black (auto); "
                + "resize: behind JPEGs (white) and around --fit pad (JPEG: white, others: transparent)",
            ValueParser(
                "auto, black, white or a colour such as #1e1e2e", .words(["auto", "black", "white"]), acceptsAuto: true
            ) { ValueText.color($0) }, for: imaging, \.background),
        .value(
            "stretch", "CURVE", "brightness of FITS images: linear, asinh or log (\(defaults.stretch.rawValue))",
            .choice, for: imaging, \.stretch),
        .value(
            "cells", "COLSxROWS", "screen size; for show, the largest image; 80x: any height; x40: any width",
            ValueParser("COLSxROWS, such as 80x24, 80x or x40, each \(ValueText.text(1...CellSize.largestSide))") {
                CellBox(parsing: $0)
            }, \.cells),
        .value(
            "pixels", "MODE",
            "how images are drawn: auto, \(PixelMode.allCases.map(\.rawValue).joined(separator: ", ")) (auto)",
            .choiceOrAuto, \.pixels),
        .value(
            "cell-size", "WxH",
            "cell size in pixels (default: what the terminal reports, else \(ImageRenderer.assumedCellPixels))",
            ValueParser("WxH, such as 10x20: 2x4 to 400x400, and one to four times as high as wide") {
                PixelSize(parsingCell: $0)
            }, \.cellSize),
        .flag("enlarge", "enlarge small images to fill the box", for: [.show, .resize], isShared: false, \.enlarges),
        .flag("no-images", "text only, fetch no image", for: [.browse, .list], \.showsImages, to: false))

    private static let browsing = section(
        .look, for: [.browse],
        .value(
            "theme", "NAME|FILE",
            "colours and marks: \(ValueText.alternatives(Theme.names)), or a file; default: by the background",
            .text(.words(Theme.names)), \.theme),
        .flag("no-history", "do not store searches, marks and the last position", \.keepsHistory, to: false),
        .flag(
            "pick",
            "print the paths or URLs of the marked photos on quitting, or of the selected one on Enter; exits 1 if none",
            isShared: false, \.picks),
        .flag(
            "null", "with --pick, end each line with a zero byte, for xargs -0", short: "0", isShared: false,
            \.endsWithZero)
    )

    private static let report = section(
        .report, for: imaging,
        .flag(
            "json", "print JSON, one object a line", for: [.list, .cache, .bench, .doctor], isShared: false,
            \.printsJSON),
        .flag(
            "quiet", "print no progress and no notes, only errors", for: everywhere + [.bench], short: "q", \.isQuiet),
        .flag("verbose", "print warnings and diagnostics", short: "v", \.isVerbose),
        OptionDeclaration(
            name: "stats", form: .optional("json"), summary: "end with counts and times on standard error",
            values: ValueParser<StatsForm>.choice.values
        ) { text throws(Failure) in
            let form = try text.map { (text) throws(Failure) in try ValueParser<StatsForm>.choice.parse(text) }
            return { $0.stats = form ?? .text }
        })

    private static let limits = section(
        .limits, for: imaging,
        .value(
            "max-pixels", "N",
            "largest image in pixels (\(ValueText.scaled(defaults.limits.pixels)), with sides of at most "
                + "\(ValueText.grouped(defaults.limits.side)); N also lifts the limit of a side)",
            .count(1...1_000_000_000_000)
        ) { ($0.limits.pixels, $0.limits.side) = ($1, Int(Int32.max)) },
        .value(
            "max-bytes", "SIZE",
            "largest download or standard input (\(ValueText.scaled(defaults.limits.bodyBytes))); above 4GiB, also "
                + "the largest file",
            .size(1...(1 << 40)), \.limits.bodyBytes),
        .value(
            "work-memory", "SIZE",
            "memory for decoding and downloading (a quarter of the memory allowed, 352 MiB for one image)",
            .size((1 << 20)...(1 << 50)), for: imaging + [.doctor]
        ) { ($0.workLimit, $0.limits.workBytes) = ($1, $1) },
        .value("jobs", "N", "decoding threads (one a core)", .number(1...256), \.jobs),
        .value(
            "sandbox", "on|off",
            "on: drop unneeded rights before decoding, and decode in worker processes; show decodes JPEG, PNG, GIF and BMP "
                + "itself (on)",
            .choice, for: imaging + [.doctor], \.sandbox),
        .value(
            "timeout", "SECONDS",
            "give up after this time without progress (\(defaults.timeout)); a whole response may take "
                + "\(Options.timeoutsOfBody) times as long",
            .number(1...86_400), \.timeout))

    /// Options that `CommandLineParser` itself answers.
    private static let other = section(
        .other, for: Command.allCases, isShared: false,
        OptionDeclaration(name: "help", short: "h", form: .none, summary: "print help and exit") { _ in { _ in } },
        OptionDeclaration(name: "version", short: "V", form: .none, summary: "print the version") { _ in { _ in } },
        OptionDeclaration(
            name: "man", form: .none, summary: "print the man page as roff", isHidden: true, commands: [.help]
        ) { _ in { _ in } })
}
