/// The languages of dates, numbers and the words around photos.
///
///     Language("de")                    // .german, as in `--lang de`
///     Language(locale: "fr_CA.UTF-8")   // .french, as in `LC_TIME`
package enum Language: String, Hashable, Sendable, CaseIterable {
    /// English, with the day before the month: "20 July 1969".
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case japanese = "ja"
    /// Modern Standard Arabic, written from right to left.
    case arabic = "ar"

    /// The language of a code (`de`, `DE`, `de-AT`, `de_AT.UTF-8`); `nil` if it is not supported.
    package init?(_ code: String) {
        let primary = code.prefix { $0.isASCII && $0.isLetter }
        guard code[primary.endIndex...].first.map({ "-_.@".contains($0) }) ?? true else { return nil }
        self.init(rawValue: primary.lowercased())
    }

    package var isRightToLeft: Bool { self == .arabic }
    package var ownName: String { words.ownName }

    /// The language of a POSIX locale; English if it is not supported.
    package init(locale: String) { self = Language(locale) ?? .english }

    /// The language of the first of `LC_ALL`, `LC_TIME` and `LANG` that is not empty (POSIX, section 8.2).
    package init(environment value: (String) -> String?) {
        let names = ["LC_ALL", "LC_TIME", "LANG"]
        self.init(locale: names.lazy.compactMap(value).first { !$0.isEmpty } ?? "")
    }
}

extension Language {
    /// The date and number formats and the words of one language, after Unicode's CLDR 46.
    struct Words: Sendable {
        let ownName: String
        /// January to December, as written in a date.
        let months: [Substring]
        var day: @Sendable (_ day: Int, _ month: Substring, _ year: Int) -> String = { "\($0) \($1) \($2)" }
        var month: @Sendable (_ month: Substring, _ year: Int) -> String = { "\($0) \($1)" }
        var year: @Sendable (_ year: Int) -> String = { "\($0)" }
        /// "12 of 345".
        let count: @Sendable (_ shown: String, _ all: String) -> String
        /// "12 of about 345".
        let estimate: @Sendable (_ shown: String, _ all: String) -> String
        let video: String
        let audio: String
        let folder: String
        let noImage: String
        let imageFailed: String
        let outOfDate: String
        var groupSeparator = ","
        /// The number of digits from which on they are grouped.
        var minGroupedDigits = 4
    }

    var words: Words {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .japanese: .japanese
        case .arabic: .arabic
        }
    }

    /// A calendar day, month (1 to 12) or year.
    func date(year: Int, month: Int?, day: Int?) -> String {
        guard let month, words.months.indices.contains(month - 1) else { return words.year(year) }
        let name = words.months[month - 1]
        return day.map { words.day($0, name, year) } ?? words.month(name, year)
    }
}

extension Language.Words {
    fileprivate static let english = Self(
        ownName: "English",
        months: "January February March April May June July August September October November December".split(
            separator: " "),
        count: { "\($0) of \($1)" }, estimate: { "\($0) of about \($1)" }, video: "video", audio: "audio",
        folder: "folder",
        noImage: "no image", imageFailed: "image failed", outOfDate: "may be out of date")
    fileprivate static let german = Self(
        ownName: "Deutsch",
        months: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(
            separator: " "),
        day: { "\($0). \($1) \($2)" }, count: { "\($0) von \($1)" }, estimate: { "\($0) von etwa \($1)" },
        video: "Video", audio: "Audio", folder: "Ordner", noImage: "kein Bild", imageFailed: "Bild fehlgeschlagen",
        outOfDate: "vielleicht veraltet", groupSeparator: ".")
    fileprivate static let french = Self(
        ownName: "français",
        months: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(
            separator: " "),
        day: { "\($0 == 1 ? "1er" : "\($0)") \($1) \($2)" }, count: { "\($0) sur \($1)" },
        estimate: { "\($0) sur environ \($1)" }, video: "vidéo", audio: "audio", folder: "dossier",
        noImage: "pas d’image",
        imageFailed: "échec de l’image", outOfDate: "peut-être périmée", groupSeparator: "\u{202F}")
    fileprivate static let spanish = Self(
        ownName: "español",
        months: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(
            separator: " "),
        day: { "\($0) de \($1) de \($2)" }, month: { "\($0) de \($1)" }, count: { "\($0) de \($1)" },
        estimate: { "\($0) de unas \($1)" }, video: "vídeo", audio: "audio", folder: "carpeta", noImage: "sin imagen",
        imageFailed: "la imagen falló", outOfDate: "quizá desactualizada", groupSeparator: ".", minGroupedDigits: 5)
    fileprivate static let japanese = Self(
        ownName: "日本語", months: "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月".split(separator: " "),
        day: { "\($2)年\($1)\($0)日" }, month: { "\($1)年\($0)" }, year: { "\($0)年" },
        count: { "\($0) / \($1)件" }, estimate: { "\($0) / 約\($1)件" }, video: "動画", audio: "音声", folder: "フォルダー",
        noImage: "画像なし", imageFailed: "画像を読み込めません", outOfDate: "最新でない可能性あり")
    /// With the digits 0 to 9, as in CLDR's `ar_MA`, `ar_DZ` and `ar_AE`, since titles on the same screen have them too.
    fileprivate static let arabic = Self(
        ownName: "العربية",
        months: "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر".split(separator: " "),
        count: { "\($0) من \($1)" }, estimate: { "\($0) من نحو \($1)" }, video: "فيديو", audio: "صوت", folder: "مجلد",
        noImage: "لا توجد صورة", imageFailed: "تعذر تحميل الصورة", outOfDate: "قد تكون قديمة")
}
