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

    /// The language of a code (`de`, `DE`, `de-AT`, `de_AT.UTF-8`), or `nil` when there is no such table here.
    public init?(_ code: String) {
        let primary = code.prefix { $0.isASCII && $0.isLetter }
        let following = code[primary.endIndex...].first
        guard following == nil || following == "-" || following == "_" || following == "." || following == "@" else {
            return nil
        }
        self.init(rawValue: primary.lowercased())
    }

    /// The language of a POSIX locale's name; English for `C`, `POSIX`, nothing and every other language.
    public init(locale: String) { self = Language(locale) ?? .english }

    /// The language that the environment asks for: the first of `LC_ALL`, `LC_TIME` and `LANG` that is set and not empty
    /// decides (POSIX, section 8.2).
    public init(environment value: (String) -> String?) {
        let names = ["LC_ALL", "LC_TIME", "LANG"]
        self.init(locale: names.lazy.compactMap(value).first { !$0.isEmpty } ?? "")
    }
}

extension Language {
    /// The words of one language.
    struct Words: Sendable {
        /// January to December, as they stand inside a date.
        let months: [String]
        /// "12 of 345": what stands between the two.
        let of: String
        /// The same when the total is an estimate.
        let ofAbout: String
        let video: String
        let audio: String
        let noPicture: String
        let pictureFailed: String
        /// Of a picture that is older than it should be.
        let outOfDate: String
        /// What stands between groups of three digits.
        let groupSeparator: String
        /// Digits from which on a number is grouped.
        let groupedFrom: Int
    }

    /// The table of this language; separators and months as in Unicode's CLDR 46.
    var words: Words {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        }
    }

    /// A calendar day, month or year as people write it.
    ///
    /// `month` is 1 to 12.
    func date(year: Int, month: Int?, day: Int?) -> String {
        guard let month, words.months.indices.contains(month - 1) else { return "\(year)" }
        let name = words.months[month - 1]
        guard let day else { return self == .spanish ? "\(name) de \(year)" : "\(name) \(year)" }
        return switch self {
        case .english: "\(day) \(name) \(year)"
        case .german: "\(day). \(name) \(year)"
        case .french: "\(day == 1 ? "1er" : "\(day)") \(name) \(year)"
        case .spanish: "\(day) de \(name) de \(year)"
        }
    }
}

extension Language.Words {
    fileprivate static let english = Self(
        months: [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November",
            "December",
        ], of: "of", ofAbout: "of about", video: "video", audio: "audio", noPicture: "no picture",
        pictureFailed: "picture failed", outOfDate: "may be out of date", groupSeparator: ",",
        groupedFrom: 4)
    fileprivate static let german = Self(
        months: [
            "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
            "Dezember",
        ], of: "von", ofAbout: "von etwa", video: "Video", audio: "Audio", noPicture: "kein Bild",
        pictureFailed: "Bild fehlgeschlagen", outOfDate: "vielleicht veraltet", groupSeparator: ".",
        groupedFrom: 4)
    fileprivate static let french = Self(
        months: [
            "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
            "décembre",
        ], of: "sur", ofAbout: "sur environ", video: "vidéo", audio: "audio", noPicture: "pas d’image",
        pictureFailed: "échec de l’image", outOfDate: "peut-être périmée",
        groupSeparator: "\u{202F}", groupedFrom: 4)
    fileprivate static let spanish = Self(
        months: [
            "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
            "noviembre",
            "diciembre",
        ], of: "de", ofAbout: "de unas", video: "vídeo", audio: "audio", noPicture: "sin imagen",
        pictureFailed: "la imagen falló", outOfDate: "quizá desactualizada", groupSeparator: ".",
        groupedFrom: 5)
}
