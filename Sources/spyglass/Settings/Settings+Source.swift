import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassFolders
import SpyglassTerminalUI

extension Settings {
    /// The source to search; made on demand, since its declaration takes longer than the start of `show`.
    var source: SourceDeclaration { options.source ?? SourceDeclaration(name: preferences.source) ?? .nasa }

    /// The base of a source's API; `nil` without a network.
    ///
    /// `--endpoint` is for the source that was chosen.
    func endpoint(of source: SourceDeclaration) -> Resolved<WebAddress>? {
        let chosen = self.source.usesNetwork ? self.source : .nasa
        if let endpoint = options.endpoint, source.name == chosen.name {
            return Resolved(endpoint, evidence: "--endpoint")
        }
        return source.endpoint.map { Resolved($0, evidence: "the default") }
    }

    /// The user's key: of the environment, else of a file of the settings folder that only the user can read.
    ///
    /// The evidence never contains it. `nil` if there is none.
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

    /// Why a source does not answer, without the address of the request.
    func silence(of source: SourceDeclaration, _ error: FetchError) -> Failure {
        let what = error.kind == .timedOut ? "does not answer" : "cannot be reached"
        let remedy = error.kind == .timedOut ? "wait longer with --timeout" : "check the network"
        return Failure(
            .unavailable, "\(source.title) \(what): \(error.reason); \(remedy), or try again later")
    }

    /// The reason why a source cannot be searched at all, with a remedy; `nil` if it can.
    func obstacle(to source: SourceDeclaration) -> String? {
        guard self.archive == nil, !self.isOffline else { return nil }
        if let retirement = source.retirement, endpoint(of: source)?.value == source.endpoint { return retirement }
        guard let key = source.key else { return nil }
        do throws(Failure) {
            if try self.key(of: source) != nil || !key.isRequired { return nil }
        } catch {
            return error.message
        }
        let file = settingsFolder.map { ", or write it to \($0.path(of: source.keyFile)) (mode 0600)" } ?? ""
        return "\(source.title) needs a key: set \(key.variable)\(file); \(key.help); \(source.sample)"
    }

    /// Makes the source to search over a transport.
    ///
    /// `onWait` receives a line about the delay before a request, `readsFiles`: pages of a folder say what files state.
    ///
    /// - Throws: `Failure` for a missing key and for a service that has ended.
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
            // NASA's edge repeats errors for a while; the others ask for the delay.
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

    /// How to try it without a key.
    var sample: String { "sample: spyglass --source \(name) --archive Samples/archives/\(name)" }
}

extension UserFolder {
    /// A file's bytes, unless others may read it; `nil` if it is missing.
    fileprivate func readPrivately(_ name: String) throws(Failure) -> [UInt8]? {
        guard let bytes = try read(name) else { return nil }
        let permissions: UInt32
        do { permissions = try Folder.working.status(of: path(of: name), followingLinks: true).permissions } catch {
            throw Failure(.unavailable, "\(path(of: name)): \(error.reason)")
        }
        guard permissions & 0o077 == 0 else {
            throw .usage("\(path(of: name)): others may read it; run chmod 600 on it")
        }
        return bytes
    }
}
