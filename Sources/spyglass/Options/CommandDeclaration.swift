import SpyglassCatalog
import SpyglassCodecs

enum Command: String, CaseIterable, Sendable {
    case browse, list, show, resize, cache, bench, doctor, completions, help
}

/// One command, from which help, completions and the man page follow.
struct CommandDeclaration: Sendable {
    /// The operands, as help writes them: `[QUERY...]`.
    var operands = ""
    let summary: String
    let text: String
    let examples: [Example]
    var completions = CompletionWords.nothing

    typealias Example = (line: String, meaning: String)
}

/// The words or files that a shell offers for an operand or for the value of an option.
enum CompletionWords: Sendable {
    case nothing, files, folders
    case words([String])
}

enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

extension Command {
    var declaration: CommandDeclaration {
        switch self {
        case .browse:
            CommandDeclaration(
                operands: "[QUERY... | FOLDER|FILE...]", summary: "search and browse in full screen",
                text: """
                    Searches for photos, lists them without end, opens one in full, and marks, saves and exports them. ? \
                    lists the keys, and spyglass help keys explains how to change them. Without a query, the search \
                    field opens. If all operands are existing folders or files, they are opened: a folder's pictures \
                    and subfolders, or a single file in full. All other words are a search, and so are words after \
                    --. Settings are stored in $XDG_CONFIG_HOME/spyglass; searches, marks and the last position (except in \
                    folders) in $XDG_STATE_HOME/spyglass. Without a terminal, or on a dumb one, it prints what list prints.
                    """,
                examples: [
                    ("spyglass", "start with the search field"),
                    ("spyglass apollo 11", "start with a search"),
                    ("spyglass ~/Pictures", "a folder of your own"),
                    ("spyglass -- snow", "a search, also if a file has this name"),
                    ("spyglass browse --source demo", "10,000 generated images, no network"),
                ],
                completions: .files)
        case .list:
            CommandDeclaration(
                operands: "[QUERY...]", summary: "search and print thumbnails with their titles",
                text: """
                    Searches a photo source and prints each photo beside its title, photographer, date and \
                    description, in the source's order. If the output is not a terminal, it prints text only, unless \
                    --color, --cells or --pixels is given. An image that delays the list by \
                    \(ListRun.timeout.components.seconds) seconds becomes a placeholder and counts as failed.
                    """,
                examples: [
                    ("spyglass list apollo 11", "the first \(Options().limit) photos"),
                    ("spyglass list --year 1969-1972", "all photos of these years"),
                    ("spyglass list mars -n 5 --json", "one JSON object a line"),
                    ("spyglass list --source folder ~/Pictures --json", "files of your own"),
                ])
        case .show:
            CommandDeclaration(
                operands: "[FILE|URL|-...]", summary: "print images",
                text: """
                    Prints images of files and URLs, one after another. - is standard input, which is also read if \
                    nothing is named and a file or a pipe is connected. An image fits the terminal less one row, and is \
                    enlarged only with --enlarge. A damaged image shows the part that can be decoded. A caption's FORMAT \
                    is text with any of \(CaptionFormat.fields): the file's name without its folder, its size in \
                    pixels, and its format. On a terminal an empty line separates images. Real pixels (kitty, iterm2, \
                    sixel) fit the window, also with --cells: scrolling would tear a higher image.
                    """,
                examples: [
                    ("spyglass show photo.jpg", "one image"),
                    ("spyglass show --cells 40x20 *.png", "several, small"),
                    ("spyglass show --cells 60x photo.jpg", "60 columns, any height in characters"),
                    ("spyglass show --grid 3 --caption *.jpg", "three per row"),
                    ("cat m31.jpg | spyglass show", "from a pipe"),
                ],
                completions: .files)
        case .resize:
            CommandDeclaration(
                operands: "FILE|FOLDER|URL|-...", summary: "make resized copies of images",
                text: """
                    Makes a resized JPEG, PNG, WebP or AVIF of every image: of files, of URLs, of standard input (-), of the lines \
                    of a manifest, of the results of a search, and of all visible files in a folder that end in \
                    \(Self.imageEndings). Without --format, formats other than JPEG and PNG become PNG if transparent, \
                    else JPEG; an animation becomes its first frame. Results are upright, in sRGB and without metadata, \
                    unless --keep asks for it. --keep exif leaves out the position: GPS, and the maker's notes, which \
                    may hold one. A profile for grey or CMYK is never kept: its pixels become sRGB. XMP is not kept. A run may \
                    stop at any moment and start again: files are written atomically, up-to-date results are skipped, \
                    failed items are retried. It never overwrites an input or a file of another program. The same \
                    inputs and options produce the same bytes. A truncated or damaged image fails, unless --damaged \
                    make is given, which makes the part that can be decoded; the others continue. The exit code is 1 \
                    if any failed. With --pack, each tar file holds the results of N inputs, in their order: the \
                    images, a .json with what is known about each, and a .txt with the caption. A tar file that was \
                    being written when a run stopped is made again. A list is a CSV or TSV with a header, JSON \
                    lines, or an address or path a line, also compressed with gzip or from standard input (-).
                    """,
                examples: [
                    ("spyglass resize photos/ --out thumbs", "a whole folder, its tree kept"),
                    ("spyglass resize *.jpg --out web --size 320 --size 1280x", "two sizes of each"),
                    ("spyglass resize --search mars --limit 500 --out thumbs", "the results of a search"),
                    ("spyglass resize --manifest list.jsonl --report - --out thumbs", "JSON lines in and out"),
                    ("spyglass resize --manifest list.csv --pack tar --out data", "tar files for WebDataset"),
                ],
                completions: .files)
        case .cache:
            CommandDeclaration(
                operands: CacheTask.names.joined(separator: "|"), summary: "inspect and clean the disk cache",
                text: """
                    stats prints what the disk cache holds, verify reads every entry and removes damaged ones, trim \
                    removes the least recently used entries until the cache is within its limit, clear removes every \
                    entry, and path prints the folder. Other files in the folder stay. Several processes may use one \
                    cache, also during these tasks.
                    """,
                examples: [
                    ("spyglass cache stats", "entries, bytes, limit"),
                    ("spyglass cache trim --disk-limit 100MiB", "keep the latest 100 MiB"),
                    ("spyglass cache path", "print the folder"),
                ],
                completions: .words(CacheTask.names))
        case .bench:
            CommandDeclaration(
                operands: "\(BenchCommand.partNames.joined(separator: "|")) [FILE|FOLDER...]",
                summary: "measure the speed of this program on this machine",
                text: """
                    Measures the parts of the program on this machine, each against a reference in the same run: \
                    decoding against plain calls of the C library, resizing against a copy of the bytes, the memory \
                    cache against a dictionary under a lock, a frame of the browser against a full repaint. The disk \
                    cache is measured in a temporary folder below $TMPDIR. Samples are generated in memory, unless \
                    files or folders of images are given; fetch reads a file of URLs. A result is the median of many \
                    samples, with the distance between their quartiles; instructions are counted where the system \
                    allows it. --baseline exits 1 on a regression: a tenth more instructions; or a quarter more time, \
                    beyond what both spreads explain, and at most twice; or one percent more bytes or fewer hits. A \
                    suspected regression is measured twice, and the better measurement counts. Times are ignored if \
                    the machine differs, or only one report is --quick. Reports of another build, or of other images \
                    or URLs, cannot be compared. A benchmark that fails is reported and skipped, and the exit code is 1. \
                    Ctrl-C prints the results so far, except as JSON. The JSON has "machine", "run" (the conditions) \
                    and "results", each with "name", "value", "unit", "spread", "samples" and, where there are some, \
                    "rival", "ratio", "ratio_spread", "instructions", "cycles"; --baseline adds "against" with the \
                    old "value", the multiples "cost" and "instruction_cost", and "worse". A ratio above 1 means that \
                    Spyglass is faster than the reference.
                    """,
                examples: [
                    ("spyglass bench all --quick", "all but transfers, in a minute"),
                    ("spyglass bench decode photos/", "your own images"),
                    ("spyglass bench fetch list.txt --connections 32", "a file of URLs, one a line"),
                    ("spyglass bench all --json > before.json", "save the report"),
                    ("spyglass bench all --baseline before.json", "find regressions"),
                ],
                completions: .words(BenchCommand.partNames))
        case .doctor:
            CommandDeclaration(
                summary: "check the terminal, the libraries, the cache and the source",
                text: """
                    Reports the terminal, its size and colours, the locale, the libraries and the source, each with \
                    its evidence. The last line names what works, and the command that installs what is missing. Sends the \
                    source a search, and waits 2 s at most; with --archive it checks the archive instead. Exits 1 \
                    if a requirement is missing.
                    """,
                examples: [("spyglass doctor", "a table"), ("spyglass doctor --json", "for a bug report")])
        case .completions:
            CommandDeclaration(
                operands: Shell.names.joined(separator: "|"), summary: "print a completion script for a shell",
                text: "Prints a script that lets a shell complete commands, options and their values.",
                examples: [
                    ("source <(spyglass completions bash)", "in ~/.bashrc"),
                    ("spyglass completions zsh > ~/.zfunc/_spyglass", "in a folder of $fpath"),
                    ("spyglass completions fish > ~/.config/fish/completions/spyglass.fish", "for fish"),
                ],
                completions: .words(Shell.names))
        case .help:
            CommandDeclaration(
                operands: "[COMMAND|keys]", summary: "explain a command, or list the browser's keys",
                text: """
                    Explains a command and its options, or lists the keys of the browser, including the changes in keys.json \
                    in the settings folder. It exits 1 if a line of that file is wrong.
                    """,
                examples: [
                    ("spyglass help list", "the same as spyglass list --help"),
                    ("spyglass help keys", "all keys, and how to change them"),
                ],
                completions: .words(Command.names + [HelpPage.keys]))
        }
    }

    /// `.jpg, .jpeg or .png`.
    private static var imageEndings: String {
        ValueText.alternatives(ImageFormat.allCases.flatMap(\.fileExtensions).map { ".\($0)" })
    }

    /// The first operand, which must be one of `names`; messages call it a `noun`.
    func firstOperand(_ operands: [Argument], _ noun: String, among names: [String]) throws(Failure) -> String {
        let alternatives = ValueText.alternatives(names)
        guard let name = operands.first?.text else { throw .usage("\(self) needs a \(noun): \(alternatives)") }
        guard names.contains(name) else {
            let advice = EditDistance.suggestion(for: name, among: names) ?? "expected \(alternatives)"
            throw .usage("unknown \(self) \(noun) \(name); \(advice)")
        }
        return name
    }

    var synopsis: String { declaration.operands.isEmpty ? rawValue : "\(rawValue) \(declaration.operands)" }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    static var names: [String] { allCases.map(\.rawValue) }

    /// The value that the only operand of a command names; messages call it a `noun`.
    init(_ operands: [Argument], of command: Command, _ noun: String) throws(Failure) {
        let name = try command.firstOperand(operands, noun, among: Self.names)
        guard operands.count == 1, let value = Self(rawValue: name) else {
            throw .usage("\(command) takes one \(noun): \(ValueText.alternatives(Self.names))")
        }
        self = value
    }
}
