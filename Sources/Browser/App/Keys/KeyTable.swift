internal import SpyglassTerminalUI

/// All keys.
///
/// In a field, `AppState.typedCharacter` takes characters before this table does.
enum KeyTable {
    /// The bindings of every feature, in the order of the help screen.
    static let bindings = [
        moving, going, home, help, settings, list, grid, folders, filter, marks, detail, slideshow, zoom, info, save,
        animation, typing, terminal,
    ].flatMap(\.self)

    static func action(for key: Key, in scope: KeyScope) -> Action? {
        table[scope]?[key] ?? table[scope]?[key.simplified]
    }

    /// Has one action a key and scope; a test refuses a second one.
    private static let table: [KeyScope: [Key: Action]] = {
        var table: [KeyScope: [Key: Action]] = [:]
        for binding in bindings {
            for scope in binding.scopes {
                for key in binding.keys { table[scope, default: [:]][key] = binding.action }
            }
        }
        return table
    }()

    // MARK: Scopes

    static let searches: Set<KeyScope> = [.home, .search]
    static let fields = searches.union([.filter, .save, .export])
    static let photos: Set<KeyScope> = [.list, .grid]
    /// All screens without a field or a question.
    static let reading: Set<KeyScope> = [.list, .grid, .detail, .help, .settings, .info]
    /// Where `/` and `m` are commands; in a field they are text.
    static let commands = reading.union([.alert])
    /// Where help and settings open: nothing is in progress that they would cover.
    static let calm = commands.union(searches).union([.filter])
    private static let sideways: Set<KeyScope> = [.list, .grid, .detail, .settings]
    private static let everywhere = Set(KeyScope.allCases)

    // MARK: Keys of all screens

    private static let moving = [
        KeyBinding(keys: [Key(.up), .plain("k")], action: .up, scopes: commands),
        KeyBinding(keys: [Key(.down), .plain("j")], action: .down, scopes: commands),
        KeyBinding(keys: [Key(.left), .plain("h")], action: .left, scopes: sideways),
        KeyBinding(keys: [Key(.right), .plain("l")], action: .right, scopes: sideways),
        KeyBinding(keys: [Key(.pageUp), .control("b")], action: .pageUp, scopes: reading),
        KeyBinding(keys: [Key(.pageDown), .control("f")], action: .pageDown, scopes: reading),
        KeyBinding(keys: [.plain(" ")], action: .pageDown, scopes: [.detail, .help, .info], isHidden: true),
        KeyBinding(keys: [Key(.home), .plain("g")], action: .first, scopes: reading),
        KeyBinding(keys: [Key(.end), .plain("G")], action: .last, scopes: reading),
        KeyBinding(keys: [Key(.up), Key(.tab, .shift)], action: .up, scopes: fields),
        KeyBinding(keys: [Key(.down), Key(.tab)], action: .down, scopes: fields),
    ]

    private static let going = [
        KeyBinding(
            keys: [Key(.escape), Key(.backspace), .plain("q")], action: .back, scopes: everywhere.subtracting(fields)),
        KeyBinding(keys: [Key(.escape)], action: .back, scopes: fields),
    ]

    private static let terminal = [
        KeyBinding(keys: [.plain("m")], action: .toggleMouse, scopes: commands),
        KeyBinding(keys: [.control("l")], action: .repaint, scopes: everywhere),
        KeyBinding(keys: [.control("z")], action: .suspend, scopes: everywhere),
        KeyBinding(keys: [.control("c")], action: .interrupt, scopes: everywhere),
    ]
}

extension Action {
    static let up = Action("up", "up", "hoch", "haut", "arriba", "上", "أعلى")
    static let down = Action("down", "down", "runter", "bas", "abajo", "下", "أسفل")
    static let left = Action("left", "left", "links", "gauche", "izquierda", "左", "يسار")
    static let right = Action("right", "right", "rechts", "droite", "derecha", "右", "يمين")
    static let pageUp = Action("pageUp", "page up", "Seite hoch", "page préc.", "página arriba", "前の画面", "صفحة لأعلى")
    static let pageDown = Action(
        "pageDown", "page down", "Seite runter", "page suiv.", "página abajo", "次の画面", "صفحة لأسفل")
    static let first = Action("first", "first", "Anfang", "début", "primera", "先頭", "الأولى")
    static let last = Action("last", "last", "Ende", "fin", "última", "末尾", "الأخيرة")
    static let back = Action("back", "back", "zurück", "retour", "atrás", "戻る", "رجوع")
    static let toggleMouse = Action("toggleMouse", "mouse", "Maus", "souris", "ratón", "マウス", "الفأرة")
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
