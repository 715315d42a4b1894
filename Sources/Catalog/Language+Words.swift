extension Language {
    /// The date and number formats and the words of one language.
    struct Words: Sendable {
        let ownName: String
        /// January to December, as written in a date.
        let months: [String]
        let day: @Sendable (_ day: Int, _ month: String, _ year: Int) -> String
        let month: @Sendable (_ month: String, _ year: Int) -> String
        let year: @Sendable (_ year: Int) -> String
        /// "12 of 345".
        let count: @Sendable (_ shown: String, _ all: String) -> String
        /// "12 of about 345".
        let estimate: @Sendable (_ shown: String, _ all: String) -> String
        let video: String
        let audio: String
        let noPicture: String
        let pictureFailed: String
        let outOfDate: String
        let groupSeparator: String
        /// The number of digits from which on they are grouped.
        let minGroupedDigits: Int
    }

    /// The table of this language, after Unicode's CLDR 46.
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
        guard let day else { return words.month(name, year) }
        return words.day(day, name, year)
    }
}

extension Language.Words {
    fileprivate static let english = Self(
        ownName: "English",
        months: [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ], day: { "\($0) \($1) \($2)" }, month: { "\($0) \($1)" }, year: { "\($0)" },
        count: { "\($0) of \($1)" }, estimate: { "\($0) of about \($1)" }, video: "video", audio: "audio",
        noPicture: "no picture", pictureFailed: "picture failed", outOfDate: "may be out of date",
        groupSeparator: ",", minGroupedDigits: 4)
    fileprivate static let german = Self(
        ownName: "Deutsch",
        months: [
            "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
            "Dezember",
        ], day: { "\($0). \($1) \($2)" }, month: { "\($0) \($1)" }, year: { "\($0)" },
        count: { "\($0) von \($1)" }, estimate: { "\($0) von etwa \($1)" }, video: "Video", audio: "Audio",
        noPicture: "kein Bild", pictureFailed: "Bild fehlgeschlagen", outOfDate: "vielleicht veraltet",
        groupSeparator: ".", minGroupedDigits: 4)
    fileprivate static let french = Self(
        ownName: "français",
        months: [
            "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
            "décembre",
        ], day: { "\($0 == 1 ? "1er" : "\($0)") \($1) \($2)" }, month: { "\($0) \($1)" }, year: { "\($0)" },
        count: { "\($0) sur \($1)" }, estimate: { "\($0) sur environ \($1)" }, video: "vidéo", audio: "audio",
        noPicture: "pas d’image", pictureFailed: "échec de l’image", outOfDate: "peut-être périmée",
        groupSeparator: "\u{202F}", minGroupedDigits: 4)
    fileprivate static let spanish = Self(
        ownName: "español",
        months: [
            "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
            "noviembre", "diciembre",
        ], day: { "\($0) de \($1) de \($2)" }, month: { "\($0) de \($1)" }, year: { "\($0)" },
        count: { "\($0) de \($1)" }, estimate: { "\($0) de unas \($1)" }, video: "vídeo", audio: "audio",
        noPicture: "sin imagen", pictureFailed: "la imagen falló", outOfDate: "quizá desactualizada",
        groupSeparator: ".", minGroupedDigits: 5)
    fileprivate static let japanese = Self(
        ownName: "日本語", months: (1...12).map { "\($0)月" }, day: { "\($2)年\($1)\($0)日" }, month: { "\($1)年\($0)" },
        year: { "\($0)年" }, count: { "\($0) / \($1)件" }, estimate: { "\($0) / 約\($1)件" }, video: "動画", audio: "音声",
        noPicture: "画像なし", pictureFailed: "画像を読み込めません", outOfDate: "最新でない可能性あり", groupSeparator: ",",
        minGroupedDigits: 4)
    /// With the digits 0 to 9, as in CLDR's `ar_MA`, `ar_DZ` and `ar_AE`, since titles on the same screen have them too.
    fileprivate static let arabic = Self(
        ownName: "العربية",
        months: [
            "يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر",
            "ديسمبر",
        ], day: { "\($0) \($1) \($2)" }, month: { "\($0) \($1)" }, year: { "\($0)" },
        count: { "\($0) من \($1)" }, estimate: { "\($0) من نحو \($1)" }, video: "فيديو", audio: "صوت",
        noPicture: "لا توجد صورة", pictureFailed: "تعذر تحميل الصورة", outOfDate: "قد تكون قديمة",
        groupSeparator: ",", minGroupedDigits: 4)
}
