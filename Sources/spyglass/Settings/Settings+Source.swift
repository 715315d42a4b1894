import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassFolders
import SpyglassTerminalUI

extension Settings {
    /// The source to search; found on demand, since the declarations of all sources delay the start of `show`.
    var source: SourceDeclaration { options.source ?? SourceDeclaration(name: preferences.source) ?? .nasa }

    /// The base URL of a source's API, for the chosen source that of `--endpoint`; `nil` without a network.
    func endpoint(of source: SourceDeclaration) -> Resolved<WebAddress>? {
        let chosen = self.source.usesNetwork ? self.source : .nasa
        if let endpoint = options.endpoint, source.name == chosen.name {
            return Resolved(endpoint, evidence: "--endpoint")
        }
        return source.endpoint.map { Resolved($0, evidence: "the default") }
    }

    /// The user's key, from the environment or a private file in the settings folder; the evidence never contains it.
    func key(of source: SourceDeclaration) throws(Failure) -> Resolved<String>? {
        guard let declared = source.key else { return nil }
        if let key = environment[declared.variable], !key.isEmpty {
            return Resolved(try Self.checked(key, declared.variable), evidence: declared.variable)
        }
        guard let folder = settingsFolder, let bytes = try folder.readPrivately(source.keyFile) else { return nil }
        let path = folder.path(of: source.keyFile)
        return Resolved(try Self.checked(String(decoding: bytes, as: UTF8.self).trimmed, path), evidence: path)
    }

    private static func checked(_ key: String, _ evidence: String) throws(Failure) -> String {
        guard (1...512).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .usage("\(evidence): not a key; expected 1 to 512 printable ASCII characters without spaces")
        }
        return key
    }

    /// Explains that a source does not answer, without the address of the request; the reason comes with `--verbose`.
    func silence(of source: SourceDeclaration, _ error: FetchError) -> Failure {
        guard error.kind == .timedOut else {
            let reason = self.isVerbose ? ": \(error.reason)" : ""
            let remedy = "check your network, or try spyglass --source demo"
            return Failure(.unavailable, "no connection to \(source.title)\(reason); \(remedy)")
        }
        let remedy = "wait longer with --timeout, or try again later"
        return Failure(.unavailable, "\(source.title) does not answer: \(error.reason); \(remedy)")
    }

    /// The reason why a source cannot be searched at all, with a remedy; `nil` if it can.
    func obstacle(to source: SourceDeclaration) -> String? {
        guard self.archive == nil, !self.isOffline else { return nil }
        if let retirement = source.retirement, endpoint(of: source)?.value == source.endpoint { return retirement }
        guard let key = source.key else { return nil }
        do throws(Failure) { if try self.key(of: source) != nil || !key.isRequired { return nil } } catch {
            return error.message
        }
        let file = settingsFolder.map { ", or write it to \($0.path(of: source.keyFile)) (mode 0600)" } ?? ""
        return "\(source.title) needs a key: set \(key.variable)\(file); \(key.help); \(source.sample)"
    }

    /// Returns a function that makes the source over a transport; throws without its key, or if the service has ended.
    ///
    /// `onWait` receives a line about the delay before a request. With `readsFiles`, photos of a folder have metadata.
    func photoSource(
        _ choice: SourceDeclaration, clock: any Clock<Duration>, readsFiles: Bool = false,
        onWait: @escaping @Sendable (String) -> Void
    ) throws(Failure) -> @Sendable (any Transport) -> any PhotoSource {
        guard choice != .folder else {
            return { [decoder] _ in FolderSource(decoder: decoder, readsFiles: readsFiles) }
        }
        let key = try key(of: choice)
        if let obstacle = obstacle(to: choice) { throw .usage(obstacle) }
        return SourceRegistry.factory(
            of: choice, endpoint: endpoint(of: choice)?.value, key: key?.value, clock: clock
        ) { wait in
            // NASA's cache repeats an error for a while; other servers ask for the delay.
            let reason =
                choice.requestsPerMinute.map { "allows \($0) requests a minute; continuing" }
                ?? (choice == .nasa ? "temporary error; retrying" : "server requested a delay; retrying")
            onWait("\(choice.name): \(reason) in \(wait.roundedUpSeconds) s")
        }
    }
}

extension SourceDeclaration {
    /// The name of the file with the key, in the settings folder: `tumblr.key`.
    var keyFile: String { "\(name).key" }

    /// Explains how to try it without a key.
    var sample: String { "sample: spyglass --source \(name) --archive Samples/archives/\(name)" }
}

extension UserFolder {
    /// A file's bytes; `nil` if it is missing, an error if others may read it.
    fileprivate func readPrivately(_ name: String) throws(Failure) -> [UInt8]? {
        guard let bytes = try read(name) else { return nil }
        let path = path(of: name)
        do throws(FileError) {
            let permissions = try Folder.working.status(of: path, followingLinks: true).permissions
            guard permissions & 0o077 != 0 else { return bytes }
        } catch { throw Failure(.unavailable, "\(path): \(error.reason)") }
        throw .usage("\(path): others may read it; run chmod 600 on it")
    }
}

extension Settings {
    /// Explains that an archive lacks a search, and lists the searches that it holds.
    func absence(
        _ query: PhotoQuery, at start: PhotoStart, from archive: ArchiveTransport?, _ error: FetchError
    ) async -> Absence {
        let held = await searches(in: archive)
        guard !held.isEmpty else {
            let other = await otherSource(of: archive).map { "try --source \($0)" }
            let advice = other ?? "replay with the --endpoint of the recording"
            return Absence(reason: "\(error.description) (\(advice))", held: [])
        }
        let search = query.text.isEmpty ? "this search" : "'\(query.text)'"
        let missing =
            switch start {
            case .position(let position) where position > 0: "result \(position + 1) of \(search)"
            default: held.contains(query.text) ? "\(search) with these options" : search
            }
        return Absence(reason: "nothing recorded for \(missing)", held: held)
    }

    struct Absence: Sendable {
        let reason: String
        /// The searches that the archive holds; none if it was recorded from another endpoint.
        let held: [String]

        /// Ends a command with a message; only an archive of another endpoint is an error, not one without the search.
        func report(to console: Console) throws(Failure) -> ExitCode {
            guard !held.isEmpty else { throw .usage(reason) }
            console.note("\(reason); this archive has: \(ArchiveTransport.named(held))")
            return .success
        }
    }

    /// The words of the searches in an archive; empty if it cannot be read.
    func searches(in archive: ArchiveTransport?) async -> [String] {
        guard let archive else { return [] }
        return (try? await recordedSearches(in: archive)) ?? []
    }

    func recordedSearches(in archive: ArchiveTransport) async throws -> [String] {
        // With a source that has no network, the archive is NASA's.
        try await recordedSearches(of: source.usesNetwork ? source : .nasa, in: archive)
    }

    /// The first source that an archive has searches of.
    private func otherSource(of archive: ArchiveTransport?) async -> String? {
        guard let archive else { return nil }
        for source in SourceRegistry.all where (try? await recordedSearches(of: source, in: archive))?.isEmpty == false
        {
            return source.name
        }
        return nil
    }

    private func recordedSearches(
        of source: SourceDeclaration, in archive: ArchiveTransport
    ) async throws -> [String] {
        guard let endpoint = endpoint(of: source)?.value else { return [] }
        return try await archive.recordedSearches { SourceRegistry.search(at: $0, in: source, endpoint: endpoint) }
    }
}

extension ArchiveTransport {
    /// A list of searches for messages: `'apollo', 'moon' and others`.
    static func named(_ searches: [String]) -> String {
        searches.isEmpty ? "no searches" : searches.map { "'\($0)'" }.firstFew(8)
    }
}
