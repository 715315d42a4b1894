/// The languages of dates, numbers and the words around photos.
///
///     Language("de")                    // .german, as in `--lang de`
///     Language(locale: "fr_CA.UTF-8")   // .french, as in `LC_TIME`
package enum Language: String, Hashable, Sendable, CaseIterable {
    /// English, with the day before the month: "20 July 1969".
    case english = "en"
    /// German.
    case german = "de"
    /// French.
    case french = "fr"
    /// Spanish.
    case spanish = "es"
    /// Japanese: "1969年7月20日".
    case japanese = "ja"
    /// Modern Standard Arabic, written from right to left.
    case arabic = "ar"

    /// The language of a code (`de`, `DE`, `de-AT`, `de_AT.UTF-8`); `nil` if it is not supported.
    package init?(_ code: String) {
        let primary = code.prefix { $0.isASCII && $0.isLetter }
        let following = code[primary.endIndex...].first
        guard following == nil || following == "-" || following == "_" || following == "." || following == "@" else {
            return nil
        }
        self.init(rawValue: primary.lowercased())
    }

    /// Whether lines run from right to left.
    package var isRightToLeft: Bool { self == .arabic }

    /// Its name in the language itself.
    package var ownName: String { words.ownName }

    /// The language of a POSIX locale; English if it is not supported.
    package init(locale: String) { self = Language(locale) ?? .english }

    /// The language of the first of `LC_ALL`, `LC_TIME` and `LANG` that is not empty (POSIX, section 8.2).
    package init(environment value: (String) -> String?) {
        let names = ["LC_ALL", "LC_TIME", "LANG"]
        self.init(locale: names.lazy.compactMap(value).first { !$0.isEmpty } ?? "")
    }
}
