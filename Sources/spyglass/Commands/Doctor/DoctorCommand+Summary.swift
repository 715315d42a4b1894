import SpyglassCodecs
import SpyglassFetching

extension DoctorCommand {
    /// Something that works, or needs packages first.
    struct Part: Sendable {
        let name: String
        /// Debian packages; none if it works.
        let missing: [String]

        /// Every format, colour profiles, and downloads; opens their libraries.
        static var all: [Part] {
            let formats = ImageFormat.allCases.map { Part(name: "\($0)", missing: $0.missingPackages) }
            let hasProfiles = CodecLibraries.colorManagement != nil
            let hasDownloads = (try? CurlTransport.libraryVersion()) != nil
            return formats + [
                Part(name: "colour profiles", missing: hasProfiles ? [] : ["liblcms2-2"]),
                Part(name: "downloads", missing: hasDownloads ? [] : ["libcurl4"]),
            ]
        }
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
