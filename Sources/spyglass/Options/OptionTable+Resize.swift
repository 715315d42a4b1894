import SpyglassBatch
import SpyglassPixels

extension OptionTable {
    /// The options that `resize` alone has; those that it shares stand with the others.
    static var resizing: [OptionDeclaration] { input + output + run }

    private static let usual = ResizeSettings()

    private static var input: [OptionDeclaration] {
        [
            resize(
                OptionName.manifest, "FILE|-", #"JSON lines: "id" and "src", or of list --json"#, in: .input,
                completes: .files
            ) { (settings, text) throws(ValueError) in
                settings.manifest = try Values.text(text)
            },
            // Empty words find everything, as they do for list.
            resize(OptionName.search, "WORDS", "what a search finds, instead of files", in: .input) {
                $0.search = $1
            },
            resize("shard", "I/N|auto", "one part of N, from 0; auto asks Kubernetes, Slurm or AWS Batch", in: .input) {
                (settings, text) throws(ValueError) in
                settings.shard = try Values.text(text)
            },
        ]
    }

    private static var output: [OptionDeclaration] {
        [
            resize("out", "DIR", "the folder of the results; made if missing", in: .output, completes: .folders) {
                (settings, text) throws(ValueError) in
                settings.output = try Values.text(text)
            },
            resize(
                "size", "SIZE",
                "320x240, 320x, x240, or 320 for a square box; may repeat; \(ResizeSettings.defaultSize) if none is given",
                in: .output, isList: true
            ) { (settings, text) throws(ValueError) in
                guard let size = OutputSize(text) else {
                    throw ValueError(
                        "it must be a box such as 320 or 320x240, a width such as 320x or a height such as x240, "
                            + "from 1 to \(Values.grouped(OutputSize.maxSide))")
                }
                if !settings.sizes.contains(size) { settings.sizes.append(size) }
            },
            resize(
                "fit", "HOW",
                "contain: within the box; cover: fill it, cropped; fill: stretch (\(usual.fit.rawValue))", in: .output,
                completes: .words(FitChoice.allCases.map(\.rawValue))
            ) { (settings, text) throws(ValueError) in
                settings.fit = try Values.choice(text, of: FitChoice.self)
            },
            resize(
                "filter", "NAME", "lanczos: sharp; area: cheaper (\(usual.filter.rawValue))", in: .output,
                completes: .words(ResampleFilter.allCases.map(\.rawValue))
            ) { (settings, text) throws(ValueError) in
                settings.filter = try Values.choice(text, of: ResampleFilter.self)
            },
            resize(
                "format", "NAME", "same as the picture, jpeg or png (\(usual.format.rawValue))", in: .output,
                completes: .words(BatchJob.Format.allCases.map(\.rawValue))
            ) { (settings, text) throws(ValueError) in
                settings.format = try Values.choice(text, of: BatchJob.Format.self)
            },
            resize("quality", "N", "of a JPEG, 1 to 100 (\(usual.quality))", in: .output) {
                (settings, text) throws(ValueError) in
                settings.quality = try Values.number(text, 1...100)
            },
            .local("progressive", "make progressive JPEGs", in: .output, for: [.resize]) {
                $0.resize.isProgressive = $1
            },
            .local("keep-metadata", "keep EXIF, with its orientation set to upright", in: .output, for: [.resize]) {
                $0.resize.keepsMetadata = $1
            },
            resize(
                "name", "TEMPLATE",
                "of {stem} {ext} {w} {h} {id} {n} {hash} {hash:2}; / makes folders, .png a PNG ({stem}.{ext})",
                in: .output
            ) { (settings, text) throws(ValueError) in
                do throws(BatchError) {
                    settings.template = try NameTemplate(parsing: text)
                } catch {
                    throw ValueError(error.message, isWhole: true)
                }
            },
            resize(
                OptionName.contactSheet, "FILE", "also a picture of all results, .jpg or .png", in: .output,
                completes: .files
            ) { (settings, text) throws(ValueError) in
                settings.contactSheet = try Values.text(text)
            },
        ]
    }

    private static var run: [OptionDeclaration] {
        [
            .local(OptionName.dryRun, "say what would be made, and make nothing", in: .run, for: [.resize]) {
                $0.resize.isDryRun = $1
            },
            .local("force", "make everything anew, also in place of other files", in: .run, for: [.resize]) {
                $0.resize.isForced = $1
            },
            .local(
                OptionName.keepOriginals, "keep what is fetched in the disk cache, too", in: .run, for: [.resize]
            ) {
                $0.resize.keepsOriginals = $1
            },
            resize("rate", "N", "requests a second to one host, such as 2 or 0.5", in: .run) {
                (settings, text) throws(ValueError) in
                settings.rate = try Values.rate(text)
            },
            resize("tolerate", "N|P%", "how many items may fail before it exits 1 (0)", in: .run) {
                (settings, text) throws(ValueError) in
                guard let tolerance = FailureLimit(parsing: text) else {
                    throw ValueError("it must be a number or a share of the items, such as 5 or 2%")
                }
                settings.tolerance = tolerance
            },
            resize(
                "report", "FILE|-", "a JSON line for each item as it ends, and a summary; - is standard output",
                in: .run, completes: .files
            ) { (settings, text) throws(ValueError) in
                settings.report = try Values.text(text)
            },
            resize(
                "progress", "HOW", "auto, bar, lines or none; auto is a bar on a terminal (\(usual.progress.rawValue))",
                in: .run, completes: .words(BatchProgress.Style.allCases.map(\.rawValue))
            ) { (settings, text) throws(ValueError) in
                settings.progress = try Values.choice(text, of: BatchProgress.Style.self)
            },
        ]
    }

    /// An option with a value that `resize` alone has; no variable sets it.
    private static func resize(
        _ name: String, _ placeholder: String, _ summary: String, in group: OptionDeclaration.Group,
        isList: Bool = false, completes: CompletionWords = .nothing,
        _ store: @escaping @Sendable (inout ResizeSettings, String) throws(ValueError) -> Void
    ) -> OptionDeclaration {
        .value(
            name, placeholder, summary, in: group, for: [.resize], isShared: false, isList: isList,
            completes: completes
        ) { (settings, text) throws(ValueError) in try store(&settings.resize, text) }
    }
}
