/// The languages that dates, numbers and the few words around photos are written in.
///
///     Language("de")                    // .german, as in `--lang de`
///     Language(locale: "fr_CA.UTF-8")   // .french, as in `LC_TIME`
public enum Language: String, Hashable, Sendable, CaseIterable {
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

    /// The language of a code (`de`, `DE`, `de-AT`, `de_AT.UTF-8`), or `nil` when there is no such table here.
    public init?(_ code: String) {
        let primary = code.prefix { $0.isASCII && $0.isLetter }
        let following = code[primary.endIndex...].first
        guard following == nil || following == "-" || following == "_" || following == "." || following == "@" else {
            return nil
        }
        self.init(rawValue: primary.lowercased())
    }

    /// Whether lines are read from right to left, so that a layout is mirrored.
    public var isRightToLeft: Bool { self == .arabic }

    /// What its speakers call it, for a choice of languages.
    public var ownName: String { words.ownName }

    /// The language of a POSIX locale's name; English for `C`, `POSIX`, nothing and every other language.
    public init(locale: String) { self = Language(locale) ?? .english }

    /// The language that the environment asks for: the first of `LC_ALL`, `LC_TIME` and `LANG` that is set and not empty
    /// decides (POSIX, section 8.2).
    public init(environment value: (String) -> String?) {
        let names = ["LC_ALL", "LC_TIME", "LANG"]
        self.init(locale: names.lazy.compactMap(value).first { !$0.isEmpty } ?? "")
    }
}
