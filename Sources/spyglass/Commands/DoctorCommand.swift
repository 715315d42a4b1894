import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassJSON
import SpyglassTerminalUI

/// `spyglass doctor [--json]`: reports the detected environment, with evidence.
struct DoctorCommand: Sendable {
    private let settings: Settings
    private let system: SystemServices

    struct Finding: Hashable, Sendable {
        let area: String
        let name: String
        let value: String
        let evidence: String
        var isProblem = false
    }

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        guard operands.isEmpty else { throw .usage("doctor takes only options") }
        self.settings = settings
        self.system = system
    }

    /// Prints the report; returns 1 when a requirement is missing.
    func run(_ console: Console) async throws -> ExitCode {
        let findings =
            terminalFindings + libraryFindings + cacheFindings + fileFindings + [sourceFinding]
            + (await archiveFindings)
        let columns = settings.terminal.size.value.columns - 1
        try console.print(settings.printsJSON ? Self.json(findings) : Self.text(findings, columns: columns))
        return findings.contains(where: \.isProblem) ? .someFailed : .success
    }

    // MARK: Findings

    private var terminalFindings: [Finding] {
        let terminal = settings.terminal
        func finding(_ name: String, _ value: String, _ evidence: String) -> Finding {
            Finding(area: "terminal", name: name, value: value, evidence: evidence)
        }
        let kind = terminal.isTerminal ? "a terminal" : "not a terminal"
        let cell = terminal.aspect.value
        return [
            finding("output", kind, "isatty of standard output"),
            finding("size", "\(terminal.size.value)", terminal.size.evidence),
            finding("cell", "\(cell.width):\(cell.height)", terminal.aspect.evidence),
            finding("colours", terminal.color.value.rawValue, terminal.color.evidence + Self.hint(terminal)),
            finding("characters", terminal.glyphs.value.rawValue, terminal.glyphs.evidence),
            finding("language", settings.language.value.rawValue, settings.language.evidence),
        ]
    }

    private static func hint(_ terminal: TerminalCapabilities) -> String {
        guard terminal.isTerminal, terminal.color.value != .truecolor else { return "" }
        return "; if it shows more, set SPYGLASS_COLOR=truecolor"
    }

    private var libraryFindings: [Finding] {
        func finding(_ name: String, _ value: String, _ evidence: String, isProblem: Bool = false) -> Finding {
            Finding(area: "libraries", name: name, value: value, evidence: evidence, isProblem: isProblem)
        }
        var findings = CodecLibraries.versions.map { finding($0.name, $0.version, "linked") }
        // Optional: images are shown without it.
        let color = CodecLibraries.colorManagement
        findings.append(
            finding(
                "lcms2", color?.version ?? "missing",
                color != nil ? "dlopen" : "colour profiles are not applied; install the package liblcms2-2"))
        do {
            let version = try CurlTransport.libraryVersion()
            let parts = version.split(separator: " ", maxSplits: 1).map(String.init)
            findings.append(finding("libcurl", parts.first ?? version, parts.count > 1 ? parts[1] : "dlopen"))
        } catch {
            let needsNetwork = settings.archive == nil && settings.source != .demo
            findings.append(finding("libcurl", "missing", error.description, isProblem: needsNetwork))
        }
        return findings
    }

    private var cacheFindings: [Finding] {
        func finding(_ name: String, _ value: String, _ evidence: String, isProblem: Bool = false) -> Finding {
            Finding(area: "cache", name: name, value: value, evidence: evidence, isProblem: isProblem)
        }
        var findings = settings.memoryLimit.map { [finding("memory", Values.bytes($0.value), $0.evidence)] } ?? []
        guard let folder = settings.cacheFolder else {
            return findings + [finding("disk", "none", "neither HOME nor XDG_CACHE_HOME names a folder")]
        }
        findings.append(finding("disk", folder.value, folder.evidence))
        do throws(DiskCacheError) {
            let limit = settings.diskLimit
            let found = try DiskCache(folder: folder.value, byteLimit: limit?.value, now: system.now).statistics()
            let evidence =
                "\(Values.bytes(found.bytes)) of \(Values.bytes(found.byteLimit))"
                + (limit.map { " (\($0.evidence))" } ?? "")
            return findings + [finding("kept", "\(Values.grouped(found.entries)) entries", evidence)]
        } catch {
            return findings + [finding("kept", "unusable", error.message, isProblem: true)]
        }
    }

    /// The files of the browser; it ignores a damaged one, so none is a problem.
    private var fileFindings: [Finding] {
        var historyProblem: String?
        do throws(UserFolder.Problem) {
            if let folder = settings.stateFolder { _ = try HistoryFile(folder: folder).read() }
        } catch {
            historyProblem = error.description
        }
        return [
            Self.finding("settings", SettingsFile.name, in: settings.settingsFolder, settings.settingsProblem),
            Self.finding("history", HistoryFile.name, in: settings.stateFolder, historyProblem),
        ]
    }

    private static func finding(_ name: String, _ file: String, in folder: UserFolder?, _ problem: String?) -> Finding {
        guard let folder else {
            return Finding(area: "browser", name: name, value: "none", evidence: "HOME names no folder")
        }
        return Finding(
            area: "browser", name: name, value: problem == nil ? folder.path(of: file) : "ignored",
            evidence: problem ?? folder.evidence)
    }

    private var sourceFinding: Finding {
        switch settings.source {
        case .demo: Finding(area: "source", name: "demo", value: "generated images", evidence: "no network")
        case .nasa:
            Finding(
                area: "source", name: "nasa", value: settings.endpoint.value.description,
                evidence: settings.endpoint.evidence)
        }
    }

    private var archiveFindings: [Finding] {
        get async {
            guard let folder = settings.archive, let archive = settings.replayedArchive else { return [] }
            do {
                let searches = try await archive.recordedSearches(
                    at: NASASource.searchAddress(at: settings.endpoint.value))
                return [
                    Finding(
                        area: "source", name: "archive", value: folder,
                        evidence: (searches.isEmpty ? "" : "searches for ") + ArchiveTransport.named(searches))
                ]
            } catch {
                return [
                    Finding(area: "source", name: "archive", value: folder, evidence: "\(error)", isProblem: true)
                ]
            }
        }
    }

    // MARK: Output

    /// Aligned columns under the name of each area; `!` marks problems.
    ///
    /// Evidence is wrapped in its column; on a narrow screen it is below its value.
    static func text(_ findings: [Finding], columns: Int) -> String {
        let names = findings.map { TerminalText(cleaning: $0.name) }
        let values = findings.map { TerminalText(cleaning: $0.value) }
        let nameColumns = names.map(\.width).max() ?? 0
        let valueColumns = values.map(\.width).filter { $0 <= maxValueColumns }.max() ?? 0
        let valueStart = 4 + nameColumns + 2
        let column = valueStart + valueColumns + 2
        let isNarrow = columns - column < minEvidenceColumns
        var text = ""
        for (index, finding) in findings.enumerated() {
            if index == 0 || finding.area != findings[index - 1].area {
                text += (index == 0 ? "" : "\n") + finding.area + "\n"
            }
            text += "  \(finding.isProblem ? "!" : " ") \(names[index].padded(to: nameColumns))  "
            let evidence = TerminalText(cleaning: finding.evidence)
            if isNarrow {
                text += block(values[index], at: valueStart, columns) + newLine(evidenceIndent)
                text += block(evidence, at: evidenceIndent, columns) + "\n"
            } else {
                text += values[index].padded(to: valueColumns).string
                text += values[index].width > valueColumns ? newLine(column) : "  "
                text += block(evidence, at: column, columns) + "\n"
            }
        }
        return text
    }

    private static func block(_ text: TerminalText, at start: Int, _ columns: Int) -> String {
        text.wrapped(to: columns - start).map(\.string).joined(separator: newLine(start))
    }

    private static func newLine(_ indent: Int) -> String { "\n" + String(repeating: " ", count: indent) }

    /// One object: areas, in them names, in them value, evidence and `ok`.
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

    private static let maxValueColumns = 32
    private static let minEvidenceColumns = 20
    private static let evidenceIndent = 6
}
