import SpyglassBrowser
import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassJSON
import SpyglassSandbox
import SpyglassTerminalUI

/// `spyglass doctor [--json]`: reports the detected environment, with evidence.
struct DoctorCommand: Sendable {
    private let settings: Settings
    private let system: SystemServices

    typealias Area = (name: String, findings: [Finding])

    struct Finding: Sendable {
        let name, value, evidence: String
        let isProblem: Bool

        init(_ name: String, _ value: String, _ evidence: String, isProblem: Bool = false) {
            (self.name, self.value, self.evidence, self.isProblem) = (name, value, evidence, isProblem)
        }

        init(_ name: String, _ found: Settings.Resolved<some RawRepresentable<String> & Hashable & Sendable>) {
            self.init(name, found.value.rawValue, found.evidence)
        }
    }

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        guard operands.isEmpty else { throw .usage("doctor takes only options") }
        self.settings = settings
        self.system = system
    }

    func run(_ console: Console) async throws -> ExitCode {
        var areas: [Area] = [
            ("terminal", terminalFindings), ("images", imageFindings), ("libraries", libraryFindings),
            ("cache", cacheFindings), ("browser", fileFindings), ("source", await sourceFindings),
        ]
        let parts = Self.parts
        // Found last, since it locks this process.
        areas.insert(("sandbox", sandboxFindings), at: 3)
        let text = Self.text(areas, columns: settings.terminal.size.value.columns - 1)
        let report = text + "\n" + Self.summary(parts, areas) + "\n"
        try console.print(settings.printsJSON ? Self.json(areas) : report)
        return areas.contains { $0.findings.contains(where: \.isProblem) } ? .someFailed : .success
    }

    private var terminalFindings: [Finding] {
        let terminal = settings.terminal
        let mayHaveMoreColors = terminal.isTerminal && terminal.color.value != .truecolor
        let hint = mayHaveMoreColors ? "; if it shows more, set SPYGLASS_COLOR=truecolor" : ""
        let cell = terminal.aspect.value
        return [
            Finding("output", terminal.isTerminal ? "a terminal" : "not a terminal", "isatty of standard output"),
            Finding("size", "\(terminal.size.value)", terminal.size.evidence),
            Finding("cell", "\(cell.width):\(cell.height)", terminal.aspect.evidence),
            Finding("colours", terminal.color.value.rawValue, terminal.color.evidence + hint),
            Finding("characters", terminal.glyphs), backgroundFinding, tmuxFinding,
            Finding("language", settings.language),
        ]
    }

    private var backgroundFinding: Finding {
        guard settings.terminal.isTerminal else { return Finding("background", "unknown", "not a terminal") }
        guard let color = settings.terminal.support.answers.background ?? settings.askedBackground(system) else {
            return Finding("background", "unknown", "no reply")
        }
        let digits = [color.red, color.green, color.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return Finding("background", "#" + digits.joined(), "its reply (OSC 11)")
    }

    private var tmuxFinding: Finding {
        let variable = system.environment["TMUX"] == nil ? "TERM=\(system.environment["TERM"] ?? "")" : "TMUX"
        return Finding("tmux", settings.terminal.isInsideTmux ? "yes" : "no", variable)
    }

    /// How one image is drawn, and which pixel modes are known to be supported.
    private var imageFindings: [Finding] {
        let assumed = Settings.Resolved(ImageRenderer.assumedCellPixels, evidence: "assumed; --cell-size sets it")
        let cell = settings.terminal.cellPixels ?? assumed
        let modes = settings.terminal.support.candidates.map { candidate in
            let value = candidate.isSupported.map { $0 ? "yes" : "no" } ?? "unknown"
            return Finding(candidate.mode.rawValue, value, candidate.evidence)
        }
        return [Finding("drawn by", settings.pixels), Finding("cell size", "\(cell.value)", cell.evidence)] + modes
    }

    private var libraryFindings: [Finding] {
        var findings = CodecLibraries.versions.map { Finding($0.name, $0.version, "linked") }
        // Optional: without it, images are shown in other colours.
        let color = CodecLibraries.colorManagement
        let missing = "colour profiles are not applied; install the package liblcms2-2"
        findings.append(Finding("lcms2", color ?? "missing", color != nil ? "dlopen" : missing))
        // Optional: without one, images of its format fail.
        findings += WorkerLibrary.allCases.flatMap(\.versions).map { name, version in
            switch version {
            case .success(let version): Finding(name, version, "dlopen")
            case .failure(let error): Finding(name, "missing", error.description)
            }
        }
        do {
            let version = try CurlTransport.libraryVersion()
            let parts = version.split(separator: " ", maxSplits: 1).map(String.init)
            findings.append(Finding("libcurl", parts.first ?? version, parts.count > 1 ? parts[1] : "dlopen"))
        } catch {
            let needsNetwork = settings.archive == nil && settings.source.usesNetwork
            findings.append(Finding("libcurl", "missing", error.description, isProblem: needsNetwork))
        }
        return findings
    }

    /// Reports which parts of the lock hold in a worker, and in this process if `show` locks it.
    private var sandboxFindings: [Finding] {
        guard settings.isSandboxed else { return ["show", "workers"].map { Finding($0, "off", "--sandbox off") } }
        // A locked process cannot start workers.
        let worker = workerFinding
        let show = system.lock(.show, []).map { Finding("show", $0.description, "lock of this process") }
        return [show, worker].compactMap(\.self)
    }

    private var workerFinding: Finding {
        guard let workers = settings.workers else { return Finding("workers", "none", "this program starts none") }
        do { return Finding("workers", try workers.prepare(.builtIn), "a process of this program") } catch {
            return Finding("workers", "unavailable", error.description)
        }
    }

    private var cacheFindings: [Finding] {
        let limits = [("memory", settings.memoryLimit), ("work memory", settings.workLimit)]
        var findings = limits.compactMap { name, limit in
            limit.map { Finding(name, ValueText.bytes($0.value), $0.evidence) }
        }
        guard let folder = settings.cacheFolder else {
            return findings + [Finding("disk", "none", "neither HOME nor XDG_CACHE_HOME names a folder")]
        }
        findings.append(Finding("disk", folder.value, folder.evidence))
        do throws(DiskCacheError) {
            let limit = settings.diskLimit
            let found = try DiskCache(folder: folder.value, byteLimit: limit?.value, now: system.now).statistics()
            let source = limit.map { " (\($0.evidence))" } ?? ""
            let evidence = "\(ValueText.bytes(found.bytes)) of \(ValueText.bytes(found.byteLimit))\(source)"
            return findings + [Finding("kept", "\(ValueText.grouped(found.entries)) entries", evidence)]
        } catch { return findings + [Finding("kept", "unusable", error.message, isProblem: true)] }
    }

    /// The files of the browser; it ignores a damaged one, so none is a problem.
    private var fileFindings: [Finding] {
        let store = settings.stateFolder.map { StateStore(folder: $0) }
        func finding(_ name: String, _ file: StateFile, in folder: UserFolder?, _ problem: String?) -> Finding {
            guard let folder else { return Finding(name, "none", "HOME is not a folder") }
            return Finding(name, problem == nil ? folder.path(of: file.name) : "ignored", problem ?? folder.evidence)
        }
        func listFinding<Entry>(_ name: String, _ list: StateList<Entry>?) -> Finding {
            var problem: String?
            do throws(Failure) { _ = try list?.read() } catch { problem = error.message }
            return finding(name, Entry.file, in: settings.stateFolder, problem)
        }
        let keys = KeysFile(in: settings.settingsFolder).problems
        let keysProblem = keys.first.map { keys.count > 1 ? "\($0) (spyglass help keys names all)" : $0 }
        return [
            finding("settings", SettingsFile.file, in: settings.settingsFolder, settings.settingsProblem),
            Finding(
                "keys", settings.settingsFolder?.path(of: KeysFile.file.name) ?? "none",
                keysProblem ?? "spyglass help keys lists them"),
            listFinding("terminals", store.map(TerminalsFile.init)),
            listFinding("history", store.map(HistoryFile.init)),
        ]
    }

    private var sourceFindings: [Finding] {
        get async {
            let chosen = settings.source
            let local = chosen == .folder ? "files on disk" : "generated images"
            let source =
                settings.endpoint(of: chosen).map { Finding(chosen.name, "\($0.value)", $0.evidence) }
                ?? Finding(chosen.name, local, "no network")
            let answer = await answerFinding(of: chosen)
            let findings = [source, answer].compactMap(\.self) + SourceRegistry.all.compactMap(keyFinding)
            guard let folder = settings.archive, let archive = settings.replayedArchive else { return findings }
            do {
                let searches = try await settings.recordedSearches(in: archive)
                let evidence = (searches.isEmpty ? "" : "searches for ") + ArchiveTransport.named(searches)
                return findings + [Finding("archive", folder, evidence)]
            } catch { return findings + [Finding("archive", folder, "\(error)", isProblem: true)] }
        }
    }

    /// Whether the source answers a search; `nil` if it cannot be asked, such as without its key.
    private func answerFinding(of source: SourceDeclaration) async -> Finding? {
        guard source.usesNetwork, settings.archive == nil, !settings.isOffline, settings.obstacle(to: source) == nil
        else { return nil }
        let time = ElapsedClock(system.clock)
        let start = time.now()
        do {
            let network = system.network(settings, 1) { _ in }
            let photos = try settings.photoSource(source, clock: system.clock, onWait: { _ in })(network)
            let query = (try? SearchText(filters: source.filters).query(of: source.example)) ?? PhotoQuery()
            guard let page = try await page(query, photos, time) else {
                return Finding("search", "no answer", "within \(Self.answerTime.components.seconds) s", isProblem: true)
            }
            return Finding(
                "search", "answers", "\(page.photos.count) photos in \((time.now() - start).milliseconds) ms")
        } catch {
            let reason = (error as? FetchError).map { String($0.reason) } ?? Failure(error)?.message ?? "cancelled"
            return Finding("search", "no answer", reason, isProblem: true)
        }
    }

    private static let answerTime = Duration.seconds(2)

    /// The first page; `nil` if it takes too long.
    private func page(_ query: PhotoQuery, _ source: any PhotoSource, _ time: ElapsedClock) async throws -> PhotoPage? {
        let end = time.now() + Self.answerTime
        return try await withThrowingTaskGroup(of: PhotoPage?.self) { group in
            group.addTask { try await source.page(of: query, at: nil) }
            group.addTask {
                try await time.sleep(end)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Whether there is a key for a source that uses one, never the key itself.
    private func keyFinding(of source: SourceDeclaration) -> Finding? {
        guard let key = source.key else { return nil }
        let name = "\(source.name) key"
        let isChosen = source == settings.source
        do throws(Failure) {
            if let found = try settings.key(of: source) { return Finding(name, "set", found.evidence) }
            let remedy = "set \(key.variable); \(key.help)"
            return Finding(
                name, key.publicKey ?? "none", key.publicKeyLimits.map { "\($0); \(remedy)" } ?? remedy,
                isProblem: isChosen && key.isRequired && settings.archive == nil)
        } catch { return Finding(name, "ignored", error.message, isProblem: isChosen) }
    }

    /// Aligned columns under the name of each area; `!` marks problems.
    ///
    /// Wraps evidence in its column; on a narrow screen, below its value.
    static func text(_ areas: [Area], columns: Int) -> String {
        let findings = areas.flatMap(\.findings)
        let nameColumns = findings.map { TerminalText(cleaning: $0.name).width }.max() ?? 0
        let widths = findings.map { TerminalText(cleaning: $0.value).width }
        let valueColumns = widths.filter { $0 <= maxValueColumns }.max() ?? 0
        let valueStart = 4 + nameColumns + 2
        let column = valueStart + valueColumns + 2
        let isNarrow = columns - column < minEvidenceColumns
        return areas.map { area in
            area.findings.reduce(into: area.name + "\n") { text, finding in
                let name = TerminalText(cleaning: finding.name).padded(to: nameColumns)
                let value = TerminalText(cleaning: finding.value)
                let evidence = TerminalText(cleaning: finding.evidence)
                text += "  \(finding.isProblem ? "!" : " ") \(name)  "
                if isNarrow {
                    text += block(value, at: valueStart, columns) + newLine(evidenceIndent)
                    text += block(evidence, at: evidenceIndent, columns) + "\n"
                } else {
                    text += value.padded(to: valueColumns).string
                    text += value.width > valueColumns ? newLine(column) : "  "
                    text += block(evidence, at: column, columns) + "\n"
                }
            }
        }.joined(separator: "\n")
    }

    private static func block(_ text: TerminalText, at start: Int, _ columns: Int) -> String {
        text.wrapped(to: columns - start).map(\.string).joined(separator: newLine(start))
    }

    private static func newLine(_ indent: Int) -> String { "\n" + String(repeating: " ", count: indent) }

    /// One object with a member for each area; it has one for each name, with `value`, `evidence` and `ok`.
    static func json(_ areas: [Area]) -> String {
        let members = areas.map { area in
            let findings = area.findings.map { finding in
                let members = [
                    ("value", JSONText.string(finding.value)), ("evidence", JSONText.string(finding.evidence)),
                    ("ok", finding.isProblem ? "false" : "true"),
                ]
                return (finding.name, JSONText.object(members))
            }
            return (area.name, JSONText.object(findings))
        }
        return JSONText.object([("version", JSONText.string(SpyglassVersion.current))] + members) + "\n"
    }

    private static let maxValueColumns = 32
    private static let minEvidenceColumns = 20
    private static let evidenceIndent = 6
}

extension DoctorCommand {
    /// Something that works, or the Debian packages that it needs first.
    typealias Part = (name: String, missing: [String])

    /// Every format, colour profiles, and downloads; opens their libraries.
    private static var parts: [Part] {
        let formats = ImageFormat.allCases.map { ("\($0)", $0.missingPackages) }
        let hasProfiles = CodecLibraries.colorManagement != nil
        let hasDownloads = (try? CurlTransport.libraryVersion()) != nil
        return formats + [
            ("colour profiles", hasProfiles ? [] : ["liblcms2-2"]), ("downloads", hasDownloads ? [] : ["libcurl4"]),
        ]
    }

    /// One line: what works, what is missing with the command that installs it, and the other problems.
    ///
    /// It is not wrapped, so that the command can be copied.
    static func summary(_ parts: [Part], _ areas: [Area]) -> String {
        var line = "works: " + parts.filter(\.missing.isEmpty).map(\.name).joined(separator: ", ")
        let problems = areas.flatMap(\.findings).filter { $0.isProblem && $0.value != "missing" }
        if !problems.isEmpty { line += "; failed: " + problems.map(\.name).joined(separator: ", ") }
        let absent = parts.filter { !$0.missing.isEmpty }
        guard !absent.isEmpty else { return line }
        var packages: [String] = []
        for name in absent.flatMap(\.missing) where !packages.contains(name) { packages.append(name) }
        line += "; missing: " + absent.map(\.name).joined(separator: ", ")
        return line + "; to add: apt install " + packages.joined(separator: " ")
    }
}
