/// Names of options that more is made of than a value: which contradict each other, which answer at once.
enum OptionName {
    static let archive = "archive"
    static let cells = "cells"
    static let color = "color"
    static let contactSheet = "contact-sheet"
    static let diskLimit = "disk-limit"
    static let dryRun = "dry-run"
    static let help = "help"
    static let keepOriginals = "keep-originals"
    static let language = "lang"
    static let man = "man"
    static let manifest = "manifest"
    static let memoryLimit = "memory-limit"
    static let noCache = "no-cache"
    static let noMouse = "no-mouse"
    static let offline = "offline"
    static let quiet = "quiet"
    static let record = "record"
    static let search = "search"
    static let source = "source"
    static let theme = "theme"
    static let verbose = "verbose"
    static let version = "version"
}

/// One option: parsing, the environment variable, help, completions and the man page are all made from this.
struct OptionDeclaration: Sendable {
    /// The name without its dashes.
    let name: String
    let short: Character?
    let value: ValueForm
    /// What it does, in a few words that follow the option's name in help.
    let summary: String
    let group: Group
    /// Where it has a meaning; a shared option is accepted elsewhere too.
    let commands: [Command]
    /// Whether any command accepts it and `SPYGLASS_NAME` sets it.
    let isShared: Bool
    /// Whether a second one adds to the first; otherwise the last one wins.
    let isList: Bool
    /// A value that counts as not given at all: `auto`.
    let absentValue: String?
    let completes: CompletionWords
    /// Whether help leaves it out.
    let isHidden: Bool
    /// Puts a value into the settings; `nil` where the option stands alone.
    let store: @Sendable (inout Settings, String?) throws(ValueError) -> Void

    /// Whether an option takes a value.
    enum ValueForm: Hashable, Sendable {
        case none
        /// `--limit N`, `--limit=N`.
        case required(String)
        /// `--stats`, `--stats=json`.
        case optional(String)
    }

    /// Under which heading help puts it.
    enum Group: String, CaseIterable, Sendable {
        case input = "Input"
        case output = "Output"
        case run = "Run"
        case search = "Search"
        case source = "Source"
        case cache = "Cache"
        case look = "Look"
        case report = "Report"
        case limits = "Limits"
        case other = "Other"
    }

    /// How it is written with its dashes.
    var dashed: String { "--\(name)" }

    /// The environment variable that stands for it.
    var variable: String {
        Self.variablePrefix + String(decoding: name.utf8.map(Self.variableByte), as: UTF8.self)
    }

    static let variablePrefix = "SPYGLASS_"

    private static func variableByte(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: "-") ? UInt8(ascii: "_") : byte & ~0x20
    }
}

extension OptionDeclaration {
    /// An option that takes a value.
    static func value(
        _ name: String, _ placeholder: String, _ summary: String, in group: Group, for commands: [Command],
        short: Character? = nil, isShared: Bool = true, isList: Bool = false, absent: String? = nil,
        completes: CompletionWords = .nothing,
        _ store: @escaping @Sendable (inout Settings, String) throws(ValueError) -> Void
    ) -> OptionDeclaration {
        OptionDeclaration(
            name: name, short: short, value: .required(placeholder), summary: summary, group: group,
            commands: commands, isShared: isShared, isList: isList, absentValue: absent, completes: completes,
            isHidden: false
        ) { settings, text throws(ValueError) in try store(&settings, text ?? "") }
    }

    /// An option that stands alone; its variable is 1 or 0.
    static func flag(
        _ name: String, _ summary: String, in group: Group, for commands: [Command], short: Character? = nil,
        isShared: Bool = true, isHidden: Bool = false, _ set: @escaping @Sendable (inout Settings, Bool) -> Void
    ) -> OptionDeclaration {
        OptionDeclaration(
            name: name, short: short, value: .none, summary: summary, group: group, commands: commands,
            isShared: isShared, isList: false, absentValue: nil, completes: .nothing, isHidden: isHidden
        ) { settings, text throws(ValueError) in set(&settings, try text.map(Values.flag) ?? true) }
    }

    /// An option that stands alone, of some commands only; no variable sets it.
    static func local(
        _ name: String, _ summary: String, in group: Group, for commands: [Command], short: Character? = nil,
        isHidden: Bool = false, _ set: @escaping @Sendable (inout Settings, Bool) -> Void
    ) -> OptionDeclaration {
        .flag(name, summary, in: group, for: commands, short: short, isShared: false, isHidden: isHidden, set)
    }
}
