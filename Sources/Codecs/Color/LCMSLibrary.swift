internal import SpyglassCLCMS

/// Little CMS, opened at run time, when an image needs it.
///
/// `@unchecked Sendable`: the function table is only written before `sg_lcms_open` returns.
struct LCMSLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    static let system: Result<LCMSLibrary, CodecError> = Self.open("liblcms2.so.2")

    static func open(_ name: String) -> Result<LCMSLibrary, CodecError> {
        var message = [CChar](repeating: 0, count: 256)
        if let functions = sg_lcms_open(name, &message, message.count) {
            return .success(LCMSLibrary(functions: functions))
        }
        return .failure(CodecError(.library, "\(name) is missing (Debian: liblcms2-2)"))
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
