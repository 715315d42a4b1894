internal import SpyglassTerminalUI

/// The bindings of every run, unless the user's file changes them (`KeyMap`).
///
/// In a field, `AppState.typedCharacter` takes characters before this table does.
enum KeyTable {
    /// The bindings of every feature, in the order of the help screen.
    static let bindings = [
        moving, going, home, help, settings, list, grid, folders, filter, marks, detail, slideshow, zoom, rotation,
        info, save, command, trash,
        animation, typing, terminal,
    ].flatMap(\.self)

    static func bind(
        in scopes: Set<KeyScope>, isHidden: Bool = false, _ rows: (keys: [Key], action: Action)...
    ) -> [KeyBinding] {
        rows.map { KeyBinding(keys: $0.keys, action: $0.action, scopes: scopes, isHidden: isHidden) }
    }

    static let searches: Set<KeyScope> = [.home, .search]
    static let fields = searches.union([.filter, .save, .export, .command])
    static let photos: Set<KeyScope> = [.list, .grid]
    /// All screens without a field or a question.
    static let reading: Set<KeyScope> = [.list, .grid, .detail, .help, .settings, .info]
    /// Where `/` and `m` are commands; in a field they are text.
    static let commands = reading.union([.alert])
    /// Where help and settings open: nothing is in progress that they would cover.
    static let calm = commands.union(searches).union([.filter])
    private static let sideways: Set<KeyScope> = [.list, .grid, .detail, .slideshow, .settings]
    /// Where `q` quits: on photos, and where a search or a folder has failed.
    private static let leaving = photos.union([.detail, .slideshow, .alert])
    private static let everywhere = Set(KeyScope.allCases)

    private static let moving =
        bind(in: commands.union([.slideshow]), ([Key(.up), .plain("k")], .up), ([Key(.down), .plain("j")], .down))
        + bind(in: sideways, ([Key(.left), .plain("h")], .left), ([Key(.right), .plain("l")], .right))
        + bind(
            in: reading, ([Key(.pageUp), .control("b")], .pageUp), ([Key(.pageDown), .control("f")], .pageDown),
            ([.control("u")], .halfPageUp), ([.control("d")], .halfPageDown), ([Key(.home), .plain("g")], .first),
            ([Key(.end), .plain("G")], .last))
        + bind(in: [.help, .info], isHidden: true, ([.plain(" ")], .pageDown))
        + bind(in: fields, ([Key(.up), Key(.tab, .shift)], .up), ([Key(.down), Key(.tab)], .down))

    private static let going =
        bind(in: everywhere.subtracting(fields), ([Key(.escape), Key(.backspace)], .back))
        + bind(in: fields, ([Key(.escape)], .back))
        + bind(in: leaving, ([.plain("q")], .quit))
        // Closes what covers the photos.
        + bind(in: everywhere.subtracting(fields).subtracting(leaving), isHidden: true, ([.plain("q")], .back))

    private static let terminal =
        bind(in: commands, ([.plain("m")], .toggleMouse))
        + bind(in: everywhere, ([.control("l")], .repaint), ([.control("z")], .suspend), ([.control("c")], .interrupt))
}

extension Action {
    static let up = Action("up", "up", "hoch", "haut", "arriba", "上", "أعلى")
    static let down = Action("down", "down", "runter", "bas", "abajo", "下", "أسفل")
    static let left = Action("left", "left", "links", "gauche", "izquierda", "左", "يسار")
    static let right = Action("right", "right", "rechts", "droite", "derecha", "右", "يمين")
    static let pageUp = Action("pageUp", "page up", "Seite hoch", "page préc.", "página arriba", "前の画面", "صفحة لأعلى")
    static let pageDown = Action(
        "pageDown", "page down", "Seite runter", "page suiv.", "página abajo", "次の画面", "صفحة لأسفل")
    static let halfPageUp = Action(
        "halfPageUp", "half page up", "halbe Seite hoch", "demi-page préc.", "media página arriba", "半画面前",
        "نصف صفحة لأعلى")
    static let halfPageDown = Action(
        "halfPageDown", "half page down", "halbe Seite runter", "demi-page suiv.", "media página abajo", "半画面次",
        "نصف صفحة لأسفل")
    static let first = Action("first", "first", "Anfang", "début", "primera", "先頭", "الأولى")
    static let last = Action("last", "last", "Ende", "fin", "última", "末尾", "الأخيرة")
    static let back = Action("back", "back", "zurück", "retour", "atrás", "戻る", "رجوع")
    static let toggleMouse = Action(
        "toggleMouse", "mouse on/off", "Maus an/aus", "souris oui/non", "ratón sí/no", "マウスの切替", "تشغيل/إيقاف الفأرة")
    static let repaint = Action("repaint", "repaint", "neu zeichnen", "redessiner", "redibujar", "再描画", "إعادة الرسم")
    static let suspend = Action("suspend", "suspend", "anhalten", "suspendre", "suspender", "一時停止", "تعليق")
    static let interrupt = Action(
        "interrupt", "quit at once", "sofort beenden", "quitter aussitôt", "salir ya", "すぐに終了", "خروج فورًا")

    /// Returns the line that the action scrolls to; `nil` if it does not scroll.
    func scrolled(from line: Int, page: Int, last: Int) -> Int? {
        let line = min(line, last)
        let moved: Int? =
            switch self {
            case .up: line - 1
            case .down: line + 1
            case .pageUp: line - page
            case .pageDown: line + page
            case .halfPageUp: line - max(page / 2, 1)
            case .halfPageDown: line + max(page / 2, 1)
            case .first: 0
            case .last: last
            default: nil
            }
        return moved.map { min(max($0, 0), last) }
    }
}

extension Key {
    static func plain(_ character: Character) -> Key { Key(.character(character)) }
    static func control(_ character: Character) -> Key { Key(.character(character), .control) }
    static func alt(_ character: Character) -> Key { Key(.character(character), .alt) }

    var typed: Character? {
        guard case .character(let character) = code, modifiers.isSubset(of: .shift) else { return nil }
        return character
    }

    /// The key as in the table: without Shift, and lower case with Control.
    var simplified: Key {
        guard case .character(let character) = code else { return self }
        let held = modifiers.subtracting(.shift)
        guard held.contains(.control), let small = character.lowercased().first else { return Key(code, held) }
        return Key(.character(small), held)
    }
}

/// Something that a key or a click does.
///
/// A feature declares its actions beside its keys:
///
///     static let mark = Action("mark", "mark", "markieren", "marquer", "marcar", "選択", "تعليم")
struct Action: Hashable, Sendable, CustomStringConvertible {
    private let id: String
    private let name: Text
    let needsImages: Bool

    /// Creates an action with its names in all languages, which are short enough for the footer.
    init(
        _ id: String, _ english: String, _ german: String, _ french: String, _ spanish: String, _ japanese: String,
        _ arabic: String, needsImages: Bool = false
    ) {
        self.id = id
        name = Text(english, german, french, spanish, japanese, arabic)
        self.needsImages = needsImages
    }

    var description: String { id }
    func name(in strings: UIStrings) -> String { name[strings.language] }
    static func == (one: Action, other: Action) -> Bool { one.id == other.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

enum KeyScope: Hashable, Sendable, CaseIterable {
    case home, list, grid, detail, search, filter, help, settings, alert, save, export, info, slideshow, command,
        question
}

struct KeyBinding: Hashable, Sendable {
    let keys: [Key]
    let action: Action
    var scopes: Set<KeyScope>
    /// Whether help and footer leave it out, since it duplicates another binding.
    var isHidden = false
}
