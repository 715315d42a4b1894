internal import SpyglassCatalog

/// Every text of the user interface, in one language.
///
///     UIStrings(.german).folders.photos(345, "345")  // "345 Fotos"
///
/// Each feature adds its texts in an extension. Numbers come both as they are, for plurals, and as `PhotoFormatter` writes
/// them.
struct UIStrings: Sendable {
    let language: Language

    init(_ language: Language) { self.language = language }

    /// Returns a text that only one place shows, in this language.
    func callAsFunction(
        _ english: String, _ german: String, _ french: String, _ spanish: String, _ japanese: String, _ arabic: String
    ) -> String {
        Text(english, german, french, spanish, japanese, arabic)[language]
    }
}

/// A text in all languages; one that lacks a language does not compile.
struct Translated<Value: Sendable>: Sendable {
    private let english, german, french, spanish, japanese, arabic: Value

    init(_ english: Value, _ german: Value, _ french: Value, _ spanish: Value, _ japanese: Value, _ arabic: Value) {
        (self.english, self.german, self.french) = (english, german, french)
        (self.spanish, self.japanese, self.arabic) = (spanish, japanese, arabic)
    }

    subscript(language: Language) -> Value {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        case .spanish: spanish
        case .japanese: japanese
        case .arabic: arabic
        }
    }
}

extension Translated: Equatable where Value: Equatable {}
extension Translated: Hashable where Value: Hashable {}

typealias Text = Translated<String>
/// A text around another one.
typealias Template = Translated<@Sendable (_ text: String) -> String>
typealias Template2 = Translated<@Sendable (_ first: String, _ second: String) -> String>
typealias Template3 = Translated<@Sendable (_ first: String, _ second: String, _ third: String) -> String>
/// A text with a number, which decides its plural.
typealias Counted = Translated<@Sendable (_ number: Int, _ written: String) -> String>

/// The texts of a feature in one language.
@dynamicMemberLookup
struct Localized<Texts: Sendable>: Sendable {
    private let allTexts: Texts
    private let chosenLanguage: Language

    init(_ texts: Texts, _ language: Language) { (allTexts, chosenLanguage) = (texts, language) }

    subscript<Value>(dynamicMember text: KeyPath<Texts, Translated<Value>>) -> Value {
        allTexts[keyPath: text][chosenLanguage]
    }
}

final class AppTexts: Sendable {
    static let all = AppTexts()
    let decimalSeparator = Text(".", ",", ",", ",", ".", ".")
    let cancel = Text("cancel", "abbrechen", "annuler", "cancelar", "中止", "إلغاء")
    /// The name of the space bar.
    let space = Text("Space", "Leertaste", "Espace", "Espacio", "スペース", "المسافة")
    /// The name of Escape on the home screen.
    let quit = Text("quit", "beenden", "quitter", "salir", "終了", "خروج")
    let quitByKey = Template(
        { "\($0) quits" }, { "\($0) beendet das Programm" }, { "\($0) quitte le programme" },
        { "\($0) sale del programa" }, { "\($0) で終了します" }, { "المفتاح \($0) للخروج" })
    /// One word for what two keys do together.
    let change = Text("change", "ändern", "changer", "cambiar", "変更", "تغيير")
    let choose = Text("choose", "wählen", "choisir", "elegir", "選択", "اختيار")
    let scroll = Text("scroll", "blättern", "défiler", "desplazar", "スクロール", "تمرير")
    let page = Text("page", "Seite", "page", "página", "画面", "صفحة")
    let mouseOn = Text(
        "Mouse on: click and scroll", "Maus an: klicken und blättern", "Souris activée : cliquer et défiler",
        "Ratón activado: clic y desplazamiento", "マウス オン: クリックとスクロール", "الفأرة تعمل: النقر والتمرير")
    let mouseOff = Text(
        "Mouse off: select text in the terminal", "Maus aus: Text im Terminal markieren",
        "Souris désactivée : sélectionner du texte", "Ratón desactivado: seleccionar texto", "マウス オフ: 文字を選択できます",
        "الفأرة متوقفة: تحديد النص")
}

extension UIStrings { var app: Localized<AppTexts> { Localized(.all, language) } }

/// Returns a number with its Arabic noun, whose form follows the last two digits (CLDR 46, plural rules of Arabic).
func arabicCount(_ number: Int, _ written: String, one: String, two: String, few: String, many: String) -> String {
    switch number {
    case 1: one
    case 2: two
    default: "\(written) " + ((3...10).contains(number % 100) ? few : many)
    }
}

func arabicPhotos(_ number: Int, _ written: String) -> String {
    arabicCount(number, written, one: "صورة واحدة", two: "صورتان", few: "صور", many: "صورة")
}
