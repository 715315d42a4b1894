import SpyglassBatch
import SpyglassPixels

extension OptionTable {
    private static let defaults = ResizeOptions()

    static let resizing =
        section(
            .input, for: [.resize], isShared: false,
            [
                .value("manifest", "FILE|-", #"JSON lines: "id" and "src", or of list --json"#, .file) {
                    $0.resize.manifest = $1
                },
                .value("search", "WORDS", "the results of a search, instead of files", .anyText) {
                    $0.resize.search = $1
                },
                .value(
                    "shard", "I/N|auto", "one part of N, from 0; auto reads Kubernetes, Slurm or AWS Batch variables",
                    .text
                ) { $0.resize.shard = $1 },
            ])
        + section(
            .output, for: [.resize], isShared: false,
            [
                .value("out", "DIR", "output folder; created if missing", .folder) { $0.resize.output = $1 },
                .list(
                    "size", "SIZE",
                    "320x240, 320x, x240, 320 for a square box, or 50%; above 100% enlarges; may repeat; "
                        + "\(ResizeOptions.defaultSize) if none is given",
                    ValueParser(
                        "a box such as 320 or 320x240, a width such as 320x, a height such as x240 or a percentage "
                            + "such as 50%: whole numbers, sides \(ValueText.text(1...OutputSize.maxSide)), "
                            + "percentages \(ValueText.text(1...OutputSize.maxPercent))"
                    ) { OutputSize($0).map { [$0] } }
                ) { options, sizes in
                    options.resize.job.sizes += sizes.filter { !options.resize.job.sizes.contains($0) }
                },
                .value(
                    "fit", "HOW",
                    "contain: within the box; cover: fill it, cropped; fill: stretch (\(defaults.job.fit.rawValue))",
                    .choice
                ) { $0.resize.job.fit = $1 },
                .value(
                    "format", "NAME",
                    "same: the input's, or PNG with transparency and JPEG without; jpeg, png "
                        + "(\(defaults.job.format.rawValue))", .choice
                ) { $0.resize.job.format = $1 },
                .value("quality", "N", "of a JPEG, 1 to 100 (\(defaults.job.quality))", .number(1...100)) {
                    $0.resize.job.quality = $1
                },
                .value(
                    "resample", "FILTER", "lanczos: sharp; area: cheaper (\(defaults.job.filter.rawValue))", .choice
                ) { $0.resize.job.filter = $1 },
                .flag("progressive", "make progressive JPEGs") { $0.resize.job.isProgressive = $1 },
                .flag("keep-metadata", "keep EXIF, with its orientation set to upright") {
                    $0.resize.job.keepsMetadata = $1
                },
                .value(
                    "name", "TEMPLATE",
                    "of {stem} {ext} {w} {h} {id} {n} {hash} {hash:2}; {w}x{h} is the box asked for, not the result's "
                        + "size; / makes folders, .png a PNG ({stem}.{ext})",
                    .template
                ) { $0.resize.job.template = $1 },
                .value("contact-sheet", "FILE", "also an image of all results, .jpg or .png", .file) {
                    $0.resize.contactSheet = $1
                },
            ])
        + section(
            .run, for: [.resize], isShared: false,
            [
                .flag("dry-run", "print what would be made, and make nothing") { $0.resize.job.isDryRun = $1 },
                .flag("force", "make everything again, also replace other files") { $0.resize.job.isForced = $1 },
                .value("rate", "N", "requests a second to one host, such as 2 or 0.5", .rate) {
                    $0.resize.rate = $1
                },
                .value(
                    "max-failures", "N|P%", "items that may fail before it exits 1 (0)",
                    ValueParser("a number or a share of the items, such as 5 or 2%") { FailureLimit(parsing: $0) }
                ) { $0.resize.maxFailures = $1 },
                .value(
                    "report", "FILE|-", "a JSON line for each item as it ends, and a summary; - is standard output",
                    .file
                ) { $0.resize.report = $1 },
            ])

    static let benching =
        section(
            .run, for: [.bench], isShared: false,
            [.flag("quick", "0.15 s for each benchmark instead of 1.5 s") { $0.bench.isQuick = $1 }])
        + section(
            .report, for: [.bench], isShared: false,
            [
                .value("baseline", "FILE", "compare with a saved --json report; exits 1 on a regression", .file) {
                    $0.bench.baseline = $1
                }
            ])
}
