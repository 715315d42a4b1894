import SpyglassBatch
import SpyglassBrowser
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassFolders
import SpyglassPixels
import SpyglassTerminalUI

/// The checked values of the options, from the command line and the environment.
struct Options: Hashable, Sendable {
    /// `nil`: the settings file decides, else NASA.
    var source: SourceDeclaration?
    var endpoint: WebAddress?
    var archive, record: String?
    var isOffline = false
    /// Concurrent transfers; `nil`: the transport's defaults, in total and to one host.
    var connections: Int?
    var retries = 2
    var userAgent = SpyglassVersion.userAgent
    /// Seconds without progress.
    var timeout = 20
    /// A whole response may take this many times the timeout.
    static let timeoutsOfBody = 15
    /// Whether addresses in private networks are refused.
    var isPublicOnly = false

    var usesDiskCache = true
    var cacheFolder: String?
    /// Bytes of the disk cache and of work memory.
    var diskLimit, workLimit: Int?

    var limit = 50
    /// A line for the user if operands were read in a way that may surprise, or an option has a new name.
    var hint: String?
    /// The values of each filter by its name; unparsed, since each source reads them in its own way.
    var filters: [String: [String]] = [:]

    /// `nil`: the settings file, the environment and the terminal decide.
    var color: ColorDepth?
    /// Whether the command line has `--color`, `--cells` or `--pixels`, so that images are printed without a terminal, too.
    var requestsImages = false
    var background: RGB?
    /// How FITS images become brightness.
    var stretch = Stretch.linear
    var cells: CellBox?
    var caption: CaptionFormat?
    /// Images per row.
    var grid: Int?
    /// How often an animation plays; `nil`: as the file states, or once.
    var loops: Int?
    /// The frame to print, from 1; `nil`: the animation plays, or its first frame is printed.
    var frame: Int?
    /// How images are drawn; `nil`: the settings file, the terminal and the command decide.
    var pixels: PixelMode?
    /// Pixels of a cell; `nil`: the terminal reports them.
    var cellSize: PixelSize?
    var enlarges = false
    var showsImages = true
    /// The name of a theme, or a file.
    var theme: String?
    /// Whether searches and the last position are stored.
    var keepsHistory = true
    /// Whether the browser prints the marked photos at its end, and whether a zero ends each, not a newline.
    var picks = false, endsWithZero = false

    var resize = ResizeOptions()
    var bench = BenchOptions()

    var printsJSON = false, isQuiet = false, isVerbose = false
    var stats: StatsForm?

    /// The limits of images; `bodyBytes` also limits downloads, and only the work memory limits JPEG coefficients.
    var limits = {
        var limits = ImageLimits()
        limits.coefficientBytes = .max
        return limits
    }()
    /// Decoding threads; `nil`: one for each usable core.
    var jobs: Int?
    var sandbox = SandboxChoice.on

    /// The search for `words` in a source, with the filters among them and of the options.
    func query(_ words: [String], in source: SourceDeclaration) throws(Failure) -> PhotoQuery {
        if let address = words.first(where: { $0.hasPrefix("https://") || $0.hasPrefix("http://") }) {
            let shown = WebAddress.description(ofRefused: address)
            throw .usage("\(shown) is a URL, and would be sent as words; try: spyglass show URL")
        }
        if let address = words.first(where: { $0.hasPrefix("file://") }) {
            throw .usage("\(address) is a file, and would be sent as words; write it as a path: /home/…")
        }
        let text = words.joined(separator: " ")
        var query: PhotoQuery
        do throws(SearchSyntaxError) { query = try SearchText(filters: source.filters).query(of: text) } catch {
            throw .usage("\(source.name): \(error)")
        }
        // Without a filter the words stay as they are.
        if query == PhotoQuery(query.text) { query.text = text }
        for (name, texts) in filters.sorted(by: { $0.key < $1.key }) {
            let option = OptionTable.filterNames.contains(name) ? "--\(name)" : "--filter \(name)"
            guard let filter = source.filters.first(where: { $0.name == name }) else {
                throw .usage("\(option): the source \(source.name) has no such filter; \(source.filterAdvice)")
            }
            for text in texts {
                do throws(CatalogError) { try query.add(text, to: filter) } catch {
                    throw .usage("\(option) \(text): expected \(filter.expectation)")
                }
            }
            if query[name] == filter.defaultValues { query[name] = [] }
        }
        return query
    }
}

struct ResizeOptions: Hashable, Sendable {
    /// A file; `-` is standard input.
    var manifest: String?
    var columns = ManifestColumns()
    /// The manifest's column of the SHA-256.
    var verify: String?
    /// Words of a search; an empty text finds everything.
    var search: String?
    /// `I/N` or `auto`.
    var shard: String?
    /// `-` is standard output.
    var output: String?
    /// Inputs of a tar file; `nil` without tar files.
    var pack: Int?
    /// No size stands for `defaultSize`.
    var job = BatchJob(sizes: [])
    var contactSheet: String?
    var rate: Double?
    var maxFailures = FailureLimit.none
    /// A file, or `-` for standard output.
    var report: String?

    static let defaultSize = "320"
}

struct BenchOptions: Hashable, Sendable {
    var isQuick = false
    var baseline: String?
}

extension SourceDeclaration {
    /// Files and folders of this computer, which are opened, not searched.
    static let folder = SourceDeclaration(
        name: "folder", title: "Folder", summary: "pictures in files and folders", operands: "FOLDER|FILE...",
        example: "~/Pictures", filters: FolderSource.filters)

    static let nasa = NASASource.declaration

    /// All sources, in the order of help.
    static let all = SourceRegistry.all + [folder]

    init?(name: String) {
        guard let declaration = Self.all.first(where: { $0.name == name }) else { return nil }
        self = declaration
    }

    /// Names the filters, and how to write them.
    var filterAdvice: String {
        let isOption = filters.allSatisfy { OptionTable.filterNames.contains($0.name) }
        return isOption
            ? "use one of \(filters.map { "--\($0.name)" }.joined(separator: " "))"
            : "it has \(ValueText.alternatives(filters.map { $0.name })); write --filter NAME:VALUE"
    }
}

enum StatsForm: String, CaseIterable, Sendable { case text, json }

/// Whether a command locks itself and its workers; `off` is for debugging.
enum SandboxChoice: String, CaseIterable, Sendable { case on, off }
