internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassTerminalUI

/// The last line of the screen while a command is typed.
struct CommandScreen: Hashable, Sendable {
    var field = TextField()
}

/// A command and the photos that it is for.
struct CommandJob: Hashable, Sendable {
    /// As it was typed.
    var text: String
    var command: TypedCommand
    var items: [SaveItem]
    /// The folder on the screen, where the command runs; the program's own if there is none.
    var folder: [UInt8]?
    var language: Language
    var glyphs: GlyphSet
}

extension CommandScreen: ScreenFeature {
    static let kind = ScreenKind.panel

    func scope(in state: AppState) -> KeyScope { .command }
    func hints(in state: AppState) -> [Action] { [.submit, .back] }

    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? {
        action == .submit ? strings.command.run : action == .back ? strings.app.cancel : nil
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        var screen = self
        switch action {
        case .submit: return state.run(field.text, &effects)
        case .deleteBackward where field.text.isEmpty: return state.back(&effects)
        case .up: _ = screen.field.recall(1, in: state.commands)
        case .down: _ = screen.field.recall(-1, in: state.commands)
        default: _ = screen.field.perform(action)
        }
        state.replaceTop(.command(screen))
    }

    func turnWheel(_ step: Int, in state: inout AppState, _ effects: inout Effects) {}

    /// The first and the last line are drawn after all screens (`HeaderFooter`).
    func draw(_ context: RenderContext, on canvas: inout Canvas) {}

    func draw(_ context: RenderContext, in area: CellArea, row: Int, on canvas: inout Canvas) {
        let target = canvas.clean(context.state.commandTarget, columns: area.columns / 3)
            .truncated(to: area.columns / 3, glyphs: canvas.glyphs)
        FieldLine(field: field, prompt: context.strings.command.prompt).draw(
            after: [.init(target, .dim), .init(" : ", .key)], keys: context.hints, in: area, row: row, on: &canvas)
    }
}

extension AppState {
    private static let maxCommands = 100

    fileprivate mutating func run(_ text: String, _ effects: inout Effects) {
        let text = text.trimmed
        let command = TypedCommand(text, home: options.homeFolder)
        // A refused one, too: it may only need quotation marks.
        if !text.isEmpty { remember(command: text, &effects) }
        if command == nil, !text.isEmpty { return notify(.hint(CommandTexts.all.openQuote)) }
        if command?.needsShell == true { return notify(.hint(CommandTexts.all.needsShell)) }
        screens.removeLast()
        guard let command else { return }
        let items = command.takesFiles ? chosenItems : []
        guard !items.isEmpty || !command.takesFiles else { return notify(.hint(CommandTexts.all.nothingToRun)) }
        if items.contains(where: { $0.photo.file == nil }) { notice = .hint(CommandTexts.all.fetching) }
        effects.append(
            .run(
                CommandJob(
                    text: text, command: command, items: items, folder: list?.folderPath, language: language,
                    glyphs: traits.glyphs)))
    }

    private mutating func remember(command text: String, _ effects: inout Effects) {
        commands.removeAll { $0 == text }
        commands.insert(text, at: 0)
        commands.removeLast(max(commands.count - Self.maxCommands, 0))
        if options.keepsHistory { effects.append(.store(.command(text))) }
    }

    /// The photos that `{}` stands for: `3 marked`, or the name of a single one.
    fileprivate var commandTarget: String {
        let items = chosenItems
        guard items.count > 1 else { return items.first?.photo.title ?? "" }
        return UIStrings(language).marks.marked(number(items.count))
    }
}

extension Action {
    static let command = Action(
        "command", "run a command", "Befehl ausführen", "lancer une commande", "ejecutar un comando", "コマンドを実行",
        "تنفيذ أمر")
}

extension KeyTable {
    static let command =
        bind(in: photos.union([.detail]), ([.plain(":")], .command))
        + bind(in: [.command], isHidden: true, ([.control("p")], .up), ([.control("n")], .down))
}

final class CommandTexts: Sendable {
    static let all = CommandTexts()
    let run = Text("run", "ausführen", "lancer", "ejecutar", "実行", "تنفيذ")
    let prompt = Text(
        "a command; {} stands for the files", "ein Befehl; {} steht für die Dateien",
        "une commande ; {} désigne les fichiers", "un comando; {} son los archivos", "コマンド。{} はファイル",
        "أمر؛ {} هي الملفات")
    let openQuote = Text(
        "A quotation mark is not closed", "Ein Anführungszeichen ist nicht geschlossen",
        "Un guillemet n’est pas fermé", "Falta cerrar unas comillas", "引用符が閉じていません", "علامة اقتباس غير مغلقة")
    let needsShell = Text(
        "No shell reads this; for pipes and the like: sh -c '…'", "Hier liest keine Shell mit; für Pipes: sh -c '…'",
        "Aucun shell ici ; pour un tube : sh -c '…'", "Aquí no hay shell; para tuberías: sh -c '…'",
        "シェルは使いません。パイプなどは sh -c '…'", "لا صدفة هنا؛ للأنابيب: sh -c '…'")
    let nothingToRun = Text(
        "No photo to run the command on", "Kein Foto für einen Befehl", "Aucune photo pour une commande",
        "No hay foto para un comando", "コマンドに渡す写真がありません", "لا صورة لأمر")
    let fetching = Text(
        "Fetching the photos for the command", "Die Fotos für den Befehl werden geholt",
        "Les photos sont chargées pour la commande", "Se descargan las fotos para el comando", "コマンド用に写真を取得中",
        "جارٍ جلب الصور للأمر")
    let cannotRun = Template(
        { "Cannot run \($0)" }, { "\($0) lässt sich nicht ausführen" }, { "Impossible de lancer \($0)" },
        { "No se puede ejecutar \($0)" }, { "実行できません: \($0)" }, { "تعذر تنفيذ \($0)" })
    let ended = Template(
        { "Exit code \($0). Press a key." }, { "Exit-Code \($0). Eine Taste drücken." },
        { "Code de retour \($0). Appuyez sur une touche." }, { "Código de salida \($0). Pulsa una tecla." },
        { "終了コード \($0)。キーを押してください。" }, { "رمز الخروج \($0). اضغط أي مفتاح." })
    let killed = Template(
        { "Ended by signal \($0). Press a key." }, { "Von Signal \($0) beendet. Eine Taste drücken." },
        { "Arrêtée par le signal \($0). Appuyez sur une touche." },
        { "Terminado por la señal \($0). Pulsa una tecla." }, { "シグナル \($0) で終了。キーを押してください。" },
        { "أنهته الإشارة \($0). اضغط أي مفتاح." })
    let interrupted = Text(
        "Interrupted. Press a key.", "Unterbrochen. Eine Taste drücken.", "Interrompue. Appuyez sur une touche.",
        "Interrumpido. Pulsa una tecla.", "中断しました。キーを押してください。", "قوطع الأمر. اضغط أي مفتاح.")
}

extension UIStrings { var command: Localized<CommandTexts> { Localized(.all, language) } }

/// The words of a typed command, as a program gets them: no shell reads them.
///
///     TypedCommand("cp -t 'my best' {}", home: "/home/ada")?.words(for: files)
///
/// Spaces separate words, except in `'…'` and `"…"` and after `\`; inside `"…"`, that escapes only `"`, `\`, `$` and `` ` ``.
/// `~` at the start of a word is the home folder.
struct TypedCommand: Hashable, Sendable {
    private var words: [[UInt8]] = []
    /// Whether something that is not quoted has a meaning in shells alone: an operator, a pattern, a variable.
    private(set) var needsShell = false
    private static let operators = "|&;<>*$`"
    private static let place = Array("{}".utf8)

    /// `nil` without a word, and where a quotation mark is left open.
    init?(_ text: String, home: String) {
        var word: String?
        var isHome = false
        var quote: Character?
        var isEscaped = false
        func add(_ character: Character) { word = (word ?? "") + String(character) }
        func endWord() {
            guard var ended = word else { return }
            if isHome, ended == "~" || ended.hasPrefix("~/") { ended = home + ended.dropFirst() }
            words.append(Array(ended.utf8))
            (word, isHome) = (nil, false)
        }
        for character in text {
            switch character {
            case _ where isEscaped:
                if quote == "\"", !"\"\\$`".contains(character) { add("\\") }
                add(character)
                isEscaped = false
            case "\\" where quote == "\"": isEscaped = true
            case quote: quote = nil
            case _ where quote != nil: add(character)
            case "'", "\"":
                quote = character
                word = word ?? ""
            case "\\": isEscaped = true
            case _ where character.isWhitespace: endWord()
            default:
                if Self.operators.contains(character) { needsShell = true }
                if word == nil { isHome = character == "~" && !home.isEmpty }
                add(character)
            }
        }
        endWord()
        guard quote == nil, !isEscaped, !words.isEmpty else { return nil }
    }

    /// Whether a word has `{}`.
    var takesFiles: Bool { words.contains(where: Self.hasPlace) }

    /// The words with the files: each word with `{}` once for each file, in its place.
    func words(for files: [[UInt8]]) -> [[UInt8]] {
        words.flatMap { word in Self.hasPlace(word) ? files.map { Self.fill(word, with: $0) } : [word] }
    }

    private static func hasPlace(_ word: [UInt8]) -> Bool { word.indices.contains { word[$0...].starts(with: place) } }

    private static func fill(_ word: [UInt8], with file: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = word[...]
        while let first = rest.first {
            let isPlace = rest.starts(with: place)
            result += isPlace ? file : [first]
            rest = rest.dropFirst(isPlace ? place.count : 1)
        }
        return result
    }
}
