internal import SpyglassTerminalUI

struct KeyBinding: Hashable, Sendable {
    let keys: [Key]
    let action: Action
    let scopes: Set<KeyScope>
    /// Whether help and footer leave it out, since it duplicates another binding.
    var isHidden = false
}

/// In a field (`home`, `search`, `filter`), `BrowserState.typedCharacter` takes characters before this table does.
enum KeyTable {
    static let bindings: [KeyBinding] = moving + going + lists + photo + typing + terminal

    static func action(for key: Key, in scope: KeyScope) -> Action? {
        table[scope]?[key] ?? table[scope]?[key.simplified]
    }

    /// A test refuses a second binding of a key in a scope.
    private static let table: [KeyScope: [Key: Action]] = {
        var table: [KeyScope: [Key: Action]] = [:]
        for binding in bindings {
            for scope in binding.scopes {
                for key in binding.keys { table[scope, default: [:]][key] = binding.action }
            }
        }
        return table
    }()

    static let searches: Set<KeyScope> = [.home, .search]
    static let fields = searches.union([.filter, .save, .export])
    static let photos: Set<KeyScope> = [.list, .grid]
    /// All but fields and panels that ask.
    static let reading: Set<KeyScope> = [.list, .grid, .detail, .help, .settings, .info]
    private static let sideways: Set<KeyScope> = [.list, .grid, .detail, .settings]
    private static let everywhere = Set(KeyScope.allCases)
    private static let outsideFields = everywhere.subtracting(fields)
    /// Every other key ends a slideshow.
    private static let calm = everywhere.subtracting([.save, .export, .slideshow])

    private static let moving = [
        KeyBinding(keys: [Key(.up), .plain("k")], action: .up, scopes: reading.union([.alert, .slideshow])),
        KeyBinding(keys: [Key(.down), .plain("j")], action: .down, scopes: reading.union([.alert, .slideshow])),
        KeyBinding(keys: [Key(.left), .plain("h")], action: .left, scopes: sideways.union([.slideshow])),
        KeyBinding(keys: [Key(.right), .plain("l")], action: .right, scopes: sideways.union([.slideshow])),
        KeyBinding(keys: [Key(.enter)], action: .right, scopes: [.settings], isHidden: true),
        KeyBinding(keys: [Key(.pageUp), .control("b")], action: .pageUp, scopes: reading),
        KeyBinding(keys: [Key(.pageDown), .control("f")], action: .pageDown, scopes: reading),
        KeyBinding(keys: [.plain(" ")], action: .pageDown, scopes: [.detail, .help, .info], isHidden: true),
        KeyBinding(keys: [Key(.home), .plain("g")], action: .first, scopes: reading),
        KeyBinding(keys: [Key(.end), .plain("G")], action: .last, scopes: reading),
        KeyBinding(keys: [Key(.up), Key(.tab, .shift)], action: .up, scopes: fields),
        KeyBinding(keys: [Key(.down), Key(.tab)], action: .down, scopes: fields),
        KeyBinding(keys: [Key(.pageUp)], action: .pageUp, scopes: [.filter], isHidden: true),
        KeyBinding(keys: [Key(.pageDown)], action: .pageDown, scopes: [.filter], isHidden: true),
    ]

    private static let going = [
        KeyBinding(keys: [Key(.enter)], action: .open, scopes: photos),
        KeyBinding(keys: [Key(.enter)], action: .open, scopes: [.detail], isHidden: true),
        KeyBinding(keys: [Key(.escape), Key(.backspace), .plain("q")], action: .back, scopes: outsideFields),
        KeyBinding(keys: [Key(.escape)], action: .back, scopes: fields),
        KeyBinding(keys: [.plain("q")], action: .back, scopes: [.search], isHidden: true),
        KeyBinding(keys: [.plain("q")], action: .quit, scopes: [.home]),
        KeyBinding(keys: [.plain("/")], action: .search, scopes: calm.subtracting(fields)),
        KeyBinding(keys: [.plain("?"), Key(.function(1))], action: .help, scopes: calm),
        KeyBinding(keys: [.plain(","), Key(.function(2))], action: .settings, scopes: calm),
    ]

    private static let lists = [
        KeyBinding(keys: [.plain("v")], action: .toggleArrangement, scopes: photos),
        KeyBinding(keys: [.plain("+"), .plain("=")], action: .looser, scopes: photos),
        KeyBinding(keys: [.plain("-")], action: .denser, scopes: photos),
        KeyBinding(keys: [.plain("x")], action: .toggleCropping, scopes: [.grid]),
        KeyBinding(keys: [.plain("r")], action: .refresh, scopes: photos),
        KeyBinding(keys: [.plain("S")], action: .changeOrder, scopes: photos),
        KeyBinding(keys: [.plain("&")], action: .filter, scopes: photos),
        KeyBinding(keys: [.plain(" ")], action: .mark, scopes: photos),
        KeyBinding(keys: [.plain("V")], action: .markRange, scopes: photos),
        KeyBinding(keys: [.plain("*")], action: .invertMarks, scopes: photos),
        KeyBinding(keys: [.plain("u")], action: .unmark, scopes: photos),
        KeyBinding(keys: [.plain("r")], action: .retry, scopes: [.detail, .alert]),
    ]

    private static let photo = [
        KeyBinding(keys: [.plain("f")], action: .fullScreen, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain("d")], action: .slideshow, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain(" ")], action: .pauseSlideshow, scopes: [.slideshow]),
        KeyBinding(keys: [Key(.tab)], action: .toggleText, scopes: [.detail]),
        KeyBinding(keys: [.plain("n")], action: .nextPhoto, scopes: [.detail, .slideshow]),
        KeyBinding(keys: [.plain("p")], action: .previousPhoto, scopes: [.detail, .slideshow]),
        KeyBinding(keys: [.plain("]")], action: .nextPicture, scopes: [.detail]),
        KeyBinding(keys: [.plain("[")], action: .previousPicture, scopes: [.detail]),
        KeyBinding(keys: [.plain("+"), .plain("=")], action: .zoomIn, scopes: [.detail]),
        KeyBinding(keys: [.plain("-")], action: .zoomOut, scopes: [.detail]),
        KeyBinding(keys: [.plain("0")], action: .zoomToFit, scopes: [.detail]),
        KeyBinding(keys: [.plain("1")], action: .zoomToPixels, scopes: [.detail]),
        KeyBinding(keys: [.plain("i")], action: .info, scopes: photos.union([.detail, .info])),
        KeyBinding(keys: [.plain("o")], action: .openPage, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain("O")], action: .openPicture, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain("s")], action: .save, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain("e")], action: .export, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain("y")], action: .copyAddress, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain("a")], action: .toggleAnimation, scopes: photos.union([.detail])),
    ]

    private static let typing = [
        KeyBinding(keys: [Key(.enter)], action: .submit, scopes: searches),
        KeyBinding(keys: [Key(.enter)], action: .submit, scopes: [.filter, .save, .export, .alert]),
        KeyBinding(keys: [.control("p")], action: .olderSearch, scopes: searches),
        KeyBinding(keys: [.control("n")], action: .newerSearch, scopes: searches),
        KeyBinding(keys: [Key(.left), .control("b")], action: .caretLeft, scopes: fields),
        KeyBinding(keys: [Key(.right), .control("f")], action: .caretRight, scopes: fields),
        KeyBinding(keys: [Key(.home), .control("a")], action: .caretStart, scopes: fields),
        KeyBinding(keys: [Key(.end), .control("e")], action: .caretEnd, scopes: fields),
        KeyBinding(keys: [.alt("b"), Key(.left, .alt), Key(.left, .control)], action: .wordLeft, scopes: fields),
        KeyBinding(keys: [.alt("f"), Key(.right, .alt), Key(.right, .control)], action: .wordRight, scopes: fields),
        KeyBinding(keys: [Key(.backspace), .control("h")], action: .deleteBackward, scopes: fields),
        KeyBinding(keys: [Key(.delete), .control("d")], action: .deleteForward, scopes: fields),
        KeyBinding(keys: [.control("w"), Key(.backspace, .alt)], action: .deleteWord, scopes: fields),
        KeyBinding(keys: [Key(.backspace, .control)], action: .deleteWord, scopes: fields, isHidden: true),
        KeyBinding(keys: [.control("u")], action: .deleteToStart, scopes: fields),
        KeyBinding(keys: [.control("k")], action: .deleteToEnd, scopes: fields),
    ]

    private static let terminal = [
        KeyBinding(keys: [.plain("m")], action: .toggleMouse, scopes: calm.subtracting(fields)),
        KeyBinding(keys: [.control("l")], action: .repaint, scopes: everywhere),
        KeyBinding(keys: [.control("z")], action: .suspend, scopes: everywhere),
        KeyBinding(keys: [.control("c")], action: .interrupt, scopes: everywhere),
    ]
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
