internal import SpyglassCLCMS

/// Little CMS, opened at run time so that only those pay for it whose pictures need it.
///
/// `@unchecked Sendable`: the table of functions is written before `sg_lcms_open` returns and only read afterwards.
struct LCMSLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    /// Why there is none.
    struct Missing: Error {
        /// What to do about it, for people.
        let advice: String
        /// The linker's words.
        let reason: String
    }

    /// The machine's lcms2, opened once a process and kept.
    static let usual: Result<LCMSLibrary, Missing> = open("liblcms2.so.2")

    /// Opens the library of that name (`dlopen`).
    static func open(_ name: String) -> Result<LCMSLibrary, Missing> {
        var message = [CChar](repeating: 0, count: 256)
        if let functions = sg_lcms_open(name, &message, message.count) {
            return .success(LCMSLibrary(functions: functions))
        }
        return .failure(
            Missing(advice: "\(name) is missing (Debian: liblcms2-2)", reason: String(libraryMessage: message)))
    }

    /// Its version (`cmsGetEncodedCMMversion`): `2.14`.
    var version: String {
        let version = Int(sg_lcms_version(functions))
        guard version > 0 else { return "2" }
        let (major, rest) = version.quotientAndRemainder(dividingBy: 1000)
        let (minor, patch) = rest.quotientAndRemainder(dividingBy: 10)
        return "\(major).\(minor)" + (patch > 0 ? ".\(patch)" : "")
    }
}
