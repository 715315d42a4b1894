import SpyglassBatch
import SpyglassBrowser
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassFolders
import SpyglassPixels
import SpyglassTerminalUI

/// The values of the options, from the command line and the environment, all checked.
///
/// `Settings` combines them with the settings file and the terminal.
struct Options: Hashable, Sendable {
    // MARK: Source
    /// `nil`: the settings file decides, else NASA.
    var source: SourceDeclaration?
    var endpoint: WebAddress?
    var archive: String?
    var record: String?
    var isOffline = false
    /// Concurrent transfers, in all and to one host; `nil`: the transport's default.
    var connections: Int?
    var retries = 2
    var userAgent = SpyglassVersion.userAgent
    /// Seconds without progress.
    var timeout = 20
    /// A body may take as many times the timeout, however it progresses.
    static let timeoutsOfBody = 15
    /// Whether no address leads into a private network.
    var isPublicOnly = false

    // MARK: Cache
    var usesDiskCache = true
    var cacheFolder: String?
    /// Bytes.
    var diskLimit: Int?
    /// Bytes of work memory.
    var workLimit: Int?

    // MARK: Search
    var limit = ResultLimit.count(50)
    /// A line for the user: how the operands were read, where that may surprise, or an old name of an option.
    var hint: String?
    /// The values of each filter, by its name; unparsed, since sources may read them differently.
    var filters: [String: [String]] = [:]

    // MARK: Look
    /// `nil`: the settings file, the environment and the terminal decide.
    var color: ColorDepth?
    /// Whether the command line itself has `--color`, `--cells` or `--pixels`: then images are printed without a terminal, too.
    var requestsImages = false
    var background: RGB?
    var cells: CellBox?
    /// Captions of `show`; `nil`: none.
    var caption: CaptionFormat?
    /// Images beside each other, of `show`.
    var grid: Int?
    /// How often `show` plays an animation; `nil`: as the file states, or once.
    var loops: Int?
    /// The frame that `show` prints, from 1; `nil`: it plays, or prints the first.
    var frame: Int?
    /// How images are drawn; `nil`: the settings file, the terminal and the command decide.
    var pixels: PixelMode?
    /// Pixels of a cell; `nil`: the terminal tells.
    var cellSize: PixelSize?
    var enlarges = false
    var showsImages = true
    /// The name of a theme, or a file.
    var theme: String?
    /// Whether searches and the last position are stored.
    var keepsHistory = true

    // MARK: Commands
    var resize = ResizeOptions()
    var bench = BenchOptions()

    // MARK: Reports
    var printsJSON = false
    var isQuiet = false
    var isVerbose = false
    var stats: StatsForm?

    // MARK: Limits
    /// The limits of images; `bodyBytes` also limits downloads and standard input.
    ///
    /// Coefficients of a JPEG count against the work memory alone.
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
        let text = words.joined(separator: " ")
        var query: PhotoQuery
        do throws(SearchSyntaxError) {
            query = try SearchText(filters: source.filters).query(of: text)
        } catch {
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
    // MARK: Input
    /// A file of JSON lines; `-` is standard input.
    var manifest: String?
    /// Words of a search; empty ones find everything.
    var search: String?
    /// `I/N` or `auto`.
    var shard: String?

    // MARK: Output
    var output: String?
    /// Empty sizes stand for `defaultSize`.
    var job = BatchJob(sizes: [])
    var contactSheet: String?

    // MARK: Run
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
    static let folder = {
        var declaration = SourceDeclaration(
            name: "folder", title: "Folder", summary: "pictures in files and folders", example: "~/Pictures")
        declaration.operands = "FOLDER|FILE..."
        declaration.filters = FolderSource.filters
        return declaration
    }()

    static let nasa = NASASource.declaration

    /// All sources, in the order of help.
    static let all = SourceRegistry.all + [folder]

    init?(name: String) {
        guard let declaration = Self.all.first(where: { $0.name == name }) else { return nil }
        self = declaration
    }

    /// Which filters there are, and how to write them.
    var filterAdvice: String {
        let isOption = filters.allSatisfy { OptionTable.filterNames.contains($0.name) }
        return isOption
            ? "use one of \(filters.map { "--\($0.name)" }.joined(separator: " "))"
            : "it has \(ValueText.alternatives(filters.map { $0.name })); write --filter NAME:VALUE"
    }
}

enum StatsForm: String, CaseIterable, Sendable {
    case text, json
}

enum ResultLimit: Hashable, Sendable {
    case count(Int)
    case all

    var maximum: Int {
        switch self {
        case .count(let number): number
        case .all: Int.max
        }
    }
}
