import SpyglassBrowser
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassTerminalUI

/// What the command line and the environment ask for; every value has been checked.
struct Settings: Hashable, Sendable {
    // MARK: Where pictures come from
    var source = SourceChoice.nasa
    var endpoint: WebAddress?
    var archive: String?
    var record: String?
    /// The disk cache alone answers.
    var isOffline = false
    var usesDiskCache = true
    /// `nil` is the user's own cache folder.
    var cacheFolder: String?
    /// Bytes of the disk cache; `nil` is the cache's own choice.
    var diskLimit: Int?
    /// Bytes of the memory cache; `nil` is the cache's own choice.
    var memoryLimit: Int?
    /// Transfers at once, in all and to one host; `nil` is the transport's own choice.
    var connections: Int?
    /// How often a fetch that failed for now is made again.
    var retries = 2
    /// Decoding threads; `nil` is one for each core that may be used.
    var jobs: Int?
    var userAgent = SpyglassVersion.userAgent

    // MARK: What is searched for
    var limit = ResultLimit.count(50)
    var page = 1
    /// What was given for each filter, by its name; the source that is searched reads it.
    var filters: [String: [String]] = [:]

    // MARK: How it looks
    /// `nil` is `auto`: the environment and the terminal decide.
    var color: ColorDepth?
    /// `--color` or `--cells` stood on the command line itself: pictures are wanted even where there is no terminal.
    var asksForPictures = false
    /// `nil` is `auto`.
    var background: RGB?
    var cells: CellSize?
    var enlarges = false
    var isExact = false
    var showsImages = true
    /// `nil` is the locale's.
    var language: Language?
    /// The name of a theme, or its file; `nil` is by the background.
    var theme: String?
    var usesMouse = true
    var fidelity = Fidelity.auto
    var usesScrollRegion = true
    /// Whether searches and places are remembered from run to run.
    var keepsHistory = true
    /// For `browse`, which options an option or a variable decided, so that the settings file does not.
    var decided: Set<String> = []

    // MARK: What is resized
    var resize = ResizeSettings()

    // MARK: What is measured
    var bench = BenchSettings()

    // MARK: What is said
    var printsJSON = false
    var isQuiet = false
    var isVerbose = false
    var stats: StatsForm?

    // MARK: Limits (design 3.5)
    var maxPixels = ImageLimits().pixels
    var maxSide = ImageLimits().side
    var maxBytes = ImageLimits().bodyBytes
    var maxScans = ImageLimits().scans
    var maxRedirects = 5
    /// Seconds without progress.
    var timeout = 20

    // MARK: What is asked instead of a command
    var wantsHelp = false
    var wantsVersion = false
    var wantsManual = false
}

extension Settings {
    /// The search for some words with the filters of the options.
    ///
    /// - Throws: `Failure` of exit code 2 for a filter that the source lacks.
    func query(_ words: [String]) throws(Failure) -> PhotoQuery {
        var query = PhotoQuery(words.joined(separator: " "))
        for (name, texts) in filters.sorted(by: { $0.key < $1.key }) {
            guard let filter = source.filters.first(where: { $0.name == name }) else {
                let known = source.filters.map { "--\($0.name)" }.joined(separator: " ")
                throw .usage("--\(name): the source \(source.rawValue) has no such filter; use one of \(known)")
            }
            for text in texts {
                do throws(PhotoFilter.ValueError) { try query.add(text, to: filter) } catch {
                    throw .usage("--\(name) \(text): expected \(filter.expectation)")
                }
            }
            if query[name] == filter.defaultValues { query[name] = [] }
        }
        return query
    }
}

extension Settings {
    /// Where the source's API is.
    var base: WebAddress { endpoint ?? NASASource.defaultEndpoint }

    /// Where the disk cache is, and by what evidence; `nil` where the environment names no place for caches.
    ///
    /// Relative paths in the environment do not count (XDG Base Directory Specification).
    func cacheFolder(in environment: Environment) -> (path: String, evidence: String)? {
        if let cacheFolder { return (cacheFolder, "--cache-dir") }
        if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") {
            return ("\(base)/spyglass", "XDG_CACHE_HOME")
        }
        if let home = environment["HOME"], home.hasPrefix("/") { return ("\(home)/.cache/spyglass", "HOME") }
        return nil
    }

    /// The language of dates and numbers, and by what evidence.
    func language(in environment: Environment) -> (language: Language, evidence: String) {
        if let language { return (language, "--lang") }
        return (Language(environment: { environment[$0] }), "the locale")
    }
}

/// The sources that `--source` names.
enum SourceChoice: String, CaseIterable, Sendable {
    case nasa, demo

    /// The filters that the source declares.
    var filters: [PhotoFilter] {
        switch self {
        case .nasa: NASASource.filters
        case .demo: DemoSource.filters
        }
    }
}

/// How `--stats` reports.
enum StatsForm: String, CaseIterable, Sendable {
    case text, json
}

/// How many results are listed.
enum ResultLimit: Hashable, Sendable {
    case count(Int)
    case all

    /// The greatest number of results, for counting.
    var maximum: Int {
        switch self {
        case .count(let number): return number
        case .all: return Int.max
        }
    }
}
