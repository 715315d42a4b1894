import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassJSON
import SpyglassTerminalUI

/// `spyglass doctor [--json]`: what was found here, and by what evidence.
struct DoctorCommand: Sendable {
    private let settings: Settings
    private let world: World

    /// One thing that was looked at.
    struct Finding: Hashable, Sendable {
        let area: String
        let name: String
        let value: String
        let evidence: String
        /// Whether something that is needed is missing.
        var isProblem = false
    }

    init(_ settings: Settings, _ operands: [Argument], _ world: World) throws(Failure) {
        guard operands.isEmpty else { throw .usage("doctor takes no words, only options") }
        self.settings = settings
        self.world = world
    }

    /// Looks at everything and prints the report; exits 1 when something that is needed is missing.
    func run(_ console: Console) async throws -> ExitCode {
        let findings = terminalFindings + libraryFindings + [sourceFinding] + (await archiveFindings)
        let columns = max(settings.terminal(of: world).size.value.columns - 1, Self.narrowest)
        try console.print(settings.printsJSON ? Self.json(findings) : Self.text(findings, columns: columns))
        return findings.contains(where: \.isProblem) ? .someFailed : .success
    }

    // MARK: What is looked at

    private var terminalFindings: [Finding] {
        let terminal = settings.terminal(of: world, cellsAreScreen: true)
        func finding(_ name: String, _ value: String, _ evidence: String) -> Finding {
            Finding(area: "terminal", name: name, value: value, evidence: evidence)
        }
        let kind = terminal.isTerminal ? "a terminal" : "no terminal"
        let cell = terminal.aspect.value
        return [
            finding("output", kind, "isatty of standard output"),
            finding("size", "\(terminal.size.value)", terminal.size.evidence),
            finding("cell", "\(cell.width):\(cell.height)", terminal.aspect.evidence),
            finding("colours", terminal.color.value.rawValue, terminal.color.evidence),
            finding("characters", terminal.glyphs.value.rawValue, terminal.glyphs.evidence),
            finding("language", language.rawValue, settings.language == nil ? "the locale" : "--lang"),
        ]
    }

    private var language: Language { settings.language ?? Language(environment: { world.environment[$0] }) }

    private var libraryFindings: [Finding] {
        let needsNetwork = settings.archive == nil && settings.source != .demo
        let codecs = CodecLibraries.versions.map {
            Finding(area: "libraries", name: $0.name, value: $0.version, evidence: "linked")
        }
        do {
            let version = try CurlTransport.libraryVersion()
            let parts = version.split(separator: " ", maxSplits: 1).map(String.init)
            return codecs + [
                Finding(
                    area: "libraries", name: "libcurl", value: parts.first ?? version,
                    evidence: parts.count > 1 ? parts[1] : "dlopen")
            ]
        } catch {
            return codecs + [
                Finding(
                    area: "libraries", name: "libcurl", value: "missing", evidence: error.description,
                    isProblem: needsNetwork)
            ]
        }
    }

    private var endpoint: WebAddress { settings.endpoint ?? NASASource.defaultEndpoint }

    private var sourceFinding: Finding {
        switch settings.source {
        case .demo: Finding(area: "source", name: "demo", value: "made-up pictures", evidence: "no network")
        case .nasa:
            Finding(
                area: "source", name: "nasa", value: endpoint.description,
                evidence: settings.endpoint == nil ? "NASA's own" : "--endpoint")
        }
    }

    private var archiveFindings: [Finding] {
        get async {
            guard let folder = settings.archive else { return [] }
            do {
                let searches = try await ArchiveTransport(folder: folder).recordedSearches(at: endpoint.search)
                let words = searches.prefix(Self.mostWords).map { "'\($0)'" }.joined(separator: ", ")
                return [
                    Finding(
                        area: "source", name: "archive", value: folder,
                        evidence: searches.isEmpty
                            ? "no search"
                            : "searches for \(words)\(searches.count > Self.mostWords ? " and others" : "")")
                ]
            } catch {
                return [
                    Finding(area: "source", name: "archive", value: folder, evidence: "\(error)", isProblem: true)
                ]
            }
        }
    }

    // MARK: How it is printed

    /// Aligned columns under the name of each area; evidence is wrapped, `!` marks what is wrong.
    static func text(_ findings: [Finding], columns: Int) -> String {
        let names = findings.map { TerminalText(cleaning: $0.name) }
        let values = findings.map { TerminalText(cleaning: $0.value) }
        let nameColumns = names.map(\.width).max() ?? 0
        let valueColumns = values.map(\.width).filter { $0 <= widestValue }.max() ?? 0
        let indent = 4 + nameColumns + 2 + valueColumns + 2
        var text = ""
        for (index, finding) in findings.enumerated() {
            if index == 0 || finding.area != findings[index - 1].area {
                text += (index == 0 ? "" : "\n") + finding.area + "\n"
            }
            let mark = finding.isProblem ? "!" : " "
            let first = "  \(mark) \(names[index].padded(to: nameColumns))  \(values[index].padded(to: valueColumns))"
            let isLong = values[index].width > valueColumns
            let evidence = TerminalText(cleaning: finding.evidence).wrapped(to: max(columns - indent, narrowest / 4))
            let newLine = "\n" + String(repeating: " ", count: indent)
            text += first + (isLong ? newLine : "  ") + evidence.map(\.string).joined(separator: newLine) + "\n"
        }
        return text
    }

    /// One object: areas, in them names, in them value, evidence and whether it is well.
    static func json(_ findings: [Finding]) -> String {
        var areas: [(name: String, members: [(name: String, value: String)])] = []
        for finding in findings {
            let value = JSONText.object([
                ("value", JSONText.string(finding.value)), ("evidence", JSONText.string(finding.evidence)),
                ("ok", finding.isProblem ? "false" : "true"),
            ])
            if areas.last?.name != finding.area { areas.append((finding.area, [])) }
            areas[areas.count - 1].members.append((finding.name, value))
        }
        let version = ("version", JSONText.string(SpyglassVersion.current))
        return JSONText.object([version] + areas.map { ($0.name, JSONText.object($0.members)) }) + "\n"
    }

    private static let widestValue = 32
    private static let narrowest = 79
    /// Searches of an archive that are named.
    private static let mostWords = 8
}
